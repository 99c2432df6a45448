import Bluetooth
import Bytes
import Decoders
import MadeTraffic
import Sessions
import Testing

@testable import Comparisons
@testable import Reports

/// The connections that `diff` compares with each other, and what it prints first.
@Suite("diff of several connections, and of two ends") struct DiffConnectionsTests {
  private func remember(_ build: (inout Traffic) -> Void) throws -> RememberedCapture {
    var traffic = Traffic()
    build(&traffic)
    var source = MemorySource(traffic)
    var report = SessionReport(SuppliedProfiles(), showsKeys: false)
    var output = Output()
    var pass = Pass()
    try pass.run(&source, &report, into: &output)
    let capture = report.capture
    return try #require(capture)
  }

  private func report(
    _ left: (inout Traffic) -> Void, _ right: (inout Traffic) -> Void,
    _ choose: (inout DiffOptions) -> Void = { _ in }
  ) throws -> DifferenceReport {
    var options = DiffOptions()
    options.names = ("working.btsnoop", "mine.btsnoop")
    choose(&options)
    return DifferenceReport(try remember(left), try remember(right), options)
  }

  /// Returns the printed lines without the blanks between columns.
  private func lines(_ report: DifferenceReport) -> [String] {
    var output = Output()
    report.write(into: &output)
    return String(decoding: output.bytes.array, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
  }

  /// Records a connection that pairs, or whose responder refuses pairing.
  private func connection(pairs: Bool, _ traffic: inout Traffic) {
    traffic.connect()
    traffic.exchangeFeatures(io: 3, auth: 1, peerIO: 3, peerAuth: 1)
    if pairs {
      traffic.legacyValues()
      traffic.encrypt()
    } else {
      traffic.pairingFailed(5)
    }
    traffic.disconnect()
  }

  @Test("as many connections on both sides: each with the one in its position")
  func asMany() throws {
    let report = try report { traffic in
      connection(pairs: false, &traffic)
      connection(pairs: true, &traffic)
    } _: { traffic in
      connection(pairs: true, &traffic)
      connection(pairs: false, &traffic)
    }
    let lines = lines(report)
    let first = try #require(lines.firstIndex(of: "FIRST DIFFERENCE THAT MATTERS"), "\(lines)")
    #expect(lines[first + 1].contains("Pairing Failed: Pairing Not Supported"), "\(lines)")
    #expect(lines[first + 2] == "gattscope explain working.btsnoop has the details")
    #expect(lines[first + 3].hasPrefix("right"))
    #expect(lines.contains("connections 2 and 2"))
    #expect(!lines.contains { $0.hasPrefix("only on the") })
  }

  @Test("one additional connection before the others: only it has no counterpart")
  func oneMore() throws {
    func reads(_ traffic: inout Traffic) {
      for value in 1...3 {
        traffic.connect()
        traffic.ask("0a 10 00", "0b 0\(value)")
        traffic.disconnect()
      }
    }
    let report = try report { traffic in
      traffic.connect()
      traffic.disconnect(reason: 0x3e)
      reads(&traffic)
    } _: { traffic in
      reads(&traffic)
    }
    let lines = lines(report)
    let line = lines.first { $0.hasPrefix("only on the left: connection 1, 0 operations, 1 fails") }
    #expect(line != nil, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("~") }, "\(lines)")
  }

  @Test("a connection without a counterpart counts in the headline if something fails there")
  func lone() throws {
    func reads(_ answer: String, _ traffic: inout Traffic) {
      for value in 1...3 {
        traffic.connect()
        traffic.ask("0a 10 00", "0b 0\(value)")
        traffic.disconnect()
      }
      traffic.connect()
      traffic.ask("0a 22 00", answer)
      traffic.disconnect()
    }
    for fails in [true, false] {
      let report = try report { traffic in
        reads(fails ? "01 0a 22 00 02" : "0b 01", &traffic)
      } _: { traffic in
        for value in 1...3 {
          traffic.connect()
          traffic.ask("0a 10 00", "0b 0\(value)")
          traffic.disconnect()
        }
      }
      let words =
        fails
        ? "only on the left: connection 4, 1 operation, 1 fails, Read 0x0022: Read Not Permitted (0x02) (#14)"
        : "only on the left: connection 4, 1 operation, nothing fails"
      let headline = "an operation fails in a connection that only the left side has"
      let text = lines(report)
      #expect(text.contains("FIRST DIFFERENCE \(headline)") == fails, "\(text)")
      #expect(text.contains { $0.hasPrefix(words) }, "\(text)")
      // The lines below the headline show what it is about.
      let failing = "only left #14 Read 0x0022: Read Not Permitted (0x02), connection 4"
      #expect(text.contains(failing) == fails, "\(text)")
      let json = try json(report)
      #expect(json.contains("\"text\":\"\(words)"), "\(json)")
      #expect(json.contains("\"headline\":\"\(headline)\"") == fails, "\(json)")
      // The page calls the sides by their files.
      let html = try html(report)
      #expect(html.contains(words.replacing("on the left", with: "in working.btsnoop")), "\(html)")
      let named = headline.replacing("the left side", with: "working.btsnoop")
      #expect(html.contains(named) == fails, "\(html)")
      #expect(
        html.contains("<b>#14</b> Read 0x0022: Read Not Permitted (0x02), connection 4") == fails,
        "\(html)")
    }
  }

  /// Returns the document of `--json`, and the page of `--html`.
  private func json(_ report: DifferenceReport) throws -> String {
    var document = DifferenceDocument(report)
    var output = Output()
    document.write(into: &output)
    return String(decoding: output.bytes.array, as: UTF8.self)
  }

  private func html(_ report: DifferenceReport) throws -> String {
    var page = DifferenceHTML(report)
    var output = Output()
    page.write(into: &output)
    return String(decoding: output.bytes.array, as: UTF8.self)
  }

  @Test(
    "nothing succeeds on one side and fails on the other: failures of one side alone are printed")
  func failsAlone() throws {
    func build(_ more: @escaping (inout Traffic) -> Void) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        traffic.ask("02 64 00", "03 64 00")
        more(&traffic)
        traffic.disconnect()
      }
    }
    let report = try report(
      build {
        $0.ask("0a 20 00", "0b 01")
        $0.ask("0a 22 00", "0b 01")
      },
      build { $0.ask("12 24 00 01", "01 12 24 00 03") })
    let lines = lines(report)
    let first = lines.firstIndex { $0.hasPrefix("FIRST DIFFERENCE an operation fails") }
    let place = try #require(first, "\(lines)")
    #expect(lines[place + 1].hasPrefix("only right"), "\(lines)")
    #expect(lines[place + 1].contains("Write Not Permitted"))
  }

  /// Both send requests at the same time: at each end its own request comes first.
  private func ends(_ isCentral: Bool) -> (inout Traffic) -> Void {
    { traffic in
      traffic.connect(role: isCentral ? 0 : 1)
      let (mine, peers) = (isCentral ? "10" : "20", isCentral ? "20" : "10")
      // A discovery of each side, which the other's interrupts.
      traffic.sent("04 01 00 ff ff")
      traffic.ask("04 01 00 ff ff", "05 01 01 00 00 28", by: .received)
      traffic.received("05 01 01 00 00 28")
      traffic.sent("04 02 00 ff ff")
      traffic.ask("04 02 00 ff ff", "05 01 02 00 03 28", by: .received)
      traffic.received("05 01 02 00 03 28")
      traffic.sent("0a \(mine) 00")
      traffic.ask("0a \(peers) 00", "0b \(peers)", by: .received)
      traffic.received("0b \(mine)")
    }
  }

  @Test("each direction between the two ends is compared separately") func twoEnds() throws {
    func steps(_ areTwoEnds: Bool) throws -> Int {
      var options = DifferenceOptions()
      options.areTwoEnds = areTwoEnds
      let (left, right) = (try remember(ends(true)), try remember(ends(false)))
      let sessions = (
        try #require(left.devices.first?.session), try #require(right.devices.first?.session)
      )
      return Difference(sessions.0, sessions.1, options).changedSteps
    }
    #expect(try steps(false) > 0, "the requests do cross")
    #expect(try steps(true) == 0)
  }

  @Test("what differs in a value is found again when it is printed") func differingBytes() throws {
    func build(_ values: [String]) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        for value in values { traffic.ask("0a 10 00", "0b \(value)") }
      }
    }
    let sides = (
      try remember(build(["01 02 03", "01 02 03", "01 02 03"])),
      try remember(build(["04 02 03", "04 05 03", "04 02 03"]))
    )
    let sessions = (
      try #require(sides.0.devices.first?.session), try #require(sides.1.devices.first?.session)
    )
    let difference = Difference(sessions.0, sessions.1, DifferenceOptions())
    let changes = difference.steps.flatMap(\.changes)
    let fields = changes.map { difference.fields(of: $0) }
    #expect(fields.map { $0.map(\.name) } == [["byte 1"], ["byte 1", "byte 2"], ["byte 1"]])
    #expect(fields.allSatisfy { $0[0].expectation == .everyPair })
    #expect(fields[1][1].expectation == .none)
    #expect(changes.map { $0.expectations.contains(.none) } == [false, true, false])
    var options = DifferenceOptions()
    options.ignored = ["byte 1"]
    let rest = Difference(sessions.0, sessions.1, options)
    #expect(rest.steps.flatMap(\.changes).map { rest.fields(of: $0).map(\.name) } == [["byte 2"]])
  }

  @Test("an ignored byte that differs nowhere is reported") func ignored() throws {
    func build(_ value: String) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        traffic.ask("0a 10 00", "0b \(value)")
      }
    }
    let found = try report(build("01 02"), build("01 03")) { $0.ignored = ["byte 2", "day"] }
    #expect(found.ignoredInVain == ["day"])
    #expect(found.isSame)
  }

  @Test("devices without a counterpart: how to compare them nevertheless")
  func nothingPaired() throws {
    let lines = lines(
      try report {
        $0.connect(peer: 0xc011_2233_4455)
      } _: { traffic in
        traffic.connect(peer: 0xc011_2233_4466)
        traffic.connect(0x41, peer: 0xc011_2233_4477)
      })
    #expect(lines.contains { $0.contains("--left-device") }, "\(lines)")
  }
}
