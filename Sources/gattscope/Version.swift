import ArgumentParser
import Bytes
import Captures
import Cryptography
import ProfileFiles
import Reports

/// What `--version` says: which program this is, and of what it is made.
enum Version {
  /// The version of the program; `Makefile` and the Debian package read it here.
  static let number = "0.1.0"

  /// What was known when the program was built.
  static let built = """
    gattscope \(number), commit \(BuildFacts.commit), JSON schema \(JSONSchema.number)
    built with swift-argument-parser \(BuildFacts.argumentParser), \
    OpenSSL \(CryptographyLibrary.version), libyaml \(YAMLLibrary.version)
    """

  /// Prints it, and which libpcap is there, where `error` is how the parser says that someone asked.
  ///
  /// The parser holds a text ready for every run; libpcap is loaded for this one alone.
  ///
  /// - Returns: whether it was asked for.
  static func print(askedBy error: any Error) -> Bool {
    guard GattscopeCommand.exitCode(for: error) == .success,
      GattscopeCommand.message(for: error) == built
    else { return false }
    let libpcap =
      LibpcapVersion.found().map { "libpcap \($0)" }
      ?? "libpcap is not installed: pcap files and its devices cannot be read"
    do {
      try Terminal.write { output in output.string("\(built)\n\(libpcap)\n") }
    } catch {
      GattscopeCommand.exit(withError: error)
    }
    return true
  }
}
