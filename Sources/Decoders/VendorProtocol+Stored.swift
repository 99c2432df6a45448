import Bluetooth

// The stored form of a protocol; see TableCoding.swift.

extension FrameLayout.Part {
  fileprivate func write(_ writer: inout TableWriter) {
    writer.number(at)
    writer.count(width << 1 | (isBigEndian ? 1 : 0))
  }

  fileprivate init(_ reader: inout TableReader) {
    let at = reader.number()
    let form = reader.count()
    self.init(at: at, width: max(1, min(8, form >> 1)), isBigEndian: form & 1 == 1)
  }
}

extension TableWriter {
  /// Appends an optional element.
  fileprivate mutating func optional<Element>(
    _ element: Element?, _ write: (inout TableWriter, Element) -> Void
  ) {
    list(element.map { [$0] } ?? [], write)
  }
}

extension FrameLayout {
  fileprivate func write(_ writer: inout TableWriter) {
    writer.list(start) { $0.number($1.map { Int($0) } ?? -1) }
    switch ending {
    case .value: writer.count(0)
    case .fixed(let size):
      writer.count(1)
      writer.count(size)
    case .length(let part, let counted, let add):
      writer.count(2)
      part.write(&writer)
      writer.count(counted.rawValue)
      writer.number(add)
    case .delimiter(let bytes):
      writer.count(3)
      writer.run(bytes)
    case .lines: writer.count(4)
    }
    writer.list(command) { $1.write(&$0) }
    writer.optional(sequence) { $1.write(&$0) }
    writer.number(payloadFirst)
    writer.number(payloadEnd)
    writer.optional(checksum) { writer, checksum in
      checksum.part.write(&writer)
      writer.count(checksum.algorithm.number ?? 0)
      writer.number(checksum.first)
      writer.number(checksum.end)
    }
    writer.optional(chunk) { writer, chunk in
      chunk.index.write(&writer)
      writer.number(chunk.first)
      writer.optional(chunk.count) { $1.write(&$0) }
      writer.optional(chunk.last) { $0.number($1) }
      writer.count(chunk.timeout)
      writer.count(chunk.most)
    }
    writer.optional(padding) { $0.count(Int($1)) }
    writer.optional(timeout) { $0.count($1) }
    writer.count(most)
  }

  fileprivate init(_ reader: inout TableReader) {
    self.init()
    start = reader.list { UInt8(exactly: $0.number()) }
    switch reader.count() {
    case 1: ending = .fixed(reader.count())
    case 2:
      let part = Part(&reader)
      let counted = Counted(rawValue: reader.count()) ?? .frame
      ending = .length(part, counted, add: reader.number())
    case 3: ending = .delimiter(reader.run())
    case 4: ending = .lines
    default: break
    }
    command = reader.list { Part(&$0) }
    sequence = reader.optional { Part(&$0) }
    payloadFirst = reader.number()
    payloadEnd = reader.number()
    checksum =
      reader.optional { reader in
        let part = Part(&reader)
        let algorithm = ChecksumAlgorithm.named(reader.count()) ?? .xor8
        let first = reader.number()
        return Checksum(part: part, algorithm: algorithm, first: first, end: reader.number())
      }
    chunk =
      reader.optional { reader in
        let index = Part(&reader)
        let first = reader.number()
        let count = reader.optional { Part(&$0) }
        let last = reader.optional { $0.number() }
        var chunk = Chunk(index: index, first: first, count: count, last: last)
        chunk.timeout = reader.count()
        chunk.most = reader.count()
        return chunk
      }
    padding = reader.optional { UInt8(truncatingIfNeeded: $0.count()) }
    timeout = reader.optional { $0.count() }
    most = reader.count()
  }
}

extension FrameLayout {
  /// Whether it has something that only its extended form holds.
  fileprivate var needsExtension: Bool {
    isRequest != nil || !tail.isEmpty || escape != nil
      || checksum.map { $0.algorithm.number == nil || $0.empty != nil } ?? false
  }

  fileprivate func writeExtended(_ writer: inout TableWriter) {
    write(&writer)
    writer.optional(isRequest) { $0.count($1 ? 1 : 0) }
    writer.run(tail)
    writer.optional(escape) { writer, escape in
      writer.count(Int(escape.byte))
      writer.run(escape.pairs.flatMap { [$0.code, $0.original] })
      writer.optional(escape.mask) { $0.count(Int($1)) }
    }
    writer.optional(checksum) { writer, checksum in
      checksum.algorithm.write(&writer)
      writer.optional(checksum.empty) { $0.count(Int($1)) }
    }
  }

  fileprivate init(extended reader: inout TableReader) {
    self.init(&reader)
    isRequest = reader.optional { $0.count() == 1 }
    tail = reader.run()
    escape =
      reader.optional { reader in
        let byte = UInt8(truncatingIfNeeded: reader.count())
        let pairs = reader.run()
        let mask = reader.optional { UInt8(truncatingIfNeeded: $0.count()) }
        return FrameEscape(
          byte: byte,
          pairs: stride(from: 0, to: pairs.count - pairs.count % 2, by: 2).map {
            FrameEscape.Pair(code: pairs[$0], original: pairs[$0 + 1])
          }, mask: mask)
      }
    let (algorithm, empty) =
      reader.optional { reader in
        let algorithm = ChecksumAlgorithm(&reader)
        return (algorithm, reader.optional { UInt32(truncatingIfNeeded: $0.count()) })
      } ?? (.xor8, nil)
    checksum?.algorithm = algorithm
    checksum?.empty = empty
  }
}

extension VendorProtocol.Exchange {
  func write(_ writer: inout TableWriter) {
    for rule in [request, response] {
      writer.optional(rule) { writer, rule in
        writer.list(rule) { $1.write(&$0) }
      }
    }
    writer.count(usesSequence ? 1 : 0)
    writer.count(timeout)
    writer.string(requestField)
  }

  init(_ reader: inout TableReader) {
    self.init()
    request = reader.optional { reader in reader.list { Operation(&$0) } }
    response = reader.optional { reader in reader.list { Operation(&$0) } }
    usesSequence = reader.count() == 1
    timeout = reader.count()
    requestField = reader.string()
  }
}

extension VendorProtocol {
  /// The stored form.
  package var stored: [UInt8] { stored(includesMessages: true) }

  /// The stored form of everything but the messages.
  package var storedHead: [UInt8] { stored(includesMessages: false) }

  private func stored(includesMessages: Bool) -> [UInt8] {
    var writer = TableWriter()
    writer.string(profile)
    writer.string(title)
    writer.list(claims) { writer, claim in
      writer.optional(claim.device) { $0.string($1) }
      writer.optional(claim.service) { $0.uuid($1) }
      writer.optional(claim.characteristic) { $0.uuid($1) }
      writer.optional(claim.company) { $0.count(Int($1)) }
      // A channel's number plus 1, since most have none.
      let channel = claim.channel.map { Int($0.number) + 1 } ?? 0
      writer.count(channel << 1 | (claim.isFrame ? 1 : 0))
    }
    for channels in [requests, responses] { writer.list(channels) { Self.write($1, &$0) } }
    // Few protocols have more than one simple layout; the others are stored as they always were.
    let simple = frames.count == 1 && !frames[0].needsExtension ? frames[0] : nil
    (simple ?? FrameLayout()).write(&writer)
    exchange.write(&writer)
    writer.count(hasSecrets ? 1 : 0)
    if includesMessages { writer.run(storedMessages) }
    if simple == nil { writer.list([FrameLayout](frames)) { $1.writeExtended(&$0) } }
    return writer.bytes
  }

  /// The stored form of the messages.
  package var storedMessages: [UInt8] {
    var writer = TableWriter()
    writer.list(messages) { writer, message in
      writer.list(message.commands.map { [$0.lowerBound, $0.upperBound] } ?? []) { $0.number($1) }
      writer.optional(message.isRequest) { $0.count($1 ? 1 : 0) }
      writer.count(
        (message.isUnsolicited ? 1 : 0) | (message.isUnanswered ? 2 : 0)
          | (message.isImplied ? 4 : 0) | (message.condition == nil ? 0 : 8)
          | (message.beginning.isEmpty ? 0 : 16))
      if !message.beginning.isEmpty { writer.run(message.beginning) }
      if let condition = message.condition { writer.list(condition) { $1.write(&$0) } }
      writer.optional(message.series) { writer, series in
        writer.count(series.count)
        writer.number(series.command)
        writer.string(series.index)
        writer.number(series.first)
        writer.count(series.timeout)
      }
      writer.run(message.definition.stored)
    }
    return writer.bytes
  }

  private static func write(_ channel: Channel, _ writer: inout TableWriter) {
    switch channel {
    case .write: writer.count(0)
    case .notify: writer.count(1)
    case .read: writer.count(2)
    case .characteristic(let uuid):
      writer.count(3)
      writer.uuid(uuid)
    }
  }

  private static func channel(_ reader: inout TableReader) -> Channel {
    switch reader.count() {
    case 0: .write
    case 1: .notify
    case 2: .read
    default: .characteristic(reader.uuid())
    }
  }

  /// Creates a protocol from its stored form; nil if that is damaged.
  ///
  /// - Parameter place: where `BuiltInProfiles` has its messages; nil if they follow the rest.
  package convenience init?(stored bytes: [UInt8], messagesAt place: Int? = nil) {
    var reader = TableReader(bytes)
    let profile = reader.string()
    let title = reader.string()
    let claims = reader.list { reader in
      var claim = Claim()
      claim.device = reader.optional { $0.string() }
      claim.service = reader.optional { $0.uuid() }
      claim.characteristic = reader.optional { $0.uuid() }
      claim.company = reader.optional { UInt16(truncatingIfNeeded: $0.count()) }
      let rest = reader.count()
      claim.isFrame = rest & 1 == 1
      if rest > 1 {
        claim.channel = SerialChannel(number: UInt32(truncatingIfNeeded: rest >> 1 - 1))
      }
      return claim
    }
    let requests = reader.list { Self.channel(&$0) }
    let responses = reader.list { Self.channel(&$0) }
    let frame = FrameLayout(&reader)
    let exchange = Exchange(&reader)
    let hasSecrets = reader.count() == 1
    let messages = place == nil ? Self.messages(reader.run()) : nil
    var frames = [frame]
    if !reader.isAtEnd { frames = reader.list { FrameLayout(extended: &$0) } }
    guard !frames.isEmpty, reader.isSound, reader.isAtEnd else { return nil }
    self.init(
      profile: profile, title: title, claims: claims, requests: requests,
      responses: responses, frames: frames, exchange: exchange, messages: messages,
      messagesAt: place ?? 0,
      hasSecrets: hasSecrets)
  }

  /// Returns the messages of a stored protocol; none if their form is damaged.
  static func messages(_ stored: [UInt8]) -> [Message] {
    var reader = TableReader(stored)
    let messages = reader.list { Self.message(&$0) }
    guard reader.isSound, reader.isAtEnd, !messages.contains(where: { $0 == nil }) else {
      return []
    }
    return messages.compactMap { $0 }
  }

  private static func message(_ reader: inout TableReader) -> Message? {
    let commands = reader.list { $0.number() }
    let isRequest = reader.optional { $0.count() == 1 }
    let flags = reader.count()
    let beginning = flags & 16 == 16 ? reader.run() : []
    let condition = flags & 8 == 8 ? reader.list { Operation(&$0) } : nil
    let series =
      reader.optional { reader in
        let count = reader.count()
        let command = reader.number()
        let index = reader.string()
        let first = reader.number()
        return Series(
          count: count, command: command, index: index, first: first, timeout: reader.count())
      }
    guard let definition = Definition(stored: reader.run()) else { return nil }
    let range = commands.count == 2 && commands[0] <= commands[1] ? commands[0]...commands[1] : nil
    return Message(
      commands: range, beginning: beginning, condition: condition,
      isRequest: isRequest, isUnsolicited: flags & 1 == 1,
      isUnanswered: flags & 2 == 2, series: series,
      definition: definition, isImplied: flags & 4 == 4)
  }
}
