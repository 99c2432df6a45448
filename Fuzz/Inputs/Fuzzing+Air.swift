import Bluetooth
import Captures
import MadeTraffic
import Reports
import Sessions

extension Fuzzing {
  /// What an input of `air` begins with, so that its kind shows.
  package static let airMark: [UInt8] = [0x61, 0x69, 0x72, 0]

  /// Reads the bytes as what two devices send on the air, and renders what a sniffer recorded.
  ///
  /// After the mark, four bytes choose the records' form and what the sniffer hears. Then two bytes
  /// precede each step: its kind, and the number of its bytes. CRCs, sequence numbers and
  /// encryption are right, so that mutations reach what is inside; some steps then change the
  /// records themselves.
  package static func air(_ bytes: [UInt8], _ faces: Faces) -> String? {
    let records = records(of: bytes)
    var supplies = Supplies()
    var bond = Bond(.zero, .random, file: "fuzz")
    bond.longTermKeys = [Bond.LongTermKey(key.reversed())]
    supplies.bonds = [bond]
    for face in Face.chosen(faces) {
      let broken: String?
      switch face {
      case .diff, .diffJSON:
        var left = MemorySource(records)
        var right = MemorySource(records)
        broken = compare(&left, &right, face, areSame: true, supplies)
      case .redact:
        // As the program does, and with what it does not pass on.
        broken =
          redact {
            AirSource(
              MemorySource(records), .pseudoHeader(decrypts: true), bonds: supplies.bonds)
          } ?? redact { MemorySource(records) }
      case .convert: broken = convert(records, supplies.bonds)
      default:
        var source = MemorySource(records)
        broken = render(&source, records: records.count, face, supplies)
      }
      if let broken { return "\(face): \(broken)" }
    }
    return nil
  }

  /// Writes the records as they are, as link type 256 and as HCI.
  private static func convert(_ records: [StoredRecord], _ bonds: [Bond]) -> String? {
    var plain = MemorySource(records)
    if let broken = convert(&plain) { return broken }
    for form in [
      AirSource.Form.pseudoHeader(decrypts: false), .pseudoHeader(decrypts: true),
      .host(hasComments: true),
    ] {
      var source = AirSource(MemorySource(records), form, bonds: bonds)
      if let broken = convert(&source) { return "\(form): \(broken)" }
    }
    return nil
  }

  /// The key of encrypted connections, most significant byte first.
  private static let key = [UInt8](repeating: 0x5a, count: 16)
  private static let mostSteps = 100

  private static func records(of bytes: [UInt8]) -> [StoredRecord] {
    var rest = bytes.starts(with: airMark) ? bytes.dropFirst(airMark.count) : bytes[...]
    var choices: [UInt8] = []
    for _ in 0..<4 { choices.append(rest.popFirst() ?? 0) }
    var air = AirTraffic(seed: UInt64(choices[0]))
    air.radio.missed = Int(choices[1] & 0xf) * 8
    air.radio.damaged = Int(choices[1] >> 4) * 4
    air.radio.refused = Int(choices[2] & 3) * 20
    air.settings.advertisesSelection2 = choices[2] & 4 != 0
    air.settings.requestsSelection2 = choices[2] & 8 != 0
    air.snifferDecrypts = choices[2] & 16 == 0
    air.advertise()
    air.connect(heard: choices[2] & 32 == 0)
    var changes: [[UInt8]] = []
    for _ in 0..<mostSteps {
      guard let kind = rest.popFirst(), let count = rest.popFirst() else { break }
      let step = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(Int(count))
      if kind & 15 > 13 { changes.append([kind] + step) } else { air.add(step, kind) }
    }
    air.flush()
    var records = air.records(form(choices[3]))
    for change in changes { self.change(&records, change) }
    return records
  }

  private static func form(_ choice: UInt8) -> AirForm {
    let layouts = AirForm.Layout.allCases
    var form = AirForm(layouts[Int(choice & 15) % layouts.count])
    form.hasChannelIndex = choice & 16 != 0
    form.hasKind = choice & 32 == 0
    form.hasCRC = choice & 64 == 0
    form.isDecrypted = choice & 128 != 0
    return form
  }

  /// Changes bytes of a record (place of the record, then places and values), or replaces one. The
  /// first bytes of PPI stay: packets of other networks are never read.
  private static func change(_ records: inout [StoredRecord], _ change: [UInt8]) {
    guard change.count > 1, !records.isEmpty else { return }
    let index = Int(change[1]) * records.count / 256
    let kept = records[index].framing == .air(.ppi) ? 8 : 0
    if change[0] & 15 == 14 {
      records[index].bytes = Array(records[index].bytes.prefix(kept)) + change.dropFirst(2)
    } else {
      for place in stride(from: 2, to: change.count - 1, by: 2)
      where kept..<records[index].bytes.count ~= Int(change[place]) {
        records[index].bytes[Int(change[place])] = change[place + 1]
      }
    }
    let isCut = change[0] & 16 != 0
    records[index].originalLength = records[index].bytes.count + (isCut ? 9 : 0)
  }
}

extension AirTraffic {
  /// Adds what a step says; bit 4 of its kind chooses the side.
  fileprivate mutating func add(_ step: [UInt8], _ kind: UInt8) {
    let side: Direction = kind & 16 == 0 ? .sent : .received
    let first = Int(step.first ?? 0)
    switch kind & 15 {
    case 0...3: queue(l2cap(step), side)
    case 4: send(l2cap(step, cid: 6), side)
    case 5: queue(step, side)
    case 6: send(step, side)
    case 7...8:
      if let opcode = step.first { queueControl(opcode, Array(step.dropFirst()), by: side) }
    case 9: if kind & 16 == 0 { run(events: first) } else { pause(events: first) }
    case 10:
      flush()
      encrypt([UInt8](repeating: 0x5a, count: 16), ediv: first, has: kind & 16 == 0)
    case 11:
      // Two more bytes than the header says would not fit a record.
      let channel: UInt8 = kind & 16 == 0 ? 37 : 9
      advertising(UInt8(first), Array(step.dropFirst().prefix(250)), channel)
    case 12: update(first)
    default:
      flush()
      disconnect(reason: UInt8(first))
      if !connection.isOpen { connect() }
    }
  }

  /// Changes the interval, the channels or the PHYs.
  private mutating func update(_ choice: Int) {
    flush()
    guard connection.isOpen else { return }
    switch choice % 3 {
    case 0: updateConnection(interval: 24 + choice % 64, windowOffset: choice % 7, after: 40)
    case 1: changeMap(0x1f_ffff_ffff ^ UInt64(choice & 0x7f) << 9, after: 40)
    default:
      changePHY(central: UInt8(1 + choice % 2), peripheral: UInt8(1 + choice / 2 % 2), after: 60)
    }
  }
}
