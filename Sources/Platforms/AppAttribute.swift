import Bluetooth
import Sessions

/// A service as apps see it.
struct AppService: Sendable {
  var uuid: BluetoothUUID
  var start: UInt16
  var end: UInt16
}

/// A characteristic as it was discovered.
struct AppCharacteristic: Sendable {
  var uuid: BluetoothUUID
  /// The handle of its value.
  var handle: UInt16
  var properties: CharacteristicProperties
}

/// A descriptor as it was discovered.
struct AppDescriptor: Sendable {
  var uuid: BluetoothUUID
  var handle: UInt16
}

/// The attribute that a value belongs to.
struct AppAttribute: Sendable {
  /// What is known about it.
  var identity: AttributeIdentity
  /// For a descriptor: the value of the characteristic that it belongs to.
  var owner: AttributeIdentity?

  /// The value of the characteristic that a descriptor belongs to, if known.
  var characteristic: AppAttribute? { owner.map { AppAttribute(identity: $0) } }

  var isDescriptor: Bool {
    identity.kind == .descriptor || identity.kind == nil && identity.uuid?.isDescriptor == true
  }

  /// Whether it is the Client Characteristic Configuration of a characteristic.
  var isConfiguration: Bool { identity.uuid?.isShort(0x2902) == true }

  /// Returns whether it has this 16-bit UUID.
  func isShort(_ uuid: UInt16) -> Bool { identity.uuid?.isShort(uuid) == true }

  /// Returns whether it is the value or a descriptor of the characteristic with this 16-bit UUID.
  func belongs(to uuid: UInt16) -> Bool {
    isShort(uuid) || owner?.uuid?.isShort(uuid) == true
  }
}

/// A value conveyed between a client on this host and a server on the peer.
struct AppValue: Sendable {
  var operation: ValueOperation
  /// The attribute that the value belongs to.
  var attribute: AppAttribute
  /// The value's bytes, if any.
  var bytes: [UInt8]?
  /// Whether they are secret.
  var isHidden: Bool
  /// Whether the capture lacks some of them.
  var isCut: Bool
  /// The opcode of the request, if the value's last packet is its response.
  var request: ATTOpcode?
  /// Whether this is a write that an app has queued, alone or with others, rather than a long one
  /// that was sent in parts.
  var isReliable: Bool
  /// Whether a notified value was not subscribed to, as far as the capture shows.
  var isUnasked = false
  /// Whether it was written with a request in a capture without the side that answers.
  var isAnswerUnseen = false
  /// Whether the server refused to read on after these bytes: Invalid Offset.
  var isRestRefused = false
  /// For Service Changed: the services that may have changed, as they were known.
  var invalidated: [AppService]
  var outcome: ValueOutcome

  /// Whether both stacks react to its error with encryption or pairing and, if that succeeds,
  /// repeat the request on their own: Insufficient Authentication, Insufficient Encryption.
  var isRepeatedByStack: Bool { error?.rawValue == 0x05 || error?.rawValue == 0x0f }

  /// The error with which the server answered.
  var error: ATTErrorCode? {
    if case .refused(let error) = outcome { error } else { nil }
  }
}

/// What this host asks a peer for, as an app's call.
enum AppCall: Sendable {
  /// All services, or those with a UUID. `isNew`: no search was under way.
  case discoverServices(BluetoothUUID?, isNew: Bool)
  case discoverIncludedServices(AppService?)
  case discoverCharacteristics(AppService?)
  /// `again`: they were searched for before.
  case discoverDescriptors(AppAttribute?, again: Bool)
  case read(AppAttribute)
  case write(Write)
  /// The values that an app has queued are to be written.
  case execute
  /// A request that the peer had refused until the link is encrypted is repeated.
  case again(AppAttribute)
  case mtu(UInt16)
  case rssi
  case readPHY
  /// The preferred PHYs: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
  case setPHY(sent: UInt8, received: UInt8)
  case disconnect
  case channel(PSM)

  /// How a value is sent.
  enum Way: Sendable { case request, command, signed, parts }

  /// A value to write; of one that is sent in parts, the first part.
  struct Write: Sendable {
    var attribute: AppAttribute
    var bytes: [UInt8]
    /// Whether they are secret.
    var isHidden: Bool
    /// Whether the capture lacks some of them.
    var isCut: Bool
    var way: Way
  }
}

/// A value, or a part of one, that a client writes to this host.
struct AppWrite: Sendable {
  /// The attribute that the value belongs to.
  var attribute: AppAttribute
  /// The offset of the bytes in the value.
  var offset: Int
  var bytes: [UInt8]
  /// Whether they are secret.
  var isHidden: Bool

  /// How a client writes.
  enum Kind: UInt8, Sendable { case request, command, signed, execute }
}

/// The answer of this host to a client's request.
struct AppAnswer: Sendable {
  /// The requested attribute; nil: several, or the queue.
  var attribute: AppAttribute?
  /// The kind of request.
  var request: AppRequest
  /// The error, if it was refused.
  var error: ATTErrorCode?
  /// The value that was read.
  var value: [UInt8]?
  /// Whether it is secret.
  var isHidden: Bool
}

/// What a device advertises.
struct DiscoveredPeripheral: Sendable {
  /// Its address; nil if it is anonymous.
  var address: DeviceAddress?
  /// The address's type.
  var type: AddressType
  /// The RSSI, in dBm.
  var rssi: Int8?
  /// Whether it is connectable; nil: unknown.
  var isConnectable: Bool?
  /// The data of the advertisement, followed by that of the scan response.
  var structures: [AdvertisedStructure]
  /// Whether this is a scan response.
  var isScanResponse: Bool
}

/// An AD structure, with its origin.
struct AdvertisedStructure: Sendable, Equatable {
  var type: ADType
  var data: [UInt8]
  /// Whether it was in the scan response.
  var isScanResponse: Bool
}

/// What the captured host advertises.
struct OwnAdvertisement: Sendable {
  /// Whether it is connectable; nil: unknown.
  var isConnectable: Bool?
  /// The data of the advertisement, followed by that of the scan response.
  var structures: [AdvertisedStructure]
}
