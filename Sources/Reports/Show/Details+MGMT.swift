import Bluetooth
import Bytes
import Dissectors
import Sessions

extension Details {
  /// Appends a command or event of the kernel's management interface.
  static func control<Sink: FieldSink & ~Copyable>(
    _ control: ControlRecord, _ packet: borrowing Packet, to sink: inout Sink
  ) {
    let body = packet.dissection.body
    sink.begin("mgmt")
    // Cookie (4 bytes), code (2).
    if Sink.writesAll { cookie(control, body, to: &sink) }
    sink.at(Int(body.start) - 2, 2)
    if control.isEvent {
      sink.identifier("event", UInt64(control.code), digits: 4)
    } else {
      sink.identifier("opcode", UInt64(control.code), digits: 4)
    }
    if !Sink.writesAll { cookie(control, body, to: &sink) }
    if let status = control.status(packet.bytes, body) {
      let name = CodeSet.managementStatus.name(of: UInt64(status))
      sink.code("status", UInt64(status), digits: 2, name)
    }
    answered(packet.answer, to: &sink)
    if packet.dissection.mayMisplaceSecret, !sink.showsKeys {
      name(packet.dissection, to: &sink)
      payload(packet.bytes.part(body), isSecret: true, to: &sink)
    } else {
      parameters(packet.dissection, packet.bytes, mayHoldSecret: false, to: &sink)
    }
    sink.end()
  }

  private static func cookie<Sink: FieldSink & ~Copyable>(
    _ control: ControlRecord, _ body: Slice, to sink: inout Sink
  ) {
    sink.at(Int(body.start) - 6, 4)
    sink.identifier("cookie", UInt64(control.cookie), digits: 8)
  }
}
