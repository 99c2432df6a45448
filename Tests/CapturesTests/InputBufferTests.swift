import Bytes
import Glibc
import Testing

@testable import Captures

struct InputBufferTests {
  /// Returns a buffer of 8 bytes that reads from a closed pipe containing `bytes`.
  private func buffer(_ bytes: [UInt8]) -> InputBuffer {
    let pipe = Pipe()
    pipe.write(bytes)
    pipe.closeWriter()
    return InputBuffer(descriptor: pipe.takeReader(), owned: true, capacity: 8)
  }

  @Test func slidesOnlyWhereTheNextElementWouldNotFit() throws {
    let pipe = Pipe()
    pipe.write([0, 1, 2, 3])
    var input = InputBuffer(descriptor: pipe.takeReader(), owned: true, capacity: 8)
    #expect(try input.fill(3))
    #expect(input.take(2).array == [0, 1])
    #expect(input.start == 2)
    // Bytes 2 to 6 fit after the consumed ones; bytes 2 to 8 do not.
    pipe.write([4, 5, 6])
    #expect(try input.fill(5))
    #expect(input.start == 2)
    pipe.write([7, 8, 9])
    #expect(try input.fill(7))
    #expect(input.start == 0)
    #expect(input.count == 8)
    #expect(input.take(8).array == Array(2...9))
    // Nothing is left, so reading starts at the front again.
    pipe.write([10])
    #expect(try input.fill(1))
    #expect(input.start == 0)
    #expect(input.offset == 10)
    #expect(input.capacity == 8)
  }

  @Test func takesWhatWasReadAndNoMore() throws {
    var input = buffer(Array(0..<20))
    #expect(try input.fill(3))
    #expect(input.count == 8)
    #expect(input.take(6).array == [0, 1, 2, 3, 4, 5])
    let reads = input.readCount
    #expect(try input.fill(2))
    #expect(input.readCount == reads)
    #expect(try input.fill(8))
    #expect(input.take(8).array == Array(6..<14))
    #expect(try input.fill(6))
    #expect(try !input.fill(7))
    #expect(input.bytes.array == Array(14..<20))
    #expect(input.take(99).array == Array(14..<20))
    #expect(input.offset == 20)
    #expect(input.take(1).array == [])
    #expect(input.take(-1).array == [])
    #expect(try input.fill(0))
  }

  @Test func doublesWhileBytesArrive() throws {
    var input = buffer(Array(0..<30))
    #expect(try input.fill(1))
    _ = input.take(1)
    #expect(try !input.fill(1000))
    #expect(input.capacity == 32)
    #expect(input.bytes.array == Array(1..<30))
    #expect(input.knownRemaining == 29)
  }

  @Test func knowsWhatAFileStillHolds() throws {
    let folder = TemporaryFolder()
    let path = folder.file("file", holding: [UInt8](repeating: 1, count: 100))
    let descriptor = unsafe open(path, O_RDONLY)
    var input = InputBuffer(descriptor: descriptor, owned: true, capacity: 16)
    #expect(input.knownRemaining == 100)
    #expect(try input.fill(10))
    _ = input.take(10)
    #expect(input.knownRemaining == 90)
    let pipe = Pipe()
    let stream = InputBuffer(descriptor: pipe.takeReader(), owned: true)
    #expect(stream.knownRemaining == nil)
  }
}
