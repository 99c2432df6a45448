import Bluetooth
import Bytes
package import Meanings
package import Sessions

// What a sniffer recorded in all, in words.

extension AirLinks.CaptureClaims {
  /// Of the errors, those on other channels than those of advertising.
  var dataErrors: Int { max(0, crcErrors - advertisingErrors) }

  /// The sniffer and the counts of its records: `nRF Sniffer (protocol 3), 2044 records: 811
  /// advertising (106 with CRC errors), 1233 data (7 with CRC errors, 1153 empty, 12 resent)`.
  package var words: Wording {
    let counted: [Wording] = [
      Self.words(
        advertising, "advertising", [(advertisingErrors, "with CRC errors")]),
      Self.words(
        data, "data",
        [(dataErrors, "with CRC errors"), (empty, "empty"), (resent, "resent")]),
    ].filter { !$0.isEmpty }
    let kinds: Wording = counted.isEmpty ? "" : ": \(Wording(counted, joinedBy: ", "))"
    return "\(sniffer)\(count: records, "record", "records")\(kinds)"
  }

  /// The sniffer, as far as its format names it, with a comma.
  private var sniffer: Wording {
    switch format {
    case .nordic: "nRF Sniffer (protocol \(version)), "
    case .ppi: "Ubertooth (PPI), "
    case .pseudoHeader, .linkLayer, nil: ""
    }
  }

  private static func words(
    _ count: Int, _ noun: StaticString, _ parts: [(count: Int, words: StaticString)]
  ) -> Wording {
    guard count > 0 else { return "" }
    let parts = parts.filter { $0.count > 0 }.map { "\($0.count) \($0.words)" as Wording }
    return
      "\(count) \(noun)\(parts.isEmpty ? "" : " (\(Wording(parts, joinedBy: ", ")))" as Wording)"
  }
}

extension AirLinks {
  /// What the sniffer claims that is known to be wrong, and what it left out, a clause each.
  package var claimRemarks: [Wording] {
    var remarks: [Wording] = []
    if claims.isChannelIndex == true {
      remarks.append("its channel numbers are indices, not positions in the order of frequencies")
    }
    if claims.lacksCRCs {
      remarks.append(
        "CRCs were not recorded: errors are only known as far as the sniffer marks them")
    } else if claims.wrongCRCClaims > 0 {
      let packets: Wording = "\(count: claims.wrongCRCClaims, "packet", "packets")"
      remarks.append(
        "its verdict on the CRC is wrong for \(packets), first in \(packet: claims.firstWrongCRCClaim)"
      )
    }
    let wrong = all.filter { $0.wrongDirections > 0 }
    if let first = wrong.map(\.firstWrongDirection).min() {
      let count = wrong.reduce(0) { $0.adding(clamped: $1.wrongDirections) }
      let packets: Wording = "\(count: count, "packet", "packets")"
      remarks.append(
        "the direction that it states is wrong for \(packets), first in \(packet: first)")
    }
    if claims.clockGoesBack > 0 {
      remarks.append("its clock goes back \(count: claims.clockGoesBack, "time", "times")")
    }
    if claims.sniffersLosses > 0 {
      let count = claims.sniffersLosses
      let packets: Wording = "\(count: count, "packet", "packets")"
      remarks.append(
        "\(packets) that it counted \(count == 1 ? "is" : "are" as StaticString) not in the capture: lost, or filtered out"
      )
    }
    return remarks
  }

  /// The streams, a phrase for each: `CIS 0x35c2771e of connection 1, 938 packets`, `2 BIS …`.
  package var streams: [Wording] {
    all.compactMap { link in
      guard link.stream.streamKey != nil else { return nil }
      var owner: Wording = ""
      if link.owner > 0 {
        owner = " of connection \(link.owner)"
      } else if let advertiser = link.train?.address {
        owner = " of \(advertiser)"
      }
      let errors: Wording =
        link.crcErrors > 0 ? ", \(count: link.crcErrors, "CRC error", "CRC errors")" : ""
      let packets: Wording = "\(count: link.packets, "packet", "packets")"
      return
        "\(link.streamNoun) \(link.accessAddressWords)\(owner), \(packets) from \(packet: link.firstPacket) on\(errors)"
    }
  }
}

extension AirLink {
  /// What a stream is.
  var streamNoun: StaticString {
    switch stream {
    case .connectedIsochronous: "CIS"
    case .broadcastIsochronous: "BIS"
    case .periodicAdvertising:
      answersTrain ? "responses to the periodic train" : "periodic train"
    case .connection, .unknown: "access address"
    }
  }
}
