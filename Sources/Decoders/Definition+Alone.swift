// Whether text needs labels, which is determined before any value comes.

extension Definition {
  /// Returns whether text can show at most one field, which then needs no label: of all fields, or
  /// of those inside a group.
  func isAlone(_ group: Int?) -> Bool { alone[(group ?? -1) + 1] }

  /// Returns `isAlone` for all fields together and for each field.
  static func findAlone(_ tables: Tables) -> [Bool] {
    var alone = [countShown(0..<tables.fields.count, tables).count <= 1]
    for (place, field) in tables.fields.enumerated() {
      alone.append(
        field.kind == .group && countShown(place + 1..<field.end, tables).count <= 1)
    }
    return alone
  }

  /// Returns the names of the fields that text may show.
  private static func countShown(_ range: Range<Int>, _ tables: Tables) -> Set<Int> {
    var names: Set<Int> = []
    var place = range.lowerBound
    while place < range.upperBound {
      let field = tables.fields[place]
      let isSpliced: Bool =
        switch field.kind {
        case .group: field.name < 0
        case .choice, .branch: true
        case .unsigned: field.end > place + 1
        default: false
        }
      if isSpliced {
        names.formUnion(countShown(place + 1..<field.end, tables))
      } else if !field.flags.contains(.quiet), !field.flags.contains(.layout), field.checksum < 0 {
        names.insert(field.name)
      }
      place = max(field.end, place + 1)
    }
    return names
  }
}
