import Bluetooth
import Bytes
import Decoders
import Meanings
package import Sessions

/// Counts distinct values, up to a limit.
struct DistinctCount: Sendable {
  /// Fingerprints in a hash table that is at most half full; 0 marks a free slot.
  private var table: [UInt64] = []
  /// The number of distinct values.
  private(set) var count = 0
  /// Whether there were more than the limit.
  private(set) var isAtLeast = false

  /// Counts a value.
  mutating func add(_ value: RawSpan, limit: Int) {
    guard !isAtLeast else { return }
    var fingerprint: UInt64 = 0x9e37_79b9_7f4a_7c15 ^ UInt64(truncatingIfNeeded: value.byteCount)
    for index in 0..<value.byteCount {
      fingerprint = (fingerprint ^ UInt64(value.byte(at: index))) &* 0x0000_0100_0000_01b3
      fingerprint ^= fingerprint >> 29
    }
    if fingerprint == 0 { fingerprint = 1 }
    insert(fingerprint, limit: limit)
  }

  private mutating func insert(_ fingerprint: UInt64, limit: Int) {
    if 2 * count >= table.count { grow() }
    guard let place = place(fingerprint), table[place] == 0 else { return }
    guard count < limit else {
      isAtLeast = true
      table = []
      return
    }
    table[place] = fingerprint
    count += 1
  }

  /// Adds the values that were counted separately.
  mutating func absorb(_ other: Self, limit: Int) {
    for fingerprint in other.table where fingerprint != 0 && !isAtLeast {
      insert(fingerprint, limit: limit)
    }
    guard other.isAtLeast, !isAtLeast else { return }
    count = other.count
    isAtLeast = true
    table = []
  }

  private func place(_ fingerprint: UInt64) -> Int? {
    guard !table.isEmpty else { return nil }
    var place = Int(truncatingIfNeeded: fingerprint >> 20) & (table.count - 1)
    while table[place] != 0, table[place] != fingerprint {
      place = (place + 1) & (table.count - 1)
    }
    return place
  }

  private mutating func grow() {
    let old = table
    table = [UInt64](repeating: 0, count: max(4, 2 * old.count))
    for fingerprint in old where fingerprint != 0 {
      if let place = place(fingerprint) { table[place] = fingerprint }
    }
  }
}

/// The trend of a series of values that are interpreted as plain numbers.
struct Course: Sendable {
  private(set) var trend = Trend()
  /// The bytes of each number; 0: none so far.
  private(set) var width = 0
  /// Whether a value was not a number, or had another width.
  private(set) var isBroken = false
  /// How the values are interpreted.
  private(set) var form = NumberForm.assumed

  /// - Parameter form: how the value is interpreted; nil: it is not a number.
  mutating func add(_ value: RawSpan, _ form: NumberForm?) {
    guard !isBroken else { return }
    if width == 0, let form { self.form = form }
    guard let form, form == self.form, let number = value.number(form),
      width == 0 || width == value.byteCount
    else {
      giveUp()
      return
    }
    width = value.byteCount
    trend.add(Double(number))
  }

  private mutating func giveUp() {
    isBroken = true
    trend = Trend()
  }

  /// Appends numbers that followed and were counted separately.
  mutating func append(_ later: Self) {
    guard !isBroken, later.width > 0 || later.isBroken else { return }
    guard !later.isBroken, width == 0 || width == later.width && form == later.form else {
      giveUp()
      return
    }
    (width, form) = (later.width, later.form)
    trend.append(later.trend)
  }
}

/// The values of one attribute by one operation with the same result.
package struct ValueSeries: Sendable {
  package let operation: ValueOperation
  let direction: Direction?
  /// Whether the values come from the client.
  package let isWritten: Bool
  /// Their result; for those without an answer, the last reason.
  var outcome: ValueOutcome
  /// For those without an answer, each reason and its count; there are few reasons.
  private(set) var reasons: [Reason] = []
  private(set) var count = 0
  private(set) var firstPacket = 0
  private(set) var lastPacket = 0
  private(set) var firstTime: Timestamp?
  private(set) var lastTime: Timestamp?
  /// The first and the last value, and their lengths; only the beginning of a long value is kept.
  private(set) var first: [UInt8] = []
  private(set) var firstLength: Int?
  private(set) var last: [UInt8] = []
  private(set) var lastLength: Int?
  private(set) var shortest = Int.max
  private(set) var longest = 0
  private(set) var distinct = DistinctCount()
  private(set) var course = Course()
  /// The first and the last value as decoded by profiles; empty: not decoded.
  private(set) var firstText: [UInt8] = []
  private(set) var lastText: [UInt8] = []
  /// The most important numbers, by unit.
  private(set) var quantities: [QuantitySeries] = []
  /// Whether all values are UTF-8 without control characters, and whether the attribute's values
  /// are strings by definition.
  private var isPrintable = true
  private var isString = false
  /// The length of the longest value without the zeros at its end.
  private var longestText = 0
  /// Whether the values look like text.
  var readsLikeText: Bool {
    isPrintable && (isString ? longest > 0 : longestText >= RawSpan.enoughForText)
  }
  /// The numbers of values that are incomplete in the capture, that begin in the middle, and that
  /// fill the last PDU.
  private(set) var cut = 0
  private(set) var partial = 0
  private(set) var mayGoOn = 0
  /// The number of values that fill the last PDU before a refused read.
  private(set) var restRefused = 0
  /// Where the values were recorded.
  let vantage: Vantage
  private(set) var wrongEchoes = 0
  /// The number of values that do not have the layout in profiles; the chart omits them.
  private(set) var doubtful = 0
  /// Whether a value is secret or contains a secret; and whether all values belong to an attribute
  /// known to be secret, so that profiles define what is secret in them.
  private(set) var isSecret = false
  private(set) var isReadable = true

  /// Why there was no answer, and whether the other side received the packet.
  struct Reason: Sendable {
    let outcome: ValueOutcome
    let isAcknowledged: Bool?
    fileprivate(set) var count: Int
    /// The profile's name of the error.
    fileprivate(set) var error: [UInt8]?
  }

  /// The number of bytes kept of a value: the table shows no more.
  static let kept = 64
  /// The number of bytes kept of its text.
  static let keptText = 512

  init(_ value: ConveyedValue) {
    operation = value.operation
    direction = value.direction
    isWritten = value.isWritten
    outcome = value.outcome
    vantage = value.parties.vantage
  }

  /// Returns whether two outcomes are counted together: those without an answer are, whatever the
  /// reason.
  static func areOne(_ left: ValueOutcome, _ right: ValueOutcome) -> Bool {
    switch (left, right) {
    case (.noResponse, .noResponse), (.notExecuted, .notExecuted): true
    default: left == right
    }
  }

  /// Adds what was counted for the same device under another address.
  mutating func absorb(_ other: Self, distinctLimit: Int) {
    let (earlier, later) = firstPacket <= other.firstPacket ? (self, other) : (other, self)
    self = earlier
    course.append(later.course)
    count += later.count
    distinct.absorb(later.distinct, limit: distinctLimit)
    for reason in later.reasons {
      note(reason.outcome, reason.isAcknowledged, times: reason.count)
    }
    if later.lastPacket >= lastPacket {
      outcome = later.outcome
      (lastPacket, lastTime) = (later.lastPacket, later.lastTime)
      if later.lastLength != nil {
        (last, lastLength, lastText) = (later.last, later.lastLength, later.lastText)
      }
    }
    if firstLength == nil {
      (first, firstLength, firstText) = (later.first, later.firstLength, later.firstText)
    }
    quantities.absorb(later.quantities)
    shortest = min(shortest, later.shortest)
    longest = max(longest, later.longest)
    isPrintable = isPrintable && later.isPrintable
    longestText = max(longestText, later.longestText)
    isString = isString || later.isString
    cut += later.cut
    partial += later.partial
    mayGoOn += later.mayGoOn
    restRefused += later.restRefused
    wrongEchoes += later.wrongEchoes
    doubtful += later.doubtful
    isSecret = isSecret || later.isSecret
    isReadable = isReadable && later.isReadable
  }

  /// Decodes the first and the last value again, with a type that was unknown when they arrived.
  mutating func readAgain(
    _ uuid: BluetoothUUID, service: BluetoothUUID?, _ reading: inout ValueReading
  ) {
    isString = uuid.isString
    guard !isSecret, partial == 0 else { return }
    func meaning(_ value: [UInt8], _ length: Int?) -> [UInt8] {
      let isMeant =
        length == value.count
        && reading.readAlone(
          uuid, service: service, value.bytes, isWritten: isWritten)
      return isMeant
        ? reading.meaning.line.bytes.part(Slice(start: 0, count: Self.keptText)).array : []
    }
    firstText = meaning(first, firstLength)
    lastText = meaning(last, lastLength)
    reading.clear()
  }

  private mutating func note(_ outcome: ValueOutcome, _ isAcknowledged: Bool?, times: Int = 1) {
    let known = reasons.firstIndex {
      $0.outcome == outcome && $0.isAcknowledged == isAcknowledged
    }
    if let known {
      reasons[known].count += times
    } else if reasons.count < Self.mostReasons {
      reasons.append(Reason(outcome: outcome, isAcknowledged: isAcknowledged, count: times))
    }
  }

  /// Looks up the names of an attribute's errors in profiles.
  mutating func nameErrors(_ subject: ErrorSubject, _ reading: inout ValueReading) {
    for place in reasons.indices {
      guard case .refused(let error) = reasons[place].outcome else { continue }
      reasons[place].error = reading.profiles.errorName(error, of: subject)
    }
  }

  /// More than the number of possible reasons.
  private static let mostReasons = 32

  mutating func add(
    _ value: ConveyedValue, _ bytes: RawSpan, _ meaning: borrowing ValueMeaning,
    distinctLimit: Int
  ) {
    if count == 0 { (firstPacket, firstTime) = (value.packet, value.time) }
    count += 1
    outcome = value.outcome
    (lastPacket, lastTime) = (value.packet, value.time)
    if value.outcome != .done { note(value.outcome, value.isAcknowledged) }
    if value.isKeyMaterial { isSecret = true }
    if value.isSecret || !value.isOfSecretType { isReadable = false }
    if value.isCut { cut += 1 }
    if value.offset > 0 { partial += 1 }
    if value.mayGoOn { mayGoOn += 1 }
    if value.isRestRefused { restRefused += 1 }
    if value.isEchoWrong { wrongEchoes += 1 }
    guard let slice = value.value else { return }
    let content = bytes.part(slice)
    let isSame =
      lastLength == content.byteCount && content.byteCount <= Self.kept
      && last.bytes.isEqual(to: content)
    shortest = min(shortest, content.byteCount)
    longest = max(longest, content.byteCount)
    if value.isPlain { course.add(content, NumberForm(value.attribute.uuid)) }
    if meaning.isDoubtful { doubtful += 1 }
    if let quantity = meaning.quantity { quantities.add(quantity, meaning) }
    lastLength = content.byteCount
    // The values that determine its meaning may have arrived only now.
    if isSame, lastText.isEmpty, meaning.isKnown {
      lastText.append(meaning.line.bytes.part(Slice(start: 0, count: Self.keptText)))
      if firstText.isEmpty, first == last { firstText = lastText }
    }
    guard !isSame else { return }
    distinct.add(content, limit: distinctLimit)
    if isPrintable {
      isPrintable = content.isPrintable
      longestText = max(longestText, content.countWithoutZeros)
    }
    isString = value.attribute.uuid?.isString ?? false
    let beginning = content.part(Slice(start: 0, count: Self.kept))
    last.removeAll(keepingCapacity: true)
    last.append(beginning)
    if !lastText.isEmpty { lastText.removeAll(keepingCapacity: true) }
    if meaning.isKnown {
      lastText.append(meaning.line.bytes.part(Slice(start: 0, count: Self.keptText)))
    }
    if firstLength == nil {
      firstLength = content.byteCount
      first = last
      firstText = lastText
    }
  }
}

/// The counts for an attribute, or for one kind of data from an advertiser.
package struct ValueEntry: Sendable {
  /// Identifies an entry.
  struct Key: Hashable, Sendable {
    var server: UInt64
    /// The attribute's handle, or the serial channel (`AttributeIdentity.order`).
    var place: UInt32
    /// The type: after an update of the device the same handle may refer to another attribute.
    var uuid: BluetoothUUID?
    var company: UInt16?

    init(_ value: ConveyedValue) { self.init(value.attribute, value.company) }

    init(_ attribute: AttributeIdentity, _ company: UInt16?) {
      server = attribute.server
      place = attribute.order
      uuid = attribute.uuid
      self.company = company
    }
  }

  /// For values that were read together: their handles.
  var handles: [UInt16] = []
  package var attribute: AttributeIdentity
  /// The name, if only profiles name it.
  var profileName: String?
  /// Whether that includes the protocol of its frames.
  var hasFrames = false
  let company: UInt16?
  package var series: [ValueSeries] = []
  /// The courses of its numbers, for charts.
  package var plots = ValuePlots()

  /// The packet of the last value.
  var lastPacket: Int { series.reduce(0) { max($0, $1.lastPacket) } }

  /// The maximum number of operations and results that are counted separately for an attribute.
  private static let mostSeries = 32

  init(_ value: ConveyedValue, _ bytes: RawSpan) {
    attribute = value.attribute
    company = value.company
    guard let slice = value.handles else { return }
    let list = bytes.part(slice)
    for index in 0..<min(8, list.byteCount / 2) {
      handles.append(list.littleEndianU16(at: 2 * index))
    }
  }

  /// Counts a value, and up to a limit how many are distinct.
  ///
  /// - Returns: whether there was room for its result.
  mutating func add(
    _ value: ConveyedValue, _ bytes: RawSpan, _ meaning: borrowing ValueMeaning,
    distinctLimit: Int
  ) -> Bool {
    if value.attribute.uuid != nil { attribute = value.attribute }
    var place = self.place(value.operation, value.direction, value.outcome)
    if place == nil {
      guard series.count < Self.mostSeries else { return false }
      series.append(ValueSeries(value))
      place = series.count - 1
    }
    if let place {
      series[place].add(value, bytes, meaning, distinctLimit: distinctLimit)
    }
    return true
  }

  /// Returns the index of the series that counts values like this one. Loops over indices, since a
  /// closure would receive a copy of each series, and this is called for every value.
  private func place(
    _ operation: ValueOperation, _ direction: Direction?, _ outcome: ValueOutcome
  ) -> Int? {
    for place in series.indices
    where series[place].operation == operation && series[place].direction == direction
      && ValueSeries.areOne(series[place].outcome, outcome)
    {
      return place
    }
    return nil
  }

  /// Adds what was counted for the same attribute of the same device under another address.
  mutating func absorb(_ other: Self, _ limits: Limits) {
    for one in other.series {
      if let place = place(one.operation, one.direction, one.outcome) {
        series[place].absorb(one, distinctLimit: limits.distinctValues)
      } else if series.count < Self.mostSeries {
        series.append(one)
      }
    }
  }
}
