// Vendors' commands and events, whose codes mean something only together with the Controller's
// manufacturer. The parameters are shown as bytes, except where they hold keys. Sources of the
// codes and names: BlueZ, monitor/intel.c and monitor/broadcom.c; Zephyr, hci_vs.h; Linux,
// drivers/bluetooth/btqca.h and hci_qca.c.

/// Intel's commands.
let intelCommandRows: [ParameterRow] = [
  .command(0xfc01, "Intel Reset"),
  .command(0xfc02, "Intel No Operation"),
  .command(0xfc05, "Intel Read Version"),
  .command(0xfc06, "Intel Set UART Baudrate"),
  .command(0xfc07, "Intel Enable LPM"),
  .command(0xfc08, "Intel PCM Write Configuration"),
  .command(0xfc09, "Intel Secure Send"),
  .command(0xfc0d, "Intel Read Secure Boot Params"),
  .command(0xfc0e, "Intel Write Secure Boot Params"),
  .command(0xfc0f, "Intel Unlock"),
  .command(0xfc10, "Intel Change UART Baudrate"),
  .command(0xfc11, "Intel Manufacturer Mode"),
  .command(0xfc12, "Intel Read Link RSSI"),
  .command(0xfc22, "Intel Get Exception Info"),
  .command(0xfc24, "Intel Clear Exception Info"),
  .command(0xfc2f, "Intel Write BD Data"),
  .command(0xfc30, "Intel Read BD Data"),
  .command(0xfc31, "Intel Write BD Address"),
  .command(0xfc32, "Intel Flow Specification"),
  .command(0xfc34, "Intel Read Secure ID"),
  .command(0xfc38, "Intel Set Synchronous USB Interface Type"),
  .command(0xfc39, "Intel Config Synchronous Interface"),
  .command(0xfc3f, "Intel SW RF Kill"),
  .command(0xfc43, "Intel Activate Deactivate Traces"),
  .command(0xfc4d, "Intel Stimulate Exception"),
  .command(0xfc50, "Intel Read HW Version"),
  .command(0xfc52, "Intel Set Event Mask"),
  .command(0xfc53, "Intel Config Link Controller"),
  .command(0xfc89, "Intel DDC Write"),
  .command(0xfc8a, "Intel DDC Read"),
  .command(0xfc8b, "Intel DDC Config Write"),
  .command(0xfc8c, "Intel DDC Config Read"),
  .command(0xfc8d, "Intel Memory Read"),
  .command(0xfc8e, "Intel Memory Write"),
  .command(0xfca6, "Intel Read Supported Features"),
  .command(0xfe0b, "Intel PPAG Enable"),
]

/// Intel's events, by the first byte of a vendor-specific event.
let intelEventRows: [ParameterRow] = [
  .event(0x00, "Intel Startup"),
  .event(0x01, "Intel Fatal Exception"),
  .event(0x02, "Intel Bootup"),
  .event(0x05, "Intel Default BD Data"),
  .event(0x06, "Intel Secure Send Commands Result"),
  .event(0x08, "Intel Debug Exception"),
  .event(0x0f, "Intel LE Link Established"),
  .event(0x11, "Intel Scan Status"),
  .event(0x16, "Intel Activate Deactivate Traces Complete"),
  .event(0x17, "Intel LMP PDU Trace"),
  .event(0x19, "Intel Write BD Data Complete"),
  .event(0x25, "Intel SCO Rejected via LMP"),
  .event(0x26, "Intel PTT Switch Notification"),
  .event(0x29, "Intel System Exception"),
  .event(0x2c, "Intel FW Trace String"),
  .event(0x2e, "Intel FW Trace Binary"),
]

/// Broadcom's commands.
let broadcomCommandRows: [ParameterRow] = [
  .command(0xfc01, "Broadcom Write BD ADDR"),
  .command(0xfc18, "Broadcom Update UART Baud Rate"),
  .command(0xfc1c, "Broadcom Write SCO PCM Int Param"),
  .command(0xfc1d, "Broadcom Read SCO PCM Int Param"),
  .command(0xfc27, "Broadcom Set Sleepmode Param"),
  .command(0xfc28, "Broadcom Read Sleepmode Param"),
  .command(0xfc2e, "Broadcom Download Minidriver"),
  .command(0xfc34, "Broadcom Enable Radio"),
  .command(0xfc3b, "Broadcom Enable USB HID Emulation"),
  .command(0xfc44, "Broadcom Read UART Clock Setting"),
  .command(0xfc45, "Broadcom Write UART Clock Setting"),
  .command(0xfc48, "Broadcom Read Raw RSSI"),
  .command(0xfc4c, "Broadcom Write RAM"),
  .command(0xfc4d, "Broadcom Read RAM"),
  .command(0xfc4e, "Broadcom Launch RAM"),
  .command(0xfc57, "Broadcom Write High Priority Connection"),
  .command(0xfc5a, "Broadcom Read VID PID"),
  .command(0xfc6d, "Broadcom Write I2SPCM Interface Param"),
  .command(0xfc6e, "Broadcom Read Controller Features"),
  .command(0xfc79, "Broadcom Read Verbose Config Version Info"),
  .command(0xfc7e, "Broadcom Enable WBS"),
]

/// Broadcom's events, by the first byte of a vendor-specific event.
let broadcomEventRows: [ParameterRow] = [
  .event(0xb4, "Broadcom LM Diag")
]

/// Zephyr's commands.
let zephyrCommandRows: [ParameterRow] = [
  .command(0xfc01, "Zephyr Read Version Information"),
  .command(0xfc02, "Zephyr Read Supported Commands"),
  .command(0xfc03, "Zephyr Read Supported Features"),
  .command(0xfc04, "Zephyr Set Event Mask"),
  .command(0xfc05, "Zephyr Reset"),
  .command(0xfc06, "Zephyr Write BD_ADDR"),
  .command(0xfc07, "Zephyr Set Trace Enable"),
  .command(0xfc08, "Zephyr Read Build Information"),
  .command(
    0xfc09, "Zephyr Read Static Addresses",
    returns: [
      .status, .count("Num_Addresses", line: "addresses"),
      .list(
        "Addresses",
        [.randomAddress("Static_Address", line: ""), .secret("Identity_Root", 16)]),
    ]),
  .command(
    0xfc0a, "Zephyr Read Key Hierarchy Roots",
    returns: [.status, .secret("Identity_Root", 16), .secret("Encryption_Root", 16)]),
  .command(0xfc0b, "Zephyr Read Chip Temperature"),
  .command(0xfc0c, "Zephyr Read Host Stack Commands"),
  .command(0xfc0d, "Zephyr Set Scan Request Reports"),
  .command(0xfc0e, "Zephyr Write Tx Power Level"),
  .command(0xfc0f, "Zephyr Read Tx Power Level"),
  .command(0xfc10, "Zephyr Read USB Transport Mode"),
  .command(0xfc11, "Zephyr Set USB Transport Mode"),
  .command(0xfc12, "Zephyr Set Min Num Used Chans"),
]

/// Zephyr's events, by the first byte of a vendor-specific event.
let zephyrEventRows: [ParameterRow] = [
  .event(0x02, "Zephyr Fatal Error"),
  .event(0x03, "Zephyr Trace Information"),
  .event(0x04, "Zephyr Scan Request Received"),
  .event(0x05, "Zephyr LE Connectionless IQ Report"),
  .event(0x06, "Zephyr LE Connection IQ Report"),
]

/// Qualcomm's commands.
let qualcommCommandRows: [ParameterRow] = [
  .command(0xfc00, "Qualcomm Patch Download"),
  .command(0xfc08, "Qualcomm Pre Shutdown"),
  .command(0xfc0b, "Qualcomm NVM Access"),
  .command(0xfc14, "Qualcomm Write BD_ADDR"),
  .command(0xfc17, "Qualcomm Host Log"),
  .command(0xfc48, "Qualcomm Set Baudrate"),
]
