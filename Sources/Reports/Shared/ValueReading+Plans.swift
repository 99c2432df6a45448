import Bluetooth
import Decoders

/// What is cached for UUIDs and messages.
extension ValueReading {
  /// How a value is transferred.
  typealias Way = VendorProtocol.Way

  /// What a plan is for: a UUID of this kind, or nil for attributes that are unknown.
  struct PlanSubject: Equatable, Sendable {
    var kind: Subject.Kind
    var uuid: BluetoothUUID?

    /// The number of different values of `hint`.
    static let hints = 256

    /// A number for finding the plan quickly. The highest byte of the product depends on all bits;
    /// with the lowest bits alone, alternating UUIDs would often share a number and be searched
    /// for.
    var hint: Int {
      let bits =
        (uuid?.low ?? 0) ^ (uuid?.high ?? 0) ^ UInt64(truncatingIfNeeded: kind.rawValue) &<< 32
      return Int(truncatingIfNeeded: (bits &* 0x9e37_79b9_7f4a_7c15) &>> 56)
    }
  }

  /// The cached lookups for one UUID.
  struct Plan: Sendable {
    var definitions: [Definition] = []
    /// Whether only profiles name it.
    var isNameless = false
    /// The name in the user's profiles.
    var ownName: String?
    /// The protocols that may be used, by index, and whether only a frame identifies them.
    var claims: [(vendor: Int, isByFrame: Bool)] = []
    /// Whether the service or the device's name decides, so that both are looked up each time.
    var needsContext = false
    /// Whether there are only protocols that a frame has to identify.
    var isByFrameAlone = false
    /// Why its values are kept: they determine the meaning of others.
    var use: KnownValues.Use?
    /// Whether its values contain secrets, so that only code that knows them may decode the values.
    var isClosed = false
  }

  /// A message in a request or indication, which `values` needs again when the answer has arrived.
  struct Recent: Sendable {
    var packet: Int
    var handle: UInt16
    /// The message, and those after it in the same value; nil for a control point.
    var sighting: VendorSighting?
    var following: [VendorSighting] = []
    /// What the value of a control point answers.
    var control: ExchangeNote?
  }
}
