import Bluetooth
import Bytes

/// What an event reports about links, keys and commands, read once for everything that remembers
/// it. All events are also described, for display, by the rows of `HCI/Tables`.
package enum EventFact: Sendable {
  /// Any other event: reports of devices, questions to the host, vendors' events. Also one of these
  /// of which the capture lacks bytes that it cannot do without.
  case other

  case commandComplete(CommandComplete)
  case commandStatus(CommandStatus)
  case completedPackets(CompletedPackets)
  case hardwareError(code: UInt8)

  /// Connection Complete of BR/EDR.
  case classicConnection(ConnectionComplete)
  case synchronousConnection(ConnectionComplete)
  /// LE Connection Complete of any version.
  case connection(LEConnectionComplete)
  case disconnection(DisconnectionComplete)
  case roleChange(RoleChange)
  /// LE CIS Request.
  case streamRequest(LECISRequest)
  /// LE CIS Established.
  case stream(LinkEvent)

  case connectionUpdate(LEConnectionUpdateComplete)
  case parameterRequest(LEConnectionParameterRequest)
  case dataLength(LEDataLengthChange)
  case phys(LEPHYUpdateComplete)
  case subrate(LESubrateChange)
  /// LE Read Remote Features Complete.
  case remoteFeatures(LERemoteFeatures)
  case remoteVersion(RemoteVersion)

  case encryption(EncryptionChange)
  case authentication(LinkEvent)
  case keyRequest(LELongTermKeyRequest)
  case sharedSecret(LEGenerateDHKeyComplete)
  case linkKey(LinkKeyNotification)

  case scanTimeout
  case setTerminated(AdvertisingSetTerminated)
  case periodicSync(PeriodicSync)
  case periodicSyncLost(handle: UInt16)

  /// The opcode of the command that Command Complete or Command Status answers; 0: of none.
  package var answeredOpcode: UInt16? {
    switch self {
    case .commandComplete(let complete): complete.opcode
    case .commandStatus(let status): status.opcode
    default: nil
    }
  }

  /// Whether it is Command Complete for a vendor's command.
  package var completesVendorsCommand: Bool {
    if case .commandComplete(let complete) = self { complete.isVendors } else { false }
  }

  /// Reads the parameters of an event; those of an LE Meta event begin with its subevent code. Most
  /// events change nothing, so that the frequent ones cost little.
  @_lifetime(cursor: copy cursor)
  mutating func read(_ event: HCIEvent, _ cursor: inout Cursor) {
    if event.isLEMeta { try? readLE(&cursor) } else { try? read(event.code, &cursor) }
  }

  @_lifetime(cursor: copy cursor)
  private mutating func read(_ code: UInt8, _ cursor: inout Cursor) throws(ParseError) {
    switch code {
    case HCIEvent.numberOfCompletedPacketsCode: self = .completedPackets(.init(parsing: &cursor))
    case HCIEvent.commandCompleteCode: self = .commandComplete(try .init(parsing: &cursor))
    case HCIEvent.commandStatusCode: self = .commandStatus(try .init(parsing: &cursor))
    case ConnectionComplete.code: self = .classicConnection(try .init(parsing: &cursor))
    case ConnectionComplete.synchronousCode:
      self = .synchronousConnection(try .init(parsing: &cursor))
    case HCIEvent.disconnectionCompleteCode: self = .disconnection(try .init(parsing: &cursor))
    case HCIEvent.roleChangeCode: self = .roleChange(try .init(parsing: &cursor))
    case EncryptionChange.code, EncryptionChange.version2, EncryptionChange.refreshCode:
      self = .encryption(try .init(code, parsing: &cursor))
    case HCIEvent.authenticationCompleteCode: self = .authentication(try .init(parsing: &cursor))
    case HCIEvent.readRemoteVersionInformationCompleteCode:
      self = .remoteVersion(try .init(parsing: &cursor))
    case LinkKeyNotification.code: self = .linkKey(try .init(parsing: &cursor))
    // One byte, defined by the manufacturer (Core, Vol 4, Part E, 7.7.16).
    case HCIEvent.hardwareErrorCode: self = .hardwareError(code: (try? cursor.u8()) ?? 0)
    default: break
    }
  }

  @_lifetime(cursor: copy cursor)
  private mutating func readLE(_ cursor: inout Cursor) throws(ParseError) {
    let subevent = try cursor.u8()
    switch subevent {
    case LEConnectionComplete.version1, LEConnectionComplete.enhanced,
      LEConnectionComplete.enhancedVersion2:
      self = .connection(try .init(subevent: subevent, parsing: &cursor))
    case LEConnectionUpdateComplete.subevent: self = .connectionUpdate(try .init(parsing: &cursor))
    case LERemoteFeatures.subevent: self = .remoteFeatures(try .init(parsing: &cursor))
    case LELongTermKeyRequest.subevent: self = .keyRequest(try .init(parsing: &cursor))
    case LEConnectionParameterRequest.subevent:
      self = .parameterRequest(try .init(parsing: &cursor))
    case LEDataLengthChange.subevent: self = .dataLength(try .init(parsing: &cursor))
    case LEGenerateDHKeyComplete.subevent: self = .sharedSecret(try .init(parsing: &cursor))
    case LEPHYUpdateComplete.subevent: self = .phys(try .init(parsing: &cursor))
    case HCIEvent.scanTimeoutSubevent: self = .scanTimeout
    case AdvertisingSetTerminated.subevent: self = .setTerminated(try .init(parsing: &cursor))
    case PeriodicSync.established, PeriodicSync.establishedV2, PeriodicSync.received,
      PeriodicSync.receivedV2:
      self = .periodicSync(try .init(subevent: subevent, parsing: &cursor))
    case PeriodicSync.lost: self = .periodicSyncLost(handle: try cursor.u16())
    case LECISRequest.subevent: self = .streamRequest(try .init(parsing: &cursor))
    case LinkEvent.streamEstablished, LinkEvent.streamEstablishedV2:
      self = .stream(try .init(parsing: &cursor))
    case LESubrateChange.subevent: self = .subrate(try .init(parsing: &cursor))
    default: break
    }
  }
}
