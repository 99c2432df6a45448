import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Advertising data that comes in several packets: reports of a controller, and commands of the
/// host. Data that never reaches its end is returned, too.
struct AdvertisingParts: Sendable {
  /// Joined data and its places.
  struct Chain: Sendable {
    fileprivate(set) var places: [RecordPlace] = []
    fileprivate(set) var bytes: [UInt8] = []
    /// Whether its beginning is missing from the capture, so that it is unknown where an AD
    /// structure begins.
    fileprivate(set) var lacksStart = false
    /// Whether a part is cut, or came twice.
    fileprivate var isTorn = false
    /// The record with the last part, and its file.
    fileprivate(set) var last = RedactionReport.Place(number: 0, file: 0)

    /// The number of bytes of the first part.
    var firstCount: Int { places.first?.count ?? 0 }

    /// Whether the parts do not fit together: then it is unknown where an AD structure begins in
    /// any part but the first.
    var isDoubtful: Bool {
      if isTorn { return true }
      var structures = ADStructures(bytes.bytes, Slice(start: 0, count: bytes.count))
      while let structure = structures.next() {
        if !structure.type.isPlausible(count: Int(structure.data.count)) { return true }
      }
      return structures.overrun != nil
    }
  }

  private enum Key: Hashable {
    case report(AdvertisingKey)
    case own(adapter: AdapterIndex, set: UInt8, AdvertisingCommand.DataKind)
  }

  private var chains: [Key: Chain] = [:]

  /// The most open chains; beyond that, all open ones end.
  private static let most = 256
  /// The most bytes that are joined; what comes after has no beginning.
  private static let mostBytes = 1 << 16

  /// Processes a command or event.
  ///
  /// - Returns: the data that ends with it.
  mutating func observe(_ packet: borrowing Packet, _ advertisements: Advertisements) -> [Chain] {
    guard packet.record.original == nil else { return [] }
    var ended: [Chain] = []
    let adapter = packet.record.adapter
    if case .command(let command) = packet.dissection.content {
      let parameters = packet.bytes.part(packet.dissection.body)
      guard AdvertisingCommand.concerns(command.opcode),
        case .data(let set, let kind, let operation, let slice)? =
          (try? AdvertisingCommand(command.opcode, parameters)) ?? nil,
        set.family == .extended
      else { return [] }
      let key = Key.own(adapter: adapter, set: set.handle, kind)
      // 0 intermediate, 1 first, 2 last, 3 complete, 4 unchanged (Core, Vol 4, Part E, 7.8.54).
      if operation == 3, let old = chains.removeValue(forKey: key) { ended.append(old) }
      guard operation < 3 else { return ended }
      let data = Slice(
        start: Int(packet.dissection.body.start) + Int(slice.start), count: Int(slice.count))
      // The byte before it is its length.
      ended += add(
        key, data, packet.bytes, packet.record, begins: operation == 1, lacksStart: operation != 1,
        ends: operation == 2, isCut: packet.bytes.byte(at: Int(data.start) - 1) > data.count)
      return ended
    }
    for advertisement in advertisements.reports {
      let report = advertisement.report
      let key = Key.report(AdvertisingKey(adapter, report))
      guard report.legacyName == nil,
        report.kind == .extended || report.kind == .periodic || report.kind == .response
      else { continue }
      let goesOn = report.dataStatus == .incomplete
      // What begins as no advertising data does may be a part that came twice or in another place.
      let lacksStart =
        advertisement.lacksFirstPart
        || chains[key] == nil && !report.isCut && report.dataStatus != .failed
          && !ADStructures.begin(packet.bytes, report.data, goesOn: goesOn)
      guard goesOn || chains[key] != nil || lacksStart else { continue }
      ended += add(
        key, report.data, packet.bytes, packet.record,
        begins: advertisement.partNumber == 1 && !lacksStart,
        lacksStart: lacksStart, ends: !goesOn, isCut: report.isCut)
    }
    return ended
  }

  /// Adds a part.
  ///
  /// - Parameter lacksStart: whether the part has no beginning if no chain is open.
  private mutating func add(
    _ key: Key, _ data: Slice, _ bytes: RawSpan, _ record: borrowing CaptureRecord, begins: Bool,
    lacksStart: Bool, ends: Bool, isCut: Bool
  ) -> [Chain] {
    var ended: [Chain] = []
    var chain = chains.removeValue(forKey: key)
    if begins, let old = chain {
      ended.append(old)
      chain = nil
    }
    if chain == nil, chains.count >= Self.most { ended += finish() }
    var open = chain ?? Chain()
    if chain == nil { open.lacksStart = lacksStart && !begins }
    let part = bytes.part(data).array
    open.isTorn =
      open.isTorn || isCut
      || open.places.last?.count == part.count && open.bytes.suffix(part.count) == part[...]
    open.places.append(
      RecordPlace(record: record.number, offset: Int(data.start), count: Int(data.count)))
    open.bytes += part
    open.last = RedactionReport.Place(number: record.number, file: record.file)
    if ends {
      ended.append(open)
    } else if open.bytes.count >= Self.mostBytes {
      ended.append(open)
      var next = Chain()
      next.lacksStart = true
      chains[key] = next
    } else {
      chains[key] = open
    }
    return ended
  }

  /// Returns everything that did not reach its end.
  mutating func finish() -> [Chain] {
    defer { chains = [:] }
    return chains.values.filter { !$0.bytes.isEmpty }
  }
}
