import Bytes
import Glibc

/// A pass over one archive, or the text of one bug report, from beginning to end, which keeps its
/// logs.
///
/// Everything that begins like a log is copied to an unnamed file, so that it can be read
/// repeatedly. Nothing is written under a name from the archive.
struct ArchiveWalk {
  private(set) var contents: ArchiveContents
  /// Damage, by entry, after which reading continued.
  private(set) var damages: [CaptureFailure] = []
  /// The number of bytes in unnamed files, including those of earlier archives.
  private(set) var spooledBytes: Int64
  /// The logs that were kept, each with its index in `contents.logs`.
  private var kept: [(log: Int, file: CaptureFile, digest: Int?)] = []
  private var hasTooMany = false
  private let pattern: String?
  private let folder: String
  private let budget: UnpackingBudget

  /// The number of damaged entries that are reported. Reading stops at the next one.
  private static let mostDamages = 8

  init(
    _ name: String, entries pattern: String?, folder: String, spooledBytes: Int64,
    _ budget: UnpackingBudget
  ) {
    self.budget = budget
    contents = ArchiveContents(name)
    self.pattern = pattern
    self.folder = folder
    self.spooledBytes = spooledBytes
  }

  /// Whether neither a log nor anything about the phone was found.
  var isEmpty: Bool { contents.logs.isEmpty && contents.report.isEmpty }

  /// Records the failure that ended the archive early, unless nothing was read before it.
  mutating func end(_ failure: CaptureFailure) throws(CaptureFailure) {
    guard failure.kind == .damaged, contents.entryCount > 0 else { throw failure }
    damages.append(failure.of(contents.name))
  }

  /// Chooses the logs to read.
  ///
  /// - Throws: If the archive has no log.
  mutating func finish() throws(CaptureFailure) -> [CaptureFile] {
    contents.choose()
    if hasTooMany {
      damages.append(
        CaptureFailure(
          .damaged,
          "more than \(CaptureLimits.logs) logs; the first ones are read, choose others with --entry",
          file: contents.name))
    }
    let files = kept.filter { contents.logs[$0.log].omission == nil }.map(\.file)
    guard !files.isEmpty, !contents.lacksRecords else {
      // There may be a log in the part that was not read.
      let isUnknown = !contents.isArchive && contents.logs.isEmpty
      if let failure = budget.failure ?? (isUnknown ? damages.first : nil) {
        throw failure.of(contents.name)
      }
      throw contents.lacksLog(damages.first)
    }
    return files
  }

  /// Reads an archive whose first bytes have already been examined.
  mutating func read(
    archive input: consuming InputBuffer, _ kind: ArchiveKind, in prefix: String = "",
    depth: Int = 1
  ) throws(CaptureFailure) {
    if let codec = kind.codec {
      return try read(CompressedFeed(codec, input, budget), in: prefix, depth: depth)
    }
    guard kind.needsSeeking else {
      return try read(Archive(kind, InputFeed(input), budget), in: prefix, depth: depth)
    }
    var input = input
    let spool = try spool(&input)
    try spool.withDescriptor { descriptor throws(CaptureFailure) in
      try read(Archive(kind, descriptor, budget), in: prefix, depth: depth)
    }
  }

  /// Reads what a compressed file contains, and then its end, which has the checksum. An archive in
  /// it is not nested more deeply: both are one, as in `report.tar.gz`.
  private mutating func read(
    _ feed: CompressedFeed, in prefix: String, depth: Int
  ) throws(CaptureFailure) {
    var input = InputBuffer(feed)
    guard let kind = try ArchiveKind.detect(&input), kind != .text else {
      contents.entryCount += 1
      if depth > 1 { contents.isArchive = true }
      return try read(&input, named: prefix)
    }
    if kind.codec == nil {
      try read(archive: consume input, kind, in: prefix, depth: depth)
      try feed.finish()
    } else if depth < CaptureLimits.archiveDepth {
      try read(archive: consume input, kind, in: prefix, depth: depth + 1)
    } else {
      contents.leaveOut(prefix, Self.tooDeep)
    }
  }

  private static let tooDeep = "an archive inside an archive inside an archive"

  /// Reads the entries of an archive.
  ///
  /// - Parameters:
  ///   - prefix: The path of the archive within another one; empty for the outermost.
  ///   - depth: The nesting depth of the archive, from 1.
  mutating func read(
    _ archive: Archive, in prefix: String = "", depth: Int = 1
  ) throws(CaptureFailure) {
    var isDamaged = false
    while true {
      let entry: Archive.Entry?
      do throws(CaptureFailure) {
        entry = try archive.next()
      } catch {
        // The previous entry's damage is the cause.
        if isDamaged { return }
        throw error
      }
      guard let entry else { break }
      isDamaged = false
      contents.isArchive = true
      contents.entryCount += 1
      guard contents.entryCount <= CaptureLimits.entries else {
        throw CaptureFailure(
          .damaged, "more than \(CaptureLimits.entries) entries; the rest was not read")
      }
      guard entry.isFile else { continue }
      let own = entry.name.isEmpty ? "entry \(contents.entryCount)" : entry.name
      let name = prefix.isEmpty ? own : "\(prefix):\(own)"
      guard !entry.isEncrypted else {
        contents.encryptedCount += 1
        contents.firstEncrypted = contents.firstEncrypted ?? name
        continue
      }
      do throws(CaptureFailure) {
        try read(archive, entry.name, named: name, depth: depth)
      } catch {
        guard error.kind == .damaged, budget.failure == nil, damages.count < Self.mostDamages else {
          throw error
        }
        damages.append(error.of(fullName(name)))
        isDamaged = true
      }
    }
    if let damage = archive.damage { damages.append(damage.of(fullName(prefix))) }
  }

  private func fullName(_ name: String) -> String {
    name.isEmpty ? contents.name : "\(contents.name):\(name)"
  }

  /// Reads the entry at which `archive` is positioned.
  ///
  /// - Parameter entryName: Its name in the archive.
  private mutating func read(
    _ archive: Archive, _ entryName: String, named name: String, depth: Int
  ) throws(CaptureFailure) {
    var input = InputBuffer(archive)
    guard let kind = try ArchiveKind.detect(&input), kind != .text else {
      return try read(&input, entryName, named: name)
    }
    if depth < CaptureLimits.archiveDepth {
      try read(archive: consume input, kind, in: name, depth: depth + 1)
    } else {
      contents.leaveOut(name, Self.tooDeep)
    }
  }

  /// Reads an entry that is not an archive.
  private mutating func read(
    _ input: inout InputBuffer, _ entryName: String? = nil, named name: String
  ) throws(CaptureFailure) {
    if CaptureFormat.isLog(input.bytes, named: entryName) {
      try add(&input, named: name, isSummary: (entryName ?? name).contains(text: "btsnooz"))
    } else if try ArchiveKind.detect(&input) == .text {
      try read(
        text: &input, named: name, isReport: entryName.map { PhoneReport.mayBeIn($0) } ?? true)
    } else {
      // Damage within the bytes that were examined is reported.
      _ = try input.fill(ArchiveKind.tarHeaderBytes)
    }
  }

  /// Reads a text and keeps its summaries.
  ///
  /// - Parameter isReport: Whether the text is a bug report, whose facts about the phone count.
  mutating func read(
    text input: inout InputBuffer, named name: String = "", isReport: Bool = true
  ) throws(CaptureFailure) {
    var reader = PhoneTextReader(contents.report)
    defer {
      if isReport { contents.report = reader.report }
      contents.foreignLines += reader.foreignLines
    }
    try reader.read(&input)
    for summary in reader.summaries {
      var bytes = InputBuffer(summary)
      try add(&bytes, named: name, isSummary: true)
    }
  }

  /// Lists a log, and keeps it if it may be read.
  private mutating func add(
    _ input: inout InputBuffer, named name: String, isSummary: Bool
  ) throws(CaptureFailure) {
    var log = ArchiveContents.Log(
      name: name.isEmpty ? contents.name : name, isSummary: isSummary, hasRecords: true)
    if let pattern, unsafe fnmatch(pattern, name, 0) != 0 {
      log.omission = .notChosen
    } else if kept.count >= CaptureLimits.logs {
      log.omission = .tooMany
      hasTooMany = true
    }
    guard log.omission == nil else {
      contents.list(log)
      return
    }
    // An empty log needs no file; an archive may hold very many.
    if contents.isArchive, !(try input.fill(Self.leastBytes)) {
      let look = try look(into: InputBuffer(input.bytes.array))
      if !look.hasRecords {
        if let refusal = look.refusal { return contents.leaveOut(name, refusal) }
        log.hasRecords = false
        contents.list(log)
        return
      }
    }
    let spool = try spool(&input)
    let file = CaptureFile(name: fullName(name), spool)
    let look = try look(into: file.open())
    if let refusal = look.refusal, contents.isArchive { return contents.leaveOut(name, refusal) }
    log.isSummary = isSummary || look.isSummary
    log.hasRecords = look.hasRecords
    let (isRepeated, digest) = compare(file)
    if isRepeated { log.omission = .repeated }
    let place = contents.list(log)
    // A log without records in an archive is only listed.
    if let place, log.omission == nil, look.hasRecords || !contents.isArchive {
      kept.append((place, file, digest))
    }
    if let damage = spool.damage { throw damage }
  }

  /// The size in bytes below which a log is examined in memory.
  private static let leastBytes = 64

  /// Returns whether a log is the same as one before, and its digest if that was needed. Each file
  /// is read once for its digest, so that many logs of one size do not take long.
  private mutating func compare(_ file: CaptureFile) -> (isRepeated: Bool, digest: Int?) {
    let size = file.byteCount
    let others = kept.indices.filter { kept[$0].file.byteCount == size }
    guard !others.isEmpty, let digest = file.digest() else { return (false, nil) }
    for index in others {
      if kept[index].digest == nil { kept[index].digest = kept[index].file.digest() }
      if kept[index].digest == digest, kept[index].file.isEqual(to: file) { return (true, digest) }
    }
    return (false, digest)
  }

  /// Stores a log or an archive.
  ///
  /// - Throws: The failure of the budget: what was read until then may be any part of a file that
  ///   only claims to be a log, so it is not kept.
  private mutating func spool(_ input: inout InputBuffer) throws(CaptureFailure) -> Spool {
    try budget.spend(UnpackingBudget.fileCost)
    let spool = try Spool(&input, in: folder, most: CaptureLimits.spooledBytes - spooledBytes)
    if let failure = budget.failure { throw failure }
    spooledBytes += spool.byteCount
    return spool
  }

  /// Returns whether a log has a record, whether its format is that of a summary, and why it cannot
  /// be read.
  private func look(
    into input: consuming InputBuffer
  ) throws(CaptureFailure) -> (hasRecords: Bool, isSummary: Bool, refusal: String?) {
    var isSummary = false
    do throws(CaptureFailure) {
      var reader = try CaptureReader(input, budget)
      isSummary = reader.summary.format == .btsnooz
      return (try reader.next() != nil, isSummary, nil)
    } catch {
      if let failure = budget.failure { throw failure }
      return (false, isSummary, error.kind == .damaged ? nil : error.message)
    }
  }
}
