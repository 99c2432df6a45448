import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

/// Complete profiles: protocols, examples, the stored form, and the library.
struct ProfileTests {
  /// The wristband of docs/profiles.md.
  static let wristband = """
    profile: wristband
    applies_to: [{frame: true}]
    frame:
      start: "a5"
      length: {at: 1, type: u8, counts: frame}
      command: {at: 2, type: u8}
      payload: [3, -1]
      checksum: {at: -1, algorithm: xor8, over: [0, -1]}
      reassemble: {timeout_ms: 2000}
    exchange: {request: "command & 0x80 == 0", response: "command | 0x80"}
    messages:
      - command: 0x03
        name: sport_packet_count.request
        fields: [{name: month, type: u8, range: [1, 12]}, {name: day, type: u8, range: [1, 31]}]
        text: "packet count for {month:02}-{day:02}?"
        examples:
          - {hex: "a5 06 03 0b 14 bf", fields: {month: 11, day: 20}, text: "packet count for 11-20?"}
      - command: 0x83
        name: sport_packet_count.response
        fields: [{name: total_packets, type: u16}]
        text: "packet count {total_packets}"
        examples: [{hex: "a5 06 83 03 00 23", fields: {total_packets: 3}}]
    """

  /// Frames of the capture `wristband_a5`, from its truth file.
  @Test(arguments: [
    ("a50402a3", FrameExtent.complete(4), 0x02, true), ("a506030b14bf", .complete(6), 0x03, true),
    ("a506030b1400", .complete(6), 0x03, false), ("a505f7eeb9", .complete(5), 0xf7, true),
  ])
  func frames(_ hex: String, _ extent: FrameExtent, _ command: Int, _ isSound: Bool) throws {
    let vendor = try #require(Decoding.read(Self.wristband).profile?.vendor)
    let bytes = Decoding.bytes(hex)
    #expect(Decoding.extent(vendor, bytes) == extent)
    let frame = vendor.frames[0].parts(of: bytes.bytes, Slice(start: 0, count: bytes.count))
    #expect(frame.command == command)
    #expect(frame.isSound == isSound)
    #expect(frame.payload == Slice(start: 3, count: bytes.count - 4))
    #expect(Decoding.recognizes(vendor, bytes) == isSound)
  }

  /// A frame split over three notifications: its total length, and when it is complete.
  @Test
  func framesInParts() throws {
    let vendor = try #require(Decoding.read(Self.wristband).profile?.vendor)
    let parts = [
      "a5338401003c01003d65003ec9003f2d01409101", "41f50142590243bd0244210345850346e903474d",
      "0448b1044915054a790587",
    ].map(Decoding.bytes)
    #expect(Decoding.extent(vendor, parts[0]) == .partial(total: 51))
    let whole = parts.flatMap { $0 }
    #expect(Decoding.extent(vendor, whole) == .complete(51))
    #expect(Decoding.recognizes(vendor, whole))
    #expect(Decoding.extent(vendor, [0xa5]) == .partial(total: nil))
    #expect(Decoding.extent(vendor, [0xa5, 0x02]) == .none)
    #expect(Decoding.extent(vendor, [0x5a, 0x02]) == .none)
    #expect(Decoding.extent(vendor, []) == .none)
  }

  @Test
  func exchange() throws {
    let vendor = try #require(Decoding.read(Self.wristband).profile?.vendor)
    func frame(_ hex: String) -> Frame {
      let bytes = Decoding.bytes(hex)
      return vendor.frames[0].parts(of: bytes.bytes, Slice(start: 0, count: bytes.count))
    }
    let (request, response) = (frame("a506030b14bf"), frame("a50683030023"))
    func isRequest(_ frame: Frame, onRequestChannel: Bool) -> Bool {
      vendor.isRequest(frame, RawSpan(), onRequestChannel: onRequestChannel)
    }
    #expect(isRequest(request, onRequestChannel: false))
    #expect(!isRequest(response, onRequestChannel: true))
    func answers(_ response: Frame, _ request: Frame) -> Bool {
      vendor.exchange.answers(response.command, request.command)
    }
    #expect(answers(response, request))
    #expect(!answers(frame("a505ff015e"), request))
    func name(_ frame: Frame) -> String? {
      vendor.message(frame, RawSpan(), isRequest: true)?.definition.name
    }
    #expect(name(request) == "sport_packet_count.request")
    #expect(name(frame("a5040400")) == "unknown")
  }

  @Test(arguments: [
    ("size: 3", "01 02 03 04", FrameExtent.complete(3)), ("size: 3", "01 02", .partial(total: 3)),
    ("end: \"0d 0a\"", "01 0d 0a 02", .complete(3)),
    ("end: \"0d 0a\"", "01 0d", .partial(total: nil)),
    ("length: {at: 0, type: u16, endian: big, counts: after}", "00 02 01 02", .complete(4)),
    ("length: {at: 0, type: u8, counts: payload}, payload: [2, -1]", "01 00 aa bb", .complete(4)),
    ("length: {at: 0, type: u8, counts: frame, add: 1}", "02 00 aa bb", .complete(3)),
    ("start: \"a5 ??\"", "a5 77 01", .complete(3)), ("start: \"a5 ??\"", "a6 77 01", .none),
  ])
  func endings(_ keys: String, _ hex: String, _ expected: FrameExtent) throws {
    let text =
      "profile: x\napplies_to: [{service: fff0}]\nframe: {\(keys)}\nmessages: [{command: other, name: a}]\n"
    let file = Decoding.read(text)
    #expect(file.errors.map(\.description) == [])
    let vendor = try #require(file.profile?.vendor)
    #expect(Decoding.extent(vendor, Decoding.bytes(hex)) == expected)
  }

  /// Where a protocol is used, apart from characteristics.
  @Test func serialChannels() throws {
    let text = """
      profile: x
      applies_to: [{rfcomm: 30}, {psm: 0x0081, device: "A*"}, {service: "1101"}, {frame: true}]
      frame:
        start: "7e"
        length: {at: 1, type: u8}
        checksum: {at: -1, algorithm: sum8}
      messages: [{command: other, name: a}]
      """
    let file = Decoding.read(text)
    #expect(file.errors.map(\.description) == [])
    let vendor = try #require(file.profile?.vendor)
    #expect(
      vendor.claims.map(\.channel)
        == [.rfcomm(30), .creditBased(PSM(rawValue: 0x81)), nil, nil])
    let again = try #require(VendorProtocol(stored: vendor.stored))
    #expect(again.claims == vendor.claims)
    func needsFrame(_ channel: SerialChannel, _ service: UInt16? = nil, _ name: String = "")
      -> Bool?
    {
      vendor.needsFrame(on: nil, channel, of: service.map { BluetoothUUID($0) }) { pattern in
        [UInt8](name.utf8).fits(pattern)
      }
    }
    #expect(needsFrame(.rfcomm(30)) == false)
    #expect(needsFrame(.rfcomm(1)) == true, "by frame alone")
    #expect(needsFrame(.rfcomm(1), 0x1101) == false)
    #expect(needsFrame(.creditBased(PSM(rawValue: 0x81)), nil, "B1") == true)
    #expect(needsFrame(.creditBased(PSM(rawValue: 0x81)), nil, "A1") == false)
    // A claim to a channel does not extend to characteristics.
    let onCharacteristic = vendor.needsFrame(on: BluetoothUUID(0xfff1), of: nil) { _ in false }
    #expect(onCharacteristic == true)
  }

  /// Multipart commands, a header that messages use, sequence numbers, a series.
  @Test
  func headers() throws {
    let text = """
      profile: mgmt
      endian: big
      applies_to: [{service: "8d53dc1d-1db7-4cd3-868b-8a527460aa84"}]
      frame:
        header: [{name: op, type: u8, values: {0: read, 1: read_response}}, {name: flags, type: u8, quiet: true}]
        length: {at: 2, type: u16, counts: payload}
        command: [{at: 4, type: u16}, {at: 7, type: u8}]
        sequence: {at: 6, type: u8}
        payload: [8, 0]
      exchange: {sequence: true}
      messages:
        - command: [1, 2]
          name: image.state
          series: {count: op + 1, command: [1, 3], index: number}
          fields: [{name: body, type: bytes, when: op}]
          examples:
            - {hex: "01 00 0002 0001 07 02 aa bb", fields: {op: read_response, body: aabb}}
      """
    let file = Decoding.read(text)
    let profile = try #require(file.profile)
    #expect(file.errors.map(\.description) == [])
    #expect(profile.examples.flatMap { $0.check(profile) }.map(\.description) == [])
    let vendor = try #require(profile.vendor)
    #expect(vendor.messages.first?.commands == 0x102...0x102)
    #expect(vendor.messages.first?.series?.command == 0x103)
    let again = try #require(VendorProtocol(stored: vendor.stored))
    #expect(again.stored == vendor.stored)
    #expect(again.messages.first?.series == vendor.messages.first?.series)
    #expect(again.frames == vendor.frames)
    let bytes = vendor.stored
    for place in bytes.indices {
      _ = VendorProtocol(stored: Array(bytes[..<place]))?.messages
      var damaged = bytes
      damaged[place] ^= 0x81
      _ = VendorProtocol(stored: damaged)?.messages
    }
  }

  @Test("the messages of the built-in protocols are read when they are used")
  func builtInMessages() {
    #expect(BuiltInProfiles.vendors.count >= 4)
    for vendor in BuiltInProfiles.vendors {
      #expect(vendor.messages.count > 1, "\(vendor.profile)")
      let secrets = vendor.messages.contains { $0.definition.hasSecrets }
      #expect(vendor.hasSecrets == secrets, "\(vendor.profile)")
    }
  }

  /// A scooter sends "+ACK…" as 2c01, the number of UGG Features, which is one byte.
  @Test("Standard values of a fixed size leave other bytes to their senders")
  func otherSizes() throws {
    let found = BuiltInProfiles.definitions(.characteristic, BluetoothUUID(0x2c01))
    let definition = try #require(found.first)
    #expect(found.count == 1)
    let fits = [
      definition.subject.fits(Decoding.bytes("06").bytes),
      definition.subject.fits(Decoding.bytes("2b 41 43 4b").bytes),
    ]
    #expect(fits == [true, false])
  }

  /// A wrong example yields an error with the actual result.
  @Test(arguments: [
    ("fields: {month: 12}", "examples.fields.month: expected `12`, decoded `11`"),
    ("fields: {year: 12}", "examples.fields.year: expected `12`, decoded nothing"),
    ("text: x", "examples.text: expected `x`, decoded `packet count for 11-20?`"),
    ("problems: [bad_text]", "examples.problems: expected bad_text, decoded no problems"),
    ("sauce: me", "examples.sauce: unknown key"),
  ])
  func wrongExamples(_ keys: String, _ expected: String) throws {
    let text = Self.wristband.replacing(
      "fields: {month: 11, day: 20}, text: \"packet count for 11-20?\"", with: keys)
    let profile = try #require(Decoding.read(text).profile)
    let found = profile.examples.flatMap { $0.check(profile) }.map(\.description)
    #expect(found.count == 1)
    let wanted =
      expected.hasPrefix("examples.sauce") ? "unknown key `sauce`" : "messages.\(expected)"
    #expect(found.first?.contains(wanted) == true, "expected \(wanted), found \(found)")
  }

  /// Bytes in an example may have any case and contain blanks.
  @Test(arguments: ["aabb", "AA BB", "\"aa Bb\""])
  func exampleBytes(_ written: String) throws {
    let more = "    examples: [{hex: \"aa bb\", fields: {a: \(written)}}]\n"
    let profile = try #require(
      Decoding.read(Decoding.profile("- {name: a, type: bytes}", more: more)).profile)
    #expect(profile.examples.flatMap { $0.check(profile) }.map(\.description) == [])
  }

  /// An example whose frame does not match its message.
  @Test(arguments: [
    ("01", "the frame's command 0x1 is of the message `one`"),
    ("ff", "no message has the frame's command 0xff"),
  ])
  func strangeFrame(_ hex: String, _ expected: String) throws {
    let text = """
      profile: x
      applies_to: [{service: fff0}]
      frame: {command: {at: 0, type: u8}}
      messages: [{command: 1, name: one}, {command: 2, name: two, examples: [{hex: "\(hex)"}]}]
      """
    let profile = try #require(Decoding.read(text).profile)
    let found = profile.examples.flatMap { $0.check(profile) }.map(\.message)
    #expect(found == [expected], "expected \(expected), got \(found)")
  }

  /// The stored form yields the same definition. If damaged, it yields none or a valid one.
  @Test
  func stored() throws {
    let text = Decoding.profile(
      """
      - {name: flags, type: u8, bits: [{bit: 0, name: on}, {bits: [1, 7], name: rest, signed: true}]}
      - {name: a, type: u16, scale: {multiply: 0.5, add: -40}, unit: °C, special: {0xffff: none}, when: "@2aa8.x.y"}
      - {name: b, type: utf8, terminator: "00", label: text}
      - {name: c, prefix: u8, repeat: rest, fields: [{name: d, type: u8, quiet: [1]}], text: "{d:02}"}
      """)
    let definition = try Decoding.definition(text)
    let stored = definition.stored
    let again = try #require(Definition(stored: stored))
    #expect(again.tables == definition.tables)
    #expect(again.subject == definition.subject)
    #expect(again.name == "Test")
    let text64 = [UInt8](StoredText.text(stored).utf8)
    let bytes = StoredText.bytes(text64.bytes)
    #expect(bytes == stored)
    for count in 0..<stored.count { #expect(Definition(stored: Array(stored[..<count])) == nil) }
    var generator = SystemRandomNumberGenerator()
    let sample = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for place in stored.indices {
      for value in [UInt8(0), 1, 0x7f, 0x80, 0xff] {
        var damaged = stored
        damaged[place] = value
        guard let definition = Definition(stored: damaged) else { continue }
        _ = Decoding.decode(definition, sample)
      }
    }
  }

  /// The most specific definition is used, and a user's before a built-in one.
  @Test
  func preference() throws {
    let text = """
      profile: own
      characteristics:
        - {uuid: "2a37", name: Plain, fields: []}
        - {uuid: "2a37", name: Long, size: [20, 30], fields: []}
        - {uuid: "2a37", name: Service, service: "180d", fields: []}
        - {uuid: "2a37", name: Device, device: "Band*", fields: []}
        - {uuid: "2a37", name: Match, match: "ff ??", fields: []}
      """
    let profile = try #require(Decoding.read(text).profile)
    var library = ProfileLibrary(own: profile.definitions)
    func name(_ hex: String, service: UInt16 = 0x1800, device: String = "") -> String? {
      library.find(
        .characteristic, BluetoothUUID(0x2a37), service: BluetoothUUID(service),
        Decoding.bytes(hex).bytes, isOfDevice: { _ in device == "Band 5" })?.name
    }
    #expect(name("00") == "Plain")
    #expect(name("00", service: 0x180d) == "Service")
    #expect(name("00", device: "Band 5") == "Device")
    #expect(name("ff 00") == "Match")
    #expect(name(String(repeating: "00", count: 20)) == "Long")
  }
}

/// Definitions of equal precedence.
struct TieTests {
  @Test
  func ties() throws {
    let text = """
      profile: x
      characteristics:
        - {uuid: "2a37", name: A, fields: []}
        - {uuid: "00002a37-0000-1000-8000-00805f9b34fb", name: B, fields: []}
        - {uuid: "2a37", name: C, size: 3, fields: []}
      applies_to: [{service: fff0}]
      frame: {command: {at: 0, type: u8}}
      messages: [{command: "1-3", name: a}, {command: 3, name: b}, {command: 4, name: c}, {command: 4, direction: request, name: d}]
      """
    let file = Decoding.read(text)
    #expect(file.errors.map(\.description) == [])
    let profile = try #require(file.profile)
    #expect(
      ProfileTies.find([("x.yaml", profile)]).map(\.description) == [
        "x.yaml:4: `B` is of the same bytes as `A` in x.yaml:3",
        "x.yaml:8: `b` has a command of `a` in x.yaml:8",
        "x.yaml:8: `d` has a command of `c` in x.yaml:8",
      ])
  }

  /// Control points: a definition stores how responses match requests.
  @Test
  func controlPoint() throws {
    let text = """
      profile: x
      characteristics:
        - uuid: "2a66"
          name: Control Point
          fields: [{name: op, type: u8}]
          exchange: {request: command != 16, response: "16"}
      """
    let definition = try Decoding.definition(text)
    let again = try #require(Definition(stored: definition.stored))
    for exchange in [definition.exchange, again.exchange] {
      #expect(exchange?.isRequest(1) == true)
      #expect(exchange?.isRequest(16) == false)
      #expect(exchange?.answers(16, 1) == true)
      #expect(exchange?.answers(17, 1) == false)
    }
  }

  /// A number with bits has two widths: conditions and texts refer to the one that is present.
  @Test
  func bitsOfEitherWidth() throws {
    let fields = """
      - {name: wide, type: u8, quiet: true}
      - {name: flags, type: u8, bits: [{bit: 0, name: more}], when: "!wide"}
      - {name: flags, type: u16, bits: [{bit: 0, name: more}, {bit: 8, name: most}], when: wide}
      - {name: value, type: u8, when: flags.more}
      """
    #expect(try Decoding.decode(fields, "00 01 07").line == "value 7")
    #expect(try Decoding.decode(fields, "01 0101 07").line == "most, value 7")
    #expect(try Decoding.decode(fields, "01 0001").line == "most")
  }
}

/// Complete frames: command, payload, checksum.
struct MessageTests {
  /// The decoded wristband frame, as text and as JSON fields.
  @Test(arguments: [
    (
      "a506030b14bf", "packet count for 11-20?",
      #"{"command":"0x03","month":11,"day":20,"checksum":"ok"}"#
    ),
    (
      "a506030b1400", "packet count for 11-20?, checksum 00, not bf",
      #"{"command":"0x03","month":11,"day":20,"checksum":"bad"}"#
    ),
    (
      "a50682550175", "command 82, payload 55 01",
      #"{"command":"0x82","payload":"5501","checksum":"ok"}"#
    ),
    ("a50477d6", "command 77", #"{"command":"0x77","checksum":"ok"}"#),
    (
      "a505830125",
      "total packets at offset 3 is cut short: 1 of 2 bytes, checksum 25, not 22",
      #"{"command":"0x83","unknown":"01","checksum":"bad"}"#
    ),
  ])
  func wristband(_ hex: String, _ line: String, _ fields: String) throws {
    let profile = try #require(Decoding.read(ProfileTests.wristband).profile)
    let vendor = try #require(profile.vendor)
    let again = try #require(VendorProtocol(stored: vendor.stored))
    for vendor in [vendor, again] {
      let bytes = Decoding.bytes(hex)
      let frame = vendor.frames[0].parts(of: bytes.bytes, Slice(start: 0, count: bytes.count))
      let kind = vendor.message(frame, bytes.bytes, isRequest: true)
      let message = try #require(kind)
      var decoder = ValueDecoder()
      var decoded = Decoded()
      vendor.decode(frame, message, bytes.bytes, isRequest: true, with: &decoder, into: &decoded)
      var text = Output()
      DecodedWriter(decoded, isJSON: false)?.line(bytes.bytes, into: &text)
      let object = DecodedWriter(decoded, isJSON: true)?.plainFields(bytes.bytes)
      let found = text.bytes.array
      #expect(String(decoding: found, as: UTF8.self) == line)
      #expect(object == fields)
    }
  }
}

/// Choosing what decodes a value: definitions and protocols side by side.
struct MatchTests {
  /// Returns the name of the definition or message that decodes these bytes of fff1.
  private func name(_ text: String, _ hex: String, uuid: UInt16 = 0xfff1) throws -> String? {
    let file = Decoding.read(text)
    #expect(file.errors.map(\.description) == [])
    let profile = try #require(file.profile)
    var library = ProfileLibrary(
      own: profile.definitions, vendors: [profile.vendor].compactMap { $0 })
    let bytes = Decoding.bytes(hex)
    let match = library.match(
      .characteristic, BluetoothUUID(uuid), service: nil, bytes.bytes, isWritten: true,
      isOfDevice: { _ in false })
    switch match {
    case .definition(let definition): return definition.name
    case .message(let sighting): return sighting.message?.definition.name
    case nil: return nil
    }
  }

  @Test
  func framesAndCharacteristics() throws {
    let plain =
      "\ncharacteristics: [{uuid: \"fff1\", name: Plain, fields: [{name: b, type: text}]}]\n"
    let carrier = plain.replacing("name: Plain", with: "name: Serial, carrier: true")
    let request = "sport_packet_count.request"
    // If the profile does not define the characteristic, the frame is recognised.
    #expect(try name(ProfileTests.wristband, "a506030b14bf") == request)
    // A frame with a wrong checksum is not evidence.
    #expect(try name(ProfileTests.wristband, "a506030b1400") == nil)
    #expect(try name(ProfileTests.wristband + plain, "a506030b14bf") == "Plain")
    #expect(try name(ProfileTests.wristband + carrier, "a506030b14bf") == request)
    #expect(try name(ProfileTests.wristband + carrier, "a506030b1400") == "Serial")
    let claimed = ProfileTests.wristband.replacing("{frame: true}", with: "{characteristic: fff1}")
    #expect(try name(claimed, "a506030b1400") == request)
    #expect(try name(claimed, "a506030b1400", uuid: 0xfff2) == nil)
    let both = ProfileTests.wristband.replacing(
      "{frame: true}", with: "{characteristic: fff1, frame: true}")
    #expect(try name(both, "a506030b1400") == nil)
    #expect(try name(both, "a506030b14bf") == request)
  }
}
