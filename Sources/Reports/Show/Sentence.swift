import Bluetooth
package import Bytes
package import Decoders
import Dissectors
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
  package internal(set) var isFailure = false
  let showsKeys: Bool
  /// The signs to use.
  let glyphs: Glyphs
  /// Whether the next text needs no comma before it.
  var goesOn = false
  /// How secret the attribute values of the packet are.
  var secrecy = Answer.Secrecy.open
  /// The sender of the advertising data that is described.
  var advertiser = OwnAddress()
  /// Whether to mention that there is no advertising data.
  var saysNoData = true
  /// The number that was appended last, and the start of its unit: a range may continue from there.
  var lowerEnd: (value: Int64, unitStart: Int)?
  /// The type of an address that was appended last, before the address itself.
  var addressType: (start: Int, end: Int, name: AssignedName)?
  /// The end of the address that was appended last.
  var addressEnd = 0
  /// In a list of devices, the number of the current item; nil outside.
  var device: Int?
  /// Whether what follows belongs to a failure: besides the status, only what identifies its
  /// subject is shown.
  var saysOnlyWhose = false
  /// The PHYs of the items in the next list, one bit each.
  var listedPHYs: UInt64 = 0

  /// Decodes values.
  package var reading: ValueReading
  /// Finds the names of attributes.
  var names = RecentNames()
  /// The packet, its time, and whether it is new and complete: not cut by the capture, and not
  /// contained in another file.
  var moment: (packet: Int, time: Timestamp?, isWhole: Bool) = (0, nil, true)

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
    saysOnlyWhose = false
    device = nil
    listedPHYs = 0
    reading.clear()
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
