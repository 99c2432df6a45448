import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The description of each kind of packet.
extension Sentence {
  /// Appends the description of a packet; `clear` must be called first.
  mutating func packet(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    begin(packet, isFailure: packet.dissection.failure(packet.bytes, packet.answer) != nil)
    switch packet.dissection.content {
    case .unknown:
      if let air = packet.dissection.air {
        unread(air, packet)
      } else {
        name("Unknown packet")
        undecoded(packet.bytes.part(packet.dissection.body))
      }
    case .note(let note): self.note(note, packet)
    case .control(let control): self.control(control, packet)
    case .command(let command): self.command(command, packet.dissection, packet.bytes)
    case .event(let event): self.event(event, packet, memory)
    case .acl: data(packet, memory)
    case .sco(let header):
      name("SCO data")
      output.count(Int(header.length), "byte", "bytes")
      output.text(" on ")
      output.handle(header.handle)
    case .iso(let header):
      name("ISO data")
      output.count(Int(header.length), "byte", "bytes")
      output.text(" on ")
      output.handle(header.handle)
      if let load = ISOLoad(header, packet.bytes, packet.dissection.body) { isochronous(load) }
    case .controllerLog(let header):
      name("Controller debug log")
      output.count(Int(header.length), "byte", "bytes")
    case .advertising(let pdu): advertising(pdu, packet, memory)
    case .linkData(let pdu), .linkControl(let pdu): link(pdu, packet, memory)
    }
  }

  /// Appends the SDU that starts in isochronous data, and its problems.
  private mutating func isochronous(_ load: ISOLoad) {
    output.text(", SDU ")
    output.decimal(Int(load.sequenceNumber))
    output.text(" of ")
    output.count(Int(load.sduLength), "byte", "bytes")
    switch load.status {
    case 0: break
    case 1: output.text(", possibly wrong")
    case 2: output.text(", not all of it received")
    default: output.text(", status 3")
    }
  }

  // MARK: Commands

  private mutating func command(
    _ command: HCICommand, _ dissection: Dissection, _ bytes: RawSpan
  ) {
    guard let found = dissection.parameters else {
      name("Command")
      undecoded(bytes.part(dissection.body))
      return
    }
    guard let row = found.row else {
      name(HCICommand.isVendors(command.opcode) ? "Vendor Command" : "Unknown Command")
      output.hexadecimal(UInt64(command.opcode), digits: 4)
      endSubject()
      undecoded(bytes.part(dissection.body))
      return
    }
    name(row.name)
    if switchesOff(command.opcode, bytes, found.outer) { return }
    parameters(row.parameters, bytes, found.outer)
  }

  /// Appends that something is switched off, which needs no further parameters. Returns whether it
  /// did.
  private mutating func switchesOff(
    _ opcode: UInt16, _ bytes: RawSpan, _ slice: Slice
  ) -> Bool {
    guard !slice.isEmpty, bytes.byte(at: Int(slice.start)) == 0 else { return false }
    switch opcode {
    case HCICommand.leSetScanEnable, HCICommand.leSetExtendedScanEnable,
      HCICommand.leSetPeriodicAdvertisingEnable:
      output.text("Off")
      return true
    case HCICommand.leSetExtendedAdvertisingEnable
    where slice.count > 1 && bytes.byte(at: Int(slice.start) + 1) == 0:
      output.text("Off, all sets")
      return true
    default: return false
    }
  }

  /// Appends the parameters that have a place in the line, then the bytes that no row describes.
  mutating func parameters(_ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice) {
    guard layout.has(.known) else {
      undecoded(bytes.part(slice))
      return
    }
    guard layout.has(.line) else { return }
    var fields = FieldWalk(bytes, slice)
    // If the bytes end too early, the dissection already has the problem.
    try? fields.walk(layout, &self)
    guard fields.isOpen else { return }
    let rest = fields.rest()
    undecoded(
      bytes.part(rest),
      isSecret: Secrets.mayHold(layout, bytes, rest, behind: fields.advertising))
  }

  // MARK: Events

  private mutating func event(
    _ event: HCIEvent, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    guard let found = packet.dissection.parameters else {
      name("Event")
      undecoded(packet.bytes.part(packet.dissection.body))
      return
    }
    let isSuccess = found.status(packet.bytes) == 0
    if let first = memory.advertisements.reports.first {
      if first.report.kind != .bigInfo {
        advertisements(packet.bytes, memory)
        return
      }
      name("BIGInfo")
      train(first)
      endSubject()
      if let row = found.row { parameters(row.parameters, packet.bytes, found.outer) }
      return
    }
    guard let row = found.row else {
      unknownEvent(event, found, packet.bytes)
      return
    }
    name(row.name)
    if packet.dissection.mayBeMisread(packet.bytes) {
      undecoded(packet.bytes.part(packet.dissection.body), isSecret: true)
      return
    }
    switch event.code {
    case HCIEvent.commandCompleteCode, HCIEvent.commandStatusCode:
      commandAnswer(event, packet, found)
    case HCIEvent.numberOfCompletedPacketsCode: completedPackets(packet.bytes, found.outer)
    case HCIEvent.disconnectionCompleteCode where isSuccess:
      if let link = packet.answer.link {
        ending(memory.links.connection(link))
      } else {
        parameters(row.parameters, packet.bytes, found.outer)
      }
    default:
      if case .periodicSync(let sync) = packet.dissection.fact, sync.status != .success,
        !sync.isTransferred
      {
        // Nothing was found, so the other parameters have no meaning.
        comma()
        output.named(sync.status.name, UInt64(sync.status.rawValue), digits: 2)
        return
      }
      parameters(row.parameters, packet.bytes, found.outer)
      if let lost = memory.advertisements.lostTrain { train(lost) }
    }
  }

  /// Appends the number of packets of each link: count (1 byte), then handle (2) and number (2) of
  /// each. A fifth of all packets is of this kind, so it is described without walking its row.
  private mutating func completedPackets(_ bytes: RawSpan, _ slice: Slice) {
    guard !slice.isEmpty else { return }
    var offset = Int(slice.start) + 1
    for _ in 0..<bytes.byte(at: offset - 1) {
      guard offset + 4 <= slice.end else { return }
      comma()
      output.decimal(Int(bytes.littleEndianU16(at: offset + 2)))
      offset += 4
    }
  }

  private mutating func unknownEvent(
    _ event: HCIEvent, _ found: PacketParameters, _ bytes: RawSpan
  ) {
    if event.isLEMeta {
      name("LE Meta event")
      output.hexadecimal(UInt64(bytes.byte(at: Int(found.outer.start) - 1)), digits: 2)
    } else {
      name("Unknown Event")
      output.hexadecimal(UInt64(event.code), digits: 2)
    }
    endSubject()
    undecoded(bytes.part(found.outer))
  }

  /// Appends Command Complete or Command Status: the command, and its result.
  private mutating func commandAnswer(
    _ event: HCIEvent, _ packet: borrowing Packet, _ found: PacketParameters
  ) {
    guard let opcode = packet.dissection.fact.answeredOpcode else {
      undecoded(packet.bytes.part(found.outer))
      return
    }
    if let request = packet.answer.request {
      output.text("to ")
      output.packet(request.packet)
    } else {
      answered(opcode, found)
    }
    if let status = found.status(packet.bytes), status != 0 {
      comma()
      if packet.answer.request != nil {
        answered(opcode, found)
        output.text(": ")
      }
      output.named(StatusCode(rawValue: status).name, UInt64(status), digits: 2)
    } else if let completed = found.completed {
      if completed.returns.has(.known) {
        parameters(completed.returns, packet.bytes, found.inner)
      } else {
        undecoded(packet.bytes.part(found.inner).dropping(1))
      }
    } else if event.code == HCIEvent.commandCompleteCode {
      undecoded(packet.bytes.part(found.inner).dropping(1))
    }
  }

  /// Appends the command that is answered, by the row that was found for it.
  private mutating func answered(_ opcode: UInt16, _ found: PacketParameters) {
    if let completed = found.completed {
      output.name(completed.name)
    } else {
      command(opcode)
    }
  }

  /// Appends who ended a link: the reason code alone is often the same on both sides.
  mutating func ending(_ connection: Connection) {
    guard let ending = connection.ending else { return }
    let reason = connection.reason
    switch ending {
    case .localHost where connection.endedUnheard:
      if let reason { output.named(reason.name, UInt64(reason.rawValue), digits: 2) }
      output.text(
        connection.wasDeadBefore
          ? ": the link was dead before this host disconnected"
          : " after this host asked to disconnect")
      if let asked = connection.disconnectPacket {
        output.text(", ")
        output.packet(asked)
      }
    case .localHost:
      output.text("by this host")
      if let reason, reason != .connectionTerminatedByLocalHost {
        output.text(", reported as ")
        output.named(reason.name, UInt64(reason.rawValue), digits: 2)
      }
    case .peer:
      output.text("by the peer")
      if let reason {
        output.text(", ")
        output.named(reason.name, UInt64(reason.rawValue), digits: 2)
      }
    case .reset: output.text("by a reset of the controller")
    case .replaced: output.text("its end is not in the capture")
    case .unknown: output.text("for a reason that is not in the capture")
    case .forgotten: output.text("not followed to its end")
    case .fileEnded: output.text("still open where its file ends")
    case .timeout, .neverEstablished, .micFailure, .controller:
      if let reason { output.named(reason.name, UInt64(reason.rawValue), digits: 2) }
    }
  }

  // MARK: Data

  private mutating func data(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    let hides = packet.answer.fragment.isDoubtful && !showsKeys
    if let pdu = packet.dissection.att {
      att(pdu, packet, memory)
    } else if let pdu = packet.dissection.smp {
      smp(pdu, packet)
    } else if packet.answer.fragment.isFragment {
      name("fragment")
      let (have, of) = packet.answer.fragment.progress
      if of > 0 {
        output.decimal(have)
        output.text(" of ")
        output.count(of, "byte", "bytes")
      } else {
        output.count(have, "byte", "bytes")
      }
      fragmentSecrecy(packet.answer.fragment)
      if let channel = packet.answer.channel, let l2cap = packet.dissection.l2cap {
        output.text(" on ")
        self.channel(channel, l2cap.cid)
      }
    } else if packet.dissection.isSignalling, !hides {
      signalling(packet.dissection, packet.bytes, memory)
    } else if let frame = packet.dissection.rfcomm, !hides {
      rfcomm(frame, packet, memory)
    } else if let channel = packet.answer.channel, let l2cap = packet.dissection.l2cap, !hides {
      frame(channel, l2cap, packet, memory)
    } else if let l2cap = packet.dissection.l2cap {
      if let known = l2cap.cid.name {
        name(known)
      } else {
        name("L2CAP channel")
        output.hexadecimal(UInt64(l2cap.cid.rawValue), digits: 4)
        endSubject()
      }
      undecoded(
        packet.bytes.part(packet.dissection.body),
        isSecret: packet.dissection.hidesSMP(packet.answer))
    } else {
      name(packet.dissection.air == nil ? "ACL data" : "LL Data")
      // A continuation of an unknown PDU may be part of a key.
      undecoded(packet.bytes.part(packet.dissection.body), isSecret: true)
      if !showsKeys, !packet.dissection.body.isEmpty {
        output.text(": of an unknown channel, may hold a key")
      }
    }
  }

  /// Appends why the bytes of a fragment are hidden if bytes are shown.
  private mutating func fragmentSecrecy(_ fragment: FragmentFate) {
    if let channel = fragment.channel, !fragment.isDoubtful || showsKeys {
      if channel.carriesSecurityManager { output.text(" of SMP") }
    } else if !showsKeys, fragment.isDoubtful || fragment.progress.have > L2CAPHeader.size {
      output.text(", <hidden>: of an unknown channel, may hold a key")
    }
  }

  // MARK: Monitor

  private mutating func note(_ note: MonitorNote, _ packet: borrowing Packet) {
    let isMarker = note.kind == .userLog && Self.isMarker(note, packet.bytes)
    name(isMarker ? "Marker" : AssignedName(note.kind.words))
    if let type = note.recordType {
      // There is only one controller, so the kind of record is more informative.
      if let words = type.name, note.kind == .log {
        output.name(words)
        endSubject()
      }
    } else if let number = packet.record.adapter.number {
      output.text("hci")
      output.decimal(Int(number))
      endSubject()
    }
    if let address = note.address {
      comma()
      output.addressOrNone(address)
    }
    if let bus = note.bus {
      comma()
      output.name(MonitorNote.busName(bus) ?? "unknown bus")
    }
    if let manufacturer = note.manufacturer {
      comma()
      output.text("company ")
      output.assigned(
        CompanyID(rawValue: manufacturer).name, UInt64(manufacturer), digits: 4)
    }
    if let cookie = note.cookie { socket(cookie) }
    // Markers are always set by this program.
    let hasIdentifier = !isMarker && note.identifier.map { !$0.isEmpty } ?? false
    if let identifier = note.identifier, hasIdentifier {
      comma()
      output.printable(packet.bytes.part(identifier).beforeZero)
    }
    if let text = note.text, !text.isEmpty {
      if hasIdentifier {
        output.text(": ")
      } else {
        comma()
      }
      if !showsKeys, let open = note.textWithoutPasskey(packet.bytes) {
        output.printable(open.bytes.withoutTrailingBlanks)
      } else {
        output.printable(packet.bytes.part(text).beforeZero.withoutTrailingBlanks)
      }
    }
    undecoded(packet.bytes.part(packet.dissection.body), isSecret: packet.dissection.isSecretNote)
    if packet.dissection.isSecretNote, !showsKeys, !packet.dissection.body.isEmpty {
      output.text(": of unknown layout, may hold a key")
    }
    if packet.record.isReplayed {
      if output.count > subjectEnd { output.byte(0x20) }
      output.text("(from before)")
    }
  }

  /// Returns whether a log record is a marker of a user of `live`.
  private static func isMarker(_ note: MonitorNote, _ bytes: RawSpan) -> Bool {
    guard let identifier = note.identifier else { return false }
    let speaker = bytes.part(identifier).beforeZero
    return speaker.byteCount == Marker.identifier.utf8CodeUnitCount
      && speaker.starts(with: Marker.identifier)
  }

  /// Appends the management socket of a record.
  private mutating func socket(_ cookie: UInt32) {
    comma()
    output.text("socket ")
    output.hexadecimal(UInt64(cookie), digits: 8)
  }
}

extension MonitorNote.Kind {
  /// The note's name in a line.
  var words: StaticString {
    switch self {
    case .newIndex: "New Index"
    case .deletedIndex: "Delete Index"
    case .openIndex: "Open Index"
    case .closeIndex: "Close Index"
    case .indexInfo: "Index Info"
    case .systemNote: "System Note"
    case .userLog: "User Log"
    case .controlOpen: "Control Open"
    case .controlClose: "Control Close"
    case .vendorDiagnostic: "Vendor Diagnostic"
    case .lmp: "LMP packet"
    case .log: "Log"
    case .unknown: "Unknown record"
    }
  }
}
