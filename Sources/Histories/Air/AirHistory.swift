package import Bluetooth
import Captures
import Dissectors
package import Sessions

/// What a sniffer shows of a connection beside its data: how the two answer each other, the
/// procedures of the Link Layer, how it ended, and where packets are missing.
///
/// In the histories of such a connection, the central is the local side, the peripheral the peer.
package struct AirHistory: Defaulted {
  /// Packets of the central that the peripheral did not acknowledge, until the end of the
  /// connection so far: the first of them, and how many.
  package struct Unanswered: Sendable {
    package let first: Moment
    package internal(set) var count = 1
    /// Whether one of them is LL_TERMINATE_IND, or may be.
    package internal(set) var mayEndLink = false
  }

  /// Connection events with nothing to send, while the peripheral may skip events.
  package struct IdleEvents: Sendable {
    /// How many of them the peripheral answered, and how many it skipped.
    package internal(set) var answered = 0
    package internal(set) var skipped = 0
    /// The first and the last that it answered.
    package internal(set) var first = 0
    package internal(set) var last = 0
  }

  /// What `Sessions` knows of the connection, at the end of the capture.
  package internal(set) var link: AirLink?
  /// The first packet of the central, and the last one of each side, whose CRC is not wrong.
  package private(set) var firstCentral: Moment?
  package private(set) var lastCentral: Moment?
  package private(set) var lastPeripheral: Moment?
  /// The last sign of the peripheral: its packet, or one of the central that shows that the
  /// peripheral's answer, which was missed, had arrived.
  package private(set) var lastAnswer: Moment?
  package private(set) var unanswered: Unanswered?
  /// The last packet with a wrong CRC.
  package private(set) var damaged: Moment?
  /// The last packet before which others may be missing, or which was not read; 0: none.
  package internal(set) var gap = 0
  /// The last encrypted control PDU that was not read, its sender, and its length without the MIC.
  package private(set) var unreadControl: (moment: Moment, side: Side, length: Int)?
  /// The last PDU of either side that is not empty.
  package private(set) var lastPDU = 0
  /// The first connectable advertisement of the peripheral after the last packet of the connection.
  package private(set) var advertised: Moment?
  package private(set) var idle = IdleEvents()
  /// How many packets of each side surely repeat the one before.
  private var resent = (central: 0, peripheral: 0)
  /// The Link Layer's procedures; the first ones and the last one.
  package internal(set) var procedures: [AirProcedure] = []
  /// The changes of parameters, channel map and PHY that the central announced; the first ones and
  /// the last one.
  package internal(set) var changes: [AirChange] = []
  /// LL_TERMINATE_IND: its sender and the reason.
  package internal(set) var termination: (moment: Moment, side: Side, reason: StatusCode)?
  /// How the connection ended, at the end of the capture.
  package internal(set) var end = AirEnd.open

  /// The event of the latest packet, and what the capture has of it.
  private(set) var event: UInt16?
  private var hasCentral = false
  private var hasPeripheral = false
  /// Whether both have only sent empty packets in it.
  private var isIdle = true
  /// Whether the peripheral has not answered the central's latest packet.
  private var awaitsPeripheral = false

  static let most = 64

  package init() {}

  /// The approximate size of the lists in bytes.
  var bytes: Int { ListBytes.of(procedures) + ListBytes.of(changes) }

  /// Records a packet of the connection.
  ///
  /// - Parameter mayPause: whether the peripheral may skip events.
  mutating func observe(
    _ packet: borrowing Packet, _ fact: AirFact, mayPause: Bool
  ) {
    let moment = Moment(packet.record)
    guard fact.stream == .connection || fact.stream == .unknown else { return }
    advertised = nil
    guard fact.crc != .wrong else {
      damaged = moment
      return
    }
    observe(event: fact.event, moment, mayPause)
    let pdu: LinkPDU? =
      switch packet.dissection.content {
      case .linkData(let pdu), .linkControl(let pdu): pdu
      default: nil
      }
    let isEmpty = pdu?.isEmpty ?? false
    if !isEmpty { isIdle = false }
    guard let direction = packet.record.direction else {
      if !isEmpty, !fact.isResent { lastPDU = moment.packet }
      return
    }
    let side = Side(sent: direction)
    let isSurelyResent = fact.isResent && !fact.isResendUnsure
    if side == .local {
      observeCentral(moment, isResent: fact.isResent, isSure: !fact.isResendUnsure)
      if isSurelyResent { resent.central &+= 1 }
    } else {
      observePeripheral(moment)
      if isSurelyResent { resent.peripheral &+= 1 }
    }
    if isEmpty { return }
    if fact.isResent {
      if side == .local { repeatChange(moment, event: fact.event) }
      return
    }
    lastPDU = moment.packet
    if fact.encryption == .unread, let pdu, pdu.isControl {
      let length = Int(pdu.length) - Self.micLength
      unreadControl = (moment, side, length)
      if side == .local, length == Self.terminateLength { unanswered?.mayEndLink = true }
    }
  }

  /// The bytes of a MIC, and of LL_TERMINATE_IND with its opcode.
  static let micLength = 4
  static let terminateLength = 2

  private mutating func observe(event number: UInt16?, _ moment: Moment, _ mayPause: Bool) {
    guard let number, number != event else { return }
    if event != nil { finishEvent(moment, mayPause) }
    event = number
    (hasCentral, hasPeripheral, isIdle) = (false, false, true)
  }

  /// Records what an event showed, at the first packet of the next one.
  private mutating func finishEvent(_ moment: Moment, _ mayPause: Bool) {
    guard mayPause, isIdle, hasCentral else { return }
    if hasPeripheral {
      idle.answered &+= 1
      idle.last = lastPeripheral?.packet ?? 0
      if idle.first == 0 { idle.first = idle.last }
    } else {
      idle.skipped &+= 1
    }
  }

  private mutating func observeCentral(_ moment: Moment, isResent: Bool, isSure: Bool) {
    hasCentral = true
    lastCentral = moment
    if firstCentral == nil { firstCentral = moment }
    // With events missing, the peripheral may have answered.
    if !isSure { unanswered = nil }
    if awaitsPeripheral, !isResent {
      // It sends another PDU only after the last one was acknowledged.
      lastAnswer = moment
      unanswered = nil
      acknowledgeChange()
    }
    awaitsPeripheral = true
    if unanswered == nil {
      unanswered = Unanswered(first: moment)
    } else {
      unanswered?.count &+= 1
    }
  }

  private mutating func observePeripheral(_ moment: Moment) {
    hasPeripheral = true
    awaitsPeripheral = false
    lastPeripheral = moment
    lastAnswer = moment
    unanswered = nil
  }

  /// Records that the central has sent LL_TERMINATE_IND.
  mutating func noteTermination(_ moment: Moment, by side: Side, _ reason: StatusCode) {
    if termination == nil { termination = (moment, side, reason) }
    if side == .local { unanswered?.mayEndLink = true }
  }

  /// Records a connectable advertisement of the peripheral.
  mutating func observeAdvertising(_ moment: Moment) {
    if advertised == nil { advertised = moment }
  }

  /// Returns how many packets of a side surely repeat the one before.
  package func resent(by side: Side) -> Int { side == .local ? resent.central : resent.peripheral }

  /// The last packet before which others may be missing, or which was not read: after it, the
  /// capture has everything. 0: none.
  package var lastGap: Int {
    link?.isFiltered == true || link?.lostTrack != nil ? .max : max(gap, damaged?.packet ?? 0)
  }

  /// Whether the sniffer missed so much that hardly anything follows from what it lacks.
  package var isSparse: Bool {
    guard let link else { return false }
    return link.isFiltered || link.lostTrack != nil
      || link.eventsMissed > (link.eventsSeen &+ link.eventsMissed) / 5
  }

  /// Returns whether the capture is known to have everything of the connection after a packet, and
  /// all of it was read.
  package func isComplete(after packet: Int) -> Bool { lastGap <= packet }

  /// Whether packets of the connection are missing, or were not read.
  package var isIncomplete: Bool { !isComplete(after: 0) }

  /// The last packet of the connection.
  package var last: Moment? {
    [lastCentral, lastPeripheral, damaged].compactMap(\.self).max { $0.packet < $1.packet }
  }
}
