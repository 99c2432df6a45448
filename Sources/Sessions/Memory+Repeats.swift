import Bluetooth
import Bytes
import Captures
import Dissectors

/// Records that an earlier file already contains.
extension Memory {
  /// Processes a record that was already processed, and learns nothing from it: its connection may
  /// have ended since, and its command may have been answered. What is known beyond its bytes is
  /// shown with the first one. A data PDU is only parsed if it lies whole in the record, on a
  /// channel that is the same on all links.
  mutating func observeAgain(
    _ record: borrowing CaptureRecord, _ dissection: inout Dissection, _ answer: inout Answer
  ) {
    if advertisements.hasNews { advertisements.clear() }
    if !signals.notes.isEmpty { signals.clear() }
    if !doubt.isEmpty { doubt.clear() }
    if !longValues.isEmpty { longValues.clear() }
    let bytes = record.bytes
    let body = dissection.body
    switch dissection.content {
    case .event(let event):
      guard let subevent = event.subevent(bytes, body),
        AdvertisingReport.kind(ofSubevent: subevent) != nil
      else { return }
      advertisements.observeAgain(bytes, body: body)
    case .acl(let header):
      let start = Int(body.start)
      // Only the link of the first record shows which values are keys.
      guard header.boundary != .continuation, !attributes.hasKeyMaterial,
        body.count >= L2CAPHeader.size,
        Int(bytes.littleEndianU16(at: start)) + L2CAPHeader.size == Int(body.count),
        !ChannelID(rawValue: bytes.littleEndianU16(at: start + 2)).isDynamic
      else { return }
      answer.fragment.start = start
      let pdu = bytes.part(Slice(start: 0, count: body.end))
      dissection.parsePDU(pdu, from: start, isTruncated: false)
    default: break
    }
  }
}
