import Bluetooth
import Bytes
import Dissectors
import Meanings
import Sessions

/// The description of the captured host's own advertising.
extension DevicesPage {
  mutating func own(_ own: ListedOwn) {
    let set = own.set
    out.text("this host")
    adapter(set.adapter)
    out.text("  ")
    if let address = own.address {
      out.write("\(address) \(AddressKind(address, own.isAddressRandom ? .random : .public))")
      if own.isAddressRandom, set.randomAddresses > 1 {
        out.write(", the last of \(set.randomAddresses) addresses")
      }
    } else if set.set.family == .management {
      out.text("as asked of the kernel (MGMT)")
    } else {
      out.text("address not in the capture")
    }
    if let type = set.parameters?.ownAddressType, type >= 2 {
      out.text(", or what the controller makes of it")
    }
    who(own.facts)
    if let properties = set.parameters?.properties {
      out.text(properties & 1 == 1 ? ", connectable" : ", not connectable")
      if properties & 4 != 0 { out.text(", directed") }
      if properties & 0x20 != 0 { out.text(", anonymous") }
    }
    switch set.set.family {
    case .legacy: break
    case .extended: out.write(", set \(set.set.handle)")
    case .android, .management: out.write(", instance \(set.set.handle)")
    }
    out.byte(0x0a)
    periods(set)
    offers(own)
    apple(own.facts)
    sentence.advertiser = own.sender
    payloads(set.payloads, []) { own.mostBytes(of: $0) }
  }

  private mutating func offers(_ own: ListedOwn) {
    guard own.set.payloads.all.count(where: { !$0.stream.isScanResponse }) > 1 else { return }
    offers(own.facts)
  }

  private mutating func periods(_ set: OwnAdvertiser) {
    out.text("  ")
    let on = set.periods.filter { $0.refusal == nil }
    if let first = on.first, let last = on.last {
      if first.isOpeningMissing {
        out.text("already running, its beginning is not in the capture; ")
      }
      if last.isOpeningMissing {
        out.write("off in \(packet: last.lastPacket)")
      } else if last.ending == nil {
        out.write("on since \(packet: first.firstPacket)")
      } else {
        out.text("on ")
        range(first.firstPacket, last.lastPacket, isOpen: false)
      }
      at(first.firstTime)
      let times = on.count + set.furtherPeriods
      if times > 1 { out.write(", \(times) times") }
      if !last.isOpeningMissing {
        let spans = on.map { span($0.firstTime, $0.lastTime) }
        out.write(", \(duration: spans.reduce(0) { $0.adding(clamped: $1) })")
        if times > 1 { out.text(" in all") }
      }
      ending(last.ending)
    } else {
      out.text("set up, but not switched on in this capture")
    }
    if let refused = set.periods.last(where: { $0.refusal != nil }), let why = refused.refusal {
      out.write("; refused in \(packet: refused.firstPacket): \(why)")
    }
    if let parameters = set.parameters {
      if let interval = parameters.interval {
        out.text("; interval ")
        if interval.count > 1 {
          out.fixed(
            Int(interval.lowerBound) * Scale.slots.multiplier, decimals: Scale.slots.decimals)
          out.text(glyphs.to)
        }
        out.quantity(Int(interval.upperBound), .slots)
      }
      if parameters.primaryPHY != 1 || parameters.secondaryPHY > 1 {
        out.text(", on ")
        phys(1 << (parameters.primaryPHY & 7))
        if parameters.secondaryPHY > 0 {
          out.text(", then ")
          phys(1 << (parameters.secondaryPHY & 7))
        }
      }
      if let peer = parameters.peer { out.write(", calls \(peer)") }
    }
    if set.isPeriodic { out.text("; with a periodic train") }
    changes("; data changed meanwhile ", set.changes, last: set.lastChange)
    out.byte(0x0a)
  }

  private mutating func ending(_ ending: OwnAdvertiser.Ending?) {
    switch ending {
    case .host?: break
    case .connection(let number)?:
      out.write(number.map { ", ended by connection \($0)" } ?? ", ended by a connection")
    case .controller(let status)?: out.write(", ended with \(status)")
    case .reset?: out.text(", ended by a reset")
    case nil: out.text(", still on at the end")
    }
  }
}
