package import Bluetooth
package import Bytes
package import Decoders
import Dissectors
import Meanings
import Sessions

/// What bytes may be, and the offset where they start.
private struct Attempt {
  var kind: Subject.Kind
  var uuid: BluetoothUUID
  var offset = 0
}

/// `profiles decode`: tries profiles on values, one after the other, so that a frame may span
/// several.
package struct ValueTrial: ~Copyable {
  private var profiles: ProfileLookup
  private var messages = VendorMessages()
  private var meaning = ValueMeaning(showsKeys: false)
  private var number = 0

  /// Placeholders for the characteristic that is tried.
  private static func channel(of vendor: Int, isByFrame: Bool, isWritten: Bool) -> VendorChannel {
    VendorChannel(
      of: vendor, isByFrame: isByFrame, conversation: 2, handle: 1, isWritten: isWritten)
  }

  /// Creates a trial of the user's profiles and the built-in ones.
  package init(_ profiles: SuppliedProfiles) {
    self.profiles = ProfileLookup(profiles, showsKeys: false)
  }

  /// Decodes a value, and writes a line.
  ///
  /// - Parameters:
  ///   - subjects: what the bytes may be; the first subject that has a profile is used.
  ///   - isWritten: whether the client writes the value.
  package mutating func decode(
    _ subjects: [(Subject.Kind, BluetoothUUID)], service: BluetoothUUID?, _ value: RawSpan,
    isWritten: Bool, isJSON: Bool, into output: inout Output
  ) {
    number += 1
    let attempts = subjects.flatMap { Self.attempts($0, $1, value) }
    for attempt in attempts {
      let value = value.dropping(attempt.offset)
      guard read(attempt.kind, attempt.uuid, service, value, isWritten: isWritten) else { continue }
      if isJSON {
        meaning.writeJSON(value, into: &output)
      } else {
        if meaning.isPart { output.text("part of a frame: ") }
        meaning.line.copy(into: &output)
      }
      output.byte(0x0a)
      return
    }
    if let open = openFrame(isWritten: isWritten) {
      if isJSON { open.writeJSON(into: &output) } else { open.write(into: &output) }
    } else if isJSON {
      output.text("{}")
    } else if attempts.contains(where: { Self.isReadByProgram($0, value) }) {
      output.text("gattscope decodes this type itself, in show and devices")
    } else {
      output.text("no profile decodes this")
      hint(attempts, service, value, into: &output)
      misfits(attempts, service, value, isWritten: isWritten, into: &output)
    }
    output.byte(0x0a)
  }

  /// Returns what bytes may be. For advertising data that starts with a company or a service, what
  /// follows that is tried first.
  private static func attempts(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, _ value: RawSpan
  ) -> [Attempt] {
    let whole = Attempt(kind: kind, uuid: uuid)
    guard kind == .advertisingData else { return [whole] }
    switch ADType(rawValue: UInt8(truncatingIfNeeded: uuid.low)) {
    case .manufacturerSpecificData where value.byteCount >= 2:
      let company = BluetoothUUID(value.littleEndianU16(at: 0))
      return [Attempt(kind: .company, uuid: company, offset: 2), whole]
    case .serviceData16 where value.byteCount >= 2:
      let service = BluetoothUUID(value.littleEndianU16(at: 0))
      return [Attempt(kind: .serviceData, uuid: service, offset: 2), whole]
    default: return [whole]
    }
  }

  /// Returns whether the program itself decodes such advertising data, rather than a profile.
  private static func isReadByProgram(_ attempt: Attempt, _ value: RawSpan) -> Bool {
    guard attempt.kind == .advertisingData else { return false }
    let type = ADType(rawValue: UInt8(truncatingIfNeeded: attempt.uuid.low))
    return switch type.layout(count: value.byteCount) {
    case .serviceData, .manufacturerData, .bytes: false
    case .fields: ADFields.hasFields(type)
    default: true
    }
  }

  /// Appends why the closest definition does not apply.
  private mutating func hint(
    _ attempts: [Attempt], _ service: BluetoothUUID?, _ value: RawSpan, into output: inout Output
  ) {
    var nearest: (definition: Definition, right: Int, offset: Int)?
    for attempt in attempts {
      let value = value.dropping(attempt.offset)
      for definition in profiles.definitions(attempt.kind, attempt.uuid) {
        let subject = definition.subject
        var right = 0
        for (offset, byte) in subject.match.enumerated() {
          guard offset < value.byteCount, byte ?? value.byte(at: offset) == value.byte(at: offset)
          else { break }
          right += 1
        }
        if right == subject.match.count { right += 100 }
        if subject.sizes?.contains(value.byteCount) ?? true { right += 10 }
        if subject.service == nil || subject.service?.shortest == service?.shortest { right += 10 }
        // One for devices with a certain name is close only if nothing but the name is missing, and
        // one for manufacturer data of any company only if it begins as the data does.
        if subject.device != nil, right < subject.match.count + 120 { continue }
        if attempts.count > 1, attempt.offset == 0, right < subject.match.count + 100 { continue }
        if right > nearest?.right ?? -1 { nearest = (definition, right, attempt.offset) }
      }
    }
    guard let nearest else { return }
    output.text("; ")
    output.string(nearest.definition.name)
    nearest.definition.subject.writeMisfit(
      value.dropping(nearest.offset), service, into: &output)
  }

  /// Appends why the value is not a frame of the user's own protocols, and of built-in ones that
  /// the characteristic identifies.
  private mutating func misfits(
    _ attempts: [Attempt], _ service: BluetoothUUID?, _ value: RawSpan, isWritten: Bool,
    into output: inout Output
  ) {
    guard let uuid = attempts.first?.uuid, attempts.first?.kind == .characteristic,
      !uuid.isDescriptor, value.byteCount > 0
    else { return }
    for (place, vendor) in profiles.vendors.enumerated() {
      let isOwn = place < profiles.ownVendors
      let needsFrame = vendor.needsFrame(
        on: uuid.shortest, of: service?.shortest, isOfDevice: { _ in isOwn })
      guard let needsFrame, isOwn || !needsFrame,
        let misfit = vendor.misfit(of: value, isRequest: isWritten)
      else { continue }
      output.text("; ")
      output.string(vendor.profile)
      output.text(": ")
      output.misfit(misfit)
    }
  }

  /// Returns the incomplete frame that the values so far start, if a protocol is identified by its
  /// frames, or nil if they start none.
  private mutating func openFrame(isWritten: Bool) -> OpenFrame? {
    for (place, vendor) in profiles.vendors.enumerated()
    where vendor.frames.contains(where: \.isRecognizable) {
      let channel = Self.channel(of: place, isByFrame: true, isWritten: isWritten)
      if let open = messages.openFrame(vendor, on: channel) {
        return OpenFrame(profile: vendor.profile, count: open.count, total: open.total)
      }
    }
    return nil
  }

  /// Decodes a value. Frames of the user's own protocols are accepted whatever their checksum,
  /// those of built-in protocols only if they would be in a capture.
  private mutating func read(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, _ service: BluetoothUUID?, _ value: RawSpan,
    isWritten: Bool
  ) -> Bool {
    meaning.clear()
    guard profiles.load() else { return false }
    let plan = profiles.plan(kind, uuid)
    let definition = profiles.definition(plan, service, value) { _ in false }
    if let definition { meaning.decode(definition, value, isWritten: isWritten) }
    let isRead = meaning.isKnown
    if isRead, !(definition?.subject.isCarrier ?? false) { return true }
    guard kind == .characteristic, value.byteCount > 0, !uuid.isDescriptor else { return isRead }
    for (place, vendor) in profiles.vendors.enumerated() {
      let isOwn = place < profiles.ownVendors
      let needsFrame = vendor.needsFrame(
        on: uuid.shortest, of: service?.shortest, isOfDevice: { _ in isOwn })
      guard let needsFrame else { continue }
      let found = messages.accept(
        vendor,
        on: Self.channel(of: place, isByFrame: needsFrame && !isOwn, isWritten: isWritten),
        isRequestChannel: isWritten, value, packet: number, time: nil)
      guard let found else { continue }
      meaning.clear()
      meaning.decode(found.alone, value, following: messages.following)
      return meaning.isKnown
    }
    return isRead
  }
}

/// A frame whose last bytes are missing.
private struct OpenFrame {
  /// The protocol's profile.
  let profile: String
  /// The number of bytes present, and the length of the frame, if known.
  let count: Int
  let total: Int?

  func write(into output: inout Output) {
    output.text("incomplete frame of ")
    output.string(profile)
    guard let total else { return }
    output.text(", ")
    output.decimal(total - count)
    output.text(" of ")
    output.count(total, "byte", "bytes")
    output.text(" missing")
  }

  /// Appends an object like the one of `show --json` for a part.
  func writeJSON(into output: inout Output) {
    output.text("{\"profile\":")
    output.jsonString(profile)
    output.text(",\"name\":\"part\",\"part\":{\"first_byte\":1,\"last_byte\":")
    output.decimal(count)
    if let total {
      output.text(",\"frame_length\":")
      output.decimal(total)
      output.text(",\"missing\":")
      output.decimal(total - count)
    }
    output.text("},\"text\":")
    var words = Output()
    write(into: &words)
    output.jsonString(words.bytes)
    output.byte(0x7d)
  }
}

extension Subject {
  /// Appends, after the definition's name, which bytes it expects, if it does not match these.
  fileprivate func writeMisfit(
    _ value: RawSpan, _ wanted: BluetoothUUID?, into output: inout Output
  ) {
    var isFirst = true
    func next(_ output: inout Output) {
      if !isFirst { output.text(", and") }
      isFirst = false
    }
    if let service, service.shortest != wanted?.shortest {
      next(&output)
      output.text(" is a characteristic of service ")
      output.uuid(service)
    }
    if device != nil {
      next(&output)
      output.text(" applies only to devices with a certain name")
    }
    if ownAddress != nil {
      next(&output)
      output.text(" needs the sender's address in the data")
    }
    if let sizes, !sizes.contains(value.byteCount) {
      next(&output)
      output.text(" expects ")
      output.decimal(sizes.lowerBound)
      if sizes.upperBound > sizes.lowerBound {
        output.text(" to ")
        output.decimal(sizes.upperBound)
      }
      output.text(sizes.upperBound == 1 ? " byte, not " : " bytes, not ")
      output.decimal(value.byteCount)
    }
    let begins = match.enumerated().allSatisfy { offset, byte in
      offset < value.byteCount && (byte == nil || byte == value.byte(at: offset))
    }
    guard !begins else {
      if isFirst, value.byteCount == 0 { output.text(" is not without bytes") }
      return
    }
    next(&output)
    output.text(" begins with")
    for byte in match {
      output.byte(0x20)
      if let byte { output.hex(byte) } else { output.text("??") }
    }
  }
}
