import Foundation
import FuzzInputs
import MadeTraffic
import Testing

private func files(_ folder: String) -> [URL] {
  let found = try? FileManager.default.contentsOfDirectory(
    at: project.appending(path: folder), includingPropertiesForKeys: nil)
  return (found ?? []).sorted { $0.path < $1.path }
}

/// SplitMix64: the same numbers from the same seed on every machine.
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}

@Suite("Hostile captures")
struct HostileInputTests {
  @Test("Inputs that once failed a fuzzer pass now")
  func regressions() throws {
    for file in files("Fuzz/Regressions/FuzzCapture") where file.lastPathComponent != ".gitkeep" {
      #expect(Fuzzing.capture([UInt8](try Data(contentsOf: file)), .all) == nil, "\(file)")
    }
    let others: [(String, ([UInt8], Fuzzing.Faces) -> String?)] = [
      ("FuzzPcap", Fuzzing.pcap), ("FuzzPcapng", Fuzzing.pcapng),
      ("FuzzPacketLogger", Fuzzing.packetLogger), ("FuzzLive", Fuzzing.live),
      ("FuzzPDU", Fuzzing.pdu), ("FuzzSupplied", Fuzzing.supplied), ("FuzzAir", Fuzzing.air),
    ]
    for (name, fuzz) in others {
      for file in files("Fuzz/Regressions/\(name)") where file.lastPathComponent != ".gitkeep" {
        #expect(fuzz([UInt8](try Data(contentsOf: file)), .all) == nil, "\(file)")
      }
    }
    for file in files("Fuzz/Regressions/FuzzArchive") where file.lastPathComponent != ".gitkeep" {
      #expect(Fuzzing.archive([UInt8](try Data(contentsOf: file))) == nil, "\(file)")
    }
    for file in files("Fuzz/Regressions/FuzzDecode") where file.lastPathComponent != ".gitkeep" {
      #expect(Fuzzing.decode([UInt8](try Data(contentsOf: file)), .all) == nil, "\(file)")
    }
    for file in files("Fuzz/Regressions/FuzzProfile") where file.lastPathComponent != ".gitkeep" {
      #expect(Fuzzing.profile([UInt8](try Data(contentsOf: file))) == nil, "\(file)")
    }
    for name in [
      "FuzzDissect", "FuzzConvert", "FuzzDiff", "FuzzRedact", "FuzzExplain", "FuzzTrace",
    ] {
      for file in files("Fuzz/Regressions/\(name)") where file.lastPathComponent != ".gitkeep" {
        #expect(Fuzzing.dissect([UInt8](try Data(contentsOf: file)), .all) == nil, "\(file)")
      }
    }
  }

  /// Returns a capture with a stream of values, one each 30 ms, of which one record has a wrong
  /// time.
  private static func stream(_ opcode: UInt8, wrong place: Int, years: Int64) -> [UInt8] {
    func big(_ value: Int64, _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
    }
    let isSent = opcode == 0x52
    let peer: [UInt8] = [0x55, 0x44, 0x33, 0x22, 0x11, 0xc0]
    var records: [(flags: Int64, bytes: [UInt8])] = [
      (3, [4, 0x3e, 19, 1, 0, 0x40, 0, 0, 1] + peer + [24, 0, 0, 0, 72, 0, 0])
    ]
    for index in 0..<64 as Range<UInt8> {
      let value = [opcode, 0x10, 0, index] + [UInt8](repeating: 7, count: 19)
      let frame = [UInt8(value.count), 0, 4, 0] + value
      records.append((isSent ? 0 : 1, [2, 0x40, isSent ? 0 : 0x20, UInt8(frame.count), 0] + frame))
      if isSent { records.append((3, [4, 0x13, 5, 1, 0x40, 0, 1, 0])) }
    }
    records.append((3, [4, 5, 4, 0, 0x40, 0, 0x13]))
    var file = Array("btsnoop\0".utf8) + big(1, 4) + big(1002, 4)
    // Microseconds since the year 0; this is a day in 2023.
    var time: Int64 = 0x00e2_fa01_0000_0000
    for (index, record) in records.enumerated() {
      time += 30_000
      let shift = index == place ? years * 365 * 86_400 * 1_000_000 : 0
      let count = Int64(record.bytes.count)
      file += big(count, 4) + big(count, 4) + big(record.flags, 4) + big(0, 4)
      file += big(time + shift, 8) + record.bytes
    }
    return file
  }

  @Test(
    "A clock that jumps by centuries in a transfer traps nothing",
    arguments: [0x1b, 0x52] as [UInt8], [-280, 280] as [Int64])
  func clocks(_ opcode: UInt8, _ years: Int64) {
    for place in [0, 1, 30, 31, 64] {
      let file = Self.stream(opcode, wrong: place, years: years)
      #expect(Fuzzing.wholeRecords(file) > 60)
      #expect(Fuzzing.capture(file, .all) == nil, "record \(place)")
    }
  }

  @Test("Live protocols pass the fuzzers' checks, whatever arrives", arguments: [UInt8(0), 1])
  func live(choice: UInt8) throws {
    // Three records as a serial line and a client send them, with rubbish between them.
    let event: [UInt8] = [0x0e, 4, 1, 3, 0x0c, 0]
    let serial: [UInt8] =
      [15, 0, 3, 0, 0, 5, 8, 1, 2, 3, 4] + event + [9, 9] + [6, 0, 13, 0, 0, 0, 6, 0]
      + [9, 0, 4, 0, 0, 0, 0x40, 0, 1, 0, 7] + [6, 0, 0xff, 0, 0, 2, 1, 200]
    let client: [UInt8] =
      [3, 0, 0, 0, 6, 0] + event + [13, 0, 0xff, 0xff, 2, 0, 6, 0, 99, 0, 0, 0, 0, 0]
    let bytes = choice == 0 ? serial : client
    for piece in [0, 6, 63] as [UInt8] {
      #expect(Fuzzing.live([choice | piece << 2] + bytes, .all) == nil)
      for offset in bytes.indices {
        for value in [0, 1, 0x7f, 0xff] as [UInt8] {
          var changed = bytes
          changed[offset] = value
          let broken = Fuzzing.live([choice | piece << 2] + changed, .one(offset))
          #expect(broken == nil, "byte \(offset) as \(value)")
        }
        let broken = Fuzzing.live([choice | piece << 2] + bytes.prefix(offset), .one(offset))
        #expect(broken == nil, "\(offset) bytes")
      }
    }
  }

  @Test("The sample captures pass all checks of the fuzzers")
  func samples() throws {
    let captures = files("captures").filter { $0.pathExtension != "md" }
    #expect(Set(captures.map(\.pathExtension)) == ["btsnoop", "pcap", "pcapng", "pklg"])
    for file in captures {
      let bytes = [UInt8](try Data(contentsOf: file))
      #expect(Fuzzing.capture(bytes, .all) == nil, "\(file)")
      #expect(Fuzzing.dissect(bytes, .all) == nil, "\(file)")
    }
  }

  @Test(
    "One changed byte anywhere in the packets never loses a line",
    arguments: ["enhanced-connection", "monitor", "periodic", "advertising-types"])
  func changedBytes(_ name: String) throws {
    let seed: UInt64 = 0x6761_7474
    let file = project.appending(path: "captures/\(name).btsnoop")
    let bytes = [UInt8](try Data(contentsOf: file))
    var random = Seeded(state: seed)
    for offset in Self.payloadOffsets(bytes) {
      // One of the changes at each byte; over the offsets, each of them occurs many times.
      let original = bytes[offset]
      let change = [0x00, 0xff, original ^ 0x01, original ^ 0x80, original &+ 1, 0x7f]
      guard let value = change.randomElement(using: &random) else { continue }
      var changed = bytes
      changed[offset] = value
      let broken = Fuzzing.capture(changed, .one(offset))
      #expect(broken == nil, "seed \(seed), byte \(offset) = \(value)")
    }
  }

  @Test(
    "One changed byte in a file of another format passes all checks",
    arguments: [
      "monitor.pcap", "pairing-fails.pcap", "wristband.pcapng", "enhanced-connection.pklg",
      "sniffed-pairing.pcap", "sniffed-bond.pcapng",
    ])
  func changedBytesOfOtherFormats(_ name: String) throws {
    let seed: UInt64 = 0x6761_7474
    var bytes = [UInt8](try Data(contentsOf: project.appending(path: "captures/\(name)")))
    var random = Seeded(state: seed)
    // About a hundred of them; CapturesTests changes every byte of small files, and the fuzzers all
    // bytes.
    for offset in stride(from: 0, to: bytes.count, by: 1 + bytes.count / 100) {
      let original = bytes[offset]
      let change = [0x00, 0xff, original ^ 0x01, original ^ 0x80, original &+ 1, 0x7f]
      bytes[offset] = change.randomElement(using: &random) ?? 0
      let broken = Fuzzing.capture(bytes, .one(offset))
      #expect(broken == nil, "seed \(seed), byte \(offset) = \(bytes[offset])")
      bytes[offset] = original
    }
  }

  @Test("Bytes without a header get that of the fuzzed format")
  func headless() {
    for first in UInt8.min...11 {
      let bytes = [first] + (0..<200).map { UInt8(truncatingIfNeeded: $0 * 7) }
      #expect(Fuzzing.pcap(bytes, .all) == nil)
      #expect(Fuzzing.pcapng(bytes, .all) == nil)
      #expect(Fuzzing.packetLogger(bytes, .all) == nil)
    }
  }

  @Test("Every definition passes the checks with random bytes, in every report")
  func values() {
    let seed: UInt64 = 0x6465_636f
    var random = Seeded(state: seed)
    for round in 0..<900 {
      let count = Int.random(in: 0...48, using: &random)
      // Small numbers are more frequent, as in flags and op codes.
      let value = (0..<count).map { _ in
        UInt8.random(in: 0...(Bool.random(using: &random) ? 8 : 255), using: &random)
      }
      let input = [UInt8(round & 0xff), UInt8(round >> 8), UInt8(count)] + value
      let broken = Fuzzing.decode(input, .one(round / 7))
      #expect(broken == nil, "seed \(seed), round \(round): \(input)")
    }
  }

  @Test("A profile with changed bytes is valid or has errors, and never harms")
  func profiles() throws {
    let seed: UInt64 = 0x7961_6d6c
    var random = Seeded(state: seed)
    let names = ["vendor/wristband", "beacons/ibeacon", "sig/heart_rate", "sig/glucose"]
    let signs = [UInt8]("{}[]:,&*-0x 9\"!@%\n".utf8) + [0, 0x80, 0xff]
    for name in names {
      let text = [UInt8](
        try Data(contentsOf: project.appending(path: "Profiles/\(name).yaml")))
      #expect(Fuzzing.profile(text) == nil, "\(name)")
      for _ in 0..<40 {
        var changed = text
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let place = Int.random(in: 0..<changed.count, using: &random)
          changed[place] = signs.randomElement(using: &random) ?? 0
        }
        let broken = Fuzzing.profile(changed)
        #expect(broken == nil, "seed \(seed), \(name): \(String(decoding: changed, as: UTF8.self))")
      }
    }
  }

  @Test("A capture that ends at any byte never loses a line before it")
  func shortened() throws {
    let file = project.appending(path: "captures/monitor.btsnoop")
    let bytes = [UInt8](try Data(contentsOf: file))
    for count in 16..<bytes.count {
      #expect(Fuzzing.capture(Array(bytes.prefix(count)), .one(count)) == nil, "\(count) bytes")
    }
  }

  /// Returns the positions of packets' bytes, without the headers between them.
  private static func payloadOffsets(_ bytes: [UInt8]) -> [Int] {
    var offsets: [Int] = []
    var offset = 16
    while offset + 24 <= bytes.count {
      let included = bytes[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
      offsets += offset + 24..<offset + 24 + included
      offset += 24 + included
    }
    return offsets
  }
}
