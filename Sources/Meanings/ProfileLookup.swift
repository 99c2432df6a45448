package import Bluetooth
import Bytes
package import Decoders
package import Sessions

/// Finds what decodes the values of an attribute.
///
/// Profiles are loaded when the first value arrives, and what applies to a UUID is found only once.
package struct ProfileLookup: Sendable {
  /// What applies to one UUID.
  struct Plan: Sendable {
    fileprivate(set) var definitions: [ListedDefinition] = []
    /// If there are many, the indexes of those that allow a value of 0, 1, 2, … bytes. Longer
    /// values are compared with all.
    fileprivate var bySize: [[Int]] = []
    /// Whether only profiles name it.
    fileprivate(set) var isNameless = false
    /// The name in the user's profiles.
    fileprivate(set) var ownName: String?
    /// The protocols that may be used, by index, and whether only a frame identifies them.
    fileprivate(set) var claims: [(vendor: Int, isByFrame: Bool)] = []
    /// The bits (`VendorProtocol.bit`) of those that are used whatever the context is, and of those
    /// that only some services or devices use; then the context that `claims` is for.
    fileprivate var fixed: UInt64 = 0
    fileprivate var contextual: UInt64 = 0
    fileprivate var context = Context()
    /// Whether the service or the device's name decides which definition is used, so that both are
    /// looked up each time.
    fileprivate var needsContext = false
    /// Whether the device's name decides which definition is used.
    fileprivate(set) var needsName = false
    /// Whether there are only protocols that a frame has to identify.
    fileprivate var isByFrameAlone = false
    /// Why its values are kept: they determine the meaning of others.
    fileprivate(set) var use: KnownValues.Use?
    /// Whether its values contain secrets, so that only code that knows them may decode the values.
    fileprivate(set) var isClosed = false
  }

  /// Where a value is from, apart from its UUID.
  struct Context: Equatable, Sendable {
    var service: BluetoothUUID?
    /// The device's name.
    var name: [UInt8]?

    /// Returns whether the device's name matches a pattern with `*` and `?`.
    func isOfDevice(_ pattern: String) -> Bool { name?.fits(pattern) ?? false }
  }

  /// What a plan is for: a UUID of this kind, or nil for attributes that are unknown and for serial
  /// channels.
  private struct PlanSubject: Equatable, Sendable {
    var kind: Subject.Kind
    var uuid: BluetoothUUID?
    var channel: SerialChannel?

    /// The number of different values of `hint`.
    static let hints = 256

    /// A number for finding the plan quickly. The highest byte of the product depends on all bits;
    /// with the lowest bits alone, alternating UUIDs would often share a number and be searched
    /// for.
    var hint: Int {
      let bits =
        (uuid?.low ?? 0) ^ (uuid?.high ?? 0) ^ UInt64(truncatingIfNeeded: kind.rawValue) &<< 32
        ^ UInt64(channel?.number ?? 0)
      return Int(truncatingIfNeeded: (bits &* 0x9e37_79b9_7f4a_7c15) &>> 56)
    }
  }

  package let showsKeys: Bool
  private let supplied: SuppliedProfiles?
  /// The attributes whose values are secret.
  private let secretTypes: SecretTypes
  private var library: ProfileLibrary?
  package private(set) var vendors: [VendorProtocol] = []
  private var plans: [Plan] = []
  /// The subjects of the plans, kept separately: comparing a plan's own subject would count its
  /// references.
  private var subjects: [PlanSubject] = []
  /// Where the plan of a subject was found last, by `PlanSubject.hint`.
  private var hints = [Int](repeating: 0, count: PlanSubject.hints)
  /// For each byte, the bits of the protocols whose frames can begin with it.
  private var starts: [UInt64] = []
  private var isReady = false
  private let passing = PassedByReference()

  /// The maximum number of UUIDs that are remembered.
  private static let mostPlans = 1024

  /// - Parameter supplied: the user's profiles, which come before the built-in ones; nil: there are
  ///   none.
  package init(_ supplied: SuppliedProfiles?, showsKeys: Bool) {
    self.supplied = supplied
    self.showsKeys = showsKeys
    secretTypes = SecretTypes(supplied?.secretTypes ?? [])
  }

  /// How many of `vendors` come from the user's files.
  package var ownVendors: Int { library?.ownVendors ?? 0 }

  /// Loads the profiles if needed. Returns whether there are any.
  package mutating func load() -> Bool {
    if !isReady { prepare() }
    return library != nil
  }

  @inline(never)
  private mutating func prepare() {
    isReady = true
    guard let supplied else { return }
    let library = ProfileLibrary(own: supplied.definitions, vendors: supplied.vendors)
    vendors = library.vendors
    self.library = library
    starts = (0...UInt8.max).map { byte in
      vendors.indices.reduce(0) { bits, vendor in
        vendors[vendor].canBegin(with: byte) ? bits | VendorProtocol.bit(vendor) : bits
      }
    }
  }

  // MARK: Plans

  /// Returns the index of the plan for a UUID; nil stands for unknown attributes. The profiles must
  /// be loaded.
  package mutating func plan(_ kind: Subject.Kind, _ uuid: BluetoothUUID?) -> Int {
    plan(PlanSubject(kind: kind, uuid: uuid))
  }

  /// Returns the index of the plan for a serial channel. The profiles must be loaded.
  mutating func plan(_ channel: SerialChannel) -> Int {
    plan(PlanSubject(kind: .characteristic, channel: channel))
  }

  @inline(__always)
  private mutating func plan(_ subject: PlanSubject) -> Int {
    let place = hints[subject.hint]
    return place < subjects.count && subjects[place] == subject ? place : makePlan(subject)
  }

  subscript(plan: Int) -> Plan { _read { yield plans[plan] } }

  @inline(never)
  private mutating func makePlan(_ subject: PlanSubject) -> Int {
    if let known = subjects.firstIndex(of: subject) {
      hints[subject.hint] = known
      return known
    }
    if plans.count >= Self.mostPlans {
      plans.removeAll()
      subjects.removeAll()
    }
    let (kind, uuid) = (subject.kind, subject.uuid)
    var plan = Plan()
    if let uuid {
      plan.definitions = library?.listed(kind, uuid) ?? []
      if plan.definitions.count > Self.few { plan.bySize = Self.bySize(plan.definitions) }
      plan.isNameless = uuid.name(as: kind == .characteristic ? .characteristic : nil) == nil
      plan.ownName = library?.ownName(kind, uuid)
      plan.use = KnownValues.use(kind, uuid, library?.wanted ?? [])
    }
    plan.needsContext = plan.definitions.contains {
      $0.subject.service != nil || $0.subject.device != nil || $0.subject.ownAddress != nil
    }
    plan.needsName = plan.definitions.contains { $0.subject.device != nil }
    if kind == .characteristic {
      plan.claims = vendors.claims(uuid, subject.channel, service: nil) { _ in false }
      for (place, vendor) in vendors.enumerated()
      where vendor.needsContext(on: uuid, subject.channel) {
        plan.contextual |= VendorProtocol.bit(place)
      }
    }
    for claim in plan.claims { plan.fixed |= VendorProtocol.bit(claim.vendor) }
    plan.isByFrameAlone =
      plan.definitions.isEmpty && !plan.needsContext && plan.contextual == 0
      && plan.claims.allSatisfy(\.isByFrame)
    plan.isClosed = (kind == .characteristic || kind == .descriptor) && hides(uuid)
    plans.append(plan)
    subjects.append(subject)
    hints[subject.hint] = plans.count - 1
    return plans.count - 1
  }

  // MARK: What decodes a value

  /// Returns whether nothing decodes a value by itself. It may still continue an open frame.
  func decodesNothing(_ plan: Int, _ value: RawSpan) -> Bool {
    plans[plan].isByFrameAlone
      && (value.byteCount == 0 || starts(value) & plans[plan].fixed == 0)
  }

  /// Returns the bits of the protocols whose frames can begin like a value, which is not empty.
  func starts(_ value: RawSpan) -> UInt64 { starts[Int(value.byte(at: 0))] }

  /// Returns whether the service or the device's name decides what decodes a value.
  ///
  /// - Parameter isAny: whether values count that do not begin like a frame.
  func needsContext(_ plan: Int, _ value: RawSpan, isAny: Bool) -> Bool {
    if plans[plan].needsContext { return true }
    let contextual = plans[plan].contextual
    return contextual != 0 && value.byteCount > 0 && (isAny || starts(value) & contextual != 0)
  }

  /// Returns the definition that decodes a value.
  ///
  /// - Parameters:
  ///   - sender: the address of an advertiser.
  ///   - isOfDevice: whether the device's name matches a pattern with `*` and `?`.
  package func definition(
    _ plan: Int, _ service: BluetoothUUID?, _ value: RawSpan, sender: DeviceAddress? = nil,
    _ isOfDevice: (String) -> Bool
  ) -> Definition? {
    func isUsed(_ definition: ListedDefinition) -> Bool {
      guard definition.fits(value) else { return false }
      guard plans[plan].needsContext else { return true }
      let subject = definition.subject
      if let wanted = subject.service, wanted.shortest != service?.shortest { return false }
      if let device = subject.device, !isOfDevice(device) { return false }
      return subject.fits(sender: sender, value)
    }
    let place =
      value.byteCount < plans[plan].bySize.count
      ? plans[plan].bySize[value.byteCount].first { isUsed(plans[plan].definitions[$0]) }
      : plans[plan].definitions.firstIndex(where: isUsed)
    guard let place, let definition = plans[plan].definitions[place].definition else { return nil }
    return plans[plan].isClosed && !definition.hasSecrets ? nil : definition
  }

  /// Returns whether a definition of a plan may decode a value with a number of bytes.
  func mayDecode(_ plan: Int, count: Int) -> Bool {
    count < plans[plan].bySize.count
      ? !plans[plan].bySize[count].isEmpty : !plans[plan].definitions.isEmpty
  }

  /// The most definitions of a UUID that are compared one by one.
  private static let few = 4

  /// Returns the indexes of the definitions that allow each number of bytes of a legacy
  /// advertisement.
  private static func bySize(_ definitions: [ListedDefinition]) -> [[Int]] {
    (0...31).map { count in
      definitions.indices.filter { index in
        let subject = definitions[index].subject
        return subject.match.count <= count && subject.sizes?.contains(count) ?? true
      }
    }
  }

  /// Finds the protocols that may be used in a context, unless those of the plan are for it.
  @inline(__always)
  mutating func settle(_ plan: Int, _ context: Context) {
    if plans[plan].contextual != 0, plans[plan].context != context { resettle(plan, context) }
  }

  @inline(never)
  private mutating func resettle(_ plan: Int, _ context: Context) {
    plans[plan].context = context
    plans[plan].claims = vendors.claims(
      subjects[plan].uuid, subjects[plan].channel, service: context.service,
      isOfDevice: context.isOfDevice)
  }

  /// Returns the message that a value of a characteristic is, judging by its bytes alone.
  mutating func message(
    _ uuid: BluetoothUUID, service: BluetoothUUID?, _ value: RawSpan, isWritten: Bool
  ) -> VendorSighting? {
    guard
      case .message(let sighting)? = library?.match(
        .characteristic, uuid, service: service, value, isWritten: isWritten,
        isOfDevice: { _ in false }),
      sighting.vendor.hasSecrets || !hides(uuid)
    else { return nil }
    return sighting
  }

  /// Returns the definition of a characteristic's value to which other definitions refer.
  mutating func external(_ uuid: BluetoothUUID, _ value: RawSpan) -> Definition? {
    library?.find(.characteristic, uuid, service: nil, value, isOfDevice: { _ in false })
  }

  /// Returns all definitions of a characteristic, a company, and so on.
  package mutating func definitions(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> [Definition] {
    load() ? library?.definitions(kind, uuid) ?? [] : []
  }

  /// Returns why the values of an attribute are kept, or nil if they are not, or no profiles were
  /// needed so far.
  mutating func use(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> KnownValues.Use? {
    library == nil ? nil : plans[plan(kind, uuid)].use
  }

  // MARK: Names and secrets

  /// Returns the name of a characteristic in the user's profiles, which overrides every other name.
  package mutating func ownName(_ uuid: BluetoothUUID) -> String? {
    load() ? plans[plan(.characteristic, uuid)].ownName : nil
  }

  /// Returns whether the values of a type are secret, and secrets are not shown.
  func hides(_ uuid: BluetoothUUID?) -> Bool { !showsKeys && secretTypes.contains(uuid) }

  /// Returns whether an attribute's value is hidden, so that it may be decoded only by code that
  /// hides secrets.
  package func hides(_ use: AttributeUse, _ uuid: BluetoothUUID?) -> Bool {
    !showsKeys && (use.isSecret || secretTypes.contains(uuid))
  }
}
