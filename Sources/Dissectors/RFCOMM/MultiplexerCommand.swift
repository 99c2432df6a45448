// The commands of RFCOMM's multiplexer, which UIH frames on the control channel carry (TS 07.10,
// 5.4.6.3; RFCOMM, 4.3).

import Bluetooth
package import Bytes

/// One command or response: type (1 byte: EA, C/R, type in bits 2–7), length (1 or more bytes of 7
/// bits, the least significant first; bit 0 is set in the last), values.
package struct MultiplexerCommand: Sendable {
  /// The offset of the type.
  package let start: Int
  private let type: UInt8
  /// The claimed length of the values.
  package let length: UInt16
  /// The values, as far as they exist.
  package let values: Slice

  /// The type without EA and C/R.
  package var code: UInt8 { type >> 2 }
  /// Whether it is a command rather than the response to one.
  package var isCommand: Bool { type & 2 != 0 }
  /// The row that describes the values; nil if the type has none.
  package var row: RowID? { MultiplexerTable.row(code) }

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    start = cursor.offset
    type = try cursor.u8()
    var length = 0
    var shift = 0
    var next: UInt8
    repeat {
      next = try cursor.u8()
      if shift < 14 { length |= Int(next >> 1) << shift }
      shift += 7
    } while next & 1 == 0
    self.length = UInt16(length)
    values = cursor.takeUpTo(length)
  }
}

/// A reader of the commands in a frame.
package struct MultiplexerCommands: Sendable {
  private let end: Int
  private var offset: Int

  /// Reads the commands in the part `payload` of a packet's bytes.
  package init(_ payload: Slice) {
    offset = Int(payload.start)
    end = payload.end
  }

  /// Returns the next command; nil at the end, or if not even type and length are left.
  package mutating func next(_ bytes: RawSpan) -> MultiplexerCommand? {
    var cursor = Cursor(bytes, rest)
    guard let command = try? MultiplexerCommand(parsing: &cursor) else { return nil }
    offset = command.values.end
    return command
  }

  /// The bytes not yet read.
  package var rest: Slice { Slice(start: offset, count: end - offset) }
}
