import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The description of the kernel's management interface.
extension Sentence {
  /// Appends a command or event.
  mutating func control(
    _ control: ControlRecord, _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer
  ) {
    output.text("MGMT ")
    guard let found = dissection.parameters, let row = found.row else {
      name(control.isEvent ? "Event" : "Command")
      output.hexadecimal(UInt64(control.code), digits: 4)
      endSubject()
      undecoded(bytes.part(dissection.body))
      return
    }
    name(row.name)
    writesNoData = false
    if dissection.mayMisplaceSecret, !showsKeys {
      undecoded(bytes.part(dissection.body), isSecret: true)
    } else if control.isAnswer {
      controlAnswer(control, dissection, found, bytes, answer)
    } else {
      parameters(row.parameters, bytes, found.outer)
    }
    writesNoData = true
  }

  /// Appends Command Complete or Command Status: the command, and its result.
  private mutating func controlAnswer(
    _ control: ControlRecord, _ dissection: Dissection, _ found: PacketParameters, _ bytes: RawSpan,
    _ answer: Answer
  ) {
    guard let opcode = control.answeredOpcode(bytes, dissection.body) else {
      undecoded(bytes.part(dissection.body))
      return
    }
    let status = control.status(bytes, dissection.body) ?? 0
    if let request = answer.request {
      output.text("to ")
      output.packet(request.packet)
      if status != 0 { output.text(", ") }
    }
    if answer.request == nil || status != 0 { controlCommand(opcode) }
    if status != 0 {
      output.text(": ")
      output.named(
        CodeSet.managementStatus.name(of: UInt64(status)), UInt64(status), digits: 2)
    }
    writesOnlyIdentifiers = status != 0
    if let completed = found.completed, completed.returns.has(.known) {
      parameters(completed.returns, bytes, found.inner)
    } else {
      undecoded(bytes.part(found.inner))
    }
    if let latency = answer.latency, latency >= 100_000_000 {
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
