package import Bluetooth
import Bytes
import Dissectors

/// A controller, with what the capture reveals of it.
package struct Adapter: Sendable {
  package let index: AdapterIndex
  package var address: DeviceAddress?
  /// The bus that it is attached to.
  package var bus: UInt8?
  /// The name that the host gave it: "hci0".
  package var name: [UInt8] = []
  /// Its manufacturer's company identifier.
  package var manufacturer: UInt16?
  /// The version of the Core Specification that it implements, as numbered in HCI.
  package var hciVersion: UInt8?

  /// The file in which it was last seen, counted among files from different times.
  fileprivate var generation = 0

  init(index: AdapterIndex) { self.index = index }

  /// Fills in what is known about the same controller from an earlier file.
  fileprivate mutating func fill(from earlier: Self) {
    if bus == nil { bus = earlier.bus }
    if name.isEmpty { name = earlier.name }
    if manufacturer == nil { manufacturer = earlier.manufacturer }
    if hciVersion == nil { hciVersion = earlier.hciVersion }
  }
}

/// The controllers of a capture and the software that used them, from monitor notes and from the
/// results of start-up commands.
package struct Adapters: Sendable {
  /// The controllers, in the order in which they appeared.
  package private(set) var all: [Adapter] = []
  /// System notes that name the host's software: "Linux version …"; up to a limit.
  package private(set) var software: [[UInt8]] = []
  /// What is known about the controllers' Microsoft extensions; if the capture does not number its
  /// controllers, of its only one.
  private var extensions: [(adapter: AdapterIndex, known: MicrosoftExtension)] = []
  /// The tables of the controllers' manufacturers, likewise; nil if a manufacturer has none.
  private var vendors: [(adapter: AdapterIndex, table: VendorTable?)] = []
  private let shared: SharedLimits
  private var limits: Limits { shared.values }
  /// How often a controller reported a different address within one file: the file joins logs of
  /// several hosts, or a host sets its controller's address.
  package private(set) var addressChanges = 0
  /// The number of ended files that the next one does not continue.
  private var generation = 0

  init(_ limits: SharedLimits) { shared = limits }

  private mutating func change(_ index: AdapterIndex, _ change: (inout Adapter) -> Void) {
    guard index != .unknown else { return }
    // Files from different times may come from several devices that use the same numbers.
    if let position = all.firstIndex(where: { $0.index == index && $0.generation == generation }) {
      change(&all[position])
    } else if all.count < max(1, limits.adapters) {
      var adapter = Adapter(index: index)
      adapter.generation = generation
      change(&adapter)
      all.append(adapter)
    }
  }

  /// Ends a file that the next one does not continue: the next may come from another device.
  mutating func endFile() {
    generation += 1
    vendors.removeAll()
  }

  /// Records a controller's address: a controller of an earlier file with the same address is the
  /// same.
  private mutating func learn(address: DeviceAddress?, of index: AdapterIndex) {
    guard index != .unknown, let address else { return }
    let known = all.first { $0.index == index && $0.generation == generation }?.address
    if let known, known != address, known != .zero { addressChanges &+= 1 }
    change(index) { $0.address = address }
    guard
      let earlier = all.firstIndex(where: {
        $0.index == index && $0.address == address && $0.generation != generation
      }),
      let position = all.firstIndex(where: { $0.index == index && $0.generation == generation })
    else { return }
    all[position].fill(from: all[earlier])
    all.remove(at: earlier)
  }

  /// Returns a note's text up to its terminator, or up to the length that is kept.
  private func text(_ note: MonitorNote, _ bytes: RawSpan) -> [UInt8]? {
    note.text.map { slice in
      let count = min(Int(slice.count), max(0, limits.noteBytes))
      let kept = bytes.part(Slice(start: Int(slice.start), count: count)).array
      return [UInt8](kept.prefix { $0 != 0 })
    }
  }

  mutating func observe(_ note: MonitorNote, _ index: AdapterIndex, _ bytes: RawSpan) {
    switch note.kind {
    case .newIndex:
      vendors.removeAll { $0.adapter == index }
      let name = text(note, bytes) ?? []
      change(index) { adapter in
        adapter.address = note.address
        adapter.bus = note.bus
        adapter.name = name
      }
    case .indexInfo:
      change(index) { adapter in
        adapter.address = note.address
        adapter.manufacturer = note.manufacturer
      }
      learn(note.manufacturer, of: index)
    case .systemNote:
      guard software.count < limits.softwareNotes, let text = text(note, bytes),
        !software.contains(text)
      else { return }
      software.append(text)
    case .log where note.recordType == .note: observe(log: text(note, bytes) ?? [], index)
    default: break
    }
  }

  /// Records what PacketLogger's notes at the beginning of a capture contain about controller and
  /// host.
  private mutating func observe(log text: [UInt8], _ index: AdapterIndex) {
    if text.starts(with: Self.addressLabel), let address = Self.address(text) {
      change(index) { $0.address = address }
    } else if software.count < limits.softwareNotes,
      Self.softwareLabels.contains(where: { text.starts(with: $0) }), !software.contains(text)
    {
      software.append(text)
    }
  }

  private static let addressLabel = Array("Address: ".utf8)
  private static let softwareLabels = ["Product: ", "Software: ", "Bluetooth Host: "].map {
    Array($0.utf8)
  }

  /// Returns the address after its label: six octets with colons.
  private static func address(_ text: [UInt8]) -> DeviceAddress? {
    let octets = text.dropFirst(addressLabel.count).prefix(18).split(
      separator: 0x3a, omittingEmptySubsequences: false)
    guard octets.count == 6 else { return nil }
    var value: UInt64 = 0
    for octet in octets {
      guard octet.count == 2, let byte = UInt8(String(decoding: octet, as: UTF8.self), radix: 16)
      else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return DeviceAddress(value: value)
  }

  /// Records the results of Read BD_ADDR and Read Local Version Information.
  ///
  /// It also records what a Microsoft extension returns about its events.
  mutating func observeReturn(
    _ opcode: UInt16, _ index: AdapterIndex, _ bytes: RawSpan, _ returned: Slice
  ) {
    var cursor = Cursor(bytes, returned)
    switch opcode {
    case HCICommand.readBDADDR:
      guard let values = try? ReadBDADDRReturn(parsing: &cursor) else { return }
      learn(address: values.address, of: index)
    case HCICommand.readLocalVersionInformation:
      guard let values = try? ReadLocalVersionInformationReturn(parsing: &cursor) else { return }
      change(index) { adapter in
        adapter.hciVersion = values.hciVersion
        adapter.manufacturer = values.company
      }
      learn(values.company, of: index)
    default:
      guard HCICommand.isVendors(opcode), !returned.isEmpty,
        let position = extensions.firstIndex(where: {
          $0.adapter == index && $0.known.opcode == opcode
        })
      else { return }
      extensions[position].known.observeReturn(bytes, returned)
    }
  }

  // MARK: What the manufacturer defines

  /// Returns what is known about a controller's Microsoft extension, and the table of its
  /// manufacturer's commands.
  func vendors(of adapter: AdapterIndex) -> (MicrosoftExtension?, VendorTable?) {
    (
      extensions.first { $0.adapter == adapter }?.known,
      vendors.first { $0.adapter == adapter }?.table
    )
  }

  /// Derives the tables of a controller from its manufacturer.
  private mutating func learn(_ manufacturer: UInt16?, of adapter: AdapterIndex) {
    let table = manufacturer.flatMap { VendorTable.of(manufacturer: $0) }
    if let position = vendors.firstIndex(where: { $0.adapter == adapter }) {
      vendors[position].table = table
    } else if vendors.count < max(1, limits.adapters) {
      vendors.append((adapter, table))
    }
    guard let known = manufacturer.flatMap({ MicrosoftExtension(manufacturer: $0) }) else {
      return
    }
    if let position = extensions.firstIndex(where: { $0.adapter == adapter }) {
      if extensions[position].known.opcode != known.opcode {
        extensions[position].known = known
      }
    } else if extensions.count < max(1, limits.adapters) {
      extensions.append((adapter, known))
    }
  }
}
