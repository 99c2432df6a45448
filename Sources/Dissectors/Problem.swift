package import Bytes

/// Something in a packet that is not as it should be: what was expected, what was found, and where.
///
/// A value without text; `Reports` words it, once for text and JSON.
package struct Problem: Equatable, Sendable {
  /// What is wrong. The two numbers of a problem mean what stands in brackets.
  package enum Code: UInt8, Sendable, CaseIterable {
    /// The writer kept fewer bytes than the packet had (kept, original).
    case truncated
    /// A field reaches past the end of the packet (needed, available).
    case tooShort
    /// Bytes are left after the last field (left).
    case leftOver
    /// A length field claims more than there is (claimed, available).
    case lengthTooLarge
    /// The record holds no bytes at all.
    case emptyRecord
    /// No H4 packet type (the byte).
    case unknownPacketType
    /// No opcode of the Linux monitor (the opcode).
    case unknownMonitorOpcode
    /// No type of a PacketLogger record (the type).
    case unknownRecordType
    /// An opcode or code that the specification does not have: of an ATT PDU, a PDU of the Security
    /// Manager, or a signalling command (the opcode).
    case unknownOpcode
    /// A list's element length that no element has (the length).
    case invalidElementLength
    /// An AD structure reaches past the end of the data (claimed, available).
    case advertisingStructureTooLong
    /// The writer lost records before this one (how many).
    case recordsDropped
    /// The record's time lies outside the years 0000 to 9999.
    case timeOutOfRange
    /// A PDU began while the one before it was incomplete, which is lost (arrived, of; the
    /// latter 0 where its length is not known).
    case fragmentLost
    /// A continuation fragment with nothing to continue.
    case continuationWithoutStart
    /// A fragment brings more than its PDU still lacks (brought, lacking).
    case fragmentTooLong
    /// A response that answers no request seen.
    case responseWithoutRequest
    /// A request while another one waits for its answer (that one's packet).
    case requestBeforeResponse
    /// A response to another request than the one that waits (that one's packet).
    case responseMismatch
    /// An indication while another one waits for its confirmation (that one's packet).
    case indicationBeforeConfirmation
    /// A confirmation without an indication.
    case confirmationWithoutIndication
    /// More things are open than are remembered; the oldest was forgotten (the limit, which things:
    /// `Limited`).
    case limitReached
    /// Data for a link that has ended.
    case sentAfterEnd
    /// Data from a link that has ended: it was under way.
    case receivedAfterEnd
    /// An advertisement's fragments are longer than any advertisement (the limit).
    case advertisementTooLong
    /// A signalling command with the identifier 0, which none may have.
    case invalidIdentifier
    /// An SDU longer than the receiver of its channel takes (its length, the MTU).
    case sduTooLong
    /// A frame brings more than its SDU still lacks (brought in all, the SDU's length).
    case sduOverrun
    /// An SDU began while the one before it was incomplete, which is lost (arrived, of).
    case sduLost
    /// A frame longer than the receiver of its channel takes (its length, the MPS).
    case frameTooLong
    /// A frame that no credit was given for (frames sent, credits given).
    case noCredits
    /// A channel's MTU or MPS is smaller than any may be (the value, the least).
    case parameterTooSmall
    /// Credits that make more than there may be, or none (given, in all).
    case invalidCredits
    /// Exchange MTU on a bearer whose MTU L2CAP has settled.
    case mtuExchangeNotAllowed
    /// A frame on a channel that has been closed (the packet that closed it).
    case channelClosed
    /// A channel is opened with an end that is another open channel's (the CID).
    case channelInUse
    /// A response has not as many channels as its request (answered, asked).
    case channelCountMismatch
    /// Credits for a channel that nothing else told of (the CID).
    case unknownChannel
    /// A frame in the middle of an SDU whose beginning is not known.
    case frameOutOfStep
    /// A record that one of the files before has already (its number there).
    case repeatedRecord
    /// A discovery says of an attribute what an earlier one has not said (its handle, the packet of
    /// the earlier).
    case attributeChanged
    /// A response that shows that an earlier one answered another request than the one it was given to
    /// (the earlier response's packet, the request's).
    case answersEarlier
    /// A response that answers a request of another enhanced bearer than its own (the request's packet).
    case answersOtherChannel
    /// An identity address that is no identity: a private one.
    case privateIdentity
    /// A response that comes after the answer to a later request (the request's packet).
    case answersLate
  }

  /// Of `limitReached`: what there is too much of.
  package enum Limited: Int, Sendable, CaseIterable {
    /// Links.
    case links = 0
    /// Commands that wait for their answer.
    case commands
    /// Devices whose names are known.
    case names
    /// Packets of one PDU.
    case fragments
    /// L2CAP channels.
    case channels
    /// L2CAP signalling requests that wait for their answer.
    case signalling
    /// Bytes of PDUs that are being joined.
    case joined
    /// Attributes of a GATT server, and servers.
    case attributes
    /// Advertisements that are being joined.
    case advertisements
    /// Trains of periodic advertising.
    case trains
  }

  /// What is wrong.
  package var code: Code
  /// The same, counted from 1, and 0 for nowhere. Four of these are made and copied with every packet:
  /// those that say nothing are all zeros.
  private var place: Int32
  /// The first number of the code's meaning.
  package var first: UInt32
  /// The second.
  package var second: Int32

  /// Where in the packet's bytes, where that can be said.
  package var offset: Int32? {
    get { place <= 0 ? nil : place &- 1 }
    set { place = newValue.map { $0 &+ 1 } ?? 0 }
  }

  /// A problem at `offset`.
  package init(_ code: Code, at offset: Int? = nil, _ first: Int = 0, _ second: Int = 0) {
    self.code = code
    place = offset.map { Int32(truncatingIfNeeded: $0) &+ 1 } ?? 0
    self.first = UInt32(clamping: first)
    self.second = Int32(clamping: second)
  }

  /// That the writer of the capture lost records before this one.
  package init(dropped: UInt64) {
    self.init(.recordsDropped)
    let number = UInt64(Int(clamping: dropped))
    first = UInt32(truncatingIfNeeded: number)
    second = Int32(truncatingIfNeeded: number >> 32)
  }

  /// Of `recordsDropped`: how many; `first` and `second` are the halves of that number.
  package var dropped: Int { Int(second) << 32 | Int(first) }

  /// That a table is full.
  package init(_ limited: Limited, limit: Int) {
    self.init(.limitReached, limit, limited.rawValue)
  }

  /// The problem that a parse error is.
  package init(_ error: ParseError) {
    self.init(.tooShort, at: error.offset, error.needed, error.available)
  }
}

/// The problems of one packet: a few in place, so that no packet allocates, and a count of the rest.
package struct Problems: Sendable {
  private var slots = InlineArray<4, Problem>(repeating: Problem(.truncated))
  /// How many there are to read.
  package var count: Int { Int(kept) }
  /// How many more there were than fit.
  package var omitted: Int { Int(left) }
  private var kept: UInt8 = 0
  /// Whether those are looked for that must be searched: whether parameters fit their rows, and what is wrong
  /// with advertising data. Who tells nothing of packets spares the time; who hides secrets takes a packet that
  /// nobody looked through for one whose key may stand anywhere.
  package var areLookedFor = true
  private var left: UInt32 = 0

  /// None.
  package init() {}

  /// Forgets them.
  mutating func clear() {
    kept = 0
    left = 0
  }

  /// Whether there are none.
  package var isEmpty: Bool { kept == 0 }

  /// The problem at `index`, below `count`.
  package subscript(index: Int) -> Problem { slots[index] }

  /// Adds a problem. That a limit was reached is said once in a capture, so it takes another's place where there is none.
  package mutating func add(_ problem: Problem) {
    guard count < slots.count else {
      if left < .max { left += 1 }
      if problem.code == .limitReached { slots[slots.count - 1] = problem }
      return
    }
    slots[count] = problem
    kept += 1
  }
}
