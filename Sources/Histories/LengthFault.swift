import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What is wrong with the length of a command, or of an answer to one.
package enum LengthFault: Equatable, Sendable {
  /// The packet has this many bytes more than its length field states.
  case beyondLength(Int)
  /// The packet has fewer parameter bytes than its length field states.
  case incomplete(claimed: Int, present: Int)
  /// The parameters have this many bytes more than the specification defines.
  case tooLong(Int)
  /// A parameter needs more bytes than are left.
  case tooShort(needed: Int, left: Int)
  /// Advertising or scan response data is longer than the field that holds it.
  case dataTooLong(Int)

  /// The size of the field for legacy advertising data (Core, Vol 4, Part E, 7.8.7 and 7.8.8).
  package static let advertisingField = 31

  /// Finds the fault of a command; nil if it has none.
  init?(_ command: HCICommand, _ packet: borrowing Packet) {
    let body = packet.dissection.body
    guard !packet.record.isTruncated else { return nil }
    let rest = packet.bytes.byteCount - body.end
    let isLegacyData =
      command.opcode == HCICommand.leSetAdvertisingData
      || command.opcode == HCICommand.leSetScanResponseData
    if rest > 0 {
      self = .beyondLength(rest)
    } else if Int(command.length) > Int(body.count) {
      self = .incomplete(claimed: Int(command.length), present: Int(body.count))
    } else if isLegacyData, !body.isEmpty,
      packet.bytes.byte(at: Int(body.start)) > Self.advertisingField
    {
      self = .dataTooLong(Int(packet.bytes.byte(at: Int(body.start))))
    } else {
      guard let problem = packet.dissection.parameters?.problem(packet.bytes, status: nil) else {
        return nil
      }
      self.init(problem)
    }
  }

  /// Finds the fault of an answer that reports success; nil if it has none.
  init?(answer packet: borrowing Packet) {
    guard !packet.record.isTruncated,
      let problem = packet.dissection.parameters?.problem(packet.bytes, status: 0)
    else {
      return nil
    }
    self.init(problem)
  }

  private init?(_ problem: Problem) {
    switch problem.code {
    case .leftOver: self = .tooLong(Int(problem.first))
    case .tooShort: self = .tooShort(needed: Int(problem.first), left: Int(problem.second))
    default: return nil
    }
  }
}
