import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// A packet from the air, with what the capture reveals about it.
struct AirObservation: Sendable {
  /// What the payload of a data PDU is.
  enum Payload: Sendable {
    /// As recorded, or empty.
    case plain
    /// Decrypted here.
    case decrypted
    /// Encrypted, and no key is known.
    case unread
  }

  let packet: AirPacket
  let fact: AirFact
  /// Sent: by the central.
  let direction: Direction?
  /// The value that the CRC starts with, if it is known.
  let crcInit: UInt32?
  /// Whether it belongs to a connection that was encrypted when it ended: it is not decrypted.
  private let isBehindEnd: Bool
  /// Whether its whitening was removed, so that its slices count from there.
  let isDewhitened: Bool
  /// The number of bytes before the payload of the PDU: 2, or 3 with CTEInfo.
  private(set) var head = 2
  /// The length that the PDU claims, with the MIC if it has one.
  private(set) var length = 0
  var payload = Payload.plain

  init(_ air: AirPacket, _ packet: borrowing Packet, _ memory: borrowing Memory) {
    self.packet = air
    fact = packet.answer.air ?? AirFact()
    direction = packet.record.direction ?? air.header.direction
    crcInit = memory.air.crcInit(of: air.accessAddress)
    isBehindEnd = memory.air.hasEndedEncrypted(air.accessAddress)
    isDewhitened = packet.record.isWhitened && !air.header.isWhitened
  }

  /// Reads the header of the PDU.
  mutating func read(_ pdu: RawSpan) {
    length = pdu.byteCount > 1 ? Int(pdu.byte(at: 1)) : 0
    // Damaged packets have the bit of CTEInfo, too: it counts only if the PDU then has the right
    // length.
    let hasCTEInfo = pdu.byte(at: 0) & 0x20 != 0 && pdu.byteCount == 3 + length
    head = hasCTEInfo && !packet.isAdvertising ? 3 : 2
    guard isOfConnection, !isEmpty, fact.crc != .wrong else { return }
    switch fact.encryption {
    case .decrypted: payload = .decrypted
    case .unread: payload = .unread
    case .byFirmware, .before: break
    case .clear:
      let mayBeEncrypted = !packet.header.isDecrypted && length > Self.codeSize
      if mayBeEncrypted, !fact.isResent, isBehindEnd { payload = .unread }
    }
  }

  /// Whether it is a data PDU of a connection.
  var isOfConnection: Bool {
    !packet.isAdvertising && !packet.header.isWhitened && fact.stream == .connection
  }

  var isEmpty: Bool { length == 0 }

  /// The length of the MIC (Core, Vol 6, Part B, 2.4).
  static let codeSize = 4

  /// Whether the payload was decrypted: here, by the sniffer or something before this program.
  var isDecrypted: Bool {
    if payload == .decrypted || packet.header.isDecrypted { return true }
    return fact.encryption == .byFirmware || fact.encryption == .before
  }
}

extension CaptureRecord {
  /// Whether it has a packet from the air as it was sent, whitened.
  fileprivate var isWhitened: Bool {
    framing == .air(.pseudoHeader)
      && !PseudoHeader.Flags(rawValue: bytes.littleEndianU16(at: 8)).contains(.dewhitened)
  }
}

/// Observes the packets from the air, one at a time.
struct AirObserver: PacketReport, ~Copyable {
  /// What a side of a connection sent last, since it may send it again.
  private struct Sent: Sendable {
    var payload: AirObservation.Payload
    /// The bytes, if they were decrypted.
    var bytes: [UInt8] = []
  }

  /// Data of L2CAP, or a part of it, that is new and can be read.
  struct Data: Sendable {
    var connection: Int
    /// Whether an L2CAP PDU begins with it.
    var isStart: Bool
  }

  /// The latest packet; nil if it is not from the air, or the sniffer's report about itself.
  private(set) var latest: AirObservation?
  /// The decrypted payload of the latest packet.
  private(set) var plain: [UInt8] = []
  /// The data of the latest packet, if it has some.
  private(set) var data: Data?
  /// Whether it opened a connection.
  private(set) var opens = false
  /// The events and commands of the connections, if they are wanted.
  var host: HostEvents?
  private var sent: [Sent] = []
  /// The positions in `sent`, by access address and side.
  private var positions: [UInt64: Int] = [:]

  /// The most sides that are remembered.
  private static let mostSides = 2048

  init(_ host: HostEvents?) { self.host = host }

  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    (latest, data) = (nil, nil)
    opens = packet.answer.opened
    guard let air = packet.dissection.air, air.pdu != .empty || air.accessAddress != 0 else {
      return
    }
    let seen = AirObservation(air, packet, memory)
    latest = seen
    if case .acl(let header) = packet.dissection.content, let link = packet.answer.link {
      data = Data(connection: memory.links.id(link), isStart: header.boundary != .continuation)
    }
    host?.observe(packet, seen, memory, into: &output)
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}

  /// Completes the latest packet.
  ///
  /// - Parameters:
  ///   - bytes: what its slices count from.
  ///   - pass: the pass, which has its payload if that was decrypted.
  mutating func complete(_ bytes: RawSpan, _ pass: borrowing Pass) {
    guard var seen = latest else { return }
    seen.read(bytes.part(seen.packet.pdu))
    if seen.fact.isResent {
      seen.payload = payloadBefore(seen)
    } else if seen.payload == .decrypted {
      plain.removeAll(keepingCapacity: true)
      plain.append(pass.decryptedPayload(count: seen.length - AirObservation.codeSize))
    }
    latest = seen
    remember(seen)
  }

  private static func key(_ seen: AirObservation) -> UInt64 {
    UInt64(seen.packet.accessAddress) << 1 | (seen.direction == .received ? 1 : 0)
  }

  /// Returns what the payload of a packet that is resent was, and recalls its bytes.
  private mutating func payloadBefore(_ seen: AirObservation) -> AirObservation.Payload {
    guard !seen.isEmpty, let position = positions[Self.key(seen)] else { return seen.payload }
    if sent[position].payload == .decrypted {
      guard sent[position].bytes.count + AirObservation.codeSize == seen.length else {
        return .unread
      }
      plain.removeAll(keepingCapacity: true)
      plain += sent[position].bytes
    }
    return sent[position].payload
  }

  /// Remembers what a packet has, since it may be sent again.
  private mutating func remember(_ seen: AirObservation) {
    guard seen.isOfConnection, !seen.isEmpty, !seen.fact.isResent, seen.fact.crc != .wrong else {
      return
    }
    let key = Self.key(seen)
    guard let position = positions[key] ?? addSide(seen, key) else { return }
    sent[position].payload = seen.payload
    sent[position].bytes.removeAll(keepingCapacity: true)
    if seen.payload == .decrypted { sent[position].bytes += plain }
  }

  /// Makes room for a side, once something of it is encrypted.
  private mutating func addSide(_ seen: AirObservation, _ key: UInt64) -> Int? {
    guard seen.payload != .plain else { return nil }
    if sent.count >= Self.mostSides {
      sent.removeAll(keepingCapacity: true)
      positions.removeAll(keepingCapacity: true)
    }
    positions[key] = sent.count
    sent.append(Sent(payload: seen.payload))
    return sent.count - 1
  }
}
