package import Bluetooth
import Bytes
import Glibc

/// The captures that names mean: files and pipes as they are, and of archives, compressed files and bug reports the logs that
/// are in them.
///
/// An archive is read once, from its beginning to its end. What begins like a log is kept in an unnamed file, so that it can
/// be read as often as any other; nothing is written under a name of the archive's.
package struct CaptureSearch {
  /// What was found, in the order of the names.
  package private(set) var files: [CaptureFile] = []
  /// What the archives and reports among them hold.
  package private(set) var archives: [ArchiveContents] = []
  /// What was wrong with archives of which a part could be read.
  package private(set) var failures: [CaptureFailure] = []

  /// Which entries of archives are read; nil for all.
  private let pattern: String?
  /// Where logs are kept meanwhile.
  private let folder: String
  private var spooledBytes: Int64 = 0
  /// The archive that is read, and what it gave.
  private var contents = ArchiveContents("")
  private var found: [CaptureFile] = []

  /// Looks at the first bytes of each name, and into archives.
  ///
  /// - Parameters:
  ///   - names: paths, `-` among them for standard input.
  ///   - pattern: a pattern of fnmatch(3) for the entries of archives that are read.
  ///   - folder: where logs are kept meanwhile.
  /// - Throws: where an archive cannot be read at all, or has no log; `failure.file` is its name.
  package init(
    _ names: [String], entries pattern: String? = nil, folder: String
  ) throws(CaptureFailure) {
    self.pattern = pattern
    self.folder = folder
    for name in names {
      do throws(CaptureFailure) {
        try look(at: name)
      } catch {
        throw error.file == nil ? error.of(name) : error
      }
    }
  }

  /// The names themselves, without a look at what they are.
  package init(unopened names: [String]) {
    (pattern, folder) = (nil, "")
    files = names.map { CaptureFile($0) }
  }

  /// What is to be said of archives, beside their logs.
  package var remarks: [String] { archives.flatMap(\.remarks) }

  /// The bonds that reports tell of.
  package var bonds: [Bond] {
    archives.flatMap { $0.report.bonds(file: CaptureFailure.subject($0.name)) }
  }

  private mutating func look(at name: String) throws(CaptureFailure) {
    let file = CaptureFile(name)
    let isRegular = file.byteCount != nil
    // Folders, and what is not there: the reader says that.
    guard file.canBeOpenedAgain == isRegular else { return files.append(file) }
    guard var input = try? file.open() else { return files.append(file) }
    guard let kind = try ArchiveKind.detect(&input) else {
      files.append(isRegular ? file : CaptureFile(name, OpenedInput(consume input)))
      return
    }
    contents = ArchiveContents(name)
    found = []
    var damage: CaptureFailure?
    do throws(CaptureFailure) {
      if kind == .text {
        let start = input.bytes.array
        try read(text: &input, named: "")
        if found.isEmpty, contents.report.isEmpty { throw CaptureFormat.unknown(start.bytes) }
      } else if isRegular {
        // libarchive finds its way in a file by itself.
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CaptureFailure(.inaccessible, systemWords(errno)) }
        defer { close(descriptor) }
        try read(Archive(descriptor), in: "", depth: 1)
      } else {
        try read(archive: consume input, kind, in: "", depth: 1)
      }
    } catch {
      // Of an archive that ends early the entries before are whole.
      guard error.kind == .damaged, !found.isEmpty || contents.entryCount > 0 else { throw error }
      damage = error
    }
    choose()
    let read = zip(contents.logs, found).filter { $0.0.omission == nil }.map(\.1)
    guard !read.isEmpty, !contents.lacksRecords else { throw contents.lacksLog(damage) }
    files += read
    archives.append(contents)
    if let damage { failures.append(damage.of(name)) }
  }

  /// Chooses, of the logs that an archive gave, those that are to be read.
  private mutating func choose() {
    if let pattern {
      for index in contents.logs.indices {
        let isChosen = unsafe fnmatch(pattern, contents.logs[index].name, 0) == 0
        if !isChosen { contents.logs[index].omission = .notChosen }
      }
    }
    let isRead = contents.logs.map { $0.omission == nil && $0.hasRecords }
    guard isRead.contains(true) else { return }
    // A summary never covers the time of a whole log.
    let hasWhole = zip(contents.logs, isRead).contains { $0.1 && !$0.0.isSummary }
    for index in contents.logs.indices where contents.logs[index].omission == nil {
      if !contents.logs[index].hasRecords {
        contents.logs[index].omission = .empty
      } else if hasWhole, contents.logs[index].isSummary {
        contents.logs[index].omission = .summarised
      }
    }
  }

  /// Reads an archive of which the first bytes were looked at.
  private mutating func read(
    archive input: consuming InputBuffer, _ kind: ArchiveKind, in prefix: String, depth: Int
  ) throws(CaptureFailure) {
    guard kind.needsSeeking else {
      return try read(Archive(InputFeed(input)), in: prefix, depth: depth)
    }
    var input = input
    let spool = try keep(&input)
    try spool.withDescriptor { descriptor throws(CaptureFailure) in
      try read(Archive(descriptor), in: prefix, depth: depth)
    }
  }

  /// Reads the entries of an archive.
  ///
  /// - Parameter prefix: what stands in front of their names.
  private mutating func read(
    _ archive: Archive, in prefix: String, depth: Int
  ) throws(CaptureFailure) {
    while let entry = try archive.next() {
      let isCompressedFile = archive.isCompressedFile
      if !isCompressedFile || depth > 1 { contents.isArchive = true }
      contents.entryCount += 1
      guard contents.entryCount <= CaptureLimits.entries else {
        throw CaptureFailure(
          .damaged, "has more than \(CaptureLimits.entries) entries; the rest was not read")
      }
      guard entry.isFile else { continue }
      // One compressed file has no name of its own.
      let name = isCompressedFile ? prefix : prefix.isEmpty ? entry.name : "\(prefix):\(entry.name)"
      guard !entry.isEncrypted else {
        contents.encryptedCount += 1
        contents.firstEncrypted = contents.firstEncrypted ?? name
        continue
      }
      var input = InputBuffer(archive)
      let kind = try ArchiveKind.detect(&input)
      if kind == .text {
        if isCompressedFile || PhoneReport.mayBeIn(entry.name) {
          try read(text: &input, named: name)
        }
      } else if let kind {
        if depth < CaptureLimits.archiveDepth {
          try read(archive: consume input, kind, in: name, depth: depth + 1)
        }
      } else if CaptureFormat.isLog(input.bytes, named: isCompressedFile ? nil : entry.name) {
        try add(&input, named: name, isSummary: false)
      }
    }
  }

  /// Reads a bug report's text.
  private mutating func read(
    text input: inout InputBuffer, named name: String
  ) throws(CaptureFailure) {
    var reader = PhoneTextReader(contents.report)
    defer {
      (contents.report, contents.foreignLines) = (
        reader.report, contents.foreignLines + reader.foreignLines
      )
    }
    try reader.read(&input)
    for summary in reader.summaries where !summary.isEmpty {
      var bytes = InputBuffer(summary)
      try add(&bytes, named: name, isSummary: true)
    }
  }

  /// Keeps a log.
  private mutating func add(
    _ input: inout InputBuffer, named name: String, isSummary: Bool
  ) throws(CaptureFailure) {
    guard found.count < CaptureLimits.logs else {
      throw CaptureFailure(
        .damaged, "has more than \(CaptureLimits.logs) logs; the rest was not read")
    }
    let spool = try keep(&input)
    let file = CaptureFile(name: name.isEmpty ? contents.name : "\(contents.name):\(name)", spool)
    guard let hasRecords = Self.hasRecords(file, isOnly: !contents.isArchive) else { return }
    let isRepeated = found.contains { $0.isEqual(to: file) }
    found.append(file)
    contents.logs.append(
      ArchiveContents.Log(
        name: name, isSummary: isSummary, hasRecords: hasRecords,
        omission: isRepeated ? .repeated : nil))
    if let damage = spool.damage { throw damage }
  }

  private mutating func keep(_ input: inout InputBuffer) throws(CaptureFailure) -> Spool {
    let spool = try Spool(&input, in: folder, most: CaptureLimits.spooledBytes - spooledBytes)
    spooledBytes += spool.byteCount
    return spool
  }

  /// Whether a log has a record; nil where it is one of other networks.
  private static func hasRecords(_ file: CaptureFile, isOnly: Bool) -> Bool? {
    do throws(CaptureFailure) {
      var reader = try CaptureReader(file.open())
      return try reader.next() != nil
    } catch {
      // A damaged one is read, so that the damage is said.
      return error.kind == .damaged || isOnly ? true : nil
    }
  }
}
