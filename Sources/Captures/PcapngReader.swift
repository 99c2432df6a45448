import Bluetooth
import Bytes

/// A reader of pcapng with the link types of `LinkType.isReadable` on any of a file's interfaces.
///
/// A block is its type (4 bytes), its total length (4), its body, and the total length again, in
/// the byte order of its section (pcapng, 3.1). The Section Header, the Interface Description, and
/// the Enhanced, Simple and old Packet Blocks are read; others are skipped. Packets on interfaces
/// of other link types are counted and left out, but they keep their numbers: `#n` is the packet
/// that Wireshark shows as n.
///
/// The controller's number of an HCI interface is the number of such interfaces before it. A
/// sniffer's is its interface's index among the others, after those of the controllers.
///
/// Damage ends the capture, as in `BtsnoopReader`. It is a block that ends early, whose two lengths
/// differ or that is longer than `CaptureLimits.blockBytes`, or a packet that does not fit its
/// block or whose interface is not described.
package struct PcapngReader: CaptureSource, ~Copyable {
  /// The properties given by the blocks before the first packet, and what was left out so far.
  package private(set) var summary = CaptureSummary(
    format: .pcapng, datalink: nil, datalinkName: "no interface", timeDecimals: 0)
  private var input: InputBuffer
  private var isBigEndian = false
  /// The interfaces of the current section.
  private var interfaces: [PcapngInterface] = []
  /// The number of its next HCI interface, and the one after those of its sniffers so far.
  private var nextAdapter = 0
  private var adapterAfterSniffers = 0
  /// What all interfaces hold that are left out, in all sections, for a refusal.
  private var foreign: [ForeignPackets] = []
  /// The link types of all readable interfaces.
  private var readTypes: [LinkType] = []
  private var hasReadable: Bool {
    readTypes.contains { $0 != .ppi } || !readTypes.isEmpty && (wrappedIsRead || foreign.isEmpty)
  }
  /// Whether packets in PPI's headers were read.
  private var wrappedIsRead = false
  private var number = 0
  /// The index of the current section, from 0; negative before the first.
  private var section = -1
  private var isFinished = false
  /// Whether the buffer begins with a packet to return.
  private var isAtPacket = false
  /// The failure found after the last packet.
  private var failure: CaptureFailure?

  /// The types of the blocks that are read (pcapng, 11.1).
  private enum BlockType {
    static let sectionHeader: UInt32 = 0x0a0d_0d0a
    static let interface: UInt32 = 1
    static let packet: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
  }

  /// Reads the beginning of the capture in `input`, up to the first packet that is read.
  ///
  /// - Throws: `.notReadable` if no interface is readable; `.damaged` if even the first block is
  ///   broken; `.inaccessible` if it cannot be read.
  package init(_ input: consuming InputBuffer) throws(CaptureFailure) {
    self.input = input
    do throws(CaptureFailure) {
      isAtPacket = try advance()
      isFinished = !isAtPacket
    } catch {
      // What precedes the damage is more useful than an error.
      if error.kind != .damaged || !hasReadable { throw error }
      failure = error
    }
    if !hasReadable, !foreign.isEmpty { throw ForeignPackets.refusal(of: foreign) }
  }

  /// Whether the buffer holds a whole further packet that is read, damage or the end, possibly
  /// after blocks that are left out. After the beginning of a section or an interface, and at a
  /// packet by which its interface is judged, this is unknown until that is read.
  package var isReady: Bool {
    if isFinished || isAtPacket || failure != nil { return true }
    var start = 0
    while input.count - start >= 12 {
      let total = Int(number(at: start + 4))
      // Damage is found without reading on, except in a section header, whose byte order may
      // differ.
      let type = number(at: start)
      if type == BlockType.sectionHeader || type == BlockType.interface { return false }
      if total < 12 || total % 4 != 0 { return true }
      guard input.count - start >= total else { return false }
      if let interface = interface(ofBlockAt: start, type) {
        // A packet whose interface is not described is damage.
        guard interface < interfaces.count else { return true }
        if interfaces[interface].foreign == nil { return interfaces[interface].isDecided }
      }
      start += total
    }
    return false
  }

  /// Returns the interface of the packet block of this type at `start`, or nil for other blocks.
  private func interface(ofBlockAt start: Int, _ type: UInt32) -> Int? {
    switch type {
    case BlockType.enhancedPacket: Int(number(at: start + 8))
    case BlockType.packet:
      Int(
        UInt16(
          truncatingIfNeeded: isBigEndian ? number(at: start + 8) >> 16 : number(at: start + 8)))
    case BlockType.simplePacket: 0
    default: nil
    }
  }

  /// Returns a number from the block at the start of the buffer.
  private func number(at offset: Int) -> UInt32 {
    input.bytes.u32(at: offset, isBigEndian: isBigEndian)
  }

  /// Returns the next record, or nil at the end of the capture.
  ///
  /// - Throws: `.damaged` with the record's number, its offset and what is wrong; `.inaccessible`
  ///   if the system cannot read any further.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    if let failure {
      (self.failure, isFinished) = (nil, true)
      throw failure
    }
    guard !isFinished else { return nil }
    // Applies to every exit from here but the last.
    isFinished = true
    if !isAtPacket {
      guard try advance() else { return nil }
    }
    isAtPacket = false
    let packet = try readPacket()
    isFinished = false
    let (number, fileOffset, isBigEndian) = (number, input.offset, isBigEndian)
    let interface = interfaces[packet.interface]
    let block = input.take(packet.blockBytes)
    let options = RecordOptions(block.part(packet.options), isBigEndian: isBigEndian)
    return interface.linkType.record(
      number: number, time: packet.ticks.map(interface.time), direction: packet.direction,
      adapter: interface.adapter, originalLength: packet.originalLength, drops: packet.drops,
      fileOffset: fileOffset, block.part(packet.data)
    ).with(options).with(section: section)
  }

  // MARK: Blocks

  /// Advances until the buffer begins with a whole packet that is read; returns false at the end of
  /// the capture.
  private mutating func advance() throws(CaptureFailure) -> Bool {
    while true {
      guard try input.fill(8) else {
        if input.count == 0 { return false }
        throw damage(
          "only \(input.count) of 8 bytes of its header are present; the capture ends early")
      }
      let type = number(at: 0)
      if type == BlockType.sectionHeader { try readByteOrder() }
      let total = Int(number(at: 4))
      guard total >= 12, total % 4 == 0 else {
        throw damage("its length is \(total); a block has at least 12 bytes, in multiples of 4")
      }
      switch type {
      case BlockType.sectionHeader:
        try fillBlock(total, atLeast: 28)
        // Version 1.2 was written by mistake and is equivalent to 1.0.
        let major = input.bytes.u32(at: 12, isBigEndian: isBigEndian)
        let version = UInt16(truncatingIfNeeded: isBigEndian ? major >> 16 : major)
        guard version == 1 else {
          throw damage("it is of version \(version); gattscope reads version 1")
        }
        interfaces.removeAll(keepingCapacity: true)
        (nextAdapter, adapterAfterSniffers) = (0, 0)
        section += 1
        _ = input.take(total)
      case BlockType.interface:
        try fillBlock(total, atLeast: PcapngInterface.leastBytes)
        try takeInterface(total)
      case BlockType.enhancedPacket, BlockType.packet, BlockType.simplePacket:
        try fillBlock(total, atLeast: type == BlockType.simplePacket ? 16 : 32)
        let index = interface(ofBlockAt: 0, type) ?? 0
        guard index < interfaces.count else {
          throw damage("it is of interface \(index), which is not described")
        }
        number += 1
        if !interfaces[index].isDecided { decide(index, type, total) }
        guard let foreign = interfaces[index].foreign else { return true }
        interfaces[index].leftOut = summary.leaveOut(foreign.name, at: interfaces[index].leftOut)
        _ = input.take(total)
      default: try skipBlock(total)
      }
    }
  }

  /// Reads the byte order of the section that begins: 1a2b3c4d after the length.
  private mutating func readByteOrder() throws(CaptureFailure) {
    guard try input.fill(12) else {
      throw damage(
        "only \(input.count) of 12 bytes of its header are present; the capture ends early")
    }
    switch input.bytes.u32(at: 8, isBigEndian: true) {
    case 0x1a2b_3c4d: isBigEndian = true
    case 0x4d3c_2b1a: isBigEndian = false
    default: throw damage("no byte order follows its length")
    }
  }

  /// Reads until a whole block is in the buffer, and compares its two lengths.
  private mutating func fillBlock(_ total: Int, atLeast least: Int) throws(CaptureFailure) {
    guard total >= least, total <= CaptureLimits.blockBytes else {
      throw damage(
        "its length is \(total); such a block has \(least) to \(CaptureLimits.blockBytes) bytes; "
          + "the rest was not read")
    }
    guard try input.fill(total) else {
      throw damage("only \(input.count) of \(total) bytes are present; the capture ends early")
    }
    let last = Int(number(at: total - 4))
    guard last == total else {
      throw damage("its length is \(total) at the start and \(last) at the end")
    }
  }

  /// Skips a block, one piece at a time.
  private mutating func skipBlock(_ total: Int) throws(CaptureFailure) {
    var left = total - 4
    let start = input.offset
    while left > 0 {
      let piece = min(left, 1 << 16)
      guard try input.fill(piece) else {
        throw CaptureFailure(
          .damaged,
          "block at byte \(start): only \(total - 4 - left + input.count) of \(total) bytes are present; "
            + "the capture ends early")
      }
      _ = input.take(piece)
      left -= piece
    }
    guard try input.fill(4) else {
      throw CaptureFailure(
        .damaged,
        "block at byte \(start): only \(total - 4 + input.count) of \(total) bytes are present; "
          + "the capture ends early")
    }
    let last = Int(number(at: 0))
    guard last == total else {
      throw CaptureFailure(
        .damaged,
        "block at byte \(start): its length is \(total) at the start and \(last) at the end")
    }
    _ = input.take(4)
  }

  private mutating func takeInterface(_ total: Int) throws(CaptureFailure) {
    guard interfaces.count < CaptureLimits.interfaces else {
      throw damage("there are more than \(CaptureLimits.interfaces) interfaces")
    }
    var interface = PcapngInterface(
      input.bytes.part(Slice(start: 0, count: total)), isBigEndian: isBigEndian)
    _ = input.take(total)
    let type = interface.linkType
    if type.isHCI {
      nextAdapter = max(nextAdapter, adapterAfterSniffers)
      interface.adapter = AdapterIndex(UInt16(clamping: nextAdapter))
      nextAdapter += 1
    }
    interfaces.append(interface)
    if let foreign = interface.foreign { return note(foreign) }
    if !readTypes.contains(type) { readTypes.append(type) }
    describeContents()
    summary.timeDecimals = max(summary.timeDecimals, interface.resolution.decimals)
  }

  /// Names the link types that are read in the summary.
  private mutating func describeContents() {
    summary.datalink = readTypes.first?.rawValue
    summary.setContents(readTypes)
    summary.datalinkName =
      readTypes.isEmpty
      ? "no interface" : readTypes.map(\.nameOrNumber).joined(separator: " and ")
  }

  /// Notes what an interface holds that is left out.
  private mutating func note(_ packets: ForeignPackets) {
    if !foreign.contains(packets), foreign.count < CaptureLimits.otherLinkTypes {
      foreign.append(packets)
    }
  }

  /// Judges an interface by its first packet, the block at the start of the buffer, and gives a
  /// sniffer its number: now, since the interfaces before the first packet are known.
  private mutating func decide(_ index: Int, _ type: UInt32, _ total: Int) {
    interfaces[index].isDecided = true
    let linkType = interfaces[index].linkType
    if let found = foreignPackets(linkType, type, total) {
      interfaces[index].foreign = found
      foreign.removeAll { $0 == ForeignPackets(linkType) }
      note(found)
      if linkType.isReadable, !isRead(linkType) {
        readTypes.removeAll { $0 == linkType }
        describeContents()
      }
      return
    }
    wrappedIsRead = wrappedIsRead || linkType == .ppi
    // The Linux monitor's records have the numbers of all controllers of their host.
    let hasMonitor = interfaces.contains { $0.linkType == .linuxMonitor }
    let place = interfaces.prefix(index).count { !$0.linkType.isHCI }
    let number = nextAdapter + place + (hasMonitor ? Int(CaptureLimits.controllers) : 0)
    interfaces[index].adapter = AdapterIndex(UInt16(clamping: min(number, 0xfffe)))
    adapterAfterSniffers = max(adapterAfterSniffers, number + 1)
  }

  /// Returns what the packets of a link type are if they are not read, by the block at the start of
  /// the buffer.
  private func foreignPackets(
    _ linkType: LinkType, _ type: UInt32, _ total: Int
  ) -> ForeignPackets? {
    let start = type == BlockType.simplePacket ? 12 : 28
    let room = max(0, total - 4 - start)
    let count = type == BlockType.simplePacket ? room : min(room, Int(number(at: 20)))
    return ForeignPackets(
      linkType, first: input.bytes.part(Slice(start: start, count: count)))
  }

  /// Returns whether some packets of a link type are read, or may be.
  private func isRead(_ linkType: LinkType) -> Bool {
    linkType == .ppi && wrappedIsRead
      || interfaces.contains { $0.linkType == linkType && $0.foreign == nil }
  }

  // MARK: Packets

  /// The contents of a packet block. Slices count from the block's start.
  private struct Packet {
    var interface: Int
    var blockBytes: Int
    var originalLength = 0
    var ticks: UInt64?
    var drops: UInt64 = 0
    var direction: Direction?
    var data = Slice.empty
    var options = Slice.empty
  }

  /// Reads the fields of the packet block at the start of the buffer.
  ///
  /// Enhanced Packet Block: interface (offset 8, 4 bytes), time (12, high half first, 4 each),
  /// captured and original length (20, 24), data (28), options (pcapng, 4.3). The old Packet Block
  /// has interface and drops at 8, 2 bytes each (pcapng, A). Simple Packet Block: original length
  /// (8), data (12) (pcapng, 4.4).
  private mutating func readPacket() throws(CaptureFailure) -> Packet {
    let total = Int(number(at: 4))
    let type = number(at: 0)
    if type == BlockType.simplePacket {
      var packet = Packet(interface: 0, blockBytes: total)
      packet.originalLength = Int(number(at: 8))
      let limit = Int(interfaces[0].snapshotLength)
      let captured = limit == 0 ? packet.originalLength : min(packet.originalLength, limit)
      packet.data = try cutData(at: 12, captured, total)
      if interfaces[0].linkType == .h4 { summary.lacksDirection = true }
      return packet
    }
    var packet = Packet(interface: Int(number(at: 8)), blockBytes: total)
    if type == BlockType.packet {
      let word = number(at: 8)
      let halves = (UInt16(word >> 16), UInt16(truncatingIfNeeded: word))
      packet.interface = Int(isBigEndian ? halves.0 : halves.1)
      let drops = isBigEndian ? halves.1 : halves.0
      // 0xffff: unknown.
      if drops != 0xffff { packet.drops = UInt64(drops) }
    }
    packet.ticks = UInt64(number(at: 12)) << 32 | UInt64(number(at: 16))
    let captured = Int(number(at: 20))
    packet.originalLength = Int(number(at: 24))
    packet.data = try cutData(at: 28, captured, total)
    let optionStart = 28 + (captured + 3) & ~3
    packet.options = Slice(start: optionStart, count: max(0, total - 4 - optionStart))
    readOptions(&packet)
    return packet
  }

  private func cutData(
    at offset: Int, _ captured: Int, _ total: Int
  ) throws(CaptureFailure) -> Slice {
    let available = total - 4 - offset
    guard captured <= available, captured <= CaptureLimits.recordBytes else {
      throw damage(
        "\(captured) bytes of data are claimed, but its block has room for only \(available); "
          + "the rest was not read", number)
    }
    return Slice(start: offset, count: captured)
  }

  private mutating func readOptions(_ packet: inout Packet) {
    let isH4 = interfaces[packet.interface].linkType == .h4
    if !packet.options.isEmpty {
      let options = RecordOptions(input.bytes.part(packet.options), isBigEndian: isBigEndian)
      if let found = options.find(RecordOptions.flags), found.value.count == 4 {
        let flags = options.value(found.value).u32(at: 0, isBigEndian: isBigEndian)
        // Bits 0 and 1: 1 inbound, 2 outbound.
        if flags & 3 == 1 { packet.direction = .received }
        if flags & 3 == 2 { packet.direction = .sent }
      }
      if let found = options.find(RecordOptions.dropCount), found.value.count == 8 {
        packet.drops = options.value(found.value).u64(at: 0, isBigEndian: isBigEndian)
      }
    }
    if isH4, packet.direction == nil { summary.lacksDirection = true }
  }

  private func damage(_ what: String, _ record: Int? = nil) -> CaptureFailure {
    let type = input.count >= 4 ? number(at: 0) : 0
    let subject =
      switch type {
      case BlockType.sectionHeader: "section header"
      case BlockType.interface: "interface description"
      case BlockType.enhancedPacket, BlockType.packet, BlockType.simplePacket:
        "record \(record ?? number + 1)"
      default: "block"
      }
    return CaptureFailure(.damaged, "\(subject) at byte \(input.offset): \(what)")
  }
}
