// Selects packets by their codes: opcodes, events and statuses. Names are converted to codes once,
// and packets are compared with codes.

import Bluetooth
import Bytes
import Dissectors
import Sessions

struct ByteSet: Equatable, Sendable {
  private var words = InlineArray<4, UInt64>(repeating: 0)

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

  mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  mutating func formUnion(_ other: ByteSet) {
    for index in 0..<words.count { words[index] |= other.words[index] }
  }

  var isEmpty: Bool {
    for index in 0..<words.count where words[index] != 0 { return false }
    return true
  }

  static func == (left: ByteSet, right: ByteSet) -> Bool {
    for index in 0..<left.words.count where left.words[index] != right.words[index] {
      return false
    }
    return true
  }
}

/// A code as written in an option: a number, or a name or a part of one.
enum CodeWord {
  case number(UInt64)
  case name(String)

  /// Reads `0x12` or `18`; any other text is a name.
  init(_ text: String) {
    let lower = text.lowercased()
    if lower.hasPrefix("0x"), let number = UInt64(lower.dropFirst(2), radix: 16) {
      self = .number(number)
    } else if let number = UInt64(lower) {
      self = .number(number)
    } else {
      self = .name(lower)
    }
  }

  /// Returns the codes whose names contain these words at the start of a word, so that "connection
  /// complete" does not match "Disconnection Complete".
  ///
  /// - Parameter wholeNameStandsAlone: whether a complete name matches only that name and its
  ///   versions ("… [v2]"), for example "write request", which is also the end of another name.
  static func codes<Code>(
    _ part: String, among names: [(Code, String)], wholeNameStandsAlone: Bool
  ) -> [Code] {
    guard !part.isEmpty else { return [] }
    let lower = names.map { ($0.0, $0.1.lowercased()) }
    if wholeNameStandsAlone, lower.contains(where: { $0.1 == part }) {
      return lower.filter { $0.1 == part || $0.1.hasPrefix(part + " [") }.map(\.0)
    }
    return lower.filter { begins(part, in: $0.1) }.map(\.0)
  }

  /// Returns whether `part` occurs in `name` at the start of a word.
  private static func begins(_ part: String, in name: String) -> Bool {
    var start = name.startIndex
    var isWordStart = true
    while start < name.endIndex {
      if isWordStart, name[start...].hasPrefix(part) { return true }
      let character = name[start]
      isWordStart = !(character.isLetter || character.isNumber)
      start = name.index(after: start)
    }
    return false
  }

  /// Returns the parts between commas if all of them are numbers (`0x12`, `0x3e:0x01`), or nil if
  /// the text is a single value.
  static func numbers(_ text: String) -> [String]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
      String($0.drop { $0 == " " })
    }
    let areNumbers = parts.allSatisfy { part in
      part.split(separator: ":", omittingEmptySubsequences: false).allSatisfy {
        if case .number = CodeWord(String($0)) { true } else { false }
      }
    }
    return parts.count > 1 && areNumbers ? parts : nil
  }
}

/// A filter of codes. If an option is given several times, its filters are joined.
package protocol CodeFilter {
  /// Adds the codes of another filter.
  mutating func formUnion(_ other: Self)
}

extension CodeFilter {
  /// Creates a filter that selects what any of these filters selects; nil if the array is empty.
  package init?(_ filters: [Self]) {
    guard let first = filters.first else { return nil }
    self = filters.dropFirst().reduce(into: first) { $0.formUnion($1) }
  }
}

/// The selected opcodes: of ATT, the Security Manager, HCI commands, the kernel's management
/// interface and the Link Layer's control PDUs; of its advertising PDUs, the types.
package struct OpcodeFilter: CodeFilter, Sendable {
  private enum Code {
    case att(UInt8), smp(UInt8), command(UInt16), control(UInt8), advertising(UInt8)
  }

  private var att = ByteSet()
  private var smp = ByteSet()
  private var control = ByteSet()
  private var advertising = ByteSet()
  private var commands: [UInt16] = []
  /// Management opcodes, if a number was given.
  private var management: [UInt16] = []

  /// Reads an opcode: its number, several numbers separated by commas, its name, or a part of its
  /// name.
  package init(_ text: String) throws(SelectionError) {
    if let numbers = CodeWord.numbers(text) {
      for number in numbers { formUnion(try OpcodeFilter(number)) }
      return
    }
    switch CodeWord(text) {
    case .number(let number):
      guard let opcode = UInt16(exactly: number) else {
        throw SelectionError("an opcode has at most four digits, as in 0x12 or 0x200d")
      }
      if opcode <= 0xff {
        att.insert(UInt8(opcode))
        smp.insert(UInt8(opcode))
        control.insert(UInt8(opcode))
      }
      commands = [opcode]
      management = [opcode]
    case .name(let name):
      let found = CodeWord.codes(
        Self.opcode(named: name) ?? name, among: Self.names, wholeNameStandsAlone: true)
      guard !found.isEmpty else {
        throw SelectionError(
          "no opcode has that name; expected one as in 0x12, \"Write Request\" or \"LE Create\"")
      }
      for code in found {
        switch code {
        case .att(let code): att.insert(code)
        case .smp(let code): smp.insert(code)
        case .command(let code): commands.append(code)
        case .control(let code): control.insert(code)
        case .advertising(let code): advertising.insert(code)
        }
      }
    }
  }

  package mutating func formUnion(_ other: OpcodeFilter) {
    att.formUnion(other.att)
    smp.formUnion(other.smp)
    control.formUnion(other.control)
    advertising.formUnion(other.advertising)
    commands += other.commands
    management += other.management
  }

  /// Returns the ATT opcode of an operation that `name` stands for, in lower case; nil if opcodes
  /// have names with it.
  private static func opcode(named name: String) -> String? {
    switch ValueOperation(named: name) {
    case .writeWithoutResponse: "write command"
    case .notification: "notification"
    case .indication: "indication"
    default: nil
    }
  }

  /// All names; those of ATT and of control PDUs also as lines print them.
  private static var names: [(Code, String)] {
    var names: [(Code, String)] = []
    for byte in UInt8.min...UInt8.max {
      let opcode = ATTOpcode(rawValue: byte)
      for name in [opcode.name, opcode.shortName] {
        if let name { names.append((.att(byte), name.description)) }
      }
      if let name = SMPOpcode(rawValue: byte).name { names.append((.smp(byte), name.description)) }
      if let name = LinkOpcode(rawValue: byte).name {
        var words = Output()
        words.controlName(name)
        names.append((.control(byte), name.description))
        names.append((.control(byte), String(decoding: words.bytes.array, as: UTF8.self)))
      }
      if let row = LinkTable.advertising(byte) {
        names.append((.advertising(byte), row.name.description))
      }
    }
    for opcode in UInt16.min...UInt16.max {
      guard let row = PDUTable.core.command(opcode) else { continue }
      names.append((.command(opcode), row.name.description))
    }
    return names
  }

  /// Returns whether an opcode of the packet is selected: its own, that of the command that it
  /// answers, or that of the request that it refuses.
  func matches(_ dissection: Dissection, _ bytes: RawSpan) -> Bool {
    switch dissection.content {
    case .acl:
      if let pdu = dissection.att {
        if let refused = dissection.attFields.requestOpcode, att.contains(refused.rawValue) {
          return true
        }
        return att.contains(pdu.opcode.rawValue)
      }
      return dissection.smp.map { smp.contains($0.opcode.rawValue) } ?? false
    case .command(let command): return commands.contains(command.opcode)
    case .event:
      return dissection.fact.answeredOpcode.map { commands.contains($0) } ?? false
    case .control(let control):
      let opcode = control.isEvent ? control.answeredOpcode(bytes, dissection.body) : control.code
      return opcode.map { management.contains($0) } ?? false
    case .linkControl: return matches(control: bytes.part(dissection.body))
    case .advertising(let pdu):
      // A damaged one may be any.
      return dissection.parameters != nil && advertising.contains(pdu.type)
    default: return false
    }
  }
}

extension OpcodeFilter {
  /// Returns whether the opcode of a control PDU is selected: its own, or that of the PDU that it
  /// refuses.
  private func matches(control payload: RawSpan) -> Bool {
    guard payload.byteCount > 0 else { return false }
    if control.contains(payload.byte(at: 0)) { return true }
    switch LinkControl(payload, Slice(start: 0, count: payload.byteCount)) {
    case .reject(let refused?, _), .unknownResponse(let refused):
      return control.contains(refused.rawValue)
    default: return false
    }
  }
}

/// The selected events: of HCI, and of the kernel's management interface.
package struct EventFilter: CodeFilter, Sendable {
  private enum Code {
    case event(UInt8), subevent(UInt8)
  }

  private var events = ByteSet()
  private var subevents = ByteSet()
  /// Management events, if a number was given.
  private var management: [UInt16] = []

  /// Reads an event: `0x3e`, `0x3e:0x01`, several numbers separated by commas, its name, or a part
  /// of its name.
  package init(_ text: String) throws(SelectionError) {
    if let numbers = CodeWord.numbers(text) {
      for number in numbers { formUnion(try EventFilter(number)) }
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
      CodeWord(String($0))
    }
    if case .number(let code) = parts.first {
      try insert(code, Array(parts.dropFirst()))
      return
    }
    var names: [(Code, String)] = []
    for byte in UInt8.min...UInt8.max {
      if let row = PDUTable.core.event(byte) {
        names.append((.event(byte), row.name.description))
      }
      if let row = PDUTable.core.subevent(byte) {
        names.append((.subevent(byte), row.name.description))
      }
    }
    let found = CodeWord.codes(
      text.lowercased(), among: names, wholeNameStandsAlone: false)
    guard !found.isEmpty else {
      throw SelectionError(
        "no event has that name; expected one as in 0x05, 0x3e:0x01 or \"Encryption Change\"")
    }
    for code in found {
      switch code {
      case .event(let code): events.insert(code)
      case .subevent(let code): subevents.insert(code)
      }
    }
  }

  private mutating func insert(_ code: UInt64, _ rest: [CodeWord]) throws(SelectionError) {
    let expected = SelectionError("expected an event code as in 0x05, or 0x3e:0x01 with a subevent")
    if rest.isEmpty {
      guard let wide = UInt16(exactly: code) else { throw expected }
      management = [wide]
      if let code = UInt8(exactly: wide) { events.insert(code) }
    } else {
      guard rest.count == 1, case .number(let number) = rest[0], code == HCIEvent.leMetaCode,
        let subevent = UInt8(exactly: number)
      else { throw expected }
      subevents.insert(subevent)
    }
  }

  package mutating func formUnion(_ other: EventFilter) {
    events.formUnion(other.events)
    subevents.formUnion(other.subevents)
    management += other.management
  }

  func matches(_ dissection: Dissection, _ bytes: RawSpan) -> Bool {
    switch dissection.content {
    case .event(let event):
      if events.contains(event.code) { return true }
      return event.subevent(bytes, dissection.body).map { subevents.contains($0) } ?? false
    case .control(let control): return control.isEvent && management.contains(control.code)
    default: return false
    }
  }
}
