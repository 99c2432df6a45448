// The records of Apple's PacketLogger that are not HCI packets (Wireshark, packetlogger.c; BlueZ,
// btsnoop.c). Numbers are little-endian, whatever the file's byte order.

package import Bluetooth
package import Bytes

/// The type of a PacketLogger record.
@usableFromInline
package struct PacketLoggerType: RawRepresentable, Equatable, Sendable {
  @usableFromInline package var rawValue: UInt8

  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A sent Link Manager packet.
  package static let lmpSent = Self(rawValue: 0x0a)
  /// A received Link Manager packet.
  package static let lmpReceived = Self(rawValue: 0x0b)
  /// A line of the system log, with its origin.
  package static let systemLog = Self(rawValue: 0xf7)
  /// Text from the kernel.
  package static let kernel = Self(rawValue: 0xf8)
  /// Debug text from the kernel.
  package static let kernelDebug = Self(rawValue: 0xf9)
  /// The text of an error.
  package static let error = Self(rawValue: 0xfa)
  /// A record about power, with an unpublished layout.
  package static let power = Self(rawValue: 0xfb)
  /// Arbitrary text.
  package static let note = Self(rawValue: 0xfc)
  /// A record about the host or a device, with an unpublished layout.
  package static let configuration = Self(rawValue: 0xfd)
  /// A record about a new controller, with an unpublished layout.
  package static let newController = Self(rawValue: 0xfe)

  /// The name of the type.
  package var name: AssignedName? {
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

/// A line of the system log in a PacketLogger record of type 0xf7.
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | process identifier |
/// | 4 | 1 | type of the line |
/// | 5 | | process, sender, subsystem, category, each ended by a zero byte; then the message |
package struct SystemLogLine: Sendable {
  package let processIdentifier: UInt32
  /// The level of the line, in the system's numbers.
  package let level: UInt8
  /// The process that wrote it.
  package let process: Slice
  /// The library that wrote it.
  package let sender: Slice
  package let subsystem: Slice
  package let category: Slice
  package let message: Slice

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

  /// Takes the bytes up to the next zero, and that zero, which is not returned.
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
  /// Dissects a PacketLogger record that is not a packet. The dissection must be empty.
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

  /// Records bytes that are shorter than the link type's own header, which precedes any packet.
  package mutating func read(incomplete bytes: RawSpan, needed: Int, isTruncated: Bool) {
    body = Slice(start: 0, count: bytes.byteCount)
    guard !isTruncated else { return }
    problems.add(Problem(.tooShort, at: 0, needed, bytes.byteCount))
  }

  /// Whether the bytes of a note may be a key: Apple's configuration records name a device and
  /// contain sixteen bytes whose meaning is unknown.
  package var isSecretNote: Bool {
    guard case .note(let note) = content else { return false }
    return note.recordType == .configuration
  }
}
