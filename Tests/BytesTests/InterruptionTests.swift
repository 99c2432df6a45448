import Bytes
import Dispatch
import Glibc
import Synchronization
import Testing

/// Writing to a reader that does not read, after the program was asked to end.
@Suite(.serialized) struct InterruptionTests {
  private func makePipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe pipe(&ends)
    #expect(result == 0)
    return (ends[0], ends[1])
  }

  private func after(_ seconds: Double, _ work: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { work() }
  }

  private func interruption(
    patienceSeconds: Int64 = Descriptor.patienceSeconds
  ) -> Interruption {
    // Tests run in Dispatch's threads, which block signals.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGURG)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    let interruption = Interruption(patienceSeconds: patienceSeconds)
    interruption.wakeFromNowOn()
    return interruption
  }

  /// No reader: after a second, writing stops, and the remaining output is dropped and counted.
  @Test(arguments: [false, true]) func nobodyReads(blocks: Bool) {
    let ends = makePipe()
    defer {
      close(ends.read)
      close(ends.write)
    }
    if !blocks { _ = fcntl(ends.write, F_SETFL, O_NONBLOCK) }
    let interruption = interruption()
    after(0.3) { interruption.come() }
    var output = Output(descriptor: ends.write, interruption)
    let start = MonotonicClock.nanoseconds
    for _ in 0..<300 { output.raw([UInt8](repeating: 1, count: 1000).bytes) }
    output.flush()
    let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    var held: Int32 = 0
    #expect(unsafe ioctl(ends.read, UInt(FIONREAD), &held) == 0)
    #expect(output.failure == nil)
    #expect(output.unwritten == 300_000 - Int(held))
    #expect(seconds > 1 && seconds < 10, "\(seconds) s")
  }

  /// A reader that reads a little now and then gets everything, even if this takes longer than the
  /// timeout. It runs in its own thread because all of Dispatch's may be busy. Both times are long
  /// enough for a busy machine.
  @Test func slowReader() throws {
    let ends = makePipe()
    let interruption = interruption(patienceSeconds: 6)
    interruption.come()
    let taken = Mutex(0)
    let reader = try #require(
      Bytes.Thread {
        var block = [UInt8](repeating: 0, count: 32_768)
        while true {
          usleep(900_000)
          let count = unsafe read(ends.read, &block, block.count)
          if count <= 0 { break }
          taken.withLock { $0 += count }
        }
        close(ends.read)
      })
    let bytes = [UInt8](repeating: 1, count: 320_000)
    let start = MonotonicClock.nanoseconds
    let (count, ending) = Descriptor.write(bytes.bytes, to: ends.write, interruption)
    let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    #expect(count == bytes.count)
    #expect(ending == .complete)
    #expect(seconds > 6, "\(seconds) s: too short to test the timeout")
    close(ends.write)
    // The reader's count is final once its thread has ended.
    reader.join()
    #expect(taken.withLock { $0 } == bytes.count)
  }

  /// A named pipe that no process opens for reading does not block the program either.
  @Test func pipeWithoutReader() {
    let path = "/tmp/gattscope-fifo-\(getpid())"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    defer { unsafe unlink(path) }
    let interruption = interruption()
    after(0.3) { interruption.come() }
    let (descriptor, error) = Descriptor.open(path, O_WRONLY, interruption)
    #expect(descriptor < 0)
    #expect(error == EINTR)
  }

  /// The store keeps its contents when it grows.
  @Test func byteStore() {
    let store = ByteStore(capacity: 16)
    var places: [Int] = []
    for number in 0..<100 {
      places.append(store.count)
      store.append(Int64(number))
      store.append([UInt8](repeating: UInt8(number), count: number).bytes)
      store.align()
    }
    let copy = ByteStore(capacity: 8)
    copy.append(Int64(-1))
    copy.append(store)
    for (number, place) in places.enumerated() {
      #expect(store.value(Int64.self, at: place) == Int64(number))
      #expect(copy.value(Int64.self, at: place + 8) == Int64(number))
      let bytes = store.bytes(at: place + 8, count: number)
      #expect(bytes.byteCount == number)
      #expect((0..<number).allSatisfy { bytes.byte(at: $0) == UInt8(number) })
    }
    store.clear()
    #expect(store.count == 0)
  }
}
