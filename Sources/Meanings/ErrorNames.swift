package import Bluetooth
import Bytes
package import Decoders
package import Sessions

extension ProfileLookup {
  /// Returns the name of an attribute's error in its own definition, otherwise in that of its
  /// service, or nil if only the Core Specification names it.
  package mutating func errorName(_ error: ATTErrorCode, of subject: ErrorSubject?) -> [UInt8]? {
    guard error.isOfProfile, let subject else { return nil }
    return subject.name(of: error) { definitions($0, $1) }
  }

  /// Returns the profile's name of the error that an attempt ended with.
  package mutating func errorName(of value: ConveyedValue) -> [UInt8]? {
    guard case .refused(let error) = value.outcome else { return nil }
    return errorName(error, of: ErrorSubject(value.attribute))
  }
}

/// The error names of profiles, for selecting packets by the names that are printed.
package struct ProfileErrors: Sendable {
  private struct Key: Hashable {
    let kind: Subject.Kind
    let uuid: BluetoothUUID
  }

  /// The definitions that name errors, the most specific first.
  private var definitions: [Key: [Definition]] = [:]
  /// All names, in no particular order.
  package private(set) var names: Set<[UInt8]> = []

  /// Collects the names in these profiles and in the built-in ones.
  package init(_ profiles: SuppliedProfiles) {
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

  /// Returns the name of an attribute's error in a profile, or nil if only the Core Specification
  /// names it.
  package func name(_ error: ATTErrorCode, of subject: ErrorSubject) -> [UInt8]? {
    guard error.isOfProfile else { return nil }
    return subject.name(of: error) { definitions[Key(kind: $0, uuid: $1.shortest)] ?? [] }
  }
}

extension Output {
  /// Appends an error's name (the profile's if it has one), then its number in parentheses.
  package mutating func error(_ error: ATTErrorCode, _ name: [UInt8]?) {
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
