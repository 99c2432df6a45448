package import Bluetooth
package import Bytes
package import Decoders
import Dissectors
package import Meanings

/// Writes fields as JSON.
///
/// Keys are the names in lower case. Hidden fields are listed at the end of their object.
package struct JSONSink: FieldSink, ~Copyable {
  package var output = Output()
  package let showsKeys: Bool
  package var hidesAdvertising = false
  package var advertiser = KnownAdvertiser()
  package var writesStructures = false
  /// Whether the next key or element needs no comma before it.
  private var isFirst = true
  private var keys = KeyCache(isJSON: true)
  private var names = RecentNames()
  /// The hidden keys of the open objects, and the depths of these objects.
  private var hiddenKeys: [(key: StaticString, depth: Int)] = []
  /// The number of open objects.
  private var depth = 0
  /// The connection that was written last, and its JSON with a leading comma. Traffic comes in
  /// bursts, and a connection is written in the same way with each packet.
  private var lastConnection: ConnectionState?
  private var connectionJSON = Output()
  private var connectionStart = 0
  /// More than a connection takes: a name of 248 bytes is at most six times as long if all of it is
  /// escaped.
  private static let connectionBytes = 4096

  /// Decodes advertised values.
  private var reading: ValueReading

  package init(showsKeys: Bool, profiles: SuppliedProfiles? = nil) {
    self.showsKeys = showsKeys
    reading = ValueReading(profiles, showsKeys: showsKeys)
  }

  package mutating func decoded(_ kind: Subject.Kind, _ uuid: BluetoothUUID, _ data: RawSpan)
    -> Bool
  {
    guard reading.read(kind, uuid, data, of: advertiser) else { return false }
    key("decoded")
    reading.meaning.writeJSON(data, into: &output)
    return true
  }

  package mutating func key(_ key: StaticString) {
    keys.write(key, isFirst: isFirst, into: &output)
    isFirst = false
  }

  /// Appends constant text, including its commas. Always inlined: its length is known at compile
  /// time, and no key has to be looked up.
  @inline(__always)
  mutating func constant(_ text: StaticString) {
    output.text(text)
    isFirst = false
  }

  /// Appends a key of the specification with a unit as its suffix.
  private mutating func key(_ key: StaticString, unit: StaticString) {
    separate()
    output.byte(0x22)
    output.lowercased(key.bytes)
    output.text(unit)
    output.text("\":")
  }

  private mutating func separate() {
    if isFirst { isFirst = false } else { output.byte(0x2c) }
  }

  package mutating func repeats(_ connection: ConnectionState) -> Bool {
    guard connection == lastConnection, !isFirst else {
      // The text is read back from the buffer, and must not be flushed before.
      output.reserve(Self.connectionBytes)
      connectionStart = output.count
      return false
    }
    connectionJSON.copy(into: &output)
    return true
  }

  package mutating func remember(_ connection: ConnectionState) {
    lastConnection = connection
    connectionJSON.clear()
    let written = Slice(start: connectionStart, count: output.count - connectionStart)
    output.copy(written, into: &connectionJSON)
  }

  /// Begins an object that is an element, or the document itself.
  mutating func beginObject() {
    separate()
    openBrace()
  }

  private mutating func openBrace() {
    output.byte(0x7b)
    isFirst = true
    depth += 1
  }

  /// Begins a new document, which is written directly to `destination`. Until it ends,
  /// `destination` holds this sink's own buffer.
  package mutating func beginDocument(in destination: inout Output) {
    swap(&output, &destination)
    isFirst = true
    hiddenKeys.removeAll(keepingCapacity: true)
    depth = 0
    beginObject()
  }

  /// Ends the document and its line.
  package mutating func endDocument(in destination: inout Output) {
    end()
    output.byte(0x0a)
    swap(&output, &destination)
  }

  package mutating func begin(_ key: StaticString) {
    self.key(key)
    openBrace()
  }

  package mutating func end() {
    if !hiddenKeys.isEmpty { listHidden() }
    depth -= 1
    output.byte(0x7d)
    isFirst = false
  }

  package mutating func beginStructures(of name: StaticString) {
    key(name, unit: "_fields")
    output.byte(0x5b)
    isFirst = true
  }

  /// Lists the hidden fields of the object that ends; those of the enclosing objects precede them
  /// in the array.
  private mutating func listHidden() {
    guard let first = hiddenKeys.firstIndex(where: { $0.depth == depth }) else { return }
    key("hidden")
    output.byte(0x5b)
    for index in first..<hiddenKeys.count {
      if index > first { output.byte(0x2c) }
      output.byte(0x22)
      output.lowercased(hiddenKeys[index].key.bytes)
      output.byte(0x22)
    }
    output.byte(0x5d)
    hiddenKeys.removeSubrange(first...)
  }

  package mutating func beginList(_ key: StaticString) {
    self.key(key)
    output.byte(0x5b)
    isFirst = true
  }

  package mutating func endList() {
    output.byte(0x5d)
    isFirst = false
  }

  package mutating func beginItem() {
    beginObject()
  }

  package mutating func endItem() { end() }

  package mutating func number(_ key: StaticString, _ value: Int) {
    self.key(key)
    output.decimal(value)
  }

  package mutating func fixed(_ key: StaticString, _ value: Int, decimals: Int) {
    self.key(key)
    output.fixed(value, decimals: decimals)
  }

  package mutating func quantity(_ key: StaticString, _ value: Int, _ scale: Scale) {
    self.key(key, unit: scale.unit.suffix)
    output.fixed(value &* scale.multiplier, decimals: scale.decimals)
  }

  package mutating func identifier(_ key: StaticString, _ value: UInt64, digits: Int) {
    self.key(key)
    output.jsonIdentifier(value, digits: digits)
  }

  package mutating func code(
    _ key: StaticString, _ value: UInt64, digits: Int, _ name: AssignedName?
  ) {
    self.key(key)
    output.text("{\"code\":")
    output.jsonIdentifier(value, digits: digits)
    if let name {
      output.text(",\"name\":")
      output.json(name)
    }
    output.byte(0x7d)
  }

  package mutating func error(_ key: StaticString, _ error: ATTErrorCode, _ name: [UInt8]?) {
    guard let name else {
      code(key, UInt64(error.rawValue), digits: 2, error.name)
      return
    }
    self.key(key)
    output.text("{\"code\":")
    output.jsonIdentifier(UInt64(error.rawValue), digits: 2)
    output.text(",\"name\":")
    output.jsonString(name.bytes)
    output.byte(0x7d)
  }

  package mutating func errorName(_ error: ATTErrorCode, of subject: ErrorSubject?) -> [UInt8]? {
    reading.profiles.errorName(error, of: subject)
  }

  package mutating func code(
    _ key: StaticString, _ value: UInt64, digits: Int, assigned: AssignedName?
  ) {
    code(key, value, digits: digits, assigned)
  }

  package mutating func flags(_ key: StaticString, _ value: UInt64, digits: Int, _ set: CodeSet) {
    self.key(key)
    output.text("{\"code\":")
    output.jsonIdentifier(value, digits: digits)
    output.text(",\"names\":[")
    var rest = value
    var isFirstName = true
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      guard let name = set.name(of: UInt64(bit)) else { continue }
      output.text(isFirstName ? "\"" : ",\"")
      isFirstName = false
      output.name(name)
      output.byte(0x22)
    }
    output.text("]}")
  }

  package mutating func bytes(_ key: StaticString, _ bytes: RawSpan) {
    self.key(key)
    output.byte(0x22)
    output.hex(bytes)
    output.byte(0x22)
  }

  package mutating func string(_ key: StaticString, _ bytes: RawSpan) {
    self.key(key)
    output.jsonString(bytes)
  }

  package mutating func string(_ key: StaticString, _ start: AssignedName?, _ rest: RawSpan) {
    self.key(key)
    output.byte(0x22)
    if let start { output.jsonEscaped(start.bytes) }
    output.jsonEscaped(rest)
    output.byte(0x22)
  }

  package mutating func string(_ key: StaticString, _ text: String) {
    string(key, [UInt8](text.utf8).bytes)
  }

  package mutating func word(_ key: StaticString, _ word: StaticString) {
    self.key(key)
    output.jsonWord(word)
  }

  package mutating func name(_ key: StaticString, _ name: AssignedName) { string(key, name.bytes) }

  package mutating func flag(_ key: StaticString, _ value: Bool) {
    self.key(key)
    output.text(value ? "true" : "false")
  }

  package mutating func address(_ key: StaticString, _ address: DeviceAddress) {
    self.key(key)
    output.byte(0x22)
    output.address(address)
    output.byte(0x22)
  }

  package mutating func uuid(_ key: StaticString, _ uuid: BluetoothUUID) {
    self.key(key)
    output.byte(0x22)
    output.uuid(uuid)
    output.byte(0x22)
  }

  package mutating func namedUUID(_ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse?) {
    self.uuid("uuid", uuid)
    if let name = use.map({ names.name(of: uuid, as: $0) }) ?? names.name(of: uuid) {
      string("name", name.bytes)
    } else if let registrant = uuid.registrant {
      string("registered_to", registrant.bytes)
    }
  }

  package mutating func hidden(_ key: StaticString, _ count: Int) {
    hiddenKeys.append((key, depth))
  }

  package mutating func element(handle: UInt16) {
    separate()
    output.byte(0x22)
    output.handle(handle)
    output.byte(0x22)
  }

  /// Appends a string as an element of a list.
  package mutating func element(string bytes: RawSpan) {
    separate()
    output.jsonString(bytes)
  }

  /// Appends a list of how often each kind occurred: one object each, with the kind under `name`.
  /// Kinds that did not occur are left out.
  mutating func counts<Kinds: Sequence>(
    _ key: StaticString, by name: StaticString, of kinds: Kinds,
    _ count: (Kinds.Element) -> (key: StaticString, count: Int)
  ) {
    beginList(key)
    for kind in kinds {
      let count = count(kind)
      guard count.count > 0 else { continue }
      beginItem()
      word(name, count.key)
      number("count", count.count)
      endItem()
    }
    endList()
  }

  /// Appends a constant word as an element of a list.
  package mutating func element(word: StaticString) {
    separate()
    output.jsonWord(word)
  }

  /// Appends a quantity as an element of a list.
  mutating func element(_ value: Int, _ scale: Scale) {
    separate()
    output.fixed(value &* scale.multiplier, decimals: scale.decimals)
  }

  /// Appends the name of a code as an element of a list.
  mutating func element(_ name: AssignedName) {
    separate()
    output.json(name)
  }

  /// Appends a device address as an element of a list.
  mutating func element(address: DeviceAddress) {
    separate()
    output.byte(0x22)
    output.address(address)
    output.byte(0x22)
  }

  package mutating func uuids(_ key: StaticString, _ list: RawSpan, width: Int) {
    self.key(key)
    output.byte(0x5b)
    var cursor = Cursor(list)
    var isFirstUUID = true
    while cursor.remaining >= width, let uuid = try? BluetoothUUID(parsing: &cursor, width: width) {
      output.text(isFirstUUID ? "\"" : ",\"")
      isFirstUUID = false
      output.uuid(uuid)
      output.byte(0x22)
    }
    output.byte(0x5d)
  }

  package mutating func packets(_ key: StaticString, _ packets: ArraySlice<Int>) {
    self.packets(key, packets, [])
  }

  /// Appends packet numbers of which some in the middle are omitted.
  mutating func packets(
    _ key: StaticString, _ packets: ArraySlice<Int>, _ last: ArraySlice<Int>
  ) {
    self.key(key)
    output.jsonNumbers(packets, last)
  }

  package mutating func words(
    _ key: StaticString, bits: Int, of count: Int, _ word: (Int) -> StaticString
  ) {
    self.key(key)
    output.byte(0x5b)
    var isFirstWord = true
    for bit in 0..<count where bits >> bit & 1 == 1 {
      output.text(isFirstWord ? "\"" : ",\"")
      isFirstWord = false
      output.text(word(bit))
      output.byte(0x22)
    }
    output.byte(0x5d)
  }
}
