import Bluetooth
import Bytes
import Decoders
import Sessions

/// The attribute that an Error Response is about, as far as it decides what an error means.
struct ErrorSubject: Sendable {
  /// What profiles call such attributes; nil for what they do not define, as declarations.
  let kind: Subject.Kind?
  /// Its type.
  let uuid: BluetoothUUID?
  /// The service that holds it.
  let service: BluetoothUUID?
  /// The name of the device, where it is known.
  var device: [UInt8]?

  init(_ kind: Attribute.Kind?, _ uuid: BluetoothUUID?, service: BluetoothUUID?) {
    self.uuid = uuid
    self.service = service
    self.kind =
      switch kind {
      case .descriptor: .descriptor
      case .value: .characteristic
      case nil: uuid?.subjectKind
      case .service, .include, .characteristic: nil
      }
  }

  /// The attribute that a packet is about, if it is known.
  init?(_ answer: Answer, _ memory: borrowing Memory) {
    guard let place = answer.attribute else { return nil }
    let attribute = memory.attributes[place]
    self.init(
      attribute.kind, attribute.uuid, service: memory.attributes.service(of: place))
    device = memory.peerName(of: answer.link)
  }

  /// The attribute of a value, or of an attempt at one.
  init(_ identity: AttributeIdentity) {
    self.init(identity.kind, identity.uuid, service: identity.service)
  }
}

extension ATTErrorCode {
  /// Whether profiles may give the code a meaning: it is neither the Attribute Protocol's nor one that
  /// all profiles share.
  var isOfProfile: Bool { (0x80...0xdf).contains(rawValue) }
}

extension ValueReading {
  /// What a profile calls an error of an attribute: its own definition, else that of its service; nil where
  /// nothing but the Core Specification has a name.
  mutating func errorName(_ error: ATTErrorCode, of subject: ErrorSubject?) -> [UInt8]? {
    guard error.isOfProfile, let subject, hasProfiles else { return nil }
    if let kind = subject.kind, let uuid = subject.uuid {
      for definition in library?.definitions(kind, uuid) ?? [] {
        if let wanted = definition.subject.service, wanted.shortest != subject.service?.shortest {
          continue
        }
        if let wanted = definition.subject.device, !(subject.device?.fits(wanted) ?? false) {
          continue
        }
        if let name = definition.error(error.rawValue) { return name }
      }
    }
    guard let service = subject.service else { return nil }
    for definition in library?.definitions(.service, service) ?? [] {
      if let name = definition.error(error.rawValue) { return name }
    }
    return nil
  }
}

extension ValueReading {
  /// What a profile calls the error that an attempt ended with.
  mutating func errorName(of value: ConveyedValue) -> [UInt8]? {
    guard case .refused(let error) = value.outcome, error.isOfProfile else { return nil }
    return errorName(error, of: ErrorSubject(value.attribute))
  }
}

extension Output {
  /// Appends an error's name, the profile's where it has one, then its number in parentheses.
  mutating func error(_ error: ATTErrorCode, _ name: [UInt8]?) {
    guard let name else {
      named(error.name, UInt64(error.rawValue), digits: 2)
      return
    }
    raw(name.bytes)
    text(" (")
    hexadecimal(UInt64(error.rawValue), digits: 2)
    byte(0x29)
  }
}
