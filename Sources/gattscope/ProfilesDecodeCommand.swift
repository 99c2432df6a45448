import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Decoders
import Glibc
import ProfileFiles
import Reports

/// `profiles decode`: tries profiles on bytes.
struct ProfilesDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decode bytes with a profile.",
    usage: "gattscope profiles decode [<options>] [<hex> ...]",
    discussion: """
      Examples:
        gattscope profiles decode --uuid 2a37 16 48 00 03
        gattscope profiles decode --profile band.yaml --uuid fff6 --written a506030b14bf
        gattscope profiles decode --company 004c --json < lines-of-hex
      """)

  @Option(name: .long, help: ProfileArgument.help, completion: ProfileArgument.completion)
  var profile: [String] = []

  @Option(name: .long, help: ArgumentHelp("The characteristic or descriptor.", valueName: "uuid"))
  var uuid: String?

  @Option(name: .long, help: ArgumentHelp("The characteristic's service.", valueName: "uuid"))
  var service: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Manufacturer data of this company identifier; give the bytes after it.", valueName: "hex"))
  var company: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Service data of this UUID; give the bytes after it.", valueName: "uuid"))
  var serviceData: String?

  @Option(
    name: .long, help: ArgumentHelp("Advertising data of another type.", valueName: "number"))
  var adType: String?

  @Flag(name: .long, help: "The value is written by the client.")
  var written = false

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Argument(
    help:
      "The bytes in hexadecimal: 1648, '16 48', 16:48 or 0x16 0x48; without any, or with -, standard input has one value per line."
  )
  var hex: [String] = []

  // Checked here because errors thrown here are printed with this command's usage, and those that
  // `run` throws are not.
  func validate() throws {
    _ = try subjects()
    _ = try service.map { try Self.uuid($0) }
    if service != nil, uuid == nil {
      throw ValidationError("--service goes with --uuid: it is the characteristic's.")
    }
  }

  mutating func run() throws {
    let subjects = try self.subjects()
    var trial = ValueTrial(try ProfileArgument.profiles(profile))
    let service = try service.map { try Self.uuid($0) }
    let (written, json) = (written, json)
    func decode(_ text: String, into output: inout Output) throws(BytesError) {
      let bytes = try Self.bytes(text)
      trial.decode(
        subjects, service: service, bytes.bytes, isWritten: written, isJSON: json, into: &output)
    }
    var output = Output(descriptor: STDOUT_FILENO)
    var status: Int32 = 0
    if hex.isEmpty || hex == ["-"] {
      var number = 0
      // Each line is answered before the next one is awaited, as long as the output can be written.
      do throws(CaptureFailure) {
        var lines = try InputLines()
        while output.failure == nil, let line = try lines.next() {
          number += 1
          if line.allSatisfy(\.isWhitespace) { continue }
          do throws(BytesError) {
            try decode(line, into: &output)
          } catch {
            Terminal.complain("line \(number) of standard input: \(error.sentence)")
            status = 65
          }
          output.flush()
        }
      } catch {
        Terminal.complain(error.sentence(about: "-"))
        status = error.kind.status
      }
    } else {
      do throws(BytesError) {
        try decode(hex.joined(separator: " "), into: &output)
      } catch {
        Terminal.complain(error.sentence)
        status = 64
      }
    }
    output.flush()
    try Terminal.check(output.failure)
    if status != 0 { throw ExitCode(status) }
  }

  /// Returns what the bytes may be: the kinds and UUIDs to look up.
  private func subjects() throws -> [(Subject.Kind, BluetoothUUID)] {
    var subjects: [(Subject.Kind, BluetoothUUID)] = []
    let given = [
      ("--uuid", uuid), ("--company", company), ("--service-data", serviceData),
      ("--ad-type", adType),
    ].filter { $0.1 != nil }.map(\.0)
    guard given.count == 1 else {
      throw ValidationError(
        given.isEmpty
          ? "one of --uuid, --company, --service-data and --ad-type is needed."
          : "\(given.joined(separator: " and ")) exclude each other.")
    }
    if let uuid {
      let uuid = try Self.uuid(uuid)
      subjects += [(.characteristic, uuid), (.descriptor, uuid)]
    }
    if let company {
      subjects.append((.company, try Self.number(company, "a company identifier such as 004c")))
    }
    if let serviceData { subjects.append((.serviceData, try Self.uuid(serviceData))) }
    if let adType {
      let number = try Self.number(adType, "an AD type from 00 to ff such as 0x16", most: 0xff)
      subjects.append((.advertisingData, number))
    }
    return subjects
  }

  private static func uuid(_ text: String) throws -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text: text) else {
      throw ValidationError("expected a UUID such as 2a37, found \(text).")
    }
    return uuid
  }

  /// Parses a hexadecimal number and returns it as a UUID.
  private static func number(
    _ text: String, _ expected: String, most: UInt16 = .max
  ) throws -> BluetoothUUID {
    let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard let number = UInt16(digits, radix: 16), number <= most, !digits.hasPrefix("+") else {
      throw ValidationError("expected \(expected), found \(text).")
    }
    return BluetoothUUID(number)
  }

  /// Parses bytes as users and programs write them: `1648`, `16 48`, `16:48`, `16-48`, `16,48`,
  /// `0x16 0x48`, `\x16\x48`.
  private static func bytes(_ text: String) throws(BytesError) -> [UInt8] {
    var digits = ""
    for part in text.replacing(text: "\\x", with: " 0x")
      .split(whereSeparator: { " :-,\t\r".contains($0) })
    {
      let isMarked = part.hasPrefix("0x") || part.hasPrefix("0X")
      let part = isMarked ? part.dropFirst(2) : part
      guard part.allSatisfy({ $0.isASCII && $0.isHexDigit }), !isMarked || !part.isEmpty else {
        throw BytesError(sentence: "expected bytes in hexadecimal, found \(text.prefix(80))")
      }
      // Otherwise the digit would be joined with one of the next part.
      guard !isMarked || part.count % 2 == 0 else { throw BytesError(missingIn: text) }
      digits += part
    }
    let nibbles = digits.compactMap(\.hexDigitValue)
    guard nibbles.count % 2 == 0 else { throw BytesError(missingIn: text) }
    return stride(from: 0, to: nibbles.count, by: 2).map { index in
      UInt8(nibbles[index] << 4 | nibbles[index + 1])
    }
  }
}

/// The lines of standard input, each available as soon as it is complete.
private struct InputLines: ~Copyable {
  private var input: InputBuffer
  private var number = 0
  /// The bytes of the longest line that is read; an attribute value has at most 512.
  private static let mostBytes = 1 << 20

  init() throws(CaptureFailure) { input = try InputBuffer(path: "-") }

  /// Returns the next line without its line feed, or nil at the end of the input.
  mutating func next() throws(CaptureFailure) -> String? {
    number += 1
    var searched = 0
    while true {
      while searched < input.count, input.bytes.byte(at: searched) != 0x0a { searched += 1 }
      if searched < input.count {
        return String(decoding: input.take(searched + 1).array.dropLast(), as: UTF8.self)
      }
      guard searched < Self.mostBytes else {
        throw CaptureFailure(.damaged, "line \(number) is longer than 1 MB")
      }
      guard try input.fill(searched + 1) else {
        return searched == 0 ? nil : String(decoding: input.take(searched).array, as: UTF8.self)
      }
    }
  }
}

/// Why a text is not a list of bytes.
private struct BytesError: Error {
  let sentence: String

  init(sentence: String) { self.sentence = sentence }

  /// Creates the error for a byte that has only one digit.
  init(missingIn text: String) {
    sentence = "a hexadecimal digit is missing: a byte has two, found \(text.prefix(80))"
  }
}
