import Bluetooth
import Bytes
import Dissectors
import Sessions

extension Details {
  /// Appends the L2CAP layer: a PDU, on the packet that completes it, or a fragment of one.
  static func l2cap<Sink: FieldSink & ~Copyable>(
    _ packet: borrowing Packet, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    let fate = packet.answer.fragment
    guard packet.dissection.l2cap != nil || fate.isFragment else { return }
    sink.begin("l2cap")
    if let header = packet.dissection.l2cap {
      // The header of a joined PDU is in an earlier record.
      let isHere =
        fate.hasJoinedBytes ? packet.isDecrypted && !fate.isJoined : fate.start > 0
      // In -v, fields appear in the order of their bytes.
      if Sink.writesAll { length(header, isHere ? fate.start : nil, to: &sink) }
      if isHere { sink.at(fate.start + 2, 2) }
      sink.identifier("cid", UInt64(header.cid.rawValue), digits: 4)
      if !Sink.writesAll { length(header, isHere ? fate.start : nil, to: &sink) }
    }
    if let channel = packet.answer.channel { self.channel(channel, to: &sink) }
    if !memory.services.news.isEmpty { services(memory.services.news, to: &sink) }
    if let length = packet.dissection.sduLength {
      if !fate.hasJoinedBytes { sink.at(Int(packet.dissection.body.start) - 2, 2) }
      sink.number("sdu_length", Int(length))
    }
    if packet.answer.channel?.isOutOfCredits ?? false { sink.number("credits_left", 0) }
    if let control = packet.dissection.control {
      sink.at(Int(packet.dissection.body.start) - control.layout.size, control.layout.size)
      self.control(control, to: &sink)
    }
    if fate.isFragment {
      sink.flag("fragment", true)
      if packet.dissection.l2cap == nil, let channel = fate.channel,
        !fate.isDoubtful || sink.showsKeys
      {
        sink.identifier("cid", UInt64(channel.rawValue), digits: 4)
      }
      sink.number("received", fate.progress.have)
      if fate.progress.of > 0 { sink.number("expected", fate.progress.of) }
    } else {
      if fate.isJoined { sink.packets("reassembled_from", packet.parts) }
      if packet.dissection.isSignalling, !packet.answer.fragment.isDoubtful || sink.showsKeys {
        signalling(packet.dissection, packet.bytes, memory, to: &sink)
      } else if packet.dissection.att == nil, packet.dissection.smp == nil,
        packet.dissection.rfcomm == nil
      {
        sink.at(Int(packet.dissection.body.start), Int(packet.dissection.body.count))
        payload(
          packet.bytes.part(packet.dissection.body),
          isSecret: packet.dissection.hidesSMP(packet.answer), to: &sink)
      }
    }
    sink.end()
  }

  /// Appends the length of the payload, at `start` if it is in this record.
  private static func length<Sink: FieldSink & ~Copyable>(
    _ header: L2CAPHeader, _ start: Int?, to sink: inout Sink
  ) {
    if let start { sink.at(start, 2) }
    sink.number("length", Int(header.length))
  }

  /// Appends what is known of the data's channel.
  private static func channel<Sink: FieldSink & ~Copyable>(
    _ channel: ChannelFact, to sink: inout Sink
  ) {
    if let psm = channel.psm { sink.code("psm", UInt64(psm.rawValue), digits: 4, psm.name) }
    if channel.isInferred { sink.word("channel_via", "inferred") }
    if channel.isUnknown { sink.flag("opening_missing", true) }
    if let accessory = channel.accessory {
      sink.word("accessory_protocol", accessory.name)
      sink.word("accessory_via", "inferred")
    }
  }

  /// Appends the services that SDP names for RFCOMM channels.
  private static func services<Sink: FieldSink & ~Copyable>(
    _ news: [KnownServices.News], to sink: inout Sink
  ) {
    sink.beginList("serial_services")
    for service in news {
      sink.beginItem()
      sink.number("rfcomm_channel", Int(service.channel))
      if let uuid = service.uuid { sink.namedUUID(uuid, as: .service) }
      if !service.name.isEmpty { sink.string("record_name", service.name.bytes) }
      sink.endItem()
    }
    sink.endList()
  }

  /// Appends the control field of an I- or S-frame.
  private static func control<Sink: FieldSink & ~Copyable>(
    _ control: ControlField, to sink: inout Sink
  ) {
    sink.begin("control")
    sink.word("frame", control.isSupervisory ? "supervisory" : "information")
    if control.isSupervisory {
      sink.code(
        "function", UInt64(control.function), digits: 2, ControlField.functionName(control.function)
      )
    } else {
      sink.number("tx_seq", control.txSeq)
      sink.code(
        "segmentation", UInt64(control.segmentation), digits: 2,
        ControlField.segmentationName(control.segmentation))
    }
    sink.number("req_seq", control.reqSeq)
    if control.isPoll { sink.flag("poll", true) }
    if control.isFinal { sink.flag("final", true) }
    sink.end()
  }

  // MARK: Signalling

  /// Appends the commands of a C-frame.
  private static func signalling<Sink: FieldSink & ~Copyable>(
    _ dissection: Dissection, _ bytes: RawSpan, _ memory: borrowing Memory, to sink: inout Sink
  ) {
    let notes = memory.signals.notes
    var commands = SignallingCommands(dissection.body)
    var isFirst = true
    var index = 0
    let isSingle = dissection.l2cap?.cid == .leSignalling
    while !isSingle || index == 0, let command = commands.next(bytes) {
      if isFirst { sink.beginList("signalling") }
      isFirst = false
      let note = index < notes.count ? notes[index] : SignalNote()
      index += 1
      sink.at(command.start, SignallingCommand.headerSize + Int(command.data.count))
      sink.beginItem()
      self.command(command, note, bytes, to: &sink)
      sink.endItem()
    }
    if !isFirst { sink.endList() }
    payload(bytes.part(commands.rest), isSecret: false, to: &sink)
  }

  private static func command<Sink: FieldSink & ~Copyable>(
    _ command: SignallingCommand, _ note: SignalNote, _ bytes: RawSpan, to sink: inout Sink
  ) {
    sink.at(command.start, 1)
    sink.identifier("code", UInt64(command.code.rawValue), digits: 2)
    if let name = command.code.name { sink.name("name", name) }
    sink.at(command.start + 1, 1)
    sink.identifier("identifier", UInt64(command.identifier), digits: 2)
    if let request = note.request { sink.number("request", request.packet) }
    if let latency = note.latency { sink.quantity("latency", Int(latency / 1000), .latency) }
    if let psm = note.psm { sink.code("psm", UInt64(psm.rawValue), digits: 4, psm.name) }
    if let mtu = note.attMTU { sink.number("att_mtu", Int(mtu)) }
    var rest = Slice.empty
    guard let pdu = try? SignallingPDU(command, bytes, rest: &rest), command.code.name != nil else {
      sink.at(Int(command.data.start), Int(command.data.count))
      payload(bytes.part(command.data), isSecret: false, to: &sink)
      return
    }
    sink.begin("parameters")
    pdu.walk(bytes, &sink)
    if let channels = pdu.channels {
      sink.at(Int(channels.list.start), Int(channels.list.count))
      sink.beginList(channels.name)
      for index in 0..<channels.count {
        sink.element(handle: channels.channel(index, bytes).rawValue)
      }
      sink.endList()
    }
    if let options = pdu.options, !options.isEmpty {
      let left = self.options(options, bytes, to: &sink)
      if !left.isEmpty { rest = left }
    }
    sink.end()
    payload(bytes.part(rest), isSecret: false, to: &sink)
  }

  /// Appends the options of a configure command, and returns the bytes that are not a complete
  /// option.
  private static func options<Sink: FieldSink & ~Copyable>(
    _ list: Slice, _ bytes: RawSpan, to sink: inout Sink
  ) -> Slice {
    var options = ConfigurationOptions(list)
    sink.beginList("options")
    while let option = options.next(bytes) {
      sink.at(Int(option.value.start) - 2, Int(option.value.count) + 2)
      sink.beginItem()
      sink.code(
        "type", UInt64(option.type), digits: 2, CodeSet.l2capOption.name(of: UInt64(option.type)))
      if option.isHint { sink.flag("hint", true) }
      option.walk(bytes, &sink)
      sink.endItem()
    }
    sink.endList()
    return options.rest
  }
}
