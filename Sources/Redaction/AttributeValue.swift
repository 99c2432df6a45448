import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// A value of an attribute in an ATT PDU, or a part of one.
struct AttributeValue {
  /// The attribute's type; nil: unknown.
  var type: BluetoothUUID?
  /// Sensitive types that the attribute has elsewhere in the capture.
  var otherTypes: [BluetoothUUID] = []
  /// The attribute's handle; nil: unknown, of several attributes, or the PDUs show the type.
  var handle: UInt16?
  /// Its position in the PDU's bytes.
  var slice: Slice
  /// The offset in the attribute's value at which it begins.
  var offset = 0
  /// Whether it consists of values of several attributes, some of which are keys, names or numbers
  /// of devices, at unknown positions.
  var holdsSecrets = false
  /// Whether it is written with a response, which is how clients configure characteristics.
  var isWriteRequest = false
  /// Whether it was sent on a serial channel instead.
  var isSerial = false

  /// Returns the values in a PDU, except those that describe the layout of attributes.
  static func all(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ meanings: AttributeMeanings
  ) -> [AttributeValue] {
    var values = read(packet, memory, meanings)
    guard !values.isEmpty else { return [] }
    let server = AttributeMeanings.server(packet, memory)
    for index in values.indices {
      if let server { values[index].takeOthers(meanings, of: server, packet.bytes) }
      // Only the profile knows which part is the secret.
      let isSecret = memory.attributes.secretTypes.isProfiled
      if values[index].type.map(isSecret) == true
        || values[index].otherTypes.contains(where: isSecret)
      {
        values[index].holdsSecrets = true
      }
    }
    return values
  }

  /// Takes over what other parts of the capture reveal about its attribute.
  mutating func takeOthers(_ meanings: AttributeMeanings, of server: UInt64, _ bytes: RawSpan) {
    // What looks like a configuration is hardly anything else.
    guard let handle, type != nil || !isStructure(bytes) else { return }
    otherTypes = meanings.others(than: type?.shortest, handle, of: server)
  }

  private static func read(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ meanings: AttributeMeanings
  ) -> [AttributeValue] {
    guard let pdu = packet.dissection.att else { return serial(packet, memory) }
    let fields = packet.dissection.attFields
    let type = packet.answer.attribute.map { memory.attributes[$0].uuid }
    switch pdu.opcode {
    case .readByGroupTypeResponse, .findInformationResponse: return []
    case .findByTypeValueRequest:
      guard let slice = fields.value, !slice.isEmpty else { return [] }
      return [Self(type: fields.type, slice: slice)]
    case .readByTypeResponse:
      let asked = packet.answer.request?.type
      return items(fields.items, packet.bytes).map {
        // What was asked for by its type has that type.
        Self(type: asked, handle: asked == nil ? $0.handle : nil, slice: $0.value)
      }
    case .multipleHandleValueNotification, .readMultipleVariableResponse:
      // A response contains no handles: they are those of the request, in the same order.
      let asked = packet.answer.request.map { memory.askedHandles[$0.packet] } ?? []
      return items(fields.items, packet.bytes).map { item in
        let handle = item.handle ?? (item.index < asked.count ? asked[item.index] : nil)
        return Self(
          type: handle.flatMap { Self.type($0, pdu.opcode, packet, memory) },
          handle: handle, slice: item.value)
      }
    case .readMultipleResponse:
      guard let slice = fields.value, !slice.isEmpty else { return [] }
      // Several values without separators.
      let asked = packet.answer.request.map { memory.askedHandles[$0.packet] } ?? []
      let server = AttributeMeanings.server(packet, memory)
      let isSecret =
        memory.attributes.hasKeyMaterial || meanings.holdKeyMaterial
        || asked.contains {
          let type = Self.type($0, pdu.opcode, packet, memory)
          if type.map(Self.isPersonal) == true { return true }
          guard let server else { return false }
          return meanings.others(than: type, $0, of: server).contains(where: Self.isPersonal)
        }
      return [Self(type: nil, slice: slice, holdsSecrets: isSecret)]
    default:
      guard let slice = fields.value, !slice.isEmpty else { return [] }
      // A part that was read is where its request asked for it.
      let offset = fields.offset ?? packet.answer.request?.offset
      return [
        Self(
          type: type, handle: fields.handle ?? packet.answer.request?.handle, slice: slice,
          offset: Int(offset ?? 0),
          isWriteRequest: pdu.opcode == .writeRequest)
      ]
    }
  }

  /// Returns the value that a packet completes on a serial channel; it counts as one of the
  /// channel's service.
  private static func serial(
    _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> [AttributeValue] {
    guard let value = packet.serialValue, let link = packet.answer.link else { return [] }
    let service = memory.service(of: value.on, on: link)
    return [
      Self(otherTypes: service.map { [$0.shortest] } ?? [], slice: value.slice, isSerial: true)
    ]
  }

  /// Returns the type of an attribute that a PDU with this opcode and direction refers to.
  private static func type(
    _ handle: UInt16, _ opcode: ATTOpcode, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> BluetoothUUID? {
    guard let link = packet.answer.link, let direction = packet.record.direction,
      let place = memory.attribute(handle, opcode, direction, on: link)
    else { return nil }
    return memory.attributes[place].uuid
  }

  /// Returns whether values of a type identify a device or its user, or are secret.
  static func isPersonal(_ uuid: BluetoothUUID) -> Bool {
    let type = uuid.shortest
    guard type.width == 2 else { return false }
    return switch type.low {
    case 0x2a00, 0x2a03, 0x2a23, 0x2a25, 0x2a67, 0x2a69, 0x2a85, 0x2a87, 0x2a8a, 0x2a90, 0x2a9f,
      0x2aa4,
      0x2aae...0x2ab1, 0x2ab3, 0x2ab5...0x2ab7, 0x2ab9, 0x2b2d, 0x2b2e, 0x2b37, 0x2b84, 0x2b88,
      0x2bc7, 0x2bc8, 0x2bf7, 0x2bf8:
      true
    default: false
    }
  }

  private static func items(
    _ items: ATTItems?, _ bytes: RawSpan
  ) -> [(index: Int, handle: UInt16?, value: Slice)] {
    guard let items else { return [] }
    var result: [(index: Int, handle: UInt16?, value: Slice)] = []
    var cursor = Cursor(bytes, items.list)
    var index = 0
    while let item = items.next(&cursor) {
      if let value = item.value, !value.isEmpty { result.append((index, item.handle, value)) }
      index += 1
    }
    return result
  }

  /// Returns the bytes of an ATT PDU outside its fields: the parameters of an unassigned opcode,
  /// odd ends of lists, what follows the PDU's end, and impossible declarations of services.
  static func unclaimed(_ dissection: Dissection, _ bytes: RawSpan) -> [Slice] {
    guard let pdu = dissection.att else { return [] }
    let fields = dissection.attFields
    let body = dissection.body
    func from(_ start: Int) -> [Slice] {
      start < body.end ? [Slice(start: start, count: body.end - start)] : []
    }
    func from(offset: Int) -> [Slice] { from(Int(body.start) + offset) }
    // Its first parameter may be a handle; what follows may be a value.
    if pdu.isIncomplete { return from(offset: 3) }
    if let handles = fields.handles { return from(handles.end) }
    if fields.value == nil, fields.items == nil { return from(offset: fields.headSize) }
    guard let items = fields.items else { return [] }
    let isOfGroups = pdu.opcode == .readByGroupTypeResponse
    var result: [Slice] = []
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      // A service has a UUID of 2 bytes or 16 (Core, Vol 3, Part G, 3.1).
      if isOfGroups, let value = item.value, !value.isEmpty, ![2, 16].contains(value.count) {
        result.append(value)
      }
    }
    return result + from(cursor.offset)
  }

  /// Returns the fields of the value that are always sensitive, whatever the options.
  func sensitiveFields(_ bytes: RawSpan) -> [SensitiveField] {
    if holdsSecrets { return [SensitiveField(.secret, slice)] }
    let own = type.map { fields(of: $0, bytes) } ?? []
    if otherTypes.isEmpty { return own }
    let all = own + otherTypes.flatMap { fields(of: $0, bytes) }
    // The pseudonym of a text keeps blanks and punctuation, so those of others overwrite it.
    return all.filter(\.kind.isText) + all.filter { !$0.kind.isText }
  }

  /// Returns the sensitive fields of the value if its attribute has this type.
  private func fields(of uuid: BluetoothUUID, _ bytes: RawSpan) -> [SensitiveField] {
    let type = uuid.shortest
    guard type.width == 2 else { return [] }
    let count = Int(slice.count)
    func field(_ kind: SensitiveField.Kind, from start: Int, _ length: Int) -> [SensitiveField] {
      // If the value is a later part, its fields are shifted accordingly.
      let (first, end) = (max(0, start - offset), min(count, start + length - offset))
      guard first < end else { return [] }
      return [
        SensitiveField(kind, Slice(start: Int(slice.start) + first, count: end - first))
      ]
    }
    let opcode = bytes.byte(at: Int(slice.start))
    // A later part does not show how the whole begins: in any case it may contain the secret.
    if offset > 0 {
      switch type.low {
      case 0x2a9f: return field(.secret, from: 1, 3)
      case 0x2bc7: return field(.secret, from: 2, 16)
      case 0x2bc8: return field(.secret, from: 2, 6) + field(.secret, from: 14, 16)
      default: break
      }
    }
    switch type.low {
    case 0x2a00: return [SensitiveField(.name, slice)]
    case 0x2a23: return [SensitiveField(.systemID, slice)]
    case 0x2a25: return [SensitiveField(.serial, slice)]
    // First Name, Last Name, Email Address, Location Name; URI, HTTP Headers, HTTP Entity Body;
    // Emergency Text.
    case 0x2a8a, 0x2a90, 0x2a87, 0x2ab5...0x2ab7, 0x2ab9, 0x2b2e:
      return [SensitiveField(.personalText, slice)]
    // Registered User: segment (1 byte), in the first one also flags (1) and user (1); name.
    case 0x2b37: return field(.personalText, from: opcode & 1 == 1 ? 3 : 1, count)
    // Date of Birth; Latitude, Longitude, Local North, Local East Coordinate, Altitude; Emergency
    // ID.
    case 0x2a85, 0x2aae...0x2ab1, 0x2ab3, 0x2b2d: return [SensitiveField(.personalNumber, slice)]
    // Location and Speed, Position Quality: flags (2 bytes) show what follows.
    case 0x2a67, 0x2a69: return field(.personalNumber, from: 2, max(0, count + offset - 2))
    case 0x2a03 where count == 6 && offset == 0: return field(.address(isRandom: true), from: 0, 6)
    // User Control Point: Register New User (1 byte), consent code (2); Consent (1), user (1), code
    // (2).
    case 0x2a9f where opcode == 1: return field(.secret, from: 1, 2)
    case 0x2a9f where opcode == 2: return field(.secret, from: 2, 2)
    // Bond Management Control Point: opcode (1 byte), authorization code.
    case 0x2aa4: return field(.pin, from: 1, count)
    // Set Identity Resolving Key: type (1 byte), key (16).
    case 0x2b84: return field(.setKey, from: 1, 16)
    // Encrypted Data, AP Sync and ESL Response Key Material: session key (16 bytes), IV (8).
    case 0x2b88, 0x2bf7, 0x2bf8: return field(.secret, from: 0, 16) + field(.secret, from: 16, 8)
    // Broadcast Audio Scan Control Point: Set Broadcast_Code (1 byte), source (1), code (16).
    case 0x2bc7 where opcode == 4: return field(.secret, from: 2, 16)
    // Broadcast Receive State: source (1 byte), address type (1), address (6), SID (1), broadcast
    // (3), sync state (1), encryption (1): 3 for a wrong code, which follows (16).
    case 0x2bc8:
      let isCode = count > 13 && bytes.byte(at: Int(slice.start) + 13) == 3
      return field(.address(isRandom: opcode == 1), from: 2, 6)
        + (isCode ? field(.secret, from: 14, 16) : [])
    default: return []
    }
  }

  /// Returns how many of its bytes describe the layout and use of attributes and nothing personal:
  /// without them the rest cannot be understood. No field claims what follows them. Returns nil for
  /// a value that is the device's own data.
  func structureCount(_ bytes: RawSpan) -> Int? {
    let count = Int(slice.count)
    guard let type else {
      // What looks like the configuration of a characteristic most likely is one (0x0000 to
      // 0x0003).
      return isWriteRequest && count == 2 && bytes.littleEndianU16(at: Int(slice.start)) <= 3
        ? count : nil
    }
    let short = type.shortest
    guard short.width == 2 else { return nil }
    // In a value longer than its type allows, only the first bytes count.
    func exactly(_ sizes: Int...) -> Int { sizes.contains(offset + count) ? offset + count : 0 }
    let whole: Int
    switch short.low {
    // Services: a UUID. Includes: first and last handle, a 16-bit UUID. Characteristics:
    // properties, handle, UUID.
    case 0x2800, 0x2801: whole = max(2, exactly(16))
    case 0x2802: whole = max(4, exactly(6))
    case 0x2803: whole = max(5, exactly(19))
    // Extended properties, configurations, format, report reference.
    case 0x2900, 0x2902, 0x2903, 0x2908: whole = 2
    case 0x2904: whole = max(5, exactly(7))
    // The name, which gets a pseudonym.
    case 0x2a00: return count
    // For GAP appearance, parameters, address resolution; for GATT Service Changed, features,
    // Database Hash.
    case 0x2a01: whole = 2
    case 0x2a04: whole = max(4, exactly(8))
    case 0x2aa6: whole = 1
    case 0x2a05, 0x2b29, 0x2b3a: whole = 4
    case 0x2b2a: whole = exactly(16)
    default: return nil
    }
    return max(0, min(count, whole - offset))
  }

  /// Returns whether some of it describes the layout and use of attributes.
  func isStructure(_ bytes: RawSpan) -> Bool { structureCount(bytes) != nil }

  /// Returns what follows the bytes that describe the layout of attributes.
  func excess(_ bytes: RawSpan) -> Slice? {
    guard let known = structureCount(bytes), known < slice.count else { return nil }
    return Slice(start: Int(slice.start) + known, count: Int(slice.count) - known)
  }
}

extension Dissection {
  /// Returns whether the handles of a discovery response are possible: they ascend, and no group
  /// ends before it begins (Core, Vol 3, Part F, 3.4.3 and 3.4.4). True for all other PDUs.
  func hasPlausibleHandles(_ bytes: RawSpan) -> Bool {
    guard let att, let items = attFields.items else { return true }
    switch att.opcode {
    case .findInformationResponse, .findByTypeValueResponse, .readByTypeResponse,
      .readByGroupTypeResponse:
      var last = 0
      var cursor = Cursor(bytes, items.list)
      while let item = items.next(&cursor) {
        let handle = Int(item.handle ?? 0)
        let end = Int(item.endHandle ?? UInt16(handle))
        guard handle > last, end >= handle else { return false }
        last = end
      }
      return cursor.isAtEnd
    default: return true
    }
  }

  /// Returns whether it is a response that lists attributes.
  ///
  /// - Parameter type: the attribute type that its request asked for.
  func isDiscovery(_ type: BluetoothUUID?) -> Bool {
    switch att?.opcode {
    case .findInformationResponse?, .findByTypeValueResponse?, .readByGroupTypeResponse?: true
    case .readByTypeResponse?:
      type.map { $0.shortest.width == 2 && 0x2800...0x2803 ~= $0.shortest.low } ?? false
    default: false
    }
  }
}
