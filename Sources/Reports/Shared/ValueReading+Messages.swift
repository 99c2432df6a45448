import Bluetooth
import Bytes
package import Decoders

/// A message after the first one in a value.
package struct FollowingMessage: Sendable {
  package var sighting: VendorSighting
  package var decoded = Decoded()
  /// The words, ending with those for problems, and where these begin.
  var line: [UInt8] = []
  var textEnd = 0
}

/// The description of a message beyond its fields: what it answers, and its position in a series.
extension ValueReading {
  /// Decodes the messages after the first one, and describes all of them in one line.
  @inline(never)
  mutating func readFollowing(_ sightings: [VendorSighting], _ value: RawSpan) {
    firstEnd = line.count
    if let sighting { Self.writeExchange(sighting.exchange, sighting.series, into: &line) }
    isExchangeSaid = true
    for sighting in sightings {
      var message = FollowingMessage(sighting: sighting)
      var words = Output()
      if let frame = sighting.frame, let named = sighting.message {
        var decoder = ValueDecoder()
        sighting.decode(frame, named, value, [], with: &decoder, into: &message.decoded)
        let whole = sighting.bytes ?? value.array
        message.textEnd =
          DecodedWriter(message.decoded, isJSON: false, showsKeys: showsKeys)?
          .line(whole.bytes, into: &words) ?? 0
      } else {
        sighting.sayPart(into: &words)
        message.textEnd = words.count
      }
      sighting.sayRemarks(into: &words)
      message.line = words.bytes.array
      line.text("; ")
      words.copy(into: &line)
      Self.writeExchange(sighting.exchange, sighting.series, into: &line)
      following.append(message)
    }
  }

  /// The other packets that the description of this one depends on: the request that its message
  /// answers, the parts of the message, the start of its series, and the frame that identified the
  /// protocol.
  var related: [Int] {
    var packets = [control?.request].compactMap(\.self)
    for sighting in [sighting].compactMap(\.self) + following.map(\.sighting) {
      packets += sighting.packets + sighting.recognition
      packets += [sighting.request, sighting.series?.announcement].compactMap(\.self)
    }
    return packets
  }

  /// The requests that its messages answer.
  var requests: [Int] {
    if sighting == nil, control == nil { return [] }
    return [control?.request].compactMap(\.self)
      + ([sighting].compactMap(\.self) + following.map(\.sighting)).compactMap(\.request)
  }

  /// The packets that contained parts of its messages.
  var parts: [Int] {
    if sighting == nil { return [] }
    return ([sighting].compactMap(\.self) + following.map(\.sighting)).flatMap(\.packets)
  }

  /// Remembers the packets of messages that may stay incomplete.
  mutating func note(_ sighting: VendorSighting) {
    var packets = sighting.frame == nil || sighting.chunk != nil ? sighting.packets : []
    if let series = sighting.series { packets.append(series.announcement) }
    for packet in packets where !announcements.contains(packet) {
      if announcements.count >= Self.mostAnnouncements {
        // Complete ones are not needed any more.
        let open = Set(messages.leftOpen.map(\.what.packet))
        announcements.removeAll { !open.contains($0) }
        if announcements.count >= Self.mostAnnouncements / 2 {
          announcements.removeFirst(Self.mostAnnouncements / 4)
        }
      }
      announcements.append(packet)
    }
  }

  /// The maximum number of incomplete messages that are named.
  private static let mostOpenNamed = 8

  /// Returns what is still open in what was printed when the capture ends, or nil if nothing is.
  ///
  /// - Parameter isAllWorded: whether every packet was printed.
  func openRemark(isAllWorded: Bool) -> String? {
    let left = messages.leftOpen.filter {
      isAllWorded || announcements.contains($0.what.packet)
    }
    guard !left.isEmpty else { return nil }
    var words = Output()
    for open in left.prefix(Self.mostOpenNamed) {
      words.text(words.count > 0 ? "; " : "")
      words.string(open.profile)
      words.text(": ")
      words.unfinished(open.what)
    }
    if left.count > Self.mostOpenNamed {
      words.text("; and ")
      words.decimal(left.count - Self.mostOpenNamed)
      words.text(" more")
    }
    words.text(", and the capture ends")
    return String(decoding: words.bytes.array, as: UTF8.self)
  }

  /// What the value answers.
  var exchange: ExchangeNote? { sighting?.exchange ?? control }

  /// Appends what a message answers and its position in a series, after a comma.
  func writeExchange(into output: inout Output) {
    guard !isExchangeSaid, let exchange else { return }
    Self.writeExchange(exchange, sighting?.series, into: &output)
  }

  private static func writeExchange(
    _ exchange: ExchangeNote, _ series: SeriesNote?, into output: inout Output
  ) {
    if let request = exchange.request {
      output.text(", answers ")
      output.packet(request)
    } else if exchange.isOrphan {
      output.text(", answers nothing")
    }
    guard let series, !series.isAnnouncement, !series.isBeyond, !series.isRepeated else { return }
    output.text(", ")
    output.decimal(series.received)
    output.text(" of ")
    output.decimal(series.count)
    guard series.isComplete else { return }
    output.text(", all that ")
    output.packet(series.announcement)
    output.text(" announced")
  }

  /// Appends the JSON members for what a message answers.
  static func writeJSON(_ exchange: ExchangeNote, into output: inout Output) {
    if let request = exchange.request {
      output.text(",\"answers\":")
      output.decimal(request)
    } else if exchange.isOrphan {
      output.text(",\"answers_nothing\":true")
    }
    if let latency = exchange.latency {
      output.text(",\"latency_ms\":")
      output.fixed(Int(latency / 1000), decimals: 3)
    }
  }

  /// Appends the list of the messages after the first one.
  func writeFollowing(_ value: RawSpan, into output: inout Output) {
    guard !following.isEmpty else { return }
    output.text(",\"following\":[")
    for (place, message) in following.enumerated() {
      if place > 0 { output.byte(0x2c) }
      let whole = message.sighting.bytes ?? value.array
      if message.sighting.frame == nil {
        message.sighting.writePart(into: &output)
      } else {
        DecodedWriter(message.decoded, isJSON: true, showsKeys: showsKeys)?
          .head(whole.bytes, into: &output)
      }
      message.sighting.writeJSON(into: &output)
      output.text(",\"text\":\"")
      output.jsonEscaped(message.line.bytes.part(Slice(start: 0, count: message.textEnd)))
      output.byte(0x22)
      message.sighting.writeProblems(
        message.decoded, whole.bytes, showsKeys: showsKeys, into: &output)
      output.byte(0x7d)
    }
    output.byte(0x5d)
  }
}

extension VendorSighting {
  /// Appends which part of a message this is.
  func sayPart(into line: inout Output) {
    if let command {
      line.text("command ")
      line.hexDigits(UInt64(truncatingIfNeeded: command), command > 0xff ? 4 : 2)
      line.text(", ")
    }
    if let chunk {
      line.text("part ")
      line.decimal(chunk.number)
      if let count = chunk.count {
        line.text(" of ")
        line.decimal(count)
      }
      return
    }
    line.text(part.count == 1 ? "byte " : "bytes ")
    line.decimal(Int(part.start) + 1)
    if part.count > 1 {
      line.text("–")
      line.decimal(part.end)
    }
    if let total {
      line.text(" of ")
      line.decimal(total)
    }
  }

  /// Appends the problems of the message's parts and its series, each after a comma.
  func sayRemarks(into line: inout Output) {
    for remark in remarks {
      line.text(", ")
      remark.say(into: &line)
    }
  }

  // MARK: JSON

  /// Appends the start of the object for a part of a message.
  func writePart(into output: inout Output) {
    output.text("{\"profile\":\"")
    output.jsonEscaped([UInt8](vendor.profile.utf8).bytes)
    output.text("\",\"name\":\"part\",\"fields\":{")
    if let chunk {
      output.text("\"part\":")
      output.decimal(chunk.number)
      if let count = chunk.count {
        output.text(",\"parts\":")
        output.decimal(count)
      }
    } else {
      output.text("\"first_byte\":")
      output.decimal(Int(part.start) + 1)
      output.text(",\"last_byte\":")
      output.decimal(part.end)
      if let total {
        output.text(",\"frame_length\":")
        output.decimal(total)
      }
    }
    output.byte(0x7d)
  }

  /// Appends what a message answers, its position in a series, and the packets of its parts.
  func writeJSON(into output: inout Output) {
    if isByFrame { output.text(",\"recognized_by\":\"frame\"") }
    ValueReading.writeJSON(exchange, into: &output)
    if let series {
      output.text(",\"series\":{\"announced_by\":")
      output.decimal(series.announcement)
      output.text(",\"count\":")
      output.decimal(series.count)
      output.text(",\"received\":")
      output.decimal(series.received)
      output.text(series.isComplete ? ",\"complete\":true}" : ",\"complete\":false}")
    }
    if !unfinished.isEmpty {
      output.text(",\"unfinished\":")
      output.unfinished(unfinished)
    }
    guard isJoined else { return }
    output.text(",\"reassembled_from\":")
    output.jsonNumbers(packets[...])
  }

  /// Appends `,"problems":` and the list of problems of the message and its parts.
  func writeProblems(
    _ decoded: Decoded, _ value: RawSpan, showsKeys: Bool, into output: inout Output
  ) {
    let remarks = remarks
    let ofValue = frame == nil ? nil : DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)
    guard !remarks.isEmpty else {
      var scratch = Output()
      ofValue?.problems(value, line: &scratch, into: &output)
      return
    }
    var scratch = Output()
    output.text(",\"problems\":[")
    var isFirst = true
    if frame != nil, let ofValue, !decoded.problems.isEmpty {
      ofValue.problemItems(value, line: &scratch, into: &output)
      isFirst = false
    }
    for remark in remarks {
      if !isFirst { output.byte(0x2c) }
      isFirst = false
      output.text("{\"code\":\"")
      output.text(remark.code)
      output.text("\",\"message\":\"")
      scratch.clear()
      remark.say(into: &scratch)
      output.jsonEscaped(scratch.bytes)
      output.text("\",\"offset\":0}")
    }
    output.byte(0x5d)
  }
}
