// What can happen in the life of an app that uses Bluetooth LE, in no platform's words: what the platforms'
// tables turn into callbacks.

package import Bluetooth
package import Sessions

/// Something that an app may be told, or must have asked for.
package struct AppEvent: Sendable {
  /// What it is.
  package var what: What
  /// The packet with which it could be known, at the earliest.
  package var packet: Int
  /// When that was made.
  package var time: Timestamp?
  /// The controller's index; 0xffff where the capture does not tell one.
  package var adapter: UInt16 = 0xffff
  /// The connection's number; 0: none.
  package var connection = 0
  /// The other device: on a connection by the address that was known when it began, so that it has one name all the
  /// while; by its identity address where there is one.
  package var peer: DeviceAddress?
  /// The same by what is known now, where that is another address.
  package var otherAddress: DeviceAddress?
  /// The part that the captured host plays on the connection, where that is known.
  package var role: Connection.Role?
  /// The packet that asked for it, where it answers one.
  package var request: Int?
  /// How long after that it came, in nanoseconds.
  package var latency: Int64?

  /// An event of a packet.
  init(_ what: What, packet: Int, time: Timestamp?) {
    self.what = what
    self.packet = packet
    self.time = time
  }

  /// What can happen.
  package enum What: Sendable {
    // The adapter.

    /// Bluetooth is there, or not.
    case power(Power)
    /// The states of the controller's Link Layer have changed; none: standby (Core, Vol 6, Part B, 1.1).
    case linkLayer([LinkLayerState])
    /// A scan was begun.
    case scanStarted(ScanRequest)
    /// A scan was refused.
    case scanRefused(StatusCode)
    /// A scan has ended.
    case scanStopped
    /// A device was heard.
    case discovered(Sighting)
    /// Advertising was begun, or refused.
    case advertisingStarted(OwnAdvertisement, StatusCode)
    /// Advertising was ended by the host.
    case advertisingStopped

    // Links.

    /// The host wants a connection.
    case connecting
    /// The host does not want it any more, so many nanoseconds after it had asked.
    case connectingCancelled(after: Int64?)
    /// The controller has created a link: its peer has not been heard on it yet.
    case linkCreated
    /// The peer was heard: the link is established.
    case linkEstablished
    /// No connection came about.
    case connectFailed(ConnectFailure)
    /// A connection has ended.
    case disconnected(LinkEnd)
    /// The MTU was exchanged. `byPeer`: the peer's client asked.
    case mtu(UInt16, byPeer: Bool, ATTErrorCode?)
    /// The PHYs were set, or not: 1 LE 1M, 2 LE 2M, 3 LE Coded.
    case phy(sent: UInt8, received: UInt8, StatusCode)
    /// The connection's parameters were set, or not: units of 1.25 ms, events, units of 10 ms.
    case parameters(interval: UInt16, latency: UInt16, timeout: UInt16, StatusCode)
    /// The PHYs were read.
    case phyRead(sent: UInt8, received: UInt8, StatusCode)
    /// The signal strength was read, in dBm.
    case rssi(Int8, StatusCode)
    /// Encryption was switched on or off, or that failed.
    case encryption(isOn: Bool, StatusCode)
    /// Pairing goes on.
    case bonding(Bonding)
    /// A credit-based L2CAP channel was asked for; the result of L2CAP, 0: it is open.
    case channel(PSM, byPeer: Bool, result: UInt16, set: CodeSet)

    // The captured host is the client.

    /// A search for primary services has ended. `wanted`: it was for one UUID.
    case services([AppService], wanted: BluetoothUUID?, ATTErrorCode?)
    /// A search for the services that one includes has ended.
    case includedServices([AppService], of: AppService?, ATTErrorCode?)
    /// A search for a service's characteristics has ended.
    case characteristics([AppCharacteristic], of: AppService?, ATTErrorCode?)
    /// A search for a characteristic's descriptors has ended. `again`: an earlier one had found them already.
    case descriptors([AppDescriptor], of: AppAttribute?, ATTErrorCode?, again: Bool)
    /// All searches that followed each other have ended; the primary services that they found, and why a search for
    /// them was refused.
    case discoveryEnded([AppService], ATTErrorCode?)
    /// A value was read, written, notified or indicated, or an attempt at it has failed.
    case value(AppValue)
    /// What was queued of several values is written, or refused.
    case queueWritten(ATTErrorCode?)
    /// What was queued is to be given up.
    case queueAborted
    /// Room is there for Write Commands again, after there was none.
    case readyToWrite

    // The captured host is the server.

    /// A service of this host was told to a client: the app has added it before.
    case serviceServed(AppService)
    /// A client reads.
    case readRequested(AppAttribute, offset: Int)
    /// A client writes; several parts where an Execute Write Request did it.
    case writeRequested([AppWrite], AppWrite.Way)
    /// A part of a value was queued by a Prepare Write Request.
    case writePrepared(AppWrite)
    /// What was queued is executed, or given up.
    case writesExecuted(Bool)
    /// The request was answered.
    case responded(AppAnswer)
    /// A request was refused in a way that is the stack's own, before any app is asked.
    case stackRefused(AppAttribute?, AppRequest, ATTErrorCode)
    /// The request was not answered until the link, or the capture, ended.
    case neverResponded(AppAttribute?, AppRequest, linkEnded: Bool)
    /// A client has changed what it subscribes to: bit 0 notifications, bit 1 indications.
    case subscription(AppAttribute, before: UInt16, now: UInt16)
    /// A value was notified or indicated.
    case updated(AppAttribute, value: [UInt8], isHidden: Bool, isIndication: Bool)
    /// An indication was confirmed.
    case confirmed(AppAttribute)
    /// Room is there for notifications again, after there was none.
    case readyToUpdate
  }

  /// Whether there is Bluetooth.
  package enum Power: Sendable { case on, off, resetting }

  /// A state of the Link Layer; standby is to be in none of them.
  package enum LinkLayerState: UInt8, Sendable, CaseIterable {
    case advertising, scanning, initiating, connected

    /// As the JSON contract names it.
    package var key: StaticString {
      switch self {
      case .advertising: "advertising"
      case .scanning: "scanning"
      case .initiating: "initiating"
      case .connected: "connected"
      }
    }
  }

  /// What a scan asks for.
  package struct ScanRequest: Sendable {
    /// The services by which a filter chooses, where one shows.
    package var services: [BluetoothUUID] = []
    /// Whether scan requests are sent; nil: not known.
    package var isActive: Bool?
    /// Whether the controller reports duplicates.
    package var reportsDuplicates: Bool
  }

  /// Why no connection came about.
  package enum ConnectFailure: Sendable {
    /// The controller refused the command, or ended the attempt.
    case refused(StatusCode)
    /// The host gave up, after so many nanoseconds.
    case givenUp(after: Int64?)
    /// The link was created, and the peer was never heard.
    case notEstablished(StatusCode)
  }

  /// How a connection ended.
  package struct LinkEnd: Sendable {
    /// Who or what ended it.
    package var ending: Connection.Ending
    /// The controller's reason.
    package var reason: StatusCode?
    /// The part that the captured host played.
    package var role: Connection.Role?
    /// Whether it was ever established, as far as the capture tells.
    package var wasEstablished: Bool
    /// Whether a request had not been answered for 30 s, after which a client ends the link (Core, Vol 3, Part F, 3.3.3).
    package var isOfSilence = false
    /// Why the last attempt to encrypt had failed, where it had.
    package var encryptionFailure: StatusCode?

    /// What is to be known where the captured host ended it.
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

    /// Whether it had failed for want of the bond's key.
    package var isOfLostKey: Bool { encryptionFailure == .pinOrKeyMissing }
  }

  /// How far bonding is.
  package enum Bonding: Sendable {
    /// `wasBonded`: there was a bond before.
    case began(wasBonded: Bool), bonded, failed(PairingFailure?), paired
  }
}

/// A request of ATT, as far as an app sees what it is.
package enum AppRequest: UInt8, Sendable {
  case read, write, descriptorRead, descriptorWrite
  /// A part of a value is queued; what is queued is written, or given up.
  case prepare, execute, cancel

  /// As the JSON contract names it.
  package var key: StaticString {
    switch self {
    case .read, .descriptorRead: "read"
    case .write, .descriptorWrite: "write"
    case .prepare: "prepare"
    case .execute: "execute"
    case .cancel: "cancel"
    }
  }
}
