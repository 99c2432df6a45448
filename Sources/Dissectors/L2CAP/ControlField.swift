package import Bluetooth
import Bytes

/// The control field of a frame on a channel in any mode but basic (Core, Vol 3, Part A, 3.3.2).
///
/// Standard (retransmission and flow control modes), 2 bytes: bit 0 type; in an I-frame TxSeq in
/// 1–6, R in 7, ReqSeq in 8–13, SAR in 14–15; in an S-frame S in 2–3, R in 7, ReqSeq in 8–13.
/// Enhanced (enhanced retransmission and streaming modes), 2 bytes: the same with F instead of R,
/// and P of an S-frame in 4. Extended (if a window size option was agreed), 4 bytes: type in 0, F
/// in 1, ReqSeq in 2–15, SAR or S in 16–17, TxSeq in 18–31 or P in 18.
package struct ControlField: Sendable, Equatable {
  /// The layout of the field.
  package enum Layout: UInt8, Sendable {
    case standard, enhanced, extended

    /// The field's size in bytes.
    package var size: Int { self == .extended ? 4 : 2 }
  }

  package let bits: UInt32
  package let layout: Layout

  @_lifetime(cursor: copy cursor)
  init(_ layout: Layout, parsing cursor: inout Cursor) throws(ParseError) {
    self.layout = layout
    bits = layout == .extended ? try cursor.u32() : UInt32(try cursor.u16())
  }

  /// Whether the frame is an S-frame, which controls the flow and carries no data.
  package var isSupervisory: Bool { bits & 1 == 1 }
  /// The sequence number of an I-frame.
  package var txSeq: Int {
    Int(layout == .extended ? bits >> 18 & 0x3fff : bits >> 1 & 0x3f)
  }
  /// The number of the next expected frame.
  package var reqSeq: Int {
    Int(layout == .extended ? bits >> 2 & 0x3fff : bits >> 8 & 0x3f)
  }
  /// The part of its SDU in an I-frame: 0 all, 1 start, 2 end, 3 continuation.
  package var segmentation: UInt8 {
    UInt8(truncatingIfNeeded: layout == .extended ? bits >> 16 & 3 : bits >> 14 & 3)
  }
  /// The function of an S-frame: 0 receiver ready, 1 reject, 2 receiver not ready, 3 selective
  /// reject.
  package var function: UInt8 {
    UInt8(truncatingIfNeeded: layout == .extended ? bits >> 16 & 3 : bits >> 2 & 3)
  }
  /// Whether an S-frame requests a response.
  package var isPoll: Bool {
    switch layout {
    case .standard: false
    case .enhanced: isSupervisory && bits >> 4 & 1 == 1
    case .extended: isSupervisory && bits >> 18 & 1 == 1
    }
  }
  /// Whether the frame is that response.
  package var isFinal: Bool {
    switch layout {
    case .standard: false
    case .enhanced: bits >> 7 & 1 == 1
    case .extended: bits >> 1 & 1 == 1
    }
  }

  /// Returns the name of a segmentation code.
  package static func segmentationName(_ code: UInt8) -> AssignedName {
    switch code {
    case 0: "Unsegmented"
    case 1: "Start"
    case 2: "End"
    default: "Continuation"
    }
  }

  /// Returns the name of an S-frame's function.
  package static func functionName(_ code: UInt8) -> AssignedName {
    switch code {
    case 0: "Receiver Ready"
    case 1: "Reject"
    case 2: "Receiver Not Ready"
    default: "Selective Reject"
    }
  }
}

extension Dissection {
  /// Reads the control field at the start of `body`, which becomes the payload.
  package mutating func takeControl(_ layout: ControlField.Layout, _ bytes: RawSpan, isCut: Bool) {
    var cursor = Cursor(bytes, body)
    do throws(ParseError) {
      control = try ControlField(layout, parsing: &cursor)
      body = cursor.rest()
    } catch {
      if !isCut { problems.add(Problem(error)) }
    }
  }

  /// Reads the SDU length at the start of `body`, in a frame that begins an SDU; `body` becomes the
  /// first part of the SDU (Core, Vol 3, Part A, 3.4.3).
  package mutating func takeSDULength(_ bytes: RawSpan, isCut: Bool) {
    var cursor = Cursor(bytes, body)
    do throws(ParseError) {
      sduLength = try cursor.u16()
      body = cursor.rest()
    } catch {
      if !isCut { problems.add(Problem(error)) }
    }
  }

  /// Returns the ATT PDU if the payload can be an SDU in a single frame that contains a well-formed
  /// one: length (2 bytes), then the PDU.
  package func looksLikeATTFrame(
    _ bytes: RawSpan
  ) -> (opcode: ATTOpcode, fields: ATTFields)? {
    guard body.count >= 3, Int(bytes.littleEndianU16(at: Int(body.start))) == body.count - 2 else {
      return nil
    }
    var cursor = Cursor(bytes, Slice(start: Int(body.start) + 2, count: Int(body.count) - 2))
    var fields = ATTFields()
    do throws(ParseError) {
      let opcode = ATTOpcode(rawValue: try cursor.u8())
      try fields.read(opcode, parsing: &cursor)
      return cursor.isAtEnd && fields.problem(opcode) == nil ? (opcode, fields) : nil
    } catch {
      return nil
    }
  }
}
