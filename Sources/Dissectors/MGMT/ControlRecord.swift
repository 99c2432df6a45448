// The records of the Linux kernel's management interface, as delivered by the monitor (BlueZ,
// monitor/control.c and doc/mgmt-protocol.rst).

package import Bytes

/// A management command or event: socket cookie (4 bytes), code (2), parameters.
package struct ControlRecord: Sendable {
  package let isEvent: Bool
  /// Identifies the socket.
  package let cookie: UInt32
  /// The opcode or event code.
  package let code: UInt16

  @_lifetime(cursor: copy cursor)
  init(event isEvent: Bool, parsing cursor: inout Cursor) throws(ParseError) {
    self.isEvent = isEvent
    cookie = try cursor.u32()
    code = try cursor.u16()
  }

  /// Returns the command to which a Command Complete or Command Status event responds.
  package func answeredOpcode(_ bytes: RawSpan, _ body: Slice) -> UInt16? {
    guard isAnswer, body.count >= 2 else { return nil }
    return bytes.littleEndianU16(at: Int(body.start))
  }

  /// Whether this is the response to a command.
  package var isAnswer: Bool {
    isEvent && (code == ManagementEvent.commandComplete || code == ManagementEvent.commandStatus)
  }

  /// Returns the status in an event, if it has one.
  package func status(_ bytes: RawSpan, _ body: Slice) -> UInt8? {
    guard isEvent else { return nil }
    let offset: Int
    switch code {
    // After the opcode.
    case ManagementEvent.commandComplete, ManagementEvent.commandStatus: offset = 2
    // After address and address type.
    case ManagementEvent.connectFailed, ManagementEvent.authenticationFailed,
      ManagementEvent.connectionSubrate:
      offset = 7
    default: return nil
    }
    return body.count > offset ? bytes.byte(at: Int(body.start) + offset) : nil
  }
}

extension Dissection {
  /// Finds the rows of the management record in `body` and checks it against them.
  mutating func takeControl(_ bytes: RawSpan, isTruncated: Bool) {
    guard case .control(let control) = content else { return }
    store(
      PacketParameters(control, bytes, body: body), bytes, status: control.status(bytes, body),
      isTruncated: isTruncated)
  }
}
