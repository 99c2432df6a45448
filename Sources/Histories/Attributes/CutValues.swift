import Bytes
import Sessions

/// Values of an attribute that end where a PDU ends, although their text goes on.
package struct CutValues: Sendable {
  package enum Transfer: Sendable {
    case read, written, sent
  }

  package let transfer: Transfer
  /// The bytes of each, and the MTU.
  package let length: Int
  package let mtu: Int
  /// The values that open a bracket which they do not close.
  package private(set) var unclosed = Tally()
  /// The values of other text.
  package private(set) var plain = Tally()
  /// Whether a value shows that they are not cut.
  package internal(set) var isRefuted = false
  /// The number of different texts.
  package private(set) var texts = 0
  /// The beginning of the last value, if it was cut, its hash, and how often it was repeated.
  private var start: UInt64?
  private var hash: UInt64 = 0
  private var repeats = 0

  /// The values of one of the two kinds.
  package static let fewest = 3
  /// The bytes that two values have in common if each begins anew.
  private static let head = 6

  init(_ transfer: Transfer, _ length: Int, _ mtu: Int) {
    (self.transfer, self.length, self.mtu) = (transfer, length, mtu)
  }

  /// Whether all show that they are cut: they open a bracket, and the next one begins anew.
  package var areUnclosed: Bool { !isRefuted && unclosed.count >= Self.fewest && plain.count == 0 }

  /// Whether they seem to be: each of several texts is sent again, and fills the PDU, too.
  package var areRepeated: Bool {
    !isRefuted && unclosed.count == 0 && texts >= Self.fewest && repeats > 0
  }

  /// Returns whether a value begins as text, and has a length of interest.
  static func mayBeCut(_ value: RawSpan) -> Bool {
    value.byteCount >= 20 && 0x20...0x7e ~= value.byte(at: 0)
  }

  mutating func note(_ value: RawSpan, _ moment: Moment) {
    if isRefuted { return }
    let count = value.byteCount
    let text = count >= Self.head ? Text(value) : nil
    var begin: UInt64 = 0
    if let text {
      for index in 0..<Self.head { begin = begin << 8 | UInt64(value.byte(at: index)) }
      if let start {
        // What does not begin anew goes on.
        isRefuted = start != begin
      } else if plain.count > 0 {
        noteNext(text)
      }
    } else {
      isRefuted = start != nil || plain.count > 0
    }
    if count > length { isRefuted = true }
    start = nil
    guard !isRefuted, count == length, let text else { return }
    if text.opens {
      if text.depth > 0 {
        unclosed.note(moment)
        start = begin
      }
    } else {
      // Words that fill the PDU, up to a letter or a digit.
      guard text.hasSpace, text.endsInWord else {
        isRefuted = plain.count > 0
        return
      }
      if plain.count == 0 {
        texts = 1
        hash = text.hash
      }
      plain.note(moment)
    }
  }

  /// Records other text: either the same once more, or the next one.
  private mutating func noteNext(_ text: Text) {
    if text.hash == hash {
      repeats &+= 1
    } else if repeats == 0 {
      isRefuted = true
    } else {
      texts &+= 1
      (hash, repeats) = (text.hash, 0)
    }
  }

  /// What printable text shows.
  private struct Text {
    /// Whether it begins with a bracket, and how many brackets it leaves open.
    let opens: Bool
    private(set) var depth = 0
    private(set) var hasSpace = false
    let endsInWord: Bool
    let hash: UInt64

    /// Returns whether text begins like JSON: an object's first name, or an array's first element.
    private static func opensJSON(_ value: RawSpan) -> Bool {
      let bracket = value.byte(at: 0)
      guard bracket == 0x7b || bracket == 0x5b else { return false }
      for index in 1..<value.byteCount where value.byte(at: index) != 0x20 {
        let next = value.byte(at: index)
        return next == 0x22
          || bracket == 0x5b
            && (next == 0x7b || next == 0x5b || next == 0x2d || 0x30...0x39 ~= next)
      }
      return false
    }

    /// Reads text, or returns nil if the value is not text.
    init?(_ value: RawSpan) {
      let count = value.byteCount
      guard count > 0 else { return nil }
      let last = value.byte(at: count - 1)
      opens = Self.opensJSON(value)
      hash = value.hash
      endsInWord = 0x30...0x39 ~= last || 0x41...0x5a ~= last || 0x61...0x7a ~= last
      var (isQuoted, isEscaped) = (false, false)
      for index in 0..<count {
        let byte = value.byte(at: index)
        if isEscaped {
          isEscaped = false
          continue
        }
        // Text of other languages, too.
        guard byte >= 0x20 && byte != 0x7f || byte == 0x09 || byte == 0x0a || byte == 0x0d else {
          return nil
        }
        switch byte {
        case 0x22: isQuoted.toggle()
        case 0x5c: isEscaped = isQuoted
        case 0x7b, 0x5b: depth &+= isQuoted ? 0 : 1
        case 0x7d, 0x5d: depth &-= isQuoted ? 0 : 1
        case 0x20: hasSpace = true
        default: break
        }
      }
    }
  }
}

/// The messages of several notifications that a server sends after writes, if every notification
/// fills a PDU.
package struct FullMessages: Defaulted {
  package init() {}

  /// The messages whose last notification fills a PDU, too, by those.
  package private(set) var ended = Tally()
  /// The message under way: its notifications, and the last one.
  package private(set) var current: (count: Int, last: Moment)?
  /// The bytes of each notification.
  package private(set) var length = 0
  /// Whether a message ended with a shorter one.
  package private(set) var isRefuted = false

  /// Records the next notification.
  ///
  /// - Parameters:
  ///   - fits: the bytes that a notification can have.
  ///   - written: the last packet with a value that the client wrote, which begins a message.
  mutating func note(_ count: Int, _ fits: Int, _ moment: Moment, after written: Int) {
    if let last = current?.last, last.packet < written { end() }
    if current == nil {
      if count == fits { (current, length) = ((1, moment), count) }
    } else if count == fits {
      current = ((current?.count ?? 0) + 1, moment)
    } else {
      isRefuted = true
    }
  }

  private mutating func end() {
    if let current, current.count > 1 { ended.note(current.last) }
    current = nil
  }
}

extension AttributeHistory {
  mutating func noteCut(
    _ value: RawSpan, _ transfer: CutValues.Transfer, _ place: Int, _ context: Context,
    _ memory: borrowing Memory
  ) {
    guard context.isWhole, context.channel == nil else { return }
    if transfer == .sent, usages[place].mayContinueMessage(value.byteCount) {
      let mtu = memory.links.attMTU(context.link)
      if mtu.isExchanged, !mtu.isLowerBound {
        usages[place].sending.messages.note(
          value.byteCount, mtu.value - 3, context.moment, after: lastValues.written)
      }
    }
    if !usages[place].cuts.isEmpty,
      let index = usages[place].cuts.firstIndex(where: { $0.transfer == transfer })
    {
      usages[place].cuts[index].note(value, context.moment)
      return
    }
    guard CutValues.mayBeCut(value) else { return }
    let mtu = memory.links.attMTU(context.link)
    let fits: Int
    switch transfer {
    case .read:
      // With a larger MTU, a read gives more than with the smallest one.
      guard mtu.isExchanged, mtu.value > 23, value.byte(at: 0) == 0x7b || value.byte(at: 0) == 0x5b
      else { return }
      fits = 22
    case .written, .sent: fits = mtu.value - 3
    }
    guard value.byteCount == fits, !mtu.isLowerBound else { return }
    var cut = CutValues(transfer, fits, mtu.value)
    cut.note(value, context.moment)
    if cut.unclosed.count + cut.plain.count > 0 { usages[place].cuts.append(cut) }
  }

  /// Records that a client reads the rest of a value: what was sent of it was only its beginning.
  mutating func noteRest(_ place: Int) {
    for index in usages[place].cuts.indices where usages[place].cuts[index].transfer != .written {
      usages[place].cuts[index].isRefuted = true
    }
  }
}
