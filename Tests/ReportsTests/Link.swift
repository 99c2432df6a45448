import Bluetooth
import Captures

/// Records of one link: central, peer C0:11:22:33:44:55.
struct Link {
  var records: [TestRecord] = []
  private var seconds: Int64 = 1_700_000_000

  init() { connect() }

  mutating func connect() {
    add(
      [4, 0x3e, 0x13, 1, 0, 0x40, 0, 0, 1, 0x55, 0x44, 0x33, 0x22, 0x11, 0xc0]
        + hex("18 00 00 00 48 00 00"), .received)
  }

  mutating func add(_ bytes: [UInt8], _ direction: Direction) {
    records.append(
      TestRecord(
        bytes: bytes, direction: direction, time: Timestamp(seconds: seconds, nanoseconds: 0)))
    seconds += 1
  }

  mutating func att(_ text: String, _ direction: Direction) {
    let pdu = hex(text)
    let l2cap = [UInt8(pdu.count), 0, 4, 0] + pdu
    add([2, 0x40, 0, UInt8(l2cap.count), 0] + l2cap, direction)
  }

  /// Appends a request of the captured host and the peer's answer.
  mutating func ask(_ request: String, _ answer: String) {
    att(request, .sent)
    att(answer, .received)
  }

  /// Discovers a characteristic, whose value's handle follows the declaration's.
  mutating func discover(_ handle: UInt8, _ uuid: String) {
    ask(
      "08 01 00 ff ff 03 28",
      "09 07 \(digits(handle)) 00 1a \(digits(handle + 1)) 00 \(uuid)")
  }

  private func digits(_ value: UInt8) -> String {
    String(UInt16(value) | 0x100, radix: 16).suffix(2).description
  }
}
