// The options in the commands that configure BR/EDR channels.

import Bluetooth
package import Bytes

/// A configuration option: type (1 byte; bit 7: a hint, which may be ignored), length of the value
/// (1), value (Core, Vol 3, Part A, 5).
package struct ConfigurationOption: Sendable {
  /// The type without the hint bit.
  package let type: UInt8
  /// Whether a device that does not support the option may ignore it.
  package let isHint: Bool
  package let value: Slice

  /// Maximum Transmission Unit: MTU (2 bytes) (5.1).
  package static let mtu: UInt8 = 1
  /// Retransmission and Flow Control: mode (1 byte), TxWindow size (1), MaxTransmit (1),
  /// retransmission time-out (2, ms), monitor time-out (2, ms), MPS (2) (5.4).
  package static let retransmission: UInt8 = 4
  /// Extended Window Size: maximum window size (2 bytes) (5.7).
  package static let extendedWindow: UInt8 = 7

  /// The size of the value; nil for a type that the specification does not define.
  package var size: Int? { SignallingRow.option(type)?.element.size }

  /// Visits the fields of the value; a value of the wrong size is visited as bytes.
  package func walk<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ visitor: inout Visitor
  ) {
    guard let row = SignallingRow.option(type)?.element, row.size == Int(value.count) else {
      visitor.field("Value", line: "", .bytes(.unknown), bytes.part(value), at: value)
      return
    }
    let fields = row.fields.span
    for index in fields.indices { fields[index].visit(bytes, Int(value.start), &visitor) }
  }
}

/// A reader of the options in a configuration command.
package struct ConfigurationOptions: Sendable {
  private let end: Int
  private var offset: Int

  /// Reads the options in the part `list` of a packet's bytes.
  package init(_ list: Slice) {
    offset = Int(list.start)
    end = list.end
  }

  /// Returns the next option; nil at the end, or if the rest is not a whole option.
  package mutating func next(_ bytes: RawSpan) -> ConfigurationOption? {
    var cursor = Cursor(bytes, rest)
    guard let type = try? cursor.u8(), let length = try? cursor.u8(),
      let value = try? cursor.take(Int(length))
    else { return nil }
    offset = value.end
    return ConfigurationOption(type: type & 0x7f, isHint: type & 0x80 != 0, value: value)
  }

  /// The bytes not yet read.
  package var rest: Slice { Slice(start: offset, count: end - offset) }

  /// Returns the problem with a list of options: one that extends past the end, or whose length
  /// does not match its type.
  static func problem(_ list: Slice, _ bytes: RawSpan) -> Problem? {
    var options = Self(list)
    while let option = options.next(bytes) {
      if let size = option.size, size != Int(option.value.count) {
        return Problem(
          .invalidElementLength, at: Int(option.value.start) - 1, Int(option.value.count))
      }
    }
    let rest = options.rest
    if rest.isEmpty { return nil }
    if rest.count == 1 { return Problem(.tooShort, at: Int(rest.start) + 1, 1, 0) }
    let claimed = bytes.byte(at: Int(rest.start) + 1)
    return Problem(.lengthTooLarge, at: Int(rest.start) + 2, Int(claimed), Int(rest.count) - 2)
  }
}
