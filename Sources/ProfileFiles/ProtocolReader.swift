import Bluetooth
import Decoders

/// Reads the keys of a vendor's protocol: where it is used, frames, messages.
struct ProtocolReader {
  let frame: FrameLayout
  private let header: SourceNode?
  private let context: FileContext

  /// Reads `frame`; without it each write or notification is a frame.
  init(_ node: SourceNode?, _ context: FileContext) throws(ProfileError) {
    self.context = context
    guard let node else {
      frame = FrameLayout()
      header = nil
      return
    }
    let keys = try KeyedNode(node, "a mapping of the frame's parts")
    let isBig = context.isBigEndian
    header = keys.node("header")
    var frame = FrameLayout()
    var parts = FrameParts()
    frame.start = try keys.node("start")?.pattern(allowsAny: true) ?? []
    var behind = frame.start.count
    if let command = keys.node("command") {
      if case .list(let list) = command.content {
        guard (1...4).contains(list.count) else {
          throw command.error("a command has up to four parts")
        }
        for node in list { frame.command.append(try Self.part(node, isBig)) }
        for (part, node) in zip(frame.command, list) { parts.add("command", part, node) }
      } else {
        frame.command = [try Self.part(command, isBig)]
        parts.add("command", frame.command[0], command)
      }
      guard frame.command.reduce(0, { $0 + $1.width }) <= 7 else {
        throw command.error("a command has up to seven bytes")
      }
    }
    frame.sequence = try keys.node("sequence").map { node throws(ProfileError) in
      try Self.part(node, isBig)
    }
    parts.add("sequence", frame.sequence, keys.node("sequence"))
    if let checksum = keys.node("checksum") { frame.checksum = try Self.checksum(checksum, isBig) }
    parts.add("checksum", frame.checksum?.part, keys.node("checksum"))
    let ending = try Self.ending(keys, isBig)
    if case .length(let part, _, _) = ending { parts.add("length", part, keys.node("length")) }
    for part in frame.command where part.at >= 0 { behind = max(behind, part.at + part.width) }
    if case .length(let part, _, _) = ending { behind = max(behind, part.at + part.width) }
    if let sequence = frame.sequence, sequence.at >= 0 {
      behind = max(behind, sequence.at + sequence.width)
    }
    frame.ending = ending
    frame.payloadFirst = behind
    if let at = frame.checksum?.part.at, at < 0 { frame.payloadEnd = at }
    if case .delimiter(let end) = ending, frame.payloadEnd == 0 { frame.payloadEnd = -end.count }
    if let payload = keys.node("payload") {
      (frame.payloadFirst, frame.payloadEnd) = try Self.range(payload)
      guard frame.payloadFirst >= 0 else { throw payload.error("a payload begins at 0 or later") }
    }
    if let chunk = keys.node("chunk") { frame.chunk = try Self.chunk(chunk, isBig) }
    parts.add("chunk.index", frame.chunk?.index, keys.node("chunk"))
    parts.add("chunk.count", frame.chunk?.count, keys.node("chunk"))
    try parts.check(frame)
    if let reassemble = keys.node("reassemble") {
      let keys = try KeyedNode(reassemble, "a mapping of timeout_ms and max")
      frame.timeout = try keys.node("timeout_ms")?.number(in: 1...600_000) ?? 2000
      frame.most = try keys.node("max")?.number(in: 1...65_535) ?? 512
      try keys.finish()
    }
    if let padding = keys.node("padding") {
      let bytes = try padding.bytes()
      guard bytes.count == 1 else { throw padding.error("expected one byte, such as \"00\"") }
      frame.padding = bytes[0]
    }
    try keys.finish()
    self.frame = frame
  }

  /// Reads a number at a position.
  private static func part(
    _ node: SourceNode, _ isBigEndian: Bool,
    _ more: (KeyedNode) throws(ProfileError) -> Void = { _ in }
  ) throws(ProfileError) -> FrameLayout.Part {
    let keys = try KeyedNode(node, "a mapping of at and type")
    let at = try keys.required("at").number(in: -255...255)
    let width = try (try keys.required("type")).choice((1...8).map { ("u\(8 * $0)", $0) })
    let isBig = try DefinitionCompiler.isBigEndian(keys) ?? isBigEndian
    try more(keys)
    try keys.finish()
    guard at >= 0 || at + width <= 0 else { throw node.error("reaches over the frame's end") }
    return FrameLayout.Part(at: at, width: width, isBigEndian: isBig)
  }

  private static func ending(
    _ keys: KeyedNode, _ isBigEndian: Bool
  ) throws(ProfileError) -> FrameLayout.Ending {
    let given = ["length", "size", "end"].filter(keys.has)
    guard given.count <= 1 else {
      throw keys.node.error("a frame has only one of the keys \(given.joined(separator: " and "))")
    }
    if let size = keys.node("size") { return .fixed(try size.number(in: 1...65_535)) }
    if let end = keys.node("end") {
      return .delimiter(try end.ending())
    }
    guard let length = keys.node("length") else { return .value }
    var counted = FrameLayout.Counted.frame
    var add = 0
    let part = try part(length, isBigEndian) { keys throws(ProfileError) in
      counted =
        try keys.node("counts")?.choice([
          ("frame", .frame), ("after", .after), ("payload", .payload),
        ]) ?? .frame
      add = try keys.node("add")?.number(in: -255...255) ?? 0
    }
    guard part.at >= 0 else { throw length.error("a length is at offset 0 or later", key: "at") }
    return .length(part, counted, add: add)
  }

  private static func range(_ node: SourceNode) throws(ProfileError) -> (Int, Int) {
    let list = try node.list("a list of two places")
    guard list.count == 2 else { throw node.error("expected a list of two places") }
    return (try list[0].number(in: -255...255), try list[1].number(in: -255...65_535))
  }

  private static func checksum(
    _ node: SourceNode, _ isBigEndian: Bool
  ) throws(ProfileError) -> FrameLayout.Checksum {
    let keys = try KeyedNode(node, "a mapping of at, algorithm, over")
    let at = try keys.required("at").number(in: -255...255)
    let algorithm = try TableBuilder.algorithm(try keys.required("algorithm"))
    let isBig = try DefinitionCompiler.isBigEndian(keys) ?? isBigEndian
    let (first, end) =
      try keys.node("over").map { node throws(ProfileError) in
        try range(node)
      } ?? (0, at)
    try keys.finish()
    guard first >= 0 else {
      throw node.error("a checksum covers bytes from 0 or later", key: "over")
    }
    guard at >= 0 || at + algorithm.width <= 0 else {
      throw node.error(
        "reaches over the frame's end: \(algorithm.name) has \(algorithm.width) bytes")
    }
    return FrameLayout.Checksum(
      part: FrameLayout.Part(at: at, width: algorithm.width, isBigEndian: isBig),
      algorithm: algorithm, first: first, end: end)
  }

  private static func chunk(
    _ node: SourceNode, _ isBigEndian: Bool
  ) throws(ProfileError) -> FrameLayout.Chunk {
    let keys = try KeyedNode(node, "a mapping of index, first, count or last")
    let index = try part(try keys.required("index"), isBigEndian)
    let first = try keys.node("first")?.number() ?? 0
    let count = try keys.node("count").map { node throws(ProfileError) in
      try part(node, isBigEndian)
    }
    let last = try keys.node("last")?.number()
    var chunk = FrameLayout.Chunk(index: index, first: first, count: count, last: last)
    chunk.timeout = try keys.node("timeout_ms")?.number(in: 1...600_000) ?? chunk.timeout
    chunk.most = try keys.node("max")?.number(in: 1...65_535) ?? chunk.most
    try keys.finish()
    guard (count == nil) != (last == nil) else {
      throw node.error("either count or last is needed")
    }
    return chunk
  }

  // MARK: Messages

  /// Returns the message for commands that no other message has, if the profile does not contain
  /// one.
  func unknown(isSecret: Bool) -> String {
    let command = frame.command.isEmpty ? "" : "command {command:x2}"
    let payload = frame.command.isEmpty ? "[payload {payload}]" : "[, payload {payload}]"
    return """
      {command: other, name: unknown, fields: [{name: payload, type: bytes, optional: true, secret: \(isSecret)}],
      text: "\(command)\(payload)"}
      """
  }

  /// Reads a message and its examples.
  ///
  /// - Parameter isImplied: whether the profile does not contain it.
  func message(
    _ node: SourceNode, isImplied: Bool = false
  ) throws(ProfileError) -> (VendorProtocol.Message, [SourceNode]) {
    let keys = try KeyedNode(node, "a message")
    let commands = try self.commands(try keys.required("command"))
    let nameNode = try keys.required("name")
    let name = try nameNode.line("a name")
    guard
      name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({
        SourceNode.isName(String($0))
      })
    else { throw nameNode.error("expected names of a to z, digits and _ with dots between") }
    let isRequest = try keys.node("direction")?.choice([("request", true), ("response", false)])
    let isUnsolicited = try keys.node("unsolicited")?.flag() ?? false
    let isAnswered = try keys.node("answered")?.flag() ?? true
    var compiler = DefinitionCompiler(context, allowsCommand: true)
    let scope = Scope()
    if !frame.command.isEmpty {
      try compiler.command(node, width: frame.command.reduce(0) { $0 + $1.width }, scope)
    }
    if let header {
      try compiler.header(header, frame.payloadFirst, scope, isBigEndian: context.isBigEndian)
    }
    if let fields = keys.node("fields") {
      let isBig = try DefinitionCompiler.isBigEndian(keys) ?? context.isBigEndian
      try compiler.fields(fields, scope, isBigEndian: isBig)
    }
    let series = try keys.node("series").map { node throws(ProfileError) in
      try self.series(node, &compiler, scope)
    }
    let subject = Subject(
      .message, BluetoothUUID(upTo32Bits: UInt32(truncatingIfNeeded: commands?.lowerBound ?? 0)))
    let examples = try keys.node("examples")?.list("a list of examples") ?? []
    let definition = try ProfileReader.finish(&compiler, keys, scope, subject, name: name)
    let message = VendorProtocol.Message(
      commands: commands, isRequest: isRequest, isUnsolicited: isUnsolicited,
      isUnanswered: !isAnswered, series: series,
      definition: definition, isImplied: isImplied)
    return (message, examples)
  }

  /// Reads `command`: a number, a range, or a list of numbers for the command's parts; nil for
  /// `other`.
  private func commands(_ node: SourceNode) throws(ProfileError) -> ClosedRange<Int>? {
    if case .scalar("other") = node.content { return nil }
    guard !frame.command.isEmpty else {
      throw node.error("the frame has no command, so this can only be `other`")
    }
    guard case .list(let list) = node.content else {
      let range = try node.range()
      let bytes = frame.command.reduce(0) { $0 + $1.width }
      let most = 1 << (8 * bytes) - 1
      guard range.lowerBound >= 0, range.upperBound <= most else {
        throw node.error(
          "\(node.kind) is not a command of \(bytes == 1 ? "1 byte" : "\(bytes) bytes"), from 0 to \(most)"
        )
      }
      return range
    }
    guard list.count == frame.command.count else {
      throw node.error("the frame's command has \(frame.command.count) parts")
    }
    var command = 0
    for (number, part) in zip(list, frame.command) {
      command = command << (8 * part.width) | (try number.number(in: 0...1 << (8 * part.width) - 1))
    }
    return command...command
  }

  private func series(
    _ node: SourceNode, _ compiler: inout DefinitionCompiler, _ scope: Scope
  ) throws(ProfileError) -> VendorProtocol.Series {
    let keys = try KeyedNode(node, "a mapping of count and command")
    let count = try compiler.program(try keys.required("count"), scope)
    let command = try commands(try keys.required("command"))?.lowerBound ?? 0
    let index = try keys.node("index")?.name() ?? ""
    let first = try keys.node("first")?.number() ?? 0
    let timeout = try keys.node("timeout_ms")?.number(in: 1...3_600_000) ?? 5000
    try keys.finish()
    return VendorProtocol.Series(
      count: count, command: command, index: index, first: first, timeout: timeout)
  }

  /// The whole numbers of the header at fixed positions, and their bits, by name.
  var headerParts: [String: HeaderPart] {
    get throws(ProfileError) {
      guard let header else { return [:] }
      var parts: [String: HeaderPart] = [:]
      var at = 0
      for node in try header.list("a list of fields") {
        let keys = try KeyedNode(node, "a field")
        guard let type = try keys.node("type")?.text(), type.hasPrefix("u"),
          let bits = Int(type.dropFirst()), bits % 8 == 0, (8...64).contains(bits),
          !keys.has("when"), !keys.has("repeat")
        else { break }
        let isBig = try DefinitionCompiler.isBigEndian(keys) ?? context.isBigEndian
        let part = HeaderPart(at: at, width: bits / 8, isBigEndian: isBig)
        at += bits / 8
        guard let name = try keys.node("name")?.text() else { continue }
        parts[name] = part
        for node in try keys.node("bits")?.list("a list of bits") ?? [] {
          let keys = try KeyedNode(node, "bits")
          guard let bitName = try keys.node("name")?.text() else { continue }
          var inner = part
          if let bit = keys.node("bit") {
            inner.bit = try bit.number(in: 0...63)
            inner.bitCount = 1
          } else if let range = try keys.node("bits")?.list("two numbers"), range.count == 2 {
            inner.bit = try range[0].number(in: 0...63)
            inner.bitCount = max(1, try range[1].number(in: 0...63) - inner.bit + 1)
          }
          parts["\(name).\(bitName)"] = inner
        }
      }
      return parts
    }
  }

  /// Reads `applies_to`.
  static func claims(_ node: SourceNode) throws(ProfileError) -> [VendorProtocol.Claim] {
    var claims: [VendorProtocol.Claim] = []
    for node in try node.shortList("a list of mappings") {
      let keys = try KeyedNode(
        node, "a mapping of device, service, characteristic, rfcomm, psm, company, frame")
      var claim = VendorProtocol.Claim()
      claim.device = try keys.node("device")?.text()
      claim.service = try keys.node("service")?.uuid()
      claim.characteristic = try keys.node("characteristic")?.uuid()
      if let company = keys.node("company") {
        let text = try company.text("a company identifier")
        guard let number = UInt16(text, radix: 16) else {
          throw company.error(
            "expected a company identifier such as \"004c\", found \(company.kind)")
        }
        claim.company = number
      }
      if let node = keys.node("rfcomm") {
        claim.channel = .rfcomm(UInt8(try node.number(in: 1...30)))
      }
      if let node = keys.node("psm") {
        guard claim.channel == nil, claim.characteristic == nil else {
          throw node.error("a mapping names one of `characteristic`, `rfcomm` and `psm`")
        }
        claim.channel = .creditBased(PSM(rawValue: UInt16(try node.number(in: 1...0xffff))))
      } else if claim.channel != nil, claim.characteristic != nil {
        throw node.error("a mapping names one of `characteristic`, `rfcomm` and `psm`")
      }
      claim.isFrame = try keys.node("frame")?.flag() ?? false
      try keys.finish()
      guard claim != VendorProtocol.Claim() else { throw node.error("expected at least one key") }
      claims.append(claim)
    }
    return claims
  }

  /// Reads `requests` or `responses`.
  static func channels(_ node: SourceNode) throws(ProfileError) -> [VendorProtocol.Channel] {
    guard case .list = node.content else { return [try channel(node)] }
    var channels: [VendorProtocol.Channel] = []
    for node in try node.shortList("a list of channels") { channels.append(try channel(node)) }
    return channels
  }

  private static func channel(_ node: SourceNode) throws(ProfileError) -> VendorProtocol.Channel {
    switch try node.text("write, notify, read or a UUID") {
    case "write": return .write
    case "notify", "notification": return .notify
    case "read": return .read
    default: return .characteristic(try node.uuid())
    }
  }
}
