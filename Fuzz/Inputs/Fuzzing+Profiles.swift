import Bluetooth
import Bytes
import Decoders
import ProfileFiles

// Decoders: the built-in definitions with arbitrary values, and user profiles of arbitrary text.

extension Fuzzing {
  private static let definitions = BuiltInProfiles.all

  /// Decodes a value with a built-in definition, which the first bytes choose. Then several such
  /// values of the attribute cross a link, and every report shows them.
  package static func decode(_ bytes: [UInt8], _ faces: Faces) -> String? {
    guard bytes.count > 3, !definitions.isEmpty else { return nil }
    let choice = Int(bytes[0]) | Int(bytes[1]) << 8
    let definition = definitions[choice % definitions.count]
    let value = Array(bytes[3...])
    if let broken = decode(value, by: definition, isWritten: bytes[2] & 1 == 1) {
      return "\(definition.name): \(broken)"
    }
    return capture(session(bytes[2], definition, value), faces)
  }

  /// Reads the bytes as the text of a profile, and decodes a few values with its valid definitions.
  package static func profile(_ bytes: [UInt8]) -> String? {
    let file = ProfileReader().read(bytes, name: "fuzz")
    for error in file.errors where error.description.isEmpty { return "undescribed error" }
    guard let profile = file.profile else {
      return file.errors.isEmpty ? "neither a profile nor an error" : nil
    }
    for example in profile.examples { _ = example.check(profile) }
    let messages = profile.vendor?.messages.map(\.definition) ?? []
    let values = [
      [], [0], [UInt8](0..<40), [UInt8](repeating: 0xff, count: 21), Array(bytes.prefix(64)),
    ]
    for definition in profile.definitions + messages {
      for value in values {
        for isWritten in [false, true] {
          if let broken = decode(value, by: definition, isWritten: isWritten) {
            return "\(definition.name), \(value): \(broken)"
          }
        }
      }
    }
    if let broken = tell(profile, bytes) { return broken }
    guard let vendor = profile.vendor else { return nil }
    for value in values {
      for isRequest in [false, true] {
        let (layout, extent) = vendor.extent(of: value.bytes, isRequest: isRequest)
        if case .complete(let count) = extent {
          if count > value.count { return "a frame of \(count) bytes in \(value.count)" }
          _ = vendor.frames[layout].parts(of: value.bytes, Slice(start: 0, count: count))
        }
        _ = vendor.wholeFrame(value.bytes, isRequest: isRequest)
        _ = vendor.misfit(of: value.bytes, isRequest: isRequest)
      }
    }
    return nil
  }

  /// Sends values of the profile's definitions across a link; the reports use the profile.
  private static func tell(_ profile: Profile, _ bytes: [UInt8]) -> String? {
    var supplies = Supplies()
    supplies.profiles.definitions = profile.definitions
    if let vendor = profile.vendor { supplies.profiles.vendors = [vendor] }
    let value = Array(bytes.suffix(48))
    // Only a few definitions and one face each, or a long profile would take as long as many short
    // ones.
    for (index, definition) in profile.definitions.prefix(3).enumerated() {
      let file = session(UInt8(bytes.count & 0xff), definition, value)
      for face in Face.chosen(.one(bytes.count + index * 7)) {
        if let broken = render(file, face, supplies) {
          return "\(definition.name) as \(face): \(broken)"
        }
      }
    }
    return nil
  }

  /// Decodes a value and writes it in every form.
  private static func decode(
    _ value: [UInt8], by definition: Definition, isWritten: Bool
  ) -> String? {
    var decoder = ValueDecoder()
    var decoded = Decoded()
    decoder.decode(
      definition, value.bytes, DecodingContext(isWritten: isWritten), into: &decoded)
    if decoded.fields.count > ValueDecoder.mostFields + Definition.Tables.deepest + 1 {
      return "\(decoded.fields.count) fields"
    }
    for field in decoded.fields where Int(field.bytes.start) + Int(field.bytes.count) > value.count
    {
      return "a field ends after the value"
    }
    for showsKeys in [false, true] {
      guard let writer = DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys) else {
        return "nothing to write"
      }
      var text = Output()
      writer.line(value.bytes, into: &text)
      for place in decoded.fields.indices {
        text.byte(0x20)
        writer.entry(place, value.bytes, into: &text)
      }
      text.byte(0x0a)
      if let broken = OutputCheck.text(text.bytes, lines: 1) { return "text: \(broken)" }
      _ = decoded.quantity(showsKeys: showsKeys)
      var json = Output()
      var line = Output()
      decoded.writeJSON(value.bytes, showsKeys: showsKeys, line: &line, into: &json)
      json.byte(0x0a)
      if let broken = OutputCheck.json(json.bytes, lines: 1) { return "JSON: \(broken)" }
    }
    return nil
  }

  /// Returns a btsnoop file (datalink 1002) in which a value is either advertised or crosses a
  /// link: written and notified, both whole and in pieces of 20 bytes.
  private static func session(_ choice: UInt8, _ definition: Definition, _ value: [UInt8])
    -> [UInt8]
  {
    var file = [UInt8]("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xea]
    func record(_ packet: [UInt8], _ flags: UInt8) {
      let count = [UInt8(packet.count >> 8), UInt8(packet.count & 0xff)]
      file +=
        [0, 0] + count + [0, 0] + count + [0, 0, 0, flags] + [UInt8](repeating: 0, count: 4)
      file += [0, 0xe0, 0x3a, 0xb4, 0x4a, 0x67, 0, 0] + packet
    }
    func att(_ pdu: [UInt8], isSent: Bool) {
      let l2cap = [UInt8(pdu.count & 0xff), UInt8(pdu.count >> 8), 4, 0] + pdu
      let header: [UInt8] = [
        2, 1, isSent ? 0 : 0x20, UInt8(l2cap.count & 0xff), UInt8(l2cap.count >> 8),
      ]
      record(header + l2cap, isSent ? 0 : 1)
    }
    let value = Array(value.prefix(200))
    let uuid = definition.subject.uuid
    switch definition.subject.kind {
    case .company, .serviceData, .advertisingData, .message:
      let number = [UInt8(uuid.low & 0xff), UInt8(uuid.low >> 8 & 0xff)]
      let head: [UInt8] =
        definition.subject.kind == .company
        ? [0xff] + number
        : definition.subject.kind == .serviceData ? [0x16] + number : [number[0]]
      let data = [UInt8(head.count + value.count)] + head + value
      let report: [UInt8] =
        [0x0d, 1, 0, 0, 1, 1, 2, 3, 4, 5, 0xc6, 1, 0, 0xff, 0x7f, 0xc0]
        + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data
      record([4, 0x3e, UInt8(report.count)] + report, 3)
    case .service: break
    case .characteristic, .descriptor:
      guard uuid.width == 2 else { break }
      let type = [UInt8(uuid.low & 0xff), UInt8(uuid.low >> 8)]
      att([8, 1, 0, 0xff, 0xff, 3, 0x28], isSent: true)
      att([9, 7, 2, 0, 0x1a, 3, 0] + type, isSent: false)
      att([choice & 2 == 0 ? 0x12 : 0x52, 3, 0] + value, isSent: true)
      att([0x13], isSent: false)
      att([0x1b, 3, 0] + value, isSent: false)
      att([0x0a, 3, 0], isSent: true)
      att([0x0b] + value, isSent: false)
    }
    // The same on unknown attributes, where a vendor's frames may be recognised.
    for start in stride(from: 0, to: value.count, by: 20) {
      let piece = Array(value[start..<min(start + 20, value.count)])
      att([0x52, 0x10, 0] + piece, isSent: true)
      att([0x1b, 0x12, 0] + piece, isSent: false)
    }
    return file
  }
}
