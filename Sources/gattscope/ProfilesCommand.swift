import ArgumentParser
import Bluetooth
import Bytes
import Decoders
import Glibc
import ProfileFiles

/// `profiles`: the decoders, and people's own.
struct ProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles",
    abstract: "List, check and try the profiles that say what bytes mean.",
    discussion: """
      Examples:
        gattscope profiles list
        gattscope profiles show heart_rate
        gattscope profiles decode --uuid 2a37 16 48 00 03
        gattscope profiles check band.yaml
        gattscope profiles decode --profile band.yaml --uuid fff7 a50683030023
      """,
    subcommands: [
      ProfilesListCommand.self, ProfilesShowCommand.self, ProfilesCheckCommand.self,
      ProfilesDecodeCommand.self, ProfilesCompileCommand.self,
    ])
}

/// What the subcommands share.
enum ProfileFilesOnDisk {
  /// Reads profiles from files; those with errors end the program.
  static func read(_ paths: [String]) throws -> [Profile] {
    let reader = ProfileReader(others: ProfileSources.files)
    var profiles: [Profile] = []
    var hasErrors = false
    for path in paths {
      let file = reader.read(try bytes(of: path), name: path)
      for error in file.errors { Terminal.complain(error.description) }
      hasErrors = hasErrors || !file.errors.isEmpty
      if let profile = file.profile { profiles.append(profile) }
    }
    if hasErrors { throw ExitCode(65) }
    return profiles
  }

  /// The bytes of a file.
  static func bytes(of path: String) throws -> [UInt8] {
    guard let bytes = Terminal.contents(of: path) else {
      Terminal.complain("\(path) cannot be read")
      throw ExitCode(66)
    }
    return bytes
  }
}

/// `profiles list`
struct ProfilesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what is decoded.")

  mutating func run() throws {
    try Terminal.write { output in
      for definition in BuiltInProfiles.all {
        output.string(ProfileWords.subject(definition.subject))
        output.text("  ")
        output.string(definition.name)
        output.text("  ")
        output.string(definition.profile)
        output.byte(0x0a)
      }
      for vendor in BuiltInProfiles.vendors {
        output.string("protocol  \(vendor.title), \(vendor.messages.count) messages  ")
        output.string(vendor.profile)
        output.byte(0x0a)
      }
    }
  }
}

/// Words for definitions.
enum ProfileWords {
  /// What a definition is of.
  static func subject(_ subject: Subject) -> String {
    var output = Output()
    switch subject.kind {
    case .characteristic: output.text("characteristic ")
    case .descriptor: output.text("descriptor ")
    case .company: output.text("manufacturer data of ")
    case .serviceData: output.text("service data of ")
    case .advertisingData: output.text("advertising data ")
    case .message: output.text("command ")
    }
    if subject.kind == .advertisingData {
      output.hexadecimal(subject.uuid.low, digits: 2)
    } else {
      output.uuid(subject.uuid)
    }
    return String(decoding: output.bytes.array, as: UTF8.self)
  }
}

/// `profiles show`
struct ProfilesShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the YAML of a profile of the program's own.")

  @Argument(help: "The profile's name, as list has it.")
  var name: String

  mutating func run() throws {
    guard let text = ProfileSources.text(name) else {
      Terminal.complain("no profile is named \(name); gattscope profiles list names them")
      throw ExitCode(64)
    }
    try Terminal.write { output in output.raw(text.bytes) }
  }
}

/// `profiles check`
struct ProfilesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check profiles: their grammar, and whether their examples come out.")

  @Argument(help: "The files.", completion: .file(extensions: ["yaml", "yml"]))
  var files: [String]

  mutating func run() throws {
    let sources = try files.map { (name: $0, bytes: try ProfileFilesOnDisk.bytes(of: $0)) }
    let reader = ProfileReader(others: sources + ProfileSources.files)
    var errors: [ProfileError] = []
    var lines: [String] = []
    for (name, bytes) in sources {
      let file = reader.read(bytes, name: name)
      errors += file.errors
      guard let profile = file.profile else { continue }
      for example in profile.examples { errors += example.check(profile) }
      let messages = profile.vendor.map { ", \($0.messages.count) messages" } ?? ""
      lines.append(
        "\(name): \(profile.definitions.count) definitions\(messages), "
          + "\(profile.examples.count) examples")
    }
    for error in errors { Terminal.complain(error.description) }
    if !errors.isEmpty { throw ExitCode(65) }
    try Terminal.write { output in
      for line in lines { output.string(line + "\n") }
    }
  }
}

/// `profiles compile`, for building the program.
struct ProfilesCompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile", abstract: "Write the Swift files of the program's own profiles.",
    shouldDisplay: false)

  @Flag(name: .long, help: "The profiles' texts rather than their tables.")
  var sources = false

  @Argument(help: "The files.")
  var files: [String]

  mutating func run() throws {
    let texts = try files.map { (name: $0, bytes: try ProfileFilesOnDisk.bytes(of: $0)) }
    let reader = ProfileReader(others: texts)
    var profiles: [Profile] = []
    var errors: [ProfileError] = []
    for (name, bytes) in texts {
      let file = reader.read(bytes, name: name)
      errors += file.errors
      if let profile = file.profile { profiles.append(profile) }
    }
    for error in errors { Terminal.complain(error.description) }
    guard errors.isEmpty else { throw ExitCode(65) }
    let isSources = sources
    try Terminal.write { output in
      if isSources {
        let named = zip(profiles, texts).map { (name: $0.name, bytes: $1.bytes) }
        ProfileCompiler.writeSources(named, into: &output)
      } else {
        ProfileCompiler.writeTables(profiles, into: &output)
      }
    }
  }
}

/// `profiles decode`
struct ProfilesDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Decode bytes.")

  @Option(
    name: .long,
    help: ArgumentHelp("A profile of one's own; can be repeated.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var profile: [String] = []

  @Option(name: .long, help: ArgumentHelp("The characteristic or descriptor.", valueName: "uuid"))
  var uuid: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Manufacturer data of this company identifier; the bytes begin behind it.", valueName: "hex"))
  var company: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Service data of this UUID; the bytes begin behind it.", valueName: "uuid"))
  var serviceData: String?

  @Flag(name: .long, help: "The client writes the value.")
  var written = false

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  @Argument(help: "The bytes in hexadecimal, spaces between or not; without any, a value a line.")
  var hex: [String] = []

  mutating func run() throws {
    let subjects = try self.subjects()
    let profiles = try ProfileFilesOnDisk.read(profile)
    var library = ProfileLibrary(
      own: profiles.flatMap(\.definitions), vendors: profiles.compactMap(\.vendor))
    var values: [String] = []
    if hex.isEmpty {
      while let line = readLine() { values.append(line) }
    } else {
      values = [hex.joined()]
    }
    var lines = ValueLines(isJSON: json, isWritten: written)
    for value in values {
      guard let bytes = Self.bytes(value) else {
        Terminal.complain("expected bytes in hexadecimal, found \(value)")
        throw ExitCode(64)
      }
      lines.decode(bytes, subjects, &library)
    }
    try Terminal.write { output in output.string(lines.text) }
  }

  /// What the bytes may be of.
  private func subjects() throws -> [(Subject.Kind, BluetoothUUID)] {
    var subjects: [(Subject.Kind, BluetoothUUID)] = []
    if let uuid {
      guard let uuid = BluetoothUUID(text: uuid) else {
        throw ValidationError("expected a UUID such as 2a37 for --uuid")
      }
      subjects += [(.characteristic, uuid), (.descriptor, uuid)]
    }
    if let company {
      guard
        let number = UInt16(
          company.hasPrefix("0x") ? String(company.dropFirst(2)) : company, radix: 16)
      else { throw ValidationError("expected a company identifier such as 004c for --company") }
      subjects.append((.company, BluetoothUUID(number)))
    }
    if let serviceData {
      guard let uuid = BluetoothUUID(text: serviceData) else {
        throw ValidationError("expected a UUID such as feaa for --service-data")
      }
      subjects.append((.serviceData, uuid))
    }
    return subjects
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != 0x20 && $0 != 0x3a && $0 != 0x09 && $0 != 0x0d }
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

/// What `decode` prints, a line a value.
private struct ValueLines {
  let isJSON: Bool
  let isWritten: Bool
  var text = ""
  private var decoded = Decoded()

  init(isJSON: Bool, isWritten: Bool) {
    self.isJSON = isJSON
    self.isWritten = isWritten
  }

  mutating func decode(
    _ bytes: [UInt8], _ subjects: [(Subject.Kind, BluetoothUUID)], _ library: inout ProfileLibrary
  ) {
    for (kind, uuid) in subjects {
      guard
        let definition = library.find(
          kind, uuid, service: nil, bytes.bytes, isOfDevice: { _ in false })
      else { continue }
      append(definition, bytes, Slice(start: 0, count: bytes.count), command: 0, isWritten)
      return
    }
    for vendor in library.vendors where vendor.isRecognized(in: bytes.bytes) {
      let frame = vendor.frame.parts(of: bytes.bytes, Slice(start: 0, count: bytes.count))
      let isRequest = vendor.isRequest(frame.command ?? 0, onRequestChannel: isWritten)
      guard let message = vendor.message(frame.command, isRequest: isRequest) else { continue }
      append(message.definition, bytes, frame.payload, command: frame.command ?? 0, isRequest)
      return
    }
    text += isJSON ? "{}\n" : "no profile decodes this\n"
  }

  private mutating func append(
    _ definition: Definition, _ bytes: [UInt8], _ slice: Slice, command: Int, _ isWritten: Bool
  ) {
    var decoder = ValueDecoder()
    let context = DecodingContext(isWritten: isWritten, command: command)
    decoder.decode(definition, bytes.bytes, slice, context, into: &decoded)
    var output = Output()
    if isJSON {
      decoded.writeJSON(bytes.bytes, into: &output)
    } else {
      DecodedWriter(decoded, isJSON: false)?.line(bytes.bytes, into: &output)
    }
    output.byte(0x0a)
    text += String(decoding: output.bytes.array, as: UTF8.self)
  }
}
