// The records of Apple's PacketLogger that are no HCI packets (Wireshark, packetlogger.c; BlueZ,
// btsnoop.c). Numbers little-endian, whatever the file's byte order.

package import Bytes

/// The type of a PacketLogger record.
package struct PacketLoggerType: RawRepresentable, Equatable, Sendable {
  /// The byte in the file.
  package var rawValue: UInt8

  /// The type with this number, known or not.
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The same where a `switch` compares.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// A packet of the Link Manager, sent.
  package static let lmpSent = Self(rawValue: 0x0a)
  /// A packet of the Link Manager, received.
  package static let lmpReceived = Self(rawValue: 0x0b)
  /// A line of the system's log, with who wrote it.
  package static let systemLog = Self(rawValue: 0xf7)
  /// Text of the kernel.
  package static let kernel = Self(rawValue: 0xf8)
  /// Text of the kernel, for its makers.
  package static let kernelDebug = Self(rawValue: 0xf9)
  /// Text: an error.
  package static let error = Self(rawValue: 0xfa)
  /// About power; how it is laid out is not published.
  package static let power = Self(rawValue: 0xfb)
  /// Text: anything.
  package static let note = Self(rawValue: 0xfc)
  /// About the host or a device; how it is laid out is not published.
  package static let configuration = Self(rawValue: 0xfd)
  /// About a new controller; how it is laid out is not published.
  package static let newController = Self(rawValue: 0xfe)

  /// In words.
  package var name: StaticString? {
    switch self {
    case .lmpSent, .lmpReceived: "LMP"
    case .systemLog: "system log"
    case .kernel: "kernel"
    case .kernelDebug: "kernel debug"
    case .error: "error"
    case .power: "power"
    case .note: "note"
    case .configuration: "configuration"
    case .newController: "new controller"
    default: nil
    }
  }
}

/// A line of the system's log in a PacketLogger record of type 0xf7.
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | process identifier |
/// | 4 | 1 | type of the line |
/// | 5 | | process, sender, subsystem, category, each ended by a zero byte; then the message |
package struct SystemLogLine: Sendable {
  /// The process's number.
  package let processIdentifier: UInt32
  /// How important the line is, in the system's numbers.
  package let level: UInt8
  /// Who wrote it.
  package let process: Slice
  /// The library that it came from.
  package let sender: Slice
  /// The part of the system.
  package let subsystem: Slice
  /// What it is about.
  package let category: Slice
  /// The line.
  package let message: Slice

  /// Reads a record's bytes.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    processIdentifier = try cursor.u32()
    level = try cursor.u8()
    process = try Self.string(&cursor)
    sender = try Self.string(&cursor)
    subsystem = try Self.string(&cursor)
    category = try Self.string(&cursor)
    message = cursor.rest()
  }

  /// The bytes before the next zero, which is taken as well.
  @_lifetime(cursor: copy cursor)
  private static func string(_ cursor: inout Cursor) throws(ParseError) -> Slice {
    var count = 0
    while count < cursor.remaining, cursor.peek(cursor.offset + count) != 0 { count += 1 }
    let string = try cursor.take(count)
    _ = try cursor.u8()
    return string
  }
}

extension Dissection {
  /// Dissects a PacketLogger record that is no packet, where nothing is known yet.
  package mutating func read(packetLogger type: UInt8, _ bytes: RawSpan, isTruncated: Bool) {
    let type = PacketLoggerType(rawValue: type)
    var note: MonitorNote
    var cursor = Cursor(bytes)
    switch type {
    case .lmpSent, .lmpReceived: note = MonitorNote(.lmp)
    case .systemLog:
      note = MonitorNote(.log)
      var reader = cursor
      do throws(ParseError) {
        let line = try SystemLogLine(parsing: &reader)
        note.identifier = line.process
        note.text = line.message
        cursor = reader
      } catch {
        if !isTruncated { problems.add(Problem(error)) }
      }
    case .kernel, .kernelDebug, .error, .note:
      note = MonitorNote(.log)
      note.text = cursor.rest()
    case .power, .configuration, .newController: note = MonitorNote(.log)
    default:
      note = MonitorNote(.unknown)
      problems.add(Problem(.unknownRecordType, Int(type.rawValue)))
    }
    note.recordType = type
    content = .note(note)
    body = cursor.rest()
  }

  /// Bytes of which less is there than their own header has: the link type's, before any packet.
  package mutating func read(incomplete bytes: RawSpan, needed: Int, isTruncated: Bool) {
    body = Slice(start: 0, count: bytes.byteCount)
    guard !isTruncated else { return }
    problems.add(Problem(.tooShort, at: 0, needed, bytes.byteCount))
  }

  /// Whether the bytes of a note may be a key: Apple's configuration records name a device and hold
  /// sixteen bytes that nobody has explained.
  package var isSecretNote: Bool {
    guard case .note(let note) = content else { return false }
    return note.recordType == .configuration
  }
}
