// L2CAP's basic header and the channels that have fixed identifiers.

package import Bytes

/// The basic L2CAP header: length of the payload (2 bytes), channel identifier (2) (Core, Vol 3,
/// Part A, 3.1).
package struct L2CAPHeader: Sendable {
  /// The length of the payload, as claimed.
  package let length: UInt16
  /// The channel identifier; the receiver's.
  package let cid: ChannelID

  /// The header's size.
  package static let size = 4

  /// Reads the header.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    length = try cursor.u16()
    cid = ChannelID(rawValue: try cursor.u16())
  }
}

/// A channel identifier (Core, Vol 3, Part A, 2.1).
package struct ChannelID: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number.
  package var rawValue: UInt16
  /// A channel from its number.
  package init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The same where a `switch` compares.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

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

  /// Whether the channel is opened and closed by signalling (2.1): on LE up to 0x007f.
  package var isDynamic: Bool { rawValue >= 0x0040 }

  /// Whether the channel carries SMP, whose PDUs may hold keys.
  package var carriesSecurityManager: Bool {
    self == .securityManager || self == .brEDRSecurityManager
  }

  /// What the channel is for, in words; nil for a channel whose number does not say it.
  package var name: StaticString? {
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
  /// Dissects a complete L2CAP PDU, which begins at `start` of `bytes`.
  ///
  /// - Parameter isTruncated: the capture kept only the beginning of the PDU.
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

  /// Dissects the ATT PDU in `body` of a channel that is known to carry ATT.
  ///
  /// - Parameter missing: how many bytes of it the capture did not keep.
  package mutating func parseChannelATT(_ bytes: RawSpan, missing: Int) {
    do throws(ParseError) {
      try parseATT(bytes, missing: missing)
    } catch {
      problems.add(Problem(error))
    }
  }

  /// Dissects the ATT PDU in `body`; of one that is too short, opcode and bytes stay.
  ///
  /// - Parameter missing: how many bytes of it are not there: then what does not fit is no fault of
  ///   the sender's.
  private mutating func parseATT(_ bytes: RawSpan, missing: Int) throws(ParseError) {
    var payload = Cursor(bytes, body)
    do throws(ParseError) {
      let pdu = try ATTPDU(parsing: &payload, missing: missing)
      take(pdu)
      if let problem = pdu.problem { problems.add(problem) }
      if missing == 0, !payload.isAtEnd {
        problems.add(Problem(.leftOver, at: payload.offset, payload.remaining))
      }
    } catch {
      var again = Cursor(bytes, body)
      if let pdu = ATT.Incomplete(parsing: &again) { take(.incomplete(pdu)) }
      // The length field that lied has been reported.
      if missing == 0 { throw error }
    }
  }
}
