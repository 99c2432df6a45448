import ArgumentParser
import Bytes
import Captures
import Decoders
import Glibc
import ProfileFiles

/// People's own profiles.
struct ProfileFileOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "A profile of yours that describes values; can be repeated. Profiles in "
        + "~/.config/gattscope/profiles (XDG_CONFIG_HOME) are always read.",
      valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var profile: [String] = []

  /// What the files say: those that were named come before those of the folder.
  func profiles() throws -> SuppliedProfiles {
    var supplied = SuppliedProfiles()
    for profile in try ProfileFilesOnDisk.read(profile, beside: ProfileFilesOnDisk.ofThisUser) {
      supplied.definitions += profile.definitions
      if let vendor = profile.vendor { supplied.vendors.append(vendor) }
    }
    return supplied
  }
}

extension ProfileFilesOnDisk {
  /// The folder of this user's profiles; nil where the environment names none.
  private static var folder: String? {
    let home = Terminal.environment("HOME").map { $0 + "/.config" }
    let settings = Terminal.environment("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 }
    return (settings ?? home).map { $0 + "/gattscope/profiles" }
  }

  /// The profiles in this user's folder, by their names. Where there is one that cannot be read, that is said.
  static var ofThisUser: [String] {
    guard let folder else { return [] }
    do throws(FileFailure) {
      return try names(in: folder).filter { isProfile($0) && !Terminal.isOtherThanFile($0) }
    } catch {
      Terminal.complain("\(error.sentence); this goes on without it")
      return []
    }
  }

  /// What else is there, but for what is hidden, and why it is not read.
  static var othersOfThisUser: [(path: String, reason: String)] {
    guard let folder, let names = try? names(in: folder) else { return [] }
    return names.compactMap { path in
      if !isProfile(path) { return (path, "profiles' names end in .yaml or .yml") }
      return Terminal.isOtherThanFile(path) ? (path, "it is no regular file") : nil
    }
  }

  private static func isProfile(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  /// The paths of what a folder holds, but for what is hidden; none where there is no such folder.
  private static func names(in folder: String) throws(FileFailure) -> [String] {
    guard let directory = unsafe opendir(folder) else {
      let code = errno
      guard Terminal.exists(folder) else { return [] }
      throw FileFailure(folder, systemWords(code))
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(folder)/\($0)" }
  }
}
