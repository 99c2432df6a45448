import Bluetooth
import Bytes
import Histories
import Meanings
import Sessions

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
    case .data: "Data"
    }
  }
}

extension ComparedOperation.Kind {
  /// The name in JSON.
  var key: StaticString {
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
  func kindWords(of operation: ComparedOperation) -> Wording {
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
  func title(of operation: ComparedOperation) -> Wording {
    let kind = kindWords(of: operation)
    let words = operation.role.map { "\(kind) \(roles[$0].words)" } ?? kind
    return operation.offset > 0 ? "\(words) from byte \(operation.offset + 1)" : words
  }

  /// Returns the outcome: why it failed, the meaning of its value, or the value.
  ///
  /// - Parameter hasBytes: whether a value without a meaning is printed as bytes.
  func outcome(of operation: ComparedOperation, hasBytes: Bool = true) -> Wording {
    let words = hasBytes || !showsBytes(operation) ? plainOutcome(of: operation) : ""
    guard operation.isRestRefused else { return words }
    return words.isEmpty ? "the rest is refused" : "\(words), and the rest is refused"
  }

  /// Returns whether the value of an operation that succeeded has no words, only bytes.
  private func showsBytes(_ operation: ComparedOperation) -> Bool {
    guard operation.failure == nil, operation.unknown == nil, !operation.isHidden,
      operation.text == nil, operation.kind != .discovery, let value = operation.value
    else { return false }
    return !value.isEmpty && !isText(operation)
  }

  /// Returns whether the value of an operation has no meaning, but looks like text.
  func isText(_ operation: ComparedOperation) -> Bool {
    guard operation.text == nil, !operation.isHidden, case .value = operation.kind,
      let value = operation.value
    else { return false }
    let uuid = operation.role.flatMap { roles[$0].uuid }
    return Array(bytes(value)).bytes.isText(of: uuid)
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
    let isText = isText(operation)
    let shown = bytes(value).prefix(isText ? Self.shownText : Self.shownBytes)
    if shown.isEmpty { return "(empty)" }
    if isText {
      return shown.count < value.count
        ? "\(quoted: Array(shown))… (\(Int(value.count)) bytes)" : "\(quoted: Array(shown))"
    }
    return shown.count < value.count
      ? "\(hex: Array(shown))… (\(Int(value.count)) bytes)" : "\(hex: Array(shown))"
  }

  private static let shownBytes = 20
  private static let shownText = 48

  /// Returns the title and the outcome: `Write Command fff6: packet count for 11-20?`.
  func words(of operation: ComparedOperation, hasBytes: Bool = true) -> Wording {
    let outcome = outcome(of: operation, hasBytes: hasBytes)
    return outcome.isEmpty ? title(of: operation) : "\(title(of: operation)): \(outcome)"
  }
}
