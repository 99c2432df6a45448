// L2CAP's signalling commands and configuration options, row by row: each field with its offset in
// the data, in the order in which fields are shown. All are little-endian. Create Channel and Move
// Channel are withdrawn (Core 5.2, Vol 3, Part A, 4.14 to 4.19).

import Bluetooth
import Bytes

/// A number in a signalling command's data, or in a configuration option's value.
struct SignallingField: Sendable {
  /// What the program uses a number for, whichever command it is in.
  enum Role: Int, Sendable {
    case none, psm, source, destination, mtu, mps, credits, result, status, flags, type
    case intervalMin, intervalMax, latency, timeout
  }

  /// Which commands with this code have the field.
  enum Presence: Equatable, Sendable {
    case always
    /// Command Reject for this reason.
    case reason(UInt16)
    /// Information Response with information of this type.
    case information(UInt16)
  }

  /// When the field is in a line.
  enum Showing: Sendable {
    case always, nonzero
    /// The response grants the request, if only some of the channels.
    case success
    /// The response does not refuse.
    case accepting
    /// The response announces another one.
    case pending
  }

  /// The specification's name: `Source_CID`.
  let name: StaticString
  /// The offset in the data.
  let offset: Int
  /// The number of bytes: 1, 2, 4 or 8.
  let width: Int
  let form: Parameter.Form
  /// As in `Parameter`.
  let line: StaticString?
  let role: Role
  let presence: Presence
  let showing: Showing

  init(
    _ name: StaticString, at offset: Int, width: Int = 2, _ form: Parameter.Form = .plain,
    line: StaticString? = nil, _ role: Role = .none, if presence: Presence = .always,
    shown showing: Showing = .always
  ) {
    (self.name, self.offset, self.width, self.form) = (name, offset, width, form)
    (self.line, self.role, self.presence, self.showing) = (line, role, presence, showing)
  }

  static func psm(_ name: StaticString = "PSM") -> Self {
    Self(name, at: 0, .code(.psm), line: "", .psm)
  }
  static func source(at offset: Int) -> Self {
    Self("Source_CID", at: offset, .handle, line: "source CID", .source)
  }
  static func destination(at offset: Int, shown showing: Showing = .always) -> Self {
    Self(
      "Destination_CID", at: offset, .handle, line: "destination CID", .destination,
      shown: showing)
  }
  /// The end of the channel on the requesting device, in the commands that move a channel.
  static let initiator = Self("Initiator_CID", at: 0, .handle, line: "CID", .source)
  static func result(at offset: Int, _ set: CodeSet) -> Self {
    Self("Result", at: offset, .code(set), .result)
  }
  static func flags(at offset: Int) -> Self {
    Self("Flags", at: offset, .hex, line: "flags", .flags, shown: .nonzero)
  }

  /// MTU, MPS and, in commands that open channels, initial credits.
  static func capacity(
    at offset: Int, givesCredits: Bool = true, shown showing: Showing = .always
  ) -> [Self] {
    let sizes = [
      Self("MTU", at: offset, line: "MTU", .mtu, shown: showing),
      Self("MPS", at: offset + 2, line: "MPS", .mps, shown: showing),
    ]
    guard givesCredits else { return sizes }
    return sizes + [
      Self(
        "Initial_Credits", at: offset + 4, .scaled(.credits), line: "", .credits, shown: showing)
    ]
  }
}

/// A signalling command, or a configuration option.
struct SignallingRow: Sendable {
  /// What follows the fields.
  enum End: Sendable {
    case none
    /// Arbitrary bytes.
    case data
    case options
    /// A list of channel identifiers, of which at least this many must be there.
    case channels(ChannelList.Kind, least: Int)
  }

  let fields: Immortal<SignallingField>
  let end: End
  /// The codes of the result in a response.
  let results: CodeSet?
  /// The size of an option, all of whose fields are always there.
  let size: Int

  init(_ fields: [SignallingField], then end: End = .none) {
    (self.fields, self.end) = (Immortal(fields), end)
    size = fields.map { $0.offset + $0.width }.max() ?? 0
    let result = fields.first { $0.role == .result }
    if case .code(let set) = result?.form { results = set } else { results = nil }
  }

  typealias Reference = Immortal<SignallingRow>.Reference

  /// Returns the row of a command; one without fields for an undefined code.
  static func command(_ code: SignallingCode) -> Reference {
    let index = Int(code.rawValue)
    return commands[commands.span.indices.contains(index) ? index : 0]
  }

  /// Returns the row of an option without its hint bit; nil for an undefined type.
  static func option(_ type: UInt8) -> Reference? {
    let index = Int(type) - 1
    return options.span.indices.contains(index) ? options[index] : nil
  }

  /// The commands by their codes (Core, Vol 3, Part A, 4.1 to 4.28).
  private static let commands = Immortal<SignallingRow>([
    .init([]),
    // Command Reject. The local end is on the rejecting device.
    .init([
      .init("Reason", at: 0, .code(.l2capReject), .result),
      .init("Actual_MTU", at: 2, line: "MTU", if: .reason(1)),
      .init("Local_CID", at: 2, .handle, line: "CID", if: .reason(2)),
      .init("Remote_CID", at: 4, .handle, line: "remote CID", if: .reason(2)),
    ]),
    // Connection Request. No PSM longer than two bytes is in use.
    .init([.psm(), .source(at: 2)]),
    connectionResponse,
    // Configure Request
    .init([.destination(at: 0), .flags(at: 2)], then: .options),
    // Configure Response
    .init(
      [.source(at: 0), .flags(at: 2), .result(at: 4, .l2capConfigureResult)], then: .options),
    // Disconnection Request and Response. In both, the source is the requesting device.
    .init([.destination(at: 0), .source(at: 2)]),
    .init([.destination(at: 0), .source(at: 2)]),
    // Echo Request and Response
    .init([], then: .data),
    .init([], then: .data),
    // Information Request
    .init([.init("Info_Type", at: 0, .code(.l2capInformation), line: "", .type)]),
    // Information Response
    .init([
      .init("Info_Type", at: 0, .code(.l2capInformation), line: "", .type),
      .result(at: 2, .l2capInformationResult),
      .init("Connectionless_MTU", at: 4, line: "MTU", if: .information(1)),
      .init(
        "Extended_Features", at: 4, width: 4, .flags(.l2capFeatures), line: "",
        if: .information(2)),
      .init(
        "Fixed_Channels", at: 4, width: 8, .flags(.l2capFixedChannels), line: "",
        if: .information(3)),
    ]),
    // Create Channel Request and Response. Controller 0 is BR/EDR.
    .init([
      .psm(), .source(at: 2), .init("Controller_ID", at: 4, width: 1, line: "controller"),
    ]),
    connectionResponse,
    // Move Channel Request, Response, Confirmation and Confirmation Response
    .init([
      .initiator, .init("Destination_Controller_ID", at: 2, width: 1, line: "controller"),
    ]),
    .init([.initiator, .result(at: 2, .l2capMoveResult)]),
    .init([.initiator, .result(at: 2, .l2capMoveConfirmation)]),
    .init([.initiator]),
    // Connection Parameter Update Request
    .init([
      .init("Interval_Min", at: 0, .scaled(.interval), line: "interval", .intervalMin),
      .init("Interval_Max", at: 2, .scaled(.interval), line: "-", .intervalMax),
      .init("Latency", at: 4, line: "latency", .latency),
      .init("Timeout", at: 6, .scaled(.timeout), line: "timeout", .timeout),
    ]),
    // Connection Parameter Update Response
    .init([.result(at: 0, .l2capUpdateResult)]),
    // LE Credit Based Connection Request
    .init([.psm("SPSM")] + SignallingField.capacity(at: 4) + [.source(at: 2)]),
    // LE Credit Based Connection Response
    .init(
      SignallingField.capacity(at: 2, shown: .success)
        + [.destination(at: 0, shown: .success), .result(at: 8, .l2capCreditResult)]),
    // Flow Control Credit. The channel's end is on the device that gives the credits.
    .init([
      .init("Credits", at: 2, .scaled(.credits), line: "", .credits),
      .init("CID", at: 0, .handle, line: "CID", .source),
    ]),
    // Credit Based Connection Request
    .init(
      [.psm("SPSM")] + SignallingField.capacity(at: 2), then: .channels(.source, least: 1)),
    // Credit Based Connection Response. The channels are in the order of the request, with 0 for
    // one that was not opened.
    .init(
      SignallingField.capacity(at: 0, shown: .success) + [.result(at: 6, .l2capEnhancedResult)],
      then: .channels(.destination, least: 0)),
    // Credit Based Reconfigure Request. The channels' ends are on the requesting device.
    .init(
      SignallingField.capacity(at: 0, givesCredits: false),
      then: .channels(.destination, least: 1)),
    // Credit Based Reconfigure Response
    .init([.result(at: 0, .l2capReconfigureResult)]),
  ])

  private static let connectionResponse = Self([
    .destination(at: 0, shown: .accepting), .source(at: 2),
    .result(at: 4, .l2capConnectionResult),
    .init("Status", at: 6, .code(.l2capConnectionStatus), line: "", .status, shown: .pending),
  ])

  /// The configuration options from type 1 on (Core, Vol 3, Part A, 5.1 to 5.7).
  private static let options = Immortal<SignallingRow>([
    .init([.init("MTU", at: 0, line: "MTU")]),
    .init([
      .init(
        "Flush_Timeout", at: 0, .scaled(Scale(1, .milliseconds, absent: 0xffff)),
        line: "flush timeout")
    ]),
    // Quality of Service
    .init([
      .init("Flags", at: 0, width: 1, .hex),
      .init("Service_Type", at: 1, width: 1, .code(.serviceType), line: "QoS"),
      .init("Token_Rate", at: 2, width: 4),
      .init("Token_Bucket_Size", at: 6, width: 4),
      .init("Peak_Bandwidth", at: 10, width: 4),
      .init("Latency", at: 14, width: 4, .scaled(.microseconds)),
      .init("Delay_Variation", at: 18, width: 4, .scaled(.microseconds)),
    ]),
    // Retransmission and Flow Control
    .init([
      .init("Mode", at: 0, width: 1, .code(.l2capMode), line: ""),
      .init("TxWindow_Size", at: 1, width: 1),
      .init("MaxTransmit", at: 2, width: 1),
      .init("Retransmission_Timeout", at: 3, .scaled(.milliseconds)),
      .init("Monitor_Timeout", at: 5, .scaled(.milliseconds)),
      .init("MPS", at: 7),
    ]),
    .init([.init("FCS_Type", at: 0, width: 1, .code(.l2capFCS), line: "")]),
    // Extended Flow Specification
    .init([
      .init("Identifier", at: 0, width: 1, .hex),
      .init("Service_Type", at: 1, width: 1, .code(.serviceType), line: "flow"),
      .init("Maximum_SDU_Size", at: 2),
      .init("SDU_Inter_Arrival_Time", at: 4, width: 4, .scaled(.microseconds)),
      .init("Access_Latency", at: 8, width: 4, .scaled(.microseconds)),
      .init("Flush_Timeout", at: 12, width: 4, .scaled(.microseconds)),
    ]),
    .init([.init("Max_Window_Size", at: 0, line: "window")]),
  ])
}
