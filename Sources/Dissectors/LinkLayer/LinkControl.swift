package import Bluetooth
package import Bytes

/// What a Link Layer control PDU states, for those that change a connection or are answered (Core,
/// Vol 6, Part B, 2.4.2). The rows of `LinkTable` describe all of them for display.
package enum LinkControl: Sendable {
  /// The parameters of a connection from an event on. Windows and intervals are in units of 1.25
  /// ms, the timeout of 10 ms.
  package struct ConnectionUpdate: Sendable, Equatable {
    package let windowSize: UInt8
    package let windowOffset: UInt16
    package let interval: UInt16
    package let latency: UInt16
    package let timeout: UInt16
    package let instant: UInt16
  }

  /// LL_ENC_REQ. Diversifiers and vectors are numbers whose least significant byte is sent first.
  package struct EncryptionRequest: Sendable, Equatable {
    package let rand: UInt64
    package let ediv: UInt16
    package let diversifier: UInt64
    package let vector: UInt32
  }

  /// What a device would like a connection to be.
  package struct Parameters: Sendable, Equatable {
    package let intervalMin: UInt16
    package let intervalMax: UInt16
    package let latency: UInt16
    package let timeout: UInt16
  }

  /// The longest packets: bytes, and microseconds.
  package struct Lengths: Sendable, Equatable {
    package let maxRXOctets: UInt16
    package let maxRXTime: UInt16
    package let maxTXOctets: UInt16
    package let maxTXTime: UInt16
  }

  /// LL_CIS_REQ.
  package struct StreamRequest: Sendable, Equatable {
    package let cig: UInt8
    package let cis: UInt8
    /// PHYs as bits.
    package let phyFromCentral: UInt8
    package let phyFromPeripheral: UInt8
    /// In units of 1.25 ms.
    package let interval: UInt16
  }

  /// LL_CIS_IND.
  package struct StreamIndication: Sendable, Equatable {
    package let accessAddress: UInt32
    /// In microseconds.
    package let offset: UInt32
    package let eventCount: UInt16
  }

  /// LL_SUBRATE_IND: from the base event on, only every `factor`-th event is used.
  package struct Subrate: Sendable, Equatable {
    package let factor: UInt16
    package let baseEvent: UInt16
    package let latency: UInt16
    package let continuation: UInt16
    package let timeout: UInt16
  }

  case connectionUpdate(ConnectionUpdate)
  case channelMap(UInt64, instant: UInt16)
  case terminate(StatusCode)
  case encryptionRequest(EncryptionRequest)
  case encryptionResponse(diversifier: UInt64, vector: UInt32)
  case startEncryptionRequest
  case startEncryptionResponse
  case pauseRequest
  case pauseResponse
  case unknownResponse(LinkOpcode)
  case features(UInt64, isResponse: Bool)
  case version(UInt8, company: UInt16, subversion: UInt16)
  /// LL_REJECT_IND, which names no request, and LL_REJECT_EXT_IND.
  case reject(LinkOpcode?, StatusCode)
  case parameterRequest(Parameters)
  case parameterResponse(Parameters)
  case length(Lengths, isResponse: Bool)
  /// PHYs as bits.
  case phy(tx: UInt8, rx: UInt8, isResponse: Bool)
  /// PHYs as bits; 0: unchanged. If both are, the instant has no meaning.
  case phyUpdate(fromCentral: UInt8, fromPeripheral: UInt8, instant: UInt16)
  case cisRequest(StreamRequest)
  case cisIndication(StreamIndication)
  case cisTerminate(cig: UInt8, cis: UInt8, StatusCode)
  case subrate(Subrate)
  case other(LinkOpcode)

  /// Reads the payload of a control PDU of a connection; nil if it is too short for its opcode.
  package init?(_ bytes: RawSpan, _ payload: Slice) {
    var cursor = Cursor(bytes, payload)
    guard let read = try? Self(parsing: &cursor) else { return nil }
    self = read
  }

  @_lifetime(cursor: copy cursor)
  private init(parsing cursor: inout Cursor) throws(ParseError) {
    let opcode = LinkOpcode(rawValue: try cursor.u8())
    switch opcode {
    case .connectionUpdate: self = .connectionUpdate(try ConnectionUpdate(parsing: &cursor))
    case .channelMap:
      let map = try cursor.unsigned(width: 5) & ChannelSelection.allChannels
      self = .channelMap(map, instant: try cursor.u16())
    case .terminate: self = .terminate(try Self.status(&cursor))
    case .encryptionRequest: self = .encryptionRequest(try EncryptionRequest(parsing: &cursor))
    case .encryptionResponse:
      let diversifier = try cursor.unsigned(width: 8)
      self = .encryptionResponse(diversifier: diversifier, vector: try cursor.u32())
    case .startEncryptionRequest: self = .startEncryptionRequest
    case .startEncryptionResponse: self = .startEncryptionResponse
    case .pauseEncryptionRequest: self = .pauseRequest
    case .pauseEncryptionResponse: self = .pauseResponse
    case .unknownResponse: self = .unknownResponse(LinkOpcode(rawValue: try cursor.u8()))
    case .featureRequest, .peripheralFeatureRequest, .featureResponse:
      let features = try cursor.unsigned(width: 8)
      self = .features(features, isResponse: opcode == .featureResponse)
    case .version:
      let version = try cursor.u8()
      let company = try cursor.u16()
      self = .version(version, company: company, subversion: try cursor.u16())
    case .reject: self = .reject(nil, try Self.status(&cursor))
    case .rejectExtended:
      let rejected = LinkOpcode(rawValue: try cursor.u8())
      self = .reject(rejected, try Self.status(&cursor))
    case .parameterRequest: self = .parameterRequest(try Parameters(parsing: &cursor))
    case .parameterResponse: self = .parameterResponse(try Parameters(parsing: &cursor))
    case .lengthRequest, .lengthResponse:
      self = .length(try Lengths(parsing: &cursor), isResponse: opcode == .lengthResponse)
    case .phyRequest, .phyResponse:
      let tx = try cursor.u8()
      self = .phy(tx: tx, rx: try cursor.u8(), isResponse: opcode == .phyResponse)
    case .phyUpdate:
      let central = try cursor.u8()
      let peripheral = try cursor.u8()
      self = .phyUpdate(
        fromCentral: central, fromPeripheral: peripheral, instant: try cursor.u16())
    case .cisRequest: self = .cisRequest(try StreamRequest(parsing: &cursor))
    case .cisIndication: self = .cisIndication(try StreamIndication(parsing: &cursor))
    case .cisTerminate:
      let cig = try cursor.u8()
      let cis = try cursor.u8()
      self = .cisTerminate(cig: cig, cis: cis, try Self.status(&cursor))
    case .subrateIndication: self = .subrate(try Subrate(parsing: &cursor))
    default: self = .other(opcode)
    }
  }

  @_lifetime(cursor: copy cursor)
  private static func status(_ cursor: inout Cursor) throws(ParseError) -> StatusCode {
    StatusCode(rawValue: try cursor.u8())
  }
}

extension LinkControl.ConnectionUpdate {
  @_lifetime(cursor: copy cursor)
  fileprivate init(parsing cursor: inout Cursor) throws(ParseError) {
    windowSize = try cursor.u8()
    windowOffset = try cursor.u16()
    interval = try cursor.u16()
    latency = try cursor.u16()
    timeout = try cursor.u16()
    instant = try cursor.u16()
  }
}

extension LinkControl.EncryptionRequest {
  @_lifetime(cursor: copy cursor)
  fileprivate init(parsing cursor: inout Cursor) throws(ParseError) {
    rand = try cursor.unsigned(width: 8)
    ediv = try cursor.u16()
    diversifier = try cursor.unsigned(width: 8)
    vector = try cursor.u32()
  }
}

extension LinkControl.Parameters {
  @_lifetime(cursor: copy cursor)
  fileprivate init(parsing cursor: inout Cursor) throws(ParseError) {
    intervalMin = try cursor.u16()
    intervalMax = try cursor.u16()
    latency = try cursor.u16()
    timeout = try cursor.u16()
  }
}

extension LinkControl.Lengths {
  @_lifetime(cursor: copy cursor)
  fileprivate init(parsing cursor: inout Cursor) throws(ParseError) {
    maxRXOctets = try cursor.u16()
    maxRXTime = try cursor.u16()
    maxTXOctets = try cursor.u16()
    maxTXTime = try cursor.u16()
  }
}

extension LinkControl.StreamRequest {
  /// CIG (1 byte), CIS (1), PHYs (1 each), SDU sizes (2 each), SDU intervals (3 each), PDU sizes (2
  /// each), NSE (1), subinterval (3), BN (1), FT (1 each), ISO interval (2), offsets.
  @_lifetime(cursor: copy cursor)
  fileprivate init(parsing cursor: inout Cursor) throws(ParseError) {
    cig = try cursor.u8()
    cis = try cursor.u8()
    phyFromCentral = try cursor.u8()
    phyFromPeripheral = try cursor.u8()
    _ = try cursor.take(21)
    interval = try cursor.u16()
  }
}

extension LinkControl.StreamIndication {
  /// Access address (4 bytes), CIS offset (3), CIG and CIS synchronization delay (3 each), event
  /// counter (2).
  @_lifetime(cursor: copy cursor)
  fileprivate init(parsing cursor: inout Cursor) throws(ParseError) {
    accessAddress = try cursor.u32()
    offset = UInt32(try cursor.unsigned(width: 3))
    _ = try cursor.take(6)
    eventCount = try cursor.u16()
  }
}

extension LinkControl.Subrate {
  @_lifetime(cursor: copy cursor)
  fileprivate init(parsing cursor: inout Cursor) throws(ParseError) {
    factor = try cursor.u16()
    baseEvent = try cursor.u16()
    latency = try cursor.u16()
    continuation = try cursor.u16()
    timeout = try cursor.u16()
  }
}
