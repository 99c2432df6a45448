// The LE Meta subevents in which a controller reports the advertising it received. The fields of
// each report are contiguous (Core, Vol 4, Part E, 7.7.65). Advertising that a sniffer recorded is
// converted to the same reports (`AdvertisingPDU+Report.swift`).

package import Bluetooth
package import Bytes

/// One report. All kinds share one struct, since all give the advertiser, the data and the RSSI.
package struct AdvertisingReport: Sendable {
  /// The kind of subevent, which decides the meaning of `eventType`.
  @usableFromInline
  package enum Kind: UInt8, Sendable {
    /// LE Advertising Report (0x02).
    case legacy
    /// LE Directed Advertising Report (0x0b).
    case directed
    /// LE Extended Advertising Report (0x0d).
    case extended
    /// LE Periodic Advertising Report (0x0f, v2 0x25).
    case periodic
    /// LE Periodic Advertising Response Report (0x28): what was received in the response slots of
    /// the host's own train.
    case response
    /// LE BIGInfo Advertising Report (0x22): the broadcast streams announced by a train.
    case bigInfo
  }

  /// Whether the data is complete.
  @usableFromInline
  package enum DataStatus: UInt8, Sendable {
    case complete = 0, incomplete, truncated, reserved
    /// Nothing could be received.
    case failed

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .complete: "complete"
      case .incomplete: "incomplete"
      case .truncated: "truncated"
      case .reserved: "reserved"
      case .failed: "failed"
      }
    }
  }

  package var kind: Kind
  /// Legacy and directed: ADV_IND and so on; extended: the property bits.
  package var eventType: UInt16 = 0
  package var addressType = AddressType.anonymous
  /// The advertiser's address; nil if it is anonymous or only known by the sync handle.
  package var address: DeviceAddress?
  /// The address type of a directed advertisement's target.
  package var directAddressType: AddressType?
  /// The address of a directed advertisement's target.
  package var directAddress: DeviceAddress?
  /// In dBm; nil if not available or invalid.
  package private(set) var rssi: Int8?
  /// An RSSI that no receiver can report.
  package private(set) var invalidRSSI: Int8?
  /// In dBm; nil if not available.
  package var txPower: Int8?
  /// The PHY of the primary advertising channel.
  package var primaryPHY: UInt8?
  /// The PHY of the secondary advertising channel; 0 for none.
  package var secondaryPHY: UInt8?
  /// The Advertising SID; 0xff for none.
  package var sid: UInt8?
  /// The interval, in units of 1.25 ms; 0: no periodic advertising.
  package var periodicInterval: UInt16?
  /// Periodic: the sync handle.
  package var syncHandle: UInt16?
  /// Periodic: the constant tone extension (0xff for none).
  package var cteType: UInt8?
  /// Periodic, version 2: the periodic event in which the data was sent.
  package var eventCounter: UInt16?
  /// Periodic version 2 and responses: the subevent; 0xff for none.
  package var subevent: UInt8?
  /// Responses: the advertising set to which they respond.
  package var advertisingHandle: UInt8?
  /// Responses: whether the data of the subevent itself was not sent.
  package var wasNotSent = false
  /// The response slot, for responses.
  package var responseSlot: UInt8?
  package var data: Slice = .empty
  /// Whether the data is complete.
  package var dataStatus = DataStatus.complete
  /// Whether the report ends before its last field. The fields read before are set.
  package var isCut = false

  init(_ kind: Kind) { self.kind = kind }

  /// Sets the signal strength of a report that is made from what a sniffer recorded.
  mutating func measured(_ rssi: Int8?) { self.rssi = rssi }

  /// Returns a signal strength in dBm; nil if it is not available or invalid.
  package static func signal(_ byte: UInt8) -> Int8? {
    let level = Int8(bitPattern: byte)
    return Scale.signals.contains(Int(level)) ? level : nil
  }

  fileprivate mutating func note(rssi byte: UInt8) {
    rssi = Self.signal(byte)
    // 127 means not available.
    invalidRSSI = rssi == nil && byte != 127 ? Int8(bitPattern: byte) : nil
  }

  /// Returns the kind of report in the subevent with this code, or nil for other subevents.
  package static func kind(ofSubevent code: UInt8) -> Kind? {
    switch code {
    case 0x02: .legacy
    case 0x0b: .directed
    case 0x0d: .extended
    case 0x0f, 0x25: .periodic
    case 0x28: .response
    case 0x22: .bigInfo
    default: nil
    }
  }

  /// Whether this report is a scan response.
  package var isScanResponse: Bool {
    switch kind {
    case .legacy: eventType == 4
    case .extended: eventType & 8 != 0
    default: false
    }
  }

  /// The name of a legacy advertising PDU; nil if an extended report does not represent one (Core,
  /// Vol 4, Part E, 7.7.65.13: only if Event_Type bit 4 is set).
  package var legacyName: AssignedName? {
    switch kind {
    case .legacy: CodeSet.advertisingReportType.name(of: UInt64(eventType))
    case .directed: "ADV_DIRECT_IND"
    case .extended:
      switch eventType & 0x1f {
      case 0x13: "ADV_IND"
      case 0x15: "ADV_DIRECT_IND"
      case 0x12: "ADV_SCAN_IND"
      case 0x10: "ADV_NONCONN_IND"
      case 0x1b, 0x1a: "SCAN_RSP"
      default: nil
      }
    case .periodic, .response, .bigInfo: nil
    }
  }

  /// Returns the JSON key of a property bit of an extended report (Event_Type bits 0 to 4).
  package static func propertyKey(bit: Int) -> StaticString {
    switch bit {
    case 0: "connectable"
    case 1: "scannable"
    case 2: "directed"
    case 3: "scan_response"
    default: "legacy"
    }
  }
}

/// The reports in one event, read one by one.
package struct AdvertisingReports: Sendable {
  /// The kind of all reports.
  package let kind: AdvertisingReport.Kind
  /// Periodic: whether this is version 2 of the event, which has two more fields.
  let isVersion2: Bool
  /// Responses: the set, the subevent and its TX status, which precede all reports.
  private var answered: (set: UInt8?, subevent: UInt8?, status: UInt8?) = (nil, nil, nil)
  /// The number of reports that the event claims to contain.
  package let claimed: Int
  /// The bytes of the reports.
  package let list: Slice

  /// Finds the reports in an LE Meta event; returns nil for other subevents.
  package init?(event bytes: RawSpan, body: Slice) {
    var cursor = Cursor(bytes, body)
    guard let subevent = try? cursor.u8(), let kind = AdvertisingReport.kind(ofSubevent: subevent)
    else { return nil }
    self.kind = kind
    isVersion2 = subevent == 0x25
    switch kind {
    case .periodic, .bigInfo: claimed = 1
    case .response:
      // Advertising handle (1), subevent (1), TX status (1), number of responses (1).
      answered = (try? cursor.u8(), try? cursor.u8(), try? cursor.u8())
      claimed = (try? cursor.u8()).map { Int($0) } ?? 0
    case .legacy, .directed, .extended: claimed = (try? cursor.u8()).map { Int($0) } ?? 0
    }
    list = cursor.rest()
  }

  /// Reads the next report. If it is cut short, the fields read so far are returned; the check of
  /// the event's row reports the problem.
  ///
  /// - Parameter cursor: A cursor over `list`; advanced past the report.
  /// - Returns: Nil if the report does not even identify its advertiser.
  @_lifetime(cursor: copy cursor)
  package func next(_ cursor: inout Cursor) -> AdvertisingReport? {
    var report = AdvertisingReport(kind)
    var isNamed = false
    do throws(ParseError) {
      try read(&report, &isNamed, &cursor)
    } catch {
      guard isNamed else { return nil }
      report.isCut = true
      _ = cursor.rest()
    }
    return report
  }

  /// - Parameter isNamed: Set as soon as the advertiser is known.
  @_lifetime(cursor: copy cursor)
  private func read(
    _ report: inout AdvertisingReport, _ isNamed: inout Bool, _ cursor: inout Cursor
  ) throws(ParseError) {
    switch kind {
    case .legacy:
      // Event type (1), address type (1), address (6), data length (1), data, RSSI (1).
      report.eventType = UInt16(try cursor.u8())
      try readAddress(&report, &cursor)
      isNamed = true
      try readData(&report, &cursor)
      report.note(rssi: try cursor.u8())
    case .directed:
      // Event type (1), address type (1), address (6), direct address type (1), direct address
      // (6), RSSI (1).
      report.eventType = UInt16(try cursor.u8())
      try readAddress(&report, &cursor)
      isNamed = true
      report.directAddressType = AddressType(rawValue: try cursor.u8())
      report.directAddress = try DeviceAddress(parsing: &cursor)
      report.note(rssi: try cursor.u8())
    case .extended:
      // Event type (2), address type (1), address (6), primary PHY (1), secondary PHY (1), SID (1),
      // TX power (1), RSSI (1), periodic interval (2), direct address type (1), direct address (6),
      // data length (1), data.
      report.eventType = try cursor.u16()
      try readAddress(&report, &cursor)
      isNamed = true
      report.primaryPHY = try cursor.u8()
      report.secondaryPHY = try cursor.u8()
      report.sid = try cursor.u8()
      report.txPower = Self.power(try cursor.u8())
      report.note(rssi: try cursor.u8())
      report.periodicInterval = try cursor.u16()
      let directType = AddressType(rawValue: try cursor.u8())
      let direct = try DeviceAddress(parsing: &cursor)
      if report.eventType & 4 != 0 {
        report.directAddressType = directType
        report.directAddress = direct
      }
      report.dataStatus = Self.status(UInt8(report.eventType >> 5 & 3))
      try readData(&report, &cursor)
    case .periodic:
      // Sync handle (2), TX power (1), RSSI (1), CTE type (1), v2: event counter (2) and subevent
      // (1), data status (1), data length (1), data.
      report.syncHandle = try cursor.u16()
      isNamed = true
      report.txPower = Self.power(try cursor.u8())
      report.note(rssi: try cursor.u8())
      report.cteType = try cursor.u8()
      if isVersion2 {
        report.eventCounter = try cursor.u16()
        report.subevent = try cursor.u8()
      }
      report.dataStatus = Self.status(try cursor.u8())
      try readData(&report, &cursor)
    case .response:
      // TX power (1), RSSI (1), CTE type (1), response slot (1), data status (1), data length (1),
      // data.
      report.advertisingHandle = answered.set
      report.subevent = answered.subevent
      report.wasNotSent = answered.status == 1
      report.txPower = Self.power(try cursor.u8())
      isNamed = true
      report.note(rssi: try cursor.u8())
      report.cteType = try cursor.u8()
      report.responseSlot = try cursor.u8()
      report.dataStatus = Self.status(try cursor.u8())
      try readData(&report, &cursor)
    case .bigInfo:
      // The sync handle (2); the event's row describes the other fields.
      report.syncHandle = try cursor.u16()
      _ = cursor.rest()
    }
  }

  /// Reads data length (1) and data, or as much of it as is left.
  @_lifetime(cursor: copy cursor)
  private func readData(
    _ report: inout AdvertisingReport, _ cursor: inout Cursor
  ) throws(ParseError) {
    let length = Int(try cursor.u8())
    let offset = cursor.offset
    report.data = cursor.takeUpTo(length)
    if report.data.count < length {
      throw ParseError(offset: offset, needed: length, available: Int(report.data.count))
    }
  }

  @_lifetime(cursor: copy cursor)
  private func readAddress(
    _ report: inout AdvertisingReport, _ cursor: inout Cursor
  ) throws(ParseError) {
    report.addressType = AddressType(rawValue: try cursor.u8())
    let address = try DeviceAddress(parsing: &cursor)
    report.address = report.addressType == .anonymous ? nil : address
  }

  /// Returns a power in dBm; 127 means that it is not available.
  private static func power(_ byte: UInt8) -> Int8? {
    byte == 127 ? nil : Int8(bitPattern: byte)
  }

  private static func status(_ bits: UInt8) -> AdvertisingReport.DataStatus {
    switch bits {
    case 0: .complete
    case 1: .incomplete
    case 2: .truncated
    case 0xff: .failed
    default: .reserved
    }
  }
}
