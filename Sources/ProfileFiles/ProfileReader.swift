import Bluetooth
import Decoders

package struct ProfileReader {
  /// The other profiles, whose characteristics `layout:` can use.
  private let others: OtherProfiles

  /// Creates a reader; `others` are files (name, bytes) whose characteristics `layout:` can use.
  /// They are read when a profile first uses one that it does not contain itself, which few do.
  package init(others: @autoclosure @escaping () -> [(name: String, bytes: [UInt8])] = []) {
    self.others = OtherProfiles(others)
  }

  /// The characteristics of several files.
  private final class OtherProfiles {
    private let files: () -> [(name: String, bytes: [UInt8])]
    private var contexts: [FileContext]?

    init(_ files: @escaping () -> [(name: String, bytes: [UInt8])]) { self.files = files }

    func find(_ uuid: BluetoothUUID) -> LayoutSource? {
      for context in contexts ?? read() {
        if let source = context.layout(uuid) { return source }
      }
      return nil
    }

    private func read() -> [FileContext] {
      // A file that would need others while they are being read finds none, instead of reading them
      // again.
      self.contexts = []
      var contexts: [FileContext] = []
      for (name, bytes) in files() {
        guard let root = try? SourceNode.read(bytes, file: name),
          let keys = try? KeyedNode(root, "a profile")
        else { continue }
        let context = FileContext { [unowned self] in find($0) }
        try? ProfileReader.shared(keys, context)
        contexts.append(context)
      }
      self.contexts = contexts
      return contexts
    }
  }

  /// Reads a file.
  package func read(_ bytes: [UInt8], name: String) -> ProfileFile {
    do throws(ProfileError) {
      let root = try SourceNode.read(bytes, file: name)
      return try read(root)
    } catch {
      return ProfileFile(profile: nil, errors: [error])
    }
  }

  private func read(_ root: SourceNode) throws(ProfileError) -> ProfileFile {
    let keys = try KeyedNode(root, "a profile: a mapping with the key `profile`")
    let others = others
    let context = FileContext { others.find($0) }
    try Self.shared(keys, context)
    let title = try keys.node("title")?.line() ?? context.profile
    _ = try keys.node("source")?.text()
    var file = ProfileFile(
      profile: Profile(
        name: context.profile, title: title, definitions: [], vendor: nil, examples: []),
      errors: [])
    for (key, kind) in [
      ("characteristics", Subject.Kind.characteristic), ("descriptors", .descriptor),
    ] {
      guard let list = keys.node(key) else { continue }
      for node in try list.list("a list of definitions") {
        file.add(node) { node throws(ProfileError) in
          try Self.attribute(node, kind, context)
        }
      }
    }
    if let list = keys.node("services") {
      for node in try list.list("a list of services") {
        file.add(node) { node throws(ProfileError) in try Self.service(node, context) }
      }
    }
    if let list = keys.node("advertisements") {
      for node in try list.list("a list of definitions") {
        file.add(node) { node throws(ProfileError) in try Self.advertisement(node, context) }
      }
    }
    do throws(ProfileError) {
      try file.takeProtocol(keys, context, title)
    } catch {
      file.fail(error)
    }
    do throws(ProfileError) {
      try keys.finish()
    } catch {
      file.fail(error)
    }
    return file
  }

  /// Reads what definitions share: the name, byte order, structures, enumerations, and the fields
  /// by UUID.
  private static func shared(
    _ keys: KeyedNode, _ context: FileContext
  ) throws(ProfileError) {
    context.profile = try keys.required("profile").name()
    context.isBigEndian = try DefinitionCompiler.isBigEndian(keys) ?? false
    for (key, value) in try keys.node("structures")?.pairs("a mapping of names to fields") ?? [] {
      context.structures[try key.name()] = value
    }
    for (key, value) in try keys.node("enumerations")?.pairs("a mapping of names to values") ?? [] {
      context.enumerations[try key.name()] = value
    }
    for node in try keys.node("characteristics")?.list("a list of definitions") ?? [] {
      // Its errors are reported when it is read.
      guard let keys = try? KeyedNode(node, "a definition"),
        let uuid = try? keys.node("uuid")?.uuid(), let fields = keys.node("fields")
      else { continue }
      let isBig = (try? DefinitionCompiler.isBigEndian(keys)) ?? context.isBigEndian
      context.characteristics[uuid] = (fields, isBig)
    }
  }

  // MARK: Definitions

  private static func attribute(
    _ node: SourceNode, _ kind: Subject.Kind, _ context: FileContext
  ) throws(ProfileError) -> (Definition, [SourceNode]) {
    let keys = try KeyedNode(node, "a definition")
    var subject = Subject(kind, try keys.required("uuid").uuid())
    subject.service = try keys.node("service")?.uuid()
    return try definition(keys, &subject, context)
  }

  /// Reads a service, for which only errors are defined.
  private static func service(
    _ node: SourceNode, _ context: FileContext
  ) throws(ProfileError) -> (Definition, [SourceNode]) {
    let keys = try KeyedNode(node, "a service")
    let subject = Subject(.service, try keys.required("uuid").uuid())
    let name = try keys.required("name").line()
    _ = try keys.node("source")?.text()
    var compiler = DefinitionCompiler(context)
    try compiler.errors(try keys.required("errors"))
    try keys.finish()
    return (try finished(compiler, keys, subject, name: name), [])
  }

  private static func advertisement(
    _ node: SourceNode, _ context: FileContext
  ) throws(ProfileError) -> (Definition, [SourceNode]) {
    let keys = try KeyedNode(node, "a definition")
    let given = ["company", "service", "ad_type"].filter(keys.has)
    guard given.count == 1 else {
      throw node.error(
        "a definition of an advertisement has one of the keys company, service, ad_type")
    }
    var subject: Subject
    if let company = keys.node("company") {
      let text = try company.text("a company identifier")
      guard let number = UInt16(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
      else {
        throw company.error("expected a company identifier such as \"004c\", found \(company.kind)")
      }
      subject = Subject(.company, BluetoothUUID(number))
    } else if let service = keys.node("service") {
      subject = Subject(.serviceData, try service.uuid())
    } else {
      let type = try keys.required("ad_type").number(in: 0...255)
      subject = Subject(.advertisingData, BluetoothUUID(UInt16(type)))
    }
    subject.ownAddress = try keys.node("own_address")?.number(in: 0...248)
    let (definition, examples) = try definition(keys, &subject, context)
    guard !definition.hasSecrets else {
      throw node.error(
        "`secret` is for values of attributes: every device nearby receives what is advertised")
    }
    return (definition, examples)
  }

  /// Reads what all definitions have.
  private static func definition(
    _ keys: KeyedNode, _ subject: inout Subject, _ context: FileContext
  ) throws(ProfileError) -> (Definition, [SourceNode]) {
    subject.device = try keys.node("device")?.text()
    subject.isCarrier = try keys.node("carrier")?.flag() ?? false
    try Self.bytes(keys, &subject)
    _ = try keys.node("source")?.text()
    let name = try keys.required("name").line()
    var compiler = DefinitionCompiler(context)
    let scope = Scope()
    let isBig = try DefinitionCompiler.isBigEndian(keys) ?? context.isBigEndian
    let fields = try keys.required("fields")
    try compiler.fields(fields, scope, isBigEndian: isBig)
    if subject.isAttribute, let errors = keys.node("errors") { try compiler.errors(errors) }
    let exchange = try keys.node("exchange").map { node throws(ProfileError) in
      try Self.exchange(node, header: nil)
    }
    let definition = try finish(&compiler, keys, scope, subject, name: name, exchange)
    return (definition, try keys.node("examples")?.list("a list of examples") ?? [])
  }

  /// Reads which bytes a definition or message is for.
  static func bytes(_ keys: KeyedNode, _ subject: inout Subject) throws(ProfileError) {
    subject.match = try keys.node("match")?.pattern(allowsAny: true) ?? []
    guard let size = keys.node("size") else { return }
    if case .list = size.content {
      subject.sizes = try size.bounds()
    } else {
      let number = try size.number(in: 0...65_535)
      subject.sizes = number...number
    }
  }

  /// Compiles the text, and creates a definition from the tables.
  static func finish(
    _ compiler: inout DefinitionCompiler, _ keys: KeyedNode, _ scope: Scope, _ subject: Subject,
    name: String, _ exchange: VendorProtocol.Exchange? = nil
  ) throws(ProfileError) -> Definition {
    if let text = keys.node("text") { try compiler.text(text, scope) }
    _ = keys.node("examples")
    try keys.finish()
    compiler.finish()
    return try finished(compiler, keys, subject, name: name, exchange)
  }

  /// Returns the definition of what was compiled.
  private static func finished(
    _ compiler: DefinitionCompiler, _ keys: KeyedNode, _ subject: Subject, name: String,
    _ exchange: VendorProtocol.Exchange? = nil
  ) throws(ProfileError) -> Definition {
    guard
      let definition = Definition(
        subject, profile: compiler.profile, name: name, exchange: exchange, compiler.tables)
    else {
      throw keys.node.error("the definition does not fit together")
    }
    return definition
  }

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
  ///
  /// - Parameter allowsSize: whether it can also use the number of the frame's bytes.
  static func rule(
    _ node: SourceNode, _ header: [String: HeaderPart], allowsSize: Bool = false
  ) throws(ProfileError) -> [Operation] {
    let own = allowsSize ? "`command`, `size`" : "`command`"
    let names = header.isEmpty ? "only \(own)" : "only \(own) and the header's numbers"
    var operations: [Operation] = []
    for step in try ExpressionParser.parse(node).steps {
      switch step {
      case .operation(let operation): operations.append(operation)
      case .name("size") where allowsSize: operations.append(Operation(.size))
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

extension ProfileFile {
  /// Reads a definition and its examples; an error in it does not prevent others from being read.
  fileprivate mutating func add(
    _ node: SourceNode,
    _ read: (SourceNode) throws(ProfileError) -> (Definition, [SourceNode])
  ) {
    guard !isGivenUp else { return }
    do throws(ProfileError) {
      let place = profile?.definitions.count ?? 0
      guard place < Self.mostDefinitions else {
        throw node.error("a file has up to \(Self.mostDefinitions) definitions")
      }
      let (definition, examples) = try read(node)
      profile?.definitions.append(definition)
      profile?.definitionLines.append(node.line)
      try add(examples, .definition(place))
    } catch {
      fail(error)
    }
  }

  /// Reads the protocol, if there is one.
  fileprivate mutating func takeProtocol(
    _ keys: KeyedNode, _ context: FileContext, _ title: String
  ) throws(ProfileError) {
    let parts = ["applies_to", "channels", "frame", "exchange"].map { ($0, keys.node($0)) }
    guard let messages = keys.node("messages") else {
      for case (let key, let node?) in parts {
        throw node.error("`\(key)` belongs to a protocol, and the key `messages` is missing")
      }
      return
    }
    guard let claimsNode = parts[0].1 else {
      throw messages.error("a protocol needs the key `applies_to`")
    }
    let claims = try ProtocolReader.claims(claimsNode)
    var (requests, responses) = ([VendorProtocol.Channel.write], [VendorProtocol.Channel.notify])
    if let channels = parts[1].1 {
      let keys = try KeyedNode(channels, "a mapping of requests and responses")
      if let node = keys.node("requests") { requests = try ProtocolReader.channels(node) }
      if let node = keys.node("responses") { responses = try ProtocolReader.channels(node) }
      try keys.finish()
    }
    let reader = try ProtocolReader(parts[2].1, context)
    for claim in claims where claim.isFrame {
      if claim.isAnywhere, !reader.isRecognizable(anywhere: true) {
        throw claimsNode.error("frame: true alone needs a frame with start, length and checksum")
      }
      guard reader.isRecognizable(anywhere: false) else {
        throw claimsNode.error("frame: true needs a frame with length or size, and a checksum")
      }
    }
    let exchange = try parts[3].1.map { node throws(ProfileError) in
      try ProfileReader.exchange(node, header: try reader.headerParts)
    }
    var list: [VendorProtocol.Message] = []
    for node in try messages.list("a list of messages") where !isGivenUp {
      do throws(ProfileError) {
        guard list.count < Self.mostDefinitions else {
          throw node.error("a file has up to \(Self.mostDefinitions) messages")
        }
        let (message, examples) = try reader.message(node)
        list.append(message)
        profile?.messageLines.append(node.line)
        try add(examples, .message(list.count - 1))
      } catch {
        fail(error)
      }
    }
    let hasSecrets = list.contains(where: \.definition.hasSecrets)
    if hasSecrets,
      claims.contains(where: { $0.characteristic == nil })
    {
      // Secrets must be known beforehand by the attribute, not by what its values turn out to be.
      throw claimsNode.error(
        "a protocol with a field that is `secret` must name its characteristic wherever it applies")
    }
    // Messages for all other commands come after the others, and each direction has one.
    list += try reader.implied(beside: list)
    profile?.vendor = VendorProtocol(
      profile: context.profile, title: title, claims: claims, requests: requests,
      responses: responses, frames: reader.frames,
      exchange: exchange ?? VendorProtocol.Exchange(), messages: list)
  }
}
