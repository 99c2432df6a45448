import Bluetooth
import Bytes
import Dissectors
import Meanings
import Sessions

/// `devices` as text.
struct DevicesPage: ~Copyable {
  var list: DeviceList
  let options: ShowOptions
  private let times: ShowOptions.TimeStyle?
  private let showsAppleLimits: Bool
  private var clock = Clock()
  var out = Output()
  /// The cells of a device's data.
  var cells = Output()
  /// Whether the columns of payloads have their headings.
  var hasPayloadHeadings = false
  /// Describes advertising data as `show` does.
  var sentence: Sentence

  init(_ list: DeviceList, _ options: DevicesOptions) {
    self.list = list
    self.options = options.show
    times = options.times
    showsAppleLimits = options.showsAppleLimits
    sentence = Sentence(
      showsKeys: options.show.showsKeys, glyphs: options.show.glyphs,
      profiles: options.show.profiles)
  }

  var glyphs: Glyphs { options.glyphs }

  mutating func write(into output: inout Output) {
    summary()
    scans()
    for place in list.devices.indices {
      out.byte(0x0a)
      device(list.devices[place])
      move(into: &output)
    }
    if !list.strangers.isEmpty {
      out.byte(0x0a)
      // Each may be a different device.
      for stranger in list.strangers.prefix(Self.strangers) {
        let identity: Wording =
          stranger.accessAddress.map { "access address \(code: $0, digits: 8)" }
          ?? "handle \(handle: stranger.handle)"
        out.write("unknown address, connection \(stranger.connection)")
        out.write(" (\(identity)), not heard advertising")
        out.byte(0x0a)
      }
      let left = list.strangers.count - Self.strangers
      if left > 0 { out.write("and \(left) more connections with unknown addresses\n") }
    }
    for own in list.own {
      out.byte(0x0a)
      self.own(own)
    }
    move(into: &output)
  }

  /// Moves finished lines to the output.
  private mutating func move(into output: inout Output) {
    if let width = options.width {
      var lines = Output()
      lines.text(out.bytes, options.glyphs)
      output.wrapped(lines.bytes, columns: width, indentation: Self.wrapped)
    } else {
      output.text(out.bytes, options.glyphs)
    }
    out.clear()
  }

  /// The indentation of continuation lines.
  private static let wrapped = 6
  /// The maximum number of listed connections with unknown devices.
  private static let strangers = 16
  /// The maximum number of named types that an iOS app cannot set.
  private static let foreignTypes = 3

  /// Appends the number of devices, reports and scans.
  mutating func summary() {
    var (found, heard, reports) = (0, 0, 0)
    var others = AdvertisingEvent.all.map { _ in (devices: 0, results: 0) }
    for place in list.devices.places {
      let counts = list.devices.all[place].counts
      let all = counts.all
      guard all > 0 else { continue }
      found += 1
      let count = counts.advertising
      if count > 0 { heard += 1 }
      reports += count
      guard count < all else { continue }
      for event in AdvertisingEvent.all where !event.isReport {
        let results = counts[event]
        if results > 0 { others[Int(event.rawValue)].devices += 1 }
        others[Int(event.rawValue)].results += results
      }
    }
    let silent = list.devices.count - found + list.strangers.count
    let advertises = list.own.contains { $0.set.wasOn }
    if found > 0 {
      if heard > 0 {
        out.write("\(count: heard, "advertiser", "advertisers")")
        out.write(", \(count: reports, "report", "reports")")
      }
      // Devices reported in other ways than a controller's reports, each way separately.
      var isFirst = heard == 0
      for (event, found) in zip(AdvertisingEvent.all, others) where found.devices > 0 {
        out.separate(&isFirst, by: "; ")
        out.write("\(count: found.devices, "device", "devices") found \(event.words)")
        out.write(", \(count: found.results, "result", "results")")
      }
      if advertises { out.text("; this host advertises, too") }
    } else if !options.selection.isEverything, silent == 0, list.own.isEmpty {
      out.text("no device matches")
    } else {
      out.text(advertises ? "this host advertises" : "no device was heard advertising")
    }
    if silent > 0 {
      out.write(found == 0 ? "; \(silent)" : "; \(silent) more")
      out.text(silent == 1 ? " device connected" : " devices connected")
    }
    if list.forgotten > 0 {
      out.write("; \(list.forgotten) more, heard earlier, not remembered")
    }
    out.byte(0x0a)
  }

  // MARK: Pieces

  /// Appends `#31–#39`, or `from #31 on`.
  mutating func range(_ first: Int, _ last: Int, isOpen: Bool) {
    if isOpen { return out.write("from \(packet: first) on") }
    out.packet(first)
    guard last != first else { return }
    out.text(glyphs.to)
    out.packet(last)
  }

  /// Appends how often data changed, if it did, and the packet of the last change.
  mutating func changes(_ words: StaticString, _ count: Int, last: Int) {
    guard count > 0 else { return }
    out.text(words)
    out.write(
      count == 1 ? "in \(packet: last)" : "\(count) times, last in \(packet: last)")
  }

  /// Appends when something began, if times are requested: ` at 0.2003 s`, ` at
  /// 2026-11-21T12:00:00.200318Z`.
  mutating func at(_ time: Timestamp?) {
    guard let time, let times else { return }
    switch times {
    case .elapsed:
      guard let start = list.start else { return }
      out.text(" at ")
      out.elapsed(time, since: start)
      out.text(" s")
    case .utc where time.isWritable:
      out.text(" at ")
      clock.utc(time, decimals: list.decimals, into: &out)
    case .local where time.isWritable:
      out.text(" at ")
      let offset = options.zoneOffset(time.seconds)
      clock.local(time, offset: offset, decimals: list.decimals, into: &out)
    case .utc, .local, .delta, .none: break
    }
  }

  /// Returns the time between two timestamps, at least zero.
  func span(_ from: Timestamp?, _ to: Timestamp?) -> Int64 {
    guard let from, let to else { return 0 }
    return max(0, to.nanoseconds(since: from))
  }

  mutating func adapter(_ index: AdapterIndex) {
    guard list.hasSeveralAdapters, let number = index.number else { return }
    out.write(", hci\(number)")
  }

  /// Appends what the data reveals about its advertiser: name, appearance.
  mutating func who(_ facts: AdvertisedFacts) {
    if let name = facts.name {
      out.text(", ")
      out.quoted(name.bytes)
    }
    // 0 means unknown.
    if let appearance = facts.appearance, appearance.rawValue != 0 {
      out.write(
        appearance.name.map { ", \($0)" }
          ?? ", appearance \(code: appearance.rawValue, digits: 4)")
    }
  }

  mutating func connections(_ numbers: [Int], of count: Int) {
    guard count > 0 else { return }
    out.text(count == 1 ? ", connection " : ", connections ")
    out.listed(numbers) { $0.decimal($1) }
    out.andMore(count - numbers.count)
  }

  /// Appends services and companies, if there are too many payloads to read them there.
  mutating func offers(_ facts: AdvertisedFacts) {
    if !facts.services.isEmpty {
      out.text("  services ")
      out.listed(facts.services) { $0.namedUUID($1) }
      out.byte(0x0a)
    }
    if !facts.companies.isEmpty {
      out.text(facts.companies.count == 1 ? "  company " : "  companies ")
      out.listed(facts.companies) { $0.assigned($1.name, UInt64($1.rawValue), digits: 4) }
      out.byte(0x0a)
    }
  }

  /// Appends why no app on an Apple system can have advertised this, if requested.
  mutating func apple(_ facts: AdvertisedFacts) {
    // Apple's own systems advertise data that no app could.
    guard showsAppleLimits, !facts.appleLimits.isEmpty,
      !facts.companies.contains(where: { $0.rawValue == 0x004c })
    else { return }
    out.text("  an iOS app could not advertise this: ")
    var isFirst = true
    for type in facts.foreignTypes.prefix(Self.foreignTypes) {
      out.separate(&isFirst)
      out.write(type.name.map { "\($0)" } ?? "type \(code: type.rawValue, digits: 2)")
    }
    if facts.foreignTypes.count > Self.foreignTypes {
      out.text(" and ")
      out.count(facts.foreignTypes.count - Self.foreignTypes, "more type", "more types")
    }
    if facts.appleLimits.contains(.advertisementLength) {
      out.separate(&isFirst)
      out.write("\(count: facts.mostBytes.advertisement, "byte", "bytes") besides Flags")
      out.write(" instead of at most \(AppleLimits.advertisementBytes)")
    }
    if facts.appleLimits.contains(.scanResponseLength) {
      out.separate(&isFirst)
      out.write("\(count: facts.mostBytes.scanResponse, "byte", "bytes") in a scan response")
      out.write(" instead of a name of at most \(AppleLimits.scanResponseBytes)")
    }
    out.byte(0x0a)
  }
}
