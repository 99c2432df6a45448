package import Bluetooth
import Bytes

/// CONNECT_IND or AUX_CONNECT_REQ: InitA (6 bytes), AdvA (6), LLData: access address (4), CRCInit
/// (3), window size (1) and offset (2), interval (2), latency (2), timeout (2), channel map (5),
/// hop increment (bits 0–4) and sleep clock accuracy (5–7) (Core, Vol 6, Part B, 2.3.3.1).
package struct ConnectIndication: Sendable, Equatable {
  package let initiator: DeviceAddress
  package let initiatorType: AddressType
  package let advertiser: DeviceAddress
  package let advertiserType: AddressType
  /// Whether the initiator supports Channel Selection Algorithm #2, which is used if the advertiser
  /// supports it, too. After AUX_CONNECT_REQ it is always used.
  package let supportsAlgorithm2: Bool
  package let accessAddress: UInt32
  package let crcInit: UInt32
  /// In units of 1.25 ms, like the interval.
  package let windowSize: UInt8
  package let windowOffset: UInt16
  package let interval: UInt16
  package let latency: UInt16
  /// In units of 10 ms.
  package let timeout: UInt16
  package let channelMap: UInt64
  package let hop: UInt8
  /// 0 500 ppm to 7 20 ppm.
  package let clockAccuracy: UInt8

  /// The length of the payload.
  package static let size = 34

  /// Reads the payload; nil if it is too short or the PDU is another one.
  package init?(_ pdu: AdvertisingPDU, _ bytes: RawSpan) {
    guard pdu.kind == .connectInd, Int(pdu.payload.count) >= Self.size else { return nil }
    var cursor = Cursor(bytes, pdu.payload)
    guard let read = try? Self(pdu, parsing: &cursor) else { return nil }
    self = read
  }

  @_lifetime(cursor: copy cursor)
  private init(_ pdu: AdvertisingPDU, parsing cursor: inout Cursor) throws(ParseError) {
    initiatorType = pdu.senderType
    advertiserType = pdu.receiverType
    supportsAlgorithm2 = pdu.supportsAlgorithm2
    initiator = try DeviceAddress(parsing: &cursor)
    advertiser = try DeviceAddress(parsing: &cursor)
    accessAddress = try cursor.u32()
    crcInit = UInt32(try cursor.unsigned(width: 3))
    windowSize = try cursor.u8()
    windowOffset = try cursor.u16()
    interval = try cursor.u16()
    latency = try cursor.u16()
    timeout = try cursor.u16()
    channelMap = try cursor.unsigned(width: 5) & ChannelSelection.allChannels
    let last = try cursor.u8()
    hop = last & 0x1f
    clockAccuracy = last >> 5
  }

  /// Returns the first value that the specification does not allow, with its offset in the payload.
  package var invalid: (value: Int, offset: Int)? {
    if accessAddress == AirPacket.advertising { return (Int(accessAddress), 12) }
    if interval == 0 { return (0, 22) }
    if timeout == 0 { return (0, 26) }
    if channelMap == 0 { return (0, 28) }
    return 5...16 ~= hop ? nil : (Int(hop), 33)
  }
}
