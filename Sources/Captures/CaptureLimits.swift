/// What a capture may claim before it is not believed.
package enum CaptureLimits {
  /// The most bytes that a record can have. HCI's largest packet has 65 539 and Wireshark stops at
  /// 262 144; a record that claims more than this is damage.
  package static let recordBytes = 1 << 20

  /// The bytes that are read ahead.
  package static let bufferBytes = 1 << 18
}
