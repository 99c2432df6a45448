import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// Rules about what this host advertises, and under which addresses.

extension Rule {
  /// The rules about this host's advertising.
  static let ownAdvertising: [Rule] = [
    Symptom(
      "adv_data_malformed", .warning, .meaning, "This host's advertising data is malformed",
      when:
        "data that a command sets has a structure that extends past its end or has a length that its type does not allow, or begins with what seems to be Flags without their type",
      do:
        "Write each structure as its length, its type and its data; the length counts the type and the data: Flags are 02 01 06 (Core, Vol 3, Part C, 11). Scanners ignore what follows a wrong length."
    ).needing([.commands, .events]).inCapture(
      about: AdvertisingFaults.FaultyData.self,
      elsewise: [
        Alternative("the list of UUIDs is empty on purpose") { data, _ in
          if case .withoutType = data.fault { false } else { true }
        }
      ]
    ) { evidence in evidence.adapters.flatMap { $0.sets.faults.data.map { ($0, malformed($0)) } } },
    Symptom(
      "adv_random_address", .warning, .meaning,
      "This host advertises under a random address that it must not use",
      when:
        "a command sets a random address whose upper two bits are 10, or connectable advertising is enabled under a non-resolvable private address; the latter is a note unless that replaces a static or resolvable address of the set",
      do:
        "Set the upper two bits of a random address: 11 for a static address, 01 for a resolvable private one, 00 for a non-resolvable one (Core, Vol 6, Part B, 1.3.2). A connectable device uses a static or a resolvable address."
    ).needing([.commands, .events]).inCapture { evidence in
      evidence.adapters.flatMap { adapter in
        adapter.sets.faults.addresses.map(impossible) + unsuitable(adapter.sets.faults)
      }
    },
  ]

  private static func malformed(_ data: AdvertisingFaults.FaultyData) -> Finding {
    let name: Wording =
      switch data.kind {
      case .advertising: "advertising data"
      case .scanResponse: "scan response data"
      case .periodic: "periodic advertising data"
      }
    let packet = data.moment.packet
    var why: Wording =
      switch data.fault {
      case .tooLong(let offset, let claimed, let available):
        "The structure at byte \(offset) claims \(count: claimed, "byte", "bytes"), but only \(available) follow."
      case .wrongLength(let type, let count):
        "The structure \(type.name.map { "\($0)" } ?? "type \(code: Int(type.rawValue), digits: 2)" as Wording) has \(count: count, "byte", "bytes") of data, which this type does not allow."
      case .afterEnd(let count):
        "A structure of length 0 ends the data early, but \(count: count, "byte", "bytes") other than zeros follow."
      case .withoutType(let flags):
        "The first structure has one byte, \(code: Int(flags), digits: 2): as a type it is an incomplete list of UUIDs with no entry, which has no use. As the value of Flags it is usual: the type seems to be left out, and the length to count only the value."
      }
    if data.count > 1 { why = "\(why) The same was set \(data.count) times." }
    var finding = Finding(
      "this host's \(name) is malformed", at: packet, why: why, evidence: [packet])
    // A last byte without content loses nothing.
    if case .tooLong(_, _, available: 0) = data.fault { finding.severity = .note }
    return finding
  }

  private static func impossible(_ found: (value: DeviceAddress, moment: Moment)) -> Finding {
    Finding(
      "This host uses \(found.value), which is not a random address of any kind",
      headline: "this host set an invalid random address (\(packet: found.moment.packet))",
      why:
        "The upper two bits of a random address show its kind; 10, as here, is reserved. Peers may ignore the device, and cannot tell whether the address will stay.",
      evidence: [found.moment.packet])
  }

  private static func unsuitable(_ faults: AdvertisingFaults) -> [Finding] {
    let all = faults.unsuitable
    guard let found = all.first(where: { $0.replaced != nil }) ?? all.first else { return [] }
    let times = all.reduce(0) { $0 + $1.count }
    let more: Wording =
      times > 1 ? " Advertising was enabled \(times) times with such an address." : ""
    let before: Wording =
      found.replaced.map {
        " The set had the address \($0.address) before (\(packet: $0.moment.packet))."
      } ?? ""
    var finding = Finding(
      "this host is connectable under a non-resolvable private address", at: found.enabled.packet,
      why:
        "Connectable advertising was enabled with \(found.address).\(before) No peer can recognise the device by such an address: it cannot connect to it again after the address has changed, and does not find the key of a bond.\(more)",
      evidence: PacketSet(
        [
          found.configured.packet, found.replaced?.moment.packet ?? 0, found.given.packet,
          found.enabled.packet,
        ].sorted()))
    // Some phones are connectable in this way on purpose, for a moment and without a bond.
    if found.replaced == nil {
      finding.severity = .note
      finding.remedy = ""
    }
    return [finding]
  }
}
