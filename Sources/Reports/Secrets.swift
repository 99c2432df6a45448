import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Where a record holds secrets: in `-x` and `--raw` these bytes read `..`.
struct Secrets: Sendable {
  private var ranges = InlineArray<8, Slice>(repeating: .empty)
  private var count = 0

  /// Bytes of an ACL packet before its data (Core, Vol 4, Part E, 5.4.2).
  private static let aclHeaderBytes = 4

  /// Nothing is secret.
  static let none = Secrets()

  private init() {}

  /// Finds the secrets of a packet, in the bytes of its record.
  init(
    _ dissection: Dissection, _ packet: borrowing CaptureRecord, _ answer: Answer,
    _ memory: borrowing Memory
  ) {
    let record = packet.bytes
    switch dissection.content {
    case .control where dissection.mayMisplaceSecret: add(dissection.body, of: record)
    case .command, .event, .control:
      guard let found = dissection.parameters else { return }
      var finder = SecretFinder()
      if let row = found.row { finder.walk(row.parameters, record, found.outer) }
      if let row = found.completed { finder.walk(row.returns, record, found.inner) }
      for slice in finder.found { add(slice, of: record) }
      addAdvertising(record, memory.advertisements)
      // Behind the packet may stand anything, another one with a key for instance.
      add(
        Slice(start: dissection.body.end, count: record.byteCount - dissection.body.end), of: record
      )
      if dissection.mayBeMisread(record) { add(dissection.body, of: record) }
    case .acl: addData(record, packet.framing == .h4 ? 1 : 0, dissection, answer, memory)
    case .note(let note):
      if dissection.isSecretNote { add(dissection.body, of: record) }
      if let digits = note.passkey(record) { add(digits, of: record) }
    case .sco, .iso, .controllerLog, .unknown: break
    }
  }

  /// Finds the secrets of a PDU that came in several packets, in its joined bytes.
  init(
    joined dissection: Dissection, _ bytes: RawSpan, _ answer: Answer, _ memory: borrowing Memory
  ) {
    if let pdu = dissection.att, answer.bringsKeyMaterial(pdu.opcode, memory) {
      let start = Int(dissection.body.start) + 1
      add(Slice(start: start, count: bytes.byteCount - start), of: bytes)
    }
    guard dissection.smp != nil else { return }
    // Behind a PDU without secrets may stand bytes that it does not claim: of what, is not known.
    let start = Int(dissection.body.start) + dissection.openBytesOfSMP(answer)
    add(Slice(start: start, count: bytes.byteCount - start), of: bytes)
  }

  /// PDUs of the Security Manager that hold keys, and fragments that may.
  private mutating func addData(
    _ record: RawSpan, _ typeBytes: Int, _ dissection: Dissection, _ answer: Answer,
    _ memory: borrowing Memory
  ) {
    if dissection.l2cap != nil {
      addAttributeValues(record, dissection, answer, memory)
    }
    // Of a fragment whose channel is not known it cannot be said what it holds.
    let channel = dissection.l2cap?.cid ?? answer.fragment.channel
    // Which attribute's value a part of a PDU belongs to is known when all is there.
    let isPart = dissection.l2cap == nil && memory.attributes.hasKeyMaterial
    guard channel?.carriesSecurityManager ?? true || isPart else { return }
    // To the record's end, whatever the length field says.
    var start = typeBytes + Self.aclHeaderBytes
    if channel == nil, answer.fragment.isFragment,
      answer.fragment.progress.have <= L2CAPHeader.size
    {
      // All that came of the PDU so far is a part of its header.
      start += Int(dissection.body.count)
    } else if dissection.l2cap != nil, !answer.fragment.hasJoinedBytes {
      // The PDU lies in this record: the opcode is seen, and all of a PDU without secrets. What
      // stands behind it is not known.
      start = Int(dissection.body.start) + dissection.openBytesOfSMP(answer)
    } else if dissection.l2cap != nil, !dissection.hidesSMP(answer) {
      let (have, of) = answer.fragment.progress
      let behind = Int(dissection.body.count) - dissection.openBytesOfSMP(answer)
      start = max(start, record.byteCount - max(0, have - of) - behind)
    }
    add(Slice(start: start, count: record.byteCount - start), of: record)
  }

  /// The values of an ATT PDU that are keys, and what stands behind a PDU that needs no secret of its
  /// own: it may be one that does.
  private mutating func addAttributeValues(
    _ record: RawSpan, _ dissection: Dissection, _ answer: Answer, _ memory: borrowing Memory
  ) {
    // Of an SDU that is not all there it is not known yet.
    let hides =
      dissection.att.map { answer.bringsKeyMaterial($0.opcode, memory) }
      ?? (answer.fragment.isFragment && memory.attributes.hasKeyMaterial)
    if answer.fragment.hasJoinedBytes {
      let (have, of) = answer.fragment.progress
      // The last part's data: all of it where the values are keys, else what is more than the PDU.
      let count = hides ? record.byteCount : min(record.byteCount, max(0, have - of))
      add(Slice(start: record.byteCount - count, count: count), of: record)
    } else {
      // Opcode (1 byte); of what follows the handle is no secret, but stands in the request, too.
      let start = hides ? Int(dissection.body.start) + 1 : dissection.body.end
      add(Slice(start: start, count: record.byteCount - start), of: record)
    }
  }

  /// Whether bytes behind the parameters that could be read may be a piece of a secret.
  ///
  /// - Parameter advertising: the advertising data among those parameters.
  static func mayHold(
    _ layout: HCILayout, _ bytes: RawSpan, _ rest: Slice, behind advertising: Slice
  ) -> Bool {
    if layout.has(.secret) { return true }
    guard layout.has(.advertisingData), !rest.isEmpty else { return false }
    return ADStructures.holdSecret(bytes, rest)
      || ADStructures.endInsideSecret(bytes, advertising)
  }

  /// Reports whose AD structures hold pairing data, or parts of some that do: all of their bytes.
  private mutating func addAdvertising(_ record: RawSpan, _ advertisements: Advertisements) {
    for advertisement in advertisements.reports {
      let data = advertisement.report.data
      if advertisement.mayHoldSecret || ADStructures.holdSecret(record, data) {
        add(data, of: record)
      }
    }
  }

  private mutating func add(_ slice: Slice, of record: RawSpan) {
    guard slice.count > 0 else { return }
    if count == ranges.count {
      // More than fit: then everything is secret.
      ranges[0] = Slice(start: 0, count: record.byteCount)
      return
    }
    ranges[count] = slice
    count += 1
  }

  /// Whether the byte at `offset` is part of a secret.
  func contains(_ offset: Int) -> Bool {
    for index in 0..<count
    where offset >= Int(ranges[index].start) && offset < ranges[index].end {
      return true
    }
    return false
  }

  /// Whether anything is secret.
  var isEmpty: Bool { count == 0 }
}

/// Collects where the secret parameters of a command or event lie.
private struct SecretFinder: HCIFieldVisitor {
  var found: [Slice] = []

  mutating func walk(_ layout: HCILayout, _ record: RawSpan, _ slice: Slice) {
    guard layout.has(.known) else { return }
    var fields = HCIFields(record, slice)
    // Where the bytes end too early, what there is was told.
    try? fields.walk(layout, &self)
    // Of a field for advertising data only a part counts; a key in it may reach beyond.
    let field = fields.advertisingField
    if field.count > fields.advertising.count,
      ADStructures.holdSecret(record, field)
        || ADStructures.endInsideSecret(record, fields.advertising)
    {
      found.append(field)
    }
    // A key that is cut short is still most of a key.
    let rest = Int(fields.rest().start)
    let behind = Slice(start: rest, count: record.byteCount - rest)
    if fields.isFragment
      || Secrets.mayHold(layout, record, behind, behind: fields.advertising)
    {
      found.append(behind)
    }
  }

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: HCIValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    switch value {
    case .secret, .advertisingFragment: found.append(slice)
    case .advertisingData
    where ADStructures.holdSecret(bytes, Slice(start: 0, count: bytes.byteCount)):
      found.append(slice)
    default: break
    }
  }
}

extension Dissection {
  /// Whether this is a management record that has a secret and is not as long as its row says: the
  /// kernel's structures have changed over the years, and where a key stands is then not known. Where nobody
  /// looked for problems, it may be.
  var mayMisplaceSecret: Bool {
    guard case .control = content, let found = parameters else { return false }
    let layouts = [found.row.map(\.parameters), found.completed.map(\.returns)]
    let mayHoldKey = layouts.contains {
      $0.map { $0.has(.secret) || $0.has(.advertisingData) } ?? false
    }
    guard mayHoldKey else { return false }
    guard problems.areLookedFor else { return true }
    for index in 0..<problems.count {
      if problems[index].code == .tooShort || problems[index].code == .leftOver { return true }
    }
    return false
  }

  /// How many bytes of a Security Manager's PDU hold no secret: none where it is empty, the opcode of
  /// one that may, else all that the opcode accounts for.
  fileprivate func openBytesOfSMP(_ answer: Answer) -> Int {
    guard let smp else { return 0 }
    if hidesSMP(answer) { return 1 }
    if case .incomplete = smp { return Int(body.count) }
    return Int(smp.rest(of: body).start - body.start)
  }
}

extension Dissection {
  /// Whether this is a vendor's event that reads like one of Android's with advertising data, but is
  /// not as long, and has what looks like a structure with a secret somewhere.
  func mayBeMisread(_ bytes: RawSpan) -> Bool {
    guard case .event(let event) = content, event.code == HCIEvent.vendorCode, !body.isEmpty,
      let row = HCITable.core.androidEvent(bytes.byte(at: Int(body.start))), parameters?.row != row
    else { return false }
    return row.parameters.has(.advertisingData)
      && ADStructures.holdSecretAnywhere(bytes, body)
  }
}

extension Answer {
  /// How secret the values of a PDU are.
  enum Secrecy {
    case open
    /// The attribute is one whose values are secret or hold secrets: profiles know which part is.
    case known
    /// They may be an attribute's whose values are secret.
    case doubtful
  }

  /// How secret the values of an ATT PDU are. Those of several attributes may be, where there is one
  /// whose values are (`SecretTypes`).
  func secrecy(_ opcode: ATTOpcode, _ memory: borrowing Memory) -> Secrecy {
    guard memory.attributes.hasKeyMaterial else { return .open }
    switch opcode {
    case .readMultipleResponse, .readMultipleVariableResponse, .multipleHandleValueNotification:
      return .doubtful
    default: break
    }
    let types = memory.attributes.secretTypes
    if types.contains(request?.type) || listsKeyMaterial { return .doubtful }
    // Of which of several requests it is the answer is not known then: one may have asked for a key.
    if !memory.doubt.alternatives.isEmpty { return .doubtful }
    if request == nil {
      // The request is missing: it may have asked for a key.
      switch opcode {
      case .readResponse, .readBlobResponse, .readByTypeResponse: return .doubtful
      default: break
      }
    }
    return types.contains(attribute.map { memory.attributes[$0].uuid }) ? .known : .open
  }

  /// Whether the values of an ATT PDU are secret, or hold secrets, or may.
  func bringsKeyMaterial(_ opcode: ATTOpcode, _ memory: borrowing Memory) -> Bool {
    secrecy(opcode, memory) != .open
  }
}

extension Answer {
  /// The attribute whose value was joined on this packet, a server's answer.
  func attribute(_ joined: JoinedValue, _ memory: borrowing Memory) -> Attributes.Place? {
    link.flatMap { memory.attribute(joined.handle, .readBlobResponse, joined.direction, on: $0) }
  }

  /// How secret a value in parts is.
  func secrecy(_ joined: JoinedValue, _ memory: borrowing Memory) -> Secrecy {
    guard memory.attributes.hasKeyMaterial else { return .open }
    guard let place = attribute(joined, memory) else { return .doubtful }
    return memory.attributes.secretTypes.contains(memory.attributes[place].uuid) ? .known : .open
  }
}

extension Output {
  /// Appends a record's bytes in hexadecimal, its secrets as `..`.
  mutating func hex(_ bytes: RawSpan, hiding secrets: Secrets, separator: UInt8? = nil) {
    guard !secrets.isEmpty else {
      hex(bytes, separator: separator)
      return
    }
    for offset in 0..<bytes.byteCount {
      if offset > 0, let separator { byte(separator) }
      if secrets.contains(offset) { text("..") } else { hex(bytes.byte(at: offset)) }
    }
  }
}

extension MonitorNote {
  /// The text up to its first zero, with `<hidden>` for the digits of a passkey; nil where it has none.
  func textWithoutPasskey(_ bytes: RawSpan) -> [UInt8]? {
    guard let text, let digits = passkey(bytes) else { return nil }
    let before = Slice(start: Int(text.start), count: Int(digits.start) - Int(text.start))
    var open = bytes.part(before).array
    open.append(("<hidden>" as StaticString).bytes)
    open.append(bytes.part(text).beforeZero.dropping(Int(digits.end) - Int(text.start)))
    return open
  }
}
