import Bluetooth
import Bytes
import Decoders
import Dissectors
import Sessions

/// The words for the decoded value.
extension ValueReading {
  mutating func say(_ value: RawSpan) {
    latest = nil
    line.clear()
    guard let writer = DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys) else { return }
    textEnd = writer.line(value, into: &line)
    // An empty value that its definition does not allow counts as not decoded.
    hasMeaning = line.count > 0 && (value.byteCount > 0 || decoded.problems.isEmpty)
  }

  mutating func sayPart(_ sighting: VendorSighting) {
    latest = nil
    line.clear()
    sighting.sayPart(into: &line)
    textEnd = line.count
    hasMeaning = true
  }

  /// The name of the protocol that the value belongs to.
  package var vendorName: String? { sighting?.vendor.profile }

  /// Returns the results of vendor requests, after the last packet.
  mutating func finish() -> [VendorTally] {
    messages.finish()
    return messages.tallies
  }

  /// The most important number of the last decoded value.
  var quantity: DecodedQuantity? {
    guard hasMeaning, sighting == nil || sighting?.frame != nil, !decoded.isDoubtful,
      let quantity = DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)?.quantity
    else { return nil }
    // Numbers of several messages without a unit have nothing in common.
    return sighting != nil && quantity.unit < 0 ? nil : quantity
  }

  /// Whether the last decoded value does not have the expected layout, so that its number is not
  /// counted.
  var isDoubtful: Bool {
    hasMeaning && (sighting == nil || sighting?.frame != nil) && decoded.isDoubtful
  }

  /// Returns the unit of such a number.
  func unit(of number: DecodedQuantity) -> [UInt8] {
    guard let definition = decoded.definition, number.unit >= 0 else { return [] }
    let words = definition.words
    return words.bytes(number.unit).array
  }

  /// Appends the words.
  func writeText(into output: inout Output) {
    line.copy(into: &output)
    writeExchange(into: &output)
  }
}

extension ATTOpcode {
  /// How the value of such a PDU is transferred, or nil if it has none, or only a part of one.
  var way: ValueReading.Way? {
    switch self {
    case .writeRequest, .writeCommand, .signedWriteCommand: .written
    case .handleValueNotification, .handleValueIndication: .notified
    case .readResponse: .read
    default: nil
    }
  }
}
