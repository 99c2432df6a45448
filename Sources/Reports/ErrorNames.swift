import Bluetooth
import Bytes
import Decoders
import Diagnosis
import Sessions

extension ValueReading {
  /// What a profile calls an error of an attribute: its own definition, else that of its service; nil where
  /// nothing but the Core Specification has a name.
  mutating func errorName(_ error: ATTErrorCode, of subject: ErrorSubject?) -> [UInt8]? {
    guard error.isOfProfile, let subject, hasProfiles else { return nil }
    return subject.name(of: error) { library?.definitions($0, $1) ?? [] }
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
