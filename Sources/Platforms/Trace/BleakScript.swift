import Bluetooth
package import Bytes
package import Captures
import Dissectors
import Meanings
import Reports
package import Sessions

/// `trace --as bleak`: a Python script that does with bleak what the GATT client of each connection
/// did.
///
/// Everything is kept until the end: only then is it known what each attribute is.
package struct BleakScript: PacketReport, ~Copyable {
  /// What a client did, or what a server sent on its own.
  struct Step: Sendable {
    let operation: ValueOperation
    let outcome: ValueOutcome
    let attribute: AttributeIdentity
    /// The packet of the request; of a read value, that of the response.
    let packet: Int
    /// When it began, and when it was complete.
    let begin: Timestamp?
    let end: Timestamp?
    /// The value; nil if it is secret, or if the operation has none.
    let value: [UInt8]?
    let count: Int
    let isSecret: Bool
    /// Whether it is not a whole value.
    let isPart: Bool
    /// Whether several attributes are read at once.
    let isOfSeveral: Bool
    /// What the value means, or why it was refused.
    let meaning: [UInt8]
    /// How many more values of the attribute the server sent until the next operation, and the
    /// last packet.
    var more = (count: 0, packet: 0)
  }

  /// What a client and a server did on one connection.
  struct Session: Sendable {
    let connection: Int
    /// The end that is the server.
    let server: Side
    let parties: ValueParties
    let peerKind: AddressKind?
    fileprivate(set) var steps: [Step] = []
    /// The number of the client's operations.
    fileprivate(set) var operations = 0
    /// The values that were sent since the last operation, by handle: how many, and the step of the
    /// last one that is kept.
    fileprivate var sent: [UInt16: (count: Int, step: Int)] = [:]
  }

  private struct Key: Hashable {
    let connection: Int
    let server: Side
  }

  private let name: String
  private let limits: Limits
  private var conversations: Conversations
  private var filter: ValueFilter
  private var reading: ValueReading
  private var sessions: [Session] = []
  private var index: [Key: Int] = [:]
  /// The first packets about pairing or encryption, by connection; 0: none.
  private var pairings: [Int] = []
  /// What profiles call attributes.
  private var titles: [BluetoothUUID: String] = [:]
  private var stepCount = 0
  private var byteCount = 0
  /// The number of steps for which there was no room.
  private var leftOut = 0
  private var isEmpty = false
  /// Whether there is no script, or one without an operation.
  package private(set) var replaysNothing = false
  /// The sentence about what the script leaves out.
  private var omissions: String?

  /// The number of values of an attribute that are listed until the next operation.
  private static let listedValues = 3

  /// - Parameter name: the name of the capture.
  package init(_ options: TraceOptions, name: String, limits: Limits = Limits()) {
    (self.name, self.limits) = (name, limits)
    conversations = Conversations(limits)
    var values = ValuesOptions()
    values.selection = options.selection
    (values.time, values.zoneOffset) = (options.time, options.zoneOffset)
    filter = ValueFilter(values)
    reading = ValueReading(options.profiles, showsKeys: false, keepsRecent: true)
  }

  /// Always false: what comes later may reveal what an attribute is.
  package var isSatisfied: Bool { false }

  package var remark: String? {
    if isEmpty { return filter.remark ?? "the capture shows no use of a GATT server to replay" }
    return leftOut > 0
      ? "the script has no room for \(leftOut) more operations and values" : omissions
  }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    filter.observe(packet.record, memory)
    reading.follow(packet, memory)
    if let link = packet.answer.link,
      packet.dissection.smp != nil || memory.links.isEncrypted(link) == true
    {
      let connection = memory.links.id(link)
      while pairings.count <= min(connection, limits.scriptSteps) { pairings.append(0) }
      if connection < pairings.count, pairings[connection] == 0 {
        pairings[connection] = packet.record.number
      }
    }
    conversations.observe(packet, memory)
    if !conversations.values.isEmpty { take(memory) }
  }

  private mutating func take(_ memory: borrowing Memory) {
    let bytes = conversations.bytes
    for value in conversations.values
    where value.operation != .advertisement && value.operation != .data {
      var chosen = value
      // A characteristic is selected with its subscriptions.
      if value.attribute.isConfiguration,
        let owner = memory.owner(of: value.attribute, value.parties.connection)
      {
        chosen.attribute = owner
      }
      guard filter.selects(chosen, bytes.bytes) else { continue }
      filter.count()
      take(value, bytes.bytes, memory)
    }
  }

  private mutating func take(
    _ value: ConveyedValue, _ bytes: RawSpan, _ memory: borrowing Memory
  ) {
    _ = reading.read(value, bytes, memory)
    if let uuid = value.attribute.uuid?.shortest, titles.count < limits.scriptSteps,
      titles[uuid] == nil, let title = reading.name(uuid)
    {
      titles[uuid] = title
    }
    guard let place = session(of: value, memory) else {
      leftOut += 1
      return
    }
    let isSent = value.operation == .notification || value.operation == .indication
    if isSent, let handle = value.attribute.handle, let run = sessions[place].sent[handle],
      run.count >= Self.listedValues
    {
      sessions[place].steps[run.step].more.count += 1
      sessions[place].steps[run.step].more.packet = value.packet
      return
    }
    let content = value.value.map { bytes.part($0).array }
    let isSecret = value.isKeyMaterial
    var words = Output()
    if value.outcome != .done {
      words.why(
        value.outcome, of: value.operation, isAcknowledged: value.isAcknowledged,
        error: reading.profiles.errorName(of: value))
    } else if reading.meaning.isKnown, !isSecret {
      reading.meaning.writeText(into: &words)
    }
    stepCount += 1
    byteCount += words.count + (content?.count ?? 0)
    guard stepCount <= limits.scriptSteps, byteCount <= limits.scriptBytes else {
      leftOut += 1
      return
    }
    let isRead = value.operation == .read && value.value != nil && value.outcome == .done
    let latency = value.latency ?? 0
    sessions[place].steps.append(
      Step(
        operation: value.operation, outcome: value.outcome, attribute: value.attribute,
        packet: value.packet, begin: value.time?.adding(isRead ? -latency : 0),
        end: value.time?.adding(isRead ? 0 : latency), value: isSecret ? nil : content,
        count: content?.count ?? 0, isSecret: isSecret,
        isPart: value.offset > 0 || value.isCut, isOfSeveral: value.handles != nil,
        meaning: words.bytes.array))
    if isSent, let handle = value.attribute.handle {
      let count = sessions[place].sent[handle]?.count ?? 0
      sessions[place].sent[handle] = (count + 1, sessions[place].steps.count - 1)
    } else {
      sessions[place].sent.removeAll(keepingCapacity: true)
      sessions[place].operations += 1
    }
  }

  /// Returns the place of the session that a value belongs to; nil if there is no room for another.
  private mutating func session(of value: ConveyedValue, _ memory: borrowing Memory) -> Int? {
    let key = Key(connection: value.parties.connection, server: value.attribute.side)
    if let place = index[key] { return place }
    guard sessions.count < limits.listedConnections, stepCount < limits.scriptSteps else {
      return nil
    }
    var kind: AddressKind?
    memory.links.forEach { if $0.id == key.connection { kind = $0.peerKind } }
    index[key] = sessions.count
    sessions.append(
      Session(
        connection: key.connection, server: key.server, parties: value.parties, peerKind: kind))
    return sessions.count - 1
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    take(memory)
    var names: [UInt64: [UInt8]] = [:]
    memory.names.forEach(since: 0) { names[$0.value & 0xffff_ffff_ffff] = $1 }
    var writer = BleakWriter(titles: titles)
    // A script is one client: of the two ends of a connection, the one that did more.
    for session in sessions.sorted(by: { $0.connection < $1.connection }) {
      let other = index[Key(connection: session.connection, server: session.server.other)]
        .map { sessions[$0] }
      let isMain =
        other.map {
          session.operations > $0.operations
            || session.operations == $0.operations && session.server == .peer
        } ?? true
      guard isMain, !session.steps.isEmpty else {
        writer.lacks.otherEnd += session.operations
        continue
      }
      let pairing =
        pairings.indices.contains(session.connection) ? pairings[session.connection] : 0
      writer.write(session, pairing: pairing > 0 ? pairing : nil, names, memory)
    }
    (isEmpty, replaysNothing) = (writer.isEmpty, writer.replaysNothing)
    guard !isEmpty else { return }
    writer.lacks.more = leftOut
    writer.lacks.isOnAir = memory.vantage == .air
    omissions = writer.remark
    writer.finish(name, into: &output)
  }
}
