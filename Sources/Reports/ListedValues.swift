import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The values of a Multiple Handle Value Notification, or of several reads, one after the other: which
/// attributes these are of is known from their handles, or from those that the request has.
struct ListedValues {
  private let items: ATTItems
  private let asked: [UInt16]
  private var index = 0

  init(_ items: ATTItems, _ answer: Answer, _ memory: borrowing Memory) {
    self.items = items
    asked = answer.request.map { memory.askedHandles[$0.packet] } ?? []
  }

  /// The next item, and the handle that it has, or that was asked for in its place.
  @_lifetime(cursor: copy cursor)
  mutating func next(_ cursor: inout Cursor) -> (item: ATTItems.Item, handle: UInt16?)? {
    guard let item = items.next(&cursor) else { return nil }
    defer { index += 1 }
    return (item, item.handle ?? (index < asked.count ? asked[index] : nil))
  }
}

extension Answer {
  /// The type of an attribute with a handle that a PDU names; nil where that is not known.
  func type(
    of handle: UInt16?, _ opcode: ATTOpcode, _ direction: Direction?, _ memory: borrowing Memory
  ) -> BluetoothUUID? {
    guard let handle, let direction, let link,
      let place = memory.attribute(handle, opcode, direction, on: link)
    else { return nil }
    return memory.attributes[place].uuid
  }
}
