import Bluetooth
import Bytes
import Decoders

/// The profiles that the user named for this run and that have decoded nothing so far, with the
/// reasons why values that they apply to are not frames.
struct UnmatchedProfiles: Sendable {
  /// Values of a characteristic that do not fit for the same reason.
  fileprivate struct Reason: Sendable {
    let uuid: BluetoothUUID?
    /// Why the first of them does not fit, and its packet.
    let misfit: FrameMisfit
    let packet: Int
    var count = 1

    /// Returns whether another value is counted with these: those that begin in the same way, and
    /// all others that break the same rule.
    func includes(_ other: FrameMisfit, _ uuid: BluetoothUUID?) -> Bool {
      guard self.uuid == uuid, misfit.kind == other.kind else { return false }
      if case .start = misfit { return misfit == other }
      return true
    }
  }

  private struct Entry: Sendable {
    let profile: SuppliedProfiles.Named
    var reasons: [Reason] = []
  }

  private var entries: [Entry]

  /// The most reasons that are counted for a profile, and that are named.
  private static let mostReasons = 16
  fileprivate static let mostNamed = 2

  init(_ supplied: SuppliedProfiles?) {
    entries = (supplied?.named ?? []).map { Entry(profile: $0) }
  }

  /// Whether all profiles have decoded something.
  var isEmpty: Bool { entries.isEmpty }

  /// Records that a definition decodes a value.
  mutating func note(_ definition: Definition) {
    entries.removeAll { $0.profile.definitions.contains { $0 === definition } }
  }

  /// Records that a value belongs to a protocol.
  mutating func note(_ vendor: VendorProtocol) {
    entries.removeAll { $0.profile.vendor === vendor }
  }

  /// Records that a value on a channel of a protocol does not belong to it.
  mutating func note(
    _ misfit: FrameMisfit, _ vendor: VendorProtocol, _ uuid: BluetoothUUID?, _ packet: Int
  ) {
    for place in entries.indices where entries[place].profile.vendor === vendor {
      let reasons = entries[place].reasons
      if let known = reasons.firstIndex(where: { $0.includes(misfit, uuid) }) {
        entries[place].reasons[known].count += 1
      } else if reasons.count < Self.mostReasons {
        entries[place].reasons.append(Reason(uuid: uuid, misfit: misfit, packet: packet))
      }
    }
  }

  /// Returns which profiles matched nothing, and why, or nil if all matched something.
  ///
  /// - Parameter isAllWorded: whether all packets were described: if not, values that a profile's
  ///   definitions decode may be among the others.
  func remark(isAllWorded: Bool) -> String? {
    let left = entries.filter { isAllWorded || $0.profile.definitions.isEmpty }
    guard !left.isEmpty else { return nil }
    var words = Output()
    words.listed(left[...], separatedBy: "; ") { $0.unmatched($1.profile, $1.reasons) }
    return String(decoding: words.bytes.array, as: UTF8.self)
  }
}

extension Output {
  /// Appends `band.yaml matched nothing in this capture: 12 values of fff6 begin with 55, not a5`.
  fileprivate mutating func unmatched(
    _ profile: SuppliedProfiles.Named, _ reasons: [UnmatchedProfiles.Reason]
  ) {
    printable([UInt8](profile.file.utf8).bytes)
    text(" matched nothing in this capture")
    let main = reasons.sorted { $0.count > $1.count }.prefix(UnmatchedProfiles.mostNamed)
    for (place, reason) in main.enumerated() {
      text(place == 0 ? ": " : ", ")
      count(reason.count, "value", "values")
      if let uuid = reason.uuid {
        text(" of ")
        self.uuid(uuid)
      }
      byte(0x20)
      misfit(reason.misfit, ofSeveral: reason.count > 1)
      if reason.count > 1, reason.misfit.isExample {
        text(" (#")
        decimal(reason.packet)
        byte(0x29)
      }
    }
  }
}
