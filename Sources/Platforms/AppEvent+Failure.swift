import Bluetooth
import Sessions

extension AppEvent {
  /// Whether something was refused, failed or never answered, or a link was lost.
  var hasFailed: Bool {
    switch what {
    case .scanRefused, .connectFailed, .stackRefused, .neverResponded: true
    case .power(let power): power == .resetting
    case .advertisingStarted(_, let status), .phy(_, _, let status),
      .parameters(_, _, _, let status), .phyRead(_, _, let status), .rssi(_, let status),
      .encryption(_, let status):
      status != .success
    case .connectNote(let note):
      switch note {
      case .refused, .failed: true
      case .started, .restarted, .interrupted, .cancelledLate, .ended: false
      }
    case .disconnected(let end): end.isOfLostKey || end.isOfSilence || !end.isOrderly
    case .mtu(_, _, let error), .services(_, _, let error), .includedServices(_, _, let error),
      .characteristics(_, _, let error), .descriptors(_, _, let error, _),
      .discoveryEnded(_, let error), .queueWritten(let error):
      error != nil
    case .bonding(let stage): if case .failed = stage { true } else { false }
    case .channel(_, _, let result, _): result != 0
    case .value(let value): value.outcome != .done && value.outcome != .cancelled
    case .responded(let answer): answer.error != nil
    case .linkLayer, .scanStarted, .scanRestarted, .scanStopped, .discovered, .advertisingStopped,
      .connecting,
      .connectingEnded, .asked, .linkCreated, .linkEstablished, .queueAborted, .readyToWrite,
      .serviceServed, .readRequested, .writeRequested, .writePrepared, .writesExecuted,
      .subscription, .updated, .confirmed, .readyToUpdate:
      false
    }
  }
}

extension AppEvent.LinkEnd {
  /// Whether one of the hosts ended the link on purpose, as far as the capture shows, or it did not
  /// end.
  fileprivate var isOrderly: Bool {
    switch ending {
    // Remote User Terminated Connection, Low Resources, Power Off, terminated by the local host.
    case .localHost, .peer: reason.map { 0x13...0x16 ~= $0.rawValue } ?? true
    case .fileEnded, .forgotten, .replaced, .unknown: true
    case .timeout, .neverEstablished, .micFailure, .reset, .controller: false
    }
  }
}
