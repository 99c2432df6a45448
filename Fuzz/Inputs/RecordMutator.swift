import Captures

/// Mutates captures as lists of packets, so that they stay as deep in a connection as before: adds,
/// removes, moves, turns, splits and delays packets, and changes bytes in them with lengths that
/// are correct most of the time.
///
/// Inputs have the layout that `LenientSource` reads. The same seed makes the same changes, as long
/// as `inside` is deterministic.
package struct RecordMutator {
  /// A record: its header and its packet.
  private struct Record {
    var header: [UInt8]
    var packet: [UInt8]
  }

  private static let fileHeader = BtsnoopHeader.byteCount
  private static let recordHeader = BtsnoopRecordHeader.byteCount

  private var header: [UInt8]
  private var records: [Record] = []
  private var random: SeededNumbers

  /// Makes between one and four changes.
  ///
  /// - Parameters:
  ///   - most: the largest size of the output, in bytes.
  ///   - inside: changes bytes of a packet, to at most a given size.
  package static func change(
    _ bytes: [UInt8], seed: UInt32, most: Int, _ inside: ([UInt8], Int) -> [UInt8]
  ) -> [UInt8] {
    var mutator = Self(bytes, seed)
    for _ in 0...Int.random(in: 0...3, using: &mutator.random) { mutator.change(inside) }
    return mutator.bytes(most)
  }

  /// Combines the beginning of one capture with a part of another, which follows it or is inserted
  /// in it.
  package static func cross(
    _ one: [UInt8], _ other: [UInt8], seed: UInt32, most: Int
  ) -> [UInt8] {
    var mutator = Self(one, seed)
    var others = Self(other, seed).records
    guard !others.isEmpty else { return mutator.bytes(most) }
    others = Array(others[mutator.range(others.count)])
    let count = mutator.records.count
    if Bool.random(using: &mutator.random) {
      // Two captures in sequence, and the two sides of a comparison.
      let share = 256 * count / (count + others.count)
      if share > 0, share < 256, mutator.header.count >= 10 {
        mutator.header[8] = UInt8(256 - share)
        mutator.header[9] = UInt8(share)
      }
      mutator.records += others
    } else {
      mutator.records.insert(
        contentsOf: others, at: Int.random(in: 0...count, using: &mutator.random))
    }
    return mutator.bytes(most)
  }

  private init(_ bytes: [UInt8], _ seed: UInt32) {
    random = SeededNumbers(state: UInt64(seed))
    header = Array(bytes.prefix(Self.fileHeader))
    while header.count < Self.fileHeader { header.append(0) }
    var offset = Self.fileHeader
    while offset + Self.recordHeader <= bytes.count {
      let start = offset + Self.recordHeader
      let claimed = bytes[offset + 4..<offset + 8].reduce(0) { $0 << 8 | Int($1) }
      let end = start + min(claimed, bytes.count - start)
      records.append(
        Record(header: Array(bytes[offset..<start]), packet: Array(bytes[start..<end])))
      offset = end
    }
  }

  /// Returns the file: the header and the records with their lengths, up to the size `most`.
  private func bytes(_ most: Int) -> [UInt8] {
    var bytes = header
    for record in records {
      if bytes.count + Self.recordHeader + record.packet.count > most { break }
      bytes += Self.number(max(Self.number(record.header, 0), record.packet.count), 4)
      bytes += Self.number(record.packet.count, 4)
      bytes += record.header[8...]
      bytes += record.packet
    }
    return Array(bytes.prefix(most))
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func number(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }

  /// Returns a range within `count`: at least one, rarely many.
  private mutating func range(_ count: Int) -> Range<Int> {
    let start = Int.random(in: 0..<count, using: &random)
    let most = Int.random(in: 0..<4, using: &random) == 0 ? count - start : min(4, count - start)
    return start..<start + Int.random(in: 1...most, using: &random)
  }

  private mutating func change(_ inside: ([UInt8], Int) -> [UInt8]) {
    guard !records.isEmpty else {
      records = [Record(header: [UInt8](repeating: 0, count: 24), packet: [4, 0x0e, 0])]
      return
    }
    let index = Int.random(in: records.indices, using: &random)
    let place = Int.random(in: 0...records.count, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: records.removeSubrange(range(records.count))
    case 1: records.insert(contentsOf: records[range(records.count)], at: place)
    case 2: records.swapAt(index, place % records.count)
    case 3:
      // Moves a record.
      let record = records.remove(at: index)
      records.insert(record, at: min(place, records.count))
    case 4: turn(index)
    case 5: delay(index)
    case 6: split(index)
    case 7: exchangeLinks(index)
    case 8:
      header[Int.random(in: 0..<12, using: &random)] = UInt8.random(in: 0...255, using: &random)
    case 9: shorten(index)
    default: rewrite(index, inside)
    }
  }

  /// Reverses the direction: bit 0 of the flags, or the opcode of a monitor record that has a
  /// direction.
  private mutating func turn(_ index: Int) {
    let opcode = records[index].header[11]
    if LenientSource.datalink(header) == .linuxMonitor, opcode != 4, opcode != 5 { return }
    records[index].header[11] = opcode ^ 1
  }

  /// Delays this record and the later ones, or moves them earlier: by a millisecond, or past a
  /// timeout.
  private mutating func delay(_ index: Int) {
    let steps = [1000, 50_000, 2_000_000, 31_000_000, 3_600_000_000, -1000, -31_000_000]
    let step = steps.randomElement(using: &random) ?? 0
    for later in index..<records.count {
      let high = Self.number(records[later].header, 16)
      let low = Self.number(records[later].header, 20)
      let time = (high << 32 | low) &+ step
      records[later].header.replaceSubrange(16..<24, with: Self.number(time, 8))
    }
  }

  /// Finds a record's packet header.
  ///
  /// - Returns: the offset of the header and whether it is ACL data, a command or an event, or nil
  ///   if it is of another kind.
  private func layout(_ record: Record) -> (start: Int, type: UInt8)? {
    switch LenientSource.datalink(header) {
    case .h4: return record.packet.first.map { (1, $0) }
    case .h1:
      let isReceived = record.header[11] & 1 == 1
      return (0, record.header[11] & 2 == 0 ? 2 : isReceived ? 4 : 1)
    default:
      // Opcodes 2 to 5 of the Linux monitor.
      let types: [UInt8] = [0, 0, 1, 4, 2, 2]
      let opcode = Int(record.header[11])
      return opcode < types.count ? (0, types[opcode]) : nil
    }
  }

  /// Corrects a packet's lengths.
  private mutating func mend(_ index: Int, wholeFrame: Bool) {
    guard let (start, type) = layout(records[index]) else { return }
    let count = records[index].packet.count - start
    func little(_ number: Int) -> [UInt8] { [UInt8(number & 0xff), UInt8(number >> 8 & 0xff)] }
    switch type {
    case 1 where count >= 3: records[index].packet[start + 2] = UInt8(min(count - 3, 255))
    case 4 where count >= 2: records[index].packet[start + 1] = UInt8(min(count - 2, 255))
    case 2 where count >= 4:
      records[index].packet.replaceSubrange(start + 2..<start + 4, with: little(count - 4))
      // The first fragment of a frame.
      if wholeFrame, count >= 8, records[index].packet[start + 1] & 0x10 == 0 {
        records[index].packet.replaceSubrange(start + 4..<start + 6, with: little(count - 8))
      }
    default: break
    }
  }

  /// Changes bytes of a packet, usually the payload of an L2CAP frame.
  private mutating func rewrite(_ index: Int, _ inside: ([UInt8], Int) -> [UInt8]) {
    let packet = records[index].packet
    var start = 0
    if let (header, type) = layout(records[index]), Int.random(in: 0..<8, using: &random) > 0 {
      let starts = type == 2 ? [header, header + 8, header + 8, header + 9] : [header, header + 2]
      start = min(starts.randomElement(using: &random) ?? 0, packet.count)
    }
    var changed = inside(Array(packet[start...]), min(packet.count - start + 16, 300))
    if changed.isEmpty { changed = [0] }
    records[index].packet = packet[..<start] + changed
    if Int.random(in: 0..<8, using: &random) > 0 { mend(index, wholeFrame: true) }
  }

  /// Removes bytes from a packet's end; the lengths are corrected, or show that bytes are missing.
  private mutating func shorten(_ index: Int) {
    let count = records[index].packet.count
    let left = Int.random(in: 0...count, using: &random)
    records[index].packet.removeLast(count - left)
    if Bool.random(using: &random) { mend(index, wholeFrame: true) }
  }

  /// Splits an ACL packet into a first fragment and a continuation (Core, Vol 4, Part E, 5.4.2, the
  /// boundary flag 1).
  private mutating func split(_ index: Int) {
    let record = records[index]
    guard let (start, type) = layout(record), type == 2, record.packet.count > start + 5 else {
      return
    }
    let cut = Int.random(in: start + 5..<record.packet.count, using: &random)
    var rest = record
    rest.packet = Array(record.packet[..<(start + 4)] + record.packet[cut...])
    rest.packet[start + 1] = rest.packet[start + 1] & 0x0f | 0x10
    records[index].packet.removeLast(record.packet.count - cut)
    records.insert(rest, at: index + 1)
    for index in [index, index + 1] { mend(index, wholeFrame: false) }
  }

  /// Gives an ACL packet the connection handle of another one.
  private mutating func exchangeLinks(_ index: Int) {
    let other = records[Int.random(in: records.indices, using: &random)]
    guard let (start, type) = layout(records[index]), let (otherStart, otherType) = layout(other),
      type == 2, otherType == 2, records[index].packet.count > start + 1,
      other.packet.count > otherStart + 1
    else { return }
    records[index].packet[start] = other.packet[otherStart]
    records[index].packet[start + 1] =
      records[index].packet[start + 1] & 0xf0 | other.packet[otherStart + 1] & 0x0f
  }
}
