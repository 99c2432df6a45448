/// The contents of an archive, a compressed file or a bug report, and which of them are read.
package struct ArchiveContents: Sendable {
  /// A log found in the archive.
  package struct Log: Equatable, Sendable {
    /// Its path in the archive.
    package let name: String
    /// Whether it is Android's summary rather than a whole log.
    package internal(set) var isSummary: Bool
    /// Whether it has any record.
    package internal(set) var hasRecords: Bool
    /// Why the log is not read; nil if it is.
    package internal(set) var omission: Omission?
  }

  /// Why a log is not read.
  package enum Omission: String, Equatable, Sendable {
    case empty = "no records"
    case summarised = "other logs have records"
    case notChosen = "--entry leaves it out"
    case repeated = "the same as one before"
    case tooMany = "too many logs"
  }

  /// The name on the command line.
  package let name: String
  /// Whether it is more than one compressed file.
  package internal(set) var isArchive = false
  /// The number of entries, including folders and the entries of inner archives.
  package internal(set) var entryCount = 0
  /// Other entries that are not read, with the reason; bounded.
  package private(set) var others: [(name: String, reason: String)] = []
  /// The logs: all that may be read, and the first `mostOthers` of the rest.
  package private(set) var logs: [Log] = []
  /// Entries that are not read and not listed.
  private var unlistedCount = 0
  /// The number of encrypted entries.
  package internal(set) var encryptedCount = 0
  package internal(set) var firstEncrypted: String?
  /// What the archive's texts report about the phone.
  package internal(set) var report = PhoneReport()
  /// The number of lines from other programs inside summaries.
  package internal(set) var foreignLines = 0

  init(_ name: String) { self.name = name }

  private static let mostOthers = 1024

  /// Lists a log.
  ///
  /// - Returns: Its index in `logs`, or nil if it cannot be read and there is no more room.
  @discardableResult
  mutating func list(_ log: Log) -> Int? {
    if log.omission != nil || !log.hasRecords, logs.count >= Self.mostOthers {
      unlistedCount += 1
      return nil
    }
    logs.append(log)
    return logs.count - 1
  }

  /// Chooses the logs to read: those with records, and summaries only if there is nothing else.
  mutating func choose() {
    let readable = logs.filter { $0.omission == nil && $0.hasRecords }
    guard !readable.isEmpty else { return }
    // Android keeps its summary only while the log is off, so the two never cover the same time.
    let hasWhole = readable.contains { !$0.isSummary }
    for index in logs.indices where logs[index].omission == nil {
      if !logs[index].hasRecords {
        logs[index].omission = .empty
      } else if hasWhole, logs[index].isSummary {
        logs[index].omission = .summarised
      }
    }
  }

  /// Lists another entry as not read.
  mutating func leaveOut(_ name: String, _ reason: String) {
    if others.count < Self.mostOthers { others.append((name, reason)) } else { unlistedCount += 1 }
  }

  /// Everything that is not read, with the reason.
  package var notRead: [(name: String, isSummary: Bool, reason: String)] {
    logs.compactMap { log in
      log.omission.map { (log.name, log.isSummary, $0.rawValue) }
    } + others.map { ($0.name, false, $0.reason) }
  }

  /// What could not be read, one sentence each.
  package var remarks: [String] {
    var remarks: [String] = []
    if let firstEncrypted {
      remarks.append(
        encryptedCount == 1
          ? "\(name):\(firstEncrypted) is encrypted and was not read"
          : "\(encryptedCount) entries of \(name) are encrypted and were not read")
    }
    if foreignLines > 0 {
      remarks.append(
        "\(foreignLines) \(foreignLines == 1 ? "line" : "lines") within the summary in \(name) are of other programs and were skipped"
      )
    }
    if unlistedCount > 0 {
      remarks.append("\(unlistedCount) more entries of \(name) were not read")
    }
    return remarks
  }

  /// Whether this is an archive in which no log has a record.
  var lacksRecords: Bool { isArchive && !logs.contains(where: \.hasRecords) }

  /// Returns why no log can be read, with what the report shows about the phone.
  func lacksLog(_ damage: CaptureFailure?) -> CaptureFailure {
    let chosen = logs.filter { $0.omission == nil }
    guard logs.isEmpty || !chosen.isEmpty else {
      let names = FileWords(logs.prefix(3).map { "\(name: $0.name)" }, separator: ", ")
      return CaptureFailure(
        .notReadable,
        words: "holds no log that --entry matches; whole paths are compared, such as \(names)")
    }
    let entries = isArchive ? ": \(entryCount) \(entryCount == 1 ? "entry" : "entries")" : ""
    var parts: [FileWords] = [
      "holds no Bluetooth log\(chosen.isEmpty ? "" : " with records")\(entries)"
    ]
    if let madeAt = report.madeAt {
      let version = report.version.map { " (Android \($0))" } ?? ""
      parts.append("a bug report of \(madeAt)\(version)")
    }
    if let mode = report.logMode, mode != "full" {
      parts.append(
        "the phone's option \"Bluetooth HCI snoop log\" was \(mode == "filtered" ? "filtered" : mode == "disabled" ? "off" : "not on"): set it to Enabled, switch Bluetooth off and on, and report again"
      )
    }
    if let firstEncrypted {
      parts.append(
        encryptedCount == 1
          ? "\(name: firstEncrypted) is encrypted" : "\(encryptedCount) entries are encrypted")
    }
    if let other = others.first { parts.append("\(name: other.name) \(other.reason)") }
    if let damage { parts.append(damage.words) }
    return CaptureFailure(.notReadable, words: FileWords(parts, separator: "; "))
  }
}
