// Short phrases used in several lines.

package import Bytes

extension Output {
  /// Appends a quantity with its unit: `37.5 ms`.
  package mutating func quantity(_ value: Int, _ scale: Scale) {
    fixed(value &* scale.multiplier, decimals: scale.decimals)
    unit(scale.unit, of: value &* scale.multiplier)
  }

  /// Appends a unit after its number, which is `value` without its decimals.
  package mutating func unit(_ unit: Scale.Unit, of value: Int) {
    byte(0x20)
    switch unit {
    case .octets where value == 1: text("byte")
    case .credits where value == 1: text("credit")
    default: text(unit.symbol)
    }
  }

  /// Appends a number of things: `1 byte`, `2 bytes`.
  package mutating func count(_ number: Int, _ one: StaticString, _ several: StaticString) {
    decimal(number)
    byte(0x20)
    text(number == 1 ? one : several)
  }

  /// Appends a code's name followed by the code, `Connection Timeout (0x08)`, or only the code.
  package mutating func named(_ name: AssignedName?, _ code: UInt64, digits: Int) {
    if let name {
      self.name(name)
      text(" (")
    }
    hexadecimal(code, digits: digits)
    if name != nil { byte(0x29) }
  }

  /// Appends an assigned number followed by its name: `0x0059 Nordic Semiconductor ASA`.
  package mutating func assigned(_ name: AssignedName?, _ number: UInt64, digits: Int) {
    hexadecimal(number, digits: digits)
    guard let name else { return }
    byte(0x20)
    self.name(name)
  }

  /// Appends a UUID followed by its name, `180d Heart Rate`, or by the organization that registered
  /// it, `feaa (registered: Google LLC)`, since other organizations use such UUIDs too. Those that
  /// many gadgets of others use have no organization.
  ///
  /// - Parameter isAsSent: whether it keeps its width.
  package mutating func namedUUID(
    _ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse? = nil, isAsSent: Bool = false
  ) {
    self.uuid(isAsSent ? uuid : uuid.shortest)
    meaning(of: uuid, as: use)
  }

  /// Appends the name of a UUID or the organization that registered it, preceded by a blank.
  ///
  /// - Parameter isFitting: whether more than the number speaks for that organization.
  package mutating func meaning(
    of uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse? = nil, isFitting: Bool = false
  ) {
    if let name = uuid.name(as: use) {
      byte(0x20)
      self.name(name)
    } else if isFitting || !uuid.isSquatted, let registrant = uuid.registrant {
      text(" (registered: ")
      name(registrant)
      byte(0x29)
    }
  }

  /// Appends the protocol of an L2CAP channel: `AVDTP (0x0019)`, `PSM 0x1001`, `SPSM 0x0080`.
  package mutating func service(_ psm: PSM) {
    if psm.name == nil { text(psm.isSimplified ? "SPSM " : "PSM ") }
    named(psm.name, UInt64(psm.rawValue), digits: 4)
  }

  /// Appends the names of the set bits after `opening`, separated by commas; bits without a name
  /// are shown by number. Returns false if none is set and nothing was appended.
  package mutating func names(_ value: UInt64, _ set: CodeSet, opening: StaticString = "") -> Bool {
    var rest = value
    guard rest != 0 else { return false }
    text(opening)
    var isFirst = true
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      if !isFirst { text(", ") }
      isFirst = false
      if let name = set.name(of: UInt64(bit)) {
        self.name(name)
      } else {
        text("bit ")
        decimal(bit)
      }
    }
    return true
  }

  /// Appends a captured string in quotes, without trailing zeros: many devices send C's terminating
  /// zero, or pad with zeros.
  package mutating func quoted(_ bytes: RawSpan) {
    byte(0x22)
    printable(bytes.withoutZeros, isQuoted: true)
    byte(0x22)
  }

  /// Appends two parts of a string in quotes, the first from the Assigned Numbers.
  package mutating func quoted(_ start: AssignedName?, _ rest: RawSpan) {
    byte(0x22)
    if let start { name(start) }
    printable(rest, isQuoted: true)
    byte(0x22)
  }

  /// Appends UUIDs of one width with their names, separated by commas. A run of the same UUID is
  /// shown once.
  package mutating func uuids(_ list: RawSpan, width: Int, areAsSent: Bool = false) {
    var cursor = Cursor(list)
    var last: BluetoothUUID?
    var times = 0
    while cursor.remaining >= width, let uuid = try? BluetoothUUID(parsing: &cursor, width: width) {
      if uuid == last {
        times += 1
        continue
      }
      self.times(times)
      if last != nil { text(", ") }
      last = uuid
      times = 1
      namedUUID(uuid, isAsSent: areAsSent)
    }
    self.times(times)
  }

  private mutating func times(_ times: Int) {
    guard times > 1 else { return }
    text(" (")
    decimal(times)
    text(" times)")
  }

  /// Appends a controller's address; all zeros mean that it has none (yet).
  package mutating func addressOrNone(_ address: DeviceAddress) {
    if address == .zero { text("no address") } else { self.address(address) }
  }

  /// Appends the contents of this buffer to another one, in ASCII only.
  package func copyASCII(into other: inout Output) { other.ascii(bytes) }

  /// Appends finished text in ASCII only. Symbols of units and punctuation become what one would
  /// type for them, and other characters in names become `\u{…}`. In quoted text from a device, all
  /// characters remain distinguishable.
  package mutating func ascii(_ bytes: RawSpan) {
    var offset = 0
    var isQuoted = false
    while true {
      let end = bytes.endOfASCII(from: offset)
      raw(bytes.part(Slice(start: offset, count: end - offset)))
      guard end < bytes.byteCount else { return }
      for place in offset..<end where bytes.byte(at: place) == 0x22 { isQuoted.toggle() }
      offset = end
      switch bytes.textUnit(at: offset) {
      case .scalar(let scalar, let count):
        let next = offset + count < bytes.byteCount ? bytes.byte(at: offset + count) : 0
        if let sign = isQuoted ? nil : Self.typed(scalar, before: next) {
          text(sign)
        } else {
          text("\\u{")
          string(String(scalar, radix: 16))
          byte(0x7d)
        }
        offset += count
      case .invalid(let value):
        text("\\x")
        hex(value)
        offset += 1
      }
    }
  }

  /// Returns the ASCII text for a symbol of a unit or punctuation; nil for other characters.
  private static func typed(_ scalar: UInt32, before next: UInt8) -> StaticString? {
    switch scalar {
    // For temperatures the letter suffices; otherwise it is an angle.
    case 0xb0: next == 0x43 || next == 0x46 ? "" : "deg"
    case 0xb2: "2"
    case 0xb3: "3"
    case 0xb5, 0x3bc: "u"
    case 0xb7: "."
    case 0xd7: "x"
    case 0x2013, 0x2212: "-"
    case 0x2026: "..."
    case 0x2126, 0x3a9: "ohm"
    case 0x2190: "<-"
    case 0x2192: "->"
    case 0x21d2: "=>"
    // Bars of a diagram.
    case 0x2581: "_"
    case 0x2582: "-"
    case 0x2585: "="
    case 0x2588: "#"
    default: nil
    }
  }

  /// Appends `#` and a packet number.
  package mutating func packet(_ number: Int) {
    byte(0x23)
    decimal(number)
  }

  /// Appends a silence of at least half a second in at most six columns: `510 ms`, `1.0 s`, `12 s`,
  /// `3.5 h`.
  package mutating func gap(nanoseconds: Int64) {
    let second: Int64 = 1_000_000_000
    let hour = 3600 * second
    let day = 24 * hour
    switch nanoseconds {
    case ..<(second - 500_000): rounded(nanoseconds, by: second / 1000, " ms")
    case ..<(10 * second - second / 20): rounded(nanoseconds, by: second / 10, decimals: 1, " s")
    case ..<(2 * hour): rounded(nanoseconds, by: second, " s")
    case ..<(100 * hour - hour / 20): rounded(nanoseconds, by: hour / 10, decimals: 1, " h")
    case ..<(1000 * hour): rounded(nanoseconds, by: hour, " h")
    case ..<(1000 * day): rounded(nanoseconds, by: day, " d")
    default: rounded(nanoseconds, by: 365 * day, " y")
    }
  }

  private mutating func rounded(
    _ value: Int64, by step: Int64, decimals: Int = 0, _ unit: StaticString
  ) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: step)
    fixed(Int(quotient) + (remainder >= step - remainder ? 1 : 0), decimals: decimals, trim: false)
    text(unit)
  }

  /// Appends a duration given in nanoseconds, in a suitable unit: `4.5 ms`, `1.0 s`.
  package mutating func duration(nanoseconds: Int64) {
    let magnitude = nanoseconds.magnitude
    if nanoseconds < 0 { byte(0x2d) }
    if magnitude < 999_950_000 {
      let tenths = (magnitude + 50_000) / 100_000
      fixed(Int(tenths), decimals: 1)
      text(" ms")
    } else if magnitude < 99_950_000_000 {
      fixed(Int((magnitude + 50_000_000) / 100_000_000), decimals: 1, trim: false)
      text(" s")
    } else if magnitude < 7_200_000_000_000 {
      decimal(UInt((magnitude + 500_000_000) / 1_000_000_000))
      text(" s")
    } else {
      fixed(Int((magnitude + 180_000_000_000) / 360_000_000_000), decimals: 1, trim: false)
      text(" h")
    }
  }
}
