import Bluetooth
import Bytes
import Dissectors

/// Writes fields for people, one a line, indented under their packet; `show -v`.
struct VerboseSink: FieldSink, ~Copyable {
  var output = Output()
  let showsKeys: Bool
  var hidesAdvertising = false
  var tellsStructures = false
  private var depth = 0

  /// Columns before the first level.
  static let indentation = 6

  init(showsKeys: Bool) { self.showsKeys = showsKeys }

  /// Forgets the packet before.
  mutating func clear() {
    output.clear()
    depth = 0
  }

  private mutating func indent() {
    for _ in 0..<(Self.indentation + 2 * depth) { output.byte(0x20) }
  }

  private mutating func line(_ key: StaticString) {
    indent()
    output.text(key)
    output.text(": ")
  }

  mutating func begin(_ key: StaticString) {
    indent()
    output.text(key)
    output.byte(0x0a)
    depth += 1
  }

  mutating func end() { depth -= 1 }

  mutating func beginList(_ key: StaticString) { begin(key) }

  mutating func endList() { depth -= 1 }

  mutating func beginItem() {
    indent()
    output.text("-\n")
    depth += 1
  }

  mutating func endItem() { depth -= 1 }

  mutating func number(_ key: StaticString, _ value: Int) {
    line(key)
    output.decimal(value)
    output.byte(0x0a)
  }

  mutating func fixed(_ key: StaticString, _ value: Int, decimals: Int) {
    line(key)
    output.fixed(value, decimals: decimals)
    output.byte(0x0a)
  }

  mutating func quantity(_ key: StaticString, _ value: Int, _ scale: Scale) {
    line(key)
    output.quantity(value, scale)
    output.byte(0x0a)
  }

  mutating func identifier(_ key: StaticString, _ value: UInt64, digits: Int) {
    line(key)
    output.hexadecimal(value, digits: digits)
    output.byte(0x0a)
  }

  mutating func code(
    _ key: StaticString, _ value: UInt64, digits: Int, _ name: StaticString?
  ) {
    line(key)
    output.named(name, value, digits: digits)
    output.byte(0x0a)
  }

  mutating func code(_ key: StaticString, _ value: UInt64, digits: Int, assigned: AssignedName?) {
    line(key)
    output.assigned(assigned, value, digits: digits)
    output.byte(0x0a)
  }

  mutating func flags(_ key: StaticString, _ value: UInt64, digits: Int, _ set: CodeSet) {
    line(key)
    output.hexadecimal(value, digits: digits)
    if output.names(value, set, opening: " (") { output.byte(0x29) }
    output.byte(0x0a)
  }

  mutating func bytes(_ key: StaticString, _ bytes: RawSpan) {
    line(key)
    if bytes.byteCount == 0 { output.text("(empty)") }
    output.hex(bytes, separator: 0x20)
    output.byte(0x0a)
  }

  mutating func string(_ key: StaticString, _ bytes: RawSpan) {
    line(key)
    output.quoted(bytes)
    output.byte(0x0a)
  }

  mutating func string(_ key: StaticString, _ start: AssignedName?, _ rest: RawSpan) {
    line(key)
    output.quoted(start, rest)
    output.byte(0x0a)
  }

  mutating func word(_ key: StaticString, _ word: StaticString) {
    line(key)
    output.text(word)
    output.byte(0x0a)
  }

  mutating func flag(_ key: StaticString, _ value: Bool) {
    line(key)
    output.text(value ? "yes" : "no")
    output.byte(0x0a)
  }

  mutating func address(_ key: StaticString, _ address: DeviceAddress) {
    line(key)
    output.address(address)
    output.byte(0x0a)
  }

  mutating func uuid(_ key: StaticString, _ uuid: BluetoothUUID) {
    line(key)
    output.uuid(uuid)
    output.byte(0x0a)
  }

  mutating func namedUUID(_ uuid: BluetoothUUID) {
    line("uuid")
    output.namedUUID(uuid)
    output.byte(0x0a)
  }

  mutating func hidden(_ key: StaticString, _ count: Int) {
    line(key)
    output.text("<hidden>, ")
    output.count(count, "byte", "bytes")
    output.byte(0x0a)
  }

  mutating func element(handle: UInt16) {
    indent()
    output.handle(handle)
    output.byte(0x0a)
  }

  mutating func uuids(_ key: StaticString, _ list: RawSpan, width: Int) {
    line(key)
    if list.byteCount < width { output.text("none") }
    output.uuids(list, width: width)
    output.byte(0x0a)
  }

  mutating func packets(_ key: StaticString, _ packets: ArraySlice<Int>) {
    line(key)
    for index in packets.indices {
      output.text(index > packets.startIndex ? " #" : "#")
      output.decimal(packets[index])
    }
    output.byte(0x0a)
  }

  mutating func words(
    _ key: StaticString, bits: Int, of count: Int, _ word: (Int) -> StaticString
  ) {
    line(key)
    var isFirst = true
    for bit in 0..<count where bits >> bit & 1 == 1 {
      if !isFirst { output.byte(0x20) }
      isFirst = false
      output.text(word(bit))
    }
    output.text(isFirst ? "none\n" : "\n")
  }
}
