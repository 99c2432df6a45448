import Bluetooth
import Bytes
import Sessions

/// Counts the printed values that are incomplete, and why.
struct IncompleteValues: Sendable {
  private var values = 0
  private var beginLate = 0
  private var cut = 0
  private var mayGoOn = 0
  private var restRefused = 0
  /// Where the last one was recorded.
  private var vantage = Vantage.host

  /// Records a value that was printed.
  mutating func count(_ value: ConveyedValue) {
    guard value.offset > 0 || value.isCut || value.mayGoOn || value.isRestRefused else { return }
    values += 1
    vantage = value.parties.vantage
    if value.offset > 0 { beginLate += 1 }
    if value.isCut { cut += 1 }
    if value.mayGoOn { mayGoOn += 1 }
    if value.isRestRefused { restRefused += 1 }
  }

  /// A remark on them, or nil if all values were complete.
  var remark: String? {
    guard values > 0 else { return nil }
    var text = Output()
    text.count(values, "value is", "values are")
    text.text(" not whole: ")
    var isFirst = true
    for (number, words) in [
      (beginLate, ValueWords.beginsLate), (cut, ValueWords.cut), (mayGoOn, ValueWords.mayGoOn),
      (restRefused, ValueWords.restRefused(vantage)),
    ] as [(Int, StaticString)] where number > 0 {
      if !isFirst { text.text(", ") }
      isFirst = false
      if values > 1 {
        text.decimal(number)
        text.byte(0x20)
      }
      text.text(words)
    }
    return String(decoding: text.bytes.array, as: UTF8.self)
  }
}

/// The words for incomplete values, used everywhere.
enum ValueWords {
  /// The first bytes were not requested.
  static let beginsLate: StaticString = "begins in the middle"
  /// Bytes are missing from the capture.
  static let cut: StaticString = "not all of it in the capture"
  /// The value ends at the end of the PDU.
  static let mayGoOn: StaticString = "fills the PDU: there may be more"

  /// The value ends at the end of the PDU, and the peer refused the next read.
  static func restRefused(_ vantage: Vantage) -> StaticString {
    vantage == .air
      ? "the server refused the next read: there may be more"
      : "the peer refused the next read: there may be more"
  }
}
