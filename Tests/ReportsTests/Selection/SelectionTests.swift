import Bluetooth
import Testing

@testable import Reports

/// A short session: a command, its response, a connection, ATT in both directions, an error, a
/// disconnection.
private let session: [TestRecord] = [
  TestRecord(bytes: [1, 0x03, 0x0c, 0]),
  TestRecord(bytes: [4, 0x0e, 4, 1, 0x03, 0x0c, 0], direction: .received),
  TestRecord(
    bytes: [4, 0x3e, 19, 1, 0, 1, 0, 0, 1, 1, 2, 3, 4, 5, 0xc6, 24, 0, 0, 0, 0xf4, 1, 0],
    direction: .received),
  TestRecord(bytes: [2, 1, 0, 7, 0, 3, 0, 4, 0, 0x0a, 3, 0]),
  TestRecord(bytes: [2, 1, 0x20, 6, 0, 2, 0, 4, 0, 0x0b, 0x42], direction: .received),
  TestRecord(bytes: [2, 1, 0, 8, 0, 4, 0, 4, 0, 0x12, 3, 0, 1]),
  TestRecord(bytes: [2, 1, 0x20, 9, 0, 5, 0, 4, 0, 1, 0x12, 3, 0, 5], direction: .received),
  TestRecord(bytes: [4, 5, 4, 0, 1, 0, 0x13], direction: .received),
  TestRecord(bytes: [], direction: .received),
]

/// Returns the numbers of the selected packets, on which text and JSON must agree.
private func numbers(_ change: (inout Selection) -> Void) -> [Int] {
  var options = ShowOptions()
  change(&options.selection)
  let json = Rendering.json(session, options).split(separator: "\n").compactMap { line -> Int? in
    guard let key = line.range(of: #""packet":"#) else { return nil }
    return Int(line[key.upperBound...].prefix { $0.isNumber })
  }
  let text = Rendering.text(session, options).split(separator: "\n").dropFirst().compactMap {
    line in
    Int(line.drop { $0 == " " }.prefix { $0.isNumber })
  }
  #expect(json == text)
  return json
}

extension StringProtocol {
  /// The position of `part`; these tests do not use Foundation.
  fileprivate func range(of part: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
      start = index(after: start)
    }
    return nil
  }
}

@Suite("Selection of packets")
struct SelectionTests {
  @Test("Everything by default")
  func everything() { #expect(numbers { _ in } == Array(1...9)) }

  @Test("By number, in any order, with overlaps")
  func packets() {
    #expect(numbers { $0.packets = [6...7, 2...3] } == [2, 3, 6, 7])
    #expect(numbers { $0.packets = [2...4, 3...5] } == [2, 3, 4, 5])
    #expect(numbers { $0.packets = [8...Int.max] } == [8, 9])
    #expect(numbers { $0.packets = [100...200] } == [])
  }

  @Test("By connection")
  func connections() {
    #expect(numbers { $0.connections = [1...1] } == [3, 4, 5, 6, 7, 8])
    #expect(numbers { $0.connections = [2...2] } == [])
    #expect(numbers { $0.connections = [2...2, 1...1] } == [3, 4, 5, 6, 7, 8])
  }

  @Test("By layer")
  func layers() {
    #expect(numbers { $0.layers = [.command] } == [1])
    #expect(numbers { $0.layers = [.event] } == [2, 3, 8])
    #expect(numbers { $0.layers = [.att] } == [4, 5, 6, 7])
    #expect(numbers { $0.layers = [.unknown, .command] } == [1, 9])
  }

  @Test("By direction")
  func directions() {
    #expect(numbers { $0.directions = [.sent] } == [1, 4, 6])
    #expect(numbers { $0.directions = [.received] } == [2, 3, 5, 7, 8, 9])
    #expect(numbers { $0.directions = [.sent, .received] } == Array(1...9))
  }

  @Test("Only packets with a failure or a problem")
  func errors() { #expect(numbers { $0.errorsOnly = true } == [7, 9]) }

  @Test("A limited number")
  func limit() {
    #expect(numbers { $0.limit = 0 } == [])
    #expect(numbers { $0.limit = 3 } == [1, 2, 3])
    #expect(numbers { $0.limit = 100 } == Array(1...9))
  }

  @Test("Different kinds must all match; the limit counts shown packets")
  func combined() {
    let chosen = numbers {
      $0.layers = [.att]
      $0.directions = [.received]
      $0.packets = [1...8]
    }
    #expect(chosen == [5, 7])
    let first = numbers {
      $0.layers = [.att]
      $0.limit = 2
    }
    #expect(first == [4, 5])
  }

  @Test("Packets that are not shown are still processed")
  func analysis() {
    var options = ShowOptions()
    options.selection.packets = [7...7]
    let text = Rendering.json(session, options)
    #expect(text.contains(#""id":1"#) && text.contains(#""request":6"#))
  }

  @Test("Every layer has a key that selects it")
  func keys() {
    let keys = Selection.Layer.allCases.map(\.key.description)
    #expect(Set(keys).count == keys.count)
    for layer in Selection.Layer.allCases {
      #expect(Selection.Layer(key: layer.key.description) == layer)
    }
    #expect(Selection.Layer(key: "nonsense") == nil)
  }
}
