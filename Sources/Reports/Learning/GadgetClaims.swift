import Bluetooth
import Bytes
import Decoders
import Learning

/// A line of what was learnt, the same in text, profiles and JSON.
struct GadgetClaim: Sendable {
  enum Subject: Sendable {
    case start, length, size, checksum, end, padding, parts, command, sequence, answers

    var key: StaticString {
      switch self {
      case .start: "start"
      case .length: "length"
      case .size: "size"
      case .checksum: "checksum"
      case .end: "end"
      case .padding: "padding"
      case .parts: "parts"
      case .command: "command"
      case .sequence: "sequence"
      case .answers: "answers"
      }
    }
  }

  var subject: Subject
  var text: String
  /// What it was seen in.
  var support: String
  /// Nil: it follows from others, or is only likely to be useful.
  var confidence: Confidence?

  /// The evidence in a profile's comment.
  var comment: String { support + (confidence.map { " (\($0.name))" } ?? "") }
}

extension FrameLayout.Counted {
  /// The name in profiles.
  var words: String {
    switch self {
    case .frame: "frame"
    case .after: "after"
    case .payload: "payload"
    }
  }
}

/// Words for what was learnt.
enum GadgetWords {
  private static func string(_ write: (inout Output) -> Void) -> String {
    var text = Output()
    write(&text)
    return String(decoding: text.bytes.array, as: UTF8.self)
  }

  static func hex(_ bytes: [UInt8]) -> String {
    string { $0.hex(bytes.bytes, separator: 0x20) }
  }

  static func number(_ value: UInt32, digits: Int) -> String {
    string { $0.hexadecimal(UInt64(value), digits: digits) }
  }

  static func uuid(_ uuid: BluetoothUUID) -> String {
    string { $0.uuid(uuid.shortest) }
  }

  /// Returns the characteristic as it is printed: its UUID, or its handle; or the serial channel.
  static func name(_ channel: ChannelValues) -> String {
    if let serial = channel.serial { return string { $0.channel(serial) } }
    if let characteristic = channel.characteristic { return uuid(characteristic) }
    return channel.handle.map { number(UInt32($0), digits: 4) } ?? "an unknown attribute"
  }

  static func flow(_ flow: ChannelValues.Flow) -> StaticString {
    switch flow {
    case .written: "written"
    case .pushed: "notified"
    case .read: "read"
    }
  }

  /// Returns what the values of a channel are called in text. On serial channels, nothing is
  /// written or notified.
  static func direction(_ channel: ChannelValues) -> StaticString {
    guard channel.serial != nil else { return flow(channel.flow) }
    return channel.flow == .written ? "to the server" : "from the server"
  }

  static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }

  static func milliseconds(_ nanoseconds: Int64) -> String {
    nanoseconds < 10_000_000_000
      ? "\(nanoseconds / 1_000_000) ms" : "\(nanoseconds / 1_000_000_000) s"
  }

  /// Returns an algorithm as profiles have it: its name, or its parameters.
  static func algorithm(_ algorithm: ChecksumAlgorithm) -> String {
    if algorithm.number != nil { return algorithm.name }
    let digits = 2 * algorithm.width
    let bits = 8 * algorithm.width
    var parts: [String]
    switch algorithm.kind {
    case .xor: parts = ["xor: \(bits)"]
    case .sum: parts = ["sum: \(bits)"]
    case .crc:
      parts = ["crc: \(bits)", "poly: \(number(algorithm.polynomial, digits: digits))"]
      if algorithm.reflectsInput { parts.append("reflect: true") }
    }
    for (key, value) in [
      ("init", algorithm.initial), ("xorout", algorithm.inverted), ("add", algorithm.added),
    ] where value != 0 {
      parts.append("\(key): \(number(value, digits: digits))")
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  static func range(_ range: ClosedRange<Int>) -> String {
    range.lowerBound == range.upperBound
      ? count(range.lowerBound, "byte") : "\(range.lowerBound) to \(range.upperBound) bytes"
  }
}

extension GadgetFrame {
  /// What the length counts, in a profile's words: `counts` and `add`.
  var counted: (counts: FrameLayout.Counted, add: Int) {
    guard let length = frame.length else { return (.frame, 0) }
    if length.add == 0 { return (.frame, 0) }
    if length.add == payloadFirst + frame.tail, payloadFirst == length.at + length.width {
      return (.payload, 0)
    }
    if length.add == length.at + length.width { return (.after, 0) }
    return (.frame, length.add)
  }

  private var lengthWords: String {
    guard let length = frame.length else { return "" }
    let type =
      length.width == 1 ? "u8" : length.isBigEndian ? "u16, big endian" : "u16, little endian"
    let (counts, add) = counted
    let what =
      switch counts {
      case .payload:
        frame.checksum == nil ? "what follows it" : "what is between it and the checksum"
      case .after: "what follows it"
      case .frame:
        add == 0
          ? "the whole frame"
          : add > 0 ? "the frame without \(add) bytes" : "the frame and \(-add) bytes more"
      }
    return "byte \(length.at), \(type): \(what)"
  }

  private func words(_ checksum: LearntChecksum) -> String {
    let place =
      switch (checksum.width, checksum.after) {
      case (1, 0): "the last byte"
      case (let width, 0): "the last \(width) bytes"
      case (1, 1): "the byte before the last"
      case (1, let after): "the byte before the last \(after)"
      case (let width, 1): "\(width) bytes before the last"
      case (let width, let after): "\(width) bytes before the last \(after)"
      }
    let order = checksum.width == 1 ? "" : checksum.isBigEndian ? ", big endian" : ", little endian"
    return "\(place), \(GadgetWords.algorithm(checksum.algorithm))\(order),"
      + " over byte \(checksum.first) to it"
  }

  /// Everything that is claimed of these frames.
  var claims: [GadgetClaim] {
    let seen = GadgetWords.count(frame.different, "different frame")
    let best = [frame.checksum?.confidence, frame.length?.confidence].compactMap(\.self)
    let sure: Confidence? = best.contains(.certain) ? .certain : best.first
    var claims: [GadgetClaim] = []
    func add(
      _ subject: GadgetClaim.Subject, _ text: String, _ support: String, _ sure: Confidence? = nil
    ) {
      claims.append(GadgetClaim(subject: subject, text: text, support: support, confidence: sure))
    }
    if !frame.start.isEmpty {
      add(.start, GadgetWords.hex(frame.start), "all of \(seen)", sure)
    }
    if let length = frame.length {
      add(
        .length, lengthWords,
        "\(GadgetWords.count(length.lengths, "length"))\(exceptions(length.evidence))",
        length.confidence)
    } else if let size = frame.size {
      add(.size, "\(size) bytes", "all of \(seen)")
    }
    if let checksum = frame.checksum {
      add(
        .checksum, words(checksum),
        "\(checksum.evidence.matches) of \(checksum.evidence.frames) frames", checksum.confidence)
    }
    if let partial = frame.partial {
      add(
        .checksum, "\(words(partial.checksum)), after \(GadgetWords.hex(partial.start))",
        "\(partial.checksum.evidence.matches) of \(partial.checksum.evidence.frames) frames",
        partial.checksum.confidence)
    }
    if !frame.end.isEmpty { add(.end, GadgetWords.hex(frame.end), "all of \(seen)", sure) }
    if let padding = frame.padding {
      add(.padding, GadgetWords.hex([padding]), "the rest of each value", sure)
    }
    if let sequence { add(.sequence, "byte \(sequence)", "it counts requests", sequenceConfidence) }
    if let command {
      let numbers = commands.compactMap(\.number)
      add(
        .command,
        "byte \(command): \(GadgetWords.hex(Array(numbers.prefix(20))))"
          + (numbers.count > 20 ? " and \(numbers.count - 20) more" : ""),
        commandConfidence == nil
          ? "length and constant bytes depend on it" : "the answers depend on it",
        commandConfidence ?? .likely)
    }
    return claims
  }

  private func exceptions(_ evidence: Evidence) -> String {
    evidence.exceptions == 0
      ? "" : ", \(GadgetWords.count(evidence.exceptions, "exception"))"
  }
}

extension Gadget.Link {
  var claims: [GadgetClaim] {
    exchange.rules.prefix(6).map { rule in
      let follows =
        switch rule.rule {
        case .same: "repeats byte \(rule.request) of the request"
        case .highBit: "is byte \(rule.request) of the request with the highest bit set"
        case .plus(let number):
          "is byte \(rule.request) of the request plus \(GadgetWords.number(UInt32(number), digits: 2))"
        }
      return GadgetClaim(
        subject: rule.isCounter ? .sequence : .answers,
        text: "byte \(rule.answer) of the answer \(follows)",
        support: "\(rule.matches) of \(rule.pairs)", confidence: rule.confidence)
    }
  }

  var summary: String {
    "\(exchange.answered) of \(GadgetWords.count(exchange.requests, "request")) answered"
      + (exchange.latency.map { " in \(GadgetWords.milliseconds($0))" } ?? "")
  }
}

extension GadgetChannel {
  /// Why there is no frame, or nil if there is one.
  var remarkWords: String? {
    switch learnt.remark {
    case nil: nil
    case .tooFew(0): "no complete value"
    case .tooFew(let different):
      "\(GadgetWords.count(different, "different value is", "different values are")) too few: at least \(LearntChannel.leastDifferent)"
    case .blocks(let size): "blocks of \(size) bytes without structure: encrypted?"
    case .text: "text, which a profile with frame: {lines: true} can read"
    case .nothing: "no length and no checksum was found"
    }
  }

  /// What was used, if it is not everything.
  var limitWords: [String] {
    var words: [String] = []
    if values.count < source.sample.seen, learnt.onlyConnection == nil {
      words.append("an even sample of \(values.count) values was used")
    }
    if let only = learnt.onlyConnection {
      words.append("only the values of connection \(only) have frames")
    }
    if source.cut > 0 {
      words.append("\(GadgetWords.count(source.cut, "incomplete value")) left out")
    }
    if !learnt.rest.isEmpty, !kinds.isEmpty {
      words.append(
        "\(GadgetWords.count(learnt.rest.count, "value")) in no frame, such as "
          + GadgetWords.hex(Array(learnt.rest[0].bytes.prefix(12))))
    }
    return words
  }

  /// What should be captured to know more.
  var wishes: [String] {
    let name = GadgetWords.name(source)
    guard !kinds.isEmpty else {
      if case .tooFew = learnt.remark {
        return ["capture more values of \(name): do something else in the app"]
      }
      return []
    }
    var wishes: [String] = []
    for kind in kinds {
      if kind.frame.length == nil, let size = kind.frame.size, kind.frame.frames.count > 0 {
        wishes.append(
          "all \(kind.frame.different) frames of \(name) have \(size) bytes: "
            + "capture a longer one to prove a length")
      }
      if kind.frame.checksum == nil, kind.frame.partial == nil {
        wishes.append("\(name): more different frames may show a checksum")
      } else if kind.frame.checksum?.confidence == .likely {
        wishes.append(
          "\(name): more different frames can make the checksum certain"
            + (kind.frame.different < Evidence.certainFrames
              ? ", from \(Evidence.certainFrames) on" : ""))
      }
    }
    return wishes
  }
}
