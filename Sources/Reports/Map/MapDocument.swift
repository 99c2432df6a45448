import Bluetooth
import Bytes
import Decoders
import Dissectors
import Meanings
import Sessions

/// `map --json`: one document (json.md).
struct MapDocument: ~Copyable {
  private let devices: [MapDevice]
  private var sink: JSONSink

  /// Decodes values, and determines which may be written.
  private var reading: ValueReading
  private var server: UInt64?

  init(
    _ devices: [MapDevice], _ messages: LastMessages, showsKeys: Bool, profiles: SuppliedProfiles?
  ) {
    reading = ValueReading(profiles, showsKeys: showsKeys, messages.recent)
    self.devices = devices
    sink = JSONSink(showsKeys: showsKeys)
  }

  mutating func write(into output: inout Output) {
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.beginList("devices")
    for device in devices {
      sink.beginItem()
      write(device)
      sink.endItem()
    }
    sink.endList()
    sink.endDocument(in: &output)
  }

  private mutating func write(_ device: MapDevice) {
    server = device.key
    reading.learn(device)
    if let address = device.address { sink.address("address", address) }
    if let kind = device.kind?.key { sink.word("address_type", kind) }
    if let identity = device.identity { sink.address("identity", identity) }
    if device.addresses.count > 1 {
      sink.beginList("addresses")
      for address in device.addresses { sink.element(address: address) }
      sink.endList()
    }
    if let name = device.names.last { sink.string("name", name.bytes) }
    if device.adapter != nil, Attributes.vantage(ofLocal: device.key) == .air {
      sink.server(.air)
    } else if let adapter = device.adapter {
      sink.flag("local", true)
      if let number = adapter.number { sink.number("adapter", Int(number)) }
    }
    sink.packets("connections", device.connections[...])
    if let mtu = device.mtu, mtu.isExchanged { sink.number("mtu", mtu.value) }
    if let database = device.database { write(database, device) }
    let connection = device.connections.last ?? 0
    sink.beginList("services")
    for service in device.services {
      sink.beginItem()
      write(service, device.database, connection)
      sink.endItem()
    }
    sink.endList()
    write(device.loose, always: false, device.database, connection)
    guard !device.unknown.isEmpty else { return }
    sink.beginList("unknown")
    for unknown in device.unknown {
      sink.beginItem()
      write(unknown)
      sink.endItem()
    }
    sink.endList()
  }

  /// Appends how much was searched, and whether the hash proves it.
  private mutating func write(_ database: Database, _ device: MapDevice) {
    if let discovery = database.discovery {
      let summary = device.summary
      sink.begin("discovery")
      sink.packets("packets", [discovery.lowerBound, discovery.upperBound][...])
      sink.word("services", summary.serviceExtent.key)
      sink.word("includes", summary.includeExtent.key)
      sink.word("characteristics", summary.characteristicExtent.key)
      sink.word("descriptors", summary.descriptorExtent.key)
      sink.end()
    }
    if let hash = database.hash {
      sink.bytes("database_hash", hash.value.bytes)
    }
    if let hash = database.hash, let proof = device.proof {
      sink.begin("proof")
      sink.number("packet", hash.packet)
      switch proof {
      case .proven: sink.word("outcome", "proven")
      case .surplus(let attribute):
        sink.word("outcome", "one_too_many")
        write(attribute)
      case .missing(let attribute):
        sink.word("outcome", "one_missing")
        write(attribute)
      case .disproved: sink.word("outcome", "not_equal")
      case .concluded(let attributes):
        sink.word("outcome", "proven")
        sink.beginList("inferred")
        for attribute in attributes { sink.element(handle: attribute.handle) }
        sink.endList()
      case .unchecked: sink.word("outcome", "not_checkable")
      }
      sink.end()
    }
    if let use = database.outdatedUse {
      sink.begin("outdated_use")
      sink.number("connection", use.connection)
      sink.number("first", use.first)
      sink.word("sign", use.sign.key)
      if let error = use.sign.error {
        sink.code("error", UInt64(error.rawValue), digits: 2, error.name)
      }
      sink.number("packet", use.packet)
      sink.end()
    }
    if !database.conflicts.isEmpty {
      sink.beginList("conflicts")
      for conflict in database.conflicts {
        sink.beginItem()
        write(conflict.attribute)
        sink.word("operation", conflict.operation.key)
        if let error = conflict.error {
          sink.code("outcome", UInt64(error.rawValue), digits: 2, error.name)
        }
        sink.number("packet", conflict.packet)
        sink.identifier("start_handle", UInt64(conflict.range.lowerBound), digits: 4)
        sink.identifier("end_handle", UInt64(conflict.range.upperBound), digits: 4)
        sink.endItem()
      }
      sink.endList()
    }
    guard !database.disagreements.isEmpty else { return }
    sink.beginList("disagreements")
    for disagreement in database.disagreements {
      sink.beginItem()
      sink.identifier("handle", UInt64(disagreement.older.handle), digits: 4)
      for (key, attribute) in [("before", disagreement.older), ("now", disagreement.newer)]
        as [(StaticString, Attribute?)]
      {
        guard let attribute else {
          sink.number("missing", disagreement.packet)
          continue
        }
        sink.begin(key)
        sink.word("attribute", attribute.kind.key)
        sink.namedUUID(attribute.uuid, as: attribute.kind.use)
        if attribute.packet > 0 {
          sink.number("packet", attribute.packet)
        } else {
          sink.word("via", attribute.via.key)
        }
        sink.end()
      }
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func write(_ attribute: Attribute) {
    sink.identifier("handle", UInt64(attribute.handle), digits: 4)
    sink.word("attribute", attribute.kind.key)
    sink.namedUUID(attribute.uuid, as: attribute.kind.use)
    if attribute.kind == .characteristic { properties(attribute.properties) }
  }

  private mutating func write(
    _ service: MapService, _ database: Database?, _ connection: Int
  ) {
    let declaration = service.declaration
    sink.namedUUID(declaration.uuid, as: .service)
    sink.word("type", declaration.isSecondary ? "secondary" : "primary")
    sink.identifier("start_handle", UInt64(declaration.handle), digits: 4)
    if declaration.end != 0 { sink.identifier("end_handle", UInt64(declaration.end), digits: 4) }
    source(declaration, database, connection)
    if !service.includes.isEmpty {
      sink.beginList("includes")
      for include in service.includes {
        sink.beginItem()
        if include.uuid != .include {
          sink.namedUUID(include.uuid)
        } else if let included = database?.service(of: include.target) {
          sink.namedUUID(included.uuid)
        }
        sink.identifier("handle", UInt64(include.handle), digits: 4)
        sink.identifier("start_handle", UInt64(include.target), digits: 4)
        sink.identifier("end_handle", UInt64(include.end), digits: 4)
        source(include, database, connection)
        sink.endItem()
      }
      sink.endList()
    }
    write(
      service.characteristics, of: declaration.uuid, always: true, database, connection)
  }

  /// Appends characteristics, and descriptors that belong to no known one.
  ///
  /// - Parameters:
  ///   - service: their service, if known.
  ///   - isAlways: whether an empty list is written, too.
  private mutating func write(
    _ characteristics: [MapCharacteristic], of service: BluetoothUUID? = nil, always isAlways: Bool,
    _ database: Database?,
    _ connection: Int
  ) {
    let whole = characteristics.filter { !$0.isPlaceholder }
    if isAlways || !whole.isEmpty {
      sink.beginList("characteristics")
      for characteristic in whole { write(characteristic, of: service, database, connection) }
      sink.endList()
    }
    for placeholder in characteristics where placeholder.isPlaceholder {
      write(placeholder.descriptors, of: service, database, connection)
    }
  }

  private mutating func write(
    _ descriptors: [MapDescriptor], of service: BluetoothUUID?, _ database: Database?,
    _ connection: Int
  ) {
    sink.beginList("descriptors")
    for descriptor in descriptors {
      let attribute = descriptor.attribute
      sink.beginItem()
      sink.namedUUID(attribute.uuid)
      sink.identifier("handle", UInt64(attribute.handle), digits: 4)
      if attribute.target != 0 { sink.identifier("of", UInt64(attribute.target), digits: 4) }
      source(attribute, database, connection)
      if let use = descriptor.use {
        write(use, attribute.uuid, kind: .descriptor, service: service)
      }
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func source(_ attribute: Attribute, _ database: Database?, _ connection: Int) {
    sink.word("via", (database?.via(of: attribute, on: connection) ?? attribute.via).key)
    if attribute.packet > 0 { sink.number("packet", attribute.packet) }
  }

  private mutating func properties(_ properties: CharacteristicProperties) {
    sink.words(
      "properties", bits: Int(properties.rawValue), of: 8, CharacteristicProperties.key(bit:))
  }

  private mutating func write(
    _ characteristic: MapCharacteristic, of service: BluetoothUUID?, _ database: Database?,
    _ connection: Int
  ) {
    sink.beginItem()
    defer { sink.endItem() }
    sink.namedUUID(characteristic.attribute.uuid)
    if let declaration = characteristic.declaration {
      sink.identifier("declaration_handle", UInt64(declaration.handle), digits: 4)
      sink.identifier("value_handle", UInt64(declaration.target), digits: 4)
      properties(declaration.properties)
    } else {
      sink.identifier("value_handle", UInt64(characteristic.value.handle), digits: 4)
    }
    source(characteristic.attribute, database, connection)
    if let use = characteristic.use {
      write(
        use, characteristic.attribute.uuid, service: service, handle: characteristic.value.handle)
    }
    write(characteristic.descriptors, of: service, database, connection)
  }

  /// Appends the value, and the attempts to access it.
  private mutating func write(
    _ use: AttributeUse, _ uuid: BluetoothUUID?, kind: Attribute.Kind = .value,
    service: BluetoothUUID? = nil, handle: UInt16? = nil
  ) {
    if let value = use.value {
      if reading.profiles.hides(use, uuid) {
        sink.hidden("value", value.count)
      } else {
        sink.bytes("value", value.bytes)
      }
      sink.number("value_packet", use.valuePacket)
      sink.word("value_operation", use.valueOperation.key)
      if let uuid,
        reading.read(use, uuid, service: service, server: server, handle: handle)
      {
        sink.key("decoded")
        reading.meaning.writeJSON(value.bytes, into: &sink.output)
      }
    }
    guard !use.accesses.isEmpty else { return }
    sink.beginList("access")
    for access in use.accesses {
      sink.beginItem()
      sink.word("operation", access.operation.key)
      if let security = access.security.key { sink.word("security", security) }
      if let error = access.error {
        let subject = ErrorSubject(kind, uuid, service: service)
        sink.error("outcome", error, reading.profiles.errorName(error, of: subject))
      } else if access.isOutcomeKnown {
        sink.code("outcome", 0, digits: 2, "Success")
      }
      sink.number("packet", access.packet)
      sink.endItem()
    }
    sink.endList()
  }

  private mutating func write(_ unknown: MapUnknown) {
    sink.identifier("handle", UInt64(unknown.handle), digits: 4)
    sink.counts("operations", by: "operation", of: ValueOperation.allCases) {
      ($0.key, unknown.use?.count(of: $0) ?? 0)
    }
    if let conclusion = unknown.conclusion {
      sink.word("role", "cccd")
      sink.identifier("of", UInt64(conclusion.value), digits: 4)
      sink.word("via", "inferred")
      sink.packets("packets", [conclusion.write, conclusion.notification][...])
    } else if unknown.mustBeValue {
      sink.word("role", "value")
      sink.word("via", "inferred")
    }
    if unknown.conclusion == nil, unknown.properties.rawValue != 0 {
      properties(unknown.properties)
    }
    if let use = unknown.use { write(use, nil) }
  }
}

extension ValueReading {
  /// Decodes the last value of an attribute. Returns false if there is none that is known and may
  /// be decoded.
  @discardableResult
  mutating func read(
    _ use: AttributeUse, _ uuid: BluetoothUUID, service: BluetoothUUID?,
    server: UInt64? = nil, handle: UInt16? = nil
  ) -> Bool {
    clear()
    // A value that may belong to another attribute, such as a key, must not be decoded.
    guard let value = use.value, profiles.showsKeys || !use.isSecret else { return false }
    if readAgain(use.valuePacket, handle, value.bytes, server: server) { return true }
    return readAlone(
      uuid, service: service, value.bytes, isWritten: use.valueOperation.isWrite, server: server,
      handle: handle)
  }
}

extension AttributeUse.Security {
  /// The name in the JSON contract; nil: unknown.
  var key: StaticString? {
    switch self {
    case .unknown: nil
    case .unencrypted: "unencrypted"
    case .encrypted: "encrypted"
    case .authenticated: "authenticated"
    }
  }
}
