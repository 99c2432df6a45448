import Bluetooth
import Bytes
import Decoders
import Dissectors
import Sessions

/// Values that determine the meaning of others, and control points.
extension ValueReading {
  /// Returns a key for the server on a link that is stable across reconnections.
  static func server(_ link: LinkSlot, isLocal: Bool, _ memory: borrowing Memory) -> UInt64 {
    memory.attributes.currentKey(Attributes.key(isLocal: isLocal, memory.links.connection(link)))
  }

  /// Returns a key for the conversation on a link with a server on one of its sides.
  static func conversation(_ link: LinkSlot, isLocal: Bool, _ memory: borrowing Memory) -> UInt64 {
    let number = UInt64(truncatingIfNeeded: memory.links.id(link)) << 1 | (isLocal ? 1 : 0)
    return number & 0x3fff_ffff_ffff
  }

  /// Stores a value that determines how others are decoded.
  @inline(never)
  mutating func keep(
    _ use: KnownValues.Use, _ value: RawSpan, _ answer: Answer, _ memory: borrowing Memory,
    isLocal: Bool
  ) {
    guard let link = answer.link, let place = answer.attribute else { return }
    let server = Self.server(link, isLocal: isLocal, memory)
    let attribute = memory.attributes[place]
    if use == .external {
      known.keep(value, attribute.uuid, of: server)
      return
    }
    let before = memory.attributes.value(before: place).map { memory.attributes[$0].handle }
    guard let owner = before ?? (attribute.target != 0 ? attribute.target : nil) else { return }
    known.keep(use, value, descriptor: attribute.handle, owner: owner, of: server)
  }

  /// Stores such a value from `Conversations`, which may have been split.
  @inline(never)
  mutating func keep(
    _ use: KnownValues.Use, _ content: RawSpan, _ value: ConveyedValue, _ memory: borrowing Memory
  ) {
    guard value.outcome == .done else { return }
    let server = memory.attributes.currentKey(value.attribute.server)
    if use == .external {
      if let uuid = value.attribute.uuid { known.keep(content, uuid, of: server) }
    } else if let owner = value.attribute.owner, let handle = value.attribute.handle {
      known.keep(use, content, descriptor: handle, owner: owner, of: server)
    }
  }

  /// Records the values in a map that determine the meaning of others.
  package mutating func learn(_ device: MapDevice) {
    guard hasProfiles else { return }
    for characteristic in device.characteristics {
      let uuid = characteristic.value.uuid
      if let value = characteristic.use?.value,
        KnownValues.use(.characteristic, uuid, wanted) == .external
      {
        known.keep(value.bytes, uuid, of: device.key)
      }
      for descriptor in characteristic.descriptors {
        guard let value = descriptor.use?.value,
          let use = KnownValues.use(.descriptor, descriptor.attribute.uuid, wanted)
        else { continue }
        known.keep(
          use, value.bytes, descriptor: descriptor.attribute.handle,
          owner: characteristic.value.handle, of: device.key)
      }
    }
  }

  /// Returns the fields of other values that a definition refers to.
  @inline(never)
  mutating func externals(of definition: Definition, _ server: UInt64?) -> [Known] {
    guard let server else { return [] }
    if let numbers = known.numbers(for: definition, of: server) { return numbers }
    var numbers: [Known] = []
    var other = Decoded()
    var decoder = ValueDecoder()
    for external in definition.tables.externals {
      var number = Known.unknown
      if let value = known.value(external.uuid, of: server),
        let found = library?.find(
          .characteristic, external.uuid, service: nil, value.bytes, isOfDevice: { _ in false })
      {
        decoder.decode(found, value.bytes, into: &other)
        number = other.number(of: external.path)
      }
      numbers.append(number)
    }
    known.remember(numbers, for: definition, of: server)
    return numbers
  }

  /// Decodes a value by the format in a descriptor of its characteristic. Returns false if there is
  /// none.
  @inline(never)
  mutating func readByFormat(
    _ uuid: BluetoothUUID?, _ handle: UInt16?, _ server: UInt64?, _ value: RawSpan, decodes: Bool
  ) -> Bool {
    guard let uuid, let handle, let server, showsKeys || !secretTypes.contains(uuid),
      let definition = known.definition(uuid, at: handle, of: server)
    else { return false }
    guard decodes else { return true }
    read(definition, value, isWritten: false, nil)
    isByFormat = hasMeaning
    if hasMeaning { line.text(", by its presentation format") }
    latest = nil
    return true
  }

  /// Finds the request that a control point's value answers.
  @inline(never)
  mutating func pair(
    _ definition: Definition, _ value: RawSpan, _ way: Way, _ conversation: UInt64,
    _ handle: UInt16, _ packet: Int, _ time: Timestamp?
  ) {
    guard let exchange = definition.exchange, way != .read else { return }
    control = messages.acceptControl(
      definition, exchange, conversation: conversation, handle: handle,
      isWritten: way == .written, value, packet: packet, time: time)
    if keepsRecent, let control { keep(control, packet, handle) }
  }

  /// Records that a request was refused, so that no response follows.
  mutating func noteRefusal(_ dissection: Dissection, _ answer: Answer) {
    guard messages.hasRequests, dissection.attFields.error != nil, let request = answer.request
    else { return }
    messages.refuse(request.packet)
  }
}
