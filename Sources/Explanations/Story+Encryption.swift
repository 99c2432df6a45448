import Bluetooth
import Diagnosis
import Histories
import Meanings
import Sessions

extension ConnectionHistory {
  /// Returns the lines about encryption, and about authentication over BR/EDR.
  func encryptionStory(_ evidence: Evidence) -> [StoryLine] {
    encryption.attempts.map { line($0, evidence) } + encryption.authentications.map(line)
  }

  private func line(_ attempt: EncryptionAttempt, _ evidence: Evidence) -> StoryLine {
    let last = attempt.end?.packet ?? attempt.reply?.packet ?? attempt.moment.packet
    return StoryLine(attempt.moment, to: last, words(attempt), consequences(attempt, evidence))
  }

  private func words(_ attempt: EncryptionAttempt) -> Wording {
    let key: StaticString =
      switch attempt.origin {
      case .pairing(isSecureConnections: true): "the new key"
      case .pairing(isSecureConnections: false): "the short term key of the pairing"
      case .stored: "a stored key"
      case .unknown: "a key"
      }
    let who: Wording? =
      attempt.starter.map { side -> Wording in "\(side.words) starts encryption with \(key)" }
    switch attempt.outcome {
    case .encrypted?:
      var words: Wording =
        switch (attempt.start, attempt.origin) {
        case (.classic, _), (.unseen, _), (_, .unknown): "encrypted"
        default: "encrypted with \(key)"
        }
      if connection.transport == .brEDR, attempt.isAESCCM { words = "\(words), AES-CCM" }
      if attempt.isInferred { words = "\(words), as the keys that follow show" }
      if let size = attempt.keySize, size < 16 {
        words = "\(words), \(count: Int(size), "significant byte", "significant bytes")"
      }
      return words
    case .off?: return "encryption is disabled"
    case .failed(let status)?:
      guard let who else { return "encryption fails: \(status)" }
      return attempt.isKeyMissingHere
        ? "\(who), which this host does not have: \(status)" : "\(who): \(status)"
    case nil:
      guard let who else { return "encryption is started" }
      if attempt.isKeyMissingHere { return "\(who), which this host does not have" }
      if attempt.start == .keyRequest, attempt.reply == nil {
        return "\(who); this host does not answer"
      }
      return "\(who), and its outcome is not in the capture"
    }
  }

  private func consequences(_ attempt: EncryptionAttempt, _ evidence: Evidence) -> [Wording] {
    guard attempt.outcome == .encrypted, let words = attempt.sourceWords(self, evidence) else {
      return []
    }
    return ["bonded: it is \(words)"]
  }

  // MARK: BR/EDR

  private func line(_ authentication: ClassicAuthentication) -> StoryLine {
    let last =
      authentication.end?.packet ?? authentication.reply?.packet ?? authentication.start.packet
    let isPairing = authentication.hasKey == false
    let key: Wording =
      switch authentication.hasKey {
      case true?: " with the stored link key"
      case false?: authentication.newKey == nil ? "" : " by pairing"
      case nil: ""
      }
    let words: Wording =
      switch authentication.status {
      case .success?: "authenticated\(key)"
      case let status? where isPairing: "this host has no link key, and pairing fails: \(status)"
      case let status?: "authentication\(key) fails: \(status)"
      case nil where isPairing: "authentication is requested; this host has no link key"
      case nil: "authentication is requested\(key)"
      }
    return StoryLine(
      authentication.start, to: last, words,
      [authentication.featureWords, authentication.methodWords, authentication.keyWords]
        .compactMap(\.self))
  }
}
