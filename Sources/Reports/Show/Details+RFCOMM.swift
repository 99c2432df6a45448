import Bluetooth
import Bytes
import Dissectors
import Sessions

extension Details {
  /// Appends an RFCOMM frame.
  static func rfcomm<Sink: FieldSink & ~Copyable>(
    _ frame: RFCOMMFrame, _ packet: borrowing Packet, _ memory: borrowing Memory,
    to sink: inout Sink
  ) {
    let start = frame.start
    let hides = packet.answer.fragment.isDoubtful && !sink.showsKeys
    sink.begin("rfcomm")
    sink.at(start + 1, 1)
    sink.identifier("frame_type", UInt64(frame.kind.rawValue), digits: 2)
    if let name = frame.kind.name { sink.name("name", name) }
    sink.at(start, 1)
    sink.number("dlci", Int(frame.dlci.rawValue))
    if frame.dlci != .control {
      sink.at(start, 1)
      sink.number("channel", Int(frame.dlci.serverChannel))
      if let serial = packet.answer.channel?.serialChannel, let link = packet.answer.link,
        let service = memory.service(of: serial, on: link)
      {
        sink.uuid("service", service)
      }
      if let serial = packet.answer.channel?.serialChannel, serial.server == .local {
        sink.server(packet.answer.link.map { memory.links.connection($0).vantage } ?? .host)
      }
    }
    sink.at(start, 1)
    sink.flag("command_response", frame.isCommandOrResponse)
    sink.at(start + 1, 1)
    sink.flag("poll_final", frame.isPollOrFinal)
    sink.at(start + 2, Int(frame.lengthSize))
    sink.number("length", Int(frame.length))
    if let credits = frame.credits {
      sink.at(start + 2 + Int(frame.lengthSize), 1)
      sink.number("credits", Int(credits))
    }
    if frame.kind == .uih, frame.dlci == .control, !hides {
      commands(frame, packet.bytes, to: &sink)
    } else if frame.carriesData {
      if !frame.payload.isEmpty {
        sink.at(Int(frame.payload.start), Int(frame.payload.count))
        if hides {
          sink.hidden("value", Int(frame.payload.count))
        } else {
          sink.bytes("value", packet.bytes.part(frame.payload))
        }
      }
    } else {
      payload(frame.payload, of: packet.bytes, isSecret: hides, to: &sink)
    }
    switch frame.check {
    case .right(let found), .wrong(let found, _):
      sink.at(frame.payload.end, 1)
      sink.identifier("fcs", UInt64(found), digits: 2)
    case .missing: break
    }
    sink.end()
  }

  /// Appends the multiplexer's commands in a frame.
  private static func commands<Sink: FieldSink & ~Copyable>(
    _ frame: RFCOMMFrame, _ bytes: RawSpan, to sink: inout Sink
  ) {
    var commands = MultiplexerCommands(frame.payload)
    var isFirst = true
    while let command = commands.next(bytes) {
      if isFirst { sink.beginList("multiplexer_commands") }
      isFirst = false
      sink.at(command.start, command.values.end - command.start)
      sink.beginItem()
      sink.at(command.start, 1)
      sink.identifier("command_type", UInt64(command.code), digits: 2)
      if let row = command.row { sink.name("name", row.name) }
      sink.at(command.start, 1)
      sink.flag("command_response", command.isCommand)
      if let row = command.row {
        sink.begin("parameters")
        let rest = walk(row.parameters, bytes, command.values, to: &sink)
        sink.end()
        payload(rest.slice, of: bytes, isSecret: false, to: &sink)
      } else {
        payload(command.values, of: bytes, isSecret: false, to: &sink)
      }
      sink.endItem()
    }
    if !isFirst { sink.endList() }
    payload(commands.rest, of: bytes, isSecret: false, to: &sink)
  }
}
