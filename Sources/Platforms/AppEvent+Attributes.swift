import Bluetooth
import Sessions

extension AppEvent {
  /// Returns whether the event is about an attribute whose UUID, handle and service `isWanted`
  /// admits, or about a descriptor of one. A service counts as an attribute with its own UUID and
  /// first handle.
  func concerns(
    where isWanted: (_ uuid: BluetoothUUID?, _ handle: UInt16?, _ service: BluetoothUUID?) -> Bool
  ) -> Bool {
    func isAbout(_ attribute: AppAttribute?) -> Bool {
      [attribute?.identity, attribute?.owner].contains { identity in
        identity.map { isWanted($0.uuid, $0.handle, $0.service) } ?? false
      }
    }
    func isAbout(any services: [AppService]) -> Bool {
      services.contains { isWanted($0.uuid, $0.start, nil) }
    }
    switch what {
    case .services(let services, let wanted, _):
      return isAbout(any: services) || wanted.map { isWanted($0, nil, nil) } ?? false
    case .includedServices(let services, let service, _):
      return isAbout(any: services + (service.map { [$0] } ?? []))
    case .characteristics(let characteristics, let service, _):
      return characteristics.contains { isWanted($0.uuid, $0.handle, service?.uuid) }
        || service.map { isWanted($0.uuid, $0.start, nil) } ?? false
    case .descriptors(let descriptors, let attribute, _, _):
      return descriptors.contains { isWanted($0.uuid, $0.handle, nil) } || isAbout(attribute)
    case .asked(let call):
      switch call {
      case .discoverServices(let wanted, _): return wanted.map { isWanted($0, nil, nil) } ?? false
      case .discoverIncludedServices(let service), .discoverCharacteristics(let service):
        return isAbout(any: service.map { [$0] } ?? [])
      case .discoverDescriptors(let attribute, _): return isAbout(attribute)
      case .read(let attribute), .again(let attribute): return isAbout(attribute)
      case .write(let write): return isAbout(write.attribute)
      case .execute, .mtu, .rssi, .readPHY, .setPHY, .disconnect, .channel: return false
      }
    case .discoveryEnded(let services, _): return isAbout(any: services)
    case .serviceServed(let service): return isAbout(any: [service])
    case .value(let value): return isAbout(value.attribute)
    case .writeRequested(let parts, _): return parts.contains { isAbout($0.attribute) }
    case .writePrepared(let part): return isAbout(part.attribute)
    case .responded(let answer): return isAbout(answer.attribute)
    case .readRequested(let attribute, _), .subscription(let attribute, _, _),
      .updated(let attribute, _, _, _), .confirmed(let attribute):
      return isAbout(attribute)
    case .stackRefused(let attribute, _, _), .neverResponded(let attribute, _, _):
      return isAbout(attribute)
    case .power, .linkLayer, .scanStarted, .scanRestarted, .scanRefused, .scanStopped, .discovered,
      .advertisingStarted, .advertisingStopped, .connecting, .connectingEnded, .connectNote,
      .linkCreated,
      .linkEstablished, .connectFailed, .disconnected, .mtu, .phy, .parameters, .phyRead, .rssi,
      .encryption, .bonding, .channel, .queueWritten, .queueAborted, .readyToWrite,
      .writesExecuted, .readyToUpdate:
      return false
    }
  }
}
