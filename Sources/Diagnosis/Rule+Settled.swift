// Determines which findings can be reported while the capture continues.

extension Rule {
  /// Whether a finding is final as soon as it is made, although the capture continues: it follows
  /// from packets that are present, and no later packet can refute it. Findings of other rules may
  /// be refuted while the connection lasts, or depend on something that has not arrived.
  ///
  /// A later attempt that succeeds does not refute a finding; it may only reduce its severity.
  package var isSettledAtOnce: Bool { Self.settledAtOnce.contains(id.description) }

  private static let settledAtOnce: Set<String> = [
    // Reports by the controller.
    "hci-hardware-error", "hci-advertising-mixed", "hci-advertising-refused",
    "hci-scanning-refused", "hci-wrong-advertising-set",
    // Attempts to connect that have ended.
    "connect-timeout", "connect-not-established", "connect-limit", "connect-refused",
    // Pairing Failed, by its reason.
    "smp-passkey-mismatch", "smp-confirm-deviates", "smp-confirm-failed", "smp-numeric-rejected",
    "smp-just-works-unconfirmed", "smp-dhkey-check-failed", "smp-passkey-entry-failed",
    "smp-oob-missing", "smp-not-supported", "smp-invalid-parameters", "smp-command-not-supported",
    "smp-repeated-attempts", "smp-cross-transport", "smp-key-rejected", "smp-busy",
    "smp-unspecified", "smp-failed", "smp-authentication-requirements", "smp-key-size",
    // PDUs that should not occur.
    "smp-unexpected", "smp-invalid-public-key", "smp-debug-key",
    // Encryption that failed.
    "enc-key-missing-peripheral", "enc-authentication-failure", "enc-rejected",
    // Refused requests. Those refused for security reasons may be allowed later, and are reported
    // then.
    "att-not-permitted", "att-invalid-handle", "att-invalid-length", "att-invalid-offset",
    "att-prepare-queue", "att-insufficient-resources", "att-unlikely", "att-invalid-pdu",
    "att-value-not-allowed", "att-application-error", "att-reserved-error", "att-write-rejected",
    "att-cccd-improper", "att-procedure-in-progress", "att-out-of-range",
  ]
}
