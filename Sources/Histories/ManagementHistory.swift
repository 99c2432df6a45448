package import Bluetooth
import Bytes
import Captures
import Dissectors

/// The failures that the Linux kernel's management interface reports (BlueZ,
/// doc/mgmt-protocol.rst). Bounded: the first ones are kept, with equal ones counted.
package struct ManagementHistory: Sendable {
  /// What failed.
  package enum Kind: Equatable, Sendable {
    /// Authentication Failed, or a failure in answer to Pair Device.
    case pairing
    /// Connect Failed.
    case connection
    /// A command that was answered with a failure.
    case command(UInt16)
  }

  package struct Failure: Sendable {
    package let kind: Kind
    package let adapter: AdapterIndex
    /// The device; nil if it is not about a device.
    package let peer: DeviceAddress?
    package let status: UInt8
    /// The first event that reports it.
    package let moment: Moment
    /// The command that requested it, if it is in the capture.
    package let asked: Moment?
    /// The earlier successful answer to that command, if any.
    package let succeeded: Moment?
    /// The packets of the first failures, and the total number.
    package internal(set) var packets: PacketSet
    package internal(set) var count = 1
    var last: Moment

    init(
      _ kind: Kind, _ adapter: AdapterIndex, _ peer: DeviceAddress?, _ status: UInt8,
      _ moment: Moment, asked: Moment?, succeeded: Moment?
    ) {
      (self.kind, self.adapter, self.peer, self.status) = (kind, adapter, peer, status)
      (self.asked, self.succeeded, self.moment, last) = (asked, succeeded, moment, moment)
      packets = PacketSet(of: asked, succeeded, moment)
    }

    func isLike(_ other: Self) -> Bool {
      kind == other.kind && adapter == other.adapter && peer == other.peer && status == other.status
    }
  }

  package private(set) var failures: [Failure] = []
  /// The number of failures that are not kept.
  package private(set) var omitted = 0
  /// The last Pair Device commands.
  private var pairings:
    [(adapter: AdapterIndex, peer: DeviceAddress, asked: Moment, succeeded: Moment?)] = []

  package static let most = 32
  private static let mostPackets = 8

  /// Records a record of the management interface.
  ///
  /// - Parameter request: the command that it answers.
  mutating func observe(
    _ control: ControlRecord, _ bytes: RawSpan, _ body: Slice, _ moment: Moment,
    _ adapter: AdapterIndex, _ request: Int?
  ) {
    guard control.isEvent else {
      if control.code == ManagementCommand.pairDevice, let peer = Self.peer(bytes, body, at: 0) {
        if pairings.count >= Self.most { pairings.removeFirst() }
        pairings.append((adapter, peer, moment, nil))
      }
      return
    }
    guard let status = control.status(bytes, body) else { return }
    if let opcode = control.answeredOpcode(bytes, body) {
      answer(opcode, status, bytes, body, moment, adapter, request)
      return
    }
    guard status != 0, let peer = Self.peer(bytes, body, at: 0) else { return }
    switch control.code {
    case ManagementEvent.authenticationFailed:
      fail(.pairing, peer, status, moment, adapter, isEvent: true)
    case ManagementEvent.connectFailed:
      fail(.connection, peer, status, moment, adapter, isEvent: true)
    default: break
    }
  }

  private mutating func answer(
    _ opcode: UInt16, _ status: UInt8, _ bytes: RawSpan, _ body: Slice, _ moment: Moment,
    _ adapter: AdapterIndex, _ request: Int?
  ) {
    guard opcode == ManagementCommand.pairDevice else {
      guard status != 0, !Self.isAboutDevice(opcode) else { return }
      let asked = request.map { Moment(packet: $0, time: nil) }
      add(
        Failure(.command(opcode), adapter, nil, status, moment, asked: asked, succeeded: nil),
        isEvent: false)
      return
    }
    let position = pairings.lastIndex { $0.asked.packet == request }
    if status == 0 {
      if let position { pairings[position].succeeded = moment }
    } else if let peer = position.map({ pairings[$0].peer }) ?? Self.peer(bytes, body, at: 3) {
      fail(.pairing, peer, status, moment, adapter, isEvent: false)
    }
  }

  private mutating func fail(
    _ kind: Kind, _ peer: DeviceAddress, _ status: UInt8, _ moment: Moment, _ adapter: AdapterIndex,
    isEvent: Bool
  ) {
    let asked = kind == .pairing ? pairings.last { $0.peer == peer && $0.adapter == adapter } : nil
    add(
      Failure(
        kind, adapter, peer, status, moment, asked: asked?.asked, succeeded: asked?.succeeded),
      isEvent: isEvent)
  }

  private mutating func add(_ failure: Failure, isEvent: Bool) {
    if let known = failures.firstIndex(where: { $0.isLike(failure) }) {
      // The kernel reports one failure with an event for each of its sockets, one after the other,
      // and with the answer to the command.
      let isSameEvent = isEvent && failure.moment.packet == failures[known].last.packet + 1
      let isSamePairing =
        failure.kind == .pairing && failure.asked != nil
        && failures[known].asked?.packet == failure.asked?.packet
      failures[known].last = failure.moment
      if isSameEvent { return }
      if !isSamePairing { failures[known].count &+= 1 }
      if failures[known].packets.ranges.count < Self.mostPackets {
        failures[known].packets = failures[known].packets.union(failure.packets)
      }
    } else if failures.count < Self.most {
      failures.append(failure)
    } else {
      omitted &+= 1
    }
  }

  /// Returns whether a command is about one device: Disconnect, pairing commands, Add Device,
  /// Remove Device. Other events report what happens to the device.
  private static func isAboutDevice(_ opcode: UInt16) -> Bool {
    switch opcode {
    case ManagementCommand.disconnect, ManagementCommand.pinCodeReply,
      ManagementCommand.pinCodeNegativeReply, ManagementCommand.addDevice,
      ManagementCommand.removeDevice:
      true
    case ManagementCommand.pairDevice...ManagementCommand.userPasskeyNegativeReply: true
    default: false
    }
  }

  private static func peer(_ bytes: RawSpan, _ body: Slice, at offset: Int) -> DeviceAddress? {
    guard Int(body.count) >= offset + 6 else { return nil }
    var cursor = Cursor(bytes.part(body).dropping(offset))
    return try? DeviceAddress(parsing: &cursor)
  }
}
