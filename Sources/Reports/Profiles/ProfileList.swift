import Bluetooth
package import Bytes
package import Decoders

/// `profiles list`: lists what built-in profiles and the user's decode.
package struct ProfileList: Sendable {
  private let own: SuppliedProfiles
  private let definitions: [Definition]
  private let vendors: [VendorProtocol]
  private let glyphs: Glyphs

  /// Creates a list of the user's profiles, followed by the built-in ones.
  package init(own: SuppliedProfiles, glyphs: Glyphs) {
    self.own = own
    self.glyphs = glyphs
    definitions = own.definitions + BuiltInProfiles.all
    vendors = own.vendors + BuiltInProfiles.vendors
  }

  // MARK: Text

  /// Writes a line for each definition and protocol.
  package func writeText(into output: inout Output) {
    var rows = definitions.enumerated().map { place, definition in
      [
        definition.subject.words, [UInt8](definition.name.utf8),
        profile(definition.profile, isOwn: place < own.definitions.count),
      ]
    }
    for (place, vendor) in vendors.enumerated() {
      var title = Output()
      title.string(vendor.title)
      title.text(", ")
      title.count(vendor.messageCount, "message", "messages")
      rows.append([
        [UInt8]("protocol".utf8), title.bytes.array,
        profile(vendor.profile, isOwn: place < own.vendors.count),
      ])
    }
    let widths = (0..<2).map { column in rows.map { Self.columns($0[column]) }.max() ?? 0 }
    var line = Output()
    for row in rows {
      for (column, cell) in row.enumerated() {
        line.raw(cell.bytes)
        line.spaces(column < 2 ? widths[column] + 2 - Self.columns(cell) : 0)
      }
      line.byte(0x0a)
    }
    line.count(definitions.count, "definition", "definitions")
    line.text(", ")
    line.count(vendors.count, "protocol", "protocols")
    line.byte(0x0a)
    output.text(line.bytes, glyphs)
  }

  private static func columns(_ cell: [UInt8]) -> Int { cell.bytes.columns }

  private func profile(_ name: String, isOwn: Bool) -> [UInt8] {
    [UInt8]((isOwn ? name + ", your own" : name).utf8)
  }

  // MARK: JSON

  /// Writes one document (json.md).
  package func writeJSON(into output: inout Output) {
    var sink = JSONSink(showsKeys: false)
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.beginList("definitions")
    for (place, definition) in definitions.enumerated() {
      sink.beginItem()
      sink.string("profile", definition.profile)
      if place < own.definitions.count { sink.flag("own", true) }
      definition.subject.write(to: &sink)
      sink.string("name", definition.name)
      if definition.hasSecrets { sink.flag("has_secrets", true) }
      sink.endItem()
    }
    sink.endList()
    sink.beginList("protocols")
    for (place, vendor) in vendors.enumerated() {
      sink.beginItem()
      sink.string("profile", vendor.profile)
      if place < own.vendors.count { sink.flag("own", true) }
      sink.string("title", vendor.title)
      sink.beginList("applies_to")
      for claim in vendor.claims { Self.write(claim, to: &sink) }
      sink.endList()
      sink.number("messages", vendor.messageCount)
      sink.endItem()
    }
    sink.endList()
    sink.endDocument(in: &output)
  }

  private static func write(_ claim: VendorProtocol.Claim, to sink: inout JSONSink) {
    sink.beginItem()
    if let characteristic = claim.characteristic { sink.uuid("characteristic", characteristic) }
    if let service = claim.service { sink.uuid("service", service) }
    if let device = claim.device { sink.string("device", device) }
    if let company = claim.company {
      sink.code(
        "company", UInt64(company), digits: 4, assigned: CompanyID(rawValue: company).name)
    }
    if let channel = claim.channel { sink.channel(channel) }
    if claim.isFrame { sink.flag("frame", true) }
    sink.endItem()
  }
}

extension Subject {
  /// In words: its kind and its identifier.
  var words: [UInt8] {
    var output = Output()
    output.text(kind.words)
    output.byte(0x20)
    if kind == .advertisingData {
      output.hexadecimal(uuid.low, digits: 2)
    } else {
      output.uuid(uuid)
    }
    return output.bytes.array
  }

  /// Writes the subject of the definition.
  fileprivate func write(to sink: inout JSONSink) {
    sink.word("of", kind.key)
    switch kind {
    case .characteristic, .descriptor, .serviceData, .service: sink.uuid("uuid", uuid)
    case .company:
      let company = CompanyID(rawValue: UInt16(truncatingIfNeeded: uuid.low))
      sink.code("company", uuid.low, digits: 4, assigned: company.name)
    case .advertisingData: sink.identifier("ad_type", uuid.low, digits: 2)
    case .message: sink.identifier("command", uuid.low, digits: 2)
    }
    if let service { sink.uuid("service", service) }
    if let device { sink.string("device", device) }
    if let ownAddress { sink.number("own_address", ownAddress) }
    if !match.isEmpty {
      var pattern = Output()
      for byte in match {
        if pattern.count > 0 { pattern.byte(0x20) }
        if let byte { pattern.hex(byte) } else { pattern.text("??") }
      }
      sink.string("match", pattern.bytes)
    }
    if let sizes {
      sink.number("least_bytes", sizes.lowerBound)
      sink.number("most_bytes", sizes.upperBound)
    }
    if isCarrier { sink.flag("carrier", true) }
  }
}

extension Subject.Kind {
  fileprivate var words: StaticString {
    switch self {
    case .characteristic: "characteristic"
    case .descriptor: "descriptor"
    case .company: "manufacturer data of"
    case .serviceData: "service data of"
    case .advertisingData: "advertising data"
    case .message: "command"
    case .service: "errors of service"
    }
  }

  /// The name in the JSON contract.
  fileprivate var key: StaticString {
    switch self {
    case .characteristic: "characteristic"
    case .descriptor: "descriptor"
    case .company: "manufacturer_data"
    case .serviceData: "service_data"
    case .advertisingData: "advertising_data"
    case .message: "command"
    case .service: "service"
    }
  }
}
