import Bluetooth
package import Bytes
package import Captures
import Decoders
import Learning
import Meanings
package import Sessions

/// `profiles match`: shows which profiles describe which values of a capture, and which values no
/// profile describes.
package struct ProfileMatches: PacketReport, ~Copyable {
  /// The counts for one characteristic, or for one kind of advertised data.
  private struct Entry: Sendable {
    let subject: [UInt8]
    let key: Key
    var values = 0
    /// The profiles, and the number of values that each described.
    var profiles: [(name: String, count: Int, isByFrame: Bool)] = []
    /// The number of values with problems, and of those that nothing describes, with the first of
    /// them.
    var problems = 0
    var unexplained = 0
    var example: [UInt8] = []
    /// Whether some of these are secret.
    var isSecret = false
  }

  /// Identifies an entry.
  fileprivate struct Key: Hashable, Sendable {
    var uuid: BluetoothUUID?
    var company: UInt16?
    var handle: UInt16?
    var channel: SerialChannel?
    var isAdvertised: Bool
  }

  private let options: ValuesOptions
  private let isJSON: Bool
  /// The captures, as a command names them.
  private let source: String
  private let limits: Limits
  private var conversations: Conversations
  private var filter: ValueFilter
  private var reading: ValueReading
  private var entries: [Entry] = []
  private var index: [Key: Int] = [:]
  private var omitted = 0

  /// The number of bytes shown of a value that nothing describes, and of profiles named for one
  /// attribute.
  private static let shown = 20
  private static let named = 8

  /// Creates a report on the selected values.
  ///
  /// - Parameters:
  ///   - isJSON: whether to write a JSON document (json.md).
  ///   - source: the captures, as a command names them.
  package init(
    _ options: ValuesOptions, isJSON: Bool = false, source: String = "CAPTURE",
    limits: Limits = Limits()
  ) {
    self.options = options
    self.source = source
    self.isJSON = isJSON
    self.limits = limits
    conversations = Conversations(limits)
    filter = ValueFilter(options)
    reading = ValueReading(
      options.profiles, showsKeys: options.showsKeys, keepsRecent: true)
  }

  /// Why there are no values.
  package var remark: String? { filter.remark }

  /// Always false: every packet may contain values.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    filter.observe(packet.record, memory)
    reading.follow(packet, memory)
    conversations.observe(packet, memory)
    count(memory)
  }

  private mutating func count(_ memory: borrowing Memory) {
    // Kept in a variable while they are counted: a span of the property would borrow all of `self`.
    let bytes = conversations.bytes
    for position in conversations.values.indices {
      let value = conversations.values[position]
      guard let slice = value.value, filter.admits(value, bytes.bytes) else { continue }
      let isRead = reading.read(value, bytes.bytes, memory)
      // In an empty value there is nothing to describe.
      guard isRead || slice.count > 0 else { continue }
      guard let place = place(value, memory) else {
        omitted += 1
        continue
      }
      entries[place].values += 1
      // A carrier of arbitrary bytes describes only text.
      let isCarried =
        reading.meaning.vendorName == nil
        && reading.meaning.decoded.definition?.subject.isCarrier == true
        && !bytes.bytes.part(slice).isPrintable
      guard isRead, !isCarried, let name = reading.meaning.profileName else {
        entries[place].unexplained += 1
        if value.isKeyMaterial, !options.showsKeys {
          entries[place].isSecret = true
        } else if entries[place].example.isEmpty {
          let part = Slice(start: Int(slice.start), count: min(Int(slice.count), Self.shown))
          entries[place].example = bytes.bytes.part(part).array
        }
        continue
      }
      let isByFrame = reading.meaning.sighting?.isByFrame ?? false
      if !reading.meaning.isPart, !reading.meaning.decoded.problems.isEmpty {
        entries[place].problems += 1
      }
      if let known = entries[place].profiles.firstIndex(where: { $0.name == name }) {
        entries[place].profiles[known].count += 1
      } else if entries[place].profiles.count < Self.named {
        entries[place].profiles.append((name, 1, isByFrame))
      }
    }
  }

  private mutating func place(_ value: ConveyedValue, _ memory: borrowing Memory) -> Int? {
    var key = Key(
      uuid: value.attribute.uuid, company: value.company, channel: value.attribute.channel,
      isAdvertised: value.operation == .advertisement)
    if key.uuid == nil, key.company == nil { key.handle = value.attribute.handle }
    if let known = index[key] { return known }
    guard entries.count < limits.valueSeries else { return nil }
    var subject = Output()
    if key.isAdvertised {
      subject.advertised(key.uuid, key.company)
    } else if let uuid = key.uuid {
      subject.uuid(uuid)
      subject.attributeName(uuid, as: value.attribute.kind?.use)
    } else if let channel = key.channel {
      subject.channel(channel)
    } else if let handle = key.handle {
      subject.handle(handle)
    } else {
      subject.text("not known")
    }
    index[key] = entries.count
    entries.append(Entry(subject: subject.bytes.array, key: key))
    return entries.count - 1
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    count(memory)
    if isJSON { writeJSON(into: &output) } else { writeText(into: &output) }
  }

  private func writeText(into output: inout Output) {
    if entries.isEmpty, omitted == 0 { output.text("no values to explain\n") }
    let width = min(44, entries.map { $0.subject.bytes.columns }.max() ?? 0)
    for entry in entries {
      var line = Output()
      line.raw(entry.subject.bytes)
      line.spaces(max(2, width + 2 - entry.subject.bytes.columns))
      line.count(entry.values, "value", "values")
      line.text("  ")
      for (place, profile) in entry.profiles.enumerated() {
        if place > 0 { line.text(", ") }
        line.string(profile.name)
        if profile.isByFrame { line.text(", recognized by frame") }
        if profile.count < entry.values {
          line.text(" (")
          line.decimal(profile.count)
          line.byte(0x29)
        }
      }
      if entry.problems > 0 {
        line.text("; ")
        line.decimal(entry.problems)
        line.text(" with problems")
      }
      if entry.unexplained > 0 {
        line.text(entry.profiles.isEmpty ? "no profile" : "; no profile for ")
        if !entry.profiles.isEmpty { line.decimal(entry.unexplained) }
        line.text(": ")
        if entry.example.isEmpty, entry.isSecret { line.text("<hidden>") }
        line.hex(entry.example.bytes, separator: 0x20)
        if entry.example.count == Self.shown { line.text(options.glyphs.ellipsis) }
      }
      line.byte(0x0a)
      output.text(line.bytes, options.glyphs)
    }
    if omitted > 0 {
      output.count(omitted, "value", "values")
      output.text(" of more attributes than are counted\n")
    }
    writeNext(into: &output)
  }

  /// Writes the command that learns the frames of values that nothing describes.
  private func writeNext(into output: inout Output) {
    let unknown = entries.filter { entry in
      !entry.key.isAdvertised && entry.unexplained >= LearntChannel.leastDifferent
    }
    guard !unknown.isEmpty else { return }
    output.text("to learn more: gattscope profiles learn ")
    if unknown.allSatisfy({ $0.key.uuid != nil }) {
      let most = unknown.indices.sorted { first, second in
        (unknown[second].unexplained, first) < (unknown[first].unexplained, second)
      }.prefix(4).sorted()
      output.text("--uuid ")
      output.listed(most.compactMap { unknown[$0].key.uuid }, separatedBy: ",") {
        $0.uuid($1.shortest)
      }
      output.byte(0x20)
    }
    output.text("-o gadget.yaml ")
    output.printable([UInt8](source.utf8).bytes)
    output.byte(0x0a)
  }

  private func writeJSON(into output: inout Output) {
    var sink = JSONSink(showsKeys: options.showsKeys)
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.beginList("subjects")
    for entry in entries { write(entry, to: &sink) }
    sink.endList()
    if omitted > 0 { sink.number("values_omitted", omitted) }
    sink.endDocument(in: &output)
  }

  private func write(_ entry: Entry, to sink: inout JSONSink) {
    sink.beginItem()
    if entry.key.isAdvertised {
      sink.word("of", entry.key.company == nil ? "service_data" : "manufacturer_data")
    } else {
      sink.word("of", entry.key.channel == nil ? "attribute" : "channel")
    }
    if let uuid = entry.key.uuid { sink.namedUUID(uuid) }
    if let company = entry.key.company {
      sink.code(
        "company", UInt64(company), digits: 4, assigned: CompanyID(rawValue: company).name)
    }
    if let handle = entry.key.handle { sink.identifier("handle", UInt64(handle), digits: 4) }
    if let channel = entry.key.channel { sink.channel(channel) }
    sink.number("values", entry.values)
    sink.beginList("profiles")
    for profile in entry.profiles {
      sink.beginItem()
      sink.string("profile", profile.name)
      sink.number("values", profile.count)
      if profile.isByFrame { sink.word("recognized_by", "frame") }
      sink.endItem()
    }
    sink.endList()
    if entry.problems > 0 { sink.number("values_with_problems", entry.problems) }
    if entry.unexplained > 0 {
      sink.number("unexplained", entry.unexplained)
      if entry.example.isEmpty, entry.isSecret {
        sink.hidden("example", 0)
      } else {
        sink.bytes("example", entry.example.bytes)
      }
    }
    sink.endItem()
  }
}
