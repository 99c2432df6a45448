import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

extension PseudoHeader {
  /// Creates the header of a packet as far as it is known.
  init(_ seen: AirObservation, _ record: borrowing CaptureRecord) {
    let header = seen.packet.header
    self.init(
      channel: Self.channel(seen), signal: header.rssi, noise: header.noise, flags: [])
    if !header.isWhitened { flags.insert(.dewhitened) }
    switch seen.fact.crc {
    case .unknown: break
    case .right: flags.formUnion([.crcChecked, .crcRight])
    case .wrong: flags.insert(.crcChecked)
    }
    flags.insert(.phy(header.phy ?? 1))
    insertKind(seen)
    keep(record)
  }

  private static func channel(_ seen: AirObservation) -> UInt8 {
    if let index = seen.fact.channel { return position(ofChannel: index) }
    guard let channel = seen.packet.header.channel, channel < 40 else { return unknownChannel }
    return seen.packet.header.isRFOrder ? channel : position(ofChannel: channel)
  }

  /// Sets what kind of packet it is, and for data whether it is decrypted.
  private mutating func insertKind(_ seen: AirObservation) {
    let header = seen.packet.header
    let isPeriodic = seen.fact.stream == .periodicAdvertising
    if seen.packet.isAdvertising || isPeriodic {
      let isPrimary = !isPeriodic && seen.fact.place == .primary && seen.fact.crc != .wrong
      let isSecondary = isPeriodic || (seen.fact.channel.map { $0 < 37 } ?? false)
      if isPrimary || !isSecondary && header.kind != .auxiliaryAdvertising { return }
      flags.insert(.kind(AirHeader.Kind.auxiliaryAdvertising.rawValue))
      let place =
        switch seen.fact.place {
        case .primary: header.auxiliaryKind ?? (isPeriodic ? 2 : 0)
        // The header has no number for the responses to a periodic train.
        case .response: AdvertisingPDU.Place.scanResponse.rawValue
        case .auxiliary, .chain, .sync, .scanResponse: seen.fact.place.rawValue
        }
      flags.insert(.auxiliaryKind(place))
      return
    }
    flags.insert(.kind(Self.kind(seen).rawValue))
    guard !seen.isEmpty, seen.isDecrypted else { return }
    flags.insert(.decrypted)
    // What was decrypted before the capture was saved may have been checked or not.
    if seen.payload == .decrypted || header.mic != .none { flags.insert(.micChecked) }
    if seen.payload == .decrypted || header.mic == .right { flags.insert(.micRight) }
  }

  private static func kind(_ seen: AirObservation) -> AirHeader.Kind {
    switch seen.fact.stream {
    case .connection:
      switch seen.direction {
      case .sent: .dataFromCentral
      case .received: .dataFromPeripheral
      case nil: .unknown
      }
    case .connectedIsochronous:
      switch seen.direction {
      case .sent: .streamFromCentral
      case .received: .streamFromPeripheral
      case nil: .unknown
      }
    case .broadcastIsochronous: .broadcastStream
    case .unknown, .periodicAdvertising: seen.packet.header.kind
    }
  }

  /// Keeps what only this link type has.
  private mutating func keep(_ record: borrowing CaptureRecord) {
    guard record.framing == .air(.pseudoHeader) else { return }
    let recorded = Flags(rawValue: record.bytes.littleEndianU16(at: 8))
    if recorded.contains(.reference) {
      reference = (0..<4).reduce(0) { $0 | UInt32(record.bytes.byte(at: 4 + $1)) << UInt32(8 * $1) }
    }
    if recorded.contains(.offences) { offences = record.bytes.byte(at: 3) }
    flags.formUnion(recorded.intersection([.offences, .aliased]))
  }
}

/// Writes packets from the air as link type 256.
struct PseudoHeaderForm: Sendable {
  /// Whether decrypted payloads are written.
  let decrypts: Bool

  /// Writes a packet.
  ///
  /// - Parameters:
  ///   - bytes: what the slices of the packet count from.
  ///   - plain: the payload, if it was decrypted.
  ///   - output: it must be empty.
  func write(
    _ found: AirObservation, _ record: borrowing CaptureRecord, _ bytes: RawSpan,
    _ plain: [UInt8], into output: inout Output
  ) {
    var seen = found
    if !decrypts { seen.payload = .plain }
    let air = seen.packet
    output.pseudoHeader(PseudoHeader(seen, record))
    let pdu = bytes.part(air.pdu)
    let before = Int(air.pdu.start) - 4 - (air.codingIndicator == nil ? 0 : 1)
    output.raw(bytes.part(Slice(start: before, count: Int(air.pdu.start) - before)))
    let start = output.count
    if seen.payload == .decrypted {
      output.byte(pdu.byte(at: 0))
      output.byte(UInt8(clamping: plain.count))
      if seen.head == 3 { output.byte(pdu.byte(at: 2)) }
      output.raw(plain.bytes)
    } else {
      output.raw(pdu)
    }
    var rest = air.pdu.end
    if let recorded = air.crc {
      let written = Slice(start: start, count: output.count - start)
      let crc = Self.crc(seen, recorded, of: output.bytes.part(written), original: pdu)
      output.crc(crc)
      rest += 3
    }
    output.raw(bytes.part(Slice(start: rest, count: max(0, bytes.byteCount - rest))))
  }

  /// Returns the CRC of what is written: right where the recorded one is.
  private static func crc(
    _ seen: AirObservation, _ recorded: UInt32, of written: RawSpan, original: RawSpan
  ) -> UInt32 {
    if seen.packet.header.isWhitened || seen.fact.crc == .wrong { return recorded }
    let isClaimed = seen.fact.crc == .right || seen.isDecrypted
    if isClaimed, let initial = seen.crcInit { return CRC24.compute(init: initial, written) }
    guard seen.payload == .decrypted, recorded != 0 else { return recorded }
    return CRC24.compute(init: CRC24.initial(of: original, crc: recorded), written)
  }
}
