import Bytes
import Decoders
import Sessions

/// The results of the requests and series of protocols and control points, after the last packet,
/// as one line of JSON each.
extension ValueLines {
  mutating func writeExchanges(into output: inout Output) {
    for tally in reading.finish() where !tally.isEmpty {
      output.text("{\"type\":\"exchange\",\"connection\":")
      output.decimal(Int(tally.conversation >> 1))
      if tally.conversation & 1 == 1 { output.text(",\"server\":\"local\"") }
      output.text(",\"name\":\"")
      output.jsonEscaped([UInt8](tally.title.utf8).bytes)
      output.byte(0x22)
      if tally.requests > 0 {
        number(",\"requests\":", tally.requests, into: &output)
        number(",\"answered\":", tally.answered, into: &output)
        if tally.refused > 0 { number(",\"refused\":", tally.refused, into: &output) }
      }
      if !tally.unanswered.isEmpty {
        output.text(",\"unanswered\":")
        output.jsonNumbers(tally.unanswered[...])
      }
      if tally.series > 0 {
        number(",\"series\":", tally.series, into: &output)
        number(",\"complete\":", tally.completed, into: &output)
      }
      if !tally.unfinished.isEmpty {
        output.text(",\"unfinished\":")
        output.unfinished(tally.unfinished)
      }
      output.text("}\n")
    }
  }

  private func number(_ key: StaticString, _ number: Int, into output: inout Output) {
    output.text(key)
    output.decimal(number)
  }
}
