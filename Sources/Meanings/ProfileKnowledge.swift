package import Bluetooth
import Bytes
package import Decoders
package import Sessions
import Synchronization

/// What profiles define about protocols and errors. The user's profiles come before the built-in
/// ones.
package final class ProfileKnowledge: Sendable {
  /// The protocols, identified by their indices.
  package let vendors: [VendorProtocol]
  /// The definitions that were looked up so far; each is read from its table once.
  private let library: Mutex<ProfileLibrary>

  package static let builtIn = ProfileKnowledge(SuppliedProfiles())

  /// Creates the knowledge from the user's profiles, followed by the built-in ones.
  package init(_ own: SuppliedProfiles) {
    let library = ProfileLibrary(own: own.definitions, vendors: own.vendors)
    vendors = library.vendors
    self.library = Mutex(library)
  }

  /// Returns the protocols that may be used on an attribute.
  package func claims(
    _ attribute: AttributeIdentity, _ device: [UInt8]?
  ) -> [(vendor: Int, isByFrame: Bool)] {
    vendors.claims(attribute.uuid, service: attribute.service) { device?.fits($0) ?? false }
  }

  /// Returns the name of a characteristic's value if only a profile names it.
  package func name(of attribute: AttributeIdentity) -> String? {
    guard attribute.kind == .value, let uuid = attribute.uuid else { return nil }
    return library.withLock { library in
      library.ownName(.characteristic, uuid)
        ?? (uuid.name(as: .characteristic) == nil
          ? library.listed(.characteristic, uuid).first?.definition?.name : nil)
    }
  }

  /// Returns the meaning of a value that a client wrote, as `show` words it, or nil if it cannot be
  /// decoded from its own bytes.
  package func meaning(
    ofWritten value: [UInt8], _ attribute: AttributeIdentity, _ device: [UInt8]?
  ) -> Wording? {
    guard !value.isEmpty, let uuid = attribute.uuid,
      attribute.kind == .value || attribute.kind == .descriptor
    else { return nil }
    let kind: Subject.Kind = attribute.kind == .descriptor ? .descriptor : .characteristic
    let isOfDevice: (String) -> Bool = { device?.fits($0) ?? false }
    let match = library.withLock {
      $0.match(
        kind, uuid, service: attribute.service, value.bytes, isWritten: true, isOfDevice: isOfDevice
      )
    }
    switch match {
    case .message(let sighting): return sighting.words(value.bytes, writesProblems: true)
    case .definition(let definition):
      if definition.hasExternals { return nil }
      var decoded = Decoded()
      var decoder = ValueDecoder()
      decoder.decode(
        definition, value.bytes, DecodingContext(isWritten: true), into: &decoded)
      return decoded.words(value.bytes, writesProblems: true)
    case nil: return nil
    }
  }

  /// Returns the meaning of a value, as `show` words it, if it ends before the definition of its
  /// characteristic does. Only what the Bluetooth SIG defines counts, and empty values do not.
  package func shortfall(_ value: RawSpan, of attribute: AttributeIdentity) -> Wording? {
    guard attribute.kind == .value, value.byteCount > 0, let uuid = attribute.uuid,
      uuid.width == 2, uuid.name(as: .characteristic) != nil
    else { return nil }
    // The user's own profiles may define something else.
    let definition = Self.builtIn.library.withLock {
      $0.find(.characteristic, uuid, service: attribute.service, value, isOfDevice: { _ in false })
    }
    guard let definition, !definition.hasExternals, definition.exchange == nil else { return nil }
    var decoded = Decoded()
    var decoder = ValueDecoder()
    decoder.decode(definition, value, DecodingContext(isWritten: false), into: &decoded)
    guard decoded.problems.contains(where: { $0.code == .missingBytes }),
      !decoded.fields.contains(where: \.isAssumed)
    else { return nil }
    return decoded.words(value, writesProblems: true)
  }

  /// Returns whether a characteristic is a control point, whose values answer what is written to
  /// it.
  package func isControlPoint(_ attribute: AttributeIdentity) -> Bool {
    guard attribute.kind == .value, let uuid = attribute.uuid else { return false }
    return library.withLock { library in
      library.definitions(.characteristic, uuid).contains { $0.exchange != nil }
    }
  }

  /// Returns what a control point answers, and whether it reports that the procedure failed; nil if
  /// the value is not an answer with a result.
  package func answer(
    _ value: RawSpan, of attribute: AttributeIdentity
  ) -> (command: String, words: Wording, hasFailed: Bool)? {
    guard let uuid = attribute.uuid, value.byteCount >= 2 else { return nil }
    let match = library.withLock {
      $0.match(
        .characteristic, uuid, service: attribute.service, value, isWritten: false,
        isOfDevice: { _ in false })
    }
    guard case .definition(let definition) = match, let exchange = definition.exchange,
      !definition.hasExternals
    else { return nil }
    var decoded = Decoded()
    var decoder = ValueDecoder()
    decoder.decode(definition, value, DecodingContext(isWritten: false), into: &decoded)
    guard decoded.problems.isEmpty, let words = decoded.words(value, writesProblems: false) else {
      return nil
    }
    let results = decoded.words(ofFieldsNamed: "result", value)
    if results.isEmpty { return nil }
    let request = decoded.words(ofFieldsNamed: exchange.requestField, value).first
    let command = request ?? "\(value.byte(at: 0))"
    return (command, words, results.contains { !Self.successes.contains($0) })
  }

  /// The results of a procedure that did not fail: an empty store has no records.
  private static let successes = ["success", "no records found"]

  /// Returns the name of an error in profiles, or nil if none names it.
  package func errorName(_ error: ATTErrorCode, of subject: ErrorSubject) -> [UInt8]? {
    library.withLock { library in
      subject.name(of: error) { library.definitions($0, $1) }
    }
  }
}

extension Decoded {
  /// Returns the values of all fields with a name, as `show` words them.
  fileprivate func words(ofFieldsNamed name: String, _ value: RawSpan) -> [String] {
    guard let writer = DecodedWriter(self, isJSON: false) else { return [] }
    return fields.indices.filter { writer.name(fields[$0]) == name }.map { place in
      var words = Output()
      writer.entry(place, value, into: &words)
      return String(decoding: words.bytes.array, as: UTF8.self)
    }
  }

  /// Returns what was decoded, as `show` words it, or nil if there are no words for it.
  ///
  /// - Parameters:
  ///   - value: the bytes that were decoded.
  ///   - writesProblems: whether to append what is wrong with them.
  func words(_ value: RawSpan, writesProblems: Bool) -> Wording? {
    guard let writer = DecodedWriter(self, isJSON: false) else { return nil }
    var line = Output()
    writer.line(value, writesProblems: writesProblems, into: &line)
    return line.count > 0 ? Wording(printable: line.bytes) : nil
  }
}

extension VendorSighting {
  /// Returns the content of the message, as `show` words it: `packet count for 11-20?`. Returns nil
  /// for a part of a message, or if its meaning depends on other values.
  ///
  /// - Parameters:
  ///   - value: the value that contained the message, or its last part.
  ///   - writesProblems: whether to append what is wrong with it.
  package func words(_ value: RawSpan, writesProblems: Bool) -> Wording? {
    guard let frame, let message, !message.definition.hasExternals else { return nil }
    var decoded = Decoded()
    var decoder = ValueDecoder()
    decode(frame, message, value, [], with: &decoder, into: &decoded)
    guard let bytes else { return decoded.words(value, writesProblems: writesProblems) }
    return decoded.words(bytes.bytes, writesProblems: writesProblems)
  }
}
