import Histories

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
    "hci_hardware_error", "hci_advertising_mixed", "hci_advertising_refused",
    "hci_scanning_refused", "hci_wrong_advertising_set",
    // Attempts to connect that have ended.
    "connect_timeout", "connect_not_established", "connect_limit", "connect_refused",
    // Pairing Failed, by its reason.
    "smp_passkey_mismatch", "smp_confirm_deviates", "smp_confirm_failed", "smp_numeric_rejected",
    "smp_just_works_unconfirmed", "smp_dhkey_check_failed", "smp_passkey_entry_failed",
    "smp_oob_missing", "smp_not_supported", "smp_invalid_parameters", "smp_command_not_supported",
    "smp_repeated_attempts", "smp_cross_transport", "smp_key_rejected", "smp_busy",
    "smp_unspecified", "smp_failed", "smp_authentication_requirements", "smp_key_size",
    // PDUs that should not occur.
    "smp_unexpected", "smp_invalid_public_key", "smp_debug_key",
    // Encryption that failed.
    "enc_key_missing_peripheral", "enc_authentication_failure", "enc_rejected",
    // Refused requests. Those refused for security reasons may be allowed later, and are reported
    // then.
    "att_not_permitted", "att_invalid_handle", "att_invalid_length", "att_invalid_offset",
    "att_prepare_queue", "att_insufficient_resources", "att_unlikely", "att_invalid_pdu",
    "att_value_not_allowed", "att_application_error", "att_reserved_error", "att_write_rejected",
    "att_cccd_improper", "att_procedure_in_progress", "att_out_of_range",
  ]
}
