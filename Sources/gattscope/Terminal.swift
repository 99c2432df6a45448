import ArgumentParser
import Bytes
import Captures
import Glibc
import Reports
import Synchronization

/// The options for how lines look: colour, width and character set.
struct TerminalOptions: ParsableArguments {
  enum Color: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
  }

  @Option(name: .long, help: "When to use colours.")
  var color: Color = .auto

  @Flag(name: .long, help: "Print long output to the terminal directly, not through $PAGER.")
  var noPager = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The width of lines, 0 for no limit; by default the terminal's width.",
      valueName: "columns"),
    transform: { text in
      guard let width = Int(text), width == 0 || width >= 20 else {
        throw ValidationError("expected 0, or 20 columns and more")
      }
      return width
    })
  var width: Int?

  @Flag(name: .long, help: Self.asciiHelp)
  var ascii = false

  static let asciiHelp: ArgumentHelp = "Print ASCII only."

  var glyphs: Glyphs { Terminal.glyphs(ascii: ascii) }

  /// Shows the report on `captures` page by page, if it goes to a terminal. A pipe may never end,
  /// and its packets are shown when they come.
  func page(_ captures: [String]) {
    if !noPager, captures.allSatisfy({ Terminal.isFile($0) }) { Pager.start() }
  }

  /// Whether to colour: on a terminal, unless NO_COLOR is set (no-color.org).
  var usesColor: Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      Terminal.isTerminal && (Terminal.environment("NO_COLOR") ?? "").isEmpty
        && Terminal.environment("TERM") != "dumb"
    }
  }

  /// The number of columns at which lines are cut, or nil if they are not.
  var columns: Int? {
    if let width { return width == 0 ? nil : width }
    return Terminal.isTerminal ? Terminal.width : nil
  }
}

/// Why a file cannot be read.
struct FileFailure: Error {
  /// The sentence about it: "band.yaml cannot be read: no such file or directory".
  let sentence: String

  /// Creates a failure in the system's words.
  init(_ path: String, _ words: String) { sentence = "\(path) cannot be read: \(words)" }
}

/// Whether standard error accepted no more output after the interruption.
private let nobodyListens = Atomic<Bool>(false)

extension Output {
  /// A remark that some bytes were not written, or nil if all were.
  var remark: String? {
    guard unwritten > 0 else { return nil }
    return
      "standard output accepted nothing for \(Descriptor.patienceSeconds) s after the stop request; "
      + "\(unwritten) \(unwritten == 1 ? "byte was" : "bytes were") not written"
  }
}

/// The system's standard output, files, time and signals.
enum Terminal {
  static var isTerminal: Bool { isatty(screen.load(ordering: .relaxed)) == 1 }

  /// The descriptor of what standard output was connected to before the pager.
  static let screen = Atomic<Int32>(STDOUT_FILENO)

  /// Remembers what standard output is connected to, since it will change; returns false if the
  /// system has no more descriptors.
  static func keepScreen() -> Bool {
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    if copy >= 0 { screen.store(copy, ordering: .relaxed) }
    return copy >= 0
  }

  /// The folder for temporary files.
  static var temporaryFolder: String {
    environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// Returns whether this is the path of a regular file, which can be read more than once.
  static func isFile(_ path: String) -> Bool { CaptureFile(path).byteCount != nil }

  /// Returns whether this is the path of something other than a regular file: a folder, a pipe or a
  /// device, which may never end.
  static func isOtherThanFile(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false
  }

  /// Returns whether the input and the output are the same file; `-` is standard input or output.
  static func isSameFile(_ input: String, _ output: String) -> Bool {
    guard let read = input == "-" ? status(of: STDIN_FILENO) : status(of: input),
      let written = output == "-" ? status(of: STDOUT_FILENO) : status(of: output)
    else { return false }
    return isSameFile(read, written)
  }

  /// Returns whether an open descriptor refers to the file at this path.
  static func isFile(_ path: String, behind descriptor: Int32) -> Bool {
    guard let named = status(of: path), let opened = status(of: descriptor) else { return false }
    return isSameFile(named, opened)
  }

  private static func isSameFile(_ one: stat, _ other: stat) -> Bool {
    one.st_mode & S_IFMT == S_IFREG && one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  private static func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Returns the status of the file at a path, following links, or nil if it has none.
  private static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// The number of processors that this process may use (proc(5), Cpus_allowed: one bit each), or 1
  /// if it is unknown.
  static var processors: Int {
    let status = String(
      decoding: (try? contents(of: "/proc/self/status")) ?? [], as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    let digits = line?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue) ?? []
    let allowed = digits.reduce(0) { $0 + $1.nonzeroBitCount }
    return max(1, min(allowed, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  /// Reads a small file. Fails if it cannot be read, or is larger than any file that is meant.
  ///
  /// - Parameter most: the number of bytes after which reading may stop.
  static func contents(of path: String, most: Int = .max) throws(FileFailure) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(path, systemWords(errno)) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 64 << 20 {
      let count = unsafe block.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      guard count >= 0 else { throw FileFailure(path, systemWords(errno)) }
      guard count > 0 else { return bytes }
      bytes += block.prefix(count)
      if bytes.count >= most { return Array(bytes.prefix(most)) }
    }
    throw FileFailure(path, "is larger than 64 MB")
  }

  /// Reads a small file that the user named. If that fails, the program ends.
  static func file(_ path: String) throws -> [UInt8] {
    do throws(FileFailure) {
      return try contents(of: path)
    } catch {
      complain(error.sentence)
      throw ExitCode(66)
    }
  }

  /// Returns a file's path without links and dots, to detect two names for one file. A path without
  /// a file is returned as it is.
  static func realPath(_ path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Returns whether anything exists at this path.
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The terminal's width in columns, or nil if it reports none that text fits in.
  static var width: Int? { size.map(\.columns).flatMap { $0 >= 20 ? $0 : nil } }

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The signs that the locale can show.
  static func glyphs(ascii: Bool) -> Glyphs { ascii || !isUTF8 ? .ascii : .utf8 }

  /// Whether the locale is UTF-8. The first of LC_ALL, LC_CTYPE and LANG that is set decides. If
  /// none is set, redirected output is UTF-8 and output to a terminal is not.
  static var isUTF8: Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = environment(name), !value.isEmpty else { continue }
      // Language and region, codeset, modifier: `de_DE.UTF-8@euro`.
      let parts = value.lowercased().split { $0 == "." || $0 == "@" }
      return parts.contains { $0 == "utf-8" || $0 == "utf8" }
    }
    return !isTerminal
  }

  /// Returns the offset of the local time zone at a time, in seconds east of UTC.
  static func zoneOffset(at seconds: Int64) -> Int64 {
    var time = time_t(seconds)
    var broken = unsafe tm()
    guard unsafe localtime_r(&time, &broken) != nil else { return 0 }
    return unsafe Int64(broken.tm_gmtoff)
  }

  /// Makes writes fail instead of killing the program, if a pipe is closed or a file exceeds the
  /// user's size limit (ulimit -f).
  static func haveWritesFail() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
  }

  /// Opens a descriptor that can be neither read nor written in place of standard input, output or
  /// error, if one is closed. Otherwise the next opened file would get its number, and messages
  /// would be written to it.
  static func holdClosedDescriptors() {
    // glibc's O_PATH, which needs _GNU_SOURCE; the number is the same on all platforms that Swift
    // supports.
    let pathOnly: Int32 = 0o10_000_000
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      // All lower numbers are open, so this call returns `number`.
      _ = unsafe open("/", pathOnly)
    }
  }

  /// The first argument that is not UTF-8, which as text would name another file.
  static var argumentThatIsNoText: [UInt8]? {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index],
        unsafe String(validatingCString: argument) == nil
      else { continue }
      return unsafe [UInt8](UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
    }
    return nil
  }

  /// Prints a sentence to standard error.
  static func complain(_ sentence: String) { complain([UInt8](sentence.utf8)) }

  /// Prints a sentence that may contain a name that is not UTF-8.
  static func complain(_ sentence: [UInt8]) {
    write { output in
      output.text("gattscope: ")
      output.printable(sentence.bytes)
      output.byte(0x0a)
    }
  }

  /// Prints the argument parser's message, which may have several lines.
  static func refuse(_ lines: String) {
    write { output in
      for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
        output.printable([UInt8](line.utf8).bytes)
        output.byte(0x0a)
      }
    }
  }

  private static func write(_ write: (inout Output) -> Void) {
    // If standard error did not accept one sentence, later ones are not waited for.
    guard !nobodyListens.load(ordering: .relaxed) else { return }
    var output = Output(descriptor: STDERR_FILENO, .process)
    write(&output)
    output.flush()
    if output.unwritten > 0 { nobodyListens.store(true, ordering: .relaxed) }
  }

  /// Writes to standard output, and reports a failure to do so.
  static func write(
    to descriptor: Int32 = STDOUT_FILENO, _ write: (inout Output) -> Void
  ) throws {
    var output = Output(descriptor: descriptor)
    write(&output)
    output.flush()
    try check(output.failure)
  }

  /// Throws if output could not be written, unless the reader closed the pipe.
  ///
  /// - Parameter failure: the error of the first write that failed.
  static func check(_ failure: Int32?) throws {
    guard let code = failure, code != EPIPE else { return }
    complain("output could not be written: \(systemWords(code))")
    throw ExitCode(74)
  }
}
