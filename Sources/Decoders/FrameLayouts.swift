/// The layouts of a protocol's frames. Each is in an object of its own, since a layout is large: it
/// is used in its place, and not copied.
package struct FrameLayouts: Sendable, Equatable, RandomAccessCollection {
  private final class Place: Sendable {
    let layout: FrameLayout

    init(_ layout: FrameLayout) { self.layout = layout }
  }

  private let places: [Place]

  init(_ layouts: [FrameLayout]) { places = layouts.map(Place.init) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }

  package subscript(index: Int) -> FrameLayout { _read { yield places[index].layout } }

  package static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
