import Bluetooth
import MadeTraffic

extension Twin {
  /// The twins of these rules.
  static let channelTwins: [Twin] = []
}
