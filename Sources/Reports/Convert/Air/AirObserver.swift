import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

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
