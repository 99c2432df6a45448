import Bytes
import Meanings
package import Sessions

extension Output {
  /// Appends a line for each connection and key that says which packets stay encrypted, and why.
  /// Appends nothing if all packets could be read.
  ///
  /// - Parameter width: the width of the terminal in columns; nil: lines are not wrapped.
  package mutating func encryptionRemarks(
    _ memory: borrowing Memory, _ glyphs: Glyphs, width: Int?
  ) {
    guard !memory.air.isEmpty else { return }
    var lines = Output()
    var written = Output()
    for remark in memory.air.encryptionRemarks { lines.write("\(remark)\n") }
    written.text(lines.bytes, glyphs)
    wrapped(written.bytes, columns: width ?? .max, indentation: 2)
  }
}

extension AirLinks {
  /// The same sentences as one text, to print beside other output; nil if all could be read.
  package var encryptionRemark: String? {
    let remarks = encryptionRemarks
    return remarks.isEmpty ? nil : Wording(remarks, joinedBy: " ").text
  }
}
