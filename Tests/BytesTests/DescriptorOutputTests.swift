import Bytes
import Dispatch
import Glibc
import Synchronization
import Testing

/// Serialized, because a parallel test must not reuse a pipe's descriptor number during a test.
@Suite(.serialized) struct DescriptorOutputTests {
  private func makePipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe pipe(&ends)
    #expect(result == 0)
    return (ends[0], ends[1])
  }

  private func drain(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count <= 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  @Test func writesWhenAskedAndInOrder() {
    let ends = makePipe()
    defer { close(ends.read) }
    var output = Output(descriptor: ends.write)
    output.text("one ")
    output.flush()
    output.text("two")
    #expect(output.count == 3)
    output.flush()
    output.flush()
    #expect(output.count == 0)
    #expect(output.failure == nil)
    close(ends.write)
    #expect(drain(ends.read) == Array("one two".utf8))
  }

  @Test func writesByItselfWhenFull() throws {
    var path = Array("/tmp/gattscope-output-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&path)
    try #require(file >= 0)
    defer {
      close(file)
      unsafe unlink(path)
    }
    var output = Output(descriptor: file)
    let piece = Array(0..<UInt8(250))
    var expected: [UInt8] = []
    for _ in 0..<1000 {
      output.raw(piece.bytes)
      expected += piece
    }
    #expect(output.count < Output.bufferSize)
    // More than the buffer holds, in one write.
    let large = [UInt8](repeating: 7, count: 2 * Output.bufferSize + 1)
    output.raw(large.bytes)
    output.flush()
    lseek(file, 0, SEEK_SET)
    #expect(drain(file) == expected + large)
  }

  /// The writer has its own queue: the tests may share a single thread.
  @Test func waitsForASlowReader() {
    let ends = makePipe()
    defer { close(ends.read) }
    _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)
    let large = [UInt8](repeating: 0x55, count: 300_000)
    let failed = Mutex(false)
    let writer = DispatchQueue(label: "writer")
    writer.async {
      var output = Output(descriptor: ends.write)
      output.raw(large.bytes)
      output.flush()
      let failure = output.failure
      failed.withLock { $0 = failure != nil }
      close(ends.write)
    }
    #expect(drain(ends.read) == large)
    writer.sync {}
    #expect(failed.withLock { $0 } == false)
  }

  @Test func aClosedPipeIsRemembered() {
    signal(SIGPIPE, SIG_IGN)
    let ends = makePipe()
    close(ends.read)
    defer { close(ends.write) }
    var output = Output(descriptor: ends.write)
    output.text("lost")
    #expect(output.failure == nil)
    output.flush()
    #expect(output.failure == EPIPE)
    // Later output is dropped, and the first failure is kept.
    output.text("lost too")
    output.flush()
    #expect(output.count == 0)
    #expect(output.failure == EPIPE)
  }

  @Test func aClosedDescriptorIsRemembered() {
    var output = Output(descriptor: -1)
    output.text("lost")
    output.flush()
    #expect(output.failure == EBADF)
  }

  @Test func aFullDiskIsRemembered() throws {
    let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(full >= 0)
    defer { close(full) }
    var output = Output(descriptor: full)
    for _ in 0..<2 * Output.bufferSize { output.byte(0x20) }
    #expect(output.failure == ENOSPC)
  }
}
