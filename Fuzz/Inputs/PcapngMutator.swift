/// Mutates pcapng files by block and by option: adds, removes and moves blocks, gives options
/// extreme values, and keeps most of the surrounding lengths correct.
///
/// Flipping random bytes makes most such files end at the change, and never gives a 64-bit option
/// its largest value. The same seed makes the same changes, as long as `inside` is deterministic.
package struct PcapngMutator {
  /// An option: its code, and its value without the padding (pcapng, 3.5).
  private struct Option {
    var code: UInt16
    var value: [UInt8]
    /// The wrong length to write, if any.
    var claimed: UInt16?
  }

  /// A block: its fixed fields, its packet and its options.
  private struct Block {
    var kind: UInt32
    var fixed: [UInt8]
    var packet: [UInt8] = []
    var options: [Option] = []
    /// The wrong lengths to write at the start and at the end, if any.
    var claimed: (front: UInt32, back: UInt32)?
    /// Bytes in the place of options that are not options.
    var rest: [UInt8] = []
  }

  private static let section: UInt32 = 0x0a0d_0d0a
  private static let interface: UInt32 = 1
  private static let statistics: UInt32 = 5
  private static let packet: UInt32 = 6
  /// The size of the fixed fields (pcapng, 4.1 to 4.6).
  private static let fixedBytes: [UInt32: Int] = [
    section: 16, interface: 8, statistics: 12, packet: 20,
  ]
  /// The options of all blocks, of interfaces and of packets, and an unknown one.
  private static let codes: [UInt32: [UInt16]] = [
    section: [1, 2, 3, 4], interface: [1, 2, 9, 9, 10, 13, 14, 14], statistics: [1, 2, 4, 5],
    packet: [1, 2, 2, 3, 4, 4, 4, 5, 6, 7],
  ]
  private static let foreign: [UInt16] = [0, 0x0bac, 0x8bad, 0x7fff, 0xffff]
  /// Numbers at the limits of their types.
  private static let numbers: [UInt64] = [
    0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000,
    .max >> 1, 1 << 63, .max - 1, .max,
  ]

  private var blocks: [Block] = []
  private var isBigEndian = false
  private var random: SeededNumbers

  /// Makes between one and four changes.
  ///
  /// - Parameters:
  ///   - most: the largest size of the output, in bytes.
  ///   - inside: changes bytes, to at most a given size.
  package static func change(
    _ bytes: [UInt8], seed: UInt32, most: Int, _ inside: ([UInt8], Int) -> [UInt8]
  ) -> [UInt8] {
    var mutator = Self(bytes, seed)
    for _ in 0...Int.random(in: 0...3, using: &mutator.random) { mutator.change(inside) }
    return mutator.bytes(most)
  }

  /// Inserts blocks of another file into one, in the first file's byte order.
  package static func cross(_ one: [UInt8], _ other: [UInt8], seed: UInt32, most: Int) -> [UInt8] {
    var mutator = Self(one, seed)
    let others = Self(other, seed).blocks
    guard !others.isEmpty else { return mutator.bytes(most) }
    let place = Int.random(in: 0...mutator.blocks.count, using: &mutator.random)
    let start = Int.random(in: 0..<others.count, using: &mutator.random)
    let count = Int.random(in: 1...others.count - start, using: &mutator.random)
    mutator.blocks.insert(contentsOf: others[start..<start + count], at: place)
    return mutator.bytes(most)
  }

  private init(_ bytes: [UInt8], _ seed: UInt32) {
    random = SeededNumbers(state: UInt64(seed))
    isBigEndian = bytes.count >= 12 && bytes[8..<12].elementsEqual([0x1a, 0x2b, 0x3c, 0x4d])
    var offset = 0
    while offset + 12 <= bytes.count {
      let total = min(Int(number32(bytes, offset + 4)), bytes.count - offset)
      guard total >= 12 else { break }
      blocks.append(
        block(number32(bytes, offset), Array(bytes[offset + 8..<offset + total - 4])))
      offset += total
    }
  }

  // MARK: Reading

  private func number32(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    let part = bytes[offset..<offset + 4]
    return isBigEndian
      ? part.reduce(0) { $0 << 8 | UInt32($1) } : part.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func number16(_ bytes: [UInt8], _ offset: Int) -> Int {
    isBigEndian
      ? Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
      : Int(bytes[offset + 1]) << 8 | Int(bytes[offset])
  }

  private func block(_ kind: UInt32, _ body: [UInt8]) -> Block {
    guard let count = Self.fixedBytes[kind], body.count >= count else {
      return Block(kind: kind, fixed: body)
    }
    var block = Block(kind: kind, fixed: Array(body.prefix(count)))
    var offset = count
    if kind == Self.packet {
      let captured = min(Int(number32(body, 12)), body.count - offset)
      block.packet = Array(body[offset..<offset + captured])
      offset = min(offset + (captured + 3) & ~3, body.count)
    }
    while offset + 4 <= body.count {
      let (code, count) = (UInt16(number16(body, offset)), number16(body, offset + 2))
      if code == 0 && count == 0 { return block }
      guard offset + 4 + count <= body.count else { break }
      block.options.append(
        Option(code: code, value: Array(body[offset + 4..<offset + 4 + count])))
      offset = min(offset + 4 + (count + 3) & ~3, body.count)
    }
    block.rest = Array(body[offset...])
    return block
  }

  // MARK: Writing

  private func little(_ number: UInt64, _ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    return isBigEndian ? bytes.reversed() : bytes
  }

  /// Returns the blocks in order, up to the size `most`.
  private func bytes(_ most: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for block in blocks {
      let body = body(block)
      let total = UInt32(body.count + 12)
      if bytes.count + Int(total) > most { break }
      bytes += little(UInt64(block.kind), 4) + little(UInt64(block.claimed?.front ?? total), 4)
      bytes += body + little(UInt64(block.claimed?.back ?? total), 4)
    }
    return bytes
  }

  private func body(_ block: Block) -> [UInt8] {
    var body = block.fixed + block.packet
    func pad() { while body.count % 4 != 0 { body.append(0) } }
    pad()
    for option in block.options {
      body += little(UInt64(option.code), 2)
      body += little(UInt64(option.claimed ?? UInt16(truncatingIfNeeded: option.value.count)), 2)
      body += option.value
      pad()
    }
    if !block.options.isEmpty { body += [0, 0, 0, 0] }
    body += block.rest
    pad()
    return body
  }

  // MARK: Changing

  private mutating func change(_ inside: ([UInt8], Int) -> [UInt8]) {
    if blocks.first?.kind != Self.section {
      blocks.insert(
        Block(
          kind: Self.section,
          fixed: little(0x1a2b_3c4d, 4) + little(1, 2) + little(0, 2) + little(.max, 8)), at: 0)
    }
    if blocks.count < 2 {
      blocks.append(
        Block(kind: Self.interface, fixed: little(201, 2) + little(0, 2) + little(0, 4)))
    }
    let index = Int.random(in: blocks.indices, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: if index > 0 { blocks.remove(at: index) }
    case 1: blocks.insert(blocks[index], at: Int.random(in: 1...blocks.count, using: &random))
    case 2: blocks.swapAt(index, Int.random(in: blocks.indices, using: &random))
    case 3: addPacket()
    case 4: number(index, inside)
    case 5: claim(index)
    case 6:
      blocks[index].packet = inside(blocks[index].packet, 300)
      mendPacket(index)
    case 7: changeOption(index, inside)
    case 8: removeOption(index)
    default: addOption(index)
    }
  }

  /// Adds a packet: an HCI event in H4 form, with the direction before it.
  private mutating func addPacket() {
    let event: [UInt8] = [0, 0, 0, 1, 4, 0x0e, 4, 1, 3, 12, 0]
    let length = little(UInt64(event.count), 4)
    let time = number
    var block = Block(
      kind: Self.packet,
      fixed: little(0, 4) + little(time >> 32, 4) + little(time, 4) + length + length)
    block.packet = event
    blocks.append(block)
    for _ in 0..<Int.random(in: 0...2, using: &random) { addOption(blocks.count - 1) }
  }

  private var number: UInt64 {
    mutating get { Self.numbers.randomElement(using: &random) ?? 0 }
  }

  /// Changes a number in the fixed fields: an interface, half of a time, a length, a link type.
  private mutating func number(_ index: Int, _ inside: ([UInt8], Int) -> [UInt8]) {
    let count = blocks[index].fixed.count
    guard count >= 4 else { return }
    let place = Int.random(in: 0...(count - 4) / 4, using: &random) * 4
    let new = little(number, 4)
    // A section without its magic number is not recognised.
    guard blocks[index].kind != Self.section || place > 0 else { return }
    if Bool.random(using: &random) {
      blocks[index].fixed.replaceSubrange(place..<place + 4, with: new)
    } else {
      let changed = inside(Array(blocks[index].fixed[place..<place + 4]), 4)
      for (offset, byte) in changed.prefix(4).enumerated() {
        blocks[index].fixed[place + offset] = byte
      }
    }
  }

  /// Gives a block or an option a wrong length.
  private mutating func claim(_ index: Int) {
    let wrong = UInt32(truncatingIfNeeded: number)
    if let option = blocks[index].options.indices.randomElement(using: &random),
      Int.random(in: 0..<4, using: &random) > 0
    {
      blocks[index].options[option].claimed = UInt16(truncatingIfNeeded: number)
    } else {
      let right = UInt32(truncatingIfNeeded: body(blocks[index]).count + 12)
      blocks[index].claimed = Bool.random(using: &random) ? (right, wrong) : (wrong, wrong)
    }
  }

  /// Corrects the lengths of a packet, most of the time.
  private mutating func mendPacket(_ index: Int) {
    guard blocks[index].kind == Self.packet, blocks[index].fixed.count >= 20,
      Int.random(in: 0..<8, using: &random) > 0
    else { return }
    let length = little(UInt64(blocks[index].packet.count), 4)
    blocks[index].fixed.replaceSubrange(12..<16, with: length)
    if Bool.random(using: &random) { blocks[index].fixed.replaceSubrange(16..<20, with: length) }
  }

  private mutating func changeOption(_ index: Int, _ inside: ([UInt8], Int) -> [UInt8]) {
    guard let option = blocks[index].options.indices.randomElement(using: &random) else {
      return addOption(index)
    }
    blocks[index].options[option].value = inside(blocks[index].options[option].value, 64)
  }

  private mutating func removeOption(_ index: Int) {
    guard let option = blocks[index].options.indices.randomElement(using: &random) else { return }
    blocks[index].options.remove(at: option)
  }

  /// Adds an option that is usually one of the block's own, with a number that usually has the
  /// right width.
  private mutating func addOption(_ index: Int) {
    let own = Self.codes[blocks[index].kind] ?? [1]
    let isForeign = Int.random(in: 0..<8, using: &random) == 0
    let code = (isForeign ? Self.foreign : own).randomElement(using: &random) ?? 1
    // if_tsresol and if_fcslen have one byte, epb_flags four, counts and offsets eight (pcapng,
    // 4.2, 4.3).
    let usual: Int =
      switch (blocks[index].kind, code) {
      case (Self.interface, 9), (Self.interface, 13): 1
      case (Self.packet, 2), (Self.packet, 6): 4
      default: 8
      }
    let isUsual = Int.random(in: 0..<8, using: &random) > 0
    let width = isUsual ? usual : Int.random(in: 0...12, using: &random)
    var value = little(number, min(width, 8))
    while value.count < width { value.append(0x41) }
    let place = Int.random(in: 0...blocks[index].options.count, using: &random)
    blocks[index].options.insert(Option(code: code, value: value), at: place)
  }
}
