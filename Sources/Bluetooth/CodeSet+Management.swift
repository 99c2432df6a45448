// Codes of the Linux kernel's management interface. Sources: BlueZ, doc/mgmt-protocol.rst and
// lib/bluetooth/mgmt.h.

extension CodeSet {
  /// Status of a management command.
  static func managementStatusName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0x00: "Success"
    case 0x01: "Unknown Command"
    case 0x02: "Not Connected"
    case 0x03: "Failed"
    case 0x04: "Connect Failed"
    case 0x05: "Authentication Failed"
    case 0x06: "Not Paired"
    case 0x07: "No Resources"
    case 0x08: "Timeout"
    case 0x09: "Already Connected"
    case 0x0a: "Busy"
    case 0x0b: "Rejected"
    case 0x0c: "Not Supported"
    case 0x0d: "Invalid Parameters"
    case 0x0e: "Disconnected"
    case 0x0f: "Not Powered"
    case 0x10: "Cancelled"
    case 0x11: "Invalid Index"
    case 0x12: "RFKilled"
    case 0x13: "Already Paired"
    case 0x14: "Permission Denied"
    case 0x15: "Connection Not Established"
    default: nil
    }
  }

  /// Address_Type of one device; the bits in the Address_Type of a discovery.
  static func managementAddressTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "BR/EDR"
    case 1: "LE public"
    case 2: "LE random"
    default: nil
    }
  }

  /// Settings of a controller.
  static func managementSettingsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Powered"
    case 1: "Connectable"
    case 2: "Fast Connectable"
    case 3: "Discoverable"
    case 4: "Bondable"
    case 5: "Link Security"
    case 6: "SSP"
    case 7: "BR/EDR"
    case 8: "High Speed"
    case 9: "LE"
    case 10: "Advertising"
    case 11: "Secure Connections"
    case 12: "Debug Keys"
    case 13: "Privacy"
    case 14: "Configuration"
    case 15: "Static Address"
    case 16: "PHY Configuration"
    case 17: "Wideband Speech"
    case 18: "CIS Central"
    case 19: "CIS Peripheral"
    case 20: "ISO Broadcaster"
    case 21: "Sync Receiver"
    case 22: "LL Privacy"
    case 23: "PAST Sender"
    case 24: "PAST Receiver"
    case 25: "Shorter Connection Interval"
    default: nil
    }
  }

  /// Discoverable of Set Discoverable.
  static func discoverableName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Off"
    case 1: "General"
    case 2: "Limited"
    default: nil
    }
  }

  /// Advertising of Set Advertising.
  static func managementAdvertisingName(_ code: UInt64) -> StaticString? {
    code == 2 ? "On, connectable" : onOffName(code)
  }

  /// Secure_Connections of Set Secure Connections.
  static func secureConnectionsName(_ code: UInt64) -> StaticString? {
    code == 2 ? "Only" : onOffName(code)
  }

  /// Debug_Keys of Set Debug Keys.
  static func debugKeysName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Discarded at disconnection"
    case 1: "Kept until reboot"
    case 2: "Kept until reboot, SSP debug mode"
    default: nil
    }
  }

  /// Privacy of Set Privacy.
  static func managementPrivacyName(_ code: UInt64) -> StaticString? {
    code == 2 ? "Limited" : onOffName(code)
  }

  /// Key_Type of a long term key.
  static func longTermKeyTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Unauthenticated, legacy"
    case 1: "Authenticated, legacy"
    case 2: "Unauthenticated, P-256"
    case 3: "Authenticated, P-256"
    case 4: "Debug, P-256"
    default: nil
    }
  }

  /// Type of a signature resolving key.
  static func signatureKeyTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Unauthenticated, local"
    case 1: "Unauthenticated, remote"
    case 2: "Authenticated, local"
    case 3: "Authenticated, remote"
    default: nil
    }
  }

  /// Key_Type of a blocked key.
  static func blockedKeyTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Link key"
    case 1: "Long term key"
    case 2: "Identity resolving key"
    default: nil
    }
  }

  /// Store_Hint of a new key.
  static func storeHintName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Not to be stored"
    case 1: "To be stored"
    default: nil
    }
  }

  /// Reason of Device Disconnected.
  static func managementReasonName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Unspecified"
    case 1: "Connection timeout"
    case 2: "By this host"
    case 3: "By the peer"
    case 4: "Authentication failure"
    case 5: "By this host, for suspend"
    default: nil
    }
  }

  /// Flags of Device Found and Device Connected.
  static func deviceFoundFlagsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Confirm name"
    case 1: "Legacy pairing"
    case 2: "Not connectable"
    case 3: "Initiated connection"
    case 4: "Name request failed"
    case 5: "Scan response"
    default: nil
    }
  }

  /// Action of Add Device.
  static func deviceActionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Background scan"
    case 1: "Allow incoming connection"
    case 2: "Auto-connect"
    default: nil
    }
  }

  /// Flags of a device.
  static func deviceFlagsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Remote wakeup"
    case 1: "Device privacy"
    case 2: "Address resolution"
    case 3: "PAST"
    default: nil
    }
  }

  /// Configuration options of a controller.
  static func configurationOptionsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "External configuration"
    case 1: "Public address"
    default: nil
    }
  }

  /// Source of a device ID.
  static func deviceIDSourceName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Off"
    case 1: "Bluetooth SIG"
    case 2: "USB Implementer's Forum"
    default: nil
    }
  }

  /// Controller_Type.
  static func controllerTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Primary"
    case 1: "Unconfigured"
    case 2: "AMP"
    default: nil
    }
  }

  /// The bus of a controller; the monitor uses the same numbers.
  static func controllerBusName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "virtual"
    case 1: "USB"
    case 2: "PC Card"
    case 3: "UART"
    case 4: "RS-232"
    case 5: "PCI"
    case 6: "SDIO"
    case 7: "SPI"
    case 8: "I2C"
    case 9: "SMD"
    case 10: "VIRTIO"
    case 11: "IPC"
    default: nil
    }
  }

  /// Flags of an advertising instance.
  static func advertisingInstanceFlagsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Connectable"
    case 1: "Discoverable"
    case 2: "Limited discoverable"
    case 3: "Flags added"
    case 4: "TX power added"
    case 5: "Appearance added"
    case 6: "Local name added"
    case 7: "Secondary LE 1M"
    case 8: "Secondary LE 2M"
    case 9: "Secondary LE Coded"
    case 10: "TX power can be set"
    case 11: "Hardware offload"
    case 12: "Duration given"
    case 13: "Timeout given"
    case 14: "Intervals given"
    case 15: "TX power given"
    case 16: "Scan response given"
    default: nil
    }
  }

  /// PHYs of a controller, BR/EDR and LE.
  static func managementPHYsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "BR 1M 1-slot"
    case 1: "BR 1M 3-slot"
    case 2: "BR 1M 5-slot"
    case 3: "EDR 2M 1-slot"
    case 4: "EDR 2M 3-slot"
    case 5: "EDR 2M 5-slot"
    case 6: "EDR 3M 1-slot"
    case 7: "EDR 3M 3-slot"
    case 8: "EDR 3M 5-slot"
    case 9: "LE 1M TX"
    case 10: "LE 1M RX"
    case 11: "LE 2M TX"
    case 12: "LE 2M RX"
    case 13: "LE Coded TX"
    case 14: "LE Coded RX"
    default: nil
    }
  }

  /// Flags of an experimental feature.
  static func experimentalFlagsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Active"
    case 1: "Changes supported settings"
    default: nil
    }
  }

  /// Features of advertisement monitoring.
  static func monitorFeaturesName(_ code: UInt64) -> StaticString? {
    code == 0 ? "Patterns" : nil
  }

  /// Suspend_State.
  static func suspendStateName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Running"
    case 1: "Disconnected, not scanning"
    case 2: "Page scanning or passive scanning"
    default: nil
    }
  }

  /// Wake_Reason.
  static func wakeReasonName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Not Bluetooth"
    case 1: "Unexpected event"
    case 2: "Remote wake"
    default: nil
    }
  }
}
