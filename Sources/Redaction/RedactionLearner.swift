package import Bytes
package import Captures
import Bluetooth
import Cryptography
import Histories
import Dissectors
package import Sessions

/// The first of the two passes over a capture before it can be redacted: learns its addresses,
/// names, keys and pairings. It is made again if a value came before the capture revealed its type.
package struct RedactionLearner: PacketReport, ~Copyable {
  private let options: RedactionOptions
  private var books: Books
  private var history: CaptureHistory?
  private var exchanges = PairingExchanges()
  private var curve = CurveCommands()
  private var chains = AdvertisingParts()
  private var torn = TornWays()
  private var meanings: AttributeMeanings
  /// Whether the meanings of attributes were learnt by an earlier pass.
  private let knowsMeanings: Bool

  /// Creates a learner with nothing learnt yet.
  package init(_ options: RedactionOptions) {
    self.init(options, AttributeMeanings(options), knowsMeanings: false)
  }

  private init(
    _ options: RedactionOptions, _ meanings: AttributeMeanings, knowsMeanings: Bool
  ) {
    self.options = options
    self.meanings = meanings
    self.knowsMeanings = knowsMeanings
    books = Books(options)
    // Only pairings and keys are needed of it.
    history = CaptureHistory(
      passkeys: options.passkeys, followsRequests: false, observesAttributes: false)
  }

  /// Never satisfied, since every packet may contain more.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    history?.observe(packet, memory)
    // What was not decrypted before the pass is removed.
    if packet.answer.air?.encryption == .decrypted || packet.record.isWhitened { return }
    switch packet.dissection.content {
    case .acl:
      // A controller's report to its manufacturer belongs to no connection.
      if ControllerLog.holds(packet.record, packet.dissection) { return }
      if let link = packet.answer.link {
        torn.observe(
          packet.dissection.problems, memory.links.connection(link).id,
          isReceived: packet.record.direction == .received,
          isJoined: packet.answer.fragment.hasJoinedBytes)
      }
      guard !packet.answer.fragment.isFragment else { return }
      if packet.dissection.smp != nil {
        for field in packet.dissection.sensitiveFieldsOfSMP(packet.bytes) {
          books.learn(field, packet.bytes)
        }
        exchanges.observe(packet, memory)
      }
      let values = AttributeValue.all(packet, memory, meanings)
      if !knowsMeanings {
        meanings.observe(values, packet, memory)
      }
      for value in values {
        for field in value.sensitiveFields(packet.bytes)
        where value.offset == 0 || !field.kind.isText {
          books.learn(field, packet.bytes)
        }
      }
      learnLongTexts(packet.answer, memory)
    default:
      // In a later part of advertising data it is unknown where an AD structure begins.
      let later = memory.advertisements.reports.filter { $0.partNumber > 1 || $0.lacksFirstPart }
        .map(\.report.data)
      for field in SensitiveFields(packet.dissection, packet.bytes).fields
      where !later.contains(where: { $0.start <= field.slice.start && field.slice.end <= $0.end }) {
        books.learn(field, packet.bytes)
      }
      curve.observe(packet, &books.keys)
      for chain in chains.observe(packet, memory.advertisements) { learn(chain) }
    }
  }

  /// Learns from advertising data that came in several packets.
  private mutating func learn(_ chain: AdvertisingParts.Chain) {
    guard !chain.lacksStart else { return }
    let bytes = chain.bytes
    let whole = Slice(start: 0, count: bytes.count)
    for field in SensitiveFields(advertisingData: bytes.bytes, whole).fields {
      books.learn(field, bytes.bytes)
    }
  }

  /// Learns a name, or another text, that was read in parts.
  private mutating func learnLongTexts(_ answer: Answer, _ memory: borrowing Memory) {
    guard !memory.longValues.isEmpty, let link = answer.link else { return }
    let bytes = memory.longValues.bytes
    for value in memory.longValues.values {
      guard value.offset == 0 else { continue }
      let opcode = ATTOpcode.readBlobResponse
      let place = memory.attribute(value.handle, opcode, value.direction, on: link)
      var whole = AttributeValue(
        type: place.map { memory.attributes[$0].uuid }, handle: value.handle, slice: value.value)
      let side = opcode.server(value.direction)
      whole.takeOthers(
        meanings, of: Attributes.key(of: side, memory.links.connection(link)), bytes.bytes)
      for field in whole.sensitiveFields(bytes.bytes) where field.kind.isText {
        books.learn(field, bytes.bytes)
      }
    }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    if !knowsMeanings { meanings.close(memory) }
    for chain in chains.finish() { learn(chain) }
    guard let evidence = history.take()?.finish(memory, nil, failure) else { return }
    books.close(evidence, exchanges, options.passkeys)
  }

  /// Whether the pass must be made again, since a value came before the capture revealed its type.
  package var mustRepeat: Bool { !knowsMeanings && meanings.areLate }

  /// Returns a first pass that knows the types of all values from the beginning.
  package consuming func repeated() -> RedactionLearner {
    RedactionLearner(options, meanings, knowsMeanings: true)
  }

  /// Returns the second pass, once the capture was read to its end.
  package consuming func planner() -> RedactionPlanner {
    RedactionPlanner(books, options, torn, meanings)
  }
}

extension Dissection {
  /// Returns the sensitive fields of a Security Manager PDU.
  func sensitiveFieldsOfSMP(_ bytes: RawSpan) -> [SensitiveField] {
    guard let smp else { return [] }
    // The PDU's own fields begin after the opcode; a truncated key is still most of one.
    let rest = Slice(start: Int(body.start) + 1, count: Int(body.count) - 1)
    guard rest.count > 0 else { return [] }
    func part(_ start: Int, _ count: Int) -> Slice {
      Slice(start: Int(rest.start) + start, count: max(0, min(count, Int(rest.count) - start)))
    }
    let fields: [SensitiveField] =
      switch smp.opcode {
      case .pairingConfirm, .pairingRandom, .pairingDHKeyCheck, .encryptionInformation,
        .identityInformation, .signingInformation:
        [SensitiveField(.secret, part(0, PairingValue.size))]
      case .pairingPublicKey:
        [SensitiveField(.publicKey, part(0, P256PublicKey.size))]
      // EDIV (2 bytes), Rand (8).
      case .centralIdentification:
        [SensitiveField(.diversifier, part(0, 2)), SensitiveField(.secret, part(2, 8))]
      // Type (1 byte), address (6).
      case .identityAddressInformation where rest.count < 7:
        [SensitiveField(.secret, part(1, 6))]
      case .identityAddressInformation:
        [
          SensitiveField(
            .address(isRandom: bytes.byte(at: Int(rest.start)) & 1 == 1), part(1, 6))
        ]
      default: []
      }
    // What no field claims, and what is not assigned, may be anything.
    var unclaimed: [SensitiveField] = []
    switch smp {
    case .incomplete: break
    case .unknown: unclaimed = [SensitiveField(.unexplained, smp.rest(of: body))]
    default: unclaimed = [SensitiveField(.unused, smp.rest(of: body))]
    }
    return (fields + unclaimed).filter { !$0.slice.isEmpty }
  }
}

/// The elliptic curve commands of HCI: a controller that pairs for its host sends it the shared
/// secret.
private struct CurveCommands {
  /// The controller's public key, and the one to be combined with it, by adapter.
  private var own: [AdapterIndex: P256PublicKey] = [:]
  private var other: [AdapterIndex: P256PublicKey] = [:]

  /// LE Read Local P-256 Public Key Complete, and LE Generate DHKey in its two versions.
  private static let publicKeyComplete: UInt8 = 0x08
  private static let generate: [UInt16] = [0x2026, 0x205e]

  mutating func observe(_ packet: borrowing Packet, _ keys: inout KeyBook) {
    let adapter = packet.record.adapter
    switch packet.dissection.content {
    case .command(let command) where Self.generate.contains(command.opcode):
      let key = Slice(start: Int(packet.dissection.body.start), count: P256PublicKey.size)
      other[adapter] = P256PublicKey(packet.bytes.part(key))
    case .event(let event) where event.isLEMeta:
      // Subevent (1 byte), status (1), key.
      let rest = packet.bytes.part(packet.dissection.body).dropping(2)
      if event.subevent(packet.bytes, packet.dissection.body) == Self.publicKeyComplete {
        own[adapter] = P256PublicKey(rest)
      } else if case .sharedSecret(let complete) = packet.dissection.fact, let own = own[adapter],
        let other = other[adapter], let secret = keys.dhKey(own, other)
      {
        keys.derive(packet.bytes.part(complete.key).array, secret.littleEndian)
      }
    default: break
    }
  }
}
