// Choosing packets by their codes: opcodes, events, and what requests came to. Names are turned into
// codes once; packets are held against codes.

import Bluetooth
import Bytes
import Dissectors
import Sessions

/// A set of bytes.
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

/// How the words of an option stand for codes: a number, or a name or a part of one.
enum CodeWord {
  case number(UInt64)
  case name(String)

  /// Reads `0x12`, `18`, or takes the text for a name.
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

  /// The codes whose names are just this one, or, where none is, that have it as a part.
  static func codes<Code>(_ part: String, among names: [(Code, String)]) -> [Code] {
    let lower = names.map { ($0.0, $0.1.lowercased()) }
    let exact = lower.filter { $0.1 == part }
    let found = exact.isEmpty ? lower.filter { $0.1.contains(part) } : exact
    return part.isEmpty ? [] : found.map(\.0)
  }
}

/// The opcodes that are asked for: of ATT, the Security Manager, HCI commands and those of the
/// kernel's management interface.
package struct OpcodeFilter: Sendable {
  private enum Code {
    case att(UInt8), smp(UInt8), command(UInt16)
  }

  private var att = ByteSet()
  private var smp = ByteSet()
  private var commands: [UInt16] = []
  /// Where a number was given: management opcodes.
  private var management: [UInt16] = []

  /// Reads an opcode: its number, its name, or a part of that.
  package init(_ text: String) throws(SelectionError) {
    switch CodeWord(text) {
    case .number(let number):
      guard let opcode = UInt16(exactly: number) else {
        throw SelectionError("an opcode has at most four digits, as in 0x12 or 0x200d")
      }
      if opcode <= 0xff {
        att.insert(UInt8(opcode))
        smp.insert(UInt8(opcode))
      }
      commands = [opcode]
      management = [opcode]
    case .name(let name):
      let found = CodeWord.codes(name, among: Self.names)
      guard !found.isEmpty else {
        throw SelectionError(
          "no opcode has that name; expected one as in 0x12, \"Write Request\" or \"LE Create\"")
      }
      for code in found {
        switch code {
        case .att(let code): att.insert(code)
        case .smp(let code): smp.insert(code)
        case .command(let code): commands.append(code)
        }
      }
    }
  }

  /// Adds the opcodes of another filter.
  package mutating func formUnion(_ other: OpcodeFilter) {
    att.formUnion(other.att)
    smp.formUnion(other.smp)
    commands += other.commands
    management += other.management
  }

  /// All names, those of ATT also as lines print them.
  private static var names: [(Code, String)] {
    var names: [(Code, String)] = []
    for byte in UInt8.min...UInt8.max {
      let opcode = ATTOpcode(rawValue: byte)
      for name in [opcode.name, opcode.shortName] {
        if let name { names.append((.att(byte), name.description)) }
      }
      if let name = SMPOpcode(rawValue: byte).name { names.append((.smp(byte), name.description)) }
    }
    for opcode in UInt16.min...UInt16.max {
      guard let row = HCITable.core.command(opcode) else { continue }
      names.append((.command(opcode), HCITable.name(row).description))
    }
    return names
  }

  /// Whether an opcode of the packet is one of these: its own, that of the command that it answers,
  /// or that of the request that it refuses.
  func matches(_ dissection: Dissection, _ bytes: RawSpan) -> Bool {
    switch dissection.content {
    case .acl:
      if let pdu = dissection.att {
        if case .errorResponse(let error) = pdu, att.contains(error.requestOpcode.rawValue) {
          return true
        }
        return att.contains(pdu.opcode.rawValue)
      }
      return dissection.smp.map { smp.contains($0.opcode.rawValue) } ?? false
    case .command(let command): return commands.contains(command.opcode)
    case .event(let event):
      return dissection.answeredOpcode(event, bytes).map { commands.contains($0) } ?? false
    case .control(let control):
      let opcode = control.isEvent ? control.answeredOpcode(bytes, dissection.body) : control.code
      return opcode.map { management.contains($0) } ?? false
    default: return false
    }
  }
}

/// The events that are asked for: of HCI, and of the kernel's management interface.
package struct EventFilter: Sendable {
  private enum Code {
    case event(UInt8), subevent(UInt8)
  }

  private var events = ByteSet()
  private var subevents = ByteSet()
  /// Where a number was given: management events.
  private var management: [UInt16] = []

  /// Reads an event: `0x3e`, `0x3e:0x01`, its name, or a part of that.
  package init(_ text: String) throws(SelectionError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
      CodeWord(String($0))
    }
    if case .number(let code) = parts.first {
      try insert(code, Array(parts.dropFirst()))
      return
    }
    var names: [(Code, String)] = []
    for byte in UInt8.min...UInt8.max {
      if let row = HCITable.core.event(byte) {
        names.append((.event(byte), HCITable.name(row).description))
      }
      if let row = HCITable.core.subevent(byte) {
        names.append((.subevent(byte), HCITable.name(row).description))
      }
    }
    let found = CodeWord.codes(text.lowercased(), among: names)
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

  /// Adds the events of another filter.
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

/// What a packet says that something came to.
struct Outcome: Sendable {
  /// Who gives the code its meaning.
  enum Family: Sendable {
    case hci, att, smp, management
  }

  let family: Family
  let code: UInt8
  /// Disconnection Complete: why the link ended.
  private(set) var reason: UInt8?
  /// Whether the packet reports a failure.
  let isFailure: Bool

  init?(_ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer) {
    isFailure = dissection.failure(bytes, answer) != nil
    switch dissection.content {
    case .event(let event):
      guard let status = dissection.parameters?.status(bytes),
        !dissection.isVendorsAnswer(event, bytes)
      else { return nil }
      (family, code) = (.hci, status)
      if event.code == HCIEvent.disconnectionCompleteCode, dissection.body.count >= 4 {
        reason = bytes.byte(at: Int(dissection.body.start) + 3)
      }
    case .acl:
      if case .errorResponse(let pdu)? = dissection.att {
        (family, code) = (.att, pdu.error.rawValue)
      } else if case .failed(let pdu)? = dissection.smp {
        (family, code) = (.smp, pdu.reason.rawValue)
      } else {
        return nil
      }
    case .control(let control):
      // Command Complete and Command Status: opcode (2 bytes), status (1).
      guard control.answeredOpcode(bytes, dissection.body) != nil, dissection.body.count >= 3 else {
        return nil
      }
      (family, code) = (.management, bytes.byte(at: Int(dissection.body.start) + 2))
    default: return nil
    }
  }
}

/// A status that is asked for: a number of any family, or a name of those that have it; or all
/// others.
package struct StatusFilter: Sendable {
  private enum Code {
    case hci(UInt8), att(UInt8), smp(UInt8)
  }

  private var isNegated = false
  private var hci = ByteSet()
  private var att = ByteSet()
  private var smp = ByteSet()
  private var management = ByteSet()

  /// Reads `0x05`, `5`, `!0`, a name or a part of one.
  package init(_ text: String) throws(SelectionError) {
    isNegated = text.hasPrefix("!")
    switch CodeWord(String(text.dropFirst(isNegated ? 1 : 0))) {
    case .number(let number):
      guard let code = UInt8(exactly: number) else {
        throw SelectionError("a status is a number up to 0xff, as in 0x05 or '!0'")
      }
      hci.insert(code)
      att.insert(code)
      smp.insert(code)
      management.insert(code)
    case .name(let name):
      var names: [(Code, String)] = []
      for byte in UInt8.min...UInt8.max {
        if let name = StatusCode(rawValue: byte).name {
          names.append((.hci(byte), name.description))
        }
        names.append((.att(byte), ATTErrorCode(rawValue: byte).name.description))
        if let name = PairingFailure(rawValue: byte).name {
          names.append((.smp(byte), name.description))
        }
      }
      let found = CodeWord.codes(name, among: names)
      guard !found.isEmpty else {
        throw SelectionError(
          "no status has that name; expected one as in 0x05, '!0' or \"Insufficient Authentication\""
        )
      }
      for code in found {
        switch code {
        case .hci(let code): hci.insert(code)
        case .att(let code): att.insert(code)
        case .smp(let code): smp.insert(code)
        }
      }
    }
  }

  func matches(_ outcome: Outcome) -> Bool {
    guard isNegated else {
      return contains(outcome.code, outcome.family)
        || outcome.reason.map { hci.contains($0) } ?? false
    }
    switch outcome.family {
    case .hci:
      if !hci.contains(outcome.code) { return true }
      // A link that was lost is a failure, one that a host ended is not.
      return outcome.isFailure && outcome.reason.map { !hci.contains($0) } ?? false
    // The end of a discovery is an Error Response, but no failure.
    case .att: return outcome.isFailure && !att.contains(outcome.code)
    case .smp, .management: return !contains(outcome.code, outcome.family)
    }
  }

  private func contains(_ code: UInt8, _ family: Outcome.Family) -> Bool {
    switch family {
    case .hci: hci.contains(code)
    case .att: att.contains(code)
    case .smp: smp.contains(code)
    case .management: management.contains(code)
    }
  }
}
