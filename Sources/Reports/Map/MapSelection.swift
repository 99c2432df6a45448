// Selects the devices that `map` shows, and their attributes.

import Bluetooth
import Sessions

/// How much is known of a device's attributes, whether they are shown or not.
struct MapSummary: Sendable {
  let services: Int
  let characteristics: Int
  let descriptors: Int
  /// How much of it was inferred.
  let inferred: Part
  let unknown: Int
  let serviceExtent: MapDevice.Extent
  let characteristicExtent: MapDevice.Extent
  let descriptorExtent: MapDevice.Extent
  let includeExtent: MapDevice.Extent
  /// How much of it was supplied.
  let supplied: Part
  /// Whether all of it was supplied.
  let isAllSupplied: Bool

  /// The attributes that are known in one way.
  struct Part: Sendable {
    let services: Int
    let characteristics: Int
    let descriptors: Int

    var count: Int { services + characteristics + descriptors }

    init(_ device: MapDevice, _ via: Attribute.Via) {
      services = device.services.count { $0.declaration.via == via }
      characteristics = device.characteristics.count {
        !$0.isPlaceholder && $0.attribute.via == via
      }
      descriptors = device.characteristics.reduce(0) { count, characteristic in
        count + characteristic.descriptors.count { $0.attribute.via == via }
      }
    }
  }

  init(_ device: MapDevice) {
    services = device.services.count
    characteristics = device.characteristics.count { !$0.isPlaceholder }
    descriptors = device.descriptorCount
    inferred = Part(device, .inferred)
    unknown = device.unknown.count
    serviceExtent = device.serviceExtent
    characteristicExtent = device.characteristicExtent
    descriptorExtent = device.descriptorExtent
    includeExtent = device.includeExtent
    supplied = Part(device, .supplied)
    isAllSupplied = supplied.count == services + characteristics + descriptors
  }
}

extension MapDevice {
  /// Returns the device with what is selected of it, or nil if that is nothing.
  func chosen(by selection: Selection) -> MapDevice? {
    guard selection.admits(excluding: \.isOfParties, { isMatch(for: $0) }) else { return nil }
    let exclusions = selection.excluded.filter(\.isOfAttributes)
    guard selection.isOfAttributes || !exclusions.isEmpty else { return self }
    var chosen = self
    chosen.wholeSummary = MapSummary(self)
    if selection.isOfAttributes {
      chosen.services = services.compactMap { $0.chosen(by: selection) }
      chosen.loose = loose.compactMap { $0.chosen(by: selection) }
      chosen.unknown = unknown.filter { isChosen($0, by: selection) }
    }
    for exclusion in exclusions {
      chosen.services.removeAll { exclusion.chooses($0.declaration.handle, $0.declaration.uuid) }
      for index in chosen.services.indices { chosen.services[index].exclude(exclusion) }
      chosen.loose.exclude(exclusion)
      chosen.unknown.removeAll { isChosen($0, by: exclusion) }
    }
    return chosen.isEmpty ? nil : chosen
  }

  /// Returns whether the device is selected, apart from exclusions. One with several connections or
  /// controllers is excluded if all of them are.
  private func isMatch(for selection: Selection) -> Bool {
    (selection.devices.isEmpty || selection.devices.contains { $0.matches(self) })
      && (selection.connections.isEmpty
        || connections.contains(where: selection.admits(connection:)))
      && (selection.adapters.isEmpty || adapters.contains(where: selection.admits(adapter:)))
  }

  private func isChosen(_ unknown: MapUnknown, by selection: Selection) -> Bool {
    selection.chooses(unknown.handle, unknown.isConfiguration ? .clientConfiguration : nil)
      || descriptors(of: unknown.handle).contains {
        selection.chooses($0.attribute.handle, $0.attribute.uuid)
      }
  }
}

extension MapService {
  /// Returns the whole service if it is selected itself, otherwise its selected characteristics and
  /// includes.
  fileprivate func chosen(by selection: Selection) -> MapService? {
    if selection.chooses(declaration.handle, declaration.uuid) { return self }
    var chosen = self
    chosen.includes = includes.filter { selection.chooses($0.handle, $0.uuid) }
    chosen.characteristics = characteristics.compactMap { $0.chosen(by: selection) }
    return chosen.includes.isEmpty && chosen.characteristics.isEmpty ? nil : chosen
  }

  /// Removes what is excluded from the service.
  fileprivate mutating func exclude(_ exclusion: Selection) {
    includes.removeAll { exclusion.chooses($0.handle, $0.uuid) }
    characteristics.exclude(exclusion)
  }
}

extension [MapCharacteristic] {
  /// Removes the characteristics that are excluded, and descriptors that are from the others.
  fileprivate mutating func exclude(_ exclusion: Selection) {
    removeAll { $0.isChosen(by: exclusion) }
    for index in indices {
      self[index].descriptors.removeAll {
        exclusion.chooses($0.attribute.handle, $0.attribute.uuid)
      }
    }
    removeAll { $0.isPlaceholder && $0.descriptors.isEmpty }
  }
}

extension MapCharacteristic {
  /// Returns the whole characteristic if it is selected itself, otherwise its selected descriptors.
  fileprivate func chosen(by selection: Selection) -> MapCharacteristic? {
    if isChosen(by: selection) { return self }
    var chosen = self
    chosen.descriptors = descriptors.filter {
      selection.chooses($0.attribute.handle, $0.attribute.uuid)
    }
    return chosen.descriptors.isEmpty ? nil : chosen
  }

  /// Returns whether the characteristic is selected itself.
  fileprivate func isChosen(by selection: Selection) -> Bool {
    !isPlaceholder
      && (selection.chooses(attribute.handle, attribute.uuid)
        || selection.chooses(value.handle, value.uuid))
  }
}

extension Selection {
  /// Returns whether an attribute is selected.
  fileprivate func chooses(_ handle: UInt16, _ uuid: BluetoothUUID?) -> Bool {
    (handles.isEmpty || has(handle)) && (uuids.isEmpty || has(uuid))
  }
}

extension DevicePattern {
  /// Returns whether a device is selected.
  fileprivate func matches(_ device: MapDevice) -> Bool {
    if let bits = address {
      return ([device.address, device.identity].compactMap(\.self) + device.addresses).contains {
        $0.value & bits.mask == bits.value
      }
    }
    return device.names.contains { matches(name: $0) }
  }
}
