import Bluetooth
import Bytes
import MadeTraffic
import Platforms
import Testing

@Suite("Rare callbacks") struct TraceCallbackTests {
  private static let both = Platform.allCases

  /// Returns the only line with these words.
  private func line(_ words: String, in lines: [String]) throws -> String {
    let found = lines.filter { $0.contains(words) }
    #expect(found.count == 1, "\(words): \(lines)")
    return try #require(found.first)
  }

  @Test("services of a background app have their own key") func overflow() throws {
    let lines = try events(.corebluetooth) {
      $0.perform(0x200c, [1, 0])
      $0.advertise(data: "14 ff 4c 00 01 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01")
    }
    let found = try line("didDiscover", in: lines)
    #expect(
      found.contains(
        "kCBAdvDataHashedServiceUUIDs: 80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01"), "\(found)"
    )
  }

  @Test("a scan and an advertiser that are refused", arguments: both)
  func refusals(platform: Platform) throws {
    let lines = try events(platform) {
      $0.perform(0x200c, [1, 0], returns: [0x0c])
      $0.perform(0x200a, [1], returns: [0x0c])
    }
    switch platform {
    case .android:
      _ = try line(
        "← ScanCallback.onScanFailed  errorCode SCAN_FAILED_INTERNAL_ERROR (3)", in: lines)
      _ = try line(
        "← AdvertiseCallback.onStartFailure  errorCode ADVERTISE_FAILED_INTERNAL_ERROR (4)",
        in: lines)
    case .corebluetooth:
      _ = try line("(scanning is refused)  status Command Disallowed (12)", in: lines)
      let failed = try line("← peripheralManagerDidStartAdvertising", in: lines)
      #expect(failed.contains("error CBError.unknown (0)"), "\(failed)")
    }
  }

  @Test("a connection beyond the controller's limit", arguments: both)
  func limit(platform: Platform) throws {
    let lines = try events(platform) {
      $0.begin(0x200d, [UInt8](repeating: 0, count: 25), status: 0x09)
    }
    _ = try line(
      platform == .android
        ? "status GATT_ERROR (133), newState STATE_DISCONNECTED (0)"
        : "error CBError.connectionLimitReached (11)",
      in: lines)
  }

  @Test("descriptors are read and written", arguments: both)
  func descriptors(platform: Platform) throws {
    let lines = try events(platform) {
      $0.connect()
      $0.discoverOne()
      $0.ask("04 04 00 05 00", "05 01 04 00 01 29")
      $0.ask("0a 04 00", "0b 48 69")
      $0.ask("12 04 00 48 6f", "13")
    }
    let (read, written) =
      platform == .android
      ? ("← onDescriptorRead  ", "← onDescriptorWrite  ")
      : ("← peripheral(_:didUpdateValueFor:error:)  ", "← peripheral(_:didWriteValueFor:error:)  ")
    for (name, value) in [(read, "48 69 = \"Hi\""), (written, "48 6f = \"Ho\"")] {
      let found = try line(name, in: lines)
      #expect(found.contains("2901") && found.contains(value), "\(found)")
    }
  }

  @Test("no app can write a descriptor without response", arguments: both)
  func descriptorCommand(platform: Platform) throws {
    let lines = try events(platform) {
      $0.connectToHeartRate()
      $0.att("52 11 00 01 00", .sent)
    }
    _ = try line("(a descriptor is written in a way that", in: lines)
    #expect(!lines.contains { $0.contains("onCharacteristicWrite") || $0.contains("writeValue") })
  }

  @Test("Android drops a value if the rest of it is refused", arguments: both)
  func restRefused(platform: Platform) throws {
    let value = (0..<22).map { _ in "2a" }.joined(separator: " ")
    let lines = try events(platform) {
      $0.connect()
      $0.discoverOne()
      $0.ask("0a 03 00", "0b \(value)")
      $0.ask("0c 03 00 16 00", "01 0c 03 00 07")
    }
    let read = try line(
      platform == .android ? "onCharacteristicRead" : "didUpdateValueFor", in: lines)
    #expect(read.contains("the peer refused the next read"), "\(read)")
    #expect(read.contains("2a 2a") == (platform == .corebluetooth), "\(read)")
    #expect(
      read.contains("status GATT_INVALID_OFFSET (7)") == (platform == .android), "\(read)")
    // The end of a value whose length is a multiple of what fits is no refusal.
    let whole = try events(platform) {
      $0.connect()
      $0.discoverOne()
      $0.ask("0a 03 00", "0b \(value)")
      $0.ask("0c 03 00 16 00", "01 0c 03 00 0b")
    }
    #expect(!whole.contains { $0.contains("refused") }, "\(whole)")
  }

  @Test(
    "a server's descriptors belong to the app on Android, and to the system on iOS", arguments: both
  )
  func ownDescriptors(platform: Platform) throws {
    let lines = try events(platform) {
      $0.connect(role: 1)
      $0.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 f0 ff", by: .received)
      $0.ask("08 01 00 05 00 03 28", "09 07 02 00 0a 03 00 f6 ff", by: .received)
      $0.ask("04 04 00 05 00", "05 01 04 00 01 29", by: .received)
      $0.ask("0a 04 00", "0b 48 69", by: .received)
    }
    if platform == .android {
      _ = try line("← onDescriptorReadRequest  offset 0, 2901", in: lines)
    } else {
      #expect(!lines.contains { $0.contains("didReceiveRead") }, "\(lines)")
    }
  }

  @Test("a subscription that is cancelled", arguments: both) func unsubscribed(platform: Platform)
    throws
  {
    let lines = try events(platform) {
      $0.connectToHeartRate()
      $0.ask("12 11 00 01 00", "13")
      $0.ask("12 11 00 00 00", "13")
    }
    if platform == .corebluetooth {
      _ = try line(
        "didUpdateNotificationStateFor:error:)  2a37 Heart Rate Measurement, isNotifying true",
        in: lines)
      _ = try line(
        "didUpdateNotificationStateFor:error:)  2a37 Heart Rate Measurement, isNotifying false",
        in: lines)
    } else {
      #expect(lines.count { $0.contains("onDescriptorWrite") } == 2, "\(lines)")
    }
  }

  @Test("input devices are hidden from iOS apps") func input() throws {
    let lines = try events(.corebluetooth) {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 12 18 06 00 09 00 0f 18")
      $0.ask("08 01 00 05 00 03 28", "09 07 02 00 10 03 00 4d 2a")
      $0.ask("08 04 00 05 00 03 28", "01 08 04 00 0a")
    }
    let services = try line("didDiscoverServices", in: lines)
    #expect(
      services.contains("services [180f Battery]")
        && services.contains("withheld [1812 Human Interface Device]"), "\(services)")
    #expect(try line("didDiscoverCharacteristicsFor", in: lines).contains("[system]"))
  }

  @Test("an attribute without a subscription is reported as such, once", arguments: both)
  func unasked(platform: Platform) throws {
    func lines(_ build: (inout Traffic) -> Void) throws -> [String] {
      try events(platform) {
        $0.connectToHeartRate()
        build(&$0)
        $0.received("1b 10 00 06 48")
        $0.received("1b 10 00 06 49")
      }
    }
    let words = "(no subscription on this connection"
    #expect(try lines { _ in }.count { $0.contains(words) } == 1)
    #expect(try lines { $0.ask("12 11 00 01 00", "13") }.count { $0.contains(words) } == 0)
    // Values before the response count as requested.
    #expect(try lines { $0.sent("12 11 00 01 00") }.count { $0.contains(words) } == 0)
    // A bond keeps subscriptions; a write to an unknown attribute may have been one.
    #expect(try lines { $0.encrypt() }.count { $0.contains(words) } == 0)
    #expect(try lines { $0.ask("12 77 00 01 00", "13") }.count { $0.contains(words) } == 0)
  }

  /// The number of remembered subscriptions is limited; connections that have ended make room.
  @Test("a missing subscription is also reported after many connections") func unaskedLater() throws
  {
    let lines = try events(.android) {
      for _ in 0..<4100 {
        $0.connect()
        $0.ask("12 77 00 01 00", "13")
        $0.disconnect()
      }
      $0.connectToHeartRate()
      $0.received("1b 10 00 06 48")
    }
    #expect(lines.count { $0.contains("(no subscription on this connection") } == 1)
  }

  @Test("the stack ended a link that ends after 30 s without a response", arguments: both)
  func silence(platform: Platform) throws {
    func lines(_ milliseconds: Int) throws -> [String] {
      try events(platform) {
        $0.connectToHeartRate()
        $0.sent("0a 13 00")
        $0.wait(milliseconds)
        $0.endLink()
      }
    }
    let name =
      platform == .android ? "newState STATE_DISCONNECTED" : "didDisconnectPeripheral"
    let words = "(a request was not answered for 30 s"
    let late = try line(name, in: try lines(30_001))
    let early = try line(name, in: try lines(1000))
    #expect(late.contains(words) && !early.contains(words), "\(late), \(early)")
    if platform == .android {
      #expect(late.contains("GATT_CONN_TERMINATE_LOCAL_HOST (22)"), "\(late)")
      #expect(early.contains("GATT_SUCCESS (0)"), "\(early)")
    }
  }

  @Test("an earlier bond is the state before pairing") func previousBond() throws {
    func previous(_ build: (inout Traffic) -> Void) throws -> [Bool] {
      try events(.android) {
        $0.connect()
        build(&$0)
        $0.agreeToPair()
      }.filter { $0.contains("EXTRA_BOND_STATE BOND_BONDING") }
        .map { $0.contains("EXTRA_PREVIOUS_BOND_STATE BOND_BONDED") }
    }
    #expect(try previous { _ in } == [false])
    // Encrypted without pairing, with the key of a bond.
    #expect(try previous { $0.encrypt() } == [true])
    let bonded = { (traffic: inout Traffic) in
      traffic.agreeToPair()
      traffic.encrypt()
      traffic.disconnect()
      traffic.connect()
    }
    #expect(try previous(bonded) == [false, true])
  }

  @Test("a single queued value is a reliable write; a long one in parts is not")
  func single() throws {
    func build(_ parts: [String]) -> (inout Traffic) -> Void {
      {
        $0.connectToHeartRate()
        for part in parts { $0.ask("16 \(part)", "17 \(part)") }
        $0.ask("18 01", "19")
      }
    }
    let one = try events(.android, build(["15 00 00 00 01"]))
    let several = try events(
      .android, build(["15 00 00 00 01 02 03 04 05 06", "15 00 06 00 07 08"]))
    _ = try line("← onReliableWriteCompleted", in: one)
    #expect(!several.contains { $0.contains("onReliableWriteCompleted") }, "\(several)")
    #expect(several.contains { $0.contains("onCharacteristicWrite") }, "\(several)")
  }

  @Test("a client's request for an unknown attribute is reported as such", arguments: both)
  func unknown(platform: Platform) throws {
    let lines = try events(platform) {
      $0.connect(role: 1)
      $0.ask("0a 40 00", "0b 01", by: .received)
    }
    let name = platform == .android ? "onCharacteristicReadRequest" : "didReceiveRead"
    #expect(try line(name, in: lines).contains("the capture does not show"))
  }

  @Test("vendors' messages, and their parts, have their protocol's wording")
  func messages() throws {
    let frame: [UInt8] = [0xa5, 0x06, 0x03, 0x0b, 0x14, 0xbf]
    for platform in Self.both {
      let lines = try events(platform) {
        $0.connect()
        $0.ask("10 01 00 ff ff 00 28", "11 06 01 00 09 00 f0 ff")
        $0.ask("08 01 00 09 00 03 28", "09 07 02 00 0c 03 00 f6 ff 04 00 10 05 00 f7 ff")
        $0.acl(l2cap([0x52, 3, 0] + frame), .sent)
        $0.received("1b 05 00 a5 06 83 03 00 23")
      }
      #expect(
        lines.contains { $0.contains("= wristband: packet count for 11-20?") }, "\(lines)")
      #expect(lines.contains { $0.contains("= wristband: packet count 3, answers #") }, "\(lines)")
    }
  }

  @Test("the values of requests are decoded once each is complete") func requests() throws {
    let lines = try events(.corebluetooth) {
      $0.connect(role: 1)
      $0.discoverHeartRate(by: .received)
      $0.ask("12 15 00 01", "13", by: .received)
    }
    #expect(
      try line("didReceiveWrite", in: lines).contains("value 01 = reset energy expended"))
  }
}

extension Traffic {
  /// Adds the discovery of a service and its only characteristic, which can be read and written:
  /// handle 3 is its value.
  fileprivate mutating func discoverOne() {
    ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 f0 ff")
    ask("08 01 00 05 00 03 28", "09 07 02 00 0a 03 00 f6 ff")
  }
}
