import Bluetooth
import Bytes
import Testing

@testable import Decoders

@Suite("Open frames and requests of vendor protocols")
struct VendorMessagesTests {
  private let vendor: VendorProtocol
  private var messages = VendorMessages()

  init() throws {
    vendor = try #require(BuiltInProfiles.vendors.first { $0.profile == "wristband" })
  }

  /// Returns a wristband frame: A5, length, command, payload, XOR checksum.
  private func frame(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let frame = [0xa5, UInt8(payload.count + 4), command] + payload
    return frame + [frame.reduce(0, ^)]
  }

  private mutating func accept(
    _ bytes: [UInt8], handle: UInt16 = 0x12, isWritten: Bool = false, packet: Int,
    milliseconds: Int64 = 0, conversation: UInt64 = 2
  ) -> VendorSighting? {
    let channel = VendorChannel(
      of: 0, isByFrame: true, conversation: conversation, handle: handle, isWritten: isWritten)
    return messages.accept(
      vendor, on: channel, isRequestChannel: isWritten, bytes.bytes, packet: packet,
      time: Timestamp(microseconds: milliseconds * 1000))
  }

  @Test("Bytes that begin like a frame are not recognised before a valid frame")
  mutating func recognition() {
    var wrong = frame(0x82, [1, 2])
    wrong[wrong.count - 1] ^= 1
    #expect(accept(wrong, packet: 1) == nil)
    #expect(accept([0xa5], packet: 2) == nil)
    #expect(accept(frame(0x82, [1, 2]), packet: 3)?.frame?.isSound == true)
    // From now on wrong frames are shown as such.
    #expect(accept(wrong, packet: 4)?.frame?.isSound == false)
    // But not on another channel.
    #expect(accept(wrong, handle: 0x20, packet: 5) == nil)
  }

  @Test("Parts are marked if the protocol is known, and the last one has the joined frame")
  mutating func parts() {
    let whole = frame(0x84, [UInt8](0..<47))
    let pieces = [whole[0..<20], whole[20..<40], whole[40..<51]].map { [UInt8]($0) }
    #expect(accept(pieces[0], packet: 1) == nil)
    #expect(accept(pieces[1], packet: 2) == nil)
    let joined = accept(pieces[2], packet: 3)
    #expect(joined?.isJoined == true)
    #expect(joined?.bytes == whole && joined?.packets == [1, 2, 3])
    let first = accept(pieces[0], packet: 4)
    #expect(first?.total == 51 && first?.part.end == 20 && first?.command == 0x84)
    #expect(accept(pieces[1], packet: 5)?.part.end == 40)
    #expect(accept(pieces[2], packet: 6)?.message?.definition.name == "unknown")
    #expect(!messages.hasOpenFrames)
  }

  @Test(
    "A frame is abandoned after a timeout, or when another one begins")
  mutating func abandoned() {
    let whole = frame(0x84, [UInt8](0..<47))
    #expect(accept(frame(0x81, []), packet: 1) != nil)
    #expect(accept([UInt8](whole[0..<20]), packet: 2) != nil)
    #expect(accept([UInt8](whole[20..<51]), packet: 3, milliseconds: 2001) == nil)
    #expect(!messages.hasOpenFrames)
    #expect(accept([UInt8](whole[0..<20]), packet: 4, milliseconds: 2002) != nil)
    let other = accept(frame(0x85, [9]), packet: 5, milliseconds: 2003)
    #expect(other?.isJoined == false && other?.command == 0x85)
  }

  @Test("A response answers the oldest matching request of its conversation")
  mutating func exchange() {
    #expect(
      accept(frame(3, [11, 20]), handle: 0x10, isWritten: true, packet: 1)?.isRequest == true)
    _ = accept(frame(3, [11, 21]), handle: 0x10, isWritten: true, packet: 2)
    // That conversation has no request, so the capture or the profile may lack it.
    let alone = accept(frame(0x83, [1, 0]), packet: 3, conversation: 4)
    #expect(alone?.request == nil && alone?.exchange.isOrphan == false)
    let first = accept(frame(0x83, [1, 0]), packet: 4, milliseconds: 7)
    #expect(first?.request == 1 && first?.exchange.latency == 7_000_000)
    #expect(accept(frame(0x84, [1]), packet: 5)?.exchange.isOrphan == true)
    // After five seconds the request has expired.
    #expect(accept(frame(0x83, [2, 0]), packet: 6, milliseconds: 5001)?.exchange.isOrphan == true)
    messages.finish()
    let tally = messages.tallies.first { $0.conversation == 2 }
    #expect(tally?.requests == 2 && tally?.answered == 1 && tally?.unanswered == [2])
  }

  @Test("A request that is sent again after a later one was answered had no answer")
  mutating func overtaken() {
    _ = accept(frame(2, []), handle: 0x10, isWritten: true, packet: 1)
    _ = accept(frame(3, [11, 20]), handle: 0x10, isWritten: true, packet: 2)
    #expect(accept(frame(0x83, [1, 0]), packet: 3)?.request == 2)
    _ = accept(frame(2, []), handle: 0x10, isWritten: true, packet: 4, milliseconds: 900)
    let answer = accept(frame(0x82, [85, 1]), packet: 5, milliseconds: 950)
    #expect(answer?.request == 4 && answer?.exchange.latency == 50_000_000)
    // Without a later answer, both may still be answered, in their order.
    _ = accept(frame(2, []), handle: 0x10, isWritten: true, packet: 6, milliseconds: 960)
    _ = accept(frame(2, []), handle: 0x10, isWritten: true, packet: 7, milliseconds: 970)
    #expect(accept(frame(0x82, [85, 1]), packet: 8, milliseconds: 980)?.request == 6)
    messages.finish()
    #expect(messages.tallies.first?.unanswered.first == 1)
  }

  @Test("All state is bounded")
  mutating func bounds() {
    for index in 0..<5000 {
      let handle = UInt16(truncatingIfNeeded: index)
      _ = accept([0xa5, 200, 1, 2], handle: handle, packet: index)
      _ = accept(
        frame(3, [1, 1]), handle: handle, isWritten: true, packet: index,
        conversation: UInt64(index))
    }
    #expect(messages.tallies.count == 256)
    messages.finish()
    #expect(messages.tallies.allSatisfy { $0.unanswered.count <= 64 })
  }
}
