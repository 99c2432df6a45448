// Link Layer packets as sniffers record them, and their dissections.

import Bluetooth
import Bytes

@testable import Dissectors

/// Converts hexadecimal text without blanks to bytes; blanks between bytes are allowed.
func octets(_ text: String) -> [UInt8] {
  let digits = text.filter { $0 != " " }.map { UInt8(String($0), radix: 16) ?? 0 }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Returns a packet from the access address on, with the CRC of the initial value.
func airPacket(
  _ pdu: [UInt8], accessAddress: UInt32 = AirPacket.advertising, codingIndicator: UInt8? = nil,
  crcInit: UInt32 = CRC24.advertising
) -> [UInt8] {
  little(Int(accessAddress), width: 4) + (codingIndicator.map { [$0] } ?? []) + pdu
    + little(Int(CRC24.compute(init: crcInit, pdu.bytes)), width: 3)
}

/// Returns a record of link type 256.
func pseudoHeader(
  _ packet: [UInt8], channel: UInt8 = 0, signal: UInt8 = 0xc4, noise: UInt8 = 0x80,
  flags: UInt16 = 0x0c03
) -> [UInt8] {
  [channel, signal, noise, 0, 0, 0, 0, 0] + little(Int(flags)) + packet
}

/// Returns a record of an nRF Sniffer.
func nordic(
  _ packet: [UInt8], version: UInt8 = 3, message: UInt8 = 6, flags: UInt8 = 1,
  channel: UInt8 = 37, event: UInt16 = 7, time: UInt32 = 0x0102_0304
) -> [UInt8] {
  let inner =
    [flags, channel, 60] + little(Int(event)) + little(Int(time), width: 4)
    + packet
  switch version {
  case 0: return [0xbe, 0xef, message, 0x22, 0x11, 0, 0, UInt8(inner.count)] + inner
  case 1:
    return [4, 6, UInt8(inner.count + 1), 1, 0x22, 0x11, message, 10] + inner
  default:
    return [4] + little(inner.count + 1) + [version, 0x22, 0x11, message, 10] + inner
  }
}

/// Returns a record of Ubertooth, with a field of another type before its own.
func ppi(
  _ packet: [UInt8], linkType: UInt32 = 251, frequency: Int = 2402, clock: UInt32 = 100,
  highest: UInt8 = 0xc8, average: UInt8 = 0xc0, count: UInt8 = 4
) -> [UInt8] {
  let other = little(2) + little(3) + [1, 2, 3]
  let field =
    little(30006) + little(12) + [0] + little(frequency) + [0]
    + little(Int(clock), width: 4) + [highest, 0xb0, average, count]
  let length = 8 + other.count + field.count
  return [0, 0] + little(length) + little(Int(linkType), width: 4) + other + field + packet
}

/// Dissects a sniffer's record.
func air(_ format: SnifferFormat, _ bytes: [UInt8], isTruncated: Bool = false) -> Dissection {
  var dissection = Dissection()
  dissection.read(air: format, bytes.bytes, isTruncated: isTruncated)
  return dissection
}

/// Dissects an advertising PDU in a record of link type 251, with its fields.
func advertising(_ pdu: [UInt8]) -> (dissection: Dissection, bytes: [UInt8]) {
  let bytes = airPacket(pdu)
  var dissection = air(.linkLayer, bytes)
  dissection.readAdvertising(bytes.bytes, isTruncated: false)
  return (dissection, bytes)
}

/// Dissects a control PDU by its payload.
func control(
  _ payload: [UInt8], isTruncated: Bool = false, isBroadcast: Bool = false
) -> Dissection {
  var dissection = Dissection()
  let pdu = LinkPDU(
    flags: 3, length: UInt8(truncatingIfNeeded: payload.count), cteInfo: nil,
    payload: Slice(start: 0, count: payload.count))
  dissection.readControl(
    pdu, payload.bytes, isTruncated: isTruncated, isBroadcast: isBroadcast)
  return dissection
}

/// Describes what was read of a packet: "adv 0 of 6" or "data 3 of 2", "cut" if not even that.
func words(_ dissection: Dissection) -> String {
  switch dissection.content {
  case .advertising(let pdu): "adv \(pdu.type) of \(pdu.length)"
  case .linkData(let pdu): "data \(pdu.llid) of \(pdu.length)"
  case .linkControl(let pdu): "control of \(pdu.length)"
  case .unknown: "cut"
  default: "wrong"
  }
}

/// A CONNECT_IND of a real capture.
let connectIndication = octets(
  "c522 f949c551947a b89df5ff48c0 6f656550 632e25 03 1700 1800 0000 4800 00f8ffff1f 2e")

/// An empty data PDU.
let emptyPDU = octets("0100")
