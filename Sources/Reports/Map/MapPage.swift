import Bluetooth
package import Bytes
import Dissectors
import Meanings
import Sessions

/// `map` in words: the lines about one device after the other, each in cells.
package struct MapPage: ~Copyable {
  /// The devices that are not described yet, the next one last.
  private var devices: [MapDevice]
  private var isFirst = true
  private let options: MapOptions
  private let glyphs: Glyphs
  /// Decodes values.
  private var reading: ValueReading
  /// The lines about the current device.
  package private(set) var lines: [Line] = []
  /// The length of the longest list of properties that the device declares.
  private(set) var longestProperties = 0
  /// The text of all cells.
  private var out = Output()
  /// The line that is not finished yet, and where its last cell begins in `out`.
  private var line = Line()
  private var cellStart = 0

  /// A line, and where its cells are in the page's text.
  package struct Line {
    /// The subject of a line.
    package enum Kind {
      case device, detail, title, service, include, characteristic, descriptor, remark
    }

    /// The place of a cell in a line.
    enum Cell: Int {
      case handle, name, properties, value
    }

    /// The subject of the line; `detail` adds to what the device's line shows.
    package fileprivate(set) var kind = Kind.detail
    /// The cells, indexed by `Cell`. A line that is not about an attribute has only the first.
    package fileprivate(set) var cells = InlineArray<4, Slice?>(repeating: nil)
    /// The number of cells up to the last one.
    package fileprivate(set) var count = 1
  }

  /// The maximum number of list items that are named in a line.
  private static let mostNamed = 8

  init(_ devices: [MapDevice], _ messages: LastMessages, _ options: MapOptions) {
    self.devices = devices.reversed()
    self.options = options
    glyphs = options.glyphs
    reading = ValueReading(options.profiles, showsKeys: options.showsKeys, messages.recent)
  }

  /// Writes all lines as a tree.
  mutating func write(into output: inout Output) {
    var tree = MapTree(options)
    while next() { tree.write(self, into: &output) }
  }

  /// Replaces the lines by those about the next device. If there is no device at all, they explain
  /// why.
  ///
  /// - Returns: whether there are lines.
  package mutating func next() -> Bool {
    lines.removeAll(keepingCapacity: true)
    out.clear()
    cellStart = 0
    if let device = devices.popLast() {
      write(device)
    } else if isFirst {
      writeNothing()
    } else {
      return false
    }
    isFirst = false
    return true
  }

  /// The text of a cell.
  package subscript(_ cell: Slice) -> RawSpan {
    @_lifetime(borrow self) get { out.bytes.part(cell) }
  }

  /// Writes why there is no device.
  private mutating func writeNothing() {
    let selection = options.selection
    if selection.isOfAttributes {
      out.text("no such attribute is known")
    } else if !selection.excluded.isEmpty {
      out.text("everything that is known is excluded")
    } else if selection.isEverything {
      out.text("the capture has no connection")
    } else {
      out.text(
        selection.devices.isEmpty
          ? "there was no such connection" : "no such device was connected")
    }
    endLine()
  }

  private mutating func endLine() {
    endCell()
    lines.append(line)
    line = Line()
  }

  private mutating func endCell() {
    line.cells[line.count - 1] = Slice(start: cellStart, count: out.count - cellStart)
    cellStart = out.count
  }

  /// Begins a line of a kind.
  private mutating func begin(_ kind: Line.Kind) { line.kind = kind }

  /// Ends the current cell and begins another one; those between them stay empty.
  private mutating func begin(_ cell: Line.Cell) {
    endCell()
    line.count = cell.rawValue + 1
  }

  // MARK: The heading

  private mutating func write(_ device: MapDevice) {
    reading.learn(device)
    let properties = device.services.flatMap(\.characteristics) + device.looseElsewhere
    longestProperties = properties.compactMap(\.declaration?.properties.columns).max() ?? 0
    begin(.device)
    if let adapter = device.adapter {
      let vantage = Attributes.vantage(ofLocal: device.key)
      out.text(Side.local.words(vantage))
      if let number = adapter.number, vantage == .host { out.write(", hci\(number)") }
      if let address = device.address { out.write(", \(address)") }
      out.text(", as a server")
    } else {
      address(device)
    }
    connections(device)
    endLine()
    if device.isEmpty {
      out.text(
        device.mayLackAnswers
          ? "no attribute is in the capture" : "no attribute was discovered or used")
      endLine()
      return
    }
    summary(device)
    endLine()
    proof(device)
    if let use = device.database?.outdatedUse {
      out.outdated(use)
      endLine()
    }
    disagreements(device)
    conflicts(device)
    for service in device.services { write(service, device) }
    let loose = device.looseElsewhere
    if !loose.isEmpty {
      begin(.title)
      out.text("in no service that was discovered")
      endLine()
      for characteristic in loose { write(characteristic, device) }
    }
    unknown(device)
  }

  private mutating func address(_ device: MapDevice) {
    if let identity = device.identity {
      out.address(identity)
      out.text("  identity")
    } else if let address = device.address {
      out.address(address)
      out.text("  ")
      if let kind = device.kind { out.text(kind.words) }
    } else {
      out.text("unknown device")
    }
    let others = device.addresses.filter { $0 != device.identity ?? device.address }
    if !others.isEmpty { out.text(device.identity == nil ? ", also as " : ", as ") }
    out.listed(others, most: 8) { $0.address($1) }
    out.text(device.names.isEmpty ? "" : ", ")
    out.listed(device.names, separatedBy: " and ") { $0.quoted($1.bytes) }
  }

  private mutating func connections(_ device: MapDevice) {
    let ids = device.connections
    out.text(ids.count == 1 ? ", connection " : ", connections ")
    out.listed(ids, most: 8) { $0.decimal($1) }
    if let mtu = device.mtu { out.mtu(mtu) }
  }

  private mutating func summary(_ device: MapDevice) {
    let summary = device.summary
    guard summary.services + summary.characteristics + summary.descriptors > 0 else {
      out.text(
        device.mayLackAnswers
          ? "the capture shows no whole discovery; " : "nothing was discovered; ")
      out.count(summary.unknown, "handle was used", "handles were used")
      return
    }
    let supplied = summary.supplied
    // Discovered and supplied attributes are counted separately.
    let isMixed = device.database?.discovery != nil && supplied.count > 0
    let counted = summary.services + summary.characteristics + summary.descriptors
    let inferred = summary.inferred
    if isMixed, counted == supplied.count + inferred.count {
      count(supplied, "supplied")
      out.text("; nothing else was discovered")
      discovery(device)
    } else if counted == inferred.count {
      count(inferred, "inferred")
      extent(device)
    } else {
      count(
        summary.services - inferred.services - (isMixed ? supplied.services : 0),
        summary.characteristics - inferred.characteristics
          - (isMixed ? supplied.characteristics : 0),
        summary.descriptors - inferred.descriptors - (isMixed ? supplied.descriptors : 0),
        isBrief: isMixed || inferred.count > 0 || device.database?.discovery == nil)
      extent(device)
      if isMixed {
        out.text("; ")
        count(supplied, "supplied")
      }
    }
    if device.database?.discovery == nil, summary.unknown > 0 {
      out.write("; \(count: summary.unknown, "more handle was used", "more handles were used")")
    }
    if inferred.count > 0, counted != inferred.count {
      out.text("; ")
      count(inferred, "inferred")
    }
    if device.usualVia == .carried { out.text("; all on an earlier connection") }
    guard device.usualVia == .discovered else { return }
    let characteristics = device.characteristics.filter { !$0.isPlaceholder }
    let carried = device.services.map(\.declaration) + characteristics.map(\.attribute)
    let connection = device.connections.last ?? 0
    if carried.contains(where: { via($0, device, connection) == .carried }) {
      out.write("; what is not marked was discovered on connection \(connection)")
    }
  }

  private mutating func count(_ part: MapSummary.Part, _ word: StaticString) {
    count(part.services, part.characteristics, part.descriptors, isBrief: true)
    out.write(" \(word)")
  }

  /// - Parameter isBrief: whether zero counts are omitted.
  private mutating func count(
    _ services: Int, _ characteristics: Int, _ descriptors: Int, isBrief: Bool = false
  ) {
    let parts: [(count: Int, one: StaticString, several: StaticString)] = [
      (services, "service", "services"),
      (characteristics, "characteristic", "characteristics"),
      (descriptors, "descriptor", "descriptors"),
    ]
    let isBrief = isBrief && parts.contains { $0.count > 0 }
    out.listed(parts.filter { !isBrief || $0.count > 0 }) { $0.count($1.count, $1.one, $1.several) }
  }

  /// Appends what was requested, and what was not.
  private mutating func extent(_ device: MapDevice) {
    let summary = device.summary
    if device.database?.discovery == nil {
      let isSupplied = device.usualVia == .supplied
      out.text(
        !isSupplied
          ? device.mayLackAnswers
            ? ", the capture shows no whole discovery" : ", nothing was discovered"
          : summary.isAllSupplied ? ", all supplied" : ", supplied but for what is marked")
      return
    }
    let isAll = [
      summary.serviceExtent, summary.characteristicExtent, summary.descriptorExtent,
    ].allSatisfy { $0 == .all }
    out.text(isAll ? ", all discovered" : ", discovered")
    discovery(device)
    unasked(device, "; ")
  }

  /// Appends the packets of the first and the last discovery.
  private mutating func discovery(_ device: MapDevice) {
    guard let packets = device.database?.discovery else { return }
    out.write(" (\(words(packets)))")
  }

  /// Returns the first and the last packet of a range.
  private func words(_ packets: ClosedRange<Int>) -> Wording {
    packets.count == 1
      ? "\(packet: packets.lowerBound)"
      : "\(packet: packets.lowerBound)\(glyphs.to)\(packet: packets.upperBound)"
  }

  /// Appends what was not requested, or what no complete answer in the capture covers.
  ///
  /// - Parameter start: the text before it.
  private mutating func unasked(_ device: MapDevice, _ start: StaticString) {
    let summary = device.summary
    var searches: [(words: StaticString, extent: MapDevice.Extent, found: Int)] = [
      ("services", summary.serviceExtent, summary.services),
      ("characteristics", summary.characteristicExtent, summary.characteristics),
      ("descriptors", summary.descriptorExtent, summary.descriptors),
      ("includes", summary.includeExtent, 0),
    ]
    // Without its request, an answer does not show what was searched.
    for index in searches.indices
    where device.mayLackAnswers && searches[index].extent == .none && searches[index].found > 0 {
      searches[index].extent = .part
    }
    var isFirst = true
    let words: [(MapDevice.Extent, StaticString)] =
      device.mayLackAnswers
      ? [(.part, " not all discovered"), (.none, " not discovered")]
      : [(.part, " not all requested"), (.none, " not requested")]
    for (extent, words) in words {
      let left = searches.filter { $0.extent == extent }
      guard !left.isEmpty else { continue }
      for (index, search) in left.enumerated() {
        let separator: StaticString = index + 1 == left.count ? " and " : ", "
        out.text(index > 0 ? separator : isFirst ? start : "; ")
        out.text(search.words)
        isFirst = false
      }
      out.text(words)
    }
  }

  private mutating func proof(_ device: MapDevice) {
    guard let hash = device.database?.hash, let proof = device.proof else { return }
    switch proof {
    case .proven: out.text("complete and proven: the Database Hash agrees")
    case .surplus(let attribute):
      out.text("the Database Hash agrees without ")
      name(attribute)
    case .missing(let attribute):
      out.text("the Database Hash agrees with one attribute more: ")
      name(attribute)
    case .disproved:
      out.text("the Database Hash does not agree, and one attribute does not explain it")
    case .concluded(let attributes):
      out.text("complete and proven: the Database Hash agrees, with ")
      out.text(attributes.count == 1 ? "an inferred CCCD at " : "inferred CCCDs at ")
      out.listed(attributes, most: Self.mostNamed) { $0.handle($1.handle) }
    case .unchecked:
      out.text("the Database Hash cannot be checked")
      unasked(device, ": ")
    }
    out.write(" (\(packet: hash.packet))")
    endLine()
  }

  /// Appends an attribute's handle and its kind.
  private mutating func name(_ attribute: Attribute) {
    out.handle(attribute.handle)
    switch attribute.kind {
    case .service: out.text(attribute.isSecondary ? ", secondary service " : ", service ")
    case .include: out.text(", include of ")
    case .characteristic: out.text(", characteristic ")
    case .value: out.text(", value of ")
    case .descriptor: out.text(", descriptor ")
    }
    out.uuid(attribute.uuid.shortest)
    out.attributeName(attribute.uuid, as: attribute.kind.use)
    guard attribute.kind == .characteristic else { return }
    for bit in 0..<8 where attribute.properties.has(bit: bit) {
      out.byte(0x20)
      out.text(CharacteristicProperties.word(bit: bit))
    }
  }

  /// Appends the supplied attributes that the capture contradicts.
  private mutating func conflicts(_ device: MapDevice) {
    for conflict in device.database?.conflicts ?? [] {
      let refused: StaticString = conflict.error == nil ? "" : " refused"
      out.write("supplied, but contradicted by \(conflict.operation.words)\(refused) in ")
      out.write("\(packet: conflict.packet): ")
      name(conflict.attribute)
      out.text("; nothing that was supplied is used of ")
      out.handle(conflict.range.lowerBound)
      if conflict.range.count > 1 {
        out.text(glyphs.to)
        out.digits(conflict.range.upperBound)
      }
      endLine()
    }
  }

  private mutating func disagreements(_ device: MapDevice) {
    for disagreement in device.database?.disagreements ?? [] {
      out.text("discoveries disagree: ")
      if let newer = disagreement.newer {
        name(newer)
        out.write(" (\(packet: disagreement.packet)), but before ")
      }
      name(disagreement.older)
      let isSupplied = disagreement.older.via == .supplied
      out.write(isSupplied ? " (supplied)" : " (\(packet: disagreement.older.packet))")
      if disagreement.newer == nil {
        out.write(" is missing from a later search (\(packet: disagreement.packet))")
      }
      endLine()
    }
  }
}

/// The lines of `map` below the heading: services, characteristics, descriptors, and what is
/// unknown.
extension MapPage {
  private mutating func write(_ service: MapService, _ device: MapDevice) {
    let declaration = service.declaration
    begin(.service)
    out.handle(declaration.handle)
    if declaration.end != 0 {
      out.text(glyphs.to)
      out.digits(declaration.end)
    }
    begin(.name)
    out.namedUUID(declaration.uuid, as: .service)
    if declaration.isSecondary { out.text(", secondary") }
    mark(declaration, device)
    endLine()
    for include in service.includes {
      begin(.include)
      out.handle(include.handle)
      begin(.name)
      out.text("includes ")
      out.handle(include.target)
      out.text(glyphs.to)
      out.digits(include.end)
      if include.uuid != .include {
        out.byte(0x20)
        out.namedUUID(include.uuid, as: .service)
      } else if let included = device.database?.service(of: include.target) {
        out.byte(0x20)
        out.namedUUID(included.uuid, as: .service)
      }
      mark(include, device)
      endLine()
    }
    for characteristic in service.characteristics {
      write(characteristic, device, service: declaration.uuid)
    }
  }

  /// - Parameter service: the characteristic's service, if known.
  private mutating func write(
    _ characteristic: MapCharacteristic, _ device: MapDevice, service: BluetoothUUID? = nil
  ) {
    let attribute = characteristic.attribute
    reading.clear()
    if let use = characteristic.use {
      reading.read(
        use, attribute.uuid, service: service, server: device.key,
        handle: characteristic.value.handle)
    }
    if !characteristic.isPlaceholder {
      begin(.characteristic)
      out.handle(characteristic.declaration?.target ?? attribute.handle)
      begin(.name)
      out.uuid(attribute.uuid.shortest)
      if let name = reading.name(attribute.uuid) {
        out.byte(0x20)
        out.string(name)
      } else {
        out.attributeName(attribute.uuid, as: .characteristic)
      }
      begin(.properties)
      if let declaration = characteristic.declaration {
        properties(declaration.properties)
      } else {
        out.text("not declared")
      }
      value(characteristic, device)
      mark(attribute, device)
      endLine()
      if let use = characteristic.use { access(use) }
    }
    for descriptor in characteristic.descriptors { write(descriptor, device) }
  }

  private mutating func write(_ descriptor: MapDescriptor, _ device: MapDevice) {
    let uuid = descriptor.attribute.uuid
    reading.clear()
    if let use = descriptor.use { reading.read(use, uuid, service: nil) }
    begin(.descriptor)
    out.handle(descriptor.attribute.handle)
    begin(.name)
    out.uuid(uuid.shortest)
    // Find Information lists values, too: at an unknown position it may be one.
    out.attributeName(uuid, as: uuid.isDescriptor ? .descriptor : nil)
    let isConfiguration = uuid == .clientConfiguration || uuid.isShort(0x2903)
    if let use = descriptor.use, let value = use.value {
      begin(.value)
      show(value, of: use, uuid)
      if use.valueOperation == .writeWithoutResponse { out.text(", written without response") }
    } else if !device.lacksRequests {
      begin(.value)
      out.text(isConfiguration ? "not written" : "not read")
    }
    mark(descriptor.attribute, device)
    endLine()
    if let use = descriptor.use { access(use) }
  }

  private mutating func properties(_ properties: CharacteristicProperties) {
    out.listed((0..<8).filter { properties.has(bit: $0) }, separatedBy: " ") {
      $0.text(CharacteristicProperties.word(bit: $1))
    }
  }

  private mutating func value(_ characteristic: MapCharacteristic, _ device: MapDevice) {
    if let use = characteristic.use, let value = use.value {
      begin(.value)
      show(value, of: use, characteristic.attribute.uuid)
      // For a characteristic that is only written, this is obvious.
      if use.valueOperation.isWrite, !characteristic.isOnlyWritten { out.text(", written") }
    } else if characteristic.declaration?.properties.has(bit: 1) ?? false, !device.lacksRequests {
      begin(.value)
      out.text("not read")
    }
  }

  /// Appends a value: as text if it looks like text, as in `values`, otherwise as bytes.
  private mutating func show(_ value: [UInt8], of use: AttributeUse, _ uuid: BluetoothUUID?) {
    if value.isEmpty {
      out.text("(empty)")
    } else if reading.meaning.isKnown {
      reading.meaning.line.copy(into: &out)
    } else if reading.profiles.hides(use, uuid) {
      out.text("<hidden>")
    } else if value.bytes.isText(of: uuid) {
      out.quoted(value.bytes)
    } else {
      out.hex(value.bytes, separator: 0x20)
    }
  }

  /// Appends how it is known, if that differs from the heading.
  private mutating func mark(_ attribute: Attribute, _ device: MapDevice) {
    let via = via(attribute, device, device.connections.last ?? 0)
    guard via != device.usualVia else { return }
    switch via {
    case .discovered: out.text("  discovered")
    case .carried: out.write("  carried from \(packet: attribute.packet)")
    case .supplied: out.text("  supplied")
    case .inferred: out.write("  inferred, \(packet: attribute.packet)")
    }
  }

  private func via(_ attribute: Attribute, _ device: MapDevice, _ connection: Int)
    -> Attribute.Via
  {
    device.database?.via(of: attribute, on: connection) ?? attribute.via
  }

  /// Appends what was refused, and whether the same was allowed at another time.
  private mutating func access(_ use: AttributeUse) {
    for operation in ValueOperation.allCases {
      let accesses = use.accesses.filter { $0.operation == operation }
      guard accesses.contains(where: { $0.error != nil }) else { continue }
      begin(.remark)
      out.text(operation.words)
      let isOfSecurity = accesses.contains { $0.error?.isAboutSecurity ?? false }
      for (index, access) in accesses.enumerated() {
        out.text(index == 0 ? " " : ", ")
        out.text(access.error == nil ? "allowed" : "refused")
        switch access.security {
        case _ where !isOfSecurity: break
        case .unknown: break
        case .unencrypted: out.text(" unencrypted")
        case .encrypted: out.text(" encrypted")
        case .authenticated: out.text(" encrypted and authenticated")
        }
        let error: Wording = access.error.map { "\(code: $0.rawValue, digits: 2), " } ?? ""
        out.write(" (\(error)\(packet: access.packet))")
      }
      endLine()
    }
  }

  // MARK: What is not known

  private mutating func unknown(_ device: MapDevice) {
    reading.clear()
    guard !device.unknown.isEmpty else { return }
    begin(.title)
    out.text("used, but not discovered")
    endLine()
    for unknown in device.unknown {
      write(unknown)
      for descriptor in device.descriptors(of: unknown.handle) { write(descriptor, device) }
    }
  }

  private mutating func write(_ unknown: MapUnknown) {
    begin(.characteristic)
    out.handle(unknown.handle)
    begin(.name)
    if let conclusion = unknown.conclusion {
      out.write("CCCD of \(handle: conclusion.value), inferred")
    } else if unknown.mustBeValue {
      out.text("a value, inferred")
    } else if unknown.isDenied {
      out.text("no such attribute")
    } else {
      out.text("unknown")
    }
    if unknown.conclusion == nil, unknown.properties.rawValue != 0 {
      begin(.properties)
      properties(unknown.properties)
    }
    guard let use = unknown.use else {
      endLine()
      return
    }
    if let value = use.value {
      begin(.value)
      reading.clear()
      if unknown.conclusion != nil {
        reading.read(use, .clientConfiguration, service: nil)
      }
      show(value, of: use, nil)
    }
    endLine()
    begin(.remark)
    operations(use)
    if let conclusion = unknown.conclusion {
      out.write(
        ": written in \(packet: conclusion.write), heard in \(packet: conclusion.notification)")
    }
    endLine()
    access(use)
  }

  /// Appends how often each operation was done, the lengths of the values, and where.
  private mutating func operations(_ use: AttributeUse) {
    var isFirst = true
    for operation in ValueOperation.allCases {
      let count = use.count(of: operation)
      guard count > 0 else { continue }
      out.separate(&isFirst)
      out.text(operation.words)
      if count > 1 { out.write(" \(count) times") }
    }
    if let lengths = use.lengths {
      out.separate(&isFirst, by: "; ")
      out.decimal(lengths.lowerBound)
      if lengths.count > 1 {
        out.text(glyphs.to)
        out.decimal(lengths.upperBound)
      }
      out.text(lengths == 1...1 ? " byte" : " bytes")
    }
    out.separate(&isFirst)
    out.write(words(use.packets))
  }
}
