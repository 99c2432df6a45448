import Bluetooth
package import Bytes
package import Captures
import Learning
package import Sessions

/// `profiles new`: a profile to fill in, with the values of a capture as examples.
package struct NewProfileReport: PacketReport, ~Copyable {
  private var collected: CollectedChannels
  private let name: String
  private let source: String
  /// The profile; empty: there was no value.
  package private(set) var profile: [UInt8] = []

  /// The number of examples of each characteristic.
  private static let examples = 8

  /// Creates a report on the selected values.
  ///
  /// - Parameters:
  ///   - name: the profile's name.
  ///   - source: where the values come from.
  package init(
    _ options: ValuesOptions, name: String, source: String, limits: Limits = Limits()
  ) {
    self.name = name
    self.source = source
    collected = CollectedChannels(
      options, takesStandard: !options.selection.uuids.isEmpty, limits: limits)
  }

  package var remark: String? { collected.remark }
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    collected.packet(packet, memory)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    collected.finish(memory)
    var text = """
      profile: \(name)
      title: \(GadgetProfile.quoted("Values of \(source)"))
      source: \(GadgetProfile.quoted(source))
      characteristics:

      """
    var written: Set<BluetoothUUID> = []
    let channels = collected.devices.flatMap(\.channels)
    for channel in channels {
      guard let uuid = channel.characteristic, written.insert(uuid).inserted,
        let words = Self.definition(uuid, channels.filter { $0.characteristic == uuid })
      else { continue }
      text += words
    }
    if text.utf8.last == 0x0a, !written.isEmpty, text.utf8.count > 0 { profile = Array(text.utf8) }
  }

  /// Returns the definition of a characteristic; nil if it has no values.
  private static func definition(
    _ uuid: BluetoothUUID, _ channels: [ChannelValues]
  ) -> String? {
    let values = channels.flatMap { channel in
      channel.sample.chosen().map { (channel.flow == .written, $0) }
    }
    guard !values.isEmpty else { return nil }
    let bytes = values.map(\.1.bytes)
    let sizes = (bytes.map(\.count).min() ?? 0)...(bytes.map(\.count).max() ?? 0)
    let different = Set(bytes).count
    let words = GadgetWords.uuid(uuid)
    var text = "  - uuid: \"\(words)\"\n"
    text += "    name: Unknown \(words.prefix(8))"
    text +=
      "  # \(GadgetWords.count(different, "different value")) of \(GadgetWords.range(sizes))\n"
    let command = LearntCommand(values: bytes)
    let isFixed = sizes.lowerBound == sizes.upperBound
    let fields = GadgetProfile.gapFields(command, 0, sizes.lowerBound, isHead: !isFixed)
    let rest = isFixed && !fields.isEmpty ? [] : ["name: payload, type: bytes, optional: true"]
    text += "    fields:\n"
    for field in fields {
      text += "      - {\(field.words)}\(field.comment.isEmpty ? "" : "  # \(field.comment)")\n"
    }
    for field in rest { text += "      - {\(field)}\n" }
    text += "    examples:\n"
    var known: Set<[UInt8]> = []
    for (isWritten, value) in values where known.count < examples {
      guard !value.bytes.isEmpty, known.insert(value.bytes).inserted else { continue }
      text += "      - {hex: \"\(GadgetWords.hex(value.bytes))\""
      text += "\(isWritten ? ", written: true" : ""), source: \"#\(value.packet)\"}\n"
    }
    return known.isEmpty ? nil : text
  }
}
