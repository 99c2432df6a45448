package import Bluetooth
import Cryptography

/// What to remove from a capture beyond keys and addresses.
package struct RedactionOptions: Sendable {
  /// The attribute values that are replaced by zeros.
  package enum Values: Equatable, Sendable {
    case none
    /// All but those that describe the layout and use of attributes.
    case all
    /// Those of attributes of these types.
    case types([BluetoothUUID])
  }

  /// Whether the names of devices stay.
  package var keepsNames = false
  /// Whether data of vendors' commands and events stays that no known field covers.
  package var keepsVendors = false
  /// The attribute values that are replaced by zeros.
  package var values = Values.none
  /// Keys from other sources: the pseudonym of an address that one of them resolves is still
  /// resolvable by its pseudonym.
  package var bonds: [Bond] = []
  /// The passkeys that are tried when searching for one.
  package var passkeys = SixDigits.all
  /// How much is remembered.
  var limits = BookLimits()
  /// The source of pseudonyms.
  package var source = PseudonymSource()

  /// Creates the default options.
  package init() {}
}
