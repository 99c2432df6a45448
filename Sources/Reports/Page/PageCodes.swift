import Bluetooth
package import Bytes
import Captures
import Dissectors
package import Sessions

/// The codes of a packet that the page's search finds, as the options of `show` do: `op:0x12`,
/// `event:0x3e:0x01`, `status:!0`, `handle:0x0010` and `uuid:2a37`.
package struct PageCodes {
  /// Collects the attributes that a packet is about.
  private final class Collector: AttributeFinder {
    var handles: [UInt16] = []
    var uuids: [BluetoothUUID] = []
    /// The most of each that are collected; only hostile packets have more.
    private static let most = 128

    func has(_ handle: UInt16?) -> Bool {
      if let handle, handles.count < Self.most, !handles.contains(handle) {
        handles.append(handle)
      }
      return false
    }

    func has(_ uuid: BluetoothUUID?) -> Bool {
      if let uuid = uuid?.shortest, uuids.count < Self.most, !uuids.contains(uuid) {
        uuids.append(uuid)
      }
      return false
    }
  }

  /// What determines the codes of most packets: of ATT about one attribute, and of events that
  /// only report free buffers.
  private struct Key: Equatable {
    /// The opcode of ATT; nil for such an event.
    var opcode: UInt8?
    var handle: UInt16?
    var request: UInt16?
    var uuid: BluetoothUUID?
  }

  private let collector = Collector()
  /// The latest codes of such packets, by a hash of the handle and the opcode.
  private var known = [(key: Key, text: [UInt8])?](repeating: nil, count: 256)
  /// What `--status '!0'` selects.
  private let failing = try? StatusFilter("!0")

  /// Creates codes that nothing is remembered of.
  package init() {}

  /// Writes the codes of a packet, each with a tab before it. Numbers are hexadecimal.
  package mutating func write(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into out: inout Output
  ) {
    if case .acl = packet.dissection.content, packet.dissection.att == nil,
      packet.dissection.smp == nil,
      !packet.dissection.isSignalling
    {
      return
    }
    guard let key = Self.key(packet, memory) else {
      compose(packet, memory, into: &out)
      return
    }
    let place = (Int(key.handle ?? key.request ?? 0) &+ Int(key.opcode ?? 0) &* 37) & 255
    if let known = known[place], known.key == key { return out.raw(known.text.bytes) }
    let start = out.count
    compose(packet, memory, into: &out)
    let text = out.bytes.part(Slice(start: start, count: out.count - start))
    known[place] = (key, text.array)
  }

  /// Returns what determines the codes of a packet, or nil if there is more.
  private static func key(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Key? {
    if case .completedPackets = packet.dissection.fact { return Key() }
    let fields = packet.dissection.attFields
    guard let pdu = packet.dissection.att, !fields.namesSeveral, fields.startHandle == nil,
      fields.error == nil, packet.answer.request?.type == nil, packet.answer.request?.service == nil
    else { return nil }
    return Key(
      opcode: pdu.opcode.rawValue, handle: fields.handle, request: packet.answer.request?.handle,
      uuid: packet.answer.attribute.flatMap { memory.attributes[$0].uuid })
  }

  private func compose(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into out: inout Output
  ) {
    var mayHaveOutcome = true
    switch packet.dissection.content {
    case .acl:
      if let pdu = packet.dissection.att {
        opcode(pdu.opcode, into: &out)
        if let refused = packet.dissection.attFields.requestOpcode { opcode(refused, into: &out) }
      } else if let pdu = packet.dissection.smp {
        code("op", UInt16(pdu.opcode.rawValue), pdu.opcode.name, into: &out)
      }
    case .command(let command):
      self.command(command.opcode, into: &out)
      mayHaveOutcome = false
    case .event(let event):
      code("event", UInt16(event.code), PDUTable.core.event(event.code)?.name, into: &out)
      if let subevent = event.subevent(packet.bytes, packet.dissection.body) {
        code("event:3e", UInt16(subevent), nil, into: &out)
        word("event", PDUTable.core.subevent(subevent)?.name, into: &out)
      }
      if let answered = packet.dissection.fact.answeredOpcode, answered > 0 {
        self.command(answered, into: &out)
      }
    case .control(let control):
      code(control.isEvent ? "event" : "op", control.code, nil, into: &out)
      if control.isEvent,
        let answered = control.answeredOpcode(packet.bytes, packet.dissection.body)
      {
        code("op", answered, nil, into: &out)
      }
    default: break
    }
    if mayHaveOutcome { outcomes(packet, memory, into: &out) }
    guard
      packet.dissection.att != nil || packet.dissection.mayHoldAdvertising
        || !memory.advertisements.reports.isEmpty
    else { return }
    collector.handles.removeAll(keepingCapacity: true)
    collector.uuids.removeAll(keepingCapacity: true)
    _ = collector.matchesHandle(packet)
    _ = collector.matchesUUID(packet, memory)
    for handle in collector.handles { code("handle", handle, nil, into: &out) }
    for uuid in collector.uuids {
      out.text("\tuuid:")
      out.uuid(uuid)
    }
  }

  private func opcode(_ opcode: ATTOpcode, into out: inout Output) {
    code("op", UInt16(opcode.rawValue), opcode.name, into: &out)
    if opcode.shortName != opcode.name {
      word("op", opcode.shortName, into: &out)
    }
  }

  private func command(_ opcode: UInt16, into out: inout Output) {
    code("op", opcode, PDUTable.core.command(opcode)?.name, into: &out)
  }

  private func outcomes(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into out: inout Output
  ) {
    guard packet.dissection.isSignalling else {
      if let outcome = Outcome(packet, memory) { status(outcome, into: &out) }
      return
    }
    var commands = SignallingCommands(packet.dissection.body)
    while let command = commands.next(packet.bytes) {
      var rest = Slice.empty
      guard let pdu = try? SignallingPDU(command, packet.bytes, rest: &rest),
        let outcome = Outcome(pdu)
      else { continue }
      status(outcome, into: &out)
    }
  }

  private func status(_ outcome: Outcome, into out: inout Output) {
    code("status", outcome.code, outcome.name, into: &out)
    if let reason = outcome.reason {
      code("status", UInt16(reason), StatusCode(rawValue: reason).name, into: &out)
    }
    if failing?.matches(outcome) ?? false { out.text("\tstatus:!0") }
  }

  private func code(
    _ key: StaticString, _ number: UInt16, _ name: AssignedName?, into out: inout Output
  ) {
    out.byte(0x09)
    out.text(key)
    out.byte(0x3a)
    out.hexDigits(
      UInt64(number), number > 0xfff ? 4 : number > 0xff ? 3 : number > 0xf ? 2 : 1)
    word(key, name, into: &out)
  }

  private func word(_ key: StaticString, _ name: AssignedName?, into out: inout Output) {
    guard let name else { return }
    out.byte(0x09)
    out.text(key)
    out.byte(0x3a)
    out.lowercased(name.bytes)
  }
}

extension Outcome {
  /// The name of the code, unless only a profile defines it.
  fileprivate var name: AssignedName? {
    guard let code = UInt8(exactly: code) else { return nil }
    switch family {
    case .hci: return StatusCode(rawValue: code).name
    case .att: return ATTErrorCode(rawValue: code).name
    case .smp: return PairingFailure(rawValue: code).name
    case .management: return CodeSet.managementStatus.name(of: UInt64(code))
    case .l2cap(let set): return set.name(of: UInt64(code))
    }
  }
}
