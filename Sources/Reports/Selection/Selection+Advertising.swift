// Selects packets by the advertising data among the parameters of commands and events: what the
// captured host advertises, what its controller filters by, and what an inquiry or the kernel
// found.

import Bluetooth
import Bytes
import Dissectors
import Sessions

extension Dissection {
  /// Returns whether the packet reports or sets advertising data, or contains some among its
  /// parameters. A command may set empty data; elsewhere an empty field does not count.
  func isAboutAdvertising(_ bytes: RawSpan, _ memory: borrowing Memory) -> Bool {
    if !memory.advertisements.reports.isEmpty { return true }
    var finder = AdvertisingFinder()
    if case .command = content { finder.takesEmpty = true }
    findAdvertising(bytes, &finder)
    return finder.isFound
  }

  /// Whether a row of the packet has advertising data or UUIDs among its parameters. Checked before
  /// a finder is created, since most packets have none.
  var mayHoldAdvertising: Bool {
    guard let parameters else { return false }
    return parameters.row?.parameters.has(.uuids) ?? false
      || parameters.completed?.returns.has(.uuids) ?? false
  }

  /// Passes the parameters of a packet that may contain advertising data or UUIDs to `finder`.
  fileprivate func findAdvertising<Finder: FieldVisitor>(
    _ bytes: RawSpan, _ finder: inout Finder
  ) {
    guard let found = parameters else { return }
    if let row = found.row, row.parameters.has(.uuids) {
      Self.walk(row.parameters, bytes, found.outer, &finder)
    }
    if let completed = found.completed, completed.returns.has(.uuids) {
      Self.walk(completed.returns, bytes, found.inner, &finder)
    }
  }

  private static func walk<Finder: FieldVisitor>(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice, _ finder: inout Finder
  ) {
    guard !slice.isEmpty else { return }
    var fields = FieldWalk(bytes, slice)
    // If the bytes end too early, the fields before the end were visited.
    try? fields.walk(layout, &finder)
  }
}

extension AttributeFinder {
  /// Returns whether a parameter of a command or event is one of the UUIDs, or advertising data (or
  /// a filter for it) that contains one.
  func matchesParameterUUID(_ dissection: Dissection, _ bytes: RawSpan) -> Bool {
    var finder = UUIDFinder(finder: self)
    dissection.findAdvertising(bytes, &finder)
    return finder.isFound
  }
}

extension Selection {
  /// Returns whether advertising data among the parameters of a command or event contains one of
  /// the byte patterns.
  func matchesParameterValue(_ dissection: Dissection, _ bytes: RawSpan) -> Bool {
    var finder = ValueFinder(selection: self)
    dissection.findAdvertising(bytes, &finder)
    return finder.isFound
  }
}

private struct AdvertisingFinder: FieldVisitor {
  /// Whether a field without bytes counts, too.
  var takesEmpty = false
  var isFound = false

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    switch value {
    case .advertisingData, .advertisingFragment:
      if takesEmpty || bytes.byteCount > 0 { isFound = true }
    default: break
    }
  }
}

private struct UUIDFinder<Finder: AttributeFinder>: FieldVisitor {
  let finder: Finder
  var isFound = false

  init(finder: Finder) { self.finder = finder }

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    guard !isFound else { return }
    switch value {
    case .uuid(let uuid): isFound = finder.has(uuid)
    case .advertisingData:
      isFound = finder.matchesUUID(bytes, Slice(start: 0, count: bytes.byteCount))
    // Android's filter for service data starts with the 16-bit UUID, as an AD structure does.
    case .bytes(.serviceData) where bytes.byteCount >= 2:
      isFound = finder.has(BluetoothUUID(bytes.littleEndianU16(at: 0)))
    default: break
    }
  }
}

/// Looks for bytes in advertising data.
private struct ValueFinder: FieldVisitor {
  let selection: Selection
  var isFound = false

  init(selection: Selection) { self.selection = selection }

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    switch value {
    case .advertisingData, .advertisingFragment:
      if selection.holds(bytes) { isFound = true }
    default: break
    }
  }
}
