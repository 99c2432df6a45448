import ArgumentParser
import Bluetooth
import ProfileFiles

/// Reads the files of `--keys`: keys of bonds that are not in the capture.
enum KeysArgument {
  static let help = ArgumentHelp(
    "Keys of bonds, to resolve private addresses and to find which key was used: a YAML file as "
      + "described in docs/keys.md, or BlueZ's info file of a device "
      + "(/var/lib/bluetooth/ADAPTER/DEVICE/info; elsewhere ADDRESS=FILE). Keys are printed only with "
      + "--show-keys.",
    valueName: "file")

  static func bonds(_ arguments: [String]) throws -> [Bond] {
    var bonds: [Bond] = []
    for argument in arguments {
      let (path, address) = Self.parts(argument)
      if argument.split(separator: "=").contains(where: KeysFile.mayBeKey), !Terminal.exists(path) {
        Terminal.complain("--keys takes the name of a file with keys, not a key: see docs/keys.md")
        throw ExitCode(66)
      }
      let bytes = try Terminal.file(path)
      do throws(ProfileError) {
        bonds += try KeysFile.read(bytes, file: path, address: address)
      } catch {
        Terminal.complain(error.description)
        throw ExitCode(65)
      }
    }
    return bonds
  }

  /// Splits `ADDRESS=PATH` into the path and the address. Without `=`, the address is the name of
  /// the folder that holds the file.
  private static func parts(_ argument: String) -> (path: String, address: DeviceAddress?) {
    if let equals = argument.firstIndex(of: "="),
      let address = DeviceAddress(text: argument[..<equals])
    {
      return (String(argument[argument.index(after: equals)...]), address)
    }
    let folder = Terminal.realPath(argument).split(separator: "/").dropLast().last
    return (argument, folder.flatMap { DeviceAddress(text: $0) })
  }
}
