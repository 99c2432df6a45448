// The values of conversations, each as one line of text.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// Collects every value of a capture.
struct Conversing: PacketReport {
  struct Told {
    /// "read 0x0010: 01 02 #5".
    var line: String
    var value: ConveyedValue
    var bytes: [UInt8]?
    var packets: [Int]
  }

  private(set) var results: [Told] = []
  private(set) var limits: [Conversations.Limited] = []
  /// The most bytes that were held for one packet.
  private(set) var mostBytes = 0
  var conversations: Conversations

  init(_ limits: Limits = Limits()) { conversations = Conversations(limits) }

  var isSatisfied: Bool { false }
  var lines: [String] { results.map(\.line) }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    conversations.observe(packet, memory)
    take()
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    conversations.finish(memory)
    take()
  }

  private mutating func take() {
    mostBytes = max(mostBytes, conversations.bytes.count)
    if let reached = conversations.limitReached { limits.append(reached.what) }
    for value in conversations.values {
      let bytes = value.value.map { conversations.bytes.bytes.part($0).array }
      results.append(
        Told(
          line: Self.line(value, bytes), value: value, bytes: bytes,
          packets: value.packets.map { Array(conversations.packets[$0]) } ?? []))
    }
  }

  static func line(_ value: ConveyedValue, _ bytes: [UInt8]?) -> String {
    var line = value.operation.key.description
    if value.attribute.side == .local { line = "own " + line }
    if let handle = value.attribute.handle { line += " \(hexadecimal(handle))" }
    if value.offset > 0 { line += " from \(value.offset)" }
    if let bytes {
      line += ": " + bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }
    line += " #\(value.packet)"
    switch value.outcome {
    case .done: break
    case .refused(let error): line += " refused \(hexadecimal(UInt16(error.rawValue)))"
    case .noResponse(let reason): line += " no response, \(reason)"
    case .cancelled: line += " cancelled"
    case .notExecuted(let reason): line += " not executed, \(reason)"
    }
    if value.isCut { line += " cut" }
    if value.mayGoOn { line += " may go on" }
    if value.isEchoWrong { line += " echo differs" }
    if let isAcknowledged = value.isAcknowledged {
      line += isAcknowledged ? " acknowledged" : " unacknowledged"
    }
    return line
  }

  private static func hexadecimal(_ number: UInt16) -> String {
    "0x" + String(UInt32(number) | 0x10000, radix: 16).dropFirst()
  }
}

/// Returns the values of records in memory.
func converse(
  _ limits: Limits = Limits(), failure: CaptureFailure? = nil, _ write: (inout Traffic) -> Void
) -> Conversing {
  var traffic = Traffic()
  write(&traffic)
  var report = Conversing(limits)
  traffic.report(to: &report, limits, failure: failure)
  return report
}
