import Bluetooth
import Bytes
import Decoders
import Dissectors
import Meanings
import Reports
import Sessions

/// Writes the lines of a trace as text: packet, time, connection, an arrow (to the app or from it),
/// the callback and its arguments.
struct TraceText: ~Copyable {
  private let options: TraceOptions
  private var numberColumns = GrowingColumn(digits: 5, margin: 0)
  private var timeColumn: TimeColumn
  private var connectionColumns = GrowingColumn(digits: 2, margin: 1)
  private var previous: Timestamp?
  private var line = Output()
  /// The line of the event that was described last, without its columns.
  private var body = Output()
  private var ascii = Output()
  private var hasHeader = false
  /// Whether the capture is from the air: the central is taken for the app's device.
  private var isOnAir = false
  /// Decodes values.
  private var reading: ValueReading
  /// The connections whose peer was named.
  private var named: Set<Int> = []

  /// The controller of the previous line, and whether there are several.
  private var adapter = AdapterIndex.unknown
  private var hasSeveral = false

  /// The remarks that were printed.
  private var remarks: Set<String> = []

  private static let mostNamed = 65_536
  /// The number of bytes up to which a value is shown in full, the number shown of longer ones, and
  /// the limit for text.
  private static let mostBytes = 20
  private static let shownBytes = 16
  private static let mostText = 60
  /// The packets that may have carried the values of the line.
  private var packets: [Int] = []
  /// The meaning of a value and its bytes, for comparison.
  private var meaning = Output()
  private var plain = Output()

  init(_ options: TraceOptions, decimals: Int) {
    self.options = options
    timeColumn = TimeColumn(options.time, decimals: decimals, zoneOffset: options.zoneOffset)
    reading = ValueReading(options.profiles, showsKeys: options.showsKeys, keepsRecent: true)
  }

  /// Records a packet whose values may be vendor messages, or parts of them.
  mutating func follow(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    if packet.dissection.att != nil { reading.follow(packet, memory) }
    if packet.dissection.air != nil { isOnAir = true }
  }

  // MARK: Lines

  /// Describes an event, for `write`; returns false if the line does not have the words that are
  /// searched for.
  mutating func describe(
    _ callback: Callback, _ event: AppEvent, _ vantage: Vantage
  ) -> Bool {
    line.clear()
    // A remark on a callback is printed only once.
    let remark = callback.remark.flatMap { remarks.contains($0.description) ? nil : $0 }
    sentence(callback, event, remark, vantage)
    guard options.selection.admits(line: line.bytes) else { return false }
    if let remark { remarks.insert(remark.description) }
    if event.connection > 0, named.count < Self.mostNamed,
      callback.arguments.contains(where: { $0.value.isAddress })
    {
      named.insert(event.connection)
    }
    swap(&line, &body)
    return true
  }

  /// Writes the line about the event that was described last.
  mutating func write(_ event: AppEvent, since start: Timestamp?, into output: inout Output) {
    columns(event.packet, event.time, event.connection, start, into: &output)
    body.copy(into: &line)
    finishLine(into: &output)
  }

  private mutating func sentence(
    _ callback: Callback, _ event: AppEvent, _ remark: StaticString?, _ vantage: Vantage
  ) {
    let isDim = callback.isSystem
    if isDim { style(.dim) }
    switch callback.kind {
    case .callback: line.text(options.glyphs.received)
    case .call: line.text(options.glyphs.sent)
    case .traffic, .state: line.spaces(options.glyphs.isUTF8 ? 1 : 2)
    }
    line.byte(0x20)
    if callback.kind == .traffic { line.byte(0x28) }
    line.words(callback.name, vantage)
    if callback.kind == .traffic { line.byte(0x29) }
    if let number = event.adapter.number, event.connection == 0 {
      // If there are several controllers, the controller is shown.
      if adapter != event.adapter, adapter != .unknown { hasSeveral = true }
      adapter = event.adapter
      if hasSeveral {
        line.text("  hci")
        line.decimal(Int(number))
      }
    }
    arguments(callback, event)
    if isDim, callback.kind == .callback || callback.kind == .call { line.text("  [system]") }
    if let remark {
      line.text("  (")
      line.words(remark, vantage)
      line.byte(0x29)
    }
    if isDim { style(.plain) }
  }

  /// Writes a line of the app's log.
  mutating func write(
    _ logged: AppLog.Line, since start: Timestamp?, into output: inout Output
  ) {
    for (index, text) in logged.text.split(separator: 0x0a).enumerated() {
      columns(nil, index == 0 ? logged.time : nil, 0, start, into: &output)
      style(.warning)
      line.text("| ")
      style(.plain)
      line.printable(Array(text).bytes)
      finishLine(into: &output)
    }
  }

  private mutating func columns(
    _ packet: Int?, _ time: Timestamp?, _ connection: Int, _ start: Timestamp?,
    into output: inout Output
  ) {
    line.clear()
    if let packet { numberColumns.make(room: UInt(packet)) }
    if connection > 0 { connectionColumns.make(room: UInt(connection)) }
    if !hasHeader {
      hasHeader = true
      style(.dim)
      line.spaces(numberColumns.width - 1)
      line.text("#")
      timeColumn.head(into: &line)
      line.spaces(connectionColumns.width + 3)
      line.text(options.platform == .corebluetooth ? "CoreBluetooth" : "Android")
      if let packet = options.platformPacket {
        line.text(" (the stack is Android's: ")
        line.packet(packet)
        line.byte(0x29)
      }
      if isOnAir { line.text(" of an app on the central") }
      style(.plain)
      finishLine(into: &output)
    }
    style(.dim)
    line.spaces(numberColumns.width)
    if let packet { line.put(UInt(packet), endingAt: line.count) }
    if let time {
      timeColumn.write(time, since: start ?? time, after: previous, into: &line)
      previous = time
    } else {
      line.spaces(timeColumn.width)
    }
    style(.plain)
    line.spaces(connectionColumns.width)
    if connection > 0 { line.put(UInt(connection), endingAt: line.count) }
    line.byte(0x20)
  }

  private mutating func finishLine(into output: inout Output) {
    guard let width = options.width else {
      output.line(&line, ascii: &ascii, columns: nil, options.glyphs)
      return
    }
    line.byte(0x0a)
    let indentation =
      numberColumns.width + timeColumn.width + connectionColumns.width + 1
      + (options.glyphs.isUTF8 ? 4 : 5)
    var wrapped = Output()
    wrapped.wrapped(line.bytes, columns: width, indentation: min(indentation, width / 2))
    output.text(wrapped.bytes, options.glyphs)
    line.clear()
  }

  @inline(__always)
  private mutating func style(_ style: TextStyle) { line.style(style, isOn: options.usesColor) }

  // MARK: Arguments

  private mutating func arguments(_ callback: Callback, _ event: AppEvent) {
    // The packet that carried the value: the request that was answered, or the event's packet.
    packets = [event.request, event.packet].compactMap(\.self)
    var members = callback.arguments
    // The connection's number identifies its peer, once that was named.
    members.removeAll {
      $0.value.isAddress && event.connection > 0 && named.contains(event.connection)
    }
    guard !members.isEmpty else { return }
    line.text("  ")
    arguments(members)
  }

  /// Appends several arguments, separated by commas.
  ///
  /// - Parameter areParts: whether values are parts, which have no meaning on their own.
  private mutating func arguments(_ members: [Callback.Named], areParts: Bool = false) {
    var attribute: AppAttribute?
    for (index, (name, value)) in members.enumerated() {
      switch value {
      case .attribute(let own) where !areParts: attribute = own
      // The bytes of a part have no meaning on their own.
      case .offset(1...), .prepared(true): attribute = nil
      default: break
      }
      if index > 0 { line.text(", ") }
      argument(name, value, of: attribute)
    }
  }

  private mutating func argument(
    _ name: StaticString, _ value: ArgumentValue, of attribute: AppAttribute?
  ) {
    switch value {
    // These are self-explanatory.
    case .attribute, .service, .address: break
    default:
      line.text(name)
      line.byte(0x20)
    }
    write(value)
    guard case .bytes(let bytes) = value, let uuid = attribute?.identity.uuid, !bytes.isEmpty
    else { return }
    if readMessage(attribute?.identity.handle, bytes) { return }
    let kind: Subject.Kind = attribute?.isDescriptor == true ? .descriptor : .characteristic
    guard reading.read(kind, uuid, bytes.bytes) else {
      guard bytes.bytes.isText(of: uuid) else { return }
      line.text(" = ")
      line.quoted(Array(bytes.prefix(Self.mostText)).bytes)
      if bytes.count > Self.mostText { line.text(options.glyphs.ellipsis) }
      return
    }
    // A meaning that equals the bytes is not repeated.
    meaning.clear()
    reading.meaning.writeText(into: &meaning)
    plain.clear()
    plain.valueBytes(bytes.bytes)
    guard !meaning.bytes.isEqual(to: plain.bytes) else { return }
    line.text(" = ")
    meaning.copy(into: &line)
  }

  /// Appends the meaning of a value as a vendor message, or which part of one it is. Returns false
  /// if it is not one.
  private mutating func readMessage(_ handle: UInt16?, _ bytes: [UInt8]) -> Bool {
    for packet in packets where reading.readAgain(packet, handle, bytes.bytes) {
      line.text(" = ")
      if let profile = reading.meaning.vendorName {
        line.string(profile)
        line.text(": ")
      }
      meaning.clear()
      reading.meaning.writeText(into: &meaning)
      meaning.copy(into: &line)
      return true
    }
    return false
  }

  /// Appends a value's bytes; for a long value the first bytes and the length. `--json` shows all
  /// bytes.
  private mutating func writeBytes(_ bytes: [UInt8]) {
    guard bytes.count > Self.mostBytes else { return line.valueBytes(bytes.bytes) }
    line.valueBytes(Array(bytes.prefix(Self.shownBytes)).bytes)
    line.text(options.glyphs.ellipsis)
    line.text(" (")
    line.count(bytes.count, "byte", "bytes")
    line.byte(0x29)
  }

  private mutating func write(_ value: ArgumentValue) {
    switch value {
    case .null: line.text("nil")
    case .flag(let flag), .prepared(let flag): line.text(flag ? "true" : "false")
    case .number(let number), .offset(let number): line.decimal(number)
    case .word(let word), .choice(_, let word): line.text(word)
    case .code(let name?, let number):
      line.name(name)
      line.text(" (")
      line.decimal(number)
      line.byte(0x29)
    case .code(nil, let number): line.decimal(number)
    case .text(let bytes): line.quoted(bytes.bytes)
    case .bytes(let bytes): writeBytes(bytes)
    case .hidden(let count, let bytes):
      if options.showsKeys {
        writeBytes(bytes)
      } else {
        line.text("<hidden>, ")
        line.count(count, "byte", "bytes")
      }
    case .address(let address): line.address(address)
    case .uuid(let uuid): line.namedUUID(uuid)
    case .attribute(let attribute):
      line.attribute(attribute.identity, owner: attribute.owner, options.glyphs)
    case .service(let service): line.namedUUID(service.uuid, as: .service)
    case .characteristic(let characteristic, let properties):
      line.namedUUID(characteristic.uuid, as: .characteristic)
      line.text(" [")
      line.listed(properties) { $0.text($1) }
      line.byte(0x5d)
    case .descriptor(let descriptor): line.namedUUID(descriptor.uuid, as: .descriptor)
    case .list(let values):
      line.byte(0x5b)
      for (index, value) in values.enumerated() {
        if index > 0 { line.text(", ") }
        // Each of several requests may carry a part.
        if case .object(let members) = value, values.count > 1 {
          line.byte(0x7b)
          arguments(members, areParts: true)
          line.byte(0x7d)
        } else {
          write(value)
        }
      }
      line.byte(0x5d)
    case .pairs(let pairs):
      line.byte(0x5b)
      for (index, pair) in pairs.enumerated() {
        if index > 0 { line.text(", ") }
        write(pair.key)
        line.text(": ")
        write(pair.value)
      }
      line.byte(0x5d)
    case .dictionary(let entries):
      line.byte(0x5b)
      for (index, entry) in entries.enumerated() {
        if index > 0 { line.text(", ") }
        line.text(entry.key)
        if entry.isScanResponse { line.text(" (scan response)") }
        line.text(": ")
        write(entry.value)
      }
      line.byte(0x5d)
    case .object(let members):
      line.byte(0x7b)
      arguments(members)
      line.byte(0x7d)
    }
  }
}

extension ArgumentValue {
  fileprivate var isAddress: Bool { if case .address = self { true } else { false } }
}
