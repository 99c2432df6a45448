import ArgumentParser
import Bytes
import Captures
import Cryptography
import Decoders
import Documents
import ProfileFiles
import Reports

/// `table`: rows for a database, from one file or many.
struct TableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "table",
    abstract: "Write rows for a database, from one capture or a hundred thousand.",
    usage: "table [<options>] [<file> ...]",
    discussion: """
      Each file is read once, on its own, and gives rows for every table: captures (one row per file), connections, findings, \
      operations (values of attributes), fields (what they are decoded to), and devices (advertisers). Folders are searched. A file \
      that cannot be read also has a row in captures: its status and damage show why, and the exit status is 0 unless --strict is given.

      Every row has all columns of its table, with null for unknown values. Column types never change; gattscope schema --table \
      prints them. docs/fleet.md lists the columns and has scripts for DuckDB and Spark, and example questions.

      Examples:
        gattscope table --kind findings btsnoop_hci.log
        gattscope table --out rows --jobs 4 uploads/   every table of a folder
        gattscope table --out rows --resume uploads/   the files added since
        find . -name '*.zip' -print0 | gattscope table --out rows --files-from - -0
        gattscope table --csv --kind captures uploads/ > captures.csv
      """)

  @Argument(
    help: ArgumentHelp(
      "Captures, archives, bug reports, and folders of them; - for standard input.",
      valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Also read the files in this list, one path per line; - for standard input.",
      valueName: "list"),
    completion: .file())
  var filesFrom: [String] = []

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "The paths of --files-from end with a zero byte, as find -print0 writes them.")
  var endsWithZero = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The tables to write: \(tableNames). The default is all.",
      valueName: "table,..."),
    transform: { text in
      var kinds: TableKinds = []
      for word in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let kind = TableKind(name: word) else {
          throw ValidationError(
            "expected tables with commas between them (\(Self.tableNames)), not \(word)")
        }
        kinds.insert(TableKinds(kind))
      }
      return kinds
    })
  var kind: [TableKinds] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write a file for each table and part to this folder, instead of standard output.",
      valueName: "folder"),
    completion: .directory)
  var out: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "With --out: the number of processes to run at the same time. The default is the number of processors.",
      valueName: "number"),
    transform: { text in
      guard let number = Int(text), 1...256 ~= number else {
        throw ValidationError("expected a number from 1 to 256")
      }
      return number
    })
  var jobs: Int?

  @Flag(
    name: .long,
    help: "With --out: skip files whose rows are already in the folder, unless they have changed.")
  var resume = false

  @Flag(name: .long, help: "Write CSV instead of one JSON object per row.")
  var csv = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write pseudonyms for addresses, names and paths, and no values. Pseudonyms depend only on the key in this file (16 bytes or more).",
      valueName: "key-file"),
    completion: .file())
  var redact: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Give up on a file after this time.", valueName: "seconds"),
    transform: { text in
      guard let number = Int(text), 1...86_400 ~= number else {
        throw ValidationError("expected a number of seconds from 1 to 86400")
      }
      return number
    })
  var timeout = 300

  @Flag(name: .long, help: "End with exit status 65 if a file was not read to its end.")
  var strict = false

  @Option(name: .long, help: ProfileArgument.help, completion: ProfileArgument.completion)
  var profile: [String] = []

  @Option(name: .long, help: KeysArgument.help, completion: .file())
  var keys: [String] = []

  /// The number of the part to write, for the processes of `TableJobs`.
  @Option(name: .long, help: .hidden)
  var part: Int?

  mutating func validate() throws {
    guard part == nil else { return }
    if files.isEmpty, filesFrom.isEmpty {
      throw ValidationError("Missing expected argument '<file> ...'")
    }
    if endsWithZero, filesFrom.isEmpty {
      throw ValidationError("-0 works only with --files-from.")
    }
    if out == nil {
      if jobs != nil { throw ValidationError("--jobs works only with --out.") }
      if resume { throw ValidationError("--resume works only with --out.") }
      if csv, kinds.each.count > 1 {
        throw ValidationError("--csv writes one table to standard output: choose it with --kind.")
      }
    } else if files.contains("-") {
      throw ValidationError("--out takes files and folders, not standard input.")
    }
    if files.count(where: { $0 == "-" }) + filesFrom.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("Standard input can be read once.")
    }
    if redact != nil, kinds.contains(.fields) {
      throw ValidationError("--redact leaves no rows in fields: omit it from --kind.")
    }
  }

  private static let tableNames = TableKind.allCases.map(\.name).joined(separator: ", ")

  /// The chosen tables.
  private var kinds: TableKinds {
    guard kind.isEmpty else { return TableKinds(kind) }
    // Fields are values, which `--redact` leaves out.
    return redact == nil ? .all : TableKinds.all.subtracting(TableKinds(.fields))
  }

  private var form: RowForm { csv ? .csv : .json }

  mutating func run() throws {
    if out != nil { try checkRegularFiles() }
    var options = RowsOptions(try ProfileArgument.profiles(profile))
    options.kinds = kinds
    options.patienceSeconds = timeout
    // The processes of parts repeat what the first one has reported.
    options.bonds = try KeysArgument.bonds(keys, remarks: part == nil)
    if let redact {
      options.pseudonyms = Pseudonyms(key: try Terminal.file(redact))
      if options.pseudonyms == nil {
        Terminal.complain(
          "\(redact) is not a key for --redact: it has fewer than \(Pseudonyms.leastKeyBytes) bytes; "
            + "head -c 32 /dev/urandom > \(redact) makes one")
        throw ExitCode(65)
      }
    }
    if let part {
      return try TableFolder(out ?? "", options, form).work(on: part, options)
    }
    var unread = 0
    let total: Int
    if let out {
      let folder = TableFolder(out, options, form, profiles: suppliedDigest())
      let (first, done, lock) = try folder.prepare(resumes: resume)
      let plans = TablePlans(try paths(besides: out), in: folder, leavingOut: done)
      total = plans.count
      var work = TableJobs(
        folder, lock: lock, arguments: arguments(out), patienceSeconds: timeout,
        jobs: jobs ?? Terminal.processors, total: total)
      try work.run(plans.parts, from: first)
      unread = work.unread
    } else {
      let paths = try paths(besides: nil)
      total = paths.count
      unread = try stream(paths, options)
    }
    if unread > 0, total > 1 {
      Terminal.complain(
        "\(unread) of \(total) files \(unread == 1 ? "was" : "were") not read to the end; status and damage in captures show why"
      )
    }
    if strict, unread > 0 { throw ExitCode(65) }
  }

  /// Writes all rows to standard output. Returns the number of files that were not read to their
  /// end.
  private func stream(_ paths: PathList, _ options: RowsOptions) throws -> Int {
    var work = TableWork(
      options, to: RowSinks(form, options.kinds, stream: Terminal.standardOutput))
    var progress = TableProgress(paths.count)
    paths.forEach { path in
      guard work.failure == nil else { return }
      work.add(Array(path))
      progress.finish(1)
      if !Terminal.isTerminal { progress.show() }
    }
    progress.end()
    work.flush()
    try Terminal.check(work.failure)
    return work.unread
  }

  /// Refuses a key, profile or file of keys that is not a regular file, since each process reads it
  /// again.
  private func checkRegularFiles() throws {
    for path in [redact].compactMap(\.self) + profile + keys.map({ KeysArgument.parts($0).path })
    where Terminal.isOtherThanFile(path) {
      Terminal.complain("\(path) is not a regular file, and --out reads it several times")
      throw ExitCode(66)
    }
  }

  /// Returns a digest of the user's profiles and keys, in their order.
  private func suppliedDigest() -> UInt64 {
    let digest = SHA256()
    for path in profile + ProfileFilesOnDisk.ofThisUser + keys.map({ KeysArgument.parts($0).path })
    {
      // A profile that cannot be read was already reported.
      let content = (try? Terminal.contents(of: path)) ?? []
      digest.add(Array("\(content.count) ".utf8).bytes)
      digest.add(content.bytes)
    }
    return digest.prefix()
  }

  /// Returns the arguments of a process that writes a part.
  private func arguments(_ out: String) -> [String] {
    // One word for each option, since a value may begin with a hyphen.
    var arguments = ["table", "--out=\(out)", "--timeout=\(timeout)"]
    arguments.append("--kind=\(kinds.each.map(\.name).joined(separator: ","))")
    if csv { arguments.append("--csv") }
    if let redact { arguments.append("--redact=\(redact)") }
    for profile in profile { arguments.append("--profile=\(profile)") }
    for keys in keys { arguments.append("--keys=\(keys)") }
    return arguments
  }

  /// Returns all files, including those in folders and lists.
  ///
  /// - Parameter out: the output folder, which is not searched.
  private func paths(besides out: String?) throws -> PathList {
    var finder = FileFinder(besides: out)
    for file in files { finder.add(Array(file.utf8)) }
    for list in filesFrom {
      let paths: [UInt8]
      do throws(CaptureFailure) {
        paths = try Terminal.list(list)
      } catch {
        Terminal.complain(error.sentence(about: list))
        throw ExitCode(66)
      }
      if !endsWithZero, paths.contains(0) {
        Terminal.complain("\(list): paths end with a zero byte: add -0")
        throw ExitCode(64)
      }
      PathList.forEach(in: paths, endingWith: endsWithZero ? 0 : 0x0a) {
        finder.add(Array($0.prefix(FileFinder.mostPathBytes)))
      }
    }
    return finder.paths
  }
}

/// The files that arguments and lists name. Folders are searched; links to folders in them are not
/// followed.
struct FileFinder {
  /// The files found, those of a folder in the order of their names.
  private(set) var paths = PathList()
  /// The paths found so far, since lists and folders may name a file several times.
  private var known: Set<[UInt8]> = []
  private let left: Terminal.FileFacts?

  /// The most bytes kept of a path. Longer paths do not exist; this is more than a cell holds, so
  /// their cells end in `…`.
  static let mostPathBytes = 1 << 14

  /// - Parameter folder: a folder that is not searched.
  init(besides folder: String?) { left = folder.flatMap { Terminal.facts(of: $0.utf8) } }

  mutating func add(_ path: [UInt8]) {
    guard path != [0x2d], let facts = Terminal.facts(of: path), facts.isFolder else {
      return note(path)
    }
    search(path)
  }

  private mutating func note(_ path: [UInt8]) {
    if known.insert(path).inserted { paths.add(path) }
  }

  private mutating func search(_ folder: [UInt8]) {
    if let left, let facts = Terminal.facts(of: folder), facts.node == left.node,
      facts.device == left.device
    {
      return
    }
    // A folder that cannot be opened gets a row.
    guard let contents = try? Terminal.contents(ofFolder: folder) else { return note(folder) }
    let start = folder.last == 0x2f ? folder : folder + [0x2f]
    for entry in contents {
      if entry.isFolder { search(start + entry.name) } else { note(start + entry.name) }
    }
  }
}

/// The parts that files are divided into, which do not depend on the number of processes.
struct TablePlans {
  /// The paths of each part, with a letter of `PlannedFile` before and a zero byte after each path.
  private(set) var parts: [[UInt8]] = []
  /// The number of files.
  private(set) var count = 0

  private static let mostFiles = 256
  private static let mostBytes: Int64 = 64 << 20

  /// - Parameters:
  ///   - folder: the output folder.
  ///   - done: the entries of manifests for files that are not to be read again.
  init(_ paths: PathList, in folder: TableFolder, leavingOut done: Set<[UInt8]>) {
    var (files, bytes): (Int, Int64) = (0, 0)
    paths.forEach { path in
      let facts = Terminal.facts(of: path)
      if !done.isEmpty, done.contains(folder.entry(path, facts)) { return }
      if parts.isEmpty || files >= Self.mostFiles || bytes >= Self.mostBytes {
        parts.append([])
        (files, bytes) = (0, 0)
      }
      parts[parts.count - 1].append(PlannedFile.toRead)
      parts[parts.count - 1].append(contentsOf: path)
      parts[parts.count - 1].append(0)
      files += 1
      bytes += max(0, facts?.size ?? 0)
      count += 1
    }
  }
}
