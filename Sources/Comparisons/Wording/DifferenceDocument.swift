import Bluetooth
import Bytes
import Histories
import Meanings
import Reports
import Sessions

/// `diff --json`: one document (json.md).
struct DifferenceDocument: ~Copyable {
  private let report: DifferenceReport
  private var sink: JSONSink

  init(_ report: DifferenceReport) {
    self.report = report
    sink = JSONSink(showsKeys: report.options.showsKeys)
  }

  mutating func write(into output: inout Output) {
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.flag("same", report.isSame)
    side("left", report.options.names.left, report.records.left, report.isDamaged.left)
    side("right", report.options.names.right, report.records.right, report.isDamaged.right)
    sink.beginList("pairs")
    for (place, compared) in report.compared.enumerated() { write(compared, place) }
    sink.endList()
    devices("only_left", report.unpaired.left)
    devices("only_right", report.unpaired.right)
    lone()
    sink.beginList("first")
    for (place, compared) in report.compared.enumerated() {
      let difference = compared.difference
      guard let first = difference.first else { continue }
      sink.beginItem()
      sink.number("pair", place + 1)
      sink.word("kind", first.kind.key)
      let operation =
        first.left.map { difference.operations.left[$0] }
        ?? first.right.map { difference.operations.right[$0] }
      by(operation)
      for (key, place, isLeft) in [
        ("left" as StaticString, first.left, true), ("right", first.right, false),
      ] {
        guard let place, let described = difference.side(of: place, isLeft: isLeft) else {
          continue
        }
        sink.begin(key)
        fields(described)
        if let bytes = difference.bytes(place, isLeft: isLeft) { sink.bytes("value", bytes.bytes) }
        sink.end()
      }
      sink.endItem()
    }
    sink.endList()
    facts("security", .security)
    facts("link", .link)
    map()
    operations()
    timing()
    sink.endDocument(in: &output)
  }

  // MARK: What is compared

  private mutating func side(
    _ key: StaticString, _ name: String, _ records: Int?, _ isDamaged: Bool
  ) {
    sink.begin(key)
    sink.string("name", [UInt8](name.utf8).bytes)
    if let records { sink.number("records", records) }
    if isDamaged { sink.flag("damaged", true) }
    sink.end()
  }

  private mutating func write(_ compared: DifferenceReport.Compared, _ place: Int) {
    let pair = compared.pair
    sink.beginItem()
    sink.begin("left")
    device(pair.left)
    sink.end()
    sink.begin("right")
    device(pair.right)
    sink.end()
    sink.word("paired_by", pair.basis.key)
    if let words = report.firstWords(ofPair: place) { sink.string("headline", words.text) }
    let more = compared.difference.unpaired
    if !more.left.isEmpty { sink.packets("more_connections_left", more.left[...]) }
    if !more.right.isEmpty { sink.packets("more_connections_right", more.right[...]) }
    let left = compared.notCompared
    if !left.isEmpty {
      sink.beginList("not_compared")
      for (parts, why) in left {
        for part in parts {
          sink.beginItem()
          sink.word("what", part)
          sink.string("why", why.text)
          sink.endItem()
        }
      }
      sink.endList()
    }
    let hints = compared.hints()
    if !hints.isEmpty {
      sink.beginList("hints")
      for hint in hints { sink.element(string: [UInt8](hint.text.utf8).bytes) }
      sink.endList()
    }
    sink.endItem()
  }

  private mutating func device(_ device: RememberedCapture.Device) {
    if let address = device.address { sink.address("address", address) }
    if let name = device.names.last { sink.string("name", name.bytes) }
    if let role = device.localRole, !device.isOnAir { sink.word("local_role", role.key) }
    if !device.connections.isEmpty { sink.packets("connections", device.connections[...]) }
  }

  private mutating func devices(_ key: StaticString, _ devices: [RememberedCapture.Device]) {
    guard !devices.isEmpty else { return }
    sink.beginList(key)
    for other in devices {
      sink.beginItem()
      device(other)
      sink.endItem()
    }
    sink.endList()
  }

  /// Appends the connections without a counterpart, if there are any.
  private mutating func lone() {
    if report.lone.isEmpty { return }
    sink.beginList("unpaired")
    for connection in report.lone {
      sink.beginItem()
      if let pair = connection.pair { sink.number("pair", pair + 1) }
      sink.word("side", connection.side)
      sink.number("connection", connection.number)
      sink.number("operations", connection.operations)
      sink.number("failures", connection.failures)
      sink.string("text", connection.words().text)
      sink.endItem()
    }
    sink.endList()
  }

  // MARK: What differs

  /// Appends one side of an entry, or nothing if there is none.
  private mutating func side(_ key: StaticString, _ side: DescribedSide?) {
    guard let side else { return }
    sink.begin(key)
    fields(side)
    sink.end()
  }

  private mutating func fields(_ side: DescribedSide) {
    if let packets = side.packets {
      sink.number("packet", packets.lowerBound)
      if packets.count > 1 { sink.number("last_packet", packets.upperBound) }
    }
    let words = side.wordsAlone ?? side.words
    if !words.isEmpty { sink.string("text", words.text) }
  }

  private mutating func facts(_ key: StaticString, _ section: Difference.Fact.Section) {
    sink.beginList(key)
    for (place, compared) in report.compared.enumerated() {
      for fact in compared.difference.facts
      where fact.section == section && (!fact.isSame || report.options.showsEqual) {
        sink.beginItem()
        sink.number("pair", place + 1)
        sink.word("kind", fact.isSame ? "same" : "changed")
        if fact.isUncertain { sink.flag("uncertain", true) }
        sink.word("name", fact.name)
        side("left", connection: fact.connections.left, fact.left, fact.packets.left)
        side("right", connection: fact.connections.right, fact.right, fact.packets.right)
        sink.endItem()
      }
    }
    sink.endList()
  }

  private mutating func side(
    _ key: StaticString, connection: Int, _ words: Wording, _ packet: Int?
  ) {
    sink.begin(key)
    sink.number("connection", connection)
    fields(DescribedSide(words: words, packets: packet.map { $0...$0 }))
    sink.end()
  }

  private mutating func map() {
    sink.beginList("map")
    for (place, compared) in report.compared.enumerated() {
      let maps = compared.difference.maps
      for (isCentral, entries) in [(false, maps.peripheral), (true, maps.central)] {
        for entry in entries {
          sink.beginItem()
          sink.number("pair", place + 1)
          sink.word("kind", entry.kind.key)
          sink.word("server", isCentral ? "central" : "peripheral")
          sink.word("attribute", entry.subject.key)
          if let uuid = entry.uuid { sink.uuid("uuid", uuid) }
          if let owner = entry.owner { sink.uuid("of", owner) }
          if entry.what.utf8CodeUnitCount > 0 { sink.word("what", entry.what) }
          side("left", MapDifference.side(entry.left))
          side("right", MapDifference.side(entry.right))
          if !entry.remark.isEmpty { sink.string("remark", entry.remark.text) }
          sink.endItem()
        }
      }
    }
    sink.endList()
  }

  private mutating func operations() {
    sink.beginList("operations")
    for (place, compared) in report.compared.enumerated() {
      for step in compared.difference.steps where step.kind != .same || report.options.showsEqual {
        write(step, compared.difference, pair: place + 1)
      }
    }
    sink.endList()
  }

  private mutating func write(_ step: Difference.Step, _ difference: Difference, pair: Int) {
    let first =
      difference.operations(of: step, isLeft: true).first
      ?? difference.operations(of: step, isLeft: false).first
    guard let first else { return }
    let session = step.left == nil ? difference.sessions.right : difference.sessions.left
    sink.beginItem()
    sink.number("pair", pair)
    let kind: StaticString =
      switch step.kind {
      case .same: "same"
      case .changed: "changed"
      case .removed: "removed"
      case .added: "added"
      }
    sink.word("kind", kind)
    sink.word("operation", first.kind.key)
    sink.string("name", difference.title(of: step).text)
    if let role = first.role.map({ session.roles[$0] }) {
      if let service = role.service { sink.uuid("service", service) }
      if let uuid = role.uuid { sink.uuid("uuid", uuid) }
      if role.isInferred { sink.word("uuid_via", "inferred") }
    }
    by(first)
    side("left", step, difference, isLeft: true)
    side("right", step, difference, isLeft: false)
    if let other = step.counterpart.map({ difference.steps[$0] }),
      let described = difference.side(of: other, isLeft: step.kind == .added),
      let packets = described.packets
    {
      sink.number("moved", packets.lowerBound)
    }
    if step.isExpected { sink.flag("expected", true) }
    if step.changeCount > 0, !step.changes.isEmpty { changes(step, difference) }
    sink.endItem()
  }

  /// Appends which device did it, if known.
  private mutating func by(_ operation: ComparedOperation?) {
    guard let isByCentral = operation?.isByCentral else { return }
    sink.word("by", isByCentral ? "central" : "peripheral")
  }

  private mutating func side(
    _ key: StaticString, _ step: Difference.Step, _ difference: Difference, isLeft: Bool
  ) {
    guard let described = difference.side(of: step, isLeft: isLeft) else { return }
    let operations = difference.operations(of: step, isLeft: isLeft)
    sink.begin(key)
    fields(described)
    if operations.count > 1 { sink.number("count", operations.count) }
    if operations.count == 1, let only = operations.first {
      one(only, isLeft ? difference.sessions.left : difference.sessions.right)
    }
    sink.end()
  }

  /// Appends the properties of a single operation.
  private mutating func one(_ operation: ComparedOperation, _ session: ComparedSession) {
    sink.number("connection", operation.connection)
    if let handle = operation.role.flatMap({ session.roles[$0].handle }) {
      sink.identifier("handle", UInt64(handle), digits: 4)
    }
    if let failure = operation.failure { sink.string("error", session.text(failure)) }
    guard case .value = operation.kind, let value = operation.value else { return }
    if operation.isHidden {
      sink.hidden("value", Int(value.count))
    } else {
      sink.bytes("value", Array(session.bytes(value)).bytes)
    }
  }

  private mutating func changes(_ step: Difference.Step, _ difference: Difference) {
    sink.number("changed_values", step.changeCount)
    sink.beginList("changes")
    for change in step.changes {
      sink.beginItem()
      let outcomes = difference.outcomes(change, hasBytes: false)
      side(
        "left", change.left, outcomes.left, difference,
        isLeft: true, isRun: step.left?.count != 1)
      side(
        "right", change.right, outcomes.right, difference,
        isLeft: false, isRun: step.right?.count != 1)
      sink.beginList("fields")
      for field in difference.fields(of: change) {
        sink.beginItem()
        sink.string("name", field.name)
        for (key, value) in [("left" as StaticString, field.left), ("right", field.right)] {
          guard let value else { continue }
          if field.isHidden {
            sink.hidden(key, value.utf8.count / 2)
          } else {
            sink.string(key, value)
          }
        }
        if let key = field.expectation.key { sink.word("expected", key) }
        sink.endItem()
      }
      sink.endList()
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func side(
    _ key: StaticString, _ place: Int, _ words: Wording, _ difference: Difference, isLeft: Bool,
    isRun: Bool
  ) {
    let operation = isLeft ? difference.operations.left[place] : difference.operations.right[place]
    sink.begin(key)
    if operation.packet != .max { sink.number("packet", operation.packet) }
    // A step of one operation has its value.
    if isRun, !words.isEmpty { sink.string("text", words.text) }
    if isRun, let bytes = difference.bytes(place, isLeft: isLeft) {
      sink.bytes("value", bytes.bytes)
    }
    sink.end()
  }

  private mutating func timing() {
    sink.beginList("timing")
    for (place, compared) in report.compared.enumerated() {
      for entry in compared.difference.timing {
        sink.beginItem()
        sink.number("pair", place + 1)
        sink.word("kind", "changed")
        sink.word("what", entry.kind.key)
        sink.string("name", entry.name.text)
        side("left", entry.left)
        side("right", entry.right)
        sink.endItem()
      }
    }
    sink.endList()
  }

  private mutating func side(_ key: StaticString, _ side: TimingDifference.Half) {
    sink.begin(key)
    // Exact to 0.001 ms.
    sink.fixed("time_ms", Int(side.time / 1000), decimals: 3)
    sink.number("samples", side.count)
    if let packet = side.packet, packet != .max { sink.number("packet", packet) }
    sink.end()
  }
}
