import Bluetooth
package import Bytes
import Histories
import Meanings
package import Reports
import Sessions

package struct DiffOptions: PresentationOptions, Sendable {
  /// What is compared of each side.
  package var sides = (left: Selection(), right: Selection())
  /// The names of the sides: the files' names.
  package var names = (left: "", right: "")
  /// Whether both sides are from one capture, so that their times are from one clock.
  package var isOneCapture = false
  /// Fields whose differences are ignored.
  package var ignored: [String] = []
  /// Whether to print a document instead of text.
  package var isJSON = false
  /// Whether to print a page of HTML.
  package var isHTML = false
  /// Whether to print only how much differs.
  package var isSummary = false
  /// Whether to print what is the same, too.
  package var showsEqual = false
  package var showsKeys = false
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// The width of the terminal in columns; nil: the default width.
  package var width: Int?
  package var usesColor = false

  /// Creates the default options.
  package init() {}
}

/// `diff`: what differs between two captures, in any output format.
package struct DifferenceReport: Sendable {
  /// Two devices, and the differences between their sessions.
  struct Compared: Sendable {
    let pair: DevicePair
    let difference: Difference
    /// Whether a side is a map, so that only attributes can be compared.
    let isOfMap: Bool
    /// Whether both sides are connections of one device in one capture: its map is kept once.
    let hasOneMap: Bool
  }

  let options: DiffOptions
  /// The number of records of each side; nil for a map.
  let records: (left: Int?, right: Int?)
  /// Whether each side is damaged, so that it was read only up to the damage.
  let isDamaged: (left: Bool, right: Bool)
  /// Whether a side is a map, so that only attributes can be compared.
  let isOfMap: Bool
  /// The sides that are maps.
  private let areMaps: (left: Bool, right: Bool)
  /// The devices that were paired.
  let compared: [Compared]
  /// The devices without a counterpart.
  let unpaired: (left: [RememberedCapture.Device], right: [RememberedCapture.Device])
  /// The connections without a counterpart: those of paired devices, then those of the others.
  let lone: [LoneConnection]

  /// Compares two sides.
  ///
  /// The sides are consumed: what is compared is not kept twice.
  package init(
    _ left: consuming RememberedCapture, _ right: consuming RememberedCapture,
    _ options: DiffOptions
  ) {
    self.options = options
    records = (left.records, right.records)
    isDamaged = (left.isDamaged, right.isDamaged)
    var pairing = DevicePairing(copy left, copy right, options.sides.left, options.sides.right)
    unpaired = pairing.unpaired
    areMaps = (left.isMap, right.isMap)
    isOfMap = left.isMap || right.isMap
    left.devices = []
    right.devices = []
    let isOfMap = isOfMap
    let hasUnknownDevices = (unpaired.left + unpaired.right).contains { $0.addresses.isEmpty }
    var compared: [Compared] = []
    while let (pair, one, other) = pairing.takeNext(withConnections: !isOfMap) {
      var asked = DifferenceOptions()
      asked.ignored = options.ignored
      asked.hasUnknownDevices = hasUnknownDevices
      asked.areTwoEnds = pair.basis == .mirrored
      asked.hasOtherClock = asked.areTwoEnds && !options.isOneCapture
      compared.append(
        Compared(
          pair: pair, difference: Difference(one, other, asked), isOfMap: isOfMap,
          hasOneMap: options.isOneCapture && pair.left.address != nil
            && pair.left.address == pair.right.address))
    }
    self.compared = compared
    lone =
      Self.lone(compared) + Self.lone(unpaired.left, isLeft: true, isOnly: compared.isEmpty)
      + Self.lone(unpaired.right, isLeft: false, isOnly: compared.isEmpty)
  }

  /// What was requested but does not exist on a side, or nil if everything exists.
  package var missing: String? {
    for (side, name, selection, isMap) in [
      (unpaired.left, options.names.left, options.sides.left, areMaps.left),
      (unpaired.right, options.names.right, options.sides.right, areMaps.right),
    ] where !selection.isEverything && side.isEmpty && compared.isEmpty {
      if isMap {
        return selection.connections.isEmpty
          ? "\(name) is a saved map and has no such device"
          : "\(name) is a saved map: it has no connections to choose from, only devices"
      }
      return "\(name) has no such device or connection; devices and info list what it has"
    }
    return nil
  }

  /// The ignored fields that do not differ; empty if there was nothing to compare.
  package var ignoredInVain: [String] {
    if compared.isEmpty { return [] }
    let used = compared.reduce(into: Set<String>()) { $0.formUnion($1.difference.silencers) }
    return options.ignored.filter { !used.contains($0) }
  }

  /// Whether there was nothing to compare.
  package var isOfNothing: Bool {
    compared.isEmpty && unpaired.left.isEmpty && unpaired.right.isEmpty
  }

  /// Whether a capture has data that is not compared.
  package var hasUncompared: Bool {
    compared.contains {
      $0.difference.sessions.left.hasUncompared || $0.difference.sessions.right.hasUncompared
    }
  }
  package static var uncomparedRemark: String { Compared.uncompared.text }

  /// Whether nothing differs.
  package var isSame: Bool {
    compared.allSatisfy(\.difference.isEmpty) && unpaired.left.isEmpty && unpaired.right.isEmpty
  }

  /// Prints the differences.
  package func write(into output: inout Output) {
    if options.isJSON {
      var document = DifferenceDocument(self)
      document.write(into: &output)
    } else if options.isHTML {
      var page = DifferenceHTML(self)
      page.write(into: &output)
    } else if !isSame || options.showsEqual || options.isSummary
      || compared.contains(where: { $0.difference.hasExpected })
    {
      var page = DifferencePage(self)
      page.write(into: &output)
    }
  }
}

extension Difference {
  /// Whether something differs that is expected to.
  var hasExpected: Bool { steps.contains { $0.kind != .same } }
}
