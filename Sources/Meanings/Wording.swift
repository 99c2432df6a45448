package import Bluetooth
package import Bytes
import Sessions

/// A piece of text for people, composed of words and of terms that the protocol names.
///
/// It can contain only what has an interpolation here: a number, a name, a packet, a code. Strings
/// from devices are interpolated with `quoted:`, which removes control characters. A passkey
/// (`SixDigits`) and a key (`PairingValue`) have no interpolation, so the compiler rejects them.
/// Bytes are interpolated with `hex:` if they may be shown. `key:` is for keys, which belong in
/// `Finding.Detail.revealed` and nowhere else.
package struct Wording: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// The text, UTF-8, without control characters.
  package private(set) var text: String
  /// The first error or reason code that the text names.
  package private(set) var code: NamedCode?
  /// The bytes of the clause about this program's options.
  private var hint: Range<Int>?

  package var isEmpty: Bool { text.isEmpty }

  package init(stringLiteral value: String) { text = value }

  package init(stringInterpolation: StringInterpolation) {
    text = String(decoding: stringInterpolation.bytes, as: UTF8.self)
    code = stringInterpolation.code
    hint = stringInterpolation.hint
  }

  /// Creates a wording from a profile's words or a file's name: UTF-8 with arbitrary content.
  package init(printable bytes: RawSpan) {
    var output = Output()
    output.printable(bytes)
    text = String(decoding: output.bytes.array, as: UTF8.self)
  }

  /// Joins several pieces with a separator.
  package init(_ pieces: [Wording], joinedBy separator: StaticString) {
    text = pieces.map(\.text).joined(separator: separator.description)
    code = pieces.firstCode
  }

  /// Joins pieces with commas, and the last two with `and`: `a, b and c`.
  package init(listing pieces: [Wording]) {
    let all = pieces.map(\.text)
    text =
      all.count < 2
      ? all.joined() : all.dropLast().joined(separator: ", ") + " and " + (all.last ?? "")
    code = pieces.firstCode
  }

  /// The same text with its first letter in upper case.
  package var capitalized: Wording {
    var bytes = [UInt8](text.utf8)
    // Wordings start with ASCII letters; names from devices start with a quotation mark.
    guard let first = bytes.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first else {
      return self
    }
    bytes[0] = first - 0x20
    return with(String(decoding: bytes, as: UTF8.self))
  }

  /// The clause as a sentence: with a capital letter and a full stop.
  package var asSentence: Wording { "\(capitalized)." }

  /// The same text with its first letter in lower case, unless it starts with a code, an
  /// abbreviation or a name.
  package var asClause: Wording {
    guard let first = text.first, first.isUppercase,
      text.dropFirst().first.map({ $0.isLowercase || $0 == " " }) ?? false
    else { return self }
    return with(first.lowercased() + text.dropFirst())
  }

  /// Returns other words, with a hint only if it has the same place.
  func with(_ text: String) -> Wording {
    var wording = self
    wording.text = text
    if text.utf8.count != self.text.utf8.count { wording.hint = nil }
    return wording
  }

  /// The same words without the clause about this program, for readers who may not have it.
  package var withoutHint: Wording {
    guard let (before, _, after) = parts else { return self }
    return with(before.text + after.text)
  }

  /// The text before the hint, the hint itself, and the text after it; nil without a hint.
  var parts: (before: Wording, hint: Wording, after: Wording)? {
    guard let hint else { return nil }
    let bytes = [UInt8](text.utf8)
    func part(_ range: Range<Int>) -> Wording {
      with(String(decoding: bytes[range], as: UTF8.self))
    }
    return (part(0..<hint.lowerBound), part(hint), part(hint.upperBound..<bytes.count))
  }

  /// Returns words of which some are a hint.
  static func joining(_ before: Wording, hint: Wording, _ after: Wording) -> Wording {
    var wording: Wording = "\(before)\(hint)\(after)"
    let start = before.text.utf8.count
    wording.hint = start..<start + hint.text.utf8.count
    return wording
  }

  /// Returns the same text as one that names a code.
  package func naming(_ code: NamedCode) -> Wording {
    var wording = self
    wording.code = code
    return wording
  }

  /// The values that can be interpolated into a wording.
  package struct StringInterpolation: StringInterpolationProtocol {
    /// UTF-8, converted to a string once: a page has thousands of pieces, and appending strings
    /// would cost more.
    fileprivate var bytes: [UInt8] = []
    /// The first error or reason code.
    fileprivate var code: NamedCode?
    fileprivate var hint: Range<Int>?

    package init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

    /// Appends another wording.
    package mutating func appendInterpolation(_ wording: Wording) {
      hint =
        hint
        ?? wording.hint.map { bytes.count + $0.lowerBound..<bytes.count + $0.upperBound }
      bytes += wording.text.utf8
      code = code ?? wording.code
    }

    /// Appends a clause about this program, which pages for readers who may not have it leave out:
    /// `; --show-keys prints it`.
    package mutating func appendInterpolation(hint clause: StaticString) {
      hint = bytes.count..<bytes.count + clause.utf8CodeUnitCount
      bytes.append(clause.bytes)
    }

    /// Appends a name of the specification or of this program.
    package mutating func appendInterpolation(_ name: StaticString) { bytes.append(name.bytes) }

    /// Appends the name of a code: `Write Request`.
    package mutating func appendInterpolation(_ name: AssignedName) { bytes.append(name.bytes) }

    package mutating func appendInterpolation(_ number: some BinaryInteger) {
      bytes += String(number).utf8
    }

    /// Appends a number of things: `1 byte`, `2 bytes`.
    package mutating func appendInterpolation(
      count: Int, _ one: StaticString, _ several: StaticString
    ) {
      write { $0.count(count, one, several) }
    }

    /// Appends a count; `isLeast`: of a list that has reached its limit, so that there may be more:
    /// `at least 64`.
    package mutating func appendInterpolation(_ number: Int, isLeast: Bool) {
      if isLeast { appendInterpolation("at least " as StaticString) }
      appendInterpolation(number)
    }

    /// Appends a packet number: `#48`.
    package mutating func appendInterpolation(packet: Int) { write { $0.packet(packet) } }

    /// Appends a duration in nanoseconds, in a suitable unit: `4.5 ms`, `30.0 s`.
    package mutating func appendInterpolation(duration nanoseconds: Int64) {
      write { $0.duration(nanoseconds: nanoseconds) }
    }

    /// Appends a range of durations, with the unit once if both share it: `59.1–450.6 ms`.
    package mutating func appendInterpolation(duration least: Int64, to most: Int64) {
      let (from, to) = (Wording("\(duration: least)").text, Wording("\(duration: most)").text)
      let units = (from.split(separator: " ").last, to.split(separator: " ").last)
      appendLiteral(units.0 == units.1 ? String(from.prefix { $0 != " " }) : from)
      appendLiteral("–\(to)")
    }

    /// Appends a date and time of day: `2023-11-14 22:13:20 UTC`.
    package mutating func appendInterpolation(utc time: Timestamp) {
      let (days, seconds) = CivilDate.floorDivide(time.seconds, 86_400)
      write {
        $0.date(CivilDate(days: days))
        for (index, part) in [seconds / 3600, seconds / 60 % 60, seconds % 60].enumerated() {
          $0.byte(index == 0 ? 0x20 : 0x3a)
          $0.decimal(UInt(truncatingIfNeeded: part), digits: 2)
        }
        $0.text(" UTC")
      }
    }

    /// Appends a connection interval given in units of 1.25 ms: `37.5 ms`.
    package mutating func appendInterpolation(interval: UInt16) {
      write {
        $0.fixed(Int(interval) * 125, decimals: 2)
        $0.text(" ms")
      }
    }

    /// Appends a number of hundredths: `37.5`.
    package mutating func appendInterpolation(decimal hundredths: Int) {
      write { $0.fixed(hundredths, decimals: 2) }
    }

    /// Appends a range of connection intervals, or one interval if both are equal: `15–30 ms`.
    package mutating func appendInterpolation(interval lower: UInt16, to upper: UInt16) {
      write {
        if lower != upper {
          $0.fixed(Int(lower) * 125, decimals: 2)
          $0.text("–")
        }
        $0.fixed(Int(upper) * 125, decimals: 2)
        $0.text(" ms")
      }
    }

    /// Appends a PHY by HCI's code: `LE 2M`.
    package mutating func appendInterpolation(phy code: UInt8) {
      if let name = CodeSet.phy.name(of: UInt64(code)) {
        appendInterpolation(name)
      } else {
        appendLiteral("PHY \(code)")
      }
    }

    /// Appends a number of bytes in a suitable unit: `740 bytes`, `2.3 kB`, `87 kB`, `1.4 MB`.
    package mutating func appendInterpolation(bytes: Int) {
      write { $0.size(bytes) }
    }

    /// Appends a rate in bytes per second: `740 bytes/s`, `2.3 kB/s`.
    package mutating func appendInterpolation(rate: Int) {
      write {
        $0.size(rate)
        $0.text("/s")
      }
    }

    /// Appends an attribute or connection handle: `0x0010`.
    package mutating func appendInterpolation(handle: UInt16) { write { $0.handle(handle) } }

    /// Appends a device address.
    package mutating func appendInterpolation(_ address: DeviceAddress) {
      write { $0.address(address) }
    }

    /// Appends the kind of an address: `random static`.
    package mutating func appendInterpolation(_ kind: AddressKind) { write { $0.text(kind.words) } }

    /// Appends a UUID and its name: `2a39 Heart Rate Control Point`.
    package mutating func appendInterpolation(_ uuid: BluetoothUUID) {
      write {
        $0.uuid(uuid.shortest)
        $0.attributeName(uuid)
      }
    }

    /// Appends an attribute by its UUID alone (a long one shortened to what distinguishes it) or by
    /// its handle: `2a39`, `6e400002-…`, `0x0010`.
    package mutating func appendInterpolation(short attribute: NamedAttribute) {
      write {
        if let uuid = attribute.uuid {
          $0.uuid(uuid, attribute.identity.part)
        } else {
          $0.attribute(attribute)
        }
      }
    }

    /// Appends an attribute by its UUID and name if known, and by its handle if those are not
    /// unique: `2a39 Heart Rate Control Point`, `2902 CCCD (0x0012)`, `6e400002-…`, `0x0010`.
    package mutating func appendInterpolation(_ attribute: NamedAttribute) {
      write { $0.attribute(attribute) }
    }

    /// Appends an ATT error: `Insufficient Authentication (0x05)`.
    package mutating func appendInterpolation(_ error: ATTErrorCode) {
      append(NamedCode(UInt64(error.rawValue), error.name))
    }

    /// Appends an HCI status or reason: `Connection Timeout (0x08)`.
    package mutating func appendInterpolation(_ status: StatusCode) {
      append(NamedCode(UInt64(status.rawValue), status.name))
    }

    /// Appends a reason of Pairing Failed: `Confirm Value Failed (0x04)`.
    package mutating func appendInterpolation(_ reason: PairingFailure) {
      append(NamedCode(UInt64(reason.rawValue), reason.name))
    }

    /// Appends the service of an L2CAP channel: `EATT (0x0027)`, `SPSM 0x0081`.
    package mutating func appendInterpolation(_ psm: PSM) { write { $0.service(psm) } }

    /// Appends a code with its name in a code set: `Connect Failed (0x04)`.
    package mutating func appendInterpolation<Code: FixedWidthInteger & UnsignedInteger>(
      code: Code, of set: CodeSet
    ) {
      write { $0.named(set.name(of: UInt64(code)), UInt64(code), digits: Code.bitWidth / 4) }
    }

    /// Appends an error or result with its name in a code set: `Not Connected (0x02)`.
    package mutating func appendInterpolation<Code: FixedWidthInteger & UnsignedInteger>(
      error: Code, of set: CodeSet
    ) {
      append(NamedCode(UInt64(error), set.name(of: UInt64(error)), digits: Code.bitWidth / 4))
    }

    private mutating func append(_ code: NamedCode) {
      write { $0.named(code.name, code.value, digits: code.digits) }
      self.code = self.code ?? code
    }

    /// Appends the name of an ATT PDU: `Write Request`.
    package mutating func appendInterpolation(_ opcode: ATTOpcode) {
      write { $0.named(opcode.name, UInt64(opcode.rawValue), digits: 2) }
    }

    /// Appends bytes in hex: `a5 06 03`.
    package mutating func appendInterpolation(hex bytes: [UInt8]) {
      write { $0.hex(bytes.bytes, separator: 0x20) }
    }

    /// Appends a key in hex without separators: `000102`. For what `--show-keys` reveals.
    package mutating func appendInterpolation(key bytes: [UInt8]) {
      write { $0.hex(bytes.bytes) }
    }

    /// Appends a code: `0x1001`.
    package mutating func appendInterpolation(code: some FixedWidthInteger, digits: Int) {
      write { $0.hexadecimal(UInt64(truncatingIfNeeded: code), digits: digits) }
    }

    /// Appends a string from a device, in quotes and without control characters.
    package mutating func appendInterpolation(quoted bytes: [UInt8]) {
      write { $0.quoted(bytes.bytes) }
    }

    private mutating func write(_ body: (inout Output) -> Void) {
      var output = Output()
      body(&output)
      bytes.append(output.bytes)
    }
  }
}

/// An error or reason code, and its name.
package struct NamedCode: Equatable, Sendable {
  /// The code.
  package let value: UInt64
  /// The number of hexadecimal digits of codes of this kind.
  package let digits: Int
  /// The specification's name, if it has one.
  package let name: AssignedName?
  /// The name in the profile of the attribute, which goes before the specification's.
  package var ownName: [UInt8]?

  package init(_ value: UInt64, _ name: AssignedName?, digits: Int = 2) {
    self.value = value
    self.name = name
    self.digits = digits
  }
}

extension Output {
  /// Appends a wording. This is for pages: a wording is composed as a string first, which would
  /// cost too much in the line of each packet.
  package mutating func write(_ wording: Wording) { string(wording.text) }
}

extension [Wording] {
  /// The first code that one of them names.
  fileprivate var firstCode: NamedCode? { lazy.compactMap(\.code).first }
}

extension Output {
  /// Appends an attribute by its UUID and name, with its handle if needed to identify it, or by its
  /// handle alone if nothing else is known.
  fileprivate mutating func attribute(_ attribute: NamedAttribute) {
    guard let uuid = attribute.uuid else {
      if let handle = attribute.handle { self.handle(handle) } else { text("an unknown attribute") }
      return
    }
    self.uuid(uuid, attribute.identity.part)
    if let name = attribute.profileName {
      byte(0x20)
      string(name)
    } else {
      attributeName(uuid, as: attribute.kind?.use)
    }
    if attribute.identity.needsHandle, let handle = attribute.handle {
      text(" (")
      self.handle(handle)
      byte(0x29)
    }
  }

  /// Appends a number of bytes in a suitable unit.
  fileprivate mutating func size(_ bytes: Int) {
    guard bytes >= 1000 else { return count(bytes, "byte", "bytes") }
    // A number of at least two digits; what rounding takes to the next unit is in that unit.
    if bytes >= 999_500 {
      fixed((bytes + 50_000) / 100_000, decimals: 1)
      text(" MB")
    } else {
      fixed(bytes >= 9950 ? (bytes + 500) / 1000 * 10 : (bytes + 50) / 100, decimals: 1)
      text(" kB")
    }
  }

}
