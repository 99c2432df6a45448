import Bluetooth
import Bytes

extension CoreBluetooth {
  /// Returns the lines for power, scanning and advertising.
  static func adapter(_ event: AppEvent) -> [Callback] {
    switch event.what {
    case .power(let power):
      let state: StaticString =
        switch power {
        case .on: ".poweredOn"
        case .off: ".poweredOff"
        case .resetting: ".resetting"
        }
      return [
        .callback("centralManagerDidUpdateState(_:)", [("state", .word(state))]),
        .callback("peripheralManagerDidUpdateState(_:)", [("state", .word(state))]),
      ]
    case .scanStarted(let request):
      var arguments: [Callback.Named] = []
      if !request.services.isEmpty {
        arguments.add("withServices", .list(request.services.map { .uuid($0) }))
      }
      // The system's choice, whatever CBCentralManagerScanOptionAllowDuplicatesKey requests.
      arguments.add(
        "duplicates",
        request.reportsDuplicates
          ? .choice("reported", "reported by the controller")
          : .choice("filtered", "filtered by the controller"))
      return [
        .call(
          "scanForPeripherals(withServices:options:)", arguments,
          remark: request.services.isEmpty
            ? "the requested services are not in the capture, unless a filter shows them" : nil)
      ]
    case .scanRefused(let status):
      return [.traffic("scanning is refused", [named("status", .status(status))])]
    case .scanRestarted: return [.scanRestarted]
    case .scanStopped: return [.call("stopScan()")]
    case .discovered(let sighting): return [discovered(sighting, event)]
    case .advertisingStarted(let advertisement, let status):
      return [advertising(advertisement, status)]
    case .advertisingStopped: return [.call("stopAdvertising()")]
    default: return []
    }
  }

  private static func discovered(_ sighting: DiscoveredPeripheral, _ event: AppEvent) -> Callback {
    var arguments: [Callback.Named] = []
    arguments.add("peripheral", event.peerArgument)
    var data = advertisementData(sighting.structures)
    if let isConnectable = sighting.isConnectable {
      data.append(("kCBAdvDataIsConnectable", .flag(isConnectable), false))
    }
    arguments.add("advertisementData", .dictionary(data))
    // 127 means not available, in CoreBluetooth, too.
    arguments.add("rssi", .number(sighting.rssi.map { Int($0) } ?? 127))
    return .callback(
      "centralManager(_:didDiscover:advertisementData:rssi:)", arguments,
      remark: sighting.isScanResponse ? "with the scan response" : nil)
  }

  /// Returns the advertisement dictionary with CoreBluetooth's keys, in the order of the
  /// structures.
  static func advertisementData(
    _ structures: [AdvertisedStructure]
  ) -> [ArgumentValue.Entry] {
    ArgumentValue.entries(structures, entry)
  }

  private static func entry(
    _ structure: AdvertisedStructure
  ) -> (key: StaticString, value: ArgumentValue)? {
    if let uuids = structure.serviceUUIDs {
      return ("kCBAdvDataServiceUUIDs", .list(uuids.map { .uuid($0) }))
    }
    if let uuids = structure.solicitedUUIDs {
      return ("kCBAdvDataSolicitedServiceUUIDs", .list(uuids.map { .uuid($0) }))
    }
    if let (uuid, value) = structure.serviceData {
      return ("kCBAdvDataServiceData", .pairs([(.uuid(uuid), .bytes(value))]))
    }
    switch structure.type {
    case .shortenedLocalName, .completeLocalName:
      return ("kCBAdvDataLocalName", .text(structure.data))
    case .txPowerLevel:
      return structure.data.first.map {
        ("kCBAdvDataTxPowerLevel", .number(Int(Int8(bitPattern: $0))))
      }
    case .manufacturerSpecificData:
      // Apple's type 1, 16 bytes: one bit for each service of an app in the background. Only a
      // device that looks for certain services knows what the bits mean.
      if structure.data.starts(with: [0x4c, 0x00, 0x01]), structure.data.count >= 19 {
        return ("kCBAdvDataHashedServiceUUIDs", .bytes(Array(structure.data[3..<19])))
      }
      return ("kCBAdvDataManufacturerData", .bytes(structure.data))
    default: return nil
    }
  }

  private static func advertising(
    _ advertisement: OwnAdvertisement, _ status: StatusCode
  ) -> Callback {
    var arguments: [Callback.Named] = []
    let data = advertisementData(advertisement.structures)
    if !data.isEmpty { arguments.add("advertised", .dictionary(data)) }
    if status != .success { arguments.add("error", .code("CBError.unknown", 0)) }
    // An app may provide a name and services: 28 bytes beside the flags, and 10 of the scan
    // response for the name (Apple, CBPeripheralManager, startAdvertising(_:)). Apple writes that
    // the 2 bytes before each structure do not count; but 31 bytes less the flags are 28, and these
    // 2 bytes must fit there, so they are counted here. For the name in a scan response, which has
    // room for them, they are not.
    let names = advertisement.structures.filter {
      $0.type == .completeLocalName || $0.type == .shortenedLocalName
    }
    let name = names.map { $0.data.count + 2 }.reduce(0, +)
    let services = advertisement.structures.filter { $0.serviceUUIDs != nil }
      .map { $0.data.count + 2 }.reduce(0, +)
    let fits = name + services <= 28 || services <= 28 && name - 2 * names.count <= 10
    arguments.add("advertised_bytes", .number(name + services))
    arguments.add("fits_28_bytes", .flag(fits))
    let others = advertisement.structures.contains {
      $0.serviceUUIDs == nil
        && ![.flags, .completeLocalName, .shortenedLocalName].contains($0.type)
    }
    return .callback(
      "peripheralManagerDidStartAdvertising(_:error:)", arguments,
      remark: others
        ? "CoreBluetooth apps can advertise a local name and service UUIDs only" : nil)
  }
}
