import Bytes

/// Packets that are not read: their link type, and what the first one shows of their content.
struct ForeignPackets: Equatable, Sendable {
  private enum Kind: Equatable {
    /// Nothing more is known than the link type.
    case any
    /// The link type of the packets in PPI's headers.
    case wrapped(LinkType)
    /// Link Manager packets of BR/EDR in Ethernet frames.
    case linkManager
    /// Packets of TI's SmartRF Packet Sniffer 2 in UDP.
    case smartRF
  }

  let linkType: LinkType
  private var kind = Kind.any

  /// The number of bytes of a packet that are looked at.
  static let bytesThatTell = 48

  /// Creates the description of packets whose content is unknown.
  init(_ linkType: LinkType) { self.linkType = linkType }

  /// Returns what the packets of an interface are by the first one, or nil if they are read.
  init?(_ linkType: LinkType, first packet: RawSpan) {
    self.init(linkType)
    switch linkType.rawValue {
    case LinkType.ppi.rawValue:
      guard let inner = Self.wrapped(packet), !Self.inPPI.contains(inner) else { return nil }
      kind = .wrapped(inner)
    case 1: kind = Self.ethernet(packet)
    default: if linkType.isReadable { return nil }
    }
  }

  /// The link types that sniffers give Bluetooth LE packets in PPI's headers: the first for private
  /// use, from before they had one.
  private static let inPPI = [LinkType(rawValue: 147), .linkLayer]

  /// Returns the link type in PPI's header: version and flags (1 byte each), length (2), link type
  /// (4), least significant byte first; nil if the packet is too short.
  private static func wrapped(_ packet: RawSpan) -> LinkType? {
    packet.byteCount < 8 ? nil : LinkType(rawValue: packet.u32(at: 4, isBigEndian: false))
  }

  /// Returns what an Ethernet frame carries, by its type (offset 12), and the port of UDP in IP
  /// without options (IP's version and length 14, protocol 23, the ports 34 and 36).
  private static func ethernet(_ packet: RawSpan) -> Kind {
    func number(_ offset: Int) -> UInt16 { packet.littleEndianU16(at: offset).byteSwapped }
    if number(12) == 0xfff0 { return .linkManager }
    let isUDP = number(12) == 0x0800 && packet.byte(at: 14) == 0x45 && packet.byte(at: 23) == 17
    return isUDP && (number(34) == 17_760 || number(36) == 17_760) ? .smartRF : .any
  }

  /// The name used in `CaptureSummary.leftOut`.
  var name: String {
    switch kind {
    case .any: linkType.nameOrNumber
    case .wrapped(let inner): "\(inner.nameOrNumber) in PPI headers"
    case .linkManager: "Link Manager packets in Ethernet frames"
    case .smartRF: "packets of TI's sniffer in UDP"
    }
  }

  /// Describes the contents of a file with such packets, as the middle of a sentence.
  private var words: String {
    let number = "(link type \(linkType.rawValue))"
    switch kind {
    case .wrapped(let inner):
      return "\(inner.name.map { "\($0) packets" } ?? "packets of link type \(inner.rawValue)")"
        + " in PPI headers \(number)"
    case .linkManager: return "Link Manager packets of BR/EDR in Ethernet frames \(number)"
    case .smartRF: return "packets of TI's SmartRF Packet Sniffer 2 in UDP \(number)"
    case .any: break
    }
    switch linkType.rawValue {
    case 148: return "packets of another radio, such as Logitech's from WHAD \(number)"
    case 255: return "Bluetooth BR/EDR baseband packets from a sniffer \(number)"
    default:
      return linkType.name.map { "\($0) packets \(number)" }
        ?? "packets of link type \(linkType.rawValue), which is unknown"
    }
  }

  /// What to do instead; nil if nothing is known.
  private var advice: String? {
    switch kind {
    case .linkManager: return Self.recordHCI
    case .smartRF: return "bsniffhub writes this sniffer's packets as link type 256"
    case .any, .wrapped: break
    }
    switch linkType.rawValue {
    case 147:
      return "if they are Bluetooth LE packets, editcap -T bluetooth-le-ll IN OUT gives them "
        + "their link type"
    case 195, 215, 230, 283:
      return "to record Bluetooth, the sniffer needs its Bluetooth LE firmware"
    case 255: return Self.recordHCI
    default: return nil
    }
  }

  private static let recordHCI = "record Bluetooth HCI on one of the two devices"

  /// Returns the refusal of a file that has only such packets.
  static func refusal(of all: [ForeignPackets]) -> CaptureFailure {
    let held = all.map(\.words).joined(separator: " and ")
    var advice: [String] = []
    for next in all.compactMap(\.advice) where !advice.contains(next) { advice.append(next) }
    return CaptureFailure(
      .notReadable,
      (["holds \(held)", readable] + advice).joined(separator: "; "))
  }

  private static let readable =
    "gattscope reads Bluetooth HCI (link types 187 and 201, H4, and 254, Linux monitor) and "
    + "Bluetooth LE packets from sniffers (251, 256, 272, 157 and 192)"
}
