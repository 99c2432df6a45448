package import Bluetooth
import Bytes
import Dissectors
package import Meanings
package import Sessions

/// What servers sent that the specification does not allow: PDUs that are malformed or too long,
/// values of the wrong length, parts of values that repeat. Of each kind the first ones are listed.
package struct ServerFaults: Sendable {
  /// A PDU that cannot be decoded completely, or whose content is impossible.
  package struct Malformed: Sendable {
    package let opcode: ATTOpcode
    package let sender: Side
    package let fault: Fault
    package let moment: Moment
    /// The request that it answers, if any.
    package let request: Int?
  }

  package enum Fault: Equatable, Sendable {
    /// Its length or format byte has a value that no element of its list can have.
    case element(Int)
    /// It ends inside a field: the bytes that the field needs, and those that exist.
    case short(needed: Int, available: Int)
    /// Bytes follow its last field.
    case leftOver(Int)
    /// It offers an MTU below the minimum.
    case mtu(Int)
  }

  /// PDUs that are longer than the MTU that was exchanged, of one opcode.
  package struct LongPDU: Sendable {
    package let opcode: ATTOpcode
    package let sender: Side
    /// The attribute; 0: none, or several.
    package let handle: UInt16
    /// The length of the first one in bytes.
    package let length: Int
    package let mtu: Int
    package let moment: Moment
    package internal(set) var count = 1
  }

  /// Values with more than 512 bytes, of one attribute.
  package struct LongValue: Sendable {
    package let handle: UInt16
    package let server: Side
    /// Whether it was read; otherwise the server sent it on its own.
    package let isRead: Bool
    /// The length of the first one, or the end of the part that goes beyond byte 512.
    package let length: Int
    package let moment: Moment
    package internal(set) var count = 1
  }

  /// A value that was read in parts, all of which are equal.
  package struct RepeatedParts: Sendable {
    package let handle: UInt16
    package let server: Side
    package let length: Int
    /// Whether the bytes of a part repeat themselves, so that parts of such a value are equal.
    package let isUniform: Bool
    package let first: Moment
    package internal(set) var last: Moment
    package internal(set) var parts: Int
    /// The offset at which the last part ends.
    package internal(set) var end: Int
    /// Whether a later part of the same read was different.
    package internal(set) var isRefuted = false
  }

  /// A characteristic's declaration whose value has another form than one.
  package typealias OddDeclaration = (
    handle: UInt16, server: Side, length: Int, request: Int, moment: Moment
  )

  /// A value that ends before its definition does, with its meaning, as `show` words it.
  package typealias ShortValue = (
    handle: UInt16, server: Side, length: Int, words: Wording, moment: Moment
  )

  /// A characteristic that offers values on its own, but has no descriptor to subscribe with.
  package struct MissingConfiguration: Sendable {
    package let value: AttributeIdentity
    package let server: Side
    package let properties: CharacteristicProperties
    /// The response with its declaration, and the one with its service.
    package let declared: Int
    package let service: Int
    /// The last handle that may belong to it.
    package let last: UInt16
  }

  package internal(set) var malformed: [Malformed] = []
  package internal(set) var longPDUs: [LongPDU] = []
  package internal(set) var longValues: [LongValue] = []
  package internal(set) var repeated: [RepeatedParts] = []
  package internal(set) var declarations: [OddDeclaration] = []
  package internal(set) var shortValues: [ShortValue] = []
  package internal(set) var missing: [MissingConfiguration] = []
  /// The length up to which PDUs are known to fit into the MTU.
  private var fitting = Int(BearerMTU.byDefault)
  /// The value that is being read in parts.
  private var reading = LongRead()

  static let mostListed = 16
  /// A part of a long value fills a PDU, and has no fewer bytes than with the smallest MTU.
  static let leastPart = 22

  /// The last part of a value that is being read.
  private struct LongRead: Sendable {
    /// The attribute and its server; 0: none.
    var key = 0
    var hash: UInt64 = 0
    var length = 0
    var offset = 0
    var first = Moment(packet: 0, time: nil)
    /// The index in `repeated`, once a part was equal to the one before it.
    var place: Int?
    var differs = false
  }

  /// The approximate size of the lists, in bytes.
  var bytes: Int {
    ListBytes.of(malformed) + ListBytes.of(longPDUs) + ListBytes.of(longValues)
      + ListBytes.of(repeated) + ListBytes.of(declarations) + ListBytes.of(shortValues)
  }

  // MARK: PDUs

  /// Records what is wrong with a PDU that a server sent.
  ///
  /// - Parameter body: the PDU's position in the bytes, from which problems count.
  mutating func note(
    _ problems: Problems, _ body: Slice, _ handle: UInt16?, _ request: Int?,
    _ context: AttributeHistory.Context, _ memory: borrowing Memory
  ) {
    guard context.opcode.isServers, context.isWhole else { return }
    for index in 0..<problems.count {
      let problem = problems[index]
      let fault: Fault
      switch problem.code {
      case .sduTooLong:
        // The default may be wrong: the exchange may be missing without a trace.
        if context.channel == nil, memory.links.attMTU(context.link).isExchanged {
          note(length: Int(problem.first), mtu: Int(problem.second), handle ?? 0, context)
        }
        continue
      // The capture lacks some of its bytes, or they are another packet's.
      case .lengthTooLarge, .truncated, .channelClosed: return
      case .invalidElementLength: fault = .element(Int(problem.first))
      case .tooShort: fault = .short(needed: Int(problem.first), available: Int(problem.second))
      case .leftOver:
        // Such a list may be cut anywhere, even inside a length field (Core, Vol 3, Part F,
        // 3.4.4.12 [mem]).
        if context.opcode == .readMultipleVariableResponse { continue }
        guard let offset = problem.offset, Int(offset) < body.end else { continue }
        fault = .leftOver(Int(problem.first))
      case .parameterTooSmall: fault = .mtu(Int(problem.first))
      default: continue
      }
      guard malformed.count < Self.mostListed else { return }
      malformed.append(
        Malformed(
          opcode: context.opcode, sender: context.sender, fault: fault, moment: context.moment,
          request: request))
      return
    }
  }

  /// Records the length of a response on the link's own bearer.
  mutating func note(
    response length: Int, _ handle: UInt16?, _ context: AttributeHistory.Context,
    _ memory: borrowing Memory
  ) {
    guard length > fitting, context.isWhole else { return }
    let mtu = memory.links.attMTU(context.link)
    if length <= mtu.value {
      fitting = length
    } else if mtu.isExchanged {
      note(length: length, mtu: mtu.value, handle ?? 0, context)
    }
  }

  /// Records that the MTU was exchanged: lengths that fitted before may not fit now.
  mutating func noteExchange() { fitting = Int(BearerMTU.byDefault) }

  private mutating func note(
    length: Int, mtu: Int, _ handle: UInt16, _ context: AttributeHistory.Context
  ) {
    let known = longPDUs.firstIndex {
      $0.opcode == context.opcode && $0.sender == context.sender && $0.mtu == mtu
    }
    if let known {
      longPDUs[known].count &+= 1
    } else if longPDUs.count < Self.mostListed {
      longPDUs.append(
        LongPDU(
          opcode: context.opcode, sender: context.sender, handle: handle, length: length, mtu: mtu,
          moment: context.moment))
    }
  }

  // MARK: Values

  mutating func note(
    longValue length: Int, _ handle: UInt16, isRead: Bool, _ context: AttributeHistory.Context
  ) {
    let known = longValues.firstIndex {
      $0.handle == handle && $0.server == context.server && $0.isRead == isRead
    }
    if let known {
      longValues[known].count &+= 1
    } else if longValues.count < Self.mostListed {
      longValues.append(
        LongValue(
          handle: handle, server: context.server, isRead: isRead, length: length,
          moment: context.moment))
    }
  }

  /// Records a part of a value that was read, or the whole value.
  mutating func note(
    part value: RawSpan, at offset: Int, _ handle: UInt16, _ context: AttributeHistory.Context
  ) {
    let length = value.byteCount
    let key = AttributeHistory.key(context.server, handle)
    let isNext = key == reading.key && offset == reading.offset &+ reading.length && offset > 0
    guard context.isWhole, length >= Self.leastPart else {
      if isNext { end() }
      reading.key = 0
      return
    }
    let hash = value.hash
    guard isNext else {
      reading = LongRead(
        key: key, hash: hash, length: length, offset: offset, first: context.moment)
      return
    }
    reading.offset = offset
    guard length == reading.length, hash == reading.hash else {
      end()
      (reading.hash, reading.length) = (hash, length)
      return
    }
    if reading.differs { return }
    if let place = reading.place {
      repeated[place].parts &+= 1
      repeated[place].last = context.moment
      repeated[place].end = offset &+ length
    } else if repeated.count < Self.mostListed {
      reading.place = repeated.count
      repeated.append(
        RepeatedParts(
          handle: handle, server: context.server, length: length, isUniform: Self.isUniform(value),
          first: reading.first, last: context.moment, parts: 2, end: offset &+ length))
    }
  }

  /// Records that the server refuses to read an attribute beyond its end, so knows the offset.
  mutating func noteEnd(of handle: UInt16, _ server: Side) {
    for index in repeated.indices
    where repeated[index].handle == handle && repeated[index].server == server {
      repeated[index].isRefuted = true
    }
  }

  /// Records that a part differs from the one before it.
  private mutating func end() {
    reading.differs = true
    if let place = reading.place { repeated[place].isRefuted = true }
  }

  /// Returns whether a value that continues in the same way has equal parts: the bytes repeat with
  /// a period that divides their number.
  private static func isUniform(_ value: RawSpan) -> Bool {
    let count = value.byteCount
    return (1...max(1, count / 2)).contains { period in
      count % period == 0
        && (period..<count).allSatisfy { value.byte(at: $0) == value.byte(at: $0 - period) }
    }
  }

  /// Records a read of a characteristic's declaration that did not give one: properties (1 byte),
  /// handle (2), UUID (2 or 16) (Core, Vol 3, Part G, 3.3.1).
  mutating func note(
    declaration handle: UInt16, length: Int, _ request: Int, _ context: AttributeHistory.Context
  ) {
    guard length != 5, length != 19, context.isWhole, declarations.count < Self.mostListed else {
      return
    }
    declarations.append((handle, context.server, length, request, context.moment))
  }

  /// Records the first value of a characteristic, if it is too short for its definition.
  ///
  /// - Parameter most: the length from which the value may continue beyond its PDU.
  mutating func note(
    first value: RawSpan, of usage: AttributeUsage, below most: Int,
    _ context: AttributeHistory.Context, _ knowledge: ProfileKnowledge
  ) {
    guard context.isWhole, value.byteCount < most, shortValues.count < Self.mostListed,
      let words = knowledge.shortfall(value, of: usage.identity)
    else { return }
    shortValues.append((usage.handle, context.server, value.byteCount, words, context.moment))
  }

  // MARK: The end

  /// Finds the characteristics of a server whose descriptors were discovered completely on a
  /// connection, and that offer notifications or indications without a descriptor to enable them.
  ///
  /// - Parameter used: the handles of attributes that were used successfully.
  mutating func findMissing(
    in database: Database, _ server: Side, _ connection: Int, used: Set<UInt16>,
    _ memory: borrowing Memory
  ) {
    // If attributes were left out, the descriptor may be one of them.
    guard database.count < Limits().attributes else { return }
    let all = database.attributes
    for (index, declaration) in all.enumerated()
    where declaration.kind == .characteristic && declaration.connection == connection
      && declaration.via == .discovered && declaration.target > declaration.handle
    {
      let properties = declaration.properties
      guard properties.canSend, let service = database.service(of: declaration.handle),
        service.via == .discovered, service.end >= declaration.target
      else { continue }
      let next = all[(index + 1)...].first {
        $0.handle > declaration.target
          && ($0.kind == .service || $0.kind == .include || $0.kind == .characteristic)
      }
      let last = min(service.end, next.map { $0.handle - 1 } ?? .max)
      let begin = declaration.target < .max ? declaration.target + 1 : .max
      guard
        declaration.target == .max
          || database.hasSearchedDescriptors(begin, last, on: connection)
            && !used.contains(where: { begin <= $0 && $0 <= last }),
        !all[(index + 1)...].contains(where: {
          $0.handle > declaration.target && $0.handle <= last
            && $0.uuid.shortest == .clientConfiguration
        }), missing.count < Self.mostListed
      else { continue }
      missing.append(
        MissingConfiguration(
          value: memory.identity(
            of: declaration.target, database.key, server, connection: connection),
          server: server, properties: properties, declared: declaration.packet,
          service: service.packet, last: last))
    }
  }
}
