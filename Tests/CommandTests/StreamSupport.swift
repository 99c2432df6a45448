import Foundation
import Glibc
import ProgramRunner

/// A process whose output is read line by line while it runs.
final class Session {
  let process: Process
  private let output = Pipe()
  private let errors: FileHandle
  private let folder: Folder
  private var buffer: [UInt8] = []

  /// Starts the program with `input` as its standard input.
  init(_ arguments: [String], input: FileHandle? = nil) throws {
    process = Program.process(arguments)
    folder = try Folder()
    errors = try folder.create("errors")
    process.standardOutput = output
    process.standardError = errors
    if let input { process.standardInput = input }
    try Program.start(process)
  }

  /// Returns the next line, or nil if none arrives within `seconds`.
  func line(within seconds: Int32 = 20) -> String? {
    while true {
      if let end = buffer.firstIndex(of: 0x0a) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line
      }
      guard isReadable(within: seconds * 1000) else { return nil }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { return nil }
      buffer += data
    }
  }

  /// Whether there is output that `line` has not returned yet.
  var hasMore: Bool { !buffer.isEmpty || isReadable(within: 0) }

  private func isReadable(within milliseconds: Int32) -> Bool {
    var state = pollfd(
      fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&state, 1, milliseconds) > 0
  }

  /// Reads to the end, and waits for the process.
  func finish() -> Program.Ending {
    var rest = buffer
    rest += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Program.Ending(
      status: Program.status(of: process), output: rest,
      errors: String(decoding: folder.bytes("errors"), as: UTF8.self))
  }

  /// Closes the reading end of the program's output, and waits for the program.
  func hangUp() throws -> Program.Ending {
    try output.fileHandleForReading.close()
    process.waitUntilExit()
    return Program.Ending(
      status: Program.status(of: process), output: [],
      errors: String(decoding: folder.bytes("errors"), as: UTF8.self))
  }
}

/// Two ends of a UNIX socket.
func socketPair(_ type: __socket_type) throws -> (FileHandle, FileHandle) {
  var ends: [Int32] = [-1, -1]
  let result = unsafe socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends)
  guard result == 0 else { throw POSIXError(.EMFILE) }
  return (
    FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
    FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  )
}

/// Returns everything from a descriptor until nothing arrives for a while: a terminal delivers its
/// input in pieces, even after the writer's end.
func everything(from file: FileHandle) -> [UInt8] {
  var found: [UInt8] = []
  while true {
    var state = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&state, 1, 500) > 0, state.revents & Int16(POLLIN) != 0 else { return found }
    found += file.availableData
  }
}

/// Opens a pseudo-terminal of a given width: the terminal window's end, and the program's.
func pseudoTerminal(columns: UInt16) throws -> (window: FileHandle, program: FileHandle) {
  let window = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
  guard window >= 0 else { throw POSIXError(.EIO) }
  // Does what unlockpt and ptsname do; Swift's Glibc module lacks them.
  var lock: Int32 = 0
  var number: UInt32 = 0
  _ = unsafe ioctl(window, 0x4004_5431, &lock)
  _ = unsafe ioctl(window, 0x8004_5430, &number)
  let program = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
  guard program >= 0 else { throw POSIXError(.EIO) }
  var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
  _ = unsafe ioctl(program, UInt(TIOCSWINSZ), &size)
  return (
    FileHandle(fileDescriptor: window, closeOnDealloc: true),
    FileHandle(fileDescriptor: program, closeOnDealloc: true)
  )
}
