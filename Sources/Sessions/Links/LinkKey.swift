package import Bluetooth

/// What identifies a link on its transport, among those that are open at one time: the handle that
/// a controller gave it. A number, because it is looked up for each packet.
package struct LinkKey: Hashable, Sendable {
  let value: UInt32

  package init(_ adapter: AdapterIndex, _ handle: UInt16) {
    value = UInt32(adapter.value) << 16 | UInt32(handle)
  }

  /// The controller's index.
  package var adapter: AdapterIndex { AdapterIndex(UInt16(value >> 16)) }
  package var handle: UInt16 { UInt16(truncatingIfNeeded: value) }
}
