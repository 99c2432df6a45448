import ArgumentParser
import Bytes
import Captures
import Reports

/// `convert`: writes a capture to another file.
struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a capture, or a part of it, to another file.",
    discussion: """
      OUT's name decides the format (\(WriterFormat.endings)), or --as does; standard output and named \
      pipes are pcapng by default. Packets keep their bytes, their times and their original lengths. What \
      the format cannot hold is listed on standard error, by kind and number.

      A selection includes what it needs to be understood: all parts of a PDU, a request and its response, \
      and the setup of its connection (docs/convert.md).

      Packets from a sniffer stay as they are, unless --decrypt, --as-hci, --redact or a format with the \
      number 256 changes them. Keys come from pairings in the capture and from --keys.

      OUT appears once it is complete. An existing file is replaced only with --force. - means standard \
      input or output.

      Examples:
        gattscope convert btsnoop_hci.log capture.pcapng
        gattscope convert --comments btsnoop_hci.log for-wireshark.pcapng
        gattscope convert --connection 2 btsnoop_hci.log part.btsnoop
        gattscope convert --merge btsnoop_hci.log.last btsnoop_hci.log all.btsnoop
        gattscope convert --merge phone.log sensor.pcap both.pcapng
        gattscope convert --redact btsnoop_hci.log for-strangers.pcapng
        gattscope convert --as pklg btsnoop_hci.log for-packetlogger.pklg
        gattscope convert --decrypt --keys keys.yaml sniffed.pcap decrypted.pcapng
        gattscope convert --as pcap-256 ubertooth.pcap for-other-tools.pcap
        gattscope convert --as-hci sniffed.pcap for-btmon.btsnoop
        gattscope convert trace.btsnoop - | wireshark -k -i -
      """)

  @Argument(
    help: ArgumentHelp(
      "The capture and the file to write; with --merge, several captures before it.",
      valueName: "capture"),
    completion: .file())
  var files: [String] = []

  @OptionGroup
  var file: CaptureFileOptions

  @Flag(name: .long, help: "List the formats that can be written.")
  var listFormats = false

  @Flag(
    name: .long,
    help: "Write the line that show prints for each packet as its comment; pcapng only.")
  var comments = false

  @Flag(
    name: .long,
    help:
      "Merge several captures by time; duplicates are written once, and different controllers get different numbers."
  )
  var merge = false

  @Flag(
    name: .long,
    help:
      "Write packets from a sniffer decrypted, with link type 256; keys come from pairings in the capture and from --keys."
  )
  var decrypt = false

  @Flag(
    name: .long,
    help:
      "Write the connections that a sniffer recorded as HCI, as the central's host would have seen them."
  )
  var asHCI = false

  @OptionGroup(title: "Selection")
  var archives: ArchiveOptions

  @OptionGroup(title: "Redaction")
  var redacting: RedactionArguments

  @Option(
    name: .long,
    help: ArgumentHelp(
      "With --redact: write which pseudonym stands for what, as CSV that only you may read. Do not share this file.",
      valueName: "file"),
    completion: .file())
  var pseudonyms: String?

  @OptionGroup(title: "Selection")
  var selection: PacketOptions

  @OptionGroup(title: "Selection")
  var end: EndOptions

  @OptionGroup(title: "Selection")
  var kinds: PacketKindOptions

  @OptionGroup
  var supplied: SuppliedOptions

  /// The formats that were named with `--as` and `--to`.
  private var targets: [WriterTarget] { file.formats + end.formats }

  func validate() throws {
    if listFormats { return }
    _ = try StretchOptions.times(selection.from, end.times)
    guard files.count >= 2, let out = files.last else {
      throw ValidationError("expected a capture and the file to write, as in: convert IN OUT")
    }
    if files.count > 2, !merge {
      throw ValidationError(
        "several captures are joined with --merge; without it, one capture and the file to write are expected."
      )
    }
    if targets.count > 1 { throw ValidationError("--as: one format, not \(targets.count).") }
    guard let target = targets.first ?? file.target(of: out) else {
      throw ValidationError(
        "\(out): cannot tell the format from the file name; expected \(WriterFormat.endings), or --as with a format."
      )
    }
    if asHCI, target.sniffer != nil {
      throw ValidationError("--as-hci: the format is one of packets from sniffers, not of HCI.")
    }
    if decrypt, !asHCI, !target.holdsSniffers {
      throw ValidationError(
        "--decrypt: only pcap and pcapng hold packets from a sniffer; --as-hci writes them as HCI.")
    }
    if let pseudonyms {
      if !redacting.redact { throw ValidationError("--pseudonyms works only with --redact.") }
      if pseudonyms == "-" || Terminal.isOtherThanFile(pseudonyms) {
        throw ValidationError("--pseudonyms: name a file, which only you may read.")
      }
    }
    if comments, target.container != .pcapng {
      throw ValidationError("--comments: only pcapng has room for comments.")
    }
  }

  mutating func run() throws {
    if listFormats { return try Self.printFormats() }
    guard let out = files.last, let target = targets.first ?? file.target(of: out) else { return }
    let profiles = try supplied.profiles()
    let inputs = Array(files.dropLast())
    let found = try archives.search(inputs)
    var conversion = Conversion(inputs, found, to: out, as: target, file, merges: merge)
    conversion.comments = comments
    conversion.profiles = profiles
    conversion.bonds = try supplied.bonds() + found.bonds
    conversion.air = airForm(target)
    conversion.redaction = redacting.options(bonds: conversion.bonds)
    conversion.pseudonyms = pseudonyms
    conversion.maps = try supplied.maps()
    conversion.selection = try selection.selection(profiles, kinds, to: end.times)
    conversion.selection.limit = end.limit
    try conversion.run()
  }

  /// Returns what packets from a sniffer become, if they change.
  private func airForm(_ target: WriterTarget) -> AirSource.Form? {
    if asHCI { return .host(hasComments: target.container == .pcapng) }
    if decrypt { return .pseudoHeader(decrypts: true) }
    return target.sniffer == nil ? nil : .pseudoHeader(decrypts: false)
  }

  private static func printFormats() throws {
    try Terminal.write { output in
      for row in WriterTarget.rows {
        output.string(row.name)
        output.spaces(16 - row.name.utf8.count)
        output.string(row.words)
        output.byte(0x0a)
      }
    }
  }
}

/// The `--to` of `convert`, the end of a time range or a format, and `--limit`.
struct EndOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "End time, written as for --from; a format's name means the same as --as.",
      valueName: "time"),
    transform: { try Argument($0) })
  var to: [Argument] = []

  @Option(name: .long, help: CountArgument.help, transform: CountArgument.limit)
  var limit: Int?

  enum Argument {
    case format(WriterTarget)
    case time(TimePoint)

    init(_ text: String) throws {
      if let target = WriterTarget(name: text) {
        self = .format(target)
      } else if text.first?.isLetter == true {
        throw ValidationError("expected a time, or a format: \(CaptureFileOptions.formatNames)")
      } else {
        self = .time(try TimePoint(text))
      }
    }
  }

  var formats: [WriterTarget] {
    to.compactMap { if case .format(let target) = $0 { target } else { nil } }
  }

  var times: [TimePoint] {
    to.compactMap { if case .time(let time) = $0 { time } else { nil } }
  }
}
