import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The description of the kernel's management interface.
extension Sentence {
  /// Appends a command or event.
  mutating func control(_ control: ControlRecord, _ packet: borrowing Packet) {
    output.text("MGMT ")
    guard let found = packet.dissection.parameters, let row = found.row else {
      name(control.isEvent ? "Event" : "Command")
      output.hexadecimal(UInt64(control.code), digits: 4)
      endSubject()
      undecoded(packet.bytes.part(packet.dissection.body))
      return
    }
    name(row.name)
    writesNoData = false
    if packet.dissection.mayMisplaceSecret, !showsKeys {
      undecoded(packet.bytes.part(packet.dissection.body), isSecret: true)
    } else if control.isAnswer {
      controlAnswer(control, packet, found)
    } else {
      parameters(row.parameters, packet.bytes, found.outer)
    }
    writesNoData = true
  }

  /// Appends Command Complete or Command Status: the command, and its result.
  private mutating func controlAnswer(
    _ control: ControlRecord, _ packet: borrowing Packet, _ found: PacketParameters
  ) {
    guard let opcode = control.answeredOpcode(packet.bytes, packet.dissection.body) else {
      undecoded(packet.bytes.part(packet.dissection.body))
      return
    }
    let status = control.status(packet.bytes, packet.dissection.body) ?? 0
    if let request = packet.answer.request {
      output.text("to ")
      output.packet(request.packet)
      if status != 0 { output.text(", ") }
    }
    if packet.answer.request == nil || status != 0 { controlCommand(opcode) }
    if status != 0 {
      output.text(": ")
      output.named(
        CodeSet.managementStatus.name(of: UInt64(status)), UInt64(status), digits: 2)
    }
    writesOnlyIdentifiers = status != 0
    if let completed = found.completed, completed.returns.has(.known) {
      parameters(completed.returns, packet.bytes, found.inner)
    } else {
      undecoded(packet.bytes.part(found.inner))
    }
    if let latency = packet.answer.latency, latency >= 100_000_000 {
      comma()
      output.text("after ")
      output.duration(nanoseconds: latency)
    }
  }

  /// Appends a command of the management interface by its name.
  mutating func controlCommand(_ opcode: UInt16) {
    if let row = PDUTable.core.controlCommand(opcode) {
      output.name(row.name)
    } else {
      output.hexadecimal(UInt64(opcode), digits: 4)
    }
  }

  /// Appends an event of the management interface by its name.
  mutating func controlEvent(_ code: UInt16) {
    if let row = PDUTable.core.controlEvent(code) {
      output.name(row.name)
    } else {
      output.hexadecimal(UInt64(code), digits: 4)
    }
  }
}
