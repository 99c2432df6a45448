import Bluetooth
import Bytes
import Dissectors

/// How a controller is to scan: its parameters, and the services that filters look for.
struct ScanSetup: Sendable {
  private var parameters: ScanParameters?
  /// The services of Android's content filters, with each filter's index.
  private var services: [(filter: UInt8, uuid: BluetoothUUID)] = []
  /// The services that the kernel was asked to look for.
  private var wanted: [BluetoothUUID] = []
  /// The services that select what a scan reports.
  var chosen: [BluetoothUUID] { services.map(\.uuid) + wanted }

  private static let mostServices = 64

  mutating func set(_ parameters: ScanParameters?) { self.parameters = parameters }

  /// Returns the properties of a scan that a command begins.
  func request(_ command: ScanSwitch) -> AppEvent.ScanRequest {
    let settings = [parameters?.le1M, parameters?.leCoded].compactMap(\.self)
    return AppEvent.ScanRequest(
      services: chosen,
      isActive: settings.isEmpty ? nil : settings.contains { $0.isActive },
      reportsDuplicates: command.filterDuplicates == 0)
  }

  /// Processes a command of the kernel's management interface (BlueZ, doc/mgmt-protocol.rst). Start
  /// Service Discovery contains services: address types (1 byte), RSSI threshold (1 byte, in dBm),
  /// number of UUIDs (2 bytes), UUIDs (16 bytes each). Start Discovery and Stop Discovery end that.
  mutating func discover(_ opcode: UInt16, _ parameters: RawSpan) {
    switch opcode {
    case ManagementCommand.startDiscovery, ManagementCommand.stopDiscovery: wanted.removeAll()
    case ManagementCommand.startServiceDiscovery:
      wanted.removeAll()
      var cursor = Cursor(parameters)
      guard (try? cursor.u16()) != nil, let count = try? cursor.u16() else { return }
      while wanted.count < min(Int(count), Self.mostServices),
        let uuid = try? BluetoothUUID(parsing: &cursor, width: 16)
      {
        wanted.append(uuid.shortest)
      }
    default: break
    }
  }

  /// Applies a change to Android's content filters.
  mutating func apply(_ change: ContentFilterChange) {
    switch change {
    case .clear: services.removeAll()
    case .remove(let filter), .removeServices(let filter):
      services.removeAll { $0.filter == filter }
    case .addService(let filter, let uuid):
      if services.count < Self.mostServices { services.append((filter, uuid)) }
    case .enable, .add: break
    }
  }
}
