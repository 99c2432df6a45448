import ArgumentParser
import Bluetooth
import Bytes
import Captures
import ProfileFiles
import Sessions

/// Reads the files of `--keys`: keys that are not in the capture.
enum KeysArgument {
  static let help = ArgumentHelp(
    "Keys of devices, to decrypt what a sniffer recorded, to resolve private addresses and to find which "
      + "key was used: a YAML file as described in docs/keys.md; BlueZ's info file of a device "
      + "(/var/lib/bluetooth/ADAPTER/DEVICE/info; elsewhere ADDRESS=FILE); or another capture, of the "
      + "pairing or of one of the hosts. Keys are printed only with --show-keys.",
    valueName: "file")

  /// - Parameter remarks: whether to report a capture that has no key.
  static func bonds(_ arguments: [String], remarks: Bool = true) throws -> [Bond] {
    var bonds: [Bond] = []
    for argument in arguments {
      let (path, address) = Self.parts(argument)
      try refuseKey(argument, path)
      if Terminal.isFile(path), CaptureSearch.isExpected(in: path) {
        bonds += try Self.bonds(inCapture: path, knowing: bonds, remarks: remarks)
        continue
      }
      let bytes = try Terminal.file(path)
      if CaptureFormat.detect(bytes.bytes) != nil {
        Terminal.complain("\(path) is a capture, which --keys reads only from a regular file")
        throw ExitCode(66)
      }
      do throws(ProfileError) {
        bonds += try KeysFile.read(bytes, file: path, address: address)
      } catch {
        Terminal.complain(error.description)
        throw ExitCode(65)
      }
    }
    return bonds
  }

  /// Refuses a key in place of a file: other users can see the arguments of a program.
  private static func refuseKey(_ argument: String, _ path: String) throws {
    guard !Terminal.exists(path) else { return }
    let isPasskey = KeysFile.isPasskey(argument)
    guard isPasskey || argument.split(separator: "=").contains(where: KeysFile.mayBeKey) else {
      return
    }
    let (what, line) = isPasskey ? ("passkey", "passkey: 123456") : ("key", "ltk: 000102…0f")
    Terminal.complain(
      "--keys takes the name of a file with keys, not a \(what), which other users could see; write into the file: "
        + "devices: [{address: any, \(line)}] (docs/keys.md)")
    throw ExitCode(66)
  }

  /// Splits `ADDRESS=PATH` into the path and the address. Without `=`, the address is the name of
  /// the folder that holds the file.
  static func parts(_ argument: String) -> (path: String, address: DeviceAddress?) {
    if let equals = argument.firstIndex(of: "="),
      let address = DeviceAddress(text: argument[..<equals])
    {
      return (String(argument[argument.index(after: equals)...]), address)
    }
    let folder = Terminal.realPath(argument).split(separator: "/").dropLast().last
    return (argument, folder.flatMap { DeviceAddress(text: $0) })
  }
}

extension KeysArgument {
  /// Reads the keys in another capture, up to its end or the damage in it.
  ///
  /// - Parameter bonds: what is known from other files, which may help to decrypt it.
  private static func bonds(
    inCapture path: String, knowing bonds: [Bond], remarks: Bool
  ) throws -> [Bond] {
    var collection = KeyCollection(file: path, bonds)
    do throws(CaptureFailure) {
      let found = try CaptureSearch([path], folder: Terminal.temporaryFolder)
      var source = try found.joined()
      var pass = Pass(bonds: bonds)
      var output = Output()
      try pass.run(&source, &collection, into: &output)
    } catch {
      Terminal.complain(error.sentence(about: path))
      guard error.kind == .damaged else { throw ExitCode(error.kind.status) }
    }
    if collection.bonds.isEmpty, remarks {
      Terminal.complain("\(path) has no key: \(collection.lack.words)")
    }
    return collection.bonds
  }
}

extension KeyCollection.Lack {
  /// Why a capture has no key, as a clause.
  fileprivate var words: String {
    switch self {
    case .nothing: "no pairing in it gives one, and no host gives its controller one"
    case .secureConnections:
      "its devices pair with LE Secure Connections, whose key never crosses the air; either device has it, and so has the HCI log of its host"
    case .undecrypted: "the pairing in it cannot be decrypted"
    case .notDistributed: "the pairing in it gives none, and no host gives its controller one"
    }
  }
}
