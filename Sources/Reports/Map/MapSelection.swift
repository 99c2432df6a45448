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
    let isWanted =
      (selection.devices.isEmpty || selection.devices.contains { $0.matches(self) })
      && (selection.connections.isEmpty
        || connections.contains { id in selection.connections.contains { $0.contains(id) } })
      && (selection.adapters.isEmpty || adapters.contains(where: selection.admits(adapter:)))
    guard isWanted else { return nil }
    guard !selection.uuids.isEmpty || !selection.handles.isEmpty else { return self }
    var chosen = self
    chosen.wholeSummary = MapSummary(self)
    chosen.services = services.compactMap { $0.chosen(by: selection) }
    chosen.loose = loose.compactMap { $0.chosen(by: selection) }
    chosen.unknown = unknown.filter { unknown in
      let descriptors = descriptors(of: unknown.handle).map(\.attribute)
      return selection.chooses(unknown.handle, unknown.isConfiguration ? .clientConfiguration : nil)
        || descriptors.contains { selection.chooses($0.handle, $0.uuid) }
    }
    return chosen.isEmpty ? nil : chosen
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
}

extension MapCharacteristic {
  /// Returns the whole characteristic if it is selected itself, otherwise its selected descriptors.
  fileprivate func chosen(by selection: Selection) -> MapCharacteristic? {
    if !isPlaceholder,
      selection.chooses(attribute.handle, attribute.uuid)
        || selection.chooses(value.handle, value.uuid)
    {
      return self
    }
    var chosen = self
    chosen.descriptors = descriptors.filter {
      selection.chooses($0.attribute.handle, $0.attribute.uuid)
    }
    return chosen.descriptors.isEmpty ? nil : chosen
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
