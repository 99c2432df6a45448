import Bluetooth
import Decoders

/// Reads the keys of a vendor's protocol: where it is used, frames, messages.
struct ProtocolReader {
  /// A layout with the fields of its header.
  private struct Form {
    var frame: FrameLayout
    var header: SourceNode?
    let node: SourceNode?

    /// Whether messages can be read without knowing which of the two layouts they have.
    func isAlike(_ other: Form) -> Bool {
      frame.command.map(\.width) == other.frame.command.map(\.width)
        && header?.line == other.header?.line
        && (frame.ending == .lines) == (other.frame.ending == .lines)
        && (header == nil || frame.payloadFirst == other.frame.payloadFirst)
    }
  }

  private let forms: [Form]
  private let context: FileContext

  /// The layouts of frames.
  var frames: [FrameLayout] { forms.map(\.frame) }

  /// Reads `frame`; without it each write or notification is a frame.
  init(_ node: SourceNode?, _ context: FileContext) throws(ProfileError) {
    self.context = context
    guard let node else {
      forms = [Form(frame: FrameLayout(), header: nil, node: nil)]
      return
    }
    let keys = try KeyedNode(node, "a mapping of the frame's parts")
    var forms: [Form] = []
    for (key, isRequest) in [("requests", true), ("responses", false)] {
      guard let own = keys.node(key) else { continue }
      var variants = [own]
      if case .list = own.content {
        variants = try own.shortList("the layouts of frames")
        guard !variants.isEmpty else { throw own.error("expected a layout or a list of them") }
      }
      for variant in variants {
        let merged = try keys.overridden(by: variant) { own in
          // Either of the two replaces the other.
          let ending: Set<String> = own.has("length") || own.has("size") ? ["length", "size"] : []
          return ending.union(["requests", "responses"])
        }
        var form = try Self.form(merged, variant, context)
        form.frame.isRequest = isRequest
        forms.append(form)
      }
    }
    for (key, isRequest) in [("requests", true), ("responses", false)]
    where !forms.contains(where: { $0.frame.isRequest == isRequest }) {
      let common = keys.without(["requests", "responses"])
      var form = try Self.form(common, node, context)
      guard !forms.isEmpty else {
        forms = [form]
        break
      }
      guard !form.frame.start.isEmpty || form.frame.ending != .value else {
        throw node.error("the key `\(key)` is missing")
      }
      form.frame.isRequest = isRequest
      forms.append(form)
    }
    self.forms = forms
    for isRequest in [true, false] {
      let own = forms.filter { $0.frame.isRequest ?? isRequest == isRequest }
      if let other = own.first(where: { !$0.isAlike(own[0]) }) {
        throw (other.node ?? node).error(
          "the layouts of one direction need the same `header` and equally long commands")
      }
    }
  }

  /// The directions in which messages are read: nil if what they depend on is the same in both.
  private var directions: [Bool?] {
    forms.allSatisfy { $0.isAlike(forms[0]) } ? [nil] : [true, false]
  }

  /// Returns a layout that messages of a direction have.
  private func form(_ isRequest: Bool?) -> Form {
    forms.first { $0.frame.isRequest == nil || $0.frame.isRequest == isRequest } ?? forms[0]
  }

  /// Returns whether a whole frame of each direction can show that the protocol is used: anywhere,
  /// or on a characteristic where it may be.
  func isRecognizable(anywhere: Bool) -> Bool {
    [true, false].allSatisfy { isRequest in
      frames.contains {
        $0.isRequest ?? isRequest == isRequest
          && (anywhere ? $0.isRecognizable : $0.isVerifiable)
      }
    }
  }

  /// Reads the keys of one layout.
  private static func form(
    _ keys: KeyedNode, _ node: SourceNode, _ context: FileContext
  ) throws(ProfileError) -> Form {
    let isBig = context.isBigEndian
    let header = keys.node("header")
    var frame = FrameLayout()
    var parts = FrameParts()
    frame.start = try keys.node("start")?.pattern(allowsAny: true) ?? []
    var behind = frame.start.count
    if let command = keys.node("command") {
      if case .list(let list) = command.content {
        guard (1...4).contains(list.count) else {
          throw command.error("a command has up to four parts")
        }
        for node in list { frame.command.append(try part(node, isBig)) }
        for (part, node) in zip(frame.command, list) { parts.add("command", part, node) }
      } else {
        frame.command = [try part(command, isBig)]
        parts.add("command", frame.command[0], command)
      }
      guard frame.command.reduce(0, { $0 + $1.width }) <= 7 else {
        throw command.error("a command has up to seven bytes")
      }
    }
    frame.sequence = try keys.node("sequence").map { node throws(ProfileError) in
      try part(node, isBig)
    }
    parts.add("sequence", frame.sequence, keys.node("sequence"))
    if let checksum = keys.node("checksum") {
      frame.checksum = try Self.checksum(checksum, isBig)
    }
    parts.add("checksum", frame.checksum?.part, keys.node("checksum"))
    let ending = try Self.ending(keys, isBig)
    if let escape = keys.node("escape") {
      guard case .delimiter(let end) = ending else {
        throw escape.error("bytes are only escaped in frames with `end` and without length or size")
      }
      frame.escape = try Self.escape(escape, end)
    }
    if ending.isMeasured, let end = keys.node("end") {
      frame.tail = try end.ending()
      frame.payloadEnd = -frame.tail.count
    }
    if case .length(let part, _, _) = ending { parts.add("length", part, keys.node("length")) }
    for part in frame.command where part.at >= 0 { behind = max(behind, part.at + part.width) }
    if case .length(let part, _, _) = ending { behind = max(behind, part.at + part.width) }
    if let sequence = frame.sequence, sequence.at >= 0 {
      behind = max(behind, sequence.at + sequence.width)
    }
    frame.ending = ending
    frame.payloadFirst = behind
    if let at = frame.checksum?.part.at, at < 0 { frame.payloadEnd = min(at, frame.payloadEnd) }
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
    return Form(frame: frame, header: header, node: node)
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
    guard !keys.has("length") || !keys.has("size") else {
      throw keys.node.error("a frame has only one of the keys length and size")
    }
    if let lines = keys.node("lines"), try lines.flag() {
      // What these keys place has no place in a text.
      for key in [
        "start", "length", "size", "end", "command", "sequence", "header", "payload",
        "checksum", "chunk",
      ] where keys.has(key) {
        throw lines.error("lines have no `\(key)`")
      }
      return .lines
    }
    if let size = keys.node("size") { return .fixed(try size.number(in: 1...65_535)) }
    guard let length = keys.node("length") else {
      return try keys.node("end").map { node throws(ProfileError) in
        .delimiter(try node.ending())
      } ?? .value
    }
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

  private static func escape(
    _ node: SourceNode, _ end: [UInt8]
  ) throws(ProfileError) -> FrameEscape {
    let keys = try KeyedNode(node, "a mapping of byte and pairs or xor")
    func byte(_ node: SourceNode) throws(ProfileError) -> UInt8 {
      let bytes = try node.bytes()
      guard bytes.count == 1 else { throw node.error("expected one byte, such as \"db\"") }
      return bytes[0]
    }
    let escape = try byte(try keys.required("byte"))
    guard !end.contains(escape) else { throw node.error("`end` contains the escape byte") }
    var pairs: [FrameEscape.Pair] = []
    for (key, value) in try keys.node("pairs")?.pairs("a mapping of bytes to bytes") ?? [] {
      pairs.append(FrameEscape.Pair(code: try byte(key), original: try byte(value)))
    }
    let mask = try keys.node("xor").map { node throws(ProfileError) in try byte(node) }
    try keys.finish()
    guard mask != nil || !pairs.isEmpty else {
      throw node.error("one of the keys `pairs` and `xor` is missing")
    }
    return FrameEscape(byte: escape, pairs: pairs, mask: mask)
  }

  private static func range(_ node: SourceNode) throws(ProfileError) -> (Int, Int) {
    let list = try node.list("a list of two places")
    guard list.count == 2 else { throw node.error("expected a list of two places") }
    return (try list[0].number(in: -255...255), try list[1].number(in: -255...65_535))
  }

  private static func checksum(
    _ node: SourceNode, _ isBigEndian: Bool
  ) throws(ProfileError) -> FrameLayout.Checksum {
    let keys = try KeyedNode(node, "a mapping of at, algorithm, over, empty")
    let at = try keys.required("at").number(in: -255...255)
    let algorithm = try TableBuilder.algorithm(try keys.required("algorithm"))
    let isBig = try DefinitionCompiler.isBigEndian(keys) ?? isBigEndian
    let (first, end) =
      try keys.node("over").map { node throws(ProfileError) in
        try range(node)
      } ?? (0, at)
    let most = Int(algorithm.mask)
    let empty = try keys.node("empty").map { node throws(ProfileError) in
      UInt32(truncatingIfNeeded: try node.number(in: 0...most))
    }
    try keys.finish()
    guard first >= 0 else {
      throw node.error("a checksum covers bytes from 0 or later", key: "over")
    }
    guard at >= 0 || at + algorithm.width <= 0 else {
      throw node.error(
        "reaches over the frame's end: \(algorithm.name) has \(algorithm.width) bytes")
    }
    var checksum = FrameLayout.Checksum(
      part: FrameLayout.Part(at: at, width: algorithm.width, isBigEndian: isBig),
      algorithm: algorithm, first: first, end: end)
    checksum.empty = empty
    return checksum
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

  /// Returns the messages for commands that no other message has, as far as the profile does not
  /// contain them.
  func implied(
    beside messages: [VendorProtocol.Message]
  ) throws(ProfileError) -> [VendorProtocol.Message] {
    let isSecret = messages.contains(where: \.definition.hasSecrets)
    var implied: [VendorProtocol.Message] = []
    for direction in directions
    where !messages.contains(where: {
      $0.isForAllOthers && ($0.isRequest == nil || $0.isRequest == direction)
    }) {
      let isText = form(direction).frame.ending == .lines
      let hasCommand = !form(direction).frame.command.isEmpty
      let command = hasCommand ? "command {command:x2}" : ""
      let payload = hasCommand ? "[, payload {payload}]" : "[payload {payload}]"
      let only = direction.map { ", direction: \($0 ? "request" : "response")" } ?? ""
      let text = """
        {command: other, name: unknown\(only), fields: [{name: payload, type: bytes, optional: true, secret: \(isSecret)}],
        text: "\(command)\(payload)"}
        """
      let line = """
        {command: other, name: line\(only), fields: [{name: line, type: text, optional: true, secret: \(isSecret)}],
        text: "{line}"}
        """
      let node = try SourceNode.read([UInt8]((isText ? line : text).utf8), file: "")
      implied.append(try message(node, isImplied: true).0)
    }
    return implied
  }

  /// Reads a message and its examples.
  ///
  /// - Parameter isImplied: whether the profile does not contain it.
  func message(
    _ node: SourceNode, isImplied: Bool = false
  ) throws(ProfileError) -> (VendorProtocol.Message, [SourceNode]) {
    let keys = try KeyedNode(node, "a message")
    let isRequest = try keys.node("direction")?.choice([("request", true), ("response", false)])
    guard isRequest != nil || directions == [nil] else {
      throw node.error(
        "the key `direction` is missing: requests and responses differ in header or command")
    }
    let (frame, header) = (form(isRequest).frame, form(isRequest).header)
    let commandNode = try keys.required("command")
    let beginning = try Self.beginning(commandNode, frame)
    let commands = try beginning.isEmpty ? Self.commands(commandNode, frame) : nil
    let nameNode = try keys.required("name")
    let name = try nameNode.line("a name")
    guard
      name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({
        SourceNode.isName(String($0))
      })
    else { throw nameNode.error("expected names of a to z, digits and _ with dots between") }
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
      try Self.series(node, frame, &compiler, scope)
    }
    var subject = Subject(
      .message, BluetoothUUID(upTo32Bits: UInt32(truncatingIfNeeded: commands?.lowerBound ?? 0)))
    try ProfileReader.bytes(keys, &subject)
    let parts = try headerParts(of: header)
    let condition = try keys.node("when").map { node throws(ProfileError) in
      try ProfileReader.rule(node, parts, allowsSize: true)
    }
    let examples = try keys.node("examples")?.list("a list of examples") ?? []
    let definition = try ProfileReader.finish(&compiler, keys, scope, subject, name: name)
    let message = VendorProtocol.Message(
      commands: commands, beginning: beginning, condition: condition, isRequest: isRequest,
      isUnsolicited: isUnsolicited,
      isUnanswered: !isAnswered, series: series,
      definition: definition, isImplied: isImplied)
    return (message, examples)
  }

  /// Reads `command` of lines: the text that they begin with; empty for `other`, or if frames are
  /// not lines.
  private static func beginning(
    _ node: SourceNode, _ frame: FrameLayout
  ) throws(ProfileError) -> [UInt8] {
    guard frame.ending == .lines else { return [] }
    let text = try node.line("the text with which a line begins")
    guard !text.isEmpty else { throw node.error("expected the text with which a line begins") }
    return text == "other" ? [] : [UInt8](text.utf8)
  }

  /// Reads `command`: a number, a range, or a list of numbers for the command's parts; nil for
  /// `other`.
  private static func commands(
    _ node: SourceNode, _ frame: FrameLayout
  ) throws(ProfileError) -> ClosedRange<Int>? {
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

  private static func series(
    _ node: SourceNode, _ frame: FrameLayout, _ compiler: inout DefinitionCompiler, _ scope: Scope
  ) throws(ProfileError) -> VendorProtocol.Series {
    let keys = try KeyedNode(node, "a mapping of count and command")
    let count = try compiler.program(try keys.required("count"), scope)
    let command = try commands(try keys.required("command"), frame)?.lowerBound ?? 0
    let index = try keys.node("index")?.name() ?? ""
    let first = try keys.node("first")?.number() ?? 0
    let timeout = try keys.node("timeout_ms")?.number(in: 1...3_600_000) ?? 5000
    try keys.finish()
    return VendorProtocol.Series(
      count: count, command: command, index: index, first: first, timeout: timeout)
  }

  /// The numbers of the header that `exchange` can use, since they are in every frame.
  var headerParts: [String: HeaderPart] {
    get throws(ProfileError) {
      directions == [nil] ? try headerParts(of: forms[0].header) : [:]
    }
  }

  /// Returns the whole numbers of a header at fixed positions, and their bits, by name.
  private func headerParts(
    of header: SourceNode?
  ) throws(ProfileError) -> [String: HeaderPart] {
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
      let places = ["characteristic", "rfcomm", "psm"].compactMap { keys.node($0) }
      if places.count > 1, let last = places.last {
        throw last.error("a mapping names one of `characteristic`, `rfcomm` and `psm`")
      }
      if let node = keys.node("rfcomm") {
        claim.channel = .rfcomm(UInt8(try node.number(in: 1...30)))
      }
      if let node = keys.node("psm") {
        claim.channel = .creditBased(PSM(rawValue: UInt16(try node.number(in: 1...0xffff))))
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
