package import Bluetooth
import Bytes

package enum ChannelSelection {
  package static let allChannels: UInt64 = (1 << 37) - 1
  static func remap(_ n: Int, _ map: UInt64, _ index: Int) -> UInt8 {
    if map >> UInt64(n) & 1 == 1 { return UInt8(n) }
    var left = index
    for c in 0..<37 where map >> UInt64(c) & 1 == 1 {
      if left == 0 { return UInt8(c) }
      left -= 1
    }
    return UInt8(n)
  }
  package static func first(event: Int, hop: UInt8, map: UInt64) -> UInt8 {
    let u = (Int(hop) * ((event & 0xffff) + 1)) % 37
    let used = max(1, (map & allChannels).nonzeroBitCount)
    // wraps: event counted mod 2^16 differs from true; use full
    let full = (Int(hop) * (event % 37 + 1)) % 37
    _ = u
    return remap(full, map, full % used)
  }
  package static func second(event: UInt16, accessAddress: UInt32, map: UInt64) -> UInt8 {
    let id = UInt16(truncatingIfNeeded: accessAddress >> 16) ^ UInt16(truncatingIfNeeded: accessAddress)
    var x = event ^ id
    for _ in 0..<3 {
      var v = x
      v = (v & 0xaaaa) >> 1 | (v & 0x5555) << 1
      v = (v & 0xcccc) >> 2 | (v & 0x3333) << 2
      v = (v & 0xf0f0) >> 4 | (v & 0x0f0f) << 4
      x = v &* 17 &+ id
    }
    let prn = x ^ id
    let used = max(1, (map & allChannels).nonzeroBitCount)
    return remap(Int(prn % 37), map, Int(UInt32(used) * UInt32(prn) >> 16))
  }
}
extension AirHeader {
  package static func index(ofRF n: UInt8) -> UInt8 {
    switch n {
    case 0: 37
    case 1...11: n - 1
    case 12: 38
    case 13...38: n - 2
    default: 39
    }
  }
}
extension LinkPDU {
  package static func airtime(length: Int, phy: UInt8, codingIndicator: UInt8?) -> Int {
    switch phy {
    case 2: 44 + 4 * length
    case 3: codingIndicator == 1 ? 462 + 16 * length : 720 + 64 * length
    default: 80 + 8 * length
    }
  }
}
extension AdvertisingPDU {
  package var hasChannelSelection2: Bool { flags & 0x20 != 0 }
  package func advertiser(_ bytes: RawSpan) -> DeviceAddress? {
    var c = Cursor(bytes, payload)
    return try? DeviceAddress(parsing: &c)
  }
}
package struct ConnectIndication: Sendable {
  package let initiator: DeviceAddress, advertiser: DeviceAddress
  package let initiatorType: AddressType, advertiserType: AddressType
  package let accessAddress: UInt32, crcInit: UInt32, windowSize: UInt8, windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, channelMap: UInt64, hop: UInt8
  package init?(_ pdu: AdvertisingPDU, _ bytes: RawSpan) {
    var c = Cursor(bytes, pdu.payload)
    guard let i = try? DeviceAddress(parsing: &c), let a = try? DeviceAddress(parsing: &c), let aa = try? c.u32(), let crc = try? c.unsigned(width: 3), let ws = try? c.u8(), let wo = try? c.u16(), let iv = try? c.u16(), let la = try? c.u16(), let to = try? c.u16(), let map = try? c.unsigned(width: 5), let h = try? c.u8() else { return nil }
    initiator = i; advertiser = a
    initiatorType = pdu.flags & 0x40 != 0 ? .random : .public
    advertiserType = pdu.flags & 0x80 != 0 ? .random : .public
    accessAddress = aa; crcInit = UInt32(crc); windowSize = ws; windowOffset = wo; interval = iv; latency = la; timeout = to; channelMap = map; hop = h & 31
  }
}
package enum LinkControl: Sendable {
  package struct EncReq: Sendable { package let rand: UInt64, ediv: UInt16, skd: UInt64, iv: UInt32 }
  package struct EncRsp: Sendable { package let skd: UInt64, iv: UInt32 }
  package struct Update: Sendable { package let window: UInt8, offset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, instant: UInt16 }
  package struct CIS: Sendable { package let accessAddress: UInt32 }
  package struct P: Sendable { package let raw: UInt8; package var phy: UInt8? { raw == 1 ? 1 : raw == 2 ? 2 : raw == 4 ? 3 : nil } }
  package struct PHYs: Sendable { package let fromCentral: P, fromPeripheral: P, instant: UInt16 }
  case encryptionRequest(EncReq), encryptionResponse(EncRsp), startEncryptionRequest, pauseResponse, reject(UInt8)
  case connectionUpdate(Update), channelMap(UInt64, UInt16), terminate(StatusCode), phyUpdate(PHYs), cisIndication(CIS), other(UInt8)
  package static let startRequestOpcode: UInt8 = 5
  package static let startResponseOpcode: UInt8 = 6
  package static func sender(of op: UInt8, length: Int) -> Direction? {
    switch op { case 0, 1, 3, 8, 0x0a, 0x18: .sent
    case 4, 5, 0x0e: .received
    default: nil }
  }
  package static func isPlausible(_ op: UInt8, length: Int) -> Bool { op < 0x2b }
  package init?(_ d: Dissection, _ bytes: RawSpan) {
    var c = Cursor(bytes, d.body)
    do throws(ParseError) {
      let op = try c.u8()
      switch op {
      case 0: self = .connectionUpdate(Update(window: try c.u8(), offset: try c.u16(), interval: try c.u16(), latency: try c.u16(), timeout: try c.u16(), instant: try c.u16()))
      case 1: self = .channelMap(try c.unsigned(width: 5), try c.u16())
      case 2: self = .terminate(StatusCode(rawValue: try c.u8()))
      case 3: let r = try c.unsigned(width: 8); let e = try c.u16(); let s = try c.unsigned(width: 8)
        self = .encryptionRequest(EncReq(rand: r, ediv: e, skd: s, iv: try c.u32()))
      case 4: self = .encryptionResponse(EncRsp(skd: try c.unsigned(width: 8), iv: try c.u32()))
      case 5: self = .startEncryptionRequest
      case 0x0b: self = .pauseResponse
      case 0x0d: self = .reject(try c.u8())
      case 0x18: self = .phyUpdate(PHYs(fromCentral: P(raw: try c.u8()), fromPeripheral: P(raw: try c.u8()), instant: try c.u16()))
      case 0x21: self = .cisIndication(CIS(accessAddress: try c.u32()))
      default: self = .other(op)
      }
    } catch { return nil }
  }
}
extension Dissection {
  package mutating func readControl(_ bytes: RawSpan, _ pdu: LinkPDU) { content = .linkControl(pdu) }
}
extension AdvertisingReport {
  package init?(_ pdu: AdvertisingPDU, _ air: AirPacket, channel: UInt8?, _ bytes: RawSpan) { return nil }
}
