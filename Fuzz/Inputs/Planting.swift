import Bytes
import Captures
import Dissectors

/// A capture with secrets planted in its fields. After redaction, no six bytes of a secret may be
/// left, even if records were cut, lost, repeated or refragmented.
struct Planting {
  /// One record of a btsnoop file.
  struct Record {
    /// The packet's original length.
    var originalLength: Int
    /// H4: bit 0 is set if received, bit 1 for a command or event. Monitor: the opcode.
    var flags: UInt32
    var bytes: [UInt8]

    init(_ bytes: [UInt8], flags: UInt32) {
      originalLength = bytes.count
      self.flags = flags
      self.bytes = bytes
    }
  }

  var records: [Record] = []
  /// Whether the capture is of the Linux monitor, not H4.
  let isMonitor: Bool
  var random: SeededNumbers
  /// All pieces of planted bytes that must never remain.
  private(set) var secrets: Set<UInt64> = []
  /// All pieces of planted bytes that are counted and remain unless all values are removed.
  private(set) var counted: Set<UInt64> = []

  /// The size of a piece in bytes.
  static let piece = 6

  init(isMonitor: Bool, seed: UInt64) {
    self.isMonitor = isMonitor
    random = SeededNumbers(state: seed)
  }

  /// Uses the records of a file, read as `LenientSource` reads them.
  init(_ file: [UInt8], seed: UInt64) {
    let datalink = LenientSource.datalink(file)
    self.init(isMonitor: datalink == .linuxMonitor, seed: seed)
    guard datalink != .h1 else { return }
    var offset = BtsnoopHeader.byteCount
    while offset + BtsnoopRecordHeader.byteCount <= file.count {
      let start = offset + BtsnoopRecordHeader.byteCount
      let numbers = [0, 4, 8].map { field in
        file[offset + field..<offset + field + 4].reduce(0) { $0 << 8 | UInt32($1) }
      }
      let end = start + min(Int(numbers[1]), file.count - start)
      records.append(Record(Array(file[start..<end]), flags: numbers[2]))
      offset = end
    }
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func chance(_ one: Int) -> Bool { number(1...one) == 1 }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<max(0, count)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  // MARK: The file

  var file: [UInt8] {
    func big(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }
    var file = [UInt8]("btsnoop\0".utf8) + big(1, 4) + big(isMonitor ? 2001 : 1002, 4)
    var time: UInt64 = 0x00e0_3ab4_4a67_6000
    for record in records {
      file += big(UInt64(max(record.originalLength, record.bytes.count)), 4)
      file += big(UInt64(record.bytes.count), 4) + big(UInt64(record.flags), 4) + big(0, 4)
      file += big(time, 8) + record.bytes
      time += 1000
    }
    return file
  }

  /// Dissects a record as the program does.
  private func dissect(_ record: Record) -> Dissection {
    var dissection = Dissection()
    if isMonitor {
      dissection.read(
        monitor: UInt16(truncatingIfNeeded: record.flags), record.bytes.bytes, isTruncated: false)
    } else {
      dissection.read(h4: record.bytes.bytes, isTruncated: false)
    }
    return dissection
  }

  /// Returns the offset of an ACL packet's header, or nil for other records.
  func dataStart(_ record: Record) -> Int? {
    if isMonitor {
      return [4, 5].contains(record.flags & 0xffff) && record.bytes.count >= 4 ? 0 : nil
    }
    return record.bytes.first == 2 && record.bytes.count >= 5 ? 1 : nil
  }

  // MARK: Planting

  /// Fills all fields that may hold a secret.
  mutating func plant() {
    for index in records.indices {
      let dissection = dissect(records[index])
      switch dissection.content {
      case .command, .event, .control:
        if let found = dissection.parameters { plant(index, found, dissection) }
      case .acl: plantData(index)
      case .note(let note): plant(index, note, dissection.body)
      case .sco, .iso: plant(index, dissection.body, isCounted: true)
      case .unknown: plant(index, Slice(start: 1, count: records[index].bytes.count - 1))
      // Only the pass recognises these packets, because it knows the connections.
      case .controllerLog: break
      // No record of a host holds packets from the air.
      case .advertising, .linkData, .linkControl: break
      }
      if chance(4) { append(index) }
    }
  }

  /// Fills a part of a record with random bytes, or with capitals, which pseudonyms never have in a
  /// row.
  private mutating func plant(
    _ index: Int, _ slice: Slice, isName: Bool = false, isCounted: Bool = false
  ) {
    let start = Int(slice.start)
    guard slice.count > 0, start >= 0, slice.end <= records[index].bytes.count else { return }
    let planted =
      isName
      ? (0..<Int(slice.count)).map { _ in UInt8.random(in: 0x41...0x5a, using: &random) }
      : bytes(Int(slice.count))
    records[index].bytes.replaceSubrange(start..<slice.end, with: planted)
    note(planted, isCounted: isCounted)
  }

  /// Registers planted bytes that are, or will be, outside of any field.
  mutating func plantLater(_ planted: [UInt8], isCounted: Bool) {
    note(planted, isCounted: isCounted)
  }

  private mutating func note(_ planted: [UInt8], isCounted: Bool) {
    Self.forEachPiece(planted[...]) { piece in
      if isCounted { counted.insert(piece) } else { secrets.insert(piece) }
    }
  }

  private static func forEachPiece(_ bytes: ArraySlice<UInt8>, _ take: (UInt64) -> Void) {
    guard bytes.count >= piece else { return }
    var window: UInt64 = 0
    for (position, byte) in bytes.enumerated() {
      window = (window << 8 | UInt64(byte)) & 0xffff_ffff_ffff
      if position >= piece - 1 { take(window) }
    }
  }

  /// Appends bytes after the end of the packet or of its payload.
  private mutating func append(_ index: Int) {
    // Bytes after a fragment or a truncated packet would be its continuation.
    guard isWhole(records[index]) else { return }
    let planted = bytes(16)
    let before = parametersEnd(records[index])
    records[index].bytes += planted
    // Management records have no length field: appended bytes may become additional parameters.
    if parametersEnd(records[index]) == before { note(planted, isCounted: false) }
    records[index].originalLength = records[index].bytes.count
    guard let start = dataStart(records[index]), chance(2) else { return }
    let count = records[index].bytes.count - start - 4
    records[index].bytes[start + 2] = UInt8(count & 0xff)
    records[index].bytes[start + 3] = UInt8(count >> 8)
  }

  /// Returns whether a record has the length that its headers give.
  private func isWhole(_ record: Record) -> Bool {
    let bytes = record.bytes
    switch dissect(record).content {
    case .command(let command): return bytes.count == (isMonitor ? 3 : 4) + Int(command.length)
    case .event(let event): return bytes.count == (isMonitor ? 2 : 3) + Int(event.length)
    case .acl(let header):
      guard let start = dataStart(record), header.boundary != .continuation else { return false }
      let count = bytes.count - start - 4
      return count == Int(header.length) && count >= 4
        && Int(bytes.bytes.littleEndianU16(at: start + 4)) == count - 4
    case .sco(let header): return bytes.count == (isMonitor ? 3 : 4) + Int(header.length)
    case .iso(let header): return bytes.count == (isMonitor ? 4 : 5) + Int(header.length)
    case .control, .controllerLog, .note: return true
    case .advertising, .linkData, .linkControl: return true
    // The header may be cut: what follows it would complete it.
    case .unknown: return false
    }
  }

  /// Returns where the parameters of a management record end, or nil for other records.
  private func parametersEnd(_ record: Record) -> Int? {
    let dissection = dissect(record)
    guard case .control = dissection.content, let found = dissection.parameters else { return nil }
    let layout = found.inner.isEmpty ? found.row?.parameters : found.completed?.returns
    guard let layout, layout.has(.known) else { return nil }
    var finder = PlaceFinder()
    var fields = FieldWalk(record.bytes.bytes, found.inner.isEmpty ? found.outer : found.inner)
    try? fields.walk(layout, &finder)
    return Int(fields.rest().start)
  }

  /// Plants into commands, events and management records.
  private mutating func plant(_ index: Int, _ found: PacketParameters, _ dissection: Dissection) {
    // The layouts of Microsoft's extension cannot be determined from one record.
    if Self.mayBeMicrosofts(dissection, records[index].bytes) { return }
    plant(index, found.row?.parameters, found.outer, head: 0)
    if !found.inner.isEmpty { plant(index, found.completed?.returns, found.inner, head: 1) }
  }

  private static func mayBeMicrosofts(_ dissection: Dissection, _ bytes: [UInt8]) -> Bool {
    let opcodes: [UInt16] = [0xfc1e, 0xfd70, 0xfd30, 0xfcf0]
    switch dissection.content {
    case .command(let command): return opcodes.contains(command.opcode)
    case .event:
      guard let found = dissection.parameters, !found.inner.isEmpty else { return false }
      return opcodes.contains(bytes.bytes.littleEndianU16(at: Int(found.outer.start) + 1))
    default: return false
    }
  }

  private mutating func plant(
    _ index: Int, _ layout: ParameterLayout?, _ slice: Slice, head: Int
  ) {
    guard let layout, layout.has(.known) else {
      plant(index, Slice(start: Int(slice.start) + head, count: Int(slice.count) - head))
      return
    }
    var finder = PlaceFinder()
    do {
      let bytes = records[index].bytes
      var fields = FieldWalk(bytes.bytes, slice)
      try? fields.walk(layout, &finder)
    }
    for place in finder.places {
      switch place.kind {
      case .secret: plant(index, place.slice)
      case .name: plant(index, place.slice, isName: true)
      case .counted: plant(index, place.slice, isCounted: true)
      case .advertisingData: plantStructures(index, place.slice)
      }
    }
  }

  private mutating func plantStructures(_ index: Int, _ slice: Slice) {
    var offset = Int(slice.start)
    while offset + 2 < slice.end {
      let length = Int(records[index].bytes[offset])
      let type = records[index].bytes[offset + 1]
      let count = min(length - 1, slice.end - offset - 2)
      guard length > 0 else {
        plant(index, Slice(start: offset + 1, count: slice.end - offset - 1))
        return
      }
      let data = Slice(start: offset + 2, count: count)
      func behind(_ head: Int) -> Slice {
        Slice(start: offset + 2 + head, count: max(0, count - head))
      }
      switch type {
      case 0x08, 0x09, 0x30: plant(index, data, isName: true)
      case 0x0e, 0x0f, 0x17, 0x18, 0x1d, 0x1e, 0x22, 0x23, 0x2d: plant(index, data)
      case 0x16, 0xff: plant(index, behind(2), isCounted: true)
      case 0x20: plant(index, behind(4), isCounted: true)
      case 0x21: plant(index, behind(16), isCounted: true)
      case 0x24...0x26, 0x29...0x2b, 0x31..., 0x00, 0x0b, 0x0c, 0x13:
        plant(index, data, isCounted: true)
      // Bytes after the known size of flags, an appearance, a role and the like.
      case 0x01, 0x0a, 0x0d, 0x19, 0x1a, 0x1c: plant(index, behind(4))
      default: break
      }
      offset += 1 + length
    }
  }

  private mutating func plant(_ index: Int, _ note: MonitorNote, _ body: Slice) {
    switch note.kind {
    case .newIndex:
      if note.address != nil { plant(index, Slice(start: 2, count: 6)) }
    case .indexInfo:
      if note.address != nil { plant(index, Slice(start: 0, count: 6)) }
    case .systemNote, .userLog, .controlOpen:
      if let text = note.text { plant(index, text, isName: true) }
      if let identifier = note.identifier { plant(index, identifier, isName: true) }
    default: break
    }
    if note.kind != .lmp { plant(index, body) }
  }

  /// Plants into a PDU that fits in one packet.
  private mutating func plantData(_ index: Int) {
    guard let start = dataStart(records[index]) else { return }
    let bytes = records[index].bytes
    let payload = start + 8
    guard bytes[start + 1] & 0x30 != 0x10, bytes.count > payload,
      Int(bytes.bytes.littleEndianU16(at: start + 4)) == bytes.count - payload
    else { return }
    func behind(_ head: Int) -> Slice {
      Slice(start: payload + head, count: max(0, bytes.count - payload - head))
    }
    switch bytes.bytes.littleEndianU16(at: start + 6) {
    case 4:
      // Values, and bytes after the fields of a PDU.
      switch bytes[payload] {
      case 0x0b, 0x0d, 0x0f: plantValue(index, behind(1))
      case 0x12, 0x1b, 0x1d, 0x52: plantValue(index, behind(3))
      case 0x16, 0x17: plantValue(index, behind(5))
      case 0xd2:
        let tail = behind(max(3, bytes.count - payload - 8))
        plant(index, tail)
        plantValue(index, Slice(start: payload + 3, count: max(0, Int(tail.count) - 12)))
      case 0x13, 0x19, 0x1e: plant(index, behind(1))
      case 0x02, 0x03: plant(index, behind(3))
      case 0x01, 0x04, 0x0c: plant(index, behind(5))
      case 0x18: plant(index, behind(2))
      case 0x05...0x11, 0x20, 0x21, 0x23: break
      default: plant(index, behind(1))
      }
    case 6, 7:
      switch bytes[payload] {
      case 0x01, 0x02: plant(index, behind(7))
      case 0x05, 0x0b, 0x0e: plant(index, behind(2))
      case 0x09: plant(index, behind(2))
      default: plant(index, behind(1))
      }
    case 1, 5:
      // Echoes and unassigned codes.
      if [0x08, 0x09].contains(bytes[payload]) || bytes[payload] > 0x1a { plant(index, behind(4)) }
    default: break
    }
  }

  /// Plants into a value, unless it could be part of the attribute layout: a short value, a hash, a
  /// UUID or a declaration.
  private mutating func plantValue(_ index: Int, _ slice: Slice) {
    guard slice.count > 8, slice.count != 16, slice.count != 19 else { return }
    plant(index, slice, isCounted: true)
  }

  // MARK: On the way

  /// Refragments PDUs, and cuts, loses and repeats records.
  mutating func disturb() {
    for index in records.indices.reversed() where chance(3) {
      // Fragments of one size, as controllers make them, or of random sizes.
      split(index, size: chance(2) ? [5, 20, 27][number(0...2)] : 0)
    }
    for index in records.indices where chance(8) { resize(index, by: number(-8...8)) }
    guard !chance(6) else { return }
    for _ in 0..<number(1...max(1, records.count / 6)) {
      guard !records.isEmpty else { return }
      let index = number(0...records.count - 1)
      switch number(0...5) {
      case 0, 1: records.remove(at: index)
      case 2: records.insert(records[index], at: index)
      case 3: records.insert(records[index], at: number(0...records.count))
      case 4: records.swapAt(index, min(index + 1, records.count - 1))
      default:
        let count = number(0...records[index].bytes.count)
        records[index].bytes.removeLast(records[index].bytes.count - count)
        if chance(3) { records[index].originalLength = count }
      }
    }
  }

  /// Shortens or lengthens a command, an event or a PDU, and the lengths in its headers.
  mutating func resize(_ index: Int, by delta: Int) {
    guard isWhole(records[index]) else { return }
    let place: Int
    switch dissect(records[index]).content {
    case .command: place = isMonitor ? 2 : 3
    case .event: place = isMonitor ? 1 : 2
    case .acl:
      // The end of a longer Signed Write would be another signature.
      guard let start = dataStart(records[index]),
        records[index].bytes.dropFirst(start + 8).first != 0xd2
      else { return }
      let count = max(0, records[index].bytes.count - start - 8 + delta)
      let kept = records[index].bytes.prefix(start + 8 + count)
      records[index].bytes = kept + bytes(start + 8 + count - kept.count)
      for (place, number) in [(start + 2, count + 4), (start + 4, count)] {
        records[index].bytes[place] = UInt8(number & 0xff)
        records[index].bytes[place + 1] = UInt8(number >> 8)
      }
      records[index].originalLength = records[index].bytes.count
      return
    default: return
    }
    let count = min(255, max(0, records[index].bytes.count - place - 1 + delta))
    let kept = records[index].bytes.prefix(place + 1 + count)
    records[index].bytes = kept + bytes(place + 1 + count - kept.count)
    records[index].bytes[place] = UInt8(count)
    records[index].originalLength = records[index].bytes.count
  }

  /// Cuts a record to at most `count` bytes, as a snapshot length does.
  mutating func cut(_ index: Int, to count: Int) {
    records[index].bytes = Array(records[index].bytes.prefix(count))
  }

  /// Cuts an ACL packet into fragments (Core, Vol 4, Part E, 5.4.2: boundary flag 1).
  ///
  /// - Parameters:
  ///   - size: the bytes of a fragment; 0: random ones.
  ///   - lost: the fragment to leave out, if there are several.
  mutating func split(_ index: Int, size: Int, lost: Int? = nil) {
    guard let start = dataStart(records[index]), records[index].bytes[start + 1] & 0x30 != 0x10
    else { return }
    let record = records[index]
    var payload = record.bytes[(start + 4)...]
    var pieces: [Record] = []
    while !payload.isEmpty {
      let count = size > 0 ? size : number(1...max(1, payload.count))
      let part = payload.prefix(count)
      payload = payload.dropFirst(count)
      var piece = record
      piece.bytes = Array(record.bytes[..<(start + 4)] + part)
      if !pieces.isEmpty {
        piece.bytes[start + 1] = piece.bytes[start + 1] & 0xcf | 0x10
      }
      piece.bytes[start + 2] = UInt8(part.count & 0xff)
      piece.bytes[start + 3] = UInt8(part.count >> 8)
      piece.originalLength = piece.bytes.count
      pieces.append(piece)
    }
    if pieces.count > 1, let lost { pieces.remove(at: lost % pieces.count) }
    records.replaceSubrange(index...index, with: pieces)
  }

  // MARK: What is left

  /// Returns the first piece of a secret that is left in a redacted record or in the reassembled
  /// data of a link.
  ///
  /// - Parameter all: whether counted values must be gone too.
  func remains(in redacted: [[UInt8]], all: Bool) -> String? {
    var streams: [UInt32: [UInt8]] = [:]
    for (index, bytes) in redacted.enumerated() {
      if let piece = piece(in: bytes, all: all) {
        return
          "\(piece) in record \(index + 1), \(Self.text(bytes)), which was \(Self.text(records[index].bytes))"
      }
      var record = records[index]
      record.bytes = bytes
      guard let start = dataStart(record) else { continue }
      let handle = UInt32(bytes.bytes.littleEndianU16(at: start) & 0x0fff)
      streams[handle << 1 | record.flags & 1, default: []].append(contentsOf: bytes[(start + 4)...])
    }
    for (way, bytes) in streams {
      if let piece = piece(in: bytes, all: all) {
        return "\(piece) in the data of handle \(way >> 1), \(Self.text(bytes))"
      }
    }
    return nil
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func piece(in bytes: [UInt8], all: Bool) -> String? {
    var found: String?
    Self.forEachPiece(bytes[...]) { piece in
      guard found == nil, secrets.contains(piece) || all && counted.contains(piece) else { return }
      found = String(piece, radix: 16)
    }
    return found
  }
}

/// Finds the places for secrets in the parameters of a command or event.
private struct PlaceFinder: FieldVisitor {
  enum Kind { case secret, name, counted, advertisingData }

  var places: [(kind: Kind, slice: Slice)] = []

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    switch value {
    case .number, .uuid, .advertisingFragment: break
    case .address, .secret: places.append((.secret, slice))
    case .text: places.append((.name, slice))
    case .advertisingData: places.append((.advertisingData, slice))
    case .bytes:
      let text = name.description
      let isHarmless =
        ["Map", "Commands", "Features", "Classification", "Table", "Flow_Spec", "Codec", "Counts"]
        .contains { text.contains($0) }
      if isHarmless { return }
      switch text {
      case "Event_Prefix", "Override_Parameters_Data", "Step_Data": break
      case "Value": if slice.count > 4 { places.append((.secret, slice)) }
      case "Service_UUID", "Service_UUID_Mask", "Solicitation_UUID", "Solicitation_UUID_Mask": break
      case "Manufacturer_Data", "Manufacturer_Data_Mask", "Service_Data_Pattern",
        "Service_Data_Mask", "Transport_Data_And_Mask", "Response_Data", "Decision_Data", "Data":
        places.append((.counted, slice))
      default: places.append((.secret, slice))
      }
    }
  }
}
