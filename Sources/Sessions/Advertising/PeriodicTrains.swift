package import Bluetooth
import Dissectors

/// The sender of a periodic advertising train, whose reports only contain the sync handle.
package struct PeriodicTrain: Sendable, Equatable {
  /// The advertiser's address; nil if it is anonymous.
  package let address: DeviceAddress?
  package let addressType: AddressType
  /// The advertising set's identifier.
  package let sid: UInt8
}

/// The trains that controllers follow, by adapter and sync handle. Bounded: the train that was
/// found first is dropped first.
struct PeriodicTrains: Sendable {
  private struct Entry: Sendable {
    let adapter: AdapterIndex
    let handle: UInt16
    let train: PeriodicTrain
  }

  private var entries: [Entry] = []
  private let limit: Int
  /// Whether a train had to be forgotten.
  private(set) var hasForgotten = false

  init(limit: Int) { self.limit = max(1, limit) }

  /// Returns the train with a sync handle, if its beginning was seen.
  func find(_ adapter: AdapterIndex, _ handle: UInt16) -> PeriodicTrain? {
    entries.first { $0.adapter == adapter && $0.handle == handle }?.train
  }

  /// Records a train.
  mutating func learn(_ adapter: AdapterIndex, _ sync: PeriodicSync) {
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

  /// Forgets a train that has ended.
  mutating func lose(_ adapter: AdapterIndex, _ handle: UInt16) {
    entries.removeAll { $0.adapter == adapter && $0.handle == handle }
  }

  /// Forgets the trains of an adapter that was reset or removed.
  mutating func forget(_ adapter: AdapterIndex) { entries.removeAll { $0.adapter == adapter } }
}
