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
