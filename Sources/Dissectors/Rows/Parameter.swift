// The language of the tables of HCI, MGMT, the Link Layer and advertising data, with one row per
// command, event, PDU or AD type and one entry per parameter.
// `PDUTable` and `LinkTable` compile the rows; `FieldWalk` uses them to walk a packet.

package import Bluetooth
import Bytes

/// One parameter of a command, event, Command Complete or AD structure, as stated in a table row.
package struct Parameter: Sendable {
  /// The form of a parameter's bytes. All numbers are little-endian (Core, Vol 4, Part E, 5.2).
  package enum Kind: Sendable, Equatable {
    /// An unsigned number of 1 to 8 bytes.
    case unsigned(width: UInt8, Form)
    /// A signed number of 1 or 2 bytes.
    case signed(width: UInt8, Form)
    /// A number that is also the count of items or bytes in the next list or `counted` parameter.
    case count(width: UInt8)
    /// Another such count, for the list or `counted` parameter after the one that the preceding
    /// count determines.
    case laterCount(width: UInt8)
    /// Flags with one bit for each item of the next list (Scanning_PHYs).
    case countOfBits(width: UInt8, CodeSet)
    /// A device address: 6 bytes, least significant first; `isRandom`: whatever type is stated.
    case address(isRandom: Bool)
    /// This many bytes.
    case bytes(Int)
    /// As many bytes as the preceding `count` states.
    case counted
    /// All remaining bytes.
    case rest
    /// A UTF-8 string in a field of this many bytes, terminated by a zero unless it fills the
    /// field.
    case text(Int)
    /// This many secret bytes (a key), which are only shown on request.
    case secret(Int)
    /// The same, but the parameters may end before it.
    case optionalSecret(Int)
    /// Bytes that are or may contain a secret: as many as the preceding `count` states, or all
    /// remaining ones if there is no count.
    case countedSecret
    /// One byte for the part of an advertising set's data in the AD structures after it. Only
    /// complete data (3) begins and ends with whole structures.
    case dataOperation
    /// AD structures: as many bytes as the preceding `count` states, in a field of this many bytes
    /// (31 in legacy advertising), or exactly the counted bytes if this is 0. Without a count they
    /// fill the field.
    case advertisingData(Int)
    /// Items of several parameters each: as many as the preceding count states, or up to the end of
    /// the parameters if there is no count; `ofDevices`: each is a device that was heard.
    case list(ofDevices: Bool)
    /// A one-byte number of bytes in all fields up to the next `counted` one; that one has this
    /// many fewer.
    case countBeyond(UInt8)
    /// A UUID of this many bytes, least significant first.
    case uuid(Int)
    /// The first half of the remaining bytes, before a mask of the same length: a UUID if it has
    /// the length of one.
    case halfUUID
    /// The first half of the remaining bytes, before a mask of the same length. This many bytes of
    /// the half are in preceding fields.
    case half(after: Int)
    /// A UTF-8 string in all remaining bytes.
    case restText
    /// A number, as with `unsigned`, that selects the layout of the next `choice`.
    case selector(width: UInt8, Form)
    /// Layouts (`alternative`, `otherwise`), of which the latest selector's value chooses one. For
    /// a value without one, the following bytes have an unknown layout.
    case choice
    /// A layout of a choice, for this value of the selector.
    case alternative(UInt16)
    /// The layout of a choice for all other values; always the last one.
    case otherwise
    /// No bytes. The parameters of older versions end here unless this many more bytes follow.
    /// Fewer bytes than that have an unknown layout.
    case versionEnd(Int)
    /// No bytes. The additions of later versions are unknown.
    case openEnd
    /// A number of this many bytes that consists of bit fields (`bits`, `lengthBits`,
    /// `unusedBits`), the least significant first; `isHeader`: its bits state the types of the
    /// addresses after it.
    case packed(width: UInt8, isHeader: Bool)
    /// Bits of a `packed` number.
    case bits(UInt8, Form)
    /// The same: the number of bytes from here to the next `untilEnd`, which is also the value of a
    /// selector.
    case lengthBits(UInt8)
    /// Bits without a meaning.
    case unusedBits(UInt8)
    /// Parameters that exist if this bit of the latest selector's value is set.
    case ifSet(bit: UInt8)
    /// An address that is random if this bit of the header is set.
    case addressByHeader(bit: UInt8)
    /// AD structures: all bytes up to the end that the latest `lengthBits` state.
    case untilEnd
    /// AD structures: all remaining bytes.
    case restAdvertising
  }

  /// What bytes without further structure hold, for redaction and for selections.
  package enum Content: Sendable, Equatable {
    /// Anything.
    case unknown
    /// Nothing about people and their devices, if there are no more bytes than this: what a
    /// controller supports, which channels it uses, how well it receives.
    case harmless(upTo: UInt8)
    /// A key or a number from which one is made.
    case secret
    case passkey
    case pin
    /// The X coordinate of a public key, and the Y coordinate after it.
    case keyX
    case keyY
    /// What manufacturers and services put into advertising data, or look for in it.
    case advertised
    /// The same of a service, beginning with its 16-bit UUID as the AD structure does.
    case serviceData
    /// What a vendor has not documented.
    case vendors

    /// Computed, so that tables that use it are made by the compiler and not at each start.
    static var harmless: Self { .harmless(upTo: .max) }
  }

  /// Whether this has no bytes or name of its own, but describes the layout of others.
  package var isStructure: Bool {
    switch kind {
    case .choice, .alternative, .otherwise, .versionEnd, .openEnd, .packed, .unusedBits, .ifSet:
      true
    default: false
    }
  }

  /// The way a number is displayed.
  package enum Form: Sendable, Equatable {
    /// Decimal.
    case plain
    /// Decimal, of what keeps its meaning in a failed event: which advertising set or BIG it is
    /// about, how many events there were. Other parameters have none then, unless the specification
    /// defines one.
    case identifier
    /// Six decimal digits, as both devices display it to their users.
    case sixDigits
    /// `0x` and two digits a byte.
    case hex
    /// EDIV, in the same way.
    case diversifier
    /// A connection handle, sync handle or the like: `0x0040`. The upper four bits are reserved but
    /// shown if set, as in 0xffff for none.
    case handle
    /// A code with a name.
    case code(CodeSet)
    /// A number assigned by the Bluetooth SIG.
    case assigned(AssignedNumber)
    /// Bits with names.
    case flags(CodeSet)
    /// A quantity.
    case scaled(Scale)
    /// The opcode of a command.
    case opcode
    /// The opcode of a command of the kernel's management interface.
    case controlOpcode
    /// The code of an event of that interface.
    case controlEvent
    /// The opcode of a Link Layer control PDU.
    case linkOpcode
  }

  /// The name exactly as in the specification: `Connection_Handle`.
  package let name: StaticString
  /// The form of its bytes.
  package let kind: Kind
  package let content: Content
  /// The parameter's words in the one-line form: nil omits it, an empty string shows the bare
  /// value, a word precedes the value ("timeout 720 ms"), and a dash makes the value the upper end
  /// of a range begun by the preceding parameter ("interval 30–50 ms").
  package let line: StaticString?
  /// The parameters of a list's item, the layouts of a choice, or the parameters of a layout.
  package let items: [Parameter]
  /// What it identifies in every packet that has it; nil for most.
  let role: Role?

  /// The parameters that are read without a walk over the others.
  enum Role {
    /// The link that the packet concerns.
    case connectionHandle
    /// Whether the operation that the packet reports succeeded.
    case status
    /// The BR/EDR device that the packet concerns.
    case device
  }

  init(
    _ name: StaticString, _ kind: Kind, _ line: StaticString?, content: Content = .unknown,
    items: [Parameter] = [], is role: Role? = nil
  ) {
    self.name = name
    self.kind = kind
    self.role = role
    self.content = content
    self.line = line
    self.items = items
  }

  // The vocabulary of the tables.

  static func u8(_ name: StaticString, _ form: Form = .plain, line: StaticString? = nil) -> Self {
    Self(name, .unsigned(width: 1, form), line)
  }
  static func u16(_ name: StaticString, _ form: Form = .plain, line: StaticString? = nil) -> Self {
    Self(name, .unsigned(width: 2, form), line)
  }
  static func u24(_ name: StaticString, _ form: Form = .plain, line: StaticString? = nil) -> Self {
    Self(name, .unsigned(width: 3, form), line)
  }
  static func u32(_ name: StaticString, _ form: Form = .plain, line: StaticString? = nil) -> Self {
    Self(name, .unsigned(width: 4, form), line)
  }
  static func u64(_ name: StaticString, _ form: Form = .plain, line: StaticString? = nil) -> Self {
    Self(name, .unsigned(width: 8, form), line)
  }
  static func i8(_ name: StaticString, _ form: Form = .plain, line: StaticString? = nil) -> Self {
    Self(name, .signed(width: 1, form), line)
  }
  static func i16(_ name: StaticString, _ form: Form = .plain, line: StaticString? = nil) -> Self {
    Self(name, .signed(width: 2, form), line)
  }
  /// The Connection_Handle of the link that the packet concerns.
  static let connectionHandle = Self(
    "Connection_Handle", .unsigned(width: 2, .handle), nil, is: .connectionHandle)
  /// The Status at the beginning of all return parameters and most events; in the line only if it
  /// is an error.
  static let status = Self("Status", .unsigned(width: 1, .code(.status)), "", is: .status)
  /// The part of a set's data in a command; in the line only if it is not complete.
  static let dataOperation = Self("Operation", .dataOperation, "")
  static func count(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .count(width: 1), line)
  }
  static func laterCount(_ name: StaticString) -> Self { Self(name, .laterCount(width: 1), nil) }
  static func countOfBits(_ name: StaticString, _ set: CodeSet, line: StaticString? = nil) -> Self {
    Self(name, .countOfBits(width: 1, set), line)
  }
  static func address(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .address(isRandom: false), line)
  }
  static func randomAddress(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .address(isRandom: true), line)
  }
  static func bytes(
    _ name: StaticString, _ count: Int, _ content: Content = .unknown, line: StaticString? = nil
  ) -> Self {
    Self(name, .bytes(count), line, content: content)
  }
  static func counted(
    _ name: StaticString, _ content: Content = .unknown, line: StaticString? = nil
  ) -> Self {
    Self(name, .counted, line, content: content)
  }
  static func rest(
    _ name: StaticString, _ content: Content = .unknown, line: StaticString? = nil
  ) -> Self {
    Self(name, .rest, line, content: content)
  }
  static func text(_ name: StaticString, _ count: Int, line: StaticString? = nil) -> Self {
    Self(name, .text(count), line)
  }
  static func secret(
    _ name: StaticString, _ count: Int, _ content: Content = .secret, line: StaticString? = nil
  ) -> Self {
    Self(name, .secret(count), line, content: content)
  }
  static func optionalSecret(_ name: StaticString, _ count: Int) -> Self {
    Self(name, .optionalSecret(count), nil, content: .secret)
  }
  static func countedSecret(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .countedSecret, line, content: .secret)
  }
  static func advertisingData(
    _ name: StaticString, field: Int = 0, line: StaticString? = nil
  ) -> Self {
    Self(name, .advertisingData(field), line)
  }
  static func list(_ name: StaticString, _ items: [Parameter]) -> Self {
    Self(name, .list(ofDevices: false), nil, items: items)
  }
  static func devices(_ name: StaticString, _ items: [Parameter]) -> Self {
    Self(name, .list(ofDevices: true), nil, items: items)
  }
}

extension Parameter: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.name.isEqual(to: right.name) && left.kind == right.kind && left.content == right.content
      && left.line?.description == right.line?.description && left.items == right.items
  }
}

/// One command or event, with its code, name and parameters.
package struct ParameterRow: Sendable {
  /// Opcode, event code or subevent code.
  package let code: UInt16
  /// The specification's name without its prefix: `LE Create Connection`.
  package let name: StaticString
  /// The parameters in order; nil if they are shown as bytes.
  package let parameters: [Parameter]?
  /// The return parameters of a command, beginning with Status; nil if those after Status are shown
  /// as bytes.
  package let returns: [Parameter]?
  package let subjects: Subjects

  /// What a command or event is about, beyond what its parameters show.
  package struct Subjects: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Pairing, keys or encryption.
    package static let security = Self(rawValue: 1 << 0)
    /// Only the controller: LE commands that set it up or read its capabilities.
    package static let setUp = Self(rawValue: 1 << 1)
  }

  /// A row of a command table.
  static func command(
    _ opcode: UInt16, _ name: StaticString, about subjects: Subjects = [],
    _ parameters: [Parameter]? = nil, returns: [Parameter]? = nil
  ) -> Self {
    Self(code: opcode, name: name, parameters: parameters, returns: returns, subjects: subjects)
  }
  /// A row of the table of events, or of the LE Meta subevents.
  static func event(
    _ code: UInt16, _ name: StaticString, about subjects: Subjects = [],
    _ parameters: [Parameter]? = nil
  ) -> Self {
    Self(code: code, name: name, parameters: parameters, returns: nil, subjects: subjects)
  }
}
