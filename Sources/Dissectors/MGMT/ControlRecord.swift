// The records of the Linux kernel's management interface, as the monitor brings them (BlueZ,
// monitor/control.c and doc/mgmt-protocol.rst).

package import Bytes

/// A management command or event: cookie of the socket (4 bytes), code (2), parameters.
package struct ControlRecord: Sendable {
  /// Whether this is an event.
  package let isEvent: Bool
  /// Which socket.
  package let cookie: UInt32
  /// The opcode or event code.
  package let code: UInt16

  @_lifetime(cursor: copy cursor)
  init(event isEvent: Bool, parsing cursor: inout Cursor) throws(ParseError) {
    self.isEvent = isEvent
    cookie = try cursor.u32()
    code = try cursor.u16()
  }

  /// Command Complete
  package static let commandComplete: UInt16 = 0x0001
  /// Command Status
  package static let commandStatus: UInt16 = 0x0002
  /// Device Connected
  package static let deviceConnected: UInt16 = 0x000b
  /// Device Found
  package static let deviceFound: UInt16 = 0x0012

  /// Advertising Removed
  package static let advertisingRemoved: UInt16 = 0x0024

  /// Of a Command Complete or Command Status event: the command that it answers.
  package func answeredOpcode(_ bytes: RawSpan, _ body: Slice) -> UInt16? {
    guard isAnswer, body.count >= 2 else { return nil }
    return bytes.littleEndianU16(at: Int(body.start))
  }

  /// Whether this is the answer to a command.
  package var isAnswer: Bool {
    isEvent && (code == Self.commandComplete || code == Self.commandStatus)
  }

  /// The status that an event carries.
  package func status(_ bytes: RawSpan, _ body: Slice) -> UInt8? {
    guard isEvent else { return nil }
    let offset: Int
    switch code {
    // Behind the opcode.
    case Self.commandComplete, Self.commandStatus: offset = 2
    // Connect Failed, Authentication Failed, Connection Subrate: behind address and address type.
    case 0x0d, 0x11, 0x33: offset = 7
    default: return nil
    }
    return body.count > offset ? bytes.byte(at: Int(body.start) + offset) : nil
  }
}

extension Dissection {
  /// Finds the rows of a management record in `body` and checks it against them.
  mutating func takeControl(_ bytes: RawSpan, isTruncated: Bool) {
    guard case .control(let control) = content else { return }
    take(
      HCIParameters(control, bytes, body: body), bytes, status: control.status(bytes, body),
      isTruncated: isTruncated)
  }
}
