// Codes of the Linux kernel's management interface. Sources: BlueZ, doc/mgmt-protocol.rst and
// lib/bluetooth/mgmt.h.

extension CodeSet {
  /// Status of a management command.
  package static let managementStatus = CodeSet(
    """
    Success
    Unknown Command
    Not Connected
    Failed
    Connect Failed
    Authentication Failed
    Not Paired
    No Resources
    Timeout
    Already Connected
    Busy
    Rejected
    Not Supported
    Invalid Parameters
    Disconnected
    Not Powered
    Cancelled
    Invalid Index
    RFKilled
    Already Paired
    Permission Denied
    Connection Not Established
    """)

  /// The type of a device's address.
  package static let managementAddressType = CodeSet("BR/EDR | LE public | LE random")

  /// The address types in a discovery, by their bits.
  package static let managementAddressTypes = managementAddressType

  /// Settings of a controller, by their bits.
  package static let managementSettings = CodeSet(
    """
    Powered
    Connectable
    Fast Connectable
    Discoverable
    Bondable
    Link Security
    SSP
    BR/EDR
    High Speed
    LE
    Advertising
    Secure Connections
    Debug Keys
    Privacy
    Configuration
    Static Address
    PHY Configuration
    Wideband Speech
    CIS Central
    CIS Peripheral
    ISO Broadcaster
    Sync Receiver
    LL Privacy
    PAST Sender
    PAST Receiver
    Shorter Connection Interval
    """)

  /// Discoverable of Set Discoverable.
  package static let discoverable = CodeSet("Off | General | Limited")

  /// Advertising of Set Advertising.
  package static let managementAdvertising = CodeSet("Off | On | On, connectable")

  /// Secure_Connections of Set Secure Connections.
  package static let secureConnections = CodeSet("Off | On | Only")

  /// Debug_Keys of Set Debug Keys.
  package static let debugKeys = CodeSet(
    "Discarded at disconnection | Kept until reboot | Kept until reboot, SSP debug mode")

  /// Privacy of Set Privacy.
  package static let managementPrivacy = CodeSet("Off | On | Limited")

  /// Key_Type of a long term key.
  package static let longTermKeyType = CodeSet(
    """
    Unauthenticated, legacy
    Authenticated, legacy
    Unauthenticated, P-256
    Authenticated, P-256
    Debug, P-256
    """)

  /// Type of a signature resolving key.
  package static let signatureKeyType = CodeSet(
    """
    Unauthenticated, local
    Unauthenticated, remote
    Authenticated, local
    Authenticated, remote
    """)

  /// Key_Type of a blocked key.
  package static let blockedKeyType = CodeSet("Link key | Long term key | Identity resolving key")

  /// Store_Hint of a new key.
  package static let storeHint = CodeSet("Not to be stored | To be stored")

  /// Reason of Device Disconnected.
  package static let managementReason = CodeSet(
    """
    Unspecified
    Connection timeout
    By this host
    By the peer
    Authentication failure
    By this host, for suspend
    """)

  /// Flags of Device Found and Device Connected.
  package static let deviceFoundFlags = CodeSet(
    """
    Confirm name
    Legacy pairing
    Not connectable
    Initiated connection
    Name request failed
    Scan response
    """)

  /// Action of Add Device.
  package static let deviceAction = CodeSet(
    "Background scan | Allow incoming connection | Auto-connect")

  package static let deviceFlags = CodeSet(
    "Remote wakeup | Device privacy | Address resolution | PAST")

  /// Configuration options of a controller.
  package static let configurationOptions = CodeSet("External configuration | Public address")

  package static let deviceIDSource = CodeSet("Off | Bluetooth SIG | USB Implementer's Forum")

  package static let controllerType = CodeSet("Primary | Unconfigured | AMP")

  package static let controllerBus = CodeSet(
    "virtual | USB | PC Card | UART | RS-232 | PCI | SDIO | SPI | I2C | SMD | VIRTIO | IPC")

  package static let advertisingInstanceFlags = CodeSet(
    """
    Connectable
    Discoverable
    Limited discoverable
    Flags added
    TX power added
    Appearance added
    Local name added
    Secondary LE 1M
    Secondary LE 2M
    Secondary LE Coded
    TX power can be set
    Hardware offload
    Duration given
    Timeout given
    Intervals given
    TX power given
    Scan response given
    """)

  /// PHYs of a controller, by their bits.
  package static let managementPHYs = CodeSet(
    """
    BR 1M 1-slot
    BR 1M 3-slot
    BR 1M 5-slot
    EDR 2M 1-slot
    EDR 2M 3-slot
    EDR 2M 5-slot
    EDR 3M 1-slot
    EDR 3M 3-slot
    EDR 3M 5-slot
    LE 1M TX
    LE 1M RX
    LE 2M TX
    LE 2M RX
    LE Coded TX
    LE Coded RX
    """)

  /// Flags of an experimental feature.
  package static let experimentalFlags = CodeSet("Active | Changes supported settings")

  /// Features of advertisement monitoring.
  package static let monitorFeatures = CodeSet("Patterns")

  package static let suspendState = CodeSet(
    "Running | Disconnected, not scanning | Page scanning or passive scanning")

  package static let wakeReason = CodeSet("Not Bluetooth | Unexpected event | Remote wake")
}
