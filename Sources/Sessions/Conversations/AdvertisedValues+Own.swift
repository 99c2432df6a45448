import Bluetooth
import Bytes
import Captures
import Dissectors

/// The unfinished part of the advertising data that the captured host sets: commands that wait for
/// an answer, and data in parts.
struct OwnAdvertisedData: Sendable {
  /// The begun data of one advertising set.
  struct Begun: Sendable {
    let adapter: AdapterIndex
    let set: AdvertisingSet
    var parts = AdvertisingDataParts()
  }

  /// Data that is complete, and the command that completes it.
  struct Whole: Sendable {
    let data: AdvertisingDataParts.Data
    let done: HostCommands.Done
  }

  private var commands: HostCommands
  private var begun: [Begun] = []
  /// The controllers to which commands were sent.
  private var commanded: Set<AdapterIndex> = []
  private let limits: Limits

  init(_ limits: Limits) {
    self.limits = limits
    commands = HostCommands(limit: limits.commands)
  }

  /// Forgets the beginnings of data: what follows them has no place.
  mutating func forgetParts(_ isMeant: (Begun) -> Bool) {
    for known in begun.indices where isMeant(begun[known]) { begun[known].parts.forget() }
  }

  /// Forgets what a controller that was reset or removed had open.
  private mutating func forget(_ adapter: AdapterIndex) {
    commands.forget(adapter)
    forgetParts { $0.adapter == adapter }
  }

  /// Processes a packet that has neither an ATT PDU nor an advertising report, and returns the data
  /// that it completes.
  mutating func observe(_ packet: borrowing Packet) -> [Whole] {
    var whole: [Whole] = []
    let adapter = packet.record.adapter
    let parameters = packet.bytes.part(packet.dissection.body)
    switch packet.dissection.content {
    case .command(let command):
      if commanded.count < limits.adapters { commanded.insert(adapter) }
      guard AdvertisingCommand.concerns(command.opcode) else { break }
      carryOut(commands.send(command.opcode, packet.record, parameters), &whole)
    case .control(let control) where !control.isEvent:
      guard AdvertisingCommand.concerns(control: control.code) else { break }
      carryOut(commands.send(control.code, isControl: true, packet.record, parameters), &whole)
    case .event, .control:
      for done in commands.answered(by: packet) {
        carryOut(done, &whole)
      }
      if packet.dissection.completes(HCICommand.reset) { forget(adapter) }
    case .note(let note):
      if note.kind.endsController { forget(adapter) }
    case .acl, .sco, .iso, .controllerLog, .unknown, .advertising, .linkData, .linkControl: break
    }
    return whole
  }

  /// Ends the capture: as far as is known, unanswered commands were carried out. Returns the data
  /// that they complete.
  mutating func finish() -> [Whole] {
    var whole: [Whole] = []
    for done in commands.takeAll({ _ in true }) { carryOut(done, &whole) }
    return whole
  }

  private mutating func carryOut(_ done: HostCommands.Done?, _ whole: inout [Whole]) {
    guard let done else { return }
    let adapter = done.command.adapter
    guard let command = done.command.advertising else {
      // A command cut this early may have contained part of some data.
      if done.command.isCut { forgetParts { $0.adapter == adapter } }
      return
    }
    let parameters = done.command.parameters.bytes
    switch command {
    case .data(let set, let kind, let operation, let slice):
      guard let known = place(adapter, set) else { return }
      guard done.status == .success else {
        begun[known].parts.forget(kind)
        return
      }
      let data = begun[known].parts.add(
        kind, operation, parameters.part(slice),
        isCut: done.command.isCut && slice.end >= parameters.byteCount)
      if let data { whole.append(Whole(data: data, done: done)) }
    case .instance(_, _, let advertising, let scanResponse):
      // If the capture has the kernel's HCI commands, those contain the data.
      guard done.status == .success, !commanded.contains(adapter) else {
        return
      }
      for slice in [advertising, scanResponse] {
        let isCut = done.command.isCut && slice.end >= parameters.byteCount
        whole.append(
          Whole(
            data: AdvertisingDataParts.Data(bytes: parameters.part(slice).array, isCut: isCut),
            done: done))
      }
    case .remove(let family, let handle):
      guard done.status == .success else { return }
      forgetParts { known in
        known.adapter == adapter && known.set.family == family
          && (handle == nil || handle == known.set.handle)
      }
    case .parameters, .address, .enable, .periodic: break
    }
  }

  private mutating func place(_ adapter: AdapterIndex, _ set: AdvertisingSet) -> Int? {
    if let known = begun.firstIndex(where: { $0.set == set && $0.adapter == adapter }) {
      return known
    }
    guard begun.count < limits.ownSets else { return nil }
    begun.append(Begun(adapter: adapter, set: set))
    return begun.count - 1
  }
}

/// Values that the captured host advertises, taken from the commands that set its data, once they
/// are carried out.
extension Conversations {
  /// Reports the values in data that the captured host advertises.
  mutating func advertise(_ own: OwnAdvertisedData.Whole) {
    let (whole, command) = (own.data, own.done.command)
    let data = Slice(start: 0, count: whole.bytes.count)
    var attribute = AttributeIdentity(
      server: Self.ownAdvertiser | UInt64(command.adapter.value), .local, handle: nil)
    attribute.needsHandle = false
    var value = ConveyedValue(
      operation: .advertisement, attribute: attribute,
      parties: ValueParties(adapter: command.adapter), direction: .sent, packet: command.packet,
      time: command.time)
    value.response = own.done.answer
    value.isSecret = ADStructures.holdSecret(whole.bytes.bytes, data)
    reportStructures(whole.bytes.bytes, data, value, isCut: whole.isCut, chain: [])
  }
}

extension Dissection {
  /// Returns whether this is a Command Complete that reports success for a command.
  fileprivate func completes(_ opcode: UInt16) -> Bool {
    guard case .commandComplete(let complete) = fact else { return false }
    return complete.opcode == opcode && complete.status == .success
  }
}
