import Bluetooth
import Bytes
import Decoders
import Diagnosis
import Sessions

/// Counts different values, up to a limit.
struct DistinctCount: Sendable {
  /// Fingerprints in a table that is at most half full; 0 is a free place.
  private var table: [UInt64] = []
  /// How many there are.
  private(set) var count = 0
  /// Whether there were more than the limit.
  private(set) var isAtLeast = false

  /// Notes a value.
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

  /// Notes the values that were noted elsewhere.
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

/// The course of a series of values that are read as plain numbers.
struct Course: Sendable {
  private(set) var trend = Trend()
  /// Bytes of each number; 0: there was none yet.
  private(set) var width = 0
  /// Whether a value was no number, or of another width.
  private(set) var isBroken = false
  /// How the values are read.
  private(set) var form = NumberForm.assumed

  /// - Parameter form: how the value is read; nil: it is no number.
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

  /// Goes on with numbers that came later, and were counted elsewhere.
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

/// The values of one attribute by one operation that came to the same.
struct ValueSeries: Sendable {
  let operation: ValueOperation
  let direction: Direction?
  /// What they came to; of those without an answer the last reason.
  var outcome: ValueOutcome
  /// Of those without an answer, each reason and how often it was that one: there are few.
  private(set) var reasons: [Reason] = []
  private(set) var count = 0
  private(set) var firstPacket = 0
  private(set) var lastPacket = 0
  private(set) var firstTime: Timestamp?
  private(set) var lastTime: Timestamp?
  /// The first and last value, and how long they are: of long ones the beginning is kept.
  private(set) var first: [UInt8] = []
  private(set) var firstLength: Int?
  private(set) var last: [UInt8] = []
  private(set) var lastLength: Int?
  private(set) var shortest = Int.max
  private(set) var longest = 0
  private(set) var distinct = DistinctCount()
  private(set) var course = Course()
  /// What profiles make of the first value and the last one; empty: nothing.
  private(set) var firstText: [UInt8] = []
  private(set) var lastText: [UInt8] = []
  /// The numbers that matter most, by unit.
  private(set) var quantities: [QuantitySeries] = []
  /// Whether all values are UTF-8 without controls, and whether the attribute's are strings by definition.
  private var isPrintable = true
  private var isString = false
  /// How long the longest one is without the zeros at its end.
  private var longestText = 0
  /// Whether the values read like text.
  var readsLikeText: Bool {
    isPrintable && (isString ? longest > 0 : longestText >= RawSpan.enoughForText)
  }
  /// Values of which the capture lacks a part, that begin somewhere in the middle, that fill the last PDU.
  private(set) var cut = 0
  private(set) var partial = 0
  private(set) var mayGoOn = 0
  private(set) var wrongEchoes = 0
  /// Values that are not laid out as profiles say; the chart leaves them out.
  private(set) var doubtful = 0
  /// Whether a value is secret or holds a secret; whether all are an attribute's of which that is known, so
  /// that profiles say of them what is secret.
  private(set) var isSecret = false
  private(set) var isReadable = true

  /// Why there was no answer, and whether the other side had the packet.
  struct Reason: Sendable {
    let outcome: ValueOutcome
    let isAcknowledged: Bool?
    fileprivate(set) var count: Int
    /// What a profile calls the error.
    fileprivate(set) var error: [UInt8]?
  }

  /// Bytes that are kept of a value: the table shows no more.
  static let kept = 64
  /// Bytes that are kept of its text.
  static let keptText = 512

  init(_ value: ConveyedValue) {
    operation = value.operation
    direction = value.direction
    outcome = value.outcome
  }

  /// Whether two outcomes are counted together: those without an answer are, whatever the reason.
  static func areOne(_ left: ValueOutcome, _ right: ValueOutcome) -> Bool {
    switch (left, right) {
    case (.noResponse, .noResponse), (.notExecuted, .notExecuted): true
    default: left == right
    }
  }

  /// Takes in what was counted of the same device under another address.
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
    wrongEchoes += later.wrongEchoes
    doubtful += later.doubtful
    isSecret = isSecret || later.isSecret
    isReadable = isReadable && later.isReadable
  }

  /// Reads the first value and the last one again, as those of a type that was not known when they came.
  mutating func readAgain(
    _ uuid: BluetoothUUID, service: BluetoothUUID?, _ reading: inout ValueReading
  ) {
    isString = uuid.isString
    guard !isSecret, partial == 0 else { return }
    func meaning(_ value: [UInt8], _ length: Int?) -> [UInt8] {
      let isMeant =
        length == value.count
        && reading.readAlone(
          uuid, service: service, value.bytes, isWritten: operation.isWrite)
      return isMeant
        ? reading.line.bytes.part(Slice(start: 0, count: Self.keptText)).array : []
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

  /// Asks profiles what the errors of an attribute are called.
  mutating func nameErrors(_ subject: ErrorSubject, _ reading: inout ValueReading) {
    for place in reasons.indices {
      guard case .refused(let error) = reasons[place].outcome else { continue }
      reasons[place].error = reading.errorName(error, of: subject)
    }
  }

  /// More than there are.
  private static let mostReasons = 32

  mutating func add(
    _ value: ConveyedValue, _ bytes: RawSpan, _ reading: borrowing ValueReading,
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
    if value.isEchoWrong { wrongEchoes += 1 }
    guard let slice = value.value else { return }
    let content = bytes.part(slice)
    let isSame =
      lastLength == content.byteCount && content.byteCount <= Self.kept
      && last.bytes.isEqual(to: content)
    shortest = min(shortest, content.byteCount)
    longest = max(longest, content.byteCount)
    if value.isPlain { course.add(content, NumberForm(value.attribute.uuid)) }
    if reading.isDoubtful { doubtful += 1 }
    if let quantity = reading.quantity { quantities.add(quantity, reading) }
    lastLength = content.byteCount
    // What other values say of it may have come only now.
    if isSame, lastText.isEmpty, reading.hasMeaning {
      lastText.append(reading.line.bytes.part(Slice(start: 0, count: Self.keptText)))
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
    lastText.removeAll(keepingCapacity: true)
    if reading.hasMeaning {
      lastText.append(reading.line.bytes.part(Slice(start: 0, count: Self.keptText)))
    }
    if firstLength == nil {
      firstLength = content.byteCount
      first = last
      firstText = lastText
    }
  }
}

/// What is counted of an attribute, or of one kind of data that an advertiser sends.
struct ValueEntry: Sendable {
  /// What tells entries apart.
  struct Key: Hashable, Sendable {
    var server: UInt64
    /// The handle; above 16 bits where there is none.
    var handle: UInt32
    /// What it stands for: after an update of the device the same handle may be something else's.
    var uuid: BluetoothUUID?
    var company: UInt16?

    init(_ value: ConveyedValue) { self.init(value.attribute, value.company) }

    init(_ attribute: AttributeIdentity, _ company: UInt16?) {
      server = attribute.server
      handle = attribute.handle.map { UInt32($0) } ?? 0x10000
      uuid = attribute.uuid
      self.company = company
    }
  }

  /// Values that were read together with others: their handles.
  var handles: [UInt16] = []
  var attribute: AttributeIdentity
  /// What it is called where only profiles know a name.
  var profileName: String?
  let company: UInt16?
  var series: [ValueSeries] = []
  /// The courses of its numbers, for charts.
  var plots = ValuePlots()

  /// The packet of the last value.
  var lastPacket: Int { series.reduce(0) { max($0, $1.lastPacket) } }

  /// What can come of an attribute in ways that are counted one by one.
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

  /// Counts a value.
  ///
  /// - Returns: whether there was room for what came of it.
  mutating func add(
    _ value: ConveyedValue, _ bytes: RawSpan, _ reading: borrowing ValueReading, _ limits: Limits
  ) -> Bool {
    if value.attribute.uuid != nil { attribute = value.attribute }
    var place = self.place(value.operation, value.direction, value.outcome)
    if place == nil {
      guard series.count < Self.mostSeries else { return false }
      series.append(ValueSeries(value))
      place = series.count - 1
    }
    if let place {
      series[place].add(value, bytes, reading, distinctLimit: limits.distinctValues)
    }
    return true
  }

  /// Where such values are counted. A loop over places, since a closure would be given a copy of each
  /// series, and this is asked for every value.
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

  /// Takes in what was counted of the same attribute of the same device under another address.
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
