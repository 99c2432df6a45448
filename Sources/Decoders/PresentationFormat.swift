package import Bluetooth
import Bytes

/// The content of a «Characteristic Presentation Format» descriptor, which describes its
/// characteristic's value (Core, Vol 3, Part G, 3.3.3.5).
///
/// Format (1 byte), Exponent (1, signed: value · 10^exponent, for integers), Unit (2, a UUID), Name
/// Space (1), Description (2).
package struct PresentationFormat: Sendable, Equatable {
  /// The format's number (Assigned Numbers, 2.4.1).
  package var format: UInt8
  /// The power of ten.
  package var exponent: Int8
  /// The unit's 16-bit UUID.
  package var unit: UInt16

  /// Reads a descriptor's value; nil if it does not have seven bytes.
  package init?(_ bytes: RawSpan) {
    guard bytes.byteCount == 7 else { return nil }
    format = bytes.byte(at: 0)
    exponent = Int8(bitPattern: bytes.byte(at: 1))
    unit = bytes.littleEndianU16(at: 2)
  }

  /// The profile name under which such values are decoded.
  package static var profile: String { "presentation_format" }

  /// Returns the definition of values with these formats, one after the other; nil if one of them
  /// cannot be decoded (`struct`, and reserved formats), or there are too many.
  package static func definition(of uuid: BluetoothUUID, _ formats: [Self]) -> Definition? {
    guard !formats.isEmpty, formats.count <= 32 else { return nil }
    var tables = Definition.Tables()
    for (place, format) in formats.enumerated() {
      let isLast = place == formats.count - 1
      let name = formats.count == 1 ? "value" : "value_\(place + 1)"
      guard format.add(name, isLast: isLast, to: &tables) else { return nil }
    }
    return Definition(
      Subject(.characteristic, uuid), profile: profile, name: "By its presentation format", tables)
  }

  /// Adds the format's fields. Returns false if it cannot be decoded.
  private func add(_ name: String, isLast: Bool, to tables: inout Definition.Tables) -> Bool {
    var field = Field()
    field.name = tables.words.add([UInt8](name.utf8))
    field.label = tables.words.add([])
    let symbol = Self.symbol(of: unit)
    if !symbol.isEmpty { field.unit = tables.words.add(symbol) }
    switch format {
    // Numbers of less than a byte have a byte of their own.
    case 0x01...0x04: (field.kind, field.width) = (.unsigned, 1)
    case 0x05, 0x06: (field.kind, field.width) = (.unsigned, 2)
    case 0x07: (field.kind, field.width) = (.unsigned, 3)
    case 0x08: (field.kind, field.width) = (.unsigned, 4)
    case 0x09: (field.kind, field.width) = (.unsigned, 6)
    case 0x0a: (field.kind, field.width) = (.unsigned, 8)
    case 0x0c: (field.kind, field.width) = (.signed, 1)
    case 0x0e: (field.kind, field.width) = (.signed, 2)
    case 0x0f: (field.kind, field.width) = (.signed, 3)
    case 0x10: (field.kind, field.width) = (.signed, 4)
    case 0x11: (field.kind, field.width) = (.signed, 6)
    case 0x12: (field.kind, field.width) = (.signed, 8)
    case 0x14: (field.kind, field.width) = (.float, 4)
    case 0x15: (field.kind, field.width) = (.float, 8)
    case 0x16: (field.kind, field.width) = (.medfloat, 2)
    case 0x17: (field.kind, field.width) = (.medfloat, 4)
    case 0x18:
      // Two numbers of 16 bits.
      field.flags.insert(.repeated)
      (field.kind, field.width, field.least, field.most) = (.unsigned, 2, 2, 2)
      field.turns = Self.number(2, in: &tables)
    // Text has no length of its own.
    case 0x19 where isLast: field.kind = .utf8
    case 0x1a where isLast: field.kind = .utf16
    default: return false
    }
    if format == 0x01 {
      for (number, word) in ["false", "true"].enumerated() {
        let place = tables.words.add([UInt8](word.utf8))
        tables.codes.append(Code(low: number, high: number, word: place))
      }
      field.firstCode = tables.codes.count - 2
      field.codeCount = 2
      field.flags.insert(.isCode)
    } else if exponent != 0, field.kind == .unsigned || field.kind == .signed {
      guard abs(Int(exponent)) <= 30 else { return false }
      var scale = Scaling.Written()
      scale.decimal = Int(exponent)
      field.scaling = tables.scalings.count
      tables.scalings.append(scale)
    }
    field.end = tables.fields.count + 1
    tables.fields.append(field)
    return true
  }

  /// Returns a program that pushes a number.
  private static func number(_ number: Int, in tables: inout Definition.Tables) -> Int {
    tables.operations.append(Operation(.number, number))
    tables.programs.append(tables.operations.count)
    return tables.programs.count - 2
  }

  /// Returns the unit's symbol, or its name if it has none.
  private static func symbol(of unit: UInt16) -> [UInt8] {
    let uuid = BluetoothUUID(unit)
    if let symbol = uuid.unitSymbol {
      var output = Output()
      output.text(symbol)
      return output.bytes.array
    }
    return uuid.name?.bytes.array ?? []
  }
}
