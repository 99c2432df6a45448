import Bluetooth
import Bytes
package import Decoders

/// What is wrong with a message's parts, or with the series that it belongs to.
enum MessageRemark: Equatable {
  case repeatedPart(Int)
  case latePart(Int)
  case missingParts(first: Int, count: Int)
  case partBeyond(Int)
  case badChecksum(found: UInt32, expected: UInt32, digits: Int)
  case repeatedMessage
  case messageBeyond
  case lateMessage
  case unfinished(Unfinished)
  case excess(total: Int, most: Int)

  /// The name in JSON.
  var code: StaticString {
    switch self {
    case .repeatedPart: "repeated_part"
    case .latePart: "part_out_of_order"
    case .missingParts: "missing_part"
    case .partBeyond: "part_beyond_last"
    case .badChecksum: "bad_checksum"
    case .repeatedMessage: "repeated_message"
    case .messageBeyond: "message_beyond_last"
    case .lateMessage: "late_message"
    case .excess: "frame_too_long"
    case .unfinished(let what): what.kind == .series ? "series_incomplete" : "message_incomplete"
    }
  }

  /// Appends the remark.
  func write(into line: inout Output) {
    switch self {
    case .repeatedPart(let number): line.write("part \(number) came before")
    case .latePart(let number): line.write("part \(number) comes late")
    case .missingParts(let first, 1): line.write("part \(first) has not come")
    case .missingParts(let first, let count):
      line.write("parts \(first)–\(first + count - 1) have not come")
    case .partBeyond(let number): line.write("part \(number) is beyond the last")
    case .badChecksum(let found, let expected, let digits):
      line.text("checksum ")
      line.hexDigits(UInt64(found), digits)
      line.text(", not ")
      line.hexDigits(UInt64(expected), digits)
    case .repeatedMessage: line.text("came before")
    case .messageBeyond: line.text("has a number that was not announced")
    case .lateMessage: line.text("late")
    case .unfinished(let what): line.unfinished(what)
    case .excess(let total, let most):
      line.write("not read: \(total) bytes exceed reassemble.max (\(most))")
    }
  }
}

extension VendorSighting {
  /// What is wrong with the message, apart from its own fields.
  var remarks: [MessageRemark] {
    var remarks: [MessageRemark] = []
    if let excess { remarks.append(.excess(total: excess.total, most: excess.most)) }
    if let badChecksum {
      remarks.append(
        .badChecksum(
          found: badChecksum.found, expected: badChecksum.expected, digits: badChecksum.digits))
    }
    if let chunk {
      if chunk.isRepeated { remarks.append(.repeatedPart(chunk.number)) }
      if chunk.isLate { remarks.append(.latePart(chunk.number)) }
      if chunk.isBeyond { remarks.append(.partBeyond(chunk.number)) }
      if chunk.missing > 0 {
        remarks.append(.missingParts(first: chunk.firstMissing, count: chunk.missing))
      }
    }
    if let series {
      if series.isRepeated { remarks.append(.repeatedMessage) }
      if series.isBeyond { remarks.append(.messageBeyond) }
      if series.isLate { remarks.append(.lateMessage) }
    }
    for one in unfinished { remarks.append(.unfinished(one)) }
    return remarks
  }
}

extension Output {
  /// Appends `2 of 3 that #97 announced came, 4 is missing`.
  package mutating func unfinished(_ what: Unfinished) {
    let received: Wording = what.count.map { "\(what.received) of \($0)" } ?? "\(what.received)"
    switch what.kind {
    case .series: write("\(received) that \(packet: what.packet) announced came")
    case .parts:
      write("the message of \(packet: what.packet) is incomplete: ")
      incomplete(what)
    }
    guard !what.missing.isEmpty else { return }
    text(", missing ")
    numbers(what.missing)
    if let count = what.count, count - what.received > what.missing.count { text(", …") }
  }

  /// Appends how much came of a message, and why no more is expected: `680 of 741 bytes after
  /// 2.0 s`.
  package mutating func incomplete(_ what: Unfinished) {
    guard what.byteCount > 0 else {
      let received: Wording = what.count.map { "\(what.received) of \($0)" } ?? "\(what.received)"
      write(received)
      return text(what.count ?? what.received == 1 ? " part" : " parts")
    }
    if case .excess(let count, let most) = what.ending {
      return write("\(count) bytes exceed reassemble.max (\(most))")
    }
    if let total = what.total {
      write("\(what.byteCount) of \(total) bytes")
    } else {
      count(what.byteCount, "byte", "bytes")
    }
    switch what.ending {
    case .silence(let milliseconds):
      text(" after ")
      duration(nanoseconds: Int64(milliseconds).multiplied(clamped: 1_000_000))
    case .another: text(" before another message")
    case .excess, nil: break
    }
  }

  /// Appends numbers in ascending order, with runs as ranges: `2, 5–7`.
  private mutating func numbers(_ numbers: [Int]) {
    var place = 0
    while place < numbers.count {
      var end = place
      while end + 1 < numbers.count, numbers[end + 1] == numbers[end] + 1 { end += 1 }
      if place > 0 { text(", ") }
      decimal(numbers[place])
      if end > place {
        text("–")
        decimal(numbers[end])
      }
      place = end + 1
    }
  }

  /// Appends a JSON list of what was incomplete.
  package mutating func unfinished(_ list: [Unfinished]) {
    byte(0x5b)
    for (index, what) in list.enumerated() {
      if index > 0 { byte(0x2c) }
      text("{\"kind\":\"")
      text(what.kind.name)
      text("\",\"packet\":")
      decimal(what.packet)
      if let count = what.count {
        text(",\"count\":")
        decimal(count)
      }
      text(",\"received\":")
      decimal(what.received)
      if what.byteCount > 0 {
        text(",\"bytes\":")
        decimal(what.byteCount)
        if let total = what.total {
          text(",\"frame_length\":")
          decimal(total)
        }
      }
      if !what.missing.isEmpty {
        text(",\"missing\":")
        jsonNumbers(what.missing[...])
      }
      byte(0x7d)
    }
    byte(0x5d)
  }
}
