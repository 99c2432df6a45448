import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The lines of `map` below the heading: services, characteristics, descriptors, and what is
/// unknown.
extension MapPage {
  mutating func write(_ service: MapService, _ device: MapDevice) {
    let declaration = service.declaration
    begin(.service)
    out.handle(declaration.handle)
    if declaration.end != 0 {
      out.text(glyphs.to)
      out.digits(declaration.end)
    }
    pad(to: Column.service)
    out.namedUUID(declaration.uuid, as: .service)
    if declaration.isSecondary { out.text(", secondary") }
    mark(declaration, device)
    endLine()
    for include in service.includes {
      begin(.include)
      out.spaces(2)
      out.handle(include.handle)
      pad(to: Column.characteristic)
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
  mutating func write(
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
      out.spaces(2)
      out.handle(characteristic.declaration?.target ?? attribute.handle)
      pad(to: Column.characteristic)
      out.uuid(attribute.uuid)
      if let name = reading.name(attribute.uuid) {
        out.byte(0x20)
        out.string(name)
      } else {
        out.attributeName(attribute.uuid, as: .characteristic)
      }
      // A long UUID takes a line of its own.
      if attribute.uuid.width == 16, !isOfCells { endLine() }
      pad(to: Column.properties)
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
    out.spaces(4)
    out.handle(descriptor.attribute.handle)
    pad(to: Column.descriptor)
    out.uuid(uuid)
    // Find Information lists values, too: at an unknown position it may be one.
    out.attributeName(uuid, as: uuid.isDescriptor ? .descriptor : nil)
    if uuid.width == 16, !isOfCells { endLine() }
    let isConfiguration = uuid == .clientConfiguration || uuid.isShort(0x2903)
    if let use = descriptor.use, let value = use.value {
      pad(to: Column.value)
      show(value, of: use, uuid)
      if use.valueOperation == .writeWithoutResponse { out.text(", written without response") }
    } else if !device.lacksRequests {
      pad(to: Column.value)
      out.text(isConfiguration ? "not written" : "not read")
    }
    mark(descriptor.attribute, device)
    endLine()
    if let use = descriptor.use { access(use) }
  }

  private mutating func properties(_ properties: CharacteristicProperties) {
    var isFirst = true
    for bit in 0..<8 where properties.has(bit: bit) {
      if !isFirst { out.byte(0x20) }
      isFirst = false
      out.text(CharacteristicProperties.word(bit: bit))
    }
  }

  private mutating func value(_ characteristic: MapCharacteristic, _ device: MapDevice) {
    if let use = characteristic.use, let value = use.value {
      pad(to: Column.value)
      show(value, of: use, characteristic.attribute.uuid)
      // For a characteristic that is only written, this is obvious.
      if use.valueOperation.isWrite, !characteristic.isOnlyWritten { out.text(", written") }
    } else if characteristic.declaration?.properties.has(bit: 1) ?? false, !device.lacksRequests {
      pad(to: Column.value)
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
    case .carried:
      out.text("  carried from ")
      out.packet(attribute.packet)
    case .supplied: out.text("  supplied")
    case .inferred:
      out.text("  inferred, ")
      out.packet(attribute.packet)
    }
  }

  func via(_ attribute: Attribute, _ device: MapDevice, _ connection: Int)
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
      out.spaces(Column.descriptor)
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
        out.text(" (")
        if let error = access.error {
          out.hexadecimal(UInt64(error.rawValue), digits: 2)
          out.text(", ")
        }
        out.packet(access.packet)
        out.byte(0x29)
      }
      endLine()
    }
  }

  // MARK: What is not known

  mutating func unknown(_ device: MapDevice) {
    reading.clear()
    guard !device.unknown.isEmpty else { return }
    endLine()
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
    out.spaces(2)
    out.handle(unknown.handle)
    pad(to: Column.characteristic)
    if let conclusion = unknown.conclusion {
      out.text("CCCD of ")
      out.handle(conclusion.value)
      out.text(", inferred")
    } else if unknown.mustBeValue {
      out.text("a value, inferred")
    } else if unknown.isDenied {
      out.text("no such attribute")
    } else {
      out.text("unknown")
    }
    if unknown.conclusion == nil, unknown.properties.rawValue != 0 {
      pad(to: Column.properties)
      properties(unknown.properties)
    }
    guard let use = unknown.use else {
      endLine()
      return
    }
    if let value = use.value {
      pad(to: Column.value)
      reading.clear()
      if unknown.conclusion != nil {
        reading.read(use, .clientConfiguration, service: nil)
      }
      show(value, of: use, nil)
    }
    endLine()
    begin(.remark)
    out.spaces(Column.descriptor)
    operations(use)
    if let conclusion = unknown.conclusion {
      out.text(": written in ")
      out.packet(conclusion.write)
      out.text(", heard in ")
      out.packet(conclusion.notification)
    }
    endLine()
    access(use)
  }

  /// Appends how often each operation was done, the lengths of the values, and where.
  private mutating func operations(_ use: AttributeUse) {
    var isFirst = true
    func separate(_ out: inout Output, _ separator: StaticString) {
      if !isFirst { out.text(separator) }
      isFirst = false
    }
    for operation in ValueOperation.allCases {
      let count = use.count(of: operation)
      guard count > 0 else { continue }
      separate(&out, ", ")
      out.text(operation.words)
      if count > 1 {
        out.byte(0x20)
        out.decimal(count)
        out.text(" times")
      }
    }
    if let lengths = use.lengths {
      separate(&out, "; ")
      out.decimal(lengths.lowerBound)
      if lengths.count > 1 {
        out.text(glyphs.to)
        out.decimal(lengths.upperBound)
      }
      out.text(lengths == 1...1 ? " byte" : " bytes")
    }
    separate(&out, ", ")
    out.packet(use.packets.lowerBound)
    if use.packets.count > 1 {
      out.text(glyphs.to)
      out.packet(use.packets.upperBound)
    }
  }
}

extension ValueOperation {
  /// The words before a count.
  var words: StaticString {
    switch self {
    case .advertisement: "advertised"
    case .read: "read"
    case .write: "write"
    case .writeWithoutResponse: "write-nr"
    case .signedWrite: "signed-write"
    case .preparedWrite: "prepared write"
    case .notification: "notification"
    case .indication: "indication"
    }
  }
}
