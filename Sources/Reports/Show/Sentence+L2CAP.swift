import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The description of L2CAP: signalling commands, and data on the channels that they open.
extension Sentence {
  /// Appends the commands of a C-frame, separated by semicolons.
  mutating func signalling(_ dissection: Dissection, _ bytes: RawSpan, _ memory: borrowing Memory) {
    let notes = memory.signals.notes
    var commands = SignallingCommands(dissection.body)
    var index = 0
    let isSingle = dissection.l2cap?.cid == .leSignalling
    while !isSingle || index == 0, let command = commands.next(bytes) {
      let note = index < notes.count ? notes[index] : SignalNote()
      if index > 0 { output.text("; ") }
      if let known = command.code.name {
        output.name(known)
      } else {
        output.text("L2CAP code ")
        output.hexadecimal(UInt64(command.code.rawValue), digits: 2)
      }
      if index == 0 { endName() } else { output.byte(0x20) }
      index += 1
      self.command(command, note, bytes)
    }
    if index == 0 { name("L2CAP signalling") }
    undecoded(bytes.part(commands.rest))
  }

  private mutating func command(
    _ command: SignallingCommand, _ note: SignalNote, _ bytes: RawSpan
  ) {
    continueWithoutComma()
    if let request = note.request {
      comma()
      output.text("to ")
      output.packet(request.packet)
    }
    var rest = Slice.empty
    guard let pdu = try? SignallingPDU(command, bytes, rest: &rest), command.code.name != nil else {
      undecoded(bytes.part(command.data))
      return
    }
    if !pdu.namesService, let psm = note.psm {
      comma()
      output.service(psm)
    }
    if let result = pdu.result, result.code != 0 || command.code == .commandReject {
      comma()
      output.named(
        result.set.name(of: UInt64(result.code)), UInt64(result.code), digits: 4)
    } else if pdu.code == .parameterUpdateResponse {
      comma()
      output.text("accepted")
    }
    pdu.walk(bytes, &self)
    if let channels = pdu.channels, !pdu.isRefusal || pdu.succeeds {
      for index in 0..<channels.count {
        if index == 0 {
          comma()
          output.text(channels.line)
          if channels.count > 1 { output.byte(0x73) }
        }
        output.byte(0x20)
        output.handle(channels.channel(index, bytes).rawValue)
      }
    }
    if let mtu = note.attMTU {
      comma()
      output.text("ATT MTU ")
      output.decimal(Int(mtu))
    }
    if let options = pdu.options {
      var list = ConfigurationOptions(options)
      while let option = list.next(bytes) { option.walk(bytes, &self) }
      rest = list.rest
    }
    undecoded(bytes.part(rest))
    if let latency = note.latency, latency >= 100_000_000 {
      comma()
      output.text("after ")
      output.duration(nanoseconds: latency)
    }
  }

  // MARK: Data

  /// Appends a frame of a protocol that is not dissected, on a channel that signalling opens.
  mutating func frame(
    _ channel: ChannelFact, _ header: L2CAPHeader, _ packet: borrowing Packet,
    _ memory: borrowing Memory
  ) {
    let payload = packet.bytes.part(packet.dissection.body)
    let value = observeSerialValue(packet, memory)
    if let known = channel.psm?.name { name(known) } else { name("L2CAP channel") }
    output.handle(header.cid.rawValue)
    endSubject()
    if channel.isUnknown {
      output.text("opening not in the capture")
    } else if channel.isInferred {
      output.text("inferred")
    }
    if channel.psm?.name == nil, let psm = channel.psm {
      comma()
      output.service(psm)
    }
    if let control = packet.dissection.control { self.control(control) }
    if let value {
      comma()
      serialValue(packet.bytes.part(value))
    } else if channel.isUnknown || channel.isCreditBased || channel.psm?.name == nil {
      undecoded(payload)
    } else {
      comma()
      output.count(payload.byteCount, "byte", "bytes")
    }
    for service in memory.services.news { self.service(service) }
  }

  private mutating func control(_ control: ControlField) {
    comma()
    if control.isSupervisory {
      output.name(ControlField.functionName(control.function))
    } else {
      output.text("I-frame ")
      output.decimal(control.txSeq)
      if control.segmentation != 0 {
        comma()
        output.lowercased(ControlField.segmentationName(control.segmentation).bytes)
        output.text(" of an SDU")
      }
    }
    output.text(", expects ")
    output.decimal(control.reqSeq)
    if control.isPoll { output.text(", poll") }
    if control.isFinal { output.text(", final") }
  }

  /// Appends the bearer of an ATT PDU if it is an enhanced one.
  mutating func bearer(_ channel: ChannelFact) {
    if channel.psm == .eatt, let bearer = channel.bearer {
      comma()
      self.channel(channel, bearer)
    }
  }

  /// Appends a channel by its service and its identifier.
  mutating func channel(_ channel: ChannelFact, _ cid: ChannelID) {
    if let name = channel.psm?.name {
      output.name(name)
      output.byte(0x20)
      output.handle(channel.bearer?.rawValue ?? cid.rawValue)
    } else {
      output.text("channel ")
      output.handle(cid.rawValue)
    }
    if channel.isInferred { output.text(" (inferred)") }
  }
}
