import Bluetooth
package import Bytes
package import Captures
package import Decoders
import Dissectors
package import Meanings
package import Sessions

package struct MapOptions: PresentationOptions, Sendable {
  /// The devices, connections, adapters and attributes; an empty selection means all.
  package var selection = Selection()
  /// Whether to print a document instead of text.
  package var isJSON = false
  /// The user's profiles, which decode values beside the built-in ones; nil: nothing is decoded.
  package var profiles: SuppliedProfiles? = SuppliedProfiles()
  package var showsKeys = false
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// The width of the terminal in columns; nil: lines are not cut.
  package var width: Int?
  package var usesColor = false

  /// Creates the default options.
  package init() {}
}

/// `map`: lists the services, characteristics and descriptors of devices. Collects while packets
/// are fed, and prints at the end.
package struct MapReport: PacketReport, ~Copyable {
  private let options: MapOptions
  private let limits: Limits
  private var uses: AttributeUses
  /// The requests, unless another report passes its own.
  private var conversations: Conversations
  /// The open frames of vendor protocols, and the last messages of attributes.
  private var reading: ValueReading
  private var messages = LastMessages()
  /// The last known state of each connection, by connection number.
  private var connections: [Int: Connection] = [:]
  private var latest = 0
  private var otherEndings = 0
  /// The maximum number of addresses that are kept of one device.
  private static let mostAddresses = 64

  /// Why no device is listed, if none has the selected name.
  package private(set) var remark: String?

  /// Creates a report on the selected devices.
  package init(_ options: MapOptions, limits: Limits = Limits()) {
    self.options = options
    self.limits = limits
    uses = AttributeUses(limits)
    conversations = Conversations(limits)
    reading = ValueReading(options.profiles, showsKeys: options.showsKeys)
  }

  /// Always false: every packet may be relevant.
  package var isSatisfied: Bool { false }

  /// No packet is printed.
  package var wantsProblems: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    guard let link = packet.answer.link else { return }
    if packet.dissection.att != nil {
      reading.clear()
      reading.follow(packet, memory)
    }
    // Only what a response decides is taken from them.
    if let role = packet.dissection.att?.opcode.role, role == .request || role == .response {
      conversations.observe(packet, memory)
      uses.observe(conversations)
    }
    note(packet, memory, on: link)
    messages.keep(reading, packet, memory, on: link)
  }

  /// Processes the values that a packet decided, before the packet.
  package mutating func observe(_ conversations: borrowing Conversations) {
    if !conversations.values.isEmpty { uses.observe(conversations) }
  }

  /// Processes a packet that another report has read, and whose values were passed to `observe`, so
  /// that neither is done again.
  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, read: borrowing ValueReading
  ) {
    guard let link = packet.answer.link else { return }
    note(packet, memory, on: link)
    if options.profiles != nil { messages.keep(read, packet, memory, on: link) }
  }

  private mutating func note(
    _ packet: borrowing Packet, _ memory: borrowing Memory, on link: LinkSlot
  ) {
    if packet.dissection.att != nil || packet.dissection.smp != nil {
      uses.note(packet, memory)
    }
    observe(packet.answer, memory, on: link)
  }

  /// Records the state of connections.
  private mutating func observe(
    _ answer: Answer, _ memory: borrowing Memory, on link: LinkSlot
  ) {
    if answer.opened || answer.closed || memory.links.id(link) != latest {
      latest = memory.links.id(link)
      store(memory.links.connection(link))
    }
    if memory.links.otherEndings != otherEndings {
      memory.links.forEachEnding(after: otherEndings) { store($0) }
      otherEndings = memory.links.otherEndings
    }
  }

  private mutating func store(_ connection: Connection) {
    guard connection.id != 0,
      connections[connection.id] != nil || connections.count < limits.listedConnections
    else { return }
    connections[connection.id] = connection
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    remark = options.selection.absence(memory)
    if options.isJSON {
      remark = remark ?? memory.air.encryptionRemark
      var document = MapDocument(
        shown(conclude(memory)), messages, showsKeys: options.showsKeys,
        profiles: options.profiles)
      document.write(into: &output)
    } else {
      var page = page(memory)
      page.write(into: &output)
      output.encryptionRemarks(memory, options.glyphs, width: options.width)
    }
  }

  /// The tree, now that the capture was read to its end.
  ///
  /// - Parameter conversations: those of the caller, at their end; nil if it passed none.
  package mutating func page(
    _ memory: borrowing Memory, _ conversations: Conversations? = nil
  ) -> MapPage {
    let devices = conclude(memory, conversations)
    // The devices now hold what was recorded here.
    uses = AttributeUses(limits)
    return MapPage(shown(devices), messages, options)
  }

  /// Returns the devices with what is known of them, after the capture was read to its end, in the
  /// order of their first connections.
  package mutating func conclude(
    _ memory: borrowing Memory, _ shared: Conversations? = nil
  ) -> [MapDevice] {
    memory.links.forEach { store($0) }
    if shared == nil { conversations.finish(memory) }
    uses.finish(shared ?? conversations, memory)
    var devices: [MapDevice] = []
    for connection in connections.values.sorted(by: { $0.id < $1.id }) {
      guard connection.transport != .synchronous else { continue }
      for side in [Side.peer, .local] {
        let key = memory.attributes.currentKey(Attributes.key(of: side, connection))
        let index: Int
        if let known = devices.firstIndex(where: { $0.key == key }) {
          index = known
        } else {
          index = devices.count
          devices.append(MapDevice(key: key))
        }
        add(connection, side, to: &devices[index], memory)
      }
    }
    var budget = DatabaseProof.Budget(servers: memory.attributes.servers.count { $0.hash != nil })
    for index in devices.indices {
      let database = memory.attributes.servers.first { $0.key == devices[index].key }
      devices[index].build(
        database, uses.uses(of: devices[index].key, memory.attributes), &budget)
    }
    return devices
  }

  /// Returns the selected devices, with this host last.
  private func shown(_ all: [MapDevice]) -> [MapDevice] {
    var devices = all
    // A host whose server was not used has nothing to show.
    devices.removeAll { $0.adapter != nil && $0.isEmpty }
    if devices.contains(where: { !$0.isEmpty }) { devices.removeAll { $0.isEmpty } }
    devices = devices.filter { $0.adapter == nil } + devices.filter { $0.adapter != nil }
    return devices.compactMap { $0.chosen(by: options.selection) }
  }

  private func add(
    _ connection: Connection, _ side: Side, to device: inout MapDevice, _ memory: borrowing Memory
  ) {
    device.connections.append(connection.id)
    device.adapters.insert(connection.adapter)
    let parts = memory.coverage.parts(of: connection)
    if connection.isOpeningMissing || connection.hasLostPackets
      || memory.coverage.adapters.contains(where: { $0.cutData > 0 })
      || !parts.isSuperset(of: .bothDirections)
    {
      device.mayLackAnswers = true
    }
    if connection.isOnAir, memory.air.link(connection: connection.id)?.undecrypted ?? 0 > 0 {
      device.mayLackAnswers = true
    }
    if !parts.contains(side == .local ? .receivedData : .sentData) { device.lacksRequests = true }
    // A connection without ATT reveals nothing about the MTU.
    if connection.transport != .brEDR || connection.mtu != nil,
      connection.largestATT > 0 || connection.mtu != nil || device.mtu == nil
    {
      device.mtu = connection.attMTU
    }
    if side == .local {
      device.adapter = connection.adapter
      if connection.isOnAir {
        device.address = connection.localAddress
        if let address = connection.localAddress, let type = connection.localType {
          device.kind = AddressKind(address, type)
        }
        return
      }
      let adapter = memory.adapters.all.first { $0.index == connection.adapter }
      if let address = adapter?.address, address != .zero { device.address = address }
      return
    }
    device.address = connection.peer
    device.kind = connection.peerKind
    if let identity = connection.otherIdentity { device.identity = identity }
    let resolved = connection.peer.flatMap { memory.identities.search($0)?.address }
    if device.identity == nil, let resolved, resolved != connection.peer {
      device.identity = resolved
    }
    for case let address? in [connection.peer, connection.peerResolvable, resolved]
    where device.addresses.count < Self.mostAddresses && !device.addresses.contains(address) {
      device.addresses.append(address)
    }
    if let entry = connection.name, let name = memory.names[entry], !device.names.contains(name) {
      device.names.append(name)
    }
  }
}
