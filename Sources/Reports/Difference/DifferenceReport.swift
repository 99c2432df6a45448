package import Bytes
import Bluetooth
import Differences
import Diagnosis
import Sessions

/// How `diff` presents what differs.
package struct DiffOptions: PresentationOptions, Sendable {
  /// What is compared of each side.
  package var sides = (left: SideSelection(), right: SideSelection())
  /// How the sides are called: the files' names.
  package var names = (left: "", right: "")
  /// Whether both sides are of one capture, so that their times are of one clock.
  package var isOneCapture = false
  /// Fields that may differ.
  package var ignored: [String] = []
  /// Whether to print a document instead of text.
  package var isJSON = false
  /// Whether to print a page of HTML.
  package var isHTML = false
  /// Whether to print no more than how much differs.
  package var isSummary = false
  /// Whether to print also what is the same.
  package var showsEqual = false
  /// Whether secrets are shown.
  package var showsKeys = false
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// Columns of the terminal; nil: lines are as wide as on paper.
  package var width: Int?
  /// Whether to colour.
  package var usesColor = false

  /// The defaults.
  package init() {}
}

/// `diff`: what differs between two captures, in whichever form.
package struct DifferenceReport: Sendable {
  /// Two devices, and what differs between what was done with them.
  struct Compared: Sendable {
    let pair: DevicePair
    let difference: Difference
    /// Whether a side is a map, so that there are only attributes to compare.
    let isOfMap: Bool
  }

  let options: DiffOptions
  /// How many records each side has; nil of a map.
  let records: (left: Int?, right: Int?)
  /// Whether each side is damaged, so that it was read up to the damage.
  let isDamaged: (left: Bool, right: Bool)
  /// Whether a side is a map, so that there are only attributes to compare.
  let isOfMap: Bool
  /// Which sides are.
  private let areMaps: (left: Bool, right: Bool)
  /// The devices that belong together.
  let compared: [Compared]
  /// Those that nothing belongs to.
  let unpaired: (left: [RememberedCapture.Device], right: [RememberedCapture.Device])

  /// Compares two sides.
  package init(_ left: RememberedCapture, _ right: RememberedCapture, _ options: DiffOptions) {
    self.options = options
    records = (left.records, right.records)
    isDamaged = (left.isDamaged, right.isDamaged)
    let pairing = DevicePairing(left, right, options.sides.left, options.sides.right)
    unpaired = pairing.unpaired
    areMaps = (left.isMap, right.isMap)
    isOfMap = left.isMap || right.isMap
    let isOfMap = isOfMap
    compared = pairing.pairs.map { pair in
      var asked = DifferenceOptions()
      asked.ignored = options.ignored
      asked.areTwoEnds = pair.way == .mirrored
      asked.hasOtherClock = asked.areTwoEnds && !options.isOneCapture
      var (one, other) = (pair.left.session, pair.right.session)
      if isOfMap {
        // A map has no conversation to hold against another one.
        one.connections = []
        other.connections = []
      }
      return Compared(pair: pair, difference: Difference(one, other, asked), isOfMap: isOfMap)
    }
  }

  /// What was asked for and is not there: a side that has no such device; nil where all is.
  package var missing: String? {
    for (side, name, selection, isMap) in [
      (unpaired.left, options.names.left, options.sides.left, areMaps.left),
      (unpaired.right, options.names.right, options.sides.right, areMaps.right),
    ] where !selection.isEverything && side.isEmpty && compared.isEmpty {
      if isMap {
        return selection.connections.isEmpty
          ? "\(name) is a saved map and has no such device"
          : "\(name) is a saved map: there are no connections in it to choose from, only devices"
      }
      return "\(name) has no such device or connection; devices and info list what it has"
    }
    return nil
  }

  /// Fields that may differ, and of which none does; empty where there was nothing to compare.
  package var ignoredInVain: [String] {
    if compared.isEmpty { return [] }
    let used = compared.reduce(into: Set<String>()) { $0.formUnion($1.difference.silencers) }
    return options.ignored.filter { !used.contains($0) }
  }

  /// Whether there was nothing to compare.
  package var isOfNothing: Bool {
    compared.isEmpty && unpaired.left.isEmpty && unpaired.right.isEmpty
  }

  /// Whether nothing differs.
  package var isSame: Bool {
    compared.allSatisfy(\.difference.isEmpty) && unpaired.left.isEmpty && unpaired.right.isEmpty
  }

  /// Prints it.
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
