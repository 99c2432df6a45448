import Bytes
import Glibc

/// A file, pipe or socket in front of one sliding buffer: what was read and not yet taken.
///
/// The buffer has `CaptureLimits.bufferBytes` at first. It doubles only when it is full of bytes
/// that belong to one unfinished element, so that a claimed length alone never sizes it. What is
/// left of it moves to the front only when the element that is waited for would not fit behind,
/// at most twice a record (header and body) and never more than the record's own bytes: the work
/// is linear however small the pieces are that arrive.
///
///     var input = try InputBuffer(path: "btsnoop_hci.log")
///     guard try input.fill(16) else { … }  // the input ended before its 16th byte
///     let header = input.take(16)
@safe
package struct InputBuffer: ~Copyable {
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private var storage: UnsafeMutableRawPointer
  /// The bytes that the buffer has room for.
  private(set) var capacity: Int
  /// Where the bytes that were not yet taken begin and end in `storage`.
  private(set) var start = 0
  private var end = 0
  /// How many times `read(2)` was called.
  private(set) var readCount = 0

  /// Where bytes come from instead of the descriptor.
  private var feed: (any ByteFeed)?
  /// How many bytes of the descriptor are still to be read; nil: all that there are.
  private var left: Int64?
  /// Gets everything that is read, too.
  private var copy: (([UInt8]) -> Void)?

  /// Where the next byte stands in the file or stream, counted from where reading began.
  package private(set) var offset: Int64 = 0
  /// Whether `read(2)` said that nothing follows what was read.
  package private(set) var isAtEnd = false

  /// Reads an open descriptor from where it stands, and closes it at the end if it is `owned`.
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
  /// - Parameters:
  ///   - limit: how many bytes of it are read at most: a file that grows seems to end there.
  ///   - copy: gets everything that is read, piece by piece: for others who must see the same
  ///     bytes, whatever happens to the file meanwhile.
  /// - Throws: `.inaccessible` with the system's words.
  package init(
    path: String, atMost limit: Int64? = nil, copy: (([UInt8]) -> Void)? = nil
  ) throws(CaptureFailure) {
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
    self.copy = copy
  }

  /// Takes what `pieces` gives, which waits where it must, until it gives nil.
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

  /// Takes what `feed` reads.
  init(_ feed: any ByteFeed) {
    self.init(descriptor: -1, owned: false)
    self.feed = feed
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
    unsafe storage.deallocate()
  }

  /// How many bytes were read and not yet taken.
  package var count: Int { end &- start }

  /// The bytes that were read and not yet taken.
  package var bytes: RawSpan {
    @_lifetime(borrow self) get {
      let span = unsafe RawSpan(_unsafeStart: storage + start, byteCount: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Takes the first `count` bytes, or as many as were read. The span holds until the buffer is
  /// asked for anything else.
  @_lifetime(&self)
  package mutating func take(_ count: Int) -> RawSpan {
    let taken = min(max(count, 0), self.count)
    let first = start
    start &+= taken
    offset &+= Int64(taken)
    let span = unsafe RawSpan(_unsafeStart: storage + first, byteCount: taken)
    return unsafe _overrideLifetime(span, mutating: &self)
  }

  /// Takes up to `most` bytes and copies them to `start`; returns how many, 0 at the end.
  mutating func take(
    into start: UnsafeMutableRawPointer, atMost most: Int
  ) throws(CaptureFailure) -> Int {
    guard try fill(1) else { return 0 }
    let taken = min(most, count)
    unsafe start.copyMemory(from: storage + self.start, byteCount: taken)
    _ = take(taken)
    return taken
  }

  /// Reads, and waits where it must, until `needed` bytes can be taken; false when the input ends
  /// before.
  ///
  /// - Throws: `.inaccessible` when the system cannot read on.
  package mutating func fill(_ needed: Int) throws(CaptureFailure) -> Bool {
    while count < needed {
      guard !isAtEnd else { return false }
      makeRoom(needed)
      try readOnce()
    }
    return true
  }

  /// How many bytes there are from here to the end, where that is known without reading them: at
  /// the end, and in a regular file.
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

  /// One `read(2)` of as much as there is room for; waits on a descriptor that does not block.
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
        if let copy {
          let read = unsafe RawSpan(_unsafeStart: storage + end, byteCount: result)
          copy(read.array)
        }
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
