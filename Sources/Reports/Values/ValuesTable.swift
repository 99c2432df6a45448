import Bluetooth
package import Bytes
import Decoders
import Meanings
package import Sessions

/// The table of `values` as text.
package struct ValuesTable: ~Copyable {
  package let facts: ValueFacts
  let options: ValuesOptions
  let secretTypes: SecretTypes
  private var cells: [Row] = []
  var out = Output()
  private var ascii = Output()
  /// Whether each row has exactly one line, which is cut: a table that is kept on the terminal.
  private var isCut = false
  /// The advertisers whose values are not listed.
  private var unlisted = 0

  var glyphs: Glyphs { options.glyphs }

  /// A line before the widths of its columns are known.
  package struct Row {
    /// Whether it is a heading, which has only the first column.
    package var isHeading = false
    package var isFailure = false
    package var isDim = false
    /// Whether what follows the heading was only advertised.
    package var isAdvertiser = false
    /// The entry that the row is about; nil for a heading.
    package var entry: Int?
    /// Whether the values were written.
    package var isWrite = false
    package var subject: [UInt8] = []
    package var operation: [UInt8] = []
    package var count = 0
    package var rate: [UInt8] = []
    package var packets: [UInt8] = []
    package var value: [UInt8] = []
  }

  /// On narrower terminals, lines start with the values.
  private static let leastColumns = 60
  /// On narrower terminals lines are cut: single words would be too long for them.
  private static let leastWrapped = 40
  /// The indentation of what does not fit into its line.
  private static let indentation = 6
  /// The width up to which a subject is in the same line; a longer one gets a line of its own.
  private static let mostSubjectColumns = 40
  /// The number of bytes shown of a value: what fits into a PDU of the default MTU. More is shown
  /// of text.
  static let shownBytes = 20
  static let shownText = 48
  /// The number of bytes shown of a decoded value.
  static let shownMeaning = 96

  init(_ facts: ValueFacts, _ options: ValuesOptions, _ memory: borrowing Memory) {
    self.facts = facts
    self.options = options
    secretTypes = memory.attributes.secretTypes
  }

  mutating func write(_ memory: borrowing Memory, into output: inout Output) {
    collect(facts.entries.indices, memory)
    lay(into: &output)
    if unlisted > 0 {
      out.count(unlisted, "advertiser", "advertisers")
      out.text("; --advertised lists ")
      out.text(unlisted == 1 ? "it" : "them")
      finishLine(into: &output)
    }
    footer(memory, into: &output)
  }

  /// Everything that the table shows, row by row.
  package mutating func rows(_ memory: borrowing Memory) -> [Row] {
    collect(facts.entries.indices, memory)
    return cells
  }

  /// Writes the most recent changes in at most `rows` lines; the last line shows how many
  /// attributes are omitted. If there is no room for headings, they are omitted.
  mutating func write(_ memory: borrowing Memory, rows: Int, into output: inout Output) {
    guard rows > 0, !facts.entries.isEmpty else { return }
    isCut = true
    let newest = facts.entries.indices.sorted {
      facts.entries[$0].lastPacket > facts.entries[$1].lastPacket
    }
    // Each takes at least one line, in addition to the column headings and the last line.
    var few = 0
    var many = min(newest.count, rows - 1)
    collect(newest.prefix(many), memory)
    if lineCount + (many < newest.count ? 1 : 0) > rows {
      while few < many {
        let middle = (few + many + 1) / 2
        collect(newest.prefix(middle), memory)
        if lineCount + 1 > rows { many = middle - 1 } else { few = middle }
      }
      collect(newest.prefix(few), memory)
    } else {
      few = many
    }
    if few > 0 {
      lay(into: &output)
    } else {
      cells.removeAll(keepingCapacity: true)
      for place in newest.prefix(rows) { add(place, memory) }
      cells = Array(cells.prefix(rows))
      let lines = lineCount - 1
      if lines > rows { cells.removeLast(min(cells.count, lines - rows)) }
      lay(hasHead: false, into: &output)
      return
    }
    guard few < newest.count else { return }
    out.text(glyphs.ellipsis)
    out.byte(0x20)
    out.decimal(newest.count - few)
    out.text(" more")
    finishLine(into: &output)
  }

  /// Replaces the rows with those of the entries at these indices.
  private mutating func collect(_ places: some Sequence<Int>, _ memory: borrowing Memory) {
    cells.removeAll(keepingCapacity: true)
    // One pass over the entries, since there may be many advertisers. The entries of a server are
    // ordered by handle, then by arrival.
    var byServer: [UInt64: [Int]] = [:]
    for place in places {
      let attribute = facts.entries[place].attribute
      byServer[attribute.server, default: []].append(Int(attribute.order) << 32 | place)
    }
    let servers = facts.servers.sorted { !$0.isAdvertiser && $1.isAdvertiser }
    let listsAdvertised =
      options.listsAdvertised || isCut || servers.allSatisfy(\.isAdvertiser)
    unlisted = 0
    for server in servers {
      guard let places = byServer[server.key] else { continue }
      if server.isAdvertiser, !listsAdvertised {
        unlisted += 1
      } else {
        add(server, places, memory)
      }
    }
  }

  /// The number of lines in the table, including the column headings.
  private var lineCount: Int {
    cells.reduce(1 + cells.count) { lines, row in
      lines + (!row.isHeading && row.subject.bytes.columns > Self.mostSubjectColumns ? 1 : 0)
    }
  }

  // MARK: Contents

  private mutating func add(
    _ server: ValueFacts.Server, _ places: [Int], _ memory: borrowing Memory
  ) {
    heading(server, memory)
    if let use = memory.attributes.outdatedUse(of: server.key) {
      cells.append(Row(isHeading: true, subject: Self.text { $0.outdated(use) }))
    }
    var service: BluetoothUUID?
    for place in places.sorted() {
      let entry = facts.entries[place & 0xffff_ffff]
      if let found = entry.attribute.service, found != service {
        cells.append(
          Row(isHeading: true, subject: Self.text { $0.namedUUID(found, as: .service) }))
      } else if entry.attribute.service == nil, service != nil {
        cells.append(
          Row(isHeading: true, subject: Self.text { $0.text("service not known") }))
      }
      service = entry.attribute.service
      add(place & 0xffff_ffff, memory)
    }
  }

  private mutating func heading(_ server: ValueFacts.Server, _ memory: borrowing Memory) {
    var text = Output()
    if server.side == .local {
      text.localServer(server.vantage, connection: server.connections.first, memory)
      if !server.isAdvertiser { text.text(", used by ") }
    }
    if server.side == .local, server.isAdvertiser {
      let adapter = AdapterIndex(UInt16(truncatingIfNeeded: server.key))
      if memory.adapters.all.count > 1, let number = adapter.number {
        text.text(", hci")
        text.decimal(Int(number))
      }
    } else if let address = server.address {
      text.address(address)
    } else if server.isAdvertiser {
      text.text("anonymous")
    } else {
      text.text(server.unknown)
    }
    if let entry = server.name, let name = memory.names[entry] {
      text.byte(0x20)
      text.quoted(name.bytes)
    }
    text.text("  ")
    if !server.otherAddresses.isEmpty {
      text.text(server.identity == nil ? "also as " : "as ")
      text.listed(server.otherAddresses) { $0.address($1) }
      text.text("; ")
    }
    if server.isAdvertiser {
      text.text("advertising")
    } else {
      text.text(server.connectionCount == 1 ? "connection " : "connections ")
      text.listed(server.connections) { $0.decimal($1) }
      text.andMore(server.connectionCount - server.connections.count)
    }
    if let mtu = server.mtu { text.mtu(mtu) }
    cells.append(
      Row(
        isHeading: true, isDim: true, isAdvertiser: server.isAdvertiser, subject: text.bytes.array))
  }

  /// The owner of the values that an entry counts: the attribute, or what is advertised.
  package func subject(_ entry: ValueEntry, _ memory: borrowing Memory) -> [UInt8] {
    var subject = Output()
    if entry.company != nil || entry.series.first?.operation == .advertisement {
      subject.advertised(entry.attribute.uuid, entry.company)
    } else if !entry.handles.isEmpty {
      subject.listed(entry.handles) { $0.handle($1) }
    } else {
      subject.attribute(
        entry.attribute, owner: memory.owner(of: entry.attribute, 0), glyphs,
        profileName: entry.profileName)
    }
    return subject.bytes.array
  }

  /// The characteristic that a configuration belongs to, in words.
  package func owner(of entry: ValueEntry, _ memory: borrowing Memory) -> [UInt8] {
    let attribute = entry.attribute
    guard let owner = attribute.owner else { return subject(entry, memory) }
    return Self.text {
      $0.attribute(
        memory.identity(of: owner, attribute.server, attribute.side, connection: 0), owner: nil,
        glyphs)
    }
  }

  private mutating func add(_ place: Int, _ memory: borrowing Memory) {
    let entry = facts.entries[place]
    let subject = subject(entry, memory)
    var isFirst = true
    for series in entry.series {
      var row = Row(entry: place, isWrite: series.isWritten)
      if isFirst { row.subject = subject }
      isFirst = false
      row.isFailure = series.outcome != .done
      row.operation = Self.text { text in
        text.operation(series)
        text.fate(series.outcome, of: series.operation)
      }
      row.count = series.count
      row.rate = Self.text { Self.rate(series, into: &$0) }
      row.packets = Self.text { text in
        text.packet(series.firstPacket)
        guard series.lastPacket != series.firstPacket else { return }
        text.text(glyphs.to)
        text.packet(series.lastPacket)
      }
      row.value = value(series, entry)
      cells.append(row)
      for course in courses(series, entry) {
        var row = Row(entry: place)
        row.value = course
        cells.append(row)
      }
    }
  }

  package static func text(_ write: (inout Output) -> Void) -> [UInt8] {
    var output = Output()
    write(&output)
    return output.bytes.array
  }

  // MARK: Layout

  private mutating func lay(hasHead: Bool = true, into output: inout Output) {
    if let width = options.width, width < Self.leastColumns { return layNarrow(into: &output) }
    func columns(_ text: [UInt8]) -> Int { text.bytes.columns }
    let rows = cells.filter { !$0.isHeading }
    // "attribute" and "operation" need as much.
    let least = hasHead ? 9 : 0
    let subject = max(
      least, min(Self.mostSubjectColumns, rows.map { columns($0.subject) }.max() ?? 0))
    let operation = max(least, rows.map { columns($0.operation) }.max() ?? 0)
    let rate = rows.map { columns($0.rate) }.max() ?? 0
    let packets = rows.map { columns($0.packets) }.max() ?? 0
    let count = max(5, String(rows.map(\.count).max() ?? 0).utf8.count)
    func pad(_ text: [UInt8], to width: Int, _ line: inout Output) {
      line.raw(text.bytes)
      line.spaces(max(0, width - columns(text)))
    }
    if hasHead {
      style(.dim)
      out.text("  attribute")
      out.spaces(subject - 9 + 2)
      out.text("operation")
      out.spaces(operation - 9 + 2 + count - 5)
      out.text("count")
      if rate > 0 {
        out.spaces(2 + rate - 4)
        out.text("rate")
      }
      out.text("  packets")
      out.spaces(max(2, packets + 2 - 7))
      if options.width.map({ out.bytes.columns + 13 <= $0 }) ?? true {
        out.text(glyphs.isUTF8 ? "first → last" : "first -> last")
      }
      style(.plain)
      finishLine(into: &output)
    }
    for row in cells {
      if row.isHeading {
        out.raw(row.subject.bytes)
        finishLine(into: &output)
        continue
      }
      out.spaces(2)
      if row.isFailure { style(.failure) }
      if columns(row.subject) > subject {
        // A line of its own, so that the columns stay aligned.
        out.raw(row.subject.bytes)
        if row.isFailure { style(.plain) }
        finishLine(into: &output)
        out.spaces(2)
        if row.isFailure { style(.failure) }
        out.spaces(subject)
      } else {
        pad(row.subject, to: subject, &out)
      }
      out.spaces(2)
      pad(row.operation, to: operation, &out)
      out.spaces(2)
      let digits = row.count > 0 ? String(row.count).utf8.count : 0
      out.spaces(count - digits)
      if row.count > 0 { out.decimal(row.count) }
      if rate > 0 {
        out.spaces(max(2, 2 + rate - columns(row.rate)))
        out.raw(row.rate.bytes)
      }
      out.spaces(2)
      pad(row.packets, to: max(7, packets), &out)
      out.spaces(2)
      if !isCut, let width = options.width, out.bytes.columns + columns(row.value) > width {
        if row.count > 0 { finishLine(into: &output) } else { out.clear() }
        out.spaces(Self.indentation)
      }
      out.raw(row.value.bytes)
      if row.isFailure { style(.plain) }
      finishLine(into: &output)
    }
  }

  /// Appends lines without columns, if there is no room for them: values first, then as much of the
  /// attribute as fits.
  private mutating func layNarrow(into output: inout Output) {
    var subject: [UInt8] = []
    for row in cells {
      if row.isHeading {
        out.raw(row.subject.bytes)
      } else {
        if !row.subject.isEmpty { subject = row.subject }
        if row.isFailure { style(.failure) }
        out.spaces(2)
        out.raw(row.value.bytes)
        if row.count > 0 {
          if !row.value.isEmpty { out.spaces(2) }
          out.raw(subject.bytes)
          out.byte(0x20)
          out.raw(row.operation.bytes)
          out.text(glyphs.isUTF8 ? " ×" : " x")
          out.decimal(row.count)
        }
        if row.isFailure { style(.plain) }
      }
      finishLine(into: &output)
    }
  }

  mutating func finishLine(into output: inout Output) {
    var length = out.count
    while length > 0, out.bytes.byte(at: length - 1) == 0x20 { length -= 1 }
    out.shorten(to: length)
    if isCut || (options.width.map { $0 < Self.leastWrapped } ?? false) {
      output.line(&out, ascii: &ascii, columns: options.width, glyphs)
    } else {
      output.wrappedLine(
        &out, ascii: &ascii, columns: options.width, indentation: Self.indentation, glyphs)
    }
  }

  private mutating func style(_ style: TextStyle) {
    if options.usesColor { out.text(style.sequence) }
  }
}
