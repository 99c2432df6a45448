import Bluetooth
import Captures
import MadeTraffic
import Platforms
import Reports
import Testing

/// Returns the lines of a trace without packet, time and columns' blanks: `1 ← onMtuChanged  mtu
/// 100`.
func trace(
  _ platform: Platform, _ options: (inout TraceOptions) -> Void = { _ in },
  _ build: (inout Traffic) -> Void
) throws -> [String] {
  try written(platform, options, build).dropFirst().map { line in
    let words = line.split(separator: " ", maxSplits: 1)
    return words.count == 2 ? String(words[1].drop { $0 == " " }) : line
  }
}

/// Returns what `trace` prints.
func written(
  _ platform: Platform, _ options: (inout TraceOptions) -> Void = { _ in },
  _ build: (inout Traffic) -> Void
) throws -> [String] {
  var traffic = Traffic()
  build(&traffic)
  var source = MemorySource(traffic)
  var chosen = TraceOptions()
  chosen.platform = platform
  chosen.time = .none
  options(&chosen)
  var report = TraceReport(chosen, source.summary)
  return Rendering.run(&source, &report).split(separator: "\n").map(String.init)
}

/// Returns such lines without those about the Link Layer's states and an app's requests.
func events(
  _ platform: Platform, _ build: (inout Traffic) -> Void
) throws -> [String] {
  let requests = [
    "readValue", "setNotifyValue", "discover", "Gatt.read", "Gatt.write", "readRSSI", "requestMtu",
    "cancelPeripheralConnection", "BluetoothGatt.disconnect", "cancelConnection",
    "type .withResponse", "writeValue(_:for:)",
  ]
  return try trace(platform, { _ in }, build).filter { line in
    !line.contains("link layer")
      && !(line.contains("→ ") && requests.contains { line.contains($0) })
  }
}

@Suite("Connections, by platform") struct TraceLinkTests {
  /// The controller creates a link; it is established once the peer was heard.
  @Test("connected means that the peer was heard; Android reports it before") func established()
    throws
  {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.wait(100)
      traffic.received("1b 10 00 01")
      traffic.disconnect(reason: 0x13)
    }
    #expect(
      try events(.corebluetooth, build) == [
        "1 ← centralManager(_:didConnect:)  C0:11:22:33:44:55",
        "1 ← peripheral(_:didUpdateValueFor:error:)  0x0010, value 01, from notification",
        "1 ← centralManager(_:didDisconnectPeripheral:error:)  error CBError.peripheralDisconnected (7)",
      ])
    #expect(
      try events(.android, build) == [
        "1 ← onConnectionStateChange  C0:11:22:33:44:55, status GATT_SUCCESS (0), newState STATE_CONNECTED (2)",
        "1 ← onCharacteristicChanged  0x0010, value 01, from notification",
        "1 ← onConnectionStateChange  status GATT_CONN_TERMINATE_PEER_USER (19), newState STATE_DISCONNECTED (0)",
      ])
  }

  /// 0x3e: created, but never heard.
  @Test("a link that is never established fails to connect; Android had reported it as connected")
  func neverEstablished() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.disconnect(reason: 0x3e)
    }
    #expect(
      try events(.corebluetooth, build) == [
        "1 ← centralManager(_:didFailToConnect:error:)  C0:11:22:33:44:55, error CBError.connectionFailed (10)"
      ])
    let android = try events(.android, build)
    #expect(android.count == 2, "\(android)")
    #expect(android.last?.contains("status GATT_CONN_FAIL_ESTABLISH (62)") == true, "\(android)")
  }

  /// CoreBluetooth and Android give the app different error codes depending on which side ended the
  /// link.
  @Test(
    "every end of a link has its error",
    arguments: [
      (UInt8(0x08), "CBError.connectionTimeout (6)", "GATT_CONN_TIMEOUT (8)"),
      (0x13, "CBError.peripheralDisconnected (7)", "GATT_CONN_TERMINATE_PEER_USER (19)"),
      (0x22, "CBError.encryptionTimedOut (15)", "GATT_CONN_LMP_TIMEOUT (34)"),
      (0x3d, "CBError.connectionFailed (10)", "Connection Terminated due to MIC Failure (61)"),
      (0x06, "CBError.peerRemovedPairingInformation (14)", "PIN or Key Missing (6)"),
    ]) func ends(reason: UInt8, apple: String, android: String) throws
  {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.received("1b 10 00 01")
      traffic.disconnect(reason: reason)
    }
    #expect(try events(.corebluetooth, build).last?.hasSuffix("error \(apple)") == true)
    #expect(try events(.android, build).last?.contains("status \(android),") == true)
  }

  @Test("the app's own disconnection is not an error") func own() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.received("1b 10 00 01")
      traffic.endLink()
    }
    #expect(try events(.corebluetooth, build).last?.hasSuffix("error nil") == true)
    #expect(try events(.android, build).last?.contains("status GATT_SUCCESS (0)") == true)
  }

  /// Android's well-known 133 means 30 s of silence, and only that.
  @Test("silence until the stack gives up is 133; an app that gives up is told nothing")
  func givenUp() throws {
    func build(_ wait: Int) -> (inout Traffic) -> Void {
      { traffic in
        traffic.askToConnect()
        traffic.wait(wait)
        traffic.giveUpConnecting()
      }
    }
    let long = try events(.android, build(30_000))
    #expect(long.last?.contains("status GATT_ERROR (133)") == true, "\(long)")
    let short = try events(.android, build(2000))
    #expect(short.last?.contains("onConnectionStateChange") == false, "\(short)")
    #expect(
      try events(.corebluetooth, build(30_000)).contains { $0.contains("didFailToConnect") }
        == false)
  }

  @Test("the Link Layer's states follow each other, several at a time") func states() throws {
    let states = try trace(.corebluetooth) {
      $0.perform(0x200c, [1, 0])
      $0.askToConnect()
      $0.connect()
      $0.perform(0x200c, [0, 0])
      $0.disconnect()
    }.filter { $0.hasPrefix("link layer") }
    #expect(
      states == [
        "link layer  states [scanning]", "link layer  states [scanning, initiating]",
        "link layer  states [scanning, connected]", "link layer  states [connected]",
        "link layer  states [standby]",
      ])
  }

  @Test("power: on at the first use after a reset, resetting after a hardware error") func power()
    throws
  {
    let lines = try events(.corebluetooth) {
      $0.perform(0x0c03)
      $0.perform(0x200c, [1, 0])
      $0.event(0x10, [0x2a])
    }.filter { $0.contains("centralManagerDidUpdateState") }
    #expect(
      lines == [
        "← centralManagerDidUpdateState(_:)  state .poweredOn",
        "← centralManagerDidUpdateState(_:)  state .resetting",
      ])
  }
}

@Suite("Attributes, by platform") struct TraceAttributeTests {
  @Test("Android is told about all searches once, when another request shows that they are over")
  func discovery() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connectToHeartRate()
      traffic.ask("0a 13 00", "0b 01")
    }
    let android = try events(.android, build)
    #expect(
      android.suffix(2) == [
        "1 ← onServicesDiscovered  services [180d Heart Rate], status GATT_SUCCESS (0)",
        "1 ← onCharacteristicRead  2a38 Body Sensor Location, value 01 = chest, status GATT_SUCCESS (0)",
      ])
    let apple = try events(.corebluetooth, build)
    #expect(
      apple.contains(
        "1 ← peripheral(_:didDiscoverCharacteristicsFor:error:)  180d Heart Rate, characteristics "
          + "[2a37 Heart Rate Measurement [notify], 2a38 Body Sensor Location [read], "
          + "2a39 Heart Rate Control Point [write]]"), "\(apple)")
  }

  @Test("a subscription belongs to its characteristic, and fails if it is refused")
  func subscription() throws {
    let lines = try events(.corebluetooth) {
      $0.connectToHeartRate()
      $0.ask("12 11 00 01 00", "13")
      $0.ask("12 11 00 00 00", "01 12 11 00 05")
    }.filter { $0.contains("Notification") }
    #expect(
      lines == [
        "1 ← peripheral(_:didUpdateNotificationStateFor:error:)  2a37 Heart Rate Measurement, isNotifying true",
        "1 ← peripheral(_:didUpdateNotificationStateFor:error:)  2a37 Heart Rate Measurement, "
          + "error CBATTError.insufficientAuthentication (5)  (iOS pairs and repeats the request by itself; "
          + "apps get this only if that fails)",
      ])
  }

  @Test(
    "a request without a response has no callback, which is reported; Android has an error for it")
  func silence() throws {
    func trace(_ platform: Platform, ends: Bool) throws -> [String] {
      try events(platform) {
        $0.connectToHeartRate()
        $0.sent("0a 13 00")
        if ends {
          $0.wait(31_000)
          $0.disconnect()
        }
      }
    }
    for (platform, ends) in [
      (Platform.corebluetooth, true), (.corebluetooth, false), (.android, false),
    ] {
      let lines = try trace(platform, ends: ends)
      let silent = lines.filter { $0.contains("(no callback: the request was never answered)") }
      #expect(silent.count == 1 && silent[0].contains("2a38"), "\(lines)")
      let received = lines.filter {
        $0.contains("CharacteristicRead") || $0.contains("from read")
      }
      #expect(received.isEmpty, "\(received)")
    }
    let android = try trace(.android, ends: true)
    let read = try #require(
      android.firstIndex { $0.contains("onCharacteristicRead") }, "\(android)")
    #expect(android[read].contains("GATT_ERROR (133)"))
    #expect(android[read + 1].contains("onConnectionStateChange"))
  }

  @Test("a server that does not respond is named as the app's omission") func serverSilence() throws
  {
    let lines = try events(.corebluetooth) {
      $0.connect(role: 1)
      $0.discoverHeartRate(by: .received)
      $0.received("0a 13 00")
      $0.wait(31_000)
      $0.disconnect()
    }
    #expect(lines.contains { $0.contains("didReceiveRead") && $0.contains("2a38") }, "\(lines)")
    #expect(
      lines.contains {
        $0.contains("respond(to:withResult:) was not called before the central disconnected")
      }, "\(lines)")
  }

  @Test("one Execute Write is one call with its parts; on Android every part is reported")
  func queue()
    throws
  {
    let build = { (traffic: inout Traffic) in
      traffic.connect(role: 1)
      traffic.discoverHeartRate(by: .received)
      traffic.ask("16 15 00 00 00 01", "17 15 00 00 00 01", by: .received)
      traffic.ask("16 15 00 01 00 02", "17 15 00 01 00 02", by: .received)
      traffic.ask("18 01", "19", by: .received)
    }
    let apple = try events(.corebluetooth, build).filter {
      $0.contains("Write") || $0.contains("respond")
    }
    #expect(
      apple == [
        "1 ← peripheralManager(_:didReceiveWrite:)  requests [{2a39 Heart Rate Control Point, offset 0, "
          + "value 01}, {2a39 Heart Rate Control Point, offset 1, value 02}]",
        "1 → respond(to:withResult:)  result CBATTError.success (0)",
      ])
    let android = try events(.android, build).filter { $0.contains("Write") }
    #expect(android.count == 3 && android[2].contains("onExecuteWrite  execute true"), "\(android)")
  }

  @Test("a central's subscriptions are reported once, and end with the link") func subscribers()
    throws
  {
    let lines = try events(.corebluetooth) {
      $0.connect(role: 1)
      $0.discoverHeartRate(by: .received)
      $0.ask("12 11 00 01 00", "13", by: .received)
      $0.ask("12 11 00 01 00", "13", by: .received)
      $0.sent("1b 10 00 00 48")
      $0.disconnect()
    }.filter {
      $0.contains("ubscribeTo") || $0.contains("ubscribeFrom") || $0.contains("updateValue")
    }
    #expect(
      lines == [
        "1 ← peripheralManager(_:central:didSubscribeTo:)  2a37 Heart Rate Measurement",
        "1 → updateValue(_:for:onSubscribedCentrals:)  2a37 Heart Rate Measurement, value 00 48 = 72 bpm, "
          + "as notification",
        "1 ← peripheralManager(_:central:didUnsubscribeFrom:)  2a37 Heart Rate Measurement",
      ])
  }

  /// The controller has room for two packets; three are sent, then some leave.
  @Test("room for Write Commands is only reported after there was none") func room() throws {
    func build(_ writes: Int) -> (inout Traffic) -> Void {
      { traffic in
        traffic.complete(0x2002, [0, 27, 0, 2])
        traffic.connect()
        for _ in 0..<writes { traffic.sent("52 10 00 01") }
        traffic.completed(writes)
      }
    }
    let name = "peripheralIsReady(toSendWriteWithoutResponse:)"
    #expect(try events(.corebluetooth, build(2)).count { $0.contains(name) } == 1)
    #expect(try events(.corebluetooth, build(1)).count { $0.contains(name) } == 0)
  }

  @Test("pairing is a broadcast on Android, and nothing on CoreBluetooth") func bonds() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.agreeToPair()
      traffic.encrypt()
      traffic.agreeToPair()
      traffic.pairingFailed(4)
    }
    let states = try events(.android, build).filter { $0.contains("BOND_STATE") }
    let bond = "BluetoothDevice.ACTION_BOND_STATE_CHANGED  "
    #expect(
      states == [
        "1 ← \(bond)EXTRA_BOND_STATE BOND_BONDING (11), EXTRA_PREVIOUS_BOND_STATE BOND_NONE (10)",
        "1 ← \(bond)EXTRA_BOND_STATE BOND_BONDED (12), EXTRA_PREVIOUS_BOND_STATE BOND_BONDING (11)",
        "1 ← \(bond)EXTRA_BOND_STATE BOND_BONDING (11), EXTRA_PREVIOUS_BOND_STATE BOND_BONDED (12)",
        "1 ← \(bond)EXTRA_BOND_STATE BOND_NONE (10), EXTRA_PREVIOUS_BOND_STATE BOND_BONDING (11)",
      ])
    #expect(
      try events(.corebluetooth, build).allSatisfy {
        !$0.contains("←") || $0.contains("didConnect")
      })
  }
}

@Suite("Pairings that end early, and codes of servers") struct TraceUnsettledTests {
  /// A pairing whose last keys do not come before the link ends.
  private func pairing(_ keys: [String], isEncrypted: Bool = true) -> (inout Traffic) -> Void {
    { traffic in
      traffic.connect()
      // Legacy pairing with bonding; the peer distributes a Long Term Key and an identity.
      traffic.smp("01 03 00 01 10 00 03", .sent)
      traffic.smp("02 03 00 01 10 00 03", .received)
      if isEncrypted { traffic.encrypt() }
      for key in keys { traffic.smp(key, .received) }
      traffic.disconnect()
    }
  }

  private static let value = String(repeating: " 11", count: 16)
  private static let longTermKey = ["06" + value, "07 01 02 03 04 05 06 07 08 09 0a"]

  @Test("no bond state is claimed if a key came that may be used later") func unsettled() throws {
    for platform in Platform.allCases {
      let lines = try events(platform, pairing(Self.longTermKey))
      #expect(
        lines.contains { $0.contains("the connection ends after pairing has encrypted it") },
        "\(lines)")
      #expect(!lines.contains { $0.contains("BOND_NONE (10), EXTRA_PREV") }, "\(lines)")
      #expect(!lines.contains { $0.contains("pairing ends with the connection") }, "\(lines)")
    }
  }

  @Test(
    "without a usable key, or before the link is encrypted, there is none",
    arguments: [([longTermKey[0]], true), ([], true), (longTermKey, false)])
  func none(keys: [String], isEncrypted: Bool) throws {
    let lines = try events(.android, pairing(keys, isEncrypted: isEncrypted))
    #expect(lines.contains { $0.contains("BOND_NONE (10), EXTRA_PREV") }, "\(lines)")
  }

  @Test("a later connection that uses the key is bonded") func later() throws {
    let build = pairing(Self.longTermKey)
    let lines = try events(.android) { traffic in
      build(&traffic)
      traffic.connect()
      traffic.encrypt()
      traffic.agreeToPair()
    }
    #expect(
      lines.contains { $0.contains("EXTRA_PREVIOUS_BOND_STATE BOND_BONDED (12)") }, "\(lines)")
    #expect(!lines.contains { $0.contains("BOND_NONE (10), EXTRA_PREV") }, "\(lines)")
  }

  @Test(
    "Android passes on a server's own codes under the names of its own errors",
    arguments: [
      ("80", "GATT_NO_RESOURCES (128)"), ("85", "GATT_ERROR (133)"),
      ("8f", "GATT_CONNECTION_CONGESTED (143)"), ("9f", "status 159"),
      ("fd", "GATT_CCC_CFG_ERR (253)"), ("ff", "GATT_OUT_OF_RANGE (255)"),
    ])
  func codes(code: String, name: String) throws {
    let lines = try events(.android) { traffic in
      traffic.connectToHeartRate()
      traffic.ask("12 15 00 01", "01 12 15 00 \(code)")
    }
    let line = lines.first { $0.contains("onCharacteristicWrite") } ?? ""
    #expect(line.contains(name), "\(lines)")
    // Android has no name for 0x9f, so none can mislead.
    let isMisnamed = (UInt8(code, radix: 16) ?? 0) < 0x9f
    #expect(line.contains("the code is the server's own") == isMisnamed, "\(line)")
  }
}

@Suite("Stack-internal operations, by platform") struct TraceStackTests {
  /// Requests that a server's permissions refuse reach no app; others are printed with their
  /// responses.
  @Test("a server's app is asked only what the permissions allow") func permissions() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.ask("0a 10 00", "01 0a 10 00 05", by: .received)
      traffic.ask("0a 10 00", "0b 2a", by: .received)
      traffic.ask("0a 10 00", "01 0a 10 00 80", by: .received)
    }
    let lines = try events(.android, build)
    #expect(lines.count { $0.contains("onCharacteristicReadRequest") } == 2, "\(lines)")
    #expect(lines.count { $0.contains("(the stack refuses)") && $0.contains("(5)") } == 1)
    let answers = lines.filter { $0.contains("sendResponse") }
    #expect(answers.count == 2 && answers[0].contains("value 2a") && answers[1].contains("128"))
    #expect(
      try events(.corebluetooth, build).count { $0.contains("didReceiveRead") } == 2)
  }

  /// A request without a response within a second is still printed, in its place.
  @Test("a request that is answered late is printed at its packet") func late() throws {
    let lines = try events(.android) { traffic in
      traffic.connect()
      traffic.received("0a 10 00")
      traffic.wait(1500)
      traffic.received("52 12 00 01")
      traffic.wait(5000)
      traffic.sent("0b 2a")
    }
    let names = lines.map { $0.split(separator: " ")[2] }
    let order = [
      "onCharacteristicReadRequest", "onCharacteristicWriteRequest",
      "BluetoothGattServer.sendResponse",
    ]
    #expect(names.filter { order.contains(String($0)) }.map(String.init) == order, "\(lines)")
  }

  @Test("several values that are read at once are requested one by one") func multiple() throws {
    let lines = try events(.corebluetooth) { traffic in
      traffic.connect()
      traffic.ask("0e 10 00 12 00", "0f 01 02", by: .received)
    }
    #expect(lines.count { $0.contains("didReceiveRead") } == 2, "\(lines)")
    #expect(lines.count { $0.contains("respond(to:withResult:)") } == 2, "\(lines)")
  }

  @Test("a server's callback reports success when the client disconnects, whatever the reason")
  func ends()
    throws
  {
    let lines = try events(.android) { traffic in
      traffic.connect(role: 1)
      traffic.ask("0a 10 00", "0b 2a", by: .received)
      traffic.disconnect(reason: 0x13)
    }
    let last = try #require(lines.last)
    #expect(
      last.hasSuffix(
        "BluetoothGattServerCallback.onConnectionStateChange  status GATT_SUCCESS (0), "
          + "newState STATE_DISCONNECTED (0)"), "\(lines)")
  }
}

@Suite("Searches, by platform") struct TraceSearchTests {
  /// One service by its UUID, then all; characteristics; descriptors; pairing; the same descriptors
  /// again.
  private let discovery = { (traffic: inout Traffic) in
    traffic.connect()
    traffic.ask("06 01 00 ff ff 00 28 e0 ff", "07 10 00 20 00")
    traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 0f 00 00 18 10 00 20 00 e0 ff")
    traffic.ask("10 21 00 ff ff 00 28", "01 10 21 00 0a")
    traffic.ask("08 10 00 20 00 03 28", "09 07 11 00 10 12 00 e1 ff")
    traffic.ask("08 13 00 20 00 03 28", "01 08 13 00 0a")
    traffic.ask("04 13 00 13 00", "05 01 13 00 02 29")
  }

  @Test("a service that was found twice is reported once, by its handle") func once() throws {
    let lines = try events(.android, discovery)
    let found = try #require(lines.first { $0.contains("onServicesDiscovered") })
    #expect(found.contains("services [1800 Generic Access, ffe0"), "\(found)")
    #expect(found.split(separator: "ffe0").count == 2, "\(found)")
  }

  @Test("a discovery ends when pairing begins: a repeated search does not belong to it")
  func end() throws {
    let lines = try events(.android) { traffic in
      discovery(&traffic)
      traffic.agreeToPair()
      traffic.encrypt()
      traffic.ask("04 13 00 13 00", "05 01 13 00 02 29")
      traffic.ask("12 13 00 01 00", "13")
    }
    let names = ["onServicesDiscovered", "BOND_BONDING (11), EXTRA_PREV", "onDescriptorWrite"]
    let places = names.map { name in lines.firstIndex { $0.contains(name) } ?? -1 }
    #expect(places == places.sorted() && places[0] >= 0, "\(lines)")
  }

  @Test("the system searches for known descriptors") func again() throws {
    let lines = try events(.corebluetooth) { traffic in
      discovery(&traffic)
      traffic.ask("04 13 00 13 00", "05 01 13 00 02 29")
    }.filter { $0.contains("didDiscoverDescriptorsFor") }
    #expect(lines.count == 2 && !lines[0].contains("[system]"), "\(lines)")
    #expect(lines.last?.contains("[system]") == true, "\(lines)")
  }
}
