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
    return subject.name(of: error) { library?.definitions($0, $1) ?? [] }
  }
}

extension ErrorSubject {
  /// What the attribute's own definition calls an error, else that of its service.
  ///
  /// - Parameter definitions: those of a kind and UUID, the most specific first.
  fileprivate func name(
    of error: ATTErrorCode, _ definitions: (Subject.Kind, BluetoothUUID) -> [Definition]
  ) -> [UInt8]? {
    if let kind, let uuid {
      for definition in definitions(kind, uuid) {
        if let wanted = definition.subject.service, wanted.shortest != service?.shortest {
          continue
        }
        if let wanted = definition.subject.device, !(device?.fits(wanted) ?? false) {
          continue
        }
        if let name = definition.error(error.rawValue) { return name }
      }
    }
    guard let service else { return nil }
    for definition in definitions(.service, service) {
      if let name = definition.error(error.rawValue) { return name }
    }
    return nil
  }
}

/// What profiles call errors, for choosing packets by the names that are printed.
struct ProfileErrors: Sendable {
  private struct Key: Hashable {
    let kind: Subject.Kind
    let uuid: BluetoothUUID
  }

  /// The definitions that name errors, the most specific first.
  private var definitions: [Key: [Definition]] = [:]
  /// All names, in no order.
  private(set) var names: Set<[UInt8]> = []

  /// The names of these profiles and of the program's.
  init(_ profiles: SuppliedProfiles) {
    var library = ProfileLibrary(own: profiles.definitions)
    for definition in profiles.definitions + BuiltInProfiles.all
    where !definition.tables.errors.isEmpty {
      let subject = definition.subject
      let key = Key(kind: subject.kind, uuid: subject.uuid.shortest)
      for error in definition.tables.errors {
        names.insert([UInt8](definition.string(error.word).utf8))
      }
      guard definitions[key] == nil else { continue }
      definitions[key] = library.definitions(key.kind, key.uuid)
    }
  }

  /// What a profile calls an error of an attribute; nil where nothing but the Core Specification has a name.
  func name(_ error: ATTErrorCode, of subject: ErrorSubject) -> [UInt8]? {
    guard error.isOfProfile else { return nil }
    return subject.name(of: error) { definitions[Key(kind: $0, uuid: $1.shortest)] ?? [] }
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
