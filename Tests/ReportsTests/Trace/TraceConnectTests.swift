import MadeTraffic
import Platforms
import Testing

/// Commands with which a stack that uses the filter accept list connects.
extension Traffic {
  fileprivate static let other = 0xc0aa_bbcc_ddee

  fileprivate mutating func add(_ peer: Int = Traffic.peer, status: UInt8 = 0) {
    command(0x2011, [1] + little(peer, width: 6))
    complete(0x2011, [status])
  }

  fileprivate mutating func remove(_ peer: Int = Traffic.peer) {
    command(0x2012, [1] + little(peer, width: 6))
    complete(0x2012)
  }

  /// Starts an attempt for the devices on the list, in one of three versions; a direct one listens
  /// half the time.
  fileprivate mutating func waitForListed(
    _ opcode: Int = 0x2043, isDirect: Bool = true, status code: UInt8 = 0
  ) {
    let scan = isDirect ? "60 00 30 00" : "00 08 30 00"
    let wanted = "18 00 28 00 00 00 f4 01 00 00 00 00"
    let none = [UInt8](repeating: 0, count: 7)
    switch opcode {
    case 0x200d: command(0x200d, hex(scan) + [1] + none + [0] + hex(wanted))
    case 0x2043: command(0x2043, [1, 0] + none + [1] + hex(scan) + hex(wanted))
    default: command(0x2085, [0xff, 0xff, 1, 0] + none + [1] + hex(scan) + hex(wanted))
    }
    status(opcode, code)
  }
}

/// The lines about attempts to connect, without arguments and remarks.
private func attempts(
  _ platform: Platform, isAppOnly: Bool = false, _ build: (inout Traffic) -> Void
) throws -> [String] {
  try trace(platform, { $0.hidesSystem = isAppOnly }, build).filter { !$0.contains("link layer") }
}

private let (first, second) = ("C0:11:22:33:44:55", "C0:AA:BB:CC:DD:EE")
private let byWhom = "  (by an app, or by the system for a device that it uses itself)"
private let restart = "(the stack restarts its attempt)"

@Suite("The filter accept list, by platform") struct TraceConnectTests {
  @Test(
    "a stack that cancels and repeats its attempt for another device shows no end",
    arguments: [0x200d, 0x2043, 0x2085])
  func rearming(opcode: Int) throws {
    let build = { (traffic: inout Traffic) in
      traffic.add()
      traffic.waitForListed(opcode)
      traffic.wait(4000)
      traffic.perform(0x200e)
      traffic.connect(0, peer: 0, type: 0, status: 2)
      traffic.add(Traffic.other)
      traffic.waitForListed(opcode)
      traffic.wait(40_000)
      traffic.giveUpConnecting()
      traffic.waitForListed(opcode)
    }
    #expect(
      try attempts(.android, build) == [
        "→ BluetoothDevice.connectGatt  \(first), autoConnect false\(byWhom)",
        "→ BluetoothDevice.connectGatt  \(second)", restart,
      ])
    #expect(
      try attempts(.corebluetooth, isAppOnly: true, build) == [
        "→ connect(_:options:)  \(first)", "→ connect(_:options:)  \(second)",
      ])
  }

  @Test("an app that connects, gives up and connects again") func again() throws {
    let build = { (traffic: inout Traffic) in
      for _ in 0..<2 {
        traffic.add()
        traffic.waitForListed()
        traffic.wait(5000)
        traffic.giveUpConnecting()
        traffic.remove()
        traffic.wait(20)
      }
    }
    let android = try attempts(.android, isAppOnly: true, build)
    let call = "→ BluetoothDevice.connectGatt  \(first), autoConnect false"
    #expect(
      android == [
        call + byWhom,
        "→ BluetoothGatt.disconnect  \(first)  (or close; by the app or the system that requested it)",
        call, "→ BluetoothGatt.disconnect  \(first)",
      ])
    let apple = try attempts(.corebluetooth, isAppOnly: true, build)
    #expect(
      apple.map { $0.split(separator: "(")[0] } == [
        "→ connect", "→ cancelPeripheralConnection", "→ connect", "→ cancelPeripheralConnection",
      ])
  }

  @Test("only a direct connection that waited 30 s has status 133") func timeout() throws {
    func build(_ isDirect: Bool, _ wait: Int) -> (inout Traffic) -> Void {
      { traffic in
        traffic.add()
        traffic.waitForListed(isDirect: isDirect)
        traffic.wait(wait)
        traffic.giveUpConnecting()
        traffic.remove()
      }
    }
    for (isDirect, wait, isStacks) in [
      (true, 30_000, true), (true, 12_000, false), (true, 50_000, false), (false, 30_000, false),
    ] {
      let lines = try attempts(.android, build(isDirect, wait))
      #expect(lines.contains { $0.contains("133") } == isStacks, "\(lines)")
      #expect(lines.contains { $0.contains("BluetoothGatt.disconnect") } != isStacks, "\(lines)")
      #expect(lines[0].contains("autoConnect \(!isDirect)"), "\(lines)")
    }
  }

  @Test("how the second of two devices is waited for is not claimed, nor who ended it")
  func unknownWay() throws {
    let lines = try attempts(.android) {
      $0.add()
      $0.waitForListed()
      $0.giveUpConnecting()
      $0.add(Traffic.other)
      $0.waitForListed()
      $0.wait(30_000)
      $0.giveUpConnecting()
      $0.remove(Traffic.other)
    }
    #expect(lines[1] == "→ BluetoothDevice.connectGatt  \(second)", "\(lines)")
    #expect(lines.count == 3 && lines[2].hasPrefix("(the connection attempt is cancelled)"))
  }

  @Test(
    "a stack that waits again after a lost link makes no call; a new call follows an end by the host"
  )
  func lost() throws {
    func build(_ isEndedHere: Bool) -> (inout Traffic) -> Void {
      { traffic in
        traffic.add()
        traffic.waitForListed(isDirect: false)
        traffic.connect()
        traffic.remove()
        if isEndedHere { traffic.askToDisconnect() }
        traffic.disconnect(reason: isEndedHere ? 0x16 : 0x08)
        traffic.add()
        traffic.waitForListed(isDirect: false)
      }
    }
    let lost = try attempts(.android, build(false))
    #expect(lost.count { $0.contains("connectGatt") } == 1 && lost.last == restart, "\(lost)")
    let ended = try attempts(.android, build(true))
    #expect(ended.count { $0.contains("connectGatt") } == 2, "\(ended)")
    #expect(ended.count { $0.contains("→ BluetoothGatt.disconnect") } == 1, "\(ended)")
  }

  @Test("a cancellation that comes too late shows nothing about apps") func race() throws {
    for isListed in [true, false] {
      let lines = try attempts(.android) {
        if isListed {
          $0.add()
          $0.waitForListed()
        } else {
          $0.askToConnect()
        }
        $0.command(0x200e)
        $0.connect()
        $0.complete(0x200e, [0x0c])
      }
      #expect(!lines.contains { $0.contains("disconnect") || $0.contains("133") }, "\(lines)")
      #expect(lines.last?.contains("STATE_CONNECTED") == true, "\(lines)")
    }
  }

  @Test("a refused repetition is the stack's: Command Disallowed") func disallowed() throws {
    let lines = try attempts(.android) {
      $0.askToConnect()
      $0.askToConnect(status: 0x0c)
      $0.giveUpConnecting()
      $0.wait(2000)
      $0.add(Traffic.other)
    }
    #expect(lines.count { $0.contains("connectGatt") } == 1, "\(lines)")
    #expect(lines[1].hasPrefix("(the controller refuses the attempt)"), "\(lines)")
    #expect(!lines.contains { $0.contains("133") }, "\(lines)")
  }

  @Test("a direct attempt that is cancelled for another device, and one that an app gives up")
  func direct() throws {
    func build(_ next: (inout Traffic) -> Void) throws -> [String] {
      try attempts(.android) {
        $0.askToConnect()
        $0.wait(3000)
        $0.giveUpConnecting()
        next(&$0)
        $0.wait(2000)
        $0.complete(0x1001, [0])
      }
    }
    // The list is changed, and the attempt goes on.
    let goesOn = try build {
      $0.add(Traffic.other)
      $0.askToConnect()
    }
    #expect(goesOn.count == 2 && goesOn[1].hasPrefix("(the stack restarts its attempt)"))
    // It goes on among those on the list.
    let joins = try build {
      $0.add()
      $0.add(Traffic.other)
      $0.waitForListed()
    }
    #expect(joins.count { $0.contains("connectGatt") } == 2, "\(joins)")
    #expect(!joins.contains { $0.contains("disconnect") }, "\(joins)")
    // Another device is waited for instead.
    let other = try build {
      $0.add(Traffic.other)
      $0.waitForListed()
    }
    #expect(other[1].hasPrefix("(the connection attempt is cancelled)"), "\(other)")
    #expect(other.count == 3 && !other.contains { $0.contains("disconnect") }, "\(other)")
    // Nothing follows, or the same device without a reason for the stack.
    #expect(try build { _ in }.contains { $0.contains("→ BluetoothGatt.disconnect") })
    let again = try build { $0.askToConnect() }
    #expect(again.count { $0.contains("connectGatt") } == 2, "\(again)")
    #expect(again.count { $0.contains("→ BluetoothGatt.disconnect") } == 1, "\(again)")
  }

  @Test("what began before the capture has no call") func before() throws {
    let lines = try attempts(.android) {
      $0.waitForListed()
      $0.giveUpConnecting()
      $0.remove()
      $0.waitForListed()
    }
    #expect(!lines.contains { $0.contains("→") || $0.contains("133") }, "\(lines)")
    #expect(
      lines.map { String($0.prefix(20)) } == [
        "(the stack starts a ", "(the stack waits for", restart.prefix(20).description,
      ])
  }

  @Test("a device that the controller did not take is not waited for") func full() throws {
    let lines = try attempts(.android) {
      $0.add(status: 0x07)
      $0.add(Traffic.other)
      $0.waitForListed()
    }
    #expect(lines.count == 1 && lines[0].contains(second), "\(lines)")
  }
}
