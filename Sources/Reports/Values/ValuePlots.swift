import Bluetooth
import Bytes
import Decoders
import Meanings
import Sessions

/// What the charts of all attributes share: with many of them, each has fewer points.
package struct PlotRoom: Sendable {
  /// The most points of all courses, and the most courses: of these, each keeps `least` points.
  private static let (most, mostCourses, least) = (1 << 17, 1 << 13, 8)
  fileprivate var points = 0
  fileprivate var courses = 0
  /// The most points of one course, and the most changes of a code.
  fileprivate var pointsEach = PlotCourse.most

  fileprivate var hasRoomForCourse: Bool { courses < Self.mostCourses }

  /// Halves what each course may have if there are too many points. The caller then has to limit
  /// all plots.
  mutating func shrink() -> Bool {
    guard points > Self.most, pointsEach > Self.least else { return false }
    pointsEach /= 2
    return true
  }
}

/// The numbers in the values of one attribute, for charts: one course per field.
package struct ValuePlots: Sendable {
  /// The course of one field.
  package struct Plot: Sendable {
    /// The identity of the field in its definition. Fields with the same name and unit share one,
    /// such as the 8-bit and 16-bit forms of a number.
    let field: Int
    /// The definition, or nil if the value is assumed to be a number.
    package let definition: ObjectIdentifier?
    package let isWritten: Bool
    /// The field's name; empty if the value is a single number.
    package let name: [UInt8]
    package let unit: [UInt8]
    package var decimals: Int
    /// The words for the codes that occurred.
    package var words: [(code: Int, word: [UInt8])] = []
    package var course = PlotCourse()
    /// The latest code, or nil for a field without codes; and its changes.
    fileprivate var code: Int?
    package fileprivate(set) var changes: [(time: Int64, code: Int)] = []
    /// Whether there were more changes than are kept.
    package fileprivate(set) var isCut = false
    package var isOfCodes: Bool { code != nil }

    /// Whether there is something to see: a number or code that changes with time.
    package var isWorthDrawing: Bool {
      guard let first = course.points.first?.time, first < course.lastTime else { return false }
      if isOfCodes { return words.count > 1 }
      var (low, high) = (Double.infinity, -Double.infinity)
      for point in course.points { (low, high) = (min(low, point.low), max(high, point.high)) }
      return course.count > 2 && low < high
    }
  }

  /// A write that enables or disables notifications or indications.
  package struct Switch: Sendable {
    package let time: Int64
    package let connection: Int
    package let isOn: Bool
  }

  package private(set) var plots: [Plot] = []
  package private(set) var switches: [Switch] = []
  private static let mostPlots = 8
  private static let mostSwitches = 64
  private static let mostWords = 32

  /// Adds the numbers in a value.
  ///
  /// - Parameters:
  ///   - reading: what the value means.
  ///   - start: the time from which times are counted.
  mutating func add(
    _ value: ConveyedValue, _ bytes: RawSpan, _ meaning: borrowing ValueMeaning,
    since start: Timestamp, _ room: inout PlotRoom
  ) {
    guard let time = value.time, let slice = value.value, value.outcome == .done else { return }
    let moment = time.nanoseconds(since: start) / 1000
    let content = bytes.part(slice)
    if value.attribute.uuid?.isShort(0x2902) ?? false, value.operation == .write,
      content.byteCount > 0
    {
      if switches.count < Self.mostSwitches {
        switches.append(
          Switch(
            time: moment, connection: value.parties.connection,
            isOn: content.byte(at: 0) & 3 != 0))
      }
      return
    }
    guard value.isPlain, !value.isKeyMaterial else { return }
    let isWritten = value.isWritten
    guard meaning.isKnown else {
      guard let form = NumberForm(value.attribute.uuid), let number = content.number(form) else {
        return
      }
      let place = place(-1, nil, isWritten, &room) {
        Plot(field: -1, definition: nil, isWritten: isWritten, name: [], unit: [], decimals: 0)
      }
      if let place { add(Double(number), at: moment, to: place, &room) }
      return
    }
    guard !meaning.isPart, !meaning.decoded.isDoubtful,
      let definition = meaning.decoded.definition
    else { return }
    let isMessage = meaning.sighting != nil
    meaning.forEachPoint { add($0, definition, isWritten, isMessage, moment, &room) }
  }

  private mutating func add(
    _ point: DecodedPoint, _ definition: Definition, _ isWritten: Bool, _ isMessage: Bool,
    _ moment: Int64, _ room: inout PlotRoom
  ) {
    func word(_ place: Int) -> [UInt8] {
      guard place >= 0 else { return [] }
      let words = definition.words
      var output = Output()
      output.spaced(words.bytes(place))
      return output.bytes.array
    }
    let field = point.name < 0 ? -2 - point.field : point.name << 16 | (point.unit + 1)
    let place = place(field, ObjectIdentifier(definition), isWritten, &room) {
      let name = word(point.name)
      let whole =
        isMessage ? [UInt8](definition.name.utf8) + (name.isEmpty ? [] : [0x20] + name) : name
      return Plot(
        field: field, definition: ObjectIdentifier(definition), isWritten: isWritten,
        name: whole, unit: word(point.unit), decimals: point.decimals)
    }
    guard let place else { return }
    guard point.word >= 0 else {
      plots[place].decimals = max(plots[place].decimals, point.decimals)
      add(point.value, at: moment, to: place, &room)
      return
    }
    guard let code = Int(exactly: point.value) else { return }
    if !plots[place].words.contains(where: { $0.code == code }) {
      guard plots[place].words.count < Self.mostWords else { return }
      plots[place].words.append((code, word(point.word)))
    }
    add(Double(code), at: moment, to: place, &room)
    guard plots[place].code != code else { return }
    plots[place].code = code
    if plots[place].changes.count < room.pointsEach {
      room.points += 1
      plots[place].changes.append((moment, code))
    } else {
      plots[place].isCut = true
    }
  }

  private mutating func add(
    _ number: Double, at moment: Int64, to place: Int, _ room: inout PlotRoom
  ) {
    room.points -= plots[place].course.points.count
    plots[place].course.add(number, at: moment, most: room.pointsEach)
    room.points += plots[place].course.points.count
  }

  /// Reduces courses and changes to what each may have.
  mutating func limit(_ room: inout PlotRoom) {
    for place in plots.indices {
      let before = plots[place].course.points.count + plots[place].changes.count
      plots[place].course.limit(to: room.pointsEach)
      let excess = plots[place].changes.count - room.pointsEach
      if excess > 0 {
        plots[place].changes = Array(plots[place].changes.dropLast(excess))
        plots[place].isCut = true
      }
      room.points += plots[place].course.points.count + plots[place].changes.count - before
    }
  }

  private mutating func place(
    _ field: Int, _ definition: ObjectIdentifier?, _ isWritten: Bool, _ room: inout PlotRoom,
    _ make: () -> Plot
  ) -> Int? {
    // A loop over places, since a closure would receive a copy of each plot.
    for place in plots.indices
    where plots[place].field == field && plots[place].definition == definition
      && plots[place].isWritten == isWritten
    {
      return place
    }
    guard plots.count < Self.mostPlots, room.hasRoomForCourse else { return nil }
    room.courses += 1
    plots.append(make())
    return plots.count - 1
  }
}
