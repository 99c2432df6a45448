package import Bytes
import Decoders

/// Writes the Swift file that contains the tables of the built-in profiles.
package enum ProfileCompiler {
  private static let quotes = "##\"\"\""
  private static let heading = """
    // swift-format-ignore-file
    // Made from Profiles/ by `make profiles`; do not edit.


    """

  /// Writes the tables: an index, and one line for each definition and protocol.
  package static func writeTables(_ profiles: [Profile], into output: inout Output) {
    var lines: [(key: [UInt8], text: String)] = []
    for definition in profiles.flatMap(\.definitions) {
      let key = BuiltInProfiles.key(definition.subject.kind, definition.subject.uuid)
      lines.append((key, StoredText.text(definition.stored)))
    }
    lines.sort { left, right in
      left.key == right.key ? left.text < right.text : left.key.lexicographicallyPrecedes(right.key)
    }
    output.string(heading)
    output.text("extension BuiltInProfiles {\n")
    literal("index", into: &output) { output in
      var offset = 0
      for line in lines {
        output.raw(line.key.bytes)
        output.hexDigits(UInt64(offset), 7)
        output.byte(0x0a)
        offset += line.text.utf8.count + 1
      }
    }
    literal("definitions", into: &output) { output in
      for line in lines { Self.line(line.text, into: &output) }
    }
    literal("asked", into: &output) { output in
      var lines: Set<String> = []
      let messages = profiles.compactMap(\.vendor).flatMap(\.messages).map(\.definition)
      for external in (profiles.flatMap(\.definitions) + messages).flatMap(\.tables.externals) {
        let key = BuiltInProfiles.key(.characteristic, external.uuid)
        lines.insert(String(decoding: key.dropFirst(), as: UTF8.self))
      }
      for line in lines.sorted() { Self.line(line, into: &output) }
    }
    let protocols = profiles.compactMap(\.vendor).map { vendor in
      let parts = vendor.storedParts
      return (head: StoredText.text(parts.head), messages: StoredText.text(parts.messages))
    }
    literal("protocols", into: &output) { output in
      // A space, seven digits and the end of the line follow each; then there is an empty line.
      var offset = protocols.reduce(1) { $0 + $1.head.utf8.count + 9 }
      for vendor in protocols {
        output.string(vendor.head)
        output.byte(0x20)
        output.hexDigits(UInt64(offset), 7)
        output.byte(0x0a)
        offset += vendor.messages.utf8.count + 1
      }
      output.byte(0x0a)
      for vendor in protocols { Self.line(vendor.messages, into: &output) }
    }
    output.text("}\n")
  }

  private static func line(_ text: String, into output: inout Output) {
    output.string(text)
    output.byte(0x0a)
  }

  /// Writes a constant whose text ends with a line end, if it has any.
  private static func literal(
    _ name: StaticString, into output: inout Output, _ write: (inout Output) -> Void
  ) {
    output.text("  static let ")
    output.text(name)
    output.text(": StaticString = ")
    output.string(quotes)
    output.byte(0x0a)
    write(&output)
    output.byte(0x0a)
    output.string(String(quotes.reversed()))
    output.text("\n\n")
  }
}
