// Text forms of dissections, so that a test states its expectation in one line.

import Bluetooth
import Bytes

@testable import Dissectors

/// Converts hexadecimal text, "02 40 00", to bytes.
func hex(_ text: String) -> [UInt8] {
  text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
}

/// Returns the bytes of a number in transmission order.
func little(_ value: Int, width: Int = 2) -> [UInt8] {
  (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Returns a number as `digits` hexadecimal digits.
func digits(_ value: some BinaryInteger, _ count: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, count - text.count)) + text
}

/// Dissections of one packet each.
extension Dissection {
  init(h4 bytes: RawSpan, isTruncated: Bool) {
    self.init()
    read(h4: bytes, isTruncated: isTruncated)
  }

  init(monitor opcode: UInt16, _ bytes: RawSpan, isTruncated: Bool) {
    self.init()
    read(monitor: opcode, bytes, isTruncated: isTruncated)
  }

  init(packetLogger type: UInt8, _ bytes: RawSpan, isTruncated: Bool) {
    self.init()
    read(packetLogger: type, bytes, isTruncated: isTruncated)
  }

  init(incomplete bytes: RawSpan, needed: Int, isTruncated: Bool) {
    self.init()
    read(incomplete: bytes, needed: needed, isTruncated: isTruncated)
  }
}

/// Dissects an H4 packet.
func h4(_ bytes: [UInt8], isTruncated: Bool = false) -> Dissection {
  Dissection(h4: bytes.bytes, isTruncated: isTruncated)
}

/// Returns an L2CAP PDU with `payload` on `cid`. Its length field may be wrong.
func l2cap(_ payload: [UInt8], cid: Int = 4, length: Int? = nil) -> [UInt8] {
  little(length ?? payload.count) + little(cid) + payload
}

/// Dissects an L2CAP PDU that begins at `start`.
func pdu(_ bytes: [UInt8], from start: Int = 0, isTruncated: Bool = false) -> Dissection {
  var dissection = Dissection()
  dissection.parsePDU(bytes.bytes, from: start, isTruncated: isTruncated)
  return dissection
}

/// Returns a dissection's problems, such as "tooShort@7(2,1)".
func problems(_ dissection: Dissection) -> [String] {
  (0..<dissection.problems.count).map { words(dissection.problems[$0]) }
}

/// Returns a problem as "tooShort@7(2,1)", without the offset if it has none.
func words(_ problem: Problem) -> String {
  "\(problem.code)\(problem.offset.map { "@\($0)" } ?? "")(\(problem.first),\(problem.second))"
}

/// Returns the bytes of a slice, such as "0d18".
func words(_ slice: Slice, of bytes: [UInt8]) -> String {
  bytes.bytes.part(slice).array.map { digits($0, 2) }.joined()
}

/// Returns a UUID as it is printed, the most significant byte first.
func words(_ uuid: BluetoothUUID) -> String {
  switch uuid.width {
  case 2: digits(uuid.low, 4)
  case 4: digits(uuid.low, 8)
  default: digits(uuid.high, 16) + digits(uuid.low, 16)
  }
}

/// Describes an ATT PDU: its opcode's name, then its fields.
func attWords(_ dissection: Dissection, of bytes: [UInt8]) -> String {
  guard let pdu = dissection.att else { return "none" }
  let fields = dissection.attFields
  var parts = [pdu.opcode.name?.description ?? "0x\(digits(pdu.opcode.rawValue, 2))"]
  func add(_ name: String, _ value: String?) {
    if let value { parts.append("\(name)=\(value)") }
  }
  add("request", fields.requestOpcode.map { digits($0.rawValue, 2) })
  add("handle", fields.handle.map { digits($0, 4) })
  add("start", fields.startHandle.map { digits($0, 4) })
  add("end", fields.endHandle.map { digits($0, 4) })
  add("type", fields.type.map { words($0) })
  add("offset", fields.offset.map { "\($0)" })
  add("mtu", fields.mtu.map { "\($0)" })
  add("flags", fields.executeFlags.map { "\($0)" })
  add("error", fields.error.map { digits($0.rawValue, 2) })
  add("value", fields.value.map { words($0, of: bytes) })
  add("counter", fields.signCounter.map { "\($0)" })
  add("signature", fields.signature.map { words($0, of: bytes) })
  add("handles", fields.handles.map { words($0, of: bytes) })
  add("data", fields.data.map { words($0, of: bytes) })
  add("items", fields.items.map { "\(items(of: $0, in: bytes))" })
  return parts.joined(separator: " ")
}

/// Returns the items of a list, one string each.
func items(of list: ATTItems, in bytes: [UInt8]) -> [String] {
  var all: [String] = []
  var cursor = Cursor(bytes.bytes, list.list)
  while let item = list.next(&cursor) {
    var parts: [String] = []
    if let handle = item.handle { parts.append(digits(handle, 4)) }
    if let end = item.endHandle { parts.append("to \(digits(end, 4))") }
    if let type = item.type { parts.append(words(type)) }
    if let value = item.value { parts.append("=\(words(value, of: bytes))") }
    if item.missing > 0 { parts.append("-\(item.missing)") }
    all.append(parts.joined(separator: " "))
  }
  return all
}

/// A visitor that records the fields that it receives, one string each: "Handle 0x0040".
struct Recorder: FieldVisitor {
  /// The fields received.
  private(set) var entries: [String] = []
  /// The slices of all fields.
  private(set) var slices: [Slice] = []
  /// Whether every field's bytes had the length of its slice.
  private(set) var isConsistent = true

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    let text =
      switch value {
      case .number(let number, let width, let form): Self.words(number, width, form)
      case .address(let address, _): digits(address.value, 12)
      case .bytes: "bytes \(bytes.array.map { digits($0, 2) }.joined())"
      case .text: "'\(String(decoding: bytes.array, as: UTF8.self))'"
      case .uuid(let uuid): "UUID \(DissectorsTests.words(uuid))"
      case .secret: "secret of \(bytes.byteCount)"
      case .advertisingFragment: "part of \(bytes.byteCount)"
      case .advertisingData: "AD \(bytes.array.map { digits($0, 2) }.joined())"
      }
    entries.append("\(name) \(text)")
    slices.append(slice)
    if Int(slice.count) != bytes.byteCount { isConsistent = false }
  }

  private static func words(_ number: Int64, _ width: Int, _ form: Parameter.Form) -> String {
    switch form {
    case .hex, .diversifier, .handle, .opcode, .controlOpcode, .controlEvent, .linkOpcode, .flags,
      .assigned:
      "0x" + digits(UInt64(bitPattern: number), 2 * width)
    default: "\(number)"
    }
  }

  mutating func beginList(_ name: StaticString, ofDevices: Bool) { entries.append("\(name) [") }
  mutating func beginItem() { entries.append("{") }
  mutating func endItem() { entries.append("}") }
  mutating func endList() { entries.append("]") }
}

/// Walks a command's or event's parameters, outer and inner, and returns the recorded fields.
func walk(_ dissection: Dissection, _ bytes: [UInt8]) -> Recorder {
  var recorder = Recorder()
  guard let parameters = dissection.parameters else { return recorder }
  if let row = parameters.row {
    var fields = FieldWalk(bytes.bytes, parameters.outer)
    try? fields.walk(row.parameters, &recorder)
  }
  if let completed = parameters.completed {
    var fields = FieldWalk(bytes.bytes, parameters.inner)
    try? fields.walk(completed.returns, &recorder)
  }
  return recorder
}
