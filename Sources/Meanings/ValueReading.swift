package import Bluetooth
package import Bytes
import Captures
package import Decoders
import Dissectors
package import Sessions

/// Decodes values: the only way from an attribute's value, or advertised data, to words.
///
/// A value that nothing decodes costs one comparison. The open frames of vendor protocols are
/// followed with every packet, whether it is shown or not.
package struct ValueReading: ~Copyable {
  /// Finds what decodes a value.
  package var profiles: ProfileLookup
  /// What the last value means.
  package private(set) var meaning: ValueMeaning
  /// Whether that value is the subject of a PDU, rather than one of several in it.
  package private(set) var isOfPDU = false
  /// The PDU whose value was read last, if `read` finds the same as long as no more is known of
  /// the attribute.
  private var held: Held?
  private struct Held {
    let packet: Int
    let handle: UInt16
    /// Whether it is a message, whatever the attribute is.
    var isMessage = false
    var uuid: BluetoothUUID?
    /// The attribute's service, if it matters.
    var service: BluetoothUUID?

    /// Returns whether a value is that of the PDU.
    func isOf(_ value: ConveyedValue) -> Bool {
      guard packet == value.packet, handle == value.attribute.handleInPacket else { return false }
      return isMessage
        || uuid == value.attribute.uuid && (service == nil || service == value.attribute.service)
    }
  }
  /// Whether decoding was started since the last value was discarded.
  private var hasBegun = false
  private var messages = VendorMessages()
  /// The last record before which others were lost.
  private var gap = 0
  /// The messages that are needed again when their answers have arrived, or for `map`; nil: none.
  private var recent: RecentMessages?
  private var unfinished = UnfinishedMessages()
  /// The last name that was put together, of a characteristic and the protocol on it.
  private var latestName: (plan: Int, vendor: String, name: String)?
  /// The values that determine the meaning of others.
  private var known = KnownValues()
  /// The profiles that decoded nothing so far.
  private var unmatched: UnmatchedProfiles
  /// Whether the reasons why a value is not a message are needed.
  package var explainsMisfits = false
  /// Why the last value is not a message of the protocols that apply to its characteristic.
  package private(set) var misfits: [(profile: String, misfit: FrameMisfit)] = []

  /// - Parameters:
  ///   - supplied: the user's profiles, which come before the built-in ones; nil: nothing is
  ///     decoded.
  ///   - keepsRecent: whether messages are needed again when their answers have arrived.
  package init(_ supplied: SuppliedProfiles?, showsKeys: Bool, keepsRecent: Bool = false) {
    profiles = ProfileLookup(supplied, showsKeys: showsKeys)
    meaning = ValueMeaning(showsKeys: showsKeys)
    recent = keepsRecent ? RecentMessages() : nil
    unmatched = UnmatchedProfiles(supplied)
  }

  /// - Parameter recent: the messages that values were, or were parts of.
  package init(_ supplied: SuppliedProfiles?, showsKeys: Bool, _ recent: RecentMessages) {
    self.init(supplied, showsKeys: showsKeys)
    self.recent = recent
  }

  /// Discards the last value. Most packets have none.
  package mutating func clear() {
    if !misfits.isEmpty { misfits.removeAll(keepingCapacity: true) }
    reset()
  }

  /// Discards the last value, but not why it is not a message: it may be decoded in another way.
  private mutating func reset() {
    guard hasBegun else { return }
    hasBegun = false
    isOfPDU = false
    held = nil
    meaning.clear()
  }

  /// Starts to decode a value. Must be called before setting anything that `clear` resets.
  private mutating func begin() {
    reset()
    hasBegun = true
  }

  // MARK: PDUs

  /// Decodes the content of a PDU, and follows the open frames of vendor protocols.
  ///
  /// - Parameter decodes: whether the meaning is needed, too.
  package mutating func observe(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, _ memory: borrowing Memory, decodes: Bool
  ) {
    begin()
    let (number, time) = (packet.record.number, packet.record.time)
    guard let slice = packet.dissection.attFields.value, let way = opcode.way, profiles.load()
    else {
      return
    }
    noteGap(memory)
    let value = packet.bytes.part(slice)
    var uuid: BluetoothUUID?
    var kind = Subject.Kind.characteristic
    if let place = packet.answer.attribute {
      let attribute = memory.attributes[place]
      switch attribute.kind {
      case .value: break
      case .descriptor: kind = .descriptor
      case .service, .include, .characteristic: return
      }
      uuid = attribute.uuid
    }
    let plan = profiles.plan(kind, uuid)
    let handle = packet.dissection.attFields.handle ?? packet.answer.request?.handle
    let notesMisfits = !unmatched.isEmpty || explainsMisfits
    // Nearly all values that nothing decodes return here.
    if profiles.decodesNothing(plan, value), !messages.hasOpenFrames, !known.hasFormats,
      !notesMisfits
    {
      return hold(nil, plan, kind, uuid, nil, number, handle)
    }
    let side = opcode.server(packet.record.direction ?? .received)
    if let use = profiles[plan].use, value.byteCount > 0 {
      known.keep(use, value, packet.answer, memory, side)
    }
    var context = ProfileLookup.Context()
    let isAny = messages.hasOpenFrames || notesMisfits
    if profiles.needsContext(plan, value, isAny: isAny) {
      if let place = packet.answer.attribute {
        context.service = memory.attributes.service(of: place)
      }
      context.name = memory.peerName(of: packet.answer.link)
      profiles.settle(plan, context)
    }
    let service = context.service
    let definition = profiles.definition(plan, service, value, context.isOfDevice)
    if let definition, !unmatched.isEmpty { unmatched.note(definition) }
    if let definition, !definition.subject.isCarrier {
      if let exchange = definition.exchange, way != .read, value.byteCount > 0,
        let link = packet.answer.link, let handle
      {
        let channel = VendorChannel(
          control: handle, conversation: memory.conversationKey(link, side),
          isWritten: way == .written)
        let control = messages.acceptControl(
          definition, exchange, on: channel, value, packet: number, time: time)
        meaning.note(answers: control)
        if let control { recent?.keep(.control(control), number, handle) }
      }
      if decodes {
        let link = definition.hasExternals ? packet.answer.link : nil
        let server = link.map { memory.serverKey($0, side) }
        decode(definition, value, isWritten: way == .written, server)
        hold(definition, plan, kind, uuid, service, number, handle)
      }
      isOfPDU = value.byteCount > 0 || meaning.isKnown
      return
    }
    if kind == .characteristic, value.byteCount > 0, let link = packet.answer.link, let handle {
      let conversation = memory.conversationKey(link, side)
      func channel(_ claim: (vendor: Int, isByFrame: Bool)) -> VendorChannel {
        VendorChannel(
          of: claim.vendor, isByFrame: claim.isByFrame, conversation: conversation,
          handle: handle, isWritten: way == .written)
      }
      let mayBeExcessive = definition == nil && !profiles[plan].isClosed
      let found =
        first(plan, uuid, way, value) { messages, vendor, claim, asks in
          messages.accept(
            vendor, on: channel(claim), isRequestChannel: asks, value, packet: number, time: time)
        }
        ?? (!mayBeExcessive
          ? nil
          : first(plan, uuid, way, value) { messages, vendor, claim, asks in
            messages.excessive(vendor, on: channel(claim), isRequestChannel: asks, value)
          })
      if notesMisfits {
        if let found { unmatched.note(found.vendor) }
        noteMisfits(plan, uuid, way, value, number, found?.vendor)
      }
      if let found {
        remember(found, number, handle)
        if decodes {
          let server = memory.serverKey(link, side)
          decode(found, value, server, following: messages.following)
        } else {
          meaning.note(found)
        }
        isOfPDU = true
        return
      }
      if definition == nil, known.hasFormats {
        let server = memory.serverKey(link, side)
        isOfPDU = decodeByFormat(uuid, handle, server, value, decodes: decodes)
        return
      }
    }
    if let definition, decodes { decode(definition, value, isWritten: way == .written, nil) }
    if decodes { hold(definition, plan, kind, uuid, service, number, handle) }
    isOfPDU = definition != nil
  }

  /// Decodes the value that a packet completes on a serial channel, and follows the open frames of
  /// vendor protocols.
  ///
  /// - Parameter decodes: whether the meaning is needed, too.
  package mutating func observe(
    _ slice: Slice, on serial: SerialFact, _ packet: borrowing Packet, _ memory: borrowing Memory,
    decodes: Bool
  ) {
    begin()
    guard let link = packet.answer.link, let direction = packet.record.direction, profiles.load()
    else { return }
    noteGap(memory)
    let value = packet.bytes.part(slice)
    let plan = profiles.plan(serial.channel)
    let notesMisfits = !unmatched.isEmpty || explainsMisfits
    guard value.byteCount > 0,
      !profiles.decodesNothing(plan, value) || messages.hasOpenFrames || notesMisfits
    else { return }
    let conversation = memory.conversationKey(link, serial.server)
    let isWritten = Side(sent: direction) != serial.server
    if profiles.needsContext(plan, value, isAny: messages.hasOpenFrames || notesMisfits) {
      profiles.settle(
        plan,
        ProfileLookup.Context(
          service: memory.service(of: serial, on: link), name: memory.peerName(of: link)))
    }
    func channel(_ claim: (vendor: Int, isByFrame: Bool)) -> VendorChannel {
      VendorChannel(
        of: claim.vendor, isByFrame: claim.isByFrame, conversation: conversation,
        on: serial.channel, isWritten: isWritten)
    }
    let (number, time) = (packet.record.number, packet.record.time)
    let way: VendorProtocol.Path = isWritten ? .written : .notified
    let found =
      first(plan, nil, way, value) { messages, vendor, claim, asks in
        messages.accept(
          vendor, on: channel(claim), isRequestChannel: asks, value, packet: number, time: time)
      }
      ?? first(plan, nil, way, value) { messages, vendor, claim, asks in
        messages.excessive(vendor, on: channel(claim), isRequestChannel: asks, value)
      }
    if notesMisfits {
      if let found { unmatched.note(found.vendor) }
      noteMisfits(plan, nil, way, value, number, found?.vendor)
    }
    guard let found else { return }
    remember(found, number, 0)
    if decodes {
      decode(found, value, memory.serverKey(link, serial.server), following: messages.following)
    } else {
      meaning.note(found)
    }
    isOfPDU = true
  }

  /// Gives up open frames if records were lost.
  private mutating func noteGap(_ memory: borrowing Memory) {
    guard gap != memory.links.gap else { return }
    gap = memory.links.gap
    messages.interrupt()
  }

  /// Records the PDU whose value was decoded by a definition, or which nothing decodes, if that
  /// depends only on the value and its attribute.
  private mutating func hold(
    _ definition: Definition?, _ plan: Int, _ kind: Subject.Kind, _ uuid: BluetoothUUID?,
    _ service: BluetoothUUID?, _ packet: Int, _ handle: UInt16?
  ) {
    guard recent != nil, let uuid, let handle, kind == .descriptor || uuid.subjectKind == kind,
      !profiles[plan].needsName
    else { return }
    if let definition {
      guard meaning.isKnown, !definition.hasExternals else { return }
    } else if known.hasFormats || profiles[plan].use != nil {
      return
    }
    held = Held(packet: packet, handle: handle, uuid: uuid, service: service)
  }

  /// Follows the open frames of vendor protocols with a packet whose meaning is not needed.
  package mutating func follow(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    guard packet.record.original == nil, !packet.isCut else { return }
    if let value = packet.serialValue {
      return observe(value.slice, on: value.on, packet, memory, decodes: false)
    }
    guard let pdu = packet.dissection.att else { return }
    guard packet.dissection.attFields.value != nil else {
      noteRefusal(packet)
      return
    }
    observe(pdu.opcode, packet, memory, decodes: false)
  }

  /// Records that a request was refused, so that no response follows.
  package mutating func noteRefusal(_ packet: borrowing Packet) {
    guard messages.hasRequests, packet.dissection.attFields.error != nil,
      let request = packet.answer.request
    else { return }
    messages.refuse(request.packet)
  }

  /// Returns what the first protocol that knows a value finds in it.
  ///
  /// - Parameter find: looks for a message of a protocol; also gets whether requests go in the
  ///   direction of the value.
  private mutating func first(
    _ plan: Int, _ uuid: BluetoothUUID?, _ way: VendorProtocol.Path, _ value: RawSpan,
    _ find: (
      inout VendorMessages, VendorProtocol, (vendor: Int, isByFrame: Bool), Bool
    ) -> VendorSighting?
  ) -> VendorSighting? {
    messages.forgetFollowing()
    // A value that does not begin like a frame can only continue one.
    let starts = profiles.starts(value) | messages.openOwners
    for claim in profiles[plan].claims where starts & VendorProtocol.bit(claim.vendor) != 0 {
      let vendor = profiles.vendors[claim.vendor]
      guard let isRequestChannel = vendor.isRequestChannel(way, uuid),
        vendor.hasSecrets || !profiles[plan].isClosed
      else { continue }
      if let found = find(&messages, vendor, claim, isRequestChannel) { return found }
    }
    return nil
  }

  /// Records why a value is not a message of the user's own protocols. If no protocol reads it,
  /// this includes the built-in protocols that the characteristic identifies.
  @inline(never)
  private mutating func noteMisfits(
    _ plan: Int, _ uuid: BluetoothUUID?, _ way: VendorProtocol.Path, _ value: RawSpan,
    _ packet: Int, _ found: VendorProtocol?
  ) {
    for claim in profiles[plan].claims
    where claim.vendor < profiles.ownVendors || !claim.isByFrame && found == nil {
      let vendor = profiles.vendors[claim.vendor]
      if vendor === found { continue }
      guard let isRequest = vendor.isRequestChannel(way, uuid),
        vendor.hasSecrets || !profiles[plan].isClosed
      else { continue }
      guard let misfit = vendor.misfit(of: value, isRequest: isRequest) else { continue }
      unmatched.note(misfit, vendor, uuid, packet)
      // Most values are not frames of a protocol that may be anywhere.
      if explainsMisfits, !vendor.claims.contains(where: \.isAnywhere) {
        misfits.append((vendor.profile, misfit))
      }
    }
  }

  /// Keeps a message for `read`.
  private mutating func remember(_ found: VendorSighting, _ packet: Int, _ handle: UInt16) {
    guard recent != nil else { return }
    recent?.keep(.message(found, following: messages.following), packet, handle)
    held =
      found.message?.definition.hasExternals ?? false
      ? nil : Held(packet: packet, handle: handle, isMessage: true)
  }

  /// Whether the value of the last PDU is a vendor message or a part of one.
  package var isMessage: Bool { isOfPDU && meaning.isMessage }

  /// That message, without what it answers.
  package var messageAlone: RecentMessages.Content? {
    guard let sighting = meaning.sighting else { return nil }
    return .message(sighting.alone, following: messages.following.map(\.alone))
  }

  // MARK: Values that are complete

  /// Decodes a value from `Conversations`, whose packets were followed.
  package mutating func read(_ value: ConveyedValue, _ bytes: RawSpan, _ memory: borrowing Memory)
    -> Bool
  {
    guard let slice = value.value, value.offset == 0, !value.isCut,
      value.handles == nil, profiles.showsKeys || !value.isSecret
    else {
      clear()
      return false
    }
    if let held, held.isOf(value), meaning.isKnown || !held.isMessage { return meaning.isKnown }
    begin()
    let content = bytes.part(slice)
    let peer = value.parties.peer
    func isPeer(_ pattern: String) -> Bool {
      guard let peer,
        let entry = memory.names.find(peer, .random) ?? memory.names.find(peer, .public)
      else { return false }
      return memory.names[entry]?.fits(pattern) ?? false
    }
    if let company = value.company {
      return read(.company, BluetoothUUID(company), content, sender: peer, isOfDevice: isPeer)
        || readStructure(company, content, peer, isPeer)
    }
    if value.operation == .advertisement {
      guard let service = value.attribute.uuid else { return false }
      return read(.serviceData, service, content, sender: peer, isOfDevice: isPeer)
    }
    if readAgain(value.packet, value.attribute.handleInPacket, content) { return true }
    if value.attribute.channel != nil { return false }
    let answered = meaning.control
    guard let uuid = value.attribute.uuid,
      value.attribute.kind == .value || value.attribute.kind == .descriptor
        || value.attribute.kind == nil
    else { return false }
    let kind = value.attribute.kind == .descriptor ? .descriptor : uuid.subjectKind
    let server = memory.attributes.currentKey(value.attribute.server)
    if content.byteCount > 0, let use = profiles.use(kind, uuid) {
      known.keep(use, content, value, memory)
    }
    let isRead = read(
      kind, uuid, content, isWritten: value.operation.isWrite, service: value.attribute.service,
      server: server, isOfDevice: isPeer)
    meaning.note(answers: answered)
    if isRead || !known.hasFormats || kind != .characteristic || content.byteCount == 0 {
      return isRead
    }
    return decodeByFormat(uuid, value.attribute.handle, server, content, decodes: true)
  }

  /// Decodes the message that the value of an earlier packet was. Returns false if it was not one.
  ///
  /// - Parameter server: the value's server, if known.
  package mutating func readAgain(
    _ packet: Int, _ handle: UInt16?, _ value: RawSpan, server: UInt64? = nil
  ) -> Bool {
    begin()
    guard let handle, let content = recent?.content(packet, handle) else { return false }
    switch content {
    case .message(let sighting, let following):
      decode(sighting, value, server, following: following)
      return meaning.isKnown
    case .control(let control):
      meaning.note(answers: control)
      return false
    }
  }

  /// Decodes a value that was read before, or the messages that it was.
  package mutating func read(
    _ value: ConveyedValue, _ bytes: RawSpan, as content: RecentMessages.Content?,
    _ memory: borrowing Memory
  ) {
    guard case .message(let sighting, let following) = content else {
      _ = read(value, bytes, memory)
      return
    }
    begin()
    let server = memory.attributes.currentKey(value.attribute.server)
    decode(sighting, bytes.part(value.value ?? .empty), server, following: following)
  }

  /// Decodes one message of a value.
  ///
  /// - Parameter isWhole: whether its words have all bytes of a field.
  package mutating func read(
    _ sighting: VendorSighting, _ value: RawSpan, _ server: UInt64?, isWhole: Bool
  ) {
    begin()
    meaning.isWhole = isWhole
    defer { meaning.isWhole = false }
    decode(sighting, value, server, following: [])
  }

  /// Returns the messages that were given up since the last call, at values that are no messages.
  package mutating func takeAbandoned() -> [Unfinished] { messages.takeAbandoned() }

  /// The series and messages in parts that are not complete so far.
  package var leftOpen: [(conversation: UInt64, profile: String, what: Unfinished)] {
    messages.leftOpen
  }

  /// Decodes manufacturer data by a definition of its AD type, which includes the company.
  private mutating func readStructure(
    _ company: UInt16, _ content: RawSpan, _ sender: DeviceAddress?,
    _ isOfDevice: (String) -> Bool
  ) -> Bool {
    let uuid = BluetoothUUID(UInt16(ADType.manufacturerSpecificData.rawValue))
    guard profiles.load() else { return false }
    let plan = profiles.plan(.advertisingData, uuid)
    guard profiles.mayDecode(plan, count: content.byteCount + 2) else { return false }
    var whole = [UInt8(company & 0xff), UInt8(company >> 8)]
    whole.append(content)
    guard read(.advertisingData, uuid, whole.bytes, sender: sender, isOfDevice: isOfDevice) else {
      return false
    }
    meaning.note(structure: whole)
    return true
  }

  /// Decodes a value on its own: advertised data, or one of several values in a packet.
  package mutating func read(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, _ value: RawSpan, isWritten: Bool = false,
    service: BluetoothUUID? = nil, server: UInt64? = nil, sender: DeviceAddress? = nil,
    isOfDevice: (String) -> Bool = { _ in false }
  ) -> Bool {
    begin()
    guard profiles.load() else { return false }
    let plan = profiles.plan(kind, uuid)
    guard let definition = profiles.definition(plan, service, value, sender: sender, isOfDevice)
    else {
      return false
    }
    decode(definition, value, isWritten: isWritten, server)
    return meaning.isKnown
  }

  /// Decodes a value of which only the attribute is known, so a vendor frame has to be complete.
  ///
  /// - Parameter server: the value's server, if values that determine the meaning of others were
  ///   recorded for it.
  package mutating func readAlone(
    _ uuid: BluetoothUUID, service: BluetoothUUID?, _ value: RawSpan, isWritten: Bool,
    server: UInt64? = nil, handle: UInt16? = nil
  ) -> Bool {
    let isRead = read(
      uuid.subjectKind, uuid, value, isWritten: isWritten, service: service, server: server)
    if isRead, !(meaning.decoded.definition?.subject.isCarrier ?? false) { return true }
    guard value.byteCount > 0, !uuid.isDescriptor else { return isRead }
    if let found = profiles.message(uuid, service: service, value, isWritten: isWritten) {
      decode(found, value, nil, following: messages.following)
      return meaning.isKnown
    }
    guard !isRead, known.hasFormats else { return isRead }
    return decodeByFormat(uuid, handle, server, value, decodes: true)
  }

  // MARK: Decoding

  /// - Parameter server: the value's server, if the definition refers to other values.
  private mutating func decode(
    _ definition: Definition, _ value: RawSpan, isWritten: Bool, _ server: UInt64?
  ) {
    if !unmatched.isEmpty { unmatched.note(definition) }
    let externals =
      definition.hasExternals ? known.externals(of: definition, server, &profiles) : []
    meaning.decode(definition, value, isWritten: isWritten, externals, mayRepeat: recent != nil)
  }

  /// - Parameter others: the messages after it in the same value.
  private mutating func decode(
    _ sighting: consuming VendorSighting, _ value: RawSpan, _ server: UInt64?,
    following others: [VendorSighting]
  ) {
    let sighting = sighting
    unfinished.note(sighting, messages)
    var externals: [Known] = []
    if let message = sighting.message, message.definition.hasExternals {
      externals = known.externals(of: message.definition, server, &profiles)
    }
    meaning.decode(sighting, value, externals, following: others)
  }

  /// Decodes a value by the format in a descriptor of its characteristic. Returns false if there is
  /// none.
  @inline(never)
  private mutating func decodeByFormat(
    _ uuid: BluetoothUUID?, _ handle: UInt16?, _ server: UInt64?, _ value: RawSpan, decodes: Bool
  ) -> Bool {
    guard let uuid, let handle, let server, !profiles.hides(uuid),
      let definition = known.definition(uuid, at: handle, of: server)
    else { return false }
    guard decodes else { return true }
    meaning.decode(format: definition, value)
    return meaning.isKnown
  }

  /// Returns the name of an attribute if only profiles name it: the protocol of the last value, or
  /// the definition of its characteristic.
  ///
  /// A name that is not the protocol's own is followed by the protocol.
  package mutating func name(_ uuid: BluetoothUUID?) -> String? {
    guard let uuid, profiles.load() else { return nil }
    let plan = profiles.plan(.characteristic, uuid)
    let vendor = meaning.vendorName
    if let own = profiles[plan].ownName {
      guard let vendor else { return own }
      if let latestName, latestName.plan == plan, latestName.vendor == vendor {
        return latestName.name
      }
      let name = "\(own), \(vendor)"
      latestName = (plan, vendor, name)
      return name
    }
    guard profiles[plan].isNameless else { return nil }
    return vendor ?? profiles[plan].definitions.first?.definition?.name
  }

  // MARK: The whole capture

  /// Records a value that may determine the meaning of others.
  ///
  /// - Parameter owner: the handle of the value of a descriptor's characteristic.
  package mutating func learn(
    _ kind: Subject.Kind, _ value: RawSpan, _ uuid: BluetoothUUID, _ handle: UInt16?,
    owner: UInt16? = nil, of server: UInt64
  ) {
    guard profiles.load() else { return }
    known.keep(kind, value, uuid, handle, owner: owner, of: server, &profiles)
  }

  /// Returns what is still open in what was printed when the capture ends, and which of the user's
  /// profiles decoded nothing in it; nil if there is neither.
  package func openRemark(isAllWorded: Bool) -> String? {
    let remarks = [
      unfinished.remark(isAllWorded: isAllWorded, messages),
      unmatched.remark(isAllWorded: isAllWorded),
    ].compactMap(\.self)
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }

  /// Returns the results of vendor requests, after the last packet. Requests to a server from which
  /// the capture has no answer at all are not counted: their outcome is unknown.
  package mutating func finish(_ memory: borrowing Memory) -> [VendorTally] {
    messages.finish()
    var tallies = messages.tallies
    for index in tallies.indices where tallies[index].answered == 0 {
      let server = Memory.server(ofConversation: tallies[index].conversation)
      if !memory.hasHeard(server == .local ? .sent : .received) { tallies[index].forgetRequests() }
    }
    return tallies
  }
}

extension Memory {
  /// Returns a key for the server on a link that is stable across reconnections.
  borrowing func serverKey(_ link: LinkSlot, _ side: Side) -> UInt64 {
    attributes.currentKey(Attributes.key(of: side, links.connection(link)))
  }

  /// Returns the side of the server in a conversation.
  fileprivate static func server(ofConversation key: UInt64) -> Side {
    key & 1 == 1 ? .local : .peer
  }

  /// Returns a key for the conversation on a link with a server on one of its sides.
  fileprivate borrowing func conversationKey(_ link: LinkSlot, _ side: Side) -> UInt64 {
    (UInt64(truncatingIfNeeded: links.id(link)) << 1 | (side == .local ? 1 : 0)) & 0x3fff_ffff_ffff
  }
}

extension AttributeIdentity {
  /// What distinguishes it from the other attributes in a packet: its handle, or 0 for a serial
  /// channel.
  fileprivate var handleInPacket: UInt16? { channel == nil ? handle : 0 }
}

extension ATTOpcode {
  /// How the value of such a PDU is transferred, or nil if it has none, or only a part of one.
  fileprivate var way: VendorProtocol.Path? {
    switch self {
    case .writeRequest, .writeCommand, .signedWriteCommand: .written
    case .handleValueNotification, .handleValueIndication: .notified
    case .readResponse: .read
    default: nil
    }
  }
}
