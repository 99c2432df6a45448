import Glibc

/// Words with names of files in archives, which come from users.
package struct FileWords: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// Words and names in turn, beginning with words.
  private var pieces: [String]

  package init(stringLiteral words: String) { pieces = [words] }

  package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  /// Joins sentences.
  init(_ parts: [FileWords], separator: String) {
    var all = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
    for (index, part) in parts.enumerated() {
      if index > 0 { all.appendLiteral(separator) }
      all.appendInterpolation(part)
    }
    pieces = all.pieces
  }

  /// Returns the text with other words for the names.
  package func text(naming name: (String) -> String = { $0 }) -> String {
    pieces.enumerated().map { $0.offset % 2 == 0 ? $0.element : name($0.element) }.joined()
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces = [""]

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ words: String) { pieces[pieces.count - 1] += words }

    package mutating func appendInterpolation(_ words: some CustomStringConvertible) {
      appendLiteral(words.description)
    }

    package mutating func appendInterpolation(name: String) { pieces += [name, ""] }

    package mutating func appendInterpolation(_ other: FileWords) {
      pieces[pieces.count - 1] += other.pieces[0]
      pieces += other.pieces.dropFirst()
    }
  }
}

extension CaptureFailure {
  /// Returns the sentence about the capture `name`: `notes.txt is empty; expected btsnoop`,
  /// `phone.log: record 3 at byte 210: …`. The name `-` becomes "standard input".
  package func sentence(about name: String) -> String {
    let subject = Self.subject(file ?? name)
    // If the file is not a capture, the message is its predicate; anything else follows a colon.
    return kind == .notReadable ? "\(subject) \(message)" : "\(subject): \(message)"
  }

  /// The message, preceded by the file it concerns if there are several.
  package var messageWithFile: String { file == nil ? message : sentence(about: "") }

  /// The message if the user ended a source, possibly in the middle of a record. This is not a
  /// failure.
  package var unfinishedWords: String { "the last record is incomplete: \(message)" }

  /// Returns the name of a capture in a sentence.
  package static func subject(_ name: String) -> String { name == "-" ? "standard input" : name }
}

/// The advice if a file cannot be created because its folder does not exist.
enum FolderWords {
  /// Returns "; make its folder first: mkdir -p out", or nothing if the folder exists.
  static func advice(_ path: String) -> String {
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return "" }
    let folder = String(path[..<end])
    return unsafe access(folder, F_OK) == 0 ? "" : "; make its folder first: mkdir -p \(folder)"
  }
}

/// Returns the system's message for an `errno`, as part of a sentence: "no such file or directory".
package func systemWords(_ code: Int32) -> String {
  // Only possible for what was open before the program started: standard input, output and error.
  if code == EBADF { return "it is closed" }
  guard let words = unsafe strerror(code) else { return "error \(code)" }
  let text = unsafe String(cString: words)
  return text.prefix(1).lowercased() + text.dropFirst()
}
