import Bluetooth

/// The requests of vendors' protocols that wait for an answer, and the outcomes of requests, series
/// and messages. Bounded: if there are too many requests, the oldest one is given up.
///
/// The owner of a request is the index of its protocol, or below 0 a control point.
struct VendorExchanges: Sendable {
  /// A request that waits for its answer.
  struct Request: Sendable {
    let conversation: UInt64
    let owner: Int
    let command: Int?
    /// The command of its answer: unknown if nothing can answer it, nil if any command can.
    let answer: Known?
    let sequence: Int?
    let packet: Int
    let time: Timestamp?
    /// How many milliseconds it waits.
    let timeout: Int
    /// What it requests, if responses have no length.
    var asked: Asked?
    /// Whether a later request was answered before it: its own answer was probably lost.
    fileprivate(set) var isOvertaken = false

    /// Returns whether a request that was sent at a time has already timed out.
    fileprivate static func isOverdue(_ sent: Timestamp?, _ timeout: Int, at now: Timestamp?)
      -> Bool
    {
      guard let now, let sent else { return false }
      return now.nanoseconds(since: sent) > Int64(timeout) * 1_000_000
    }

    /// Returns whether a command can be that of the answer.
    func isAnswered(by command: Int?) -> Bool {
      VendorProtocol.Exchange.isExpected(command, answer)
    }

    /// Returns whether the request belongs to a value's conversation and still waits.
    func isOpen(_ context: VendorMessages.Context, at now: Timestamp?) -> Bool {
      owner == context.owner && conversation == context.conversation
        && !Self.isOverdue(time, timeout, at: now)
    }
  }

  /// The most open requests and conversations that are remembered.
  private static let mostRequests = 256
  private static let mostTallies = 256
  /// The most incomplete series and messages listed for a conversation.
  private static let mostUnfinished = 16

  /// The requests that wait for an answer.
  private(set) var open: [Request] = []
  /// The outcomes, by conversation.
  private(set) var tallies: [VendorTally] = []

  // MARK: Requests

  /// Records a request that expects an answer.
  mutating func add(_ request: Request, _ title: String) {
    if let tally = tally(title, request.owner, request.conversation) {
      tallies[tally].requests += 1
    }
    if open.count >= Self.mostRequests { giveUp(0) }
    open.append(request)
  }

  /// Finds the oldest request that a response fits. Those that were overtaken come last: if a
  /// request is repeated because its answer was lost, the next answer belongs to the repetition.
  mutating func answer(
    _ title: String, _ owner: Int, _ conversation: UInt64, _ time: Timestamp?,
    _ fits: (Request) -> Bool
  ) -> ExchangeNote {
    expire(time, owner)
    var note = ExchangeNote()
    let found = fitting(owner, conversation, fits)
    let tally = tally(title, owner, conversation)
    guard let found else {
      // Before the first request, the capture may have begun too late to contain it, or the
      // requests are not in the profile.
      note.isOrphan = tally.map { tallies[$0].requests > 0 } ?? false
      return note
    }
    note.request = open[found].packet
    if let sent = open[found].time, let time { note.latency = time.nanoseconds(since: sent) }
    for older in 0..<found
    where open[older].owner == owner && open[older].conversation == conversation {
      open[older].isOvertaken = true
    }
    settle(found)
    return note
  }

  private func fitting(
    _ owner: Int, _ conversation: UInt64, _ fits: (Request) -> Bool
  ) -> Int? {
    var overtaken: Int?
    for index in open.indices
    where open[index].owner == owner && open[index].conversation == conversation {
      guard !(open[index].isOvertaken && overtaken != nil), fits(open[index]) else { continue }
      guard open[index].isOvertaken else { return index }
      overtaken = index
    }
    return overtaken
  }

  /// Counts a request as answered, and removes it.
  mutating func settle(_ index: Int) { remove(index) { tally, _ in tally.answered += 1 } }

  /// Counts a request as unanswered, and removes it.
  mutating func giveUp(_ index: Int) {
    remove(index) { tally, packet in
      if tally.unanswered.count < VendorTally.mostListed { tally.unanswered.append(packet) }
    }
  }

  /// Records that a server refused the request in a packet: no response will come.
  mutating func refuse(_ packet: Int) {
    guard let found = open.lastIndex(where: { $0.packet == packet }) else { return }
    remove(found) { tally, _ in tally.refused += 1 }
  }

  /// Forgets the open requests, whose outcome is not known.
  mutating func forgetOpen() {
    while !open.isEmpty { remove(open.count - 1) { tally, _ in tally.requests -= 1 } }
  }

  /// Removes a request, and counts its outcome.
  private mutating func remove(
    _ index: Int, _ count: (inout VendorTally, _ packet: Int) -> Void
  ) {
    let request = open.remove(at: index)
    if let tally = find(request.owner, request.conversation) {
      count(&tallies[tally], request.packet)
    }
  }

  /// Gives up requests after their timeout.
  private mutating func expire(_ time: Timestamp?, _ owner: Int) {
    var index = 0
    while index < open.count {
      // Only its plain values are read, since copying a request is dear.
      if open[index].owner == owner,
        Request.isOverdue(open[index].time, open[index].timeout, at: time)
      {
        giveUp(index)
      } else {
        index += 1
      }
    }
  }

  /// Ends the capture: requests stay unanswered if they have waited long enough; the others are
  /// not counted.
  mutating func finish(_ hasWaited: (_ since: Timestamp?, _ timeout: Int) -> Bool) {
    while let request = open.first {
      if hasWaited(request.time, request.timeout) {
        giveUp(0)
      } else {
        remove(0) { tally, _ in tally.requests -= 1 }
      }
    }
    for index in tallies.indices { tallies[index].unanswered.sort() }
  }

  // MARK: Counting

  private func find(_ owner: Int, _ conversation: UInt64) -> Int? {
    tallies.firstIndex { $0.conversation == conversation && $0.owner == owner }
  }

  /// Returns the title of an owner; empty if there was no room for it.
  func title(of owner: Int, _ conversation: UInt64) -> String {
    find(owner, conversation).map { tallies[$0].title } ?? ""
  }

  /// Returns the index of the tally of a conversation; nil if there is no room.
  private mutating func tally(_ title: String, _ owner: Int, _ conversation: UInt64) -> Int? {
    if let known = find(owner, conversation) { return known }
    guard tallies.count < Self.mostTallies else { return nil }
    tallies.append(VendorTally(conversation: conversation, title: title, owner: owner))
    return tallies.count - 1
  }

  /// Records that a protocol is used in a conversation, and what changes in its counts.
  mutating func count(
    _ context: VendorMessages.Context, _ change: (inout VendorTally) -> Void = { _ in }
  ) {
    let profile = context.vendor.profile
    guard let tally = tally(profile, context.owner, context.conversation) else { return }
    change(&tallies[tally])
  }

  /// Counts an incomplete series or message.
  mutating func note(_ unfinished: Unfinished, _ owner: Int, _ conversation: UInt64) {
    guard let found = find(owner, conversation) else { return }
    if unfinished.kind == .parts { tallies[found].incompleteMessages += 1 }
    if tallies[found].unfinished.count < Self.mostUnfinished {
      tallies[found].unfinished.append(unfinished.counted)
    }
  }

  /// Records that it is unknown whether a series would have been completed.
  mutating func forgetSeries(_ owner: Int, _ conversation: UInt64) {
    if let found = find(owner, conversation) { tallies[found].series -= 1 }
  }
}
