import Bluetooth
import Bytes

extension AdvertisingPDU {
  /// Returns the report with which a controller would pass this PDU on to its host; nil for
  /// requests, and for an ADV_EXT_IND whose contents are in another packet.
  ///
  /// What other packets of the same advertisement state is missing: the advertiser of an
  /// AUX_CHAIN_IND, the PHY of the primary channel, the handle of a periodic train.
  ///
  /// - Parameters:
  ///   - header: what the sniffer recorded beside it.
  ///   - place: which PDU of type 7 it is.
  package func report(
    _ bytes: RawSpan, _ header: AirHeader, _ place: Place
  ) -> AdvertisingReport? {
    var report: AdvertisingReport
    switch kind {
    case .advInd: report = legacy(0, bytes)
    case .directInd: report = legacy(1, bytes)
    case .scanInd: report = legacy(2, bytes)
    case .nonConnInd: report = legacy(3, bytes)
    case .scanResponse: report = legacy(4, bytes)
    case .extended:
      guard let extended = extended(bytes, header, place) else { return nil }
      report = extended
    case .scanRequest, .connectInd, .connectResponse, .decision, nil: return nil
    }
    if kind != .extended, report.address == nil { return nil }
    report.measured(header.rssi)
    return report
  }

  /// Event_Type is numbered as in an LE Advertising Report.
  private func legacy(_ eventType: UInt16, _ bytes: RawSpan) -> AdvertisingReport {
    var report = AdvertisingReport(.legacy)
    report.eventType = eventType
    report.addressType = senderType
    let parties = parties(bytes)
    report.address = parties.sender
    if let target = parties.receiver {
      report.directAddress = target
      report.directAddressType = receiverType
    }
    report.data = data(bytes)
    report.isCut = payload.count < length
    return report
  }

  private func extended(
    _ bytes: RawSpan, _ header: AirHeader, _ place: Place
  ) -> AdvertisingReport? {
    guard let fields = ExtendedHeader(bytes, payload) else { return nil }
    if place == .primary, fields.continues { return nil }
    var report: AdvertisingReport
    switch place {
    case .sync: report = AdvertisingReport(.periodic)
    case .response: report = AdvertisingReport(.response)
    case .primary, .auxiliary, .chain, .scanResponse:
      report = AdvertisingReport(.extended)
      report.eventType =
        (fields.isConnectable ? 1 : 0) | (fields.isScannable ? 2 : 0)
        | (fields.target == nil ? 0 : 4) | (place == .scanResponse ? 0xa : 0)
        | (fields.continues ? 0x20 : 0)
      report.sid = fields.sid ?? 0xff
      report.periodicInterval = fields.sync?.interval ?? 0
      if place == .primary { report.primaryPHY = header.phy }
      report.secondaryPHY = place == .primary ? 0 : header.phy
    }
    if let advertiser = fields.advertiser {
      report.address = advertiser
      report.addressType = senderType
    }
    if let target = fields.target {
      report.directAddress = target
      report.directAddressType = receiverType
    }
    if report.kind != .extended { report.cteType = fields.cteInfo.map { $0 >> 6 } ?? 0xff }
    report.txPower = fields.txPower == 127 ? nil : fields.txPower
    report.data = fields.data
    report.dataStatus = fields.continues ? .incomplete : .complete
    report.isCut = payload.count < length || fields.isCut
    return report
  }
}
