import Bytes

/// The layouts of a protocol's frames.
package struct FrameLayouts: Sendable, Equatable, RandomAccessCollection {
  private let places: [PlacedLayout]

  init(_ layouts: [FrameLayout]) { places = layouts.map(PlacedLayout.init) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }

  package subscript(index: Int) -> FrameLayout { _read { yield places[index].layout } }

  /// Returns a layout in its place, for what is needed with every value: a layout is large, and
  /// would otherwise be copied each time.
  func at(_ index: Int) -> PlacedLayout { places[index] }

  package static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

/// A layout that is not copied.
final class PlacedLayout: Sendable {
  let layout: FrameLayout
  let isVerifiable: Bool
  let isOpenEnded: Bool
  let isEscaped: Bool

  init(_ layout: FrameLayout) {
    self.layout = layout
    isVerifiable = layout.isVerifiable
    isOpenEnded = layout.isOpenEnded
    isEscaped = layout.escape != nil
  }

  var isRequest: Bool? { layout.isRequest }
  var timeout: Int? { layout.timeout }
  var most: Int { layout.most }
  var padding: UInt8? { layout.padding }
  var isChunked: Bool { layout.chunk != nil }

  @inline(never)
  func extent(of bytes: RawSpan, searchedUpTo searched: Int = 0) -> FrameExtent {
    layout.extent(of: bytes, searchedUpTo: searched)
  }

  func isFilled(_ bytes: RawSpan, from offset: Int) -> Bool {
    padding != nil && layout.isFilled(bytes, from: offset)
  }

  func excess(of bytes: RawSpan) -> Int? { layout.excess(of: bytes) }

  func command(of bytes: RawSpan) -> Int? { layout.command(of: bytes) }

  @inline(never)
  func parts(of bytes: RawSpan, _ slice: Slice, layout index: Int) -> Frame {
    layout.parts(of: bytes, slice, layout: index)
  }

  @inline(never)
  func frame(
    _ bytes: RawSpan, _ slice: Slice, layout index: Int, into unescaped: inout [UInt8]
  ) -> Frame? {
    isEscaped
      ? layout.frame(bytes, slice, layout: index, into: &unescaped)
      : parts(of: bytes, slice, layout: index)
  }
}
