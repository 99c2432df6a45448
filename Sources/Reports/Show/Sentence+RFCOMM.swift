import Bluetooth
import Bytes
import Dissectors
import Meanings
import Sessions

/// The description of RFCOMM frames and of the values on serial channels.
extension Sentence {
  /// Appends a frame: its kind, its channel, and its value or commands.
  mutating func rfcomm(
    _ frame: RFCOMMFrame, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let value = observeSerialValue(packet, memory)
    output.text("RFCOMM ")
    if let name = frame.kind.name {
      output.name(name)
    } else {
      output.text("frame ")
      output.hexadecimal(UInt64(frame.kind.rawValue), digits: 2)
    }
    endName()
    if frame.dlci == .control {
      output.text("control")
    } else {
      output.text("channel ")
      output.decimal(Int(frame.dlci.serverChannel))
      if let serial = packet.answer.channel?.serialChannel, serial.server == .local {
        output.text(" of this host")
      }
    }
    if let channel = packet.answer.channel, channel.isInferred { output.text(" (inferred)") }
    endSubject()
    if frame.kind == .uih, frame.dlci == .control {
      commands(frame, packet.bytes)
    } else if let value {
      serialValue(packet.bytes.part(value))
    } else if frame.carriesData {
      output.text("no data")
    } else {
      undecoded(packet.bytes.part(frame.payload))
    }
    if let credits = frame.credits {
      comma()
      output.count(Int(credits), "credit", "credits")
    }
    if packet.answer.channel?.accessory != nil {
      comma()
      output.text("MFi accessory traffic, not GATT (inferred)")
    }
  }

  /// Appends the multiplexer's commands in a frame, separated by semicolons.
  private mutating func commands(_ frame: RFCOMMFrame, _ bytes: RawSpan) {
    var commands = MultiplexerCommands(frame.payload)
    while let command = commands.next(bytes) {
      if output.count > subjectEnd { output.text("; ") }
      if let row = command.row {
        output.name(row.name)
      } else {
        output.text("command ")
        output.hexadecimal(UInt64(command.code), digits: 2)
      }
      if !command.isCommand { output.text(" response") }
      if let row = command.row {
        parameters(row.parameters, bytes, command.values)
      } else {
        undecoded(bytes.part(command.values))
      }
    }
    undecoded(bytes.part(commands.rest))
  }

  /// Appends the service that SDP names for a channel.
  mutating func service(_ service: KnownServices.News) {
    comma()
    output.text("RFCOMM channel ")
    output.decimal(Int(service.channel))
    // A record may name neither a class nor a text, or they may be in another response.
    guard service.uuid != nil || !service.name.isEmpty else { return }
    output.text(" is ")
    if let uuid = service.uuid { output.namedUUID(uuid, as: .service) }
    guard !service.name.isEmpty else { return }
    if service.uuid != nil { output.byte(0x20) }
    output.quoted(service.name.bytes)
  }

  // MARK: Values

  /// Reads the value that a packet completes on a serial channel; returns nil if it completes no
  /// value. Must be called before anything is described.
  mutating func observeSerialValue(
    _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Slice? {
    guard let value = packet.serialValue else { return nil }
    if isOfWholePacket { reading.observe(value.slice, on: value.on, packet, memory, decodes: true) }
    return value.slice
  }

  /// Appends a value that `observeSerialValue` has read.
  mutating func serialValue(_ value: RawSpan) {
    if reading.meaning.isKnown {
      reading.meaning.writeText(into: &output)
    } else {
      unread(value, of: nil)
    }
  }
}
