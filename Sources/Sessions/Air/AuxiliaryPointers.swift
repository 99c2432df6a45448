import Bluetooth
import Bytes
import Dissectors

/// The packets on secondary advertising channels that earlier ones point to: they continue what
/// these began, and lack what these state (Core, Vol 6, Part B, 2.3.4.5).
struct AuxiliaryPointers: Sendable {
  /// What is known of an advertisement before its next packet.
  struct Beginning: Sendable {
    var place: AdvertisingPDU.Place
    var address: DeviceAddress?
    var addressType: AddressType
    var eventType: UInt16 = 0
    var dataInfo: UInt16?
    var primaryPHY: UInt8?
  }

  private struct Pointer: Sendable {
    var beginning: Beginning
    var channel: UInt8
    /// The sniffer, since each has its own clock.
    var interface: AdapterIndex
    /// When the packet may begin, in microseconds; nil: the capture has no times.
    var begins: ClosedRange<Int64>?
  }

  private var pointers: [Pointer] = []
  private let limit: Int

  /// Times of hosts are this inexact, in microseconds.
  private static let inexactness: Int64 = 10_000
  private static let exactness: Int64 = 100

  init(limit: Int) { self.limit = max(1, limit) }

  /// Records that a packet points to another one.
  mutating func add(
    _ pointer: AuxiliaryPointer, _ beginning: Beginning, from time: PacketTime?,
    on interface: AdapterIndex
  ) {
    guard pointer.isUsed else { return }
    if pointers.count >= limit { pointers.removeFirst() }
    let begins = time.map { time in
      let slack = time.isExact ? Self.exactness : Self.inexactness
      let start = time.start + Int64(pointer.offset)
      return start - slack...start + Int64(pointer.unit) + slack
    }
    pointers.append(
      Pointer(
        beginning: beginning, channel: pointer.channel, interface: interface, begins: begins))
  }

  /// Records that a scan request was sent on a secondary channel: the response follows at once.
  mutating func add(
    scanned address: DeviceAddress, _ type: AddressType, channel: UInt8, at time: PacketTime?,
    on interface: AdapterIndex
  ) {
    if pointers.count >= limit { pointers.removeFirst() }
    let begins = time.map { $0.end...$0.end + Self.inexactness }
    pointers.append(
      Pointer(
        beginning: Beginning(place: .scanResponse, address: address, addressType: type),
        channel: channel, interface: interface, begins: begins))
  }

  /// Returns what was known of the advertisement that a packet on a secondary channel belongs to.
  mutating func take(
    channel: UInt8, at time: PacketTime?, dataInfo: UInt16?, on interface: AdapterIndex
  ) -> Beginning? {
    guard !pointers.isEmpty else { return nil }
    let found = pointers.lastIndex { pointer in
      guard pointer.channel == channel, pointer.interface == interface else { return false }
      if let begins = pointer.begins, let time, !begins.contains(time.start) { return false }
      guard let dataInfo, let expected = pointer.beginning.dataInfo else { return true }
      return dataInfo == expected
    }
    guard let found else { return nil }
    return pointers.remove(at: found).beginning
  }
}
