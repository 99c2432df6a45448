import ArgumentParser
import Bluetooth
import Bytes
import Decoders
import Glibc
import ProfileFiles
import Reports

/// `profiles`: works with the built-in profiles and the user's own.
struct ProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles",
    abstract: "List, check and try the profiles that describe values.",
    discussion: """
      Examples:
        gattscope profiles list
        gattscope profiles show heart_rate
        gattscope profiles decode --uuid 2a37 16 48 00 03
        gattscope profiles check band.yaml
        gattscope profiles match capture.btsnoop
        gattscope profiles learn -o gadget.yaml capture.btsnoop
        gattscope profiles decode --profile band.yaml --uuid fff7 a50683030023
      """,
    subcommands: [
      ProfilesListCommand.self, ProfilesShowCommand.self, ProfilesCheckCommand.self,
      ProfilesDecodeCommand.self, ProfilesMatchCommand.self, ProfilesLearnCommand.self,
      ProfilesNewCommand.self, ProfilesCompileCommand.self,
    ])
}

/// Functions that the subcommands share.
enum ProfileFilesOnDisk {
  /// Reads profiles from files.
  ///
  /// - Parameters:
  ///   - paths: files that were named; an error in one of them ends the program.
  ///   - found: files that were not named; those with errors are skipped.
  static func read(_ paths: [String], beside found: [String] = []) throws -> [Profile] {
    let reader = ProfileReader(others: ProfileSources.files)
    let named = distinct(paths)
    var profiles: [Profile] = []
    var status: Int32 = 0
    for (path, bytes) in contents(of: named, &status) {
      let file = reader.read(bytes, name: path)
      for error in file.errors { Terminal.complain(error.description) }
      if !file.errors.isEmpty { status = 65 }
      if let profile = file.profile { profiles.append(profile) }
    }
    if status != 0 { throw ExitCode(status) }
    for path in distinct(named + found).dropFirst(named.count) {
      do throws(FileFailure) {
        let file = reader.read(try Terminal.contents(of: path), name: path)
        if let error = file.errors.first {
          Terminal.complain("\(error.description); gattscope continues without the file")
        } else if let profile = file.profile {
          profiles.append(profile)
        }
      } catch {
        Terminal.complain("\(error.sentence); gattscope continues without it")
      }
    }
    return profiles
  }

  /// Reads the contents of files. A file that cannot be read is reported and sets `status`.
  static func contents(
    of paths: [String], _ status: inout Int32
  ) -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    for path in paths {
      do throws(FileFailure) {
        files.append((path, try Terminal.contents(of: path)))
      } catch {
        Terminal.complain(error.sentence)
        status = 66
      }
    }
    return files
  }

  /// Returns each file once, however often and by whatever path it was named.
  static func distinct(_ paths: [String]) -> [String] {
    var known: Set<String> = []
    return paths.filter { known.insert(Terminal.realPath($0)).inserted }
  }
}

struct ProfilesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List what is decoded, by built-in profiles and yours.",
    discussion: """
      Examples:
        gattscope profiles list | grep 2a37
        gattscope profiles list --json | jq -r '.definitions[] | select(.profile == "heart_rate") | .uuid'
      """)

  @Option(name: .long, help: ProfileArgument.help, completion: ProfileArgument.completion)
  var profile: [String] = []

  @Flag(name: .long, help: "Print a JSON document.")
  var json = false

  @Flag(name: .long, help: TerminalOptions.asciiHelp)
  var ascii = false

  mutating func run() throws {
    let list = ProfileList(
      own: try ProfileArgument.profiles(profile), glyphs: Terminal.glyphs(ascii: ascii))
    for (path, reason) in ProfileFilesOnDisk.othersOfThisUser {
      Terminal.complain("\(path) is not read: \(reason)")
    }
    let isJSON = json
    try Terminal.write { output in
      if isJSON { list.writeJSON(into: &output) } else { list.writeText(into: &output) }
    }
  }
}

struct ProfilesShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the YAML of a profile, built-in or yours.",
    discussion: """
      Examples:
        gattscope profiles show heart_rate
        gattscope profiles show --profile band.yaml band
      """)

  @Argument(help: "The profile's name, as list prints it.")
  var name: String

  @Option(name: .long, help: ProfileArgument.help, completion: ProfileArgument.completion)
  var profile: [String] = []

  mutating func run() throws {
    if let own = try ownText() {
      try Terminal.write { output in output.raw(own.bytes) }
      return
    }
    guard let text = ProfileSources.text(name) else {
      Terminal.complain("no profile is named \(name); gattscope profiles list names them")
      throw ExitCode(64)
    }
    try Terminal.write { output in output.raw(text.bytes) }
  }

  /// Returns the text of the user's own profile with the name; profiles that were named come first.
  private func ownText() throws -> [UInt8]? {
    let reader = ProfileReader(others: ProfileSources.files)
    for path in profile {
      let bytes = try Terminal.file(path)
      if reader.read(bytes, name: path).profile?.name == name { return bytes }
    }
    for path in ProfileFilesOnDisk.ofThisUser {
      guard let bytes = try? Terminal.contents(of: path) else { continue }
      if reader.read(bytes, name: path).profile?.name == name { return bytes }
    }
    return nil
  }
}

struct ProfilesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check profiles: their syntax, and that their examples decode as stated.")

  @Argument(help: "The files.", completion: .file(extensions: ["yaml", "yml"]))
  var files: [String]

  mutating func run() throws {
    var status: Int32 = 0
    let sources = ProfileFilesOnDisk.contents(of: ProfileFilesOnDisk.distinct(files), &status)
    let reader = ProfileReader(others: sources + ProfileSources.files)
    var errors: [ProfileError] = []
    var profiles: [(file: String, profile: Profile)] = []
    for (name, bytes) in sources {
      var file = reader.read(bytes, name: name)
      file.checkExamples()
      errors += file.errors
      if let profile = file.profile { profiles.append((name, profile)) }
    }
    errors += ProfileTies.find(profiles)
    for error in errors { Terminal.complain(error.description) }
    if !errors.isEmpty { status = 65 }
    let wrong = Set(errors.map(\.file))
    var lines: [String] = []
    for (name, profile) in profiles where !wrong.contains(name) {
      let messages = profile.vendor.map { ", " + Self.count($0.messageCount, "message") } ?? ""
      lines.append(
        "\(name): \(Self.count(profile.definitions.count, "definition"))\(messages), "
          + Self.count(profile.examples.count, "example"))
    }
    let definitions = profiles.reduce(0) { $0 + $1.profile.definitions.count }
    let examples = profiles.reduce(0) { $0 + $1.profile.examples.count }
    if profiles.count > 1, status == 0 {
      lines.append(
        "\(profiles.count) profiles, \(Self.count(definitions, "definition")), "
          + Self.count(examples, "example"))
    }
    try Terminal.write { output in
      for line in lines { output.string(line + "\n") }
    }
    if status != 0 { throw ExitCode(status) }
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}

/// `profiles compile`: used when building the program.
struct ProfilesCompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile", abstract: "Write the Swift tables of the built-in profiles.",
    shouldDisplay: false)

  @Argument(help: "The files.")
  var files: [String]

  mutating func run() throws {
    let texts = try files.map { (name: $0, bytes: try Terminal.file($0)) }
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
    try Terminal.write { output in ProfileCompiler.writeTables(profiles, into: &output) }
  }
}
