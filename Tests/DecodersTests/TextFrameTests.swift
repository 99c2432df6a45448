import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("Escaped bytes and lines of text")
struct TextFrameTests {
  /// SLIP (RFC 1055): c0 ends a frame; db dc and db dd represent c0 and db.
  static let slip = """
    frame:
      start: "c0"
      end: "c0"
      escape: {byte: "db", pairs: {"dc": "c0", "dd": "db"}}
      command: {at: 1, type: u8}
      payload: [2, -2]
      checksum: {at: -2, algorithm: sum8, over: [1, -2]}
      reassemble: {timeout_ms: 2000}
    messages:
      - command: 0xdb
        name: data
        fields: [{name: data, type: bytes}]
        examples: [{hex: "c0 db dd 01 db dc 02 9e c0", fields: {data: "01c002"}}]
    """

  /// Octet stuffing as in HDLC (RFC 1662): 7d, then the byte combined with 20.
  static let stuffed = """
    frame:
      start: "7e"
      end: "7e"
      escape: {byte: "7d", xor: "20"}
    messages:
      - {command: other, name: data, fields: [{name: data, type: bytes}], examples: [{hex: "7e 7d 5e 7d 5d 01 7e", fields: {data: "7e7d01"}}]}
    """

  static let modem = """
    frame: {lines: true, reassemble: {timeout_ms: 1000, max: 64}}
    messages:
      - {command: "AT+NAME=", name: set_name, direction: request, fields: [{name: name, type: utf8}], text: "name {name}"}
      - {command: "AT", name: command, direction: request, fields: [{name: rest, type: utf8}]}
      - {command: "OK", name: ok, direction: response, fields: [{name: more, type: utf8, optional: true}], text: "OK"}
      - {command: "+ADC:", name: sample, direction: response, unsolicited: true, fields: [{name: value, type: utf8}]}
    """

  @Test("The stored form is the same protocol", arguments: [slip, stuffed, modem])
  func stored(_ text: String) throws {
    let file = Decoding.read("profile: trial\napplies_to: [{characteristic: \"fff7\"}]\n" + text)
    #expect(file.errors.map(\.description) == [])
    let profile = try #require(file.profile)
    #expect(profile.examples.flatMap { $0.check(profile) }.map(\.description) == [])
    let vendor = try #require(profile.vendor)
    let again = try #require(VendorProtocol(stored: vendor.stored))
    #expect(again.frames == vendor.frames && again.stored == vendor.stored)
    #expect(again.messages.map(\.beginning) == vendor.messages.map(\.beginning))
    let bytes = vendor.stored
    for place in bytes.indices {
      _ = VendorProtocol(stored: Array(bytes[..<place]))?.messages
      var damaged = bytes
      damaged[place] ^= 0x81
      _ = VendorProtocol(stored: damaged)?.messages
    }
  }

  @Test("Checksum and positions count in what escaped bytes represent")
  func escaped() throws {
    var trial = try ProtocolTrial(Self.slip)
    let frame = Decoding.bytes("c0 db dd 01 db dc 02 9e c0")
    let whole = trial.accept(frame)
    #expect(whole?.command == 0xdb && whole?.frame?.isSound == true)
    #expect(ProtocolTrial.payload(whole) == [1, 0xc0, 2])
    #expect(
      ProtocolTrial.decode(whole, frame)?.fields.hasSuffix(#""data":"01c002","checksum":"ok"}"#)
        == true)
    var wrong = frame
    wrong[7] ^= 1
    #expect(trial.accept(wrong)?.frame?.isSound == false)
    // In two values, cut between the escape byte and its code.
    #expect(trial.accept([UInt8](frame[..<2]))?.part.end == 2)
    let joined = trial.accept([UInt8](frame[2...]))
    #expect(joined?.isJoined == true && ProtocolTrial.payload(joined) == [1, 0xc0, 2])
    // Two frames in one value, and the beginning of a third.
    let several = trial.accept(frame + frame + [0xc0, 0xdb])
    #expect(ProtocolTrial.payload(several) == [1, 0xc0, 2])
    #expect(trial.messages.following.count == 2)
    #expect(ProtocolTrial.payload(trial.messages.following.first) == [1, 0xc0, 2])
    let third = trial.accept([UInt8](frame[2...]))
    #expect(third?.isJoined == true && ProtocolTrial.payload(third) == [1, 0xc0, 2])
    // Only its escapes make this long enough.
    #expect(trial.accept(Decoding.bytes("c0 db dc c0")) == nil)
    #expect(trial.accept(Decoding.bytes("c0 c0")) == nil)
  }

  @Test("A frame with escaped bytes can show that its protocol is used")
  func recognized() throws {
    var trial = try ProtocolTrial(Self.slip, isByFrame: true)
    let frame = Decoding.bytes("c0 db dd 01 db dc 02 9e c0")
    var wrong = frame
    wrong[7] ^= 1
    #expect(trial.accept(wrong, isByFrame: true) == nil)
    #expect(trial.accept(frame, isByFrame: true)?.frame?.isSound == true)
    #expect(trial.accept(wrong, isByFrame: true)?.frame?.isSound == false)
    var library = ProfileLibrary(own: [], vendors: [trial.vendor])
    let match = library.match(
      .characteristic, BluetoothUUID(0xfff1), service: nil, frame.bytes, isWritten: false
    ) { _ in false }
    guard case .message(let sighting)? = match else {
      Issue.record("not recognised")
      return
    }
    #expect(ProtocolTrial.payload(sighting) == [1, 0xc0, 2])
  }

  private func name(_ sighting: VendorSighting?) -> String? { sighting?.message?.definition.name }

  private func text(_ sighting: VendorSighting?, _ value: String) -> String? {
    ProtocolTrial.payload(sighting, [UInt8](value.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("Lines end with CR LF, CR or LF, and the longest beginning decides")
  func lines() throws {
    var trial = try ProtocolTrial(Self.modem)
    for end in ["\r\n", "\r", "\n", "\r\n\r\n"] {
      let command = "AT+NAME=lamp" + end
      let found = trial.accept([UInt8](command.utf8), isWritten: true)
      #expect(name(found) == "set_name" && text(found, command) == "AT+NAME=lamp")
      let fields = ProtocolTrial.decode(found, [UInt8](command.utf8))?.fields
      #expect(fields == #"{"name":"lamp"}"#)
      let answer = "\r\nOK" + end
      let ok = trial.accept([UInt8](answer.utf8))
      #expect(name(ok) == "ok" && text(ok, answer) == "OK" && ok?.request != nil)
    }
    #expect(name(trial.accept([UInt8]("AT+VERSION\r".utf8), isWritten: true)) == "command")
    // Commands are only requests.
    let other = trial.accept([UInt8]("AT+NAME=lamp\r".utf8))
    #expect(other?.message?.isImplied == true)
  }

  @Test("A line may span values, and a value hold several lines")
  func spanning() throws {
    var trial = try ProtocolTrial(Self.modem)
    #expect(trial.accept([UInt8]("+ADC:1".utf8))?.part.end == 6)
    let joined = trial.accept([UInt8]("2.5\r".utf8))
    #expect(name(joined) == "sample" && text(joined, "") == "+ADC:12.5")
    #expect(joined?.isJoined == true)
    // The rest of the line end comes in a value of its own, with or without another line.
    let empty = trial.accept([0x0a])
    #expect(empty?.message?.isImplied == true && text(empty, "\n") == "")
    _ = trial.accept([UInt8]("+ADC:1\r".utf8))
    let next = trial.accept([UInt8]("\n+ADC:2\r\n+ADC:3\r\n+AD".utf8))
    #expect(text(next, "") == "+ADC:2" && trial.messages.following.count == 2)
    #expect(text(trial.messages.following.first, "") == "+ADC:3")
    #expect(text(trial.accept([UInt8]("C:4\r\n".utf8)), "") == "+ADC:4")
    // What is not text is not a line, and a line has a maximum length.
    #expect(trial.accept([0x41, 0x00, 0x0d]) == nil)
    let long = [UInt8](repeating: 0x41, count: 60)
    #expect(trial.accept(long)?.part.end == 60)
    #expect(trial.accept(long)?.unfinished.first?.ending == .excess(120, most: 64))
  }

  @Test("Without `reassemble`, the end of a value ends its line")
  func open() throws {
    var trial = try ProtocolTrial(
      """
      frame: {lines: true, padding: "00"}
      messages: [{command: "OK+Get:", name: got, fields: [{name: number, type: utf8}]}]
      """)
    let found = trial.accept([UInt8]("OK+Get:1".utf8))
    #expect(name(found) == "got" && text(found, "OK+Get:1") == "OK+Get:1")
    #expect(!trial.messages.hasOpenFrames)
    let filled = trial.accept([UInt8]("OK+Get:2\0\0".utf8))
    #expect(text(filled, "OK+Get:2\0\0") == "OK+Get:2" && filled?.trailing.isEmpty == true)
  }

  @Test(
    "Why bytes are not a frame",
    arguments: [
      ("a5 05 01 00 a1", nil),
      ("55 05 01 00 a1", FrameMisfit.start(found: [0x55], expected: [0xa5])),
      ("a5 05", .short(count: 2, least: 4)),
      ("a5 06 01 00 a1", .length(found: 6, expected: 5, width: 1, countsFrame: true)),
      ("a5 04 01 00 a1", .length(found: 4, expected: 5, width: 1, countsFrame: true)),
      ("a5 05 01 00 a2", .checksum(found: 0xa2, expected: 0xa1, digits: 2)),
    ])
  func misfits(_ hex: String, _ misfit: FrameMisfit?) throws {
    let text = """
      frame:
        start: "a5"
        length: {at: 1, type: u8}
        command: {at: 2, type: u8}
        checksum: {at: -1, algorithm: xor8}
      messages: []
      """
    let vendor = try ProtocolTrial(text).vendor
    let bytes = Decoding.bytes(hex)
    let found = vendor.misfit(of: bytes.bytes, isRequest: false)
    #expect(found == misfit)
  }

  @Test("Of several layouts, the one that fits best explains why bytes are not a frame")
  func misfitOfLayouts() throws {
    let cells = try ProtocolTrial(FrameLayoutTests.cells).vendor
    func misfit(_ bytes: [UInt8], _ vendor: VendorProtocol) -> FrameMisfit? {
      vendor.misfit(of: bytes.bytes, isRequest: false)
    }
    let short = FrameLayoutTests.frame(Decoding.bytes("aa5590ebc801"), count: 10)
    #expect(misfit(short, cells) == nil)
    #expect(misfit([UInt8](short.dropLast()), cells) == .size(count: 9, expected: 10))
    #expect(
      misfit([0xaa, 0x56, 0, 0], cells)
        == .start(found: [0xaa, 0x56], expected: [0xaa, 0x55]))
    #expect(misfit(short + [1], cells) == .size(count: 11, expected: 10))
    let battery = try ProtocolTrial(FrameLayoutTests.battery).vendor
    #expect(
      misfit(Decoding.bytes("dd0300041700000fffd678"), battery)
        == .tail(found: [0x78], expected: [0x77]))
    let slip = try ProtocolTrial(Self.slip).vendor
    #expect(misfit([0xc0, 1, 2, 3, 4], slip) == .unended([0xc0]))
    let modem = try ProtocolTrial(Self.modem).vendor
    #expect(misfit([0x41, 0x01], modem) == .control(1))
  }

  @Test(
    "Mistakes are reported",
    arguments: [
      ("frame: {lines: true, start: \"a5\"}", "lines have no `start`"),
      ("frame: {size: 4, escape: {byte: db, xor: \"20\"}}", "only escaped in frames with `end`"),
      ("frame: {end: c0, escape: {byte: c0, xor: \"20\"}}", "`end` contains the escape byte"),
      ("frame: {end: c0, escape: {byte: db}}", "one of the keys `pairs` and `xor` is missing"),
      ("frame: {end: c0, escape: {byte: dbdb, xor: \"20\"}}", "expected one byte"),
      ("frame: {lines: true, end: c0}", "lines have no `end`"),
    ])
  func mistakes(_ frame: String, _ message: String) {
    let file = Decoding.read(
      """
      profile: trial
      applies_to: [{characteristic: "fff7"}]
      \(frame)
      messages: [{command: other, name: three, fields: []}]
      """)
    #expect(file.errors.contains { $0.description.contains(message) }, "\(file.errors)")
  }

  @Test("No bytes stop the program, however they are cut")
  func hostile() throws {
    var generator = Seeded(48)
    let layouts = [
      FrameLayoutTests.battery, FrameLayoutTests.cells, FrameLayoutTests.variants, Self.slip,
      Self.stuffed, Self.modem,
    ]
    let bytes: [UInt8] = [
      0xdd, 0xa5, 0x77, 0xaa, 0x55, 0x90, 0xeb, 0xc0, 0xdb, 0xdc, 0x7e, 0x7d, 0x0d, 0x0a, 0x41, 0,
      1, 2, 4, 0xff,
    ]
    for text in layouts {
      var trial = try ProtocolTrial(text)
      for turn in 0..<3000 {
        var value = [UInt8]()
        for _ in 0..<Int.random(in: 0...24, using: &generator) {
          value.append(bytes.randomElement(using: &generator) ?? 0)
        }
        let isWritten = turn % 3 == 0
        let found = trial.accept(value, isWritten: isWritten, milliseconds: Int64(turn))
        for sighting in [found].compactMap({ $0 }) + trial.messages.following {
          _ = ProtocolTrial.decode(sighting, value)
        }
        _ = trial.vendor.misfit(of: value.bytes, isRequest: isWritten)
      }
      trial.messages.finish()
    }
  }
}
