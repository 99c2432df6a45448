import Bluetooth
import Bytes
package import Decoders
import Sessions
import Synchronization

/// What profiles say of protocols and of errors: people's own, and behind them the program's.
package final class ProfileKnowledge: Sendable {
  /// The protocols; their places tell them apart.
  let vendors: [VendorProtocol]
  /// The definitions that were looked for so far: each is read from its table once.
  private let library: Mutex<ProfileLibrary>

  /// The program's own profiles.
  package static let builtIn = ProfileKnowledge(SuppliedProfiles())

  /// People's profiles, before the program's.
  package init(_ own: SuppliedProfiles) {
    let library = ProfileLibrary(own: own.definitions, vendors: own.vendors)
    vendors = library.vendors
    self.library = Mutex(library)
  }

  /// The protocols that may be spoken on an attribute.
  func claims(
    _ attribute: AttributeIdentity, _ device: [UInt8]?
  ) -> [(vendor: Int, isByFrame: Bool)] {
    vendors.claims(attribute.uuid, service: attribute.service) { device?.fits($0) ?? false }
  }

  /// What a characteristic's value is called where only a profile has a name for it.
  func name(of attribute: AttributeIdentity) -> String? {
    guard attribute.kind == .value, let uuid = attribute.uuid else { return nil }
    return library.withLock { library in
      library.ownName(.characteristic, uuid)
        ?? (uuid.name(as: .characteristic) == nil
          ? library.definitions(.characteristic, uuid).first?.name : nil)
    }
  }

  /// What a value that a client wrote means, in the words that `show` has for it; nil where nothing decodes
  /// it from its own bytes.
  func meaning(
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
    case .message(let vendor, let message, let frame, let isRequest):
      return VendorSighting(vendor, message, frame, isRequest: isRequest)
        .words(value.bytes, saysProblems: true)
    case .definition(let definition):
      if definition.hasExternals { return nil }
      var decoded = Decoded()
      var decoder = ValueDecoder()
      decoder.decode(
        definition, value.bytes, DecodingContext(isWritten: true), into: &decoded)
      return decoded.words(value.bytes, saysProblems: true)
    case nil: return nil
    }
  }

  /// What a profile calls an error; nil where none does.
  func errorName(_ error: ATTErrorCode, of subject: ErrorSubject) -> [UInt8]? {
    library.withLock { library in
      subject.name(of: error) { library.definitions($0, $1) }
    }
  }
}

extension Decoded {
  /// What was decoded, in the words that `show` has for it; nil where it has none.
  ///
  /// - Parameters:
  ///   - value: the bytes that were decoded.
  ///   - saysProblems: whether what is wrong with them follows.
  func words(_ value: RawSpan, saysProblems: Bool) -> Wording? {
    guard let writer = DecodedWriter(self, isJSON: false) else { return nil }
    var line = Output()
    writer.line(value, saysProblems: saysProblems, into: &line)
    return line.count > 0 ? Wording(printable: line.bytes) : nil
  }
}

extension VendorSighting {
  /// What the message says, in the words that `show` has for it: `packet count for 11-20?`; nil of a part, and
  /// of what other values decide about.
  ///
  /// - Parameters:
  ///   - value: the value that it came in, or its last part.
  ///   - saysProblems: whether what is wrong with it follows.
  func words(_ value: RawSpan, saysProblems: Bool) -> Wording? {
    guard let frame, let message, !message.definition.hasExternals else { return nil }
    var decoded = Decoded()
    var decoder = ValueDecoder()
    decode(frame, message, value, [], with: &decoder, into: &decoded)
    guard let bytes else { return decoded.words(value, saysProblems: saysProblems) }
    return decoded.words(bytes.bytes, saysProblems: saysProblems)
  }
}
