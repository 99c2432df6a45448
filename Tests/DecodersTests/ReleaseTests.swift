import Bluetooth
import Testing

@testable import ProfileFiles

/// The parsed contents of a profile file refer to their context, which must not refer back
/// strongly, or neither would be freed.
@Suite("The context of a parsed file is freed")
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

  @Test("The scope around a group")
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
