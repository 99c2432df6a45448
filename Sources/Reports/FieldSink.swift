// What a packet holds, told field by field. `Details` tells; a sink writes it as JSON or as text for
// people, so that the two faces cannot say different things.

import Bluetooth
import Bytes
import Decoders
import Diagnosis
import Dissectors

/// Something that writes fields. Keys are the specification's names or the JSON contract's; a sink
/// turns them into its own style.
protocol FieldSink: HCIFieldVisitor, ~Copyable {
  /// Where the bytes of the field (or object) told next lie: counted as the slices of a dissection are.
  mutating func at(_ offset: Int, _ count: Int)
  /// Whether what says nothing is told, too: lengths of what is told anyway, quantities that are not
  /// available.
  static var tellsAll: Bool { get }
  /// An object begins that belongs to the one around it.
  mutating func begin(_ key: StaticString)
  /// The object ends.
  mutating func end()
  /// A number that counts.
  mutating func number(_ key: StaticString, _ value: Int)
  /// A number with decimals: `value` / 10^`decimals`.
  mutating func fixed(_ key: StaticString, _ value: Int, decimals: Int)
  /// A quantity.
  mutating func quantity(_ key: StaticString, _ value: Int, _ scale: Scale)
  /// An identifier: `0x` and digits.
  mutating func identifier(_ key: StaticString, _ value: UInt64, digits: Int)
  /// A code that may have a name.
  mutating func code(_ key: StaticString, _ value: UInt64, digits: Int, _ name: StaticString?)
  /// Why a request was refused; `name` is what `errorName` gave.
  mutating func error(_ key: StaticString, _ error: ATTErrorCode, _ name: [UInt8]?)
  /// What a profile calls an error of an attribute; nil where none has a name for it.
  mutating func errorName(_ error: ATTErrorCode, of subject: ErrorSubject?) -> [UInt8]?
  /// A code whose name stands in the Assigned Numbers, if it has one.
  mutating func code(_ key: StaticString, _ value: UInt64, digits: Int, assigned: AssignedName?)
  /// Bits, of which those that are set may have names.
  mutating func flags(_ key: StaticString, _ value: UInt64, digits: Int, _ set: CodeSet)
  /// Bytes.
  mutating func bytes(_ key: StaticString, _ bytes: RawSpan)
  /// A string from the capture.
  mutating func string(_ key: StaticString, _ bytes: RawSpan)
  /// A string of two pieces: one that the Assigned Numbers have, one from the capture.
  mutating func string(_ key: StaticString, _ start: AssignedName?, _ rest: RawSpan)
  /// One of a few constant words.
  mutating func word(_ key: StaticString, _ word: StaticString)
  /// Yes or no.
  mutating func flag(_ key: StaticString, _ value: Bool)
  /// A device address.
  mutating func address(_ key: StaticString, _ address: DeviceAddress)
  /// A UUID.
  mutating func uuid(_ key: StaticString, _ uuid: BluetoothUUID)
  /// A UUID under `uuid`, and what it stands for or who registered it, where that is known.
  mutating func namedUUID(_ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse?)
  /// Tells a number that people compare or type: six digits.
  mutating func sixDigits(_ key: StaticString, _ value: Int)
  /// Something secret that is there, with its length in bytes, but not shown.
  mutating func hidden(_ key: StaticString, _ count: Int)
  /// A handle that is an element of a list.
  mutating func element(handle: UInt16)
  /// UUIDs of one width, one behind the other; bytes that make no whole one are left to the data.
  mutating func uuids(_ key: StaticString, _ list: RawSpan, width: Int)
  /// Packet numbers.
  mutating func packets(_ key: StaticString, _ packets: ArraySlice<Int>)
  /// Words of which those at set bits apply.
  mutating func words(_ key: StaticString, bits: Int, of count: Int, _ word: (Int) -> StaticString)
  /// A list of the AD structures in the parameter `name` begins: there may be several such parameters.
  mutating func beginStructures(of name: StaticString)
  /// What a profile makes of a value, or of service data or manufacturer data; gives whether there is one.
  @discardableResult
  mutating func decoded(_ kind: Subject.Kind, _ uuid: BluetoothUUID, _ data: RawSpan) -> Bool
  /// Whether secrets are to be shown.
  var showsKeys: Bool { get }
  /// Writes the connection as the last time, if that was remembered; false where it was not.
  mutating func repeats(_ connection: ConnectionState) -> Bool
  /// Remembers what was written since `repeats` said no.
  mutating func remember(_ connection: ConnectionState)
  /// Whether advertising data is hidden whatever it looks like: it is a part of more, which holds a
  /// secret.
  var hidesAdvertising: Bool { get set }
  /// Who sends the advertising data that is told.
  var advertiser: OwnAddress { get set }
  /// Whether the structures of advertising data are told where it stands: not in reports, which tell
  /// them beside their event.
  var tellsStructures: Bool { get set }
}

extension FieldSink where Self: ~Copyable {
  /// Nothing, for sinks that do not tell where bytes lie.
  mutating func at(_ offset: Int, _ count: Int) {}

  static var tellsAll: Bool { false }

  mutating func repeats(_ connection: ConnectionState) -> Bool { false }

  mutating func remember(_ connection: ConnectionState) {}

  /// A parameter of a command or event.
  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: HCIValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    if case .number(let number, let width, let form) = value {
      field(name, line: line, number: number, width: width, form, bytes, at: slice)
      return
    }
    at(Int(slice.start), Int(slice.count))
    switch value {
    case .number: break
    case .address(let address): self.address(name, address)
    case .bytes: self.bytes(name, bytes)
    case .uuid(let uuid): self.uuid(name, uuid)
    case .advertisingData:
      let isSecret =
        hidesAdvertising
        || ADStructures.holdSecret(bytes, Slice(start: 0, count: bytes.byteCount))
      if isSecret && !showsKeys { hidden(name, bytes.byteCount) } else { self.bytes(name, bytes) }
      if tellsStructures, bytes.byteCount > 0 {
        Details.structures(
          of: name, bytes, Slice(start: 0, count: bytes.byteCount), placedAt: Int(slice.start),
          to: &self)
      }
    case .advertisingFragment where bytes.byteCount == 0: self.bytes(name, bytes)
    case .text: string(name, bytes)
    case .secret, .advertisingFragment:
      if showsKeys { self.bytes(name, bytes) } else { hidden(name, bytes.byteCount) }
    }
  }

  mutating func field(
    _ name: StaticString, line: StaticString?, number: Int64, width: Int,
    _ form: HCIParameter.Form, _ bytes: RawSpan, at slice: Slice
  ) {
    if case .scaled(let scale) = form {
      let isAbsent = scale.absent == Int(number)
      if isAbsent && !Self.tellsAll { return }
      if let word = isAbsent ? "none" : scale.word(of: Int(number)) {
        at(Int(slice.start), Int(slice.count))
        self.word(name, word)
        return
      }
    }
    at(Int(slice.start), Int(slice.count))
    self.number(name, number, width: width, form)
  }

  mutating func sixDigits(_ key: StaticString, _ value: Int) { number(key, value) }

  /// The same of something of which only its UUID is known.
  mutating func namedUUID(_ uuid: BluetoothUUID) { namedUUID(uuid, as: nil) }

  private mutating func number(
    _ name: StaticString, _ value: Int64, width: Int, _ form: HCIParameter.Form
  ) {
    let raw = UInt64(bitPattern: value)
    let digits = 2 * width
    switch form {
    case .plain: number(name, Int(value))
    case .sixDigits: sixDigits(name, Int(value))
    case .hex: identifier(name, raw, digits: digits)
    case .handle: identifier(name, raw, digits: digits)
    case .code(let set): code(name, raw, digits: digits, set.name(of: raw))
    case .assigned(let numbers):
      code(name, raw, digits: digits, assigned: numbers.name(of: raw))
    case .flags(let set): flags(name, raw, digits: digits, set)
    case .scaled(let scale): quantity(name, Int(value), scale)
    case .opcode:
      let row = HCITable.core.command(UInt16(truncatingIfNeeded: raw))
      code(name, raw, digits: 4, row.map { $0.name })
    case .controlOpcode:
      let row = HCITable.core.controlCommand(UInt16(truncatingIfNeeded: raw))
      code(name, raw, digits: 4, row.map { $0.name })
    case .controlEvent:
      let row = HCITable.core.controlEvent(UInt16(truncatingIfNeeded: raw))
      code(name, raw, digits: 4, row.map { $0.name })
    }
  }
}
