package import Bluetooth
import Bytes
import Captures
import Cryptography
import Dissectors

/// What the capture tells of the captured host itself that pairing needs: its addresses, and what its
/// software logged. Bounded: the first few controllers and messages.
package struct HostFacts: Sendable {
  /// The addresses of a controller.
  private struct Own: Sendable {
    let adapter: UInt16
    var publicAddress: DeviceAddress?
    /// LE Set Random Address.
    var random: DeviceAddress?
    /// LE Set Advertising Set Random Address, by the set; several sets: which one was connected to is not
    /// known.
    var ofSets: [UInt8: DeviceAddress] = [:]
    /// Own_Address_Type of the last command to connect, and of the last advertising parameters.
    var connecting: UInt8?
    var advertising: UInt8?
    /// Whether those belong to an advertising set with an address of its own.
    var advertisesExtended = false
  }

  private var all: [Own] = []
  /// Where bluetoothd logged that no agent was there to ask its user, and about which peer.
  package private(set) var agentMissing: [(moment: Moment, peer: DeviceAddress?)] = []
  /// About whom it wanted to ask.
  private var askedAbout: DeviceAddress?

  private static let mostAdapters = 16
  private static let mostSets = 64
  private static let mostMessages = 32

  /// Nothing known.
  init() {}

  /// Takes a command, an event or a note.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan
  ) {
    switch dissection.content {
    case .command(let command):
      observe(command.opcode, bytes.part(dissection.body), record.adapter ?? 0xffff)
    case .event(let event) where event.code == HCIEvent.commandCompleteCode:
      // Read BD_ADDR: number of commands (1 byte), opcode (2), status (1), address (6).
      let start = Int(dissection.body.start)
      guard bytes.littleEndianU16(at: start + 1) == 0x1009, bytes.byte(at: start + 3) == 0 else {
        return
      }
      let address = Self.address(bytes.part(dissection.body), at: 4)
      change(record.adapter ?? 0xffff) { $0.publicAddress = address }
    case .note(let note): observe(note, bytes, Moment(record))
    default: return
    }
  }

  private mutating func observe(_ opcode: UInt16, _ parameters: RawSpan, _ adapter: UInt16) {
    switch opcode {
    case 0x2005:
      let address = Self.address(parameters, at: 0)
      change(adapter) { $0.random = address }
    case 0x2035:
      let (set, address) = (parameters.byte(at: 0), Self.address(parameters, at: 1))
      change(adapter) {
        if $0.ofSets[set] != nil || $0.ofSets.count < Self.mostSets { $0.ofSets[set] = address }
      }
    case 0x2006:
      let type = parameters.byte(at: 5)
      change(adapter) { ($0.advertising, $0.advertisesExtended) = (type, false) }
    case 0x2036, 0x207f:
      let type = parameters.byte(at: 10)
      change(adapter) { ($0.advertising, $0.advertisesExtended) = (type, true) }
    case 0x200d:
      let type = parameters.byte(at: 12)
      change(adapter) { $0.connecting = type }
    case 0x2043:
      let type = parameters.byte(at: 1)
      change(adapter) { $0.connecting = type }
    case 0x2085:
      // Version 2: advertising handle (1), subevent (1), filter policy (1), own address type (1).
      let type = parameters.byte(at: 3)
      change(adapter) { $0.connecting = type }
    default: return
    }
  }

  // What bluetoothd's new_auth() logs: "Requesting agent authentication for 00:11:22:33:44:55", and after it
  // "No agent available for request type 1" (BlueZ, src/device.c).
  private static let question: StaticString = "Requesting agent authentication for "
  private static let message: StaticString = "No agent available"

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

  /// An address as text: six octets with colons between them.
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

  private static func address(_ bytes: RawSpan, at offset: Int) -> DeviceAddress? {
    var cursor = Cursor(bytes.dropping(offset))
    return try? DeviceAddress(parsing: &cursor)
  }

  private mutating func change(_ adapter: UInt16, _ change: (inout Own) -> Void) {
    if let known = all.firstIndex(where: { $0.adapter == adapter }) {
      change(&all[known])
    } else if all.count < Self.mostAdapters {
      var own = Own(adapter: adapter)
      change(&own)
      all.append(own)
    }
  }

  /// The local address of a link that an LE Connection Complete event opens; nil where the capture does not
  /// tell it.
  ///
  /// Parameters: subevent (1 byte), status (1), handle (2), role (1), peer address type (1), peer address
  /// (6); enhanced: local resolvable private address (6) (Core, Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
  func address(
    ofLinkOpenedBy dissection: Dissection, _ bytes: RawSpan, _ adapter: UInt16
  ) -> PairingAddress? {
    guard case .event(let event) = dissection.content, event.code == HCIEvent.leMetaCode else {
      return nil
    }
    let parameters = bytes.part(dissection.body)
    let subevent = parameters.byte(at: 0)
    guard LEConnectionComplete.subevents.contains(subevent) else { return nil }
    if subevent != 1, let resolvable = Self.address(parameters, at: 12), resolvable != .zero {
      return PairingAddress(resolvable, isRandom: true)
    }
    guard let own = all.first(where: { $0.adapter == adapter }) else { return nil }
    let isCentral = parameters.byte(at: 4) == 0
    switch isCentral ? own.connecting : own.advertising {
    case 0: return own.publicAddress.map { PairingAddress($0, isRandom: false) }
    case 1:
      if isCentral || !own.advertisesExtended {
        return own.random.map { PairingAddress($0, isRandom: true) }
      }
      guard own.ofSets.count == 1 else { return nil }
      return own.ofSets.first.map { PairingAddress($0.value, isRandom: true) }
    default: return nil
    }
  }
}
