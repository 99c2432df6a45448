import Bluetooth
import Bytes
import Captures
import Decoders
import Diagnosis
import Explanations
import Reports
import Sessions
import Words

// The rows of each table: one cell for each column, in the order of `TableKind.columns`.

extension RowsReport {
  mutating func writeCapture(
    _ status: RowsStatus, _ damage: CaptureFailure?, _ explanation: Explanation?,
    _ memory: borrowing Memory
  ) {
    rows.begin(.captures)
    rows.integer(file.bytes.map { Int(clamping: $0) })
    rows.word(status.name)
    rows.string(
      damage.map { options.pseudonyms == nil ? $0.messageWithFile : $0.message }
        ?? (status == .timedOut ? "not done after \(options.patienceSeconds) s" : nil))
    rows.string(source.format.rawValue)
    rows.word(source.format == .btsnooz ? "summary" : memory.coverage.cuts.reason.key)
    if facts.records == 0 {
      rows.null()
    } else {
      let lacks = Self.kinds.subtracting(memory.coverage.parts)
      rows.text { output in
        for (index, part) in lacks.each.enumerated() {
          if index > 0 { output.byte(0x20) }
          output.text(part.key)
        }
      }
    }
    rows.phone(file.phone)
    rows.time(facts.earliest)
    rows.time(facts.latest)
    rows.integer(facts.records)
    rows.integer(facts.truncated)
    rows.integer(Int(clamping: facts.dropped))
    rows.integer(memory.adapters.all.count)
    rows.integer(facts.connectionCount)
    rows.integer(facts.advertiserCount)
    rows.integer(explanation?.count(.error))
    rows.integer(explanation?.count(.warning))
    rows.integer(operations)
    rows.integer(rows.cellsCut)
    rows.end()
  }

  /// The kinds of records that a capture may lack.
  private static let kinds: Coverage.Parts = [.commands, .events, .sentData, .receivedData]

  // MARK: Connections

  mutating func write(
    _ histories: [ConnectionHistory], _ devices: [MapDevice], _ memory: borrowing Memory
  ) {
    var places: [Int: Int] = [:]
    for (place, device) in devices.enumerated() where device.adapter == nil {
      for connection in device.connections { places[connection] = place }
    }
    for history in histories {
      write(history, places[history.id].map { devices[$0] }, tallies[history.id])
    }
  }

  private mutating func write(
    _ history: ConnectionHistory, _ device: MapDevice?, _ tally: ConnectionTally?
  ) {
    let connection = history.connection
    let isRandom = connection.peerType.map { $0.rawValue & 1 == 1 } ?? true
    rows.begin(.connections)
    rows.integer(connection.id)
    rows.word(connection.transport.key)
    rows.address(connection.peer, isRandom: isRandom)
    rows.word(connection.peerKind?.key)
    rows.address(
      connection.otherIdentity, isRandom: connection.identity?.type == .random)
    rows.name(history.name)
    rows.word(connection.role(of: .local)?.key)
    rows.integer(connection.firstPacket)
    rows.time(connection.firstTime)
    rows.elapsed(connection.lastTime, since: connection.firstTime)
    rows.word(connection.ending?.key)
    rows.code(connection.reason.map { UInt64($0.rawValue) }, digits: 2)
    rows.name(connection.reason?.name)
    rows.integer(connection.mtu.map { Int($0) })
    rows.real(connection.interval.map { Int($0) * 125 }, decimals: 2)
    rows.integer(connection.latency.map { Int($0) })
    rows.integer(connection.supervisionTimeout.map { Int($0) * 10 })
    rows.name(history.link.phys.last.flatMap { CodeSet.phy.name(of: UInt64($0.sent)) })
    rows.flag(connection.isEncrypted)
    rows.word(history.paired)
    writePairingError(history)
    let services = device.flatMap { $0.isKnown(on: connection) ? $0.services : nil } ?? []
    if services.isEmpty { rows.null() } else { rows.uuids(services.map(\.declaration.uuid)) }
    if let layout = device?.layout(on: connection) {
      rows.text { $0.hexDigits(layout, 16) }
    } else {
      rows.null()
    }
    if let hash = device?.database?.hash {
      rows.text { $0.hex(hash.value.bytes) }
    } else {
      rows.null()
    }
    rows.integer(tally?.operations ?? 0)
    rows.integer(tally?.refused ?? 0)
    rows.integer(tally?.unanswered ?? 0)
    let sorted = tally?.latencies.sorted() ?? []
    rows.real(sorted.quantile(50), decimals: 3)
    rows.real(sorted.quantile(95), decimals: 3)
    rows.integer(tally?.sent ?? 0)
    rows.integer(tally?.received ?? 0)
    rows.real(tally?.silence.map { Int(clamping: $0) }, decimals: 9)
    rows.end()
  }

  private mutating func writePairingError(_ history: ConnectionHistory) {
    guard history.paired.description == "failed",
      let attempt = history.pairing.attempts.last(where: { $0.ending != nil && !$0.isPaired })
    else { return rows.null() }
    switch attempt.ending {
    case .failed(let reason, _):
      rows.text { $0.named(reason.name, UInt64(reason.rawValue), digits: 2) }
    case .notEncrypted(let status):
      rows.text { $0.named(status.name, UInt64(status.rawValue), digits: 2) }
    case .abandoned, .superseded, nil: rows.null()
    }
  }

  // MARK: Findings

  mutating func write(_ finding: Finding) {
    let packet = finding.evidence.first
    rows.begin(.findings)
    rows.integer(finding.connections.count == 1 ? finding.connections[0] : nil)
    rows.string(finding.rule.description.replacing("-", with: "_"))
    rows.word((finding.severity ?? .note).key)
    rows.word(finding.certainty.key)
    rows.integer(packet)
    rows.time(packet.flatMap { times[$0] })
    rows.uuid(finding.attribute?.uuid)
    rows.code(finding.attribute?.handle.map { UInt64($0) }, digits: 4)
    rows.flag(finding.isResolved)
    // A finding's own words may name devices, so the rule's general ones are written instead.
    if options.pseudonyms == nil {
      rows.string(finding.what.text)
    } else {
      rows.word(Self.catalogue[finding.rule.description] ?? "")
    }
    let code = finding.code
    rows.code(code?.value, digits: code?.digits ?? 2)
    if let name = code?.ownName { rows.string(name) } else { rows.name(code?.name) }
    rows.end()
  }

  /// The general words for what each rule finds, by its id.
  private static let catalogue = Dictionary(
    Rule.all.map { ($0.id.description, $0.finds) }, uniquingKeysWith: { first, _ in first })

  // MARK: Values

  mutating func write(_ value: ConveyedValue, _ bytes: RawSpan) {
    let isOpen = options.pseudonyms == nil
    rows.begin(.operations)
    rows.integer(value.parties.connection > 0 ? value.parties.connection : nil)
    rows.integer(value.packet)
    rows.time(value.time)
    rows.elapsed(value.time, since: start)
    rows.word(value.operation.key)
    rows.word(value.direction.map { $0 == .sent ? "sent" : "received" })
    rows.uuid(value.attribute.service)
    rows.uuid(value.attribute.uuid)
    rows.code(value.attribute.handle.map { UInt64($0) }, digits: 4)
    rows.integer(value.value.map { Int($0.count) })
    if let slice = value.value, isOpen, !value.isKeyMaterial {
      let shown = min(Int(slice.count), RowWriter.mostBytes / 2 + 1)
      rows.text { $0.hex(bytes.part(Slice(start: Int(slice.start), count: shown))) }
    } else {
      rows.null()
    }
    let success: StaticString? = value.lacksAnswer ? nil : "ok"
    rows.word(value.outcome.errorKey ?? (value.isRefused ? "refused" : success))
    if case .refused(let error) = value.outcome {
      rows.code(UInt64(error.rawValue), digits: 2)
      if let name = reading.profiles.errorName(of: value) {
        rows.string(name)
      } else {
        rows.name(error.name)
      }
    } else {
      rows.null()
      rows.null()
    }
    rows.real(value.latency.map { Int($0 / 1000) }, decimals: 3)
    let isRead = value.value != nil && reading.meaning.isKnown
    rows.string(isRead ? reading.meaning.profileName : nil)
    rows.string(isRead ? reading.meaning.messageName : nil)
    if isRead, isOpen {
      let end =
        reading.meaning.following.isEmpty ? reading.meaning.textEnd : reading.meaning.line.count
      rows.string(reading.meaning.line.bytes.part(Slice(start: 0, count: end)).array)
    } else {
      rows.null()
    }
    rows.end()
  }

  mutating func writeFields(_ value: ConveyedValue, _ bytes: RawSpan) {
    guard let slice = value.value, reading.meaning.isKnown else { return }
    let content = bytes.part(slice)
    if !reading.meaning.isPart {
      writeFields(reading.meaning.decoded, value, reading.meaning.whole ?? content.array)
    }
    for message in reading.meaning.following where message.sighting.frame != nil {
      writeFields(message.decoded, value, message.sighting.bytes ?? content.array)
    }
  }

  private mutating func writeFields(
    _ decoded: Decoded, _ value: ConveyedValue, _ bytes: [UInt8]
  ) {
    guard let writer = DecodedWriter(decoded, isJSON: true) else { return }
    for place in decoded.fields.indices {
      scalar.clear()
      writer.scalar(place, bytes.bytes, into: &scalar)
      guard scalar.count > 0 else { continue }
      rows.begin(.fields)
      rows.integer(value.parties.connection > 0 ? value.parties.connection : nil)
      rows.integer(value.packet)
      rows.time(value.time)
      rows.uuid(value.attribute.uuid)
      rows.string(decoded.definition?.profile)
      rows.string(decoded.definition?.name)
      rows.text { writer.path(of: place, into: &$0) }
      let isNumber = scalar.bytes.isNumber
      if isNumber {
        let number = scalar.bytes.array
        rows.real { $0.raw(number.bytes) }
        rows.null()
      } else {
        rows.null()
        rows.string(writer.scalar(decoded.fields[place], bytes.bytes))
      }
      if isNumber {
        unit.clear()
        writer.unit(of: place, into: &unit)
        rows.string(unit.count == 0 ? nil : unit.bytes.array)
      } else {
        rows.null()
      }
      rows.end()
    }
  }

  // MARK: Devices

  mutating func write(_ entry: ListedDevice) {
    let device = entry.device
    let isRandom = device.addressKind != .public && device.addressKind != .publicIdentity
    rows.begin(.devices)
    rows.address(device.address, isRandom: isRandom)
    rows.word(device.addressKind?.key)
    rows.address(device.identity, isRandom: device.identityType == .random)
    rows.name(entry.said.name)
    rows.code(entry.said.companies.first.map { UInt64($0.rawValue) }, digits: 4)
    rows.string(entry.said.companies.first?.name.map { $0.bytes.array })
    rows.integer(device.reports)
    let range = device.signals.range
    rows.integer(range?.min)
    rows.integer(range?.median)
    rows.integer(range?.max)
    rows.real(device.gaps?.estimate, decimals: 3)
    rows.flag(
      device.wasConnectable || device.wasNotConnectable ? device.wasConnectable : nil)
    if entry.said.services.isEmpty { rows.null() } else { rows.uuids(entry.said.services) }
    rows.end()
  }
}

extension RowWriter {
  /// Appends the cells about the phone.
  mutating func phone(_ report: PhoneReport?) {
    string(report?.version.map { "Android \($0)" })
    string(report?.build)
    string(report?.model)
    string(report?.logMode)
  }
}

extension ConveyedValue {
  /// Whether the server refused it.
  var isRefused: Bool {
    if case .refused = outcome { return true }
    return false
  }
}

extension ValueMeaning {
  /// The profile's name for the value, or nil for a part of a message.
  fileprivate var messageName: String? {
    isPart ? nil : decoded.definition?.name
  }
}

extension CutLengths.Reason? {
  /// The word for the column `source`.
  fileprivate var key: StaticString {
    switch self {
    case nil: "log"
    case .summary: "summary"
    case .headers: "filtered_headers"
    case .channels: "filtered_channels"
    case .payloads: "filtered_payloads"
    case .snapshot: "snapshot"
    }
  }
}

extension RawSpan {
  /// Whether the bytes, a value in JSON, are a number.
  fileprivate var isNumber: Bool {
    guard byteCount > 0 else { return false }
    return byte(at: 0) == 0x2d || 0x30...0x39 ~= byte(at: 0)
  }
}

extension [UInt32] {
  /// Returns the smallest of these sorted numbers that at least `percent` per cent of them do not
  /// exceed, or nil if the list is empty.
  fileprivate func quantile(_ percent: Int) -> Int? {
    guard !isEmpty else { return nil }
    return Int(self[Swift.max(0, (count * percent + 99) / 100 - 1)])
  }
}
