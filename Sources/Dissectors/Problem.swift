package import Bytes

/// A deviation in a packet: what was expected, what was found, and where.
///
/// A value without text; `Reports` words it once for text and JSON.
package struct Problem: Equatable, Sendable {
  /// The kind of problem. The meaning of its two numbers is given in parentheses.
  package enum Code: UInt8, Sendable, CaseIterable {
    /// The writer kept fewer bytes than the packet had (kept, original).
    case truncated
    /// A field extends past the end of the packet (needed, available).
    case tooShort
    /// Bytes are left after the last field (number left).
    case leftOver
    /// A length field claims more bytes than exist (claimed, available).
    case lengthTooLarge
    /// The record has no bytes at all.
    case emptyRecord
    /// Not an H4 packet type (the byte).
    case unknownPacketType
    /// Not an opcode of the Linux monitor (the opcode).
    case unknownMonitorOpcode
    /// Not a PacketLogger record type (the type).
    case unknownRecordType
    /// The specification does not define this opcode or code of an ATT PDU, a Security Manager PDU
    /// or a signalling command (the opcode).
    case unknownOpcode
    /// An impossible element length of a list (the length).
    case invalidElementLength
    /// An AD structure extends past the end of the data (claimed, available).
    case advertisingStructureTooLong
    /// The writer lost records before this one (number lost).
    case recordsDropped
    /// The record's time is outside the years 0000 to 9999.
    case timeOutOfRange
    /// A PDU began while the previous one was incomplete, which is lost (bytes received, total; the
    /// latter is 0 if unknown).
    case fragmentLost
    /// A continuation fragment with nothing to continue.
    case continuationWithoutStart
    /// A fragment has more bytes than its PDU still needs (in the fragment, needed).
    case fragmentTooLong
    /// A response without a known request.
    case responseWithoutRequest
    /// A request while another one is outstanding (that one's packet).
    case requestBeforeResponse
    /// A response that does not match the outstanding request (that one's packet).
    case responseMismatch
    /// An indication while another one is unconfirmed (that one's packet).
    case indicationBeforeConfirmation
    case confirmationWithoutIndication
    /// More entries are open than can be tracked, so the oldest was dropped (the limit, the kind of
    /// entry: `Limited`).
    case limitReached
    /// Data sent on a link that has ended.
    case sentAfterEnd
    /// Data received from a link that has ended, which was still in transit.
    case receivedAfterEnd
    /// An advertisement's fragments exceed the maximum length (the limit).
    case advertisementTooLong
    /// A signalling command with the identifier 0, which is not allowed.
    case invalidIdentifier
    /// An SDU longer than its receiver accepts (its length, the MTU).
    case sduTooLong
    /// A frame has more bytes than its SDU still needs (bytes received in all, the SDU's length).
    case sduOverrun
    /// An SDU began while the previous one was incomplete, which is lost (bytes received, total).
    case sduLost
    /// A frame longer than its receiver accepts (its length, the MPS).
    case frameTooLong
    /// A frame sent without a credit (frames sent, credits given).
    case noCredits
    /// A channel's MTU or MPS is below the minimum (the value, the minimum).
    case parameterTooSmall
    /// Credits of zero, or beyond the maximum (given, in all).
    case invalidCredits
    /// Exchange MTU on a bearer whose MTU is determined by L2CAP.
    case mtuExchangeNotAllowed
    /// A frame on a channel that has been closed (the packet that closed it).
    case channelClosed
    /// A channel is opened with an endpoint of another open channel (the CID).
    case channelInUse
    /// A response has a different number of channels than its request (in the response, requested).
    case channelCountMismatch
    /// Credits for an otherwise unknown channel (the CID).
    case unknownChannel
    /// A frame in the middle of an SDU whose beginning is unknown.
    case frameOutOfStep
    /// A record that an earlier file already has (its number there).
    case repeatedRecord
    /// A discovery contradicts an earlier one about an attribute (its handle, the earlier packet).
    case attributeChanged
    /// A response showing that an earlier response was matched with the wrong request (the earlier
    /// response's packet, the request's packet).
    case answersEarlier
    /// A response to a request on another enhanced bearer (the request's packet).
    case answersOtherChannel
    /// An identity address that cannot be one, because it is private.
    case privateIdentity
    /// A response after the response to a later request (the request's packet).
    case answersLate
    /// Not a sniffer's header that is known, or its packets are not Bluetooth LE (the number that
    /// shows it: a version, a length or a link type).
    case unknownAirHeader
    /// A value that the specification does not allow in its field (the value).
    case invalidValue
    /// A frame check sequence that does not fit the frame (the received one, the right one).
    case wrongFrameCheck
  }

  /// For `limitReached`: the kind of entry.
  package enum Limited: Int, Sendable, CaseIterable {
    case links = 0
    /// Outstanding commands.
    case commands
    /// Devices with known names.
    case names
    /// The packets of one PDU.
    case fragments
    /// L2CAP channels.
    case channels
    /// Outstanding L2CAP signalling requests.
    case signalling
    /// The bytes of PDUs being reassembled.
    case joined
    /// The attributes of a GATT server, and servers.
    case attributes
    /// Advertisements being reassembled.
    case advertisements
    /// Periodic advertising trains.
    case trains
  }

  package var code: Code
  /// The offset plus 1, or 0 for none. Every packet creates and copies four problems, so an empty
  /// one is all zeros.
  private var place: Int32
  /// The first number; its meaning depends on the code.
  package var first: UInt32
  /// The second number.
  package var second: Int32

  /// The offset in the packet's bytes, if known.
  package var offset: Int32? {
    get { place <= 0 ? nil : place &- 1 }
    set { place = newValue.map { $0 &+ 1 } ?? 0 }
  }

  package init(_ code: Code, at offset: Int? = nil, _ first: Int = 0, _ second: Int = 0) {
    self.code = code
    place = offset.map { Int32(truncatingIfNeeded: $0) &+ 1 } ?? 0
    self.first = UInt32(clamping: first)
    self.second = Int32(clamping: second)
  }

  /// Reports that the writer of the capture lost records before this one.
  package init(dropped: UInt64) {
    self.init(.recordsDropped)
    let number = UInt64(Int(clamping: dropped))
    first = UInt32(truncatingIfNeeded: number)
    second = Int32(truncatingIfNeeded: number >> 32)
  }

  /// For `recordsDropped`: the number of records, whose halves are `first` and `second`.
  package var dropped: Int { Int(second) << 32 | Int(first) }

  /// Reports that a table is full.
  package init(_ limited: Limited, limit: Int) {
    self.init(.limitReached, limit, limited.rawValue)
  }

  /// Converts a parse error.
  package init(_ error: ParseError) {
    self.init(.tooShort, at: error.offset, error.needed, error.available)
  }
}

/// The problems of one packet: a few stored inline, so that no packet allocates, and a count of the
/// rest.
package struct Problems: Sendable {
  private var slots = InlineArray<4, Problem>(repeating: Problem(.truncated))
  /// The number of problems stored.
  package var count: Int { Int(kept) }
  /// The number of further problems that did not fit.
  package var omitted: Int { Int(left) }
  private var kept: UInt8 = 0
  /// Whether to look for problems that require a search: parameters that do not fit their rows, and
  /// faulty advertising data. Reports that do not show packets save the time. Reports that hide
  /// secrets assume that a key may be anywhere in a packet that was not searched.
  package var areLookedFor = true
  private var left: UInt32 = 0

  package init() {}

  mutating func clear() {
    kept = 0
    left = 0
  }

  package var isEmpty: Bool { kept == 0 }

  /// Returns the problem at `index`, which must be below `count`.
  package subscript(index: Int) -> Problem { slots[index] }

  /// Adds a problem. A reached limit is reported only once per capture, so it replaces another
  /// problem if there is no room.
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
