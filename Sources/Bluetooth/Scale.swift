/// The conversion of a raw number to a quantity: raw × `multiplier` / 10^`decimals`, in `unit`.
///
/// Scaling uses integers, so that 0x001e intervals are exactly 37.5 ms.
package struct Scale: Sendable, Equatable {
  // Small in memory, since every field of the HCI tables carries one.
  private let factor: Int16
  private let places: Int8
  private let none: Int32?
  /// The meaning of raw values next to the largest one.
  private let special: Special
  package let unit: Unit

  /// The factor by which raw values are multiplied.
  package var multiplier: Int { Int(factor) }
  /// The number of decimals of the product.
  package var decimals: Int { Int(places) }
  /// The raw value that means "not available", if there is one.
  package var absent: Int? { none.map { Int($0) } }
  /// The raw value that means a power level not managed by the remote device, if there is one.
  package var unmanaged: Int? { special == .unmanaged ? 126 : nil }

  /// Raw values that are not quantities.
  package enum Special: Sendable {
    case none
    /// 126 is a power level that the remote device does not manage.
    case unmanaged
    /// 126 and 127 are the transmitter's minimum and maximum.
    case extremes
    /// A received signal is −127 to 20 dBm (Core, Vol 4, Part E, 7.7.65.2).
    case signal
  }

  /// Returns the meaning of a raw value that is not a quantity; nil for all others.
  package func word(of raw: Int) -> StaticString? {
    switch (special, raw) {
    case (.unmanaged, 126): "unmanaged"
    case (.extremes, 126): "minimum"
    case (.extremes, 127): "maximum"
    default: nil
    }
  }

  /// Returns whether a raw value is outside the range that the specification allows.
  package func isInvalid(_ raw: Int) -> Bool {
    special == .signal && raw != absent && !Self.signals.contains(raw)
  }

  /// The signal strengths that a controller can report, in dBm.
  package static let signals = -127...20

  /// The units of HCI's quantities.
  package enum Unit: UInt8, Sendable {
    case milliseconds, microseconds, seconds, decibelMilliwatts, decibels, meters, kilometers
    case hertz, percent
    /// Hundredths of a ppm, in a key that does not name the unit.
    case hundredthsOfPPM
    /// Bytes, in a key that already contains octets or length.
    case octets
    /// Channel credits, in a key that already contains credits.
    case credits

    /// The symbol after a number: "ms".
    package var symbol: StaticString {
      switch self {
      case .milliseconds: "ms"
      case .microseconds: "µs"
      case .seconds: "s"
      case .decibelMilliwatts: "dBm"
      case .decibels: "dB"
      case .meters: "m"
      case .kilometers: "km"
      case .hertz: "Hz"
      case .percent: "%"
      case .hundredthsOfPPM: "× 0.01 ppm"
      case .octets: "bytes"
      case .credits: "credits"
      }
    }

    /// The suffix of a JSON key: "_ms" in `interval_ms`.
    package var suffix: StaticString {
      switch self {
      case .milliseconds: "_ms"
      case .microseconds: "_us"
      case .seconds: "_s"
      case .decibelMilliwatts: "_dbm"
      case .decibels: "_db"
      case .meters: "_m"
      case .kilometers: "_km"
      case .hertz: "_hz"
      case .percent: "_percent"
      case .octets, .credits, .hundredthsOfPPM: ""
      }
    }
  }

  /// Creates a custom scale.
  package init(
    _ multiplier: Int, decimals: Int = 0, _ unit: Unit, absent: Int? = nil,
    _ special: Special = .none
  ) {
    self.special = special
    factor = Int16(multiplier)
    places = Int8(decimals)
    self.unit = unit
    none = absent.map { Int32($0) }
  }

  /// Baseband slots: n × 0.625 ms.
  package static let slots = Self(625, decimals: 3, .milliseconds)
  /// Connection intervals: n × 1.25 ms.
  package static let interval = Self(125, decimals: 2, .milliseconds)
  /// Connection intervals; 0 means none.
  package static let intervalOrNone = Self(125, decimals: 2, .milliseconds, absent: 0)
  /// Connection intervals; 0xffff means any.
  package static let intervalOrAny = Self(125, decimals: 2, .milliseconds, absent: 0xffff)
  /// Finer intervals: n × 0.125 ms.
  package static let finerInterval = Self(125, decimals: 3, .milliseconds)
  /// Clock ticks: n × 0.3125 ms; 0xffff means unknown.
  package static let halfSlots = Self(3125, decimals: 4, .milliseconds, absent: 0xffff)
  /// Timeouts: n × 10 ms.
  package static let timeout = Self(10, .milliseconds)
  /// n × 1 ms.
  package static let milliseconds = Self(1, .milliseconds)
  /// n × 200 ms.
  package static let fifthsOfSecond = Self(200, .milliseconds)
  /// Times between packets: n × 0.001 ms.
  package static let latency = Self(1, decimals: 3, .milliseconds)
  /// n × 1 µs.
  package static let microseconds = Self(1, .microseconds)
  /// n × 1 s.
  package static let seconds = Self(1, .seconds)
  /// n × 1 s; 0 means that no time is given.
  package static let secondsOrNone = Self(1, .seconds, absent: 0)
  /// n × 1.28 s (inquiry).
  package static let inquiry = Self(128, decimals: 2, .seconds)
  /// n × 1 dBm.
  package static let dBm = Self(1, .decibelMilliwatts)
  /// n × 1 dBm; 127 means not available.
  package static let dBmOrNone = Self(1, .decibelMilliwatts, absent: 127)
  /// A received signal strength: n × 1 dBm; 127 means not available.
  package static let signal = Self(1, .decibelMilliwatts, absent: 127, .signal)
  /// n × 1 dBm; 127 means not available, and 126 that the remote device does not manage its power
  /// on the PHY.
  package static let dBmIfManaged = Self(1, .decibelMilliwatts, absent: 127, .unmanaged)
  /// n × 1 dBm in a transmitter test; 126 is the minimum, 127 the maximum (Core, Vol 4, Part E,
  /// 7.8.29).
  package static let dBmOrExtreme = Self(1, .decibelMilliwatts, .extremes)
  /// A change by n × 1 dB; −128 means no recommendation (7.8.137).
  package static let dBOrNoRecommendation = Self(1, .decibels, absent: -128)
  /// n × 0.01 ppm; 0xc000 means not available (7.7.65.44).
  package static let frequencyCompensation = Self(1, .hundredthsOfPPM, absent: -0x4000)
  /// n × 0.1 dBm.
  package static let tenthsOfDBm = Self(1, decimals: 1, .decibelMilliwatts)
  /// n × 1 dB; 255 means not available.
  package static let dBOrNone = Self(1, .decibels, absent: 255)
  /// A change by n × 1 dB; 127 means not available.
  package static let dBChangeOrNone = Self(1, .decibels, absent: 127)
  /// n × 1 dB.
  package static let dB = Self(1, .decibels)
  /// n × 0.1 dB.
  package static let tenthsOfDB = Self(1, decimals: 1, .decibels)
  /// n × 0.1 m.
  package static let decimeters = Self(1, decimals: 1, .meters)
  /// n %.
  package static let percent = Self(1, .percent)
  /// n bytes.
  package static let octets = Self(1, .octets)
  /// n credits.
  package static let credits = Self(1, .credits)
}
