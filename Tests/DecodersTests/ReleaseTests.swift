import Bluetooth
import Testing

@testable import ProfileFiles

/// What is read of a profile's file holds what it stands in, and would never be freed where that held it.
@Suite("What a file was read with is freed")
struct ReleaseTests {
  @Test("The file of a characteristic's fields")
  func file() throws {
    weak var held: FileContext?
    do {
      let context = FileContext { _ in nil }
      let fields = try SourceNode.read([UInt8]("[]".utf8), file: "test.yaml")
      context.characteristics[BluetoothUUID(0x2aff)] = (fields, false)
      #expect(context.layout(BluetoothUUID(0x2aff))?.file === context)
      held = context
    }
    #expect(held == nil)
  }

  @Test("The names around a group")
  func scope() {
    weak var held: Scope?
    do {
      let outer = Scope()
      outer.entries["before"] = Scope.Entry(slot: 0, isInteger: true)
      let inner = Scope(inside: outer)
      outer.entries["group"] = Scope.Entry(slot: 1, isInteger: false, members: inner)
      #expect(inner.find("before")?.slot == 0)
      held = outer
    }
    #expect(held == nil)
  }
}
