package import Bluetooth
package import Dissectors

/// The common properties of the parts of one advertisement.
package struct AdvertisingKey: Hashable, Sendable {
  let adapter: AdapterIndex
  private let kind: AdvertisingReport.Kind
  private let addressType: AddressType
  private let address: DeviceAddress?
  private let sid: UInt8?
  private let syncHandle: UInt16?
  private let isScanResponse: Bool
  /// Set, subevent and slot of a response; the subevent of periodic advertising.
  private let slot: UInt32

  /// Creates the key of a report from this controller.
  package init(_ adapter: AdapterIndex, _ report: AdvertisingReport) {
    self.adapter = adapter
    kind = report.kind
    addressType = report.addressType
    address = report.address
    sid = report.sid
    syncHandle = report.syncHandle
    isScanResponse = report.isScanResponse
    slot =
      UInt32(report.advertisingHandle ?? 0) << 16 | UInt32(report.subevent ?? 0xff) << 8
      | UInt32(report.responseSlot ?? 0)
  }
}

/// Which advertisements may have begun outside the capture: before its beginning, or in a gap.
/// Bounded: an advertisement beyond the bound is not known to have begun.
struct AdvertisingStarts: Sendable {
  /// The time from which nothing is known to be missing.
  private var since: Timestamp?
  /// Controllers that were reset since then: everything they report began later.
  private var adapters: [AdapterIndex] = []
  /// Advertisements with a report since then. A controller sends the parts of one in order, so the
  /// next report continues it or begins a new one.
  private var seen: [AdvertisingKey] = []
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  /// The parts of one advertisement arrive within this time: its last part cannot be sent more than
  /// a few seconds after the first (each points at most 2.46 s ahead).
  private static let chainNanoseconds: Int64 = 5_000_000_000

  init(_ limits: SharedLimits) { shared = limits }

  /// Records that the capture begins, or lacks records before this time, of an adapter or of any
  /// (unknown).
  mutating func lose(before time: Timestamp?, of adapter: AdapterIndex) {
    since = time
    adapters.removeAll { adapter.mayBe($0) }
    seen.removeAll { adapter.mayBe($0.adapter) }
  }

  /// Records that a controller was reset.
  mutating func reset(_ adapter: AdapterIndex) {
    guard adapters.count < limits.adapters, !adapters.contains(adapter) else { return }
    adapters.append(adapter)
  }

  /// Records a report of an advertisement.
  mutating func note(_ key: AdvertisingKey, at time: Timestamp?) {
    guard seen.count < limits.advertisingChains, isSoon(time), !seen.contains(key) else { return }
    seen.append(key)
  }

  /// Returns whether the first part of a report's data may be missing.
  func mayLack(_ key: AdvertisingKey, at time: Timestamp?) -> Bool {
    isSoon(time) && !adapters.contains(key.adapter) && !seen.contains(key)
  }

  private func isSoon(_ time: Timestamp?) -> Bool {
    guard let time, let since else { return true }
    return time.nanoseconds(since: since) < Self.chainNanoseconds
  }
}
