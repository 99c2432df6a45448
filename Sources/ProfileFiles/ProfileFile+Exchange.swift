import Decoders

// How responses are matched to requests.

extension ProfileReader {
  /// Reads `exchange`.
  ///
  /// - Parameter header: for a protocol, the numbers of its frames' header; nil for a
  ///   characteristic.
  static func exchange(
    _ node: SourceNode, header: [String: HeaderPart]?
  ) throws(ProfileError) -> VendorProtocol.Exchange {
    let keys = try KeyedNode(
      node, "a mapping of request, response, request_field, sequence, timeout_ms")
    var exchange = VendorProtocol.Exchange()
    exchange.request = try keys.node("request").map { node throws(ProfileError) in
      try rule(node, header ?? [:])
    }
    exchange.response = try keys.node("response").map { node throws(ProfileError) in
      try rule(node, [:])
    }
    if header == nil {
      exchange.requestField = try keys.node("request_field")?.name() ?? ""
    } else {
      exchange.usesSequence = try keys.node("sequence")?.flag() ?? false
    }
    exchange.timeout = try keys.node("timeout_ms")?.number(in: 1...3_600_000) ?? 5000
    try keys.finish()
    return exchange
  }

  /// Reads an expression that can use `command` and the numbers of a frame's header.
  private static func rule(
    _ node: SourceNode, _ header: [String: HeaderPart]
  ) throws(ProfileError) -> [Operation] {
    let names = header.isEmpty ? "only `command`" : "only `command` and the header's numbers"
    var operations: [Operation] = []
    for step in try ExpressionParser.parse(node).steps {
      switch step {
      case .operation(let operation): operations.append(operation)
      case .name("command"): operations.append(Operation(.command))
      case .name(let name):
        guard let part = header[name] else {
          throw node.error("in the expression, \(names) can be used, found `\(name)`")
        }
        operations.append(Operation(.header, part.operand))
      case .external:
        throw node.error("in the expression, \(names) can be used")
      }
    }
    return operations
  }
}

extension ProtocolReader {
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
        let isBig = try DefinitionCompiler.isBigEndian(keys) ?? isBigEndian
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
}
