// Compares the pass over this project's captures with tshark 4.0 (packets, ATT PDUs and each
// response's request), and checks that it loses nothing in other captures, if present.

import Bluetooth
import Dissectors
import Foundation
import MadeTraffic
import Testing

@testable import Sessions

/// Returns the response and request of every transaction: "47<45".
private func pairs(_ results: Recording) -> Set<String> {
  Set(
    results.packets.compactMap { seen in
      guard seen.att != nil, let request = seen.answer.request else { return nil }
      return "\(seen.number)<\(request.packet)"
    })
}

@Suite struct CaptureTests {
  @Test("Files of different times may be of several devices with the same controller number")
  func controllersOfFiles() {
    func start(_ traffic: inout Traffic, _ address: Int, version: UInt8) {
      traffic.complete(0x1001, [0, version, 0, 0, version, 0x0f, 0, 0, 0])
      traffic.complete(0x1009, [0] + little(address, width: 6))
    }
    let results = run { traffic in
      start(&traffic, 0xc000_0000_0001, version: 9)
      for (file, address) in [(1, 0xc000_0000_0002), (2, 0xc000_0000_0001)] {
        traffic.file = file
        traffic.clock += 86_400_000
        start(&traffic, address, version: UInt8(9 + file))
      }
    }
    let all = results.memory.adapters.all
    #expect(all.map(\.address?.value) == [0xc000_0000_0002, 0xc000_0000_0001])
    #expect(all.map(\.hciVersion) == [10, 11])
  }

  @Test("Open connections do not continue in a file that begins later")
  func filesOfDifferentTimes() {
    let results = run { traffic in
      traffic.connect()
      traffic.received("0b 01")
      traffic.file = 1
      traffic.clock += 86_400_000
      traffic.received("0b 02")
    }
    #expect(results.connections.map(\.id) == [1, 2])
    #expect(results.connections.first?.ending == .fileEnded)
    #expect(results.connections.first?.lastPacket == 2)
    #expect(results.connections.last?.isOpeningMissing == true)
    // A log that was rotated because it was full continues at once.
    let goesOn = run { traffic in
      traffic.connect()
      traffic.file = 1
      traffic.received("0b 02")
    }
    #expect(goesOn.connections.map(\.id) == [1])
  }

  /// `tshark -Y btatt.request_in_frame`, which excludes errors and confirmations.
  @Test(arguments: [
    (
      "heart-rate", 166, 82,
      "47<45 50<48 56<54 62<60 68<66 71<69 77<75 80<78 86<84 89<87 95<93 101<99 104<102 107<105 "
        + "110<108 113<111 116<114 119<117 122<120 125<123 128<126 131<129 134<132 137<135 "
        + "140<138 150<149 153<152 156<155 160<157"
    ),
    (
      "heart-rate.peripheral", 169, 82,
      "43<42 46<45 52<51 58<57 64<63 67<66 73<72 76<75 82<81 85<84 91<90 97<96 100<99 103<102 "
        + "106<105 109<108 112<111 115<114 118<117 121<120 124<123 127<126 130<129 133<132 "
        + "136<135 156<154 159<157 162<160 164<163"
    ),
    (
      "wristband", 117, 53,
      "40<38 43<41 49<47 55<53 61<59 64<62 70<68 73<71 76<74 82<80 85<83 94<92"
    ),
    ("write-refused", 227, 28, "47<45 50<48 53<51 59<57 65<63 71<69 74<72 221<219 224<222"),
    ("pairing-fails", 56, 0, ""),
  ])
  func own(_ name: String, _ packets: Int, _ pdus: Int, _ expected: String) throws {
    let results = try run(project.appending(path: "captures/\(name).btsnoop"))
    #expect(results.failure == nil && results.packets.count == packets)
    #expect(results.packets.count { $0.att != nil } == pdus)
    let missing = Set(expected.split(separator: " ").map(String.init)).subtracting(pairs(results))
    #expect(missing.isEmpty)
    // Errors are responses too.
    #expect(results.packets.allSatisfy { $0.att != "Error Response" || $0.answer.request != nil })
    #expect(results.problems == [])
  }

  /// Every opcode of the monitor, and an undefined one.
  @Test func monitor() throws {
    let results = try run(project.appending(path: "captures/monitor.btsnoop"))
    #expect(results.packets.count == 28 && pairs(results) == ["17<15"])
    #expect(results.problems == ["unknownMonitorOpcode(25,0)"])
  }

  /// Two simultaneous links, which tshark gets wrong: it assigns both responses to Exchange MTU to
  /// the second request, and cannot reassemble the packets 35, 37, 38 and 40, the first of which
  /// has one byte.
  @Test func twoLinksAtOnce() throws {
    let results = try run(project.appending(path: "captures/enhanced-connection.btsnoop"))
    #expect(results.packets.count == 51)
    #expect(pairs(results) == ["29<27", "30<25", "39<33", "40<31", "45<42"])
    #expect(results[40].fragments == [35, 37, 38, 40])
    #expect(results.problems == [])
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: otherCaptures.path), "no ../shared/captures"))
  func nothingIsLostOverOthers() throws {
    let found = FileManager.default.enumerator(at: otherCaptures, includingPropertiesForKeys: nil)
    var read = 0
    while let file = found?.nextObject() as? URL {
      guard file.pathExtension == "btsnoop" || file.pathExtension == "log",
        let results = try? run(file)
      else { continue }
      read += 1
      #expect(results.finishes == 1)
      guard file.path.contains("/generated/") else { continue }
      #expect(results.failure == nil && results.problems == [], "\(file.lastPathComponent)")
    }
    #expect(read > 0)
  }
}
