import Bluetooth
package import Bytes
import Captures
package import Decoders
import Dissectors
package import Meanings
import Sessions

/// The description of a packet in one line: a name, a subject and the rest. Text arranges the three
/// in columns; JSON joins them to its `summary`. All descriptions are worded here, once.
package struct Sentence: ~Copyable {
  /// The text so far.
  package var output = Output()
  /// The end of the name in `output`.
  private(set) var nameEnd = 0
  private(set) var subjectEnd = 0
  /// The number of bytes in the subject that take no column.
  private(set) var surplus = 0
  /// Whether the packet reports a failure.
  package private(set) var isFailure = false
  let showsKeys: Bool
  /// The signs to use.
  let glyphs: Glyphs
  /// Whether the next text needs no comma before it.
  var goesOn = false
  /// How secret the attribute values of the packet are.
  var secrecy = Answer.Secrecy.open
  /// The sender of the advertising data that is described.
  var advertiser = KnownAdvertiser()
  /// Whether to mention that there is no advertising data.
  var writesNoData = true
  /// The number that was appended last, and the start of its unit: a range may continue from there.
  private var lowerEnd: (value: Int64, unitStart: Int)?
  /// The type of an address that was appended last, before the address itself.
  private var addressType: (start: Int, end: Int, name: AssignedName)?
  /// The end of the address that was appended last.
  private var addressEnd = 0
  /// In a list of devices, the number of the current item; nil outside.
  private var device: Int?
  /// Whether what follows belongs to a failure: besides the status, only what identifies its
  /// subject is shown.
  var writesOnlyIdentifiers = false
  /// Whether features are named if there are only a few.
  var namesFeatures = false
  /// The PHYs of the items in the next list, one bit each.
  private var listedPHYs: UInt64 = 0

  /// Decodes values.
  package var reading: ValueReading
  /// Finds the names of attributes.
  var names = RecentNames()
  /// Whether the packet is new and complete: not cut by the capture, and not contained in another
  /// file.
  private(set) var isOfWholePacket = true

  /// - Parameters:
  ///   - profiles: the profiles that decode values beside the built-in ones; nil: nothing is
  ///     decoded.
  ///   - keepsRecent: whether `reading` is needed for values whose answers arrive later.
  package init(
    showsKeys: Bool, glyphs: Glyphs, profiles: SuppliedProfiles? = nil, keepsRecent: Bool = false
  ) {
    self.showsKeys = showsKeys
    self.glyphs = glyphs
    reading = ValueReading(profiles, showsKeys: showsKeys, keepsRecent: keepsRecent)
  }

  /// Starts a new sentence.
  mutating func clear() {
    output.clear()
    nameEnd = 0
    subjectEnd = 0
    surplus = 0
    isFailure = false
    goesOn = false
    lowerEnd = nil
    addressType = nil
    addressEnd = 0
    writesOnlyIdentifiers = false
    device = nil
    listedPHYs = 0
    reading.clear()
  }

  /// Records what is known about the packet before it is described.
  mutating func begin(_ packet: borrowing Packet, isFailure: Bool) {
    self.isFailure = isFailure
    isOfWholePacket = packet.record.original == nil && !packet.isCut
  }

  /// Ends the name: the text so far is the name.
  mutating func endName() {
    nameEnd = output.count
    subjectEnd = nameEnd
  }

  /// Ends the subject: the text since the name is the subject.
  mutating func endSubject() { subjectEnd = output.count }

  /// Appends to the subject that something was cut.
  mutating func shortened() {
    output.text(glyphs.ellipsis)
    noteEllipsis()
  }

  /// Records that the subject has an ellipsis, whose bytes are not columns.
  mutating func noteEllipsis() {
    surplus += glyphs.ellipsis.utf8CodeUnitCount - glyphs.ellipsisColumns
  }

  mutating func name(_ name: AssignedName) {
    output.name(name)
    endName()
  }

  /// The three parts.
  package var parts: (name: Slice, subject: Slice, rest: Slice) {
    (
      Slice(start: 0, count: nameEnd),
      Slice(start: nameEnd, count: subjectEnd - nameEnd),
      Slice(start: subjectEnd, count: output.count - subjectEnd)
    )
  }

  /// Appends the sentence in one piece: `Notification 0x0012: a5 06`.
  ///
  /// - Parameter escaped: whether it is escaped for a JSON string.
  func copySummary(escaped: Bool, into other: inout Output) {
    let parts = parts
    copy(parts.name, escaped, into: &other)
    if !parts.subject.isEmpty {
      other.byte(0x20)
      copy(parts.subject, escaped, into: &other)
    }
    if !parts.rest.isEmpty {
      other.text(": ")
      copy(parts.rest, escaped, into: &other)
    }
  }

  private func copy(_ part: Slice, _ escaped: Bool, into other: inout Output) {
    if escaped { output.copyEscaped(part, into: &other) } else { output.copy(part, into: &other) }
  }

  /// Appends a comma, unless the rest is still empty.
  mutating func comma() {
    if output.count > subjectEnd, !goesOn { output.text(", ") }
    goesOn = false
  }

  /// Makes the next text start without a comma.
  mutating func continueWithoutComma() { goesOn = true }

  /// Appends bytes with an unknown meaning.
  mutating func undecoded(_ bytes: RawSpan) {
    guard bytes.byteCount > 0 else { return }
    comma()
    output.hex(bytes, separator: 0x20)
  }

  /// Appends bytes that may contain a secret.
  mutating func undecoded(_ bytes: RawSpan, isSecret: Bool) {
    if isSecret && !showsKeys {
      comma()
      hidden(bytes.byteCount)
    } else {
      undecoded(bytes)
    }
  }

  /// Appends that there is a secret.
  mutating func hidden(_ count: Int) {
    output.text("<hidden>, ")
    output.count(count, "byte", "bytes")
  }
}

/// Appends the parameters that have a place in the line, according to their rows.
extension Sentence: FieldVisitor {
  static var wantsLineOnly: Bool { true }

  // Inlined: a separate function would have to pass all arguments once more.
  @inline(__always)
  mutating func field(
    _ name: StaticString, line: StaticString?, number: Int64, width: Int,
    _ form: Parameter.Form, _ bytes: RawSpan, at slice: Slice
  ) {
    if case .flags(.phys) = form { listedPHYs = UInt64(bitPattern: number) }
    guard let line else { return }
    if let device, device > Self.devicesInLine { return }
    if writesOnlyIdentifiers, !Self.isIdentifier(.number(number, width: width, form)) {
      return
    }
    self.number(line, number, width: width, form)
  }

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    if case .number(let number, let width, let form) = value {
      field(name, line: line, number: number, width: width, form, bytes, at: slice)
      return
    }
    guard let line else { return }
    if let device, device > Self.devicesInLine { return }
    if writesOnlyIdentifiers, !Self.isIdentifier(value) { return }
    switch value {
    case .number: break
    case .address(let address, _): self.address(line, address)
    case .bytes:
      guard bytes.byteCount > 0 else { return }
      begin(line)
      output.hex(bytes, separator: 0x20)
    case .text:
      begin(line)
      output.quoted(bytes)
    case .uuid(let uuid):
      begin(line)
      output.namedUUID(uuid)
    case .secret:
      begin(line)
      if showsKeys { output.hex(bytes) } else { output.text("<hidden>") }
    case .advertisingData:
      guard writesNoData || bytes.byteCount > 0 else { return }
      if device != nil {
        self.name(in: bytes)
        return
      }
      begin(line)
      advertisingData(bytes, Slice(start: 0, count: bytes.byteCount))
    case .advertisingFragment:
      guard bytes.byteCount > 0 else { return }
      begin(line)
      output.count(bytes.byteCount, "byte", "bytes")
    }
  }

  private mutating func address(_ label: StaticString, _ address: DeviceAddress) {
    // The type of an address follows it, as everywhere.
    let type = addressType.flatMap { $0.end == output.count ? $0 : nil }
    if let type { output.shorten(to: type.start) }
    begin(label)
    output.address(address)
    if let name = type?.name {
      output.byte(0x20)
      output.lowercased(name.bytes)
    }
    addressEnd = output.count
  }

  private mutating func begin(_ label: StaticString) {
    comma()
    guard label.utf8CodeUnitCount > 0 else { return }
    output.text(label)
    output.byte(0x20)
  }

  private mutating func number(
    _ label: StaticString, _ value: Int64, width: Int, _ form: Parameter.Form
  ) {
    let raw = UInt64(bitPattern: value)
    if label.isRangeMark {
      upperEnd(value, form)
      return
    }
    switch form {
    case .code(let set): code(label, raw, set, width: width)
    case .flags(let set): flags(label, raw, set, width: width)
    case .scaled(let scale): quantity(label, value, scale)
    case .assigned(let numbers):
      begin(label)
      output.assigned(numbers.name(of: raw), raw, digits: 2 * width)
    case .plain, .identifier:
      begin(label)
      output.decimal(Int(value))
      lowerEnd = (value, output.count)
    case .sixDigits:
      begin(label)
      output.decimal(UInt(raw), digits: 6)
    case .hex, .diversifier:
      begin(label)
      output.hexadecimal(raw, digits: 2 * width)
    case .handle:
      begin(label)
      output.handle(UInt16(truncatingIfNeeded: raw))
    case .opcode:
      begin(label)
      command(UInt16(truncatingIfNeeded: raw))
    case .controlOpcode:
      begin(label)
      controlCommand(UInt16(truncatingIfNeeded: raw))
    case .controlEvent:
      begin(label)
      controlEvent(UInt16(truncatingIfNeeded: raw))
    case .linkOpcode:
      begin(label)
      output.named(LinkOpcode(rawValue: UInt8(truncatingIfNeeded: raw)).name, raw, digits: 2)
    }
  }

  private mutating func code(
    _ label: StaticString, _ raw: UInt64, _ set: CodeSet, width: Int
  ) {
    let name = set.name(of: raw)
    switch set {
    case .status, .managementStatus:
      // Success is not shown.
      guard raw != 0 else { return }
      begin(label)
      output.named(name, raw, digits: 2)
      writesOnlyIdentifiers = true
    case .dataOperation:
      // Complete data is the usual case.
      guard raw != 3 else { return }
      begin(label)
      if name == nil { output.text("operation ") }
      lowercased(name, raw)
    case .ownAddressType:
      begin("own address")
      lowercased(name, raw)
    case .addressType where name != nil: self.addressType(label, name)
    case .psm:
      begin(label)
      output.service(PSM(rawValue: UInt16(truncatingIfNeeded: raw)))
    default:
      begin(label)
      if let name {
        output.name(name)
      } else {
        output.hexadecimal(raw, digits: 2 * width)
      }
    }
  }

  private mutating func lowercased(_ name: AssignedName?, _ raw: UInt64) {
    if let name {
      output.lowercased(name.bytes)
    } else {
      output.hexadecimal(raw, digits: 2)
    }
  }

  /// Appends the type of an address: after the address, even if that comes later.
  private mutating func addressType(_ label: StaticString, _ name: AssignedName?) {
    guard let name else { return }
    let start = output.count
    if addressEnd == start, start > 0 {
      output.byte(0x20)
      output.lowercased(name.bytes)
      return
    }
    begin(label)
    output.lowercased(name.bytes)
    addressType = (start, output.count, name)
  }

  private mutating func flags(
    _ label: StaticString, _ raw: UInt64, _ set: CodeSet, width: Int
  ) {
    // Both directions have a preference, which follows.
    if set == .allPHYs, raw == 0 { return }
    begin(label)
    if width == 8, !namesFeatures || raw.nonzeroBitCount > 2 {
      // There are too many features to name in a line.
      output.count(raw.nonzeroBitCount, "feature", "features")
    } else if !output.names(raw, set) {
      output.text("none")
    }
  }

  private mutating func quantity(_ label: StaticString, _ value: Int64, _ scale: Scale) {
    guard scale.absent != Int(value) else { return }
    if scale.isInvalid(Int(value)) {
      begin("")
      output.invalidSignal(Int(value))
      return
    }
    begin(label)
    if scale.unmanaged == Int(value) {
      output.text("power not managed")
    } else if let word = scale.word(of: Int(value)) {
      output.text(word)
    } else {
      scaled(value, scale)
    }
  }

  /// Returns whether a parameter of a failed event identifies what failed. The others have no
  /// meaning then, unless the specification defines one.
  private static func isIdentifier(_ value: FieldValue) -> Bool {
    switch value {
    case .address(let address, _): address != .zero
    case .number(_, _, .code(.status)), .number(_, _, .code(.managementStatus)): true
    case .number(_, _, .identifier): true
    default: false
    }
  }

  private mutating func scaled(_ value: Int64, _ scale: Scale) {
    output.fixed(Int(value) &* scale.multiplier, decimals: scale.decimals)
    lowerEnd = (value, output.count)
    output.unit(scale.unit, of: Int(value) &* scale.multiplier)
  }

  /// Appends the upper end of a range whose lower end precedes it, unless both are equal.
  private mutating func upperEnd(_ value: Int64, _ form: Parameter.Form) {
    if let lowerEnd {
      guard lowerEnd.value != value else { return }
      // The unit after the lower end is also the upper end's.
      output.shorten(to: lowerEnd.unitStart)
      output.text(lowerEnd.value < 0 ? " to " : glyphs.to)
    } else {
      comma()
    }
    if case .scaled(let scale) = form {
      scaled(value, scale)
    } else {
      output.decimal(Int(value))
    }
    lowerEnd = nil
  }

  /// Appends a command by its name.
  mutating func command(_ opcode: UInt16) {
    if let row = PDUTable.core.command(opcode) {
      output.name(row.name)
    } else {
      output.hexadecimal(UInt64(opcode), digits: 4)
    }
  }

  /// The maximum number of devices of one record that the line names.
  static let devicesInLine = 3

  mutating func beginList(_ name: StaticString, ofDevices: Bool) {
    if ofDevices { device = 0 }
  }

  /// Appends the name in a device's advertising data; a line with several devices has no room for
  /// more.
  mutating func name(in bytes: RawSpan) {
    var structures = ADStructures(bytes, Slice(start: 0, count: bytes.byteCount))
    while let structure = structures.next() {
      guard structure.type == .completeLocalName || structure.type == .shortenedLocalName else {
        continue
      }
      output.byte(0x20)
      output.quoted(bytes.part(structure.data))
      return
    }
  }

  /// Begins an item. Items for one PHY each name the PHY.
  mutating func beginItem() {
    if let number = device {
      device = number + 1
      guard number < Self.devicesInLine else { return }
      if output.count > subjectEnd { output.text(number == 0 ? ": " : "; ") }
      goesOn = true
      return
    }
    guard listedPHYs != 0 else { return }
    let bit = listedPHYs.trailingZeroBitCount
    listedPHYs &= listedPHYs - 1
    if output.count > subjectEnd { output.text("; ") }
    output.name(CodeSet.phys.name(of: UInt64(bit)) ?? "unknown PHY")
    output.text(": ")
    goesOn = true
  }

  mutating func endList() {
    guard let count = device else { return }
    device = nil
    guard count > Self.devicesInLine else { return }
    output.text("; and ")
    output.decimal(count - Self.devicesInLine)
    output.text(" more")
  }
}

extension StaticString {
  /// Whether a label is the single dash that joins a value to the previous one
  /// (`Parameter.line`). No other label has only one character.
  fileprivate var isRangeMark: Bool { utf8CodeUnitCount == 1 }
}
