import Bluetooth
import MadeTraffic
import Platforms
import Testing

@Suite("What a trace keeps, forgets and does not know") struct TraceOrderTests {
  private static let didDiscover = "didDiscover:"

  /// Records LE Set Scan Enable with its response, then received reports.
  private func scanning(_ heard: @escaping (inout Traffic) -> Void) -> (inout Traffic) -> Void {
    { traffic in
      traffic.perform(0x200c, [1, 0])
      heard(&traffic)
    }
  }

  @Test("an advertisement is printed once, a different one of the same device again") func heard()
    throws
  {
    let lines = try events(
      .corebluetooth,
      scanning { traffic in
        for _ in 0..<3 { traffic.advertise(data: "02 01 06") }
        traffic.advertise(event: 4, data: "03 09 41 42")
        for _ in 0..<2 { traffic.advertise(data: "02 01 06") }
        traffic.advertise(event: 4, data: "03 09 41 42")
        traffic.advertise(data: "02 0a 04")
        // Zeros after the end mean nothing.
        traffic.advertise(data: "02 0a 04 00")
      })
    #expect(lines.count { $0.contains(Self.didDiscover) } == 3)
  }

  @Test("the stack reads a long UUID of an included service, which ends no discovery")
  func includedService() throws {
    let lines = try events(.android) { traffic in
      traffic.connect()
      traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 0d 18")
      traffic.ask("10 06 00 ff ff 00 28", "01 10 06 00 0a")
      // An include of 0x0010 to 0x0015, without its UUID.
      traffic.ask("08 01 00 05 00 02 28", "09 06 02 00 10 00 15 00")
      traffic.ask("0a 10 00", "0b 0f 0e 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00")
      traffic.ask("08 03 00 05 00 02 28", "01 08 03 00 0a")
      traffic.ask("08 01 00 05 00 03 28", "09 07 03 00 02 04 00 37 2a")
      traffic.ask("08 05 00 05 00 03 28", "01 08 05 00 0a")
      traffic.wait(2000)
      traffic.ask("0a 04 00", "0b 01")
    }
    #expect(!lines.contains { $0.contains("0f0e") || $0.contains("0x0010") }, "\(lines)")
    #expect(lines.count { $0.contains("onCharacteristicRead") } == 1, "\(lines)")
    #expect(lines.count { $0.contains("onServicesDiscovered") } == 1, "\(lines)")
    let discovered = lines.firstIndex { $0.contains("onServicesDiscovered") } ?? 0
    let read = lines.firstIndex { $0.contains("onCharacteristicRead") } ?? 0
    #expect(discovered < read)
  }

  @Test("a new scan reports every device again") func again() throws {
    let lines = try events(
      .corebluetooth,
      scanning { traffic in
        traffic.advertise()
        traffic.perform(0x200c, [0, 0])
        // Sooner, it would be the stack that restarts the scan.
        traffic.wait(500)
        traffic.perform(0x200c, [1, 0])
        traffic.advertise()
        traffic.advertise()
      })
    #expect(lines.count { $0.contains(Self.didDiscover) } == 2)
  }

  @Test("with more devices than the limit, one that is heard all the time is printed once")
  func crowd() throws {
    let lines = try events(
      .corebluetooth,
      scanning { traffic in
        for device in 0..<6000 {
          traffic.advertise(peer: 0xc100_0000_0000 + device)
          if device % 500 == 0 { traffic.advertise() }
        }
      })
    #expect(lines.count { $0.contains("C0:11:22:33:44:55") } == 1)
    #expect(lines.count { $0.contains("C1:00:00:00:") } == 6000)
  }

  /// Start Service Discovery for LE with a Heart Rate Service and a vendor's service, then
  /// Discovering.
  @Test(
    "the services that the kernel is asked to find are those of the scan",
    arguments: [true, false])
  func serviceDiscovery(hasCommands: Bool) throws {
    let heartRate = hex("fb 34 9b 5f 80 00 00 80 00 10 00 00 0d 18 00 00")
    let vendors = hex("00 00 6b 63 6f 6c 00 9f 0d 4b 01 00 1e ab a1 5c")
    let lines = try events(.corebluetooth) { traffic in
      traffic.addControl(0x003a, [6, 0x7f, 2, 0] + heartRate + vendors)
      if hasCommands {
        traffic.perform(0x200c, [1, 0])
      } else {
        traffic.note(17, little(1, width: 4) + little(0x0013) + [6, 1])
      }
    }
    let scan = try #require(lines.first { $0.contains("scanForPeripherals") })
    #expect(scan.contains("180d") && !scan.contains("0000180d"))
    #expect(scan.contains("5ca1ab1e-0001-4b0d-9f00-6c6f636b0000"))
  }

  @Test(
    "the services of one scan are not those of the next", arguments: [0x0023, 0x0024])
  func otherDiscovery(next: Int) throws {
    let heartRate = hex("fb 34 9b 5f 80 00 00 80 00 10 00 00 0d 18 00 00")
    let lines = try events(.corebluetooth) { traffic in
      traffic.addControl(0x003a, [6, 0x7f, 1, 0] + heartRate)
      traffic.addControl(next, [6])
      traffic.perform(0x200c, [1, 0])
    }
    #expect(try !#require(lines.first { $0.contains("scanForPeripherals") }).contains("180d"))
  }

  /// LE_APCF_Command: a filter for the Heart Rate Service, which is removed in three ways.
  @Test(
    "the services of Android's filters are those of the scan",
    arguments: [[], [3, 2, 1], [1, 1, 1], [1, 2, 0]] as [[UInt8]])
  func contentFilters(removal: [UInt8]) throws {
    let lines = try events(.corebluetooth) { traffic in
      traffic.command(0xfd57, [3, 0, 1, 0x0d, 0x18, 0xff, 0xff])
      if !removal.isEmpty { traffic.command(0xfd57, removal) }
      traffic.perform(0x200c, [1, 0])
    }
    let scan = try #require(lines.first { $0.contains("scanForPeripherals") })
    #expect(scan.contains("180d") == removal.isEmpty)
  }

  /// LE Set Extended Advertising Data, with the name "ABC" in two parts, then LE Set Extended
  /// Advertising Enable.
  @Test("data that the host sets in parts is only known if all of them were accepted")
  func advertisedParts() throws {
    let starts = { (first: [UInt8]?, status: UInt8) in
      let lines = try events(.android) { traffic in
        if let first {
          traffic.perform(0x2037, [1, 1, 0, UInt8(first.count)] + first, returns: [status])
        }
        traffic.perform(0x2037, [1, 2, 0, 2] + Array("BC".utf8))
        traffic.perform(0x2039, [1, 1, 1, 0, 0, 0])
      }
      return try #require(lines.first { $0.contains("onStartSuccess") })
    }
    #expect(try starts([4, 9, 0x41], 0).contains("ABC"))
    #expect(try !starts(nil, 0).contains("BC"))
    #expect(try !starts([4, 9, 0x41], 0x12).contains("BC"))
  }

  /// The controller has room for two packets, and each of two links has sent one.
  @Test("all links of a controller share its buffers") func buffers() throws {
    let lines = try events(.corebluetooth) { traffic in
      traffic.complete(0x2002, [0, 27, 0, 2])
      traffic.connect()
      traffic.connect(0x41, peer: 0xc011_2233_4466)
      traffic.sent("52 10 00 01")
      traffic.sent("52 10 00 01", handle: 0x41)
      traffic.completed(1)
    }
    #expect(
      lines.filter { $0.contains("peripheralIsReady") }.map { $0.prefix(1) } == ["2"])
  }

  /// The first part fills its PDU, and the client requests nothing more.
  @Test("a read that is not continued is printed before what comes later") func reads() throws {
    let lines = try events(.corebluetooth) { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b" + String(repeating: " 61", count: 22))
      for _ in 0..<4 {
        traffic.wait(1500)
        traffic.received("1b 12 00 01")
      }
      traffic.ask("0a 10 00", "0b 01")
    }.filter { $0.contains("didUpdateValueFor") }
    #expect(
      lines.map { $0.contains("from read") } == [true, false, false, false, false, true])
  }

  @Test("a read stays open while its next part is requested") func slowRead() throws {
    let lines = try events(.corebluetooth) { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b" + String(repeating: " 61", count: 22))
      traffic.sent("0c 10 00 16 00")
      traffic.wait(5000)
      traffic.received("1b 12 00 01")
      traffic.received("0d 62")
    }.filter { $0.contains("from read") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("23 bytes") == true, "\(lines)")
  }
}

@Suite("Services that are hidden from apps") struct TraceHiddenTests {
  /// Apps only see the second of Apple Notification Center Service and 5ca1ab1e-….
  @Test("the system hides its notification service from apps") func notificationCenter() throws {
    let lines = try events(.corebluetooth) { traffic in
      traffic.connect()
      traffic.ask("02 64 00", "03 64 00")
      traffic.ask(
        "10 01 00 ff ff 00 28",
        "11 14 01 00 05 00 d0 00 2d 12 1e 4b 0f a4 99 4e ce b5 31 f4 05 79 "
          + "06 00 ff ff 00 00 6b 63 6f 6c 00 9f 0d 4b 01 00 1e ab a1 5c")
    }
    let services = try #require(lines.first { $0.contains("didDiscoverServices") })
    #expect(services.contains("services [5ca1ab1e-0001-4b0d-9f00-6c6f636b0000]"))
    #expect(services.contains("withheld [7905f431-b5ce-4e99-a40f-4b1e122d00d0"))
  }
}

@Suite("A trace with lost records") struct TraceLossTests {
  private static func lose(_ traffic: inout Traffic) {
    traffic.add([1] + hex("01 10 00"), .sent, drops: 3)
  }

  @Test("a request whose response may be lost has no verdict", arguments: Platform.allCases)
  func client(platform: Platform) throws {
    let lines = try events(platform) { traffic in
      traffic.connect()
      traffic.sent("0a 10 00")
      Self.lose(&traffic)
      traffic.disconnect()
    }
    #expect(
      lines.contains { $0.contains("it is unknown whether a callback came: records were lost") })
    #expect(!lines.contains { $0.contains("never answered") })
  }

  @Test("nor has one that the app may have answered", arguments: Platform.allCases)
  func server(platform: Platform) throws {
    func build(_ isLost: Bool) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        traffic.received("0a 10 00")
        if isLost { Self.lose(&traffic) }
        traffic.disconnect()
      }
    }
    #expect(try events(platform, build(false)).contains { $0.contains("was not called") })
    #expect(try !events(platform, build(true)).contains { $0.contains("was not called") })
  }

  @Test("a pairing whose end may be lost has not failed") func pairing() throws {
    func build(_ isLost: Bool) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        traffic.agreeToPair()
        if isLost { Self.lose(&traffic) }
        traffic.disconnect()
      }
    }
    #expect(
      try events(.android, build(false)).contains { $0.contains("EXTRA_BOND_STATE BOND_NONE") })
    #expect(
      try !events(.android, build(true)).contains { $0.contains("EXTRA_BOND_STATE BOND_NONE") })
  }

  @Test("a discovery with a part that may be lost is not reported as complete") func discovery()
    throws
  {
    func build(_ isLost: Bool) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 0d 18")
        if isLost { Self.lose(&traffic) }
        traffic.ask("0a 03 00", "0b 01")
        traffic.wait(3000)
        traffic.received("1b 03 00 01")
      }
    }
    #expect(try events(.android, build(false)).contains { $0.contains("onServicesDiscovered") })
    #expect(try !events(.android, build(true)).contains { $0.contains("onServicesDiscovered") })
  }

  @Test("a stack that reads the appearance between its searches discovers once")
  func readsBetween() throws {
    let lines = try events(.android) { traffic in
      traffic.connect()
      traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 01 18 06 00 0a 00 00 18")
      traffic.ask("08 01 00 ff ff 01 2a", "09 04 08 00 00 00")
      traffic.ask("10 0b 00 ff ff 00 28", "11 06 0b 00 ff ff 0d 18")
      traffic.ask("08 01 00 05 00 03 28", "01 08 01 00 0a")
      traffic.wait(3000)
      traffic.disconnect()
    }
    let found = lines.filter { $0.contains("onServicesDiscovered") }
    #expect(found.count == 1)
    #expect(found.first?.contains("180d") == true)
  }

  @Test("a discovery whose last search has no answer has no result") func unansweredSearch() throws
  {
    func found(answers: Bool) throws -> Bool {
      try events(.android) { traffic in
        traffic.connect()
        traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 ff ff 0d 18")
        if answers {
          traffic.ask("08 01 00 ff ff 02 28", "01 08 01 00 0a")
        } else {
          traffic.sent("08 01 00 ff ff 02 28")
        }
        traffic.wait(5000)
        traffic.disconnect(reason: 0x08)
      }.contains { $0.contains("onServicesDiscovered") }
    }
    #expect(try found(answers: true))
    #expect(try !found(answers: false))
  }

  @Test("Service Changed of Android's own stack is no call of an app") func ownServiceChanged()
    throws
  {
    func calls(_ handle: String) throws -> Bool {
      try events(.android) { traffic in
        traffic.connect(role: 1)
        traffic.sent("1d \(handle) 00 01 00 ff ff")
        traffic.received("1e")
      }.contains { $0.contains("notifyCharacteristicChanged") }
    }
    #expect(try !calls("03"))
    #expect(try calls("93"))
  }

  @Test("other controllers lose nothing") func elsewhere() throws {
    let lines = try events(.android) { traffic in
      traffic.connect()
      traffic.agreeToPair()
      traffic.adapter = 1
      Self.lose(&traffic)
      traffic.adapter = 0
      traffic.disconnect()
    }
    #expect(lines.contains { $0.contains("EXTRA_BOND_STATE BOND_NONE") })
  }
}

@Suite("Platform-specific output") struct TracePlatformTests {
  /// Records an advertisement, its scan response, both again in the next scan.
  private func scans(_ isActive: Bool) -> (inout Traffic) -> Void {
    { traffic in
      for _ in 0..<2 {
        traffic.perform(0x200b, [isActive ? 1 : 0, 0x10, 0, 0x10, 0, 0, 0])
        traffic.perform(0x200c, [1, 0])
        traffic.advertise(data: "02 01 06")
        traffic.advertise(event: 4, data: "03 09 41 42")
        traffic.perform(0x200c, [0, 0])
        traffic.wait(500)
      }
    }
  }

  @Test("Android waits for the scan response of an active scan; iOS reports both")
  func scanResponses() throws {
    let android = try events(.android, scans(true)).filter { $0.contains("onScanResult") }
    #expect(android.count == 2, "\(android)")
    #expect(android.allSatisfy { $0.contains("advertiseFlags") && $0.contains("AB") })
    let passive = try events(.android) { traffic in
      traffic.perform(0x200b, [0, 0x10, 0, 0x10, 0, 0, 0])
      traffic.perform(0x200c, [1, 0])
      traffic.advertise(data: "02 01 06")
    }
    #expect(passive.count { $0.contains("onScanResult") } == 1)
    let ios = try events(.corebluetooth, scans(true)).filter { $0.contains("didDiscover:") }
    #expect(ios.count == 4, "\(ios)")
    // Data from the previous scan is not printed with the new one's advertisement.
    #expect(ios.map { $0.contains("AB") } == [false, true, false, true])
  }

  /// Service Changed of 0x000e to 0x0015.
  @Test("changed services are listed with their previous names") func changedServices()
    throws
  {
    func build(_ traffic: inout Traffic) {
      traffic.connectToHeartRate()
      traffic.discoverThermometer()
      traffic.ask("08 01 00 05 00 03 28", "09 07 02 00 20 03 00 05 2a")
      traffic.received("1d 03 00 0e 00 15 00")
      traffic.sent("1e")
    }
    let ios = try events(.corebluetooth, build)
    let line = try #require(ios.first { $0.contains("didModifyServices") }, "\(ios)")
    #expect(line.contains("invalidatedServices [180d") && !line.contains("1809"), "\(line)")
    #expect(!line.contains("[system]"))
    let android = try events(.android, build)
    #expect(android.contains { $0.contains("onServiceChanged  (") }, "\(android)")
  }

  @Test("PHYs that are read, and a server's own callbacks for them", arguments: [UInt8(0), 1])
  func phys(role: UInt8) throws {
    let lines = try events(.android) { traffic in
      traffic.connect(role: role)
      traffic.perform(0x2030, [0x40, 0], returns: [0, 0x40, 0, 2, 1])
    }
    let line = try #require(lines.first { $0.contains("onPhyRead") }, "\(lines)")
    #expect(line.contains("txPhy 2, rxPhy 1, status GATT_SUCCESS (0)"))
    #expect(line.contains("BluetoothGattServerCallback") == (role == 1))
  }

  @Test(
    "values that the system reads by itself do not go to the app", arguments: Platform.allCases)
  func ownAnswers(platform: Platform) throws {
    let lines = try events(platform) { traffic in
      traffic.connect(role: 1)
      traffic.ask("08 01 00 ff ff 00 2a", "09 04 03 00 41 42", by: .received)
    }
    #expect(!lines.contains { $0.contains("espon") && $0.contains("uccess") }, "\(lines)")
    #expect(lines.contains { $0.contains("2a00") }, "\(lines)")
  }

  @Test("a reliable write is completed after all of its values") func reliable() throws {
    let lines = try events(.android) { traffic in
      traffic.connectToHeartRate()
      traffic.ask("16 15 00 00 00 01", "17 15 00 00 00 01")
      traffic.ask("16 13 00 00 00 02", "17 13 00 00 00 02")
      traffic.ask("18 01", "19")
    }.filter { $0.contains("rite") }
    #expect(lines.last?.contains("onReliableWriteCompleted") == true, "\(lines)")
    #expect(lines.count { $0.contains("onCharacteristicWrite") } == 2)
  }
}
