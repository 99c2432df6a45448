/// Evidence about attributes that were never discovered: which of them are Client Characteristic
/// Configurations.
///
/// The rule: a Write Request of two bytes, 0000 to 0003, that the server accepts, followed by
/// notifications or indications from the nearest lower handle that ever sends any; other
/// descriptors may lie between. A Write Command never counts, since vendors write 01 00 as data.
/// Bounded: what exceeds the bound is not recorded.
package struct UseEvidence: Sendable {
  /// An inferred CCCD.
  package struct Conclusion: Sendable {
    /// The CCCD's handle.
    package let handle: UInt16
    /// The handle of the value that it configures.
    package fileprivate(set) var value: UInt16
    /// The packet that wrote it.
    package let write: Int
    /// The packet that carried the value afterwards.
    package fileprivate(set) var notification: Int
  }

  /// Handles that were written like CCCDs, with the packets, and whether the server has answered;
  /// in ascending order of the handles.
  private(set) var writes: [(handle: UInt16, packet: Int, isAccepted: Bool)] = []
  /// Handles that have sent notifications or indications, in ascending order.
  private var senders: [UInt16] = []
  /// The last sender, since consecutive packets often come from the same one.
  private var latest: UInt16 = 0
  /// The inferred CCCDs.
  package private(set) var conclusions: [Conclusion] = []
  private static let limit = 64

  /// Records a Write Request to an unknown handle.
  mutating func write(_ handle: UInt16, packet: Int) {
    let position = writes.firstIndex { $0.handle >= handle } ?? writes.count
    if position < writes.count, writes[position].handle == handle { return }
    guard writes.count < Self.limit, conclusions.count < Self.limit else { return }
    writes.insert((handle, packet, false), at: position)
  }

  /// Records that a write was refused, so that it shows nothing.
  mutating func refuse(_ handle: UInt16) { writes.removeAll { $0.handle == handle } }

  /// Records that a write was accepted.
  mutating func accept(_ handle: UInt16) {
    guard let index = writes.firstIndex(where: { $0.handle == handle }) else { return }
    writes[index].isAccepted = true
  }

  /// Returns whether a notification or indication of this handle may reveal something new.
  func isNews(_ handle: UInt16) -> Bool { handle != latest || !writes.isEmpty }

  /// Returns the nearest lower handle that has sent notifications or indications.
  func sender(before handle: UInt16) -> UInt16? { senders.last { $0 < handle } }

  /// Records a notification or indication.
  ///
  /// - Parameter hasBorder: whether an attribute that does not belong to the characteristic before
  ///   it is known after the first handle, up to the second.
  /// - Returns: what newly follows from it, if anything.
  mutating func receive(
    _ handle: UInt16, packet: Int, hasBorder: (UInt16, UInt16) -> Bool
  ) -> Conclusion? {
    latest = handle
    let position = senders.firstIndex { $0 >= handle } ?? senders.count
    let isKnown = position < senders.count && senders[position] == handle
    if !isKnown {
      guard senders.count < Self.limit else { return nil }
      senders.insert(handle, at: position)
      // A CCCD that was assigned to a lower handle is nearer to this one.
      for index in conclusions.indices
      where conclusions[index].value < handle && handle < conclusions[index].handle {
        conclusions[index].value = handle
        conclusions[index].notification = packet
        return conclusions[index]
      }
    }
    guard let nearest = writes.first(where: { $0.handle > handle }) else { return nil }
    let next = position + 1 < senders.count ? senders[position + 1] : .max
    guard nearest.isAccepted, nearest.handle < next,
      !conclusions.contains(where: { $0.value == handle }),
      !hasBorder(handle, nearest.handle)
    else { return nil }
    writes.removeAll { $0.handle == nearest.handle }
    let new = Conclusion(
      handle: nearest.handle, value: handle, write: nearest.packet, notification: packet)
    conclusions.append(new)
    return new
  }

  /// Forgets what was seen of a range of handles.
  mutating func forget(_ first: UInt16, _ last: UInt16) {
    writes.removeAll { first <= $0.handle && $0.handle <= last }
    senders.removeAll { first <= $0 && $0 <= last }
    conclusions.removeAll { first <= $0.handle && $0.handle <= last }
  }
}
