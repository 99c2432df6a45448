import Foundation
import ProgramRunner
import Testing

private let generated = Program.sharedCaptures.appending(path: "generated")

/// One side of a scenario, for one platform.
struct TraceCase: Sendable, CustomTestStringConvertible {
  let scenario: String
  let isPeripheral: Bool
  let platform: String

  var path: String {
    generated.appending(path: "\(scenario)\(isPeripheral ? ".peripheral" : "").btsnoop").path
  }
  var testDescription: String {
    "\(scenario), \(isPeripheral ? "peripheral" : "central"), \(platform)"
  }

  static let all: [TraceCase] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: generated.path)
    return (files ?? []).filter { $0.hasSuffix(".truth.json") }.sorted().flatMap { file in
      [false, true].flatMap { isPeripheral in
        ["corebluetooth", "android"].map { platform in
          TraceCase(
            scenario: String(file.dropLast(".truth.json".count)), isPeripheral: isPeripheral,
            platform: platform)
        }
      }
    }
  }()
}

/// The generator's operations as the expected lines for one platform's callbacks.
///
/// How operations appear: a read is one callback for any number of requests, and so is a long
/// write, except that Android's server gets every part. A subscription is CoreBluetooth's
/// notification state and Android's descriptor. CoreBluetooth does not report connections to a
/// peripheral, except that subscriptions end with them; it reports no MTU and no bond. Values read
/// by type or several at once have no method on either platform, but a server is asked for each of
/// them. A server's stack does not report to its app what it refuses itself (an unknown handle, an
/// access that permissions do not allow). A long write that is given up is Android's
/// abortReliableWrite and its callback.
private struct Expected {
  private(set) var lines: [String] = []
  private let isAndroid: Bool
  private let isPeripheral: Bool

  init(_ trace: TraceCase) throws {
    isAndroid = trace.platform == "android"
    isPeripheral = trace.isPeripheral
    let data = try Data(contentsOf: generated.appending(path: "\(trace.scenario).truth.json"))
    let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let truth = try #require(document)
    var uuids: [Int: String] = [:]
    for service in truth["gatt"] as? [[String: Any]] ?? [] {
      for characteristic in service["characteristics"] as? [[String: Any]] ?? [] {
        if let handle = characteristic["value_handle"] as? Int,
          let uuid = characteristic["uuid"] as? String
        {
          uuids[handle] = uuid.lowercased()
        }
      }
    }
    var subscriptions: [String] = []
    for operation in try #require(truth["ops"] as? [[String: Any]]) {
      let name = try #require(operation["op"] as? String)
      let handle = operation["handle"] as? Int ?? 0
      let value = operation["value"] as? String ?? ""
      let error = (operation["error"] as? Int).map { " error \($0)" } ?? ""
      switch name {
      case "advertisement": lines.append(name)
      case "connected": if tellsLinks { lines.append(name) }
      case "disconnected":
        if tellsLinks { lines.append(name) }
        if !isAndroid, isPeripheral {
          lines += subscriptions.map { "unsubscribe \($0)" }
          subscriptions = []
        }
      case "mtu": if isAndroid { lines.append("mtu \(operation["result"] ?? "")") }
      case "read": read(handle, value, error)
      case "write":
        write(handle, value, error, hasResponse: operation["response"] as? Bool ?? false)
      case "notification", "indication": lines.append("\(name) \(handle) \(value)")
      case "subscribe":
        let uuid = try #require(uuids[handle])
        subscriptions.append(uuid)
        lines.append("subscribe \(uuid)")
      case "paired": if isAndroid { lines += ["bond 11", "bond 12"] }
      case "pairing_failed": if isAndroid { lines += ["bond 11", "bond 10"] }
      case "raw": try raw(operation)
      case "read_by_type": if isPeripheral { lines.append("read 16") }
      case "prepare_then_cancel": if isAndroid, !isPeripheral { lines.append("aborted") }
      case "encrypt", "encrypted_with_bond": break
      default: Issue.record("the truth file has an operation that this test does not know: \(name)")
      }
    }
  }

  private var tellsLinks: Bool { isAndroid || !isPeripheral }

  /// Returns whether a server's stack makes the error itself.
  private func isStacks(_ error: String) -> Bool {
    isPeripheral && [1, 2, 3, 4, 5, 6, 12, 15].contains { error == " error \($0)" }
  }

  private mutating func read(_ handle: Int, _ value: String, _ error: String) {
    guard !isStacks(error) else { return }
    lines.append("read \(handle)\(isPeripheral ? "" : " \(value)")\(error)")
  }

  private mutating func write(_ handle: Int, _ value: String, _ error: String, hasResponse: Bool) {
    guard !isStacks(error) else { return }
    lines.append("write \(handle) \(value)\(error)")
  }

  /// A PDU that the generator sent unchanged, and the response.
  private mutating func raw(_ operation: [String: Any]) throws {
    let sent = try #require(operation["sent"] as? String)
    let got = try #require(operation["got"] as? String)
    let bytes = stride(from: 0, to: sent.utf8.count, by: 2).compactMap {
      UInt8(String(decoding: Array(sent.utf8)[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    let handle = Int(bytes[1]) | Int(bytes[2]) << 8
    let error = got.hasPrefix("01") ? " error \(Int(got.suffix(2), radix: 16) ?? 0)" : ""
    switch bytes[0] {
    // Read Request, Read Blob Request.
    case 0x0a, 0x0c: read(handle, "", error)
    case 0x12: write(handle, String(sent.dropFirst(6)), error, hasResponse: true)
    // Read Multiple: the server is asked for each value.
    case 0x0e where isPeripheral:
      for place in stride(from: 1, to: bytes.count - 1, by: 2) {
        read(Int(bytes[place]) | Int(bytes[place + 1]) << 8, "", "")
      }
    // Find Information.
    default: break
    }
  }
}

/// The lines of a trace in the same form.
private struct Told {
  private(set) var lines: [String] = []
  /// Parts of a value that Android's server received, in order of arrival.
  private var parts: [(handle: Int, value: String)] = []
  /// Whether Android's app has given up its queued writes.
  private var isAborting = false

  mutating func take(_ object: [String: Any]) throws {
    guard object["system"] as? Bool == false, let name = object["callback"] as? String else {
      return
    }
    let arguments = object["arguments"] as? [String: Any] ?? [:]
    let attribute =
      (arguments["characteristic"] ?? arguments["descriptor"]) as? [String: Any] ?? [:]
    let handle = (attribute["handle"] as? String).flatMap { Int($0.dropFirst(2), radix: 16) } ?? 0
    let value = arguments["value"] as? String ?? ""
    let error = Self.error(arguments)
    switch name {
    case "peripheralManagerDidStartAdvertising(_:error:)", "AdvertiseCallback.onStartSuccess":
      lines.append("advertisement")
    case "centralManager(_:didDiscover:advertisementData:rssi:)", "ScanCallback.onScanResult":
      // Each scan reports a device again.
      if lines.last != "advertisement" { lines.append("advertisement") }
    case "centralManager(_:didConnect:)": lines.append("connected")
    case "centralManager(_:didDisconnectPeripheral:error:)": lines.append("disconnected")
    case "onConnectionStateChange", "BluetoothGattServerCallback.onConnectionStateChange":
      let state = (arguments["newState"] as? [String: Any])?["code"] as? Int
      lines.append(state == 2 ? "connected" : "disconnected")
    case "onMtuChanged", "BluetoothGattServerCallback.onMtuChanged":
      lines.append("mtu \(arguments["mtu"] ?? "")")
    case "BluetoothDevice.ACTION_BOND_STATE_CHANGED":
      let state = (arguments["EXTRA_BOND_STATE"] as? [String: Any])?["code"] as? Int
      lines.append("bond \(state ?? -1)")
    case "peripheral(_:didUpdateValueFor:error:)", "onCharacteristicChanged",
      "onCharacteristicRead":
      let how = arguments["from"] as? String ?? "read"
      lines.append("\(how) \(handle) \(value)\(error)")
    // Their callbacks are the operations.
    case "writeValue(_:for:type:)" where arguments["type"] as? String == ".withResponse": break
    case "peripheral(_:didWriteValueFor:error:)", "writeValue(_:for:type:)",
      "onCharacteristicWrite":
      lines.append("write \(handle) \(value)\(error)")
    case "peripheral(_:didUpdateNotificationStateFor:error:)",
      "peripheralManager(_:central:didSubscribeTo:)":
      lines.append("subscribe \(attribute["uuid"] ?? "")\(error)")
    case "onDescriptorWrite", "onDescriptorWriteRequest":
      lines.append("subscribe \(attribute["characteristic"] ?? "")\(error)")
    case "peripheralManager(_:central:didUnsubscribeFrom:)":
      lines.append("unsubscribe \(attribute["uuid"] ?? "")")
    default: try takeServers(name, arguments, handle, value, error)
    }
  }

  private mutating func takeServers(
    _ name: String, _ arguments: [String: Any], _ handle: Int, _ value: String, _ error: String
  ) throws {
    switch name {
    case "peripheralManager(_:didReceiveRead:)", "onCharacteristicReadRequest":
      // A long read: the parts after the first belong to the same read, unless none precedes them.
      if arguments["offset"] as? Int == 0 || lines.last != "read \(handle)" {
        lines.append("read \(handle)")
      }
    case "peripheralManager(_:didReceiveWrite:)":
      let requests = try #require(arguments["requests"] as? [[String: Any]])
      let attribute = try #require(requests.first?["characteristic"] as? [String: Any])
      let handle = (attribute["handle"] as? String).flatMap { Int($0.dropFirst(2), radix: 16) }
      let value = requests.compactMap { $0["value"] as? String }.joined()
      lines.append("write \(handle ?? 0) \(value)")
    case "onCharacteristicWriteRequest":
      if arguments["preparedWrite"] as? Bool == true {
        parts.append((handle, value))
      } else {
        lines.append("write \(handle) \(value)")
      }
    case "onExecuteWrite":
      if arguments["execute"] as? Bool == true, let first = parts.first {
        lines.append("write \(first.handle) \(parts.map(\.value).joined())")
      }
      parts = []
    case "respond(to:withResult:)", "BluetoothGattServer.sendResponse":
      if !lines.isEmpty { lines[lines.count - 1] += error }
    case "updateValue(_:for:onSubscribedCentrals:)":
      lines.append("\(arguments["as"] ?? "") \(handle) \(value)")
    case "BluetoothGattServer.notifyCharacteristicChanged":
      let how = arguments["confirm"] as? Bool == true ? "indication" : "notification"
      lines.append("\(how) \(handle) \(value)")
    case "peripheral(_:didDiscoverServices:)",
      "peripheral(_:didDiscoverIncludedServicesFor:error:)",
      "peripheral(_:didDiscoverCharacteristicsFor:error:)",
      "peripheral(_:didDiscoverDescriptorsFor:error:)", "onServicesDiscovered",
      "peripheralManager(_:didAdd:error:)", "onServiceAdded", "onNotificationSent",
      "scanForPeripherals(withServices:options:)", "stopScan()", "connect(_:options:)",
      "BluetoothLeScanner.startScan", "BluetoothLeScanner.stopScan",
      "BluetoothDevice.connectGatt", "BluetoothDevice.ACTION_KEY_MISSING",
      "centralManagerDidUpdateState(_:)", "peripheralManagerDidUpdateState(_:)",
      "BluetoothAdapter.ACTION_STATE_CHANGED", "discoverServices(_:)",
      "discoverIncludedServices(_:for:)", "discoverCharacteristics(_:for:)",
      "discoverDescriptors(for:)", "readValue(for:)", "writeValue(_:for:)",
      "setNotifyValue(_:for:)", "cancelPeripheralConnection(_:)",
      "BluetoothGatt.discoverServices", "BluetoothGatt.readCharacteristic",
      "BluetoothGatt.readDescriptor", "BluetoothGatt.writeCharacteristic",
      "BluetoothGatt.writeDescriptor", "BluetoothGatt.requestMtu", "BluetoothGatt.disconnect",
      "BluetoothGattServer.cancelConnection", "BluetoothGatt.executeReliableWrite":
      break
    case "BluetoothGatt.abortReliableWrite": isAborting = true
    case "onReliableWriteCompleted":
      if isAborting { lines.append("aborted") }
      isAborting = false
    default: lines.append("not expected: \(name)")
    }
  }

  private static func error(_ arguments: [String: Any]) -> String {
    for key in ["error", "status", "result"] {
      if let error = arguments[key] as? [String: Any], let code = error["code"] as? Int, code != 0 {
        return " error \(code)"
      }
    }
    return ""
  }
}

@Suite(
  "A trace, compared with the truth of the capture generator",
  .enabled(
    if: !TraceCase.all.isEmpty, "the shared captures, which say what is true, are not there"))
struct TraceTruthTests {
  /// Every operation must be exactly the callbacks that the platform would deliver, in order;
  /// spontaneous events (scans, power) are not in the truth.
  @Test(arguments: TraceCase.all) func operations(_ trace: TraceCase) throws {
    let run = try Program.run(["trace", "--json", "--as", trace.platform, trace.path])
    #expect(run.status == 0, "\(run.errors)")
    var events = Told()
    for object in run.objects { try events.take(try #require(object)) }
    let expected = try Expected(trace).lines
    #expect(events.lines == expected, "\(trace.testDescription)")
    let packets = run.objects.compactMap { $0?["packet"] as? Int }
    #expect(packets == packets.sorted(), "the lines must be in the order of packets")
  }
}
