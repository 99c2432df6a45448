/// What an archive, a compressed file or a bug report holds, and what of it is read.
package struct ArchiveContents: Sendable {
  /// A log that was found in it.
  package struct Log: Equatable, Sendable {
    /// Its path in the archive.
    package let name: String
    /// Whether it is a summary in a report's text.
    package let isSummary: Bool
    /// Whether it has any record.
    package let hasRecords: Bool
    /// Why it is not read; nil where it is.
    package internal(set) var omission: Omission?
  }

  /// Why a log is not read.
  package enum Omission: String, Equatable, Sendable {
    case empty = "no records"
    case summarised = "other logs have records"
    case notChosen = "--entry leaves it out"
    case repeated = "the same as one before"
  }

  /// As it was named.
  package let name: String
  /// Whether it is more than one compressed file.
  package internal(set) var isArchive = false
  /// Its entries, folders and those of archives in it among them.
  package internal(set) var entryCount = 0
  /// Other entries that are not read, and why; the first ones.
  package private(set) var others: [(name: String, reason: String)] = []
  package internal(set) var logs: [Log] = []
  /// The entries that are encrypted.
  package internal(set) var encryptedCount = 0
  package internal(set) var firstEncrypted: String?
  /// What the texts in it say about the phone.
  package internal(set) var report = PhoneReport()
  /// Lines of other programs within summaries.
  package internal(set) var foreignLines = 0

  init(_ name: String) { self.name = name }

  private static let mostOthers = 64

  mutating func leaveOut(_ name: String, _ reason: String) {
    if others.count < Self.mostOthers { others.append((name, reason)) }
  }

  /// What is not read of it, and why.
  package var notRead: [(name: String, isSummary: Bool, reason: String)] {
    logs.compactMap { log in
      log.omission.map { (log.name, log.isSummary, $0.rawValue) }
    } + others.map { ($0.name, false, $0.reason) }
  }

  /// What is to be said of it beside its logs: what could not be read.
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
        "\(foreignLines) \(foreignLines == 1 ? "line" : "lines") within the summary of \(name) were none of it"
      )
    }
    return remarks
  }

  /// Whether no log of an archive has anything to show.
  var lacksRecords: Bool { isArchive && !logs.contains(where: \.hasRecords) }

  /// That no log of it is read, and why: what the phone was set to, where the report tells.
  func lacksLog(_ damage: CaptureFailure?) -> CaptureFailure {
    let chosen = logs.filter { $0.omission == nil }
    guard logs.isEmpty || !chosen.isEmpty else {
      let names = logs.prefix(3).map(\.name).joined(separator: ", ")
      return CaptureFailure(
        .notReadable,
        "holds no log that --entry matches; whole paths are compared, as of \(names)")
    }
    var parts = [chosen.isEmpty ? "holds no Bluetooth log" : "holds no Bluetooth log with records"]
    if isArchive { parts[0] += ": \(entryCount) \(entryCount == 1 ? "entry" : "entries")" }
    if let madeAt = report.madeAt {
      let version = report.version.map { " (Android \($0))" } ?? ""
      parts.append("a bug report of \(madeAt)\(version)")
    }
    if let mode = report.logMode, mode != "full" {
      parts.append(
        "the phone's option \"Bluetooth HCI snoop log\" was \(mode == "filtered" ? "filtered" : "off"): set it to Enabled, switch Bluetooth off and on, and report again"
      )
    }
    if let firstEncrypted {
      parts.append(
        encryptedCount == 1
          ? "\(firstEncrypted) is encrypted" : "\(encryptedCount) entries are encrypted")
    }
    if let other = others.first { parts.append("\(other.name) \(other.reason)") }
    if let damage { parts.append(damage.message) }
    return CaptureFailure(.notReadable, parts.joined(separator: "; "))
  }
}
