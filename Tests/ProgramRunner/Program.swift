package import Foundation
import Glibc

/// The built program, run as users run it.
package struct Program: Sendable {
  /// The result of a run.
  package struct Ending: Sendable {
    /// The exit status, or the negative number of the signal that ended the run.
    package var status: Int32
    /// The bytes on standard output.
    package var output: [UInt8]
    /// The text on standard error.
    package var errors: String

    package init(status: Int32, output: [UInt8], errors: String) {
      self.status = status
      self.output = output
      self.errors = errors
    }

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// The lines of standard output.
    package var lines: [String] {
      output.split(separator: 0x0a, omittingEmptySubsequences: false).dropLast().map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    /// The lines as JSON objects; nil for a line that is not a JSON object.
    package var objects: [[String: Any]?] {
      output.split(separator: 0x0a).map {
        (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
      }
    }
    /// The packet numbers of the JSON lines.
    package var packets: [Int] { objects.map { $0?["packet"] as? Int ?? -1 } }
  }

  /// The program's location: the environment variable GATTSCOPE, so that optimised builds can be
  /// tested, or beside the test bundle.
  package static let url: URL = {
    if let path = ProcessInfo.processInfo.environment["GATTSCOPE"] {
      return URL(filePath: path).absoluteURL
    }
    let tests = URL(filePath: CommandLine.arguments[0])
    for folder in [tests.deletingLastPathComponent(), Bundle.main.bundleURL] {
      let program = folder.appending(path: "gattscope")
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
    }
    return tests.deletingLastPathComponent().appending(path: "gattscope")
  }()

  /// The package's folder, two levels above this file.
  package static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the path of a sample capture. A name without another format's extension is a btsnoop
  /// file.
  package static func sample(_ name: String) -> String {
    let isOther = [".pcap", ".pcapng", ".pklg"].contains { name.hasSuffix($0) }
    return package.appending(path: "captures/\(name)\(isOther ? "" : ".btsnoop")").path
  }

  /// The btsnoop files among the captures of the sweeps.
  package static let captures = CaptureFiles.sampled { file in
    guard let start = try? FileHandle(forReadingFrom: file).read(upToCount: 25),
      start.prefix(8) == Data("btsnoop\0".utf8)
    else { return false }
    // Records of Android's summary follow this header: the first would claim over a megabyte, and
    // the last byte is at the position of its packet type.
    return start.count < 25 || start[16] == 0 || ![0x10, 0x11, 0x20, 0x21].contains(start[24])
  }

  /// The captures except the long ones, whose keys are unknown.
  package static let smallCaptures = captures.filter { file in
    (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize).map { $0 < 50_000 } ?? false
  }

  /// Captures from other sources, beside the package.
  package static let sharedCaptures = package.deletingLastPathComponent()
    .appending(path: "shared/captures")

  package static let environment = [
    "LC_ALL": "C.UTF-8", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin",
    "PAGER": "", "ASAN_OPTIONS": ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? "",
  ]

  /// Returns a process that has not started; a nil value in `changes` removes a variable.
  package static func process(
    _ arguments: [String], in folder: URL? = nil, environment changes: [String: String?] = [:]
  ) -> Process {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.currentDirectoryURL = folder ?? package
    process.environment = environment.merging(changes.compactMapValues(\.self)) { $1 }
    for (name, value) in changes where value == nil {
      process.environment?.removeValue(forKey: name)
    }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs the program to its end, in a new folder unless one is given.
  package static func run(
    _ arguments: [String], in folder: Folder? = nil, input: String? = nil,
    environment: [String: String?] = [:]
  ) throws -> Ending {
    let scratch = try Folder()
    let process = process(arguments, in: (folder ?? scratch).url, environment: environment)
    // Files instead of pipes, because they need no reader while the program runs.
    let output = try scratch.create("output")
    let errors = try scratch.create("errors")
    process.standardOutput = output
    process.standardError = errors
    if let input { process.standardInput = FileHandle(forReadingAtPath: input) }
    try start(process)
    process.waitUntilExit()
    return Ending(
      status: status(of: process), output: scratch.bytes("output"),
      errors: String(decoding: scratch.bytes("errors"), as: UTF8.self))
  }

  /// Starts a process with all signals unblocked and default actions. A process inherits the signal
  /// mask of the thread that starts it, and Dispatch's threads block nearly all signals. It also
  /// inherits ignored signals: a shell starts background jobs with two ignored.
  package static func start(_ process: Process) throws {
    for number in [SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
    var none = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  /// Returns the exit status, or the negative number of the signal that ended the process.
  package static func status(of process: Process) -> Int32 {
    process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}

/// A temporary folder that is removed with its contents.
package final class Folder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "gattscope-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the path of a file in the folder.
  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// Creates a file and opens it for writing.
  package func create(_ name: String) throws -> FileHandle {
    try Data().write(to: url.appending(path: name))
    return try FileHandle(forWritingTo: url.appending(path: name))
  }

  /// Creates a file that contains `bytes` and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }

  /// Returns the contents of a file, or an empty array if it cannot be read.
  package func bytes(_ name: String) -> [UInt8] {
    [UInt8]((try? Data(contentsOf: url.appending(path: name))) ?? Data())
  }
}
