import Bluetooth
import Bytes
import Sessions
import Words

// Rules about requests that are refused for other reasons than security (Core, Vol 3, Part F,
// 3.4.1.1; Core Specification Supplement, Part B).

extension Rule {
  /// The rules about refusals.
  static let refusals: [Rule] = [
    refused(
      "att-not-permitted", .warning, 0x02...0x03, "An attribute is read or written that cannot be",
      when: "Read Not Permitted (0x02) or Write Not Permitted (0x03) answers a request",
      do:
        "Use what the characteristic's declaration offers; a firmware has to allow what it declares."
    ) { refusal, _ in
      refusal.whyNotPermitted
    } instead: { refusal, _ in
      refusal.permittedInstead
    },
    refused(
      "att-invalid-handle", .warning, 0x01...0x01, "A handle is used that the server does not have",
      when: "Invalid Handle (0x01) answers a request",
      do:
        """
        Take handles from a discovery of this connection, or from a cache that is checked by the Database \
        Hash or Service Changed.
        """
    ) { refusal, connection in
      if let range = refusal.range, range.first > range.last {
        return
          """
          The range that was asked for is empty: its first handle, \(handle: range.first), is \
          above its last one, \(handle: range.last).
          """
      }
      if let run = connection.attributes.discoveries.first(where: { $0.client == refusal.client }),
        refusal.attribute.uuid == nil
      {
        return
          """
          What \(refusal.server.words) told from \(packet: run.first.packet) to \(packet: run.last.packet) \
          has no attribute with the handle \(handle: refusal.handle).
          """
      }
      return "\(refusal.refuser) has no attribute with the handle \(handle: refusal.handle)."
    } instead: { refusal, _ in
      guard let range = refusal.range, range.first > range.last else { return nil }
      return """
        Ask for handles from the lower one to the higher one; a search that has reached its last handle is \
        over, and asks for nothing more.
        """
    },
    refused(
      "att-invalid-length", .warning, 0x0d...0x0d, "A value of the wrong length is written",
      when: "Invalid Attribute Value Length (0x0d) answers a request",
      do: "Compare the length with what the characteristic's definition or the firmware takes."
    ) { refusal, _ in
      if refusal.opcode == .executeWriteRequest {
        return
          """
          The parts that were prepared\(refusal.partsWords) reach to byte \(refusal.length): more than \
          \(refusal.server.words) takes here.
          """
      }
      return """
        \(refusal.refuser) does not take \(count: refusal.length, "byte", "bytes") here: the length is \
        fixed, or the most that it takes is less.
        """
    },
    refused(
      "att-invalid-offset", .warning, 0x07...0x07,
      "A part of a value is asked for, or written, that begins after the value's end",
      when: "Invalid Offset (0x07) answers a request",
      do:
        """
        Begin at 0 and go on where the part before ended; a client that reads a long value stops \
        at the first part that does not fill the MTU.
        """
    ) { refusal, connection in
      if refusal.opcode != .executeWriteRequest {
        if let whole = refusal.unableToReadOn(connection) { return whole }
        return
          """
          The value is shorter than \(count: Int(refusal.offset ?? 0), "byte", "bytes"), where the \
          part was to begin.
          """
      }
      guard let late = refusal.prepared?.late else {
        return
          """
          One of the parts that were prepared\(refusal.partsWords) begins behind the end of the value that \
          \(refusal.server.words) has; the capture does not tell which one.
          """
      }
      return
        """
        The part of \(packet: late.moment.packet) begins at byte \(late.offset) of \(handle: late.handle), \
        and those before it end at byte \(late.end): the bytes between are missing, unless the server had \
        them already.
        """
    } instead: { refusal, connection in
      refusal.opcode != .executeWriteRequest && refusal.unableToReadOn(connection) != nil
        ? "Mend the server: a part that begins at the value's end is empty, and no error. Until then write no more to it than one request holds (MTU − 3 bytes), or read no further than the part that does not fill the MTU."
        : nil
    } certainty: { refusal in
      if refusal.opcode != .executeWriteRequest { return .certain }
      return refusal.prepared?.late == nil ? .possible : .likely
    },
    refused(
      "att-prepare-queue", .warning, 0x09...0x09, "A server's queue of prepared writes is full",
      when: "Prepare Queue Full (0x09) answers a request",
      do:
        """
        Execute or cancel what is prepared, or raise the server's queue (Zephyr: \
        CONFIG_BT_ATT_PREPARE_COUNT); a larger MTU needs fewer parts.
        """
    ) { refusal, _ in "\(refusal.refuser) holds no more parts than those that were prepared before."
    },
    refused(
      "att-not-long", .note, 0x0b...0x0b,
      "A part of a value is asked for that fits into one answer",
      when: "Attribute Not Long (0x0b) answers a request",
      do:
        """
        Nothing: the value is whole; clients that get an answer of MTU − 1 bytes ask whether \
        there is more.
        """
    ) { _, _ in
      "The value has no more bytes than a Read Response holds, so that there is no other part."
    },
    refused(
      "att-insufficient-resources", .warning, 0x11...0x11, "A server has no room for a request",
      when: "Insufficient Resources (0x11) answers a request",
      do: "Ask for less at a time, or later; look for leaked buffers in the firmware."
    ) { refusal, _ in "\(refusal.refuser) ran out of memory or of another resource." },
    refused(
      "att-unlikely", .warning, 0x0e...0x0e, "A server fails at a request and does not say why",
      when: "Unlikely Error (0x0e) answers a request",
      do:
        """
        Look into the server: it is what stacks answer where the application's callback returned an error \
        or threw, or where nobody registered one.
        """
    ) { refusal, _ in
      "The error tells no more than that the application or the stack of \(refusal.server.words) failed."
    },
    refused(
      "att-request-not-supported", .note, 0x06...0x06, "A server does not know a request",
      when: "Request Not Supported (0x06) answers a request",
      do:
        "Nothing, where the client does without: few requests are mandatory. Where the same server answers it at other times, its database was not ready."
    ) { refusal, _ in
      refusal.opcode == .exchangeMTURequest
        ? "\(refusal.refuser) said that it does not support this request: the MTU stays what it is."
        : "\(refusal.refuser) said that it does not support this request; clients get along by others."
    },
    refused(
      "att-unsupported-group", .note, 0x10...0x10,
      "A search by group asks for a type that cannot be a group",
      when: "Unsupported Group Type (0x10) answers a request",
      do: "Search by group for primary and secondary services only (Core, Vol 3, Part G, 2.5.3)."
    ) { _, _ in "The type that was asked for groups no attributes." },
    refused(
      "att-invalid-pdu", .warning, 0x04...0x04, "A server cannot read a request",
      when: "Invalid PDU (0x04) answers a request",
      do: "Compare the request's length and fields with the specification, or the server's parser."
    ) { refusal, _ in "\(refusal.refuser) takes the request for malformed." },
    refused(
      "att-value-not-allowed", .warning, 0x13...0x13,
      "A value is written that the server does not take",
      when: "Value Not Allowed (0x13) answers a request",
      do: "Write a value that the characteristic's definition allows in this state."
    ) { refusal, _ in
      "The length was right, but \(refusal.server.words) does not take \(refusal.headWords)."
    },
    refused(
      "att-application-error", .warning, 0x80...0x9f, also: [0xa0...0xdf],
      "A profile's rules refuse a request",
      when:
        """
        an error between 0x80 and 0x9f answers a request, or one between 0xa0 and 0xdf that the profile names
        """,
      do:
        "Ask whoever makes the server's firmware what the code means for this attribute, and what it waits for before: an unlock, another value, another order of writes. In your own firmware see where the application returns the code."
    ) { refusal, _ in
      if refusal.error.range != .application, refusal.errorName == nil { return nil }
      return refusal.errorName == nil
        ? """
        What the code means only the application of \(refusal.server.words) knows; it refused \
        \(refusal.headWords).
        """
        : "The profile's rules do not take \(refusal.headWords)."
    } instead: { refusal, _ in
      refusal.errorName == nil
        ? nil
        : "Write what the profile allows in this state; its name for the code says what is wrong."
    },
    refused(
      "att-reserved-error", .warning, 0x14...0x7f, also: [0xa0...0xfb, 0x00...0x00],
      "A server answers an error code that has no meaning",
      when:
        """
        the error 0x00, one between 0x14 and 0x7f, or one between 0xa0 and 0xfb that no profile names answers \
        a request
        """,
      do:
        """
        Answer errors of an application between 0x80 and 0x9f, and what succeeds with the response, not with \
        an Error Response.
        """
    ) { refusal, _ in
      if refusal.errorName != nil { return nil }
      return refusal.error.rawValue == 0
        ? """
        0x00 is no error: an Error Response of \(refusal.server.words) brings what elsewhere means success, \
        and clients differ in what they make of it.
        """
        : """
        The code is reserved: the application of \(refusal.server.words) chose it, or a status of another \
        layer leaked into it.
        """
    },
    refused(
      "att-write-rejected", .warning, 0xfc...0xfc,
      "A write is refused for a reason that no other code has",
      when: "Write Request Rejected (0xfc) answers a request",
      do: "See the profile for the state in which the value is taken."
    ) { refusal, _ in "The profile does not take \(refusal.headWords) now." },
    refused(
      "att-cccd-improper", .warning, 0xfd...0xfd,
      "A procedure is started before its answers are subscribed to",
      when:
        """
        Client Characteristic Configuration Descriptor Improperly Configured (0xfd) answers a \
        request
        """,
      do: "Write the CCCD of the characteristic that brings the answers before the first request.",
      restsOnAbsence: true
    ) { refusal, connection in
      let asked = connection.attributes.configurations.filter {
        $0.server == refusal.server && $0.accepted != nil && $0.value != 0
          && $0.request.packet < refusal.request.packet
      }
      guard let last = asked.last, let owner = last.owner else {
        let place: Wording =
          connection.connection.isOpeningMissing ? "in this capture" : "on this connection"
        return
          """
          \(refusal.refuser) answers by notifications or indications, and no CCCD of it was written \(place).
          """
      }
      return
        """
        \(refusal.refuser) answers by notifications or indications of another characteristic than \
        \(owner), whose CCCD was written at \(packet: last.request.packet), or in the other way.
        """
    },
    refused(
      "att-procedure-in-progress", .warning, 0xfe...0xfe,
      "A procedure is started while another one is running",
      when: "Procedure Already in Progress (0xfe) answers a request",
      do: "Wait for the answer of the procedure before, or abort it."
    ) { _, _ in "The procedure that was started before is not over." },
    refused(
      "att-out-of-range", .warning, 0xff...0xff, "A value is written that is out of range",
      when: "Out of Range (0xff) answers a request",
      do: "Write a value within the characteristic's range."
    ) { refusal, _ in "The profile defines a range, and \(refusal.headWords) is not in it." },
    notInProperties,
  ]

  private static let notInProperties = Rule(
    "att-not-in-properties", .note,
    "A server does what the characteristic's declaration does not offer",
    when:
      """
      a read, a write, a notification or an indication succeeds although the declaration, which \
      is in the capture, does not have the property
      """, needs: [.bothDirections],
    do:
      """
      Declare what is allowed, or do not allow it: clients like CoreBluetooth do not ask for what is not \
      declared.
      """
  ) { connection, _ in
    Finding.together(
      connection.attributes.usages.flatMap { usage in
        usage.unoffered.map { unoffered in
          let offers = usage.properties?.words ?? ""
          let packet = unoffered.request
          let what: Wording
          let consequence: Wording
          switch unoffered.operation {
          case .read:
            what = "\(usage.identity) was read although it offers only \(offers)"
            consequence =
              unoffered.length == 0
              ? "answered with an empty value instead of Read Not Permitted (0x02)."
              : """
              answered with \(count: unoffered.length, "byte", "bytes") instead of Read Not \
              Permitted (0x02).
              """
          case .notification, .indication:
            what = "\(usage.identity) sent its value although it offers only \(offers)"
            consequence =
              unoffered.operation == .indication
              ? "sent an indication, which the declaration does not announce to clients."
              : "sent a notification, which the declaration does not announce to clients."
          default:
            what = "\(usage.identity) was written although it offers only \(offers)"
            consequence = "took the value instead of answering Write Not Permitted (0x03)."
          }
          var finding = Finding(
            what.capitalized, headline: "\(what) (\(packet: packet))",
            why: Wording("\(usage.server.words) \(consequence)").capitalized,
            evidence: PacketSet([unoffered.request, unoffered.answer]))
          finding.severity = .note
          return finding
        }
      })
  }
}

extension Refusal {
  /// What was to be written, and its meaning: `02 (2, which is reserved)`, `3 bytes`.
  var headWords: Wording {
    if opcode != .writeRequest && opcode != .prepareWriteRequest { return "the request" }
    if length == 0 { return "an empty value" }
    let size: Wording = "\(count: length, "byte", "bytes")"
    let bytes: Wording =
      if length <= head.count {
        "\(hex: head)"
      } else if head.isEmpty {
        size
      } else {
        "\(size) that begin with \(hex: head)"
      }
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
    return """
      The answer before brought the value up to byte \(offset) (\(packet: usage.longestRead.packet)), so that \
      a part that begins there is empty at the least, and no error: the firmware of the server cannot do long \
      values.\(written)
      """
  }

  /// The packets of the parts of a prepared write.
  fileprivate var partsWords: Wording {
    guard let prepared else { return "" }
    return " (\(packet: prepared.first.packet) to \(packet: prepared.last))"
  }

  /// Whether a subscription was written to a descriptor that is not a CCCD.
  private var isMisplacedSubscription: Bool {
    error.rawValue == 0x03 && attribute.kind == .descriptor
      && attribute.uuid != .clientConfiguration
      && attribute.uuid != nil && length == 2 && (head == [1, 0] || head == [2, 0])
  }

  /// Whether a client was prevented from writing a CCCD.
  private var isOfConfiguration: Bool {
    error.rawValue == 0x03 && attribute.uuid == .clientConfiguration && attribute.via != .inferred
  }

  /// Why an attribute cannot be read or written.
  fileprivate var whyNotPermitted: Wording {
    let isRead = error.rawValue == 0x02
    let (verb, done): (Wording, Wording) = isRead ? ("read", "read") : ("write", "written")
    switch attribute.kind {
    case .service, .include, .characteristic:
      return
        """
        \(handle: handle) is a declaration, which no client can \(verb) so: the handle is not \
        the one that was meant. Not every characteristic has a CCCD behind its value.
        """
    case .value, .descriptor, nil: break
    }
    if isOfConfiguration {
      return
        "A server has to let every client write a CCCD that it has; it may ask for a better protected link before, but by another error (Core, Vol 3, Part G, 3.3.3.3). So this is a defect of \(server.words), and values cannot be subscribed to there."
    }
    if isMisplacedSubscription {
      return
        "\(hex: head) is what turns \(head[0] == 1 ? "notifications" : "indications" as StaticString) on in a CCCD, and \(attribute) is none: \(client.words) takes it for one. Nothing follows from the refusal, unless values were expected."
    }
    guard let properties else {
      return "\(refuser) does not let \(attribute) be \(done)."
    }
    if properties.has(bit: isRead ? 1 : 3) {
      return
        """
        The declaration offers \(properties.words), but \(server.words) does not allow it: its \
        permissions and its properties differ.
        """
    }
    let instead: Wording =
      !isRead && properties.has(bit: 2) ? ": it takes commands, write without response" : ""
    return "The declaration offers \(properties.words), and not \(verb)\(instead)."
  }

  /// How to fix a read or a write that is not permitted, depending on what is known of the
  /// attribute.
  fileprivate var permittedInstead: Wording {
    let isRead = error.rawValue == 0x02
    switch attribute.kind {
    case .service, .include, .characteristic:
      return
        "Take the handle of the characteristic's value, or of its descriptor, from a discovery of this server."
    case .value, .descriptor, nil: break
    }
    if isOfConfiguration {
      return server == .local
        ? "Mend the server on this host: with BlueZ try the flags notify or indicate without encrypt-notify, encrypt-indicate and their like, and another version of bluetoothd; in a firmware allow the CCCD to be written (Zephyr: BT_GATT_CCC with BT_GATT_PERM_WRITE)."
        : "Nothing on this host helps: the peer's firmware has to allow its CCCD to be written (Zephyr: BT_GATT_CCC with BT_GATT_PERM_WRITE; with BlueZ the flags notify or indicate without encrypt-notify). Until then poll the value, if it can be read."
    }
    if isMisplacedSubscription {
      return
        "Have the app write the subscription to the characteristic's 2902 alone (on Android getDescriptor() with that UUID, not each of getDescriptors())."
    }
    if attribute.kind == .descriptor {
      return
        "Leave the descriptor alone, unless the profile says that it can be \(isRead ? "read" : "written" as StaticString)."
    }
    guard let properties else {
      return "Discover the characteristic: its declaration tells what can be done with its value."
    }
    let permission: StaticString = isRead ? "BT_GATT_PERM_READ" : "BT_GATT_PERM_WRITE"
    let (verb, done): (StaticString, StaticString) =
      isRead ? ("read", "read") : ("write", "written")
    if properties.has(bit: isRead ? 1 : 3) {
      return
        """
        In the firmware of \(server.words) allow what the declaration offers (Zephyr: \(permission) beside \
        the property), or do not offer it.
        """
    }
    let uses = properties.uses
    let offered: Wording =
      uses.isEmpty
      ? "Leave it alone: the declaration offers nothing that a client can do"
      : "Use what it does offer: \(Wording(listing: uses))"
    return
      """
      \(offered). If it is meant to be \(done), the firmware has to declare \(verb) \
      and allow it (Zephyr: \(permission)).
      """
  }
}

extension CharacteristicProperties {
  /// What a client can do with a value that has these properties.
  fileprivate var uses: [Wording] {
    let sentences: [(bit: Int, words: Wording)] = [
      (1, "read it"), (3, "write it with a response"), (2, "write it without response"),
      (4, "turn its notifications on in its CCCD"), (5, "turn its indications on in its CCCD"),
    ]
    return sentences.filter { has(bit: $0.bit) }.map(\.words)
  }
}
