import Bluetooth
import Bytes
import Sessions

/// The kinds of news of a device.
struct DeviceNews: OptionSet {
  let rawValue: UInt8

  /// It was not heard before.
  static let device = Self(rawValue: 1)
  /// Its name became known, or changed.
  static let name = Self(rawValue: 2)
  /// It sends other data.
  static let data = Self(rawValue: 4)
  /// It is received much stronger or weaker.
  static let signal = Self(rawValue: 8)
  /// A connection with it was established.
  static let connection = Self(rawValue: 16)

  /// The names in the JSON contract.
  static let keys: [(Self, StaticString)] = [
    (.device, "device"), (.name, "name"), (.data, "data"), (.signal, "rssi"),
    (.connection, "connection"),
  ]
}

/// What was reported of a device, and what has happened since.
struct ReportedDevice: Sendable {
  /// Identifies the device.
  private(set) var key: UInt64 = .max
  private var isReported = false
  private var name: [UInt8]?
  private var generation = -1
  /// The numbers of its distinct data, and of its kinds of data.
  private var payloads = 0
  private var streams = 0
  private var changes = 0
  /// The number of changes of its data since the last report.
  private(set) var newChanges = 0
  private var connections = 0
  /// The RSSI that was reported last in dBm, and the average of recent ones in sixteenths of a dBm.
  private(set) var signal: Int?
  private var middle = 0
  private var dataTime: Timestamp?
  private var signalTime: Timestamp?
  private var time: Timestamp?

  /// The minimum time between reports of frequent changes, in nanoseconds.
  private static let shortest: Int64 = 10_000_000_000
  /// The RSSI of a device at rest varies by less than this in dB, across the three channels and
  /// over time.
  private static let leastChange = 15

  init(key: UInt64 = .max) { self.key = key }

  /// Returns whether the name may have changed since the last call.
  mutating func takesName(_ device: Advertiser, generation: Int) -> Bool {
    defer { self.generation = generation }
    return !isReported || generation != self.generation
      || device.payloads.all.count != payloads
  }

  /// The current RSSI in dBm.
  var level: Int { Int((Double(middle) / 16).rounded()) }

  /// Records the current state of a device.
  ///
  /// - Parameters:
  ///   - name: its name, if `isNamed`.
  /// - Returns: the news to report.
  mutating func update(
    _ device: Advertiser, name: [UInt8]?, isNamed: Bool, _ time: Timestamp?
  ) -> DeviceNews {
    self.time = time
    var news: DeviceNews = []
    if isNamed, let name, name != self.name {
      news.insert(.name)
      self.name = name
    }
    if device.payloads.all.count != payloads {
      payloads = device.payloads.all.count
      var seen: [AdvertisingStream] = []
      for payload in device.payloads.all where !seen.contains(payload.stream) {
        seen.append(payload.stream)
      }
      if seen.count != streams { news.insert(.data) }
      streams = seen.count
    }
    newChanges += max(0, device.changes - changes)
    changes = device.changes
    if newChanges > 0, isDue(dataTime) { news.insert(.data) }
    if device.connectionCount > connections { news.insert(.connection) }
    connections = device.connectionCount
    if let now = device.lastSignal {
      middle = signal == nil ? Int(now) * 16 : middle + (Int(now) * 16 - middle) / 4
      if let signal, abs(level - signal) >= Self.leastChange, isDue(signalTime) {
        news.insert(.signal)
      } else if signal == nil {
        signal = Int(now)
        signalTime = time
      }
    }
    // Everything about a new device is news.
    return isReported ? news : .device
  }

  private func isDue(_ before: Timestamp?) -> Bool {
    guard let time, let before else { return false }
    return time.nanoseconds(since: before) >= Self.shortest
  }

  /// Records that this was reported.
  mutating func markReported(_ news: DeviceNews) {
    isReported = true
    if !news.isDisjoint(with: [.device, .data]) {
      dataTime = time
      newChanges = 0
    }
    if news.contains(.signal) {
      signal = level
      signalTime = time
    }
  }
}
