// The platform-independent events in the life of an app that uses Bluetooth LE, which the
// platforms' tables turn into callbacks.

import Bluetooth
import Sessions

/// Something that an app may be notified of, or must have requested.
struct AppEvent: Sendable {
  var what: What
  /// The earliest packet with which it could be known.
  var packet: Int
  /// The time of that packet.
  var time: Timestamp?
  /// The controller's index; unknown if the capture contains none.
  var adapter = AdapterIndex.unknown
  /// The connection's number; 0: none.
  var connection = 0
  /// The other device. On a connection it is the address that was known at the beginning, so that
  /// the device has one name throughout; its identity address if it has one.
  var peer: DeviceAddress?
  /// The other device's address as known now, if that is different.
  var otherAddress: DeviceAddress?
  /// The role of the captured host on the connection, if known.
  var role: LinkRole?
  /// The packet with the request, if this answers one.
  var request: Int?
  /// The time since `request`, in nanoseconds.
  var latency: Int64?

  /// Creates an event of a packet.
  init(_ what: What, packet: Int, time: Timestamp?) {
    self.what = what
    self.packet = packet
    self.time = time
  }

  /// What can happen.
  enum What: Sendable {
    // The adapter.

    /// Bluetooth is available, or not.
    case power(Power)
    /// The states of the controller's Link Layer have changed; none: standby (Core, Vol 6, Part B,
    /// 1.1).
    case linkLayer([LinkLayerState])
    /// A scan was started.
    case scanStarted(ScanRequest)
    /// A scan was interrupted, and goes on.
    case scanRestarted
    /// A scan was refused.
    case scanRefused(StatusCode)
    /// A scan has ended.
    case scanStopped
    /// A device was heard.
    case discovered(DiscoveredPeripheral)
    /// Advertising was started, or refused.
    case advertisingStarted(OwnAdvertisement, StatusCode)
    /// The host stopped advertising.
    case advertisingStopped

    // Links.

    /// A connection is requested.
    case connecting(ConnectWay?)
    /// The request for a connection is withdrawn.
    case connectingEnded(ConnectEnd)
    /// The stack does something with its attempts to connect that no app requested.
    case connectNote(ConnectNote)
    /// This host asks a peer for something.
    case asked(AppCall)
    /// The controller has created a link: its peer has not been heard on it yet.
    case linkCreated
    /// The peer was heard: the link is established.
    case linkEstablished
    /// A connection attempt failed.
    case connectFailed(ConnectFailure)
    /// A connection has ended.
    case disconnected(LinkEnd)
    /// The MTU was exchanged. `byPeer`: the peer's client sent the request.
    case mtu(UInt16, byPeer: Bool, ATTErrorCode?)
    /// The PHYs were set, or not: 1 LE 1M, 2 LE 2M, 3 LE Coded.
    case phy(sent: UInt8, received: UInt8, StatusCode)
    /// The connection's parameters were set, or not: units of 1.25 ms, events, units of 10 ms.
    case parameters(interval: UInt16, latency: UInt16, timeout: UInt16, StatusCode)
    /// The PHYs were read.
    case phyRead(sent: UInt8, received: UInt8, StatusCode)
    /// The RSSI was read, in dBm.
    case rssi(Int8, StatusCode)
    /// Encryption was switched on or off, or that failed.
    case encryption(isOn: Bool, StatusCode)
    /// Pairing has progressed.
    case bonding(Bonding)
    /// A credit-based L2CAP channel was requested; the result of L2CAP, 0: it is open.
    case channel(PSM, byPeer: Bool, result: UInt16, set: CodeSet)

    // The captured host is the client.

    /// A search for primary services has ended. `wanted`: the UUID that was searched for, if only
    /// one was.
    case services([AppService], wanted: BluetoothUUID?, ATTErrorCode?)
    /// A search for the services that a service includes has ended.
    case includedServices([AppService], of: AppService?, ATTErrorCode?)
    /// A search for a service's characteristics has ended.
    case characteristics([AppCharacteristic], of: AppService?, ATTErrorCode?)
    /// A search for a characteristic's descriptors has ended. `again`: an earlier one had already
    /// found them.
    case descriptors([AppDescriptor], of: AppAttribute?, ATTErrorCode?, again: Bool)
    /// All consecutive searches have ended; the primary services that they found, and why a search
    /// for services was refused.
    case discoveryEnded([AppService], ATTErrorCode?)
    /// A value was read, written, notified or indicated, or an attempt at it has failed.
    case value(AppValue)
    /// A queue of several values was written, or refused.
    case queueWritten(ATTErrorCode?)
    /// The queue is to be discarded.
    case queueAborted
    /// There is room for Write Commands again, after there was none.
    case readyToWrite

    // The captured host is the server.

    /// A service of this host was reported to a client, so the app has added it before.
    case serviceServed(AppService)
    /// A client reads.
    case readRequested(AppAttribute, offset: Int)
    /// A client writes; several parts if an Execute Write Request did it.
    case writeRequested([AppWrite], AppWrite.Kind)
    /// A part of a value was queued by a Prepare Write Request.
    case writePrepared(AppWrite)
    /// The queue is executed, or discarded.
    case writesExecuted(Bool)
    /// The request was answered.
    case responded(AppAnswer)
    /// A request was refused by the stack itself, without involving an app.
    case stackRefused(AppAttribute?, AppRequest, ATTErrorCode)
    /// The request was not answered before the link, or the capture, ended.
    case neverResponded(AppAttribute?, AppRequest, linkEnded: Bool)
    /// A client has changed its subscription: bit 0 notifications, bit 1 indications.
    case subscription(AppAttribute, before: UInt16, now: UInt16)
    /// A value was notified or indicated.
    case updated(AppAttribute, value: [UInt8], isHidden: Bool, isIndication: Bool)
    /// An indication was confirmed.
    case confirmed(AppAttribute)
    /// There is room for notifications again, after there was none.
    case readyToUpdate
  }

  /// Whether Bluetooth is available.
  enum Power: Sendable { case on, off, resetting }

  /// A state of the Link Layer; standby means none of them.
  enum LinkLayerState: UInt8, Sendable, CaseIterable {
    case advertising, scanning, initiating, connected

    /// The name in the JSON contract.
    var key: StaticString {
      switch self {
      case .advertising: "advertising"
      case .scanning: "scanning"
      case .initiating: "initiating"
      case .connected: "connected"
      }
    }
  }

  /// The properties of a requested scan.
  struct ScanRequest: Sendable {
    /// The services selected by a filter, if one appears in the capture.
    var services: [BluetoothUUID] = []
    /// Whether scan requests are sent; nil: unknown.
    var isActive: Bool?
    /// Whether the controller reports duplicates.
    var reportsDuplicates: Bool
  }

  /// How a stack waits for a device: it listens often or all the time for the devices of which one
  /// is connected to directly, and now and then for those that may appear.
  enum ConnectWay: Sendable { case direct, background }

  /// The end of the wait for a device.
  struct ConnectEnd: Sendable {
    /// How the host waited, if known.
    var way: ConnectWay?
    /// How long, in nanoseconds.
    var waited: Int64?
  }

  /// What a stack does with its attempts to connect.
  enum ConnectNote: Sendable {
    /// An attempt starts, and the capture does not show for what device.
    case started
    /// An attempt that was under way before starts again.
    case restarted
    /// An attempt gives way to one for another device.
    case interrupted
    /// An attempt was cancelled when the link existed already.
    case cancelledLate
    /// The controller refused an attempt, or ended it.
    case refused(StatusCode), failed(StatusCode)
    /// A device that was requested before the capture began is not waited for any more.
    case ended
  }

  /// Why a connection attempt failed.
  enum ConnectFailure: Sendable {
    /// The controller refused the command, or ended the attempt.
    case refused(StatusCode)
    /// The host gave up.
    case givenUp(ConnectEnd)
    /// The link was created, but the peer was never heard.
    case notEstablished(StatusCode)
  }

  /// How a connection ended.
  struct LinkEnd: Sendable {
    /// Who or what ended it.
    var ending: Connection.Ending
    /// The reason from the controller.
    var reason: StatusCode?
    /// The role of the captured host.
    var role: LinkRole?
    /// Whether it was ever established, as far as the capture shows.
    var wasEstablished: Bool
    /// Whether a request had not been answered for 30 s, after which a client ends the link (Core,
    /// Vol 3, Part F, 3.3.3).
    var isOfSilence = false
    /// Why the last attempt to encrypt had failed, if it had.
    var encryptionFailure: StatusCode?

    /// A remark if the captured host ended it.
    var localRemark: StaticString? {
      guard ending == .localHost, role != .peripheral else { return nil }
      if isOfLostKey {
        return
          "after encryption failed: the host ends the link, and most likely the stack rather than the app"
      }
      return isOfSilence
        ? "a request was not answered for 30 s: most likely the stack ends the link rather than the app"
        : nil
    }

    /// Whether it ended because the key of the bond was missing.
    var isOfLostKey: Bool { encryptionFailure == .pinOrKeyMissing }
  }

  /// The progress of bonding.
  enum Bonding: Sendable {
    /// `wasBonded`: there was a bond before. `unsettled`: the link ended before all agreed keys had
    /// come, so the capture does not show whether there is a bond.
    case began(wasBonded: Bool), bonded, failed(PairingFailure?), paired, unsettled
  }
}

/// An ATT request, as an app sees it.
enum AppRequest: UInt8, Sendable {
  case read, write, descriptorRead, descriptorWrite
  /// A part of a value is queued; the queue is written, or discarded.
  case prepare, execute, cancel

  /// The name in the JSON contract.
  var key: StaticString {
    switch self {
    case .read, .descriptorRead: "read"
    case .write, .descriptorWrite: "write"
    case .prepare: "prepare"
    case .execute: "execute"
    case .cancel: "cancel"
    }
  }
}

extension AppEvent {
  /// The part of an API that an event belongs to.
  enum Topic { case adapter, link, client, server }

  /// The part of an API that it belongs to.
  var topic: Topic {
    switch what {
    case .power, .scanStarted, .scanRestarted, .scanRefused, .scanStopped, .discovered,
      .advertisingStarted, .advertisingStopped, .linkLayer:
      .adapter
    case .connecting, .connectingEnded, .connectNote, .linkCreated, .linkEstablished,
      .connectFailed,
      .disconnected, .mtu, .phy, .phyRead, .parameters, .rssi, .encryption, .bonding, .channel:
      .link
    case .asked, .services, .includedServices, .characteristics, .descriptors, .discoveryEnded,
      .value, .queueWritten, .queueAborted, .readyToWrite:
      .client
    case .serviceServed, .readRequested, .writeRequested, .writePrepared, .writesExecuted,
      .responded, .stackRefused, .neverResponded, .subscription, .updated, .confirmed,
      .readyToUpdate:
      .server
    }
  }
}
