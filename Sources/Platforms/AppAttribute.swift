package import Bluetooth
package import Sessions

/// A service, as apps see it.
package struct AppService: Sendable {
  /// What it is.
  package var uuid: BluetoothUUID
  /// Its first handle.
  package var start: UInt16
  /// Its last.
  package var end: UInt16
}

/// A characteristic, as it was discovered.
package struct AppCharacteristic: Sendable {
  /// What it is.
  package var uuid: BluetoothUUID
  /// The handle of its value.
  package var handle: UInt16
  /// What may be done with it.
  package var properties: CharacteristicProperties
}

/// A descriptor, as it was discovered.
package struct AppDescriptor: Sendable {
  /// What it is.
  package var uuid: BluetoothUUID
  /// Its handle.
  package var handle: UInt16
}

/// An attribute that a value belongs to.
package struct AppAttribute: Sendable {
  /// What is known of it.
  package var identity: AttributeIdentity
  /// Of a descriptor: the value of the characteristic that it belongs to.
  package var owner: AttributeIdentity?

  /// The value of the characteristic that a descriptor belongs to, where that is known.
  package var characteristic: AppAttribute? { owner.map { AppAttribute(identity: $0) } }

  /// Whether it is a descriptor.
  package var isDescriptor: Bool {
    identity.kind == .descriptor || identity.kind == nil && identity.uuid?.isDescriptor == true
  }

  /// Whether it is the Client Characteristic Configuration of a characteristic.
  package var isConfiguration: Bool { identity.uuid?.isShort(0x2902) == true }

  /// Whether it is this characteristic's value, by a short UUID.
  package func isShort(_ uuid: UInt16) -> Bool { identity.uuid?.isShort(uuid) == true }

  /// Whether what belongs to it, by a short UUID, is this characteristic's: its value or a descriptor.
  package func belongs(to uuid: UInt16) -> Bool {
    isShort(uuid) || owner?.uuid?.isShort(uuid) == true
  }
}

/// A value that crossed the link between a client here and a server there.
package struct AppValue: Sendable {
  /// How.
  package var operation: ValueOperation
  /// Whose value.
  package var attribute: AppAttribute
  /// The value's bytes; nil where there are none.
  package var bytes: [UInt8]?
  /// Whether they are secret.
  package var isHidden: Bool
  /// Whether the capture lacks some of them.
  package var isCut: Bool
  /// The request that asked for it, where the value's last packet is the answer to that.
  package var request: ATTOpcode?
  /// Whether this is a write that an app has queued, alone or with others, rather than a long one that was sent in
  /// parts.
  package var isReliable: Bool
  /// Whether nobody has subscribed to what was notified, as far as the capture tells.
  package var isUnasked = false
  /// Whether it was written with a request in a capture that has nothing of the side that answers.
  package var isAnswerUnseen = false
  /// The services that it says are others now, as they were known: of Service Changed.
  package var invalidated: [AppService]
  /// What became of it.
  package var outcome: ValueOutcome

  /// Whether both stacks answer its error with encryption or pairing and, if that succeeds, repeat the request by
  /// themselves: Insufficient Authentication, Insufficient Encryption.
  package var isRepeatedByStack: Bool { error?.rawValue == 0x05 || error?.rawValue == 0x0f }

  /// The error that the server answered with.
  package var error: ATTErrorCode? {
    if case .refused(let error) = outcome { error } else { nil }
  }
}

/// A value, or a part of one, that a client writes to this host.
package struct AppWrite: Sendable {
  /// Whose value.
  package var attribute: AppAttribute
  /// Where in the value the bytes belong.
  package var offset: Int
  /// The bytes.
  package var bytes: [UInt8]
  /// Whether they are secret.
  package var isHidden: Bool

  /// How a client writes.
  package enum Way: UInt8, Sendable { case request, command, signed, execute }
}

/// What this host answers a client's request.
package struct AppAnswer: Sendable {
  /// Whose value was asked for; nil: several, or what was queued.
  package var attribute: AppAttribute?
  /// What was asked.
  package var request: AppRequest
  /// The refusal.
  package var error: ATTErrorCode?
  /// The value that a read got.
  package var value: [UInt8]?
  /// Whether it is secret.
  package var isHidden: Bool
}

/// What a device says of itself in advertisements.
package struct Sighting: Sendable {
  /// Its address; nil where it is anonymous.
  package var address: DeviceAddress?
  /// The address's type.
  package var type: AddressType
  /// The signal strength, in dBm.
  package var rssi: Int8?
  /// Whether it takes connections; nil: nothing says so.
  package var isConnectable: Bool?
  /// The data of the advertisement, and after it that of the scan response.
  package var structures: [AdvertisedStructure]
  /// Whether this is a scan response.
  package var isScanResponse: Bool
}

/// An AD structure, with where it came from.
package struct AdvertisedStructure: Sendable, Equatable {
  /// What it is.
  package var type: ADType
  /// Its data.
  package var data: [UInt8]
  /// Whether it was in the scan response.
  package var isScanResponse: Bool
}

/// What the captured host advertises.
package struct OwnAdvertisement: Sendable {
  /// Whether it takes connections; nil: not known.
  package var isConnectable: Bool?
  /// The data of the advertisement, and after it that of the scan response.
  package var structures: [AdvertisedStructure]
}
