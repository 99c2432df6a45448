import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about servers that do not answer, describe or send as the specification requires.

extension Rule {
  static let servers: [Rule] = [
    Symptom(
      "att_malformed", .warning, .fact, "A server sends a malformed PDU",
      when:
        "a response, notification or indication is too short or too long, or has an impossible format; an error if its receiver ends the link within 1 s",
      do:
        "Fix the server: compare the PDU with its layout (Core, Vol 3, Part F, 3.4). As a client, report such a PDU and continue without it."
    ).onConnection(merges: true) { connection, _ in
      connection.attributes.faults.malformed.map(connection.malformed)
    },
    Symptom(
      "att_offset_ignored", .error, .meaning, "A server ignores the offset of a Read Blob Request",
      when:
        "all parts of a value that is read in parts are equal, and a part does not repeat itself",
      do:
        "Fix the server's read handler: return the value from the requested offset on, and Invalid Offset (0x07) beyond its end (Core, Vol 3, Part F, 3.4.4.5; Zephyr: bt_gatt_attr_read(), NimBLE: os_mbuf_append() of the whole value). A larger MTU avoids reads in parts."
    ).needing([.bothDirections]).onConnection(
      about: ServerFaults.RepeatedParts.self, merges: true,
      elsewise: [
        Alternative("the value repeats these bytes") { parts, _ in parts.isBeyond },
        Alternative("the value has more than 512 bytes, all alike") { parts, _ in
          !parts.isUniform
        },
      ]
    ) { connection, _ in
      connection.attributes.faults.repeated.compactMap { parts in
        connection.ignoredOffset(parts).map { (parts, $0) }
      }
    },
    Symptom(
      "gatt_declaration_malformed", .warning, .meaning,
      "Reading a characteristic's declaration does not give a declaration",
      when:
        "a Read Request for a declaration that was discovered on this connection is answered with a value of neither 5 nor 19 bytes",
      do:
        "Fix the server: a read must return the same value as discovery, that is the properties, the handle of the value and the UUID (Core, Vol 3, Part G, 3.3.1). As a client, use what discovery returned."
    ).needing([.bothDirections]).leaningOn(.opening).onConnection(merges: true) { connection, _ in
      connection.attributes.faults.declarations.map(connection.oddDeclaration)
    },
    Symptom(
      "gatt_value_too_short", .warning, .meaning,
      "A value is shorter than its characteristic's definition requires",
      when:
        "the first value that is read, or sent by the server, of a characteristic defined by the Bluetooth SIG ends inside a field that the definition requires",
      do:
        "Fix the server: give the value all fields of its definition (GATT Specification Supplement). Clients that follow it reject the value, or read beyond its end."
    ).leaningOn(.opening).onConnection(merges: true) { connection, _ in
      connection.attributes.faults.shortValues.map(connection.tooShort)
    },
    Symptom(
      "gatt_cccd_missing", .warning, .meaning,
      "A characteristic offers notifications or indications, but has no CCCD",
      when:
        "the declaration offers them, and all handles up to the next declaration or the end of the service were discovered without a Client Characteristic Configuration descriptor; a note if values arrive anyway, or in the services Generic Access and Generic Attribute",
      do:
        "Add the descriptor 0x2902 to the characteristic in the server (Arduino for ESP32: addDescriptor(new BLE2902()), Zephyr: BT_GATT_CCC() after the characteristic), or remove the property."
    ).needing([.bothDirections]).onConnection(merges: true) { connection, _ in
      connection.attributes.faults.missing.map(connection.missingConfiguration)
    },
    Symptom(
      "gatt_value_before_encryption", .note, .sequence,
      "A bonded server sends values before the link is encrypted",
      when:
        "a characteristic whose values arrived on an encrypted link before, or which is of the HID service, notifies only before this link is encrypted with the stored key, and not in the 5 s or more after it; its CCCD is not written on this connection",
      do:
        "Let the server wait for encryption before it sends values to a bonded client, and send them again after it (Core, Vol 3, Part C, 10.3.1.1)."
    ).needing([.bothDirections, .events, .opening]).onConnection(merges: true) {
      connection, evidence in connection.sentTooEarly(evidence)
    },
  ]
}

extension ConnectionHistory {
  /// A client that ends the link within this time after a PDU does so because of it.
  private static let shortestStay: Int64 = 1_000_000_000

  fileprivate func malformed(_ pdu: ServerFaults.Malformed) -> Finding {
    let client = pdu.sender.other
    let why: Wording =
      switch pdu.fault {
      case .element(let length):
        "Its format or length is \(length), which no element of its list can have."
      case .short(let needed, let available):
        "A field needs \(count: needed, "byte", "bytes"), but only \(available) follow."
      case .leftOver(let count): "\(count: count, "byte follows", "bytes follow") its last field."
      case .mtu(let value): "It offers an MTU of \(value), but the minimum is 23."
      }
    var finding = Finding(
      "\(pdu.sender.words) sent a malformed \(pdu.opcode.words)", at: pdu.moment.packet, why: why,
      evidence: PacketSet([pdu.request ?? 0, pdu.moment.packet]))
    let isClients = connection.ending == (client == .local ? .localHost : .peer)
    let left = client == .local ? link.disconnect ?? link.ended : link.ended
    if isClients, let left, let stay = left.nanoseconds(since: pdu.moment),
      stay <= Self.shortestStay
    {
      finding.add(
        "\(client.capitalized) ended the link \(duration: stay) later (\(packet: left.packet)).",
        left.packet)
      finding.severity = .error
    }
    return finding
  }

  fileprivate func ignoredOffset(_ parts: ServerFaults.RepeatedParts) -> Finding? {
    guard !parts.isRefuted, parts.isBeyond || !parts.isUniform else { return nil }
    let name = attributes.name(parts.handle, of: parts.server)
    var finding = Finding(
      "\(parts.server.capitalized) answers a read of \(name) with the same part again and again",
      headline:
        "\(parts.server.words) ignores the offset when \(name) is read (\(packet: parts.last.packet))",
      why:
        "\(parts.parts) parts at rising offsets have the same \(parts.length) bytes: the server seems to start at the first byte each time, so the client never reaches the end.\(parts.isBeyond ? (" The last part would end at byte \(parts.end), but no value has more than 512 bytes." as Wording) : "")",
      evidence: PacketSet(of: parts.first, parts.last), parts.parts == 2 ? .warning : nil)
    finding.attribute = attributes.identity(parts.handle, of: parts.server)
    return finding
  }

  fileprivate func oddDeclaration(_ found: ServerFaults.OddDeclaration) -> Finding {
    let declared = attributes.identity(found.handle, of: found.server)
    let name: Wording = declared.map { "\(short: $0)" } ?? "\(handle: found.handle)"
    return Finding(
      "a read of the declaration of \(name) does not give a declaration", at: found.moment.packet,
      why:
        "The value of \(handle: found.handle) has \(count: found.length, "byte", "bytes"). A declaration has the properties, a handle and a UUID, 5 or 19 bytes, and discovery did list it so.",
      evidence: PacketSet([found.request, found.moment.packet]), of: declared)
  }

  fileprivate func tooShort(_ value: ServerFaults.ShortValue) -> Finding {
    Finding(
      "a value of \(attributes.name(value.handle, of: value.server)) is too short",
      at: value.moment.packet,
      why:
        "It has \(count: value.length, "byte", "bytes"), which is less than the definition of the Bluetooth SIG requires: \(value.words).",
      evidence: [value.moment.packet], of: attributes.identity(value.handle, of: value.server))
  }

  fileprivate func missingConfiguration(_ found: ServerFaults.MissingConfiguration) -> Finding {
    let value = NamedAttribute(found.value, attributes.vendors.knowledge.name(of: found.value))
    let (notifies, indicates) = (found.properties.has(bit: 4), found.properties.has(bit: 5))
    let offered: Wording =
      notifies ? indicates ? "notifications and indications" : "notifications" : "indications"
    let sent = attributes.usage(value.handle ?? 0, of: found.server)?.sent ?? 0
    let consequence: Wording =
      sent > 0
      ? "\(found.server.capitalized) sent \(count: sent, "value", "values") anyway."
      : "Without it no client can enable them."
    // Few clients subscribe to anything in the services that every device has.
    let isGeneric = value.service?.isShort(0x1800) == true || value.service?.isShort(0x1801) == true
    var finding = Finding(
      "\(value) offers \(offered), but has no CCCD", at: found.declared,
      why:
        "All attributes up to \(handle: found.last), where the characteristic ends, were discovered, and none is a Client Characteristic Configuration descriptor, which it must have (Core, Vol 3, Part G, 3.3.3.3). \(consequence)",
      evidence: PacketSet([found.service, found.declared]), of: value,
      sent > 0 || isGeneric ? .note : nil, restsOnAbsence: true)
    if found.server == .local {
      finding.remedy =
        isGeneric
        ? "Nothing to do for an application: the stack of this host defines this service."
        : "Add the descriptor 0x2902 where this host's application defines the characteristic (on Android addDescriptor()), or remove the property."
    }
    return finding
  }

  /// A link that ends sooner after its encryption shows nothing.
  private static let shortestWait: Int64 = 5_000_000_000

  /// Returns whether the server accepted a subscription to a value, or a read of it, before the
  /// link was encrypted, or on one that never was.
  private func wasOpen(_ usage: AttributeUsage) -> Bool {
    let encrypted = security.encrypted?.packet ?? .max
    return attributes.configurations.contains {
      $0.server == usage.server && $0.owner?.handle == usage.handle
        && $0.accepted.map { $0.packet < encrypted } ?? false
    }
      || attributes.usage(usage.handle, of: usage.server)?.reads.first.map {
        $0.packet < encrypted
      } ?? false
  }

  /// Returns how long to wait for a value that comes regularly: three times its average pause.
  private func usualPause(of usage: AttributeUsage) -> Int64? {
    attributes.usage(usage.handle, of: usage.server).flatMap(Self.regularity)?.patience
  }

  fileprivate func sentTooEarly(_ evidence: Evidence) -> [Finding] {
    guard connection.isEncrypted == true, security.isStoredKey, !connection.isOpeningMissing,
      let encrypted = security.encrypted,
      let lasted = end(evidence).nanoseconds(since: encrypted), lasted >= Self.shortestWait
    else { return [] }
    return attributes.usages.compactMap { usage in
      let isInput = usage.identity.service?.isShort(0x1812) == true
      guard usage.notifications.count > 0, usage.indications.count == 0,
        let first = usage.notifications.first, let last = usage.notifications.last,
        last.packet < encrypted.packet, usage.identity.uuid?.isShort(0x2a05) != true,
        !attributes.configurations.contains(where: {
          $0.server == usage.server && $0.owner?.handle == usage.handle
        }),
        isInput
          || evidence.earlier(than: self).contains(where: { before in
            before.security.encrypted.map { began in
              before.attributes.usage(usage.handle, of: usage.server)?.notifications.last
                .map { $0.packet > began.packet } ?? false
            } ?? false
          }),
        // A value that the client got on a link without encryption needs none, and one that comes
        // rarely may not be due yet.
        isInput
          || !evidence.earlier(than: self).contains(where: { $0.wasOpen(usage) })
            && lasted >= evidence.earlier(than: self).compactMap({ $0.usualPause(of: usage) })
              .max() ?? 0
      else { return nil }
      let count = usage.notifications.count
      return Finding(
        "\(usage.server.words) sends \(usage.named) only before the link is encrypted",
        at: first.packet,
        why:
          "\(count: count, "value was", "values were") sent before the link was encrypted with the stored key (\(packet: encrypted.packet)), and none in the \(duration: lasted) after it. Clients drop values that need encryption on a link without it, and the subscription of a bonded client counts only once the link is encrypted.",
        evidence: PacketSet(of: first, last, encrypted), of: usage.named, restsOnAbsence: true)
    }
  }
}

extension ServerFaults.RepeatedParts {
  /// Whether the parts reach beyond what a value can have.
  fileprivate var isBeyond: Bool { end > AttributeUse.longest }
}
