import Bluetooth
import Bytes
import Captures
import Decoders
import Dissectors
import Meanings
package import Sessions

/// The description of an ATT PDU.
extension Sentence {
  /// Appends the PDU's short name, its attribute and its value.
  mutating func att(_ pdu: ATTPDU, _ packet: borrowing Packet, _ memory: borrowing Memory) {
    secrecy = showsKeys ? .open : packet.answer.secrecy(pdu.opcode, memory)
    if packet.dissection.attFields.value != nil, isOfWholePacket {
      // Before anything is described, since the subject names the protocol.
      reading.observe(pdu.opcode, packet, memory, decodes: secrecy != .doubtful)
    } else if packet.dissection.attFields.error != nil, isOfWholePacket {
      reading.noteRefusal(packet)
    }
    if let short = pdu.opcode.shortName {
      name(short)
    } else {
      output.text("ATT opcode ")
      output.hexadecimal(UInt64(pdu.opcode.rawValue), digits: 2)
      endName()
    }
    if let error = packet.dissection.attFields.error {
      self.error(error, packet, memory)
    } else {
      subject(packet, memory)
      content(pdu, packet, memory)
    }
    // A response that took long shows its latency.
    if let latency = packet.answer.latency, latency >= 100_000_000 {
      comma()
      output.text("after ")
      output.duration(nanoseconds: latency)
    }
    if let channel = packet.answer.channel { bearer(channel) }
  }

  /// Appends the attribute: its identity, or the type that a discovery requests. A response
  /// contains neither, but its request does.
  private mutating func subject(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if let handle = packet.dissection.attFields.handle
      ?? packet.answer.request.flatMap({ $0.handle })
    {
      attribute(handle, packet.answer, memory)
    } else if let type = packet.dissection.attFields.type
      ?? packet.answer.request.flatMap({ $0.type })
    {
      attribute(type)
    }
    endSubject()
  }

  /// Appends an attribute as the subject: what is known of it, or its handle.
  private mutating func attribute(_ handle: UInt16, _ answer: Answer, _ memory: borrowing Memory) {
    if let place = answer.attribute {
      attribute(place, memory, isSubject: true)
    } else {
      output.handle(handle)
    }
  }

  /// Appends one of several attributes: what is known of it, or its handle.
  private mutating func attribute(
    _ handle: UInt16, _ opcode: ATTOpcode, _ direction: Direction?, _ answer: Answer,
    _ memory: borrowing Memory
  ) {
    if let direction, let link = answer.link,
      let place = memory.attribute(handle, opcode, direction, on: link)
    {
      attribute(place, memory, isSubject: false)
    } else {
      output.handle(handle)
    }
  }

  /// Appends a discovered attribute: UUID and name, its handle if others have the same UUID (as
  /// descriptors do in every second characteristic), and for a descriptor its characteristic.
  private mutating func attribute(
    _ place: Attributes.Place, _ memory: borrowing Memory, isSubject: Bool
  ) {
    let attribute = memory.attributes[place]
    self.uuid(of: attribute, isSubject: isSubject)
    let use = attribute.kind.use
    let own = attribute.kind == .value ? reading.profiles.ownName(attribute.uuid) : nil
    if let own {
      output.byte(0x20)
      output.string(own)
    } else {
      let isNamed = output.attributeName(
        attribute.uuid, called: names.name(of: attribute.uuid, as: use), as: use)
      if isSubject, !isNamed, attribute.kind == .value { profileName(attribute.uuid) }
    }
    if let value = memory.attributes.value(before: place) {
      output.text(" of ")
      self.uuid(of: memory.attributes[value], isSubject: isSubject)
    } else if attribute.kind == .descriptor, attribute.target != 0 {
      output.text(" of ")
      output.handle(attribute.target)
    }
    guard attribute.hasTwin || attribute.kind != .value else {
      if attribute.via == .inferred { output.text(" (inferred)") }
      if attribute.via == .supplied { output.text(" (supplied)") }
      return
    }
    output.text(" (")
    output.handle(attribute.handle)
    if attribute.via == .inferred { output.text(", inferred") }
    if attribute.via == .supplied { output.text(", supplied") }
    output.byte(0x29)
  }

  /// Appends the UUID of an attribute, a long one shortened.
  private mutating func uuid(of attribute: Attribute, isSubject: Bool) {
    let isShortened = output.uuid(attribute.uuid, attribute.part, ellipsis: glyphs.ellipsis)
    if isSubject, isShortened { noteEllipsis() }
  }

  private mutating func content(
    _ pdu: ATTPDU, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    if let start = packet.dissection.attFields.startHandle,
      let end = packet.dissection.attFields.endHandle
    {
      range(start, end)
    }
    if let mtu = packet.dissection.attFields.mtu {
      output.decimal(Int(mtu))
      if pdu.opcode == .exchangeMTUResponse, let link = packet.answer.link,
        let inForce = memory.links.connection(link).mtu
      {
        output.text(", MTU is ")
        output.decimal(Int(inForce))
      }
    }
    if let offset = packet.dissection.attFields.offset {
      output.text("from ")
      output.decimal(Int(offset))
    }
    if let flags = packet.dissection.attFields.executeFlags {
      output.named(ATTFields.executeName(flags), UInt64(flags), digits: 2)
    }
    if let handles = packet.dissection.attFields.handles {
      let list = packet.bytes.part(handles)
      for index in 0..<list.byteCount / 2 {
        comma()
        attribute(
          list.littleEndianU16(at: 2 * index), pdu.opcode, packet.record.direction, packet.answer,
          memory)
      }
    }
    if let value = packet.dissection.attFields.value {
      if packet.dissection.attFields.startHandle != nil || packet.dissection.attFields.offset != nil
      {
        output.text(": ")
      }
      // A service is searched by its UUID.
      if let type = packet.dissection.attFields.type,
        case .service(let uuid) = DeclaredAttribute(packet.bytes.part(value), type)
      {
        attribute(uuid)
      } else if reading.meaning.isKnown {
        reading.meaning.writeText(into: &output)
      } else {
        var uuid = packet.dissection.attFields.type
        if packet.bytes.part(value).countWithoutZeros < RawSpan.enoughForText,
          let place = packet.answer.attribute
        {
          uuid = memory.attributes[place].uuid
        }
        self.value(packet.bytes.part(value), of: uuid)
      }
    }
    if let counter = packet.dissection.attFields.signCounter {
      comma()
      output.text("signed, counter ")
      output.decimal(Int(counter))
    }
    if let items = packet.dissection.attFields.items {
      if items.layout == .handleLengthValue || items.layout == .lengthValue {
        notifications(items, pdu.opcode, packet, memory)
      } else {
        self.items(items, packet.bytes, packet.answer.request)
      }
    }
    if let data = packet.dissection.attFields.data {
      if pdu.isIncomplete, !data.isEmpty { output.text("incomplete: ") }
      if secrecy != .open, !data.isEmpty {
        hidden(Int(data.count))
      } else {
        output.hex(packet.bytes.part(data), separator: 0x20)
      }
    }
    // A PDU without content at least shows what it answers.
    if pdu.isBare, let request = packet.answer.request {
      output.text("to ")
      output.packet(request.packet)
    }
    if !memory.longValues.isEmpty { joined(pdu.opcode, packet, memory) }
  }

  /// Appends the values in parts that the packet completes, each with its packets.
  @inline(never)
  private mutating func joined(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let values = memory.longValues
    for joined in values.values {
      comma()
      if opcode == .executeWriteResponse {
        attribute(joined.handle, opcode, packet.record.direction, packet.answer, memory)
        output.byte(0x20)
      }
      let packets = values.packets[joined.packets]
      output.text(packets.count > 1 ? "joined from " : "from ")
      if let first = packets.first { output.packet(first) }
      if packets.count > 1, let last = packets.last {
        output.text(glyphs.to)
        output.packet(last)
      }
      if joined.offset > 0 {
        output.text(", from ")
        output.decimal(joined.offset)
      }
      output.text(": ")
      secrecy = showsKeys ? .open : packet.answer.secrecy(joined, memory)
      let uuid = packet.answer.attribute(joined, memory).flatMap { memory.attributes[$0].uuid }
      value(
        values.bytes.bytes.part(joined.value), of: uuid,
        isWhole: joined.offset == 0 && !joined.isCut)
      if joined.isCut { output.text(glyphs.ellipsis) }
    }
  }

  /// Appends a value: as text if it looks like text, as in `values`, otherwise in hexadecimal.
  ///
  /// - Parameter uuid: the type of the value, if known.
  private mutating func value(_ value: RawSpan, of uuid: BluetoothUUID?, isWhole: Bool = true) {
    if value.byteCount == 0 {
      unread(value, of: uuid)
    } else if let uuid, isWhole, isOfWholePacket, secrecy != .doubtful,
      reading.read(uuid.subjectKind, uuid, value)
    {
      reading.meaning.line.copy(into: &output)
    } else if secrecy != .open {
      hidden(value.byteCount)
    } else {
      unread(value, of: uuid)
    }
  }

  /// Appends a value that no profile decodes.
  mutating func unread(_ value: RawSpan, of uuid: BluetoothUUID?) {
    if value.byteCount == 0 {
      output.text("(empty)")
    } else if value.isText(of: uuid) {
      output.quoted(value)
    } else {
      output.hex(value, separator: 0x20)
    }
  }

  /// Follows the open frames of vendor protocols with a packet that is not described.
  package mutating func follow(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    reading.clear()
    reading.follow(packet, memory)
  }

  /// Appends what only a profile defines: a characteristic's name, or the protocol that it is used
  /// for.
  private mutating func profileName(_ uuid: BluetoothUUID) {
    if let name = reading.name(uuid) {
      output.byte(0x20)
      output.string(name)
    }
  }

  private mutating func range(_ start: UInt16, _ end: UInt16) {
    output.handle(start)
    output.text(glyphs.to)
    output.digits(end)
  }

  /// Appends an error. Attribute Not Found is how discovery ends, not an error.
  private mutating func error(
    _ error: ATTErrorCode, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    if let meaning = packet.answer.meaning(of: packet.dissection.attFields) {
      if let type = packet.answer.request?.type { attribute(type) }
      endSubject()
      switch meaning {
      case .endOfDiscovery: output.text("end")
      case .none: output.text("none")
      case .either: output.text("end or none")
      }
      return
    }
    if let handle = packet.dissection.attFields.handle, handle != 0 {
      attribute(handle, packet.answer, memory)
    }
    endSubject()
    let name =
      error.isOfProfile
      ? reading.profiles.errorName(error, of: ErrorSubject(packet.answer, memory)) : nil
    output.error(error, name)
    guard let opcode = packet.dissection.attFields.requestOpcode else { return }
    output.text(", to ")
    if let name = opcode.shortName {
      output.name(name)
    } else {
      output.hexadecimal(UInt64(opcode.rawValue), digits: 2)
    }
    if let request = packet.answer.request {
      output.byte(0x20)
      output.packet(request.packet)
    }
  }

  /// Appends the values of a Multiple Handle Value Notification, or of a read of several
  /// attributes, each after its attribute.
  private mutating func notifications(
    _ items: ATTItems, _ opcode: ATTOpcode, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let direction = packet.record.direction
    var cursor = Cursor(packet.bytes, items.list)
    var list = ListedValues(items, packet.answer, memory)
    while let (item, handle) = list.next(&cursor) {
      comma()
      if let handle {
        attribute(handle, opcode, direction, packet.answer, memory)
        output.byte(0x20)
      }
      if let value = item.value {
        self.value(
          packet.bytes.part(value), of: packet.answer.type(of: handle, opcode, direction, memory))
      }
      if item.missing > 0 { output.text(glyphs.ellipsis) }
    }
  }

  /// Appends the items of a list: what was found where.
  private mutating func items(_ items: ATTItems, _ bytes: RawSpan, _ request: Request?) {
    let type = request?.type
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      comma()
      if let value = item.value,
        case .characteristic(let declaration) = DeclaredAttribute(
          bytes.part(value), type)
      {
        characteristic(declaration)
        continue
      }
      if let handle = item.handle {
        output.handle(handle)
        if let end = item.endHandle {
          output.text(glyphs.to)
          output.digits(end)
        }
        // If a value was searched, it is in the request.
        if item.type != nil || item.value != nil || request?.service != nil { output.byte(0x20) }
      }
      if let uuid = item.type ?? (item.value == nil ? request?.service : nil) { attribute(uuid) }
      guard let value = item.value else { continue }
      switch DeclaredAttribute(bytes.part(value), type) {
      case .service(let uuid): attribute(uuid, as: .service)
      case .include(let include):
        output.text("includes ")
        range(include.startHandle, include.endHandle)
        if let uuid = include.uuid {
          output.byte(0x20)
          attribute(uuid, as: .service)
        }
      case .characteristic, .other: self.value(bytes.part(value), of: type)
      }
      if item.missing > 0 {
        output.text(glyphs.ellipsis)
      }
    }
  }

  /// Appends a UUID and its meaning. The company that registered it is of little use for a
  /// characteristic.
  private mutating func attribute(
    _ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse? = nil
  ) {
    output.uuid(uuid.shortest)
    if let use {
      output.attributeName(uuid, called: names.name(of: uuid, as: use), as: use)
    } else {
      attributeName(uuid)
    }
  }

  private mutating func attributeName(_ uuid: BluetoothUUID) {
    output.attributeName(uuid, called: names.name(of: uuid))
  }

  /// Appends a characteristic with the handle of its value, which reads and writes use.
  private mutating func characteristic(_ declaration: CharacteristicDeclaration) {
    output.handle(declaration.valueHandle)
    output.byte(0x20)
    attribute(declaration.uuid, as: .characteristic)
    for bit in 0..<8 where declaration.properties.has(bit: bit) {
      output.byte(0x20)
      output.text(CharacteristicProperties.word(bit: bit))
    }
  }
}
