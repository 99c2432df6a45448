// Values with the wrong handle, ways to write that are not offered, and prepared writes.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Testing

@Suite("Handles and ways to write") struct HandleRuleTests {
  @Test("a server that notifies a declaration") func declaration() {
    func capture(_ handle: String, discovers: Bool = true) -> [String] {
      let evidence = evidence {
        $0.connect()
        if discovers { $0.discoverVendor() }
        $0.received("1b \(handle) 00 01")
      }
      return evidence.lines(of: "gatt_wrong_handle")
    }
    #expect(
      capture("0f") == [
        "The peer notifies 0x000f, the declaration of fff1, instead of its value 0x0010 #10"
      ])
    #expect(capture("10") == [])
    #expect(capture("0f", discovers: false) == [])
    // What is a declaration now was a value before.
    let before = evidence {
      $0.connect()
      $0.received("1b 0f 00 01")
      $0.discoverVendor()
    }
    #expect(before.lines(of: "gatt_wrong_handle") == [])
  }

  @Test("a server that notifies a handle outside its services") func outside() {
    func capture(isComplete: Bool = true, _ before: (inout Traffic) -> Void = { _ in })
      -> [String]
    {
      let evidence = evidence {
        $0.connect()
        $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 13 00 f0 ff")
        if isComplete { $0.ask("10 14 00 ff ff 00 28", "01 10 14 00 0a") }
        before(&$0)
        $0.received("1b 20 00 01")
      }
      return evidence.lines(of: "gatt_wrong_handle")
    }
    #expect(
      capture() == ["The peer notifies 0x0020, which is in none of its primary services #5 #6"])
    #expect(capture(isComplete: false) == [])
    // Its attributes have changed.
    #expect(
      capture {
        $0.ask("10 01 00 ff ff 00 28", "11 06 01 00 03 00 01 18")
        $0.ask("08 01 00 03 00 03 28", "09 07 02 00 20 03 00 05 2a")
        $0.received("1d 03 00 01 00 ff ff")
        $0.sent("1e")
      } == [])
    // Service Changed, whose own attribute was not discovered.
    #expect(
      capture {
        $0.received("1d 12 00 01 00 ff ff")
        $0.sent("1e")
      } == [])
    // The client uses it.
    #expect(capture { $0.ask("0a 20 00", "0b 01") } == [])
  }

  @Test("commands where only writes with response are offered") func commands() {
    func capture(
      _ written: String = "08", count: Int = 3, subscribes: Bool = true,
      _ after: (inout Traffic) -> Void = { _ in }
    ) -> Evidence {
      evidence {
        $0.connect()
        $0.discoverVendor(written: written)
        if subscribes { $0.ask("12 11 00 01 00", "13") }
        for _ in 0..<count { $0.sent("52 13 00 7e 01") }
        after(&$0)
        $0.end(after: 3000)
      }
    }
    #expect(
      capture().lines(of: "att_command_not_offered") == [
        "This host wrote 3 commands to fff2, which offers only writes with response #10 #12 #14"
      ])
    // One finding for one problem.
    #expect(capture().lines(of: "gatt_writes_unanswered") == [])
    #expect(
      capture(subscribes: false).finding("att_command_not_offered")?.severity == .note)
    let late = capture(subscribes: false) { $0.ask("12 11 00 01 00", "13") }
    #expect(late.finding("att_command_not_offered")?.severity == .note, "subscribed later")
    let others = [
      capture("0c"), capture("0c", subscribes: false), capture(count: 2),
      capture { $0.received("1b 10 00 01") },
      capture { $0.ask("12 13 00 7e 01", "13") },
      capture { $0.ask("0a 10 00", "0b 01") },
    ]
    for (index, evidence) in others.enumerated() {
      #expect(evidence.lines(of: "att_command_not_offered") == [], "capture \(index)")
    }
    // Not writable at all: that has its own rule.
    #expect(capture("02").lines(of: "att_command_not_offered") == [])
  }

  @Test("a server that does not repeat a part of a prepared write") func echo() {
    func capture(_ response: String) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("16 13 00 00 00 01 02 03", "17 \(response)")
        $0.ask("18 00", "19")
      }
      return evidence.lines(of: "att_prepare_echo")
    }
    let found = ["The peer does not repeat the parts of a prepared write to 0x0013 #2 #3"]
    #expect(capture("13 00 00 00") == found)
    #expect(capture("13 00 00 00 01 02 04") == found)
    #expect(capture("13 00 01 00 01 02 03") == found)
    #expect(capture("13 00 00 00 01 02 03") == [])
    // What redaction leaves.
    #expect(capture("13 00 00 00 01 00 00") == [])
  }

  @Test("a prepared write that is never executed") func notExecuted() {
    func capture(lasts: Int = 3000, _ after: (inout Traffic) -> Void = { _ in }) -> [String] {
      let evidence = evidence {
        $0.connect()
        $0.ask("16 13 00 00 00 01 02", "17 13 00 00 00 01 02")
        $0.ask("16 13 00 02 00 03 04", "17 13 00 02 00 03 04")
        after(&$0)
        $0.end(after: lasts)
      }
      return evidence.lines(of: "att_prepared_not_executed")
    }
    #expect(capture() == ["This host did not execute its prepared write to 0x0013 #2 #5"])
    #expect(capture(lasts: 1000) == [])
    #expect(capture { $0.ask("18 01", "19") } == [])
    #expect(capture { $0.ask("18 00", "19") } == [])
    #expect(capture { $0.ask("16 13 00 04 00 05", "01 16 13 00 09") } == [])
    #expect(capture { $0.sent("16 13 00 04 00 05") } == [], "the server does not answer")
  }

  @Test("a server that sends values to one of two clients") func clients() {
    func capture(
      _ count: Int = 10, unsubscribes: Bool = false, toBoth: Bool = false, asks: Bool = false
    ) -> [String] {
      let evidence = evidence {
        for handle in [0x40, 0x41] {
          $0.connect(handle, peer: 0xc011_2233_4400 + handle, role: 1)
          $0.ask("10 01 00 ff ff 00 28", "11 06 0e 00 15 00 0d 18", by: .received, handle: handle)
          $0.received("08 0e 00 15 00 03 28", handle: handle)
          $0.sent("09 07 0f 00 10 10 00 37 2a 12 00 04 13 00 39 2a", handle: handle)
          $0.ask("04 11 00 11 00", "05 01 11 00 02 29", by: .received, handle: handle)
          $0.ask("12 11 00 01 00", "13", by: .received, handle: handle)
        }
        if unsubscribes {
          $0.ask("12 11 00 00 00", "13", by: .received, handle: 0x41)
        }
        if asks { $0.received("52 13 00 01", handle: 0x40) }
        for _ in 0..<count { $0.sent("1b 10 00 06 48", handle: 0x40) }
        if toBoth { $0.sent("1b 10 00 06 48", handle: 0x41) }
        $0.disconnect(0x41)
        $0.disconnect(0x40)
      }
      return evidence.lines(of: "gatt_client_left_out")
    }
    #expect(
      capture() == [
        "This host sends 2a37 Heart Rate Measurement to one of two clients only #18 #19 #28"
      ])
    #expect(capture(9) == [])
    #expect(capture(unsubscribes: true) == [])
    #expect(capture(toBoth: true) == [])
    #expect(capture(asks: true) == [], "answers are for the client that asked")
  }
}
