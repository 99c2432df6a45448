// Everything that a pass reports, kept for tests.

import Bluetooth
import Bytes
import Captures
import Foundation
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// One packet as the report received it.
struct Seen {
  var number = 0
  /// "fragmentLost(7,20)".
  var problems: [String] = []
  /// The ATT opcode's name; the bytes of the PDU include the opcode.
  var att: String?
  var attBytes: [UInt8] = []
  /// The bytes of the complete L2CAP PDU.
  var pdu: [UInt8] = []
  /// The bytes after the last header.
  var body: [UInt8] = []
  var control: ControlField?
  /// The packets that the commands of a signalling frame answer.
  var notes: [Int?] = []
  /// The ATT MTUs that these commands set.
  var attMTUs: [UInt16?] = []
  /// The link as it was known at that packet.
  var connection: Connection?
  var answer = Answer()
  /// The packets of a joined PDU.
  var fragments: [Int] = []
  /// The data of each advertising report, joined if it was fragmented.
  var advertised: [[UInt8]] = []
  /// The packets of each chain; empty for unfragmented reports.
  var chains: [[Int]] = []
  /// The advertiser of each report's train, if known.
  var trains: [PeriodicTrain?] = []
  /// For each report, whether its first part seems to be missing.
  var lacksFirstPart: [Bool] = []
  /// Whether one of its reports may be a part of something secret.
  var mayHoldSecret = false

  /// "answers 3 after 2 ms", in milliseconds.
  var answers: String? {
    answer.request.map { request in
      let after = answer.latency.map { "\($0 / 1_000_000) ms" } ?? "unknown"
      return "answers \(request.packet) after \(after)"
    }
  }
}

/// The state at the end of a capture: the parts of a memory that tests inspect.
struct Known {
  var links = Memory().links
  var names = Memory().names
  var advertisements = Memory().advertisements
  var attributes = Memory().attributes
  var identities = Memory().identities
  var keys = Memory().keys
  var adapters = Memory().adapters
  var channels = Memory().channels
  var signals = Memory().signals
  var commands = Memory().commands
  var controlCommands = Memory().controlCommands

  init() {}

  init(_ memory: borrowing Memory) {
    links = memory.links
    names = memory.names
    advertisements = memory.advertisements
    attributes = memory.attributes
    identities = memory.identities
    keys = memory.keys
    adapters = memory.adapters
    channels = memory.channels
    signals = memory.signals
    commands = memory.commands
    controlCommands = memory.controlCommands
  }
}

/// Collects everything that a pass reports.
struct Recording: PacketReport {
  private(set) var packets: [Seen] = []
  /// The state at the end.
  private(set) var memory = Known()
  private(set) var finishes = 0
  /// The number of packets after which the report is satisfied.
  var enough = Int.max
  /// The failure that ended the capture.
  private(set) var failure: CaptureFailure?

  var isSatisfied: Bool { packets.count >= enough }

  /// Returns packet `number`, counted from 1.
  subscript(number: Int) -> Seen {
    packets.indices.contains(number - 1) ? packets[number - 1] : Seen()
  }

  /// All remembered connections, by id.
  var connections: [Connection] {
    var all: [Connection] = []
    memory.links.forEach { all.append($0) }
    return all.sorted { $0.id < $1.id }
  }

  /// The problems of all packets.
  var problems: [String] { packets.flatMap(\.problems) }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    // A record that only shows that the capture has events.
    if packet.record.number == 0 { return }
    var seen = Seen()
    seen.number = packet.record.number
    let problems = packet.dissection.problems
    for index in 0..<problems.count {
      let problem = problems[index]
      seen.problems.append("\(problem.code)(\(problem.first),\(problem.second))")
    }
    if let att = packet.dissection.att {
      seen.att = att.opcode.name?.description ?? "unknown"
      seen.attBytes = packet.bytes.part(packet.dissection.body).array
    }
    if let header = packet.dissection.l2cap {
      let start = packet.answer.fragment.start
      seen.pdu =
        packet.bytes.part(Slice(start: start, count: Int(header.length) + L2CAPHeader.size)).array
    }
    seen.body = packet.bytes.part(packet.dissection.body).array
    seen.control = packet.dissection.control
    seen.notes = memory.signals.notes.map { $0.request?.packet }
    seen.attMTUs = memory.signals.notes.map(\.attMTU)
    if let link = packet.answer.link { seen.connection = memory.links.connection(link) }
    seen.answer = packet.answer
    seen.fragments = Array(packet.parts)
    let advertisements = memory.advertisements
    seen.mayHoldSecret = advertisements.mayHoldSecret
    for advertisement in advertisements.reports {
      if let joined = advertisement.joined {
        seen.advertised.append(advertisements.joined.bytes.part(joined).array)
      } else {
        seen.advertised.append(packet.bytes.part(advertisement.report.data).array)
      }
      seen.trains.append(advertisement.train)
      seen.lacksFirstPart.append(advertisement.lacksFirstPart)
      seen.chains.append(advertisement.chain.map { Array(advertisements.packets[$0]) } ?? [])
    }
    packets.append(seen)
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    self.memory = Known(memory)
    self.failure = failure
    finishes += 1
  }
}

/// Runs a pass over the records of `build`.
func run(
  limits: Limits = Limits(), enough: Int = .max, failure: CaptureFailure? = nil,
  _ build: (inout Traffic) -> Void
) -> Recording {
  var traffic = Traffic()
  build(&traffic)
  return run(traffic.records, limits, enough: enough, failure: failure)
}

/// Runs a pass over records.
func run(
  _ records: [StoredRecord], _ limits: Limits = Limits(), enough: Int = .max,
  failure: CaptureFailure? = nil
) -> Recording {
  var source = MemorySource(records, failure: failure)
  return run(&source, limits, enough: enough)
}

/// Runs a pass over a btsnoop file.
func run(_ file: URL) throws -> Recording {
  var source = try BtsnoopReader(path: file.path(percentEncoded: false))
  return run(&source)
}

private func run<Source: CaptureSource & ~Copyable>(
  _ source: inout Source, _ limits: Limits = Limits(), enough: Int = .max
) -> Recording {
  var recording = Recording()
  recording.enough = enough
  var output = Output()
  var pass = Pass(limits)
  do throws(CaptureFailure) {
    try pass.run(&source, &recording, into: &output)
  } catch {
    #expect(error == recording.failure)
  }
  return recording
}

extension Traffic {
  /// Runs a pass over the records for another report.
  func report<Report: PacketReport & ~Copyable>(
    to report: inout Report, _ limits: Limits = Limits(), failure: CaptureFailure? = nil
  ) {
    var source = MemorySource(self, failure: failure)
    var output = Output()
    var pass = Pass(limits)
    try? pass.run(&source, &report, into: &output)
  }
}

/// Runs a pass with an event at the start, so that the capture has both directions. The event
/// does not count.
func runAmongEvents(_ build: (inout Traffic) -> Void) -> Recording {
  run { traffic in
    build(&traffic)
    traffic.beginWithAnEvent()
  }
}

/// The generated captures, and files with what is true of them.
let generated = otherCaptures.appending(path: "generated")

/// The names of the generated captures; none if they do not exist.
let scenarios: [String] = {
  let files = try? FileManager.default.contentsOfDirectory(atPath: generated.path)
  return (files ?? []).filter { $0.hasSuffix(".truth.json") }
    .map { String($0.dropLast(".truth.json".count)) }.sorted()
}()

/// Returns the size of a value's private table `name`, which no interface exposes.
func entries(_ name: String, of value: Any) -> Int? {
  for child in Mirror(reflecting: value).children where child.label == name {
    return Mirror(reflecting: child.value).children.count
  }
  return nil
}

/// Returns a value's private property `name`.
func part(_ name: String, of value: Any) -> Any? {
  Mirror(reflecting: value).children.first { $0.label == name }?.value
}
