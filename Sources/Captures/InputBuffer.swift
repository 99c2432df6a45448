import Bytes
import Glibc

/// A sliding buffer over a file, pipe or socket that holds the bytes read but not yet taken.
///
/// The buffer starts at `CaptureLimits.bufferBytes`. It doubles only when it is full of bytes of
/// one unfinished element, so a claimed length alone never determines its size. The remaining bytes
/// move to the front only if the awaited element would not fit after them. That happens at most
/// twice per record (header and body) and never moves more than the record's own bytes, so the work
/// is linear however small the arriving pieces are.
///
///     var input = try InputBuffer(path: "btsnoop_hci.log")
///     guard try input.fill(16) else { … }  // the input ended before its 16th byte
///     let header = input.take(16)
@safe
package struct InputBuffer: ~Copyable {
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private var storage: UnsafeMutableRawPointer
  /// The number of bytes allocated.
  private(set) var capacity: Int
  /// The range in `storage` of the bytes not yet taken.
  private(set) var start = 0
  private var end = 0
  /// The number of calls of `read(2)`.
  private(set) var readCount = 0

  /// The source of the bytes if it is not the descriptor.
  private var feed: (any ByteFeed)?
  /// The bytes of the descriptor still to be read; nil for all.
  private var left: Int64?

  /// The offset of the next byte from where reading began.
  package private(set) var offset: Int64 = 0
  /// Whether `read(2)` has reported the end of the input.
  package private(set) var isAtEnd = false

  /// Reads an open descriptor from its current position, and closes it at the end if it is `owned`.
  package init(descriptor: Int32, owned: Bool) {
    self.init(descriptor: descriptor, owned: owned, capacity: CaptureLimits.bufferBytes)
  }

  init(descriptor: Int32, owned: Bool, capacity: Int) {
    self.descriptor = descriptor
    ownsDescriptor = owned
    self.capacity = capacity
    unsafe storage = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Opens a file, device or named pipe; `-` is standard input. Opening a named pipe waits for its
  /// writer.
  ///
  /// - Parameter limit: The number of bytes to read at most, as if a growing file ended there.
  /// - Throws: `.inaccessible` with the system's message.
  package init(path: String, atMost limit: Int64? = nil) throws(CaptureFailure) {
    if path == "-" {
      self.init(descriptor: STDIN_FILENO, owned: false)
      return
    }
    var opened: Int32
    repeat {
      opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw CaptureFailure(.inaccessible, systemWords(errno)) }
    self.init(descriptor: opened, owned: true)
    left = limit
  }

  /// Reads the pieces that `pieces` returns until it returns nil. It may wait.
  package init(pieces: @escaping () -> [UInt8]?) {
    self.init(PieceFeed(pieces))
  }

  /// Reads bytes in memory.
  init(_ bytes: [UInt8]) {
    var rest: [UInt8]? = bytes
    self.init {
      defer { rest = nil }
      return rest
    }
  }

  /// Reads bytes from `feed`.
  init(_ feed: any ByteFeed) {
    self.init(descriptor: -1, owned: false)
    self.feed = feed
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
    unsafe storage.deallocate()
  }

  /// The number of bytes that were read and not yet taken.
  package var count: Int { end &- start }

  /// The bytes that were read and not yet taken.
  package var bytes: RawSpan {
    @_lifetime(borrow self) get {
      let span = unsafe RawSpan(_unsafeStart: storage + start, byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Takes the first `count` bytes, or as many as were read. The span is valid until the buffer is
  /// used again.
  @_lifetime(&self)
  package mutating func take(_ count: Int) -> RawSpan {
    let taken = min(max(count, 0), self.count)
    let first = start
    start &+= taken
    offset &+= Int64(taken)
    let span = unsafe RawSpan(_unsafeStart: storage + first, byteCount: taken)
    return unsafe _overrideLifetime(span, mutating: &self)
  }

  /// Takes up to `most` bytes and copies them to `start`. Returns their number, which is 0 at the
  /// end.
  mutating func take(
    into start: UnsafeMutableRawPointer, atMost most: Int
  ) throws(CaptureFailure) -> Int {
    guard try fill(1) else { return 0 }
    let taken = min(most, count)
    unsafe start.copyMemory(from: storage + self.start, byteCount: taken)
    _ = take(taken)
    return taken
  }

  /// Passes the bytes that were read to `body`, which returns how many of them are taken.
  mutating func take(_ body: (UnsafeRawBufferPointer) -> Int) {
    let taken = unsafe body(UnsafeRawBufferPointer(start: storage + start, count: count))
    _ = take(taken)
  }

  /// Reads, waiting if necessary, until `needed` bytes can be taken. Returns false if the input
  /// ends first.
  ///
  /// - Throws: `.inaccessible` if the system cannot read any further.
  package mutating func fill(_ needed: Int) throws(CaptureFailure) -> Bool {
    while count < needed {
      guard !isAtEnd else { return false }
      makeRoom(needed)
      try readOnce()
    }
    return true
  }

  /// The number of bytes until the end if it is known without reading them: at the end, and in a
  /// regular file.
  package var knownRemaining: Int64? {
    if isAtEnd { return Int64(count) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    let position = lseek(descriptor, 0, SEEK_CUR)
    guard position >= 0 else { return nil }
    let rest = max(0, Int64(status.st_size) - Int64(position))
    return Int64(count) + min(rest, left ?? rest)
  }

  private mutating func makeRoom(_ needed: Int) {
    if start == end {
      (start, end) = (0, 0)
    } else if start > 0, start + needed > capacity {
      let moved = count
      unsafe storage.copyMemory(from: storage + start, byteCount: moved)
      (start, end) = (0, moved)
    }
    guard end == capacity else { return }
    let larger = capacity * 2
    let grown = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe grown.copyMemory(from: storage, byteCount: end)
    unsafe storage.deallocate()
    unsafe storage = grown
    capacity = larger
  }

  /// Calls `read(2)` once for as many bytes as there is room. Waits on a non-blocking descriptor.
  private mutating func readOnce() throws(CaptureFailure) {
    if let feed {
      let result = try unsafe feed.read(into: storage + end, atMost: capacity - end)
      end += result
      isAtEnd = result == 0
      return
    }
    while true {
      readCount += 1
      let room = min(capacity - end, left.map { Int(clamping: $0) } ?? .max)
      let result = room == 0 ? 0 : unsafe read(descriptor, storage + end, room)
      if result > 0 {
        if let rest = left { left = rest - Int64(result) }
        end += result
        return
      }
      if result == 0 {
        isAtEnd = true
        return
      }
      if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw CaptureFailure(.inaccessible, systemWords(errno))
      }
    }
  }
}
