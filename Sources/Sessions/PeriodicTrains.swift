package import Bluetooth
import Dissectors

/// Who sends a periodic advertising train: its reports only carry the handle.
package struct PeriodicTrain: Sendable, Equatable {
  /// The advertiser's address; nil where it is anonymous.
  package let address: DeviceAddress?
  /// The type of that address.
  package let addressType: AddressType
  /// The advertising set's identifier.
  package let sid: UInt8
}

/// The trains that controllers follow, by adapter and sync handle. Bounded: the one that was found
/// first goes first.
struct PeriodicTrains: Sendable {
  private struct Entry: Sendable {
    let adapter: UInt16
    let handle: UInt16
    let train: PeriodicTrain
  }

  private var entries: [Entry] = []
  private let limit: Int
  /// Whether one had to go.
  private(set) var hasForgotten = false

  init(limit: Int) { self.limit = max(1, limit) }

  /// The train behind a handle, if its beginning was seen.
  func find(_ adapter: UInt16, _ handle: UInt16) -> PeriodicTrain? {
    entries.first { $0.adapter == adapter && $0.handle == handle }?.train
  }

  /// Learns a train.
  mutating func learn(_ adapter: UInt16, _ sync: PeriodicSync) {
    guard sync.status == .success else { return }
    lose(adapter, sync.handle)
    if entries.count == limit {
      entries.removeFirst()
      hasForgotten = true
    }
    entries.append(
      Entry(
        adapter: adapter, handle: sync.handle,
        train: PeriodicTrain(
          address: sync.address, addressType: sync.addressType, sid: sync.sid)))
  }

  /// The train behind a handle has ended.
  mutating func lose(_ adapter: UInt16, _ handle: UInt16) {
    entries.removeAll { $0.adapter == adapter && $0.handle == handle }
  }

  /// Forgets the trains of an adapter that was reset or went away.
  mutating func forget(_ adapter: UInt16) { entries.removeAll { $0.adapter == adapter } }
}
