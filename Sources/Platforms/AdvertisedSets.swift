import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The advertising sets of a controller, with their data. Bounded: sets beyond the limit are not
/// followed.
struct AdvertisedSets: Sendable {
  private struct Advertised: Sendable {
    var set: AdvertisingSet
    var parameters: AdvertisingParameters?
    var parts = AdvertisingDataParts()
    var advertising: [UInt8] = []
    var scanResponse: [UInt8] = []
    var isOn = false
  }

  private var all: [Advertised] = []

  private static let mostSets = 256

  /// Whether any set is enabled.
  var isAnyOn: Bool { all.contains { $0.isOn } }

  private mutating func place(_ set: AdvertisingSet) -> Int? {
    if let known = all.firstIndex(where: { $0.set == set }) { return known }
    guard all.count < Self.mostSets else { return nil }
    all.append(Advertised(set: set))
    return all.count - 1
  }

  /// Applies a command that was carried out.
  ///
  /// - Parameter isCut: whether the capture lacks part of the parameters.
  mutating func observe(_ command: AdvertisingCommand, _ parameters: RawSpan, isCut: Bool) {
    switch command {
    case .parameters(let set, let wanted):
      if let place = place(set) { all[place].parameters = wanted }
    case .data(let set, let kind, let operation, let slice):
      guard let place = place(set),
        let data = all[place].parts.add(kind, operation, parameters.part(slice), isCut: isCut)
      else { return }
      switch kind {
      case .advertising: all[place].advertising = data.bytes
      case .scanResponse: all[place].scanResponse = data.bytes
      case .periodic: break
      }
    case .instance(let set, let wanted, let advertising, let scanResponse):
      guard let place = place(set) else { return }
      all[place].parameters = wanted
      all[place].advertising = parameters.part(advertising).array
      all[place].scanResponse = parameters.part(scanResponse).array
    case .remove(let family, let handle):
      all.removeAll { $0.set.family == family && (handle == nil || $0.set.handle == handle) }
    case .address, .enable, .periodic: break
    }
  }

  /// Forgets the beginning of data of which a part was refused.
  mutating func refuse(_ command: AdvertisingCommand) {
    guard case .data(let set, let kind, _, _) = command,
      let known = all.firstIndex(where: { $0.set == set })
    else { return }
    all[known].parts.forget(kind)
  }

  /// Enables or disables a set.
  mutating func turn(_ set: AdvertisingSet, isOn: Bool) {
    if let known = all.firstIndex(where: { $0.set == set }) {
      all[known].isOn = isOn
    } else if isOn, let place = place(set) {
      all[place].isOn = true
    }
  }

  /// Disables these sets, or all if none is named.
  ///
  /// - Returns: whether one was enabled.
  mutating func turnOff(_ named: [AdvertisingSet]) -> Bool {
    var wasOn = false
    for place in all.indices where named.isEmpty || named.contains(all[place].set) {
      wasOn = wasOn || all[place].isOn
      all[place].isOn = false
    }
    return wasOn
  }

  /// Returns what a set advertises, as far as it is known.
  func own(_ set: AdvertisingSet) -> OwnAdvertisement {
    let known = all.first { $0.set == set }
    let properties = known?.parameters?.properties
    let (advertising, scanResponse) = (known?.advertising ?? [], known?.scanResponse ?? [])
    return OwnAdvertisement(
      isConnectable: properties.map { $0 & 1 == 1 },
      structures: AdvertisedStructure.all(in: advertising.bytes, isScanResponse: false)
        + AdvertisedStructure.all(in: scanResponse.bytes, isScanResponse: true))
  }
}
