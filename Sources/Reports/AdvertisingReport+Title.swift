import Bluetooth
import Dissectors

extension AdvertisingReport {
  /// What the report is, at the front of a line.
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
