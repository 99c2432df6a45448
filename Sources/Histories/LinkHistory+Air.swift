import Bluetooth
import Captures
import Dissectors
import Sessions

// Links that a sniffer recorded: what control PDUs show in place of a controller's events.

extension LinkHistory {
  /// Records the packet that opens a connection on the air.
  mutating func open(_ connection: Connection, _ moment: Moment) {
    guard opened == nil, !connection.isOpeningMissing, let interval = connection.interval,
      let latency = connection.latency, let timeout = connection.supervisionTimeout
    else { return }
    open(moment, LinkParameters(interval: interval, latency: latency, timeout: timeout))
  }

  /// Records a packet of the peripheral on the air.
  mutating func hearOnAir(_ moment: Moment) { if established == nil { established = moment } }

  /// Records a control PDU that was read.
  mutating func observe(_ control: LinkControl, _ moment: Moment, from side: Side) {
    switch control {
    case .connectionUpdate(let update):
      grantRequest(moment)
      complete(
        moment, .success,
        LinkParameters(
          interval: update.interval, latency: update.latency, timeout: update.timeout), by: .local)
    case .parameterRequest(let wanted):
      add(ParameterUpdate(.linkLayer, by: side, moment, wanted.wanted))
    case .parameterResponse: answerUpdate(moment, by: side, grants: true, to: nil, .linkLayer, nil)
    case .reject(.parameterRequest?, let reason):
      answerUpdate(moment, by: side, grants: false, to: nil, .linkLayer, reason)
    case .unknownResponse(.parameterRequest):
      answerUpdate(moment, by: side, grants: false, to: nil, .linkLayer, .unsupportedRemoteFeature)
    case .phyUpdate(let central, let peripheral, _):
      notePHYs(
        sent: Self.phy(central) ?? phys.last?.sent ?? 1,
        received: Self.phy(peripheral) ?? phys.last?.received ?? 1, moment)
    case .length(let lengths, let isResponse): note(lengths, moment, side, isResponse: isResponse)
    case .features(let features, _) where side == .peer:
      if peerFeatures == nil { peerFeatures = (features, moment) }
    case .version(_, let company, _) where side == .peer: peerCompany = company
    case .terminate: if side == .local { disconnect = moment }
    default: break
    }
  }

  /// Marks the request of the peripheral that LL_CONNECTION_UPDATE_IND carries out as granted.
  private mutating func grantRequest(_ moment: Moment) {
    let position = updates.lastIndex {
      $0.procedure == .linkLayer && $0.completed == nil && $0.isGranted == nil && $0.side == .peer
    }
    guard let position else { return }
    updates[position].answered = moment
    updates[position].isGranted = true
  }

  /// Records the lengths that follow from what both sides declare.
  private mutating func note(
    _ lengths: LinkControl.Lengths, _ moment: Moment, _ side: Side, isResponse: Bool
  ) {
    guard isResponse, let asked = declaredLengths, asked.side != side else {
      declaredLengths = isResponse ? nil : (lengths, side)
      return
    }
    declaredLengths = nil
    let (central, peripheral) =
      side == .local ? (lengths, asked.lengths) : (asked.lengths, lengths)
    noteLengths(
      sent: PacketLength(
        octets: min(central.maxTXOctets, peripheral.maxRXOctets),
        time: min(central.maxTXTime, peripheral.maxRXTime)),
      received: PacketLength(
        octets: min(peripheral.maxTXOctets, central.maxRXOctets),
        time: min(peripheral.maxTXTime, central.maxRXTime)), moment)
  }

  /// Returns HCI's value of the only PHY among these bits; nil: none, so unchanged.
  private static func phy(_ bits: UInt8) -> UInt8? {
    switch bits {
    case 1: 1
    case 2: 2
    case 4: 3
    default: nil
    }
  }
}

extension LinkControl.Parameters {
  fileprivate var wanted: WantedParameters {
    WantedParameters(
      intervalMin: intervalMin, intervalMax: intervalMax, latency: latency, timeout: timeout)
  }
}
