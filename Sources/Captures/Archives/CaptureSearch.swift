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
  private var found: [CaptureFile?] = []
  private var damages: [CaptureFailure] = []
  private var hasTooMany = false

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
    (contents, found, damages, hasTooMany) = (ArchiveContents(name), [], [], false)
    do throws(CaptureFailure) {
      if kind == .text {
        // The text may have no end.
        let start = input.bytes.array
        if let words = ForeignText.words(of: start.bytes) {
          throw CaptureFailure(.notReadable, words)
        }
        try read(text: &input, named: "", isReport: true)
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
      guard error.kind == .damaged, contents.entryCount > 0 else { throw error }
      damages.append(error.of(name))
    }
    choose()
    let read = zip(contents.logs, found).compactMap { $0.omission == nil ? $1 : nil }
    guard !read.isEmpty, !contents.lacksRecords else { throw contents.lacksLog(damages.first) }
    files += read
    archives.append(contents)
    failures += damages
  }

  /// Chooses, of the logs that an archive gave, those that are to be read.
  private mutating func choose() {
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

  /// Reads the entries of an archive; what is damaged is kept in `damages`, and the next entry goes on.
  ///
  /// - Parameter prefix: what stands in front of their names.
  private mutating func read(
    _ archive: Archive, in prefix: String, depth: Int
  ) throws(CaptureFailure) {
    var isDamaged = false
    while true {
      let entry: Archive.Entry?
      do throws(CaptureFailure) {
        entry = try archive.next()
      } catch {
        // It is what ended the entry before, too.
        if isDamaged { return }
        throw error
      }
      guard let entry else { break }
      isDamaged = false
      let isCompressedFile = archive.isCompressedFile
      if !isCompressedFile || depth > 1 { contents.isArchive = true }
      contents.entryCount += 1
      guard contents.entryCount <= CaptureLimits.entries else {
        throw CaptureFailure(
          .damaged, "more than \(CaptureLimits.entries) entries; the rest was not read")
      }
      guard entry.isFile else { continue }
      // One compressed file has no name of its own.
      let own = entry.name.isEmpty ? "entry \(contents.entryCount)" : entry.name
      let name = isCompressedFile ? prefix : prefix.isEmpty ? own : "\(prefix):\(own)"
      guard !entry.isEncrypted else {
        contents.encryptedCount += 1
        contents.firstEncrypted = contents.firstEncrypted ?? name
        continue
      }
      do throws(CaptureFailure) {
        try read(archive, entry, isCompressedFile, named: name, depth: depth)
      } catch {
        guard error.kind == .damaged, damages.count < Self.mostDamages else { throw error }
        damages.append(error.of(fullName(name)))
        isDamaged = true
      }
    }
    if let damage = archive.damage { damages.append(damage.of(fullName(prefix))) }
  }

  /// The damaged entries that are told one by one.
  private static let mostDamages = 8

  private func fullName(_ name: String) -> String {
    name.isEmpty ? contents.name : "\(contents.name):\(name)"
  }

  /// Reads the entry that an archive is at.
  private mutating func read(
    _ archive: Archive, _ entry: Archive.Entry, _ isCompressedFile: Bool, named name: String,
    depth: Int
  ) throws(CaptureFailure) {
    var input = InputBuffer(archive)
    let kind = try ArchiveKind.detect(&input)
    if kind == .text {
      try read(
        text: &input, named: name, isReport: isCompressedFile || PhoneReport.mayBeIn(entry.name))
    } else if let kind {
      if depth < CaptureLimits.archiveDepth {
        try read(archive: consume input, kind, in: name, depth: depth + 1)
      } else {
        contents.leaveOut(name, "archives in archives are read two deep")
      }
    } else if CaptureFormat.isLog(input.bytes, named: isCompressedFile ? nil : entry.name) {
      try add(&input, named: name, isSummary: entry.name.contains("btsnooz"))
    }
  }

  /// Reads a text.
  ///
  /// - Parameter isReport: whether it is a bug report's, and may say something of the phone.
  private mutating func read(
    text input: inout InputBuffer, named name: String, isReport: Bool
  ) throws(CaptureFailure) {
    var reader = PhoneTextReader(contents.report)
    defer {
      if isReport { contents.report = reader.report }
      contents.foreignLines += reader.foreignLines
    }
    try reader.read(&input)
    for summary in reader.summaries where !summary.isEmpty {
      var bytes = InputBuffer(summary)
      try add(&bytes, named: name, isSummary: true)
    }
  }

  /// Keeps a log, if it is to be read.
  private mutating func add(
    _ input: inout InputBuffer, named name: String, isSummary: Bool
  ) throws(CaptureFailure) {
    func log(_ isSummary: Bool, hasRecords: Bool, _ omission: ArchiveContents.Omission?) {
      contents.logs.append(
        ArchiveContents.Log(
          name: name.isEmpty ? contents.name : name, isSummary: isSummary, hasRecords: hasRecords,
          omission: omission))
    }
    guard contents.logs.count < CaptureLimits.entries else { return }
    if let pattern, unsafe fnmatch(pattern, name, 0) != 0 {
      log(isSummary, hasRecords: true, .notChosen)
      return found.append(nil)
    }
    guard found.count(where: { $0 != nil }) < CaptureLimits.logs else {
      if !hasTooMany {
        damages.append(
          CaptureFailure(
            .damaged,
            "more than \(CaptureLimits.logs) logs; the first ones are read, choose others with --entry",
            file: contents.name))
      }
      hasTooMany = true
      return
    }
    let spool = try keep(&input)
    let file = CaptureFile(name: fullName(name), spool)
    let look = Self.look(into: file)
    if let refusal = look.refusal, contents.isArchive {
      contents.leaveOut(name, refusal)
      return
    }
    let isRepeated = found.contains { $0?.isEqual(to: file) ?? false }
    log(isSummary || look.isSummary, hasRecords: look.hasRecords, isRepeated ? .repeated : nil)
    // An empty one is kept only as long as there is no other.
    found.append(look.hasRecords && !isRepeated || !contents.isArchive ? file : nil)
    if let damage = spool.damage { throw damage }
  }

  private mutating func keep(_ input: inout InputBuffer) throws(CaptureFailure) -> Spool {
    let spool = try Spool(&input, in: folder, most: CaptureLimits.spooledBytes - spooledBytes)
    spooledBytes += spool.byteCount
    return spool
  }

  /// Whether a log has a record, and is a summary by its format; why it is none that is read.
  private static func look(
    into file: CaptureFile
  ) -> (hasRecords: Bool, isSummary: Bool, refusal: String?) {
    var isSummary = false
    do throws(CaptureFailure) {
      var reader = try CaptureReader(file.open())
      isSummary = reader.summary.format == .btsnooz
      return (try reader.next() != nil, isSummary, nil)
    } catch {
      return (false, isSummary, error.kind == .damaged ? nil : error.message)
    }
  }
}
