import Bluetooth
package import Bytes
package import Captures
import Dissectors
import Meanings
package import Sessions

/// `values --raw`: only the bytes of one characteristic or of one L2CAP channel, in order.
package struct RawValues: PacketReport, ~Copyable {
  /// A source of bytes, one of which may be selected.
  private struct Stream: Equatable, Sendable {
    enum Origin: Sendable { case read, written, notified, advertised, channel }

    var origin: Origin
    var direction: Direction?
    var key: ValueEntry.Key?
    var attribute: AttributeIdentity?
    var company: UInt16?
    var peer: DeviceAddress?
    /// For a channel: the connection, the channel's serial number, the CID in its frames, and the
    /// CID of its end on this host if that differs.
    var connection = 0
    var serial = 0
    var cid: ChannelID?
    var local: ChannelID?
    var vantage = Vantage.host
    var count = 0

    static func == (left: Stream, right: Stream) -> Bool {
      left.origin == right.origin && left.direction == right.direction && left.key == right.key
        && left.connection == right.connection && left.serial == right.serial
    }
  }

  private let options: ValuesOptions
  private let channel: ChannelID?
  private var conversations: Conversations
  private var filter: ValueFilter
  private var streams: [Stream] = []
  private var hasMore = false
  private var hidden = false
  /// Which packets stay encrypted.
  private var unread: String?
  private var incomplete = IncompleteValues()
  private var glyphs: Glyphs { options.glyphs }

  /// The number of streams that are named if there are too many.
  private static let named = 6

  /// Creates a report on the bytes that `options` selects, or on the channel with the CID
  /// `channel`: the CID in its frames, which is that of the receiver, or the CID on this host.
  package init(_ options: ValuesOptions, channel: UInt16?, limits: Limits = Limits()) {
    self.options = options
    self.channel = channel.map { ChannelID(rawValue: $0) }
    conversations = Conversations(limits)
    filter = ValueFilter(options)
  }

  /// Always false: only the end shows whether the selection is unique.
  package var isSatisfied: Bool { false }

  /// Why nothing was written.
  package var remark: String? {
    guard streams.isEmpty, !hidden else { return refusal == nil ? incomplete.remark : nil }
    if let channel {
      return "no data was sent on a channel "
        + String(decoding: Self.text { $0.handle(channel.rawValue) }, as: UTF8.self)
    }
    return filter.remark ?? unread ?? "this capture contains no attribute value"
  }

  /// Why the output is not what was requested, which makes it useless.
  package var refusal: String? {
    if hidden { return "these values are keys or hold secrets; --show-keys writes them" }
    guard streams.count > 1 else { return nil }
    var text = Output()
    text.text("--raw writes the bytes of one attribute or channel, one way, and ")
    if hasMore { text.text("more than ") }
    text.decimal(streams.count)
    text.text(" are selected: ")
    for (index, stream) in streams.enumerated() {
      if index > 0 { text.text("; ") }
      name(stream, into: &text)
    }
    text.text("; choose with ")
    text.string(advice)
    return String(decoding: text.bytes.array, as: UTF8.self)
  }

  /// The options that distinguish the streams.
  private var advice: String {
    func differ<Value: Equatable>(_ value: (Stream) -> Value) -> Bool {
      streams.contains { value($0) != value(streams[0]) }
    }
    var options: [String] = []
    if channel != nil {
      if differ(\.connection) { options.append("--connection") }
      if differ(\.direction) { options.append("--direction") }
      // Two channels may have the same CID at different ends.
      if options.isEmpty, differ(\.cid) || differ(\.local) { options.append("--channel") }
      return options.isEmpty ? "--packets" : options.joined(separator: " or ")
    }
    if differ(\.attribute?.server) { options.append("--device") }
    if differ(\.attribute?.uuid) { options.append("--uuid") }
    if differ(\.attribute?.handle), options.isEmpty || !differ(\.attribute?.uuid) {
      options.append("--handle")
    }
    if differ(\.origin) || differ(\.direction) { options.append("--operation") }
    return options.isEmpty ? "--packets" : options.joined(separator: " or ")
  }

  private func name(_ stream: Stream, into text: inout Output) {
    if let cid = stream.cid {
      text.text("channel ")
      text.handle(cid.rawValue)
      if let local = stream.local {
        text.text(" (on ")
        text.text(Side.local.words(stream.vantage))
        text.byte(0x20)
        text.handle(local.rawValue)
        text.byte(0x29)
      }
      text.text(" of connection ")
      text.decimal(stream.connection)
      text.text(", ")
      text.text((stream.direction ?? .received).words(stream.vantage))
    } else if let attribute = stream.attribute {
      if stream.origin == .advertised {
        text.advertiser(stream.peer, attribute.side)
        text.byte(0x20)
        text.advertised(attribute.uuid, stream.company)
      } else {
        text.attribute(attribute, owner: nil, glyphs)
      }
      switch stream.origin {
      case .read: text.text(" read")
      case .written: text.text(" written")
      case .notified: text.text(" notified")
      case .advertised, .channel: break
      }
    }
    text.text(" (")
    text.count(stream.count, "value", "values")
    text.byte(0x29)
  }

  private static func text(_ write: (inout Output) -> Void) -> [UInt8] {
    var output = Output()
    write(&output)
    return output.bytes.array
  }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    filter.observe(packet.record, memory)
    if channel != nil {
      data(packet, memory, into: &output)
      return
    }
    conversations.observe(packet, memory)
    write(into: &output)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    unread = memory.air.encryptionRemark
    guard channel == nil else { return }
    conversations.finish(memory)
    write(into: &output)
  }

  /// Writes the values; failed attempts are not values.
  private mutating func write(into output: inout Output) {
    let bytes = conversations.bytes
    for value in conversations.values {
      guard value.outcome == .done, let slice = value.value,
        filter.admits(value, bytes.bytes)
      else { continue }
      if value.isKeyMaterial, !options.showsKeys {
        hidden = true
        return
      }
      var stream = Stream(origin: .notified, direction: value.direction)
      switch value.operation {
      case .read: stream.origin = .read
      case .write, .writeWithoutResponse, .signedWrite, .preparedWrite: stream.origin = .written
      case .notification, .indication: stream.origin = .notified
      case .data: stream.origin = value.isWritten ? .written : .notified
      case .advertisement: stream.origin = .advertised
      }
      stream.key = ValueEntry.Key(value)
      stream.attribute = value.attribute
      stream.company = value.company
      stream.peer = value.parties.peer
      guard isChosen(stream) else { continue }
      incomplete.count(value)
      output.raw(bytes.bytes.part(slice))
    }
  }

  /// Returns whether a stream is the one whose bytes are written, which is the first.
  private mutating func isChosen(_ stream: Stream) -> Bool {
    if let place = streams.firstIndex(of: stream) {
      streams[place].count += 1
      return place == 0
    }
    guard streams.count < Self.named else {
      hasMore = true
      return false
    }
    streams.append(stream)
    streams[streams.count - 1].count = 1
    return streams.count == 1
  }

  private mutating func data(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    guard let fact = packet.answer.channel, let cid = packet.dissection.l2cap?.cid,
      let link = packet.answer.link,
      packet.record.original == nil, !packet.answer.fragment.isFragment,
      !packet.dissection.body.isEmpty,
      cid == channel || fact.local == channel,
      filter.admits(packet, memory)
    else { return }
    // An ATT bearer may be such a channel, too.
    let isSecret =
      packet.dissection.att.map { packet.answer.bringsKeyMaterial($0.opcode, memory) }
      ?? packet.answer.fragment.isDoubtful
    if !options.showsKeys, isSecret {
      hidden = true
      return
    }
    var stream = Stream(origin: .channel, direction: packet.record.direction)
    stream.connection = memory.links.id(link)
    stream.vantage = memory.links.connection(link).vantage
    stream.serial = fact.serial
    stream.cid = cid
    if let local = fact.local, local != cid { stream.local = local }
    if isChosen(stream) { output.raw(packet.bytes.part(packet.dissection.body)) }
  }
}
