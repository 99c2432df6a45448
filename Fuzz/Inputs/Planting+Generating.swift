import Bluetooth
import Dissectors

extension Planting {
  /// Returns a random capture with packets of many kinds: commands and events as the tables
  /// describe them, PDUs of all protocols, monitor messages.
  static func generated(seed: UInt64) -> Planting {
    var planting = Planting(isMonitor: seed % 3 == 0, seed: seed)
    planting.generate()
    return planting
  }

  private mutating func generate() {
    // LE Connection Complete, Connection Complete (Core, Vol 4, Part E, 7.7.65.1, 7.7.3).
    event(0x3e, [1, 0, 0x40, 0, UInt8(number(0...1)), 1] + bytes(6) + [24, 0, 0, 0, 200, 0, 0])
    event(0x03, [0, 0x42, 0] + bytes(6) + [1, 0])
    if chance(2) { discover() }
    if chance(3) { openChannels() }
    for _ in 0..<number(10...30) {
      switch number(0...9) {
      case 0, 1: command()
      case 2: event()
      case 3: undefined()
      case 4: isMonitor ? control() : command()
      case 5: note()
      case 6: securityManager()
      case 7: channels()
      default: attribute()
      }
    }
  }

  // MARK: Packets

  private mutating func packet(_ type: UInt8, _ isReceived: Bool, _ bytes: [UInt8]) {
    if isMonitor {
      let opcodes: [UInt8: (UInt32, UInt32)] = [
        1: (2, 2), 2: (4, 5), 3: (6, 7), 4: (3, 3), 5: (18, 19),
      ]
      guard let both = opcodes[type] else { return }
      records.append(Record(bytes, flags: isReceived ? both.1 : both.0))
    } else {
      let isControl: UInt32 = type == 1 || type == 4 ? 2 : 0
      records.append(Record([type] + bytes, flags: isControl | (isReceived ? 1 : 0)))
    }
  }

  private mutating func command(_ opcode: UInt16, _ parameters: [UInt8]) {
    guard parameters.count < 256 else { return }
    packet(1, false, Self.little(opcode) + [UInt8(parameters.count)] + parameters)
  }

  private mutating func event(_ code: UInt8, _ parameters: [UInt8]) {
    guard parameters.count < 256 else { return }
    packet(4, true, [code, UInt8(parameters.count)] + parameters)
  }

  private mutating func frame(
    _ payload: [UInt8], channel: UInt16, handle: UInt16 = 0x40, isReceived: Bool
  ) {
    let frame = Self.little(UInt16(payload.count)) + Self.little(channel) + payload
    packet(
      2, isReceived,
      Self.little(handle | (isReceived ? 0x2000 : 0)) + Self.little(UInt16(frame.count)) + frame)
  }

  private static func little(_ number: UInt16) -> [UInt8] {
    [UInt8(number & 0xff), UInt8(number >> 8)]
  }

  // MARK: Commands, events, notes

  private mutating func row(_ tables: [[ParameterRow]]) -> ParameterRow {
    let rows = tables[number(0...tables.count - 1)]
    return rows[number(0...rows.count - 1)]
  }

  private mutating func command() { command(row(hciCommandTables), returns: chance(2)) }

  private mutating func command(_ row: ParameterRow, returns: Bool) {
    if let parameters = row.parameters { command(row.code, build(parameters)) }
    if returns, let returns = row.returns {
      event(0x0e, [1] + Self.little(row.code) + build(returns))
    }
  }

  /// Adds an event of a row.
  ///
  /// - Parameter code: the code of events with subevents, whose rows have the subevent's.
  private mutating func event(_ row: ParameterRow, within code: UInt8? = nil) {
    guard let parameters = row.parameters else { return }
    let own = UInt8(row.code)
    event(code ?? own, (code == nil ? [] : [own]) + build(parameters))
  }

  private mutating func event() {
    switch number(0...4) {
    case 0, 1: event(row(hciEventTables))
    case 2, 3: event(row(hciLEMetaTables), within: 0x3e)
    default: event(row([androidEventRows]), within: 0xff)
    }
  }

  /// Returns a capture with packets of all layouts: PDUs, commands, their results, events,
  /// management records.
  static func ofEachLayout(isMonitor: Bool, seed: UInt64) -> Planting {
    var planting = Planting(isMonitor: isMonitor, seed: seed)
    planting.event(
      0x3e, [1, 0, 0x40, 0, 0, 1] + planting.bytes(6) + [24, 0, 0, 0, 200, 0, 0])
    for _ in 0..<60 {
      planting.securityManager()
      planting.attribute()
    }
    for code: UInt8 in [0x08, 0x09, 0x1f] {
      planting.frame([code, 1, 20, 0] + planting.bytes(20), channel: 5, isReceived: true)
    }
    for row in hciCommandTables.joined() { planting.command(row, returns: true) }
    for row in hciEventTables.joined() { planting.event(row) }
    for row in hciLEMetaTables.joined() { planting.event(row, within: 0x3e) }
    // Several times, since which fields they have depends on chance.
    for _ in 0..<8 { for row in androidEventRows { planting.event(row, within: 0xff) } }
    for opcode: UInt16 in [0xfc01, 0xfc06, 0xfc31] { planting.command(opcode, planting.bytes(6)) }
    planting.event(0x0e, [1, 0x09, 0xfc, 0, 1] + planting.bytes(22))
    planting.event(0x0e, [1, 0x0a, 0xfc, 0] + planting.bytes(32))
    if isMonitor {
      for row in managementEventTables.joined() { planting.controlEvent(row) }
      for row in managementCommandTables.joined() { planting.control(row) }
    }
    return planting
  }

  /// Returns a capture with keys in Security Manager PDUs, and with values between them.
  static func ofKeys(seed: UInt64) -> Planting {
    var planting = Planting(isMonitor: false, seed: seed)
    planting.event(
      0x3e, [1, 0, 0x40, 0, 0, 1] + planting.bytes(6) + [24, 0, 0, 0, 200, 0, 0])
    for isReceived in [false, true] {
      for opcode: UInt8 in [0x06, 0x08, 0x0a] {
        planting.frame(
          [0x1b, 3, 0] + planting.bytes(Int(opcode) * 5), channel: 4, isReceived: isReceived)
        planting.frame([opcode] + planting.bytes(16), channel: 6, isReceived: isReceived)
      }
    }
    return planting
  }

  /// Adds a packet with an unassigned or vendor code.
  private mutating func undefined() {
    let code = UInt16(number(0...255))
    switch number(0...6) {
    case 0: command(0x20f0 | code & 0xf, bytes(20))
    case 1: event(0x90 | UInt8(code & 0xf), bytes(20))
    case 2: event(0x3e, [0xf0 | UInt8(code & 0xf)] + bytes(20))
    case 3: event(0x0e, [1] + Self.little(0x20f0 | code & 0xf) + [0] + bytes(20))
    case 4: command(0xfc00 | code, bytes(20))
    case 5: event(0xff, bytes(20))
    // A controller's log.
    default:
      let log = bytes(24)
      plantLater(log, isCounted: false)
      packet(2, true, Self.little(0x2edc) + [24, 0] + log)
    }
  }

  private mutating func control() {
    if chance(3) { return controlEvent(row(managementEventTables)) }
    control(row(managementCommandTables))
    if chance(4) { records.append(Record(Self.cookie + [0xf0, 0] + bytes(20), flags: 16)) }
  }

  private static let cookie: [UInt8] = [1, 0, 0, 0]

  private mutating func controlEvent(_ row: ParameterRow) {
    guard let parameters = row.parameters else { return }
    records.append(Record(Self.cookie + Self.little(row.code) + build(parameters), flags: 17))
  }

  private mutating func control(_ row: ParameterRow) {
    let cookie = Self.cookie
    if let parameters = row.parameters {
      records.append(Record(cookie + Self.little(row.code) + build(parameters), flags: 16))
    }
    if let returns = row.returns {
      records.append(
        Record(cookie + [1, 0] + Self.little(row.code) + [0] + build(returns), flags: 17))
    }
  }

  private mutating func note() {
    guard isMonitor else {
      // H4 has no notes: SCO and ISO data instead.
      let isSound = chance(2)
      packet(isSound ? 3 : 5, chance(2), [0x43, 0, 24] + (isSound ? [] : [0]) + bytes(24))
      return
    }
    switch number(0...7) {
    case 0: records.append(Record([0, 1] + bytes(6) + Array("hci0".utf8) + bytes(4), flags: 0))
    case 1: records.append(Record(bytes(6) + [2, 0], flags: 10))
    case 2: records.append(Record(bytes(24), flags: 12))
    case 3: records.append(Record([6, 8] + bytes(32), flags: 13))
    case 4:
      records.append(Record([1, 0, 0, 0, 2, 0, 1, 22, 0, 1, 0, 0, 0, 16] + bytes(16), flags: 14))
    case 5: records.append(Record([1, 0, 0, 0] + bytes(12), flags: 15))
    case 6: records.append(Record(bytes(20), flags: 11))
    default: records.append(Record(bytes(20), flags: 77))
    }
  }

  // MARK: Parameters

  /// Returns random bytes for a row's parameters. Secrets are planted later, once they are found.
  private mutating func build(_ parameters: [Parameter]) -> [UInt8] {
    var result: [UInt8] = []
    var state = BuildState()
    build(parameters[...], &state, &result)
    return result
  }

  private struct BuildState {
    /// The counts for the next lists or byte strings.
    var counts: [Int] = []
    var data: [[UInt8]] = []
    var selected: UInt16 = 0
  }

  private mutating func build(
    _ parameters: ArraySlice<Parameter>, _ state: inout BuildState, _ result: inout [UInt8]
  ) {
    for (index, parameter) in zip(parameters.indices, parameters) {
      let following = parameters[(index + 1)...]
      switch parameter.kind {
      case .unsigned(let width, .handle): result += [0x40] + zeros(Int(width) - 1)
      case .unsigned(let width, .code(.status)): result += zeros(Int(width))
      case .unsigned(let width, _), .signed(let width, _):
        result += [UInt8(number(0...3))] + zeros(Int(width) - 1)
      case .count(let width), .laterCount(let width):
        let skipped = if case .laterCount = parameter.kind { 1 } else { 0 }
        let count = count(following, skipping: skipped, &state)
        result += [UInt8(count)] + zeros(Int(width) - 1)
      case .countBeyond(let before):
        result.append(UInt8(count(following, skipping: 0, &state)) + before)
      case .countOfBits(let width, _):
        state.counts.append(1)
        result += [1] + zeros(Int(width) - 1)
      case .selector(let width, _):
        let choices = following.first {
          if case .choice = $0.kind { true } else { false }
        }?.items.compactMap { item -> UInt16? in
          if case .alternative(let value) = item.kind { value } else { nil }
        }
        state.selected = choices?.randomElement(using: &random) ?? 0
        result += [UInt8(state.selected & 0xff)] + zeros(Int(width) - 1)
      case .dataOperation: result.append(UInt8(chance(2) ? 3 : number(0...2)))
      case .address: result += bytes(6)
      case .bytes(let count), .secret(let count), .uuid(let count), .optionalSecret(let count):
        result += bytes(count)
      case .counted, .countedSecret:
        result += bytes(state.counts.isEmpty ? 16 : state.counts.removeFirst())
      case .rest, .half, .halfUUID: result += bytes(16)
      case .restText: result += text()
      case .text(let size):
        let name = text().prefix(size - 1)
        // Stale bytes after the text.
        let old = bytes(size - name.count - 1)
        plantLater(old, isCounted: false)
        result += name + [0] + old
      case .advertisingData(let size):
        let data = state.data.isEmpty ? structures() : state.data.removeFirst()
        // Stale bytes, after the terminating zero or after the counted bytes.
        let old = bytes(max(0, size - data.count - 1))
        plantLater(old, isCounted: false)
        result += data + (size > data.count ? [0] : []) + old
      case .list:
        let count = state.counts.isEmpty ? 1 : state.counts.removeFirst()
        for _ in 0..<count { build(parameter.items[...], &state, &result) }
      case .choice:
        let chosen = parameter.items.first { item in
          switch item.kind {
          case .alternative(let value): value == state.selected
          default: true
          }
        }
        if let chosen { build(chosen.items[...], &state, &result) }
      case .alternative, .otherwise, .versionEnd, .openEnd: break
      // Only Link Layer PDUs have these.
      case .packed, .bits, .lengthBits, .unusedBits, .ifSet, .addressByHeader, .untilEnd,
        .restAdvertising:
        break
      }
    }
  }

  /// Returns a count for the list or bytes that follow.
  private mutating func count(
    _ following: ArraySlice<Parameter>, skipping skipped: Int, _ state: inout BuildState
  ) -> Int {
    let users = following.filter {
      switch $0.kind {
      case .list, .counted, .countedSecret, .advertisingData: true
      default: false
      }
    }
    guard skipped < users.count else {
      return 0
    }
    switch users[skipped].kind {
    case .advertisingData:
      let data = structures()
      state.data.append(data)
      return data.count
    case .list:
      let count = number(1...2)
      state.counts.append(count)
      return count
    default:
      let count = number(8...20)
      state.counts.append(count)
      return count
    }
  }

  private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: max(0, count)) }

  private mutating func text() -> [UInt8] {
    (0..<12).map { _ in UInt8.random(in: 0x41...0x5a, using: &random) }
  }

  private mutating func structures() -> [UInt8] {
    var data: [UInt8] = [2, 1, 6]
    let types: [UInt8] = [8, 9, 0x30, 0x16, 0x21, 0xff, 0x22, 0x24, 0x17, 0x01, 0x19, 0x55]
    for _ in 0..<number(1...2) where data.count < 12 {
      let count = data.count > 3 ? 12 : number(6...18)
      data += [UInt8(count + 1), types[number(0...types.count - 1)]] + bytes(count)
    }
    return Array(data.prefix(31))
  }

  // MARK: Data

  private mutating func discover() {
    func ask(_ request: [UInt8], _ response: [UInt8]) {
      frame(request, channel: 4, isReceived: false)
      frame(response, channel: 4, isReceived: true)
    }
    ask([0x10, 1, 0, 0xff, 0xff, 0, 0x28], [0x11, 6, 1, 0, 0x20, 0, 0x0d, 0x18])
    ask(
      [0x10, 0x21, 0, 0xff, 0xff, 0, 0x28],
      [0x11, 20, 0x21, 0, 0x30, 0] + bytes(16) + [0x31, 0, 0x40, 0] + bytes(16))
    // Name, serial number, System ID, a set's key, a broadcast's key.
    let types: [(declaration: UInt8, uuid: UInt16)] = [
      (2, 0x2a00), (4, 0x2a25), (6, 0x2a23), (8, 0x2b84), (10, 0x2bc7),
    ]
    var declarations: [UInt8] = [0x09, 7]
    for (declaration, uuid) in types {
      declarations += [declaration, 0, 0x0a, declaration + 1, 0]
      declarations += [UInt8(uuid & 0xff), UInt8(uuid >> 8)]
    }
    ask([0x08, 1, 0, 0x20, 0, 3, 0x28], declarations)
    ask(
      [0x08, 0x21, 0, 0x40, 0, 3, 0x28],
      [0x09, 21, 0x22, 0, 0x1a, 0x23, 0] + bytes(16) + [0x32, 0, 0x1a, 0x33, 0] + bytes(16))
    ask([0x04, 0x24, 0, 0x25, 0], [0x05, 1, 0x24, 0, 2, 0x29, 0x25, 0, 1, 0x29])
  }

  private mutating func attribute() {
    let handles: [UInt8] = [3, 5, 7, 9, 11, 0x23, 0x24, 0x25, 0x33, 0x50]
    let handle = [handles[number(0...handles.count - 1)], 0]
    let value = bytes(number(20...60))
    let isReceived = chance(2)
    switch number(0...9) {
    case 0, 1:
      frame([0x0a] + handle, channel: 4, isReceived: !isReceived)
      frame([0x0b] + value, channel: 4, isReceived: isReceived)
    case 2: frame([0x1b] + handle + value, channel: 4, isReceived: isReceived)
    case 3: frame([0x12] + handle + value, channel: 4, isReceived: isReceived)
    case 4: frame([0x52] + handle + value, channel: 4, isReceived: isReceived)
    case 5: frame([0xd2] + handle + value, channel: 4, isReceived: isReceived)
    case 6:
      frame([0x16] + handle + [0, 0] + value, channel: 4, isReceived: !isReceived)
      frame([0x17] + handle + [0, 0] + value, channel: 4, isReceived: isReceived)
    case 7:
      frame([0x0c] + handle + [22, 0], channel: 4, isReceived: !isReceived)
      frame([0x0d] + value, channel: 4, isReceived: isReceived)
    case 8:
      frame([[0x7c, 0x3f, 0xbd][number(0...2)]] + value, channel: 4, isReceived: isReceived)
    default:
      let opcode = [0x01, 0x02, 0x03, 0x04, 0x0c, 0x13, 0x18, 0x19, 0x1e].randomElement(
        using: &random)
      frame([UInt8(opcode ?? 0x13)] + bytes(20), channel: 4, isReceived: isReceived)
    }
  }

  private mutating func securityManager() {
    let opcode = UInt8(number(1...16))
    let sizes: [UInt8: Int] = [1: 6, 2: 6, 5: 1, 7: 10, 9: 7, 0x0b: 1, 0x0c: 64, 0x0e: 1]
    frame(
      [opcode] + bytes(sizes[opcode] ?? 16), channel: chance(8) ? 7 : 6, isReceived: chance(2))
  }

  /// Opens credit-based channels: one for arbitrary data, and enhanced ATT bearers (Core, Vol 3,
  /// Part A, 4.22 and 4.25).
  private mutating func openChannels() {
    frame(
      [0x14, 2, 10, 0, 0x80, 0, 0x40, 0, 100, 0, 30, 0, 100, 0], channel: 5, isReceived: false)
    frame([0x15, 2, 10, 0, 0x41, 0, 64, 0, 23, 0, 100, 0, 0, 0], channel: 5, isReceived: true)
    frame(
      [0x17, 3, 10, 0, 0x27, 0, 64, 0, 64, 0, 100, 0, 0x44, 0], channel: 5, isReceived: false)
    frame([0x18, 3, 10, 0, 64, 0, 64, 0, 100, 0, 0, 0, 0x45, 0], channel: 5, isReceived: true)
    // BR/EDR: RFCOMM.
    frame([2, 1, 4, 0, 3, 0, 0x48, 0], channel: 1, handle: 0x42, isReceived: false)
    frame(
      [3, 1, 8, 0, 0x49, 0, 0x48, 0, 0, 0, 0, 0], channel: 1, handle: 0x42, isReceived: true)
  }

  private mutating func channels() {
    let data = bytes(number(16...60))
    plantLater(data, isCounted: true)
    switch number(0...5) {
    case 0:
      frame(
        [[0x08, 0x09, 0x1f][number(0...2)], 1, 20, 0] + bytes(20), channel: 5, isReceived: chance(2)
      )
    case 1:
      // An SDU in frames of the channel's maximum size.
      let sdu = Self.little(UInt16(data.count)) + data
      for start in stride(from: 0, to: sdu.count, by: 30) {
        frame(Array(sdu[start...].prefix(30)), channel: 0x40, isReceived: true)
      }
    case 2:
      let value = [0x1b, 0x23, 0] + data
      frame(Self.little(UInt16(value.count)) + value, channel: 0x44, isReceived: true)
    case 3:
      frame(
        [0x0b, 0xef, UInt8(data.count) << 1 | 1] + data + [0x9a], channel: 0x48, handle: 0x42,
        isReceived: true)
    case 4: frame(data, channel: UInt16(number(0x20...0x3f)), isReceived: chance(2))
    default: frame(data, channel: UInt16(number(0x50...0x70)), handle: 0x42, isReceived: chance(2))
    }
  }
}
