package import Bytes

// Parts of decoded values, for reports with a layout of their own.

/// A number with its unit.
package struct DecodedQuantity: Equatable, Sendable {
  /// The scaled number.
  package var value: Double
  /// The number of decimals in text.
  package var decimals: Int
  /// The indexes of the field's name and unit among the definition's words, or −1 if it has none.
  package var name: Int
  package var unit: Int
}

/// A field whose course over time can be drawn: a number, or a code that has a word.
package struct DecodedPoint: Sendable {
  /// The field's place in the definition.
  package var field: Int
  /// The scaled number, or the code itself.
  package var value: Double
  /// The number of decimals in text.
  package var decimals = 0
  /// The indexes of the field's name, its unit and the code's word among the definition's words. A
  /// field without a unit or a word has −1 there.
  package var name: Int
  package var unit = -1
  package var word = -1
}

extension DecodedWriter {
  /// Writes an entry's value with its unit, as text. Writes nothing for a group.
  package func entry(_ place: Int, _ value: RawSpan, into output: inout Output) {
    let entry = decoded.fields[place]
    guard entry.form != .group else { return }
    if isHidden(entry) {
      output.text("<hidden>")
      return
    }
    self.value(entry, value, into: &output)
    unit(place..<place + 1, into: &output)
  }
}

// Numbers are taken without a writer, which would copy what was decoded.
extension Decoded {
  /// Calls `take` with each field whose course can be drawn, except hidden ones.
  package func forEachPoint(showsKeys: Bool, _ take: (DecodedPoint) -> Void) {
    guard let definition else { return }
    for entry in fields where showsKeys || !definition.isSecret(entry) {
      if let quantity = definition.quantity(of: entry) {
        take(
          DecodedPoint(
            field: entry.field, value: quantity.value, decimals: quantity.decimals,
            name: quantity.name, unit: quantity.unit))
      } else if entry.word >= 0, entry.form == .integer, let field = definition.field(of: entry),
        field.flags.isDisjoint(with: [.flag, .quiet])
      {
        take(
          DecodedPoint(
            field: entry.field, value: Double(entry.raw), name: field.name, word: Int(entry.word)))
      }
    }
  }

  /// Returns the most important number: the first one with a unit, or the value's only field.
  package func quantity(showsKeys: Bool) -> DecodedQuantity? {
    guard let definition else { return nil }
    var other: DecodedQuantity?
    for entry in fields where showsKeys || !definition.isSecret(entry) {
      guard let quantity = definition.quantity(of: entry) else { continue }
      if quantity.unit >= 0 { return quantity }
      other = other ?? quantity
    }
    return definition.isAlone(nil) ? other : nil
  }
}

extension Definition {
  /// Returns the field of an entry; nil for a tail.
  func field(of entry: DecodedField) -> Field? {
    entry.field >= 0 && entry.field < tables.fields.count ? tables.fields[entry.field] : nil
  }

  /// Returns whether an entry's value is secret.
  func isSecret(_ entry: DecodedField) -> Bool {
    hasSecrets
      && (entry.form == .tail || field(of: entry)?.flags.contains(.secret) ?? false)
  }

  fileprivate func quantity(of entry: DecodedField) -> DecodedQuantity? {
    guard let field = field(of: entry), entry.word < 0, field.assigned < 0, field.tick == 0,
      field.flags.isDisjoint(with: [.flag, .hex, .quiet])
    else { return nil }
    let scaling = field.scaling >= 0 ? scalings[field.scaling] : nil
    var quantity = DecodedQuantity(value: 0, decimals: 0, name: field.name, unit: field.unit)
    switch entry.form {
    case .integer:
      switch scaling?.apply(Int128(entry.raw)) {
      case nil: quantity.value = Double(entry.raw)
      case .decimal(let number)?: quantity.value = number.double
      case .double(let number)?: quantity.value = number
      }
      quantity.decimals = scaling?.decimals ?? 0
    case .decimal:
      quantity.value = DecimalNumber(Int128(entry.raw), exponent: Int(entry.exponent)).double
      quantity.decimals = max(0, -Int(entry.exponent))
      if let scaling, case .decimal(let number) = scaling.apply(Int128(entry.raw)) {
        let scaled = DecimalNumber(
          number.mantissa, exponent: number.exponent + Int(entry.exponent))
        quantity.value = scaled.double
        quantity.decimals = max(0, -scaled.exponent)
      }
    case .double:
      quantity.value = Double(bitPattern: UInt64(UInt(bitPattern: entry.raw)))
      quantity.decimals = scaling?.decimals ?? 3
    default: return nil
    }
    guard quantity.value.isFinite, abs(quantity.value) < 1e15 else { return nil }
    quantity.decimals = min(quantity.decimals, 9)
    return quantity
  }
}
