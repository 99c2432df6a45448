import Glibc

extension CaptureFailure {
  /// The sentence about the capture `name`: `notes.txt is empty; expected btsnoop`,
  /// `phone.log: record 3 at byte 210: …`. The name `-` reads "standard input".
  package func sentence(about name: String) -> String {
    let subject = Self.subject(file ?? name)
    // What a file is not is said of it; what happened in it stands after a colon.
    return kind == .notReadable ? "\(subject) \(message)" : "\(subject): \(message)"
  }

  /// The message, after the file that it is about where there are several.
  package var messageWithFile: String { file == nil ? message : sentence(about: "") }

  /// What is said where somebody ended a source, who may have done so within a record: no failure.
  package var unfinishedWords: String { "what came last is not complete: \(message)" }

  /// What a capture is called in a sentence.
  package static func subject(_ name: String) -> String { name == "-" ? "standard input" : name }
}

/// What to do where a file cannot be made since its folder is not there.
enum FolderWords {
  /// "; make its folder first: mkdir -p out"; nothing where the folder is there.
  static func advice(_ path: String) -> String {
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return "" }
    let folder = String(path[..<end])
    return unsafe access(folder, F_OK) == 0 ? "" : "; make its folder first: mkdir -p \(folder)"
  }
}

/// The system's words for an `errno`, as part of a sentence: "no such file or directory".
package func systemWords(_ code: Int32) -> String {
  // Only of what was open before the program: standard input, output and error.
  if code == EBADF { return "it is closed" }
  guard let words = unsafe strerror(code) else { return "error \(code)" }
  let text = unsafe String(cString: words)
  return text.prefix(1).lowercased() + text.dropFirst()
}
