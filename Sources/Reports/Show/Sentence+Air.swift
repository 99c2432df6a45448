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

  mutating func advertising(
    _ pdu: AdvertisingPDU, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    name("Advertising")
  }

  // MARK: Data and control

  /// Appends a data or control PDU that is not passed to L2CAP.
  mutating func link(_ pdu: LinkPDU, _ packet: borrowing Packet, _ memory: borrowing Memory) {
    let fact = packet.answer.air ?? AirFact()
    let isControl = pdu.isControl && !pdu.isEmpty && !fact.stream.isIsochronous
    if isControl, fact.encryption != .unread, let found = packet.dissection.parameters {
      control(pdu, found, packet.bytes)
      startOfEncryption(packet, memory)
    } else {
      name(AssignedName(isControl ? "LL Control" : fact.stream.title))
      if pdu.isEmpty {
        output.text("empty")
      } else {
        if fact.encryption == .unread { output.text("encrypted, ") }
        output.count(Int(pdu.length), "byte", "bytes")
        if fact.encryption == .unread, isControl { likely(pdu, packet.record.direction) }
      }
    }
    if fact.isResent {
      comma()
      output.text(fact.isResendUnsure ? "probably resent" : "resent")
    }
    if fact.crc == .wrong { damaged(packet.dissection.problems) }
  }

  /// Appends that the packet was damaged, unless a problem reports it.
  private mutating func damaged(_ problems: Problems) {
    for index in 0..<problems.count where problems[index].code == .crcWrong { return }
    comma()
    output.text("CRC wrong")
  }

  private mutating func control(_ pdu: LinkPDU, _ found: PacketParameters, _ bytes: RawSpan) {
    if let row = found.row {
      output.controlName(row.name)
      endName()
      parameters(row.parameters, bytes, found.outer)
    } else {
      name("LL Control")
      if !pdu.payload.isEmpty {
        output.text("opcode ")
        output.hexadecimal(UInt64(bytes.byte(at: Int(pdu.payload.start))), digits: 2)
      }
      endSubject()
      undecoded(bytes.part(found.outer))
    }
  }

  /// Appends what an encrypted control PDU must be, judging by its length.
  private mutating func likely(_ pdu: LinkPDU, _ direction: Direction?) {
  }

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

extension Output {
  /// Appends what is known of an empty packet.
  mutating func empty(isResent: Bool, isDamaged: Bool) {
    text("empty")
    if isResent { text(", resent") }
    if isDamaged { text(", CRC wrong") }
  }
}
