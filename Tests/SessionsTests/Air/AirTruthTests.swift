// What is concluded from a capture from the air, against what was really sent.

import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

/// Returns a connection in the clear with loss on every side.
///
/// - Parameters:
///   - refused: how many of 1000 packets their receiver refuses.
///   - missed: how many of 1000 the sniffer does not hear.
func plainTraffic(
  seed: UInt64, refused: Int = 0, lost: Int = 0, missed: Int = 0, damaged: Int = 0,
  jitter: Int = 0, selection2: Bool = false
) -> AirTraffic {
  var air = AirTraffic(seed: seed)
  (air.radio.refused, air.radio.lost) = (refused, lost)
  (air.radio.missed, air.radio.damaged, air.radio.jitter) = (missed, damaged, jitter)
  (air.settings.advertisesSelection2, air.settings.requestsSelection2) = (selection2, selection2)
  // The advertisement says how the file counts channels and which selection the devices support.
  air.hears = { $0.isAdvertising ? .heard : nil }
  fill(&air)
  return air
}

/// Fills a capture with a connection and its data.
private func fill(_ air: inout AirTraffic) {
  air.advertise(2)
  air.connect(heard: true)
  air.exchangeFeatures()
  for index in 0..<30 {
    air.queue(notification(index * 5 % 90, handle: index + 1), index % 3 == 0 ? .sent : .received)
    if index % 2 == 0 { air.flush() }
    air.run(events: index % 4)
  }
  air.flush()
}

private let seeds: ClosedRange<UInt64> = 1...6

@Suite("Truth from the air") struct AirTruthTests {
  @Test("a damaged packet is found, a right one is believed", arguments: forms.indices, seeds)
  func checksums(form: Int, seed: UInt64) {
    let air = plainTraffic(seed: seed, refused: 40, lost: 20, missed: 30, damaged: 40)
    let found = follow(air, forms[form].form)
    #expect(found.vantage == .air && found.packets.count == air.heard.count)
    for packet in air.heard {
      let fact = found[packet.record ?? 0].fact
      #expect(
        (fact.crc == .wrong) == (packet.hearing == .damaged), "\(forms[form].name), \(packet)")
    }
    let errors = air.heard.count { $0.hearing == .damaged }
    #expect(found.air.claims.crcErrors == errors)
    #expect(found.air.claims.wrongCRCClaims == 0)
    #expect(found.air.claims.lacksCRCs == !forms[form].form.hasCRC)
  }

  @Test(
    "claims, times and sequence numbers tell every packet's side", arguments: forms.indices, seeds)
  func sides(form: Int, seed: UInt64) {
    let air = plainTraffic(
      seed: seed, refused: 60, lost: 30, missed: 50, damaged: 10, selection2: seed % 2 == 0)
    let form = forms[form].form
    let found = follow(air, form)
    // Events in which the sniffer did not hear a packet.
    let incomplete = Set(air.sent.filter { $0.hearing != .heard }.map(\.event))
    for (record, packet) in air.right {
      guard let side = packet.side, found[record].direction != side else { continue }
      // Without claims, a loss that coincides with a refusal leaves the side undecided, and so does
      // a refusal before enough pauses show that the times are exact.
      let isUndecided = incomplete.contains(packet.event) || packet.event < 3
      #expect(!form.statesSides && isUndecided, "\(record)")
    }
    #expect(found.link.wrongDirections == 0)
  }

  @Test("sequence numbers alone tell the sides, and follow refusals", arguments: seeds)
  func parity(seed: UInt64) {
    // Times that are wrong by 2 ms show neither pauses nor the place in the event. Only the answer
    // in the same event shows a refusal, so the central refuses nothing, and nothing is missed.
    var air = AirTraffic(seed: seed)
    air.radio.jitter = 2000
    air.refuses = { $0.side == .sent && $0.event > 5 && $0.time % 11 == 0 }
    fill(&air)
    let found = follow(air, AirForm(.linkLayer))
    #expect(air.sent.contains { $0.isRefused })
    for (record, packet) in air.right {
      guard let side = packet.side else { continue }
      #expect(found[record].direction == side, "\(record)")
      let isBound = packet.opcode != nil
      #expect(found[record].fact.directionEvidence == .acknowledgement || isBound)
    }
  }

  @Test("wrong claims are found, and not believed", arguments: seeds)
  func wrongClaims(seed: UInt64) {
    let air = plainTraffic(seed: seed, lost: 20, missed: 30)
    for layout in [AirForm.Layout.nordic2, .nordic3] {
      var form = AirForm(layout)
      // Every claim after the first loss, as an older firmware does it, or single ones.
      let data = air.sent.indices.filter { air.sent[$0].side != nil }
      form.wrongDirections = Set(
        layout == .nordic3 ? data.filter { $0 % 9 == 0 } : data.filter { $0 > 60 })
      let found = follow(air, form)
      var wrong = 0
      for (record, packet) in air.right {
        guard let side = packet.side, found[record].direction != side else { continue }
        wrong += 1
      }
      // Until most of the latest claims are wrong, one is believed where nothing refutes it.
      #expect(wrong <= 8, "\(layout), \(wrong) of \(data.count)")
      #expect(found.link.wrongDirections > 0 && found.link.firstWrongDirection > 0)
    }
  }

  // MARK: Events

  @Test(
    "every packet's event is known, and the missed ones are counted", arguments: forms.indices,
    seeds)
  func events(form: Int, seed: UInt64) {
    var air = AirTraffic(seed: seed)
    (air.radio.refused, air.radio.lost, air.radio.missed) = (40, 20, 60)
    air.radio.damaged = 20
    (air.settings.advertisesSelection2, air.settings.requestsSelection2) =
      (seed % 2 == 0, seed % 3 == 0)
    air.hears = { $0.isAdvertising ? .heard : nil }
    fill(&air)
    air.pause(events: 40)
    air.run(events: 5)
    let layout = forms[form].form.layout
    let found = follow(air, forms[form].form)
    for (record, packet) in air.right where packet.side != nil {
      #expect(found[record].fact.event == UInt16(packet.event), "\(forms[form].name), \(record)")
      if layout != .linkLayer { #expect(found[record].fact.channel == packet.channel) }
    }
    let heard = air.right.filter { $0.packet.side != nil }.map(\.packet.event)
    let damaged = Set(air.heard.filter { $0.hearing == .damaged && $0.side != nil }.map(\.event))
    let last = heard.last ?? 0
    let silent = Set(0...last).subtracting(heard)
    let link = found.link
    #expect(link.lastEvent == last && link.eventsSeen == Set(heard).count)
    #expect(link.eventsMissed == silent.subtracting(damaged).count)
    #expect(link.eventsDamaged == silent.intersection(damaged).count)
    #expect(link.longestHole >= 39 && link.lostTrack == nil)
  }

  @Test(
    "updates of interval, channels and PHYs take effect at their instants",
    arguments: forms.indices, seeds)
  func updates(form: Int, seed: UInt64) {
    var air = AirTraffic(seed: seed)
    air.radio.missed = 50
    (air.settings.advertisesSelection2, air.settings.requestsSelection2) =
      (seed % 2 == 0, seed % 2 == 0)
    air.hears = { packet in
      packet.isAdvertising || [0x00, 0x01, 0x18].contains(packet.opcode ?? 0xff) ? .heard : nil
    }
    air.advertise(2)
    air.connect(heard: true)
    air.exchangeFeatures()
    air.changeMap(0x1f_0ff0_f0ff)
    air.run(events: 9)
    air.updateConnection(interval: seed % 2 == 0 ? 6 : 40, windowOffset: Int(seed % 5))
    air.run(events: 9)
    air.changePHY(central: 2, peripheral: 2)
    air.pause(events: 15)
    air.run(events: 20)
    air.changeMap(0x10_0000_0c01)
    air.updateConnection(interval: 9, windowOffset: 0, after: 6)
    air.run(events: 30)
    // The format without channels and PHYs has nothing to correct the count with.
    let found = follow(air, forms[form].form)
    for (record, packet) in air.right where packet.side != nil {
      #expect(found[record].fact.event == UInt16(packet.event), "\(forms[form].name), \(record)")
    }
    #expect(found.link.channelMap == 0x10_0000_0c01)
    let connection = found.connections.first
    #expect(connection?.interval == 9 && connection?.figures.phys?.sent == 2)
  }

  @Test("events go on past 65535") func manyEvents() {
    var air = AirTraffic(seed: 3)
    air.settings.interval = 6
    air.advertise()
    air.connect(heard: true)
    air.exchangeFeatures()
    for _ in 0..<70 {
      air.run(events: 1)
      air.pause(events: 1000)
    }
    air.run(events: 10)
    for layout in [AirForm.Layout.nordic3, .pseudoHeader, .ppi] {
      let found = follow(air, AirForm(layout))
      for (record, packet) in air.right where packet.side != nil {
        #expect(found[record].fact.event == UInt16(packet.event), "\(layout), \(record)")
      }
      #expect(found.link.lastEvent ?? 0 > 70_000)
    }
  }

  /// A sniffer that could not read an update goes on with the old interval; with the key, the
  /// capture shows the true events.
  @Test("a sniffer that lost track is found", arguments: seeds) func lostTrack(seed: UInt64) {
    var air = AirTraffic(seed: seed)
    air.snifferDecrypts = false
    air.settings.interval = 12
    air.advertise()
    air.connect(heard: true)
    air.encrypt(madeKey)
    let instant = air.updateConnection(interval: 9, windowOffset: 0)
    air.run(events: 1500)
    let found = follow(air, keys: [madeKey])
    let later = air.right.filter { $0.packet.side != nil && $0.packet.event > instant + 8 }
    #expect(!later.isEmpty)
    for (record, packet) in later {
      #expect(found[record].fact.event == UInt16(packet.event), "\(record)")
    }
    #expect(found.link.lostTrack.map { $0.event > instant } ?? false)
    #expect(found.link.lostTrack?.cause == air.sent.first { $0.opcode == 0 }?.record)
  }

  // MARK: Channels

  @Test(
    "without an advertisement, the hops show how channels are counted", arguments: seeds,
    [false, true])
  func channelOrder(seed: UInt64, isIndex: Bool) {
    var air = AirTraffic(seed: seed)
    air.radio.missed = 30
    (air.settings.advertisesSelection2, air.settings.requestsSelection2) = (seed % 2 == 0, true)
    // Only CONNECT_IND, which says nothing of the order: AUX_CONNECT_REQ has its type.
    air.hears = { $0.isAdvertising ? ($0.pdu[0] & 15 == 5 ? .heard : .missed) : nil }
    fill(&air)
    var form = AirForm(.pseudoHeader)
    form.hasChannelIndex = isIndex
    let found = follow(air, form)
    #expect(found.air.claims.isChannelIndex == isIndex)
    #expect(found.link.clock.algorithm == (seed % 2 == 0 ? 2 : 1))
    for (record, packet) in air.right.suffix(40) {
      #expect(found[record].fact.channel == packet.channel)
      #expect(found[record].fact.event == UInt16(packet.event))
    }
  }

  // MARK: Without the opening

  @Test("without CONNECT_IND, packets give CRC, hop and sides", arguments: forms.indices, seeds)
  func withoutOpening(form: Int, seed: UInt64) {
    var air = AirTraffic(seed: seed)
    (air.radio.missed, air.radio.damaged) = (30, 20)
    air.settings.hop = 5 + Int(seed)
    air.advertise()
    air.isDeaf = true
    air.connect()
    air.run(events: 50)
    air.isDeaf = false
    for index in 0..<40 {
      air.send(notification(index % 30, handle: index), index % 2 == 0 ? .sent : .received)
    }
    let form = forms[form].form
    let found = follow(air, form)
    let link = found.link
    #expect(link.accessAddress == air.settings.accessAddress && link.opening == 0)
    if form.hasCRC {
      #expect(link.crcInit == air.settings.crcInitial && link.isCRCInitFound)
    }
    let data = air.right.filter { $0.packet.side != nil }
    let known = data.filter { found[$0.record].direction != nil }
    // The first ones may be noise, if the capture does not call their CRC right.
    #expect(known.count >= data.count - 3)
    let wrong = known.count { found[$0.record].direction != $0.packet.side }
    #expect(wrong <= (form.statesSides ? 0 : 6), "\(wrong) of \(known.count)")
    if form.layout == .nordic3 {
      #expect(link.clock.hop == UInt8(air.settings.hop) && link.clock.algorithm == 1)
      for (record, packet) in data { #expect(found[record].fact.event == UInt16(packet.event)) }
    }
    let errors = air.heard.filter { $0.hearing == .damaged && ($0.record ?? 0) > data[8].record }
    for packet in errors { #expect(found[packet.record ?? 0].fact.crc == .wrong) }
    #expect(found.connections.map(\.isOpeningMissing) == [true])
  }

  // MARK: Resends

  /// A PDU that was heard before counts as resent. The reverse does not hold for empty PDUs: an
  /// even number of missed ones between two looks like a resend.
  @Test("resent PDUs are found, also after holes", arguments: forms.indices, seeds)
  func resends(form: Int, seed: UInt64) {
    let air = plainTraffic(seed: seed, refused: 80, lost: 40, missed: 80, damaged: 30)
    let form = forms[form].form
    let found = follow(air, form)
    let numbers = air.pduNumbers
    var heard: Set<Int> = []
    var missed = [0, 0]
    var next = [1, 1]
    for (index, packet) in air.sent.enumerated() {
      guard let side = packet.side, packet.hearing == .heard, let record = packet.record else {
        continue
      }
      let fact = found[record].fact
      let place = Int(side.rawValue)
      let isRepeat = !heard.insert(numbers[index] * 2 + place).inserted
      missed[place] += max(0, numbers[index] - next[place])
      next[place] = numbers[index] + 1
      // Where the sides are undecided, so are resends.
      guard form.statesSides else { continue }
      if isRepeat { #expect(fact.isResent, "\(record)") }
      if !packet.isEmpty { #expect(fact.isResent == isRepeat, "\(record)") }
    }
    guard form.statesSides else { return }
    for place in 0..<2 {
      #expect(found.link.sides[place].missed <= missed[place])
    }
  }
}
