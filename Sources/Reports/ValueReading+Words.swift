import Bluetooth
import Bytes
import Decoders
import Dissectors
import Sessions

/// What was read, in words.
extension ValueReading {
  mutating func say(_ value: RawSpan) {
    line.clear()
    guard let writer = DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys) else { return }
    textEnd = writer.line(value, into: &line)
    // A value without bytes that its definition does not allow is no more decoded than one without any.
    hasMeaning = line.count > 0 && (value.byteCount > 0 || decoded.problems.isEmpty)
  }

  mutating func sayPart(_ sighting: VendorSighting) {
    line.clear()
    sighting.sayPart(into: &line)
    textEnd = line.count
    hasMeaning = true
  }

  /// The name of the protocol that the value belongs to.
  var vendorName: String? { sighting?.vendor.profile }

  /// The requests of vendors' protocols that were followed, now that no more will come.
  mutating func finish() -> [VendorTally] {
    messages.finish()
    return messages.tallies
  }

  /// The number that matters most of the value that was read last.
  var quantity: DecodedQuantity? {
    guard hasMeaning, sighting == nil || sighting?.frame != nil, !decoded.isDoubtful,
      let quantity = DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)?.quantity
    else { return nil }
    // The numbers of several messages without a unit have nothing in common.
    return sighting != nil && quantity.unit < 0 ? nil : quantity
  }

  /// Whether the value that was read last is not laid out as it should be: its number is not counted.
  var isDoubtful: Bool {
    hasMeaning && (sighting == nil || sighting?.frame != nil) && decoded.isDoubtful
  }

  /// The unit of such a number.
  func unit(of number: DecodedQuantity) -> [UInt8] {
    guard let definition = decoded.definition, number.unit >= 0 else { return [] }
    let words = definition.words
    return words.bytes(number.unit).array
  }

  /// Writes the words for people.
  func writeText(into output: inout Output) {
    line.copy(into: &output)
    writeExchange(into: &output)
  }
}

extension ATTOpcode {
  /// How the value of such a PDU crosses; nil where it has none, or a part of one.
  var way: ValueReading.Way? {
    switch self {
    case .writeRequest, .writeCommand, .signedWriteCommand: .written
    case .handleValueNotification, .handleValueIndication: .notified
    case .readResponse: .read
    default: nil
    }
  }
}
