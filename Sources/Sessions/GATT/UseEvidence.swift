/// What the use of attributes says of those that were never discovered: which of them are Client
/// Characteristic Configurations.
///
/// The rule: a Write Request of two bytes, 0000 to 0003, followed by notifications or indications from
/// the nearest lower handle that ever sends any; other descriptors may lie between. Never a Write
/// Command: vendors write 01 00 as data. Bounded: what is too much is not remembered.
package struct UseEvidence: Sendable {
  /// A CCCD that is concluded.
  package struct Conclusion: Sendable {
    /// The CCCD's handle.
    package let handle: UInt16
    /// The value that it is for.
    package fileprivate(set) var value: UInt16
    /// The packet that wrote it.
    package let write: Int
    /// The packet that brought the value then.
    package fileprivate(set) var notification: Int
  }

  /// Handles that were written as CCCDs are, by packet; in the order of handles.
  private(set) var writes: [(handle: UInt16, packet: Int)] = []
  /// Handles that have sent notifications or indications, in order.
  private var senders: [UInt16] = []
  /// The one that was seen last: traffic comes in runs.
  private var latest: UInt16 = 0
  /// What was concluded.
  package private(set) var conclusions: [Conclusion] = []
  private static let limit = 64

  /// Takes in a Write Request to a handle that is not known.
  mutating func write(_ handle: UInt16, packet: Int) {
    let position = writes.firstIndex { $0.handle >= handle } ?? writes.count
    if position < writes.count, writes[position].handle == handle { return }
    guard writes.count < Self.limit, conclusions.count < Self.limit else { return }
    writes.insert((handle, packet), at: position)
  }

  /// Takes in that a write was refused: it shows nothing.
  mutating func refuse(_ handle: UInt16) { writes.removeAll { $0.handle == handle } }

  /// Whether a notification or indication of this handle may say something new.
  func isNews(_ handle: UInt16) -> Bool { handle != latest || !writes.isEmpty }

  /// The nearest handle below another one that has sent notifications or indications.
  func sender(before handle: UInt16) -> UInt16? { senders.last { $0 < handle } }

  /// Takes in a notification or indication.
  ///
  /// - Parameter hasBorder: whether something that belongs to no characteristic before it is known after
  ///   the first handle and up to the second.
  /// - Returns: what follows from it, where something does that is new.
  mutating func receive(
    _ handle: UInt16, packet: Int, hasBorder: (UInt16, UInt16) -> Bool
  ) -> Conclusion? {
    latest = handle
    let position = senders.firstIndex { $0 >= handle } ?? senders.count
    let isKnown = position < senders.count && senders[position] == handle
    if !isKnown {
      guard senders.count < Self.limit else { return nil }
      senders.insert(handle, at: position)
      // One that was given to a lower handle is nearer to this one.
      for index in conclusions.indices
      where conclusions[index].value < handle && handle < conclusions[index].handle {
        conclusions[index].value = handle
        conclusions[index].notification = packet
        return conclusions[index]
      }
    }
    guard let nearest = writes.first(where: { $0.handle > handle }) else { return nil }
    let next = position + 1 < senders.count ? senders[position + 1] : .max
    guard nearest.handle < next, !conclusions.contains(where: { $0.value == handle }),
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
