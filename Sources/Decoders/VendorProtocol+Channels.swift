package import Bluetooth

// Where protocols are used, and in which direction.

extension VendorProtocol {
  /// How a value is conveyed.
  package enum Path: Sendable {
    case written, notified, read
  }

  /// Returns whether requests go this way rather than responses; nil if neither do.
  package func isRequestChannel(_ way: Path, _ uuid: BluetoothUUID?) -> Bool? {
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
  /// Returns the indexes of the protocols that may be used on a characteristic or a serial channel,
  /// and whether only a frame shows it.
  package func claims(
    _ uuid: BluetoothUUID?, _ channel: SerialChannel? = nil, service: BluetoothUUID?,
    isOfDevice: (String) -> Bool
  ) -> [(vendor: Int, isByFrame: Bool)] {
    let (uuid, service) = (uuid?.shortest, service?.shortest)
    var found: [(vendor: Int, isByFrame: Bool)] = []
    var sure = 0
    for place in indices {
      let needsFrame =
        if uuid != nil || channel != nil {
          self[place].needsFrame(on: uuid, channel, of: service, isOfDevice: isOfDevice)
        } else {
          self[place].claims.contains(where: \.isAnywhere) ? true : nil
        }
      guard let needsFrame else { continue }
      // A claim about the characteristic outweighs what a frame may show.
      found.insert((place, needsFrame), at: needsFrame ? found.count : sure)
      if !needsFrame { sure += 1 }
    }
    return found
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
