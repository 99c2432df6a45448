import Bluetooth
import Dissectors
import Sessions

// Encryption on the air: the Link Layer's procedure in place of commands and events (Core, Vol 6,
// Part B, 5.1.3.1).

extension EncryptionHistory {
  /// Records LL_ENC_REQ.
  ///
  /// - Parameter isWhole: whether the capture has all packets of the link so far.
  mutating func begin(
    _ request: LinkControl.EncryptionRequest, _ moment: Moment, isWhole: Bool
  ) {
    var attempt = EncryptionAttempt(.linkLayer, moment, .unknown)
    (attempt.rand, attempt.ediv) = (request.rand, request.ediv)
    begin(attempt, isWhole: isWhole)
  }

  /// Records that the peripheral rejects it, or ends the link instead. Returns whether it was under
  /// way.
  mutating func fail(_ reason: StatusCode, _ moment: Moment) -> Bool {
    guard let last = attempts.indices.last, attempts[last].start == .linkLayer,
      attempts[last].outcome == nil
    else { return false }
    attempts[last].outcome = .failed(reason)
    attempts[last].end = moment
    return true
  }

  /// Records an encrypted packet of the peripheral. Returns whether encryption was under way.
  mutating func succeedOnAir(_ moment: Moment) -> Bool {
    guard let last = attempts.indices.last, attempts[last].start == .linkLayer,
      attempts[last].outcome == nil
    else { return false }
    succeed(last, at: moment)
    return true
  }
}
