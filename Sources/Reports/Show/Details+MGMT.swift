import Bluetooth
import Bytes
import Dissectors
import Sessions

extension Details {
  /// Appends a command or event of the kernel's management interface.
  static func control<Sink: FieldSink & ~Copyable>(
    _ control: ControlRecord, _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer,
    to sink: inout Sink
  ) {
    let body = dissection.body
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
    if let status = control.status(bytes, body) {
      let name = CodeSet.managementStatus.name(of: UInt64(status))
      sink.code("status", UInt64(status), digits: 2, name)
    }
    answered(answer, to: &sink)
    if dissection.mayMisplaceSecret, !sink.showsKeys {
      name(dissection, to: &sink)
      payload(bytes.part(body), isSecret: true, to: &sink)
    } else {
      parameters(dissection, bytes, mayHoldSecret: false, to: &sink)
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
