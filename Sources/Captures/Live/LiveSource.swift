import Bluetooth
package import Bytes
import Glibc

/// The records of the source named by a `LiveAddress`, as they are made.
///
/// When the source closes, reading ends, or waits for the source if it should be reopened. A remark
/// reports the gap, and the records after it belong to a new section, since what happened in
/// between is unknown.
///
///     var source = try LiveSource(LiveAddress("hci0"), interruption)
///     while let record = try source.next() { … }
package struct LiveSource: CaptureSource, ~Copyable {
  /// The address of the source.
  package let address: LiveAddress
  /// Whether a source that closed is reopened.
  private let reopens: Bool
  private let interruption: Interruption
  /// The socket that clients connect to; it remains while they come and go.
  private let server: ServerSocket?
  private var open: (any CaptureSource & ~Copyable)?
  private var known = MonitorPacketReader.summary
  /// The number of records before the open source, and the index of its section.
  private var numberBefore = 0
  private var number = 0
  private var section = 0
  private var closings = 0
  /// The text of the note to return before the next record, and that of the note lent out.
  private var pendingNote: String?
  private var note: [UInt8] = []
  /// The last record's time.
  private var lastTime: Timestamp?
  /// Remarks about the sources that closed, and why they closed.
  private var remarks: [String] = []
  /// Whether a remark reports that the source could not be reopened.
  private var hasReportedReopening = false
  private var isFinished: Bool
  /// The failure to read a first record when the interruption came, which may itself have cut it.
  private var unfinished: CaptureFailure?

  /// Opens a source. For a server socket, `next` waits for the client later.
  ///
  /// - Parameter reopens: Whether to wait for a source that closed.
  /// - Throws: `.unavailable`, `.forbidden`, or the refusal of a stream's first bytes.
  package init(
    _ address: LiveAddress, reopens: Bool = false, _ interruption: Interruption
  ) throws(CaptureFailure) {
    var server: ServerSocket?
    var opened: (any CaptureSource & ~Copyable)?
    var unfinished: CaptureFailure?
    if case .server(let path) = address {
      server = try ServerSocket(path: path)
    } else {
      do throws(CaptureFailure) {
        opened = try Self.open(address, nil, interruption)
      } catch {
        guard interruption.hasCome else { throw error }
        unfinished = Self.unfinished(error)
      }
    }
    // Computed here, since a consumed value cannot be examined.
    let wasInterrupted = server == nil && opened == nil
    self.address = address
    self.reopens = reopens && Self.canReopen(address)
    self.interruption = interruption
    self.server = server
    open = consume opened
    self.unfinished = unfinished
    isFinished = wasInterrupted && unfinished == nil
  }

  /// Returns the failure to report for a source that could not be opened before the interruption
  /// came; nil if nothing had arrived.
  private static func unfinished(_ failure: CaptureFailure) -> CaptureFailure? {
    switch failure.kind {
    case .damaged: failure
    // With so few bytes, the format cannot be known.
    case .notReadable where failure != CaptureFormat.unknown(RawSpan()):
      CaptureFailure(.damaged, "it \(failure.message)")
    case .notReadable, .inaccessible, .unavailable, .forbidden: nil
    }
  }

  /// Returns whether reopening the source can yield anything new: not for standard input or a file.
  private static func canReopen(_ address: LiveAddress) -> Bool {
    guard case .stream(let path) = address else { return true }
    var status = stat()
    guard path != "-", unsafe stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT != S_IFREG
  }

  /// Removes the files that live sources created. Called by signal handlers that exit at once.
  package static func leaveNoFile() { ServerSocket.removeLatest() }

  /// The properties of the source known so far.
  package var summary: CaptureSummary {
    var summary = known
    switch open {
    case .some(let source): summary = source.summary
    case nil: break
    }
    // Every opened source may make the same remark.
    for remark in remarks where !summary.remarks.contains(remark) {
      summary.remarks.append(remark)
    }
    if closings > 0 {
      let times = closings == 1 ? "once" : "\(closings) times"
      summary.remarks.append(
        "the source closed \(times) and was opened again; what happened meanwhile is not known")
    }
    return summary
  }

  /// Whether a record is available.
  package var isReady: Bool {
    if isFinished || pendingNote != nil { return true }
    switch open {
    case .some(let source): return source.isReady
    case nil: return false
    }
  }

  /// Returns the next record, or nil at the end.
  ///
  /// - Throws: The errors of the source, unless it is to be reopened.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    while !isFinished {
      if let failure = unfinished.take() {
        isFinished = true
        throw failure
      }
      if let words = pendingNote.take() { return noteOnClosing(words) }
      if open == nil, !(try reopen()) { break }
      do throws(CaptureFailure) {
        if let record = try open?.next() {
          number = numberBefore + record.number
          lastTime = record.time
          return record.with(section: section).with(number: number)
        }
      } catch {
        guard reopens, !interruption.hasCome else {
          finish()
          throw error
        }
        closeSource(error)
        continue
      }
      if server != nil, number == numberBefore, !interruption.hasCome {
        // Connecting and sending nothing is how another program checks whether the socket is in
        // use.
        open = nil
        continue
      }
      closeSource(nil)
    }
    finish()
    return nil
  }

  /// Stops reading, and adds a remark about clients that were not read.
  private mutating func finish() {
    guard !isFinished else { return }
    isFinished = true
    guard let waiting = server?.dismissWaiting(), waiting > 0 else { return }
    let clients = waiting == 1 ? "1 further client has" : "\(waiting) further clients have"
    report(
      "\(clients) sent data that was not read: clients are served one after the other"
        + (reopens ? "" : ", further ones with --reconnect"))
  }

  /// Returns a note after a source that closed, before the records of the reopened one.
  @_lifetime(&self)
  private mutating func noteOnClosing(_ words: String) -> CaptureRecord {
    note = [UInt8](words.utf8)
    number += 1
    numberBefore = number
    let (number, closed) = (number, section)
    section += 1
    // A stream's clock may be that of another host or another day.
    let time: Timestamp? =
      switch address {
      case .monitor, .pcap, .server, .serial: .now
      case .tcp, .stream: lastTime
      }
    return .note(number: number, time: time, fileOffset: 0, text: note.bytes).with(section: closed)
  }

  /// Closes the open source, which ended by itself or because of a failure.
  private mutating func closeSource(_ failure: CaptureFailure?) {
    switch open {
    case .some(let source): known = source.summary
    case nil: break
    }
    for remark in known.remarks { report(remark) }
    known.remarks = []
    if let failure { report("the source failed: \(failure.message)") }
    open = nil
    numberBefore = number
    guard reopens, !interruption.hasCome else { return finish() }
    let reason = failure.map { "the source failed (\($0.message))" } ?? "the source closed"
    pendingNote = "\(CaptureRecord.gapWords): \(reason), and is opened again"
  }

  private mutating func report(_ remark: String) {
    if remarks.count < LiveLimits.remarks, !remarks.contains(remark) { remarks.append(remark) }
  }

  /// Opens the source, for the first time or again; returns false once the interruption came.
  ///
  /// - Throws: Failures that another attempt would not change.
  private mutating func reopen() throws(CaptureFailure) -> Bool {
    while true {
      // A source that closes as soon as it is opened must not cause a busy loop.
      if server == nil,
        interruption.wait(for: -1, milliseconds: LiveLimits.reopenMilliseconds) != .timeOver
      {
        return false
      }
      do throws(CaptureFailure) {
        open = try Self.open(address, server, interruption)
        guard open != nil else { return false }
        closings = section
        return true
      } catch {
        if interruption.hasCome {
          guard let failure = Self.unfinished(error) else { return false }
          finish()
          throw failure
        }
        // A socket that can no longer be listened on stays broken, and what is not a capture does
        // not become one; other failures may be temporary. A source that closes without sending
        // anything is not available yet.
        let isSilent = error == CaptureFormat.unknown(RawSpan())
        if server != nil || error.kind == .notReadable && !isSilent {
          finish()
          throw error
        }
        if !hasReportedReopening {
          hasReportedReopening = true
          report("the source could not be opened again at once: \(error.message)")
        }
      }
    }
  }

  /// Opens what an address names; returns nil if no client came before the interruption.
  ///
  /// - Throws: Also failures caused by the interruption, which may cut off a stream's first bytes.
  private static func open(
    _ address: LiveAddress, _ server: ServerSocket?, _ interruption: Interruption
  ) throws(CaptureFailure) -> (any CaptureSource & ~Copyable)? {
    switch address {
    case .monitor(let adapter):
      return try MonitorSource(adapter: adapter, interruption)
    case .pcap(let name): return try PcapDeviceSource(name: name, interruption)
    case .server:
      guard let client = try server?.accept(interruption) else { return nil }
      return MonitorPacketReader(InputBuffer(stream: client, interruption))
    case .tcp(let host, let port):
      let connection = try TCPClient.connect(host: host, port: port, interruption)
      do throws(CaptureFailure) {
        return try CaptureReader(InputBuffer(stream: connection, interruption))
      } catch {
        guard error == CaptureFormat.unknown(RawSpan()) else { throw error }
        throw CaptureFailure(
          .unavailable,
          "the connection was closed before any data came; adb forward does so if nothing listens on the "
            + "phone: only an Android whose Bluetooth was built with BT_NET_DEBUG does, others write "
            + "btsnoop_hci.log into adb bugreport")
      }
    case .serial(let path, let speed):
      let line = try SerialLine.open(path, speed: speed)
      return SerialReader(InputBuffer(stream: line, interruption))
    case .stream(let path):
      // Reported as for every live source without permission; for capture files it is
      // `.inaccessible`.
      if path != "-", unsafe access(path, R_OK) != 0, errno == EACCES {
        throw CaptureFailure(.forbidden, systemWords(EACCES))
      }
      return try CaptureReader(InputBuffer(stream: path, interruption))
    }
  }
}
