// The commands for LE links and credit-based channels: 0x12 to 0x1a. All fields are little-endian.

package import Bluetooth
package import Bytes

extension Signalling {
  /// Connection Parameter Update Request: minimum interval (2 bytes, 1.25 ms), maximum interval
  /// (2), latency (2, events), timeout (2, 10 ms) (Core, Vol 3, Part A, 4.20).
  package struct ParameterUpdateRequest: Sendable {
    /// The minimum interval, in units of 1.25 ms.
    package let intervalMin: UInt16
    /// The maximum interval, in units of 1.25 ms.
    package let intervalMax: UInt16
    /// The number of connection events that the peripheral may skip.
    package let latency: UInt16
    /// The supervision timeout, in units of 10 ms.
    package let timeout: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      intervalMin = try cursor.u16()
      intervalMax = try cursor.u16()
      latency = try cursor.u16()
      timeout = try cursor.u16()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number(
        "Interval_Min", intervalMin, .scaled(.interval), line: "interval", bytes, at: start)
      visitor.number(
        "Interval_Max", intervalMax, .scaled(.interval), line: "-", bytes, at: start + 2)
      visitor.number("Latency", latency, line: "latency", bytes, at: start + 4)
      visitor.number("Timeout", timeout, .scaled(.timeout), line: "timeout", bytes, at: start + 6)
    }
  }

  /// Connection Parameter Update Response: result (2 bytes) (4.21).
  package struct ParameterUpdateResponse: Sendable {
    /// 0 if accepted.
    package let result: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { result = try cursor.u16() }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Result", result, .code(.l2capUpdateResult), bytes, at: start)
    }
  }

  /// LE Credit Based Connection Request: SPSM (2 bytes), source CID (2), MTU (2), MPS (2), initial
  /// credits (2) (4.22).
  package struct LEConnectionRequest: Sendable {
    /// The protocol of the channel.
    package let spsm: PSM
    /// The channel endpoint on the requesting device.
    package let sourceCID: ChannelID
    /// The largest SDU the device accepts.
    package let mtu: UInt16
    /// The largest K-frame payload the device accepts.
    package let mps: UInt16
    /// The number of K-frames that the peer may initially send.
    package let credits: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      spsm = PSM(rawValue: try cursor.u16())
      sourceCID = ChannelID(rawValue: try cursor.u16())
      mtu = try cursor.u16()
      mps = try cursor.u16()
      credits = try cursor.u16()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("SPSM", spsm.rawValue, .code(.psm), line: "", bytes, at: start)
      visitor.number("MTU", mtu, line: "MTU", bytes, at: start + 4)
      visitor.number("MPS", mps, line: "MPS", bytes, at: start + 6)
      visitor.number("Initial_Credits", credits, .scaled(.credits), line: "", bytes, at: start + 8)
      visitor.number(
        "Source_CID", sourceCID.rawValue, .handle, line: "source CID", bytes, at: start + 2)
    }
  }

  /// LE Credit Based Connection Response: destination CID (2 bytes), MTU (2), MPS (2), initial
  /// credits (2), result (2) (4.23).
  package struct LEConnectionResponse: Sendable {
    /// The channel endpoint on the responding device.
    package let destinationCID: ChannelID
    /// The largest SDU the device accepts.
    package let mtu: UInt16
    /// The largest K-frame payload the device accepts.
    package let mps: UInt16
    /// The number of K-frames that the peer may initially send.
    package let credits: UInt16
    /// The result; unless it is 0, the preceding fields are meaningless.
    package let result: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      destinationCID = ChannelID(rawValue: try cursor.u16())
      mtu = try cursor.u16()
      mps = try cursor.u16()
      credits = try cursor.u16()
      result = try cursor.u16()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      let line = { (text: StaticString) in result == 0 ? text : nil }
      visitor.number("MTU", mtu, line: line("MTU"), bytes, at: start + 2)
      visitor.number("MPS", mps, line: line("MPS"), bytes, at: start + 4)
      visitor.number(
        "Initial_Credits", credits, .scaled(.credits), line: line(""), bytes, at: start + 6)
      visitor.number(
        "Destination_CID", destinationCID.rawValue, .handle, line: line("destination CID"), bytes,
        at: start)
      visitor.number("Result", result, .code(.l2capCreditResult), bytes, at: start + 8)
    }
  }

  /// Flow Control Credit: CID (2 bytes), credits (2) (4.24).
  package struct FlowControlCredit: Sendable {
    /// The channel endpoint on the device that grants the credits.
    package let cid: ChannelID
    /// The number of additional K-frames that the peer may send.
    package let credits: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      cid = ChannelID(rawValue: try cursor.u16())
      credits = try cursor.u16()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Credits", credits, .scaled(.credits), line: "", bytes, at: start + 2)
      visitor.number("CID", cid.rawValue, .handle, line: "CID", bytes, at: start)
    }
  }

  /// Credit Based Connection Request: SPSM (2 bytes), MTU (2), MPS (2), initial credits (2), one to
  /// five source CIDs (2 each) (4.25).
  package struct EnhancedConnectionRequest: Sendable {
    /// The protocol of the channels.
    package let spsm: PSM
    /// The largest SDU the device accepts on each channel.
    package let mtu: UInt16
    /// The largest K-frame payload the device accepts.
    package let mps: UInt16
    /// The number of K-frames that the peer may initially send on each channel.
    package let credits: UInt16
    /// The channel endpoints on the requesting device.
    package let sourceCIDs: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      spsm = PSM(rawValue: try cursor.u16())
      mtu = try cursor.u16()
      mps = try cursor.u16()
      credits = try cursor.u16()
      sourceCIDs = try cursor.channels(atLeast: 1)
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("SPSM", spsm.rawValue, .code(.psm), line: "", bytes, at: start)
      visitor.number("MTU", mtu, line: "MTU", bytes, at: start + 2)
      visitor.number("MPS", mps, line: "MPS", bytes, at: start + 4)
      visitor.number("Initial_Credits", credits, .scaled(.credits), line: "", bytes, at: start + 6)
    }
  }

  /// Credit Based Connection Response: MTU (2 bytes), MPS (2), initial credits (2), result (2),
  /// destination CIDs (2 each) in the order of the request, with 0 for a channel that was not
  /// opened (4.26).
  package struct EnhancedConnectionResponse: Sendable {
    /// The largest SDU the device accepts on each channel.
    package let mtu: UInt16
    /// The largest K-frame payload the device accepts.
    package let mps: UInt16
    /// The number of K-frames that the peer may initially send on each channel.
    package let credits: UInt16
    package let result: UInt16
    /// The channel endpoints on the responding device.
    package let destinationCIDs: Slice

    /// Whether the channels are neither open nor refused yet.
    package var isPending: Bool { (0x0d...0x0f).contains(result) }
    /// Whether channels may have been opened: all of them, or those with a CID.
    package var opensSome: Bool { [0, 4, 9, 10].contains(result) }

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      mtu = try cursor.u16()
      mps = try cursor.u16()
      credits = try cursor.u16()
      result = try cursor.u16()
      destinationCIDs = try cursor.channels(atLeast: 0)
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      let line = { (text: StaticString) in opensSome ? text : nil }
      visitor.number("MTU", mtu, line: line("MTU"), bytes, at: start)
      visitor.number("MPS", mps, line: line("MPS"), bytes, at: start + 2)
      visitor.number(
        "Initial_Credits", credits, .scaled(.credits), line: line(""), bytes, at: start + 4)
      visitor.number("Result", result, .code(.l2capEnhancedResult), bytes, at: start + 6)
    }
  }

  /// Credit Based Reconfigure Request: MTU (2 bytes), MPS (2), one to five destination CIDs (2
  /// each) (4.27).
  package struct ReconfigureRequest: Sendable {
    /// The largest SDU the device accepts from now on.
    package let mtu: UInt16
    /// The largest K-frame payload the device accepts from now on.
    package let mps: UInt16
    /// The channel endpoints on the requesting device (in the specification's sense, the CIDs in
    /// the peer's frames).
    package let destinationCIDs: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      mtu = try cursor.u16()
      mps = try cursor.u16()
      destinationCIDs = try cursor.channels(atLeast: 1)
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("MTU", mtu, line: "MTU", bytes, at: start)
      visitor.number("MPS", mps, line: "MPS", bytes, at: start + 2)
    }
  }

  /// Credit Based Reconfigure Response: result (2 bytes) (4.28).
  package struct ReconfigureResponse: Sendable {
    /// 0 if successful.
    package let result: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { result = try cursor.u16() }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Result", result, .code(.l2capReconfigureResult), bytes, at: start)
    }
  }
}

extension Cursor {
  /// Takes a list of at most five complete channel identifiers; the rest is left over.
  @_lifetime(self: copy self)
  fileprivate mutating func channels(atLeast least: Int) throws(ParseError) -> Slice {
    if least > 0 {
      var first = self
      _ = try first.u16()
    }
    return takeUpTo(min(10, remaining & ~1))
  }
}
