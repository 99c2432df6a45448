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

  var commands: HostCommands
  var begun: [Begun] = []
  /// The controllers to which commands were sent.
  var commanded: Set<AdapterIndex> = []

  /// Forgets the beginnings of data: what follows them has no place.
  mutating func forgetParts(_ isMeant: (Begun) -> Bool) {
    for known in begun.indices where isMeant(begun[known]) { begun[known].parts.forget() }
  }

  /// Forgets what a controller that was reset or removed had open.
  mutating func forget(_ adapter: AdapterIndex) {
    commands.forget(adapter)
    forgetParts { $0.adapter == adapter }
  }

  init(_ limits: Limits) { commands = HostCommands(limit: limits.commands) }
}

/// Values that the captured host advertises, taken from the commands that set its data, once they
/// are carried out.
extension Conversations {
  /// Processes a packet that has neither an ATT PDU nor an advertising report.
  mutating func observeOwnData(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer
  ) {
    let adapter = record.adapter
    let parameters = bytes.part(dissection.body)
    switch dissection.content {
    case .command(let command):
      if ownData.commanded.count < limits.adapters { ownData.commanded.insert(adapter) }
      guard AdvertisingCommand.concerns(command.opcode) else { return }
      carryOut(ownData.commands.send(command.opcode, record, parameters))
    case .control(let control) where !control.isEvent:
      guard AdvertisingCommand.concerns(control: control.code) else { return }
      carryOut(ownData.commands.send(control.code, isControl: true, record, parameters))
    case .event, .control:
      for done in ownData.commands.answered(by: record, dissection, bytes, answer) {
        carryOut(done)
      }
      if dissection.completes(HCICommand.reset, bytes) { ownData.forget(adapter) }
    case .note(let note):
      if note.kind.endsController { ownData.forget(adapter) }
    case .acl, .sco, .iso, .controllerLog, .unknown: break
    }
  }

  /// Ends the capture: as far as is known, unanswered commands were carried out.
  mutating func finishOwnData() {
    for done in ownData.commands.takeAll({ _ in true }) { carryOut(done) }
  }

  private mutating func carryOut(_ done: HostCommands.Done?) {
    guard let done else { return }
    let adapter = done.command.adapter
    guard let command = done.command.advertising else {
      // A command cut this early may have contained part of some data.
      if done.command.isCut { ownData.forgetParts { $0.adapter == adapter } }
      return
    }
    let parameters = done.command.parameters.bytes
    switch command {
    case .data(let set, let kind, let operation, let slice):
      guard let known = begun(adapter, set) else { return }
      guard done.status == .success else {
        ownData.begun[known].parts.forget(kind)
        return
      }
      let whole = ownData.begun[known].parts.take(
        kind, operation, parameters.part(slice),
        isCut: done.command.isCut && slice.end >= parameters.byteCount)
      if let whole { advertiseOwn(whole, done) }
    case .instance(_, _, let advertising, let scanResponse):
      // If the capture has the kernel's HCI commands, those contain the data.
      guard done.status == .success, !ownData.commanded.contains(adapter) else {
        return
      }
      for slice in [advertising, scanResponse] {
        let isCut = done.command.isCut && slice.end >= parameters.byteCount
        advertiseOwn(
          AdvertisingDataParts.Data(bytes: parameters.part(slice).array, isCut: isCut), done)
      }
    case .remove(let family, let handle):
      guard done.status == .success else { return }
      ownData.forgetParts { known in
        known.adapter == adapter && known.set.family == family
          && (handle == nil || handle == known.set.handle)
      }
    case .parameters, .address, .enable, .periodic: break
    }
  }

  private mutating func begun(_ adapter: AdapterIndex, _ set: AdvertisingSet) -> Int? {
    if let known = ownData.begun.firstIndex(where: { $0.set == set && $0.adapter == adapter }) {
      return known
    }
    guard ownData.begun.count < limits.ownSets else { return nil }
    ownData.begun.append(OwnAdvertisedData.Begun(adapter: adapter, set: set))
    return ownData.begun.count - 1
  }

  private mutating func advertiseOwn(_ whole: AdvertisingDataParts.Data, _ done: HostCommands.Done)
  {
    let command = done.command
    let data = Slice(start: 0, count: whole.bytes.count)
    var attribute = AttributeIdentity(
      server: Self.ownAdvertiser | UInt64(command.adapter.value), .local, handle: nil)
    attribute.needsHandle = false
    var value = ConveyedValue(
      operation: .advertisement, attribute: attribute,
      parties: ValueParties(adapter: command.adapter), direction: .sent, packet: command.packet,
      time: command.time)
    value.response = done.answer
    value.isSecret = ADStructures.holdSecret(whole.bytes.bytes, data)
    tellStructures(whole.bytes.bytes, data, value, isCut: whole.isCut, chain: [])
  }
}

extension Dissection {
  /// Returns whether this is a Command Complete that reports success for a command.
  fileprivate func completes(_ opcode: UInt16, _ bytes: RawSpan) -> Bool {
    guard case .event(let event) = content, event.code == HCIEvent.commandCompleteCode else {
      return false
    }
    var cursor = Cursor(bytes, body)
    guard let complete = try? CommandComplete(parsing: &cursor) else { return false }
    return complete.opcode == opcode && (try? cursor.u8()) == 0
  }
}
