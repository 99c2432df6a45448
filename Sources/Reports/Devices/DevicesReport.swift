import Bluetooth
package import Bytes
package import Captures
import Dissectors
package import Sessions

package struct DevicesOptions: Sendable {
  /// The selection of packets, and how times are read.
  package var show = ShowOptions()
  /// How times are printed beside packets; nil: not at all.
  package var times: ShowOptions.TimeStyle?
  package var isJSON = false
  /// Whether text explains why an app on iOS could not advertise the same.
  package var showsAppleLimits = false

  /// Creates the default options.
  package init() {}
}

/// `devices`: lists the advertisers and what they advertise. Collects while packets are fed, and
/// prints at the end.
package struct DevicesReport: TableReport, ~Copyable {
  private var options: DevicesOptions
  private var listing: DeviceListing

  /// Creates a report on a capture with this summary.
  package init(_ options: DevicesOptions, _ summary: CaptureSummary, limits: Limits = Limits()) {
    self.options = options
    listing = DeviceListing(options, summary, limits: limits)
  }

  /// Always false: scans go on, and devices may become known by name.
  package var isSatisfied: Bool { false }

  /// The width of the terminal in columns; nil: lines are not wrapped.
  package var width: Int? {
    get { options.show.width }
    set { options.show.width = newValue }
  }

  /// Why nothing was found, or that not everything is listed.
  package var remark: String? { listing.remark }

  /// No packet is printed, but packets with problems may be selected.
  package var wantsProblems: Bool { listing.isSelecting }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    listing.observe(packet, memory)
  }

  package mutating func learn(_ summary: CaptureSummary) { listing.source = summary }

  package mutating func table(
    _ memory: borrowing Memory, rows: Int, columns: Int, into lines: inout Output
  ) {
    var page = DevicesPage(listing.list(memory), options)
    page.write(rows: rows, columns: columns, into: &lines)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    let list = listing.finish(memory)
    if options.isJSON {
      var document = DevicesDocument(
        list, showsKeys: options.show.showsKeys, profiles: options.show.profiles)
      document.write(into: &output)
    } else {
      var page = DevicesPage(list, options)
      page.write(into: &output)
    }
  }
}

/// What all forms of `devices` keep while packets are fed: the devices that were heard, and those
/// that are selected.
package struct DeviceListing: ~Copyable {
  private let options: DevicesOptions
  /// Whether packets are selected, so that not all of them count.
  let isSelecting: Bool
  /// What is known of the capture as a whole.
  var source: CaptureSummary
  private var showing: Showing
  private var sentence: Sentence
  /// Which of the devices are listed.
  private var watched: WatchedSelection
  private(set) var advertisers: Advertisers
  /// The time of the first record.
  private(set) var start: Timestamp?
  /// Whether anything is listed: this host's own advertising may be listed although no packet is
  /// selected.
  var hasListed = false

  package init(_ options: DevicesOptions, _ summary: CaptureSummary, limits: Limits) {
    self.options = options
    // A packet may be about an excluded device and another one.
    var packets = options.show
    packets.selection = packets.selection.excluding { $0.devices.isEmpty }
    isSelecting = !packets.showsEverything
    source = summary
    showing = Showing(packets)
    sentence = Sentence(showsKeys: options.show.showsKeys, glyphs: .utf8)
    watched = WatchedSelection(options.show.selection.excluding { !$0.devices.isEmpty })
    advertisers = Advertisers(limits)
  }

  /// Why nothing was found, or that not everything is listed.
  var remark: String? {
    if isSelecting, !hasListed, let remark = showing.remark { return remark }
    guard advertisers.forgotten > 0 else { return nil }
    return "there were more advertisers than are remembered; of \(advertisers.forgotten) that were "
      + "not heard lately nothing is listed"
  }

  /// Records a packet.
  package mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if start == nil { start = packet.record.time }
    var isCounted = true
    if isSelecting {
      isCounted =
        !showing.isSatisfied
        && showing.word(packet, memory, in: &sentence)
    }
    advertisers.observe(packet, memory, isCounted: isCounted)
  }

  var emptyList: DeviceList {
    DeviceList(start: start, decimals: source.timeDecimals, ListedDevices())
  }

  /// Returns the current list. What is still on counts as on up to now; more may follow.
  package mutating func list(_ memory: borrowing Memory) -> DeviceList {
    var advertisers = advertisers
    advertisers.finish(memory, isCounted: !isSelecting)
    return list(advertisers, memory)
  }

  /// Returns the list at the end of the capture.
  package mutating func finish(_ memory: borrowing Memory) -> DeviceList {
    advertisers.finish(memory, isCounted: !isSelecting)
    return list(advertisers, memory)
  }

  private mutating func list(
    _ advertisers: Advertisers, _ memory: borrowing Memory
  ) -> DeviceList {
    watched.learn(memory.names)
    let wanted =
      choosesDevices
      ? advertisers.order.filter { isWanted(advertisers.devices[$0]) } : advertisers.order
    var list = DeviceList(
      start: start, decimals: source.timeDecimals,
      ListedDevices(advertisers.devices, wanted, memory.names))
    list.forgotten = advertisers.forgotten
    list.scans = advertisers.scans.all.filter { !isSelecting || $0.reports > 0 }
    list.forgottenScans = advertisers.scans.forgotten
    list.adapters = memory.adapters.all
    for set in advertisers.own.all
    where set.isSetUp
      && options.show.selection.admits(
        excluding: { !$0.adapters.isEmpty }, { $0.admits(adapter: set.adapter) })
    {
      var own = ListedOwn(set, mostBytes: advertisers.own.mostBytes(set.adapter))
      // The kernel decides which address one of its instances gets.
      if set.set.family != .management {
        own.address =
          own.isAddressRandom
          ? set.randomAddress : memory.adapters.all.first { $0.index == set.adapter }?.address
      }
      if let name = own.facts.name { showing.learn(name: name) }
      guard watched.admits(device: [own.address].compactMap(\.self), named: own.facts.name) else {
        continue
      }
      list.own.append(own)
    }
    if watched.selection.devices.isEmpty {
      list.strangers = advertisers.unknownPeers.map { ($0.connection, $0.packet, $0.handle, nil) }
    }
    list.add(memory.air)
    hasListed = !list.own.isEmpty || !list.devices.isEmpty
    return list
  }

  /// Returns whether a device in the last packet is selected.
  mutating func admits(_ advertiser: Advertiser, _ memory: borrowing Memory) -> Bool {
    guard choosesDevices else { return true }
    watched.learn(memory.names)
    return isWanted(advertiser)
  }

  /// Whether devices are selected or excluded.
  private var choosesDevices: Bool {
    !watched.selection.devices.isEmpty || !watched.excluded.isEmpty
  }

  private func isWanted(_ advertiser: Advertiser) -> Bool {
    watched.admits(
      device: [advertiser.address, advertiser.identity].compactMap(\.self)
        + advertiser.otherAddresses)
  }
}
