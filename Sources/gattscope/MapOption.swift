import ArgumentParser
import Reports
import Sessions

/// The options for service maps that are not in the capture.
struct MapFileOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The services of devices, for captures that begin after discovery: the output of map --json on another "
        + "capture, or a file of BlueZ below /var/lib/bluetooth (cache/DEVICE).",
      valueName: "file"),
    completion: .file())
  var map: [String] = []

  /// Reads the maps from the files.
  func maps() throws -> [SuppliedMap] {
    var maps: [SuppliedMap] = []
    for path in map {
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
