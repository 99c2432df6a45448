import Bluetooth
import MadeTraffic
import Platforms
import Reports
import Testing

/// The lines of a trace that are calls of an app, without `[system]`.
private func calls(
  _ platform: Platform, _ build: (inout Traffic) -> Void
) throws -> [String] {
  try trace(platform, { _ in }, build).filter { $0.contains("→ ") && !$0.contains("[system]") }
    .map { String($0.drop { $0 != "→" }.dropFirst(2)) }
}

@Suite("An app's requests, by platform") struct TraceRequestTests {
  @Test("each request is a call at its packet, each answer a callback at its own")
  func packets() throws {
    for platform in Platform.allCases {
      var requests: [Int] = []
      let lines = try written(platform, { $0.isJSON = true }) {
        $0.connectToHeartRate()
        for (request, answer) in [
          ("0a 13 00", "0b 01"), ("12 15 00 01", "13"), ("12 11 00 01 00", "13"),
        ] {
          requests.append($0.next)
          $0.ask(request, answer)
        }
      }
      for request in requests {
        #expect(
          lines.contains {
            $0.contains("\"type\":\"call\"") && $0.contains("\"packet\":\(request),")
          },
          "\(request): \(lines)")
        #expect(
          lines.contains {
            $0.contains("\"type\":\"callback\"") && $0.contains("\"packet\":\(request + 1),")
              && $0.contains("\"request\":\(request),")
          }, "\(request): \(lines)")
      }
    }
  }

  @Test("reads, writes and subscriptions have their calls") func values() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connectToHeartRate()
      traffic.ask("0a 13 00", "0b 01")
      traffic.ask("12 15 00 01", "13")
      traffic.ask("12 11 00 01 00", "13")
      traffic.ask("12 11 00 00 00", "13")
      traffic.sent("52 15 00 02")
    }
    let ios = try calls(.corebluetooth, build).suffix(5)
    #expect(
      ios == [
        "readValue(for:)  2a38 Body Sensor Location",
        "writeValue(_:for:type:)  2a39 Heart Rate Control Point, value 01 = reset energy expended, type .withResponse",
        "setNotifyValue(_:for:)  enabled true, 2a37 Heart Rate Measurement",
        "setNotifyValue(_:for:)  enabled false, 2a37 Heart Rate Measurement",
        "writeValue(_:for:type:)  2a39 Heart Rate Control Point, value 02 = 2, which is reserved, type .withoutResponse  (there is no callback)",
      ], "\(ios)")
    let android = try calls(.android, build)
    #expect(android.count == 6 && android[0].hasPrefix("BluetoothGatt.discoverServices"))
    #expect(
      android.dropFirst().map { $0.split(separator: " ")[0] } == [
        "BluetoothGatt.readCharacteristic", "BluetoothGatt.writeCharacteristic",
        "BluetoothGatt.writeDescriptor", "BluetoothGatt.writeDescriptor",
        "BluetoothGatt.writeCharacteristic",
      ])
    #expect(android[5].hasSuffix("writeType WRITE_TYPE_NO_RESPONSE (1)"), "\(android)")
  }

  @Test("a search is one call, however many requests it takes") func searches() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 0f 00 00 18 10 00 20 00 e0 ff")
      traffic.ask("10 21 00 ff ff 00 28", "01 10 21 00 0a")
      traffic.ask("08 10 00 20 00 03 28", "09 07 11 00 10 12 00 e1 ff")
      traffic.ask("08 13 00 20 00 03 28", "01 08 13 00 0a")
      traffic.ask("04 13 00 13 00", "05 01 13 00 02 29")
    }
    #expect(
      try calls(.corebluetooth, build).map { $0.split(separator: "(")[0] } == [
        "discoverServices", "discoverCharacteristics", "discoverDescriptors",
      ])
    #expect(try calls(.android, build).count == 1)
  }

  @Test("what the stack repeats after encryption is no second call; what an app repeats is")
  func repetition() throws {
    for platform in Platform.allCases {
      func build(encrypts: Bool) throws -> [String] {
        try calls(platform) {
          $0.connectToHeartRate()
          $0.ask("0a 13 00", "01 0a 13 00 0f")
          if encrypts { $0.encrypt() }
          $0.ask("0a 13 00", "0b 01")
        }.filter { $0.contains("2a38") }
      }
      #expect(try build(encrypts: true).count == 1)
      #expect(try build(encrypts: false).count == 2)
    }
  }

  @Test("a value that is sent in parts is one call; queued values are one each")
  func parts() throws {
    let long = try calls(.android) {
      $0.connectToHeartRate()
      $0.ask("16 15 00 00 00 01 02", "17 15 00 00 00 01 02")
      $0.ask("16 15 00 02 00 03", "17 15 00 02 00 03")
      $0.ask("18 01", "19")
    }.filter { $0.contains("rite") }
    #expect(long.count == 1 && long[0].contains("the value is sent in parts"), "\(long)")
    let reliable = try calls(.android) {
      $0.connectToHeartRate()
      $0.ask("16 15 00 00 00 01", "17 15 00 00 00 01")
      $0.ask("16 13 00 00 00 03", "17 13 00 00 00 03")
      $0.ask("18 01", "19")
    }.filter { $0.contains("rite") }
    #expect(reliable.count == 3 && reliable[2] == "BluetoothGatt.executeReliableWrite")
  }

  @Test("the stack's own reads and the peer's requests are no calls of an app")
  func system() throws {
    let lines = try calls(.android) {
      $0.connect()
      $0.ask("08 01 00 ff ff 2a 2b", "01 08 01 00 0a")
      $0.ask("02 05 02", "03 f7 00", by: .received)
      $0.ask("0a 03 00", "0b 01", by: .received)
    }
    #expect(!lines.contains { $0.contains("BluetoothGatt.") }, "\(lines)")
  }

  @Test("a disconnection is an app's call, unless the stack ends a silent or unencrypted link")
  func disconnection() throws {
    for platform in Platform.allCases {
      func ends(_ before: (inout Traffic) -> Void) throws -> Bool {
        try calls(platform) {
          $0.connect()
          $0.ask("02 05 02", "03 f7 00")
          before(&$0)
          $0.endLink()
        }.contains { $0.hasPrefix("cancelPeripheral") || $0.hasPrefix("BluetoothGatt.disconnect") }
      }
      #expect(try ends { _ in })
      #expect(
        try !ends {
          $0.sent("0a 13 00")
          $0.wait(30_000)
        })
      #expect(try !ends { $0.event(0x08, [0x06, 0x40, 0, 0]) })
    }
  }

  @Test("the MTU, the signal strength, the PHY and channels have calls where the platform has them")
  func others() throws {
    let build = { (traffic: inout Traffic) in
      traffic.connect()
      traffic.ask("02 05 02", "03 f7 00")
      traffic.perform(0x1405, [0x40, 0], returns: [0, 0x40, 0, 0xc8])
      traffic.begin(0x2032, [0x40, 0, 0, 2, 2, 0, 0])
      traffic.signal("14 02 0a 00 80 00 40 00 00 01 40 00 05 00", .sent)
    }
    let apple = try calls(.corebluetooth, build).map { $0.split(separator: "(")[0] }
    #expect(apple == ["readRSSI", "openL2CAPChannel"])
    let android = try calls(.android, build).map { $0.split(separator: " ")[0] }
    #expect(
      android == [
        "BluetoothGatt.requestMtu", "BluetoothGatt.readRemoteRssi",
        "BluetoothGatt.setPreferredPhy", "BluetoothSocket.connect",
      ])
  }
}

@Suite("The selection of lines") struct TraceSelectionTests {
  private func lines(_ choose: (inout Selection) -> Void) throws -> [String] {
    try trace(.android, { choose(&$0.selection) }) {
      $0.connectToHeartRate()
      $0.ask("0a 13 00", "0b 01")
      $0.ask("12 15 00 01", "01 12 15 00 80")
      $0.disconnect(reason: 0x08)
    }
  }

  @Test("errors are the lines in which something failed") func errors() throws {
    let found = try lines { $0.errorsOnly = true }
    #expect(found.count == 2, "\(found)")
    #expect(found[0].contains("← onCharacteristicWrite") && found[1].contains("GATT_CONN_TIMEOUT"))
  }

  @Test("packets, directions and words select lines; a limit counts them") func others() throws {
    let all = try lines { _ in }
    let sent = try lines { $0.directions = [.sent] }
    #expect(!sent.isEmpty && sent.allSatisfy { $0.contains("→") }, "\(sent)")
    let received = try lines { $0.directions = [.received] }
    #expect(sent.count + received.count == all.count, "\(received)")
    #expect(
      try lines { $0.packets = [1...1] }.allSatisfy {
        $0.contains("STATE_CONNECTED") || $0.contains("link layer")
      })
    #expect(try lines { $0.limit = 3 }.count == 3)
    let words = try lines { $0.words = [try! TextPattern("body sensor")] }
    #expect(words.count == 2, "\(words)")
  }
}
