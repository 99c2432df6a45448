import ArgumentParser
import Bytes
import Captures
import Decoders
import Glibc
import ProfileFiles

/// Reads the files of `--profile`: the user's own profiles.
enum ProfileArgument {
  static let help = ArgumentHelp(
    "Your own profile of values; can be repeated. Profiles in "
      + "~/.config/gattscope/profiles (XDG_CONFIG_HOME) are always read.",
    valueName: "file")
  static let completion = CompletionKind.file(extensions: ["yaml", "yml"])

  /// Reads the profiles: those that were named, then those in the user's folder.
  static func profiles(_ paths: [String]) throws -> SuppliedProfiles {
    var supplied = SuppliedProfiles()
    for profile in try ProfileFilesOnDisk.read(paths, beside: ProfileFilesOnDisk.ofThisUser) {
      supplied.definitions += profile.definitions
      if let vendor = profile.vendor { supplied.vendors.append(vendor) }
      if paths.contains(profile.file) {
        supplied.named.append(
          SuppliedProfiles.Named(
            file: profile.file, definitions: profile.definitions, vendor: profile.vendor))
      }
    }
    return supplied
  }
}

extension ProfileFilesOnDisk {
  /// The folder of the user's profiles, or nil if the environment names none.
  private static var folder: String? {
    let home = Terminal.environment("HOME").map { $0 + "/.config" }
    let settings = Terminal.environment("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 }
    return (settings ?? home).map { $0 + "/gattscope/profiles" }
  }

  /// The paths of the profiles in the user's folder, sorted by name. A folder that cannot be read
  /// is reported.
  static var ofThisUser: [String] {
    guard let folder else { return [] }
    do throws(FileFailure) {
      return try names(in: folder).filter { isProfile($0) && !Terminal.isOtherThanFile($0) }
    } catch {
      Terminal.complain("\(error.sentence); gattscope continues without it")
      return []
    }
  }

  /// The other files in the user's folder, except hidden ones, and why each one is not read.
  static var othersOfThisUser: [(path: String, reason: String)] {
    guard let folder, let names = try? names(in: folder) else { return [] }
    return names.compactMap { path in
      if !isProfile(path) { return (path, "profiles' names end in .yaml or .yml") }
      return Terminal.isOtherThanFile(path) ? (path, "it is not a regular file") : nil
    }
  }

  private static func isProfile(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".yaml") || name.hasSuffix(".yml")
  }

  /// Returns the paths of the files in a folder, except hidden ones, or none if the folder does not
  /// exist.
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
