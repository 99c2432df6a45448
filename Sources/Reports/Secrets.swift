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
    _ memory: Memory
  ) {
    let record = packet.bytes
    switch dissection.content {
    case .command, .event:
      guard let found = dissection.parameters else { return }
      var finder = SecretFinder()
      if let row = found.row { finder.walk(HCITable.parameters(row), record, found.outer) }
      if let row = found.completed { finder.walk(HCITable.returns(row), record, found.inner) }
      for slice in finder.found { add(slice, of: record) }
      addAdvertising(record, memory.advertisements)
    case .control(let control):
      if control.carriesSecrets { add(dissection.body, of: record) }
    case .acl: addData(record, packet.framing == .h4 ? 1 : 0, dissection, answer)
    case .note, .sco, .iso, .unknown: break
    }
  }

  /// Finds the secrets of a PDU that came in several packets, in its joined bytes.
  init(joined dissection: Dissection, _ bytes: RawSpan) {
    guard dissection.carriesSecret else { return }
    let start = Int(dissection.body.start) + (dissection.smp == nil ? 0 : 1)
    add(Slice(start: start, count: bytes.byteCount - start), of: bytes)
  }

  /// PDUs of the Security Manager that hold keys, and fragments that may.
  private mutating func addData(
    _ record: RawSpan, _ typeBytes: Int, _ dissection: Dissection, _ answer: Answer
  ) {
    // Of a fragment whose channel is not known it cannot be said what it holds.
    let channel = dissection.l2cap?.cid ?? answer.fragment.channel
    guard channel?.carriesSecurityManager ?? true else { return }
    // To the record's end, whatever the length field says.
    var start = typeBytes + Self.aclHeaderBytes
    if dissection.l2cap != nil, !answer.fragment.isJoined {
      // The PDU lies in this record: the opcode is seen, and all of a PDU without secrets. What
      // stands behind it is not known.
      start = Int(dissection.body.start) + (dissection.smp == nil ? 0 : 1)
      if !dissection.carriesSecret { start = dissection.body.end }
    } else if dissection.l2cap != nil, !dissection.carriesSecret {
      let (have, of) = answer.fragment.progress
      start = record.byteCount - max(0, have - of)
    }
    add(Slice(start: start, count: record.byteCount - start), of: record)
  }

  /// Whether bytes behind the parameters that could be read may be a piece of a secret.
  static func mayHold(_ layout: HCILayout, _ bytes: RawSpan, _ rest: Slice) -> Bool {
    layout.hasSecret || layout.hasAdvertisingData && ADStructures.holdSecret(bytes, rest)
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
    guard !slice.isEmpty else { return }
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

  static var wantsLineOnly: Bool { false }

  mutating func walk(_ layout: HCILayout, _ record: RawSpan, _ slice: Slice) {
    guard layout.isKnown else { return }
    var fields = HCIFields(record, slice)
    // Where the bytes end too early, what there is was told.
    try? fields.walk(layout, &self)
    // A key that is cut short is still most of a key.
    let rest = Int(fields.rest().start)
    let behind = Slice(start: rest, count: record.byteCount - rest)
    if fields.isFragment || Secrets.mayHold(layout, record, behind) { found.append(behind) }
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

  func beginList(_ name: StaticString) {}
  func beginItem() {}
  func endItem() {}
  func endList() {}
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
