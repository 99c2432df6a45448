import ArgumentParser
import Bluetooth
import Bytes
import Decoders
import ProfileFiles
import Reports

/// `profiles decode`: tries profiles on bytes.
struct ProfilesDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decode bytes.",
    discussion: """
      Examples:
        gattscope profiles decode --uuid 2a37 16 48 00 03
        gattscope profiles decode --profile band.yaml --uuid fff6 --written a506030b14bf
        gattscope profiles decode --company 004c --json < lines-of-hex
      """)

  @Option(
    name: .long,
    help: ArgumentHelp("A profile of one's own; can be repeated.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var profile: [String] = []

  @Option(name: .long, help: ArgumentHelp("The characteristic or descriptor.", valueName: "uuid"))
  var uuid: String?

  @Option(name: .long, help: ArgumentHelp("The characteristic's service.", valueName: "uuid"))
  var service: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Manufacturer data of this company identifier; the bytes begin behind it.", valueName: "hex"))
  var company: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Service data of this UUID; the bytes begin behind it.", valueName: "uuid"))
  var serviceData: String?

  @Option(
    name: .long, help: ArgumentHelp("Advertising data of another type.", valueName: "number"))
  var adType: String?

  @Flag(name: .long, help: "The client writes the value.")
  var written = false

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Argument(help: "The bytes in hexadecimal, spaces between or not; without any, a value a line.")
  var hex: [String] = []

  mutating func run() throws {
    let subjects = try self.subjects()
    let profiles = try ProfileFilesOnDisk.read(profile)
    var supplied = SuppliedProfiles()
    supplied.definitions = profiles.flatMap(\.definitions)
    supplied.vendors = profiles.compactMap(\.vendor)
    var trial = ValueTrial(supplied)
    let service = try service.map { try Self.uuid($0) }
    var lines: [UInt8] = []
    var values: [String] = []
    if hex.isEmpty {
      while let line = readLine() { values.append(line) }
    } else {
      values = [hex.joined()]
    }
    for value in values {
      guard let bytes = Self.bytes(value) else {
        Terminal.complain("expected bytes in hexadecimal, found \(value)")
        throw ExitCode(64)
      }
      var output = Output()
      trial.decode(
        subjects, service: service, bytes.bytes, isWritten: written, isJSON: json, into: &output)
      lines.append(output.bytes)
    }
    try Terminal.write { output in output.raw(lines.bytes) }
  }

  /// What the bytes may be of.
  private func subjects() throws -> [(Subject.Kind, BluetoothUUID)] {
    var subjects: [(Subject.Kind, BluetoothUUID)] = []
    if let uuid {
      let uuid = try Self.uuid(uuid)
      subjects += [(.characteristic, uuid), (.descriptor, uuid)]
    }
    if let company { subjects.append((.company, try Self.number(company, "004c"))) }
    if let serviceData { subjects.append((.serviceData, try Self.uuid(serviceData))) }
    if let adType { subjects.append((.advertisingData, try Self.number(adType, "0x16"))) }
    guard !subjects.isEmpty else {
      throw ValidationError("one of --uuid, --company, --service-data and --ad-type is needed")
    }
    return subjects
  }

  private static func uuid(_ text: String) throws -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text: text) else {
      throw ValidationError("expected a UUID such as 2a37, found \(text)")
    }
    return uuid
  }

  /// A number in hexadecimal digits, as the UUID that stands for it.
  private static func number(_ text: String, _ example: String) throws -> BluetoothUUID {
    guard let number = UInt16(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
    else { throw ValidationError("expected a number such as \(example), found \(text)") }
    return BluetoothUUID(number)
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.filter { ![0x20, 0x3a, 0x09, 0x0d].contains($0) }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16), !pair.hasPrefix("+") else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
