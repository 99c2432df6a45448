package import Bluetooth
import Captures
import Dissectors

/// What a capture contains. Concluding something from missing packets is only valid if the capture
/// would contain them: there are exports of one direction, data without events, and logs that start
/// late.
package struct Coverage: Sendable {
  /// Kinds of evidence that a capture may lack.
  package struct Parts: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Commands that the host sends to its controller.
    package static let commands = Parts(rawValue: 1)
    /// Events from the controller; on the air, the Link Layer's control PDUs, which show the same.
    package static let events = Parts(rawValue: 1 << 1)
    /// Data that the host sent.
    package static let sentData = Parts(rawValue: 1 << 2)
    /// Data that the host received.
    package static let receivedData = Parts(rawValue: 1 << 3)
    /// The beginning of a connection.
    package static let opening = Parts(rawValue: 1 << 4)
    /// The end of a connection, or events up to the end of the capture that show that it stayed
    /// open.
    package static let end = Parts(rawValue: 1 << 5)
    /// The number of packets that the controller has completed (Core, Vol 4, Part E, 7.7.19).
    package static let accounting = Parts(rawValue: 1 << 6)
    /// Packets on the air, as a sniffer records them.
    package static let air = Parts(rawValue: 1 << 7)

    /// Data in both directions.
    package static let bothDirections: Parts = [.sentData, .receivedData]
    package static let all = Parts(rawValue: 0xff)

    /// The parts one by one, in the order in which they are listed.
    package var each: [Parts] {
      (0..<8).map { Parts(rawValue: 1 << $0) }.filter { !isDisjoint(with: $0) }
    }

    /// A single part in words: `host commands`.
    package var words: StaticString {
      switch self {
      case .commands: "host commands"
      case .events: "controller events"
      case .sentData: "data that this host sent"
      case .receivedData: "data that this host received"
      case .opening: "the opening of connections"
      case .end: "the end of connections"
      case .accounting: "the controller's count of completed packets"
      case .air: "packets on the air"
      default: "nothing else"
      }
    }

    /// A single part's name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .commands: "commands"
      case .events: "events"
      case .sentData: "sent_data"
      case .receivedData: "received_data"
      case .opening: "opening"
      case .end: "end"
      case .accounting: "packet_accounting"
      case .air: "air"
      default: "none"
      }
    }
  }

  /// The number of records of one kind, and the first and last of them.
  package struct Span: Sendable {
    package private(set) var count = 0
    /// The first packet; 0: none.
    package private(set) var first = 0
    package private(set) var last = 0

    mutating func add(_ packet: Int) {
      if count == 0 { first = packet }
      count &+= 1
      last = packet
    }

    /// Returns whether records of the kind came before this packet.
    func reaches(_ packet: Int?) -> Bool { count > 0 && first <= packet ?? .max }
  }

  /// What the capture contains for one controller.
  package struct Adapter: Sendable {
    /// Its index; unknown if the capture does not number controllers.
    package let index: AdapterIndex
    package fileprivate(set) var commands = Span()
    package fileprivate(set) var events = Span()
    package fileprivate(set) var sentData = Span()
    package fileprivate(set) var receivedData = Span()
    /// Number Of Completed Packets events.
    package fileprivate(set) var completed = Span()
    /// Packets on the air, and the control PDUs among them that could be read.
    package fileprivate(set) var air = Span()
    package fileprivate(set) var control = Span()
    /// Received packets that the recorder truncated.
    package fileprivate(set) var cutData = 0
  }

  /// The controllers, in the order in which they appeared.
  package private(set) var adapters: [Adapter] = []
  /// The lengths to which packets were truncated.
  package private(set) var cuts = CutLengths()
  /// The index of the latest controller.
  private var latest = 0

  /// Further controllers count as the last one.
  private static let mostAdapters = 64

  package init() {}

  /// Counts a record.
  mutating func observe(_ record: borrowing CaptureRecord, _ dissection: Dissection) {
    cuts.observe(record, dissection)
    switch dissection.content {
    case .command:
      find(record.adapter)
      adapters[latest].commands.add(record.number)
    case .event:
      find(record.adapter)
      adapters[latest].events.add(record.number)
      if case .completedPackets = dissection.fact {
        adapters[latest].completed.add(record.number)
      }
    case .acl:
      find(record.adapter)
      if dissection.air != nil { adapters[latest].air.add(record.number) }
      if record.direction == .sent {
        adapters[latest].sentData.add(record.number)
      } else {
        adapters[latest].receivedData.add(record.number)
        if record.isTruncated { adapters[latest].cutData &+= 1 }
      }
    case .advertising, .linkData, .linkControl:
      find(record.adapter)
      adapters[latest].air.add(record.number)
      if case .linkControl = dissection.content { adapters[latest].control.add(record.number) }
    case .control, .sco, .iso, .controllerLog, .note, .unknown: break
    }
  }

  /// Makes a controller the latest one.
  private mutating func find(_ index: AdapterIndex) {
    guard latest >= adapters.count || adapters[latest].index != index else { return }
    if let position = adapters.firstIndex(where: { $0.index == index }) {
      latest = position
    } else {
      if adapters.count < Self.mostAdapters { adapters.append(Adapter(index: index)) }
      latest = adapters.count - 1
    }
  }

  /// What the capture contains of any controller; openings and ends belong to connections and are
  /// not included.
  package var parts: Parts {
    adapters.reduce(into: []) { parts, adapter in
      if adapter.commands.count > 0 { parts.insert(.commands) }
      if adapter.events.count > 0 { parts.insert(.events) }
      if adapter.sentData.count > 0 { parts.insert(.sentData) }
      if adapter.receivedData.count > 0 { parts.insert(.receivedData) }
      if adapter.completed.count > 0 { parts.insert(.accounting) }
      if adapter.air.count > 0 { parts.insert(.air) }
      if adapter.control.count > 0 { parts.insert(.events) }
    }
  }

  /// Whether the capture has neither commands nor events.
  package var isDataOnly: Bool {
    adapters.allSatisfy { $0.commands.count == 0 && $0.events.count == 0 }
  }

  /// Returns what the capture contains for one connection.
  package func parts(of connection: Connection) -> Parts {
    guard let adapter = adapters.first(where: { $0.index == connection.adapter }) else { return [] }
    if connection.isOnAir { return partsOnAir(connection, adapter) }
    var parts: Parts = []
    if adapter.commands.reaches(connection.lastPacket) { parts.insert(.commands) }
    if adapter.events.reaches(connection.lastPacket) {
      parts.insert(.events)
      switch connection.ending {
      case .replaced, .forgotten, .unknown: break
      default: parts.insert(.end)
      }
    }
    parts.formUnion(directions(adapter))
    if !connection.isOpeningMissing { parts.insert(.opening) }
    if adapter.completed.count > 0, !connection.isOpeningMissing, !connection.hasLostPackets {
      parts.insert(.accounting)
    }
    return parts
  }

  /// Returns the directions in which a controller's data is known. A side without data was silent,
  /// unless the capture has only the other side's data, or none although the controller counted
  /// some.
  private func directions(_ adapter: Adapter) -> Parts {
    let (hasSent, hasReceived) = (adapter.sentData.count > 0, adapter.receivedData.count > 0)
    guard hasSent || hasReceived || adapter.completed.count == 0 else { return [] }
    var parts: Parts = []
    if hasSent || !hasReceived { parts.insert(.sentData) }
    if hasReceived || !hasSent { parts.insert(.receivedData) }
    return parts
  }

  /// Returns the same for a connection on the air: the packets of both sides, and what the Link
  /// Layer's control PDUs show. If no side ended it, the capture does not show that it stayed open.
  private func partsOnAir(_ connection: Connection, _ adapter: Adapter) -> Parts {
    var parts = directions(adapter).union(.air)
    let last = connection.lastPacket
    if adapter.control.reaches(last) || adapter.events.reaches(last) { parts.insert(.events) }
    if !connection.isOpeningMissing { parts.insert(.opening) }
    switch connection.ending {
    case nil, .replaced, .forgotten, .unknown, .fileEnded: break
    default: parts.insert(.end)
    }
    return parts
  }

  /// Returns what the capture as a whole lacks, in plain words: `data only: no commands or events`;
  /// nil if nothing is missing that every capture from there has.
  package func remark(_ vantage: Vantage) -> String? {
    // Android's ways to cut data do not exist there.
    if vantage == .air { return lackOnAir?.description }
    guard let reason = cuts.reason else { return lack?.description }
    return [reason.remark, lack?.description].compactMap(\.self).joined(separator: "; ")
  }

  private var lackOnAir: StaticString? {
    switch parts.intersection(.bothDirections) {
    case .sentData: "data of the central only: nothing that the peripheral sent"
    case .receivedData: "data of the peripheral only: nothing that the central sent"
    default: nil
    }
  }

  private var lack: StaticString? {
    let parts = parts
    guard !parts.isEmpty else { return nil }
    let hasData = !parts.isDisjoint(with: .bothDirections)
    if parts.isDisjoint(with: [.commands, .events]) {
      switch parts.intersection(.bothDirections) {
      case .sentData:
        return "sent data only: no commands or events, nothing that this host received"
      case .receivedData:
        return "received data only: no commands or events, nothing that this host sent"
      default: return "data only: no commands or events"
      }
    }
    let sums = adapters.reduce(into: (sent: 0, received: 0, cut: 0)) {
      $0.sent &+= $1.sentData.count
      $0.received &+= $1.receivedData.count
      $0.cut &+= $1.cutData
    }
    if cuts.reason == nil, sums.received > 0, sums.cut &* 2 > sums.received {
      return
        "filtered, as Android's log is with the setting Enabled Filtered: only the beginning of most received data was kept"
    }
    if !parts.contains(.commands) { return "no host commands" }
    if !parts.contains(.events) { return "no controller events" }
    guard hasData else {
      return parts.contains(.accounting) ? "commands and events only: data was left out" : nil
    }
    if sums.received == 0, sums.sent >= Self.leastOneSided {
      return "one direction: no data that this host received"
    }
    if sums.sent == 0, sums.received >= Self.leastOneSided {
      return "one direction: no data that this host sent"
    }
    return nil
  }

  /// Below this number of packets, a silent peer may just be gone.
  package static let leastOneSided = 10
}
