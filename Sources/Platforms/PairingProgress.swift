import Bluetooth
import Dissectors

/// The progress of pairing between two devices (Core, Vol 3, Part H, 2.3, 2.4.3): it is complete
/// when the link is encrypted and all agreed keys have come.
struct PairingProgress: Sendable {
  enum Stage: Sendable { case idle, began }

  private(set) var stage = Stage.idle
  private var request: SMP.PairingFeatures?
  private var isBonding = false
  /// The number of key PDUs that are still to come; nil: the response is unknown.
  private var missing: Int?
  private var isEncrypted = false
  /// Whether a Long Term Key exists that a later connection can use.
  private var hasLongTermKey = false

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
      // Long Term Key and its identification, unless both sides derive it.
      if keys & 1 != 0, !isSC { count += 2 }
      // Identity Resolving Key, identity address.
      if keys & 2 != 0 { count += 2 }
      // Signature key.
      if keys & 4 != 0 { count += 1 }
    }
    missing = count
    hasLongTermKey = isSC
  }

  mutating func encrypt() { isEncrypted = true }

  mutating func takeKey(_ pdu: SMPPDU) {
    if let left = missing { missing = left - 1 }
    // The second of the two PDUs that a Long Term Key comes in.
    if case .centralIdentification = pdu { hasLongTermKey = true }
  }

  /// Whether pairing has begun and its key may be used later although not all keys have come.
  var mayHaveBonded: Bool {
    guard case .began = stage, isEncrypted else { return false }
    return missing == nil || isBonding && hasLongTermKey
  }

  /// Returns whether a bond was made; nil: not complete, or already reported.
  mutating func conclude() -> Bool? {
    guard case .began = stage, isEncrypted, let missing, missing <= 0 else { return nil }
    stage = .idle
    return isBonding
  }
}
