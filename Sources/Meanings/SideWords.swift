package import Bluetooth
import Bytes
package import Sessions

/// The ends of a link in words. Where either end may be meant, no other place names them. Rules and
/// stories use the words of a host's capture; `EndNames` replaces them.
extension Side {
  /// `this host`, `the peer`.
  package var words: StaticString { self == .local ? "this host" : "the peer" }

  /// The words at the beginning of a sentence: `This host`, `The peer`.
  package var capitalized: StaticString { self == .local ? "This host" : "The peer" }

  /// The possessive: `this host's`, `the peer's`.
  package var possessive: StaticString { self == .local ? "this host's" : "the peer's" }

  /// Returns the same words for a capture from anywhere: on the air `the central`, `the
  /// peripheral`.
  package func words(_ vantage: Vantage) -> StaticString {
    switch (vantage, self) {
    case (.host, _): words
    case (.air, .local): "the central"
    case (.air, .peer): "the peripheral"
    }
  }

  /// Returns the name in JSON.
  package func key(_ vantage: Vantage) -> StaticString {
    switch (vantage, self) {
    case (.host, .local): "this_host"
    case (.host, .peer): "peer"
    case (.air, _): airRole.key
    }
  }

  /// The role that the end has in captures from the air.
  fileprivate var airRole: LinkRole { self == .local ? .central : .peripheral }
}

extension Direction {
  /// Returns the direction in a word after what was sent: `sent`, on the air `from the central`.
  package func words(_ vantage: Vantage) -> StaticString {
    switch (vantage, self) {
    case (.host, .sent): "sent"
    case (.host, .received): "received"
    case (.air, .sent): "from the central"
    case (.air, .received): "from the peripheral"
    }
  }

  /// Returns the name in JSON and tables.
  package func key(_ vantage: Vantage) -> StaticString {
    switch (vantage, self) {
    case (.host, .sent): "sent"
    case (.host, .received): "received"
    case (.air, .sent): "central_to_peripheral"
    case (.air, .received): "peripheral_to_central"
    }
  }
}

extension Connection.Ending {
  /// Returns the name in JSON and tables.
  package func key(_ vantage: Vantage) -> StaticString {
    switch (vantage, self) {
    case (.air, .localHost): Side.local.airRole.key
    case (.air, .peer): Side.peer.airRole.key
    default: key
    }
  }
}
