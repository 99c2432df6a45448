// A GATT server and its client.

package import Bluetooth

extension Traffic {
  /// Appends a request of the captured host and the peer's answer, or the reverse if the peer is
  /// the client.
  package mutating func ask(
    _ request: String, _ answer: String, by client: Direction = .sent, handle: Int = 0x40
  ) {
    att(request, client, handle: handle)
    att(answer, client.reversed, handle: handle)
  }

  /// Discovers the service 180d Heart Rate, 0x000e to 0x0015: 2a37 at 0x0010 (notify), its CCCD at
  /// 0x0011, 2a38 at 0x0013 (read), 2a39 at 0x0015 (write). Six packets.
  package mutating func discoverHeartRate(by client: Direction = .sent) {
    ask("10 01 00 ff ff 00 28", "11 06 0e 00 15 00 0d 18", by: client)
    ask(
      "08 0e 00 15 00 03 28",
      "09 07 0f 00 10 10 00 37 2a 12 00 02 13 00 38 2a 14 00 08 15 00 39 2a", by: client)
    ask("04 11 00 11 00", "05 01 11 00 02 29", by: client)
  }

  /// Appends a connection, and `discoverHeartRate`. Seven records.
  package mutating func connectToHeartRate() {
    connect()
    discoverHeartRate()
  }

  /// Subscribes to 2a37 of `discoverHeartRate`, gets three values, one each second, and
  /// disconnects. Eight records.
  package mutating func getHeartRates() {
    ask("12 11 00 01 00", "13")
    for _ in 0..<3 {
      wait(1000)
      received("1b 10 00 06 48")
    }
    askToDisconnect()
    disconnect()
  }

  /// Discovers the service 1809 Health Thermometer, 0x0016 to 0x0019: 2a1c at 0x0018 (indicate),
  /// its CCCD at 0x0019. Six packets.
  package mutating func discoverThermometer(by client: Direction = .sent) {
    ask("10 16 00 ff ff 00 28", "11 06 16 00 19 00 09 18", by: client)
    ask("08 16 00 19 00 03 28", "09 07 17 00 20 18 00 1c 2a", by: client)
    ask("04 19 00 19 00", "05 01 19 00 02 29", by: client)
  }

  /// Appends both sides' pairing features. If `canEnter` is false they have neither display nor
  /// keyboard and use Just Works. Two packets.
  package mutating func agreeToPair(canEnter: Bool = false) {
    // IO capability, no OOB data, bonding and MITM, 16 bytes, no keys (Core, Vol 3, Part H, 3.5.1).
    smp(canEnter ? "01 02 00 05 10 00 00" : "01 03 00 01 10 00 00", .sent)
    smp(canEnter ? "02 00 00 05 10 00 00" : "02 03 00 01 10 00 00", .received)
  }

  /// Advances the time by milliseconds.
  package mutating func wait(_ milliseconds: Int) { clock += milliseconds }
}
