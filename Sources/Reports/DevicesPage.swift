import Bluetooth
import Bytes
import Dissectors
import Sessions

/// `devices` for people.
struct DevicesPage: ~Copyable {
  let list: DeviceList
  private let options: ShowOptions
  var out = Output()
  /// Words advertising data as `show` does.
  var sentence: Sentence

  init(_ list: DeviceList, _ options: ShowOptions) {
    self.list = list
    self.options = options
    sentence = Sentence(showsKeys: options.showsKeys, glyphs: options.glyphs)
  }

  var glyphs: Glyphs { options.glyphs }

  mutating func write(into output: inout Output) {
    summary()
    scans()
    for own in list.own {
      out.byte(0x0a)
      self.own(own)
    }
    for device in list.devices {
      out.byte(0x0a)
      self.device(device)
    }
    if !list.strangers.isEmpty {
      out.byte(0x0a)
      // Each may be another device.
      for stranger in list.strangers.prefix(Self.strangers) {
        out.text("unknown address, connection ")
        out.decimal(stranger.connection)
        out.text(" (handle ")
        out.handle(stranger.handle)
        out.text("), not heard advertising\n")
      }
      if list.strangers.count > Self.strangers {
        out.text("and ")
        out.decimal(list.strangers.count - Self.strangers)
        out.text(" more connections with unknown addresses\n")
      }
    }
    guard let width = options.width else {
      output.text(out.bytes, options.glyphs)
      return
    }
    var lines = Output()
    lines.text(out.bytes, options.glyphs)
    output.wrapped(lines.bytes, columns: width, indentation: Self.wrapped)
  }

  /// Columns before what goes on in another line.
  private static let wrapped = 6
  /// Connections with unknown devices that are listed.
  private static let strangers = 16
  /// Types that are named as none of an iOS app's.
  private static let foreignTypes = 3

  /// How many devices, reports and scans.
  private mutating func summary() {
    let heard = list.devices.filter { $0.device.reports > 0 }
    let silent = list.devices.count - heard.count + list.strangers.count
    let advertises = list.own.contains { $0.set.wasOn }
    if !heard.isEmpty {
      out.count(heard.count, "advertiser", "advertisers")
      out.text(", ")
      out.count(heard.reduce(0) { $0 + $1.device.reports }, "report", "reports")
      if advertises { out.text("; this host advertises, too") }
    } else if !options.selection.devices.isEmpty, silent == 0, list.own.isEmpty {
      out.text("no device matches")
    } else {
      out.text(advertises ? "this host advertises" : "nobody was heard advertising")
    }
    if silent > 0 {
      out.text("; ")
      out.decimal(silent)
      out.text(heard.isEmpty ? "" : " more")
      out.text(silent == 1 ? " device connected" : " devices connected")
    }
    if list.forgotten > 0 {
      out.text("; ")
      out.decimal(list.forgotten)
      out.text(" more, heard earlier, not remembered")
    }
    out.byte(0x0a)
  }

  // MARK: Scans

  /// The scans, those that were set up alike in one line.
  private mutating func scans() {
    guard !list.scans.isEmpty else { return }
    out.byte(0x0a)
    var done = [Bool](repeating: false, count: list.scans.count)
    var groups: [ScanLook: [Int]] = [:]
    for position in list.scans.indices {
      groups[ScanLook(list.scans[position]), default: []].append(position)
    }
    for position in list.scans.indices where !done[position] {
      let alike = groups[ScanLook(list.scans[position])] ?? [position]
      for other in alike { done[other] = true }
      scans(alike)
    }
    if list.forgottenScans > 0 {
      out.text("and ")
      out.count(list.forgottenScans, "scan", "scans")
      out.text(" before them\n")
    }
  }

  private mutating func scans(_ alike: [Int]) {
    guard let last = alike.last else { return }
    let scan = list.scans[alike[0]]
    out.text("scan  ")
    range(scan.firstPacket, list.scans[last].lastPacket, isOpen: isOpen(list.scans[last]))
    if alike.count > 1 {
      out.text(", ")
      out.decimal(alike.count)
      out.text(" times")
    }
    if scan.refusal == nil {
      out.text(", ")
      let spans = alike.map { span(list.scans[$0].firstTime, list.scans[$0].lastTime) }
      out.duration(nanoseconds: spans.reduce(0) { $0.addingReportingOverflow($1).partialValue })
      if alike.count > 1 { out.text(" in all") }
    }
    adapter(scan.adapter)
    out.text(": ")
    look(scan)
    let reports = alike.reduce(0) { $0 + list.scans[$1].reports }
    if scan.refusal == nil, scan.discovery == nil {
      out.text("; ")
      if reports == 0 { out.text("no reports") } else { out.count(reports, "report", "reports") }
    }
    if alike.count == 1 { ending(scan) }
    out.byte(0x0a)
  }

  private func isOpen(_ scan: Scan) -> Bool { scan.ending == nil && scan.refusal == nil }

  /// How a scan was set up.
  private mutating func look(_ scan: Scan) {
    if let types = scan.discovery {
      out.text("the kernel's discovery (MGMT)")
      _ = out.names(UInt64(types), .managementAddressTypes, opening: ", ")
      return
    }
    if scan.isOpeningMissing {
      out.text("its beginning is not in the capture, nor whether duplicates were filtered")
      noStatistics()
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
        out.text(", ")
        out.text(policy)
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
      out.text("; refused: ")
      out.named(refusal.name, UInt64(refusal.rawValue), digits: 2)
    }
  }

  /// What cannot be told of the devices that were heard in such a scan only.
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

  /// What ended a scan, where that was not the host.
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

  // MARK: Pieces

  /// `#31–#39`, or `from #31 on`.
  mutating func range(_ first: Int, _ last: Int, isOpen: Bool) {
    if isOpen {
      out.text("from ")
      out.packet(first)
      out.text(" on")
      return
    }
    out.packet(first)
    if last != first {
      out.text(glyphs.to)
      out.packet(last)
    }
  }

  /// The time between, never below zero.
  func span(_ from: Timestamp?, _ to: Timestamp?) -> Int64 {
    guard let from, let to else { return 0 }
    return max(0, to.nanoseconds(since: from))
  }

  mutating func adapter(_ index: UInt16) {
    guard list.hasSeveralAdapters, index != 0xffff else { return }
    out.text(", hci")
    out.decimal(Int(index))
  }

  /// What the data says of its advertiser: name, appearance.
  mutating func who(_ said: AdvertisedFacts) {
    if let name = said.name {
      out.text(", ")
      out.quoted(name.bytes)
    }
    if let appearance = said.appearance {
      out.text(", ")
      if let name = appearance.name {
        out.name(name)
      } else {
        out.text("appearance ")
        out.hexadecimal(UInt64(appearance.rawValue), digits: 4)
      }
    }
  }

  mutating func connections(_ numbers: [Int], of count: Int) {
    guard count > 0 else { return }
    out.text(count == 1 ? ", connection " : ", connections ")
    for (index, number) in numbers.enumerated() {
      if index > 0 { out.text(", ") }
      out.decimal(number)
    }
    if count > numbers.count {
      out.text(" and ")
      out.decimal(count - numbers.count)
      out.text(" more")
    }
  }

  /// Services and companies, where the payloads are too many to be read for them.
  mutating func offers(_ said: AdvertisedFacts) {
    if !said.services.isEmpty {
      out.text("  services ")
      for (index, uuid) in said.services.enumerated() {
        if index > 0 { out.text(", ") }
        out.namedUUID(uuid)
      }
      out.byte(0x0a)
    }
    if !said.companies.isEmpty {
      out.text(said.companies.count == 1 ? "  company " : "  companies ")
      for (index, company) in said.companies.enumerated() {
        if index > 0 { out.text(", ") }
        out.assigned(company.name, UInt64(company.rawValue), digits: 4)
      }
      out.byte(0x0a)
    }
  }

  /// Why no app on an Apple system can have advertised this.
  mutating func apple(_ said: AdvertisedFacts) {
    guard !said.appleLimits.isEmpty else { return }
    out.text("  an iOS app could not advertise this: ")
    var isFirst = true
    for type in said.foreignTypes.prefix(Self.foreignTypes) {
      if !isFirst { out.text(", ") }
      isFirst = false
      if let name = type.name {
        out.text(name)
      } else {
        out.text("type ")
        out.hexadecimal(UInt64(type.rawValue), digits: 2)
      }
    }
    if said.foreignTypes.count > Self.foreignTypes {
      out.text(" and ")
      out.count(said.foreignTypes.count - Self.foreignTypes, "more type", "more types")
    }
    if said.appleLimits.contains(.advertisementLength) {
      if !isFirst { out.text(", ") }
      isFirst = false
      out.count(said.mostBytes.advertisement, "byte", "bytes")
      out.text(" beside Flags instead of at most ")
      out.decimal(AppleLimits.advertisementBytes)
    }
    if said.appleLimits.contains(.scanResponseLength) {
      if !isFirst { out.text(", ") }
      out.count(said.mostBytes.scanResponse, "byte", "bytes")
      out.text(" in a scan response instead of a name of at most ")
      out.decimal(AppleLimits.scanResponseBytes)
    }
    out.byte(0x0a)
  }
}

/// What makes scans alike: all but when they were.
private struct ScanLook: Hashable {
  private let words: [Int]

  init(_ scan: Scan) {
    var words = [
      Int(scan.adapter), Int(scan.filterDuplicates ?? 0xff), Int(scan.duration), Int(scan.period),
      scan.isOpeningMissing ? 1 : 0, scan.refusal.map { Int($0.rawValue) } ?? -1,
      scan.parameters.map { Int($0.filterPolicy) } ?? -1, scan.discovery.map { Int($0) } ?? -1,
    ]
    for setting in [scan.parameters?.le1M, scan.parameters?.leCoded] {
      words.append(setting.map { $0.isActive ? 1 : 0 } ?? -1)
      words.append(Int(setting?.interval ?? 0))
      words.append(Int(setting?.window ?? 0))
    }
    self.words = words
  }
}
