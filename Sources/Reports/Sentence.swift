import Bluetooth
import Bytes
import Decoders
import Dissectors
import Sessions

/// What is said of a packet in one line: a name, a subject, and the rest. Text sets the three in
/// columns; JSON joins them to its `summary`. Worded once, here.
struct Sentence: ~Copyable {
  /// The words so far.
  var output = Output()
  /// Where the name ends in `output`.
  private(set) var nameEnd = 0
  /// Where the subject ends.
  private(set) var subjectEnd = 0
  /// How many bytes of the subject have no column of their own.
  private(set) var surplus = 0
  /// Whether the packet reports a failure.
  var isFailure = false
  /// Whether secrets are to be shown.
  let showsKeys: Bool
  /// The signs to use.
  let glyphs: Glyphs
  /// Whether what follows goes on without a comma.
  var goesOn = false
  /// Whether the attribute values of the packet are keys.
  var secrecy = Answer.Secrecy.open
  /// Who sends the advertising data that is worded.
  var advertiser = OwnAddress()
  /// Whether it is worth saying that there is no advertising data.
  var saysNoData = true
  /// The number that was said last, and where its unit begins: a range may go on from there.
  var lowerEnd: (value: Int64, unitStart: Int)?
  /// The type of an address that was said last, before the address itself.
  var addressType: (start: Int, end: Int, name: StaticString)?
  /// Where the address ends that was said last.
  var addressEnd = 0
  /// In a list of devices: the number of the item that is told; nil outside.
  var device: Int?
  /// Whether what is told next is a failure's: beside the status only what says whose is worth a word.
  var saysOnlyWhose = false
  /// The PHYs that the items of the next list stand for, one a bit.
  var listedPHYs: UInt64 = 0

  /// What values mean.
  var reading: ValueReading
  /// What attributes are called.
  var names = RecentNames()
  /// The packet, its time, and whether the capture has only a part of it or had it before.
  var moment: (packet: Int, time: Timestamp?, isWhole: Bool) = (0, nil, true)

  /// - Parameter profiles: by which values are decoded, beside the program's; nil: none are.
  init(showsKeys: Bool, glyphs: Glyphs, profiles: SuppliedProfiles? = nil) {
    self.showsKeys = showsKeys
    self.glyphs = glyphs
    reading = ValueReading(profiles, showsKeys: showsKeys)
  }

  /// Begins anew.
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

  /// What was said so far is the name.
  mutating func endName() {
    nameEnd = output.count
    subjectEnd = nameEnd
  }

  /// What was said since the name is the subject.
  mutating func endSubject() { subjectEnd = output.count }

  /// Says in the subject that something was cut.
  mutating func shortened() {
    output.text(glyphs.ellipsis)
    surplus += glyphs.ellipsis.utf8CodeUnitCount - glyphs.ellipsisColumns
  }

  /// Says the name.
  mutating func name(_ text: StaticString) {
    output.text(text)
    endName()
  }

  /// The three parts.
  var parts: (name: Slice, subject: Slice, rest: Slice) {
    (
      Slice(start: 0, count: nameEnd),
      Slice(start: nameEnd, count: subjectEnd - nameEnd),
      Slice(start: subjectEnd, count: output.count - subjectEnd)
    )
  }

  /// Appends the sentence in one piece: `Notification 0x0012: a5 06`.
  ///
  /// - Parameter escaped: as it stands between the quotes of JSON.
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

  /// A comma, unless the rest has not begun.
  mutating func comma() {
    if output.count > subjectEnd, !goesOn { output.text(", ") }
    goesOn = false
  }

  /// What follows begins something new behind what was said: it needs no comma.
  mutating func continueWithoutComma() { goesOn = true }

  /// Bytes that nobody has explained.
  mutating func undecoded(_ bytes: RawSpan) {
    guard bytes.byteCount > 0 else { return }
    comma()
    output.hex(bytes, separator: 0x20)
  }

  /// Bytes that may hold a secret.
  mutating func undecoded(_ bytes: RawSpan, isSecret: Bool) {
    if isSecret && !showsKeys {
      comma()
      hidden(bytes.byteCount)
    } else {
      undecoded(bytes)
    }
  }

  /// That something secret is there.
  mutating func hidden(_ count: Int) {
    output.text("<hidden>, ")
    output.count(count, "byte", "bytes")
  }
}
