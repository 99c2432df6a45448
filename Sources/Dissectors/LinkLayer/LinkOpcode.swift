package import Bluetooth
import Bytes

/// The opcode of a Link Layer control PDU (Core, Vol 6, Part B, 2.4.2).
package struct LinkOpcode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let connectionUpdate = Self(rawValue: 0x00)
  package static let channelMap = Self(rawValue: 0x01)
  package static let terminate = Self(rawValue: 0x02)
  package static let encryptionRequest = Self(rawValue: 0x03)
  package static let encryptionResponse = Self(rawValue: 0x04)
  package static let startEncryptionRequest = Self(rawValue: 0x05)
  package static let startEncryptionResponse = Self(rawValue: 0x06)
  package static let unknownResponse = Self(rawValue: 0x07)
  package static let featureRequest = Self(rawValue: 0x08)
  package static let featureResponse = Self(rawValue: 0x09)
  package static let pauseEncryptionRequest = Self(rawValue: 0x0a)
  package static let pauseEncryptionResponse = Self(rawValue: 0x0b)
  package static let version = Self(rawValue: 0x0c)
  package static let reject = Self(rawValue: 0x0d)
  package static let peripheralFeatureRequest = Self(rawValue: 0x0e)
  package static let parameterRequest = Self(rawValue: 0x0f)
  package static let parameterResponse = Self(rawValue: 0x10)
  package static let rejectExtended = Self(rawValue: 0x11)
  package static let lengthRequest = Self(rawValue: 0x14)
  package static let lengthResponse = Self(rawValue: 0x15)
  package static let phyRequest = Self(rawValue: 0x16)
  package static let phyResponse = Self(rawValue: 0x17)
  package static let phyUpdate = Self(rawValue: 0x18)
  package static let cisRequest = Self(rawValue: 0x1f)
  package static let cisResponse = Self(rawValue: 0x20)
  package static let cisIndication = Self(rawValue: 0x21)
  package static let cisTerminate = Self(rawValue: 0x22)
  package static let subrateIndication = Self(rawValue: 0x27)
  package static let connectionRate = Self(rawValue: 0x3f)

  /// Which side may send a PDU.
  package enum Sender: UInt8, Sendable {
    case either, central, peripheral

    /// Returns whether a device with this role may send it.
    package func allows(_ role: LinkRole) -> Bool {
      switch self {
      case .either: true
      case .central: role == .central
      case .peripheral: role == .peripheral
      }
    }

    /// The only role that may send it.
    package var role: LinkRole? {
      switch self {
      case .either: nil
      case .central: .central
      case .peripheral: .peripheral
      }
    }
  }

  package struct Traits: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What the PDU changes takes effect in a connection event that it states.
    package static let instant = Self(rawValue: 1 << 0)
    /// The PDU is never encrypted.
    package static let neverEncrypted = Self(rawValue: 1 << 1)
  }

  /// Opcodes, as bits by their numbers. All that the specification defines are below 64.
  package struct Set: OptionSet, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ opcodes: [UInt8]) {
      rawValue = opcodes.reduce(0) { $0 | 1 << UInt64($1 & 63) }
    }

    /// Returns whether the opcode is in the set.
    package func has(_ opcode: LinkOpcode) -> Bool {
      opcode.rawValue < 64 && rawValue >> UInt64(opcode.rawValue) & 1 == 1
    }

    /// The only opcode, if there is just one.
    package var only: LinkOpcode? {
      guard rawValue.nonzeroBitCount == 1 else { return nil }
      return LinkOpcode(rawValue: UInt8(rawValue.trailingZeroBitCount))
    }
  }

  /// The specification's name, or nil if it does not define the opcode.
  package var name: AssignedName? { row?.name }

  /// The table row; nil if the specification does not define the opcode.
  package var row: RowID? { LinkTable.control(rawValue) }

  private var facts: LinkTable.Facts? { LinkTable.facts(rawValue) }

  /// Which side may send it.
  package var sender: Sender { facts?.sender ?? .either }

  package var hasInstant: Bool { facts?.traits.contains(.instant) ?? false }

  package var isNeverEncrypted: Bool { facts?.traits.contains(.neverEncrypted) ?? false }

  /// The opcodes of the PDUs that may answer this one; empty if no PDU answers it. A peer that
  /// does not know or does not grant a request answers with LL_UNKNOWN_RSP, LL_REJECT_EXT_IND or
  /// LL_REJECT_IND, which name the request or belong to the only one.
  package var answers: Set { facts?.answers ?? [] }

  /// Returns the opcodes that an encrypted control PDU can have by its length.
  ///
  /// - Parameters:
  ///   - length: the length of the payload without the MIC.
  ///   - sender: the role of its sender; nil: unknown.
  package static func candidates(length: Int, from sender: LinkRole?) -> Set {
    LinkTable.candidates(length: length, from: sender)
  }
}
