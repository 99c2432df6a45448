// How links begin and end: attempts, advertisements, parameters, acknowledgements.

package import Bluetooth

extension Traffic {
  /// The address of the device that `connect` connects to.
  package static let peer = 0xc011_2233_4455

  /// Appends LE Create Connection and its Command Status. `wanted` holds the parameters: intervals
  /// of 30 to 50 ms and a supervision timeout of 5000 ms by default. `policy` 1 uses the filter
  /// accept list.
  package mutating func askToConnect(
    peer: Int = Traffic.peer, type: UInt8 = 1, policy: UInt8 = 0,
    wanted: String = "18 00 28 00 00 00 f4 01", status code: UInt8 = 0
  ) {
    begin(
      0x200d,
      hex("60 00 30 00") + [policy, type] + little(peer, width: 6) + [0] + hex(wanted)
        + hex("00 00 00 00"), status: code)
  }

  /// Appends LE Extended Create Connection on `phys` (bit 0 LE 1M, bit 2 LE Coded) and its Command
  /// Status.
  package mutating func askToConnect(
    phys: UInt8, peer: Int = Traffic.peer, type: UInt8 = 1
  ) {
    let each = hex("60 00 30 00 18 00 28 00 00 00 f4 01 00 00 00 00")
    let lists = (0..<phys.nonzeroBitCount).flatMap { _ in each }
    begin(0x2043, [0, 0, type] + little(peer, width: 6) + [phys] + lists)
  }

  /// Appends LE Create Connection Cancel, its Command Complete, and LE Connection Complete with a
  /// status.
  package mutating func giveUpConnecting(status code: UInt8 = 0x02) {
    perform(0x200e)
    connect(0, peer: 0, type: 0, status: code)
  }

  /// Appends an LE Advertising Report of an ADV_IND or of another event type.
  package mutating func advertise(
    peer: Int = Traffic.peer, type: UInt8 = 1, event: UInt8 = 0, data: String = "02 01 06",
    rssi: Int8 = -56
  ) {
    let data = hex(data)
    meta(
      0x02,
      [1, event, type] + little(peer, width: 6) + [UInt8(data.count)] + data
        + [UInt8(bitPattern: rssi)])
  }

  /// Appends an LE Extended Advertising Report of a connectable advertisement. `phy` is the primary
  /// PHY: 1 LE 1M, 3 LE Coded.
  package mutating func advertise(phy: UInt8, peer: Int = Traffic.peer, type: UInt8 = 1) {
    meta(
      0x0d,
      [1] + little(0x0001) + [type] + little(peer, width: 6)
        + [phy, phy, 0, 127, 0xc8] + little(0) + [0] + little(0, width: 6) + [3, 2, 1, 6])
  }

  /// Appends a Number Of Completed Packets for one link.
  package mutating func completed(_ packets: Int, handle: Int = 0x40) {
    event(0x13, [1] + little(handle) + little(packets))
  }

  /// Appends an L2CAP Connection Parameter Update Request. `wanted` holds the parameters: intervals
  /// of 100 to 125 ms, latency 0 and a timeout of 4000 ms by default.
  package mutating func askForParameters(
    _ direction: Direction, wanted: String = "50 00 64 00 00 00 90 01", identifier: String = "01"
  ) {
    signal("12 \(identifier) 08 00 \(wanted)", direction)
  }

  /// Appends an L2CAP Connection Parameter Update Response.
  package mutating func answerParameters(
    _ direction: Direction, accepts: Bool, identifier: String = "01"
  ) {
    signal("13 \(identifier) 02 00 \(accepts ? "00" : "01") 00", direction)
  }

  /// Appends LE Connection Update and its Command Status.
  package mutating func changeParameters(
    wanted: String = "50 00 64 00 00 00 90 01", handle: Int = 0x40, status code: UInt8 = 0
  ) {
    begin(0x2013, little(handle) + hex(wanted) + hex("00 00 00 00"), status: code)
  }

  /// Appends an LE Connection Update Complete: 125 ms, latency 0, timeout 4000 ms.
  package mutating func parametersChanged(
    _ parameters: String = "64 00 00 00 90 01", handle: Int = 0x40, status: UInt8 = 0
  ) {
    meta(0x03, [status] + little(handle) + hex(parameters))
  }
}
