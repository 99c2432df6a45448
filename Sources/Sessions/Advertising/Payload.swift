package import Bluetooth
import Bytes
import Dissectors

/// The source of an advertisement in the capture.
package enum AdvertisingEvent: UInt8, Sendable, CaseIterable {
  case advInd, advDirectInd, advScanInd, advNonconnInd, scanRsp
  /// An extended report that does not represent a legacy PDU.
  case extended
  case periodic
  /// A legacy report whose Event_Type the specification reserves; some controllers use its upper
  /// bits.
  case reserved
  /// MGMT Device Found: reported by the kernel, if the capture has no reports of a controller.
  case management
  case tracking
  /// The results of an inquiry: BR/EDR.
  case inquiry
  /// The results of Android LE Batch Scan, which the controller has collected.
  case batch
  /// What the captured host itself advertises.
  case own

  /// All kinds: `allCases` makes a new array each time.
  package static let all = allCases

  /// The name in the JSON contract.
  package var key: StaticString {
    switch self {
    case .advInd: "ADV_IND"
    case .advDirectInd: "ADV_DIRECT_IND"
    case .advScanInd: "ADV_SCAN_IND"
    case .advNonconnInd: "ADV_NONCONN_IND"
    case .scanRsp: "SCAN_RSP"
    case .extended: "extended"
    case .periodic: "periodic"
    case .reserved: "reserved_type"
    case .management: "mgmt_device_found"
    case .tracking: "android_tracking"
    case .inquiry: "inquiry_result"
    case .batch: "android_batch_scan"
    case .own: "own"
    }
  }

  /// Whether it is an advertising report of a controller rather than something derived from such
  /// reports.
  package var isReport: Bool {
    switch self {
    case .advInd, .advDirectInd, .advScanInd, .advNonconnInd, .scanRsp, .extended, .periodic,
      .reserved:
      true
    case .management, .tracking, .inquiry, .batch, .own: false
    }
  }

  /// Creates the kind of a report; nil if the report contains no advertisement.
  init?(_ report: AdvertisingReport) {
    switch report.kind {
    case .periodic: self = .periodic
    case .response, .bigInfo: return nil
    case .directed: self = .advDirectInd
    case .legacy:
      switch report.eventType {
      case 0: self = .advInd
      case 1: self = .advDirectInd
      case 2: self = .advScanInd
      case 3: self = .advNonconnInd
      case 4: self = .scanRsp
      default: self = .reserved
      }
    case .extended:
      switch report.eventType & 0x1f {
      case 0x13: self = .advInd
      case 0x15: self = .advDirectInd
      case 0x12: self = .advScanInd
      case 0x10: self = .advNonconnInd
      case 0x1a, 0x1b: self = .scanRsp
      default: self = .extended
      }
    }
  }
}

/// The common properties of reports that may repeat the same data: an advertising set's
/// advertisements, its scan responses, or its periodic train.
package struct AdvertisingStream: Equatable, Sendable {
  /// The kind of report.
  package let event: AdvertisingEvent
  /// Extended: the properties, bits 0 connectable, 1 scannable, 2 directed, 3 scan response.
  package let properties: UInt8
  /// Extended and periodic: the set's identifier; 0xff: none.
  package let sid: UInt8
  /// Whether it answers scan requests.
  package let isScanResponse: Bool

  init(
    _ event: AdvertisingEvent, properties: UInt8 = 0, sid: UInt8 = 0xff,
    isScanResponse: Bool = false
  ) {
    self.event = event
    self.properties = properties
    self.sid = sid
    self.isScanResponse = isScanResponse
  }

  /// Whether a scan response may follow it (Core, Vol 6, Part B, 4.4.2).
  var isScannable: Bool {
    switch event {
    case .advInd, .advScanInd, .tracking, .batch: !isScanResponse
    case .extended: !isScanResponse && properties & 2 != 0
    default: false
    }
  }

  /// Whether its PDUs hold at most 31 bytes of data.
  package var isLegacy: Bool {
    switch event {
    case .advInd, .advDirectInd, .advScanInd, .advNonconnInd, .scanRsp, .reserved: true
    case .own: properties & 0x10 != 0
    default: false
    }
  }

  /// The maximum number of data bytes; nil if unknown (Core, Vol 6, Part B, 2.3.1; Vol 4, Part E,
  /// 7.8.54).
  package var mostBytes: Int? {
    switch event {
    case .management, .tracking, .batch: nil
    case .inquiry: 240
    default: isLegacy ? 31 : 1650
    }
  }
}

/// Data that an advertiser sent, once or many times.
package struct Payload: Sendable {
  /// The stream that carried it.
  package let stream: AdvertisingStream
  package let data: [UInt8]
  /// Whether more was sent than was received or kept.
  package let isTruncated: Bool
  package let firstPacket: Int
  package let firstTime: Timestamp?
  package internal(set) var lastPacket: Int
  /// How often it came.
  package internal(set) var count = 1

  init(
    _ stream: AdvertisingStream, _ data: [UInt8], isTruncated: Bool, packet: Int, time: Timestamp?
  ) {
    self.stream = stream
    self.data = data
    self.isTruncated = isTruncated
    firstPacket = packet
    firstTime = time
    lastPacket = packet
  }

  /// Returns whether this is the same data in the same stream.
  func isSame(as other: Payload) -> Bool {
    stream == other.stream && isTruncated == other.isTruncated && data == other.data
  }
}

/// The memory that is left for all advertisers together.
struct PayloadBudget: Sendable {
  var bytes: Int
  var others: Int
}

/// The distinct data of one advertiser. Bounded: data that has no room is only counted.
package struct Payloads: Sendable {
  /// The payloads that are kept, in the order in which they first came.
  package private(set) var all: [Payload] = []
  /// Hashes of payloads that are not kept.
  private var others: Set<Int> = []
  /// Whether there were more than could be distinguished.
  package private(set) var hasMoreOthers = false
  /// The number of payloads that are not kept.
  package var otherCount: Int { others.count + (hasMoreOthers && others.isEmpty ? 1 : 0) }
  /// The index of the payload that came last.
  private var latest = 0

  /// Records data and returns its index in `all`, or for data that is not kept a negative number
  /// that distinguishes it from other data.
  mutating func record(
    _ stream: AdvertisingStream, _ data: RawSpan, isTruncated: Bool, packet: Int,
    time: Timestamp?, limit: Int, _ budget: inout PayloadBudget
  ) -> Int {
    if let known = find(stream, data, isTruncated) {
      all[known].count += 1
      all[known].lastPacket = packet
      latest = known
      return known
    }
    if all.count < limit, budget.bytes >= data.byteCount {
      budget.bytes -= data.byteCount
      all.append(
        Payload(stream, data.array, isTruncated: isTruncated, packet: packet, time: time))
      latest = all.count - 1
      return latest
    }
    let hash = Self.hash(stream, data)
    if !others.contains(hash) {
      if budget.others > 0 {
        budget.others -= 1
        others.insert(hash)
      } else {
        hasMoreOthers = true
      }
    }
    return hash | .min
  }

  /// Returns a hash that distinguishes data that is not kept.
  private static func hash(_ stream: AdvertisingStream, _ data: RawSpan) -> Int {
    var hasher = Hasher()
    hasher.combine(stream.event.rawValue)
    hasher.combine(stream.sid)
    for index in 0..<data.byteCount { hasher.combine(data.byte(at: index)) }
    return hasher.finalize()
  }

  /// Returns the index of the last payload of a stream, or nil if it has no payload.
  func latest(of stream: AdvertisingStream) -> Int? {
    all.indices.filter { all[$0].stream == stream }.max { all[$0].lastPacket < all[$1].lastPacket }
  }

  private func find(
    _ stream: AdvertisingStream, _ data: RawSpan, _ isTruncated: Bool
  ) -> Int? {
    if latest < all.count, isSame(latest, stream, data, isTruncated) { return latest }
    for position in all.indices where isSame(position, stream, data, isTruncated) {
      return position
    }
    return nil
  }

  private func isSame(
    _ position: Int, _ stream: AdvertisingStream, _ data: RawSpan, _ isTruncated: Bool
  ) -> Bool {
    guard all[position].data.count == data.byteCount, all[position].stream == stream,
      all[position].isTruncated == isTruncated
    else { return false }
    let kept = all[position].data
    return kept.bytes.isEqual(to: data)
  }

  /// Returns the used memory to the budget.
  func release(into budget: inout PayloadBudget) {
    for payload in all { budget.bytes += payload.data.count }
    budget.others += others.count
  }

  /// Merges the payloads that the same device sent under another address, and returns where each is
  /// now.
  mutating func absorb(_ other: Payloads, limit: Int) -> [Int?] {
    var places: [Int?] = []
    for payload in other.all {
      let known = all.firstIndex { $0.isSame(as: payload) }
      if let known {
        all[known].count += payload.count
        all[known].lastPacket = max(all[known].lastPacket, payload.lastPacket)
        places.append(known)
      } else if all.count < limit {
        all.append(payload)
        places.append(all.count - 1)
      } else {
        others.insert(Self.hash(payload.stream, payload.data.bytes))
        places.append(nil)
      }
    }
    others.formUnion(other.others)
    hasMoreOthers = hasMoreOthers || other.hasMoreOthers
    return places
  }
}
