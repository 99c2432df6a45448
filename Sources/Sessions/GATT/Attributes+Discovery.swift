import Bluetooth
import Bytes
import Dissectors

/// What discovery reveals: each form of it, in any order and in parts (Core, Vol 3, Part G, 4.4 to
/// 4.7).
extension Attributes {
  /// A response that is being read.
  private struct Source {
    let server: Int
    let connection: Int
    let packet: Int
    var via = Attribute.Via.discovered
    var older: Attribute?
  }

  /// Learns from a discovery response.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the slices of `items` count from.
  ///   - request: the request that the response answers, which determines what the values are.
  /// - Returns: the earlier attribute, if the response contradicts what was known about one.
  mutating func learn(
    _ opcode: ATTOpcode, _ items: ATTItems, _ bytes: RawSpan, _ request: Request, of key: UInt64,
    connection: Int, packet: Int
  ) -> Attribute? {
    switch opcode {
    case .readByGroupTypeResponse, .findByTypeValueResponse, .readByTypeResponse,
      .findInformationResponse:
      break
    default: return nil
    }
    var source = Source(
      server: open(key, packet: packet), connection: connection, packet: packet)
    let count = servers[source.server].count
    var cursor = Cursor(bytes, items.list)
    /// The handle after a characteristic's declaration: its value's.
    var valueHandle: UInt16?
    var last: UInt16?
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { return source.older }
      last = max(last ?? 0, item.endHandle ?? handle)
      if let type = item.type {
        let isValue = valueHandle == handle
        valueHandle = type == .characteristic && handle < .max ? handle + 1 : nil
        guard !type.isDeclaration else { continue }
        note(handle, isValue ? .value : .descriptor, type, &source)
        if type == .clientConfiguration {
          change(source.server) { database in
            // A handle that sent values before this discovery may be what it configures.
            if let sender = database.evidence.sender(before: handle) {
              database.joinConfiguration(of: sender)
            }
          }
        }
      } else if let value = item.value {
        note(handle, item.endHandle, bytes.part(value), request, &source)
        // The value's handle cannot hold a declaration, so it needs no search.
        if request.type == .characteristic, handle < .max,
          let declaration = CharacteristicDeclaration(bytes.part(value)),
          declaration.valueHandle == handle + 1
        {
          last = max(last ?? 0, handle + 1)
        }
      } else if let end = item.endHandle, let uuid = request.service {
        note(
          handle, .service, uuid, end: end, isSecondary: request.type == .secondaryService, &source)
      }
    }
    var isNews = servers[source.server].count > count
    if let last, let search = request.search, let first = request.startHandle, first <= last {
      change(source.server) { database in
        if search == .primaryServices { database.forgetServices(missingFrom: packet, first, last) }
        isNews = database.cover(search, first, last, on: source.connection) || isNews
      }
    }
    if isNews, last != nil, request.type.map({ $0.isDeclaration }) ?? true {
      change(source.server) { $0.noteDiscovery(request.packet, packet) }
    }
    return source.older
  }

  /// Infers attributes from a response whose request is missing, if its list can hardly be anything
  /// else: a Read By Group Type Response lists services (Core, Vol 3, Part F, 3.4.4.9), and a list of
  /// values each of which contains the next handle, as the declaration of a characteristic does
  /// (Part G, 3.3.1), lists characteristics.
  mutating func infer(
    _ opcode: ATTOpcode, _ items: ATTItems, _ bytes: RawSpan, of key: UInt64, connection: Int,
    packet: Int
  ) {
    let isOfServices = opcode == .readByGroupTypeResponse
    guard isOfServices || opcode == .readByTypeResponse else { return }
    var cursor = Cursor(bytes, items.list)
    var last: UInt16 = 0
    while let item = items.next(&cursor) {
      guard let handle = item.handle, handle > last, let value = item.value, item.missing == 0
      else { return }
      if isOfServices {
        guard let end = item.endHandle, end >= handle, value.count == 2 || value.count == 16 else {
          return
        }
        last = end
      } else {
        guard handle < .max, let declaration = CharacteristicDeclaration(bytes.part(value)),
          declaration.valueHandle == handle + 1
        else { return }
        last = handle + 1
      }
    }
    guard last > 0 else { return }
    var source = Source(
      server: open(key, packet: packet), connection: connection, packet: packet, via: .inferred)
    cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle, let value = item.value else { return }
      if isOfServices {
        guard case .service(let uuid) = DeclaredAttribute(bytes.part(value), .primaryService) else {
          return
        }
        note(handle, .service, uuid, end: item.endHandle ?? 0, &source)
      } else if let declaration = CharacteristicDeclaration(bytes.part(value)) {
        note(declaration, handle, &source)
      }
    }
  }

  private mutating func note(
    _ declaration: CharacteristicDeclaration, _ handle: UInt16, _ source: inout Source
  ) {
    note(
      handle, .characteristic, declaration.uuid, target: declaration.valueHandle,
      properties: declaration.properties, &source)
    note(declaration.valueHandle, .value, declaration.uuid, &source)
  }

  /// Records an attribute that was read by its type.
  private mutating func note(
    _ handle: UInt16, _ end: UInt16?, _ value: RawSpan, _ request: Request, _ source: inout Source
  ) {
    switch DeclaredAttribute(value, request.type) {
    case .service(let uuid):
      note(
        handle, .service, uuid, end: end ?? 0, isSecondary: request.type == .secondaryService,
        &source)
      change(source.server) { $0.closeInclude(handle) }
    case .characteristic(let declaration): note(declaration, handle, &source)
    case .include(let include):
      note(
        handle, .include, include.uuid ?? .include, target: include.startHandle,
        end: include.endHandle, &source)
      noteIncluded(include, source)
    case .other:
      guard let type = request.type, !type.isDeclaration else { return }
      note(handle, type.isDescriptor ? .descriptor : .value, type, &source)
      if type.isShort(0x2b2a), value.byteCount == 16 {
        let (hash, connection, packet) = (value.array, source.connection, source.packet)
        change(source.server) { $0.note(hash: hash, connection: connection, packet: packet) }
        // The attributes known before may be forgotten now, but this one is valid.
        note(handle, .value, type, &source)
      }
    }
  }

  /// Records the location of an included service and, unless its UUID is a 128-bit one, its UUID.
  private mutating func noteIncluded(_ include: IncludeDeclaration, _ source: Source) {
    let (start, end) = (include.startHandle, include.endHandle)
    if servers[source.server].look(start).map({ servers[source.server][$0].kind }) == .service {
      return
    }
    if let uuid = include.uuid {
      // A primary service would have been found before, or will be.
      var source = source
      note(start, .service, uuid, end: end, isSecondary: true, &source)
    } else {
      change(source.server) { $0.noteOpenInclude(start, end) }
    }
  }

  private mutating func note(
    _ handle: UInt16, _ kind: Attribute.Kind, _ uuid: BluetoothUUID, target: UInt16 = 0,
    end: UInt16 = 0, isSecondary: Bool = false,
    properties: CharacteristicProperties = CharacteristicProperties(rawValue: 0),
    _ source: inout Source
  ) {
    var attribute = Attribute(
      handle: handle, kind: kind, uuid: uuid, connection: source.connection,
      packet: source.packet)
    attribute.via = source.via
    attribute.target = target
    attribute.end = end
    attribute.isSecondary = isSecondary
    attribute.properties = properties
    let older = note(attribute, source.server)
    if source.older == nil { source.older = older }
  }

  /// Records that a search found nothing: it has covered the whole requested range.
  mutating func learnEnd(of request: Request, of key: UInt64, connection: Int, packet: Int) {
    guard let search = request.search, let first = request.startHandle,
      let last = request.endHandle
    else { return }
    let server = open(key, packet: packet)
    change(server) { database in
      if search == .primaryServices { database.forgetServices(missingFrom: packet, first, last) }
      if database.cover(search, first, last, on: connection) {
        database.noteDiscovery(request.packet, packet)
      }
    }
  }

  /// Learns from a value that was read, if it describes attributes: the declaration of an included
  /// service with a 128-bit UUID, a Database Hash, or extended properties.
  mutating func learn(
    read value: RawSpan, _ handle: UInt16, at place: Place?, of key: UInt64, connection: Int,
    packet: Int
  ) {
    if let place {
      if value.byteCount == 2, isShort(place, 0x2900) {
        let properties = value.littleEndianU16(at: 0)
        change(place.server) { $0.note(extendedProperties: properties, at: place.slot) }
      } else if value.byteCount == 16, isShort(place, 0x2b2a) {
        let hash = value.array
        let attribute = self[place]
        change(place.server) { $0.note(hash: hash, connection: connection, packet: packet) }
        _ = note(attribute, place.server)
      }
    } else if value.byteCount == 16, let server = servers.firstIndex(where: { $0.key == key }),
      let include = servers[server].openIncludes.first(where: { $0.start == handle })
    {
      var cursor = Cursor(value)
      guard let uuid = try? BluetoothUUID(parsing: &cursor, width: 16) else { return }
      var source = Source(server: server, connection: connection, packet: packet)
      note(handle, .service, uuid, end: include.end, isSecondary: true, &source)
      change(server) { $0.closeInclude(handle) }
    }
  }
}

extension Request {
  /// The kind of search of a discovery request; nil for requests that look for one thing.
  var search: Database.Search? {
    switch opcode {
    case .findInformationRequest: .descriptors
    case .readByGroupTypeRequest, .readByTypeRequest:
      switch type {
      case .some(.primaryService): .primaryServices
      case .some(.secondaryService): .secondaryServices
      case .some(.include): .includes
      case .some(.characteristic): .characteristics
      default: nil
      }
    default: nil
    }
  }
}
