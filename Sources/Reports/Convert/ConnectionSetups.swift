import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What is needed to understand a connection: how it was established and ended, its security and
/// parameters, and its attributes. This is all its packets except those that carry values or other
/// data.
///
/// A connection is accompanied by earlier ones with the same device, since keys and attributes stay
/// known, and by those on which an attribute was discovered. Of all other connections, only the
/// packets that open and end them are included, so that connections keep their numbers. What
/// controllers report about themselves is included, too.
struct ConnectionSetups: Sendable {
  /// The setup of one connection.
  private struct Setup: Sendable {
    /// The packets that do not belong to discovery.
    var link: [Int] = []
    /// Requests and responses that identify attributes.
    var discovery: [Int] = []
    /// The addresses of the peer.
    var peers: Set<DeviceAddress> = []
    /// The connection's change count when `peers` was last updated.
    var changes = -1
  }

  private var setups: [Int: Setup] = [:]
  /// The packets in which connections were opened or first seen, and those that ended them.
  private var turns: [(packet: Int, connection: Int)] = []
  /// The packets that contained the names of devices.
  private var names: [DeviceAddress: [Int]] = [:]
  private var nameGeneration = 0
  /// The packets that revealed the owners of private addresses.
  private var identities: [Int] = []
  private var identityGeneration = 0
  /// The packets that identify the advertisers of periodic trains, and whether a packet of a train
  /// was requested.
  private var syncs: [Int] = []
  private var needsSyncs = false
  /// The packets in which controllers report about themselves.
  private var controllers: [Int] = []
  /// The commands, by controller, that may have created the next connection, and their answers.
  private var creating: [AdapterIndex: [Int]] = [:]

  /// The connections of the requested packets, and those on which their attributes were discovered.
  private var needed: Set<Int> = []
  private var neededForDiscovery: Set<Int> = []
  /// The devices that appear outside connections.
  private var devices: Set<DeviceAddress> = []

  /// Records that a packet was requested.
  mutating func need(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if let link = packet.answer.link, memory.links.id(link) > 0 {
      needed.insert(memory.links.id(link))
    }
    if let place = packet.answer.attribute {
      neededForDiscovery.insert(memory.attributes[place].connection)
    }
    for advertisement in memory.advertisements.reports {
      if advertisement.train != nil { needsSyncs = true }
      guard let address = advertisement.report.address else { continue }
      devices.insert(address)
      if let identity = memory.identities.identity(of: address) { devices.insert(identity.address) }
    }
  }

  /// Records any packet.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    let number = packet.record.number
    if memory.names.generation != nameGeneration {
      var named: [DeviceAddress] = []
      memory.names.forEach(since: nameGeneration) { address, _ in named.append(address) }
      // A name may be split over several reports that belong together.
      var packets = [number]
      for advertisement in memory.advertisements.reports {
        if let chain = advertisement.chain { packets += memory.advertisements.packets[chain] }
      }
      for address in named { names[address, default: []] += packets }
      nameGeneration = memory.names.generation
    }
    if memory.identities.generation != identityGeneration {
      identityGeneration = memory.identities.generation
      identities.append(number)
    }
    if case .note(let note) = packet.dissection.content {
      switch note.kind {
      case .newIndex, .openIndex, .closeIndex, .deletedIndex, .indexInfo: controllers.append(number)
      default: break
      }
    }
    if case .periodicSync = packet.dissection.fact { syncs.append(number) }
    noteCreation(packet)
    guard let link = packet.answer.link, memory.links.id(link) > 0 else {
      // Events that end all links of a controller, and the commands that they answer.
      if packet.answer.closed, memory.links.count > 0 {
        if let request = packet.answer.request?.packet { turns.append((request, 0)) }
        turns.append((number, 0))
      }
      return
    }
    let id = memory.links.id(link)
    if memory.links.changes(link) != setups[id]?.changes {
      let connection = memory.links.connection(link)
      var setup = setups[id] ?? Setup()
      setup.changes = connection.changes
      let known = [connection.peer, connection.peerResolvable, connection.identity?.address]
      setup.peers.formUnion(known.compactMap(\.self))
      setups[id] = setup
    }
    if packet.answer.opened || packet.answer.closed { turns.append((number, id)) }
    if packet.answer.opened {
      setups[id]?.link += creating.removeValue(forKey: packet.record.adapter) ?? []
    }
    switch Self.part(packet, memory) {
    case .link: setups[id]?.link.append(number)
    case .discovery: setups[id]?.discovery.append(number)
    case nil: break
    }
  }

  /// Records commands that create connections, and their answers.
  private mutating func noteCreation(_ packet: borrowing Packet) {
    let adapter = packet.record.adapter
    guard adapter != .unknown else { return }
    if case .command(let command) = packet.dissection.content {
      switch command.opcode {
      case HCICommand.createConnection, HCICommand.leCreateConnection,
        HCICommand.leExtendedCreateConnection:
        creating[adapter] = [packet.record.number]
      default: break
      }
    } else if let request = packet.answer.request?.packet,
      creating[adapter]?.contains(request) == true
    {
      creating[adapter]?.append(packet.record.number)
    }
  }

  /// Returns which part of a connection's setup a packet is, or nil if it is not part of it.
  private static func part(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Part? {
    switch packet.dissection.content {
    case .event:
      if case .completedPackets = packet.dissection.fact { return nil }
      return .link
    // Without the start of encryption, nothing after it can be decrypted.
    case .command, .linkControl: return .link
    case .acl: break
    default: return nil
    }
    if packet.dissection.smp != nil { return .link }
    if let pdu = packet.dissection.att {
      let opcode = packet.dissection.attFields.requestOpcode ?? pdu.opcode
      if isDiscovery(opcode) { return .discovery }
      // Descriptors, which determine how values are interpreted.
      if let place = packet.answer.attribute, memory.attributes[place].kind != .value {
        return .discovery
      }
      return nil
    }
    switch packet.dissection.l2cap?.cid {
    case .signalling, .leSignalling: return .link
    default: return nil
    }
  }

  /// The two lists of a setup.
  private enum Part { case link, discovery }

  private static func isDiscovery(_ opcode: ATTOpcode) -> Bool {
    switch opcode {
    case .exchangeMTURequest, .exchangeMTUResponse, .findInformationRequest,
      .findInformationResponse, .findByTypeValueRequest, .findByTypeValueResponse,
      .readByTypeRequest, .readByTypeResponse, .readByGroupTypeRequest, .readByGroupTypeResponse:
      true
    default: false
    }
  }

  /// Adds the packets that are needed to `kept`.
  func keep(in kept: inout ChosenPackets) {
    var peers = devices
    for id in needed { peers.formUnion(setups[id]?.peers ?? []) }
    let lastNeeded = needed.max() ?? 0
    let lastKept = kept.last
    for (id, setup) in setups {
      let isEarlier = setup.link.first.map { $0 < lastKept } ?? false
      if needed.contains(id) || isEarlier && !peers.isDisjoint(with: setup.peers) {
        kept.insert(setup.link)
        kept.insert(setup.discovery)
      } else if neededForDiscovery.contains(id) {
        kept.insert(setup.discovery)
      }
    }
    for turn in turns where lastNeeded > 0 && turn.connection <= lastNeeded {
      if turn.connection > 0 || turn.packet < lastKept { kept.insert(turn.packet) }
    }
    for address in peers { kept.insert((names[address] ?? []).filter { $0 <= kept.last }) }
    kept.insert(identities.filter { !peers.isEmpty && $0 <= lastKept })
    if needsSyncs { kept.insert(syncs.filter { $0 <= lastKept }) }
    kept.insert(controllers)
  }
}
