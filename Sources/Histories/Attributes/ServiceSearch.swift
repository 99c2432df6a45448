package import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The searches for a server's primary services on a connection (Read By Group Type).
package struct ServiceSearch: Sendable {
  /// A service in a response.
  package struct Service: Sendable, Equatable {
    package let first: UInt16
    package let last: UInt16
    package let uuid: BluetoothUUID
  }

  /// The services of the last search that was complete.
  package private(set) var services: [Service] = []
  /// The searches of all handles that came to their end, by the last packet of each.
  package private(set) var complete = Tally()
  /// Responses whose services lie below the first handle that was asked for.
  package private(set) var backward = Tally()
  /// The first handle that the last such request asked for, and the handles that it got.
  package private(set) var asked: UInt16 = 0
  package private(set) var got: ClosedRange<UInt16> = 0...0
  /// The services of the search under way.
  private var current: [Service] = []
  /// The first handle of its next request; nil: it is not known to be complete so far.
  private var next: UInt16?

  /// Whether no new search has begun since, and no attribute has changed.
  private var isCurrent = false

  private static let most = 128

  /// Returns whether no service of the last complete search contains a handle.
  package func isOutside(_ handle: UInt16) -> Bool {
    isCurrent && !services.contains { $0.first <= handle && handle <= $0.last }
  }

  mutating func note(
    _ range: (first: UInt16, last: UInt16), _ items: ATTItems, _ bytes: RawSpan, _ moment: Moment
  ) {
    guard begin(range) else { return }
    // Whatever cannot be read or does not follow makes the search incomplete.
    let isComplete = next.take() != nil
    var cursor = Cursor(bytes, items.list)
    var found: [Service] = []
    var (lowest, highest): (UInt16, UInt16) = (.max, 0)
    while let item = items.next(&cursor) {
      guard let handle = item.handle, let end = item.endHandle, let value = item.value,
        current.count + found.count < Self.most
      else { return }
      var part = Cursor(bytes, value)
      guard let uuid = try? BluetoothUUID(parsing: &part, width: Int(value.count)) else { return }
      found.append(Service(first: handle, last: end, uuid: uuid))
      (lowest, highest) = (min(lowest, handle), max(highest, end))
    }
    if highest < range.first, lowest <= highest {
      backward.note(moment)
      (asked, got) = (range.first, lowest...highest)
      return
    }
    guard isComplete, range.first <= lowest, lowest <= highest else { return }
    current += found
    if highest == .max { finish(moment) } else { next = highest + 1 }
  }

  /// Records that the server has no more services.
  mutating func note(endOf range: (first: UInt16, last: UInt16), _ moment: Moment) {
    if begin(range), next.take() != nil { finish(moment) }
  }

  /// Returns whether a request continues a search of all handles, or begins one.
  private mutating func begin(_ range: (first: UInt16, last: UInt16)) -> Bool {
    guard range.last == .max else {
      next = nil
      return false
    }
    if range.first <= 1 {
      current.removeAll(keepingCapacity: true)
      next = range.first
      isCurrent = false
      // A client that begins anew got to an end.
      backward = Tally()
    }
    // A search that went back is observed, but is never complete.
    return next == range.first || asked == range.first
  }

  /// Records that attributes may have changed.
  mutating func invalidate() { isCurrent = false }

  private mutating func finish(_ moment: Moment) {
    // Services that changed have to be discovered again.
    if !services.isEmpty, services != current { complete = Tally() }
    services = current
    isCurrent = true
    complete.note(moment)
  }
}

extension AttributeHistory {
  /// Returns the searches for a server's services.
  package func search(of server: Side) -> ServiceSearch { searches[server] }

  /// Records a response to a search for primary services, or its end.
  mutating func noteSearch(
    _ request: OpenRequest, _ items: ATTItems?, _ bytes: RawSpan, _ context: Context
  ) {
    guard request.opcode == .readByGroupTypeRequest, request.type == .primaryService,
      let range = request.range, context.isWhole
    else { return }
    if let items {
      searches[context.server].note(range, items, bytes, context.moment)
    } else {
      searches[context.server].note(endOf: range, context.moment)
    }
  }
}
