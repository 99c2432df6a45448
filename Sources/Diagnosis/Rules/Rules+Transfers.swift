import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about what is written to a service, and how: slow transfers, and the services of Mesh.

extension Rule {
  static let transfers: [Rule] = [
    Symptom(
      "gatt_mesh_wrong_service", .warning, .meaning,
      "A mesh PDU is written to the characteristic of the wrong service",
      when:
        "a Proxy PDU of the type Provisioning is written to Mesh Proxy Data In, or one of another type to Mesh Provisioning Data In, both discovered on this connection; an error if the server sends no value afterwards",
      do:
        "Write provisioning PDUs to Mesh Provisioning Data In (2adb) and subscribe to Mesh Provisioning Data Out (2adc); write all others to Mesh Proxy Data In (2add). A server offers one of the two services at a time: Mesh Provisioning (1827) until it is provisioned, Mesh Proxy (1828) from then on."
    ).needing([.bothDirections]).onConnection { connection, _ in
      connection.misplacedProxyPDU.map { [$0] } ?? []
    },
    Symptom(
      "gatt_upload_in_steps", .note, .fact, "An upload takes a round trip for each write",
      when:
        "20 or more different values are written to an attribute in 2 s or more, each as soon as the server has answered the one before it, and the client waits for 80 % of the time; they have one length, or file data of the Simple Management Protocol. A warning if that data is less than a quarter of what is written",
      do:
        "Put more into each write, up to the MTU: if the server limits it, raise its MTU and its buffers (Zephyr: CONFIG_BT_L2CAP_TX_MTU, CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE). Or let several writes be under way at a time, if the server permits that: Write Without Response, and one answer for several. A shorter connection interval shortens each round trip."
    ).needing([.bothDirections]).onConnection { connection, _ in
      [Side.peer, .local].compactMap { connection.upload(to: $0) }
    },
  ]
}

extension ConnectionHistory {
  fileprivate var misplacedProxyPDU: Finding? {
    guard let first = attributes.misplacedProxyPDUs.first else { return nil }
    let usage = attributes.usages[first.place]
    let isProvisioning = first.type == 3
    let search = attributes.search(of: usage.server)
    let both = search.services.filter { $0.uuid.isShort(0x1827) || $0.uuid.isShort(0x1828) }.count
    let kinds: [StaticString] = [
      "network PDU", "mesh beacon", "proxy configuration", "provisioning PDU",
    ]
    let kind = kinds[Int(first.type)]
    let isSilent = !attributes.hasValues(
      of: usage.identity.service, usage.server, after: first.moment.packet)
    return Finding(
      "\(usage.server.other.words) wrote a \(kind) to \(usage.named)", at: first.moment.packet,
      why: Wording(
        sentences:
          "The first byte has the message type \(first.type), \(kind). It belongs to \(isProvisioning ? "Mesh Provisioning Data In (2adb)" : "Mesh Proxy Data In (2add)" as StaticString) (Mesh Protocol, 7).",
        isSilent ? "The server sent nothing of this service afterwards." : "",
        both == 2
          ? "The server offers both services (\(packet: search.complete.last?.packet ?? 0)), of which it may offer only one at a time."
          : ""), evidence: PacketSet(of: both == 2 ? search.complete.last : nil, first.moment),
      of: usage.named, isSilent ? .error : nil)
  }

  private static let leastSteps = 20
  private static let leastSpan: Int64 = 2_000_000_000

  fileprivate func upload(to server: Side) -> Finding? {
    guard let run = attributes.steps[server].longest,
      run.count >= Self.leastSteps, let span = run.last.nanoseconds(since: run.first),
      span >= Self.leastSpan, run.waited >= span / 5 * 4, run.answered < run.bytes,
      run.repeats <= run.count / 10
    else { return nil }
    let payload = run.payload.flatMap { $0 > 0 ? $0 : nil }
    // The parts of a file have one length, except the last.
    guard payload != nil || run.alike >= run.count / 10 * 9 else { return nil }
    let usage = attributes.usages[run.place]
    let client = server.other
    let rate = Double(payload ?? run.bytes) * 1e9 / Double(span)
    let exchange = attributes.mtuExchanges.last { $0.answer.packet < run.first.packet }
    let room: Wording =
      exchange.map {
        "The MTU is \($0.mtu) (\(packet: $0.answer.packet): \($0.client.words) offered \($0.offered), \($0.client.other.words) \($0.answered)), so a write has room for \($0.mtu - 3)."
      } ?? ""
    return Finding(
      "\(client.words) wrote \(run.count) values to \(usage.named) one at a time: \(count: payload ?? run.bytes, "byte", "bytes") in \(duration: span)",
      at: run.first.packet,
      why: Wording(
        sentences:
          "Each write was sent after the answer to the one before it, which took \(duration: run.waited / Int64(run.count)) on average: \(Int(rate)) bytes/s.",
        "A write had up to \(run.length) bytes\(payload.map { ", and on average \(($0 + run.count / 2) / run.count) were data of the file or image" } ?? "").",
        room), evidence: PacketSet(of: exchange?.answer, run.first, run.last), of: usage.named,
      payload ?? .max < run.bytes / 4 ? .warning : nil)
  }
}
