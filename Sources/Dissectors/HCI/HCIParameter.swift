// The language in which the HCI tables are written: one row per command or event, one entry per
// parameter. `HCITable` compiles the rows; `HCIFields` walks a packet by them.

package import Bluetooth
import Bytes

/// One parameter of an HCI command, event or Command Complete, as a row of the tables states it.
package struct HCIParameter: Sendable {
  /// What the bytes of a parameter are. All numbers are little-endian (Core, Vol 4, Part E, 5.2).
  package enum Kind: Sendable, Equatable {
    /// An unsigned number of 1 to 8 bytes.
    case unsigned(width: UInt8, Form)
    /// A signed number of 1 or 2 bytes.
    case signed(width: UInt8, Form)
    /// A number that also says how many items or bytes the next list or `counted` parameter has.
    case count(width: UInt8)
    /// A number that says the same of the list or `counted` parameter behind the one that the count
    /// before it is about.
    case laterCount(width: UInt8)
    /// Flags whose set bits say how many items the next list has (Scanning_PHYs).
    case countOfBits(width: UInt8, CodeSet)
    /// A device address: 6 bytes, least significant first.
    case address
    /// This many bytes.
    case bytes(Int)
    /// As many bytes as the `count` before it says.
    case counted
    /// All the bytes that are left.
    case rest
    /// A UTF-8 string in a field of this many bytes, ended by a zero unless it fills the field.
    case text(Int)
    /// This many bytes that are a secret (a key): never shown unless asked for.
    case secret(Int)
    /// The same, unless the parameters end before it.
    case optionalSecret(Int)
    /// As many bytes as the `count` before it says, or all that are left where there was none, that
    /// are a secret or may hold one.
    case countedSecret
    /// One byte that says which part of an advertising set's data the AD structures behind it are:
    /// only complete data (3) begins and ends with whole ones.
    case dataOperation
    /// AD structures; as many bytes as the `count` before it says, in a field of this many bytes
    /// (legacy advertising: 31), or in exactly the counted bytes where this is 0. Without a count
    /// they have the field to themselves.
    case advertisingData(Int)
    /// Items of several parameters each, as many as the count before says, or to the end of the
    /// parameters where there was no count.
    case list
    /// A one-byte number that says how many bytes the fields up to and with the next `counted` have
    /// together: this many less are in the `counted` itself.
    case countBeyond(UInt8)
    /// A UUID of this many bytes, least significant first.
    case uuid(Int)
    /// The first half of the bytes that are left, before a mask that has the other half: a UUID where
    /// it is as long as one.
    case halfUUID
    /// The first half of the bytes that are left, before a mask that has the other half; of that half
    /// so many bytes stand in fields before this.
    case half(after: Int)
    /// A UTF-8 string in all the bytes that are left.
    case restText
    /// A number, as `unsigned`, that says what the next `choice` is.
    case selector(width: UInt8, Form)
    /// Layouts (`alternative`, `otherwise`) of which the latest selector's value takes one. Of a
    /// value that has none the bytes behind are of a layout that is not known.
    case choice
    /// One layout of a choice: for this value of the selector.
    case alternative(UInt16)
    /// The layout of a choice for all other values; the last.
    case otherwise
    /// No bytes: here the parameters of older versions end, unless so many bytes more are there.
    /// Fewer than that are of a layout that is not known.
    case versionEnd(Int)
    /// No bytes: what later versions add behind is not known.
    case openEnd
  }

  /// Whether this has no bytes of its own and no name, but says how others lie.
  package var isStructure: Bool {
    switch kind {
    case .choice, .alternative, .otherwise, .versionEnd, .openEnd: true
    default: false
    }
  }

  /// How a number reads.
  package enum Form: Sendable, Equatable {
    /// Decimal.
    case plain
    /// Decimal, as both devices show it to their users: six digits.
    case sixDigits
    /// `0x` and two digits a byte.
    case hex
    /// A connection handle, sync handle or the like: `0x0040`. The upper four bits are reserved; where they
    /// are set, as in 0xffff for none, they are shown.
    case handle
    /// A code that has a name.
    case code(CodeSet)
    /// A number that the Bluetooth SIG gave to somebody or something.
    case assigned(AssignedNumber)
    /// Bits that have names.
    case flags(CodeSet)
    /// A quantity.
    case scaled(Scale)
    /// The opcode of a command.
    case opcode
    /// The opcode of a command of the kernel's management interface.
    case controlOpcode
    /// The code of one of its events.
    case controlEvent
  }

  /// The specification's name, as printed there: `Connection_Handle`.
  package let name: StaticString
  /// What its bytes are.
  package let kind: Kind
  /// The parameter's place in the one-line form: nil keeps it out, an empty string gives the bare
  /// value, a word stands before the value ("timeout 720 ms"), and a lone dash makes the value the
  /// upper end of a range that the parameter before begins ("interval 30–50 ms").
  package let line: StaticString?
  /// Of a list: the parameters of one item; of a choice: its layouts; of a layout: its parameters.
  package let items: [HCIParameter]

  init(
    _ name: StaticString, _ kind: Kind, _ line: StaticString?, items: [HCIParameter] = []
  ) {
    self.name = name
    self.kind = kind
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
  /// The Connection_Handle of the link that the packet is about.
  static let connectionHandle = Self("Connection_Handle", .unsigned(width: 2, .handle), nil)
  /// The Status that begins every return and most events; in the line only when it is an error.
  static let status = Self("Status", .unsigned(width: 1, .code(.status)), "")
  /// Which part of a set's data a command brings; in the line only where it is not all of it.
  static let dataOperation = Self("Operation", .dataOperation, "")
  static func count(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .count(width: 1), line)
  }
  static func laterCount(_ name: StaticString) -> Self { Self(name, .laterCount(width: 1), nil) }
  static func countOfBits(_ name: StaticString, _ set: CodeSet, line: StaticString? = nil) -> Self {
    Self(name, .countOfBits(width: 1, set), line)
  }
  static func address(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .address, line)
  }
  static func bytes(_ name: StaticString, _ count: Int, line: StaticString? = nil) -> Self {
    Self(name, .bytes(count), line)
  }
  static func counted(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .counted, line)
  }
  static func rest(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .rest, line)
  }
  static func text(_ name: StaticString, _ count: Int, line: StaticString? = nil) -> Self {
    Self(name, .text(count), line)
  }
  static func secret(_ name: StaticString, _ count: Int, line: StaticString? = nil) -> Self {
    Self(name, .secret(count), line)
  }
  static func optionalSecret(_ name: StaticString, _ count: Int) -> Self {
    Self(name, .optionalSecret(count), nil)
  }
  static func countedSecret(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .countedSecret, line)
  }
  static func advertisingData(
    _ name: StaticString, field: Int = 0, line: StaticString? = nil
  ) -> Self {
    Self(name, .advertisingData(field), line)
  }
  static func list(_ name: StaticString, _ items: [HCIParameter]) -> Self {
    Self(name, .list, nil, items: items)
  }
}

extension HCIParameter: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.name.isEqual(to: right.name) && left.kind == right.kind
      && left.line?.description == right.line?.description && left.items == right.items
  }
}

/// One command or event: its code, name and parameters.
package struct HCIRow: Sendable {
  /// Opcode, event code or subevent code.
  package let code: UInt16
  /// The specification's name without its prefix: `LE Create Connection`.
  package let name: StaticString
  /// The parameters in order, or nil where they are shown as bytes.
  package let parameters: [HCIParameter]?
  /// Of a command: the return parameters of its Command Complete, beginning with Status; nil where
  /// those after Status are shown as bytes.
  package let returns: [HCIParameter]?

  /// A row of a command table.
  static func command(
    _ opcode: UInt16, _ name: StaticString, _ parameters: [HCIParameter]? = nil,
    returns: [HCIParameter]? = nil
  ) -> Self {
    Self(code: opcode, name: name, parameters: parameters, returns: returns)
  }
  /// A row of the table of events, or of the LE Meta subevents.
  static func event(_ code: UInt16, _ name: StaticString, _ parameters: [HCIParameter]? = nil)
    -> Self
  {
    Self(code: code, name: name, parameters: parameters, returns: nil)
  }
}
