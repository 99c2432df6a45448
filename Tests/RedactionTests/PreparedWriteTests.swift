import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Redaction

@Suite("Names in prepared writes and in their echoes") struct PreparedWriteTests {
  private static let name = Array("Zygmunts-Laptop".utf8)

  /// How the responses come.
  struct Way: CustomTestStringConvertible {
    /// The bytes of all fragments but the last.
    var sizes: [Int]
    /// The response that the capture lacks.
    var lost: Int?
    /// Whether a piece of another PDU shows that pieces are missing.
    var isTorn = false

    var testDescription: String { "\(self)" }

    static let all: [Way] =
      [[], [16], [3], [5, 5], [9, 4], [12], [17], [1, 1, 1], [4]].flatMap { sizes in
        [
          Way(sizes: sizes), Way(sizes: sizes, isTorn: true), Way(sizes: sizes, lost: 0),
          Way(sizes: sizes, lost: 1),
        ]
      }
  }

  @Test("no piece of a name stays, whatever the fragments are", arguments: Way.all)
  func pieces(way: Way) throws {
    for offset in 0...9 {
      let value = Array("abcdefghi".utf8.prefix(offset)) + Self.name + Array("-post".utf8)
      let result = try redacted {
        $0.command(0x0c13, Self.name + [UInt8](repeating: 0, count: 248 - Self.name.count))
        $0.connect()
        if way.isTorn { $0.acl([1, 2, 3], .received, .more) }
        // A write that is prepared in parts of ten bytes.
        for (index, start) in stride(from: 0, to: value.count, by: 10).enumerated() {
          let fields = [0x1f, 0] + little(start) + value[start...].prefix(10)
          $0.acl(l2cap([0x16] + fields), .sent)
          if index != way.lost { $0.split(l2cap([0x17] + fields), way.sizes) }
        }
        $0.acl(l2cap([0x18, 1]), .sent)
        $0.acl(l2cap([0x19]), .received)
      }
      for start in 0...Self.name.count - 4 {
        let piece = Array(Self.name[start..<start + 4])
        #expect(
          !result.contains(piece), "\(String(decoding: piece, as: UTF8.self)) at offset \(offset)")
      }
    }
  }

  @Test("an echo of other bytes stays one") func wrongEcho() throws {
    let result = try redacted {
      $0.connect()
      $0.acl(l2cap([0x16, 0x1f, 0, 0, 0, 1, 2, 3, 4]), .sent)
      $0.acl(l2cap([0x17, 0x1f, 0, 0, 0, 1, 2, 3, 5]), .received)
      $0.acl(l2cap([0x17, 0x1f, 0, 4, 0, 6, 7, 8, 9]), .received)
    }
    #expect(result.after[1...2] == result.before[1...2])
    #expect(result.after[3].suffix(4).allSatisfy { $0 == 0 }, "without its request")
  }
}
