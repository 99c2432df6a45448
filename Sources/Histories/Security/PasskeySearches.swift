import Bluetooth
import Cryptography
import Sessions

/// The passkey searches of a capture. Only failed attempts are searched, each opened commitment
/// once, and the number of searches is limited. Without the processor's instructions for AES, a
/// search takes at most a quarter of a second, and one that also looks for incorrect computations a
/// second more. Kept between successive evaluations of a capture that continues.
struct PasskeySearches: Sendable {
  private var known: [PasskeySearch.Opening: Answer] = [:]
  /// The passkeys to try in each search.
  let passkeys: ClosedRange<UInt32>
  private var left = most
  private var thoroughLeft = mostThorough

  /// The maximum number of searches, and of those that look for deviations.
  private static let most = 4
  private static let mostThorough = 1

  enum Answer: Sendable {
    case found(PasskeySearch.Finding)
    /// None of the million passkeys fits, with or without a check for deviations.
    case none(isThorough: Bool)
    /// There were too many searches.
    case notSearched
  }

  init(_ passkeys: ClosedRange<UInt32>) { self.passkeys = passkeys }

  mutating func search(
    _ search: PasskeySearch, _ opening: PasskeySearch.Opening, in passkeys: ClosedRange<UInt32>
  ) -> Answer {
    if let answer = known[opening] { return answer }
    let isQuick = passkeys.count == 1
    if !isQuick {
      guard left > 0 else { return .notSearched }
      left -= 1
    }
    let answer = answer(search, opening, passkeys, isQuick: isQuick)
    known[opening] = answer
    return answer
  }

  private mutating func answer(
    _ search: PasskeySearch, _ opening: PasskeySearch.Opening, _ passkeys: ClosedRange<UInt32>,
    isQuick: Bool
  ) -> Answer {
    if let finding = search.asSpecified(opening, in: passkeys) { return .found(finding) }
    if !isQuick {
      guard thoroughLeft > 0 else { return .none(isThorough: false) }
      thoroughLeft -= 1
    }
    return search.deviating(opening, in: passkeys).map { .found($0) } ?? .none(isThorough: true)
  }
}

extension PairingAttempt {
  /// Searches for the passkey of a legacy pairing that was refused because a confirm value failed.
  mutating func search(_ searches: inout PasskeySearches) {
    guard failure?.reason == .confirmValueFailed, let method, !method.isSecureConnections,
      method.association != .outOfBand
    else { return }
    let openings = [PairingSide.initiator, .responder].compactMap { role in
      opening(role).map { (role: role, opening: $0) }
    }
    guard !openings.isEmpty, let request = initiating.features?.command,
      let response = responding.features?.command
    else { return }
    guard
      let search = PasskeySearch(
        request: request, response: response, initiator: address(of: .initiator),
        responder: address(of: .responder))
    else {
      outcome.lacksAddresses = true
      return
    }
    var result = Searched()
    for (role, opening) in openings {
      switch searches.search(search, opening, in: method.hasPasskey ? searches.passkeys : 0...0) {
      case .found(let finding): result.findings[role] = finding
      case .none(let isThorough):
        result.findings.updateValue(nil, forKey: role)
        if !isThorough { result.lookedForDeviations = false }
      case .notSearched: continue
      }
    }
    if !result.findings.isEmpty { outcome.search = result }
  }

  private func opening(_ role: PairingSide) -> PasskeySearch.Opening? {
    guard let confirm = self[role].firstConfirm, let random = self[role].firstRandom else {
      return nil
    }
    return PasskeySearch.Opening(confirm: confirm, random: random)
  }
}
