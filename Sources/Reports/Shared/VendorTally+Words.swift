import Bluetooth
import Bytes
import Decoders
import Meanings

extension Output {
  /// Appends the results of the requests and series of a protocol: `8 requests, 7 answered; no
  /// answer to #109`.
  mutating func requests(of tally: VendorTally, _ glyphs: Glyphs) {
    var isFirst = true
    if tally.requests > 0 {
      isFirst = false
      count(tally.requests, "request", "requests")
      if tally.answered == tally.requests {
        text(tally.requests == 1 ? ", answered" : ", all answered")
      } else {
        write(", \(tally.answered) answered")
        if tally.refused > 0 { write(", \(tally.refused) refused") }
        if !tally.unanswered.isEmpty {
          text("; no answer to ")
          packets(tally.unanswered[...], glyphs)
          if tally.omitsUnanswered { text(" and more") }
        }
      }
    }
    if tally.series > 0 {
      separate(&isFirst, by: "; ")
      write("\(tally.completed) of \(tally.series) series complete")
    }
    if tally.incompleteMessages > 0 {
      separate(&isFirst, by: "; ")
      write("\(count: tally.incompleteMessages, "message", "messages") incomplete")
    }
  }
}
