import Bluetooth
import Bytes
import Sessions

/// What is new of a device.
struct DeviceNews: OptionSet {
  let rawValue: UInt8

  /// It was not heard of before.
  static let device = Self(rawValue: 1)
  /// Its name became known, or is another one.
  static let name = Self(rawValue: 2)
  /// It sends other data.
  static let data = Self(rawValue: 4)
  /// It is received much stronger or weaker.
  static let signal = Self(rawValue: 8)
  /// A connection with it came about.
  static let connection = Self(rawValue: 16)

  /// As the JSON contract names them.
  static let keys: [(Self, StaticString)] = [
    (.device, "device"), (.name, "name"), (.data, "data"), (.signal, "rssi"),
    (.connection, "connection"),
  ]
}

/// What was told of a device, and what happened since.
struct ToldDevice: Sendable {
  /// Which device it is.
  private(set) var key: UInt64 = .max
  private var isTold = false
  private var name: [UInt8]?
  private var generation = -1
  /// Its different data, and the ways in which it sends data.
  private var payloads = 0
  private var streams = 0
  private var changes = 0
  /// How often its data changed since that was told.
  private(set) var newChanges = 0
  private var connections = 0
  /// The level that was told last in dBm, and the middle of the latest ones in sixteenths of that.
  private(set) var signal: Int?
  private var middle = 0
  private var dataTime: Timestamp?
  private var signalTime: Timestamp?
  private var time: Timestamp?

  /// What changes often is told no sooner than so long after the last time.
  private static let shortest: Int64 = 10_000_000_000
  /// The levels of a device at rest differ by less, over the three channels and from one moment to the next.
  private static let leastChange = 15

  init(key: UInt64 = .max) { self.key = key }

  /// Whether the name may be another one than when this was asked last.
  mutating func takesName(_ device: Advertiser, generation: Int) -> Bool {
    defer { self.generation = generation }
    return !isTold || generation != self.generation
      || device.payloads.all.count != payloads
  }

  /// The level of now in dBm.
  var level: Int { Int((Double(middle) / 16).rounded()) }

  /// Takes in a device as it is known now.
  ///
  /// - Parameters:
  ///   - name: what it is called, where `isNamed`.
  /// - Returns: what is worth telling.
  mutating func take(
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
    // Of a device that is new everything is.
    return isTold ? news : .device
  }

  private func isDue(_ before: Timestamp?) -> Bool {
    guard let time, let before else { return false }
    return time.nanoseconds(since: before) >= Self.shortest
  }

  /// Notes that this was told.
  mutating func wasTold(_ news: DeviceNews) {
    isTold = true
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
