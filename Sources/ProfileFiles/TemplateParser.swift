import Decoders

// Texts: literals, fields in braces, and brackets around optional parts.

extension DefinitionCompiler {
  /// Compiles a text, and returns the index of its template.
  mutating func template(_ node: SourceNode, _ scope: Scope) throws(ProfileError) -> Int {
    let text = [UInt8](try node.line().utf8)
    var literal: [UInt8] = []
    var opened: [Int] = []
    var position = 0
    func flush(_ tables: inout Definition.Tables) {
      guard !literal.isEmpty else { return }
      tables.pieces.append(TemplatePiece(.literal, tables.words.add(literal)))
      literal = []
    }
    while position < text.count {
      let byte = text[position]
      position += 1
      guard [0x7b, 0x7d, 0x5b, 0x5d].contains(byte) else {
        literal.append(byte)
        continue
      }
      // A doubled character means the character itself.
      if position < text.count, text[position] == byte {
        literal.append(byte)
        position += 1
        continue
      }
      flush(&tables)
      switch byte {
      case 0x5b:
        opened.append(tables.pieces.count)
        tables.pieces.append(TemplatePiece(.open, 0))
      case 0x5d:
        guard let open = opened.popLast() else { throw node.error("a ] without [ in the text") }
        tables.pieces[open].operand = tables.pieces.count - open
        tables.pieces.append(TemplatePiece(.close, 0))
      case 0x7b:
        guard let end = text[position...].firstIndex(of: 0x7d) else {
          throw node.error("a { without } in the text")
        }
        let inside = String(decoding: text[position..<end], as: UTF8.self)
        tables.pieces.append(try piece(inside, node, scope))
        position = end + 1
      default: throw node.error("a } without { in the text")
      }
    }
    guard opened.isEmpty else { throw node.error("a [ without ] in the text") }
    flush(&tables)
    tables.templates.append(tables.pieces.count)
    return tables.templates.count - 2
  }

  /// Returns the piece for the content of braces: `name`, `name:02`.
  private func piece(
    _ text: String, _ node: SourceNode, _ scope: Scope
  ) throws(ProfileError) -> TemplatePiece {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard let entry = scope.find(name) else {
      let hint = Suggestion.nearest(name, scope.names()).map { "; did you mean `\($0)`?" } ?? ""
      throw node.error("no field is named `\(name)` in the text\(hint)")
    }
    guard parts.count == 2 else { return TemplatePiece(.field, entry.slot) }
    let format = String(parts[1])
    if format == "n" { return TemplatePiece(.plain, entry.slot) }
    guard entry.isInteger else {
      throw node.error("`\(name)` is not a whole number, so `:\(format)` cannot be")
    }
    if format == "raw" { return TemplatePiece(.raw, entry.slot) }
    let isHex = format.hasPrefix("x")
    let digits = isHex ? format.dropFirst() : format.hasPrefix("0") ? format.dropFirst() : ""
    guard let count = isHex && digits.isEmpty ? 1 : Int(digits), (1...16).contains(count) else {
      throw node.error("expected :n, :02, :x2 or :raw in the text, found `:\(format)`")
    }
    return TemplatePiece(isHex ? .hex : .digits, entry.slot, digits: count)
  }
}
