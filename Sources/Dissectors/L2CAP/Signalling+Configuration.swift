// The configuration of BR/EDR channels: 0x04, 0x05 and their options. All fields are little-endian.

import Bluetooth
package import Bytes

extension Signalling {
  /// Configure Request: destination CID (2 bytes), flags (2; bit 0: more options follow in another
  /// request), options (Core, Vol 3, Part A, 4.4).
  package struct ConfigureRequest: Sendable {
    /// The channel endpoint on the device that receives the request.
    package let destinationCID: ChannelID
    /// Bit 0: more options follow.
    package let flags: UInt16
    package let options: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      destinationCID = ChannelID(rawValue: try cursor.u16())
      flags = try cursor.u16()
      options = cursor.rest()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number(
        "Destination_CID", destinationCID.rawValue, .handle, line: "destination CID", bytes,
        at: start)
      visitor.number("Flags", flags, .hex, line: flags == 0 ? nil : "flags", bytes, at: start + 2)
    }
  }

  /// Configure Response: source CID (2 bytes), flags (2), result (2), options (4.5).
  package struct ConfigureResponse: Sendable {
    /// The channel endpoint on the device that sent the request.
    package let sourceCID: ChannelID
    /// Bit 0: more options follow.
    package let flags: UInt16
    /// Whether the requested options are accepted.
    package let result: UInt16
    package let options: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      sourceCID = ChannelID(rawValue: try cursor.u16())
      flags = try cursor.u16()
      result = try cursor.u16()
      options = cursor.rest()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number(
        "Source_CID", sourceCID.rawValue, .handle, line: "source CID", bytes, at: start)
      visitor.number("Flags", flags, .hex, line: flags == 0 ? nil : "flags", bytes, at: start + 2)
      visitor.number("Result", result, .code(.l2capConfigureResult), bytes, at: start + 4)
    }
  }
}

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
  var size: Int? {
    switch type {
    case 1, 2, 7: 2
    case 3: 22
    case 4: 9
    case 5: 1
    case 6: 16
    default: nil
    }
  }

  /// Visits the fields of the value; a value of the wrong size is visited as bytes.
  package func walk<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ visitor: inout Visitor
  ) {
    let start = Int(value.start)
    guard size == Int(value.count) else {
      visitor.field("Value", line: "", .bytes(.unknown), bytes.part(value), at: value)
      return
    }
    let u8 = { (offset: Int, bytes: RawSpan) in bytes.byte(at: start + offset) }
    let u16 = { (offset: Int, bytes: RawSpan) in bytes.littleEndianU16(at: start + offset) }
    let u32 = { (offset: Int, bytes: RawSpan) in
      UInt32(u16(offset, bytes)) | UInt32(u16(offset + 2, bytes)) << 16
    }
    switch type {
    case Self.mtu:
      visitor.number("MTU", u16(0, bytes), line: "MTU", bytes, at: start)
    case 2:
      visitor.number(
        "Flush_Timeout", u16(0, bytes), .scaled(Scale(1, .milliseconds, absent: 0xffff)),
        line: "flush timeout", bytes, at: start)
    case 3:
      visitor.number("Flags", u8(0, bytes), .hex, bytes, at: start)
      visitor.number(
        "Service_Type", u8(1, bytes), .code(.serviceType), line: "QoS", bytes, at: start + 1)
      visitor.number("Token_Rate", u32(2, bytes), .plain, bytes, at: start + 2)
      visitor.number("Token_Bucket_Size", u32(6, bytes), .plain, bytes, at: start + 6)
      visitor.number("Peak_Bandwidth", u32(10, bytes), .plain, bytes, at: start + 10)
      visitor.number("Latency", u32(14, bytes), .scaled(.microseconds), bytes, at: start + 14)
      visitor.number(
        "Delay_Variation", u32(18, bytes), .scaled(.microseconds), bytes, at: start + 18)
    case Self.retransmission:
      visitor.number("Mode", u8(0, bytes), .code(.l2capMode), line: "", bytes, at: start)
      visitor.number("TxWindow_Size", u8(1, bytes), .plain, bytes, at: start + 1)
      visitor.number("MaxTransmit", u8(2, bytes), .plain, bytes, at: start + 2)
      visitor.number(
        "Retransmission_Timeout", u16(3, bytes), .scaled(.milliseconds), bytes, at: start + 3)
      visitor.number("Monitor_Timeout", u16(5, bytes), .scaled(.milliseconds), bytes, at: start + 5)
      visitor.number("MPS", u16(7, bytes), .plain, bytes, at: start + 7)
    case 5:
      visitor.number("FCS_Type", u8(0, bytes), .code(.l2capFCS), line: "", bytes, at: start)
    case 6:
      visitor.number("Identifier", u8(0, bytes), .hex, bytes, at: start)
      visitor.number(
        "Service_Type", u8(1, bytes), .code(.serviceType), line: "flow", bytes, at: start + 1)
      visitor.number("Maximum_SDU_Size", u16(2, bytes), .plain, bytes, at: start + 2)
      visitor.number(
        "SDU_Inter_Arrival_Time", u32(4, bytes), .scaled(.microseconds), bytes, at: start + 4)
      visitor.number("Access_Latency", u32(8, bytes), .scaled(.microseconds), bytes, at: start + 8)
      visitor.number("Flush_Timeout", u32(12, bytes), .scaled(.microseconds), bytes, at: start + 12)
    default:
      visitor.number("Max_Window_Size", u16(0, bytes), line: "window", bytes, at: start)
    }
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
