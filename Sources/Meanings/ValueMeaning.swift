package import Bytes
package import Decoders

/// What a value means: its fields, and the words for them.
package struct ValueMeaning: ~Copyable {
  package let showsKeys: Bool
  private var decoder = ValueDecoder()
  /// Whether the value has a meaning; otherwise the fields and words are not its own.
  package private(set) var isKnown = false
  package private(set) var decoded = Decoded()
  /// The words for the value, ending with those for problems.
  package private(set) var line = Output()
  /// Where those for problems begin, and where those that the definition gives end.
  package private(set) var textEnd = 0
  package private(set) var wordsEnd = 0
  /// The vendor message and its context, if the value is one.
  package private(set) var sighting: VendorSighting?
  /// The messages after the first one in the same value.
  package private(set) var following: [FollowingMessage] = []
  /// Where the words of the first message end, if there are several.
  package private(set) var firstEnd = 0
  /// What the value of a control point answers.
  private(set) var control: ExchangeNote?
  /// Whether only a descriptor of its characteristic defines the value's meaning.
  package private(set) var isByFormat = false
  /// The structure that the value is a part of, if it was decoded as a whole.
  private var structure: [UInt8] = []
  /// The definition of the value that `decoded` and `line` still describe, and that value: a report
  /// may ask for it twice.
  private var latest: (definition: Definition, isWritten: Bool, isKnown: Bool)?
  private var latestValue: [UInt8] = []
  /// Whether the words of messages have all bytes of a field, and all turns of a repeated one.
  var isWhole = false
  private let passing = PassedByReference()

  package init(showsKeys: Bool) { self.showsKeys = showsKeys }

  // MARK: Decoding

  @inline(never)
  package mutating func clear() {
    isKnown = false
    if sighting != nil { sighting = nil }
    if control != nil { control = nil }
    isByFormat = false
    if !following.isEmpty { following.removeAll() }
    if !structure.isEmpty { structure.removeAll(keepingCapacity: true) }
  }

  /// Decodes a value by its definition.
  ///
  /// - Parameters:
  ///   - externals: the fields of other values that the definition refers to.
  ///   - mayRepeat: whether a report may ask for the same value again.
  package mutating func decode(
    _ definition: Definition, _ value: RawSpan, isWritten: Bool, _ externals: [Known] = [],
    mayRepeat: Bool = false
  ) {
    if let latest, latest.definition === definition, latest.isWritten == isWritten,
      latestValue.bytes.isEqual(to: value)
    {
      isKnown = latest.isKnown
      return
    }
    decoder.decode(
      definition, value, DecodingContext(isWritten: isWritten, externals: externals),
      into: &decoded)
    write(value)
    guard mayRepeat, !definition.hasExternals else { return }
    latest = (definition, isWritten, isKnown)
    latestValue.removeAll(keepingCapacity: true)
    latestValue.append(value)
  }

  /// Decodes a value by the format in a descriptor of its characteristic.
  mutating func decode(format: Definition, _ value: RawSpan) {
    decode(format, value, isWritten: false)
    isByFormat = isKnown
    if isKnown { line.text(", by its presentation format") }
    latest = nil
  }

  /// Decodes a message, or describes a part of one.
  ///
  /// - Parameters:
  ///   - externals: the fields of other values that its definition refers to.
  ///   - others: the messages after it in the same value.
  package mutating func decode(
    _ sighting: consuming VendorSighting, _ value: RawSpan, _ externals: [Known] = [],
    following others: [VendorSighting]
  ) {
    let sighting = sighting
    if let frame = sighting.frame, let message = sighting.message {
      sighting.decode(frame, message, value, externals, with: &decoder, into: &decoded)
      if let whole = sighting.bytes {
        write(whole.bytes, isMessage: true)
      } else {
        write(value, isMessage: true)
      }
    } else {
      latest = nil
      line.clear()
      sighting.writePart(into: &line)
      textEnd = line.count
      wordsEnd = 0
      isKnown = true
    }
    sighting.writeRemarks(into: &line)
    // It is large, so it is moved and not copied.
    self.sighting = sighting
    if !others.isEmpty { decodeFollowing(others, value) }
  }

  /// Decodes the messages after the first one, and describes all of them in one line.
  @inline(never)
  private mutating func decodeFollowing(_ sightings: [VendorSighting], _ value: RawSpan) {
    firstEnd = line.count
    if let sighting { sighting.exchange.write(sighting.series, into: &line) }
    for sighting in sightings {
      let message = FollowingMessage(sighting, value, showsKeys: showsKeys)
      line.text("; ")
      line.raw(message.line.bytes)
      sighting.exchange.write(sighting.series, into: &line)
      following.append(message)
    }
  }

  private mutating func write(_ value: RawSpan, isMessage: Bool = false) {
    latest = nil
    line.clear()
    guard var writer = writer() else { return }
    writer.isWhole = isWhole && isMessage
    textEnd = writer.line(value, into: &line)
    wordsEnd = line.count
    // An empty value that its definition does not allow counts as not decoded.
    isKnown = line.count > 0 && (value.byteCount > 0 || decoded.problems.isEmpty)
  }

  // MARK: Context

  /// Records which message the value is, without decoding it.
  mutating func note(_ message: VendorSighting) { sighting = message }

  /// Records what the value of a control point answers.
  mutating func note(answers control: ExchangeNote?) { self.control = control }

  /// Records the structure of which the decoded value is a part.
  mutating func note(structure: [UInt8]) { self.structure = structure }

  /// Whether the value is a message, or a part of one. `sighting` is large, so it is not copied to
  /// find out.
  package var isMessage: Bool { if case .some = sighting { true } else { false } }

  /// The definition that decoded the value, and how it was used, if these and the value's bytes
  /// determine all words and fields; otherwise nil.
  package var soleDefinition: (definition: Definition, isWritten: Bool)? {
    guard isKnown, sighting == nil, control == nil, structure.isEmpty, let latest else {
      return nil
    }
    return (latest.definition, latest.isWritten)
  }

  /// The bytes that fields refer to, if they are not the value's.
  package var whole: [UInt8]? { sighting?.bytes ?? (structure.isEmpty ? nil : structure) }

  /// Whether the value is only a part of a message, which has no fields.
  package var isPart: Bool { sighting != nil && sighting?.frame == nil }

  /// The name of the protocol that the value belongs to.
  package var vendorName: String? { sighting?.vendor.profile }

  /// The name of that protocol, or of the profile that decodes the value.
  package var profileName: String? { vendorName ?? decoded.definition?.profile }

  /// The name of the message that the value is; nil if the profile does not name it.
  package var messageName: String? {
    guard let message = sighting?.message, message.commands != nil else { return nil }
    return message.definition.name
  }

  private func startsWith(_ title: RawSpan) -> Bool {
    line.bytes.part(Slice(start: 0, count: title.byteCount)).isEqual(to: title)
  }

  /// Appends the name of the message that the value is, unless the words begin with it.
  package func writeTitle(into output: inout Output) {
    guard let message = sighting?.message, message.commands != nil else { return }
    let start = output.count
    let name = message.definition.nameBytes
    output.title(name.bytes)
    let hasTitle = startsWith(output.bytes.part(Slice(start: start, count: output.count - start)))
    if hasTitle { output.shorten(to: start) } else { output.text(": ") }
  }

  /// What the value answers.
  package var exchange: ExchangeNote? { sighting?.exchange ?? control }

  private var sightings: [VendorSighting] {
    sighting.map { [$0] + following.map(\.sighting) } ?? []
  }

  /// The other packets that the description of this one depends on: the request that its message
  /// answers, the parts of the message, the start of its series, and the frame that identified the
  /// protocol.
  package var related: [Int] {
    requests
      + sightings.flatMap { $0.packets + $0.recognition }
      + sightings.compactMap { $0.series?.announcement }
  }

  /// The requests that its messages answer.
  package var requests: [Int] {
    control?.request.map { [$0] } ?? sightings.compactMap(\.request)
  }

  /// The packets that contained parts of its messages.
  package var parts: [Int] { sightings.flatMap(\.packets) }

  /// The messages that the value is, without what they answer; nil if it is not one.
  package var messageAlone: RecentMessages.Content? {
    sighting.map { .message($0.alone, following: following.map(\.sighting.alone)) }
  }

  // MARK: Words

  /// Returns a writer for the decoded fields, or nil if the value has none. Always inlined, because
  /// a call would copy the writer.
  @inline(__always)
  package func writer(isJSON: Bool = false) -> DecodedWriter? {
    DecodedWriter(decoded, isJSON: isJSON, showsKeys: showsKeys)
  }

  /// Whether the value does not have the expected layout, so that its number is not counted.
  package var isDoubtful: Bool { isKnown && !isPart && decoded.isDoubtful }

  /// The most important number.
  package var quantity: DecodedQuantity? {
    guard isKnown, !isPart, !decoded.isDoubtful,
      let quantity = decoded.quantity(showsKeys: showsKeys)
    else { return nil }
    // Numbers of several messages without a unit have nothing in common.
    return sighting != nil && quantity.unit < 0 ? nil : quantity
  }

  /// Calls `take` with each field whose course can be drawn.
  package func forEachPoint(_ take: (DecodedPoint) -> Void) {
    decoded.forEachPoint(showsKeys: showsKeys, take)
  }

  /// Returns the unit of such a number.
  package func unit(of number: DecodedQuantity) -> [UInt8] {
    guard let words = decoded.definition?.words, number.unit >= 0 else { return [] }
    return words.bytes(number.unit).array
  }

  /// Appends the words.
  package func writeText(into output: inout Output) {
    line.copy(into: &output)
    // If there are several messages, the words include what each answers.
    if following.isEmpty { exchange?.write(sighting?.series, into: &output) }
  }

  // MARK: JSON

  /// Appends the object under `decoded`.
  package func writeJSON(_ value: RawSpan, into output: inout Output) {
    guard let whole else { return writeObject(value, into: &output) }
    writeObject(whole.bytes, into: &output)
  }

  private func writeObject(_ value: RawSpan, into output: inout Output) {
    if let sighting {
      sighting.writeHead(decoded, value, showsKeys: showsKeys, into: &output)
    } else {
      writer(isJSON: true)?.head(value, into: &output)
      control?.writeJSON(into: &output)
      if isByFormat { output.text(",\"recognized_by\":\"presentation_format\"") }
    }
    output.text(",\"text\":\"")
    line.copyEscaped(Slice(start: 0, count: textEnd), into: &output)
    output.byte(0x22)
    if let sighting {
      sighting.writeProblems(decoded, value, showsKeys: showsKeys, into: &output)
    } else if !decoded.problems.isEmpty {
      var scratch = Output()
      writer()?.problems(value, line: &scratch, into: &output)
    }
    if !following.isEmpty {
      output.text(",\"following\":[")
      for (place, message) in following.enumerated() {
        if place > 0 { output.byte(0x2c) }
        message.writeJSON(value, showsKeys: showsKeys, into: &output)
      }
      output.byte(0x5d)
    }
    output.byte(0x7d)
  }
}
