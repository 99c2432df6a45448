package import Bluetooth
import Bytes
import Glibc

/// The captures found under a list of names: files and pipes themselves, and the logs in archives,
/// compressed files and bug reports.
package struct CaptureSearch {
  /// The captures found, in the order of the names.
  package private(set) var files: [CaptureFile] = []
  /// The contents of the archives and reports among them.
  package private(set) var archives: [ArchiveContents] = []
  /// The damage in archives that could only be read in part.
  package private(set) var failures: [CaptureFailure] = []
  /// Why the one file that was looked at holds no capture; nil where it holds one.
  package private(set) var refusal: CaptureFailure?

  /// Examines the first bytes of each name, and searches archives.
  ///
  /// - Parameters:
  ///   - names: Paths; `-` is standard input.
  ///   - pattern: An fnmatch(3) pattern for the archive entries to read; nil for all.
  ///   - folder: The folder for temporary files.
  /// - Throws: If an archive cannot be read at all or has no log. `failure.file` is the archive's
  ///   name.
  package init(
    _ names: [String], entries pattern: String? = nil, folder: String
  ) throws(CaptureFailure) {
    var spooledBytes: Int64 = 0
    for name in names {
      do throws(CaptureFailure) {
        try look(at: CaptureFile(name), pattern, folder, &spooledBytes)
      } catch {
        throw error.file == nil ? error.of(name) : error
      }
    }
  }

  /// Examines one file. If no capture can be read, `refusal` states why, and `archives` has what
  /// was found instead.
  ///
  /// - Parameters:
  ///   - folder: The folder for temporary files.
  ///   - isTimeOver: Returns whether the caller gives up. It is called often.
  package init(
    in file: CaptureFile, folder: String, until isTimeOver: @escaping () -> Bool = { false }
  ) {
    var spooledBytes: Int64 = 0
    do throws(CaptureFailure) {
      try look(at: file, nil, folder, &spooledBytes, until: isTimeOver)
    } catch {
      refusal = error
    }
  }

  /// Uses the names as captures without examining them.
  package init(unopened names: [String]) { files = names.map { CaptureFile($0) } }

  /// What could not be read of the archives, one sentence each.
  package var remarks: [String] { archives.flatMap(\.remarks) }

  /// The bonds listed in bug reports.
  package var bonds: [Bond] {
    archives.flatMap { $0.report.bonds(file: CaptureFailure.subject($0.name)) }
  }

  /// Whether the captures are read with `joined`: if there are several, or if an archive is
  /// damaged, which the capture must show.
  package var isJoined: Bool { files.count > 1 || !failures.isEmpty }

  /// Returns the captures as one.
  ///
  /// - Parameter kept: The same captures, stored so that they can be read again.
  package func joined(_ kept: [CaptureFile]? = nil) throws(CaptureFailure) -> JoinedSource {
    try JoinedSource(kept ?? files, damages: failures)
  }

  /// Returns whether a file begins like a capture, an archive, or the text of a bug report.
  package static func isExpected(in path: String) -> Bool {
    guard var input = try? InputBuffer(path: path) else { return false }
    switch (try? ArchiveKind.detect(&input)) ?? nil {
    case .text: return input.bytes.starts(with: "====")
    case .some: return true
    case nil: return CaptureFormat.detect(input.bytes) != nil
    }
  }

  private mutating func look(
    at file: CaptureFile, _ pattern: String?, _ folder: String, _ spooledBytes: inout Int64,
    until isTimeOver: @escaping () -> Bool = { false }
  ) throws(CaptureFailure) {
    let name = file.name
    let isRegular = file.byteCount != nil
    // The reader reports what is wrong with folders and missing files.
    guard file.canBeOpenedAgain == isRegular else { return files.append(file) }
    guard var input = try? file.open() else { return files.append(file) }
    guard let kind = try ArchiveKind.detect(&input) else {
      if input.count > 0, CaptureFormat.detect(input.bytes) == nil, ForeignFile.isNamed(name) {
        throw ForeignFile.unknown(input.bytes, named: name)
      }
      files.append(isRegular ? file : CaptureFile(name, OpenedInput(consume input)))
      return
    }
    let budget = UnpackingBudget(size: input.knownRemaining, until: isTimeOver)
    var walk = ArchiveWalk(
      name, entries: pattern, folder: folder, spooledBytes: spooledBytes, budget)
    defer { spooledBytes = walk.spooledBytes }
    do throws(CaptureFailure) {
      if kind == .text {
        // The text may have no end.
        let start = input.bytes.array
        if let words = ForeignText.words(of: start.bytes) {
          throw CaptureFailure(.notReadable, words)
        }
        var text = InputBuffer(InputFeed(consume input, budget))
        try walk.read(text: &text)
        if walk.isEmpty { throw ForeignFile.unknown(start.bytes, named: name) }
      } else if isRegular, kind.codec == nil {
        // libarchive can seek in a file.
        let descriptor = unsafe open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CaptureFailure(.inaccessible, systemWords(errno)) }
        defer { close(descriptor) }
        try walk.read(Archive(kind, descriptor, budget))
      } else {
        try walk.read(archive: InputBuffer(InputFeed(consume input, budget)), kind)
      }
    } catch {
      try walk.end(error)
    }
    defer {
      archives.append(walk.contents)
      failures += walk.damages
    }
    files += try walk.finish()
  }
}
