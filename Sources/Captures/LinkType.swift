import Bluetooth
import Bytes

/// What the packets of a pcap file, or of an interface of a pcapng file, begin with: a LINKTYPE_ number
/// of tcpdump.org.
package struct LinkType: RawRepresentable, Equatable, Sendable {
  /// The number in the file.
  package var rawValue: UInt32

  /// The link type with this number, known or not.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Said here because the one for all raw values, which would be taken otherwise, is not inlined.
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  /// The same where a `switch` compares.
  package static func ~= (pattern: Self, value: Self) -> Bool {
    pattern.rawValue == value.rawValue
  }

  /// An H4 type byte and the packet; which way it went is not said.
  package static let h4 = Self(rawValue: 187)
  /// Direction (4 bytes, most significant first; bit 0: controller to host), then as `h4`.
  package static let h4WithDirection = Self(rawValue: 201)
  /// Adapter (2 bytes, most significant first), monitor opcode (2), then what that opcode says.
  package static let linuxMonitor = Self(rawValue: 254)

  /// Whether packets of this link type are read.
  package var isReadable: Bool { self == .h4 || self == .h4WithDirection || self == .linuxMonitor }

  /// What `CaptureSummary` calls it; nil for numbers that are not known.
  package var name: String? {
    switch rawValue {
    case 0: "loopback"
    case 1: "Ethernet"
    case 105: "Wi-Fi"
    case 113, 276: "Linux cooked"
    case 127: "Wi-Fi with radiotap header"
    case 147: "private use"
    case 157: "Nordic nRF Sniffer, old format"
    case 187: "HCI UART (H4), without direction"
    case 189, 220: "Linux USB"
    case 192: "PPI, a wrapper that sniffers use"
    case 195, 230: "IEEE 802.15.4"
    case 201: "HCI UART (H4)"
    case 227: "CAN"
    case 228, 101, 12: "IP"
    case 249: "USBPcap"
    case 251: "Bluetooth LE link-layer packets from a sniffer"
    case 254: "Linux monitor"
    case 255: "Bluetooth BR/EDR baseband packets from a sniffer"
    case 256: "Bluetooth LE link-layer packets from a sniffer"
    case 272: "nRF Sniffer packets"
    default: nil
    }
  }

  /// The name, or the number where there is none.
  package var nameOrNumber: String { name ?? "link type \(rawValue)" }

  /// What a file of such packets holds, and whether it will ever be read here: the middle of a
  /// sentence.
  private var refusalWords: String {
    switch rawValue {
    case 251, 256: "Bluetooth LE link-layer packets from a sniffer (link type \(rawValue))"
    case 272: "Bluetooth LE packets from an nRF Sniffer (link type 272)"
    case 157: "packets of an nRF Sniffer's old format (link type 157)"
    case 192: "packets that a sniffer wrapped (PPI, link type 192)"
    case 255: "Bluetooth BR/EDR baseband packets from a sniffer (link type 255)"
    default:
      name.map { "\($0) packets (link type \(rawValue))" }
        ?? "packets of link type \(rawValue), which is unknown"
    }
  }

  /// The refusal of a file whose packets are all of these link types.
  static func refusal(of types: [LinkType]) -> CaptureFailure {
    let held = types.map(\.refusalWords).joined(separator: " and ")
    let isAir = types.contains { [157, 192, 251, 255, 256, 272].contains($0.rawValue) }
    let what =
      isAir
      ? "holds \(held), which gattscope does not read yet; it reads"
      : "holds \(held); gattscope reads"
    return CaptureFailure(
      .notReadable, "\(what) Bluetooth HCI: link types 187 and 201 (H4) and 254 (Linux monitor)")
  }

  /// The bytes of the link type's own header, before the packet.
  private var headerBytes: Int { self == .h4 ? 0 : 4 }

  /// What a record is, its link type's own header taken off.
  ///
  /// - Parameters:
  ///   - direction: from elsewhere in the file; used where the link type has none.
  ///   - adapter: the controller's number where the link type has none.
  @_lifetime(copy bytes)
  func record(
    number: Int, time: Timestamp?, direction: Direction?, adapter: UInt16, originalLength: Int,
    drops: UInt64, fileOffset: Int64, _ bytes: RawSpan
  ) -> CaptureRecord {
    var (direction, adapter, taken) = (direction, Optional(adapter), headerBytes)
    var framing = CaptureRecord.Framing.h4
    var cursor = Cursor(bytes)
    if taken > 0 {
      if let word = try? cursor.bigEndianU32() {
        if self == .linuxMonitor {
          let opcode = UInt16(truncatingIfNeeded: word)
          framing = .monitor(opcode: opcode)
          adapter = word >> 16 == 0xffff ? nil : UInt16(word >> 16)
          direction = MonitorOpcode(rawValue: opcode)?.direction
        } else {
          direction = word & 1 == 0 ? .sent : .received
        }
      } else {
        framing = .incomplete(needed: taken)
        taken = 0
      }
    }
    let rest = bytes.dropping(taken)
    return CaptureRecord(
      number: number, time: time, direction: direction, adapter: adapter, framing: framing,
      originalLength: max(originalLength - taken, rest.byteCount), drops: drops,
      fileOffset: fileOffset, bytes: rest)
  }
}
