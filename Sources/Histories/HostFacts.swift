package import Bluetooth
import Bytes
import Captures
import Cryptography
import Dissectors
import Sessions

/// What the capture reveals about the captured host for pairing: its addresses, and what its
/// software logged. Bounded: only the first few controllers and messages.
package struct HostFacts: Sendable {
  /// The addresses of a controller.
  private struct Own: Sendable {
    let adapter: AdapterIndex
    var publicAddress: DeviceAddress?
    /// LE Set Random Address.
    var random: DeviceAddress?
    /// LE Set Advertising Set Random Address, by set. With several sets, the one that was connected
    /// to is unknown.
    var ofSets: [UInt8: DeviceAddress] = [:]
    /// Own_Address_Type of the last command to connect, and of the last advertising parameters.
    var connecting: UInt8?
    var advertising: UInt8?
    /// Whether those belong to an advertising set with its own address.
    var advertisesExtended = false

    private static let mostSets = 64

    /// Records a command that sets an address, or the address type that a set advertises with.
    mutating func record(_ command: AdvertisingCommand) {
      switch command {
      case .address(let set, let address) where set.family == .legacy: random = address
      case .address(let set, let address):
        if ofSets[set.handle] != nil || ofSets.count < Self.mostSets {
          ofSets[set.handle] = address
        }
      case .parameters(let set, let parameters):
        advertising = parameters.ownAddressType
        advertisesExtended = set.family == .extended
      default: return
      }
    }
  }

  private var all: [Own] = []
  /// The moments when bluetoothd logged that no agent was available to ask its user, with the peer.
  package private(set) var agentMissing: [(moment: Moment, peer: DeviceAddress?)] = []
  /// Whether it sent commands that only Android's Bluetooth stack sends.
  package private(set) var isAndroid = false
  /// The peer that bluetoothd wanted to ask about.
  private var askedAbout: DeviceAddress?

  private static let mostAdapters = 16
  private static let mostMessages = 32

  /// Records a command, an event or a note. Called for each of them, though hardly any concern the
  /// host: the handling of those is kept in separate functions.
  @inline(__always)
  mutating func observe(_ packet: borrowing Packet) {
    switch packet.dissection.content {
    case .command(let command):
      switch command.opcode {
      case HCICommand.leSetRandomAddress, HCICommand.leSetAdvertisingSetRandomAddress,
        HCICommand.leSetAdvertisingParameters, HCICommand.leSetExtendedAdvertisingParameters,
        HCICommand.leSetExtendedAdvertisingParametersV2:
        advertise(command.opcode, packet.bytes.part(packet.dissection.body), packet.record.adapter)
      case HCICommand.leCreateConnection, HCICommand.leExtendedCreateConnection,
        HCICommand.leExtendedCreateConnectionV2:
        connect(command.opcode, packet.bytes.part(packet.dissection.body), packet.record.adapter)
      case HCICommand.androidVendorCommands where packet.record.isOfAndroid(command.opcode):
        isAndroid = true
      default: return
      }
    case .event:
      guard case .commandComplete(let complete) = packet.dissection.fact,
        complete.opcode == HCICommand.readBDADDR
      else { return }
      answer(packet.bytes.part(complete.returns), packet.record.adapter)
    case .note(let note): observe(note, packet.bytes, Moment(packet.record))
    default: return
    }
  }

  /// Records a command that sets an address, or selects the address type for advertising.
  @inline(never)
  private mutating func advertise(_ opcode: UInt16, _ parameters: RawSpan, _ adapter: AdapterIndex)
  {
    guard let command = try? AdvertisingCommand(opcode, parameters) else { return }
    change(adapter) { $0.record(command) }
  }

  /// Records a command that connects.
  @inline(never)
  private mutating func connect(_ opcode: UInt16, _ parameters: RawSpan, _ adapter: AdapterIndex) {
    var cursor = Cursor(parameters)
    guard let command = try? LECreateConnection(opcode, parsing: &cursor) else { return }
    change(adapter) { $0.connecting = command.ownAddressType }
  }

  /// Records the answer to Read BD_ADDR.
  @inline(never)
  private mutating func answer(_ returns: RawSpan, _ adapter: AdapterIndex) {
    var cursor = Cursor(returns)
    guard let values = try? ReadBDADDRReturn(parsing: &cursor), values.status == .success else {
      return
    }
    change(adapter) { $0.publicAddress = values.address }
  }

  // Messages that bluetoothd's new_auth() logs: "Requesting agent authentication for
  // 00:11:22:33:44:55", and after it "No agent available for request type 1" (BlueZ, src/device.c).
  package static let question: StaticString = "Requesting agent authentication for "
  package static let message: StaticString = "No agent available"

  @inline(never)
  private mutating func observe(_ note: MonitorNote, _ bytes: RawSpan, _ moment: Moment) {
    guard note.kind == .userLog, let text = note.text, agentMissing.count < Self.mostMessages else {
      return
    }
    let message = bytes.part(text)
    for offset in 0..<min(message.byteCount, 128) {
      switch message.byte(at: offset) {
      case 0x4e where message.dropping(offset).starts(with: Self.message):
        agentMissing.append((moment, askedAbout))
        askedAbout = nil
        return
      case 0x52 where message.dropping(offset).starts(with: Self.question):
        let start = offset + Self.question.utf8CodeUnitCount
        askedAbout = Self.address(written: message.part(Slice(start: start, count: 17)))
        return
      default: continue
      }
    }
  }

  /// Parses an address: six octets separated by colons.
  private static func address(written text: RawSpan) -> DeviceAddress? {
    guard text.byteCount == 17 else { return nil }
    let octets = String(decoding: text.array, as: UTF8.self).split(separator: ":")
    guard octets.count == 6 else { return nil }
    var value: UInt64 = 0
    for octet in octets {
      guard octet.utf8.count == 2, let byte = UInt8(octet, radix: 16) else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return DeviceAddress(value: value)
  }

  private mutating func change(_ adapter: AdapterIndex, _ change: (inout Own) -> Void) {
    if let known = all.firstIndex(where: { $0.adapter == adapter }) {
      change(&all[known])
    } else if all.count < Self.mostAdapters {
      var own = Own(adapter: adapter)
      change(&own)
      all.append(own)
    }
  }

  /// Returns the local address of a link that an LE Connection Complete event opens, or nil if the
  /// capture does not contain it.
  func address(
    ofLinkOpenedBy dissection: Dissection, _ adapter: AdapterIndex
  ) -> PairingAddress? {
    guard case .connection(let complete) = dissection.fact else { return nil }
    if let own = complete.localResolvable { return PairingAddress(own, isRandom: true) }
    guard let own = all.first(where: { $0.adapter == adapter }) else { return nil }
    let isCentral = complete.role == 0
    switch isCentral ? own.connecting : own.advertising {
    case 0: return own.publicAddress.map { PairingAddress($0, isRandom: false) }
    case 1:
      let ofSet = own.ofSets.count == 1 ? own.ofSets.first?.value : nil
      return (isCentral || !own.advertisesExtended ? own.random : ofSet)
        .map { PairingAddress($0, isRandom: true) }
    default: return nil
    }
  }
}
