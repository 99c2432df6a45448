import Bluetooth
import Bytes
package import Dissectors

/// The number of problems of each kind.
package struct ProblemCounts: Sendable, Equatable {
  private var counts = [Int](repeating: 0, count: Problem.Code.allCases.count)

  package init() {}

  /// Counts the problems of a packet. Problems beyond those that are listed for the packet are not
  /// counted.
  package mutating func add(_ problems: Problems) {
    for index in 0..<problems.count { counts[Int(problems[index].code.rawValue)] += 1 }
  }

  /// The number of problems of a kind.
  package subscript(code: Problem.Code) -> Int { counts[Int(code.rawValue)] }

  /// The number of problems of a severity.
  package subscript(severity: Problem.Severity) -> Int {
    Problem.Code.allCases.reduce(0) { $0 + ($1.severity == severity ? self[$1] : 0) }
  }
}

extension Output {
  /// Appends the number of problems, and their kinds: `1 error, 2 warnings: 1 lost fragment, 2
  /// records cut short`; `none` if there are none.
  mutating func problems(_ problems: ProblemCounts) {
    let errors = problems[.error]
    let warnings = problems[.warning]
    if errors + warnings == 0 {
      text("none")
      return
    }
    if errors > 0 { count(errors, "error", "errors") }
    if errors > 0 && warnings > 0 { text(", ") }
    if warnings > 0 { count(warnings, "warning", "warnings") }
    var isFirst = true
    for code in Problem.Code.allCases where problems[code] > 0 {
      text(isFirst ? ": " : ", ")
      isFirst = false
      count(problems[code], code.words.one, code.words.several)
    }
  }
}
