import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

extension Details {
  /// Appends what a sniffer recorded of a packet, and the Link Layer packet.
  static func air<Sink: FieldSink & ~Copyable>(
    _ air: AirPacket, _ packet: borrowing Packet, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    let fact = packet.airFact
    sink.begin("air")
    header(
      air, fact, packet.record, isPlaced: !packet.answer.fragment.hasJoinedBytes,
      isRecorded: !memory.air.claims.lacksCRCs, to: &sink)
    // A record that ends before the PDU has neither flags nor length.
    let isRead = air.pdu.count >= 2 && !air.header.isWhitened
    if !isRead { payload(packet.dissection.body, of: packet.bytes, isSecret: true, to: &sink) }
    sink.end()
    guard isRead else { return }
    sink.begin("ll")
    let flags = packet.record.bytes.byte(at: Int(air.pdu.start))
    switch packet.dissection.content {
    case .advertising(let pdu):
      let mayHoldSecret = memory.advertisements.mayHoldSecret
      sink.hidesAdvertising = mayHoldSecret && !sink.showsKeys
      advertising(pdu, air, fact, packet, mayHoldSecret: mayHoldSecret, to: &sink)
      sink.hidesAdvertising = false
    case .linkControl:
      linkHeader("control", flags, air, fact, packet, to: &sink)
      control(packet, memory, to: &sink)
    case .linkData(let pdu) where pdu.isControl && !fact.stream.isIsochronous:
      linkHeader("control", flags, air, fact, packet, to: &sink)
      control(packet, memory, to: &sink)
    case .linkData(let pdu):
      linkHeader("data", flags, air, fact, packet, to: &sink)
      if pdu.isEmpty { sink.flag("empty", true) }
      payload(
        packet.dissection.body, of: packet.bytes,
        isSecret: packet.mayHoldSecret(memory), to: &sink)
    default:
      linkHeader("data", flags, air, fact, packet, to: &sink)
      if packet.dissection.l2cap == nil, !packet.answer.fragment.isFragment {
        // A continuation of an unknown PDU may be part of a key.
        payload(packet.dissection.body, of: packet.bytes, isSecret: true, to: &sink)
      }
    }
    sink.end()
  }

  /// Appends what distinguishes a connection on the air from others: its access address, and the
  /// central.
  static func parties<Sink: FieldSink & ~Copyable>(_ link: AirLink?, to sink: inout Sink) {
    guard let link else { return }
    sink.identifier("access_address", UInt64(link.accessAddress), digits: 8)
    guard let central = link.central else { return }
    sink.address("central", central.address)
    if let kind = AddressKind(central.address, central.type).key {
      sink.word("central_type", kind)
    }
  }

  /// Appends the sniffer's header, and what is known of it.
  ///
  /// - Parameters:
  ///   - isPlaced: whether positions count from the record's first byte.
  ///   - isRecorded: whether the capture has CRCs.
  private static func header<Sink: FieldSink & ~Copyable>(
    _ air: AirPacket, _ fact: AirFact, _ record: borrowing CaptureRecord, isPlaced: Bool,
    isRecorded: Bool, to sink: inout Sink
  ) {
    let header = air.header
    if case .air(let format) = record.framing { sink.word("format", format.key) }
    if let message = header.message, air.pdu.isEmpty {
      sink.identifier("message", UInt64(message), digits: 2)
    }
    if let channel = fact.channel { sink.number("channel", Int(channel)) }
    if let rssi = header.rssi { sink.quantity("rssi", Int(rssi), .dBm) }
    if let noise = header.noise { sink.quantity("noise", Int(noise), .dBm) }
    if let phy = header.phy, let name = CodeSet.phy.name(of: UInt64(phy)) {
      sink.name("phy", name)
    }
    if let coding = air.codingIndicator, coding < 2 {
      sink.word("coding", coding == 0 ? "S=8" : "S=2")
    }
    if let clock = header.clock {
      sink.fixed(
        "clock_us", Int(clock) &* Int(header.clockUnit), decimals: 3)
    }
    if !air.pdu.isEmpty {
      sink.at(Int(air.pdu.start) - (air.codingIndicator == nil ? 4 : 5), isPlaced ? 4 : 0)
      sink.identifier("access_address", UInt64(air.accessAddress), digits: 8)
    }
    switch fact.crc {
    case .right: sink.word("crc", "ok")
    case .wrong: sink.word("crc", "wrong")
    case .unknown: if !isRecorded || air.crc == nil { sink.word("crc", "not_recorded") }
    }
    if let event = fact.event {
      sink.number("event", Int(event))
      if let via = fact.eventEvidence { sink.word("event_via", via.key) }
    }
    if fact.missedBefore > 0 { sink.number("missed_before", Int(fact.missedBefore)) }
  }

  /// Appends the header of a data or control PDU, and what is known of its payload.
  private static func linkHeader<Sink: FieldSink & ~Copyable>(
    _ kind: StaticString, _ flags: UInt8, _ air: AirPacket, _ fact: AirFact,
    _ packet: borrowing Packet, to sink: inout Sink
  ) {
    // In decrypted and joined bytes, the header has no position.
    let size = packet.answer.fragment.hasJoinedBytes ? 0 : 1
    let start = Int(air.pdu.start)
    func number(_ key: StaticString, _ value: UInt8, _ sink: inout Sink) {
      sink.at(start, size)
      sink.number(key, Int(value))
    }
    sink.word("pdu", kind)
    if let stream = fact.stream.streamKey { sink.word("stream", stream) }
    number("llid", flags & 3, &sink)
    // Broadcast data is not acknowledged.
    if fact.stream != .broadcastIsochronous {
      number("nesn", flags >> 2 & 1, &sink)
      number("sn", flags >> 3 & 1, &sink)
    }
    if fact.stream == .connection || fact.stream == .unknown {
      sink.at(start, size)
      sink.flag("md", flags & 0x10 != 0)
    }
    if Sink.writesAll {
      sink.at(start + 1, size)
      sink.number("length", Int(packet.record.bytes.byte(at: start + 1)))
    }
    if fact.isResent { sink.flag("resent", true) }
    if fact.isResendUnsure { sink.flag("resent_unsure", true) }
    if fact.encryption != .clear { sink.flag("encrypted", true) }
    if let decrypted = fact.encryption.key { sink.word("decrypted", decrypted) }
    if let counter = fact.packetCounter { sink.number("counter", Int(clamping: counter)) }
  }

  /// Appends a control PDU: its opcode and parameters, or its bytes if it was not read.
  private static func control<Sink: FieldSink & ~Copyable>(
    _ packet: borrowing Packet, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    guard let opcode = packet.controlOpcode else {
      payload(
        packet.dissection.body, of: packet.bytes,
        isSecret: packet.mayHoldSecret(memory), to: &sink)
      return
    }
    sink.at(opcode.offset, 1)
    sink.identifier("opcode", UInt64(opcode.value), digits: 2)
    parameters(packet.dissection, packet.bytes, mayHoldSecret: false, to: &sink)
  }

  /// Appends a PDU on an advertising channel.
  private static func advertising<Sink: FieldSink & ~Copyable>(
    _ pdu: AdvertisingPDU, _ air: AirPacket, _ fact: AirFact, _ packet: borrowing Packet,
    mayHoldSecret: Bool, to sink: inout Sink
  ) {
    guard let found = packet.dissection.parameters else {
      // A damaged packet may be any PDU.
      sink.word("pdu", "advertising")
      let isSecret = ADStructures.holdSecretAnywhere(packet.bytes, pdu.payload)
      payload(pdu.payload, of: packet.bytes, isSecret: isSecret, to: &sink)
      return
    }
    sink.name("pdu", pdu.name(pdu.place(air, fact)) ?? "unknown")
    fields(found, packet.dissection, packet.bytes, mayHoldSecret: mayHoldSecret, to: &sink)
  }
}

extension Packet {
  /// What is known of a packet on the air. A record that repeats one of another file is not
  /// followed again: only the sniffer's verdict is known.
  var airFact: AirFact {
    if let fact = answer.air { return fact }
    var fact = AirFact()
    if dissection.air?.header.crc == .wrong { fact.crc = .wrong }
    return fact
  }

  /// Returns whether the payload of a Link Layer PDU that is not decoded may contain a key.
  func mayHoldSecret(_ memory: borrowing Memory) -> Bool {
    guard let fact = answer.air, case .linkData(let pdu) = dissection.content else { return true }
    // Streams carry audio or advertising, and ciphertext reveals nothing.
    guard fact.stream == .connection || fact.stream == .unknown, fact.encryption != .unread else {
      return false
    }
    // What a damaged packet contains is unknown.
    let payload = bytes.part(dissection.body)
    guard fact.crc != .wrong, payload.byteCount > 0 else { return true }
    switch pdu.llid {
    case 3:
      let row = LinkOpcode(rawValue: payload.byte(at: 0)).row
      return row?.parameters.has(.secret) ?? true
    case 2 where payload.byteCount >= L2CAPHeader.size:
      // Length (2 bytes), channel (2).
      return ChannelID(rawValue: payload.littleEndianU16(at: 2)).carriesSecurityManager
        || memory.attributes.hasKeyMaterial
    default: return true
    }
  }

  /// Whether its bytes are those that were decrypted here, instead of the record's.
  var isDecrypted: Bool {
    answer.fragment.hasJoinedBytes && answer.air?.encryption == .decrypted
  }

  /// The opcode of a control PDU that was read, and its place; nil for other packets.
  var controlOpcode: (value: UInt8, offset: Int)? {
    guard case .linkControl = dissection.content, let found = dissection.parameters,
      found.outer.start > 0
    else { return nil }
    let offset = Int(found.outer.start) - 1
    return (bytes.byte(at: offset), offset)
  }
}
