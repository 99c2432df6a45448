import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The description of the captured host's own advertising.
extension DevicesPage {
  mutating func own(_ own: ListedOwn) {
    let set = own.set
    out.text("this host")
    adapter(set.adapter)
    out.text("  ")
    if let address = own.address {
      out.address(address)
      out.byte(0x20)
      out.text(AddressKind(address, own.isAddressRandom ? .random : .public).words)
      if own.isAddressRandom, set.randomAddresses > 1 {
        out.text(", the last of ")
        out.decimal(set.randomAddresses)
        out.text(" addresses")
      }
    } else if set.set.family == .management {
      out.text("as asked of the kernel (MGMT)")
    } else {
      out.text("address not in the capture")
    }
    if let type = set.parameters?.ownAddressType, type >= 2 {
      out.text(", or what the controller makes of it")
    }
    who(own.said)
    if let properties = set.parameters?.properties {
      out.text(properties & 1 == 1 ? ", connectable" : ", not connectable")
      if properties & 4 != 0 { out.text(", directed") }
      if properties & 0x20 != 0 { out.text(", anonymous") }
    }
    switch set.set.family {
    case .legacy: break
    case .extended:
      out.text(", set ")
      out.decimal(Int(set.set.handle))
    case .android, .management:
      out.text(", instance ")
      out.decimal(Int(set.set.handle))
    }
    out.byte(0x0a)
    periods(set)
    offers(own)
    apple(own.said)
    sentence.advertiser = OwnAddress(address: own.address)
    payloads(set.payloads, []) { own.mostBytes(of: $0) }
  }

  private mutating func offers(_ own: ListedOwn) {
    guard own.set.payloads.all.count(where: { !$0.stream.isScanResponse }) > 1 else { return }
    offers(own.said)
  }

  private mutating func periods(_ set: OwnAdvertiser) {
    out.text("  ")
    let on = set.periods.filter { $0.refusal == nil }
    if let first = on.first, let last = on.last {
      if first.isOpeningMissing {
        out.text("already running, its beginning is not in the capture; ")
      }
      if last.isOpeningMissing {
        out.text("off in ")
        out.packet(last.lastPacket)
      } else if last.ending == nil {
        out.text("on since ")
        out.packet(first.firstPacket)
      } else {
        out.text("on ")
        range(first.firstPacket, last.lastPacket, isOpen: false)
      }
      at(first.firstTime)
      let times = on.count + set.furtherPeriods
      if times > 1 {
        out.text(", ")
        out.decimal(times)
        out.text(" times")
      }
      if !last.isOpeningMissing {
        out.text(", ")
        let spans = on.map { span($0.firstTime, $0.lastTime) }
        out.duration(nanoseconds: spans.reduce(0) { $0.adding(clamped: $1) })
        if times > 1 { out.text(" in all") }
      }
      ending(last.ending)
    } else {
      out.text("set up, but not switched on in this capture")
    }
    if let refused = set.periods.last(where: { $0.refusal != nil }), let why = refused.refusal {
      out.text("; refused in ")
      out.packet(refused.firstPacket)
      out.text(": ")
      out.named(why.name, UInt64(why.rawValue), digits: 2)
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
      if let peer = parameters.peer {
        out.text(", calls ")
        out.address(peer)
      }
    }
    if set.isPeriodic { out.text("; with a periodic train") }
    changes("; data changed meanwhile ", set.changes, last: set.lastChange)
    out.byte(0x0a)
  }

  private mutating func ending(_ ending: OwnAdvertiser.Ending?) {
    switch ending {
    case .host?: break
    case .connection(let number)?:
      out.text(", ended by ")
      if let number {
        out.text("connection ")
        out.decimal(number)
      } else {
        out.text("a connection")
      }
    case .controller(let status)?:
      out.text(", ended with ")
      out.named(status.name, UInt64(status.rawValue), digits: 2)
    case .reset?: out.text(", ended by a reset")
    case nil: out.text(", still on at the end")
    }
  }
}
