import Bluetooth
import Dissectors

/// How far two devices have come with pairing (Core, Vol 3, Part H, 2.3, 2.4.3): it is over when the link is
/// encrypted and all keys have come that were agreed on.
struct PairingProgress: Sendable {
  /// How far.
  enum Stage: Sendable { case idle, began }

  private(set) var stage = Stage.idle
  private var request: SMP.PairingFeatures?
  private var isBonding = false
  /// PDUs with keys that are still to come; nil: the response is not known.
  private var missing: Int?
  private var isEncrypted = false

  mutating func begin(_ features: SMP.PairingFeatures) {
    self = PairingProgress()
    stage = .began
    request = features
  }

  mutating func answer(_ response: SMP.PairingFeatures) {
    guard let request else { return }
    isBonding = request.authReq.bonds && response.authReq.bonds
    let isSC = request.authReq.supportsSC && response.authReq.supportsSC
    var count = 0
    for keys in [response.initiatorKeys.rawValue, response.responderKeys.rawValue] {
      // Long Term Key and its identification, where not both have it already.
      if keys & 1 != 0, !isSC { count += 2 }
      // Identity Resolving Key, identity address.
      if keys & 2 != 0 { count += 2 }
      // Signature key.
      if keys & 4 != 0 { count += 1 }
    }
    missing = count
  }

  mutating func encrypt() { isEncrypted = true }

  mutating func takeKey() { if let left = missing { missing = left - 1 } }

  /// Whether a bond was made; nil: not over, or told already.
  mutating func conclude() -> Bool? {
    guard case .began = stage, isEncrypted, let missing, missing <= 0 else { return nil }
    stage = .idle
    return isBonding
  }
}
