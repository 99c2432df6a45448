import Bluetooth
import Bytes
import Captures
import Decoders
import Diagnosis
import Differences
import Dissectors
import Reports
import Sessions
import Words

/// Records the operations on each connection, as `diff` compares them. Memory grows with the
/// operations, up to a limit: the two sides can be compared only when both are known.
struct OperationRecorder: ~Copyable {
  /// What is kept of all connections together.
  var session = Session()
  /// The operations of each connection, by connection number.
  var operations: [Int: [Differences.Operation]] = [:]
  /// The attributes of `session.roles`, by index.
  var identities: [AttributeIdentity] = []
  /// The role of this host on each connection.
  var roles: [Int: Connection.Role] = [:]
  /// The connections with data that is not recorded: that of other L2CAP channels.
  private(set) var otherData: Set<Int> = []
  private var places: [AttributeKey: Int] = [:]
  var messages: [String: Int] = [:]
  /// Requests that find attributes or set the MTU, until they are answered, by connection and
  /// packet.
  private(set) var unanswered: [Int: [Int: Unanswered]] = [:]
  /// The last request that was answered, by connection and by whether the central sent it.
  private(set) var lastAnswered: [Int: [Bool?: Int]] = [:]
  /// Decodes values.
  var reading: ValueReading
  let showsKeys: Bool
  /// The user's profiles.
  let profiles: SuppliedProfiles
  let bounds: SessionBounds
  private var kept = 0
  /// The packet of the first operation that was not kept, or nil if all were.
  private(set) var firstLeftOut: Int?

  /// A request that was not answered yet.
  struct Unanswered {
    /// The index of its operation on the connection.
    let place: Int
    let isByCentral: Bool?
    let opcode: ATTOpcode
    /// The MTU that it offers.
    var mtu: UInt16 = 0
  }

  /// The result of a request whose end is not in the capture.
  static let captureEnds: Wording = "no answer: the capture ends"
  /// The result of a request whose answer may be missing from the capture.
  static let notCaptured: Wording = "no answer that the capture has"

  /// Identifies an attribute among all servers; without a handle, by its type.
  private struct AttributeKey: Hashable {
    var server: UInt64
    var isLocal: Bool
    var handle: UInt16
    var uuid: BluetoothUUID?
  }

  init(_ profiles: SuppliedProfiles, showsKeys: Bool, _ bounds: SessionBounds) {
    self.bounds = bounds
    reading = ValueReading(profiles, showsKeys: showsKeys, keepsRecent: true)
    self.showsKeys = showsKeys
    self.profiles = profiles
  }

  // MARK: Packets

  /// Records a packet: follows its protocol, and stores everything that is not a value.
  mutating func follow(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    if dissection.att != nil { reading.follow(record, dissection, bytes, answer, memory) }
    // The answers may be among the lost records.
    if memory.links.gap == record.number { unanswered = [:] }
    // A packet that another file contains, too, was recorded already.
    guard record.original == nil, let link = answer.link, let direction = record.direction else {
      return
    }
    let id = memory.links.id(link)
    guard id != 0 else { return }
    if dissection.l2cap != nil, dissection.att == nil, dissection.smp == nil,
      !dissection.isSignalling
    {
      if otherData.count < bounds.connections { otherData.insert(id) }
    } else if let pdu = dissection.smp {
      let isByCentral = isByCentral(direction, memory.links.connection(link))
      add(pdu, dissection, bytes, answer, direction == .sent, isByCentral, id, record)
    } else if let pdu = dissection.att {
      observe(pdu.opcode, dissection.attFields, direction, answer, id, record, memory)
    }
  }

  /// Returns whether the central sent packets of this direction, or nil if the roles are unknown.
  private mutating func isByCentral(_ direction: Direction, _ connection: Connection) -> Bool? {
    guard let role = connection.localRole else { return nil }
    if roles.count < bounds.connections { roles[connection.id] = role }
    return (direction == .sent) == (role == .central)
  }

  /// Records an ATT PDU that finds attributes or sets the MTU. Values come from `Conversations`.
  private mutating func observe(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ direction: Direction, _ answer: Answer, _ id: Int,
    _ record: borrowing CaptureRecord, _ memory: borrowing Memory
  ) {
    guard let link = answer.link else { return }
    let isByCentral = isByCentral(direction, memory.links.connection(link))
    // The request that the packet answers.
    let request = answer.request.flatMap { answered($0.packet, isByCentral.map { !$0 }, id) }
    switch opcode {
    case .exchangeMTURequest:
      guard let mtu = fields.mtu else { return }
      var operation = Differences.Operation(
        .exchangeMTU, connection: id, packet: record.number, time: record.time)
      (operation.isByHost, operation.isByCentral) = (direction == .sent, isByCentral)
      guard append(operation) else { return }
      expectAnswer(record.number, isByCentral, id, to: opcode, offering: mtu)
    case .exchangeMTUResponse:
      guard let request, let mtu = fields.mtu else { return }
      let words = keep("client \(request.mtu), server \(mtu)")
      settleMTU(request, id, record) {
        $0.latency = answer.latency
        $0.text = words
        $0.value = words
      }
    case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest:
      discover(opcode, direction == .sent, isByCentral, id, record)
    case .readByTypeRequest where fields.type?.declares == true:
      discover(opcode, direction == .sent, isByCentral, id, record)
    case .errorResponse: refuse(fields, request, id, record)
    default: break
    }
  }

  /// Records a request whose operation is the last one, until it is answered.
  private mutating func expectAnswer(
    _ packet: Int, _ isByCentral: Bool?, _ id: Int, to opcode: ATTOpcode,
    offering mtu: UInt16 = 0
  ) {
    guard let place = operations[id]?.indices.last else { return }
    if let waiting = unanswered[id], waiting.count >= bounds.unanswered,
      let oldest = waiting.keys.min()
    {
      unanswered[id]?[oldest] = nil
    }
    unanswered[id, default: [:]][packet] = Unanswered(
      place: place, isByCentral: isByCentral, opcode: opcode, mtu: mtu)
  }

  /// Records that a request was answered, and returns it if it was pending.
  private mutating func answered(_ packet: Int, _ isByCentral: Bool?, _ id: Int) -> Unanswered? {
    if operations[id] != nil { lastAnswered[id, default: [:]][isByCentral] = packet }
    return unanswered[id]?.removeValue(forKey: packet)
  }

  /// Completes an MTU exchange with its answer, by which it is reported.
  private mutating func settleMTU(
    _ request: Unanswered, _ id: Int, _ record: borrowing CaptureRecord,
    _ complete: (inout Differences.Operation) -> Void
  ) {
    guard var operation = operations[id]?[request.place] else { return }
    operation.packet = record.number
    operation.lastPacket = record.number
    operation.time = record.time
    complete(&operation)
    operations[id]?[request.place] = operation
  }

  /// Records a request that looks for attributes. Consecutive ones are one operation, since their
  /// number depends on the MTU and on the attributes.
  private mutating func discover(
    _ opcode: ATTOpcode, _ isByHost: Bool, _ isByCentral: Bool?, _ id: Int,
    _ record: borrowing CaptureRecord
  ) {
    if let last = operations[id]?.last, last.kind == .discovery, last.failure == nil,
      last.isByHost == isByHost, let place = operations[id]?.indices.last
    {
      operations[id]?[place].count += 1
      operations[id]?[place].requests.insert(opcode)
      operations[id]?[place].lastPacket = record.number
      expectAnswer(record.number, isByCentral, id, to: opcode)
      return
    }
    var operation = Differences.Operation(
      .discovery, connection: id, packet: record.number, time: record.time)
    (operation.isByHost, operation.isByCentral) = (isByHost, isByCentral)
    operation.requests = [opcode]
    guard append(operation) else { return }
    expectAnswer(record.number, isByCentral, id, to: opcode)
  }

  /// Records an Error Response to a request that is not about a value.
  private mutating func refuse(
    _ fields: ATTFields, _ request: Unanswered?, _ id: Int, _ record: borrowing CaptureRecord
  ) {
    guard let error = fields.error, let opcode = fields.requestOpcode else { return }
    switch opcode {
    case .exchangeMTURequest:
      guard let request else { return }
      let failure = keep("\(error)")
      settleMTU(request, id, record) { $0.failure = failure }
    case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest,
      .readByTypeRequest:
      // A discovery ends when nothing more is found.
      guard error != .attributeNotFound, let request else { return }
      fail(request, id, "\(error)")
    default: break
    }
  }

  /// Stores why a request that finds attributes or sets the MTU failed; for a discovery, also which
  /// of its requests failed.
  mutating func fail(_ request: Unanswered, _ id: Int, _ reason: Wording) {
    guard operations[id]?[request.place].kind == .discovery else {
      let words = keep(reason)
      operations[id]?[request.place].failure = words
      return
    }
    let name = request.opcode.name.map { "\($0): " as Wording } ?? ""
    let words = keep("\(name)\(reason)")
    operations[id]?[request.place].failure = words
    operations[id]?[request.place].failedRequest = request.opcode
  }

  // MARK: Keeping

  /// Returns whether there is room for an operation. If there is none, that is remembered.
  mutating func hasRoom(_ id: Int, _ packet: Int) -> Bool {
    if kept < bounds.operations, session.bytes.count < bounds.bytes,
      operations.count < bounds.connections || operations[id] != nil
    {
      return true
    }
    firstLeftOut = firstLeftOut ?? packet
    return false
  }

  /// Stores an operation if there is room, and returns whether there was.
  @discardableResult
  mutating func append(_ operation: Differences.Operation) -> Bool {
    guard hasRoom(operation.connection, operation.packet) else { return false }
    kept += 1
    operations[operation.connection, default: []].append(operation)
    return true
  }

  /// Stores bytes.
  mutating func keep(_ span: RawSpan) -> Slice {
    let start = session.bytes.count
    session.bytes.append(span)
    return Slice(start: start, count: span.byteCount)
  }

  /// Stores words.
  mutating func keep(_ words: Wording) -> Slice { keep([UInt8](words.text.utf8).bytes) }

  /// Returns the index of an attribute in `identities`.
  mutating func place(_ attribute: AttributeIdentity) -> Int {
    let key = AttributeKey(
      server: attribute.server, isLocal: attribute.isLocal, handle: attribute.handle ?? 0,
      uuid: attribute.handle == nil ? attribute.uuid : nil)
    if let known = places[key] {
      // It may have been unknown at its first use.
      if identities[known].uuid == nil { identities[known] = attribute }
      return known
    }
    places[key] = identities.count
    identities.append(attribute)
    return identities.count - 1
  }
}

extension BluetoothUUID {
  /// Whether attributes of this type declare others, so that reading them is discovery.
  fileprivate var declares: Bool { width == 2 && 0x2800...0x2803 ~= low }
}
