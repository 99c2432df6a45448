package import Bluetooth

// Where protocols are used, and in which direction.

extension VendorProtocol {
  /// How a value is conveyed.
  package enum Way: Sendable {
    case written, notified, read
  }

  /// Returns whether requests go this way rather than responses; nil if neither do.
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
  /// Returns the indexes of the protocols that may be used on a characteristic, and whether only a
  /// frame shows it.
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
    // A claim about the characteristic outweighs what a frame may show.
    return found.filter { !$0.isByFrame } + found.filter(\.isByFrame)
  }
}

extension [UInt8] {
  /// Returns whether the bytes, a name, match a pattern with `*` and `?`.
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
