import ArgumentParser
import Bluetooth
import Bytes
import Decoders
import Glibc
import ProfileFiles
import Reports

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
        gattscope profiles match capture.btsnoop
        gattscope profiles decode --profile band.yaml --uuid fff7 a50683030023
      """,
    subcommands: [
      ProfilesListCommand.self, ProfilesShowCommand.self, ProfilesCheckCommand.self,
      ProfilesDecodeCommand.self, ProfilesMatchCommand.self, ProfilesCompileCommand.self,
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
    commandName: "list", abstract: "List what is decoded, by the program's profiles and your own.",
    discussion: """
      Examples:
        gattscope profiles list | grep 2a37
        gattscope profiles list --json | jq -r '.definitions[] | select(.profile == "heart_rate") | .uuid'
      """)

  @OptionGroup
  var supplying: ProfileFileOptions

  @Flag(name: .long, help: "Print a JSON document.")
  var json = false

  @OptionGroup(title: "Terminal")
  var signs: SignOptions

  mutating func run() throws {
    let list = ProfileList(own: try supplying.profiles(), glyphs: signs.glyphs)
    let isJSON = json
    try Terminal.write { output in
      if isJSON { list.writeJSON(into: &output) } else { list.writeText(into: &output) }
    }
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
      Terminal.complain(
        "no profile of the program's own is named \(name); gattscope profiles list names them")
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
    var profiles: [(file: String, profile: Profile)] = []
    for (name, bytes) in sources {
      let file = reader.read(bytes, name: name)
      errors += file.errors
      guard let profile = file.profile else { continue }
      profiles.append((name, profile))
      for example in profile.examples { errors += example.check(profile) }
      let messages = profile.vendor.map { ", " + Self.count($0.messages.count, "message") } ?? ""
      lines.append(
        "\(name): \(Self.count(profile.definitions.count, "definition"))\(messages), "
          + Self.count(profile.examples.count, "example"))
    }
    errors += ProfileTies.find(profiles)
    for error in errors { Terminal.complain(error.description) }
    if !errors.isEmpty { throw ExitCode(65) }
    let definitions = profiles.reduce(0) { $0 + $1.profile.definitions.count }
    let examples = profiles.reduce(0) { $0 + $1.profile.examples.count }
    if profiles.count > 1 {
      lines.append(
        "\(profiles.count) profiles, \(Self.count(definitions, "definition")), "
          + Self.count(examples, "example"))
    }
    try Terminal.write { output in
      for line in lines { output.string(line + "\n") }
    }
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
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
