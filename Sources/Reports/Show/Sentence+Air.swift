import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The description of packets on the air.
extension Sentence {
  /// Appends a record without a packet that can be read: the sniffer's report about itself, or one
  /// that ends too early.
  mutating func unread(_ air: AirPacket, _ packet: borrowing Packet) {
    if let message = air.header.message, air.pdu.isEmpty {
      name("Sniffer message")
      output.hexadecimal(UInt64(message), digits: 2)
      endSubject()
    } else {
      name(air.header.isWhitened ? "Whitened packet" : "Unknown packet")
    }
    undecoded(packet.bytes.part(packet.dissection.body), isSecret: true)
  }

  // MARK: Advertising

  /// Appends a PDU on an advertising channel: what a controller would report in the words of its
  /// report, anything else by its addresses and what it asks for.
  mutating func advertising(
    _ pdu: AdvertisingPDU, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let fact = packet.airFact
    guard fact.crc != .wrong else {
      // Not even its type is believed.
      name("Advertising")
      output.count(Int(packet.dissection.body.count), "byte", "bytes")
      signal(packet.dissection.air, fact)
      comma()
      output.text("CRC wrong")
      return
    }
    let place = pdu.place(packet.dissection.air, fact)
    let title = pdu.name(place) ?? "Advertising"
    if let first = memory.advertisements.reports.first, first.report.kind != .bigInfo {
      advertisements(packet.bytes, memory, onAir: (title, packet.dissection.air, fact))
      return
    }
    name(title)
    let parties = pdu.parties(packet.bytes)
    if let sender = parties.sender {
      output.address(sender)
      endSubject()
      output.text(AddressKind(sender, pdu.senderType).words)
    }
    if let receiver = parties.receiver {
      comma()
      output.text("to ")
      output.address(receiver)
    }
    if let request = ConnectIndication(pdu, packet.bytes) {
      connection(request)
    } else if pdu.kind == .extended || pdu.kind == .connectResponse {
      extended(pdu, packet.bytes)
    } else if pdu.kind == nil || pdu.kind == .decision {
      undecoded(packet.bytes.part(pdu.payload), isSecret: true)
    }
    signal(packet.dissection.air, fact)
  }

  /// Appends the parameters of the connection that is asked for.
  private mutating func connection(_ request: ConnectIndication) {
    comma()
    output.text("interval ")
    output.quantity(Int(request.interval), .interval)
    output.text(", latency ")
    output.decimal(Int(request.latency))
    output.text(", timeout ")
    output.quantity(Int(request.timeout), .timeout)
  }

  /// Appends where an advertisement goes on.
  private mutating func extended(_ pdu: AdvertisingPDU, _ bytes: RawSpan) {
    guard let header = ExtendedHeader(bytes, pdu.payload) else { return }
    if header.isConnectable || header.isScannable {
      comma()
      output.text(AdvertisingReport.propertyKey(bit: header.isConnectable ? 0 : 1))
    }
    if let sid = header.sid {
      comma()
      output.text("SID ")
      output.decimal(Int(sid))
    }
    guard let auxiliary = header.auxiliary, auxiliary.isUsed else { return }
    comma()
    output.text("continued on channel ")
    output.decimal(Int(auxiliary.channel))
    if auxiliary.phy > 1, let name = CodeSet.phy.name(of: UInt64(auxiliary.phy)) {
      output.text(", ")
      output.name(name)
    }
  }

  /// Appends how a packet was received: its signal strength, its channel, and its PHY if that is
  /// not the usual one.
  mutating func signal(_ air: AirPacket?, _ fact: AirFact, hasStrength: Bool = false) {
    if !hasStrength, let rssi = air?.header.rssi {
      comma()
      output.decimal(Int(rssi))
      output.text(" dBm")
    }
    if let channel = fact.channel {
      comma()
      output.text("channel ")
      output.decimal(Int(channel))
    }
    if let phy = air?.header.phy, phy > 1, let name = CodeSet.phy.name(of: UInt64(phy)) {
      comma()
      output.name(name)
    }
  }

  // MARK: Data and control

  /// Appends a data or control PDU that is not passed to L2CAP.
  mutating func link(_ pdu: LinkPDU, _ packet: borrowing Packet, _ memory: borrowing Memory) {
    let fact = packet.airFact
    let isControl = pdu.isControl && !pdu.isEmpty && !fact.stream.isIsochronous
    if let opcode = packet.controlOpcode, let found = packet.dissection.parameters {
      control(opcode.value, found, packet.bytes)
      startOfEncryption(packet, memory)
    } else {
      name(AssignedName(isControl ? "LL Control" : fact.stream.title))
      if pdu.isEmpty {
        output.text("empty")
      } else {
        if fact.encryption == .unread { output.text("encrypted, ") }
        output.count(Int(pdu.length), "byte", "bytes")
        if fact.encryption == .unread, isControl { kind(pdu, packet.record.direction) }
      }
    }
    if fact.isResent {
      comma()
      output.text(fact.isResendUnsure ? "probably resent" : "resent")
    }
    if fact.crc == .wrong {
      comma()
      output.text("CRC wrong")
    }
  }

  private mutating func control(_ opcode: UInt8, _ found: PacketParameters, _ bytes: RawSpan) {
    if let row = found.row {
      output.controlName(row.name)
      endName()
      namesFeatures = true
      parameters(row.parameters, bytes, found.outer)
      namesFeatures = false
    } else {
      name("LL Control")
      output.text("opcode ")
      output.hexadecimal(UInt64(opcode), digits: 2)
      endSubject()
      undecoded(bytes.part(found.outer))
    }
  }

  /// Appends what an encrypted control PDU is if only one or two have its length.
  private mutating func kind(_ pdu: LinkPDU, _ direction: Direction?) {
    let sender: LinkRole? = direction.map { $0 == .sent ? .central : .peripheral }
    let candidates = LinkOpcode.candidates(length: Int(pdu.length) - Self.micBytes, from: sender)
    var rest = candidates.rawValue
    guard 1...2 ~= rest.nonzeroBitCount else { return }
    output.text(", by its length ")
    while rest != 0 {
      let opcode = LinkOpcode(rawValue: UInt8(rest.trailingZeroBitCount))
      rest &= rest - 1
      if let name = opcode.name { output.controlName(name) }
      if rest != 0 { output.text(" or ") }
    }
  }

  /// The length of the MIC after encrypted payloads (Core, Vol 6, Part E, 2.1).
  private static let micBytes = 4

  /// Appends how the packets from here on are decrypted, if this is the first.
  private mutating func startOfEncryption(
    _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let fact = packet.answer.air, fact.encryption != .clear, let link = packet.answer.link,
      let period = memory.air.link(connection: memory.links.id(link))?.periods.last,
      period.firstEncrypted == packet.record.number
    else { return }
    comma()
    output.text("encrypted")
    guard let source = period.keySource else { return }
    output.text(", ")
    output.text(source.shortWords)
  }
}

extension AdvertisingPDU {
  /// Returns which PDU of its type it is.
  func place(_ air: AirPacket?, _ fact: AirFact) -> Place {
    fact.stream == .periodicAdvertising
      ? .sync : Self.place(channel: fact.channel, auxiliaryKind: air?.header.auxiliaryKind)
  }
}

extension Output {
  /// Appends what is known of an empty packet.
  mutating func empty(isResent: Bool, isDamaged: Bool) {
    text("empty")
    if isResent { text(", resent") }
    if isDamaged { text(", CRC wrong") }
  }
}
