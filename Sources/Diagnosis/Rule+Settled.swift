// Which findings can be told while the capture goes on.

extension Rule {
  /// Whether what it finds is settled as soon as it is found, although the capture goes on: it follows from
  /// packets that are there, and none that follows can take it back. What other rules find may turn out
  /// otherwise while the connection lasts, or rests on what has not come.
  ///
  /// That a later attempt is luckier takes nothing back: only how much the finding matters may then be less
  /// than it was.
  package var isSettledAtOnce: Bool { Self.settledAtOnce.contains(id.description) }

  private static let settledAtOnce: Set<String> = [
    // A controller's word.
    "hci-hardware-error", "hci-advertising-mixed", "hci-advertising-refused",
    "hci-scanning-refused",
    // Attempts to connect that are over.
    "connect-timeout", "connect-not-established", "connect-limit", "connect-refused",
    // Pairing Failed, by its reason.
    "smp-passkey-mismatch", "smp-confirm-deviates", "smp-confirm-failed", "smp-numeric-rejected",
    "smp-just-works-unconfirmed", "smp-dhkey-check-failed", "smp-passkey-entry-failed",
    "smp-oob-missing", "smp-not-supported", "smp-invalid-parameters", "smp-command-not-supported",
    "smp-repeated-attempts", "smp-cross-transport", "smp-key-rejected", "smp-busy",
    "smp-unspecified", "smp-failed", "smp-authentication-requirements", "smp-key-size",
    // PDUs that should not be.
    "smp-unexpected", "smp-invalid-public-key", "smp-debug-key",
    // Encryption that failed.
    "enc-key-missing-peripheral", "enc-authentication-failure", "enc-rejected",
    // Refused requests. Those refused for security may be allowed later, and are told then.
    "att-not-permitted", "att-invalid-handle", "att-invalid-length", "att-invalid-offset",
    "att-prepare-queue", "att-insufficient-resources", "att-unlikely", "att-invalid-pdu",
    "att-value-not-allowed", "att-application-error", "att-reserved-error", "att-write-rejected",
    "att-cccd-improper", "att-procedure-in-progress", "att-out-of-range",
  ]
}
