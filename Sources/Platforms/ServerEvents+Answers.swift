import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the captured host sends as a server: values, and answers to requests.
extension ServerEvents {
  /// Processes a PDU that this host sends as a server.
  mutating func tell(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ position: Int, _ bytes: RawSpan, _ link: LinkSlot,
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    switch opcode {
    case .handleValueNotification, .handleValueIndication:
      guard let handle = fields.handle else { return }
      let attribute = memory.appAttribute(handle, at: .local, on: link)
      add(
        .updated(
          attribute, value: fields.value.map { bytes.part($0).array } ?? [],
          isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid),
          isIndication: opcode == .handleValueIndication), position, record, nil, &events)
    case .multipleHandleValueNotification:
      guard let items = fields.items else { return }
      var cursor = Cursor(bytes, items.list)
      while let item = items.next(&cursor) {
        guard let handle = item.handle else { continue }
        let attribute = memory.appAttribute(handle, at: .local, on: link)
        add(
          .updated(
            attribute, value: item.value.map { bytes.part($0).array } ?? [],
            isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid),
            isIndication: false), position, record, nil, &events)
      }
    case .readByGroupTypeResponse:
      guard let items = fields.items else { return }
      serve(items, bytes, position, record, &events)
    default:
      guard let packet = answer.request?.packet,
        let found = clients[position].waiting.firstIndex(where: { $0.packet == packet })
      else { return }
      let waiting = clients[position].waiting.remove(at: found)
      respond(to: waiting, opcode, fields, position, bytes, link, record, answer, memory, &events)
    }
  }

  /// Reports a request with its answer.
  private mutating func respond(
    to waiting: Waiting, _ opcode: ATTOpcode, _ fields: ATTFields, _ position: Int,
    _ bytes: RawSpan, _ link: LinkSlot, _ record: borrowing CaptureRecord, _ answer: Answer,
    _ memory: borrowing Memory, _ events: inout [AppEvent]
  ) {
    if let error = fields.error, waiting.isByType {
      // That there are no more values is not a refusal.
      guard error != .attributeNotFound else { return }
      add(.stackRefused(nil, waiting.request, error), position, record, answer, &events)
      return
    }
    // What was already reported belongs to an app.
    if let error = fields.error, error.isStacks, waiting.attribute != nil, !waiting.told.isEmpty {
      add(
        .stackRefused(waiting.attribute, waiting.request, error), position, record, answer,
        &events)
      return
    }
    events += waiting.told
    if opcode == .readByTypeResponse, let items = fields.items {
      read(items, waiting, position, bytes, link, record, answer, memory, &events)
      return
    }
    if !waiting.several.isEmpty {
      let refused = memory.appAttribute(fields.handle, at: .local, on: link)
      for attribute in fields.error == nil ? waiting.several : [refused] {
        respond(attribute, fields.error, nil, position, record, answer, memory, &events)
      }
      return
    }
    let isRead = opcode == .readResponse || opcode == .readBlobResponse
    add(
      .responded(
        AppAnswer(
          attribute: waiting.attribute, request: waiting.request, error: fields.error,
          value: isRead ? fields.value.map { bytes.part($0).array } : nil,
          isHidden: memory.attributes.secretTypes.contains(waiting.attribute?.identity.uuid))),
      position, record, answer, &events)
    guard fields.error == nil, let write = waiting.write else { return }
    if waiting.request == .prepare {
      queue(write, position, waiting.bearer)
    } else {
      subscribe(write, position, record, &events)
    }
  }

  /// Reports the answer to a read of one attribute.
  private func respond(
    _ attribute: AppAttribute, _ error: ATTErrorCode?, _ value: [UInt8]?, _ position: Int,
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    add(
      .responded(
        AppAnswer(
          attribute: attribute, request: .read, error: error, value: value,
          isHidden: memory.attributes.secretTypes.contains(attribute.identity.uuid))),
      position, record, answer, &events)
  }

  /// Reports values that were read by their type: each was requested from its owner.
  private func read(
    _ items: ATTItems, _ waiting: Waiting, _ position: Int, _ bytes: RawSpan, _ link: LinkSlot,
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory,
    _ events: inout [AppEvent]
  ) {
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard let handle = item.handle else { continue }
      let attribute = memory.appAttribute(handle, at: .local, on: link)
      var asked = event(.readRequested(attribute, offset: 0), position, record, nil)
      (asked.packet, asked.time) = (waiting.packet, waiting.time)
      events.append(asked)
      let value = item.value.map { bytes.part($0).array }
      respond(attribute, nil, value, position, record, answer, memory, &events)
    }
  }

  /// Queues a part that the server has accepted.
  private mutating func queue(_ write: AppWrite, _ position: Int, _ bearer: ChannelID?) {
    let place: Int
    if let known = clients[position].queues.firstIndex(where: { $0.bearer == bearer }) {
      place = known
    } else {
      if clients[position].queues.count >= Self.mostQueues {
        clients[position].queues.removeFirst()
      }
      clients[position].queues.append(Queue(bearer: bearer))
      place = clients[position].queues.count - 1
    }
    clients[position].queues[place].bytes += write.bytes.count
    guard clients[position].queues[place].bytes <= Self.mostQueued,
      clients[position].queues[place].parts.count < Self.mostParts
    else { return }
    clients[position].queues[place].parts.append(write)
  }

  private mutating func serve(
    _ items: ATTItems, _ bytes: RawSpan, _ position: Int, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    var cursor = Cursor(bytes, items.list)
    while let item = items.next(&cursor) {
      guard let start = item.handle, let end = item.endHandle, let slice = item.value else {
        continue
      }
      let value = bytes.part(slice)
      var uuids = Cursor(value)
      let key = UInt64(record.adapter.value) << 32 | UInt64(start) << 16 | UInt64(end)
      guard let uuid = try? BluetoothUUID(parsing: &uuids, width: value.byteCount),
        served.count < Self.mostServed, served.insert(key).inserted
      else { continue }
      add(
        .serviceServed(AppService(uuid: uuid, start: start, end: end)), position, record, nil,
        &events)
    }
  }
}

extension ATTErrorCode {
  /// Whether a server's stack refuses with it on its own: the handle is unknown, or the
  /// requirements of the attribute's permissions are not met (Core, Vol 3, Part F, 3.4.1.1; Part C,
  /// 10.3). An app may answer with any error, but is only asked if the permissions allow the
  /// access.
  fileprivate var isStacks: Bool {
    switch rawValue {
    // Invalid Handle, Read/Write Not Permitted, Invalid PDU, Insufficient Authentication, Request
    // Not Supported, Encryption Key Size Too Short, Insufficient Encryption.
    case 0x01...0x06, 0x0c, 0x0f: true
    default: false
    }
  }

  /// Whether it means that the attribute's permissions do not allow the request, or not on this
  /// link (same sources).
  var isOfPermissions: Bool {
    switch rawValue {
    // Read/Write Not Permitted, Insufficient Authentication, Encryption Key Size Too Short,
    // Insufficient Encryption.
    case 0x02, 0x03, 0x05, 0x0c, 0x0f: true
    default: false
    }
  }
}
