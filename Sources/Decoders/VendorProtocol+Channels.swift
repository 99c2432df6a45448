package import Bluetooth

// Where protocols are spoken, and which way.

extension VendorProtocol {
  /// How a value crosses a link.
  package enum Way: Sendable {
    case written, notified, read
  }

  /// Whether requests go a way, not responses; nil where neither do.
  package func isRequestChannel(_ way: Way, _ uuid: BluetoothUUID?) -> Bool? {
    func takes(_ channel: Channel) -> Bool {
      switch channel {
      case .write: way == .written
      case .notify: way == .notified
      case .read: way == .read
      case .characteristic(let wanted): uuid?.shortest == wanted.shortest
      }
    }
    if requests.isEmpty, responses.isEmpty { return way == .written }
    if requests.contains(where: takes) { return true }
    return responses.contains(where: takes) ? false : nil
  }
}

extension [VendorProtocol] {
  /// The protocols that may be spoken on a characteristic, by their places, and whether only a frame tells.
  package func claims(
    _ uuid: BluetoothUUID?, service: BluetoothUUID?, isOfDevice: (String) -> Bool
  ) -> [(vendor: Int, isByFrame: Bool)] {
    var found: [(vendor: Int, isByFrame: Bool)] = []
    for (place, vendor) in enumerated() {
      if let uuid {
        let claim = vendor.claim(
          characteristic: uuid.shortest, service: service?.shortest, isOfDevice: isOfDevice)
        if let claim { found.append((place, claim.isFrame)) }
      } else if vendor.claims.contains(where: \.isAnywhere) {
        found.append((place, true))
      }
    }
    // What was said of the characteristic weighs more than what a frame may tell.
    return found.filter { !$0.isByFrame } + found.filter(\.isByFrame)
  }
}

extension [UInt8] {
  /// Whether the bytes, a name, fit a pattern with `*` and `?`.
  package func fits(_ pattern: String) -> Bool {
    let text = Array<Character>(String(decoding: self, as: UTF8.self))
    let wanted = Array<Character>(pattern)
    var (at, next) = (0, 0)
    var retry: (at: Int, next: Int)?
    while at < text.count {
      if next < wanted.count, wanted[next] == "*" {
        retry = (at, next + 1)
        next += 1
      } else if next < wanted.count, wanted[next] == "?" || wanted[next] == text[at] {
        at += 1
        next += 1
      } else if let last = retry {
        retry = (last.at + 1, last.next)
        (at, next) = (last.at + 1, last.next)
      } else {
        return false
      }
    }
    return wanted[next...].allSatisfy { $0 == "*" }
  }
}
