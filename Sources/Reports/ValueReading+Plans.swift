import Bluetooth
import Decoders

/// What is kept of UUIDs and messages.
extension ValueReading {
  /// How a value crosses a link.
  typealias Way = VendorProtocol.Way

  /// What a plan is for: a UUID that is used as this kind; nil for attributes that are not known.
  struct PlanSubject: Equatable, Sendable {
    var kind: Subject.Kind
    var uuid: BluetoothUUID?

    /// How many values `hint` has.
    static let hints = 256

    /// A number by which it is looked for first. The highest byte of the product depends on all bits:
    /// with the lowest bits alone, UUIDs that take turns would often share a number and be searched for.
    var hint: Int {
      let bits =
        (uuid?.low ?? 0) ^ (uuid?.high ?? 0) ^ UInt64(truncatingIfNeeded: kind.rawValue) &<< 32
      return Int(truncatingIfNeeded: (bits &* 0x9e37_79b9_7f4a_7c15) &>> 56)
    }
  }

  /// What there is for one UUID.
  struct Plan: Sendable {
    var definitions: [Definition] = []
    /// Whether nothing but profiles has a name for it.
    var isNameless = false
    /// What people's own profiles call it.
    var ownName: String?
    /// Protocols that may be spoken, by their place, and whether only a frame tells.
    var claims: [(vendor: Int, isByFrame: Bool)] = []
    /// Whether the service or the device's name decides, so that both are asked for each time.
    var needsContext = false
    /// Whether there is nothing but protocols that a frame has to tell.
    var isByFrameAlone = false
    /// What its values are kept for, since they say what others mean.
    var use: KnownValues.Use?
    /// Whether only what knows the secrets in such values may read them.
    var isClosed = false
  }

  /// A message of a request or indication, which `values` asks for again when its answer has come.
  struct Recent: Sendable {
    var packet: Int
    var handle: UInt16
    /// The message, and those behind it in the same value; nil at a control point.
    var sighting: VendorSighting?
    var following: [VendorSighting] = []
    /// What the value of a control point answers.
    var control: ExchangeNote?
  }
}
