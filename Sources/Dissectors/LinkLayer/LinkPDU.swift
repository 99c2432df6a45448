package import Bytes

/// The header of a data PDU: byte 0: LLID (bits 0–1), NESN (2), SN (3), MD (4), CP (5); byte 1:
/// length of payload and MIC (Core, Vol 6, Part B, 2.4).
package struct LinkPDU: Sendable {
  /// The first byte of the header.
  package let flags: UInt8
  package let length: UInt8
  /// The CTEInfo byte, if the PDU has one.
  package let cteInfo: UInt8?
  /// The payload, in the packet's bytes; with the MIC, if the PDU is encrypted.
  package var payload: Slice

  package init(flags: UInt8, length: UInt8, cteInfo: UInt8?, payload: Slice) {
    self.flags = flags
    self.length = length
    self.cteInfo = cteInfo
    self.payload = payload
  }

  /// Returns the PDU with its payload elsewhere, without the MIC.
  package func with(payload: Slice) -> LinkPDU {
    LinkPDU(
      flags: flags, length: UInt8(clamping: payload.count), cteInfo: cteInfo, payload: payload)
  }

  /// 1 continuation or empty, 2 start, 3 control, 0 reserved.
  package var llid: UInt8 { flags & 3 }
  package var nextExpectedSequenceNumber: UInt8 { flags >> 2 & 1 }
  package var sequenceNumber: UInt8 { flags >> 3 & 1 }
  package var hasMoreData: Bool { flags & 0x10 != 0 }
  package var isControl: Bool { llid == 3 }
  package var isEmpty: Bool { length == 0 }
}
