// Prepared writes, and requests that are never answered.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct PreparedWriteTests {
  private func prepare(_ traffic: inout Traffic, _ part: String, echo: String? = nil) {
    traffic.ask("16 " + part, "17 " + (echo ?? part))
  }

  @Test func partsOfSeveralAttributesMixed() {
    let results = converse { traffic in
      traffic.connect()
      prepare(&traffic, "10 00 00 00 01 02")
      prepare(&traffic, "12 00 00 00 aa")
      prepare(&traffic, "10 00 02 00 03")
      prepare(&traffic, "12 00 01 00 bb cc")
      traffic.ask("18 01", "19")
      traffic.ask("18 01", "19")
    }
    #expect(
      results.lines == ["prepared_write 0x0010: 010203 #6", "prepared_write 0x0012: aabbcc #8"])
    #expect(results.results.map(\.packets) == [[2, 6], [4, 8]])
    #expect(results.results[0].value.response == 11)
  }

  /// An Execute Write Request writes or cancels everything prepared before it, with or without its
  /// response.
  @Test func anExecuteRequestClosesTheQueue() {
    let results = converse { traffic in
      traffic.connect()
      prepare(&traffic, "10 00 00 00 01")
      traffic.sent("18 01")
      prepare(&traffic, "10 00 00 00 02")
      traffic.ask("18 01", "19")
      prepare(&traffic, "10 00 00 00 03")
      prepare(&traffic, "10 00 01 00 04")
      traffic.sent("18 01")
    }
    #expect(
      results.lines == [
        "prepared_write 0x0010: 01 #4 no response, overtaken", "prepared_write 0x0010: 02 #5",
        "prepared_write 0x0010: 0304 #13 no response, captureEnded",
      ])
    #expect(results.results.map(\.packets) == [[2], [], [9, 11]])
    #expect(results.results[1].value.response == 8)
  }

  @Test func cancelledRefusedAndLost() {
    let results = converse { traffic in
      traffic.connect()
      prepare(&traffic, "10 00 00 00 01")
      traffic.ask("18 00", "19")
      prepare(&traffic, "10 00 00 00 02")
      traffic.ask("18 01", "01 18 10 00 0d")
      traffic.ask("16 10 00 00 00 03", "01 16 10 00 09")
      prepare(&traffic, "10 00 00 00 04")
      traffic.disconnect()
      traffic.connect()
      traffic.ask("18 01", "19")
      prepare(&traffic, "10 00 00 00 05")
    }
    #expect(
      results.lines == [
        "prepared_write 0x0010: 01 #2 cancelled", "prepared_write 0x0010: 02 #6 refused 0x000d",
        "prepared_write 0x0010: 03 #10 refused 0x0009",
        "prepared_write 0x0010: 04 #12 not executed, connectionEnded",
        "prepared_write 0x0010: 05 #18 not executed, captureEnded",
      ])
  }

  @Test(
    "A server that does not repeat the prepared value is reported",
    arguments: ["10 00 00 00 02", "12 00 00 00 01", "10 00 01 00 01", "10 00 00 00 01 01"])
  func echo(_ echo: String) {
    let results = converse { traffic in
      traffic.connect()
      prepare(&traffic, "10 00 00 00 01", echo: echo)
      traffic.ask("18 01", "19")
    }
    #expect(results.lines == ["prepared_write 0x0010: 01 #2 echo differs"])
  }

  /// Reliable writes: the same attribute twice. With a gap they are not a single value, with an
  /// overlap they are.
  @Test func placesOfParts() {
    let results = converse { traffic in
      traffic.connect()
      prepare(&traffic, "10 00 00 00 01 02")
      prepare(&traffic, "10 00 00 00 03 04")
      prepare(&traffic, "10 00 01 00 05 06")
      prepare(&traffic, "10 00 09 00 07")
      traffic.ask("18 01", "19")
    }
    #expect(
      results.lines == [
        "prepared_write 0x0010: 0102 #2", "prepared_write 0x0010: 030506 #6",
        "prepared_write 0x0010 from 9: 07 #8",
      ])
  }

  @Test func bearersHaveTheirOwnQueues() {
    let results = converse { traffic in
      traffic.connect()
      traffic.openBearers()
      traffic.sdu("16 10 00 00 00 01", .sent, cid: 0x50)
      traffic.sdu("17 10 00 00 00 01", .received, cid: 0x41)
      traffic.sdu("16 10 00 00 00 02", .sent, cid: 0x51)
      traffic.sdu("17 10 00 00 00 02", .received, cid: 0x40)
      traffic.sdu("18 01", .sent, cid: 0x51)
      traffic.sdu("19", .received, cid: 0x40)
      traffic.sdu("18 00", .sent, cid: 0x50)
      traffic.sdu("19", .received, cid: 0x41)
    }
    #expect(
      results.lines == ["prepared_write 0x0010: 02 #6", "prepared_write 0x0010: 01 #4 cancelled"])
  }

  // MARK: No response

  /// Appends a Number Of Completed Packets (0x13): handles and counts.
  private func completed(_ traffic: inout Traffic, _ packets: Int) {
    traffic.event(0x13, [1, 0x40, 0] + little(packets))
  }

  @Test func endOfTheConnection() {
    let results = converse { traffic in
      traffic.connect()
      traffic.sent("12 10 00 01")
      completed(&traffic, 1)
      traffic.received("1d 14 00 dd")
      traffic.disconnect()
      traffic.connect()
      traffic.sent("0a 10 00")
      traffic.disconnect()
    }
    #expect(
      results.lines == [
        "write 0x0010: 01 #2 no response, connectionEnded acknowledged",
        "indication 0x0014: dd #4 no response, connectionEnded",
        "read 0x0010 #7 no response, connectionEnded unacknowledged",
      ])
  }

  /// A packet's acknowledgement may come after the end of the capture, so its absence proves
  /// nothing.
  @Test func acknowledgedBehindTheEnd() {
    let results = converse { traffic in
      traffic.connect()
      traffic.sent("12 10 00 01")
      completed(&traffic, 1)
      traffic.received("13")
      traffic.sent("0a 10 00")
    }
    #expect(
      results.lines == ["write 0x0010: 01 #2", "read 0x0010 #5 no response, captureEnded"])
  }

  @Test func transactionTimeout() {
    let results = converse { traffic in
      traffic.connect()
      traffic.sent("0a 10 00")
      traffic.clock += 31_000
      traffic.disconnect()
    }
    #expect(results.lines == ["read 0x0010 #2 no response, timedOut"])
  }

  @Test func endOfTheCapture() {
    let results = converse { traffic in
      traffic.connect()
      // The capture has what the peer sends.
      traffic.received("1b 20 00 01")
      traffic.sent("0a 10 00")
      traffic.sent("10 01 00 ff ff 00 28")
    }
    #expect(
      results.lines == [
        "notification 0x0020: 01 #2", "read 0x0010 #3 no response, captureEnded",
      ])
  }

  @Test func overtakenRequests() {
    let results = converse { traffic in
      traffic.connect()
      traffic.sent("12 10 00 01")
      traffic.sent("12 12 00 02")
      traffic.ask("12 14 00 03", "13")
    }
    #expect(
      results.lines == [
        "write 0x0010: 01 #2 no response, overtaken",
        "write 0x0012: 02 #3 no response, overtaken", "write 0x0014: 03 #4",
      ])
  }

  @Test func recordsThatWereLost() {
    let results = converse { traffic in
      traffic.connect()
      traffic.sent("12 10 00 01")
      traffic.add([4, 0x0f, 4, 0, 1, 0, 0], .received, drops: 3)
      traffic.received("01 12 10 00 05")
    }
    #expect(
      results.lines == [
        "write 0x0010: 01 #2 no response, recordsLost", "write 0x0010 #4 refused 0x0005",
      ])
  }

  @Test func resetEndsAllConnections() {
    let results = converse { traffic in
      traffic.connect()
      traffic.connect(0x41, peer: 0xc011_2233_4456)
      traffic.sent("0a 10 00")
      traffic.sent("0a 12 00", handle: 0x41)
      traffic.perform(0x0c03)
    }
    #expect(
      results.lines == [
        "read 0x0010 #3 no response, connectionEnded",
        "read 0x0012 #4 no response, connectionEnded",
      ])
  }

  // MARK: Hostile

  @Test func endlessPreparedWrites() {
    let results = converse { traffic in
      traffic.connect()
      for index in 0..<2000 {
        prepare(&traffic, "10 00 \(byte(index & 0xff)) \(byte(index >> 8)) 55")
      }
      traffic.ask("18 01", "19")
    }
    #expect(results.results.count == 1)
    #expect(results.results[0].bytes?.count == 512)
    #expect(results.results[0].value.isCut)
    #expect(results.limits == [.preparedParts])
  }

  @Test func endlessBlobs() {
    let part = [String](repeating: "55", count: 22).joined(separator: " ")
    let results = converse { traffic in
      traffic.connect()
      traffic.ask("0a 10 00", "0b " + part)
      for index in 1..<2900 {
        let offset = 22 * index
        traffic.ask("0c 10 00 \(byte(offset & 0xff)) \(byte(offset >> 8 & 0xff))", "0d " + part)
      }
    }
    #expect(results.mostBytes <= 8192)
    #expect(results.results[0].value.isCut)
    #expect(results.results[0].bytes?.count == 8192)
  }

  @Test func manyBearers() {
    var limits = Limits()
    limits.bearers = 4
    let results = converse(limits) { traffic in
      for handle in 1...20 {
        traffic.connect(handle, peer: 0xc011_2233_4400 + handle)
        traffic.sent("0a 10 00", handle: handle)
      }
    }
    #expect(results.results.count == 20)
    #expect(results.results.count { $0.value.outcome == .noResponse(.forgotten) } == 16)
    #expect(results.limits == [.bearers])
  }

  private func byte(_ value: Int) -> String {
    String(String(value | 0x100, radix: 16).dropFirst())
  }
}
