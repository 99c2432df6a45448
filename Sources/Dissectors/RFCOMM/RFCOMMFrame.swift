// RFCOMM's frames (TS 07.10, 5.2; RFCOMM, 5 and 6.5).

package import Bluetooth
package import Bytes

/// A data link connection identifier: direction bit, then server channel (RFCOMM, 5.4).
package struct DLCI: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The channel of the multiplexer's own commands.
  package static let control = Self(rawValue: 0)

  /// The server channel; 0 for the control channel.
  package var serverChannel: UInt8 { rawValue >> 1 }
  /// Whether the server is on the device that opened the session.
  package var isServedByInitiator: Bool { rawValue & 1 == 1 }
}

/// One RFCOMM frame: address (1 byte: EA, C/R, DLCI in bits 2–7), control (1), length (1 byte, or 2
/// if bit 0 is clear), credits (1, in a UIH frame with the P/F bit), payload, FCS (1).
package struct RFCOMMFrame: Equatable, Sendable {
  /// The kind of a frame: the control field without the P/F bit.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Opens a channel.
    package static let sabm = Self(rawValue: 0x2f)
    /// Accepts SABM or DISC.
    package static let ua = Self(rawValue: 0x63)
    /// Refuses SABM, or reports that there is no such channel.
    package static let dm = Self(rawValue: 0x0f)
    /// Closes a channel.
    package static let disc = Self(rawValue: 0x43)
    /// Carries data or multiplexer commands.
    package static let uih = Self(rawValue: 0xef)
    /// Carries data whose frame check covers the payload; RFCOMM does not use it.
    package static let ui = Self(rawValue: 0x03)

    /// The specification's name; nil if it has none.
    package var name: AssignedName? { CodeSet.rfcommFrame.name(of: UInt64(rawValue)) }
    /// Whether the frame answers another one.
    package var isResponse: Bool { self == .ua || self == .dm }
  }

  /// The frame check sequence.
  package enum Check: Equatable, Sendable {
    case right(UInt8)
    /// The sequence in the frame, and the one that its bytes give.
    case wrong(UInt8, UInt8)
    /// The capture does not have it, or it covers bytes that are missing.
    case missing
  }

  private let address: UInt8
  private let control: UInt8
  /// The claimed length of the payload.
  package let length: UInt16
  /// The number of bytes of the length field.
  package let lengthSize: UInt8
  /// How many more frames the receiver of this one may send; nil if the frame has no such field.
  package let credits: UInt8?
  /// The payload, as far as it exists.
  package let payload: Slice
  package let check: Check

  /// The bit of the control field that requests a response, or is set in it.
  private static let pollFinal: UInt8 = 0x10

  package var dlci: DLCI { DLCI(rawValue: address >> 2) }
  /// The C/R bit.
  package var isCommandOrResponse: Bool { address & 2 != 0 }
  package var kind: Kind { Kind(rawValue: control & ~Self.pollFinal) }
  /// The P/F bit.
  package var isPollOrFinal: Bool { control & Self.pollFinal != 0 }
  /// Whether the sender opened the session: its commands have the C/R bit, and so have the
  /// responses to them (TS 07.10, 5.2.1.2; RFCOMM, 5.1.3).
  package var isFromInitiator: Bool { isCommandOrResponse != kind.isResponse }
  /// Whether it carries a value on a serial channel.
  package var carriesData: Bool { kind == .uih && dlci != .control }
  /// The offset of the address field in the packet's bytes.
  package var start: Int {
    Int(payload.start) - 2 - Int(lengthSize) - (credits == nil ? 0 : 1)
  }

  /// Reads a frame.
  ///
  /// - Parameters:
  ///   - missing: the number of bytes after the cursor's that the capture did not keep.
  ///   - problems: set to what is wrong with the frame.
  @_lifetime(cursor: copy cursor)
  init(
    parsing cursor: inout Cursor, missing: Int, _ bytes: RawSpan, problems: inout Problems
  ) throws(ParseError) {
    let start = cursor.offset
    address = try cursor.u8()
    control = try cursor.u8()
    let first = try cursor.u8()
    if first & 1 == 1 {
      (length, lengthSize) = (UInt16(first >> 1), 1)
    } else {
      (length, lengthSize) = (UInt16(first >> 1) | UInt16(try cursor.u8()) << 7, 2)
    }
    let covered = 2 + (control & ~Self.pollFinal == Kind.uih.rawValue ? 0 : Int(lengthSize))
    let hasCredits =
      control & ~Self.pollFinal == Kind.uih.rawValue && control & Self.pollFinal != 0
      && address >> 2 != 0
    credits = hasCredits ? try cursor.u8() : nil
    let offset = cursor.offset
    payload = cursor.takeUpTo(min(Int(length), max(0, cursor.remaining - (missing > 0 ? 0 : 1))))
    if payload.count < length, missing == 0 {
      problems.add(
        Problem(.lengthTooLarge, at: offset, Int(length), Int(payload.count)))
    }
    guard let found = try? cursor.u8() else {
      check = .missing
      // If all of the payload is there, the frame ends without its frame check sequence.
      if missing == 0 {
        problems.add(Problem(.tooShort, at: cursor.offset, 1, 0))
      }
      return
    }
    // UI frames, which RFCOMM does not use, are checked over their payload, too.
    let isUI = control & ~Self.pollFinal == Kind.ui.rawValue
    let expected = FrameCheckSequence.value(
      bytes, Slice(start: start, count: covered + (isUI ? Int(payload.count) : 0)))
    check = found == expected ? .right(found) : .wrong(found, expected)
    if found != expected {
      problems.add(
        Problem(.wrongFrameCheck, at: cursor.offset - 1, Int(found), Int(expected)))
    }
    if !cursor.isAtEnd, missing == 0 {
      problems.add(Problem(.leftOver, at: cursor.offset, cursor.remaining))
    }
  }
}

/// The frame check sequence of TS 07.10: the CRC with x⁸ + x² + x + 1, bits reflected, of the
/// address and control fields and, except for UIH frames, the length field (5.2.1.6; RFCOMM,
/// 5.1.4).
enum FrameCheckSequence {
  static func value(_ bytes: RawSpan, _ slice: Slice) -> UInt8 {
    var crc: UInt8 = 0xff
    for offset in Int(slice.start)..<slice.end {
      crc ^= bytes.byte(at: offset)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xe0 : crc >> 1 }
    }
    return ~crc
  }
}

extension Dissection {
  /// Dissects the RFCOMM frame in `body`, on a channel known to carry RFCOMM.
  ///
  /// - Parameter missing: the number of its bytes that the capture did not keep.
  package mutating func parseRFCOMM(_ bytes: RawSpan, missing: Int) {
    var cursor = Cursor(bytes, body)
    do throws(ParseError) {
      let frame = try RFCOMMFrame(
        parsing: &cursor, missing: missing, bytes, problems: &problems)
      rfcomm = frame
      if frame.kind.name == nil {
        problems.add(Problem(.unknownOpcode, at: Int(body.start) + 1, Int(frame.kind.rawValue)))
      }
      if frame.kind == .uih, frame.dlci == .control { checkCommands(frame, bytes, missing) }
    } catch {
      if missing == 0 { problems.add(Problem(error)) }
    }
  }

  /// Returns the frame if the payload can be a whole RFCOMM frame and nothing shows that it is
  /// not.
  package func looksLikeRFCOMM(_ bytes: RawSpan) -> RFCOMMFrame? {
    var cursor = Cursor(bytes, body)
    var found = Problems()
    guard body.count >= 4, bytes.byte(at: Int(body.start)) & 1 == 1,
      let frame = try? RFCOMMFrame(parsing: &cursor, missing: 0, bytes, problems: &found),
      found.isEmpty, frame.kind.name != nil
    else { return nil }
    return frame
  }

  /// Reads the multiplexer's commands in a frame and records their problems.
  private mutating func checkCommands(_ frame: RFCOMMFrame, _ bytes: RawSpan, _ missing: Int) {
    var commands = MultiplexerCommands(frame.payload)
    while let command = commands.next(bytes) {
      if command.values.count < command.length {
        if missing == 0 {
          problems.add(
            Problem(
              .lengthTooLarge, at: Int(command.values.start), Int(command.length),
              Int(command.values.count)))
        }
        return
      }
      guard let row = command.row else {
        problems.add(Problem(.unknownOpcode, at: command.start, Int(command.code)))
        continue
      }
      var fields = FieldWalk(bytes, command.values)
      var silent = SilentVisitor()
      do throws(ParseError) {
        try fields.walk(row.parameters, &silent)
        let rest = fields.rest()
        if !rest.isEmpty {
          problems.add(Problem(.leftOver, at: Int(rest.start), Int(rest.count)))
        }
      } catch {
        problems.add(Problem(error))
      }
    }
    if !commands.rest.isEmpty, missing == 0 {
      problems.add(
        Problem(.tooShort, at: commands.rest.end, 1, 0))
    }
  }
}
