import Bluetooth
import Bytes
import Cryptography
import Dissectors

/// The encryption of a connection on the air, as it proceeds (Core, Vol 6, Part B, 5.1.3; Part E).
struct LinkSecurity: Sendable {
  enum State: Sendable {
    /// Nothing is encrypted.
    case clear
    /// The opening is missing: it may be encrypted.
    case unknown
    /// LL_ENC_REQ was heard.
    case requested
    /// LL_ENC_RSP was heard, too: what does not start or refuse encryption is encrypted.
    case answered
    /// LL_START_ENC_REQ was heard, or a PDU was decrypted.
    case encrypted
    /// It was encrypted on the air, and is plain in the capture.
    case plain
  }

  var state = State.clear
  /// The key that fits.
  private(set) var cipher: LinkCipher?
  /// The number of the next PDU of each side.
  private var counters = InlineArray<2, UInt64>(repeating: 0)
  /// PDUs in a row that were not decrypted although the key had fitted before.
  private(set) var failures = 0
  /// The events that were missed since the last decrypted PDU of each side.
  private var missedEvents = InlineArray<2, Int>(repeating: 0)
  /// PDUs for which keys were tried.
  private var attempts = 0
  /// Decryptions that were tried and failed.
  private var tries = 0

  /// Keys are tried for this many PDUs of a period.
  private static let mostAttempts = 8
  /// Up to this many counters after the expected one are tried, and as many more for each missed
  /// event as below; four times as many after each failure, up to 64 times.
  private static let window: UInt64 = 64
  private static let windowOfEvent: UInt64 = 4
  private static let mostWindow: UInt64 = 65_536
  private static let shortWindow: UInt64 = 8
  /// Failed decryptions of a connection after which only a short window is tried.
  private static let mostTries = 1_000_000
  /// After this many PDUs in a row that do not fit, the key is given up.
  static let mostFailures = 8

  /// A PDU that was decrypted: the side that sent it, its counter, and how many PDUs of that side
  /// were missed before it.
  struct Plain: Sendable {
    var direction: Direction
    var counter: UInt64
    var missed: UInt64
  }

  /// Begins a new period, with another session key.
  mutating func begin() {
    cipher = nil
    counters = InlineArray(repeating: 0)
    missedEvents = InlineArray(repeating: 0)
    failures = 0
    attempts = 0
  }

  /// Records that events were missed: each may have had several PDUs of both sides.
  mutating func miss(events: Int) {
    for side in missedEvents.indices { missedEvents[side] &+= events }
  }

  /// Whether keys are still to be tried.
  var mayTryKeys: Bool {
    cipher == nil && attempts < Self.mostAttempts && tries < Self.mostTries
  }

  /// Counts a PDU for which keys are tried, and returns how many counters are to be tried.
  mutating func nextAttempt() -> UInt64 {
    attempts += 1
    return attempts == 1 ? 4 : Self.window
  }

  /// Tries a key with one PDU, and keeps it if it fits.
  mutating func keep(
    _ cipher: LinkCipher, if fits: borrowing EncryptedPDU, window: UInt64,
    into buffer: inout BlockBuffer
  ) -> Plain? {
    for side in [fits.direction, fits.direction.reversed] {
      tries &+= Int(window)
      for counter in 0..<window where fits.decrypt(cipher, side, counter, into: &buffer) {
        self.cipher = cipher
        failures = 0
        counters = InlineArray(repeating: 0)
        counters[Int(side.rawValue)] = counter + 1
        return Plain(direction: side, counter: counter, missed: counter)
      }
    }
    return nil
  }

  /// Decrypts a PDU with the key that fits. The counter is the side's next one; after missed PDUs a
  /// later one, for a PDU that is resent the one before; and the side may be the other one.
  mutating func decrypt(
    _ pdu: borrowing EncryptedPDU, into buffer: inout BlockBuffer
  ) -> Plain? {
    guard let cipher else { return nil }
    let other = pdu.direction.reversed
    if let plain = attempt(cipher, pdu, pdu.direction, 0...0, &buffer) { return plain }
    if let plain = attempt(cipher, pdu, pdu.direction, 1...window(of: pdu.direction), &buffer)
      ?? attempt(cipher, pdu, other, 0...window(of: other), &buffer)
    {
      return plain
    }
    for side in [pdu.direction, other] {
      for back in 1...2 as ClosedRange<UInt64> {
        let next = counters[Int(side.rawValue)]
        guard next >= back else { continue }
        if pdu.decrypt(cipher, side, next - back, into: &buffer) {
          failures = 0
          return Plain(direction: side, counter: next - back, missed: 0)
        }
      }
    }
    failures += 1
    return nil
  }

  /// Returns how many counters after the next one are tried.
  private func window(of side: Direction) -> UInt64 {
    guard tries <= Self.mostTries else { return Self.shortWindow }
    let missed = UInt64(max(0, missedEvents[Int(side.rawValue)]))
    let usual = min(
      Self.mostWindow, Self.window + Self.windowOfEvent * min(Self.mostWindow, missed))
    // Events in which much was sent have more PDUs than that.
    let growth = hasLostKey ? 0 : 2 * min(3, failures)
    return min(Self.mostWindow, usual << UInt64(growth))
  }

  private mutating func attempt(
    _ cipher: LinkCipher, _ pdu: borrowing EncryptedPDU, _ side: Direction,
    _ skipped: ClosedRange<UInt64>, _ buffer: inout BlockBuffer
  ) -> Plain? {
    let next = counters[Int(side.rawValue)]
    for skip in skipped {
      if pdu.decrypt(cipher, side, next + skip, into: &buffer) {
        counters[Int(side.rawValue)] = next + skip + 1
        missedEvents[Int(side.rawValue)] = 0
        failures = 0
        return Plain(direction: side, counter: next + skip, missed: skip)
      }
      tries += 1
    }
    return nil
  }

  /// Whether a key fitted and no longer does.
  var hasLostKey: Bool { cipher != nil && failures >= Self.mostFailures }
}

/// A PDU to decrypt: the first byte of its header, and its payload with the MIC.
struct EncryptedPDU: ~Escapable {
  let header: UInt8
  let payload: RawSpan
  /// The side that seems to have sent it.
  let direction: Direction

  @_lifetime(copy payload)
  init(header: UInt8, payload: RawSpan, direction: Direction) {
    self.header = header
    self.payload = payload
    self.direction = direction
  }

  func decrypt(
    _ cipher: LinkCipher, _ side: Direction, _ counter: UInt64, into buffer: inout BlockBuffer
  ) -> Bool {
    cipher.decrypt(payload, header: header, direction: side, counter: counter, into: &buffer)
  }
}
