import Bluetooth

extension Android {
  /// Returns the lines for power, scanning and advertising.
  static func adapter(_ event: AppEvent) -> [Callback] {
    switch event.what {
    case .power(let power):
      let state: ArgumentValue =
        switch power {
        case .on: .code("STATE_ON", 12)
        case .off: .code("STATE_OFF", 10)
        // The stack is restarted.
        case .resetting: .code("STATE_TURNING_OFF", 13)
        }
      return [
        .callback(
          "BluetoothAdapter.ACTION_STATE_CHANGED", [named("EXTRA_STATE", state)])
      ]
    case .scanStarted(let request):
      var arguments: [Callback.Named] = []
      if !request.services.isEmpty {
        arguments.add("filters", .list(request.services.map { .uuid($0) }))
      }
      return [.call("BluetoothLeScanner.startScan", arguments)]
    case .scanRefused:
      return [
        .callback(
          "ScanCallback.onScanFailed", [("errorCode", .code("SCAN_FAILED_INTERNAL_ERROR", 3))])
      ]
    case .scanRestarted: return [.scanRestarted]
    case .scanStopped: return [.call("BluetoothLeScanner.stopScan")]
    case .discovered(let sighting): return [found(sighting, event)]
    case .advertisingStarted(let advertisement, let status):
      guard status == .success else {
        return [
          .callback(
            "AdvertiseCallback.onStartFailure",
            [("errorCode", .code("ADVERTISE_FAILED_INTERNAL_ERROR", 4))])
        ]
      }
      let data = record(advertisement.structures)
      var arguments: [Callback.Named] = []
      if let isConnectable = advertisement.isConnectable {
        arguments.add("isConnectable", .flag(isConnectable))
      }
      if !data.isEmpty { arguments.add("advertised", .dictionary(data)) }
      return [.callback("AdvertiseCallback.onStartSuccess", arguments)]
    case .advertisingStopped: return [.call("BluetoothLeAdvertiser.stopAdvertising")]
    default: return []
    }
  }

  private static func found(_ sighting: DiscoveredPeripheral, _ event: AppEvent) -> Callback {
    var arguments: [Callback.Named] = []
    arguments.add("device", event.peerArgument)
    // 127 means not available, which ScanResult passes on unchanged.
    arguments.add("rssi", .number(sighting.rssi.map { Int($0) } ?? 127))
    if let isConnectable = sighting.isConnectable {
      arguments.add("isConnectable", .flag(isConnectable))
    }
    arguments.add("scanRecord", .dictionary(record(sighting.structures)))
    return .callback(
      "ScanCallback.onScanResult", arguments,
      remark: sighting.isScanResponse ? "with the scan response" : nil)
  }

  /// Returns the content of advertising data by the getters of ScanRecord.
  private static func record(_ structures: [AdvertisedStructure]) -> [ArgumentValue.Entry] {
    ArgumentValue.entries(structures, entry)
  }

  private static func entry(
    _ structure: AdvertisedStructure
  ) -> (key: StaticString, value: ArgumentValue)? {
    if let uuids = structure.serviceUUIDs {
      return ("serviceUuids", .list(uuids.map { .uuid($0) }))
    }
    if let uuids = structure.solicitedUUIDs {
      return ("serviceSolicitationUuids", .list(uuids.map { .uuid($0) }))
    }
    if let (uuid, value) = structure.serviceData {
      return ("serviceData", .pairs([(.uuid(uuid), .bytes(value))]))
    }
    switch structure.type {
    case .flags: return structure.data.first.map { ("advertiseFlags", .number(Int($0))) }
    case .shortenedLocalName, .completeLocalName: return ("deviceName", .text(structure.data))
    case .txPowerLevel:
      return structure.data.first.map { ("txPowerLevel", .number(Int(Int8(bitPattern: $0)))) }
    case .manufacturerSpecificData where structure.data.count >= 2:
      let company = Int(structure.data[0]) | Int(structure.data[1]) << 8
      return (
        "manufacturerSpecificData",
        .pairs([(.number(company), .bytes(Array(structure.data.dropFirst(2))))])
      )
    default: return nil
    }
  }
}
