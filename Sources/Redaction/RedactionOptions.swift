package import Bluetooth
import Cryptography

/// What is to be removed from a capture beyond keys and addresses.
package struct RedactionOptions: Sendable {
  /// Which attribute values are replaced by zeros.
  package enum Values: Equatable, Sendable {
    case none
    /// All but those that say how attributes are laid out and used.
    case all
    /// Those of attributes of these types.
    case types([BluetoothUUID])
  }

  /// Whether the names of devices stay.
  package var keepsNames = false
  /// Which attribute values are replaced by zeros.
  package var values = Values.none
  /// The keys that are known from elsewhere: an address that one of them resolves still is resolved by its
  /// pseudonym.
  package var bonds: [Bond] = []
  /// Which passkeys are tried where one is searched for.
  package var passkeys = SixDigits.all
  /// How much is remembered.
  var limits = BookLimits()
  /// Where pseudonyms come from.
  package var source = PseudonymSource()

  /// The defaults.
  package init() {}
}
