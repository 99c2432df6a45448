import Bluetooth
import Bytes
import Testing

@testable import Reports

private func document(_ showsKeys: Bool = false, _ write: (inout JSONSink) -> Void) -> String {
  var sink = JSONSink(showsKeys: showsKeys)
  var output = Output()
  sink.beginDocument(in: &output)
  write(&sink)
  sink.endDocument(in: &output)
  #expect(output.string.last == "\n", "a document ends with a line end")
  return String(output.string.dropLast())
}

@Suite("JSON from fields")
struct JSONSinkTests {
  @Test("Commas are between members and nowhere else")
  func commas() {
    #expect(document { _ in } == "{}")
    #expect(document { $0.number("a", 1) } == #"{"a":1}"#)
    let text = document {
      $0.number("a", -1)
      $0.flag("b", true)
      $0.word("c", "word")
    }
    #expect(text == #"{"a":-1,"b":true,"c":"word"}"#)
  }

  @Test("Objects and lists nest, empty ones too")
  func nesting() {
    let text = document {
      $0.begin("empty")
      $0.end()
      $0.beginList("none")
      $0.endList()
      $0.beginList("list")
      $0.beginItem()
      $0.number("x", 1)
      $0.endItem()
      $0.beginItem()
      $0.begin("deep")
      $0.flag("y", false)
      $0.end()
      $0.endItem()
      $0.element(handle: 0x10)
      $0.endList()
      $0.number("after", 2)
    }
    #expect(
      text == #"{"empty":{},"none":[],"list":[{"x":1},{"deep":{"y":false}},"0x0010"],"after":2}"#)
  }

  @Test("The same sink can begin another document")
  func again() {
    var sink = JSONSink(showsKeys: false)
    var output = Output()
    for _ in 0..<2 {
      sink.beginDocument(in: &output)
      sink.number("a", 1)
      sink.endDocument(in: &output)
    }
    #expect(output.string == "{\"a\":1}\n{\"a\":1}\n")
  }

  @Test("Hidden fields are listed at the end of their own object")
  func hidden() {
    let text = document {
      $0.begin("parameters")
      $0.hidden("Long_Term_Key", 16)
      $0.number("EDIV", 0)
      $0.hidden("IRK", 16)
      $0.end()
      $0.number("rest", 1)
    }
    #expect(
      text == #"{"parameters":{"ediv":0,"hidden":["long_term_key","irk"]},"rest":1}"#)
    let alone = document {
      $0.begin("smp")
      $0.hidden("data", 7)
      $0.end()
    }
    #expect(alone == #"{"smp":{"hidden":["data"]}}"#)
    let outer = document {
      $0.begin("parameters")
      $0.hidden("Broadcast_Code", 16)
      $0.beginList("BIS")
      $0.beginItem()
      $0.number("BIS", 1)
      $0.endItem()
      $0.beginItem()
      $0.hidden("Data", 2)
      $0.endItem()
      $0.endList()
      $0.hidden("more", 1)
      $0.end()
    }
    #expect(
      outer == #"{"parameters":{"bis":[{"bis":1},{"hidden":["data"]}],"#
        + #""hidden":["broadcast_code","more"]}}"#)
  }

  @Test("Strings are escaped as in RFC 8259; invalid UTF-8 becomes U+FFFD")
  func escaping() {
    let bytes: [UInt8] = [0x22, 0x5c, 0x0a, 0x1b, 0x00, 0x7f, 0x61, 0xff, 0xc3, 0xa9, 0x2f]
    let text = document { $0.string("s", bytes.bytes) }
    #expect(text == #"{"s":"\"\\\n\u001b\u0000\u007fa\#u{fffd}é/"}"#)
    let lines = document { $0.string("s", "a\u{2028}b\tc\rd\u{85}") }
    #expect(lines == #"{"s":"a\u2028b\tc\rd\u0085"}"#)
  }

  @Test("Keys are in lower case, quantities have their unit")
  func keys() {
    let text = document {
      $0.quantity("Connection_Interval", 24, .interval)
      $0.identifier("Handle", 0x10, digits: 4)
      $0.code("Reason", 0x13, digits: 2, "Remote")
      $0.code("Other", 0xee, digits: 2, nil)
      $0.fixed("latency_ms", 7300, decimals: 3)
      $0.packets("from", [1, 2, 3][...])
      $0.bytes("value", [0xa5, 0x06].bytes)
    }
    #expect(
      text == #"{"connection_interval_ms":30,"handle":"0x0010","#
        + #""reason":{"code":"0x13","name":"Remote"},"other":{"code":"0xee"},"#
        + #""latency_ms":7.3,"from":[1,2,3],"value":"a506"}"#)
  }

  @Test("UUIDs of a list whose last one is cut")
  func uuids() {
    let text = document { $0.uuids("list", [0x0d, 0x18, 0x0f, 0x18, 0xff].bytes, width: 2) }
    #expect(text == #"{"list":["180d","180f"]}"#)
  }
}
