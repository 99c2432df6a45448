import Bluetooth
package import Dissectors

/// What the parts of one advertisement have in common.
package struct AdvertisingKey: Hashable, Sendable {
  let adapter: UInt16
  private let kind: AdvertisingReport.Kind
  private let addressType: AddressType
  private let address: DeviceAddress?
  private let sid: UInt8?
  private let syncHandle: UInt16?
  private let isScanResponse: Bool
  /// Set, subevent and slot of a response; the subevent of periodic advertising.
  private let slot: UInt32

  /// That of a report of this controller's.
  package init(_ adapter: UInt16, _ report: AdvertisingReport) {
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

/// Of which advertisements the first part may lie outside what was seen: before the capture's
/// beginning, or in a gap. Bounded: what does not fit is not known to have begun.
struct AdvertisingStarts: Sendable {
  /// Since when nothing is known to be missing.
  private var since: Timestamp?
  /// Controllers that were reset since then: all that they report began later.
  private var adapters: [UInt16] = []
  /// Advertisements that a report came of since then: a controller sends the parts of one in order,
  /// so that the next report goes on with it or begins anew.
  private var seen: [AdvertisingKey] = []
  private let shared: SharedLimits
  private var limits: Limits { shared.values }

  /// The parts of one advertisement arrive within this time: its last part may not be sent later
  /// than some seconds after the first (each points at most 2.46 s ahead).
  private static let chainNanoseconds: Int64 = 5_000_000_000

  init(_ limits: SharedLimits) { shared = limits }

  /// The capture begins, or lacks records before one of this time: of an adapter, or of any (nil).
  mutating func lose(before time: Timestamp?, of adapter: UInt16?) {
    since = time
    adapters.removeAll { adapter == nil || $0 == adapter }
    seen.removeAll { adapter == nil || $0.adapter == adapter }
  }

  /// A controller was reset.
  mutating func reset(_ adapter: UInt16) {
    guard adapters.count < limits.adapters, !adapters.contains(adapter) else { return }
    adapters.append(adapter)
  }

  /// Notes that a report of an advertisement came.
  mutating func note(_ key: AdvertisingKey, at time: Timestamp?) {
    guard seen.count < limits.advertisingChains, isSoon(time), !seen.contains(key) else { return }
    seen.append(key)
  }

  /// Whether the first part of what a report holds may be missing.
  func mayLack(_ key: AdvertisingKey, at time: Timestamp?) -> Bool {
    isSoon(time) && !adapters.contains(key.adapter) && !seen.contains(key)
  }

  private func isSoon(_ time: Timestamp?) -> Bool {
    guard let time, let since else { return true }
    return time.nanoseconds(since: since) < Self.chainNanoseconds
  }
}
