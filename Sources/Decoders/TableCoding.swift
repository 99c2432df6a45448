package import Bluetooth
import Bytes

// The stored form of a definition: numbers of variable length, and words preceded by their length.
// Of a field only the numbers that differ from the defaults are stored, preceded by a number whose
// bits show which those are. The built-in definitions are stored as text, six bits a character.

/// A row of numbers of which only those that differ from the usual ones are stored.
protocol StoredRow: Sendable {
  /// The number of columns.
  static var columnCount: Int { get }
  subscript(column: Int) -> Int { get set }
}

package struct TableWriter {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Appends a non-negative number: seven bits a byte, the lowest first.
  package mutating func count(_ value: Int) { natural(UInt(bitPattern: value)) }

  /// Appends a number: small ones of either sign take one byte.
  package mutating func number(_ value: Int) {
    natural(UInt(bitPattern: value << 1 ^ value >> 63))
  }

  private mutating func natural(_ value: UInt) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends bytes preceded by their count.
  package mutating func run(_ run: [UInt8]) {
    count(run.count)
    bytes += run
  }

  package mutating func string(_ string: String) { run([UInt8](string.utf8)) }

  package mutating func uuid(_ uuid: BluetoothUUID) {
    count(Int(uuid.width))
    if uuid.width == 16 { natural(UInt(uuid.high)) }
    natural(UInt(uuid.low))
  }

  /// Appends the columns of a row that differ from the default row.
  mutating func row<Row: StoredRow>(_ row: Row, usual: Row) {
    var mask = 0
    for column in 0..<Row.columnCount where row[column] != usual[column] { mask |= 1 << column }
    count(mask)
    for column in 0..<Row.columnCount where mask >> column & 1 == 1 { number(row[column]) }
  }

  package mutating func list<Element>(
    _ list: [Element], _ write: (inout TableWriter, Element) -> Void
  ) {
    count(list.count)
    for element in list { write(&self, element) }
  }
}

/// Reads the stored form; damaged parts read as zeros and empty lists, which `isSound` reports.
package struct TableReader {
  private let bytes: [UInt8]
  private var position = 0
  /// Whether nothing was missing so far.
  package private(set) var isSound = true

  /// Creates a reader of these bytes.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether everything was read.
  package var isAtEnd: Bool { position == bytes.count }

  private mutating func natural() -> UInt {
    var value: UInt = 0
    var shift: UInt = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    isSound = false
    return 0
  }

  /// Reads the next non-negative number.
  package mutating func count() -> Int { Int(bitPattern: natural()) }

  /// Reads the next number.
  package mutating func number() -> Int {
    let value = natural()
    return Int(bitPattern: value >> 1) ^ -Int(bitPattern: value & 1)
  }

  /// Reads the next bytes, which are preceded by their count.
  package mutating func run() -> [UInt8] {
    let start = skipRun()
    return Array(bytes[start..<position])
  }

  /// Reads the next text.
  package mutating func string() -> String {
    let start = skipRun()
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Skips the next bytes, which are preceded by their count. Returns where they start.
  @discardableResult
  mutating func skipRun() -> Int {
    let count = count()
    guard count >= 0, count <= bytes.count - position else {
      isSound = false
      return position
    }
    position += count
    return position - count
  }

  /// Reads the next UUID.
  package mutating func uuid() -> BluetoothUUID {
    switch count() {
    case 16:
      let high = UInt64(natural())
      return BluetoothUUID(high: high, low: UInt64(natural()))
    default: return BluetoothUUID(upTo32Bits: UInt32(truncatingIfNeeded: natural()))
    }
  }

  /// Reads the next row.
  mutating func row<Row: StoredRow>(usual: Row) -> Row {
    var row = usual
    var mask = count()
    while mask != 0 {
      let column = mask.trailingZeroBitCount
      if column >= Row.columnCount { break }
      row[column] = number()
      mask &= mask &- 1
    }
    return row
  }

  /// Reads the next list of at most one element.
  mutating func optional<Element>(_ read: (inout TableReader) -> Element) -> Element? {
    switch count() {
    case 0: return nil
    case 1: return read(&self)
    default:
      isSound = false
      return nil
    }
  }

  /// Reads the next list; no more elements are read than there are bytes.
  package mutating func list<Element>(_ read: (inout TableReader) -> Element) -> [Element] {
    let count = count()
    guard count >= 0, count <= bytes.count - position else {
      isSound = false
      return []
    }
    var list: [Element] = []
    list.reserveCapacity(count)
    for _ in 0..<count where isSound { list.append(read(&self)) }
    return list
  }
}

extension Scaling.Written: StoredRow {
  /// The number of columns.
  static let columnCount = 11

  /// The numbers of a row, in the order in which they are stored; new ones are appended. Key
  /// paths would be much slower.
  subscript(column: Int) -> Int {
    get {
      switch column {
      case 0: multiply
      case 1: multiplyExponent
      case 2: divide
      case 3: decimal
      case 4: binary
      case 5: add
      case 6: addExponent
      case 7: decimals
      case 8: base
      case 9: baseExponent
      case 10: minus
      default: 0
      }
    }
    set {
      switch column {
      case 0: multiply = newValue
      case 1: multiplyExponent = newValue
      case 2: divide = newValue
      case 3: decimal = newValue
      case 4: binary = newValue
      case 5: add = newValue
      case 6: addExponent = newValue
      case 7: decimals = newValue
      case 8: base = newValue
      case 9: baseExponent = newValue
      case 10: minus = newValue
      default: break
      }
    }
  }
}

extension Definition.Tables {
  package func write(_ writer: inout TableWriter) {
    writer.list(fields) { $0.row($1, usual: Field()) }
    writer.list(words.ends) { $0.count($1) }
    writer.run(words.bytes)
    for list in [codes, limits] { writer.list(list) { $1.write(&$0) } }
    writer.list(scalings) { $0.row($1, usual: Scaling.Written()) }
    writer.list(programs) { $0.count($1) }
    writer.list(operations) { $1.write(&$0) }
    writer.list(externals) { writer, external in
      writer.uuid(external.uuid)
      writer.string(external.path)
    }
    writer.list(templates) { $0.count($1) }
    writer.list(pieces) { writer, piece in
      writer.count(piece.kindNumber)
      writer.count(piece.operand)
      writer.count(piece.digits)
    }
    writer.number(template)
    writer.count(slotCount)
  }

  package init(_ reader: inout TableReader) {
    fields = reader.list { $0.row(usual: Field()) }
    let ends = reader.list { $0.count() }
    words = Words(bytes: reader.run(), ends: ends)
    codes = reader.list { Code(&$0) }
    limits = reader.list { Code(&$0) }
    scalings = reader.list { $0.row(usual: Scaling.Written()) }
    programs = reader.list { $0.count() }
    operations = reader.list { Operation(&$0) }
    externals = reader.list { reader in
      let uuid = reader.uuid()
      return External(uuid: uuid, path: reader.string())
    }
    templates = reader.list { $0.count() }
    pieces = reader.list { reader in
      let kind = reader.count()
      let operand = reader.count()
      return TemplatePiece(kindNumber: kind, operand: operand, digits: reader.count())
    }
    template = reader.number()
    slotCount = reader.count()
  }
}

extension Subject {
  /// Writes a subject.
  package func write(_ writer: inout TableWriter) {
    writer.count(kind.rawValue)
    writer.uuid(uuid)
    writer.list(service.map { [$0] } ?? []) { $0.uuid($1) }
    writer.list(device.map { [$0] } ?? []) { $0.string($1) }
    writer.list(match) { $0.number($1.map { Int($0) } ?? -1) }
    writer.list(sizes.map { [$0.lowerBound, $0.upperBound] } ?? []) { $0.count($1) }
    // Carriers are attributes, and only advertisements hold addresses.
    writer.count(isCarrier ? 1 : ownAddress.map { $0 + 2 } ?? 0)
  }

  /// Reads a subject.
  package init(_ reader: inout TableReader) {
    let kind = Kind(rawValue: reader.count()) ?? .message
    self.init(kind, reader.uuid())
    service = reader.optional { $0.uuid() }
    device = reader.optional { $0.string() }
    match = reader.list { UInt8(exactly: $0.number()) }
    if reader.count() > 0 {
      let (least, most) = (reader.count(), reader.count())
      if least >= 0, least <= most { sizes = least...most }
    }
    let use = reader.count()
    isCarrier = use == 1
    ownAddress = use > 1 ? use - 2 : nil
  }
}

extension Definition {
  package var stored: [UInt8] {
    var writer = TableWriter()
    writer.string(profile)
    writer.string(name)
    subject.write(&writer)
    writer.list(exchange.map { [$0] } ?? []) { $1.write(&$0) }
    tables.write(&writer)
    // Few definitions have errors or checksums; the others are stored as they always were.
    let hasChecksums = !tables.checksums.isEmpty
    if !tables.errors.isEmpty || hasChecksums { writer.list(tables.errors) { $1.write(&$0) } }
    if hasChecksums { writer.list(tables.checksums) { $1.write(&$0) } }
    return writer.bytes
  }

  /// Creates a definition from its stored form; nil if that is damaged.
  package convenience init?(stored bytes: [UInt8]) {
    var reader = TableReader(bytes)
    let profile = reader.string()
    let name = reader.string()
    let subject = Subject(&reader)
    let exchange = reader.optional { VendorProtocol.Exchange(&$0) }
    var tables = Tables(&reader)
    if !reader.isAtEnd { tables.errors = reader.list { Code(&$0) } }
    if !reader.isAtEnd { tables.checksums = reader.list { ChecksumAlgorithm(&$0) } }
    guard reader.isSound, reader.isAtEnd else { return nil }
    self.init(subject, profile: profile, name: name, exchange: exchange, tables)
  }

  /// Reads the subject of a stored definition.
  static func subject(_ reader: inout TableReader) -> Subject {
    reader.skipRun()
    reader.skipRun()
    return Subject(&reader)
  }
}

extension Operation {
  func write(_ writer: inout TableWriter) {
    writer.count(codeNumber)
    writer.number(operand)
  }

  init(_ reader: inout TableReader) {
    let code = reader.count()
    self.init(codeNumber: code, operand: reader.number())
  }
}

extension Code {
  fileprivate func write(_ writer: inout TableWriter) {
    writer.number(low)
    writer.number(high &- low)
    writer.number(word)
  }

  fileprivate init(_ reader: inout TableReader) {
    let low = reader.number()
    let extent = reader.number()
    self.init(low: low, high: low &+ extent, word: reader.number())
  }
}

extension Words {
  /// Creates words from their stored form; an invalid end discards the words from there on.
  fileprivate init(bytes: [UInt8], ends: [Int]) {
    self.init()
    var start = 0
    for end in ends {
      guard end >= start, end <= bytes.count else { return }
      _ = append(bytes.bytes.part(Slice(start: start, count: end - start)))
      start = end
    }
  }
}
