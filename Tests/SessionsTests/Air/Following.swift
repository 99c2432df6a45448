// Passes over captures from the air, with everything that they find kept for tests.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// One packet from the air as the report received it.
struct Followed {
  var number = 0
  var fact = AirFact()
  var direction: Direction?
  /// The bytes that its dissection counts from: those of the decrypted payload or of the joined
  /// PDU, if there is one, else the record's.
  var bytes: [UInt8] = []
  var connection: Int?
  var opened = false
  var ending: Connection.Ending?
  var isL2CAP = false
  var isJoined = false
}

/// Keeps what a pass finds out about packets from the air.
struct Following: PacketReport {
  private(set) var packets: [Followed] = []
  /// The connections and streams at the end.
  private(set) var air = Memory().air
  private(set) var vantage = Vantage.host
  private(set) var connections: [Connection] = []
  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    var seen = Followed()
    seen.number = packet.record.number
    if let fact = packet.answer.air { seen.fact = fact }
    seen.direction = packet.record.direction
    seen.bytes = packet.bytes.array
    seen.connection = packet.answer.link.map { memory.links[$0].id }
    (seen.opened, seen.ending) = (packet.answer.opened, packet.answer.ending)
    seen.isL2CAP = packet.dissection.l2cap != nil
    seen.isJoined = packet.answer.fragment.isJoined
    packets.append(seen)
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    air = memory.air
    vantage = memory.vantage
    memory.links.forEach { connections.append($0) }
    connections.sort { $0.id < $1.id }
  }

  /// The connection that a capture with one connection has.
  var link: AirLink { air.all.first { $0.stream == .connection } ?? AirLink(0, 0, packet: 0) }

  /// The packet with this number, counted from 1.
  subscript(number: Int) -> Followed {
    packets.indices.contains(number - 1) ? packets[number - 1] : Followed()
  }
}

/// Follows what a sniffer recorded.
func follow(
  _ records: [StoredRecord], bonds: [Bond] = [], limits: Limits = Limits()
) -> Following {
  var source = MemorySource(records)
  return follow(&source, bonds: bonds, limits: limits)
}

/// Follows made traffic in a sniffer's form.
func follow(
  _ traffic: AirTraffic, _ form: AirForm = AirForm(.nordic3), keys: [[UInt8]] = []
) -> Following {
  follow(traffic.records(form), bonds: keys.map(bond))
}

/// Follows a source.
func follow<Source: CaptureSource & ~Copyable>(
  _ source: inout Source, bonds: [Bond] = [], limits: Limits = Limits()
) -> Following {
  var report = Following()
  var output = Output()
  var pass = Pass(limits, bonds: bonds)
  try? pass.run(&source, &report, into: &output)
  return report
}

/// Returns a bond of any device with a long-term key, most significant byte first.
func bond(_ key: [UInt8]) -> Bond {
  var bond = Bond(.zero, .random, file: "keys")
  bond.longTermKeys = [Bond.LongTermKey(key.reversed())]
  return bond
}

/// The key of made connections, most significant byte first.
let madeKey: [UInt8] = (0x20..<0x30).map { $0 }

extension AirForm {
  /// Whether its records say who sent a data packet.
  var statesSides: Bool {
    switch layout {
    case .linkLayer, .ppi: false
    case .pseudoHeader: hasKind
    case .nordic0, .nordic1, .nordic2, .nordic3: true
    }
  }
}

extension AirTransmission {
  /// The payload before encryption.
  var payload: [UInt8] { Array(plain.dropFirst(2)) }
  /// The opcode of a control PDU.
  var opcode: UInt8? { !isAdvertising && llid == 3 ? payload.first : nil }
}

extension AirTraffic {
  /// The packets that the sniffer has right copies of, each with its record.
  var right: [(record: Int, packet: AirTransmission)] {
    sent.compactMap { packet in
      packet.hearing == .heard ? packet.record.map { ($0, packet) } : nil
    }
  }

  /// For each packet, which PDU of its side and connection it holds, counted from 1; the last
  /// packets that repeat a PDU have the same number. 0: advertising.
  var pduNumbers: [Int] {
    var counts: [Int: Int] = [:]
    return sent.map { packet in
      guard let link = packet.link, let side = packet.side else { return 0 }
      let key = link * 2 + Int(side.rawValue)
      if !packet.isResent { counts[key, default: 0] += 1 }
      return counts[key, default: 0]
    }
  }

  /// Has the sniffer hear control PDUs with these opcodes whatever else it misses.
  mutating func hear(_ opcodes: Set<UInt8>) {
    hears = { packet in
      packet.opcode.map(opcodes.contains) ?? false ? .heard : nil
    }
  }
}

/// All forms of records, with a word for each.
let forms: [(name: String, form: AirForm)] = {
  var forms = AirForm.Layout.allCases.map { ("\($0)", AirForm($0)) }
  var other = AirForm(.pseudoHeader)
  other.hasKind = false
  forms.append(("pseudoHeader without kinds", other))
  other = AirForm(.pseudoHeader)
  other.hasChannelIndex = true
  forms.append(("pseudoHeader with channel indices", other))
  other = AirForm(.pseudoHeader)
  other.hasCRC = false
  forms.append(("pseudoHeader without CRCs", other))
  other = AirForm(.pseudoHeader)
  other.isWhitened = true
  forms.append(("pseudoHeader, whitened", other))
  other = AirForm(.ppi)
  other.innerLinkType = 147
  forms.append(("ppi with link type 147", other))
  return forms
}()
