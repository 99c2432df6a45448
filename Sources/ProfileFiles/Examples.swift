import Bluetooth
import Bytes
import Decoders

// Examples are decoded, and the results are compared with the expected ones.

extension Example {
  /// Decodes the example, and returns what is wrong.
  package func check(_ profile: Profile) -> [ProfileError] {
    do throws(ProfileError) {
      return try differences(profile)
    } catch {
      return [error]
    }
  }

  /// The bytes, for callers that also decode them in other ways; empty if they are invalid.
  package var bytes: [UInt8] {
    (try? KeyedNode(node, "an example").node("hex")?.bytes()) ?? []
  }

  private func differences(_ profile: Profile) throws(ProfileError) -> [ProfileError] {
    let keys = try KeyedNode(node, "a mapping with the key hex")
    let hex = try keys.required("hex")
    // For a protocol: the values of a message that came in several.
    var values: [[UInt8]] = []
    if case .list(let list) = hex.content, case .message = target {
      for node in list { values.append(try node.bytes()) }
    } else {
      values = [try hex.bytes()]
    }
    var bytes = values.first ?? []
    var context = DecodingContext()
    context.isWritten = try keys.node("written")?.flag() ?? false
    _ = try keys.node("source")?.text()
    let fields = keys.node("fields")
    let text = keys.node("text")
    let problems = keys.node("problems")
    let others = keys.node("context")
    try keys.finish()
    var decoded = Decoded()
    var decoder = ValueDecoder()
    switch target {
    case .definition(let place):
      let definition = profile.definitions[place]
      guard definition.subject.fits(bytes.bytes) else {
        throw node.error("the bytes do not fit match and size")
      }
      if let others { try externals(others, definition, profile, &context) }
      decoder.decode(definition, bytes.bytes, context, into: &decoded)
    case .message(let place):
      guard let vendor = profile.vendor else { return [] }
      bytes = try message(place, vendor, values, &context, &decoder, &decoded)
    }
    var errors: [ProfileError] = []
    if let fields {
      let found = DecodedTree(decoded, bytes)
      for (key, value) in try fields.pairs("a mapping of fields") {
        errors += value.differences(from: found.member(try key.text()))
      }
    }
    if let text {
      let line = Self.line(decoded, bytes)
      if line != (try text.text()) {
        errors.append(text.error("expected `\(try text.text())`, decoded `\(line)`"))
      }
    }
    var expected: [String] = []
    for node in try problems?.list("a list of problems") ?? [] {
      expected.append(
        try node.choice(DecodingProblem.Code.allCases.map { ("\($0.name)", "\($0.name)") }))
    }
    let found = decoded.problems.map { "\($0.code.name)" }
    if found != expected {
      let words = { (list: [String]) in list.isEmpty ? "no problems" : list.joined(separator: ", ")
      }
      errors.append(
        (problems ?? node).error("expected \(words(expected)), decoded \(words(found))"))
    }
    return errors
  }

  /// Decodes a frame, which must be whole and belong to a message, and returns the bytes that
  /// contain it.
  private func message(
    _ place: Int, _ vendor: VendorProtocol, _ values: [[UInt8]], _ context: inout DecodingContext,
    _ decoder: inout ValueDecoder, _ decoded: inout Decoded
  ) throws(ProfileError) -> [UInt8] {
    let isRequest = vendor.messages[place].isRequest ?? context.isWritten
    var (bytes, frame): ([UInt8], Frame)
    if values.count == 1 {
      bytes = values[0]
      guard let whole = vendor.wholeFrame(bytes.bytes, isRequest: isRequest) else {
        throw node.error("the bytes are not one whole frame")
      }
      frame = whole.frame
      if let unescaped = whole.unescaped { bytes = unescaped }
    } else {
      var messages = VendorMessages()
      var last: VendorSighting?
      for value in values {
        last = messages.accept(
          vendor,
          on: VendorChannel(
            of: 0, isByFrame: false, conversation: 0, handle: 1, isWritten: isRequest),
          isRequestChannel: isRequest, value.bytes, packet: 1, time: nil)
      }
      guard let whole = last?.bytes, let joined = last?.frame else {
        throw node.error("the last of the values does not complete a message")
      }
      (bytes, frame) = (whole, joined)
    }
    let command = frame.command.map { "command 0x\(String($0, radix: 16))" } ?? "bytes"
    guard let message = vendor.message(frame, bytes.bytes, isRequest: isRequest), !message.isImplied
    else {
      throw node.error("no message has the frame's \(command)")
    }
    guard message.definition === vendor.messages[place].definition else {
      throw node.error("the frame's \(command) is of the message `\(message.definition.name)`")
    }
    vendor.decode(
      frame, message, bytes.bytes, isRequest: isRequest, with: &decoder, into: &decoded)
    return bytes
  }

  /// Decodes the values of other characteristics that the definition uses.
  private func externals(
    _ node: SourceNode, _ definition: Definition, _ profile: Profile,
    _ context: inout DecodingContext
  ) throws(ProfileError) {
    var values: [BluetoothUUID: [UInt8]] = [:]
    for (key, value) in try node.pairs("a mapping of UUIDs to bytes") {
      values[try key.uuid()] = try value.bytes()
    }
    for external in definition.tables.externals {
      var known = Known.unknown
      if let bytes = values[external.uuid],
        let other = profile.definitions.first(where: {
          $0.subject.kind == .characteristic && $0.subject.uuid == external.uuid
        })
      {
        var decoded = Decoded()
        var decoder = ValueDecoder()
        decoder.decode(other, bytes.bytes, into: &decoded)
        known = decoded.number(of: external.path)
      }
      context.externals.append(known)
    }
  }

  /// Returns the line of text for what was decoded.
  private static func line(_ decoded: Decoded, _ bytes: [UInt8]) -> String {
    var output = Output()
    DecodedWriter(decoded, isJSON: false)?.line(bytes.bytes, writesProblems: false, into: &output)
    return String(decoding: output.bytes.array, as: UTF8.self)
  }
}

/// What was decoded, as a tree to compare with examples.
indirect enum DecodedTree {
  case missing
  case value(String)
  /// Hexadecimal digits.
  case bytes(String)
  case list([DecodedTree])
  case object([(String, DecodedTree)])

  /// Creates the tree of all fields.
  init(_ decoded: Decoded, _ bytes: [UInt8]) {
    self = .missing
    guard let writer = DecodedWriter(decoded, isJSON: true, showsKeys: true) else { return }
    self = Self.object(writer, 0..<decoded.fields.count, decoded, bytes)
  }

  private static func object(
    _ writer: borrowing DecodedWriter, _ range: Range<Int>, _ decoded: Decoded, _ bytes: [UInt8]
  ) -> DecodedTree {
    var members: [(String, DecodedTree)] = []
    var place = range.lowerBound
    while place < range.upperBound {
      let run = writer.run(from: place, in: range)
      var items: [DecodedTree] = []
      var item = place
      while item < run {
        let entry = decoded.fields[item]
        let next = max(entry.end, item + 1)
        if entry.form == .group {
          items.append(object(writer, item + 1..<next, decoded, bytes))
        } else {
          let scalar = writer.scalar(entry, bytes.bytes)
          items.append(
            entry.form == .bytes
              ? .bytes(scalar)
              : entry.form == .structure ? .structure(scalar) : .value(scalar))
        }
        item = next
      }
      let first = decoded.fields[place]
      let isList = writer.isRepeated(first)
      members.append((writer.name(first), isList ? .list(items) : items.first ?? .missing))
      place = run
    }
    return .object(members)
  }

  /// Returns the tree of a value that JSON describes: such a text is YAML, too.
  private static func structure(_ json: String) -> DecodedTree {
    func tree(_ node: SourceNode) -> DecodedTree {
      switch node.content {
      case .scalar(let text): .value(text)
      case .list(let list): .list(list.map(tree))
      case .mapping(let pairs):
        .object(pairs.map { ((try? $0.key.text()) ?? "", tree($0.value)) })
      }
    }
    return (try? SourceNode.read([UInt8](json.utf8), file: "")).map(tree) ?? .value(json)
  }

  /// Returns the member with a name.
  func member(_ name: String) -> DecodedTree {
    guard case .object(let members) = self else { return .missing }
    return members.first { $0.0 == name }?.1 ?? .missing
  }

  /// The words in errors.
  var words: String {
    switch self {
    case .missing: "nothing"
    case .value(let value), .bytes(let value): "`\(value)`"
    case .list(let list): "[\(list.map(\.words).joined(separator: ", "))]"
    case .object(let members):
      "{\(members.map { "\($0.0): \($0.1.words)" }.joined(separator: ", "))}"
    }
  }
}

extension SourceNode {
  /// Returns the differences from what was decoded.
  fileprivate func differences(from found: DecodedTree) -> [ProfileError] {
    switch (content, found) {
    case (.scalar(let text), .value(let value)):
      if text == value { return [] }
      if let left = DecimalNumber(text: text), let right = DecimalNumber(text: value),
        left.isSame(as: right)
      {
        return []
      }
    case (.scalar(let text), .bytes(let digits)):
      if text.lowercased().filter({ !$0.isWhitespace }) == digits { return [] }
    case (.list(let nodes), .list(let values)) where nodes.count == values.count:
      return zip(nodes, values).flatMap { $0.differences(from: $1) }
    case (.mapping(let pairs), .object):
      return pairs.flatMap { key, value in
        value.differences(from: found.member((try? key.text()) ?? ""))
      }
    default: break
    }
    return [error("expected \(words), decoded \(found.words)")]
  }

  /// The words in errors.
  private var words: String {
    switch content {
    case .scalar(let text): "`\(text)`"
    case .list(let list): "[\(list.map(\.words).joined(separator: ", "))]"
    case .mapping(let pairs):
      "{\(pairs.map { "\($0.key.words): \($0.value.words)" }.joined(separator: ", "))}"
    }
  }
}
