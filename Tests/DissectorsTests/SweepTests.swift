// Truncates every fixture at every length, damages every byte, and dissects many random packets:
// nothing traps, every slice is inside the packet, and truncation by the capture is not the
// sender's error.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Reads everything in an H4 packet, and records what goes wrong.
private struct Examined {
  /// The dissection, with the L2CAP PDU of ACL data parsed as if it were complete.
  var dissection: Dissection
  /// Slices outside the packet.
  var outside: [String] = []
  private let bytes: [UInt8]

  init(_ bytes: [UInt8], isTruncated: Bool = false) {
    self.bytes = bytes
    dissection = h4(bytes, isTruncated: isTruncated)
    if case .acl = dissection.content {
      dissection.parsePDU(
        bytes.bytes, from: Int(dissection.body.start), isTruncated: isTruncated)
    }
    check("body", dissection.body)
    checkATT()
    checkSMP()
    checkFact()
    checkParameters()
    checkAdvertising()
  }

  private mutating func check(_ what: String, _ slice: Slice?) {
    guard let slice else { return }
    if slice.start < 0 || slice.count < 0 || slice.end > bytes.count {
      outside.append("\(what) \(slice.start)+\(slice.count) of \(bytes.count)")
    }
  }

  private mutating func checkATT() {
    let fields = dissection.attFields
    check("value", fields.value)
    check("signature", fields.signature)
    check("handles", fields.handles)
    check("data", fields.data)
    guard let items = fields.items else { return }
    check("list", items.list)
    let bytes = self.bytes
    var cursor = Cursor(bytes.bytes, items.list)
    while let item = items.next(&cursor) { check("item", item.value) }
  }

  private mutating func checkFact() {
    switch dissection.fact {
    case .commandComplete(let event): check("return parameters", event.returns)
    case .linkKey(let event): check("link key", event.key)
    case .sharedSecret(let event): check("shared secret", event.key)
    case .completedPackets(let event):
      // Reading past the end would trap.
      for index in 0..<event.count { _ = event.link(index, bytes.bytes) }
    default: break
    }
  }

  private mutating func checkSMP() {
    guard let pdu = dissection.smp else { return }
    check("rest", pdu.rest(of: dissection.body))
    switch pdu {
    case .confirm(let pdu): check("confirm", pdu)
    case .random(let pdu): check("random", pdu)
    case .encryptionInformation(let pdu): check("key", pdu)
    case .centralIdentification(let pdu): check("rand", pdu.rand)
    case .identityInformation(let pdu): check("key", pdu)
    case .signingInformation(let pdu): check("key", pdu)
    case .publicKey(let pdu):
      check("x", pdu.x)
      check("y", pdu.y)
    case .dhKeyCheck(let pdu): check("check", pdu)
    case .incomplete(_, let data): check("incomplete", data)
    case .unknown(_, let data): check("unknown", data)
    default: break
    }
  }

  private mutating func checkParameters() {
    guard let parameters = dissection.parameters else { return }
    check("outer", parameters.outer)
    check("inner", parameters.inner)
    _ = parameters.connectionHandle(bytes.bytes)
    _ = parameters.status(bytes.bytes)
    let walked = walk(dissection, bytes)
    for slice in walked.slices { check("parameter", slice) }
    if !walked.isConsistent { outside.append("bytes are not the slice's") }
    let opened = walked.entries.count { $0.hasSuffix("[") || $0 == "{" }
    let closed = walked.entries.count { $0 == "]" || $0 == "}" }
    if opened != closed { outside.append("\(opened) opened, \(closed) closed") }
  }

  private mutating func checkAdvertising() {
    guard case .event(let event) = dissection.content, event.isLEMeta else { return }
    let bytes = self.bytes
    for report in reports(bytes) {
      check("report", report.data)
      var structures = ADStructures(bytes.bytes, report.data)
      while let structure = structures.next() {
        check("structure", structure.data)
        guard case .fields = structure.type.layout(count: Int(structure.data.count)) else {
          continue
        }
        var recorder = Recorder()
        _ = try? ADFields.walk(structure.type, bytes.bytes, structure.data, &recorder)
        for slice in recorder.slices { check("field", slice) }
        if !recorder.isConsistent { outside.append("bytes are not the slice's") }
      }
    }
  }

  /// Whether there are problems that blame the sender.
  var isBlamed: Bool { !dissection.problems.isEmpty }
}

/// Returns an ACL packet with a complete L2CAP PDU.
private func data(_ payload: [UInt8], cid: Int = 4) -> [UInt8] {
  let pdu = l2cap(payload, cid: cid)
  return [2, 0x40, 0] + little(pdu.count) + pdu
}

/// Returns an LE Advertising Report with one structure, given without its length.
private func legacyReport(_ structure: [UInt8]) -> [UInt8] {
  let data = [UInt8(structure.count)] + structure
  let report = [0, 1] + little(0xc011_2233_4455, width: 6) + [UInt8(data.count)] + data + [0xc4]
  return [4, 0x3e, UInt8(report.count + 2), 2, 1] + report
}

/// Returns a packet for each row of fixed size, with its parameters filled with `byte`.
private func packetsOfRows(filledWith byte: UInt8) -> [[UInt8]] {
  func filled(_ size: Int) -> [UInt8] { [UInt8](repeating: byte, count: size) }

  var packets: [[UInt8]] = []
  for row in hciCommandTables.flatMap(\.self).map(RowEntry.init) {
    if let size = row.parameters.size, row.parameters.has(.known) {
      packets.append([1] + little(Int(row.code)) + [UInt8(size)] + filled(size))
    }
    if let size = row.returns.size, row.returns.has(.known), size > 0 {
      // Status 0, because a failure may return less.
      let returned = [0] + filled(size - 1)
      packets.append([4, 0x0e, UInt8(size + 3), 1] + little(Int(row.code)) + returned)
    }
  }
  for row in hciEventTables.flatMap(\.self).map(RowEntry.init)
  where row.code != 0x0e && row.code != 0x3e {
    if let size = row.parameters.size, row.parameters.has(.known) {
      packets.append([4, UInt8(row.code), UInt8(size)] + filled(size))
    }
  }
  for row in hciLEMetaTables.flatMap(\.self).map(RowEntry.init) {
    if let size = row.parameters.size, row.parameters.has(.known) {
      packets.append([4, 0x3e, UInt8(size + 1), UInt8(row.code)] + filled(size))
    }
  }
  return packets
}

/// Packets whose advertising data is shorter than its field: an extended inquiry result, and the
/// command that sets the response. Flags, a name, a Device ID, and BIGInfo without and with
/// encryption.
private let inquiryResponses: [[UInt8]] = {
  let structures =
    hex("02 01 06 05 09 67 61 74 74 09 10 02 00 0d 00 01 00 02 03")
    + [34, 0x2c] + (1...33).map { UInt8($0) } + [58, 0x2c] + (1...57).map { UInt8($0) }
  let response = structures + [UInt8](repeating: 0, count: 240 - structures.count)
  return [
    [4, 0x2f, 255, 1] + hex("66 55 44 33 22 11 01 00 0c 02 5a 00 00 c4") + response,
    [1, 0x52, 0x0c, 241, 0] + response,
  ]
}()

/// All valid packets in this module's tests.
private let whole: [[UInt8]] =
  attFixtures.map { data(hex($0.bytes)) } + smpFixtures.map { data(hex($0.bytes), cid: 6) }
  + hciFixtures.map { hex($0.bytes) } + hciLaterFixtures.map { hex($0.bytes) }
  + androidFixtures.map { hex($0.bytes) }
  + advertisingFixtures.map { hex($0.bytes) } + inquiryResponses
  + structureFixtures.map { legacyReport(hex($0.bytes)) }
  + [33, 57].map { legacyReport([0x2c] + (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 7) }) }
  + signallingFixtures.filter { !$0.entries.contains("rest") }.map { data(hex($0.bytes), cid: 5) }
  + [hex("03 40 00 02 01 02"), hex("05 40 20 02 00 01 02")]

/// Returns the packet's first bytes with a matching length field in the header.
private func shortened(_ packet: [UInt8], to count: Int) -> [UInt8]? {
  let header = [0, 4, 5, 4, 3, 5][Int(packet[0])]
  guard count >= header, count - header < 256 || packet[0] == 2 || packet[0] == 5 else {
    return nil
  }
  var short = Array(packet.prefix(count))
  let length = count - header
  switch packet[0] {
  case 1, 3: short[3] = UInt8(length)
  case 4: short[2] = UInt8(length)
  default: short.replaceSubrange(3..<5, with: little(length))
  }
  return short
}

@Suite struct SweepTests {
  /// Truncated at every length: something is too short, or a length claims too much, and each
  /// problem is reported once.
  @Test func everyPrefixOfEveryPacket() {
    for packet in whole + packetsOfRows(filledWith: 0x00) {
      for count in 0..<packet.count {
        let prefix = Array(packet.prefix(count))
        let examined = Examined(prefix)
        let found = problems(examined.dissection)
        let isExpected = found.contains { problem in
          ["tooShort", "lengthTooLarge", "emptyRecord"].contains { problem.hasPrefix($0) }
        }
        #expect(isExpected && examined.outside.isEmpty, "\(prefix): \(found)")
        // The truncated layer and the layers above report it, each once.
        #expect(Set(found).count == found.count, "\(prefix): \(found)")
        let kept = Examined(prefix, isTruncated: true)
        #expect(!kept.isBlamed && kept.outside.isEmpty, "\(prefix): \(problems(kept.dissection))")
      }
      #expect(Examined(packet).outside.isEmpty)
    }
  }

  /// Parameters that are too short, with a matching length in the header, have exactly one problem.
  @Test func everyPacketWithTooFewParameters() {
    for packet in packetsOfRows(filledWith: 0x00) where packet[0] == 1 || packet[0] == 4 {
      #expect(problems(h4(packet)) == [], "\(packet)")
      // Other lengths of Android's Dynamic Audio Buffer are another vendor's command.
      if packet.firstRange(of: [0x5f, 0xfd])?.lowerBound == (packet[0] == 1 ? 1 : 4) { continue }
      for count in 0..<packet.count {
        guard let short = shortened(packet, to: count) else { continue }
        let found = problems(h4(short))
        #expect(
          found.count == 1 && found.allSatisfy { $0.hasPrefix("tooShort") }, "\(short): \(found)")
        #expect(!Examined(short, isTruncated: true).isBlamed)
      }
      guard let longer = shortened(packet + [0], to: packet.count + 1) else { continue }
      #expect(problems(h4(longer)) == ["leftOver@\(packet.count)(1,0)"], "\(longer)")
    }
  }

  /// ATT PDUs that are too short, with matching lengths around them. A truncated list or value is
  /// just a shorter one.
  @Test func everyPrefixOfEveryATTPDU() {
    let least: [UInt8: Int] = [
      0x01: 5, 0x02: 3, 0x03: 3, 0x04: 5, 0x05: 2, 0x06: 7, 0x08: 7, 0x09: 2, 0x0a: 3, 0x0c: 5,
      0x10: 7, 0x11: 2, 0x12: 3, 0x16: 5, 0x17: 5, 0x18: 2, 0x1b: 3, 0x1d: 3, 0x52: 3, 0xd2: 15,
    ]
    for fixture in attFixtures {
      let payload = hex(fixture.bytes)
      for count in 1...payload.count {
        let found = problems(Examined(data(Array(payload.prefix(count)))).dissection)
        let isShort = count < least[payload[0]] ?? 1
        let hasTooShort = found.count == 1 && found.allSatisfy { $0.hasPrefix("tooShort") }
        #expect(!isShort || hasTooShort, "\(fixture.bytes) at \(count): \(found)")
        #expect(found.count <= 1, "\(fixture.bytes) at \(count): \(found)")
      }
    }
  }

  /// Sets every byte of every packet to 0x00 and 0xff, and flips each of its bits; in the packets
  /// made from rows, only the top bit.
  @Test func everyByteDamaged() {
    for packet in whole { damage(packet, flips: 0..<8) }
    for packet in packetsOfRows(filledWith: 0xff) where packet.count < 80 {
      damage(packet, flips: 7..<8)
    }
  }

  private func damage(_ packet: [UInt8], flips: Range<Int>) {
    for index in packet.indices {
      for byte in [0x00, 0xff] + flips.map({ packet[index] ^ UInt8(1) << $0 }) {
        var damaged = packet
        damaged[index] = byte
        let outside = Examined(damaged, isTruncated: byte & 1 == 0).outside
        if !outside.isEmpty { Issue.record("\(damaged): \(outside)") }
      }
    }
  }

  /// 20 000 packets of each type, seed 2026 + type: headers that are often valid, then random
  /// bytes.
  @Test(arguments: 0...6)
  func randomPackets(_ type: Int) {
    var random = SplitMix(seed: UInt64(2026 + type))
    let codes = HCICodes()
    for round in 0..<20_000 {
      var packet = codes.header(type, &random)
      for _ in 0..<random.next(below: 80) { packet.append(random.byte()) }
      if random.next(below: 4) != 0, let fitting = fit(packet) { packet = fitting }
      let examined = Examined(packet, isTruncated: random.next(below: 4) == 0)
      if !examined.outside.isEmpty {
        Issue.record("seed \(2026 + type), round \(round): \(packet): \(examined.outside)")
      }
    }
  }

  private func fit(_ packet: [UInt8]) -> [UInt8]? {
    (1...5).contains(packet[0]) ? shortened(packet, to: packet.count) : nil
  }

  /// Monitor records of random bytes, seed 2001.
  @Test func randomMonitorRecords() {
    var random = SplitMix(seed: 2001)
    for round in 0..<20_000 {
      let bytes = (0..<random.next(below: 40)).map { _ in random.byte() }
      let opcode = UInt16(random.next(below: 24))
      let dissection = Dissection(monitor: opcode, bytes.bytes, isTruncated: false)
      var slices = [dissection.body]
      if case .note(let note) = dissection.content {
        slices += [note.identifier, note.text].compactMap(\.self)
      }
      let isInside = slices.allSatisfy { $0.start >= 0 && $0.count >= 0 && $0.end <= bytes.count }
      if !isInside { Issue.record("seed 2001, round \(round): \(opcode) \(bytes)") }
    }
  }
}

/// Codes with rows, for the headers of random packets.
private struct HCICodes {
  private let commands = hciCommandTables.flatMap(\.self).map(\.code)
  private let events = hciEventTables.flatMap(\.self).map(\.code)
  private let subevents = hciLEMetaTables.flatMap(\.self).map(\.code)

  /// Returns a packet header of `type`, usually with a known code.
  func header(_ type: Int, _ random: inout SplitMix) -> [UInt8] {
    let length = random.byte()
    switch (type, random.next(below: 4)) {
    case (1, 1...):
      return [1] + little(Int(commands[random.next(below: commands.count)])) + [length]
    case (2, 1):
      return [2, random.byte(), random.byte(), length, 0]
        + [UInt8(random.next(below: 70)), 0, 6, 0, UInt8(random.next(below: 16))]
    case (2, 2...):
      let opcode = attFixtures[random.next(below: attFixtures.count)].bytes.prefix(2)
      let inner = [UInt8(random.next(below: 40)), 0, 4, 0] + hex(String(opcode))
      return [2, random.byte(), random.byte(), length, 0] + inner
    case (4, 1): return [4, UInt8(events[random.next(below: events.count)]), length]
    case (4, 2) where random.next(below: 4) == 0:
      return [4, 0xff, length, UInt8(0x54 + random.next(below: 5))]
    case (4, 2): return [4, 0x3e, length, UInt8(subevents[random.next(below: subevents.count)])]
    case (4, 3):
      return [4, 0x0e, length, 1] + little(Int(commands[random.next(below: commands.count)]))
    default: return [UInt8(type), random.byte(), random.byte(), length, 0]
    }
  }
}

/// A small random number generator with reproducible results (SplitMix64).
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number below `limit`.
  mutating func next(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
