// Selects packets by the device that they are about.

package import Bluetooth
package import Bytes
package import Captures
import Dissectors
package import Sessions

/// A selected device: its address or a part of it, or its name.
package struct DevicePattern: Sendable {
  private enum Kind: Sendable {
    case address(AddressBits)
    /// ASCII only, in lower case; `*` matches any bytes.
    case name([UInt8])
    /// With letters of other scripts, in lower case; `*` matches any characters.
    case unfolded([Character])
  }

  private let kind: Kind

  var isName: Bool { if case .address = kind { false } else { true } }

  /// Reads an address, `C0:FF:EE:12:34:56` or `C0FFEE123456`, with `*` for octets that do not
  /// matter (`C0:FF:*`, `*:34:56`) or the rest of them (`C0:F*`). Any other text is a name, in
  /// which `*` matches any characters and case is ignored.
  package init(_ text: String) throws(SelectionError) {
    guard !text.isEmpty else {
      throw SelectionError("expected an address as in C0:FF:EE:12:34:56 or C0:FF:*, or a name")
    }
    if let address = Self.address(text) {
      kind = .address(address)
    } else if Self.looksLikeAddress(text) {
      throw SelectionError(
        "'\(text)' is not an address; expected six octets as in C0:FF:EE:12:34:56, or the first of them "
          + "as in C0:FF:*")
    } else if text.utf8.allSatisfy({ $0 < 0x80 }) {
      kind = .name(Array(text.lowercased().utf8))
    } else {
      kind = .unfolded(Array(text.lowercased()))
    }
  }

  /// Returns whether a text that is not an address was meant as one: parts of at most two letters
  /// and digits separated by colons, or at least five separated by dashes, at least two of which
  /// are octets.
  private static func looksLikeAddress(_ text: String) -> Bool {
    let separator: Character = text.contains(":") ? ":" : "-"
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count >= (separator == ":" ? 2 : 5) else { return false }
    return parts.allSatisfy { part in
      part.count <= 2 && part.allSatisfy { $0 == "*" || $0.isLetter || $0.isNumber }
    } && parts.count(where: { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }) >= 2
  }

  /// Returns the octets of an address, or nil if the text is not one.
  private static func address(_ text: String) -> AddressBits? {
    if text.utf8.count == 12, text.allSatisfy(\.isHexDigit), let value = UInt64(text, radix: 16) {
      return AddressBits(value: value, mask: 0xffff_ffff_ffff)
    }
    let separator: Character = text.contains(":") ? ":" : "-"
    var octets = text.split(separator: separator, omittingEmptySubsequences: false)
    // A star after digits replaces all the others.
    var isBeginning = false
    if separator == ":", let last = octets.last, last.count > 1, last.last == "*" {
      isBeginning = true
      octets[octets.count - 1] = last.dropLast()
    }
    guard octets.count > 1, octets.count <= 6 else { return nil }
    if octets.count < 6, !isBeginning {
      guard let star = octets.firstIndex(of: "*") else { return nil }
      octets.insert(contentsOf: Array(repeating: "*", count: 6 - octets.count), at: star)
    }
    var (value, mask): (UInt64, UInt64) = (0, 0)
    for (index, octet) in octets.enumerated() {
      let shift = UInt64(40 - 8 * index)
      if octet == "*" { continue }
      if isBeginning, index == octets.count - 1, octet.utf8.count == 1,
        let digit = octet.first?.hexDigitValue
      {
        value |= UInt64(digit) << (shift + 4)
        mask |= 0xf0 << shift
        continue
      }
      guard octet.utf8.count == 2, octet.allSatisfy(\.isHexDigit),
        let byte = UInt64(octet, radix: 16)
      else { return nil }
      value |= byte << shift
      mask |= 0xff << shift
    }
    return mask == 0 ? nil : AddressBits(value: value, mask: mask)
  }

  /// The address, unless it is a name.
  package var address: AddressBits? { if case .address(let bits) = kind { bits } else { nil } }

  /// Returns whether this is the name of a selected device.
  package func matches(name: [UInt8]) -> Bool {
    switch kind {
    case .address: false
    case .name(let pattern):
      Self.matches(name, pattern, star: 0x2a) { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
    case .unfolded(let pattern):
      // Other scripts have letter cases, too, but ignoring them costs more.
      Self.matches(
        Array(String(decoding: name, as: UTF8.self).lowercased()), pattern, star: "*"
      ) { $0 }
    }
  }

  /// Returns whether all of `text`, whose elements `fold` converts to lower case, matches
  /// `pattern`. If a star matched too little, it matches one more element: of several stars, only
  /// the last has to be retried.
  private static func matches<Element: Equatable>(
    _ text: [Element], _ pattern: [Element], star any: Element, _ fold: (Element) -> Element
  ) -> Bool {
    var (at, next) = (0, 0)
    var retry: (text: Int, pattern: Int)?
    while at < text.count {
      if next < pattern.count, pattern[next] == any {
        retry = (at, next + 1)
        next += 1
      } else if next < pattern.count, pattern[next] == fold(text[at]) {
        at += 1
        next += 1
      } else if let star = retry {
        at = star.text + 1
        next = star.pattern
        retry = (at, next)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == any }
  }
}

/// The bits of an address that are selected.
package struct AddressBits: Sendable {
  /// The values of the bits.
  package let value: UInt64
  /// The bits that count.
  package let mask: UInt64
}

/// The selected devices, as far as their names are known.
package struct DeviceWatch: Sendable {
  private let patterns: [DevicePattern]
  /// The patterns that are addresses, as plain numbers, since every packet is compared with them.
  private let addresses: [AddressBits]
  /// The addresses of devices with a selected name. Grows with the names in `Names`; bounded.
  private(set) var named: Set<DeviceAddress>
  private var generation = 0
  private let looksForNames: Bool
  private static let limit = 65_536
  /// The first names in the capture, for a user who selects a name that does not occur.
  private(set) var names: [[UInt8]] = []
  /// Whether there are more.
  private(set) var hasMoreNames = false
  private static let nameLimit = 8

  /// That no device has one of the selected names, and which names there are; nil if one has, or if
  /// an address is selected, too.
  package var absence: String? {
    guard looksForNames, addresses.isEmpty, named.isEmpty else { return nil }
    if names.isEmpty { return "no device of that name: the capture contains no names" }
    let names = names.map { String(decoding: $0, as: UTF8.self) }
    return "no device of that name; the capture has: " + names.joined(separator: ", ")
      + (hasMoreNames ? ", and more" : "")
  }

  init(_ patterns: [DevicePattern], named: Set<DeviceAddress> = []) {
    self.patterns = patterns
    addresses = patterns.compactMap(\.address)
    self.named = named
    looksForNames = patterns.contains { $0.isName }
  }

  /// Processes new names.
  mutating func learn(_ names: Names) {
    guard looksForNames, names.generation != generation else { return }
    names.forEach(since: generation) { address, name in
      learn(name: name)
      guard named.count < Self.limit, patterns.contains(where: { $0.matches(name: name) }) else {
        return
      }
      named.insert(address)
    }
    generation = names.generation
  }

  /// Records a name that occurs in the capture.
  mutating func learn(name: [UInt8]) {
    if names.count < Self.nameLimit {
      if !names.contains(name) { names.append(name) }
    } else if !hasMoreNames, !names.contains(name) {
      hasMoreNames = true
    }
  }

  /// Returns whether this is the name of a selected device.
  func isWanted(name: [UInt8]) -> Bool { patterns.contains { $0.matches(name: name) } }

  /// Returns whether this is the address of a selected device.
  package func isWanted(_ address: DeviceAddress) -> Bool {
    for bits in addresses where address.value & bits.mask == bits.value { return true }
    return looksForNames && named.contains(address)
  }

  /// Returns whether this is the address of a selected advertiser, which may be a resolvable one.
  private func isWanted(_ address: DeviceAddress, _ memory: borrowing Memory) -> Bool {
    if isWanted(address) { return true }
    return memory.identities.identity(of: address).map { isWanted($0.address) } ?? false
  }

  /// Returns whether a value was sent by or to a selected device.
  func matches(_ parties: ValueParties) -> Bool {
    [parties.peer, parties.identity, parties.resolvable].contains { address in
      address.map { isWanted($0) } ?? false
    }
  }

  /// Returns whether a packet is about one of the devices: the peer of its connection, by the
  /// address on the air or its identity address; an advertiser or the target of directed
  /// advertising; the sender of a periodic train; the central of a connection on the air, or who
  /// asks for one; or any address among the parameters of a command or event.
  func matches(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    if let link = packet.answer.link {
      if let peer = memory.links.peer(link), isWanted(peer) { return true }
      if let identity = memory.links.identity(link), isWanted(identity) { return true }
      // The address under which it advertised.
      if let address = memory.links.peerResolvable(link), isWanted(address) { return true }
      // On the air, the central is one of two devices.
      if packet.dissection.air != nil,
        let central = memory.links.connection(link).localAddress, isWanted(central, memory)
      {
        return true
      }
    }
    // Data contains no other addresses; most packets are data.
    if case .acl = packet.dissection.content { return false }
    if !memory.advertisements.reports.isEmpty {
      return memory.advertisements.reports.contains {
        ($0.report.address ?? $0.train?.address).map { isWanted($0, memory) } ?? false
          || $0.report.directAddress.map { isWanted($0) } ?? false
      }
    }
    if let lost = memory.advertisements.lostTrain?.address, isWanted(lost) { return true }
    if packet.dissection.air == nil, let found = packet.dissection.parameters {
      if let row = found.row, row.parameters.has(.address),
        names(row.parameters, packet.bytes, found.outer)
      {
        return true
      }
      guard let completed = found.completed, completed.returns.has(.address) else {
        return false
      }
      return names(completed.returns, packet.bytes, found.inner)
    }
    switch packet.dissection.content {
    case .advertising(let pdu) where packet.dissection.parameters != nil:
      let parties = pdu.parties(packet.bytes)
      return parties.sender.map { isWanted($0, memory) } ?? false
        || parties.receiver.map { isWanted($0, memory) } ?? false
    case .note(let note): return note.address.map { isWanted($0) } ?? false
    case .control(let control):
      // If the parameters are not described: those about a device start with its address, which in
      // a Command Complete follows the opcode (2 bytes) and status (1).
      let start =
        Int(packet.dissection.body.start)
        + (control.answeredOpcode(packet.bytes, packet.dissection.body) == nil ? 0 : 3)
      var cursor = Cursor(
        packet.bytes, Slice(start: start, count: packet.dissection.body.end - start))
      return (try? DeviceAddress(parsing: &cursor)).map { isWanted($0) } ?? false
    default: return false
    }
  }

  /// Returns whether one of the parameters is a selected address.
  private func names(_ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice) -> Bool {
    var finder = AddressFinder(watch: self)
    var fields = FieldWalk(bytes, slice)
    // If the bytes end too early, the fields before the end were visited.
    try? fields.walk(layout, &finder)
    return finder.isFound
  }

  private struct AddressFinder: FieldVisitor {
    let watch: DeviceWatch
    var isFound = false

    init(watch: DeviceWatch) { self.watch = watch }

    mutating func field(
      _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
      at slice: Slice
    ) {
      if case .address(let address, _) = value, watch.isWanted(address) { isFound = true }
    }
  }
}

extension Selection {
  /// Returns that no device of the capture has a selected name, and which names there are; nil if
  /// one has, at the end of the capture.
  package func absence(_ memory: borrowing Memory) -> String? {
    if devices.isEmpty { return nil }
    var watch = DeviceWatch(devices, named: namedDevices)
    watch.learn(memory.names)
    return watch.absence
  }
}

/// Collects the addresses of the devices that are selected or excluded by name, for a second pass
/// that knows them from the first packet on.
package struct NamesReport: PacketReport, ~Copyable {
  private var watched: WatchedSelection

  /// The selection with these addresses.
  package var selection: Selection { watched.named }

  /// Looks for the names in `selection`.
  package init(_ selection: Selection) { watched = WatchedSelection(selection) }

  /// Always false: the last packet may contain a name.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    watched.learn(memory.names)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}
