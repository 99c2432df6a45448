import Bluetooth
import Bytes
import Decoders
import Learning

/// What was learnt, as a profile: its claims become keys with the evidence in comments, everything
/// else bytes.
struct GadgetProfile {
  private let gadget: Gadget
  private let name: String
  private let source: String
  private let request: GadgetChannel?
  private let answer: GadgetChannel?
  private let exchange: LearntExchange?
  private var text = ""

  init(_ gadget: Gadget, name: String, source: String) {
    self.gadget = gadget
    self.name = name
    self.source = source
    let places = gadget.profiled
    request = places.request.map { gadget.channels[$0] }
    answer = places.answer.map { gadget.channels[$0] }
    exchange =
      gadget.links.first { $0.request == places.request && $0.answer == places.answer }?.exchange
  }

  /// Returns the profile.
  func written() -> [UInt8] {
    var profile = self
    guard profile.writeHead() else { return [] }
    profile.writeFrames()
    profile.writeExchange()
    profile.writeMessages()
    return Array(profile.text.utf8)
  }

  private mutating func line(_ indent: Int, _ words: String, _ comment: String = "") {
    text += String(repeating: " ", count: indent) + words
    if !comment.isEmpty { text += "  # " + comment }
    text += "\n"
  }

  // MARK: Head

  /// Returns false if a characteristic's UUID is not known: then a profile cannot name it.
  private mutating func writeHead() -> Bool {
    var uuids: [String] = []
    var claims: [String] = []
    for channel in [request, answer].compactMap(\.self) {
      let claim: String
      switch (channel.source.characteristic, channel.source.serial) {
      case (let uuid?, _): claim = "{characteristic: \"\(GadgetWords.uuid(uuid))\"}"
      case (nil, .rfcomm(let server)?): claim = "{rfcomm: \(server)}"
      case (nil, .creditBased(let psm)?):
        claim = "{psm: \(GadgetWords.number(UInt32(psm.rawValue), digits: 4))}"
      case (nil, nil): return false
      }
      if claims.contains(claim) { continue }
      claims.append(claim)
      uuids.append(GadgetWords.name(channel.source))
    }
    let (certain, likely) = (Int(Evidence.certainBits), Int(Evidence.likelyBits))
    line(
      0,
      "# Learnt by gattscope from the values alone. certain: by at least \(certain) bits of "
        + "evidence")
    line(
      0,
      "# and \(Evidence.certainFrames) different frames; likely: by \(likely) bits. "
        + "Names and meanings are yours to fill in.")
    line(0, "profile: \(name)")
    line(0, "title: The protocol of \(uuids.joined(separator: " and "))")
    line(0, "source: \(Self.quoted("learnt from \(source)"))")
    line(0, "applies_to: [\(claims.joined(separator: ", "))]")
    if let request, let answer, uuids.count > 1 {
      let names = [request, answer].map { GadgetWords.name($0.source) }
      line(0, "channels: {requests: \"\(names[0])\", responses: \"\(names[1])\"}")
    } else if let answer, answer.source.flow == .read {
      line(0, "channels: {requests: write, responses: read}")
    }
    return true
  }

  /// Returns a text as a YAML scalar in double quotes.
  static func quoted(_ words: String) -> String {
    var safe = Output()
    safe.byte(0x22)
    for byte in words.utf8 {
      if byte == 0x22 || byte == 0x5c { safe.byte(0x5c) }
      safe.byte(byte < 0x20 ? 0x20 : byte)
    }
    safe.byte(0x22)
    return String(decoding: safe.bytes.array, as: UTF8.self)
  }

  // MARK: Frame

  private var hasBoth: Bool { request != nil && answer != nil }

  private mutating func writeFrames() {
    line(0, "frame:")
    guard let request, let answer else {
      guard let only = self.request ?? self.answer else { return }
      if only.kinds.count == 1 {
        writeFrame(only.kinds[0], indent: 2, first: "")
        return
      }
      // A list is of one direction; the other needs a layout, too.
      let key = self.request != nil ? "requests" : "responses"
      writeLayouts(only, key)
      writeFrame(only.kinds[0], indent: 2, first: "", comments: false)
      return
    }
    if request.kinds.count == 1, answer.kinds.count == 1, request.kinds[0].isAlike(answer.kinds[0])
    {
      // The side of which more is known has the stronger evidence.
      var both = [request.kinds[0], answer.kinds[0]].max { $0.frame.different < $1.frame.different }
      both?.frame.isJoined = request.kinds[0].frame.isJoined || answer.kinds[0].frame.isJoined
      let longest = max(
        request.kinds[0].frame.sizes.upperBound, answer.kinds[0].frame.sizes.upperBound)
      if let both { writeFrame(both, indent: 2, first: "", longest: longest) }
      return
    }
    writeLayouts(request, "requests")
    writeLayouts(answer, "responses")
  }

  private mutating func writeLayouts(_ channel: GadgetChannel, _ key: String) {
    line(2, "\(key):")
    let kinds = Self.layouts(channel)
    for kind in kinds {
      if kinds.count > 1 {
        writeFrame(kind, indent: 6, first: "    - ")
      } else {
        writeFrame(kind, indent: 4, first: "")
      }
    }
  }

  /// Returns the kinds that can be in one list: all have a command, or none has.
  private static func layouts(_ channel: GadgetChannel) -> [GadgetFrame] {
    let hasCommand = channel.kinds[0].command != nil
    return channel.kinds.filter { ($0.command != nil) == hasCommand }
  }

  private mutating func writeFrame(
    _ kind: GadgetFrame, indent: Int, first: String, comments: Bool = true, longest: Int = 0
  ) {
    let frame = kind.frame
    var lead = first
    func comment(_ subject: GadgetClaim.Subject) -> String {
      guard comments, let claim = kind.claims.first(where: { $0.subject == subject }) else {
        return ""
      }
      return claim.comment
    }
    func put(_ profile: inout GadgetProfile, _ words: String, _ comment: String = "") {
      if lead.isEmpty {
        profile.line(indent, words, comment)
      } else {
        profile.line(0, lead + words, comment)
        lead = ""
      }
    }
    if !frame.start.isEmpty {
      put(&self, "start: \"\(kind.startPattern)\"", comment(.start))
    }
    let isMeasured = frame.length != nil || (frame.isJoined && frame.size != nil)
    if let length = frame.length {
      let (counts, add) = kind.counted
      let endian = length.width == 1 ? "" : ", endian: \(length.isBigEndian ? "big" : "little")"
      put(
        &self,
        "length: {at: \(length.at), type: u\(8 * length.width)\(endian), counts: \(counts.words)"
          + (add == 0 ? "}" : ", add: \(add)}"), comment(.length))
    } else if frame.isJoined, let size = frame.size {
      put(&self, "size: \(size)", comment(.size))
    }
    if isMeasured, !frame.end.isEmpty {
      put(&self, "end: \"\(GadgetWords.hex(frame.end))\"", comment(.end))
    }
    if let command = kind.command {
      put(&self, "command: {at: \(command), type: u8}", comment(.command))
    }
    if let sequence = kind.sequence {
      put(&self, "sequence: {at: \(sequence), type: u8}", comment(.sequence))
    }
    put(&self, "payload: [\(kind.payloadFirst), \(-frame.tail)]")
    if let checksum = frame.checksum {
      let at = -(checksum.after + checksum.width)
      let endian =
        checksum.width == 1 ? "" : ", endian: \(checksum.isBigEndian ? "big" : "little")"
      put(
        &self,
        "checksum: {at: \(at), algorithm: \(GadgetWords.algorithm(checksum.algorithm)), over: [\(checksum.first), \(at)]"
          + "\(endian)}", comment(.checksum))
    }
    if let padding = frame.padding { put(&self, "padding: \"\(GadgetWords.hex([padding]))\"") }
    if frame.isJoined {
      if isMeasured {
        let most = max(512, 2 * max(longest, frame.sizes.upperBound))
        put(&self, "reassemble: {timeout_ms: 2000, max: \(min(65_535, most))}")
      } else {
        put(&self, "# frames span several values, and where they end is not known:")
        put(&self, "# each value is read alone")
      }
    }
    let gap = Self.gap(kind)
    if !gap.isEmpty {
      put(&self, "# \(gap) in no part: see the values")
    }
  }

  /// Returns the bytes before the payload that belong to nothing.
  private static func gap(_ kind: GadgetFrame) -> String {
    let places = (0..<max(0, kind.payloadFirst)).filter { place in
      CommandSearch.isFree(place, kind.frame) && place != kind.command && place != kind.sequence
    }
    guard !places.isEmpty else { return "" }
    let list = places.map(String.init).joined(separator: ", ")
    return places.count == 1 ? "byte \(list) is" : "bytes \(list) are"
  }

  // MARK: Exchange

  private mutating func writeExchange() {
    guard let exchange, hasBoth else { return }
    if exchange.rules.isEmpty {
      line(0, "# No byte of an answer follows from its request: any answer fits any request.")
      return
    }
    var keys: [String] = []
    var comments: [String] = []
    if let rule = exchange.command {
      switch rule.rule {
      case .same: keys.append("response: \"command\"")
      case .highBit: keys.append("response: \"command | 0x80\"")
      case .plus(let number):
        keys.append(
          "response: \"(command + \(GadgetWords.number(UInt32(number), digits: 2))) & 0xff\"")
      }
      comments.append("\(rule.matches) of \(rule.pairs) answers (\(rule.confidence.name))")
    }
    if let rule = exchange.sequence {
      keys.append("sequence: true")
      comments.append("sequence \(rule.matches) of \(rule.pairs) (\(rule.confidence.name))")
    }
    line(0, "exchange: {\(keys.joined(separator: ", "))}", comments.joined(separator: "; "))
  }

  // MARK: Messages

  private mutating func writeMessages() {
    line(0, "messages:")
    if let request { writeMessages(of: request, hasBoth ? "request" : nil) }
    if let answer { writeMessages(of: answer, hasBoth ? "response" : nil) }
  }

  private mutating func writeMessages(of channel: GadgetChannel, _ direction: String?) {
    var written: Set<Int> = []
    for kind in Self.layouts(channel) {
      for command in kind.commands {
        let key = command.number.map(Int.init) ?? -1
        guard written.insert(key).inserted, written.count <= 128 else { continue }
        write(command, of: kind, direction)
      }
    }
  }

  private mutating func write(
    _ command: LearntCommand, of kind: GadgetFrame, _ direction: String?
  ) {
    let sound = command.frames.filter { kind.frame.checksum?.matches($0.bytes) ?? true }
    let number = command.number.map { GadgetWords.number(UInt32($0), digits: 2) }
    let suffix = number.map { String($0.dropFirst(2)) }
    // The same number in both directions gets two names.
    let isShared =
      direction != nil
      && [request, answer].allSatisfy { channel in
        channel?.kinds.contains { $0.commands.contains { $0.number == command.number } } ?? false
      }
    line(2, "- command: \(number ?? "other")")
    line(
      4,
      "name: \(suffix.map { "command_\($0)" } ?? "frame")\(isShared ? ".\(direction ?? "")" : "")",
      "\(GadgetWords.count(command.frames.count, "frame")) of \(GadgetWords.range(command.sizes))")
    if let direction { line(4, "direction: \(direction)") }
    if answer == nil { line(4, "answered: false") }
    writeFields(command, of: kind)
    // The shortest frames are the easiest to read.
    let examples = Self.examples(sound)
    guard !examples.isEmpty else { return }
    line(4, "examples:")
    for found in examples {
      let packets = kind.packets(of: found)
      let hex = "\"\(GadgetWords.hex(found.bytes))\""
      let first = packets[0]
      let last = packets[packets.count - 1]
      let source = first == last ? "#\(first)" : "#\(first)-\(last)"
      line(6, "- {hex: \(hex), source: \"\(source)\"}")
    }
  }

  /// Returns up to two different frames of up to 64 bytes, or one of up to 512.
  private static func examples(_ frames: [FoundFrame]) -> [FoundFrame] {
    var known: Set<[UInt8]> = []
    var chosen: [FoundFrame] = []
    for found in frames where found.bytes.count <= 64 {
      if known.insert(found.bytes).inserted { chosen.append(found) }
      if chosen.count == 2 { return chosen }
    }
    if chosen.isEmpty, let long = frames.first(where: { $0.bytes.count <= 512 }) { return [long] }
    return chosen
  }

  // MARK: Fields

  /// A run of bytes of a payload.
  struct Field {
    var at: Int
    var size: Int
    var words: String
    var comment = ""
    /// Whether nothing is known of it but that it changes.
    var isChange = false
  }

  private mutating func writeFields(_ command: LearntCommand, of kind: GadgetFrame) {
    let first = kind.payloadFirst
    let checksum = Self.checksum(of: command, kind)
    let end = command.sizes.lowerBound - max(kind.frame.tail, checksum?.width ?? 0)
    var fields = shownFields(command, kind, first, end)
    var at = first
    var result: [Field] = []
    fields.sort { $0.at < $1.at }
    for field in fields where field.at >= at {
      result += Self.gapFields(command, at, field.at)
      result.append(field)
      at = field.at + field.size
    }
    let isFixed = command.sizes.lowerBound == command.sizes.upperBound
    if isFixed || !fields.isEmpty { result += Self.gapFields(command, at, end) }
    let hasTail = !isFixed || (fields.isEmpty && result.isEmpty)
    guard !(isFixed && end <= first) else {
      line(4, "fields: []")
      return
    }
    if !isFixed, fields.isEmpty { result = Self.gapFields(command, first, end, isHead: true) }
    line(4, "fields:")
    for field in result { line(6, "- {\(field.words)}", field.comment) }
    if let checksum {
      line(
        6,
        "- {name: checksum, type: u\(8 * checksum.width), "
          + "endian: \(checksum.isBigEndian ? "big" : "little"), "
          + "checksum: {algorithm: \(GadgetWords.algorithm(checksum.algorithm)), "
          + "from: \(checksum.first - first)}}",
        "\(checksum.evidence.matches) of \(checksum.evidence.frames) frames (\(checksum.confidence.name))"
      )
    }
    if hasTail { line(6, "- {name: payload, type: bytes, optional: true}") }
  }

  /// Returns the checksum that only the frames of a command have, at the end of their payload.
  private static func checksum(of command: LearntCommand, _ kind: GadgetFrame) -> LearntChecksum? {
    guard let partial = kind.frame.partial, partial.checksum.after == 0,
      partial.checksum.first >= kind.payloadFirst,
      command.sizes.lowerBound == command.sizes.upperBound,
      command.frames.allSatisfy({ $0.bytes.starts(with: partial.start) })
    else { return nil }
    return partial.checksum
  }

  /// Returns the fields of numbers that the app showed and whose place is clear.
  private func shownFields(
    _ command: LearntCommand, _ kind: GadgetFrame, _ first: Int, _ end: Int
  ) -> [Field] {
    var fields: [Field] = []
    for number in gadget.shown {
      guard let place = number.places.first,
        number.places.count == 1 || (number.shown.count > 1 && number.places.count <= 3),
        place.at >= first, place.at + place.type.width <= end,
        number.shown.contains(where: { shown in
          command.frames.contains { kind.packets(of: $0).contains(shown.packet) }
        }),
        !fields.contains(where: {
          $0.at < place.at + place.type.width && place.at < $0.at + $0.size
        })
      else { continue }
      var words = "name: \(Self.fieldName(number.name, place.at)), type: \(place.type.key)"
      if place.type.width > 1 { words += ", endian: \(place.isBigEndian ? "big" : "little")" }
      if place.multiply != 1 { words += ", scale: {multiply: \(place.multiply)}" }
      if place.divide != 1 { words += ", scale: {divide: \(place.divide)}" }
      var comment = "shown in \(number.shown.map { "#\($0.packet)" }.joined(separator: ", "))"
      if number.places.count > 1 { comment += "; or \(number.places[1].words)" }
      fields.append(
        Field(at: place.at, size: place.type.width, words: words, comment: comment))
    }
    return fields
  }

  /// Returns a name for a field: what the user called it, in the language's characters.
  private static func fieldName(_ name: String, _ at: Int) -> String {
    let reserved: [StaticString] = ["size", "remaining", "index", "written", "command"]
    let words = ProfileName.of(name)
    let isReserved = reserved.contains { $0.bytes.array == Array(words.utf8) }
    return words.isEmpty ? "number_\(at)" : isReserved ? "\(words)_\(at)" : words
  }

  /// Returns fields for bytes that nothing is known of but what they do.
  ///
  /// - Parameter isHead: whether more bytes may follow, so that those that only change are left to
  ///   them.
  static func gapFields(
    _ command: LearntCommand, _ start: Int, _ end: Int, isHead: Bool = false
  ) -> [Field] {
    // What a few frames have in common may be chance, but not a text.
    let isFew = command.frames.count < 4
    var fields: [Field] = []
    var at = start
    while at < end {
      let kind = Self.run(command.columns[at].kind, isFew: isFew)
      var last = at + 1
      if kind != .counter {
        while last < end, Self.run(command.columns[last].kind, isFew: isFew) == kind { last += 1 }
      }
      let size = last - at
      switch kind {
      case .constant:
        let bytes = command.columns[at..<last].map { column -> UInt8 in
          if case .constant(let byte) = column.kind { return byte }
          return 0
        }
        fields.append(
          Field(
            at: at, size: size, words: "name: constant_\(at), type: bytes, size: \(size)",
            comment:
              "always \(GadgetWords.hex(Array(bytes.prefix(16))))\(size > 16 ? " and more" : "")"))
      case .counter:
        fields.append(
          Field(at: at, size: 1, words: "name: counter_\(at), type: u8", comment: "counts up"))
      case .text:
        fields.append(
          Field(at: at, size: size, words: "name: text_\(at), type: text, size: \(size)"))
      case .change:
        fields.append(
          Field(
            at: at, size: size, words: "name: bytes_\(at), type: bytes, size: \(size)",
            isChange: true))
      }
      at = last
    }
    if isHead {
      // Only what is known before the first bytes that change.
      return Array(fields.prefix { !$0.isChange })
    }
    guard fields.count <= 40 else {
      let size = end - start
      return [
        Field(
          at: start, size: size, words: "name: bytes_\(start), type: bytes, size: \(size)",
          isChange: true)
      ]
    }
    return fields
  }

  private enum Run { case constant, counter, text, change }

  private static func run(_ kind: ColumnKind, isFew: Bool) -> Run {
    switch kind {
    case .constant: isFew ? .change : .constant
    case .counter: isFew ? .change : .counter
    case .text: .text
    case .range: .change
    }
  }
}

extension GadgetFrame {
  /// The start as a pattern: a length among its bytes is free.
  fileprivate var startPattern: String {
    guard let length = frame.length else { return GadgetWords.hex(frame.start) }
    let places = length.at..<length.at + length.width
    return frame.start.enumerated()
      .map { places.contains($0.offset) ? "??" : GadgetWords.hex([$0.element]) }
      .joined(separator: " ")
  }

  /// Whether other frames differ in their payload only.
  fileprivate func isAlike(_ other: GadgetFrame) -> Bool {
    func parts(_ kind: GadgetFrame) -> [Int] {
      let (length, checksum) = (kind.frame.length, kind.frame.checksum)
      return [
        length?.at ?? -1, length?.width ?? 0, length?.isBigEndian ?? true ? 1 : 0,
        length?.add ?? 0, checksum?.after ?? -1, checksum?.first ?? -1,
        checksum?.isBigEndian ?? true ? 1 : 0, kind.command ?? -1, kind.sequence ?? -1,
        kind.frame.padding.map(Int.init) ?? -1, kind.payloadFirst,
        kind.frame.length == nil && kind.frame.isJoined ? kind.frame.size ?? -1 : -1,
      ]
    }
    return parts(self) == parts(other) && frame.start == other.frame.start
      && frame.end == other.frame.end
      && frame.checksum?.algorithm == other.frame.checksum?.algorithm
      && frame.partial == nil && other.frame.partial == nil
  }
}
