import Bluetooth
import Bytes
package import Decoders

extension ExchangeNote {
  /// Appends what a message answers and its position in a series, after a comma.
  func write(_ series: SeriesNote?, into output: inout Output) {
    if let request {
      output.text(", answers ")
      output.packet(request)
    } else if isOrphan {
      output.text(", unsolicited")
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
  func writeJSON(into output: inout Output) {
    if let request {
      output.text(",\"answers\":")
      output.decimal(request)
    } else if isOrphan {
      output.text(",\"answers_nothing\":true")
    }
    if let latency {
      output.text(",\"latency_ms\":")
      output.fixed(Int(latency / 1000), decimals: 3)
    }
  }
}

extension VendorSighting {
  /// The message without what it answers.
  package var alone: Self {
    var message = self
    message.exchange = ExchangeNote()
    return message
  }

  /// Appends which part of a message this is.
  func writePart(into line: inout Output) {
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
  func writeRemarks(into line: inout Output) {
    for remark in remarks {
      line.text(", ")
      remark.write(into: &line)
    }
  }

  // MARK: JSON

  /// Appends the start of the object for a message or a part of one.
  func writeHead(
    _ decoded: Decoded, _ value: RawSpan, showsKeys: Bool, into output: inout Output
  ) {
    if frame == nil {
      writePartJSON(into: &output)
    } else {
      DecodedWriter(decoded, isJSON: true, showsKeys: showsKeys)?.head(value, into: &output)
    }
    writeContext(into: &output)
  }

  private func writePartJSON(into output: inout Output) {
    output.text("{\"profile\":")
    output.jsonString(vendor.profile)
    output.text(",\"name\":\"part\",\"part\":{")
    if let chunk {
      output.text("\"number\":")
      output.decimal(chunk.number)
      if let count = chunk.count {
        output.text(",\"count\":")
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
  private func writeContext(into output: inout Output) {
    if isByFrame { output.text(",\"recognized_by\":\"frame\"") }
    exchange.writeJSON(into: &output)
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
    let isOfFields = frame != nil && !decoded.problems.isEmpty
    guard isOfFields || !remarks.isEmpty else { return }
    var scratch = Output()
    output.text(",\"problems\":[")
    if isOfFields {
      DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)?.problemItems(
        value, line: &scratch, into: &output)
    }
    for (place, remark) in remarks.enumerated() {
      if isOfFields || place > 0 { output.byte(0x2c) }
      output.text("{\"code\":\"")
      output.text(remark.code)
      output.text("\",\"message\":")
      scratch.clear()
      remark.write(into: &scratch)
      output.jsonString(scratch.bytes)
      output.text(",\"offset\":0}")
    }
    output.byte(0x5d)
  }
}
