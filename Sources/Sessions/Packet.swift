import Bytes
package import Captures
package import Dissectors

/// A packet of a capture, with everything that is known of it when it arrives. It is large, and is
/// therefore never copied or moved: the pass completes it, then reports borrow it.
package struct Packet: ~Copyable, ~Escapable {
  /// The record as captured.
  package internal(set) var record: CaptureRecord
  /// The bytes that the dissection's slices count from: the record's or the joined PDU's.
  package private(set) var bytes: RawSpan
  /// The decoded bytes.
  package internal(set) var dissection = Dissection()
  /// What other packets reveal about this one.
  package internal(set) var answer = Answer()
  /// The packets of the PDU, if it came in several (`answer.fragment.isJoined`).
  package internal(set) var fragments: [Int] = []

  /// Whether the capture cut it, or the PDU that it completes.
  package var isCut: Bool { record.isTruncated || answer.fragment.isTruncated }
  /// The packets of the PDU that it completes, if there are several.
  package var parts: ArraySlice<Int> { answer.fragment.isJoined ? fragments[...] : [] }

  @_lifetime(copy record)
  init(_ record: borrowing CaptureRecord) {
    self.record = copy record
    bytes = record.bytes
  }

  /// Makes the dissection's slices count from the bytes of a PDU.
  ///
  /// - Parameter pdu: the record's bytes, or joined ones that nobody changes before the next record.
  mutating func complete(_ pdu: RawSpan) {
    // The compiler cannot see that a packet does not outlive the joining of its record.
    bytes = unsafe _overrideLifetime(pdu, copying: bytes)
  }
}
