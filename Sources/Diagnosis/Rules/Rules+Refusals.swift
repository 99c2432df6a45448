import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about requests that are refused for other reasons than security (Core, Vol 3, Part F,
// 3.4.1.1; Core Specification Supplement, Part B).

extension Rule {
  static let refusals: [Rule] = [
    Symptom(
      "att_not_permitted", .warning, .meaning, "The server does not permit a read or write",
      when: "Read Not Permitted (0x02) or Write Not Permitted (0x03) answers a request",
      do:
        "Use what the characteristic's declaration offers; firmware has to allow what it declares."
    ).refused(
      with: 0x02...0x03,
      elsewise: [
        .moved,
        Alternative("iOS refuses it for a reason of its own") { it, _ in
          !it.connection.hidesNotifications(it.refusal)
        },
      ]
    ) { refusal, connection in
      connection.hidesNotifications(refusal)
        ? Reason(
          "This is the control point of Apple's Notification Center Service. iOS answers so while its user does not share notifications with this accessory, or has not confirmed the pairing.",
          instead:
            "On the iPhone switch on Share System Notifications for the accessory (Settings, Bluetooth, the accessory's details). The setting appears once the two are bonded."
        ) : refusal.notPermitted
    },
    Symptom(
      "att_invalid_handle", .warning, .meaning, "The server does not have the requested handle",
      when: "Invalid Handle (0x01) answers a request",
      do:
        "Use handles discovered on this connection, or from a cache validated by the Database Hash or Service Changed."
    ).refused(with: 0x01...0x01, elsewise: [.moved]) { refusal, connection in
      if let range = refusal.range, range.first > range.last {
        return Reason(
          "The requested range is empty: its first handle, \(handle: range.first), is above its last one, \(handle: range.last).",
          instead:
            "Request ranges from the lower handle to the higher one; a search that has reached its last handle is complete and needs no further request."
        )
      }
      if refusal.isOfNoHandle {
        let lacking = connection.attributes.faults.missing.first { $0.server == refusal.server }
        return Reason(
          "0x0000 is never a handle: \(refusal.client.words) did not find the attribute that it wanted.\(lacking.map { " \(NamedAttribute($0.value)) has no CCCD, for instance." } ?? "" as Wording)",
          instead: "Check in the client that the attribute was found before it is used.")
      }
      let run = connection.attributes.discoveries.first { $0.client == refusal.client }
      guard let run, refusal.attribute.uuid == nil else {
        return "\(refusal.refuser) has no attribute with the handle \(handle: refusal.handle)."
      }
      return
        "The discovery of \(refusal.server.words) from \(packet: run.first.packet) to \(packet: run.last.packet) found no attribute with the handle \(handle: refusal.handle)."
    },
    Symptom(
      "att_invalid_length", .warning, .fact, "A value with the wrong length is written",
      when: "Invalid Attribute Value Length (0x0d) answers a request",
      do: "Compare the length with what the characteristic's definition or the firmware accepts."
    ).refused(with: 0x0d...0x0d) { refusal, _ in
      if refusal.opcode == .executeWriteRequest {
        "The prepared writes\(refusal.partsWords) make \(refusal.length) bytes: more than \(refusal.server.words) accepts here."
      } else if refusal.attribute.uuid == .clientConfiguration, refusal.length != 2 {
        "A CCCD has two bytes, for instance 01 00 for notifications or 02 00 for indications; \(refusal.client.words) wrote \(refusal.length)."
      } else {
        "\(refusal.refuser) does not accept \(count: refusal.length, "byte", "bytes") here: the length is fixed, or the maximum is smaller."
      }
    },
    Symptom(
      "att_invalid_offset", .warning, .meaning, "A read or write begins after the end of the value",
      when: "Invalid Offset (0x07) answers a request",
      do:
        "Begin at offset 0 and continue where the previous part ended; a client that reads a long value stops at the first part that does not fill the MTU."
    ).refused(
      with: 0x07...0x07,
      elsewise: [
        Alternative("the value has become shorter since the previous response") { it, _ in
          it.refusal.unableToReadOn(it.connection) == nil
        },
        Alternative("the server had the bytes between already, and another part is wrong") {
          it, _ in it.refusal.prepared?.late == nil
        },
      ]
    ) { refusal, connection in
      if let whole = refusal.unableToReadOn(connection) {
        Reason(
          whole,
          instead:
            "Fix the server: a part that begins at the value's end is empty, not an error. Until then write no more to it than fits into one request (MTU − 3 bytes), or stop reading at the part that does not fill the MTU."
        )
      } else if refusal.opcode != .executeWriteRequest {
        "The value is shorter than \(count: Int(refusal.offset ?? 0), "byte", "bytes"), the offset of the requested part."
      } else if let late = refusal.prepared?.late {
        "The part of \(packet: late.moment.packet) begins at byte \(late.offset) of \(handle: late.handle), and those before it end at byte \(late.end): the bytes between are missing."
      } else {
        "One of the prepared writes\(refusal.partsWords) begins after the end of the value on \(refusal.server.words); the capture does not show which one."
      }
    },
    Symptom(
      "att_prepare_queue", .warning, .meaning, "A server's queue of prepared writes is full",
      when: "Prepare Queue Full (0x09) answers a request",
      do:
        "Execute or cancel what is prepared, or raise the server's queue (Zephyr: CONFIG_BT_ATT_PREPARE_COUNT); a larger MTU needs fewer parts."
    ).refused(
      with: 0x09...0x09,
      elsewise: [
        Alternative("another client has filled the queue") { it, _ in !it.refusal.isFirstPart }
      ]
    ) { refusal, connection in
      guard refusal.isFirstPart
      else { return "\(refusal.refuser) cannot queue more parts than those already prepared." }
      let before: Wording =
        connection.attributes.refusals.last {
          $0.opcode == .executeWriteRequest && $0.server == refusal.server
            && $0.answer.packet < refusal.last.packet
        }.map {
          "After the Execute Write Request before it was refused (\(packet: $0.answer.packet)), the server has to discard its parts (Core, Vol 3, Part F, 3.4.6.3)."
        } ?? "The server did not empty its queue."
      return Reason(
        "This is the first part: \(refusal.client.words) has prepared nothing that is not executed or cancelled. \(before)",
        instead:
          "Fix the server: after Execute Write Request its queue is empty, whatever the result. Until then disconnect, which empties the queue, or cancel what is prepared (Execute Write Request with flags 0x00)."
      )
    },
    Symptom(
      "att_not_long", .note, .fact,
      "Read Blob Request is used for a value that fits into one response",
      when: "Attribute Not Long (0x0b) answers a request",
      do:
        "Nothing to do: the value is complete; clients that get a response of MTU − 1 bytes check for more."
    ).refused(with: 0x0b...0x0b, isSettled: false) { _, _ in
      "The value fits into one Read Response, so there is no further part."
    },
    Symptom(
      "att_insufficient_resources", .warning, .fact, "A server has no resources for a request",
      when: "Insufficient Resources (0x11) answers a request",
      do: "Request less at a time, or later; look for leaked buffers in the firmware."
    ).refused(with: 0x11...0x11) { refusal, _ in
      "\(refusal.refuser) ran out of memory or of another resource."
    },
    Symptom(
      "att_unlikely", .warning, .fact, "A server fails to handle a request and gives no reason",
      when: "Unlikely Error (0x0e) answers a request",
      do:
        "Check the server: stacks answer this if the application's callback returned an error or threw, or if none is registered."
    ).refused(with: 0x0e...0x0e) { refusal, _ in
      "The error only shows that the application or the stack of \(refusal.server.words) failed."
    },
    Symptom(
      "att_request_not_supported", .note, .fact, "A server does not support a request",
      when: "Request Not Supported (0x06) answers a request",
      do:
        "Nothing to do if the client works without it: few requests are mandatory. If the same server answers it at other times, its database was not ready."
    ).refused(with: 0x06...0x06, isSettled: false) { refusal, _ in
      "\(refusal.refuser) reported that it does not support this request\(refusal.opcode == .exchangeMTURequest ? ": the MTU stays unchanged" : "; clients can use others" as StaticString)."
    },
    Symptom(
      "att_unsupported_group", .note, .fact,
      "Read By Group Type Request is used with a type that is not a group",
      when: "Unsupported Group Type (0x10) answers a request",
      do:
        "Use Read By Group Type Request for primary and secondary services only (Core, Vol 3, Part G, 2.5.3)."
    ).refused(with: 0x10...0x10, isSettled: false) { _, _ in
      "The requested type is not a grouping attribute."
    },
    Symptom(
      "att_invalid_pdu", .warning, .fact, "A server rejects a request as malformed",
      when: "Invalid PDU (0x04) answers a request",
      do: "Compare the request's length and fields with the specification, or the server's parser."
    ).refused(with: 0x04...0x04) { refusal, _ in
      "\(refusal.refuser) considers the request malformed."
    },
    Symptom(
      "att_value_not_allowed", .warning, .fact, "The server does not accept a written value",
      when: "Value Not Allowed (0x13) answers a request",
      do: "Write a value that the characteristic's definition allows in this state."
    ).refused(with: 0x13...0x13) { refusal, _ in
      "The length was right, but \(refusal.server.words) does not accept \(refusal.headWords)."
    },
    Symptom(
      "att_application_error", .warning, .fact,
      "A profile's rule, or the server's application, refuses a request",
      when:
        "an error between 0x80 and 0x9f answers a request, or one between 0xa0 and 0xdf that the profile names",
      do:
        "Ask the vendor of the server's firmware what the code means for this attribute, and what it expects first: an unlock, another value, another order of writes. In your own firmware, find where the application returns the code."
    ).refused(with: 0x80...0x9f, 0xa0...0xdf) { refusal, _ in
      if refusal.errorName != nil {
        Reason(
          "The profile's rules do not allow \(refusal.headWords).",
          instead:
            "Write what the profile allows in this state; its name for the code shows what is wrong."
        )
      } else if refusal.error.range == .application {
        "The code is specific to the application of \(refusal.server.words), which refused \(refusal.headWords)."
      } else {
        nil
      }
    },
    Symptom(
      "att_reserved_error", .warning, .fact, "A server answers with a reserved error code",
      when:
        "the error 0x00, one between 0x14 and 0x7f, or one between 0xa0 and 0xfb that no profile names answers a request",
      do:
        "Fix the server: use 0x80 to 0x9f for application errors, and answer a successful request with its response, not with an Error Response."
    ).refused(with: 0x14...0x7f, 0xa0...0xfb, 0x00...0x00) { refusal, _ in
      if refusal.errorName != nil { return nil }
      return refusal.error.rawValue == 0
        ? "0x00 is not an error: \(refusal.server.words) sent an Error Response with a code that elsewhere means success, and clients interpret it differently."
        : "The specification reserves this code, so it gives no reason."
    },
    Symptom(
      "att_write_rejected", .warning, .fact,
      "A write is refused for a reason that no other code covers",
      when: "Write Request Rejected (0xfc) answers a request",
      do: "Check in the profile in which state the value is accepted."
    ).refused(with: 0xfc...0xfc) { refusal, _ in
      "The profile does not allow \(refusal.headWords) now."
    },
    Symptom(
      "att_cccd_improper", .warning, .meaning,
      "A procedure is started without the subscription that its answers need",
      when:
        "Client Characteristic Configuration Descriptor Improperly Configured (0xfd) answers a request",
      do: "Write the CCCD of the characteristic that sends the answers before the first request."
    ).refused(with: 0xfd...0xfd) { refusal, connection in
      let asked = connection.attributes.configurations.filter {
        $0.server == refusal.server && $0.accepted != nil && $0.value != 0
          && $0.request.packet < refusal.request.packet
      }
      guard let last = asked.last, let owner = last.owner else {
        return Reason(
          "\(refusal.refuser) answers by notifications or indications, but none of its CCCDs was written \(connection.connection.isOpeningMissing ? "in this capture" : "on this connection" as StaticString).",
          restsOnAbsence: true)
      }
      return Reason(
        "\(refusal.refuser) answers by notifications or indications of a characteristic other than \(owner), whose CCCD was written at \(packet: last.request.packet), or that CCCD enables the wrong one of the two.",
        restsOnAbsence: true)
    },
    Symptom(
      "att_procedure_in_progress", .warning, .fact,
      "A procedure is started while another one is running",
      when: "Procedure Already in Progress (0xfe) answers a request",
      do: "Wait for the previous procedure's answer, or abort it."
    ).refused(with: 0xfe...0xfe) { _, _ in "The previous procedure has not finished." },
    Symptom(
      "att_out_of_range", .warning, .fact, "A written value is out of range",
      when: "Out of Range (0xff) answers a request",
      do: "Write a value within the characteristic's range."
    ).refused(with: 0xff...0xff) { refusal, _ in
      "The profile defines a range, and \(refusal.headWords) is not in it."
    },
    failedProcedure, notInProperties, droppedCommands,
  ]

  private static let failedProcedure = Symptom(
    "gatt_procedure_failed", .warning, .fact, "A control point reports that a procedure failed",
    when:
      "a notification or an indication of a control point has a result other than success; a note if the same command succeeds later",
    do:
      "Look up the result in the profile of the characteristic, and compare what was written with what the server can do in this state. The write itself was accepted, so apps and stacks that look only at its status see no error."
  ).needing(.bothDirections).onConnection(merges: true) { connection, _ in
    connection.attributes.failedProcedures.map { failed in
      let name = connection.attributes.name(failed.handle, of: failed.server)
      var finding = Finding(
        "\(name) reported that a procedure failed\(Wording.times(failed.count)): \(failed.words)",
        headline:
          "a procedure of \(name) failed (\(packet: failed.answer.packet)): \(failed.words)",
        why:
          "\(failed.server.capitalized) answered in \(packet: failed.answer.packet): \(failed.words).",
        evidence: PacketSet([failed.request ?? 0, failed.answer.packet]))
      finding.attribute = connection.attributes.identity(failed.handle, of: failed.server)
      if let succeeded = failed.succeeded {
        finding.resolve()
        finding.note = "The same command succeeded later (\(packet: succeeded.packet))."
      }
      return finding
    }
  }

  private static let droppedCommands = Symptom(
    "att_command_dropped", .warning, .meaning,
    "Commands are written to an attribute that cannot be written",
    when:
      "a Write Command goes to a declaration, or to a value whose declaration, discovered on this connection, does not offer writing; not if the server seems to carry it out",
    do:
      "Get the handle of the value by discovery of this server: handles differ between firmware versions. Use Write Requests while testing, since a server answers them with an error."
  ).needing([.bothDirections]).leaningOn(.opening).onConnection(
    merges: true,
    elsewise: [Alternative(always: "the server carries them out, although it does not offer it")]
  ) { connection, _ in
    connection.attributes.usages.compactMap { usage in
      guard let first = usage.commands.first, usage.cannotBeWritten, usage.sent == 0,
        usage.writes.count == 0, !usage.dropped.areHonoured
      else { return nil }
      let why: Wording =
        if usage.identity.kind == .value, let properties = usage.properties {
          "The declaration offers \(properties.words), but no writing."
        } else {
          "\(handle: usage.handle) is a declaration, which no client can write."
        }
      return Finding(
        "\(usage.server.other.words) wrote \(count: usage.commands.count, "command", "commands") to \(usage.named), which cannot be written",
        at: first.packet, why: "\(why) A server drops such a command without an error.",
        evidence: PacketSet(of: first, usage.commands.last), of: usage.named,
        // What shows that the server carries them out may be missing.
        restsOnAbsence: true)
    }
  }

  private static let notInProperties = Symptom(
    "att_not_in_properties", .note, .fact,
    "A server allows what the characteristic's declaration does not offer",
    when:
      "a read, a write, a notification or an indication succeeds although the characteristic's declaration in the capture lacks the property",
    do:
      "Declare what is allowed, or do not allow it: clients such as CoreBluetooth do not use undeclared operations."
  ).needing([.bothDirections]).onConnection(merges: true) { connection, _ in
    connection.attributes.usages.flatMap { usage in
      usage.unoffered.map { unoffered in
        let done: StaticString
        let consequence: Wording
        switch unoffered.operation {
        case .read:
          done = "was read"
          consequence =
            "answered with \(unoffered.length == 0 ? "an empty value" : "\(count: unoffered.length, "byte", "bytes")" as Wording) instead of Read Not Permitted (0x02)"
        case .notification, .indication:
          done = "sent its value"
          consequence =
            "sent \(unoffered.operation == .indication ? "an indication" : "a notification" as StaticString), which the declaration does not offer"
        default:
          done = "was written"
          consequence = "accepted the value instead of answering Write Not Permitted (0x03)"
        }
        return Finding(
          "\(usage.named) \(done) although it offers only \(usage.properties?.words ?? "")",
          at: unoffered.request, why: "\(usage.server.capitalized) \(consequence).",
          evidence: PacketSet([unoffered.request, unoffered.answer]))
      }
    }
  }
}

extension Refusal {
  /// What was to be written, and its meaning: `02 (2, which is reserved)`, `3 bytes`.
  var headWords: Wording {
    if opcode != .writeRequest && opcode != .prepareWriteRequest { return "the request" }
    if length == 0 { return "an empty value" }
    let size: Wording = "\(count: length, "byte", "bytes")"
    let bytes: Wording =
      length <= head.count
      ? "\(hex: head)" : head.isEmpty ? size : "\(size) beginning with \(hex: head)"
    return meaning.map { "\(bytes) (\($0))" } ?? bytes
  }

  /// Returns an explanation if a server refuses the next part of a value after returning the parts
  /// before it. A part that starts at the end is empty, which is not an error (Core, Vol 3, Part F,
  /// 3.4.4.5).
  fileprivate func unableToReadOn(_ connection: ConnectionHistory) -> Wording? {
    guard opcode == .readBlobRequest, let offset, offset > 0,
      let usage = connection.attributes.usage(handle, of: server),
      usage.longestRead.length >= Int(offset)
    else { return nil }
    let written: Wording =
      usage.longestWrite.length > Int(offset)
      ? " A long write had set \(usage.longestWrite.length) bytes (\(packet: usage.longestWrite.packet))."
      : ""
    return
      "The previous response reached byte \(offset) (\(packet: usage.longestRead.packet)), so a part that begins there is at least empty and not an error: the server's firmware cannot handle long values.\(written)"
  }

  /// The packets of the parts of a prepared write.
  fileprivate var partsWords: Wording {
    prepared.map { " (\(packet: $0.first.packet) to \(packet: $0.last))" } ?? ""
  }

  /// Whether iOS refuses a command to its Notification Center Service.
  fileprivate var isOfNotificationSharing: Bool {
    error.rawValue == 0x03 && attribute.uuid == AppleServices.notificationControl
  }

  /// Whether the client wrote a subscription to another descriptor. If it lacks values because of
  /// that, another rule reports it.
  var isMistakenForCCCD: Bool {
    error.rawValue == 0x03 && attribute.kind == .descriptor && length == 2
      && attribute.uuid != .clientConfiguration && [[1, 0], [2, 0]].contains(head)
  }

  /// Why an attribute cannot be read or written, and how to fix it.
  fileprivate var notPermitted: Reason {
    let isRead = error.rawValue == 0x02
    let (verb, done): (StaticString, StaticString) =
      isRead ? ("read", "read") : ("write", "written")
    let isConfiguration = attribute.uuid == .clientConfiguration
    switch attribute.kind {
    case .service, .include, .characteristic:
      return Reason(
        "\(handle: handle) is a declaration, which no client can \(verb) this way: the client used the wrong handle. Not every characteristic has a CCCD after its value.",
        instead:
          "Get the handle of the characteristic's value, or of its descriptor, by discovery of this server."
      )
    case .descriptor where !isRead && isConfiguration && attribute.via != .inferred:
      return Reason(
        "A server has to let every client write its CCCDs; it may require a higher security level first, but with another error (Core, Vol 3, Part G, 3.3.3.3). This is a defect of \(server.words): clients cannot subscribe there.",
        instead: server == .local
          ? "Fix the server on this host: with BlueZ try the flags notify or indicate without encrypt-notify, encrypt-indicate and similar, and another version of bluetoothd; in firmware allow writes to the CCCD (Zephyr: BT_GATT_CCC with BT_GATT_PERM_WRITE)."
          : "Nothing on this host helps: the peer's firmware has to allow writes to its CCCD (Zephyr: BT_GATT_CCC with BT_GATT_PERM_WRITE; with BlueZ the flags notify or indicate without encrypt-notify). Until then poll the value, if it can be read.",
        fault: server)
    case .descriptor where isMistakenForCCCD:
      return Reason(
        "\(hex: head) enables \(head[0] == 1 ? "notifications" : "indications" as StaticString) in a CCCD, but \(attribute) is not one: \(client.words) treats it as one. The refusal has no effect, unless values were expected.",
        instead:
          "Make the app write the subscription only to the characteristic's 2902 descriptor (on Android getDescriptor() with that UUID, not each of getDescriptors())."
      )
    case .value, .descriptor, nil: break
    }
    if let properties { return notOffered(properties) }
    return Reason(
      "\(refuser) does not let \(attribute) be \(done).",
      instead: attribute.kind == .descriptor
        ? "Do not use the descriptor unless the profile states that it can be \(done)."
        : "Discover the characteristic: its declaration shows what can be done with its value."
    )
  }

  /// Returns why a value cannot be read or written, by what its declaration offers.
  private func notOffered(_ properties: CharacteristicProperties) -> Reason {
    let isRead = error.rawValue == 0x02
    let (verb, done): (StaticString, StaticString) =
      isRead ? ("read", "read") : ("write", "written")
    let permission: StaticString = isRead ? "BT_GATT_PERM_READ" : "BT_GATT_PERM_WRITE"
    if properties.has(bit: isRead ? 1 : 3) {
      let isApples = attribute.service.map { AppleServices.all.contains($0) } ?? false
      return Reason(
        "The declaration offers \(properties.words), but \(server.words) does not allow it: its permissions and properties do not match.",
        instead: isApples
          ? "The server is an Apple device, so its firmware cannot be changed: check its settings for this accessory, and that the two are bonded."
          : "In the firmware of \(server.words) allow what the declaration offers (Zephyr: \(permission) with the property), or do not offer it."
      )
    }
    let instead: StaticString =
      !isRead && properties.has(bit: 2) ? ": it accepts write without response" : ""
    let uses = properties.uses
    let offered: Wording =
      uses.isEmpty
      ? "Do not use it: the declaration offers no operation for clients"
      : "Use what it offers: \(Wording(listing: uses))"
    return Reason(
      "The declaration offers \(properties.words), but not \(verb)\(instead).",
      instead:
        "\(offered). If it should be \(done), the firmware has to declare \(verb) and allow it (Zephyr: \(permission))."
    )
  }
}

extension ConnectionHistory {
  /// Returns whether iOS keeps its notifications from an accessory: it sends none either.
  func hidesNotifications(_ refusal: Refusal) -> Bool {
    refusal.isOfNotificationSharing
      && !attributes.usages.contains {
        $0.identity.uuid == AppleServices.notificationSource && $0.sent > 0
      }
  }
}

/// Services that only Apple's devices have (Apple's specifications of ANCS and AMS [mem]).
private enum AppleServices {
  /// The control point of the Notification Center Service.
  static let notificationControl = BluetoothUUID(
    high: 0x69d1_d8f3_45e1_49a8, low: 0x9821_9bbd_fdaa_d9d9)
  static let notificationSource = BluetoothUUID(
    high: 0x9fbf_120d_6301_42d9, low: 0x8c58_25e6_99a2_1dbd)
  /// The Notification Center Service, the Media Service, and Continuity.
  static let all = [
    BluetoothUUID(high: 0x7905_f431_b5ce_4e99, low: 0xa40f_4b1e_122d_00d0),
    BluetoothUUID(high: 0x89d3_502b_0f36_433a, low: 0x8ef4_c502_ad55_f8dc),
    BluetoothUUID(high: 0xd061_1e78_bbb4_4591, low: 0xa5f8_4879_10ae_4366),
  ]
}

extension CharacteristicProperties {
  /// What a client can do with a value that has these properties.
  fileprivate var uses: [Wording] {
    let sentences: [(bit: Int, words: Wording)] = [
      (1, "read it"), (3, "write it with a response"), (2, "write it without response"),
      (4, "enable its notifications in its CCCD"), (5, "enable its indications in its CCCD"),
    ]
    return sentences.filter { has(bit: $0.bit) }.map(\.words)
  }
}
