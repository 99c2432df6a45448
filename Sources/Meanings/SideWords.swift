package import Bluetooth

/// The ends of a link in words. Where either end may be meant, no other place names them.
extension Side {
  /// `this host`, `the peer`.
  package var words: StaticString { self == .local ? "this host" : "the peer" }

  /// The name in JSON.
  package var key: StaticString { self == .local ? "this_host" : "peer" }

  /// The words at the beginning of a sentence: `This host`, `The peer`.
  package var capitalized: StaticString { self == .local ? "This host" : "The peer" }

  /// The possessive: `this host's`, `the peer's`.
  package var possessive: StaticString { self == .local ? "this host's" : "the peer's" }
}
