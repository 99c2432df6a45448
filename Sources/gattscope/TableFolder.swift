import ArgumentParser
import Bytes
import Captures
import Documents
import Glibc
import Reports

/// The folder that `table --out` writes to. It has a folder for each part of the files, named
/// `part-00000` and so on, with a file for each table. A part has another name until it is
/// complete.
struct TableFolder {
  private let path: String
  private let settings: [UInt8]
  private let form: RowForm
  private let kinds: TableKinds
  /// The pseudonyms for the entries of a manifest, or nil if paths are written.
  private let pseudonyms: Pseudonyms?

  /// The file with the settings that all parts share.
  private static let settingsName = "settings"
  /// The file of a part that lists its captures, with sizes and times.
  static let manifestName = "files"
  /// The file of a part that lists what to do.
  static let planName = "plan"

  /// - Parameter profiles: a digest of the user's profiles and keys.
  init(_ path: String, _ options: RowsOptions, _ form: RowForm, profiles: UInt64 = 0) {
    self.path = path
    pseudonyms = options.pseudonyms
    self.form = form
    kinds = options.kinds
    let names = options.kinds.each.map(\.name).joined(separator: ",")
    var text = Output()
    text.text(Self.settingsStart)
    text.string("\(names)\nform \(form == .csv ? "csv" : "json")\nredacted ")
    if let pseudonyms {
      text.text("yes ")
      text.hexDigits(pseudonyms.check, 16)
    } else {
      text.text("no")
    }
    text.text("\nprofiles ")
    text.hexDigits(profiles, 16)
    text.byte(0x0a)
    settings = text.bytes.array
  }

  /// The beginning of the file of settings.
  private static let settingsStart: StaticString = "tables "

  /// Prepares the folder, and locks it until the process ends.
  ///
  /// - Parameter resumes: whether the folder may already have parts.
  /// - Returns: the number of the next part, the entries of the files in existing parts, and the
  ///   descriptor of the lock.
  /// - Throws: the exit status.
  func prepare(resumes: Bool) throws -> (next: Int, done: Set<[UInt8]>, lock: Int32) {
    let lock: Int32?
    if let failure = Links.follow(path).failure {
      Terminal.complain(WriteFailure(path: path, failure).sentence)
      throw ExitCode(74)
    }
    do throws(Terminal.SystemFailure) {
      if !Terminal.exists(path) { try Terminal.makeFolder(path) }
      lock = try Terminal.lock("\(path)/lock")
    } catch  where error.code == ELOOP {
      Terminal.complain("\(path)/lock is a link, which is not followed; name another folder")
      throw ExitCode(74)
    } catch {
      Terminal.complain("\(path) cannot be written: \(error.words)")
      throw ExitCode(74)
    }
    guard let lock else {
      Terminal.complain(
        "\(path) is in use by another run; wait until it ends, or name another folder")
      throw ExitCode(73)
    }
    let (parts, unfinished) = existingParts()
    try checkSettings(
      hasParts: !parts.isEmpty, hasFolders: !parts.isEmpty || !unfinished.isEmpty,
      resumes: resumes)
    let next = (parts.map(\.number).max() ?? -1) + 1
    guard next <= Self.mostParts else {
      Terminal.complain("\(path) has no number left for another part; name another folder")
      throw ExitCode(73)
    }
    for name in unfinished { Terminal.removeFolder("\(path)/\(name)") }
    var done: Set<[UInt8]> = []
    for (name, _) in parts {
      let manifest = (try? Terminal.contents(of: "\(path)/\(name)/\(Self.manifestName)")) ?? []
      for line in manifest.split(separator: 0) { done.insert(Array(line)) }
    }
    do throws(Terminal.SystemFailure) {
      // Existing parts were written with the same settings, which an interruption must not destroy.
      if parts.isEmpty { try write(settings, to: settingsPath) }
    } catch {
      Terminal.complain("\(path) cannot be written: \(error.words)")
      throw ExitCode(74)
    }
    return (next, done, lock)
  }

  private var settingsPath: String { "\(path)/\(Self.settingsName)" }

  /// Returns the complete parts, and the names of those that an earlier run left unfinished.
  private func existingParts() -> (parts: [(name: String, number: Int)], unfinished: [String]) {
    var parts: [(name: String, number: Int)] = []
    var unfinished: [String] = []
    for entry in (try? Terminal.contents(ofFolder: path.utf8)) ?? [] where entry.isFolder {
      let name = String(decoding: entry.name, as: UTF8.self)
      if let number = Self.number(of: name, "part-") { parts.append((name, number)) }
      if Self.number(of: name, "partial-") != nil { unfinished.append(name) }
    }
    return (parts, unfinished)
  }

  /// The largest number of a first part, so that later ones do not need more than 9 digits.
  private static let mostParts = 900_000_000

  /// Returns the number after the prefix, of 1 to 9 digits, or nil if the name is a different one.
  private static func number(of name: String, _ prefix: String) -> Int? {
    guard name.hasPrefix(prefix) else { return nil }
    let digits = name.utf8.dropFirst(prefix.utf8.count)
    guard 1...9 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Checks that `table` wrote the contents of the folder, with the same options.
  ///
  /// - Throws: the exit status.
  private func checkSettings(hasParts: Bool, hasFolders: Bool, resumes: Bool) throws {
    var before: [UInt8]?
    if let facts = Terminal.facts(of: settingsPath.utf8, follows: false) {
      let start = Array("\(Self.settingsStart)".utf8)
      if facts.otherKind == nil { before = try? Terminal.contents(of: settingsPath) }
      // A full disk leaves an empty file.
      let isOurs = before.map { $0.starts(with: start) || $0.isEmpty && !hasFolders } ?? false
      guard isOurs else {
        Terminal.complain(
          "\(settingsPath) was not written by gattscope table; name another folder")
        throw ExitCode(73)
      }
    } else if hasFolders {
      Terminal.complain(
        "\(path) holds parts, but no file settings of gattscope table; name another folder")
      throw ExitCode(73)
    }
    guard hasParts else { return }
    guard resumes else {
      Terminal.complain(
        "\(path) already holds tables; continue with --resume, or name another folder")
      throw ExitCode(73)
    }
    guard before == settings else {
      Terminal.complain(
        "\(path) was written with other options, profiles or keys (see \(settingsPath)); --resume needs the same ones"
      )
      throw ExitCode(64)
    }
  }

  /// Returns a file's entry in a manifest: its size, time of the last change and path, or a
  /// pseudonym of these if paths are not written.
  func entry(_ path: ArraySlice<UInt8>, _ facts: Terminal.FileFacts?) -> [UInt8] {
    let entry = Array("\(facts?.size ?? -1) \(facts?.changed ?? 0) ".utf8) + path
    return pseudonyms?.entry(entry) ?? entry
  }

  private func write(_ bytes: [UInt8], to path: String) throws(Terminal.SystemFailure) {
    let descriptor = try Terminal.makeFile(path)
    var output = Output(descriptor: descriptor)
    output.raw(bytes.bytes)
    output.flush()
    let failure = output.failure
    try Terminal.closeFile(descriptor)
    if let failure { throw Terminal.SystemFailure(code: failure) }
  }

  // MARK: Parts

  private func name(_ part: Int, _ prefix: String) -> String {
    let digits = String(part)
    return "\(path)/\(prefix)-\(String(repeating: "0", count: max(0, 5 - digits.count)))\(digits)"
  }

  /// The folder of a part that is being written.
  private func partial(_ part: Int) -> String { name(part, "partial") }

  /// Writes the plan of a part: the paths, each after a letter that states what to do with it.
  ///
  /// - Returns: the file with the plan, which the part's process reads as standard input.
  func plan(_ part: Int, _ plan: [UInt8]) throws(Terminal.SystemFailure) -> String {
    discard(part)
    try Terminal.makeFolder(partial(part))
    let file = "\(partial(part))/\(Self.planName)"
    try write(plan, to: file)
    return file
  }

  /// Removes an incomplete part.
  func discard(_ part: Int) { Terminal.removeFolder(partial(part)) }

  /// Writes the tables of a part, in a process of its own.
  ///
  /// - Throws: the exit status.
  func work(on part: Int, _ options: RowsOptions) throws {
    var descriptors: [Int32] = []
    do throws(Terminal.SystemFailure) {
      let folder = partial(part)
      guard let plan = try? Terminal.contents(of: "/proc/self/fd/0") else {
        throw Terminal.SystemFailure(code: ENOENT)
      }
      for kind in TableKind.allCases {
        guard kinds.contains(kind) else {
          descriptors.append(-1)
          continue
        }
        let suffix = form == .csv ? "csv" : "ndjson"
        descriptors.append(try Terminal.makeFile("\(folder)/\(kind.name).\(suffix)"))
      }
      let sinks = RowSinks(form, kinds, files: descriptors)
      var work = TableWork(options, to: sinks)
      var manifest: [UInt8] = []
      for planned in plan.split(separator: 0) {
        let unread = work.unread
        let path = Array(planned.dropFirst())
        // Looked up before the file is read: if it is written to meanwhile, `--resume` reads it
        // again.
        let facts = Terminal.facts(of: path)
        switch planned.first {
        case PlannedFile.crashed:
          work.giveUp(path, .failed, "gattscope ended before it finished this file")
        case PlannedFile.hung:
          work.giveUp(path, .timedOut, "gattscope did not answer and was ended")
        default: work.add(path)
        }
        manifest += entry(path[...], facts) + [0]
        if let failure = work.failure { throw Terminal.SystemFailure(code: failure) }
        // If this fails, the process that started this one has ended and does not use the part.
        let word = work.unread == unread ? Terminal.wholeFile : Terminal.unreadFile
        guard Terminal.reportDone(word) else { throw Terminal.SystemFailure(code: EPIPE) }
      }
      work.flush()
      if let failure = work.failure { throw Terminal.SystemFailure(code: failure) }
      for descriptor in descriptors where descriptor >= 0 { try Terminal.closeFile(descriptor) }
      try write(manifest, to: "\(folder)/\(Self.manifestName)")
      try Terminal.renameFile(folder, to: name(part, "part"))
    } catch {
      discard(part)
      try Terminal.check(error.code)
      throw ExitCode(74)
    }
  }
}

/// The letters before paths in a plan.
enum PlannedFile {
  /// Read the file.
  static let toRead = UInt8(ascii: "r")
  /// A process ended while it read the file.
  static let crashed = UInt8(ascii: "c")
  /// A process did not finish reading the file and was ended.
  static let hung = UInt8(ascii: "h")
}
