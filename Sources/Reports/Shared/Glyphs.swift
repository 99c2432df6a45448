import Bluetooth
import Bytes

/// The signs that text is written with: the terminal may not support UTF-8.
package struct Glyphs: Sendable, Equatable {
  package let isUTF8: Bool

  package static let utf8 = Glyphs(isUTF8: true)
  package static let ascii = Glyphs(isUTF8: false)

  /// Host to controller.
  package var sent: StaticString { isUTF8 ? "→" : "->" }
  /// Controller to host.
  package var received: StaticString { isUTF8 ? "←" : "<-" }
  /// Host to controller, inferred.
  var sentInferred: StaticString { isUTF8 ? "⇢" : "~>" }
  /// Controller to host, inferred.
  var receivedInferred: StaticString { isUTF8 ? "⇠" : "<~" }
  /// The dash in a range.
  var to: StaticString { isUTF8 ? "–" : "-" }
  /// Marks text that was cut.
  package var ellipsis: StaticString { isUTF8 ? "…" : "..." }
  /// The width of the ellipsis in columns.
  var ellipsisColumns: Int { isUTF8 ? 1 : 3 }
  /// Marks a problem.
  var warning: StaticString { isUTF8 ? "⚠" : "!" }

  /// Returns a text in these signs, before it is wrapped: `=>` takes more room than `⇒`.
  package func written(_ text: String) -> String {
    if isUTF8 { return text }
    var ascii = Output()
    ascii.ascii([UInt8](text.utf8).bytes)
    return String(decoding: ascii.bytes.array, as: UTF8.self)
  }
}

extension Output {
  /// Appends finished text in the signs that the terminal supports.
  package mutating func text(_ bytes: RawSpan, _ glyphs: Glyphs) {
    if glyphs.isUTF8 { raw(bytes) } else { ascii(bytes) }
  }
}
