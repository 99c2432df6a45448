package import Bluetooth
import Bytes

/// The link type of a pcap file or a pcapng interface: a LINKTYPE_ number from tcpdump.org.
@usableFromInline
package struct LinkType: RawRepresentable, Equatable, Sendable {
  @usableFromInline package var rawValue: UInt32

  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// An H4 type byte and the packet, without a direction.
  package static let h4 = Self(rawValue: 187)
  /// Direction (4 bytes, most significant first; bit 0: controller to host), then as in `h4`.
  package static let h4WithDirection = Self(rawValue: 201)
  /// Adapter (2 bytes, most significant first), monitor opcode (2), then the opcode's data.
  package static let linuxMonitor = Self(rawValue: 254)
  /// A Bluetooth LE Link Layer packet.
  package static let linkLayer = Self(rawValue: 251)
  /// A pseudo header (10 bytes), then as in `linkLayer`.
  package static let linkLayerWithHeader = Self(rawValue: 256)
  /// The header of an nRF Sniffer, then as in `linkLayer`.
  package static let nordic = Self(rawValue: 272)
  /// The same in the sniffer's first versions.
  package static let oldNordic = Self(rawValue: 157)
  /// PPI's headers, then a packet of the link type that they name.
  package static let ppi = Self(rawValue: 192)

  /// Whether packets of this link type can be read.
  package var isReadable: Bool { isHCI || sniffer != nil }

  /// Whether the packets are those between a host and a controller.
  var isHCI: Bool { self == .h4 || self == .h4WithDirection || self == .linuxMonitor }

  /// The layout of the packets if a sniffer recorded them; nil for other link types.
  package var sniffer: SnifferFormat? {
    switch self {
    case .linkLayer: .linkLayer
    case .linkLayerWithHeader: .pseudoHeader
    case .nordic, .oldNordic: .nordic
    case .ppi: .ppi
    default: nil
    }
  }

  /// The link type in which packets of a sniffer are written.
  init(_ sniffer: SnifferFormat) {
    self =
      switch sniffer {
      case .linkLayer: .linkLayer
      case .pseudoHeader: .linkLayerWithHeader
      case .nordic: .nordic
      case .ppi: .ppi
      }
  }

  /// The name used in `CaptureSummary`; nil for unknown numbers.
  package var name: String? {
    switch rawValue {
    case 0: "loopback"
    case 1: "Ethernet"
    case 105: "Wi-Fi"
    case 113, 276: "Linux cooked"
    case 127: "Wi-Fi with radiotap header"
    case 147, 148: "private use"
    case 157: "nRF Sniffer, old format"
    case 187: "HCI UART (H4), without direction"
    case 189, 220: "Linux USB"
    case 192: "Bluetooth LE in PPI headers"
    case 195, 215, 230, 283: "IEEE 802.15.4"
    case 201: "HCI UART (H4)"
    case 227: "CAN"
    case 228, 101, 12: "IP"
    case 249: "USBPcap"
    case 251: "Bluetooth LE Link Layer"
    case 254: "Linux monitor"
    case 255: "Bluetooth BR/EDR baseband"
    case 256: "Bluetooth LE Link Layer with pseudo header"
    case 272: "nRF Sniffer"
    default: nil
    }
  }

  /// The name, or the number if there is no name.
  package var nameOrNumber: String { name ?? "link type \(rawValue)" }

  /// The number of bytes in the link type's own header, which precedes the packet.
  private var headerBytes: Int { self == .h4 ? 0 : 4 }

  /// Creates a record, removing the link type's own header.
  ///
  /// - Parameters:
  ///   - direction: The direction given elsewhere in the file; used if the link type has none.
  ///   - adapter: The controller's number if the link type has none.
  @_lifetime(copy bytes)
  func record(
    number: Int, time: Timestamp?, direction: Direction?, adapter: AdapterIndex,
    originalLength: Int,
    drops: UInt64, fileOffset: Int64, _ bytes: RawSpan
  ) -> CaptureRecord {
    if !isHCI, let sniffer {
      return CaptureRecord(
        number: number, time: time, direction: nil, adapter: adapter, framing: .air(sniffer),
        originalLength: max(originalLength, bytes.byteCount), drops: drops,
        fileOffset: fileOffset, bytes: bytes)
    }
    var (direction, adapter, taken) = (direction, adapter, headerBytes)
    var framing = CaptureRecord.Framing.h4
    var cursor = Cursor(bytes)
    if taken > 0 {
      if let word = try? cursor.bigEndianU32() {
        if self == .linuxMonitor {
          let opcode = UInt16(truncatingIfNeeded: word)
          framing = .monitor(opcode: opcode)
          adapter = AdapterIndex(UInt16(word >> 16))
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
