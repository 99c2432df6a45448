// The content of a packet, field by field. `Details` passes the fields, and a sink writes them as
// JSON or as text, so that the two formats cannot differ in content.

package import Bluetooth
package import Bytes
package import Decoders
package import Dissectors
package import Meanings
import Sessions

/// Writes fields. Keys are the specification's names or those of the JSON contract; a sink converts
/// them to its own style.
package protocol FieldSink: FieldVisitor, ~Copyable {
  /// Sets the position of the next field's (or object's) bytes, counted like the slices of a
  /// dissection.
  mutating func at(_ offset: Int, _ count: Int)
  /// Whether fields without information are written, too: lengths that follow from other fields,
  /// and quantities that are not available.
  static var writesAll: Bool { get }
  /// Whether the request that a packet answers, and its latency, are written. Those of signalling
  /// commands, of which a packet may have several, always are.
  var writesAnswers: Bool { get }
  /// Begins an object within the current one.
  mutating func begin(_ key: StaticString)
  /// Ends the current object.
  mutating func end()
  /// Writes a number that counts something.
  mutating func number(_ key: StaticString, _ value: Int)
  /// Writes a number with decimals: `value` / 10^`decimals`.
  mutating func fixed(_ key: StaticString, _ value: Int, decimals: Int)
  /// Writes a quantity.
  mutating func quantity(_ key: StaticString, _ value: Int, _ scale: Scale)
  /// Writes an identifier: `0x` and digits.
  mutating func identifier(_ key: StaticString, _ value: UInt64, digits: Int)
  /// Writes a code that may have a name.
  mutating func code(_ key: StaticString, _ value: UInt64, digits: Int, _ name: AssignedName?)
  /// Writes why a request was refused; `name` is the result of `errorName`.
  mutating func error(_ key: StaticString, _ error: ATTErrorCode, _ name: [UInt8]?)
  /// Returns the name of an attribute's error in a profile, or nil if none names it.
  mutating func errorName(_ error: ATTErrorCode, of subject: ErrorSubject?) -> [UInt8]?
  /// Writes a code whose name is in the Assigned Numbers, if it has one.
  mutating func code(_ key: StaticString, _ value: UInt64, digits: Int, assigned: AssignedName?)
  /// Writes bits, of which those that are set may have names.
  mutating func flags(_ key: StaticString, _ value: UInt64, digits: Int, _ set: CodeSet)
  mutating func bytes(_ key: StaticString, _ bytes: RawSpan)
  /// Writes a string from the capture.
  mutating func string(_ key: StaticString, _ bytes: RawSpan)
  /// Writes a string of two pieces: one from the Assigned Numbers and one from the capture.
  mutating func string(_ key: StaticString, _ start: AssignedName?, _ rest: RawSpan)
  /// Writes one of a few constant words.
  mutating func word(_ key: StaticString, _ word: StaticString)
  /// Writes the name of a code.
  mutating func name(_ key: StaticString, _ name: AssignedName)
  /// Writes a Boolean value.
  mutating func flag(_ key: StaticString, _ value: Bool)
  mutating func address(_ key: StaticString, _ address: DeviceAddress)
  mutating func uuid(_ key: StaticString, _ uuid: BluetoothUUID)
  /// Writes a UUID under `uuid`, and its name or the company that registered it, if known.
  mutating func namedUUID(_ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse?)
  /// Writes a number that users compare or type: six digits.
  mutating func sixDigits(_ key: StaticString, _ value: Int)
  /// Writes that a secret is present but not shown, with its length in bytes.
  mutating func hidden(_ key: StaticString, _ count: Int)
  /// Writes a handle as an element of a list.
  mutating func element(handle: UInt16)
  /// Writes consecutive UUIDs of one width; bytes that do not form a complete one are left to the
  /// data.
  mutating func uuids(_ key: StaticString, _ list: RawSpan, width: Int)
  mutating func packets(_ key: StaticString, _ packets: ArraySlice<Int>)
  /// Writes the words for the bits that are set.
  mutating func words(_ key: StaticString, bits: Int, of count: Int, _ word: (Int) -> StaticString)
  mutating func beginList(_ key: StaticString)
  /// Begins a list of the AD structures in the parameter `name`; there may be several such
  /// parameters.
  mutating func beginStructures(of name: StaticString)
  /// Writes how a profile decodes a value, service data or manufacturer data, and returns whether
  /// one does.
  @discardableResult
  mutating func decoded(_ kind: Subject.Kind, _ uuid: BluetoothUUID, _ data: RawSpan) -> Bool
  /// Whether secrets are shown.
  var showsKeys: Bool { get }
  /// Writes the remembered text of a connection, or returns false if it was not remembered.
  mutating func repeats(_ connection: ConnectionState) -> Bool
  /// Remembers what was written since `repeats` returned false.
  mutating func remember(_ connection: ConnectionState)
  /// Whether advertising data is always hidden because it is a part of data that contains a secret.
  var hidesAdvertising: Bool { get set }
  /// The device that sends the current advertising data.
  var advertiser: KnownAdvertiser { get set }
  /// Whether the structures of advertising data are written in place: not for reports, which list
  /// them beside their event.
  var writesStructures: Bool { get set }
}

extension FieldSink where Self: ~Copyable {
  /// Does nothing, for sinks that do not show positions of bytes.
  package mutating func at(_ offset: Int, _ count: Int) {}

  package static var writesAll: Bool { false }
  package var writesAnswers: Bool { true }

  package mutating func beginList(_ name: StaticString, ofDevices: Bool) { beginList(name) }

  package mutating func repeats(_ connection: ConnectionState) -> Bool { false }

  package mutating func remember(_ connection: ConnectionState) {}

  /// Writes a parameter of a command or event.
  package mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    if case .number(let number, let width, let form) = value {
      field(name, line: line, number: number, width: width, form, bytes, at: slice)
      return
    }
    at(Int(slice.start), Int(slice.count))
    switch value {
    case .number: break
    case .address(let address, _): self.address(name, address)
    case .bytes: self.bytes(name, bytes)
    case .uuid(let uuid): self.uuid(name, uuid)
    case .advertisingData:
      let isSecret =
        hidesAdvertising
        || ADStructures.holdSecret(bytes, Slice(start: 0, count: bytes.byteCount))
      if isSecret && !showsKeys { hidden(name, bytes.byteCount) } else { self.bytes(name, bytes) }
      if writesStructures, bytes.byteCount > 0 {
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

  package mutating func field(
    _ name: StaticString, line: StaticString?, number: Int64, width: Int,
    _ form: Parameter.Form, _ bytes: RawSpan, at slice: Slice
  ) {
    if case .scaled(let scale) = form {
      let isAbsent = scale.absent == Int(number)
      if isAbsent && !Self.writesAll { return }
      if let word = isAbsent ? "none" : scale.word(of: Int(number)) {
        at(Int(slice.start), Int(slice.count))
        self.word(name, word)
        return
      }
      if scale.isInvalid(Int(number)) {
        at(Int(slice.start), Int(slice.count))
        invalid(name, Int(number))
        return
      }
    }
    at(Int(slice.start), Int(slice.count))
    self.number(name, number, width: width, form)
  }

  /// Writes a number that is not a possible value of its field, without a unit.
  mutating func invalid(_ key: StaticString, _ value: Int) {
    begin(key)
    number("invalid", value)
    end()
  }

  package mutating func sixDigits(_ key: StaticString, _ value: Int) { number(key, value) }

  /// Writes that the server is the local side.
  mutating func server(_ vantage: Vantage) {
    word("server", vantage == .air ? Side.local.key(.air) : "local")
  }

  /// Writes a UUID whose use is unknown.
  mutating func namedUUID(_ uuid: BluetoothUUID) { namedUUID(uuid, as: nil) }

  private mutating func number(
    _ name: StaticString, _ value: Int64, width: Int, _ form: Parameter.Form
  ) {
    let raw = UInt64(bitPattern: value)
    let digits = 2 * width
    switch form {
    case .plain, .identifier: number(name, Int(value))
    case .sixDigits: sixDigits(name, Int(value))
    case .hex, .diversifier: identifier(name, raw, digits: digits)
    case .handle: identifier(name, raw, digits: digits)
    case .code(let set): code(name, raw, digits: digits, set.name(of: raw))
    case .assigned(let numbers):
      code(name, raw, digits: digits, assigned: numbers.name(of: raw))
    case .flags(let set): flags(name, raw, digits: digits, set)
    case .scaled(let scale): quantity(name, Int(value), scale)
    case .opcode:
      let row = PDUTable.core.command(UInt16(truncatingIfNeeded: raw))
      code(name, raw, digits: 4, row?.name)
    case .controlOpcode:
      let row = PDUTable.core.controlCommand(UInt16(truncatingIfNeeded: raw))
      code(name, raw, digits: 4, row?.name)
    case .controlEvent:
      let row = PDUTable.core.controlEvent(UInt16(truncatingIfNeeded: raw))
      code(name, raw, digits: 4, row?.name)
    case .linkOpcode:
      let opcode = LinkOpcode(rawValue: UInt8(truncatingIfNeeded: raw))
      code(name, raw, digits: 2, opcode.name)
    }
  }
}
