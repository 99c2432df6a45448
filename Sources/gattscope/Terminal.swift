import ArgumentParser
import Bytes
import Captures
import Glibc
import Reports
import Synchronization

/// Which signs text is written with.
struct SignOptions: ParsableArguments {
  @Flag(name: .long, help: "Print ASCII only.")
  var ascii = false

  /// The signs that the locale can show.
  var glyphs: Glyphs { ascii || !Terminal.isUTF8 ? .ascii : .utf8 }
}

/// How lines look: colour and width.
struct TerminalOptions: ParsableArguments {
  /// When to colour.
  enum Color: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
  }

  @Option(name: .long, help: "When to use colours.")
  var color: Color = .auto

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

  /// The columns at which to cut; nil: nowhere.
  var columns: Int? {
    if let width { return width == 0 ? nil : width }
    return Terminal.isTerminal ? Terminal.width : nil
  }
}

/// Why a file cannot be read.
struct FileFailure: Error {
  /// The sentence about it: "band.yaml cannot be read: no such file or directory".
  let sentence: String

  /// A failure in the system's words.
  init(_ path: String, _ words: String) { sentence = "\(path) cannot be read: \(words)" }
}

/// Whether standard error took nothing any more after the interruption.
private let nobodyListens = Atomic<Bool>(false)

extension Output {
  /// That not all was taken; nil where it was.
  var remark: String? {
    guard unwritten > 0 else { return nil }
    return
      "standard output took nothing for \(Descriptor.patienceSeconds) s after the end was asked for; "
      + "\(unwritten) \(unwritten == 1 ? "byte was" : "bytes were") not written"
  }
}

/// What the system says about standard output, time and signals.
enum Terminal {
  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Where files are kept for a while.
  static var temporaryFolder: String {
    environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// Whether this is the path of a regular file, which can be read more than once.
  static func isFile(_ path: String) -> Bool { CaptureFile(path).byteCount != nil }

  /// Whether this is the path of a folder, a pipe or a device: what is no file, or may never end.
  static func isOtherThanFile(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & S_IFMT != S_IFREG } ?? false
  }

  /// Whether what is read and what is written is one file; `-` is standard input and output.
  static func isSameFile(_ input: String, _ output: String) -> Bool {
    guard let read = input == "-" ? status(of: STDIN_FILENO) : status(of: input),
      let written = output == "-" ? status(of: STDOUT_FILENO) : status(of: output)
    else { return false }
    return isSameFile(read, written)
  }

  /// Whether an open descriptor is of the file at this path.
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

  /// What the system says of what is at a path, behind links; nil where it says nothing.
  private static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// How many processors this process may use (proc(5), Cpus_allowed: a bit each); 1 where that is
  /// not told.
  static var processors: Int {
    let status = String(
      decoding: (try? contents(of: "/proc/self/status")) ?? [], as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    let digits = line?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue) ?? []
    let allowed = digits.reduce(0) { $0 + $1.nonzeroBitCount }
    return max(1, min(allowed, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  }

  /// The bytes of a small file; fails where it cannot be read, or is larger than any that is meant.
  ///
  /// - Parameter most: so many bytes are enough.
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

  /// The bytes of a small file that was named: without it the program ends.
  static func file(_ path: String) throws -> [UInt8] {
    do throws(FileFailure) {
      return try contents(of: path)
    } catch {
      complain(error.sentence)
      throw ExitCode(66)
    }
  }

  /// A file's path without links and dots, which tells whether two are one; what there is no file of stays.
  static func realPath(_ path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Whether there is anything under this path.
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The terminal's width in columns, where it tells one that text can be set in.
  static var width: Int? { size.map(\.columns).flatMap { $0 >= 20 ? $0 : nil } }

  /// The value of an environment variable.
  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// Whether the locale is UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set decides. With
  /// none set, redirected output is UTF-8 and a terminal is not trusted with it.
  static var isUTF8: Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = environment(name), !value.isEmpty else { continue }
      let lower = value.lowercased()
      return lower.contains("utf-8") || lower.contains("utf8")
    }
    return !isTerminal
  }

  /// How many seconds east of UTC this machine's zone is at a time.
  static func zoneOffset(at seconds: Int64) -> Int64 {
    var time = time_t(seconds)
    var broken = unsafe tm()
    guard unsafe localtime_r(&time, &broken) != nil else { return 0 }
    return unsafe Int64(broken.tm_gmtoff)
  }

  /// A write to a closed pipe, and one that makes a file longer than the user may have (ulimit -f), shall
  /// fail, not kill.
  static func haveWritesFail() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
  }

  /// Has something stand where standard input, output or error is closed, that can be neither read nor
  /// written: else the next file that is opened would have its number, and sentences would go into it.
  static func holdClosedDescriptors() {
    // glibc's O_PATH, which stands behind _GNU_SOURCE; the same number on all machines that Swift is there for.
    let pathOnly: Int32 = 0o10_000_000
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      // Those below are open, so that this has the number.
      _ = unsafe open("/", pathOnly)
    }
  }

  /// The first argument that is not UTF-8: as text it would name another file.
  static var argumentThatIsNoText: [UInt8]? {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index],
        unsafe String(validatingCString: argument) == nil
      else { continue }
      return unsafe [UInt8](UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
    }
    return nil
  }

  /// Says something on standard error.
  static func complain(_ sentence: String) { complain([UInt8](sentence.utf8)) }

  /// Says a sentence that may have a name in it which is not UTF-8.
  static func complain(_ sentence: [UInt8]) {
    say { output in
      output.text("gattscope: ")
      output.printable(sentence.bytes)
      output.byte(0x0a)
    }
  }

  /// Says what the parser of the arguments says of them, in several lines.
  static func refuse(_ lines: String) {
    say { output in
      for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
        output.printable([UInt8](line.utf8).bytes)
        output.byte(0x0a)
      }
    }
  }

  private static func say(_ write: (inout Output) -> Void) {
    // Who did not take one sentence is not waited for with every further one.
    guard !nobodyListens.load(ordering: .relaxed) else { return }
    var output = Output(descriptor: STDERR_FILENO, .process)
    write(&output)
    output.flush()
    if output.unwritten > 0 { nobodyListens.store(true, ordering: .relaxed) }
  }

  /// Writes a text to standard output, and says so where that fails.
  static func write(_ write: (inout Output) -> Void) throws {
    var output = Output(descriptor: STDOUT_FILENO)
    write(&output)
    output.flush()
    try check(output.failure)
  }

  /// Fails where output could not be written. A reader that went away is no failure.
  ///
  /// - Parameter failure: the error of the first write that failed.
  static func check(_ failure: Int32?) throws {
    guard let code = failure, code != EPIPE else { return }
    complain("output could not be written: \(systemWords(code))")
    throw ExitCode(74)
  }
}
