import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("Layouts of frames")
struct FrameLayoutTests {
  /// A battery's protocol: requests and responses begin differently, and end with a constant. The
  /// bytes are those of a published description (JBD), whose checksums were worked out again.
  static let battery = """
    endian: big
    frame:
      end: "77"
      checksum: {at: -3, algorithm: sum16_negated, over: [2, -3]}
      requests:
        start: "dd ??"
        command: [{at: 1, type: u8}, {at: 2, type: u8}]
        length: {at: 3, type: u8, counts: payload}
      responses:
        start: "dd"
        command: {at: 1, type: u8}
        header:
          - {name: start, type: bytes, size: 2, quiet: true}
          - {name: status, type: u8, quiet: [0], values: {0: ok, 0x80: error}}
          - {name: count, type: u8, quiet: true}
        length: {at: 3, type: u8, counts: payload}
    exchange: {response: "command & 0xff"}
    messages:
      - command: [0xa5, 0x03]
        name: state.request
        direction: request
        fields: []
        examples: [{hex: "dd a5 03 00 ff fd 77", written: true, text: state request}]
      - command: 0x03
        name: state
        direction: response
        fields:
          - {name: voltage, type: u16, unit: V, scale: {divide: 100}}
          - {name: current, type: i16, unit: A, scale: {divide: 100}}
          - {name: rest, type: bytes, quiet: true}
        text: "{voltage}, {current}[, {status}]"
        examples:
          - hex: "dd 03 00 1b 17 00 00 00 02 d0 03 e8 00 00 20 78 00 00 00 00 00 00 10 48 03 0f 02 0b 76 0b 82 fb ff 77"
            text: "58.88 V, 0.00 A"
    """

  /// Responses with two layouts: one is long, the other has the layout of requests.
  static let cells = """
    frame:
      command: {at: 4, type: u8}
      payload: [5, -1]
      checksum: {at: -1, algorithm: sum8}
      padding: "00"
      reassemble: {timeout_ms: 2000, max: 40}
      requests: {start: "aa 55 90 eb", size: 10}
      responses:
        - {start: "55 aa eb 90", size: 30}
        - {start: "aa 55 90 eb", size: 10}
    messages:
      - {command: 0x96, name: ask, direction: request, fields: []}
      - {command: 2, name: cells, direction: response, fields: [{name: cells, type: u16, repeat: rest}]}
      - {command: 0xc8, name: accepted, direction: response, fields: [{name: code, type: u8}]}
    """

  static func frame(_ bytes: [UInt8], count: Int) -> [UInt8] {
    let frame = bytes + [UInt8](repeating: 0, count: count - bytes.count - 1)
    return frame + [frame.reduce(0, &+)]
  }

  private static func profile(_ text: String) throws -> Profile {
    let file = Decoding.read("profile: trial\napplies_to: [{characteristic: \"fff7\"}]\n" + text)
    #expect(file.errors.map(\.description) == [])
    return try #require(file.profile)
  }

  @Test(
    "Examples fit, and the stored form is the same protocol", arguments: [battery, cells, variants])
  func examples(_ text: String) throws {
    let profile = try Self.profile(text)
    #expect(profile.examples.flatMap { $0.check(profile) }.map(\.description) == [])
    let vendor = try #require(profile.vendor)
    let again = try #require(VendorProtocol(stored: vendor.stored))
    #expect(again.frames == vendor.frames)
    #expect(again.stored == vendor.stored)
    #expect(again.messages.map(\.definition.name) == vendor.messages.map(\.definition.name))
    let bytes = vendor.stored
    for place in bytes.indices {
      _ = VendorProtocol(stored: Array(bytes[..<place]))?.messages
      var damaged = bytes
      damaged[place] ^= 0x81
      _ = VendorProtocol(stored: damaged)?.messages
    }
  }

  @Test("Each direction has its own frames")
  func directions() throws {
    var trial = try ProtocolTrial(Self.battery)
    let request = Decoding.bytes("dda50300fffd77")
    let asked = trial.accept(request, isWritten: true)
    #expect(asked?.message?.definition.name == "state.request" && asked?.command == 0xa503)
    #expect(asked?.frame?.isSound == true)
    let response = Decoding.bytes("dd0300041700000fffd677")
    let answer = trial.accept(response)
    #expect(answer?.message?.definition.name == "state" && answer?.request == 1)
    #expect(answer?.frame?.isSound == true)
    // 1 byte is missing, or the constant at the end is wrong.
    var wrong = response
    wrong[wrong.count - 1] = 0x78
    #expect(trial.accept(wrong) == nil)
    #expect(trial.accept([UInt8](response.dropLast())) == nil)
    // Commands without a message are shown in both directions.
    let other = trial.accept(Decoding.bytes("dd5a0400fffc77"), isWritten: true)
    #expect(other?.message?.isImplied == true && other?.isRequest == true)
    let unknown = trial.accept(Decoding.bytes("dd0480 00ff8077"))
    #expect(unknown?.message?.isImplied == true && unknown?.isRequest == false)
  }

  @Test("A direction can have several layouts, of which the first that fits is used")
  func severalLayouts() throws {
    var trial = try ProtocolTrial(Self.cells)
    let request = Self.frame(Decoding.bytes("aa5590eb96"), count: 10)
    #expect(trial.accept(request, isWritten: true)?.message?.definition.name == "ask")
    let short = Self.frame(Decoding.bytes("aa5590ebc801"), count: 10)
    let accepted = trial.accept(short)
    #expect(accepted?.message?.definition.name == "accepted" && accepted?.frame?.layout == 2)
    let long = Self.frame(Decoding.bytes("55aaeb9002cd0cce0c"), count: 30)
    #expect(trial.accept([UInt8](long[..<20]))?.part.end == 20)
    let joined = trial.accept([UInt8](long[20...]))
    #expect(joined?.message?.definition.name == "cells" && joined?.frame?.layout == 1)
    #expect(joined?.isJoined == true && joined?.frame?.isSound == true)
    // A whole frame of the other layout ends one that is open.
    _ = trial.accept([UInt8](long[..<20]))
    let next = trial.accept(short)
    #expect(next?.message?.definition.name == "accepted" && next?.unfinished.count == 1)
    // One value with a frame of each layout.
    let both = trial.accept(short + long)
    #expect(both?.frame?.layout == 2 && trial.messages.following.first?.frame?.layout == 1)
    // A request is not a response, nor the reverse.
    #expect(trial.accept(long, isWritten: true) == nil)
    let damaged = trial.accept(Self.frame(Decoding.bytes("aa5590eb96"), count: 10))
    #expect(damaged?.message?.isImplied == true)
  }

  @Test("What only fills a value after its frame is not left over")
  func filled() throws {
    var trial = try ProtocolTrial(Self.cells)
    let short = Self.frame(Decoding.bytes("aa5590ebc801"), count: 10)
    let filled = trial.accept(short + [0, 0, 0])
    #expect(filled?.message?.definition.name == "accepted" && filled?.trailing.isEmpty == true)
    #expect(filled?.frame?.bytes.count == 10 && filled?.bytes == nil)
    let other = trial.accept(short + [0, 1, 0])
    #expect(other?.trailing.count == 3)
    let two = trial.accept(short + short + [0])
    #expect(two?.trailing.isEmpty == true && trial.messages.following.count == 1)
    #expect(trial.messages.following.first?.trailing.isEmpty == true)
    // The last value of a frame that came in several.
    let long = Self.frame(Decoding.bytes("55aaeb9002cd0cce0c"), count: 30)
    _ = trial.accept([UInt8](long[..<20]))
    let joined = trial.accept([UInt8](long[20...]) + [0, 0])
    #expect(joined?.message?.definition.name == "cells" && joined?.isJoined == true)
    #expect(joined?.frame?.bytes.count == 30 && joined?.frame?.isSound == true)
  }

  /// Messages with one command, told apart by what follows it.
  static let variants = """
    frame:
      start: "55"
      length: {at: 1, type: u8}
      command: {at: 2, type: u8}
      payload: [4, 0]
      header:
        - {name: start, type: u8, quiet: true}
        - {name: length, type: u8, quiet: true}
        - {name: kind, type: u8, quiet: true}
        - {name: version, type: u8, bits: [{bits: [0, 3], name: minor}, {bits: [4, 7], name: major}]}
    messages:
      - {command: 1, match: "aa ?? 01", name: marked, fields: [{name: data, type: bytes}]}
      - {command: 1, size: [2, 3], name: short, fields: [{name: data, type: bytes}]}
      - {command: 1, when: version.major >= 3 && size < 10, name: third, fields: [{name: data, type: bytes}]}
      - {command: 1, name: first, fields: [{name: data, type: bytes}]}
      - {command: other, match: "bb", name: other_marked, fields: [{name: data, type: bytes}]}
    """

  @Test(
    "Constants, sizes and conditions tell messages with one command apart",
    arguments: [
      ("55 08 01 00 aa 07 01 09", "marked"), ("55 06 01 00 aa 07", "short"),
      ("55 07 01 30 aa 07 02", "short"), ("55 08 01 30 aa 07 02 09", "third"),
      ("55 08 01 23 aa 07 02 09", "first"), ("55 0a 01 30 aa 07 02 09 00 00", "first"),
      ("55 04 01 00", "first"), ("55 05 02 00 bb", "other_marked"), ("55 05 02 00 aa", "unknown"),
    ])
  func conditions(_ hex: String, _ name: String) throws {
    let vendor = try #require(try Self.profile(Self.variants).vendor)
    let again = try #require(VendorProtocol(stored: vendor.stored))
    #expect(again.stored == vendor.stored)
    let bytes = Decoding.bytes(hex)
    for vendor in [vendor, again] {
      let found = vendor.wholeFrame(bytes.bytes, isRequest: false)
      let frame = try #require(found?.frame)
      let message = vendor.message(frame, bytes.bytes, isRequest: false)
      #expect(message?.definition.name == name)
    }
  }

  @Test("A filled frame shows that its protocol is used")
  func filledRecognition() throws {
    let text = """
      frame:
        start: "a5"
        length: {at: 1, type: u8}
        checksum: {at: -1, algorithm: xor8}
        padding: "00"
      messages: [{command: other, name: all, fields: [{name: data, type: bytes}]}]
      """
    var trial = try ProtocolTrial(text, isByFrame: true)
    let frame: [UInt8] = [0xa5, 4, 7, 0xa6]
    let filled = frame + [UInt8](repeating: 0, count: 16)
    #expect(trial.accept(frame + [1], isByFrame: true, handle: 1) == nil)
    #expect(trial.accept(filled, isByFrame: true, handle: 2)?.frame?.isSound == true)
    #expect(trial.accept(frame + filled, isByFrame: true, handle: 3)?.frame?.isSound == true)
    var library = ProfileLibrary(own: [], vendors: [trial.vendor])
    let match = library.match(
      .characteristic, BluetoothUUID(0xfff1), service: nil, filled.bytes, isWritten: false
    ) { _ in false }
    #expect(match != nil)
  }

  /// The check values, for "123456789", are from the catalogue of parametrised CRC algorithms
  /// (reveng), where it has the algorithm; the others are worked out by hand.
  @Test(
    "Algorithms can be written by their parameters",
    arguments: [
      ("{crc: 8, poly: 0xa7, reflect: true}", "26"),
      ("{crc: 16, poly: 0x1021, init: 0xffff, xorout: 0xffff}", "d64e"),
      ("{crc: 16, poly: 0x1021, init: 0xffff, reflect: true, xorout: 0xffff}", "906e"),
      ("{crc: 16, poly: 0x3d65, reflect: true, xorout: 0xffff}", "ea82"),
      ("{crc: 16, poly: 0x8005, reflect: in}", "bcdd"),
      ("{crc: 16, poly: 0x1021, reflect: out}", "c38c"),
      ("{crc: 24, poly: 0x864cfb, init: 0xb704ce}", "21cf02"),
      ("{crc: 32, poly: 0x04c11db7, init: 0xffffffff, xorout: 0xffffffff}", "fc891918"),
      ("{name: crc32}", "cbf43926"), ("{name: sum8, add: 0x55}", "32"), ("{sum: 8, init: 1}", "de"),
      ("{xor: 8, xorout: 0x5a}", "6b"), ("{xor: 8, add: 0xff}", "30"),
      ("{name: sum8_negated, add: 1}", "24"), ("{sum: 16, xorout: 0xffff}", "fe22"),
      ("{sum: 32}", "000001dd"),
    ])
  func algorithms(_ algorithm: String, _ check: String) throws {
    let width = check.count / 2
    let digits = [UInt8]("123456789".utf8)
    let frame = [0x02] + digits + Decoding.bytes(check)
    let text = """
      endian: big
      frame:
        start: "02"
        checksum: {at: \(-width), algorithm: \(algorithm), over: [1, \(-width)]}
      messages: [{command: other, name: all, fields: [{name: data, type: bytes}]}]
      """
    let vendor = try #require(try Self.profile(text).vendor)
    let again = try #require(VendorProtocol(stored: vendor.stored))
    #expect(again.frames == vendor.frames)
    for vendor in [vendor, again] {
      let isSound = vendor.wholeFrame(frame.bytes, isRequest: false)?.frame.isSound
      let damaged: [UInt8] = frame.dropLast() + [0x7e]
      let isDamaged = vendor.wholeFrame(damaged.bytes, isRequest: false)?.frame.isSound
      #expect(isSound == true && isDamaged == false)
    }
    // The checksum of a field is read in the same way.
    let definition = try Decoding.definition(
      Decoding.profile(
        """
        - {name: data, type: bytes, size: 9}
        - {name: check, type: u\(8 * width), checksum: {algorithm: \(algorithm)}, endian: big}
        """))
    let stored = try #require(Definition(stored: definition.stored))
    for definition in [definition, stored] {
      #expect(Decoding.decode(definition, [UInt8](frame.dropFirst())).problems == [])
      let bad = Decoding.decode(definition, digits + [UInt8](repeating: 0x7e, count: width))
      #expect(bad.problems == ["bad_checksum@9"])
    }
    #expect(stored.stored == definition.stored)
  }

  @Test("The checksum of a frame without payload can be stated")
  func emptyPayload() throws {
    let text = """
      frame:
        start: "a5"
        length: {at: 1, type: u8}
        command: {at: 2, type: u8}
        payload: [3, -2]
        checksum: {at: -2, algorithm: crc16_modbus, over: [3, -2], empty: 0x1234}
      messages: [{command: 7, name: seven, fields: [{name: data, type: bytes}]}]
      """
    var trial = try ProtocolTrial(text)
    #expect(trial.accept([0xa5, 5, 7, 0x34, 0x12])?.frame?.isSound == true)
    #expect(trial.accept([0xa5, 5, 7, 0xff, 0xff])?.frame?.checksum?.expected == 0x1234)
    #expect(trial.accept([0xa5, 6, 7, 0, 0x34, 0x12])?.frame?.isSound == false)
    #expect(VendorProtocol(stored: trial.vendor.stored)?.frames == trial.vendor.frames)
  }

  @Test(
    "Mistakes are reported",
    arguments: [
      ("frame: {start: dd, length: {at: 1, type: u8}, size: 4}", "only one of the keys"),
      ("frame: {checksum: {at: -1, algorithm: {crc: 8}}}", "the key `poly` is missing"),
      ("frame: {checksum: {at: -1, algorithm: {crc: 12}}}", "expected one of 8, 16, 24, 32"),
      ("frame: {checksum: {at: -1, algorithm: {crc: 8, sum: 8}}}", "one of the keys name, crc"),
      ("frame: {checksum: {at: -1, algorithm: {sum: 8, poly: 7}}}", "unknown key `poly`"),
      ("frame: {checksum: {at: -1, algorithm: {sum: 8, add: 256}}}", "from 0 to 255"),
      (
        "frame: {checksum: {at: -1, algorithm: {name: sum8_negated, xorout: 1}}}",
        "`xorout` is ambiguous"
      ),
      ("frame: {checksum: {at: -1, algorithm: {xor: 16}}}", "reaches over the frame's end"),
      ("frame: {requests: []}", "expected a layout or a list of them"),
      ("frame: {requests: {start: dd}}", "the key `responses` is missing"),
      ("frame: {requests: {begin: dd}, responses: {start: dd}}", "unknown key `begin`"),
      ("frame: {begin: dd, requests: {}, responses: {start: dd}}", "unknown key `begin`"),
      (
        "frame: {requests: [{command: {at: 0, type: u8}}, {command: {at: 0, type: u16}}], responses: {}}",
        "need the same `header`"
      ),
      (
        "frame: {requests: {command: {at: 0, type: u8}}, responses: {command: {at: 0, type: u16}}}",
        "the key `direction` is missing"
      ),
    ])
  func mistakes(_ frame: String, _ message: String) {
    let file = Decoding.read(
      """
      profile: trial
      applies_to: [{characteristic: "fff7"}]
      \(frame)
      messages: [{command: 3, name: three, fields: []}]
      """)
    #expect(file.errors.contains { $0.description.contains(message) }, "\(file.errors)")
  }
}
