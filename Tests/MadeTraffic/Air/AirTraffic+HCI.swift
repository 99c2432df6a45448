// The traffic of a host, as a sniffer would have recorded it.

import Bluetooth
import Bytes
import Captures

extension AirTraffic {
  /// Sends what a host and its controller exchange in H4: advertisements, one LE connection at a
  /// time with its data, changes of its parameters, encryption and end. BR/EDR is ignored.
  package mutating func carry(_ records: [StoredRecord]) {
    var host = CarriedHost()
    for record in records where record.framing == .h4 && record.bytes.count > 3 {
      let body = Array(record.bytes.dropFirst())
      switch record.bytes[0] {
      case 1: host.command(body)
      case 2: carry(acl: body, record.direction ?? .sent, &host)
      case 4: carry(event: body[0], Array(body.dropFirst(2)), &host)
      default: break
      }
    }
    if link.isOpen { flush() }
  }

  private mutating func carry(acl body: [UInt8], _ direction: Direction, _ host: inout CarriedHost)
  {
    let word = number(body, 0, 2)
    guard link.isOpen, word & 0xfff == host.handle, body.count > 4 else { return }
    let side = host.isPeripheral ? direction.reversed : direction
    if word >> 12 & 3 != 1 { host.parts[side == .sent ? 0 : 1] = [] }
    host.parts[side == .sent ? 0 : 1] += body.dropFirst(4)
    let pdu = host.parts[side == .sent ? 0 : 1]
    guard pdu.count >= 4, pdu.count >= number(pdu, 0, 2) + 4 else { return }
    // What one side sends may depend on what the other one has sent.
    if host.last != side { flush() }
    host.last = side
    queue(pdu, side)
  }

  private mutating func carry(event code: UInt8, _ fields: [UInt8], _ host: inout CarriedHost) {
    guard !fields.isEmpty else { return }
    switch code {
    case 0x3e: carry(meta: fields[0], Array(fields.dropFirst()), &host)
    case 0x05 where fields.count >= 4 && fields[0] == 0:
      guard link.isOpen, number(fields, 1, 2) == host.handle else { break }
      flush()
      // 0x16: the captured host asked for it.
      let isOwn = fields[3] == 0x16
      disconnect(
        reason: isOwn ? 0x13 : fields[3], by: isOwn == host.isPeripheral ? .received : .sent)
    case 0x08, 0x59:
      guard link.isOpen, fields.count >= 4, number(fields, 1, 2) == host.handle,
        let key = host.key
      else { break }
      flush()
      if fields[0] == 0 {
        encrypt(key, ediv: host.ediv, rand: host.rand)
      } else if fields[0] == 0x06 {
        encrypt(key, ediv: host.ediv, rand: host.rand, has: false)
      }
    case 0x30:
      guard link.isOpen, let key = host.key else { break }
      flush()
      encryptAgain(key)
    default: break
    }
  }

  private mutating func carry(meta code: UInt8, _ fields: [UInt8], _ host: inout CarriedHost) {
    switch code {
    case 0x01, 0x0a, 0x29:
      guard fields.count >= 18, fields[0] == 0, !link.isOpen else { break }
      host = CarriedHost(handle: number(fields, 1, 2), isPeripheral: fields[3] == 1)
      let (peer, isRandom) = (number(fields, 5, 6), fields[4] & 1 == 1)
      if host.isPeripheral {
        (settings.central, settings.centralIsRandom) = (peer, isRandom)
      } else {
        (settings.peripheral, settings.peripheralIsRandom) = (peer, isRandom)
      }
      let start = code == 0x01 ? 11 : 23
      if fields.count >= start + 6 {
        settings.interval = max(6, number(fields, start, 2))
        settings.latency = number(fields, start + 2, 2)
        settings.timeout = max(10, number(fields, start + 4, 2))
      }
      connect()
      // Each connection has an access address of its own.
      settings.accessAddress = settings.accessAddress &+ 0x0101_0100
    case 0x02 where fields.count >= 10 && !link.isOpen:
      let payload = Array(fields[3..<9]) + fields[10...].prefix(Int(fields[9]))
      advertising((fields[2] & 1) << 6, payload, 38)
      clock += 20_000
    case 0x03 where fields.count >= 9 && fields[0] == 0:
      guard link.isOpen, number(fields, 1, 2) == host.handle else { break }
      flush()
      updateConnection(
        interval: max(6, number(fields, 3, 2)), latency: number(fields, 5, 2),
        timeout: max(10, number(fields, 7, 2)))
    case 0x05 where fields.count >= 12:
      host.rand = UInt64(number(fields, 2, 8))
      host.ediv = number(fields, 10, 2)
    default: break
    }
  }
}

/// What is known of the host whose traffic is sent.
private struct CarriedHost {
  var handle = 0
  var isPeripheral = false
  /// The parts of an L2CAP PDU that are there, of central and peripheral.
  var parts: [[UInt8]] = [[], []]
  var last: Direction?
  /// The key, most significant byte first.
  var key: [UInt8]?
  var ediv = 0
  var rand: UInt64 = 0

  init(handle: Int = 0, isPeripheral: Bool = false) {
    self.handle = handle
    self.isPeripheral = isPeripheral
  }

  /// Remembers a key: LE Enable Encryption, or LE Long Term Key Request Reply.
  mutating func command(_ body: [UInt8]) {
    switch number(body, 0, 2) {
    case 0x2019 where body.count >= 31:
      rand = UInt64(bitPattern: Int64(number(body, 5, 8)))
      ediv = number(body, 13, 2)
      key = body[15..<31].reversed()
    case 0x201a where body.count >= 21: key = body[5..<21].reversed()
    default: break
    }
  }
}

/// Returns a number at an offset, least significant byte first.
private func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> Int {
  var value = 0
  for index in (0..<width).reversed() where offset + index < bytes.count {
    value = value << 8 | Int(bytes[offset + index])
  }
  return value
}
