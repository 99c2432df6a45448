package import Foundation
import Glibc

/// The built program, run as a user runs it.
package struct Program: Sendable {
  /// What came of a run.
  package struct Ending: Sendable {
    /// The exit status; the signal's number, negative, where a signal ended it.
    package var status: Int32
    /// What stood on standard output.
    package var output: [UInt8]
    /// What stood on standard error.
    package var errors: String

    /// An ending from its parts.
    package init(status: Int32, output: [UInt8], errors: String) {
      self.status = status
      self.output = output
      self.errors = errors
    }

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// Its lines.
    package var lines: [String] {
      output.split(separator: 0x0a, omittingEmptySubsequences: false).dropLast().map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    /// Its lines as JSON objects; nil for a line that is not one.
    package var objects: [[String: Any]?] {
      output.split(separator: 0x0a).map {
        (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
      }
    }
    /// The packet numbers of JSON lines.
    package var packets: [Int] { objects.map { $0?["packet"] as? Int ?? -1 } }
  }

  /// Where the program lies: where the variable GATTSCOPE says, so that an optimised build is tested as
  /// well, else beside the bundle of the tests.
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

  /// The package's own folder: this file stands two folders below it.
  package static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The path of a sample capture; a name without one of the other formats' extensions is btsnoop's.
  package static func sample(_ name: String) -> String {
    let isOther = [".pcap", ".pcapng", ".pklg"].contains { name.hasSuffix($0) }
    return package.appending(path: "captures/\(name)\(isOther ? "" : ".btsnoop")").path
  }

  /// The btsnoop files among the sample captures and, where they are there, the shared ones.
  package static let captures: [URL] = {
    var found: [URL] = []
    let folders = [package.appending(path: "captures"), sharedCaptures]
    for folder in folders {
      guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      else { continue }
      for case let file as URL in files {
        guard let start = try? Data(contentsOf: file).prefix(25),
          start.prefix(8) == Data("btsnoop\0".utf8)
        else { continue }
        // Behind this header are records of Android's summary: the first one would claim over a megabyte, and the last
        // byte is a packet's type there.
        if start.count == 25, start[16] != 0, [0x10, 0x11, 0x20, 0x21].contains(start[24]) {
          continue
        }
        found.append(file)
      }
    }
    return found.sorted { $0.path < $1.path }
  }()

  /// Those without the long ones, whose keys nobody wrote down.
  package static let smallCaptures = captures.filter { file in
    (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize).map { $0 < 50_000 } ?? false
  }

  /// Captures of other origin, beside the package.
  package static let sharedCaptures = package.deletingLastPathComponent()
    .appending(path: "shared/captures")

  /// The environment of every run.
  package static let environment = [
    "LC_ALL": "C.UTF-8", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin:/bin",
    "PAGER": "",
  ]

  /// A process that has not been started; `nil` in `changes` takes a variable away.
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

  /// Runs the program to its end, in a fresh folder unless one is given.
  package static func run(
    _ arguments: [String], in folder: Folder? = nil, input: String? = nil,
    environment: [String: String?] = [:]
  ) throws -> Ending {
    let scratch = try Folder()
    let process = process(arguments, in: (folder ?? scratch).url, environment: environment)
    // Files, not pipes: nobody has to read them while the program runs.
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

  /// Starts a process with all signals let through: it inherits the mask of the thread that starts
  /// it, and Dispatch's threads block nearly all. It also inherits which signals are ignored: a shell
  /// starts background jobs with two ignored.
  package static func start(_ process: Process) throws {
    for number in [SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
    var none = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  /// The exit status, or the signal, negative.
  package static func status(of process: Process) -> Int32 {
    process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}

/// A fresh folder, which goes with what is in it.
package final class Folder: Sendable {
  /// Where it is.
  package let url: URL

  /// Makes the folder.
  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "gattscope-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// A new file to write to.
  package func create(_ name: String) throws -> FileHandle {
    try Data().write(to: url.appending(path: name))
    return try FileHandle(forWritingTo: url.appending(path: name))
  }

  /// A file that holds `bytes`; gives its path.
  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }

  /// What a file holds.
  package func bytes(_ name: String) -> [UInt8] {
    [UInt8]((try? Data(contentsOf: url.appending(path: name))) ?? Data())
  }
}
