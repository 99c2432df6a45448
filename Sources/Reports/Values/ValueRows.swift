import Bluetooth
import Bytes
import Captures
import Decoders
import Dissectors
import Meanings
import Sessions

/// The rows of `values --csv`.
struct ValueRows: ~Copyable {
  private let options: ValuesOptions
  private let timeDecimals: Int
  var table: ColumnTable
  private var fields = FieldColumns()
  private var clock = Clock()
  private var words = Output()

  init(_ options: ValuesOptions, timeDecimals: Int, _ limits: Limits) {
    self.options = options
    self.timeDecimals = timeDecimals
    table = ColumnTable(
      options.csvColumns, chosen: options.columns, isStreamed: options.isStreamed, limits)
  }

  /// Writes the row of a value, which `reading` has read.
  mutating func write(
    _ value: ConveyedValue, _ bytes: RawSpan, packets: ArraySlice<Int>, _ extra: ValueLines.Extra,
    since start: Timestamp?, _ reading: inout ValueReading, _ memory: borrowing Memory,
    into output: inout Output
  ) {
    identify(value, since: start, &reading, memory)
    if let slice = value.value {
      table.begin(.value)
      let content = bytes.part(slice)
      if value.isKeyMaterial, !options.showsKeys {
        table.row.text("<hidden>")
      } else {
        table.row.cell(hex: content)
        if value.isPlain, !extra.isMessage, !content.isText(of: value.attribute.uuid),
          let form = NumberForm(value.attribute.uuid), let number = content.number(form)
        {
          table.begin(.number)
          table.row.decimal(number)
        }
      }
    }
    result(value, &reading)
    list(packets)
    table.begin(.identity)
    if let identity = value.parties.otherIdentity { table.row.address(identity) }
    table.begin(.offset)
    if value.offset > 0 { table.row.decimal(value.offset) }
    table.begin(.cut)
    if value.isCut { table.row.text("true") }
    table.begin(.mayGoOn)
    if value.mayGoOn { table.row.text("true") }
    table.begin(.company)
    if let company = value.company { table.row.handle(company) }
    if !extra.reason.isEmpty {
      table.begin(.error)
      table.row.cell(extra.reason.bytes)
    }
    if reading.meaning.isKnown {
      meaning(
        extra.isMessage ? bytes : bytes.part(value.value ?? .empty), extra.isMessage,
        reading.meaning)
    }
    if let count = extra.count {
      table.begin(.count)
      table.row.decimal(count.number)
      table.begin(.lastPacket)
      table.row.decimal(count.lastPacket)
    }
    if let write = extra.write { lastWrite(write) }
    table.begin(.answer)
    if let answer = extra.answer { table.row.decimal(answer) }
    table.endRow(into: &output)
  }

  /// Writes the packet, the time, the device and the attribute of a value.
  private mutating func identify(
    _ value: ConveyedValue, since start: Timestamp?, _ reading: inout ValueReading,
    _ memory: borrowing Memory
  ) {
    table.begin(.packet)
    table.row.decimal(value.packet)
    if let time = options.time == .none ? nil : value.time {
      table.begin(.time)
      if time.isWritable {
        if options.time == .local {
          let offset = options.zoneOffset(time.seconds)
          clock.local(time, offset: offset, decimals: timeDecimals, into: &table.row)
        } else {
          clock.utc(time, decimals: timeDecimals, into: &table.row)
        }
      }
      table.begin(.elapsed)
      if let start { table.row.elapsed(time, since: start) }
    }
    let connection = value.parties.connection
    table.begin(.connection)
    if connection > 0 { table.row.decimal(connection) }
    table.begin(.device)
    if let peer = value.parties.peer { table.row.address(peer) }
    table.begin(.service)
    if let service = value.attribute.service { table.row.cell(service) }
    table.begin(.uuid)
    if let uuid = value.attribute.uuid { table.row.cell(uuid) }
    table.begin(.name)
    words.clear()
    if value.operation == .advertisement {
      let name =
        value.company.map { CompanyID(rawValue: $0).name }
        ?? value.attribute.uuid?.name(as: .service)
      if let name { words.raw(name.bytes) }
    } else if value.attribute.uuid != nil {
      words.attributeTitle(
        value.attribute, owner: memory.owner(of: value.attribute, connection), options.glyphs,
        profileName: reading.name(value.attribute.uuid))
    }
    words.copyCell(into: &table.row, isText: true)
    table.begin(.handle)
    if let handle = value.attribute.handle { table.row.handle(handle) }
    table.begin(.channel)
    if let channel = value.attribute.channel { table.row.channel(channel) }
    table.begin(.operation)
    table.row.text(value.operation.key)
    table.begin(.direction)
    if let direction = value.direction {
      table.row.text(direction.key(value.parties.vantage))
    }
  }

  private mutating func lastWrite(_ write: ValueChanges.Write) {
    table.begin(.lastWrite)
    table.row.decimal(write.packet)
    table.begin(.lastWriteUUID)
    if let uuid = write.attribute.uuid { table.row.cell(uuid) }
    table.begin(.lastWriteState)
    if write.isOpen { table.row.text("unanswered") }
    guard let value = write.value else { return }
    table.begin(.lastWriteValue)
    if value.isHidden, !options.showsKeys { return table.row.text("<hidden>") }
    table.row.cell(hex: value.bytes.bytes)
    if value.count > value.bytes.count { table.row.text(" ...") }
  }

  private mutating func result(_ value: ConveyedValue, _ reading: inout ValueReading) {
    table.begin(.error)
    switch value.outcome {
    case .done: break
    case .refused(let error):
      words.clear()
      words.error(error, reading.profiles.errorName(of: value))
      words.copyCell(into: &table.row)
    case .noResponse, .cancelled, .notExecuted:
      if let failure = value.outcome.failureKey { table.row.text(failure) }
    }
    table.begin(.response)
    if let response = value.response { table.row.decimal(response) }
  }

  private mutating func list(_ packets: ArraySlice<Int>) {
    table.begin(.packets)
    let most = ValueLines.listedPackets
    let isLong = packets.count > 2 * most
    for packet in isLong ? packets.prefix(most) : packets {
      if packet != packets.first { table.row.byte(0x20) }
      table.row.decimal(packet)
    }
    guard isLong else { return }
    table.row.text(" ...")
    for packet in packets.suffix(most) {
      table.row.byte(0x20)
      table.row.decimal(packet)
    }
  }

  /// Writes what a value means.
  private mutating func meaning(
    _ value: RawSpan, _ isMessage: Bool, _ meaning: borrowing ValueMeaning
  ) {
    if isMessage, let sighting = meaning.sighting {
      table.begin(.vendor)
      words.clear()
      words.string(sighting.vendor.profile)
      words.copyCell(into: &table.row, isText: true)
      table.begin(.message)
      words.clear()
      words.string(meaning.messageName ?? "")
      words.copyCell(into: &table.row, isText: true)
      table.begin(.command)
      if let command = sighting.command {
        table.row.text("0x")
        table.row.hexDigits(UInt64(truncatingIfNeeded: command), command > 0xff ? 4 : 2)
      }
      table.begin(.answers)
      if let request = sighting.request { table.row.decimal(request) }
    }
    table.begin(.decoded)
    meaning.line.copyCell(into: &table.row)
    if let quantity = meaning.quantity {
      table.begin(.quantity)
      table.row.number(quantity.value, decimals: quantity.decimals)
      table.begin(.unit)
      table.row.cell(meaning.unit(of: quantity).bytes)
    }
    guard options.isWide, !meaning.isPart else { return }
    if let whole = meaning.whole {
      fields.write(meaning.decoded, whole.bytes, showsKeys: options.showsKeys, into: &table)
    } else {
      fields.write(meaning.decoded, value, showsKeys: options.showsKeys, into: &table)
    }
  }
}

/// The columns of decoded fields.
private struct FieldColumns: ~Copyable {
  /// A field of a definition.
  private struct Key: Hashable {
    let definition: ObjectIdentifier
    let field: Int
  }

  /// The column of each field; nil if it is not written. The definitions are kept, so that none
  /// gets the identity of another one.
  private var known: [Key: Int?] = [:]
  private var definitions: [Definition] = []
  /// The entries with a column.
  private var places: [(column: Int, place: Int)] = []
  private var words = Output()

  /// The most fields whose columns are remembered.
  private static let mostKnown = 65_536

  /// Writes the fields of what was decoded into the current row; turns of a repeated field are in
  /// one cell.
  mutating func write(
    _ decoded: Decoded, _ value: RawSpan, showsKeys: Bool, into table: inout ColumnTable
  ) {
    guard let definition = decoded.definition,
      let writer = DecodedWriter(decoded, isJSON: true, showsKeys: showsKeys)
    else { return }
    places.removeAll(keepingCapacity: true)
    for (place, entry) in decoded.fields.enumerated() where entry.form != .group {
      let key = Key(definition: ObjectIdentifier(definition), field: entry.field)
      if known[key] == nil { learn(key, place, definition, writer, &table) }
      if let column = known[key] ?? nil { places.append((column, place)) }
    }
    places.sort { ($0.column, $0.place) < ($1.column, $1.place) }
    var next = 0
    while next < places.count {
      let column = places[next].column
      words.clear()
      var isText = false
      while next < places.count, places[next].column == column {
        let start = words.count
        if start > 0 { words.byte(0x20) }
        writer.plain(places[next].place, value, into: &words)
        isText = isText || writer.isText(places[next].place)
        if start > 0, words.count == start + 1 { words.shorten(to: start) }
        next += 1
      }
      table.begin(column)
      words.copyCell(into: &table.row, isText: isText)
    }
  }

  /// Finds the column of a field: named by it and the groups around it, with its unit.
  private mutating func learn(
    _ key: Key, _ place: Int, _ definition: Definition, _ writer: borrowing DecodedWriter,
    _ table: inout ColumnTable
  ) {
    if known.count >= Self.mostKnown {
      known.removeAll()
      definitions.removeAll()
    }
    words.clear()
    writer.path(of: place, into: &words)
    var path = words.bytes.array
    // A field may have the name of a column that all values have.
    if ValueColumn.allCases.contains(where: { $0.title.utf8.elementsEqual(path) }) {
      path = [UInt8]("decoded.".utf8) + path
    }
    words.clear()
    writer.unit(of: place, into: &words)
    known[key] = .some(table.column(path, unit: words.bytes.array))
    if definitions.last !== definition { definitions.append(definition) }
  }
}
