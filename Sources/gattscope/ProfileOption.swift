import ArgumentParser
import Bytes
import Decoders
import Glibc
import ProfileFiles

/// People's own profiles.
struct ProfileFileOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "A profile of one's own that says what values mean; can be repeated. Those in the folder "
        + "gattscope/profiles of XDG_CONFIG_HOME (~/.config) are read, too.",
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
  /// The profiles in this user's folder, by their names.
  static var ofThisUser: [String] { namesInFolder.filter(isProfile) }

  /// What else is there, but for what is hidden.
  static var othersOfThisUser: [String] { namesInFolder.filter { !isProfile($0) } }

  private static func isProfile(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  private static var namesInFolder: [String] {
    let home = Terminal.environment("HOME").map { $0 + "/.config" }
    let settings = Terminal.environment("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 }
    guard let folder = (settings ?? home).map({ $0 + "/gattscope/profiles" }),
      let directory = unsafe opendir(folder)
    else { return [] }
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
