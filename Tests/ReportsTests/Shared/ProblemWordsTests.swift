import Bytes
import Dissectors
import Testing

@testable import Reports

@Suite("Problem messages")
struct ProblemWordsTests {
  private static let keys = Problem.Code.allCases.map(\.key.description)

  @Test("Every code has its own key in snake case")
  func keys() {
    for key in Self.keys {
      let isSnake = key.utf8.allSatisfy { $0 == 0x5f || $0 >= 0x61 && $0 <= 0x7a }
      #expect(isSnake && !key.hasPrefix("_") && !key.hasSuffix("_"), "\(key)")
    }
    #expect(Set(Self.keys).count == Self.keys.count)
  }

  @Test("Every code has a severity and a message in one line", arguments: Problem.Code.allCases)
  func message(_ code: Problem.Code) {
    #expect(["error", "warning"].contains(code.severity.key.description))
    for numbers in [(0, 0), (1, 1), (Int.max, Int.max)] {
      let text = written { $0.message(of: Problem(code, at: 3, numbers.0, numbers.1)) }
      #expect(text.count > 10)
      #expect(!text.contains("\n") && !text.contains("  ") && !text.contains("\""), "\(text)")
      #expect(!text.hasSuffix(".") && text.first?.isUppercase == false || text.hasPrefix("AD"))
    }
  }

  @Test("No two codes have the same message")
  func different() {
    let texts = Problem.Code.allCases.map { code in
      written { $0.message(of: Problem(code, 2, 3)) }
    }
    #expect(Set(texts).count == texts.count)
  }

  @Test("One byte, two bytes")
  func numbers() {
    #expect(written { $0.message(of: Problem(.leftOver, 1)) } == "1 byte is left over")
    #expect(written { $0.message(of: Problem(.leftOver, 2)) } == "2 bytes are left over")
    let lost = written { $0.message(of: Problem(.recordsDropped, 1)) }
    #expect(lost == "the writer lost 1 record before this one")
    let most = written { $0.message(of: Problem(.recordsDropped, Int(UInt32.max))) }
    #expect(most == "the writer lost 4294967295 records before this one")
  }

  @Test("Problems beyond the limit are counted")
  func omitted() {
    var problems = Problems()
    for _ in 0..<7 { problems.add(Problem(.emptyRecord)) }
    #expect(problems.count + problems.omitted == 7)
  }
}
