// What an app sees: calls that it makes and callbacks that it gets, with their arguments, in the words of its
// platform. No text and no JSON: the reports write these.

package import Bluetooth
import Sessions

/// A line of a trace.
package struct Callback: Sendable {
  /// What it is.
  package enum Kind: UInt8, Sendable {
    /// The platform tells the app.
    case callback
    /// The app asks the platform.
    case call
    /// The platform does something of which the app is not told.
    case traffic
    /// The controller's Link Layer is in other states.
    case state

    /// As the JSON contract names it.
    package var key: StaticString {
      switch self {
      case .callback: "callback"
      case .call: "call"
      case .traffic: "traffic"
      case .state: "state"
      }
    }
  }

  /// A named argument.
  package typealias Named = (name: StaticString, value: ArgumentValue)

  /// What it is.
  package var kind: Kind
  /// The method or broadcast, as the platform's documentation writes it; of traffic, what happens.
  package var name: StaticString
  /// Its arguments, in order; what is nil on the platform is left out.
  package var arguments: [Named]
  /// Whether the operating system rather than the app caused it, or keeps it to itself.
  package var isSystem = false
  /// What is to be known of it.
  package var remark: StaticString?

  /// The app is told.
  static func callback(
    _ name: StaticString, _ arguments: [Named] = [], isSystem: Bool = false,
    remark: StaticString? = nil
  ) -> Self {
    Self(
      kind: .callback, name: name, arguments: arguments, isSystem: isSystem, remark: remark)
  }

  /// The app asks.
  static func call(
    _ name: StaticString, _ arguments: [Named] = [], isSystem: Bool = false,
    remark: StaticString? = nil
  ) -> Self {
    Self(kind: .call, name: name, arguments: arguments, isSystem: isSystem, remark: remark)
  }

  /// The app is not told.
  static func traffic(
    _ name: StaticString, _ arguments: [Named] = [], remark: StaticString? = nil
  ) -> Self {
    Self(kind: .traffic, name: name, arguments: arguments, isSystem: true, remark: remark)
  }
}

extension Callback {
  /// Of services whose discovery is not in the capture.
  static let unknownServices: StaticString = "which services these are the capture does not say"

  /// Of an attribute whose discovery is not in the capture.
  static let unknownAttribute: StaticString =
    "what this attribute is the capture does not say: it may be a descriptor; --map can say it"

  /// Of a write with a request of which the capture has no answer, as it has none at all.
  static let answerUnseen: StaticString =
    "whether a callback came is not known: the capture has one direction only"

  /// Of a value that comes though the capture has no subscription to it.
  static let unasked: StaticString =
    "nobody subscribed to it on this connection: the system may keep it from apps"

  /// Something that the app may have waited for, and that did not come: about the app, though it is not told.
  static func absence(
    _ name: StaticString, _ arguments: [Named] = [], remark: StaticString? = nil
  ) -> Self {
    Self(kind: .traffic, name: name, arguments: arguments, remark: remark)
  }

  /// The operating system refuses a client's request, without asking an app.
  static func refusing(
    _ name: StaticString, _ attribute: AppAttribute?, _ request: AppRequest,
    _ error: ArgumentValue, _ device: [Named], isPermission: Bool
  ) -> Self {
    var arguments = device
    arguments.add("attribute", attribute.map { .attribute($0) })
    arguments.add("request", .word(request.key))
    arguments.add("error", error)
    return .traffic(
      name, arguments,
      remark: isPermission
        ? "by the attribute's permissions, as a rule; an app that refuses by itself was asked before"
        : nil)
  }
}

/// The value of an argument.
package indirect enum ArgumentValue: Sendable {
  /// Nothing, where that says something: no error.
  case null
  case flag(Bool)
  case number(Int)
  /// A constant of the platform's.
  case word(StaticString)
  /// One of a fixed set: as JSON names it, and in words.
  case choice(StaticString, StaticString)
  /// One with its number: `CBATTError.insufficientAuthentication` (5). Without a name the number is all.
  case code(StaticString?, Int)
  /// A string from the air.
  case text([UInt8])
  case bytes([UInt8])
  /// So many bytes that are secret.
  case hidden(Int, [UInt8])
  case address(DeviceAddress)
  case uuid(BluetoothUUID)
  case attribute(AppAttribute)
  case service(AppService)
  /// A characteristic with its properties by the platform's names.
  case characteristic(AppCharacteristic, [StaticString])
  case descriptor(AppDescriptor)
  case list([ArgumentValue])
  /// Bytes by what they belong to.
  case pairs([(key: ArgumentValue, value: ArgumentValue)])

  /// A status of HCI, which apps never see.
  static func status(_ status: StatusCode) -> ArgumentValue {
    .code(status.name, Int(status.rawValue))
  }
  /// Advertised values by the platform's keys, each with whether the scan response brought it.
  case dictionary([Entry])
  case object([Callback.Named])
}

extension ArgumentValue {
  /// An advertised value under the platform's key, and whether the scan response brought it.
  package typealias Entry = (key: StaticString, value: ArgumentValue, isScanResponse: Bool)

  /// The values of advertising data, in the order of the structures; of an advertisement, or of a scan response, what
  /// has one key is one value.
  static func entries(
    _ structures: [AdvertisedStructure],
    _ entry: (AdvertisedStructure) -> (key: StaticString, value: ArgumentValue)?
  ) -> [Entry] {
    var entries: [Entry] = []
    for structure in structures {
      guard let (key, value) = entry(structure) else { continue }
      if let known = entries.firstIndex(where: {
        $0.key.description == key.description && $0.isScanResponse == structure.isScanResponse
      }) {
        entries[known].value = entries[known].value.joined(with: value)
      } else {
        entries.append((key, value, structure.isScanResponse))
      }
    }
    return entries
  }

  /// Lists and service data add up; of others the last one counts.
  private func joined(with second: ArgumentValue) -> ArgumentValue {
    switch (self, second) {
    case (.list(let before), .list(let after)): .list(before + after)
    case (.pairs(let before), .pairs(let after)): .pairs(before + after)
    default: second
    }
  }
}

/// A named argument; where the type of a list of them cannot be told otherwise.
func named(_ name: StaticString, _ value: ArgumentValue) -> Callback.Named { (name, value) }

extension Array where Element == Callback.Named {
  /// Appends an argument that is not nil.
  mutating func add(_ name: StaticString, _ value: ArgumentValue?) {
    if let value { append((name, value)) }
  }
}

/// A platform: what its apps are told.
package enum Platform: String, Sendable, CaseIterable {
  case corebluetooth, android

  /// The lines of a trace that an event makes.
  package func callbacks(_ event: AppEvent) -> [Callback] {
    if case .linkLayer(let states) = event.what {
      let words = states.isEmpty ? [ArgumentValue.word("standby")] : states.map { .word($0.key) }
      return [
        Callback(
          kind: .state, name: "link layer", arguments: [("states", .list(words))], isSystem: true)
      ]
    }
    return switch self {
    case .corebluetooth: CoreBluetooth.callbacks(event)
    case .android: Android.callbacks(event)
    }
  }
}

extension AppEvent {
  /// The other device as an argument.
  var peerArgument: ArgumentValue? { peer.map { .address($0) } }
}

extension ValueOutcome.Reason {
  /// Why there is no callback.
  var argument: ArgumentValue {
    switch self {
    case .connectionEnded: .choice(key, "the connection ended")
    case .timedOut: .choice(key, "ATT's timeout of 30 s has passed")
    case .overtaken: .choice(key, "later requests were answered")
    case .recordsLost: .choice(key, "the capture lacks records, and perhaps the answer")
    case .captureEnded: .choice(key, "the capture ends")
    case .forgotten: .choice(key, "too many were waited for")
    }
  }
}

extension AppAttribute {
  /// What is to be said of it where the capture does not say what it is.
  var unknownRemark: StaticString? { identity.uuid == nil ? Callback.unknownAttribute : nil }
}

extension AppValue {
  /// Whether the capture does not say what the attribute is.
  var isOfUnknown: Bool { attribute.identity.uuid == nil }

  /// The value as an argument; nil where there is none.
  var argument: ArgumentValue? {
    bytes.map { isHidden ? .hidden($0.count, $0) : .bytes($0) }
  }
}

extension AppAnswer {
  /// The value as an argument; nil where there is none.
  var argument: ArgumentValue? {
    value.map { isHidden ? .hidden($0.count, $0) : .bytes($0) }
  }
}

extension AppWrite {
  /// The bytes as an argument.
  var argument: ArgumentValue { isHidden ? .hidden(bytes.count, bytes) : .bytes(bytes) }
}
