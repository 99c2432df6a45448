import Bluetooth
import Bytes
import Dissectors
import Meanings
import Sessions

/// The description of the scans.
extension DevicesPage {
  /// Appends the scans, with those of equal settings in one line.
  mutating func scans() {
    guard !list.scans.isEmpty else { return }
    out.byte(0x0a)
    var done = [Bool](repeating: false, count: list.scans.count)
    var groups: [ScanLook: [Int]] = [:]
    for position in list.scans.indices {
      groups[ScanLook(list.scans[position]), default: []].append(position)
    }
    let filtered = groups.values.count { list.scans[$0[0]].contentFilters > 0 }
    for position in list.scans.indices where !done[position] {
      let alike = groups[ScanLook(list.scans[position])] ?? [position]
      for other in alike { done[other] = true }
      scans(alike, isOnlyFiltered: filtered == 1)
    }
    if filtered > 1 {
      out.text(
        "content filters (APCF) chose what these reported: devices that are not listed may have been there\n"
      )
    }
    if list.forgottenScans > 0 {
      out.write("and \(count: list.forgottenScans, "scan", "scans") before them\n")
    }
  }

  /// - Parameter isOnlyFiltered: whether no other line has content filters.
  private mutating func scans(_ alike: [Int], isOnlyFiltered: Bool) {
    guard let last = alike.last else { return }
    let scan = list.scans[alike[0]]
    out.text("scan  ")
    range(scan.firstPacket, list.scans[last].lastPacket, isOpen: isOpen(list.scans[last]))
    at(scan.firstTime)
    if alike.count > 1 { out.write(", \(alike.count) times") }
    if scan.refusal == nil {
      let spans = alike.map { span(list.scans[$0].firstTime, list.scans[$0].lastTime) }
      out.write(", \(duration: spans.reduce(0) { $0.adding(clamped: $1) })")
      if alike.count > 1 { out.text(" in all") }
    }
    adapter(scan.adapter)
    out.text(": ")
    look(scan)
    if scan.contentFilters > 0 {
      let filters: Wording = "\(count: scan.contentFilters, "content filter", "content filters")"
      out.write("; chosen by up to \(filters) (APCF)")
      if isOnlyFiltered { out.text(": devices that are not listed may have been there") }
    }
    let reports = alike.reduce(0) { $0 + list.scans[$1].reports }
    if scan.refusal == nil, scan.discovery == nil {
      out.write(reports == 0 ? "; no reports" : "; \(count: reports, "report", "reports")")
    }
    if alike.count == 1 { ending(scan) }
    out.byte(0x0a)
  }

  private func isOpen(_ scan: Scan) -> Bool { scan.ending == nil && scan.refusal == nil }

  /// Appends the settings of a scan.
  private mutating func look(_ scan: Scan) {
    if let types = scan.discovery {
      out.text("the kernel's discovery (MGMT)")
      _ = out.names(UInt64(types), .managementAddressTypes, opening: ", ")
      return
    }
    if scan.isOpeningMissing {
      out.text("already running, its beginning is not in the capture; ")
      if scan.hasDuplicates {
        out.text("its reports show that duplicates are reported")
      } else {
        out.text("not known whether duplicates were filtered")
        noStatistics()
      }
      return
    }
    if let parameters = scan.parameters {
      if let one = parameters.le1M, parameters.leCoded == one {
        setting(one, nil)
        out.text(" on LE 1M and LE Coded")
      } else {
        if let one = parameters.le1M {
          setting(one, parameters.leCoded == nil ? nil : "LE 1M")
        }
        if let coded = parameters.leCoded {
          if parameters.le1M != nil { out.text("; ") }
          setting(coded, "LE Coded")
        }
      }
      if let policy = CodeSet.scanFilterPolicy.name(of: UInt64(parameters.filterPolicy)),
        parameters.filterPolicy != 0
      {
        out.write(", \(policy)")
      }
    } else {
      out.text("its parameters are not in the capture")
    }
    switch scan.filterDuplicates {
    case 0?: out.text(", duplicates reported")
    case 1?: out.text(", duplicates filtered")
    case 2?: out.text(", duplicates filtered in each period")
    default: break
    }
    if scan.filterDuplicates != 0, scan.reports > 0 { noStatistics() }
    if scan.period > 0 {
      out.text(", for ")
      out.quantity(Int(scan.duration), .timeout)
      out.text(" every ")
      out.quantity(Int(scan.period), .inquiry)
    } else if scan.duration > 0 {
      out.text(", for ")
      out.quantity(Int(scan.duration), .timeout)
      out.text(" at most")
    }
    if let refusal = scan.refusal {
      out.write("; refused: \(refusal)")
    }
  }

  /// Appends what cannot be determined for devices that were heard only in such a scan.
  private mutating func noStatistics() { out.text(" (so no interval and no range of RSSI)") }

  private mutating func setting(_ setting: ScanSetting, _ phy: StaticString?) {
    if let phy {
      out.text(phy)
      out.byte(0x20)
    }
    out.text(setting.isActive ? "active" : "passive")
    out.text(", interval ")
    out.quantity(Int(setting.interval), .slots)
    out.text(", window ")
    out.quantity(Int(setting.window), .slots)
  }

  /// Appends what ended a scan, unless it was the host.
  private mutating func ending(_ scan: Scan) {
    guard scan.refusal == nil else { return }
    switch scan.ending {
    case .host?: break
    case .timeout?: out.text("; ended by its duration")
    case .reset?: out.text("; ended by a reset")
    case .replaced?: out.text("; then set up anew")
    case nil: out.text("; still on at the end")
    }
  }
}

/// The properties that equal scans share: everything except their times.
private struct ScanLook: Hashable {
  private let words: [Int]

  init(_ scan: Scan) {
    var words = [
      Int(scan.adapter.value), Int(scan.filterDuplicates ?? 0xff), Int(scan.duration),
      Int(scan.period),
      scan.isOpeningMissing ? scan.hasDuplicates ? 2 : 1 : 0,
      scan.refusal.map { Int($0.rawValue) } ?? -1,
      scan.parameters.map { Int($0.filterPolicy) } ?? -1, scan.discovery.map { Int($0) } ?? -1,
      scan.contentFilters,
    ]
    for setting in [scan.parameters?.le1M, scan.parameters?.leCoded] {
      words.append(setting.map { $0.isActive ? 1 : 0 } ?? -1)
      words.append(Int(setting?.interval ?? 0))
      words.append(Int(setting?.window ?? 0))
    }
    self.words = words
  }
}
