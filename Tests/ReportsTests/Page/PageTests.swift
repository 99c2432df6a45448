import Bluetooth
import Bytes
import Captures
import FuzzInputs
import Sessions
import Testing

@testable import Documents
@testable import Reports

@Suite("The contents of a page") struct PageTests {
  private func text(_ write: (inout Output) -> Void) -> String {
    var output = Output()
    write(&output)
    return output.string
  }

  // MARK: Text in HTML and JSON

  @Test(
    "Text cannot become markup",
    arguments: [
      ("a < b & \"c\"", "a &lt; b &amp; &quot;c&quot;"),
      ("</script><!--", "&lt;/script&gt;&lt;!--"),
      ("\u{202e}x\u{0}", "\\u{202e}x\\u{0}"), ("zwei\nlines", "zwei\nlines"), ("℃ é", "℃ é"),
    ])
  func html(_ words: String, _ expected: String) {
    let shown = text { $0.html(words) }
    #expect(shown == expected)
  }

  @Test("Bytes that are not UTF-8 become the replacement character") func invalid() {
    let bytes: [UInt8] = [0x61, 0xff, 0x62]
    let shown = text { $0.html(bytes.bytes) }
    #expect(shown == "a\u{fffd}b")
  }

  @Test(
    "Packets become links, unless they are in quotes",
    arguments: [
      ("see #48.", "see <a href=\"#packet=48\">#48</a>."),
      ("(#46–48)", "(<a href=\"#packet=46\">#46</a>–<a href=\"#packet=48\">48</a>)"),
      ("#43–#72", "<a href=\"#packet=43\">#43</a>–<a href=\"#packet=72\">#72</a>"),
      ("#43–", "<a href=\"#packet=43\">#43</a>–"), ("#43–x", "<a href=\"#packet=43\">#43</a>–x"),
      ("\"#1 fan\" #2", "&quot;#1 fan&quot; <a href=\"#packet=2\">#2</a>"),
      ("\"a\\\" #1\" #2", "&quot;a\\&quot; #1&quot; <a href=\"#packet=2\">#2</a>"),
      ("x#3 #", "x#3 #"), ("#", "#"), ("#99999999999999999999", "#99999999999999999999"),
    ])
  func links(_ words: String, _ expected: String) {
    let shown = text { $0.linked(words) }
    #expect(shown == expected)
  }

  @Test(
    "Bytes and codes are code, other numbers and words are not",
    arguments: [
      ("wrote 69 96 02.", "wrote <code>69 96 02</code>."),
      ("refused (0x05), 00 01", "refused (<code>0x05</code>), <code>00 01</code>"),
      ("be added, 12 of 34", "be added, 12 of 34"), ("0x", "0x"), ("0xg ab", "0xg ab"),
      ("69 96 022", "<code>69 96</code> 022"), ("a69 96", "a69 96"),
      ("69 96", "<code>69 96</code>"),
      ("0000180f-0000-1000", "0000180f-0000-1000"),
      ("0x05<b>", "<code>0x05</code>&lt;b&gt;"),
    ])
  func codes(_ words: String, _ expected: String) {
    let shown = text { $0.linked(words) }
    #expect(shown == expected)
  }

  @Test("JSON in a script element has no <") func embedded() {
    let written = text { $0.embedded("</script>\"\u{2028}") }
    #expect(written == "\"\\u003c/script>\\\"\\u2028\"")
  }

  // MARK: Tables

  @Test("A text is stored once, whatever its length") func texts() {
    var table = TextTable()
    var places: [String: Int] = ["": 0]
    for round in 0..<2 {
      for number in 0..<3000 {
        let word = String(repeating: "x", count: number % 40) + "\(number)"
        let place = table.place(of: [UInt8](word.utf8).bytes)
        if round == 0 { places[word] = place } else { #expect(places[word] == place, "\(word)") }
      }
    }
    #expect(table.count == 3001)
    let nothing: [UInt8] = []
    let empty = table.place(of: nothing.bytes)
    #expect(empty == 0)
    for (word, place) in places {
      let kept = String(decoding: table[place].array, as: UTF8.self)
      #expect(kept == word)
    }
  }

  @Test("Lines are found one after the other, up to the first difference") func lines() {
    var table = TextTable()
    let lines = (0..<20).map { [UInt8]((String(repeating: "a", count: $0) + "\n").utf8) }
    for line in lines { _ = table.place(of: line.bytes) }
    let text = [UInt8](lines.joined())
    func found(from place: Int, in text: [UInt8], at start: Int) -> [Int] {
      var offset = start
      let end = table.end(from: place, in: text.bytes, at: &offset)
      return [end, offset]
    }
    var start = 0
    for (index, line) in lines.enumerated() {
      #expect(found(from: index + 1, in: text, at: start) == [21, text.count])
      for place in start..<start + line.count {
        var other = text
        other[place] = 0x62
        #expect(found(from: 1, in: other, at: 0) == [index + 1, start])
        #expect(found(from: 1, in: [UInt8](text[..<place]), at: 0) == [index + 1, start])
      }
      start += line.count
    }
    #expect(found(from: 21, in: text, at: 3) == [21, 3])
  }

  @Test("A chart has few points and loses no extreme, also if its room becomes less")
  func course() {
    for least in [512, 8] {
      var course = PlotCourse()
      for number in 0..<10_000 {
        course.add(
          number == 4321 ? 99 : number == 8765 ? -99 : Double(number % 7), at: Int64(number),
          most: number < 5000 ? 512 : least)
      }
      expect(course, most: least)
    }
  }

  private func expect(_ course: PlotCourse, most: Int) {
    #expect(course.points.count <= most)
    #expect(course.count == 10_000)
    #expect(course.points.map(\.high).max() == 99)
    #expect(course.points.map(\.low).min() == -99)
    #expect(course.points.map(\.time) == course.points.map(\.time).sorted())
  }

  // MARK: Omissions

  private func row(
    _ number: Int, connection: UInt32, _ flags: PageRows.Flags = []
  ) -> PageRows.Row {
    var row = PageRows.Row(
      time: Int64(number) * 1000, number: UInt32(number), flags: flags, layer: 0)
    row.connection = connection
    return row
  }

  @Test(
    "Flow control and advertising are omitted first, then packets without a connection, then late ones"
  )
  func order() {
    var rows = PageRows(budget: 4000)
    var stages: [PageRows.Stage] = []
    for number in 1...2000 {
      let flags: PageRows.Flags =
        number % 4 == 0 ? .advertising : number % 4 == 1 ? .flowControl : []
      let connection: UInt32 = number % 4 == 2 ? 1 : 0
      if rows.takes(flags, connection: Int(connection)) {
        rows.add(
          row(number, connection: connection, flags), head: [UInt8]("head".utf8).bytes,
          rest: [UInt8]("rest \(number)".utf8).bytes)
      }
      if stages.last != rows.stage { stages.append(rows.stage) }
    }
    #expect(stages == [.all, .withoutNoise, .connected, .none])
    let left = rows.leftOut
    #expect(rows.rows.count + left.noise + left.unconnected + left.late == 2000)
    #expect(left.noise == 1000)
    #expect(left.unconnected == 500)
    #expect(rows.rows.allSatisfy { $0.connection == 1 })
    #expect(rows.rows.map(\.number) == rows.rows.map(\.number).sorted())
    let out = text { output in
      output.byte(0x7b)
      rows.write(into: &output)
      output.text("}")
    }
    #expect(out.utf8.count < 4600, "\(out.utf8.count) bytes for a budget of 4000")
    // Without the braces.
    #expect(rows.writtenBytes == out.utf8.count - 2)
  }

  @Test("Details keep failures; bytes are omitted first, then other packets") func details() {
    var details = PageDetails(room: 62_500)
    let fields = { (number: Int) in [UInt8]("field \(number): \(number * 7919)\nsame line\n".utf8) }
    for number in 1...6000 {
      let rank: PageDetails.Rank =
        number % 100 == 0 ? .failing : number % 2 == 0 ? .important : .other
      if details.wantsFields(rank) {
        details.add(fields: fields(number).bytes, of: number, rank)
      }
      if details.wantsBytes(30) {
        details.add([UInt8]("0102\(number)".utf8).bytes, hiding: .none, of: number)
      }
    }
    details.learn(rows: 10_000_000)
    let out = text { details.take(into: &$0) }
    #expect(out.utf8.count < 120_000)
    #expect(details.withoutFields > 0)
    #expect(out.contains("\"field 5900: \(5900 * 7919)\""), "a failing packet lost its fields")
    #expect(!out.contains("\"field 5901:"))
    #expect(out.contains("\"hex\":[\"\"]"), "bytes are omitted first")
  }

  @Test("Lines and bytes of packets are written as they were added") func detailsOfPackets() throws
  {
    var details = PageDetails(room: 62_500)
    for number in 1...300 {
      details.add(
        fields: [UInt8]("first\nlast \(number / 2)\n".utf8).bytes, of: number, .important)
      details.add([1, UInt8(number % 10)].bytes, hiding: .none, of: number)
    }
    let out = text { details.take(into: &$0) }
    // Packets 1, 2 and 3: every second one has a new last line.
    #expect(out.contains("\"x\":[[1,2],[1,3],[1,3],[1,4],"), "\(out.prefix(200))")
    #expect(out.contains("[1,152]]"))
    #expect(out.contains("\"hex\":[\"\",\"0101\",\"0102\","))
    let bytes = (1...300).map { "\($0),\(($0 - 1) % 10 + 1)" }.joined(separator: ",")
    #expect(out.hasSuffix("\"bytes\":[\(bytes)]}"))
  }

  @Test("Lines with which packets begin are written once") func beginnings() {
    var details = PageDetails(room: 62_500)
    let first = details.add(beginning: [UInt8]("first\nsecond\n".utf8).bytes, .important)
    let isUsable = details.has(first, .important)
    let isOfOthers = details.has(first, .other)
    #expect(isUsable && !isOfOthers)
    for number in 1...3 {
      let rest = [UInt8]("last \(number / 2)\n".utf8)
      details.add(fields: rest.bytes, after: first, of: number, .important)
    }
    let out = text { details.take(into: &$0) }
    #expect(out.contains("\"begins\":[[],[1,2]],\"b\":[1,1,1],\"x\":[[3],[4],[4]]"), "\(out)")
  }

  @Test("Lines that are known are written as if they were added again") func knownLines() {
    func details(_ isKnown: Bool) -> String {
      var details = PageDetails(room: 62_500)
      let first = details.add(beginning: [UInt8]("first\n".utf8).bytes, .important)
      let second = details.add(beginning: [UInt8]("second\n".utf8).bytes, .important)
      let rest = [UInt8]("value\nmeaning\n".utf8)
      let known = details.add(fields: rest.bytes, after: first, of: 1, .important)
      details.add(fields: [UInt8]("other\n".utf8).bytes, after: first, of: 2, .important)
      for (number, beginning) in [(3, first), (4, second)] {
        if !isKnown || !details.add(known, after: beginning, of: number) {
          details.add(fields: rest.bytes, after: beginning, of: number, .important)
        }
      }
      let others = details.add(beginning: [UInt8]("first\n".utf8).bytes, .other)
      let isAdded = details.add(known, after: others, of: 5)
      #expect(!isAdded, "lines of another part")
      return text { details.take(into: &$0) }
    }
    #expect(details(true) == details(false))
    #expect(details(true).contains("\"b\":[1,1,1,2],\"x\":[[3,4],[5],[3,4],[3,4]]"))
  }

  @Test("A beginning is not used once its part is full") func fullPart() {
    var details = PageDetails(room: 625_000)
    let first = details.add(beginning: [UInt8]("first\n".utf8).bytes, .important)
    for number in 1...4000 where details.has(first, .important) {
      let rest = [UInt8]("a line of packet \(number * 7919)\n".utf8)
      details.add(fields: rest.bytes, after: first, of: number, .important)
    }
    details.add(fields: [UInt8]("other\n".utf8).bytes, of: 5000, .important)
    let isUsable = details.has(first, .important)
    #expect(!isUsable)
    let out = text { details.take(into: &$0) }
    #expect(
      out.contains("\"n\":[5000],\"begins\":[[]],\"b\":[0],\"x\":[[1]]"), "\(out.suffix(300))")
  }

  @Test("Flow control gets a small part of the room for fields") func routine() {
    var details = PageDetails(room: 62_500)
    var kept = 0
    for number in 1...6000 where details.wantsFields(.routine) {
      let fields = [UInt8]("field \(number): \(number * 7919)\n".utf8)
      details.add(fields: fields.bytes, of: number, .routine)
      kept += 1
    }
    #expect(kept > 10 && kept < 400, "\(kept)")
    #expect(details.withoutFields == 6000 - kept)
    let wantsOthers = details.wantsFields(.other)
    #expect(wantsOthers)
  }

  @Test("Packets and their details share what the rest of the page leaves") func room() {
    var details = PageDetails(room: 100_000)
    for number in 1...1000 {
      details.add(
        fields: [UInt8]("field \(number): \(number * 7919)\n".utf8).bytes, of: number, .other)
    }
    details.learn(rows: 60_000)
    #expect(details.withoutFields == 0, "they have room for 40 000 bytes")
    details.learn(rows: 90_000)
    #expect(details.withoutFields > 0)
    let out = text { details.take(into: &$0) }
    #expect(out.utf8.count < 11_000)
  }

  @Test("Advertisers with a connection are drawn; without a connection, those heard most often")
  func signals() {
    func page(_ records: [TestRecord]) -> String { self.page(records, PageOptions()) }
    var link = Link()
    let connection = link.records
    for address in ["55 44 33 22 11 c0", "f1 f1 f1 f1 f1 f1"] {
      for _ in 0..<3 { link.add(hex("04 3e 0c 02 01 00 01 \(address) 00 c8"), .received) }
    }
    let others = link.records.dropFirst(connection.count)
    let (connected, unconnected) = (page(link.records), page(Array(others)))
    #expect(connected.contains(#""signals":[{"name":"C0:11:22:33:44:55""#))
    #expect(!connected.contains(#"{"name":"F1:F1:F1:F1:F1:F1""#))
    #expect(unconnected.contains(#"{"name":"C0:11:22:33:44:55""#))
    #expect(unconnected.contains(#"{"name":"F1:F1:F1:F1:F1:F1""#))
  }

  // MARK: Whole pages

  private func page(
    _ records: [TestRecord], _ options: PageOptions = PageOptions(),
    failure: CaptureFailure? = nil
  ) -> String {
    var source = RecordList(records, failure: failure)
    var report = PageReport(options, source.summary)
    return Rendering.run(&source, &report)
  }

  @Test("A capture without packets gives a page that says so") func nothing() {
    let page = page([])
    #expect(page.contains("This capture is empty"))
    #expect(page.contains("this capture contains no attribute value"))
    #expect(page.hasSuffix("</html>\n"))
  }

  @Test("Damage is reported on the page") func damage() {
    let failure = CaptureFailure(.damaged, "record 2 ends early")
    let page = page([TestRecord(bytes: [0x01, 0x03, 0x0c, 0x00])], failure: failure)
    #expect(page.contains("record 2 ends early"))
  }

  /// Two fields of a CSC Measurement are numbers without a unit, which differ from each other.
  @Test("Each field of a value has its own chart, and a constant one has none") func charts() {
    func charts(_ uuid: String, _ values: [String]) -> Int {
      var link = Link()
      link.discover(0x10, uuid)
      for value in values { link.att("1b 11 00 \(value)", .received) }
      return page(link.records).ranges(of: "<figure").count
    }
    let same = "03 05 00 00 00 00 08 09 00 00 06"
    #expect(charts("5b 2a", [same, same, same]) == 0)
    #expect(charts("5b 2a", [same, same, "03 05 00 00 00 00 08 0a 00 00 06"]) == 1)
  }

  @Test("The user's title and note appear as text") func own() {
    var options = PageOptions()
    options.title = "<b>Lamp</b>"
    options.note = "first & second\n#1 is a Reset"
    options.name = "capture & log"
    let page = page([TestRecord(bytes: [0x01, 0x03, 0x0c, 0x00])], options)
    #expect(page.contains("<code>capture &amp; log</code></p>"))
    #expect(page.contains("<title>&lt;b&gt;Lamp&lt;/b&gt;</title>"))
    #expect(page.contains("first &amp; second<br><a href=\"#packet=1\">#1</a> is a Reset"))
  }

  @Test("Every mark of the template is filled in") func marks() {
    let page = page([TestRecord(bytes: [0x01, 0x03, 0x0c, 0x00])])
    #expect(!page.contains("{{"))
    #expect(page.contains("Content-Security-Policy"))
  }
}
