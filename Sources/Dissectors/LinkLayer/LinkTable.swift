import Bluetooth
import Bytes

/// The rows of the Link Layer, prepared for lookups. Made when the first packet from the air needs
/// one.
package enum LinkTable {
  /// What the procedures say about a control PDU.
  struct Facts: Sendable {
    let sender: LinkOpcode.Sender
    let traits: LinkOpcode.Traits
    let answers: LinkOpcode.Set
    /// The length of the payload; 0 if it varies.
    let size: UInt8
  }

  private static let rows = linkControlRows0 + linkControlRows1
  private static let controlRows = Immortal<RowEntry>(rows.map { RowEntry($0.row) })
  private static let controlFacts = Immortal<Facts>(
    rows.map { row in
      let size = ParameterLayout(row.row.parameters).size.map { UInt8($0 + 1) }
      return Facts(
        sender: row.sender, traits: row.traits, answers: LinkOpcode.Set(row.answers),
        size: size ?? 0)
    })
  private static let broadcastRows = Immortal<RowEntry>(
    broadcastControlRows.map { RowEntry($0) })
  private static let pduRows = Immortal<RowEntry>(advertisingRows.map { RowEntry($0) })

  private static func id(_ rows: Immortal<RowEntry>, _ code: UInt8) -> RowID? {
    let code = Int(code)
    return code < rows.span.count ? RowID(entry: rows[code]) : nil
  }

  /// Returns the row of a connection's control PDU; its parameters begin after the opcode.
  package static func control(_ opcode: UInt8) -> RowID? { id(controlRows, opcode) }

  /// Returns the row of a control PDU of broadcast streams.
  package static func broadcastControl(_ opcode: UInt8) -> RowID? { id(broadcastRows, opcode) }

  /// Returns the row of a PDU on an advertising channel by its type; its parameters begin with the
  /// header.
  package static func advertising(_ type: UInt8) -> RowID? { id(pduRows, type) }

  static func facts(_ opcode: UInt8) -> Facts? {
    let facts = controlFacts.span
    return Int(opcode) < facts.count ? facts[Int(opcode)] : nil
  }

  static func candidates(length: Int, from sender: LinkRole?) -> LinkOpcode.Set {
    var found: UInt64 = 0
    let facts = controlFacts.span
    for opcode in facts.indices
    where Int(facts[opcode].size) == length
      && !facts[opcode].traits.contains(.neverEncrypted)
      && sender.map({ facts[opcode].sender.allows($0) }) ?? true
    {
      found |= 1 << UInt64(opcode)
    }
    return LinkOpcode.Set(rawValue: found)
  }
}
