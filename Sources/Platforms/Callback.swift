// What an app sees: calls that it makes and callbacks that it gets, with their arguments, in the
// terms of its platform. The reports turn this into text and JSON.

import Bluetooth
import Bytes
import Sessions

/// A line of a trace.
struct Callback: Sendable {
  /// The kind of a line.
  enum Kind: JSONKey, Sendable {
    /// The platform notifies the app.
    case callback = "callback"
    /// The app calls the platform.
    case call = "call"
    /// The platform does something without notifying the app.
    case traffic = "traffic"
    /// The states of the controller's Link Layer have changed.
    case state = "state"
  }

  /// A named argument.
  typealias Named = (name: StaticString, value: ArgumentValue)

  /// The kind of the line.
  var kind: Kind
  /// The method or broadcast as written in the platform's documentation; for traffic, what happens.
  var name: StaticString
  /// Its arguments, in order; what is nil on the platform is left out.
  var arguments: [Named]
  /// Whether the operating system rather than the app caused it, or keeps it to itself.
  var isSystem = false
  /// A remark about it.
  var remark: StaticString?

  /// Creates a callback: the app is notified.
  static func callback(
    _ name: StaticString, _ arguments: [Named] = [], isSystem: Bool = false,
    remark: StaticString? = nil
  ) -> Self {
    Self(
      kind: .callback, name: name, arguments: arguments, isSystem: isSystem, remark: remark)
  }

  /// Creates a call: the app makes a request.
  static func call(
    _ name: StaticString, _ arguments: [Named] = [], isSystem: Bool = false,
    remark: StaticString? = nil
  ) -> Self {
    Self(kind: .call, name: name, arguments: arguments, isSystem: isSystem, remark: remark)
  }

  /// Creates a line for traffic: the app is not notified.
  static func traffic(
    _ name: StaticString, _ arguments: [Named] = [], remark: StaticString? = nil
  ) -> Self {
    Self(kind: .traffic, name: name, arguments: arguments, isSystem: true, remark: remark)
  }
}

extension Callback {
  /// For services whose discovery is missing from the capture.
  static let unknownServices: StaticString = "the capture does not show which services these are"

  /// For an attribute whose discovery is missing from the capture.
  static let unknownAttribute: StaticString =
    "the capture does not show what this attribute is: it may be a descriptor; --map can name it"

  /// For a write with a request in a capture that has no answers at all.
  static let answerUnseen: StaticString =
    "it is unknown whether a callback came: the capture has no answer to any request"

  /// For a value that comes without a subscription in the capture.
  static let unasked: StaticString =
    "no subscription on this connection: the system may not pass it to apps"

  /// For a pairing whose key may be used later, although the capture lacks keys.
  static let unsettledBond: StaticString =
    "it is unknown whether a bond exists: the capture does not show that all keys were distributed"

  /// For an application error, whose code is the server's own (Core, Vol 3, Part F, 3.4.1.1), if
  /// Android has a name for the code.
  static let applicationError: StaticString =
    "the code is the server's own: Android's name for it does not apply"

  /// Creates a line for something that the app may have waited for and that did not happen: it
  /// concerns the app, although the app is not notified.
  static func absence(
    _ name: StaticString, _ arguments: [Named] = [], remark: StaticString? = nil
  ) -> Self {
    Self(kind: .traffic, name: name, arguments: arguments, remark: remark)
  }

  /// Creates a line for a client's request that the operating system refuses without involving an
  /// app.
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
        ? "usually by the attribute's permissions; if the app itself refused, it received the request first"
        : nil)
  }
}

indirect enum ArgumentValue: Sendable {
  /// Nothing, if that is meaningful: no error.
  case null
  case flag(Bool)
  case number(Int)
  /// Where a value begins in the attribute's.
  case offset(Int)
  /// Whether a value is part of a prepared write.
  case prepared(Bool)
  /// A constant of the platform.
  case word(StaticString)
  /// One of a fixed set: its name in JSON, and in words.
  case choice(StaticString, StaticString)
  /// A constant with its number: `CBATTError.insufficientAuthentication` (5). Without a name there
  /// is only the number.
  case code(AssignedName?, Int)
  /// A string that was received.
  case text([UInt8])
  case bytes([UInt8])
  /// A number of bytes that are secret.
  case hidden(Int, [UInt8])
  case address(DeviceAddress)
  case uuid(BluetoothUUID)
  case attribute(AppAttribute)
  case service(AppService)
  /// A characteristic, with its properties by the platform's names.
  case characteristic(AppCharacteristic, [StaticString])
  case descriptor(AppDescriptor)
  case list([ArgumentValue])
  /// Pairs of what bytes belong to and the bytes.
  case pairs([(key: ArgumentValue, value: ArgumentValue)])

  /// Returns an HCI status, which apps never see.
  static func status(_ status: StatusCode) -> ArgumentValue {
    .code(status.name, Int(status.rawValue))
  }
  /// Advertised values by the platform's keys, each with whether it was in the scan response.
  case dictionary([Entry])
  case object([Callback.Named])
}

extension ArgumentValue {
  /// An advertised value with the platform's key, and whether it was in the scan response.
  typealias Entry = (key: StaticString, value: ArgumentValue, isScanResponse: Bool)

  /// Returns the values of advertising data, in the order of the structures. Values with the same
  /// key within an advertisement, or within a scan response, become one.
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

  /// Returns both values joined: lists and service data are concatenated; otherwise the last one
  /// counts.
  private func joined(with second: ArgumentValue) -> ArgumentValue {
    switch (self, second) {
    case (.list(let before), .list(let after)): .list(before + after)
    case (.pairs(let before), .pairs(let after)): .pairs(before + after)
    default: second
    }
  }
}

/// Returns a named argument, for lists of them whose type cannot be inferred otherwise.
func named(_ name: StaticString, _ value: ArgumentValue) -> Callback.Named { (name, value) }

extension Array where Element == Callback.Named {
  /// Appends an argument that is not nil.
  mutating func add(_ name: StaticString, _ value: ArgumentValue?) {
    if let value { append((name, value)) }
  }
}

/// A platform, which determines the callbacks of its apps.
package enum Platform: String, Sendable, CaseIterable {
  case corebluetooth, android

  /// Returns the lines of a trace for an event.
  func callbacks(_ event: AppEvent) -> [Callback] {
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
    case .timedOut: .choice(key, "no answer within 30 s (ATT timeout)")
    case .overtaken: .choice(key, "later requests were answered")
    case .recordsLost: .choice(key, "the capture lacks records, and perhaps the answer")
    case .captureEnded: .choice(key, "the capture ends")
    case .forgotten: .choice(key, "too many were pending")
    }
  }
}

extension AppAttribute {
  /// The remark about it if the capture does not show what it is.
  var unknownRemark: StaticString? { identity.uuid == nil ? Callback.unknownAttribute : nil }
}

extension AppValue {
  /// Whether the capture does not show what the attribute is.
  var isOfUnknown: Bool { attribute.identity.uuid == nil }

  /// The value as an argument, if any.
  var argument: ArgumentValue? {
    bytes.map { isHidden ? .hidden($0.count, $0) : .bytes($0) }
  }
}

extension AppAnswer {
  /// The value as an argument, if any.
  var argument: ArgumentValue? {
    value.map { isHidden ? .hidden($0.count, $0) : .bytes($0) }
  }
}

extension AppWrite {
  /// The bytes as an argument.
  var argument: ArgumentValue { isHidden ? .hidden(bytes.count, bytes) : .bytes(bytes) }
}
