// The records of the Linux monitor (btsnoop datalink 2001; BlueZ, doc/btsnoop-protocol.rst).
// Numbers are little-endian.

package import Bluetooth
package import Bytes

extension MonitorOpcode {
  /// The HCI packet type, if such records contain a packet.
  package var packetType: PacketType? {
    switch self {
    case .command: .command
    case .event: .event
    case .aclSent, .aclReceived: .acl
    case .scoSent, .scoReceived: .sco
    case .isoSent, .isoReceived: .iso
    default: nil
    }
  }
}

/// A record that is not a packet, from the monitor or from PacketLogger.
package struct MonitorNote: Sendable {
  /// The kind of note.
  package enum Kind: UInt8, Sendable {
    case newIndex, deletedIndex, openIndex, closeIndex, indexInfo, systemNote, userLog
    case controlOpen, controlClose, vendorDiagnostic, lmp, log, unknown

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .newIndex: "new_index"
      case .deletedIndex: "deleted_index"
      case .openIndex: "open_index"
      case .closeIndex: "close_index"
      case .indexInfo: "index_info"
      case .systemNote: "system_note"
      case .userLog: "user_log"
      case .controlOpen: "control_open"
      case .controlClose: "control_close"
      case .vendorDiagnostic: "vendor_diagnostic"
      case .lmp: "lmp"
      case .log: "log"
      case .unknown: "unknown"
      }
    }

    /// Whether the controller is switched off or removed.
    package var endsController: Bool { self == .closeIndex || self == .deletedIndex }
  }

  // Small fields fill the gaps between large ones, since the dissection that contains a note is
  // copied.

  /// New Index and Index Info: the controller's address.
  package var address: DeviceAddress?
  package var kind: Kind
  /// New Index: 0 primary, 1 AMP.
  package var controllerType: UInt8?
  /// User Logging and Control Open: the program's name.
  package var identifier: Slice?
  /// New Index: the controller's bus; see `busName`.
  package var bus: UInt8?
  /// The name, the message or the text.
  package var text: Slice?
  /// User Logging: the syslog priority.
  package var priority: UInt8?
  /// Control Open and Close: identifies the socket.
  package var cookie: UInt32?
  /// Control Open: the interface's version.
  package var version: UInt8?
  /// Control Open: bit 0 is set if the socket is privileged.
  package var flags: UInt32?
  /// PacketLogger: the record's type.
  package var recordType: PacketLoggerType?
  /// Index Info: the manufacturer's company identifier.
  package var manufacturer: UInt16?
  /// Control Open: 0 raw, 1 user, 2 control.
  package var format: UInt16?
  /// Control Open: the interface's revision.
  package var revision: UInt16?

  init(_ kind: Kind) { self.kind = kind }

  /// Returns the name of a controller's bus.
  package static func busName(_ bus: UInt8) -> AssignedName? {
    CodeSet.controllerBus.name(of: UInt64(bus))
  }
}

extension MonitorNote {
  /// Returns the digits of the passkey in the text, as logged by BlueZ's daemon: `passkey 562297
  /// entered 0`, if any.
  package func passkey(_ bytes: RawSpan) -> Slice? {
    guard let text else { return nil }
    let word = ("passkey" as StaticString).bytes
    var place = Int(text.start)
    while place + word.byteCount < text.end {
      let rest = bytes.part(Slice(start: place, count: text.end - place))
      guard rest.startsIgnoringCase(word) else {
        place += 1
        continue
      }
      place += word.byteCount
      // At most a sign and blanks in between: `passkey: 562297`, `Passkey = 562297`.
      var start = place
      while start < text.end, start - place < 3, !bytes.isDigit(at: start) { start += 1 }
      var end = start
      while end < text.end, bytes.isDigit(at: end) { end += 1 }
      if end > start { return Slice(start: start, count: end - start) }
    }
    return nil
  }
}

extension RawSpan {
  fileprivate func isDigit(at offset: Int) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte(at: offset)
  }

  /// Returns whether the bytes begin with `word`, which is in lower case, ignoring case.
  fileprivate func startsIgnoringCase(_ word: RawSpan) -> Bool {
    guard byteCount >= word.byteCount else { return false }
    for index in 0..<word.byteCount where byte(at: index) | 0x20 != word.byte(at: index) {
      return false
    }
    return true
  }
}

extension Dissection {
  /// Dissects a monitor record. The dissection must be empty.
  package mutating func read(monitor opcode: UInt16, _ bytes: RawSpan, isTruncated: Bool) {
    guard let known = MonitorOpcode(rawValue: opcode) else {
      content = .note(MonitorNote(.unknown))
      body = Slice(start: 0, count: bytes.byteCount)
      problems.add(Problem(.unknownMonitorOpcode, Int(opcode)))
      return
    }
    if let type = known.packetType {
      read(type, bytes, isTruncated: isTruncated)
      return
    }
    var cursor = Cursor(bytes)
    do throws(ParseError) {
      switch known {
      case .controlCommand, .controlEvent:
        content = .control(
          try ControlRecord(event: known == .controlEvent, parsing: &cursor))
        body = cursor.rest()
        takeControl(bytes, isTruncated: isTruncated)
      default:
        var note = MonitorNote(Self.kind(of: known))
        defer { content = .note(note) }
        try note.parse(&cursor)
        body = cursor.rest()
        // Vendor diagnostics can only be read by the controller's manufacturer.
        let mayGoOn = known == .vendorDiagnostic
        if !mayGoOn, !body.isEmpty {
          problems.add(Problem(.leftOver, at: Int(body.start), Int(body.count)))
        }
      }
    } catch {
      if !isTruncated { problems.add(Problem(error)) }
      body = cursor.rest()
    }
  }

  private static func kind(of opcode: MonitorOpcode) -> MonitorNote.Kind {
    switch opcode {
    case .newIndex: .newIndex
    case .deletedIndex: .deletedIndex
    case .openIndex: .openIndex
    case .closeIndex: .closeIndex
    case .indexInfo: .indexInfo
    case .systemNote: .systemNote
    case .userLog: .userLog
    case .controlOpen: .controlOpen
    case .controlClose: .controlClose
    case .vendorDiagnostic: .vendorDiagnostic
    default: .unknown
    }
  }
}

extension MonitorNote {
  @_lifetime(cursor: copy cursor)
  fileprivate mutating func parse(_ cursor: inout Cursor) throws(ParseError) {
    switch kind {
    case .newIndex:
      controllerType = try cursor.u8()
      bus = try cursor.u8()
      address = try DeviceAddress(parsing: &cursor)
      text = try cursor.take(8)
    case .indexInfo:
      address = try DeviceAddress(parsing: &cursor)
      manufacturer = try cursor.u16()
    case .systemNote:
      text = cursor.rest()
    case .userLog:
      priority = try cursor.u8()
      identifier = try cursor.take(Int(try cursor.u8()))
      text = cursor.rest()
    case .controlOpen:
      cookie = try cursor.u32()
      format = try cursor.u16()
      version = try cursor.u8()
      revision = try cursor.u16()
      flags = try cursor.u32()
      identifier = try cursor.take(Int(try cursor.u8()))
    case .controlClose:
      cookie = try cursor.u32()
    case .deletedIndex, .openIndex, .closeIndex, .vendorDiagnostic, .lmp, .log, .unknown: break
    }
  }
}
