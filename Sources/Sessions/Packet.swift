package import Bytes
package import Captures
package import Dissectors

/// A packet of a capture, with everything that is known of it when it arrives. It is large, and is
/// therefore never copied or moved: the pass completes it, then reports borrow it.
package struct Packet: ~Copyable, ~Escapable {
  /// The record as captured; if its format does not state the direction, with the inferred one.
  package internal(set) var record: CaptureRecord
  /// The bytes that the dissection's slices count from: the record's or the joined PDU's.
  package private(set) var bytes: RawSpan
  /// The decoded bytes.
  package internal(set) var dissection = Dissection()
  /// What other packets reveal about this one.
  package internal(set) var answer = Answer()
  /// The packets of the latest PDU that came in several: this one, or an earlier one.
  var fragments: [Int] = []

  /// Whether the capture cut it, or the PDU that it completes.
  package var isCut: Bool { record.isTruncated || answer.fragment.isTruncated }
  /// The packets of the PDU that it completes, if there are several (`answer.fragment.isJoined`).
  package var parts: ArraySlice<Int> { answer.fragment.isJoined ? fragments[...] : [] }

  /// The value that the packet completes on a serial channel: the payload of an RFCOMM frame, or
  /// an SDU. Nil if the packet completes no value.
  package var serialValue: (slice: Slice, on: SerialFact)? {
    guard let channel = answer.channel, let serial = channel.serialChannel else { return nil }
    if let frame = dissection.rfcomm {
      return frame.carriesData && !frame.payload.isEmpty ? (frame.payload, serial) : nil
    }
    return channel.completesSDU ? (dissection.body, serial) : nil
  }

  /// The value that the packet carries or completes, unless it carries several.
  package var soleValue: Slice? { dissection.attFields.value ?? serialValue?.slice }

  @_lifetime(copy record)
  init(_ record: borrowing CaptureRecord) {
    self.record = copy record
    bytes = record.bytes
  }

  /// Sets the bytes to those of the PDU that the packet completes.
  ///
  /// - Parameter pdu: the record's bytes, or joined ones, which nobody changes before the next
  ///   record.
  mutating func complete(_ pdu: RawSpan) {
    // Joined bytes stay as they are until the next record, and the packet ends before that; the
    // compiler cannot see this.
    bytes = unsafe _overrideLifetime(pdu, copying: bytes)
  }
}
