package import Bytes
package import Captures
import Meanings
package import Sessions

/// `values`: a table of the values of each characteristic. Counts while packets are fed, and prints
/// at the end.
package struct ValuesReport: TableReport, ~Copyable {
  private var values: CountedValues
  /// Decodes values.
  private var reading: ValueReading

  /// Creates a table for a capture.
  package init(_ options: ValuesOptions, limits: Limits = Limits()) {
    values = CountedValues(options, limits: limits)
    reading = ValueReading(
      options.profiles, showsKeys: options.showsKeys, keepsRecent: true)
  }

  /// The width of the terminal in columns; nil: lines are not cut.
  package var width: Int? {
    get { values.options.width }
    set { values.options.width = newValue }
  }

  /// Why there are no values.
  package var remark: String? { values.remark }

  /// Whether the requested number of values was counted.
  package var isSatisfied: Bool { values.filter.isSatisfied }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    reading.follow(packet, memory)
    values.packet(packet, memory, &reading)
  }

  package mutating func table(
    _ memory: borrowing Memory, rows: Int, columns: Int, into lines: inout Output
  ) {
    var table = values.table(memory, columns: columns, &reading)
    table.write(memory, rows: rows, into: &lines)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    values.finish(memory, &reading)
    var table = values.conclude(memory, &reading)
    if !table.facts.entries.isEmpty {
      table.write(memory, into: &output)
      values.writeRest(&table, memory, &reading, into: &output)
    } else if values.filter.remark == nil {
      output.text(CountedValues.nothing)
      output.byte(0x0a)
    }
    output.encryptionRemarks(memory, values.options.glyphs, width: width)
  }
}
