// L2CAP's basic header and the fixed channels.

package import Bluetooth
package import Bytes

/// The basic L2CAP header: length of the payload (2 bytes), channel identifier (2) (Core, Vol 3,
/// Part A, 3.1).
package struct L2CAPHeader: Sendable {
  /// The claimed length of the payload.
  package let length: UInt16
  /// The receiver's channel identifier.
  package let cid: ChannelID

  /// The header's size in bytes.
  package static let size = 4

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    length = try cursor.u16()
    cid = ChannelID(rawValue: try cursor.u16())
  }
}

/// A channel identifier (Core, Vol 3, Part A, 2.1).
@usableFromInline
package struct ChannelID: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt16
  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// L2CAP signalling on BR/EDR.
  package static let signalling = Self(rawValue: 0x0001)
  /// Connectionless data on BR/EDR.
  package static let connectionless = Self(rawValue: 0x0002)
  /// The unenhanced ATT bearer.
  package static let attribute = Self(rawValue: 0x0004)
  /// L2CAP signalling on LE.
  package static let leSignalling = Self(rawValue: 0x0005)
  /// The Security Manager on LE.
  package static let securityManager = Self(rawValue: 0x0006)
  /// The Security Manager on BR/EDR.
  package static let brEDRSecurityManager = Self(rawValue: 0x0007)

  /// Whether the channel is dynamically allocated through signalling (2.1); on LE, up to 0x007f.
  package var isDynamic: Bool { rawValue >= 0x0040 }

  /// Whether the channel carries SMP, whose PDUs may contain keys.
  package var carriesSecurityManager: Bool {
    self == .securityManager || self == .brEDRSecurityManager
  }

  /// The name of the channel's protocol; nil if the identifier does not determine it.
  package var name: AssignedName? {
    switch self {
    case .signalling, .leSignalling: "L2CAP signalling"
    case .connectionless: "L2CAP connectionless"
    case .attribute: "ATT"
    case .securityManager, .brEDRSecurityManager: "SMP"
    default: nil
    }
  }
}

extension Dissection {
  /// Dissects a complete L2CAP PDU that begins at `start` in `bytes`.
  ///
  /// - Parameter isTruncated: Whether the capture kept only the beginning of the PDU.
  package mutating func parsePDU(_ bytes: RawSpan, from start: Int, isTruncated: Bool) {
    var cursor = Cursor(bytes.dropping(start), base: start)
    do throws(ParseError) {
      let header = try L2CAPHeader(parsing: &cursor)
      l2cap = header
      let missing = max(0, Int(header.length) - cursor.remaining)
      body = cursor.takeUpTo(Int(header.length))
      if missing > 0, !isTruncated {
        problems.add(
          Problem(.lengthTooLarge, at: Int(body.start), Int(header.length), Int(body.count)))
      }
      if !cursor.isAtEnd {
        problems.add(Problem(.leftOver, at: cursor.offset, cursor.remaining))
      }
      switch header.cid {
      case .attribute: try parseATT(bytes, missing: missing)
      case .securityManager, .brEDRSecurityManager: try parseSMP(bytes, missing: missing)
      case .signalling, .leSignalling:
        checkSignalling(
          bytes, onLE: header.cid == .leSignalling, isCut: isTruncated || missing > 0)
      default: break
      }
    } catch {
      if !isTruncated { problems.add(Problem(error)) }
    }
  }

  /// Dissects the ATT PDU in `body` on a channel known to carry ATT.
  ///
  /// - Parameter missing: The number of its bytes that the capture did not keep.
  package mutating func parseChannelATT(_ bytes: RawSpan, missing: Int) {
    do throws(ParseError) {
      try parseATT(bytes, missing: missing)
    } catch {
      problems.add(Problem(error))
    }
  }

  /// Dissects the ATT PDU in `body`; for one that is too short, keeps opcode and bytes.
  ///
  /// - Parameter missing: The number of its bytes that are missing, in which case a PDU that is too
  ///   short is not the sender's fault.
  private mutating func parseATT(_ bytes: RawSpan, missing: Int) throws(ParseError) {
    var payload = Cursor(bytes, body)
    do throws(ParseError) {
      try readATT(&payload, missing: missing)
      if let opcode = att?.opcode, let problem = attFields.problem(opcode) {
        problems.add(problem)
      }
      if missing == 0, !payload.isAtEnd {
        problems.add(Problem(.leftOver, at: payload.offset, payload.remaining))
      }
    } catch {
      // A wrong length field has already been reported.
      if missing == 0 { throw error }
    }
  }
}
