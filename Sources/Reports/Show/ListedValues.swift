import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The values of a Multiple Handle Value Notification, or of a read of several attributes, one
/// after the other. The attributes follow from their handles, or from those in the request.
struct ListedValues {
  private let items: ATTItems
  private let asked: [UInt16]
  private var index = 0

  init(_ items: ATTItems, _ answer: Answer, _ memory: borrowing Memory) {
    self.items = items
    asked = answer.request.map { memory.askedHandles[$0.packet] } ?? []
  }

  /// Returns the next item, and its handle or the one that was requested at its position.
  @_lifetime(cursor: copy cursor)
  mutating func next(_ cursor: inout Cursor) -> (item: ATTItems.Item, handle: UInt16?)? {
    guard let item = items.next(&cursor) else { return nil }
    defer { index += 1 }
    return (item, item.handle ?? (index < asked.count ? asked[index] : nil))
  }
}

extension Answer {
  /// Returns the type of an attribute whose handle a PDU contains, or nil if it is unknown.
  func type(
    of handle: UInt16?, _ opcode: ATTOpcode, _ direction: Direction?, _ memory: borrowing Memory
  ) -> BluetoothUUID? {
    guard let handle, let direction, let link,
      let place = memory.attribute(handle, opcode, direction, on: link)
    else { return nil }
    return memory.attributes[place].uuid
  }
}
