import Bluetooth
package import Bytes
package import Captures
import Learning
package import Sessions

/// `values --positions`: what each byte of a characteristic's values does.
package struct PositionsReport: PacketReport, ~Copyable {
  private let options: ValuesOptions
  private let isJSON: Bool
  private var collected: CollectedChannels

  /// The number of positions that have a row.
  private static let mostPositions = 128

  /// Creates a report on the selected values.
  package init(_ options: ValuesOptions, isJSON: Bool, limits: Limits = Limits()) {
    self.options = options
    self.isJSON = isJSON
    collected = CollectedChannels(options, takesStandard: true, limits: limits)
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
    var sink = JSONSink(showsKeys: options.showsKeys)
    if isJSON {
      sink.beginDocument(in: &output)
      sink.number("schema", JSONSchema.number)
      sink.beginList("channels")
    }
    var isFirst = true
    for device in collected.devices {
      for channel in Gadget(device.channels).channels where !channel.values.isEmpty {
        if isJSON {
          Self.write(channel, to: &sink)
        } else {
          var page = Output()
          if !isFirst { page.byte(0x0a) }
          isFirst = false
          Self.write(channel, into: &page)
          output.text(page.bytes, options.glyphs)
        }
      }
    }
    if isJSON {
      sink.endList()
      sink.endDocument(in: &output)
    }
  }

  // MARK: Text

  private static func write(_ channel: GadgetChannel, into page: inout Output) {
    let bytes = channel.values.map(\.bytes)
    let sizes = (bytes.map(\.count).min() ?? 0)...(bytes.map(\.count).max() ?? 0)
    page.string(GadgetWords.name(channel.source))
    page.byte(0x20)
    page.text(GadgetWords.direction(channel.source))
    page.string(
      ": \(GadgetWords.count(channel.source.sample.seen, "value")), "
        + "\(channel.learnt.different) different, \(GadgetWords.range(sizes))\n")
    let columns = CommandSearch.raggedColumns(bytes, most: mostPositions)
    let lines = columns.enumerated().map { place, column in
      var line = words(column, channel)
      if column.count < bytes.count { line += ", in \(column.count) of \(bytes.count) values" }
      if let part = part(place, channel) { line += "; \(part)" }
      return line
    }
    // Constant bytes that follow each other are one line.
    var runs: [Range<Int>] = []
    for place in lines.indices {
      if let last = runs.last, lines[last.lowerBound] == lines[place],
        case .constant = columns[place].kind
      {
        runs[runs.count - 1] = last.lowerBound..<place + 1
      } else {
        runs.append(place..<place + 1)
      }
    }
    let hasRuns = runs.contains { $0.count > 1 }
    for run in runs {
      page.text("  byte ")
      page.decimal(UInt(run.lowerBound), columns: 3)
      let end = run.count > 1 ? "–\(run.upperBound - 1)" : ""
      page.string(end)
      page.spaces(hasRuns ? 6 - end.count : 2)
      page.string(lines[run.lowerBound])
      page.byte(0x0a)
    }
    if sizes.upperBound > mostPositions {
      page.string("  and \(sizes.upperBound - mostPositions) more positions\n")
    }
    for claim in channel.kinds.flatMap(\.claims) where claim.subject == .checksum {
      page.string("  \(claim.text): \(claim.comment)\n")
    }
    for words in channel.limitWords { page.string("  \(words)\n") }
  }

  private static func words(_ column: LearntColumn, _ channel: GadgetChannel) -> String {
    switch column.kind {
    case .constant(let byte): "always \(GadgetWords.hex([byte]))"
    case .counter: "counts up"
    case .text: "text, \(column.different) different"
    case .range(let least, let most):
      "\(GadgetWords.hex([least])) to \(GadgetWords.hex([most])), \(column.different) different"
    }
  }

  /// Returns the part of a frame that a position is, if all values are frames.
  private static func part(_ place: Int, _ channel: GadgetChannel) -> String? {
    guard channel.kinds.count == 1, let kind = channel.kinds.first, !kind.frame.isJoined else {
      return nil
    }
    if place < kind.frame.start.count { return "start" }
    if let length = kind.frame.length, place >= length.at, place < length.at + length.width {
      return "length (\(length.confidence.name))"
    }
    if place == kind.command { return "command" }
    if place == kind.sequence { return "sequence" }
    if let checksum = kind.frame.checksum, let size = kind.frame.size,
      place >= size - checksum.after - checksum.width, place < size - checksum.after
    {
      return "checksum (\(checksum.confidence.name))"
    }
    return nil
  }

  // MARK: JSON

  private static func write(_ channel: GadgetChannel, to sink: inout JSONSink) {
    let bytes = channel.values.map(\.bytes)
    sink.beginItem()
    LearnReport.write(channel.source, to: &sink)
    sink.number("values", channel.source.sample.seen)
    sink.number("different", channel.learnt.different)
    sink.beginList("positions")
    for (place, column) in CommandSearch.raggedColumns(bytes, most: mostPositions).enumerated() {
      sink.beginItem()
      sink.number("at", place)
      sink.number("values", column.count)
      sink.number("different", column.different)
      switch column.kind {
      case .constant(let byte):
        sink.word("kind", "constant")
        sink.bytes("least", [byte].bytes)
      case .counter: sink.word("kind", "counter")
      case .text: sink.word("kind", "text")
      case .range(let least, let most):
        sink.word("kind", "range")
        sink.bytes("least", [least].bytes)
        sink.bytes("most", [most].bytes)
      }
      if let part = part(place, channel) { sink.string("part", part) }
      sink.endItem()
    }
    sink.endList()
    sink.beginList("claims")
    for claim in channel.kinds.flatMap(\.claims) { LearnReport.write(claim, to: &sink) }
    sink.endList()
    sink.endItem()
  }
}
