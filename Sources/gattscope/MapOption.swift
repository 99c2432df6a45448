import ArgumentParser
import Reports
import Sessions

/// Reads the files of `--map`: service maps that are not in the capture.
enum MapArgument {
  static let help = ArgumentHelp(
    "The services of devices, for captures that begin after discovery: the output of map --json on another "
      + "capture, or a file of BlueZ below /var/lib/bluetooth (cache/DEVICE).",
    valueName: "file")

  static func maps(_ paths: [String]) throws -> [SuppliedMap] {
    var maps: [SuppliedMap] = []
    for path in paths {
      let bytes = try Terminal.file(path)
      let name = path.split(separator: "/").last.map(String.init) ?? path
      do throws(MapFileError) {
        maps += try MapFile.read(bytes, name: name).map(\.map)
      } catch {
        Terminal.complain("\(path) \(error.message)")
        throw ExitCode(65)
      }
    }
    return maps
  }
}
