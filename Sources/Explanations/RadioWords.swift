import Bluetooth
import Bytes
import Histories
import Meanings
import Reports
import Sessions

// The radio of a connection, as a sniffer received it.

extension ConnectionHistory {
  /// The signal and the errors of both sides in a line: `central −42 dBm, peripheral −71 dBm; CRC
  /// errors: central 1 of 640, peripheral 6 of 593`; nil if a host recorded it.
  var radioWords: Wording? {
    guard let link = air?.link else { return nil }
    let sides = zip(["central", "peripheral"] as [StaticString], link.sides)
    let signals = sides.compactMap { name, side in
      side.rssi.percentile(50).map { "\(name) \(Int($0)) dBm" as Wording }
    }
    let errors =
      sides.filter { $1.crcErrors > 0 }.map { name, side -> Wording in
        "\(name) \(side.crcErrors) of \(side.packets.adding(clamped: side.crcErrors))"
      }
      + link.sides.dropFirst(2).filter { $0.crcErrors > 0 }.map {
        "\($0.crcErrors) of unknown side"
      }
    var pieces: [Wording] = []
    if !signals.isEmpty { pieces.append(Wording(signals, joinedBy: ", ")) }
    if !errors.isEmpty { pieces.append("CRC errors: \(Wording(errors, joinedBy: ", "))") }
    return pieces.isEmpty ? nil : Wording(pieces, joinedBy: "; ")
  }

  /// The share of errors on the channels 0 to 36, a sign each; nil without errors.
  var channelWords: Wording? {
    guard let link = air?.link else { return nil }
    let cells = (0..<37).map { link.errors(onChannel: $0) }
    guard cells.contains(where: { $0.errors > 0 }) else { return nil }
    return Wording(stringLiteral: cells.map { Self.sign($0.errors, of: $0.all) }.joined())
  }

  /// Returns the sign for a share of errors: `·` without a packet, `▁` without an error, `▂` up to
  /// 10 %, `▅` up to 30 %, `█` above.
  private static func sign(_ errors: Int, of all: Int) -> String {
    if all == 0 { return "·" }
    if errors == 0 { return "▁" }
    if errors * 10 <= all { return "▂" }
    return errors * 10 <= all * 3 ? "▅" : "█"
  }
}

extension AirLink {
  /// Returns the packets of both sides on a channel, and how many of them have a wrong CRC.
  fileprivate func errors(onChannel channel: Int) -> (errors: Int, all: Int) {
    let sides = (0..<2).map { cell($0, channel) }
    let errors = sides.reduce(0) { $0 + $1.errors }
    return (errors, sides.reduce(errors) { $0 + $1.packets })
  }
}

extension JSONSink {
  /// Appends the radio of a connection as an object.
  mutating func radio(_ link: AirLink) {
    begin("radio")
    let names: [StaticString] = ["central", "peripheral", "unknown"]
    begin("rssi_dbm")
    for (name, side) in zip(names, link.sides) {
      if let median = side.rssi.percentile(50) { number(name, Int(median)) }
    }
    end()
    begin("crc_errors")
    for (place, side) in link.sides.enumerated() where place < 2 || side.crcErrors > 0 {
      number(names[place], side.crcErrors)
    }
    beginList("channels")
    for channel in 0..<37 {
      let cell = link.errors(onChannel: channel)
      guard cell.errors > 0 else { continue }
      beginItem()
      number("channel", channel)
      number("errors", cell.errors)
      number("packets", cell.all)
      endItem()
    }
    endList()
    end()
    end()
  }
}
