package import Decoders
package import Reports
import Sessions

extension RememberedCapture {
  /// Reads a saved map: the output of `map --json`, or one of BlueZ's cache files.
  ///
  /// - Parameter name: the file's own name.
  package init(
    savedMap bytes: [UInt8], name: String, _ profiles: SuppliedProfiles, showsKeys: Bool
  ) throws(MapFileError) {
    let maps = try MapFile.read(bytes, name: name)
    var reader = MapReader(showsKeys: showsKeys, profiles)
    var read: [(map: SuppliedMap, server: ServerMap)] = []
    for saved in maps { read.append((saved.map, reader.map(of: saved))) }
    self.init(read)
  }
}
