import ArgumentParser
import Bytes
import Captures
import Glibc
import Reports

/// The folder that `table --out` writes into. It has a folder for each part of the files, named `part-00000` and so on,
/// with a file for each table; a part has another name until all of it is written.
struct TableFolder {
  private let path: String
  private let settings: [UInt8]
  private let form: RowForm
  private let kinds: TableKinds

  /// The file with what all parts have in common.
  private static let settingsName = "settings"
  /// The file of a part that lists its captures, with sizes and times.
  static let manifestName = "files"
  /// The file of a part that lists what is to be done.
  static let planName = "plan"

  init(_ path: String, _ options: RowsOptions, _ form: RowForm) {
    self.path = path
    self.form = form
    kinds = options.kinds
    let names = options.kinds.each.map(\.name).joined(separator: ",")
    settings = Array(
      "tables \(names)\nform \(form == .csv ? "csv" : "json")\nredacted \(options.pseudonyms == nil ? "no" : "yes")\n"
        .utf8)
  }

  /// Prepares the folder, and holds it until the process ends.
  ///
  /// - Parameter resumes: whether it may hold parts already.
  /// - Returns: the number of the next part, and what the parts that are there have done.
  /// - Throws: the exit status.
  func prepare(resumes: Bool) throws -> (next: Int, done: Set<[UInt8]>) {
    let isFree: Bool
    do throws(Terminal.SystemFailure) {
      if !Terminal.exists(path) { try Terminal.makeFolder(path) }
      isFree = try Terminal.lock("\(path)/lock") != nil
    } catch {
      Terminal.complain("\(path) cannot be written: \(error.words)")
      throw ExitCode(74)
    }
    guard isFree else {
      Terminal.complain(
        "\(path) is in use by another run; wait for its end, or name another folder")
      throw ExitCode(73)
    }
    var (next, done): (Int, Set<[UInt8]>) = (0, [])
    var hasParts = false
    for entry in (try? Terminal.contents(ofFolder: path.utf8)) ?? [] where entry.isFolder {
      let name = String(decoding: entry.name, as: UTF8.self)
      // What an earlier run has left unfinished.
      if name.hasPrefix("partial-") { Terminal.removeFolder("\(path)/\(name)") }
      guard name.hasPrefix("part-"), let number = Int(name.dropFirst(5)) else { continue }
      hasParts = true
      next = max(next, number + 1)
      guard resumes else { continue }
      let manifest = (try? Terminal.contents(of: "\(path)/\(name)/\(Self.manifestName)")) ?? []
      for line in manifest.split(separator: 0) { done.insert(Array(line)) }
    }
    let settingsPath = "\(path)/\(Self.settingsName)"
    if hasParts {
      guard resumes else {
        Terminal.complain(
          "\(path) holds tables already; go on with --resume, or name another folder")
        throw ExitCode(73)
      }
      guard let before = try? Terminal.contents(of: settingsPath), before == settings else {
        Terminal.complain(
          "\(path) was written with other options (see \(settingsPath)); --resume takes the same ones"
        )
        throw ExitCode(64)
      }
    }
    do throws(Terminal.SystemFailure) {
      try write(settings, to: settingsPath)
    } catch {
      Terminal.complain("\(path) cannot be written: \(error.words)")
      throw ExitCode(74)
    }
    return (next, done)
  }

  /// What a manifest says of a file: size, time of the last change, path.
  static func entry(_ path: ArraySlice<UInt8>, _ facts: Terminal.FileFacts?) -> [UInt8] {
    Array("\(facts?.size ?? -1) \(facts?.changed ?? 0) ".utf8) + path
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

  /// Plans a part: the paths, in front of each a letter that says what to do with it.
  func plan(_ part: Int, _ plan: [UInt8]) throws(Terminal.SystemFailure) {
    discard(part)
    try Terminal.makeFolder(partial(part))
    try write(plan, to: "\(partial(part))/\(Self.planName)")
  }

  /// Removes what there is of a part that is not complete.
  func discard(_ part: Int) { Terminal.removeFolder(partial(part)) }

  /// Makes the tables of a part, in a process of its own.
  ///
  /// - Throws: the exit status.
  func work(on part: Int, _ options: RowsOptions) throws {
    var descriptors: [Int32] = []
    do throws(Terminal.SystemFailure) {
      let folder = partial(part)
      guard let plan = try? Terminal.contents(of: "\(folder)/\(Self.planName)") else {
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
      for entry in plan.split(separator: 0) {
        let unread = work.unread
        let path = Array(entry.dropFirst())
        // Before it is read: what is written to it meanwhile makes it another one.
        let facts = Terminal.facts(of: path)
        switch entry.first {
        case PlannedFile.crashed:
          work.giveUp(path, .failed, "gattscope ended before it was done with this file")
        case PlannedFile.hung:
          work.giveUp(path, .timedOut, "gattscope did not answer and was ended")
        default: work.add(path)
        }
        manifest += Self.entry(path[...], facts) + [0]
        if let failure = work.failure { throw Terminal.SystemFailure(code: failure) }
        // Nobody is there any more to take what is made.
        let word = work.unread == unread ? Terminal.wholeFile : Terminal.unreadFile
        guard Terminal.sayDone(word) else { throw Terminal.SystemFailure(code: EPIPE) }
      }
      work.flush()
      if let failure = work.failure { throw Terminal.SystemFailure(code: failure) }
      for descriptor in descriptors where descriptor >= 0 { try Terminal.closeFile(descriptor) }
      try write(manifest, to: "\(folder)/\(Self.manifestName)")
      Terminal.removeFile("\(folder)/\(Self.planName)")
      try Terminal.renameFile(folder, to: name(part, "part"))
    } catch {
      discard(part)
      try Terminal.check(error.code)
      throw ExitCode(74)
    }
  }
}

/// What a plan says of a file, in front of its path.
enum PlannedFile {
  /// It is to be read.
  static let toRead = UInt8(ascii: "r")
  /// A process ended while it read it.
  static let crashed = UInt8(ascii: "c")
  /// A process did not come to an end with it.
  static let hung = UInt8(ascii: "h")
}
