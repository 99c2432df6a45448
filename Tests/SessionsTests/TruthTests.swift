// Compares the values of generated sessions, in both sides' captures, with the generator's truth
// files.

import Bluetooth
import Bytes
import Captures
import Dissectors
import Foundation
import MadeTraffic
import Testing

@testable import Sessions

/// The values in a `NAME.truth.json`:
///
/// - `read`, `notification`, `indication`: the value of the handle; with `error`, a refused attempt
///   without a value.
/// - `write` with `response`: a Write Request, or a prepared write if it does not fit in one PDU;
///   without `response`, a Write Command.
/// - `subscribe`: a write of 1 (2 with `indicate`) to the descriptor 2902 of the characteristic.
/// - `prepare_then_cancel`: a cancelled prepared write of unknown bytes.
/// - `read_by_type`: a read of the characteristic that was written last.
/// - `raw`: the PDU itself: a refused Read (0a), Read Blob (0c) or Write (12), or a Read Multiple
///   (0e) of one attribute several times; Find Information (04) has no values.
private struct Truth {
  /// "read 19 01", "write 21 02 refused 128".
  private(set) var values: [String] = []

  init(_ file: URL) throws {
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    let truth = try #require(document as? [String: Any])
    let services = truth["gatt"] as? [[String: Any]] ?? []
    let characteristics = services.flatMap { $0["characteristics"] as? [[String: Any]] ?? [] }
    var mtu = 23
    var lastWrite = 0
    for operation in try #require(truth["ops"] as? [[String: Any]]) {
      let name = operation["op"] as? String ?? ""
      let handle = operation["handle"] as? Int ?? 0
      let value = operation["value"] as? String ?? ""
      let error = operation["error"] as? Int
      switch name {
      case "mtu": mtu = operation["result"] as? Int ?? 23
      case "connected": mtu = 23
      case "read": add("read", handle, error == nil ? value : nil, error)
      case "notification", "indication": add(name, handle, value, nil)
      case "write":
        lastWrite = handle
        let fits = value.utf8.count / 2 <= mtu - 3
        let hasResponse = operation["response"] as? Bool ?? true
        add(
          !hasResponse ? "write_without_response" : fits ? "write" : "prepared_write", handle,
          value,
          error)
      case "subscribe":
        let characteristic = characteristics.first { $0["value_handle"] as? Int == handle }
        let descriptors = characteristic?["descriptors"] as? [[String: Any]] ?? []
        let descriptor = descriptors.first { $0["uuid"] as? String == "2902" }
        let indicates = operation["indicate"] as? Bool ?? false
        add("write", descriptor?["handle"] as? Int ?? 0, indicates ? "0200" : "0100", nil)
      case "prepare_then_cancel": values.append("prepared_write \(handle) cancelled")
      case "read_by_type": add("read", lastWrite, value, nil)
      case "raw": addRaw(operation["sent"] as? String ?? "", operation["got"] as? String ?? "")
      default: break
      }
    }
  }

  private mutating func add(_ name: String, _ handle: Int, _ value: String?, _ error: Int?) {
    let parts = [name, "\(handle)", value, error.map { "refused \($0)" }]
    values.append(parts.compactMap(\.self).joined(separator: " "))
  }

  private mutating func addRaw(_ sent: String, _ got: String) {
    let (sent, got) = (Self.bytes(sent), Self.bytes(got))
    guard sent.count >= 3 else { return }
    let handle = Int(sent[1]) | Int(sent[2]) << 8
    let error = got.first == 1 ? Int(got.last ?? 0) : nil
    switch sent[0] {
    case 0x0a, 0x0c: add("read", handle, nil, error)
    case 0x12:
      let value = sent[3...].map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
      add("write", handle, value.joined(), error)
    case 0x0e:
      let count = (sent.count - 1) / 2
      let digits = got.dropFirst().map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
      let each = digits.count / count
      for index in 0..<count {
        add("read", handle, digits[index * each..<(index + 1) * each].joined(), nil)
      }
    default: break
    }
  }

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }
}

extension Conversing {
  /// The values in the form of `Truth`; descriptors' empty values as `truth.json` writes them.
  fileprivate var values: [String] {
    results.filter { $0.value.operation != .advertisement }.map { results in
      let value = results.value
      var line = "\(value.operation.key) \(value.attribute.handle ?? 0)"
      if value.outcome == .cancelled { return line + " cancelled" }
      if let bytes = results.bytes {
        line += " " + bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
      }
      switch value.outcome {
      case .done: break
      case .refused(let error): line += " refused \(error.rawValue)"
      default: line += " \(value.outcome)"
      }
      return line
    }
  }
}

@Suite struct TruthTests {
  @Test(
    "Every value of a generated session, from both sides' captures",
    .enabled(
      if: !scenarios.isEmpty, "the shared captures, which say what is true, are not there"),
    arguments: scenarios)
  func values(_ scenario: String) throws {
    let truth = try Truth(generated.appending(path: scenario + ".truth.json")).values
    for (suffix, side) in [("", Side.peer), (".peripheral", .local)] {
      let file = generated.appending(path: scenario + suffix + ".btsnoop")
      var source = try BtsnoopReader(path: file.path(percentEncoded: false))
      var results = Conversing()
      var output = Output()
      var pass = Pass()
      try pass.run(&source, &results, into: &output)
      #expect(results.values == truth, "\(scenario)\(suffix)")
      let values = results.results.filter { $0.value.operation != .advertisement }
      #expect(values.allSatisfy { $0.value.attribute.side == side })
      // Every value of a long session names its packets, in order.
      for results in values where !results.packets.isEmpty {
        #expect(
          results.packets == results.packets.sorted()
            && results.packets.contains(results.value.packet))
      }
    }
  }
}
