import ArgumentParser
import Bytes
import Captures
import Cryptography
import ProfileFiles
import Reports

/// What `--version` prints: the program's version and its components.
enum Version {
  /// The version of the program; `Makefile` and the Debian package read it here.
  static let number = "0.1.0"

  /// The versions that were known when the program was built.
  static let built = """
    gattscope \(number), commit \(BuildFacts.commit), JSON schema \(JSONSchema.number)
    built with swift-argument-parser \(BuildFacts.argumentParser), \
    OpenSSL \(CryptographyLibrary.version), libyaml \(YAMLLibrary.version)
    """

  /// Returns whether the parser threw `error` because the user asked for the version.
  static func isAskedFor(by error: any Error) -> Bool {
    GattscopeCommand.exitCode(for: error) == .success
      && GattscopeCommand.message(for: error) == built
  }

  /// Prints the versions, including that of libpcap, which is loaded just for this.
  static func print() throws {
    let libpcap =
      LibpcapVersion.found().map { "libpcap \($0)" }
      ?? "libpcap is not installed: pcap files and its devices cannot be read"
    try Terminal.write { output in output.string("\(built)\n\(libpcap)\n") }
  }
}
