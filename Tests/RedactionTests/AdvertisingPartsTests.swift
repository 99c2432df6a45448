import MadeTraffic
import Testing

@testable import Redaction

@Suite("Names in advertising data that comes in parts") struct AdvertisingPartsTests {
  private static let name = Array("Zygmunts-qXpWrkLaptop".utf8)
  private static let data: [UInt8] =
    [2, 1, 6, UInt8(name.count + 1), 9] + name + [5, 0xff, 0x59, 0, 1, 2]

  /// What carries the data.
  enum Carrier: CaseIterable {
    case report, periodic, command
  }

  /// What happened to one of the parts.
  enum Damage: CaseIterable {
    case none, lost, twice, cut, swapped
  }

  /// Appends a part, with its length, though its last bytes may be missing.
  private static func add(
    _ part: [UInt8], cut: Int, isFirst: Bool, isLast: Bool, _ carrier: Carrier,
    _ traffic: inout Traffic
  ) {
    let kept = [UInt8(part.count)] + part.dropLast(cut)
    switch carrier {
    case .report:
      traffic.meta(
        0x0d,
        [1] + little(isLast ? 0 : 0x20) + [1] + little(0xc011_2233_4455, width: 6)
          + [1, 1, 0, 127, 0xc8] + little(0) + [0] + little(0, width: 6) + kept)
    case .periodic: traffic.meta(0x0f, [1, 0, 127, 0xc8, 0xff, isLast ? 0 : 1] + kept)
    case .command: traffic.command(0x2037, [1, isFirst ? 1 : isLast ? 2 : 0, 1] + kept)
    }
  }

  private static func build(
    _ traffic: inout Traffic, _ carrier: Carrier, _ damage: Damage, at index: Int, size: Int,
    cut: Int
  ) {
    let parts = stride(from: 0, to: data.count, by: size).map {
      Array(data[$0..<min($0 + size, data.count)])
    }
    var order = Array(parts.indices)
    guard index < order.count else { return }
    switch damage {
    case .none, .cut: break
    case .lost: order.remove(at: index)
    case .twice: order.insert(index, at: index)
    case .swapped: if index > 0 { order.swapAt(index, index - 1) }
    }
    for (position, part) in order.enumerated() {
      let missing = damage == .cut && position == index ? min(cut, parts[part].count) : 0
      add(
        parts[part], cut: missing, isFirst: part == 0, isLast: part == parts.count - 1, carrier,
        &traffic)
    }
  }

  @Test(
    "no piece stays if a part is missing, doubled, cut or in another place",
    arguments: Carrier.allCases, Damage.allCases)
  func damaged(carrier: Carrier, damage: Damage) throws {
    for size in 4...20 {
      for index in 0...data.count / size {
        for cut in damage == .cut ? Array(1...size) : [0] {
          let result = try redacted {
            Self.build(&$0, carrier, damage, at: index, size: size, cut: cut)
          }
          let joined = result.after.flatMap { $0.suffix(size) }
          let left = (0...Self.name.count - 6).map { Array(Self.name[$0..<$0 + 6]) }
            .filter { result.contains($0) || contain([joined], $0) }
          #expect(
            left.isEmpty,
            "part \(index) of \(size) bytes, cut \(cut): \(left.map { String(decoding: $0, as: UTF8.self) })"
          )
        }
      }
    }
  }

  private var data: [UInt8] { Self.data }

  @Test("what is whole keeps its structures", arguments: Carrier.allCases)
  func whole(carrier: Carrier) throws {
    let result = try redacted { Self.build(&$0, carrier, .none, at: 0, size: 9, cut: 0) }
    let last = (Self.data.count - 1) % 9 + 1
    let joined =
      result.after.dropLast().flatMap { $0.suffix(9) }
      + result.after[result.after.count - 1].suffix(last)
    #expect(Array(joined.prefix(5)) == Array(Self.data.prefix(5)))
    #expect(Array(joined.suffix(6)) == Array(Self.data.suffix(6)))
  }

  @Test("the parts after the first become zeros if one came twice") func zeros() throws {
    let result = try redacted {
      Self.build(&$0, .report, .twice, at: 0, size: 9, cut: 0)
    }
    #expect(result.after[0].suffix(9).prefix(5) == Self.data.prefix(5))
    for record in result.after.dropFirst().dropLast() {
      #expect(record.suffix(9).allSatisfy { $0 == 0 })
    }
    #expect(result.lines[0].contains("belongs to no known field"), "\(result.lines)")
  }
}
