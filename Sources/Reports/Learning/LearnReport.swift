import Bluetooth
package import Bytes
package import Captures
package import Learning
package import Sessions

/// `profiles learn`: what the values of unknown protocols have in common, with the evidence.
package struct LearnReport: PacketReport, ~Copyable {
  private let options: ValuesOptions
  private let shown: [ShownNumber]
  private let isJSON: Bool
  private var collected: CollectedChannels
  private var gadgets: [Gadget] = []
  /// The captures, as a profile names its source.
  private let source: String
  /// The name that the profile gets.
  private let name: String
  /// The profile of the device of which most is known; empty: nothing was learnt.
  package private(set) var profile: [UInt8] = []

  /// Creates a report on the selected values.
  ///
  /// - Parameters:
  ///   - shown: numbers that the app showed.
  ///   - name: the profile's name.
  ///   - source: where the values come from.
  package init(
    _ options: ValuesOptions, shown: [ShownNumber], isJSON: Bool, name: String, source: String,
    limits: Limits = Limits()
  ) {
    self.options = options
    self.shown = shown
    self.isJSON = isJSON
    self.name = name
    self.source = source
    collected = CollectedChannels(
      options, takesStandard: !options.selection.uuids.isEmpty, limits: limits)
  }

  package var remark: String? { collected.remark }
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    collected.packet(packet, memory)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    collected.finish(memory)
    gadgets = collected.devices.map { Gadget($0.channels, shown: shown) }
    let best = gadgets.indices.filter { gadgets[$0].profiled != (nil, nil) }
      .max { gadgets[$0].bits < gadgets[$1].bits }
    if let best {
      profile = GadgetProfile(gadgets[best], name: name, source: source).written()
    }
    if isJSON { writeJSON(into: &output) } else { writeText(into: &output) }
  }

  // MARK: Text

  private func writeText(into output: inout Output) {
    if gadgets.allSatisfy(\.channels.isEmpty) {
      output.text(
        "no values to learn from: standard characteristics are left out unless --uuid names them\n")
    }
    for (place, gadget) in gadgets.enumerated() where !gadget.channels.isEmpty {
      if place > 0 { output.byte(0x0a) }
      var page = Output()
      writeDevice(collected.devices[place], into: &page)
      write(gadget, into: &page)
      output.text(page.bytes, options.glyphs)
    }
    if collected.secret > 0 {
      output.count(collected.secret, "value", "values")
      output.text(" left out: keys or secrets; --show-keys uses them\n")
    }
    if collected.omitted > 0 {
      output.count(collected.omitted, "value", "values")
      output.text(" left out for lack of room\n")
    }
  }

  private func writeDevice(_ device: CollectedChannels.Device, into page: inout Output) {
    if device.side == .local { page.text("this host, used by ") }
    if let peer = device.peer {
      page.address(peer)
    } else {
      page.text("peer unknown")
    }
    if let name = device.name {
      page.text(" \"")
      page.printable(name.bytes, isQuoted: true)
      page.byte(0x22)
    }
    page.byte(0x0a)
  }

  private func write(_ gadget: Gadget, into page: inout Output) {
    let claims =
      gadget.channels.flatMap { $0.kinds.flatMap(\.claims) } + gadget.links.flatMap(\.claims)
    let widths = Widths(claims)
    for channel in gadget.channels where !channel.kinds.isEmpty {
      for (number, kind) in channel.kinds.enumerated() {
        page.string(GadgetWords.name(channel.source))
        page.byte(0x20)
        page.text(GadgetWords.direction(channel.source))
        page.string(
          number == 0
            ? ": \(GadgetWords.count(channel.source.sample.seen, "value"))" : ": other frames")
        page.string(
          ", \(GadgetWords.count(kind.frame.frames.count, "frame")) of "
            + GadgetWords.range(kind.frame.sizes))
        if kind.frame.isJoined { page.text(" in several values") }
        page.byte(0x0a)
        for claim in kind.claims { Self.write(claim, widths, into: &page) }
      }
      for words in channel.limitWords { Self.line("", words, into: &page) }
    }
    for link in gadget.links {
      page.string(GadgetWords.name(gadget.channels[link.request].source))
      page.text(" → ")
      page.string(GadgetWords.name(gadget.channels[link.answer].source))
      page.string(": \(link.summary)\n")
      for claim in link.claims { Self.write(claim, widths, into: &page) }
    }
    for number in gadget.shown { Self.write(number, into: &page) }
    let unknown = gadget.channels.filter(\.kinds.isEmpty)
    for channel in unknown {
      page.string(GadgetWords.name(channel.source))
      page.byte(0x20)
      page.text(GadgetWords.direction(channel.source))
      page.string(
        ": \(GadgetWords.count(channel.source.sample.seen, "value")), \(channel.remarkWords ?? "")\n"
      )
      for words in channel.limitWords { Self.line("", words, into: &page) }
    }
    var known: Set<String> = []
    let wishes = gadget.channels.flatMap(\.wishes).filter { known.insert($0).inserted }
    let payload = gadget.channels.contains { !$0.kinds.isEmpty }
    if payload {
      let example = gadget.exampleOfShown.map { ", as in --shown '#\($0)=13.3 volts'" } ?? ""
      Self.line(
        "not known", "what the payloads mean: add numbers that the app showed\(example)",
        into: &page)
    }
    if !payload, unknown.contains(where: { $0.learnt.remark == .nothing }) {
      Self.line("to try", "gattscope values --positions: what each byte does", into: &page)
    }
    for (place, wish) in wishes.prefix(6).enumerated() {
      Self.line(place == 0 ? "to capture" : "", wish, into: &page)
    }
  }

  private static func line(_ label: String, _ text: String, into page: inout Output) {
    page.text("  ")
    page.string(label)
    page.spaces(max(1, 12 - label.utf8.count))
    page.string(text)
    page.byte(0x0a)
  }

  /// The widths of the columns of claims.
  private struct Widths {
    let text: Int
    let support: Int

    init(_ claims: [GadgetClaim]) {
      text = min(96, claims.map { $0.text.utf8.count }.max() ?? 0)
      support = claims.map { $0.support.utf8.count }.max() ?? 0
    }
  }

  private static func write(
    _ claim: GadgetClaim, _ widths: Widths, into page: inout Output
  ) {
    var line = Output()
    line.text("  ")
    line.text(claim.subject.key)
    line.spaces(max(2, 14 - line.count))
    line.string(claim.text)
    line.spaces(max(2, 16 + widths.text - line.bytes.columns))
    line.string(claim.support)
    if let confidence = claim.confidence {
      line.spaces(max(2, 18 + widths.text + widths.support - line.bytes.columns))
      line.text(confidence.name)
    }
    line.byte(0x0a)
    page.raw(line.bytes)
  }

  private static func write(_ number: FoundNumber, into page: inout Output) {
    let name = number.name.isEmpty ? "a number" : number.name
    if number.missing == number.shown.count {
      Self.line("shown", "\(name): no value is in packet #\(number.shown[0].packet)", into: &page)
    } else if number.places.isEmpty {
      Self.line("shown", "\(name): nowhere in the frame", into: &page)
    } else {
      let few = number.places.prefix(4).map(\.words).joined(separator: "; or ")
      let more = number.places.count > 4 ? "; or \(number.places.count - 4) more places" : ""
      Self.line("shown", "\(name): \(few)\(more)", into: &page)
    }
  }

  // MARK: JSON

  private func writeJSON(into output: inout Output) {
    var sink = JSONSink(showsKeys: options.showsKeys)
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.beginList("devices")
    for (device, gadget) in zip(collected.devices, gadgets) where !gadget.channels.isEmpty {
      sink.beginItem()
      if let peer = device.peer, device.side != .local { sink.address("address", peer) }
      if let name = device.name { sink.string("name", name.bytes) }
      sink.beginList("channels")
      for channel in gadget.channels { write(channel, to: &sink) }
      sink.endList()
      sink.beginList("exchanges")
      for link in gadget.links { write(link, of: gadget, to: &sink) }
      sink.endList()
      if !gadget.shown.isEmpty {
        sink.beginList("shown")
        for number in gadget.shown { write(number, to: &sink) }
        sink.endList()
      }
      sink.endItem()
    }
    sink.endList()
    if collected.secret > 0 { sink.number("values_hidden", collected.secret) }
    if collected.omitted > 0 { sink.number("values_omitted", collected.omitted) }
    sink.endDocument(in: &output)
  }

  static func write(_ source: ChannelValues, to sink: inout JSONSink) {
    if let uuid = source.characteristic { sink.namedUUID(uuid, as: .characteristic) }
    if let serial = source.serial { sink.channel(serial) }
    if let handle = source.handle { sink.identifier("handle", UInt64(handle), digits: 4) }
    sink.word("flow", GadgetWords.flow(source.flow))
  }

  private func write(_ channel: GadgetChannel, to sink: inout JSONSink) {
    sink.beginItem()
    Self.write(channel.source, to: &sink)
    sink.number("values", channel.source.sample.seen)
    sink.number("values_used", channel.learnt.used)
    sink.number("different", channel.learnt.different)
    if channel.source.cut > 0 { sink.number("values_cut", channel.source.cut) }
    if let only = channel.learnt.onlyConnection { sink.number("connection", only) }
    sink.beginList("frames")
    for kind in channel.kinds {
      sink.beginItem()
      sink.number("frames", kind.frame.frames.count)
      sink.number("different", kind.frame.different)
      sink.number("shortest", kind.frame.sizes.lowerBound)
      sink.number("longest", kind.frame.sizes.upperBound)
      sink.flag("joined", kind.frame.isJoined)
      sink.beginList("claims")
      for claim in kind.claims { Self.write(claim, to: &sink) }
      sink.endList()
      sink.endItem()
    }
    sink.endList()
    if let words = channel.remarkWords { sink.string("remark", words) }
    sink.number("values_unexplained", channel.learnt.rest.count)
    sink.endItem()
  }

  static func write(_ claim: GadgetClaim, to sink: inout JSONSink) {
    sink.beginItem()
    sink.word("claim", claim.subject.key)
    sink.string("text", claim.text)
    sink.string("evidence", claim.support)
    if let confidence = claim.confidence { sink.word("confidence", confidence.name) }
    sink.endItem()
  }

  private func write(_ link: Gadget.Link, of gadget: Gadget, to sink: inout JSONSink) {
    sink.beginItem()
    sink.string("requests", GadgetWords.name(gadget.channels[link.request].source))
    sink.string("answers", GadgetWords.name(gadget.channels[link.answer].source))
    sink.number("sent", link.exchange.requests)
    sink.number("answered", link.exchange.answered)
    if let latency = link.exchange.latency {
      sink.fixed("latency_ms", Int(latency / 1000), decimals: 3)
    }
    sink.beginList("claims")
    for claim in link.claims { Self.write(claim, to: &sink) }
    sink.endList()
    sink.endItem()
  }

  private func write(_ number: FoundNumber, to sink: inout JSONSink) {
    sink.beginItem()
    sink.string("name", number.name)
    sink.number("observations", number.shown.count)
    sink.beginList("places")
    for place in number.places.prefix(64) {
      sink.beginItem()
      sink.number("at", place.at)
      sink.word("type", place.type.key)
      if place.type.width > 1 { sink.word("endian", place.isBigEndian ? "big" : "little") }
      if place.multiply != 1 { sink.number("multiply", place.multiply) }
      if place.divide != 1 { sink.number("divide", place.divide) }
      sink.endItem()
    }
    sink.endList()
    sink.endItem()
  }
}

extension NumberType {
  /// The name in profiles.
  var key: StaticString {
    switch self {
    case .u8: "u8"
    case .i8: "i8"
    case .u16: "u16"
    case .i16: "i16"
    case .u24: "u24"
    case .u32: "u32"
    case .i32: "i32"
    case .f32: "f32"
    }
  }
}

extension NumberPlace {
  var words: String {
    let order = type.width == 1 ? "" : isBigEndian ? ", big endian" : ", little endian"
    let scale =
      multiply != 1 ? ", times \(multiply)" : divide != 1 ? ", divided by \(divide)" : ""
    return "byte \(at), \(type.key)\(order)\(scale)"
  }
}

extension Gadget {
  /// The bits of everything that is claimed.
  fileprivate var bits: Double { channels.reduce(0) { $0 + $1.bits } }

  /// A packet whose frame probably has numbers: an answer with the command whose frames differ
  /// most.
  fileprivate var exampleOfShown: Int? {
    var best: (different: Int, packet: Int)?
    for channel in channels where !channel.isWritten {
      for kind in channel.kinds {
        for command in kind.commands {
          let different = Set(command.frames.map(\.bytes)).count
          guard different > best?.different ?? 0, let last = command.frames.last else { continue }
          best = (different, kind.packet(of: last))
        }
      }
    }
    return best?.packet
  }
}
