package import Bluetooth
package import Bytes
import Captures
package import Decoders
import Dissectors
package import Sessions
import Words

/// Decodes values: the only way from an attribute's value, or advertised data, to words.
///
/// Profiles are loaded when the first value arrives. Lookups are cached for each UUID: a value that
/// nothing decodes costs one comparison. The open frames of vendor protocols are followed with
/// every packet, whether it is shown or not.
package struct ValueReading: ~Copyable {
  private let supplied: SuppliedProfiles?
  package let showsKeys: Bool
  /// The attributes whose values are secret.
  package let secretTypes: SecretTypes
  var library: ProfileLibrary?
  var vendors: [VendorProtocol] = []
  var decoder = ValueDecoder()
  var messages = VendorMessages()
  var plans: [Plan] = []
  /// The subjects of the plans, kept separately: comparing a plan's own subject would count its
  /// references.
  var subjects: [PlanSubject] = []
  /// For each byte, whether a frame of a protocol that only frames identify can start with it.
  private var firstBytes: [Bool] = []
  /// Where the plan of a subject was found last, by `PlanSubject.hint`.
  private var hints = [Int](repeating: 0, count: PlanSubject.hints)
  var recent: [Recent] = []
  /// The last packets that announced a series or contained a part of a message, and were printed.
  var announcements: [Int] = []
  /// The last messages of attributes, for `map`, by packet and handle.
  var last: [UInt64: Recent] = [:]
  /// Whether such messages are kept.
  let keepsRecent: Bool
  /// The values that determine the meaning of others, and the characteristics that definitions
  /// refer to.
  var known = KnownValues()
  private(set) var wanted: [BluetoothUUID] = []

  /// The last decoded value.
  package var decoded = Decoded()
  /// The vendor message and its context, if the value is one.
  package var sighting: VendorSighting?
  /// The messages after the first one in the same value.
  package var following: [FollowingMessage] = []
  /// What the value of a control point answers.
  var control: ExchangeNote?
  /// Whether the words include what a message answers.
  var isExchangeSaid = false
  /// Whether only a descriptor of its characteristic defines the value's meaning.
  var isByFormat = false
  /// The words for the value, ending with those for problems.
  package var line = Output()
  package var textEnd = 0
  /// The end of the first message's words, if the value contains several.
  var wordsEnd: Int { following.isEmpty ? line.count : firstEnd }
  var firstEnd = 0
  /// The definition of the value that `decoded` and `line` still describe, and that value: a report
  /// may ask for it twice.
  var latest: (definition: Definition, isWritten: Bool, hasMeaning: Bool)?
  private var latestValue: [UInt8] = []
  /// The packet and handle of the last message, unless others determine what it means.
  var held: (packet: Int, handle: UInt16)?
  /// Whether the last value has a meaning.
  package var hasMeaning = false
  /// Whether that value is the subject of a PDU, rather than one of several in it.
  package private(set) var isOfPDU = false
  /// The structure that the value is a part of, if it was decoded as a whole.
  package private(set) var structure: [UInt8] = []
  /// Whether decoding was started since the last value was discarded.
  private var hasBegun = false
  /// Whether profiles were loaded.
  private var isReady = false
  private let passing = PassedByReference()

  /// The maximum number of UUIDs that are remembered.
  private static let mostPlans = 1024
  /// The number of messages kept until their answer arrives or their line is printed; the older
  /// half is discarded when there are twice as many.
  static let mostRecent = 256
  /// The maximum number of packets that are remembered in case a series stays open.
  static let mostAnnouncements = 256

  /// - Parameters:
  ///   - supplied: the user's profiles, which come before the built-in ones; nil: nothing is
  ///     decoded.
  ///   - showsKeys: whether secrets are shown.
  ///   - keepsRecent: whether messages are needed again when their answers have arrived.
  package init(_ supplied: SuppliedProfiles?, showsKeys: Bool, keepsRecent: Bool = false) {
    self.supplied = supplied
    self.showsKeys = showsKeys
    secretTypes = SecretTypes(supplied?.secretTypes ?? [])
    self.keepsRecent = keepsRecent
  }

  /// Discards the last value. Most packets have none.
  mutating func clear() {
    if hasBegun { forget() }
  }

  /// Starts to decode a value. Must be called before setting anything that `forget` resets.
  mutating func begin() {
    clear()
    hasBegun = true
  }

  @inline(never)
  private mutating func forget() {
    hasBegun = false
    hasMeaning = false
    isOfPDU = false
    held = nil
    if sighting != nil { sighting = nil }
    if control != nil { control = nil }
    isByFormat = false
    isExchangeSaid = false
    if !following.isEmpty { following.removeAll() }
    if !structure.isEmpty { structure.removeAll(keepingCapacity: true) }
  }

  // MARK: Plans

  /// Whether there are profiles; loads them.
  var hasProfiles: Bool {
    mutating get {
      if !isReady { prepare() }
      return library != nil
    }
  }

  @inline(never)
  private mutating func prepare() {
    isReady = true
    guard let supplied else { return }
    let library = ProfileLibrary(own: supplied.definitions, vendors: supplied.vendors)
    vendors = library.vendors
    self.library = library
    wanted = library.wanted
    firstBytes = [Bool](repeating: false, count: 256)
    for vendor in vendors where vendor.claims.contains(where: \.isFrame) {
      if let first = vendor.frame.start.first, let byte = first {
        firstBytes[Int(byte)] = true
      } else {
        for byte in 0..<256 { firstBytes[byte] = true }
      }
    }
  }

  /// Returns the index of the plan for a UUID; nil stands for unknown attributes.
  private mutating func plan(_ kind: Subject.Kind, _ uuid: BluetoothUUID?) -> Int {
    let subject = PlanSubject(kind: kind, uuid: uuid)
    let place = hints[subject.hint]
    return place < subjects.count && subjects[place] == subject ? place : makePlan(subject)
  }

  @inline(never)
  private mutating func makePlan(_ subject: PlanSubject) -> Int {
    if let known = subjects.firstIndex(of: subject) {
      hints[subject.hint] = known
      return known
    }
    if plans.count >= Self.mostPlans {
      plans.removeAll()
      subjects.removeAll()
    }
    let (kind, uuid) = (subject.kind, subject.uuid)
    var plan = Plan()
    if let uuid {
      plan.definitions = library?.definitions(kind, uuid) ?? []
      plan.isNameless = uuid.name(as: kind == .characteristic ? .characteristic : nil) == nil
      plan.ownName = library?.ownName(kind, uuid)
      plan.use = KnownValues.use(kind, uuid, wanted)
    }
    plan.needsContext = plan.definitions.contains {
      $0.subject.service != nil || $0.subject.device != nil
    }
    if kind == .characteristic {
      plan.claims = vendors.claims(uuid, service: nil) { _ in false }
      let asksMore = vendors.contains { vendor in
        vendor.claims.contains { $0.service != nil || $0.device != nil }
      }
      if asksMore { plan.needsContext = true }
    }
    plan.isByFrameAlone =
      plan.definitions.isEmpty && !plan.needsContext && plan.claims.allSatisfy(\.isByFrame)
    plan.isClosed =
      !showsKeys && (kind == .characteristic || kind == .descriptor)
      && secretTypes.contains(uuid)
    plans.append(plan)
    subjects.append(subject)
    hints[subject.hint] = plans.count - 1
    return plans.count - 1
  }

  // MARK: Reading

  /// Decodes the content of a PDU, and follows the open frames of vendor protocols.
  ///
  /// - Parameters:
  ///   - decodes: whether the meaning is needed, too.
  ///   - isLocal: whether the server is this host.
  mutating func observe(
    _ opcode: ATTOpcode, _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer,
    _ memory: borrowing Memory, packet: Int, time: Timestamp?, isLocal: Bool, decodes: Bool
  ) {
    begin()
    guard let slice = dissection.attFields.value, let way = opcode.way else { return }
    guard hasProfiles else { return }
    let value = bytes.part(slice)
    var uuid: BluetoothUUID?
    var kind = Subject.Kind.characteristic
    if let place = answer.attribute {
      let attribute = memory.attributes[place]
      switch attribute.kind {
      case .value: break
      case .descriptor: kind = .descriptor
      case .service, .include, .characteristic: return
      }
      uuid = attribute.uuid
    }
    let plan = self.plan(kind, uuid)
    // Nearly all values that nothing decodes return here.
    if plans[plan].isByFrameAlone, !messages.hasOpenFrames, !known.hasFormats,
      value.byteCount == 0 || !firstBytes[Int(value.byte(at: 0))]
    {
      return
    }
    if let use = plans[plan].use, value.byteCount > 0 {
      keep(use, value, answer, memory, isLocal: isLocal)
    }
    var service: BluetoothUUID?
    var isOfDevice: (String) -> Bool = { _ in false }
    if plans[plan].needsContext {
      if let place = answer.attribute { service = memory.attributes.service(of: place) }
      isOfDevice = Self.isPeer(of: answer.link, memory)
    }
    let definition = definition(plan, service, value, isOfDevice)
    if let definition, !definition.subject.isCarrier {
      if definition.exchange != nil, value.byteCount > 0, let link = answer.link,
        let handle = dissection.attFields.handle ?? answer.request?.handle
      {
        pair(
          definition, value, way, Self.conversation(link, isLocal: isLocal, memory), handle,
          packet, time)
      }
      if decodes {
        var server: UInt64?
        if definition.hasExternals, let link = answer.link {
          server = Self.server(link, isLocal: isLocal, memory)
        }
        read(definition, value, isWritten: way == .written, server)
      }
      isOfPDU = value.byteCount > 0 || hasMeaning
      return
    }
    if kind == .characteristic, value.byteCount > 0, let link = answer.link,
      let handle = dissection.attFields.handle ?? answer.request?.handle
    {
      let conversation = Self.conversation(link, isLocal: isLocal, memory)
      if message(
        plan, service, value, way, conversation, handle, packet, time, isOfDevice)
      {
        if decodes { readMessage(value, Self.server(link, isLocal: isLocal, memory)) }
        isOfPDU = true
        return
      }
      if definition == nil, known.hasFormats {
        let server = Self.server(link, isLocal: isLocal, memory)
        isOfPDU = readByFormat(uuid, handle, server, value, decodes: decodes)
        return
      }
    }
    if let definition, decodes { read(definition, value, isWritten: way == .written, nil) }
    isOfPDU = definition != nil
  }

  /// Returns a function that returns whether the peer's name matches a pattern with `*` and `?`.
  /// Created only if the name is needed.
  @inline(never)
  private static func isPeer(of link: LinkSlot?, _ memory: borrowing Memory) -> (String) -> Bool {
    let name = memory.peerName(of: link)
    return { pattern in name?.fits(pattern) ?? false }
  }

  /// Decodes a value from `Conversations`, whose packets were followed.
  package mutating func read(_ value: ConveyedValue, _ bytes: RawSpan, _ memory: borrowing Memory)
    -> Bool
  {
    let isHeld = holds(value)
    if !isHeld { begin() }
    guard let slice = value.value, value.offset == 0, !value.isCut,
      value.handles == nil, showsKeys || !value.isSecret
    else {
      clear()
      return false
    }
    if isHeld { return true }
    let content = bytes.part(slice)
    if let company = value.company {
      return read(.company, BluetoothUUID(company), content)
        || readStructure(.manufacturerSpecificData, company, content)
    }
    if value.operation == .advertisement {
      return value.attribute.uuid.map { read(.serviceData, $0, content) } ?? false
    }
    if readAgain(value.packet, value.attribute.handle, content) { return true }
    let answered = control
    guard let uuid = value.attribute.uuid,
      value.attribute.kind == .value || value.attribute.kind == .descriptor
        || value.attribute.kind == nil
    else { return false }
    let peer = value.parties.peer
    let kind = value.attribute.kind == .descriptor ? .descriptor : uuid.subjectKind
    let server = memory.attributes.currentKey(value.attribute.server)
    if isReady, library != nil, content.byteCount > 0, let use = plans[plan(kind, uuid)].use {
      keep(use, content, value, memory)
    }
    let isRead = read(
      kind, uuid, content, isWritten: value.operation.isWrite, service: value.attribute.service,
      server: server
    ) { pattern in
      guard let peer,
        let entry = memory.names.find(peer, .random) ?? memory.names.find(peer, .public)
      else { return false }
      return memory.names[entry]?.fits(pattern) ?? false
    }
    control = answered
    if isRead || !known.hasFormats || kind != .characteristic || content.byteCount == 0 {
      return isRead
    }
    return readByFormat(uuid, value.attribute.handle, server, content, decodes: true)
  }

  /// Returns whether the last decoded value is this one, and a message.
  private func holds(_ value: ConveyedValue) -> Bool {
    guard let held, isOfPDU, hasMeaning else { return false }
    return held.packet == value.packet && held.handle == value.attribute.handle
  }

  /// Decodes a value on its own: advertised data, or one of several values in a packet.
  package mutating func read(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, _ value: RawSpan, isWritten: Bool = false,
    service: BluetoothUUID? = nil, server: UInt64? = nil,
    isOfDevice: (String) -> Bool = { _ in false }
  ) -> Bool {
    begin()
    guard hasProfiles else { return false }
    let plan = self.plan(kind, uuid)
    guard !plans[plan].definitions.isEmpty,
      let definition = definition(plan, service, value, isOfDevice)
    else { return false }
    read(definition, value, isWritten: isWritten, server)
    return hasMeaning
  }

  /// Returns the name of an attribute if only profiles name it: the protocol of the last value, or
  /// the definition of its characteristic.
  package mutating func name(_ uuid: BluetoothUUID?) -> String? {
    guard let uuid, hasProfiles else { return nil }
    let plan = self.plan(.characteristic, uuid)
    if let own = plans[plan].ownName { return own }
    guard plans[plan].isNameless else { return nil }
    return vendorName ?? plans[plan].definitions.first?.name
  }

  /// Returns the name of a characteristic in the user's profiles, which overrides every other name.
  mutating func ownName(_ uuid: BluetoothUUID) -> String? {
    guard hasProfiles else { return nil }
    return plans[plan(.characteristic, uuid)].ownName
  }

  /// Decodes manufacturer data by a definition of its AD type, which includes the company.
  private mutating func readStructure(
    _ type: ADType, _ company: UInt16, _ content: RawSpan
  ) -> Bool {
    let uuid = BluetoothUUID(UInt16(type.rawValue))
    guard !plans[plan(.advertisingData, uuid)].definitions.isEmpty else { return false }
    var whole = [UInt8(company & 0xff), UInt8(company >> 8)]
    whole.append(content)
    guard read(.advertisingData, uuid, whole.bytes) else { return false }
    structure = whole
    return true
  }

  private func definition(
    _ plan: Int, _ service: BluetoothUUID?, _ value: RawSpan, _ isOfDevice: (String) -> Bool
  ) -> Definition? {
    for index in plans[plan].definitions.indices {
      let definition = plans[plan].definitions[index]
      if plans[plan].needsContext {
        let subject = definition.subject
        if let wanted = subject.service, wanted.shortest != service?.shortest { continue }
        if let device = subject.device, !isOfDevice(device) { continue }
      }
      guard definition.fits(value) else { continue }
      return plans[plan].isClosed && !definition.hasSecrets ? nil : definition
    }
    return nil
  }

  /// - Parameter server: the value's server, if the definition refers to other values.
  mutating func read(
    _ definition: Definition, _ value: RawSpan, isWritten: Bool, _ server: UInt64?
  ) {
    if let known = latest, known.definition === definition, known.isWritten == isWritten,
      latestValue.bytes.isEqual(to: value)
    {
      hasMeaning = known.hasMeaning
      return
    }
    var context = DecodingContext(isWritten: isWritten)
    if definition.hasExternals {
      context.externals = externals(of: definition, server)
    }
    decoder.decode(definition, value, context, into: &decoded)
    say(value)
    guard keepsRecent, !definition.hasExternals else { return }
    latest = (definition, isWritten, hasMeaning)
    latestValue.removeAll(keepingCapacity: true)
    latestValue.append(value)
  }
}
