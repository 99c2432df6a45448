// Files that contain a map: the output of `map --json`, and the files in which BlueZ stores what it
// discovered.

import Bluetooth
import Bytes
package import Sessions

/// Why a file is not a map.
package struct MapFileError: Error, Sendable {
  /// The words that follow the file's name.
  package let message: String
}

/// A map with its values.
package struct SavedMap: Sendable {
  package var map = SuppliedMap()
  /// The values that were read, by handle; BlueZ's files are read without them.
  package var values: [UInt16: [UInt8]] = [:]
}

/// Reads maps.
package enum MapFile {
  /// Reads a file's bytes. Its first character determines the format.
  ///
  /// - Parameter name: the file's own name: BlueZ names a cache file by the device's address.
  package static func read(_ bytes: [UInt8], name: String) throws(MapFileError) -> [SavedMap] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw MapFileError(
        message: "is not text; expected what map --json prints, or a cache file of BlueZ")
    }
    let first = text.first { !$0.isWhitespace }
    if first == "{" { return try document(bytes) }
    if first == "[" || first == "#" { return [SavedMap(map: try cache(text, name: name))] }
    throw MapFileError(
      message:
        "is not a map; expected what map --json prints, or a cache file of BlueZ with [Attributes]")
  }

  // MARK: map --json

  private static func document(_ bytes: [UInt8]) throws(MapFileError) -> [SavedMap] {
    var reader = JSONReader(bytes)
    guard let document = reader.document() else {
      throw MapFileError(
        message: reader.offset >= bytes.count
          ? "ends early, at byte \(bytes.count): its JSON is not complete"
          : "is not JSON: it is wrong at byte \(reader.offset)")
    }
    guard let devices = document["devices"]?.elements else {
      throw MapFileError(message: "is not a map: it has no list of devices")
    }
    var maps: [SavedMap] = []
    for device in devices {
      var saved = SavedMap()
      for key in ["identity", "address"] {
        if let address = device[key]?.text.flatMap(DeviceAddress.init(text:)) {
          saved.map.addresses.append(address)
        }
      }
      saved.map.name = device["name"]?.text.map { Array($0.utf8) }
      for service in device["services"]?.elements ?? [] {
        try add(service: service, to: &saved)
      }
      for characteristic in device["characteristics"]?.elements ?? [] {
        try add(characteristic: characteristic, to: &saved)
      }
      if !saved.map.attributes.isEmpty { maps.append(saved) }
    }
    return maps
  }

  private static func add(
    service: JSONReader.Value, to saved: inout SavedMap
  ) throws(MapFileError) {
    if let start = handle(service["start_handle"]) {
      saved.map.attributes.append(
        SuppliedMap.attribute(
          start, .service, try uuid(service["uuid"]), end: handle(service["end_handle"]) ?? 0,
          isSecondary: service["type"]?.text == "secondary"))
    }
    for include in service["includes"]?.elements ?? [] {
      guard let own = handle(include["handle"]), let start = handle(include["start_handle"]),
        let end = handle(include["end_handle"])
      else { continue }
      let uuid = include["uuid"]?.text.flatMap { BluetoothUUID(asWritten: $0) }
      saved.map.attributes.append(
        SuppliedMap.attribute(
          own, .include, uuid.flatMap { $0.width == 2 ? $0 : nil } ?? .include, target: start,
          end: end))
    }
    for characteristic in service["characteristics"]?.elements ?? [] {
      try add(characteristic: characteristic, to: &saved)
    }
    for descriptor in service["descriptors"]?.elements ?? [] {
      try add(descriptor: descriptor, to: &saved)
    }
  }

  private static func add(
    characteristic: JSONReader.Value, to saved: inout SavedMap
  ) throws(MapFileError) {
    guard let value = handle(characteristic["value_handle"]) else {
      throw MapFileError(message: "has a characteristic without value_handle")
    }
    let uuid = try uuid(characteristic["uuid"])
    if let declaration = handle(characteristic["declaration_handle"]) {
      var bits: UInt8 = 0
      for property in characteristic["properties"]?.elements ?? [] {
        guard
          let bit = (0..<8).first(where: {
            "\(CharacteristicProperties.key(bit: $0))" == property.text
          })
        else { continue }
        bits |= 1 << UInt8(bit)
      }
      saved.map.attributes.append(
        SuppliedMap.attribute(
          declaration, .characteristic, uuid, target: value,
          properties: CharacteristicProperties(rawValue: bits)))
    }
    saved.map.attributes.append(SuppliedMap.attribute(value, .value, uuid))
    saved.values[value] = read(characteristic)
    for descriptor in characteristic["descriptors"]?.elements ?? [] {
      try add(descriptor: descriptor, to: &saved)
    }
  }

  private static func add(
    descriptor: JSONReader.Value, to saved: inout SavedMap
  ) throws(MapFileError) {
    guard let handle = handle(descriptor["handle"]) else {
      throw MapFileError(message: "has a descriptor without handle")
    }
    saved.map.attributes.append(
      SuppliedMap.attribute(handle, .descriptor, try uuid(descriptor["uuid"])))
    saved.values[handle] = read(descriptor)
  }

  /// Returns an attribute's value if it was read: what was written or sent is not a property of the
  /// device.
  private static func read(_ attribute: JSONReader.Value) -> [UInt8]? {
    guard attribute["value_operation"]?.text ?? "read" == "read",
      let digits = attribute["value"]?.text, digits.utf8.count.isMultiple(of: 2)
    else { return nil }
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static func handle(_ value: JSONReader.Value?) -> UInt16? {
    guard let text = value?.text, text.hasPrefix("0x") else { return nil }
    return UInt16(text.dropFirst(2), radix: 16)
  }

  private static func uuid(_ value: JSONReader.Value?) throws(MapFileError) -> BluetoothUUID {
    guard let text = value?.text, let uuid = BluetoothUUID(asWritten: text) else {
      throw MapFileError(message: "has an attribute without a UUID, or with '\(value?.text ?? "")'")
    }
    return uuid
  }

  // MARK: BlueZ

  /// Reads a cache file. It has sections in brackets; [Attributes] has a line for each attribute,
  /// `HANDLE=TYPE:…`. A service has its last handle and UUID, an include two handles and a UUID, a
  /// characteristic the handle of its value, properties and UUID (preceded by its value if BlueZ
  /// keeps it). Anything else is a descriptor's UUID, after its value if BlueZ keeps that (BlueZ,
  /// src/device.c [mem]).
  private static func cache(_ text: String, name: String) throws(MapFileError) -> SuppliedMap {
    var map = SuppliedMap()
    if let address = DeviceAddress(text: name) { map.addresses = [address] }
    var section: Substring = ""
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = line.dropFirst().dropLast()
        continue
      }
      let sides = line.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, !line.hasPrefix("#") else { continue }
      if section == "General", sides[0] == "Name" { map.name = Array(sides[1].utf8) }
      guard section == "Attributes" else { continue }
      guard let handle = UInt16(sides[0], radix: 16), handle != 0,
        let found = attributes(handle, sides[1].split(separator: ":"))
      else {
        throw MapFileError(
          message: "has no attribute in line \(number + 1); expected HANDLE=TYPE:\u{2026}")
      }
      map.attributes += found
    }
    guard !map.attributes.isEmpty else {
      throw MapFileError(message: "has no section [Attributes] with attributes in it")
    }
    return map
  }

  private static func attributes(_ handle: UInt16, _ parts: [Substring]) -> [Attribute]? {
    guard let first = parts.first,
      let uuid = parts.last.flatMap({ BluetoothUUID(text: String($0)) })
    else { return nil }
    let number = { (index: Int) in
      parts.indices.contains(index) ? UInt16(parts[index], radix: 16) : nil
    }
    switch (first, parts.count) {
    case ("2800", 3), ("2801", 3):
      guard let end = number(1) else { return nil }
      return [
        SuppliedMap.attribute(handle, .service, uuid, end: end, isSecondary: first == "2801")
      ]
    case ("2802", 4):
      guard let start = number(1), let end = number(2) else { return nil }
      let short = uuid.width == 2 ? uuid : .include
      return [SuppliedMap.attribute(handle, .include, short, target: start, end: end)]
    case ("2803", 4), ("2803", 5):
      guard let value = number(1), let bits = number(2).flatMap({ UInt8(exactly: $0) }) else {
        return nil
      }
      let properties = CharacteristicProperties(rawValue: bits)
      return [
        SuppliedMap.attribute(handle, .characteristic, uuid, target: value, properties: properties),
        SuppliedMap.attribute(value, .value, uuid),
      ]
    case (_, 1), (_, 2): return [SuppliedMap.attribute(handle, .descriptor, uuid)]
    default: return nil
    }
  }
}

extension SuppliedUse {
  /// Remarks on how supplied maps matched.
  package var remarks: [String] { [application, contradiction].compactMap(\.self) }

  /// A remark on how the capture contradicts the map.
  private var contradiction: String? {
    if let conflict {
      var output = Output()
      output.text("the map contradicts the capture: ")
      output.handle(conflict.attribute.handle)
      output.text(", supplied as ")
      output.text(conflict.attribute.kind.key)
      output.text(" (")
      output.text(conflict.operation.words)
      if conflict.error != nil { output.text(" refused") }
      output.text(", ")
      output.packet(conflict.packet)
      output.text(")")
      if conflicts > 1 {
        output.text(", and ")
        output.count(conflicts - 1, "attribute", "attributes")
        output.text(" more")
      }
      output.text("; its entries for these services are not used")
      return String(decoding: output.bytes.array, as: UTF8.self)
    }
    return disagreeingHash.map {
      "the map does not agree with the Database Hash of the device (#\($0))"
    }
  }

  private var application: String? {
    if !ambiguous.isEmpty {
      return "several devices of the map have the name of \(Self.list(ambiguous)): none was used"
    }
    if assumed.count > 1 {
      return "the map does not name any of \(Self.list(assumed)), and was used for each of them"
    }
    return wasAsked && !isApplied ? "no connected device fits the map" : nil
  }

  private static func list(_ peers: [DeviceAddress]) -> String {
    var output = Output()
    for (index, peer) in peers.enumerated() {
      if index > 0 { output.text(index + 1 == peers.count ? " and " : ", ") }
      output.address(peer)
    }
    return String(decoding: output.bytes.array, as: UTF8.self)
  }
}
