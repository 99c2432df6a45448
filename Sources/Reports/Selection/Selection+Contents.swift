// Selects packets by their content: attribute handles and UUIDs, values, words.

package import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

extension Selection {
  /// Reads a handle, `0x0010` or `16`, or a range of handles, `0x10-0x20`.
  package static func handles(_ text: String) throws(SelectionError) -> ClosedRange<UInt16> {
    let ends = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "-–".contains($0) }
    let numbers = ends.compactMap { end -> UInt16? in
      guard case .number(let number) = CodeWord(String(end)) else { return nil }
      return UInt16(exactly: number)
    }
    guard numbers.count == ends.count, let from = numbers.first, let to = numbers.last, from <= to
    else {
      throw SelectionError("expected an attribute handle or a range, as in 0x0010 or 0x10-0x20")
    }
    return from...to
  }

  /// Reads a UUID in any of its usual spellings, or the beginning of one as lines print it.
  package static func uuid(_ text: String) throws(SelectionError) -> UUIDPattern {
    guard let pattern = UUIDPattern(text) else {
      throw SelectionError(
        "expected a UUID as in 180d, 0x180D or 6e400001-b5a3-f393-e0a9-e50e24dcca9e, or a part as printed: 6e400001-\u{2026}, fd47\u{2026}75cf"
      )
    }
    return pattern
  }

  /// Returns whether an attribute has a selected handle, and a selected UUID or a service with one.
  package func admits(_ uuid: BluetoothUUID?, _ handle: UInt16?, in service: BluetoothUUID?) -> Bool
  {
    (handles.isEmpty || has(handle)) && (uuids.isEmpty || has(uuid) || has(service))
  }
}

/// Looks for attributes in packets.
protocol AttributeFinder {
  /// Returns whether this handle is looked for.
  func has(_ handle: UInt16?) -> Bool
  /// Returns whether this UUID is looked for.
  func has(_ uuid: BluetoothUUID?) -> Bool
}

extension Selection: AttributeFinder {
  func has(_ handle: UInt16?) -> Bool {
    guard let handle else { return false }
    return handles.contains { $0.contains(handle) }
  }

  func has(_ uuid: BluetoothUUID?) -> Bool {
    guard let uuid = uuid?.shortest else { return false }
    return uuids.contains { $0.matches(uuid) }
  }
}

extension AttributeFinder {
  /// Returns whether an ATT PDU contains one of the handles, or answers a request about one.
  @inline(never)
  func matchesHandle(_ packet: borrowing Packet) -> Bool {
    guard packet.dissection.att != nil else { return false }
    let fields = packet.dissection.attFields
    if has(fields.handle) || has(fields.startHandle) || has(fields.endHandle)
      || has(packet.answer.request?.handle)
    {
      return true
    }
    if let list = fields.handles {
      let list = packet.bytes.part(list)
      for index in 0..<list.byteCount / 2 where has(list.littleEndianU16(at: 2 * index)) {
        return true
      }
    }
    guard let items = fields.items else { return false }
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      if has(item.handle) || has(item.endHandle) { return true }
      guard let value = item.value else { continue }
      switch DeclaredAttribute(packet.bytes.part(value), packet.answer.request?.type) {
      case .characteristic(let declaration):
        if has(declaration.valueHandle) { return true }
      case .include(let declaration):
        if has(declaration.startHandle) || has(declaration.endHandle) { return true }
      case .service, .other: break
      }
    }
    return false
  }

  /// Returns whether an ATT PDU contains one of the UUIDs or is about an attribute of that type; or
  /// whether an advertisement, or the advertising data or filter of a command or event, lists it or
  /// has data for it.
  @inline(never)
  func matchesUUID(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    if packet.dissection.att != nil { return matchesATT(packet, memory) }
    if let channel = packet.answer.channel, let serial = channel.serialChannel {
      return has(packet.answer.link.flatMap { memory.service(of: serial, on: $0) })
    }
    for advertisement in memory.advertisements.reports {
      if let joined = advertisement.joined {
        if matchesUUID(memory.advertisements.joined.bytes, joined) { return true }
      } else if matchesUUID(packet.bytes, advertisement.report.data) {
        return true
      }
    }
    guard memory.advertisements.reports.isEmpty, packet.dissection.mayHoldAdvertising else {
      return false
    }
    return matchesParameterUUID(packet.dissection, packet.bytes)
  }

  /// Returns whether an ATT PDU contains one of the UUIDs, or is about an attribute of that type.
  private func matchesATT(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    if has(packet.answer.request?.type) || has(packet.answer.request?.service) { return true }
    if let place = packet.answer.attribute, has(memory.attributes[place].uuid) { return true }
    // Most PDUs are about one attribute, which was checked above.
    guard let pdu = packet.dissection.att, packet.dissection.attFields.namesSeveral else {
      return false
    }
    let (opcode, fields) = (pdu.opcode, packet.dissection.attFields)
    if has(fields.type) { return true }
    if let type = fields.type, let value = fields.value,
      case .service(let uuid) = DeclaredAttribute(packet.bytes.part(value), type), has(uuid)
    {
      return true
    }
    if let list = fields.handles {
      let list = packet.bytes.part(list)
      for index in 0..<list.byteCount / 2 {
        if isAbout(list.littleEndianU16(at: 2 * index), opcode, packet, memory) {
          return true
        }
      }
    }
    guard let items = fields.items else { return false }
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      if has(item.type) { return true }
      guard let value = item.value else { continue }
      switch DeclaredAttribute(packet.bytes.part(value), packet.answer.request?.type) {
      case .service(let uuid): if has(uuid) { return true }
      case .characteristic(let declaration): if has(declaration.uuid) { return true }
      case .include(let declaration): if has(declaration.uuid) { return true }
      case .other:
        if let handle = item.handle, isAbout(handle, opcode, packet, memory) { return true }
      }
    }
    return false
  }

  /// Returns whether a handle in a PDU refers to an attribute with one of the UUIDs.
  private func isAbout(
    _ handle: UInt16, _ opcode: ATTOpcode, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Bool {
    guard let link = packet.answer.link, let direction = packet.record.direction,
      let place = memory.attribute(handle, opcode, direction, on: link)
    else { return false }
    return has(memory.attributes[place].uuid)
  }

  func matchesUUID(_ bytes: RawSpan, _ data: Slice) -> Bool {
    var structures = ADStructures(bytes, data)
    while let structure = structures.next() {
      var cursor = Cursor(bytes, structure.data)
      switch structure.type.layout(count: Int(structure.data.count)) {
      case .uuids(let width), .solicitedUUIDs(let width):
        while cursor.remaining >= width {
          guard let uuid = try? BluetoothUUID(parsing: &cursor, width: width) else { break }
          if has(uuid) { return true }
        }
      case .serviceData(let width) where cursor.remaining >= width:
        if has(try? BluetoothUUID(parsing: &cursor, width: width)) { return true }
      default: break
      }
    }
    return false
  }

}

extension Selection {
  /// Returns whether a value or an advertisement, received or sent, contains one of the byte
  /// patterns.
  @inline(never)
  func matchesValue(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    let (dissection, bytes) = (packet.dissection, packet.bytes)
    if let value = packet.serialValue { return holds(bytes.part(value.slice)) }
    if dissection.att != nil {
      let fields = dissection.attFields
      if let value = fields.value, holds(bytes.part(value)) { return true }
      guard let items = fields.items else { return false }
      var cursor = Cursor(bytes, items.list)
      while let item = items.next(&cursor) {
        if let value = item.value, holds(bytes.part(value)) { return true }
      }
      return false
    }
    for advertisement in memory.advertisements.reports {
      if let joined = advertisement.joined {
        if holds(memory.advertisements.joined.bytes.part(joined)) { return true }
      } else if holds(bytes.part(advertisement.report.data)) {
        return true
      }
    }
    guard memory.advertisements.reports.isEmpty, dissection.mayHoldAdvertising else { return false }
    return matchesParameterValue(dissection, bytes)
  }

  func holds(_ value: RawSpan) -> Bool { values.contains { $0.isIn(value) } }
}

/// A UUID to look for: all of it, or the beginning of a long one that lines print, `00020002-…`.
package struct UUIDPattern: Sendable {
  /// The UUID in its shortest form; what an ellipsis stands for is 0.
  private let uuid: BluetoothUUID
  /// The bits of a 128-bit UUID that have to match; nil for a whole UUID.
  private var mask: (high: UInt64, low: UInt64)?

  /// Creates a pattern for a whole UUID.
  package init(_ uuid: BluetoothUUID) { self.uuid = uuid.shortest }

  /// Reads a UUID, its first 8 to 28 digits with an ellipsis after them, or as many of its first
  /// and last ones with an ellipsis between them.
  init?(_ text: String) {
    guard let ellipsis = ["\u{2026}", "..."].first(where: { text.contains(text: $0) })
    else {
      guard let uuid = BluetoothUUID(text: text) else { return nil }
      self.init(uuid)
      return
    }
    let digits = text.filter { $0 != "-" }
    guard let gap = digits.range(ofText: ellipsis) else { return nil }
    let ends = [digits[..<gap.lowerBound], digits[gap.upperBound...]]
    let count = digits.count - ellipsis.count
    guard !ends[0].isEmpty, 8...28 ~= count,
      let value = Self.halves(ends),
      let known = Self.halves(ends.map { String(repeating: "f", count: $0.count)[...] })
    else { return nil }
    self.init(BluetoothUUID(high: value.high, low: value.low))
    mask = known
  }

  /// Returns 32 digits that begin and end like this as two numbers; nil if not all are hexadecimal.
  private static func halves(_ ends: [Substring]) -> (high: UInt64, low: UInt64)? {
    let missing = 32 - ends[0].count - ends[1].count
    let digits = ends[0] + String(repeating: "0", count: missing) + ends[1]
    guard digits.allSatisfy(\.isHexDigit), let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    return (high, low)
  }

  /// Returns whether a UUID in its shortest form matches.
  func matches(_ other: BluetoothUUID) -> Bool {
    guard let mask else { return other == uuid }
    return other.width == 16 && (other.high ^ uuid.high) & mask.high == 0
      && (other.low ^ uuid.low) & mask.low == 0
  }
}

/// Bytes with wildcards.
package struct BytePattern: Sendable {
  /// The bytes; nil matches any byte.
  private var bytes: [UInt8?] = []

  /// Reads bytes in hexadecimal, with or without blanks; `*` or `??` matches any byte.
  package init(_ text: String) throws(SelectionError) {
    let expected = SelectionError(
      "expected bytes in hexadecimal, with * for any one byte, as in 'a5 06 * 03'")
    var rest = text[...]
    while let first = rest.first {
      if first == " " || first == ":" || first == "-" {
        rest = rest.dropFirst()
      } else if first == "*" {
        bytes.append(nil)
        rest = rest.dropFirst()
      } else if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("??") {
        bytes.append(nil)
        rest = rest.dropFirst(2)
      } else {
        let digits = rest.prefix(2)
        guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
          let byte = UInt8(digits, radix: 16)
        else { throw expected }
        bytes.append(byte)
        rest = rest.dropFirst(2)
      }
    }
    guard !bytes.isEmpty else { throw expected }
  }

  /// Returns whether the pattern occurs in `value`.
  func isIn(_ value: RawSpan) -> Bool {
    guard value.byteCount >= bytes.count else { return false }
    for start in 0...value.byteCount - bytes.count where isAt(start, value) { return true }
    return false
  }

  private func isAt(_ start: Int, _ value: RawSpan) -> Bool {
    for index in bytes.indices {
      if let byte = bytes[index], value.byte(at: start + index) != byte { return false }
    }
    return true
  }
}

/// A word that is searched in lines, ignoring case.
package struct TextPattern: Sendable {
  /// Whether lines with the word are left out.
  package var isExcluded = false
  /// The word in lower case.
  private let word: [UInt8]
  private let isASCII: Bool

  package init(_ text: String) throws(SelectionError) {
    guard !text.isEmpty else { throw SelectionError("expected a word to look for") }
    word = Array(text.lowercased().utf8)
    isASCII = word.allSatisfy { $0 < 0x80 }
  }

  /// Returns whether the word occurs in `line`.
  func isIn(_ line: RawSpan) -> Bool {
    // Other scripts have letter cases, too, but ignoring them costs more.
    isASCII ? isIn(folded: line) : isIn(unfolded: line)
  }

  private func isIn(folded line: RawSpan) -> Bool {
    guard line.byteCount >= word.count else { return false }
    for start in 0...line.byteCount - word.count {
      var index = 0
      while index < word.count, Self.lower(line.byte(at: start + index)) == word[index] {
        index += 1
      }
      if index == word.count { return true }
    }
    return false
  }

  private func isIn(unfolded line: RawSpan) -> Bool {
    let lower = Array(String(decoding: line.array, as: UTF8.self).lowercased().utf8)
    return isIn(folded: lower.bytes)
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
  }
}
