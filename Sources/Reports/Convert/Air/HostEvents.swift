import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the host of a central would have seen of the connections that a sniffer recorded: the data
/// of L2CAP in ACL data packets as the Link Layer carried it, and the events that its controller
/// would have sent. All of them are H4 packets.
///
/// Commands appear only where nothing else shows what other tools need: the central's address, and
/// who ended a connection.
struct HostEvents: Sendable {
  /// A packet: its place in the output, and its direction.
  struct Packet: Sendable {
    var slice: Slice
    var direction: Direction
    /// Whether the capture does not have it.
    var isMade: Bool
  }

  /// A connection.
  private struct Link: Sendable {
    var handle: UInt16
    var isEncrypted = false
    /// Whether LL_ENC_REQ was seen, but not what came of it.
    var isStarting = false
    /// The PHYs of the central and the peripheral, numbered as in HCI.
    var phys: (central: UInt8, peripheral: UInt8)
    /// The longest packets of the central and the peripheral.
    var lengths: (central: LinkControl.Lengths?, peripheral: LinkControl.Lengths?)
    /// The parameters of the last event about them.
    var lengthsInForce: [UInt8] = []
  }

  /// The addresses that a controller has used so far.
  private struct Own: Sendable {
    var publicAddress: DeviceAddress?
    var random: DeviceAddress?
  }

  /// Whether what the capture does not have gets a comment.
  let hasComments: Bool
  private var links: [Int: Link] = [:]
  private var own: [AdapterIndex: Own] = [:]
  private var packets: [Packet] = []
  private var position = 0
  /// The number of packets that the capture does not have.
  private(set) var made = 0

  /// The most connections that are followed; beyond that, only the latest ones.
  private static let mostLinks = 1024

  init(hasComments: Bool) { self.hasComments = hasComments }

  /// Whether packets are left that were not returned.
  var hasMore: Bool { position < packets.count }

  /// Returns the next packet.
  mutating func next() -> Packet? {
    guard position < packets.count else { return nil }
    position += 1
    return packets[position - 1]
  }

  // MARK: Observing

  /// Processes a packet from the air, and writes what it amounts to, except data.
  mutating func observe(
    _ packet: borrowing Sessions.Packet, _ seen: AirObservation, _ memory: borrowing Memory,
    into output: inout Output
  ) {
    packets.removeAll(keepingCapacity: true)
    position = 0
    guard let slot = packet.answer.link, seen.fact.crc != .wrong else { return }
    let id = memory.links.id(slot)
    guard id > 0 else { return }
    if packet.answer.opened {
      open(memory.links.connection(slot), packet.record.adapter, memory, into: &output)
      return
    }
    switch packet.dissection.content {
    case .acl: noteEncryption(id, seen, into: &output)
    case .linkControl:
      guard let control = LinkControl(packet.bytes, packet.dissection.body) else { return }
      follow(control, id, seen, into: &output)
    case .linkData: noteEncryption(id, seen, into: &output)
    default: break
    }
  }

  /// Writes the data of a packet: an ACL data packet with the payload of the PDU.
  mutating func writeData(
    _ id: Int, isStart: Bool, from direction: Direction, _ payload: RawSpan,
    into output: inout Output
  ) {
    let start = output.count
    let boundary: UInt16 = isStart ? (direction == .sent ? 0 : 2) : 1
    output.byte(2)
    output.native((link(id).handle | boundary << 12).littleEndian)
    output.native(UInt16(clamping: payload.byteCount).littleEndian)
    output.raw(payload)
    end(start, direction, isMade: false, output)
  }

  private mutating func link(_ id: Int) -> Link {
    if let known = links[id] { return known }
    if links.count >= Self.mostLinks { links = links.filter { $0.key > id - Self.mostLinks / 2 } }
    let link = Link(
      // Handles up to 0x0eff (Core, Vol 4, Part E, 5.4.2).
      handle: UInt16(truncatingIfNeeded: (id - 1) % 0x0eff + 1), phys: (1, 1), lengths: (nil, nil))
    links[id] = link
    return link
  }

  // MARK: Opening

  private mutating func open(
    _ connection: Connection, _ adapter: AdapterIndex, _ memory: borrowing Memory,
    into output: inout Output
  ) {
    guard let air = memory.air.link(connection: connection.id), let central = air.central,
      let peripheral = air.peripheral
    else { return }
    links[connection.id] = nil
    var link = link(connection.id)
    link.phys = (max(1, air.phyFromCentral), max(1, air.phyFromPeripheral))
    links[connection.id] = link
    let ownType: UInt8 = central.type == .public ? 0 : 1
    let peerType: UInt8 = peripheral.type == .public ? 0 : 1
    tell(central, adapter, into: &output)
    let interval = Self.number(connection.interval)
    let latency = Self.number(connection.latency)
    let timeout = Self.number(connection.supervisionTimeout)
    let peer = [peerType] + Self.bytes(peripheral.address)
    // Scan interval and window (2 bytes each), no filter; the last four are lengths of connection
    // events.
    command(
      0x200d,
      [0x60, 0, 0x60, 0, 0] + peer + [ownType] + interval + interval + latency + timeout
        + [0, 0, 0, 0], into: &output)
    event(0x0f, [0, 1, 0x0d, 0x20], into: &output)
    // Status, handle, role, and last the accuracy of the clock, which a central does not state.
    event(
      0x3e,
      [0x01, 0] + Self.number(link.handle) + [0] + peer + interval + latency + timeout + [0],
      into: &output)
  }

  /// Writes how the host learns or sets its own address, unless that was written before.
  private mutating func tell(
    _ central: AirParty, _ adapter: AdapterIndex, into output: inout Output
  ) {
    let address = Self.bytes(central.address)
    if own.count >= Self.mostLinks { own.removeAll() }
    if central.type == .public {
      guard own[adapter]?.publicAddress != central.address else { return }
      own[adapter, default: Own()].publicAddress = central.address
      command(0x1009, [], into: &output)
      event(0x0e, [1, 0x09, 0x10, 0] + address, into: &output)
    } else {
      guard own[adapter]?.random != central.address else { return }
      own[adapter, default: Own()].random = central.address
      command(0x2005, address, into: &output)
      event(0x0e, [1, 0x05, 0x20, 0], into: &output)
    }
  }

  // MARK: Control

  private mutating func follow(
    _ control: LinkControl, _ id: Int, _ seen: AirObservation, into output: inout Output
  ) {
    let isReceived = seen.direction == .received
    var link = link(id)
    defer { if links[id] != nil { links[id] = link } }
    let handle = Self.number(link.handle)
    switch control {
    case .connectionUpdate(let update):
      event(
        0x3e,
        [0x03, 0] + handle + Self.number(update.interval) + Self.number(update.latency)
          + Self.number(update.timeout), into: &output)
    case .terminate(let reason): terminate(handle, reason, isReceived: isReceived, into: &output)
    case .encryptionRequest: link.isStarting = true
    case .startEncryptionResponse where isReceived:
      finishEncryption(&link, .success, into: &output)
    case .reject(let opcode, let reason)
    where link.isStarting && (opcode ?? .encryptionRequest) == .encryptionRequest:
      finishEncryption(&link, reason, into: &output)
    case .features(let features, isResponse: true) where isReceived:
      event(0x3e, [0x04, 0] + handle + Self.bytes(features, 8), into: &output)
    case .version(let version, let company, let subversion) where isReceived:
      event(
        0x0c, [0] + handle + [version] + Self.number(company) + Self.number(subversion),
        into: &output)
    case .length(let lengths, let isResponse):
      if isReceived { link.lengths.peripheral = lengths } else { link.lengths.central = lengths }
      if isResponse { changeLengths(&link, into: &output) }
    case .phyUpdate(let central, let peripheral, _):
      link.phys.central = AirHeader.phy(ofBits: central) ?? link.phys.central
      link.phys.peripheral = AirHeader.phy(ofBits: peripheral) ?? link.phys.peripheral
      event(
        0x3e, [0x0c, 0] + handle + [link.phys.central, link.phys.peripheral], into: &output)
    default: break
    }
    if case .terminate = control { links[id] = nil }
  }

  private mutating func terminate(
    _ handle: [UInt8], _ reason: StatusCode, isReceived: Bool, into output: inout Output
  ) {
    // The reasons that a host can give (Core, Vol 4, Part E, 7.1.6).
    let isHosts = [0x05, 0x13, 0x14, 0x15, 0x1a, 0x29, 0x3b].contains(reason.rawValue)
    if !isReceived, isHosts {
      command(0x0406, handle + [reason.rawValue], into: &output)
      event(0x0f, [0, 1, 0x06, 0x04], into: &output)
    }
    let shown = !isReceived && isHosts ? 0x16 : reason.rawValue
    event(0x05, [0] + handle + [shown], into: &output)
  }

  /// Writes the lengths in both directions: what one side sends and the other can receive.
  private mutating func changeLengths(_ link: inout Link, into output: inout Output) {
    guard let central = link.lengths.central, let peripheral = link.lengths.peripheral else {
      return
    }
    let lengths =
      Self.number(min(central.maxTXOctets, peripheral.maxRXOctets))
      + Self.number(min(central.maxTXTime, peripheral.maxRXTime))
      + Self.number(min(central.maxRXOctets, peripheral.maxTXOctets))
      + Self.number(min(central.maxRXTime, peripheral.maxTXTime))
    guard lengths != link.lengthsInForce else { return }
    link.lengthsInForce = lengths
    event(0x3e, [0x07] + Self.number(link.handle) + lengths, into: &output)
  }

  // MARK: Encryption

  /// Writes that the connection is encrypted once a packet shows it, if the end of the procedure is
  /// missing.
  private mutating func noteEncryption(
    _ id: Int, _ seen: AirObservation, into output: inout Output
  ) {
    guard seen.isDecrypted || seen.fact.encryption != .clear else { return }
    var link = link(id)
    if link.isStarting || !link.isEncrypted { finishEncryption(&link, .success, into: &output) }
    links[id] = link
  }

  /// Writes the end of an encryption start: Encryption Change, or for a new key Encryption Key
  /// Refresh Complete.
  private mutating func finishEncryption(
    _ link: inout Link, _ status: StatusCode, into output: inout Output
  ) {
    guard link.isStarting || !link.isEncrypted else { return }
    link.isStarting = false
    let head = [status.rawValue] + Self.number(link.handle)
    if link.isEncrypted {
      event(0x30, head, into: &output)
    } else {
      link.isEncrypted = status == .success
      event(0x08, head + [link.isEncrypted ? 1 : 0], into: &output)
    }
  }

  // MARK: Writing

  private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  private static func bytes(_ address: DeviceAddress) -> [UInt8] { bytes(address.value, 6) }

  private static func number(_ number: UInt16?) -> [UInt8] { bytes(UInt64(number ?? 0), 2) }

  private mutating func command(
    _ opcode: UInt16, _ parameters: [UInt8], into output: inout Output
  ) {
    let start = output.count
    output.byte(1)
    output.native(opcode.littleEndian)
    output.byte(UInt8(clamping: parameters.count))
    output.raw(parameters.bytes)
    end(start, .sent, isMade: true, output)
  }

  private mutating func event(_ code: UInt8, _ parameters: [UInt8], into output: inout Output) {
    let start = output.count
    output.byte(4)
    output.byte(code)
    output.byte(UInt8(clamping: parameters.count))
    output.raw(parameters.bytes)
    end(start, .received, isMade: true, output)
  }

  private mutating func end(
    _ start: Int, _ direction: Direction, isMade: Bool, _ output: borrowing Output
  ) {
    let slice = Slice(start: start, count: output.count - start)
    packets.append(Packet(slice: slice, direction: direction, isMade: isMade))
    if isMade { made += 1 }
  }
}
