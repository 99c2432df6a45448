/// What is kept for each of several connections, found by the connection's number.
struct ConnectionTable<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  /// The connections' numbers, in the order of their elements.
  private var ids: [Int] = []
  private var places: [Int: Int] = [:]
  /// Up to this number of connections, comparing costs less than hashing.
  private static var few: Int { 8 }

  var indices: Range<Int> { elements.indices }

  /// The connections' numbers, the earliest first.
  var connections: [Int] { ids.sorted() }

  /// The element at a place, which may change when another one is removed.
  subscript(place: Int) -> Element {
    _read { yield elements[place] }
    _modify { yield &elements[place] }
  }

  /// Returns the place of a connection's element.
  func place(of id: Int) -> Int? {
    ids.count <= Self.few ? ids.firstIndex(of: id) : places[id]
  }

  /// Adds a connection that has no element yet. If there are `most`, the earliest one is forgotten.
  ///
  /// - Returns: the place of its element.
  mutating func add(_ element: Element, of id: Int, most: Int) -> Int {
    if ids.count >= most, let earliest = ids.min() { remove(earliest) }
    places[id] = ids.count
    ids.append(id)
    elements.append(element)
    return ids.count - 1
  }

  /// Removes a connection's element, if it has one; the last element takes its place.
  mutating func remove(_ id: Int) {
    guard let place = places.removeValue(forKey: id), let last = ids.last else { return }
    elements.swapAt(place, ids.count - 1)
    elements.removeLast()
    ids.removeLast()
    guard last != id else { return }
    ids[place] = last
    places[last] = place
  }
}
