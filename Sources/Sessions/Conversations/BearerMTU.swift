import Bluetooth

/// The ATT_MTU in force on a bearer (Core, Vol 3, Part F, 3.2.8 and 3.4.2).
package struct BearerMTU: Equatable, Sendable {
  /// The size of the largest PDU, in bytes.
  package var value: Int
  /// Whether the value is only a lower bound, since the exchange is missing from the capture.
  package var isLowerBound = false

  /// Returns whether both may be the same MTU, as far as is known.
  package func mayEqual(_ other: BearerMTU) -> Bool {
    if value == other.value { return true }
    return value < other.value ? isLowerBound : other.isLowerBound
  }
  /// Whether the two sides have exchanged it, or have set up the channel with it.
  package var isExchanged = false

  /// The MTU in force on LE until another one is exchanged (Core, Vol 3, Part G, 5.2.1).
  package static let byDefault: UInt16 = 23

  /// Returns the ATT_MTU in force, or without an exchange the least that the longest PDU needs.
  static func value(exchanged: UInt16?, largest: UInt16) -> UInt16 {
    exchanged ?? max(byDefault, largest)
  }
}

extension Memory {
  /// Returns the ATT_MTU in force on the unenhanced bearer of a link, or on the bearer that a
  /// channel is. If the exchange is missing, the largest PDU seen is a lower bound.
  package func mtu(on link: LinkSlot, _ channel: ChannelFact?) -> BearerMTU {
    if let channel {
      if let mtu = channel.attMTU { return BearerMTU(value: Int(mtu), isExchanged: true) }
      // At least 64 on an enhanced bearer, at least 48 on BR/EDR [mem].
      return BearerMTU(value: channel.psm == .att ? 48 : 64, isLowerBound: true)
    }
    return links[link].attMTU
  }
}

extension Connection {
  /// The ATT_MTU in force on the unenhanced bearer.
  package var attMTU: BearerMTU {
    let value = Int(BearerMTU.value(exchanged: mtu, largest: largestATT))
    if mtu != nil { return BearerMTU(value: value, isExchanged: true) }
    let isLowerBound = knownMTU == nil || largestATT > BearerMTU.byDefault
    return BearerMTU(value: value, isLowerBound: isLowerBound)
  }

  /// The ATT_MTU in force on the unenhanced bearer; nil if an exchange may be missing from the
  /// capture.
  package var knownMTU: UInt16? {
    if let mtu { return mtu }
    let isDataMissing = completedPackets > sentPackets
    guard !isOpeningMissing, !hasLostPackets, !isMTUOpen, !isDataMissing, transport == .le else {
      return nil
    }
    return BearerMTU.byDefault
  }
}

extension Links {
  /// Returns the ATT_MTU in force on the unenhanced bearer of the link in a slot.
  package func attMTU(_ slot: LinkSlot) -> BearerMTU { self[slot].attMTU }

  /// Returns the position of the name of the peer of the link in a slot.
  package func name(_ slot: LinkSlot) -> Names.Entry? { self[slot].name }
}
