// The protocols of L2CAP channels. Source: Assigned Numbers, 2.5 (PSM) and 2.6 (SPSM); 0x0001 to
// 0x0025 checked against tshark 4.0, 0x0027 against BlueZ's monitor.

/// A protocol/service multiplexer, for BR/EDR (PSM) or credit-based channels (SPSM), which
/// identifies a channel's protocol.
@usableFromInline
package struct PSM: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt16
  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The Service Discovery Protocol.
  package static let sdp = Self(rawValue: 0x0001)
  /// RFCOMM, which provides serial ports.
  package static let rfcomm = Self(rawValue: 0x0003)
  /// ATT over BR/EDR.
  package static let att = Self(rawValue: 0x001f)
  /// Enhanced ATT bearers.
  package static let eatt = Self(rawValue: 0x0027)

  /// Whether the number can only belong to a credit-based channel (a dynamic SPSM of LE).
  package var isSimplified: Bool { (0x0080...0x00ff).contains(rawValue) }

  /// The protocol's name; nil if the number is not assigned, as dynamic ones are not.
  package var name: AssignedName? { CodeSet.psm.name(of: UInt64(rawValue)) }
}

extension CodeSet {
  /// The protocol of an L2CAP channel: PSM and SPSM.
  package static let psm = CodeSet(
    """
    @1 SDP

    RFCOMM

    TCS-BIN

    TCS-BIN-CORDLESS
    @f BNEP

    HID Control

    HID Interrupt

    UPnP

    AVCTP

    AVDTP

    AVCTP Browsing

    UDI C-Plane

    ATT

    3DSP

    IPSP

    OTS

    EATT
    """)
}
