import Bluetooth
import Bytes
import Captures
import Dissectors

/// What events reveal: which command is answered, and how links change.
extension Memory {
  /// Records which command is answered, and the link it referred to if the event does not contain
  /// it.
  private mutating func answered(
    _ opcode: UInt16, _ adapter: AdapterIndex, handle: UInt16?, allows allowed: UInt8,
    _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    let found = commands.answer(opcode, adapter: adapter, handle: handle, allows: allowed)
    guard let command = found else { return }
    answer.answers(command.request, at: record.time)
    if answer.link == nil, let link = command.link, links[link].id == command.connection {
      answer.link = link
    }
  }

  mutating func observe(
    _ event: HCIEvent, _ record: borrowing CaptureRecord, _ dissection: inout Dissection,
    _ bytes: RawSpan, _ answer: inout Answer
  ) {
    let adapter = record.adapter
    let body = dissection.body
    let handle = dissection.parameters?.connectionHandle(bytes)
    if let handle {
      answer.link = links.find(LinkKey(adapter, handle), packet: record.number)
    } else if let peer = dissection.parameters?.deviceAddress(bytes) {
      answer.link = links.find(adapter, peer: peer, packet: record.number)
    }
    if let link = answer.link, links[link].transport == .unknown, event.isOfClassicLinks {
      links[link].transport = .brEDR
      links[link].isTransportInferred = true
    }
    var cursor = Cursor(bytes, body)
    switch event.code {
    case HCIEvent.leMetaCode:
      guard let subevent = try? cursor.u8() else { return }
      observeLE(subevent, &cursor, record, &dissection, bytes, &answer)
    case HCIEvent.commandCompleteCode:
      guard let complete = try? CommandComplete(parsing: &cursor) else { return }
      answered(
        complete.opcode, adapter, handle: handle, allows: complete.credits, record, &answer)
      observeReturn(complete.opcode, dissection, record, bytes, &answer)
    case HCIEvent.commandStatusCode:
      guard let told = try? CommandStatus(parsing: &cursor) else { return }
      answered(told.opcode, adapter, handle: handle, allows: told.credits, record, &answer)
      guard told.status != .success else { return }
      if told.opcode == HCICommand.disconnect {
        // It ends nothing.
        links.withdrawDisconnect(answer.request?.packet)
      } else if told.opcode == HCICommand.leEnableEncryption, let link = answer.link {
        links[link].failEncryption()
      }
    case HCIEvent.numberOfCompletedPacketsCode:
      observeCompleted(&cursor, record, &answer)
    case ConnectionComplete.code, ConnectionComplete.synchronousCode:
      guard let complete = try? ConnectionComplete(parsing: &cursor) else { return }
      open(complete, record, &answer)
    case HCIEvent.disconnectionCompleteCode, LinkEvent.encryptionChangeCode,
      LinkEvent.encryptionChangeV2Code, LinkEvent.encryptionKeyRefreshCode:
      guard let change = try? LinkEvent(parsing: &cursor) else { return }
      observe(change, event.code, record, &answer)
    case LinkKeyNotification.code:
      keys.observe(linkKey: bytes, body, packet: record.number)
    case 0x07, 0x2f: learnName(event.code, bytes, body)
    case HCIEvent.roleChangeCode:
      // Status (1 byte), address (6), new role (1). It may come before Connection Complete.
      guard body.count >= 8, dissection.parameters?.status(bytes) == 0,
        let peer = dissection.parameters?.deviceAddress(bytes),
        let role = LinkRole(rawValue: bytes.byte(at: Int(body.start) + 7))
      else { return }
      if let link = answer.link {
        links[link].take(localRole: role)
      } else {
        roles.expect(peer, role, adapter)
      }
    case HCIEvent.readRemoteSupportedFeaturesCompleteCode,
      HCIEvent.readRemoteVersionInformationCompleteCode:
      hear(answer.link, dissection.parameters?.status(bytes))
    default: break
    }
  }

  /// Marks the link as established if features or a version came from the peer: on success, or if
  /// it answered that it does not know the request. These procedures also end, with the link's
  /// reason, on a link that was never established.
  private mutating func hear(_ link: LinkSlot?, _ status: UInt8?) {
    guard let link, let status = status.map({ StatusCode(rawValue: $0) }) else { return }
    if status == .success || status == .unsupportedRemoteFeature {
      links[link].isEstablished = true
    }
  }

  /// Records completed packets, which the peer has acknowledged.
  @_lifetime(cursor: copy cursor)
  private mutating func observeCompleted(
    _ cursor: inout Cursor, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    guard let event = try? NumberOfCompletedPackets(parsing: &cursor) else { return }
    links.tellsCompleted = true
    for _ in 0..<event.count {
      guard let completed = try? NumberOfCompletedPackets.Link(parsing: &cursor) else { return }
      let key = LinkKey(record.adapter, completed.handle)
      let link = links.find(key, packet: record.number)
      if let link, completed.packets > 0 {
        links[link].isEstablished = true
        links[link].completedPackets &+= Int(completed.packets)
      }
      if event.count == 1 { answer.link = link }
    }
  }

  private mutating func observe(
    _ change: LinkEvent, _ code: UInt8, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    guard change.status == .success else {
      // A failed Disconnect ends nothing.
      guard let link = answer.link else { return }
      if code == HCIEvent.disconnectionCompleteCode {
        links[link].disconnectPacket = nil
      } else {
        links[link].failEncryption()
      }
      return
    }
    let adapter = record.adapter
    let link: LinkSlot
    if let known = answer.link {
      link = known
    } else if code == HCIEvent.disconnectionCompleteCode {
      // A handle without data may belong to a stream whose beginning is missing.
      return
    } else {
      link = links.open(
        LinkKey(adapter, change.handle), .unknown, packet: record.number, time: record.time,
        isOpeningMissing: true)
      answer.link = link
      answer.opened = true
    }
    switch code {
    case HCIEvent.disconnectionCompleteCode:
      let reason = change.detail.map { StatusCode(rawValue: $0) }
      commands.giveUp(HCICommand.disconnect, adapter: adapter, handle: change.handle)
      end(links[link].id)
      links.close(
        link, links[link].ending(for: reason), reason: reason, packet: record.number,
        time: record.time)
      answer.ending = links[link].ending
      answer.closed = links[link].transport != .synchronous
    case LinkEvent.encryptionKeyRefreshCode:
      links[link].isEncrypted = true
      links[pairing: link].encrypt()
    default:
      // Without this byte, nothing is known to have changed.
      guard let isEnabled = change.detail else { return }
      links[link].isEncrypted = isEnabled != 0
      if isEnabled != 0 {
        links[pairing: link].encrypt()
        trustAttributes(on: link)
      }
    }
  }

  private mutating func open(
    _ complete: ConnectionComplete, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    answer.link = nil
    let isConnection = complete.linkType == 1
    let adapter = record.adapter
    let role = isConnection ? roles.take(complete.peer, adapter) : nil
    guard complete.status == .success else { return }
    let key = LinkKey(adapter, complete.handle)
    let adopted = isConnection ? links.adopt(key, .brEDR, packet: record.number) : nil
    let link =
      adopted
      ?? links.open(
        key, isConnection ? .brEDR : .synchronous, packet: record.number, time: record.time)
    links[link].peer = complete.peer
    links[link].peerType = .public
    links[link].take(localRole: role)
    links[link].isEstablished = true
    links[link].name = names.find(complete.peer, .public)
    answer.link = link
    answer.opened = isConnection
  }

  @_lifetime(cursor: copy cursor)
  private mutating func observeLE(
    _ subevent: UInt8, _ cursor: inout Cursor, _ record: borrowing CaptureRecord,
    _ dissection: inout Dissection, _ bytes: RawSpan, _ answer: inout Answer
  ) {
    if AdvertisingReport.kind(ofSubevent: subevent) != nil {
      advertisements.observe(
        bytes, body: dissection.body, adapter: record.adapter, packet: record.number,
        time: record.time, &dissection.problems)
      names.learn(from: advertisements, bytes)
      if !identities.isEmpty { resolveAdvertisers() }
    } else if PeriodicSync.established.contains(subevent)
      || PeriodicSync.received.contains(subevent) || subevent == PeriodicSync.lost
    {
      advertisements.observeTrain(
        subevent, &cursor, adapter: record.adapter, &dissection.problems)
    } else if LEConnectionComplete.subevents.contains(subevent) {
      guard let complete = try? LEConnectionComplete(subevent: subevent, parsing: &cursor) else {
        return
      }
      open(complete, record, &answer)
    } else if subevent == LEConnectionUpdateComplete.subevent {
      guard let update = try? LEConnectionUpdateComplete(parsing: &cursor),
        update.status == .success, let link = answer.link
      else { return }
      links[link].interval = update.interval
      links[link].latency = update.latency
      links[link].supervisionTimeout = update.supervisionTimeout
    } else if LinkEvent.isochronousSubevents.contains(subevent) {
      guard let established = try? LinkEvent(parsing: &cursor), established.status == .success
      else { return }
      let key = LinkKey(record.adapter, established.handle)
      answer.link = links.open(key, .synchronous, packet: record.number, time: record.time)
      if let key = streams.connection(of: key),
        let link = links.find(key, packet: record.number)
      {
        answer.link = link
      }
    } else if subevent == Streams.requestSubevent {
      streams.learn(requested: &cursor, record.adapter)
    } else if subevent == LEGenerateDHKeyComplete.subevent {
      keys.observe(sharedSecret: &cursor, bytes, packet: record.number)
    } else if subevent == 0x04 {
      hear(answer.link, dissection.parameters?.status(bytes))
    }
  }

  private mutating func open(
    _ complete: LEConnectionComplete, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    answer.link = nil
    guard complete.status == .success else { return }
    let key = LinkKey(record.adapter, complete.handle)
    let link =
      links.adopt(key, .le, packet: record.number)
      ?? links.open(key, .le, packet: record.number, time: record.time)
    links[link].peer = complete.peer
    links[link].peerType = complete.peerType
    links[link].take(localRole: LinkRole(rawValue: complete.role))
    // The peripheral learns of a connection from the central's packet; the central only created it.
    if complete.role != 0 { links[link].isEstablished = true }
    links[link].interval = complete.interval
    links[link].latency = complete.latency
    links[link].supervisionTimeout = complete.supervisionTimeout
    links[link].peerResolvable = complete.peerResolvable
    links[link].name =
      names.find(complete.peer, complete.peerType)
      ?? complete.peerResolvable.flatMap { names.find($0, .random) }
    resolvePeer(of: link)
    answer.link = link
    answer.opened = true
  }

  private mutating func observeReturn(
    _ opcode: UInt16, _ dissection: Dissection, _ record: borrowing CaptureRecord,
    _ bytes: RawSpan, _ answer: inout Answer
  ) {
    guard let parameters = dissection.parameters, parameters.status(bytes) == 0 else { return }
    adapters.observeReturn(opcode, record.adapter, bytes, parameters.inner)
    // Status (1 byte), handle (2), role (1).
    if opcode == HCICommand.roleDiscovery, let link = answer.link, parameters.inner.count >= 4,
      let role = LinkRole(rawValue: bytes.byte(at: Int(parameters.inner.start) + 3))
    {
      links[link].take(localRole: role)
    }
    if opcode == HCICommand.reset, record.adapter != .unknown {
      close(record.adapter, record, &answer)
    }
  }

  /// Ends the connections of an adapter that was reset or removed, and forgets its commands and
  /// advertisements.
  mutating func close(
    _ adapter: AdapterIndex, _ record: borrowing CaptureRecord, _ answer: inout Answer
  ) {
    if links.hasOpen {
      var ended: [Int] = []
      links.forEach { connection in
        if connection.isOpen, connection.adapter == adapter { ended.append(connection.id) }
      }
      for connection in ended { end(connection) }
    }
    links.closeAll(of: adapter, packet: record.number, time: record.time)
    commands.forget(adapter)
    advertisements.forget(adapter)
    answer.closed = true
  }

  /// Ends the channels of a connection that has ended, and forgets what waits on them.
  private mutating func end(_ connection: Int) {
    channels.closeAll(of: connection)
    signals.forget { $0 == connection }
  }
}
