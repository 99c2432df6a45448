import Bytes
import Decoders
import Meanings
import Sessions

extension ValueReading {
  /// Records the values in a map that determine the meaning of others.
  package mutating func learn(_ device: MapDevice) {
    for characteristic in device.characteristics {
      let (uuid, handle) = (characteristic.value.uuid, characteristic.value.handle)
      if let value = characteristic.use?.value {
        learn(.characteristic, value.bytes, uuid, handle, of: device.key)
      }
      for descriptor in characteristic.descriptors {
        guard let value = descriptor.use?.value else { continue }
        let (uuid, place) = (descriptor.attribute.uuid, descriptor.attribute.handle)
        learn(.descriptor, value.bytes, uuid, place, owner: handle, of: device.key)
      }
    }
  }
}
