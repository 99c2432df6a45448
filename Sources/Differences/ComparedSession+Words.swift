import Bluetooth
import Bytes
import Histories
import Sessions
package import Words

extension ValueOperation {
  /// The name in a line of a conversation.
  fileprivate var title: StaticString {
    switch self {
    case .advertisement: "Advertisement"
    case .read: "Read"
    case .write: "Write Request"
    case .writeWithoutResponse: "Write Command"
    case .signedWrite: "Signed Write Command"
    case .preparedWrite: "Prepared Write"
    case .notification: "Notification"
    case .indication: "Indication"
    }
  }
}

extension ComparedOperation.Kind {
  /// The name in JSON.
  package var key: StaticString {
    switch self {
    case .connect: "connect"
    case .exchangeMTU: "exchange_mtu"
    case .discovery: "discovery"
    case .value(let operation): operation.key
    case .pairing: "pairing"
    case .encryption: "encryption"
    case .end: "end"
    }
  }
}

extension ComparedSession {
  /// Returns the kind of operation: `Write Command`, `Pairing Confirm`.
  package func kindWords(of operation: ComparedOperation) -> Wording {
    switch operation.kind {
    case .connect: "Connect"
    case .exchangeMTU: "Exchange MTU"
    case .discovery: "Discovery"
    case .value(let value): "\(value.title)"
    case .pairing(let opcode):
      opcode.name.map { "\($0)" } ?? "SMP PDU \(code: opcode.rawValue, digits: 2)"
    case .encryption: "Encryption"
    case .end: "End"
    }
  }

  /// Returns the kind of operation and its attribute: `Write Command fff6`.
  package func title(of operation: ComparedOperation) -> Wording {
    let kind = kindWords(of: operation)
    let words = operation.role.map { "\(kind) \(roles[$0].words)" } ?? kind
    return operation.offset > 0 ? "\(words) from byte \(operation.offset + 1)" : words
  }

  /// Returns the outcome: why it failed, the meaning of its value, or the value.
  package func outcome(of operation: ComparedOperation) -> Wording {
    let words = plainOutcome(of: operation)
    return operation.isRestRefused ? "\(words), and the rest is refused" : words
  }

  private func plainOutcome(of operation: ComparedOperation) -> Wording {
    if let reason = operation.failure ?? operation.unknown {
      return Wording(stringLiteral: text(reason))
    }
    if operation.isHidden { return "<hidden>" }
    if let words = operation.text { return Wording(stringLiteral: text(words)) }
    if operation.kind == .discovery, operation.count > 1 {
      return "\(operation.count) requests"
    }
    guard let value = operation.value else { return "" }
    let shown = bytes(value).prefix(Self.shownBytes)
    if shown.isEmpty { return "(empty)" }
    return shown.count < value.count
      ? "\(hex: Array(shown))… (\(Int(value.count)) bytes)" : "\(hex: Array(shown))"
  }

  private static let shownBytes = 20

  /// Returns the title and the outcome: `Write Command fff6: packet count for 11-20?`.
  package func words(of operation: ComparedOperation) -> Wording {
    let outcome = outcome(of: operation)
    return outcome.isEmpty ? title(of: operation) : "\(title(of: operation)): \(outcome)"
  }
}
