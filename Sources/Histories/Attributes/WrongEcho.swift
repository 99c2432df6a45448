package import Bluetooth
import Bytes
import Dissectors
import Sessions

/// A part of a prepared write that the server did not repeat as it was (Core, Vol 3, Part F,
/// 3.4.6.1).
package struct WrongEcho: Sendable {
  package let server: Side
  package let handle: UInt16
  /// The number of bytes that were written, and of those in the response.
  package let written: Int
  package let echoed: Int
  package let request: Moment
  package let answer: Moment
  package internal(set) var count = 1
}

extension RawSpan {
  /// Returns whether a byte of this echo is not the one that was written. A zero may stand for a
  /// byte that redaction removed.
  fileprivate func differs(from written: [UInt8], at place: Int) -> Bool {
    place < byteCount && byte(at: place) != written[place] && byte(at: place) != 0
  }
}

extension AttributeHistory {
  /// Compares a part of a prepared write with the response, which must repeat it.
  mutating func checkEcho(_ request: OpenRequest, _ packet: borrowing Packet, _ context: Context) {
    let fields = packet.dissection.attFields
    guard context.isWhole, let handle = request.handle, let value = fields.value else { return }
    let start = request.head
    let head = packet.bytes.part(Slice(start: Int(value.start), count: min(4, Int(value.count))))
    guard
      Int(value.count) != request.length
        || start.indices.contains(where: { head.differs(from: start, at: $0) })
        || fields.handle != handle || fields.offset != request.offset
    else { return }
    if let known = echoes.firstIndex(where: {
      $0.handle == handle && $0.server == context.server
    }) {
      echoes[known].count &+= 1
    } else if echoes.count < Self.mostListed {
      echoes.append(
        WrongEcho(
          server: context.server, handle: handle, written: request.length,
          echoed: Int(value.count), request: request.moment, answer: context.moment))
    }
  }
}
