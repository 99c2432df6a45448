import Bluetooth
import Bytes
import Captures
import Diagnosis
import Histories
import Explanations
import MadeTraffic
import Reports
import Sessions
import Testing

/// Returns the page of traffic as lines.
func page(_ build: (inout Traffic) -> Void) throws -> [String] {
  var traffic = Traffic()
  build(&traffic)
  var source = MemorySource(traffic)
  var report = ExplainReport(ExplainOptions())
  var output = Output()
  var pass = Pass()
  try pass.run(&source, &report, into: &output)
  return String(decoding: output.bytes.array, as: UTF8.self).split(separator: "\n").map(String.init)
}

@Suite("The story of a link") struct LinkStoryTests {
  @Test("Two MTU exchanges at once: the second response shows which request the first one answered")
  func exchangesAtOnce() throws {
    let lines = try page {
      $0.connect()
      $0.sent("02 00 01")
      $0.ask("02 05 02", "03 17 00")
      $0.received("03 64 00")
    }
    let story = lines.filter { $0.contains("MTU") && $0.hasPrefix("  #") }
    #expect(story.count == 2, "\(lines)")
    #expect(
      story.first?.hasSuffix("MTU 23 (the central offers 256, the peripheral 23)") == true,
      "\(story)")
    #expect(
      story.last?.hasSuffix("MTU 100 (the central offers 517, the peripheral 100)") == true,
      "\(story)")
  }

  /// The recorder kept the code of the request, but not its parameters; or no packet of it.
  @Test("who asked for other parameters is known although the request is cut or missing")
  func cutRequest() throws {
    func story(_ kept: Int?, answered: Bool = true) throws -> String {
      let lines = try page {
        $0.connect()
        if let kept {
          $0.acl(
            l2cap(hex("12 01 08 00 50 00 64 00 00 00 90 01"), cid: 5), .received, kept: kept)
        }
        if answered { $0.answerParameters(.sent, accepts: true) }
        $0.changeParameters()
        $0.parametersChanged()
        $0.disconnect()
      }
      return lines.filter { $0.contains(" requests ") }.joined(separator: "\n")
    }
    for kept in [16, 10, 8] {
      let cut = try story(kept)
      #expect(cut.contains("the peripheral requests") && !cut.contains("the central"), "\(cut)")
    }
    let missing = try story(nil)
    #expect(
      missing.contains(
        "the peripheral requests new parameters (the request is not in the capture):"),
      "\(missing)")
    #expect(!missing.contains("the central"), "\(missing)")
    let own = try story(nil, answered: false)
    #expect(own.contains("the central requests") && !own.contains("the peripheral"), "\(own)")
  }

  @Test("beginning, changes and end; the procedures of every link are left out") func whole() throws
  {
    let lines = try page {
      $0.connect()
      $0.meta(0x04, [0] + little(0x40) + little(0, width: 8))
      $0.meta(0x07, little(0x40) + little(251) + little(2120) + little(251) + little(2120))
      $0.meta(0x0c, [0] + little(0x40) + [2, 2])
      $0.askForParameters(.received)
      $0.answerParameters(.sent, accepts: true)
      $0.changeParameters()
      $0.parametersChanged()
      $0.endLink()
    }
    let story = lines.filter { $0.hasPrefix("  #") }
    #expect(
      story == [
        "  #1      0.000  connected: interval 30 ms, latency 0, supervision timeout 720 ms",
        "  #3      0.002  data length: 251 bytes in both directions",
        "  #4      0.003  PHY: LE 2M in both directions",
        "  #5–9    0.004  the peripheral requests interval 100–125 ms, latency 0, supervision timeout 4000",
        "  #10–12  0.009  the central disconnects; the link was never encrypted, and no attribute was used",
      ])
    #expect(lines.contains("                 ms: accepted, interval 125 ms"), "\(lines)")
  }

  @Test("times are printed for clocks that differ by more than nanoseconds can count")
  func absurdTimes()
    throws
  {
    let lines = try page {
      $0.clock = 0
      $0.connect()
      $0.wait(1_000_000_000_000_000 - $0.clock)
      $0.disconnect(reason: 0x13)
    }
    #expect(
      lines.contains { $0.hasPrefix("  #1  ") && $0.contains(" 0.000  connected") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  #2  1000000000000.000  ") }, "\(lines)")
  }

  @Test("how links end, each with its own wording") func endings() throws {
    let cases: [(UInt8, String)] = [
      (0x13, "the peripheral disconnects; neither paired nor encrypted"),
      (
        0x14,
        "the peripheral disconnects: Remote Device Terminated Connection due to Low Resources"
      ),
      (0x08, "the link is lost: supervision timeout of 720 ms, no data since #2"),
      (0x3e, "the peripheral never answered: Connection Failed to be Established (0x3e)"),
      (
        0x22,
        "the controller ends the link: LL Response Timeout (0x22); neither paired nor encrypted"
      ),
    ]
    for (reason, words) in cases {
      let lines = try page {
        $0.establish()
        $0.disconnect(reason: reason)
      }
      #expect(lines.contains { $0.hasPrefix("  #3  0.002  \(words)") }, "\(lines)")
    }
  }

  @Test("a link without beginning or end is reported as such") func open() throws {
    let lines = try page {
      $0.sent("0a 03 00")
      $0.completed(1)
      $0.received("0b 01")
    }
    #expect(
      lines.contains {
        $0.hasSuffix("0.000  first seen: the connection was open before the capture began")
      },
      "\(lines)")
    #expect(lines.contains { $0.hasSuffix("0.002  still open when the capture ends") }, "\(lines)")
  }

  @Test("a host that asked to disconnect before the capture ends") func asked() throws {
    let lines = try page {
      $0.establish()
      $0.askToDisconnect()
    }
    #expect(
      lines.contains(
        "  #3  0.002  the central asks to disconnect; whether it did is not in the capture; neither paired"
      ), "\(lines)")
    let refused = try page {
      $0.establish()
      $0.askToDisconnect(status: 0x0c)
    }
    #expect(
      refused.contains(
        "  #4  0.003  still open when the capture ends; last used in #2; neither paired nor encrypted"
      ),
      "\(refused)")
  }

  @Test("subrates, and payload that is not authenticated") func subrate() throws {
    let change = little(0x40) + little(4) + little(1) + little(2) + little(600)
    let lines = try page {
      $0.connect()
      $0.begin(0x207e, little(0x40) + little(1) + little(8) + little(0) + little(0) + little(400))
      $0.meta(0x23, [0] + change)
      $0.meta(0x23, [0] + change)
      $0.meta(0x23, [0x1f] + change)
      $0.event(0x57, little(0x40))
    }
    #expect(
      lines.filter { $0.hasPrefix("  #") }.dropFirst() == [
        "  #2–4  0.001  the central requests subrate 1–8, latency 0, continuation 0, supervision timeout 4000",
        "  #5    0.004  the subrate changes: 4, latency 1, continuation 2, supervision timeout 6000 ms",
        "  #6    0.005  a subrate change not requested by the central fails: Unspecified Error (0x1f)",
        "  #7    0.006  no authenticated packet came from the peripheral: Authenticated Payload Timeout",
        "  #7    0.006  still open when the capture ends; the link was never encrypted, and no attribute was",
      ])
  }

  @Test("a subrate that is granted as requested, and requests that are refused or fail")
  func grantedSubrate() throws {
    let request = little(0x40) + little(2) + little(8) + little(1) + little(2) + little(600)
    let change = little(0x40) + little(4) + little(1) + little(2) + little(600)
    let lines = try page {
      $0.connect()
      $0.begin(0x207e, request)
      $0.meta(0x23, [0] + change)
      $0.begin(0x207e, request, status: 0x1a)
      $0.begin(0x207e, request)
      $0.meta(0x23, [0x1f] + change)
    }
    let asks =
      "the central requests subrate 2–8, latency 1, continuation 2, supervision timeout 6000 ms:"
    let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(text.contains("#2–4 0.001 \(asks) accepted, subrate 4 #5"), "\(lines)")
    #expect(
      text.contains("#5–6 0.004 \(asks) failed, Unsupported Remote Feature (0x1a)"), "\(lines)")
    #expect(text.contains("#7–9 0.006 \(asks) failed, Unspecified Error (0x1f)"), "\(lines)")
  }

  @Test("a peer that is silent at first is reported") func silent() throws {
    let lines = try page {
      $0.connect()
      $0.clock += 3000
      $0.received("1b 03 00 01")
    }
    #expect(
      lines.contains { $0.contains("⇒ the peripheral is first heard at #2, 3.0 s later") },
      "\(lines)")
  }
}
