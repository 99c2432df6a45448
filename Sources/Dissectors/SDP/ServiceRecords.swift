// The part of SDP that names the services of serial channels (Core, Vol 3, Part B, 3, 4 and 5).

package import Bluetooth
package import Bytes

/// A response with attributes of service records: PDU (1 byte), transaction (2), length (2), length
/// of the attribute lists (2), attribute lists, length of the continuation state (1), continuation
/// state (4.6.2 and 4.7.2). Numbers are sent most significant byte first.
package struct ServiceAttributeResponse: Sendable {
  /// The attribute lists, or the part of them in this response.
  package let lists: Slice
  /// Whether more of them follow in another response.
  package let continues: Bool

  private static let serviceAttribute: UInt8 = 0x05
  private static let serviceSearchAttribute: UInt8 = 0x07

  /// Reads a response; returns nil for other PDUs, and for one that is not whole.
  package init?(_ bytes: RawSpan, _ pdu: Slice) {
    var cursor = Cursor(bytes, pdu)
    guard let kind = try? cursor.u8(),
      kind == Self.serviceAttribute || kind == Self.serviceSearchAttribute,
      (try? cursor.take(4)) != nil, let high = try? cursor.u8(), let low = try? cursor.u8(),
      let lists = try? cursor.take(Int(high) << 8 | Int(low)), let rest = try? cursor.u8()
    else { return nil }
    self.lists = lists
    continues = rest > 0
  }
}

/// A data element: type (5 bits) and size index (3), size (0, 1, 2 or 4 bytes), data (3.2 and 3.3).
struct DataElement {
  /// The types that are read here (3.2).
  enum Kind: UInt8 {
    case unsigned = 1
    case uuid = 3
    case text = 4
    case sequence = 6
    case alternative = 7
  }

  /// Nil for other types.
  let kind: Kind?
  let data: Slice

  /// Reads the element at the start of `list`, and removes it from there; returns nil if there is
  /// no whole one.
  init?(_ bytes: RawSpan, from list: inout Slice) {
    var cursor = Cursor(bytes, list)
    guard let header = try? cursor.u8() else { return nil }
    kind = Kind(rawValue: header >> 3)
    var size = 1 << Int(header & 7)
    if header & 7 > 4 {
      size = 0
      for _ in 0..<1 << Int(header & 7 - 5) {
        guard let byte = try? cursor.u8() else { return nil }
        size = size << 8 | Int(byte)
      }
    } else if header >> 3 == 0 {
      // Nil has no data.
      size = 0
    }
    guard let data = try? cursor.take(size) else { return nil }
    self.data = data
    list = cursor.rest()
  }

  func unsigned(_ bytes: RawSpan) -> UInt64? {
    guard kind == .unsigned, data.count <= 8 else { return nil }
    return (Int(data.start)..<data.end).reduce(0) { $0 << 8 | UInt64(bytes.byte(at: $1)) }
  }

  func uuid(_ bytes: RawSpan) -> BluetoothUUID? {
    guard kind == .uuid else { return nil }
    let start = Int(data.start)
    switch data.count {
    case 2:
      let number = UInt16(bytes.byte(at: start)) << 8 | UInt16(bytes.byte(at: start + 1))
      return BluetoothUUID(number)
    case 4: return BluetoothUUID(upTo32Bits: bytes.bigEndianU32(at: start))
    case 16:
      return BluetoothUUID(
        high: bytes.bigEndianU64(at: start), low: bytes.bigEndianU64(at: start + 8))
    default: return nil
    }
  }
}

/// A service that a device offers on an RFCOMM channel.
package struct SerialService: Sendable {
  /// The RFCOMM server channel.
  package let channel: UInt8
  /// The first service class.
  package let uuid: BluetoothUUID?
  /// The name in the record's first language; empty if the record has no name.
  package let name: Slice
}

/// A reader of the services on RFCOMM channels in attribute lists.
package struct SerialServices: Sendable {
  private var lists: Slice

  /// The attributes that are read (5.1): ServiceClassIDList, ProtocolDescriptorList and, relative
  /// to the base of the first language, ServiceName.
  private static let classes: UInt64 = 0x0001
  private static let protocols: UInt64 = 0x0004
  private static let serviceName: UInt64 = 0x0100
  private static let rfcomm: UInt16 = 0x0003

  /// Reads the attribute lists in the part `lists` of some bytes: the list of one record, or a list
  /// of such lists.
  package init(_ bytes: RawSpan, _ lists: Slice) {
    var list = lists
    // Lists of which a part is missing are not read.
    guard let outer = DataElement(bytes, from: &list), outer.kind == .sequence, list.isEmpty else {
      self.lists = .empty
      return
    }
    var inner = outer.data
    let isOfLists = DataElement(bytes, from: &inner)?.kind == .sequence
    self.lists = isOfLists ? outer.data : lists
  }

  /// Returns the next service on an RFCOMM channel; nil at the end.
  package mutating func next(_ bytes: RawSpan) -> SerialService? {
    while let record = DataElement(bytes, from: &lists) {
      guard record.kind == .sequence else { continue }
      var attributes = record.data
      var channel: UInt8?
      var uuid: BluetoothUUID?
      var name = Slice.empty
      while let id = DataElement(bytes, from: &attributes)?.unsigned(bytes),
        let value = DataElement(bytes, from: &attributes)
      {
        switch id {
        case Self.classes where value.kind == .sequence:
          var list = value.data
          uuid = DataElement(bytes, from: &list)?.uuid(bytes)?.shortest
        case Self.protocols: channel = Self.channel(in: value, bytes)
        case Self.serviceName where value.kind == .text: name = value.data
        default: break
        }
      }
      if let channel { return SerialService(channel: channel, uuid: uuid, name: name) }
    }
    return nil
  }

  /// Returns the RFCOMM channel in a list of protocols, each with its parameters, or in the first
  /// of several such lists.
  private static func channel(in value: DataElement, _ bytes: RawSpan) -> UInt8? {
    var list = value.data
    if value.kind == .alternative {
      guard let first = DataElement(bytes, from: &list) else { return nil }
      list = first.data
    }
    while let entry = DataElement(bytes, from: &list) {
      guard entry.kind == .sequence else { continue }
      var parts = entry.data
      guard let uuid = DataElement(bytes, from: &parts)?.uuid(bytes), uuid.shortest.isShort(rfcomm),
        let number = DataElement(bytes, from: &parts)?.unsigned(bytes), (1...30).contains(number)
      else { continue }
      return UInt8(number)
    }
    return nil
  }
}
