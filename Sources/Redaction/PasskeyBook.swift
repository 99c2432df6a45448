import Cryptography

/// Passkeys, the numbers that users compare, and their pseudonyms.
///
/// Bit by bit from the least significant, a pseudonym depends only on the bits so far. So two
/// passkeys that first differ in some round of Secure Connections also do so as pseudonyms, and if
/// only some bits of a passkey are known, these have pseudonyms.
struct PasskeyBook: Sendable {
  private let source: PseudonymSource
  private var known: Set<UInt32> = []
  private var attempt: UInt16 = 0
  /// The replacements of numbers that depend on other values.
  private(set) var derived: [UInt32: UInt32] = [:]

  /// The most attempts to find six-digit pseudonyms for all passkeys; with one passkey, 19 of 20
  /// attempts succeed.
  private static let mostAttempts: UInt16 = 4096
  private static let mostKnown = 256

  init(_ source: PseudonymSource) { self.source = source }

  /// Records a passkey.
  mutating func learn(_ passkey: UInt32) {
    guard SixDigits.all.contains(passkey), known.count < Self.mostKnown else { return }
    known.insert(passkey)
  }

  /// Chooses pseudonyms so that all have six digits, and none is the passkey itself.
  mutating func close() {
    attempt = 0
    while attempt < Self.mostAttempts {
      let isGood = known.allSatisfy {
        let other = permuted($0)
        return SixDigits.all.contains(other) && other != $0
      }
      if isGood { return }
      attempt += 1
    }
  }

  /// The pseudonym of a passkey.
  subscript(passkey: SixDigits) -> SixDigits {
    SixDigits(permuted(passkey.number) % (SixDigits.all.upperBound + 1)) ?? passkey
  }

  /// Returns the pseudonym of a passkey as in HCI and the management interface; a number with more
  /// digits is not a passkey.
  func number(_ passkey: UInt32) -> UInt32 {
    SixDigits(passkey).map { self[$0].number }
      ?? UInt32(
        source.number(.digits, [UInt8](littleEndian: UInt64(passkey), count: 4)) % 1_000_000)
  }

  /// Returns the pseudonym of the bit of round `round`, from 0, of a passkey with these bits before
  /// it.
  func bit(_ bit: UInt8, after bits: UInt32, round: Int) -> UInt8 {
    let before = bits & (1 << UInt32(round) - 1)
    let message = [UInt8(round)] + [UInt8](littleEndian: UInt64(before), count: 4)
    return bit ^ (source.bytes(.passkeyBit, message, count: 1, attempt: attempt)[0] & 1)
  }

  private func permuted(_ passkey: UInt32) -> UInt32 {
    var result: UInt32 = 0
    for round in 0..<SecureConnectionsRounds.count {
      let bit = UInt8(passkey >> UInt32(round) & 1)
      result |= UInt32(self.bit(bit, after: passkey, round: round)) << UInt32(round)
    }
    return result
  }

  // MARK: Digits that are compared

  /// Records the replacement of digits that both sides have computed.
  mutating func derive(_ digits: SixDigits, _ pseudonym: SixDigits) {
    guard derived.count < Self.mostKnown else { return }
    derived[digits.number] = pseudonym.number
  }

  /// Returns the pseudonym of compared digits; 0, which Just Works has, stays.
  func digits(_ number: UInt32) -> UInt32 {
    if number == 0 { return 0 }
    if let found = derived[number] { return found }
    let bytes = [UInt8](littleEndian: UInt64(number), count: 4)
    return UInt32(source.number(.digits, bytes) % 999_999) + 1
  }
}
