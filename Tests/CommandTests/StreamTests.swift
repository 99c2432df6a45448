import Foundation
import Glibc
import ProgramRunner
import Testing

/// The kind of the program's standard input.
enum Channel: CaseIterable {
  case pipe, fifo, socket
}

@Suite("Captures that arrive while they are read")
struct StreamTests {
  init() { signal(SIGPIPE, SIG_IGN) }

  @Test(
    "Each packet is printed as soon as its last byte has arrived, in pieces of seven bytes",
    arguments: Channel.allCases, [false, true])
  func eachPacket(_ channel: Channel, _ json: Bool) throws {
    let capture = try CaptureBytes(contentsOf: Program.sample("monitor"))
    let folder = try Folder()
    let writer: FileHandle
    let session: Session
    let verb = json ? ["show", "--json"] : ["show"]
    switch channel {
    case .pipe:
      let pipe = Pipe()
      writer = pipe.fileHandleForWriting
      session = try Session(verb + ["-"], input: pipe.fileHandleForReading)
    case .fifo:
      let path = folder.path("fifo")
      #expect(unsafe mkfifo(path, 0o600) == 0)
      // Opened for both, so that neither end waits for the other.
      writer = try #require(FileHandle(forUpdatingAtPath: path))
      session = try Session(verb + [path])
    case .socket:
      let (ours, theirs) = try socketPair(SOCK_STREAM)
      writer = ours
      session = try Session(verb + ["-"], input: theirs)
    }
    var written = 0
    var printed = 0
    for end in capture.ends.dropFirst() {
      while written < end {
        let piece = min(7, end - written)
        // Up to here the record is incomplete.
        #expect(!session.hasMore)
        writer.write(Data(capture.bytes[written..<written + piece]))
        written += piece
      }
      if printed == 0, !json { #expect(session.line()?.contains(" what") == true) }
      let line = try #require(session.line(), "packet \(printed + 1)")
      printed += 1
      #expect(json ? line.contains("\"packet\":\(printed),") : line.contains(" \(printed) "))
    }
    // The stream has not ended; a user ends the program.
    #expect(session.process.isRunning)
    session.process.interrupt()
    let ending = session.finish()
    #expect(ending.status == -SIGINT && ending.errors.isEmpty)
  }

  @Test("A stream that ends is a capture that ends")
  func end() throws {
    let pipe = Pipe()
    let session = try Session(["show", "--json", "-"], input: pipe.fileHandleForReading)
    pipe.fileHandleForWriting.write(Data(CaptureBytes.session(3).bytes))
    try pipe.fileHandleForWriting.close()
    let ending = session.finish()
    #expect(ending.status == 0 && ending.packets == [1, 2, 3] && ending.errors.isEmpty)
  }

  @Test("SIGINT and SIGTERM end the program as signals do", arguments: [SIGINT, SIGTERM])
  func signals(_ number: Int32) throws {
    let pipe = Pipe()
    let session = try Session(["show", "-"], input: pipe.fileHandleForReading)
    pipe.fileHandleForWriting.write(Data(CaptureBytes.session(1).bytes))
    #expect(session.line() != nil && session.line() != nil)
    kill(session.process.processIdentifier, number)
    let ending = session.finish()
    #expect(ending.status == -number && ending.errors.isEmpty)
  }

  @Test(
    "A reader that closes the pipe ends the program quietly",
    arguments: [["show"], ["show", "--json"]])
  func closedPipe(_ verb: [String]) throws {
    let folder = try Folder()
    let file = try folder.write("big", CaptureBytes.session(20_000).bytes)
    let session = try Session(verb + [file])
    #expect(session.line() != nil)
    let ending = try session.hangUp()
    #expect(ending.status == 0 && ending.errors.isEmpty)
  }

  /// Standard output is a socket that keeps each write separate, so that they can be counted.
  @Test("A fast pipe is not flushed for each packet")
  func fewWrites() throws {
    let records = 10_000
    let bytes = CaptureBytes.session(records).bytes
    let (ours, theirs) = try socketPair(SOCK_SEQPACKET)
    let input = Pipe()
    let process = Program.process(["show", "-"])
    process.standardInput = input.fileHandleForReading
    process.standardOutput = theirs
    try Program.start(process)
    try theirs.close()
    let writer = input.fileHandleForWriting
    DispatchQueue.global().async {
      writer.write(Data(bytes))
      try? writer.close()
    }
    var writes = 0
    var lines = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      let count = unsafe recv(ours.fileDescriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      writes += 1
      lines += buffer[..<count].count { $0 == 0x0a }
    }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(lines == records + 1)
    #expect(writes < records / 20)
  }
}

@Suite("Long files")
struct LongFileTests {
  @Test("The output equals that of a stream, even if the capture ends early", arguments: [0, 5])
  func same(_ missing: Int) throws {
    let folder = try Folder()
    let bytes = CaptureBytes.session(20_000).bytes.dropLast(missing)
    let file = try folder.write("capture", Array(bytes))
    for form in [["--json"], [], ["--brief"]] {
      let run = try Program.run(["show"] + form + [file])
      let stream = try Program.run(["show"] + form + ["-"], input: file)
      #expect(run.output == stream.output, "\(form)")
      #expect(run.status == stream.status && run.status == (missing > 0 ? 65 : 0))
      #expect(run.errors.contains("the capture ends early") == (missing > 0))
      let count = 20_000 - (missing > 0 ? 1 : 0)
      switch form {
      case ["--json"]: #expect(run.packets == Array(1...count))
      case []: #expect(run.lines.count == count + 1)
      default: break
      }
    }
  }

  @Test("A full device is reported once, with status 74", arguments: [["--json"], []])
  func fullDevice(_ form: [String]) throws {
    let folder = try Folder()
    let file = try folder.write("capture", CaptureBytes.session(20_000).bytes)
    let process = Program.process(["show"] + form + [file])
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try Program.start(process)
    process.waitUntilExit()
    let reported = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    #expect(Program.status(of: process) == 74)
    #expect(reported == "gattscope: output could not be written: no space left on device\n")
  }

  @Test(
    "A reader that closes the pipe ends the program without a message", arguments: [["--json"], []])
  func readerLeaves(_ form: [String]) throws {
    let folder = try Folder()
    try folder.write("capture", CaptureBytes.session(50_000).bytes)
    let session = try Session(["show"] + form + [folder.path("capture")])
    _ = session.line()
    let ending = try session.hangUp()
    #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
  }
}

/// The program is blocked by its full output pipe while its file changes.
@Suite("Files that change while they are read")
struct ChangingFileTests {
  private static let records = 20_000

  private func start(_ folder: Folder) throws -> Session {
    try folder.write("capture", CaptureBytes.session(Self.records).bytes)
    let session = try Session(["show", "--json", folder.path("capture")])
    _ = session.line()
    return session
  }

  @Test("A file that grows is read to its new end")
  func grows() throws {
    let folder = try Folder()
    let session = try start(folder)
    let file = try FileHandle(forWritingTo: folder.url.appending(path: "capture"))
    try file.seekToEnd()
    file.write(Data(CaptureBytes.session(50).bytes.dropFirst(16)))
    let ending = session.finish()
    #expect(ending.status == 0 && ending.errors.isEmpty)
    #expect(ending.packets == Array(2...Self.records + 50))
  }

  @Test("A file that is cut gives everything before the cut, and reports where it ends")
  func cut() throws {
    let folder = try Folder()
    let session = try start(folder)
    let file = try FileHandle(forWritingTo: folder.url.appending(path: "capture"))
    try file.truncate(atOffset: 1000)
    let ending = session.finish()
    let packets = ending.packets
    #expect(!packets.isEmpty && packets == Array(2...packets.count + 1))
    #expect(packets.count < Self.records)
    #expect(ending.status == 65 && ending.errors.contains("the capture ends early"))
  }

  @Test("A file that is replaced is read as it was opened")
  func replaced() throws {
    let folder = try Folder()
    let session = try start(folder)
    let other = try folder.write("other", Array("something else".utf8))
    #expect(unsafe rename(other, folder.path("capture")) == 0)
    let ending = session.finish()
    #expect(ending.status == 0 && ending.packets == Array(2...Self.records))
  }
}
