// Choosing packets by the device that they are about.

package import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// A device that is asked for: by its address or a part of it, or by its name.
package struct DevicePattern: Sendable {
  private enum Kind: Sendable {
    case address(AddressBits)
    /// Of ASCII alone, in lower case; `*` stands for any bytes.
    case name([UInt8])
    /// With letters of other scripts, in lower case; `*` stands for any characters.
    case unfolded([Character])
  }

  private let kind: Kind

  /// Whether a name is asked for.
  var isName: Bool { if case .address = kind { false } else { true } }

  /// Reads an address, `C0:FF:EE:12:34:56` or `C0FFEE123456`, with `*` for the octets that do not matter (`C0:FF:*`), or
  /// else a name, where `*` stands for any characters and upper and lower case are one.
  package init(_ text: String) throws(SelectionError) {
    guard !text.isEmpty else {
      throw SelectionError("expected an address as in C0:FF:EE:12:34:56 or C0:FF:*, or a name")
    }
    if let address = Self.address(text) {
      kind = .address(address)
    } else if Self.looksLikeAddress(text) {
      throw SelectionError(
        "'\(text)' is no address; expected six octets as in C0:FF:EE:12:34:56, or the first of them "
          + "as in C0:FF:*")
    } else if text.utf8.allSatisfy({ $0 < 0x80 }) {
      kind = .name(Array(text.lowercased().utf8))
    } else {
      kind = .unfolded(Array(text.lowercased()))
    }
  }

  /// Whether a text that is no address was meant as one: pieces of at most two letters and digits
  /// between colons, or between six dashes, two of them or more octets.
  private static func looksLikeAddress(_ text: String) -> Bool {
    let separator: Character = text.contains(":") ? ":" : "-"
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count >= (separator == ":" ? 2 : 5) else { return false }
    return parts.allSatisfy { part in
      part.count <= 2 && part.allSatisfy { $0 == "*" || $0.isLetter || $0.isNumber }
    } && parts.count(where: { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }) >= 2
  }

  /// The octets of an address; nil for a text that is none.
  private static func address(_ text: String) -> AddressBits? {
    if text.utf8.count == 12, text.allSatisfy(\.isHexDigit), let value = UInt64(text, radix: 16) {
      return AddressBits(value: value, mask: 0xffff_ffff_ffff)
    }
    let separator: Character = text.contains(":") ? ":" : "-"
    let octets = text.split(separator: separator, omittingEmptySubsequences: false)
    guard octets.count > 1, octets.count <= 6, octets.count == 6 || octets.last == "*" else {
      return nil
    }
    var (value, mask): (UInt64, UInt64) = (0, 0)
    for (index, octet) in octets.enumerated() {
      let shift = UInt64(40 - 8 * index)
      if octet == "*" { continue }
      guard octet.utf8.count == 2, octet.allSatisfy(\.isHexDigit),
        let byte = UInt64(octet, radix: 16)
      else { return nil }
      value |= byte << shift
      mask |= 0xff << shift
    }
    return mask == 0 ? nil : AddressBits(value: value, mask: mask)
  }

  /// The address that is asked for, where one is.
  var address: AddressBits? { if case .address(let bits) = kind { bits } else { nil } }

  /// Whether this is the name of a device that is asked for.
  func matches(name: [UInt8]) -> Bool {
    switch kind {
    case .address: false
    case .name(let pattern):
      Self.matches(name, pattern, star: 0x2a) { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
    case .unfolded(let pattern):
      // Other scripts have cases, too; looking for them costs more.
      Self.matches(
        Array(String(decoding: name, as: UTF8.self).lowercased()), pattern, star: "*"
      ) { $0 }
    }
  }

  /// Whether all of `text`, whose elements `fold` makes lower case, fits `pattern`. Where a star took
  /// too little it takes one more: of several stars only the last has to be tried again.
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

/// The bits of an address that are asked for.
struct AddressBits: Sendable {
  /// What they are.
  let value: UInt64
  /// Which they are.
  let mask: UInt64
}

/// Which devices are asked for, as far as their names are known.
struct DeviceWatch: Sendable {
  private let patterns: [DevicePattern]
  /// Those of them that are addresses: plain numbers, since every packet is held against them.
  private let addresses: [AddressBits]
  /// The addresses of devices with a name that is asked for. Grows with the names that `Names` has
  /// learnt; bounded.
  private(set) var named: Set<DeviceAddress>
  private var generation = 0
  private let looksForNames: Bool
  private static let limit = 65_536
  /// The first names that the capture has, for who asks for one that it has not.
  private(set) var names: [[UInt8]] = []
  /// Whether there are more.
  private(set) var hasMoreNames = false
  private static let nameLimit = 8

  /// Whether only names are asked for, and no device has one of them.
  var knowsNone: Bool { looksForNames && addresses.isEmpty && named.isEmpty }

  init(_ patterns: [DevicePattern], named: Set<DeviceAddress> = []) {
    self.patterns = patterns
    addresses = patterns.compactMap(\.address)
    self.named = named
    looksForNames = patterns.contains { $0.isName }
  }

  /// Looks at the names that are new.
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

  /// Takes a name that the capture has.
  mutating func learn(name: [UInt8]) {
    if names.count < Self.nameLimit {
      if !names.contains(name) { names.append(name) }
    } else if !hasMoreNames, !names.contains(name) {
      hasMoreNames = true
    }
  }

  /// Whether this is the name of a device that is asked for.
  func isWanted(name: [UInt8]) -> Bool { patterns.contains { $0.matches(name: name) } }

  /// Whether this is the address of a device that is asked for.
  func isWanted(_ address: DeviceAddress) -> Bool {
    for bits in addresses where address.value & bits.mask == bits.value { return true }
    return looksForNames && named.contains(address)
  }

  /// The same of an advertiser, who may have a resolvable address.
  private func isWanted(_ address: DeviceAddress, _ memory: borrowing Memory) -> Bool {
    if isWanted(address) { return true }
    return memory.identities.identity(of: address).map { isWanted($0.address) } ?? false
  }

  /// Whether a value was another device's or for it that is asked for.
  func matches(_ parties: ValueParties) -> Bool {
    [parties.peer, parties.identity, parties.resolvable].contains { address in
      address.map { isWanted($0) } ?? false
    }
  }

  /// Whether a packet is about one of the devices: its connection's peer, by the address on the air or
  /// the identity that it gave, an advertiser or whom it calls, the sender of a periodic train, or any
  /// address among the parameters of a command or event.
  func matches(
    _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer, _ memory: borrowing Memory
  ) -> Bool {
    if let link = answer.link {
      if let peer = memory.links.peer(link), isWanted(peer) { return true }
      if let identity = memory.links.identity(link), isWanted(identity) { return true }
      // Under this one it has advertised.
      if let address = memory.links.peerResolvable(link), isWanted(address) { return true }
    }
    // Data names nobody else; most packets are that.
    if case .acl = dissection.content { return false }
    if !memory.advertisements.reports.isEmpty {
      return memory.advertisements.reports.contains {
        ($0.report.address ?? $0.train?.address).map { isWanted($0, memory) } ?? false
          || $0.report.directAddress.map { isWanted($0) } ?? false
      }
    }
    if let lost = memory.advertisements.lostTrain?.address, isWanted(lost) { return true }
    if let found = dissection.parameters {
      if let row = found.row, row.parameters.has(.address),
        names(row.parameters, bytes, found.outer)
      {
        return true
      }
      guard let completed = found.completed, completed.returns.has(.address) else {
        return false
      }
      return names(completed.returns, bytes, found.inner)
    }
    switch dissection.content {
    case .note(let note): return note.address.map { isWanted($0) } ?? false
    case .control(let control):
      // Where nothing describes the parameters: those about a device begin with its address, in a
      // Command Complete after opcode (2 bytes) and status (1).
      let start =
        Int(dissection.body.start) + (control.answeredOpcode(bytes, dissection.body) == nil ? 0 : 3)
      var cursor = Cursor(bytes, Slice(start: start, count: dissection.body.end - start))
      return (try? DeviceAddress(parsing: &cursor)).map { isWanted($0) } ?? false
    default: return false
    }
  }

  /// Whether one of the parameters is an address that is asked for.
  private func names(_ layout: HCILayout, _ bytes: RawSpan, _ slice: Slice) -> Bool {
    var finder = AddressFinder(watch: self)
    var fields = HCIFields(bytes, slice)
    // Where the bytes end too early, those that are there were told.
    try? fields.walk(layout, &finder)
    return finder.isFound
  }

  private struct AddressFinder: HCIFieldVisitor {
    let watch: DeviceWatch
    var isFound = false

    init(watch: DeviceWatch) { self.watch = watch }

    mutating func field(
      _ name: StaticString, line: StaticString?, _ value: HCIValue, _ bytes: RawSpan,
      at slice: Slice
    ) {
      if case .address(let address) = value, watch.isWanted(address) { isFound = true }
    }
  }
}

/// Collects the addresses of the devices that a selection asks for by name, for a second pass that
/// knows them from the first packet on.
package struct NamesReport: PacketReport, ~Copyable {
  private var watch: DeviceWatch

  /// The addresses found so far.
  package var addresses: Set<DeviceAddress> { watch.named }

  /// Looks for the names in `selection`.
  package init(_ selection: Selection) { watch = DeviceWatch(selection.devices) }

  /// Never: a name may come last.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    watch.learn(memory.names)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}
