import Bytes
import Decoders
import Diagnosis
import Differences
import Dissectors
import Reports
import Sessions
import Words

/// Values that are transferred, or were requested, as `diff` compares them.
extension OperationRecorder {
  /// Records the values of a packet.
  mutating func take(_ conversations: Conversations, _ memory: borrowing Memory) {
    for value in conversations.values where value.parties.connection > 0 {
      take(value, conversations.bytes, memory)
    }
  }

  private mutating func take(
    _ value: ConveyedValue, _ bytes: [UInt8], _ memory: borrowing Memory
  ) {
    guard hasRoom(value.parties.connection, value.packet) else { return }
    var operation = Differences.Operation(
      .value(value.operation), connection: value.parties.connection, packet: value.packet,
      time: value.time)
    operation.lastPacket = max(value.packet, value.response ?? 0)
    operation.latency = value.latency
    // The client reads and writes; the server notifies and indicates.
    let isLocal =
      switch value.operation {
      case .notification, .indication: value.attribute.isLocal
      default: !value.attribute.isLocal
      }
    operation.isByHost = isLocal
    if let role = roles[value.parties.connection] ?? role(value.parties.connection, memory) {
      operation.isByCentral = isLocal == (role == .central)
    }
    operation.role = place(value.attribute)
    operation.offset = value.operation == .read ? value.offset : 0
    operation.isHidden = value.isKeyMaterial && !showsKeys
    let isRead = reading.read(value, bytes.bytes, memory)
    if let name = reading.name(value.attribute.uuid), let role = operation.role {
      identities[role].profileName = name
    }
    if let slice = value.value {
      let content = bytes.bytes.part(slice)
      operation.value = keep(content)
      if isRead { describe(content, in: &operation) }
    }
    operation.failure = failure(of: value)
    operation.lacksAnswer = value.lacksAnswer
    operation.lacksRequest = value.lacksRequest
    operation.isCut = value.isCut
    operation.unknown = value.outcome.reason.flatMap { reason in
      switch reason {
      case .captureEnded: keep(Self.captureEnds)
      case .recordsLost, .forgotten: keep(Self.notCaptured)
      case .connectionEnded, .timedOut, .overtaken: nil
      }
    }
    append(operation)
  }

  private mutating func role(_ id: Int, _ memory: borrowing Memory) -> Connection.Role? {
    var found: Connection.Role?
    memory.links.forEach { if $0.id == id { found = $0.localRole } }
    if roles.count < bounds.connections { roles[id] = found }
    return found
  }

  private mutating func failure(of value: ConveyedValue) -> Slice? {
    switch value.outcome {
    case .done: return nil
    case .refused(let error):
      var words = Output()
      words.error(error, reading.errorName(of: value))
      if value.lacksRequest { words.text(", to a request that is not in the capture") }
      return keep(words.bytes)
    case .cancelled: return keep("cancelled")
    case .notExecuted(let reason), .noResponse(let reason):
      switch reason {
      // What is missing from the capture reveals nothing about the devices.
      case .captureEnded, .recordsLost, .forgotten: return nil
      case .connectionEnded, .timedOut, .overtaken: break
      }
      if case .notExecuted = value.outcome { return keep("not executed") }
      return keep("no response")
    }
  }

  /// Stores the meaning of the value that was decoded last.
  private mutating func describe(
    _ value: RawSpan, in operation: inout Differences.Operation
  ) {
    let start = session.bytes.count
    let line = reading.line.bytes.array
    session.bytes += line
    operation.text = Slice(start: start, count: line.count)
    if let sighting = reading.sighting {
      operation.message = message(sighting)
      if sighting.frame == nil { return }
    }
    let first = session.bytes.count
    if let whole = reading.sighting?.bytes {
      fields(whole.bytes)
    } else {
      fields(value)
    }
    guard session.bytes.count > first else { return }
    operation.fields = Slice(start: first, count: session.bytes.count - first)
  }

  /// Returns the name of a vendor message: its command, not its content.
  private mutating func message(_ sighting: VendorSighting) -> Int {
    var name = sighting.vendor.profile
    if sighting.frame == nil {
      name += " part"
    } else {
      name += " \(reading.decoded.definition?.name ?? "")"
    }
    if let command = sighting.command { name += " \(command)" }
    if let known = messages[name] { return known }
    messages[name] = session.messages.count
    session.messages.append(name)
    return session.messages.count - 1
  }

  /// Stores the fields of the value that was decoded last.
  private mutating func fields(_ value: RawSpan) {
    guard let writer = DecodedWriter(reading.decoded, isJSON: false, showsKeys: showsKeys) else {
      return
    }
    var groups: [(name: String, end: Int)] = []
    var text = Output()
    for (place, entry) in reading.decoded.fields.enumerated() {
      while let group = groups.last, group.end <= place { groups.removeLast() }
      let name = writer.name(entry)
      if entry.form == .group {
        groups.append((name, entry.end))
        continue
      }
      text.clear()
      var kind = FieldList.Kind.plain
      switch entry.form {
      case .checksumOK, .checksumBad:
        kind = entry.form == .checksumOK ? .checksum : .wrongChecksum
        text.hex(value.part(entry.bytes), separator: 0x20)
        text.text(entry.form == .checksumOK ? " ok" : " bad")
      case .dateTime:
        kind = .time
        writer.entry(place, value, into: &text)
      default: writer.entry(place, value, into: &text)
      }
      let path = (groups.map(\.name) + [name]).joined(separator: ".")
      FieldList.append([UInt8](path.utf8), text.bytes.array, kind, to: &session.bytes)
    }
  }
}
