package import Bluetooth
import Bytes

extension Dissection {
  /// Dissects a sniffer's record: its header, the access address, and the header of the PDU. The
  /// dissection must be empty.
  ///
  /// The payload is in `body`. Whether it is to be believed depends on the CRC, which `Sessions`
  /// checks. If the packet is whitened, the content is unknown: see `Whitening`.
  package mutating func read(air format: SnifferFormat, _ bytes: RawSpan, isTruncated: Bool) {
    var header = AirHeader()
    var cursor = Cursor(bytes)
    do throws(ParseError) {
      let contents = try header.read(format, bytes, parsing: &cursor)
      switch contents {
      case .packet:
        let hasPHY = format == .pseudoHeader || format == .nordic
        readPacket(
          header, bytes, &cursor, isCoded: hasPHY ? header.phy == 3 : nil, isTruncated: isTruncated)
        return
      case .message: break
      case .unknown(let number, let offset):
        problems.add(Problem(.unknownAirHeader, at: offset, number))
      }
    } catch {
      if !isTruncated { problems.add(Problem(error)) }
    }
    air = AirPacket(header: header)
    body = cursor.rest()
  }

  /// Dissects a packet that was whitened, after it was dewhitened: the bytes from the access
  /// address on. The dissection must be empty.
  ///
  /// - Parameter header: the header of the record, whose `isWhitened` is ignored.
  package mutating func read(dewhitened bytes: RawSpan, header: AirHeader, isTruncated: Bool) {
    var plain = header
    plain.isWhitened = false
    var cursor = Cursor(bytes)
    readPacket(
      plain, bytes, &cursor, isCoded: header.phy.map { $0 == 3 }, isTruncated: isTruncated)
  }

  /// Dissects a Link Layer packet.
  ///
  /// - Parameter isCoded: whether it has a coding indicator; nil: unknown.
  @_lifetime(cursor: copy cursor)
  private mutating func readPacket(
    _ header: AirHeader, _ bytes: RawSpan, _ cursor: inout Cursor, isCoded: Bool?,
    isTruncated: Bool
  ) {
    var packet = AirPacket(header: header)
    do throws(ParseError) {
      packet.accessAddress = try cursor.u32()
      if isCoded ?? packet.isCoded(bytes, at: cursor.offset) {
        packet.codingIndicator = try cursor.u8() & 3
        packet.header.phy = 3
      }
      packet.pdu = Slice(start: cursor.offset, count: cursor.remaining)
      if header.isWhitened {
        body = cursor.rest()
      } else {
        // What a damaged packet says of its length is not judged.
        let isJudged = !isTruncated && header.crc != .wrong
        try readPDU(&packet, &cursor, isJudged: isJudged)
      }
    } catch {
      if !isTruncated { problems.add(Problem(error)) }
      body = cursor.rest()
    }
    air = packet
  }

  /// Reads the header of the PDU, its payload and the CRC.
  @_lifetime(cursor: copy cursor)
  private mutating func readPDU(
    _ packet: inout AirPacket, _ cursor: inout Cursor, isJudged: Bool
  ) throws(ParseError) {
    let start = cursor.offset
    let flags = try cursor.u8()
    let length = Int(try cursor.u8())
    // Damaged packets have this bit, too: it counts only if the packet then fits.
    let hasCTEInfo =
      flags & 0x20 != 0 && !packet.isAdvertising && cursor.remaining == 1 + length + 3
    let cteInfo = hasCTEInfo ? try cursor.u8() : nil
    let offset = cursor.offset
    let available = cursor.remaining
    body = cursor.takeUpTo(length)
    packet.pdu = Slice(start: start, count: body.end - start)
    if packet.header.isEncrypted, packet.header.mic == .right, length > 0 {
      packet.header.isDecrypted = true
    }
    content =
      packet.isAdvertising
      ? .advertising(AdvertisingPDU(flags: flags, length: UInt8(length), payload: body))
      : .linkData(
        LinkPDU(flags: flags, length: UInt8(length), cteInfo: cteInfo, payload: body))
    let left = available - length - 3
    if left >= 0 { packet.crc = UInt32(try cursor.unsigned(width: 3)) }
    guard isJudged, left != 0 else { return }
    if left > 0 {
      problems.add(Problem(.leftOver, at: cursor.offset, left))
    } else if left < -3 {
      problems.add(Problem(.lengthTooLarge, at: offset, length, available))
    } else {
      problems.add(Problem(.tooShort, at: cursor.offset, 3, left + 3))
    }
  }
}

// MARK: Contents of packets whose CRC is right

extension Dissection {
  /// Dissects the fields of an advertising PDU, which `content` has: `parameters` describe them.
  /// For packets that are not believed, this is not called.
  package mutating func readAdvertising(_ bytes: RawSpan, isTruncated: Bool) {
    guard case .advertising(let pdu) = content, let air else { return }
    let whole = Slice(start: Int(air.pdu.start), count: body.end - Int(air.pdu.start))
    let row = LinkTable.advertising(pdu.type)
    let found = PacketParameters(linkLayer: row, row == nil ? body : whole)
    parameters = found
    guard !isTruncated, problems.isEmpty, problems.areLookedFor else { return }
    if row == nil {
      problems.add(Problem(.unknownOpcode, at: Int(air.pdu.start), Int(pdu.type)))
    } else if let problem = found.problem(bytes, status: nil) {
      problems.add(problem)
    } else if let connection = ConnectIndication(pdu, bytes),
      let (value, offset) = connection.invalid
    {
      problems.add(Problem(.invalidValue, at: Int(body.start) + offset, value))
    }
  }

  /// Dissects a control PDU, which must be complete and plain.
  ///
  /// - Parameters:
  ///   - pdu: the PDU; its payload, without a MIC, is a part of `bytes`.
  ///   - isBroadcast: whether it belongs to broadcast streams.
  package mutating func readControl(
    _ pdu: LinkPDU, _ bytes: RawSpan, isTruncated: Bool, isBroadcast: Bool = false
  ) {
    content = .linkControl(pdu)
    body = pdu.payload
    guard !body.isEmpty else {
      if !isTruncated { problems.add(Problem(.tooShort, at: Int(body.start), 1, 0)) }
      return
    }
    let start = Int(body.start)
    let opcode = bytes.byte(at: start)
    let row = isBroadcast ? LinkTable.broadcastControl(opcode) : LinkTable.control(opcode)
    let found = PacketParameters(
      linkLayer: row, Slice(start: start + 1, count: Int(body.count) - 1))
    parameters = found
    guard !isTruncated, problems.isEmpty, problems.areLookedFor else { return }
    if row == nil {
      problems.add(Problem(.unknownOpcode, at: start, Int(opcode)))
    } else if let problem = found.problem(bytes, status: nil) {
      problems.add(problem)
    }
  }
}

extension AirPacket {
  /// Returns whether a coding indicator is at `offset`, if the format does not say so: whether the
  /// packet's length fits the record only then. If it fits with and without, the CRC decides where
  /// it can be computed.
  fileprivate func isCoded(_ bytes: RawSpan, at offset: Int) -> Bool {
    // Its upper six bits are reserved.
    guard bytes.byte(at: offset) < 4, fits(bytes, at: offset + 1) else { return false }
    guard fits(bytes, at: offset) else { return true }
    if isAdvertising {
      let pdu = bytes.part(Slice(start: offset + 1, count: bytes.byteCount - offset - 4))
      let crc = CRC24.compute(init: CRC24.advertising, pdu)
      return crc == bytes.littleEndianU32(at: bytes.byteCount - 4) >> 8
    }
    // LLID 0 is reserved.
    return bytes.byte(at: offset) & 3 == 0 && bytes.byte(at: offset + 1) & 3 != 0
  }

  /// Returns whether a PDU at `offset` and its CRC extend exactly to the end of the record.
  private func fits(_ bytes: RawSpan, at offset: Int) -> Bool {
    let end = offset + 2 + Int(bytes.byte(at: offset + 1)) + 3
    let mayHaveCTEInfo = !isAdvertising && bytes.byte(at: offset) & 0x20 != 0
    return end == bytes.byteCount || mayHaveCTEInfo && end + 1 == bytes.byteCount
  }
}
