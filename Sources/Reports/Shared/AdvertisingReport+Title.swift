import Bluetooth
import Dissectors

extension AdvertisingReport {
  /// The kind of report, at the start of a line.
  var title: StaticString {
    if isScanResponse { return "Scan Response" }
    switch kind {
    case .periodic: return "Periodic Advertising"
    case .response: return "Periodic Response"
    case .bigInfo: return "BIGInfo"
    case .directed: return "Directed Advertising"
    default: return "Advertising"
    }
  }
}
