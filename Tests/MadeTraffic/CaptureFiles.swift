import Captures
import Foundation

/// The capture files that sweeps read.
package enum CaptureFiles {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let own = readable(in: package.appending(path: "captures"))
  /// Captures that are not part of the project.
  private static let others = readable(
    in: package.deletingLastPathComponent().appending(path: "shared/captures"))

  /// Every this many of the others are read: all in `make test-all`, otherwise every third.
  private static let step =
    ProcessInfo.processInfo.environment["SWEEPS"] == "full" ? 1 : 3

  /// The paths of the project's own captures, and of all others or every third.
  package static let sampled: [String] = {
    if others.isEmpty {
      print("no captures in ../shared/captures: only the project's own are read")
    } else if step > 1 {
      print("sampled: every third of \(others.count) more files")
    }
    return own + stride(from: 0, to: others.count, by: step).map { others[$0] }
  }()

  /// Returns the paths of the captures in a folder and its subfolders.
  private static func readable(in folder: URL) -> [String] {
    var found: [String] = []
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      if (try? CaptureReader(path: file.path)) != nil { found.append(file.path) }
    }
    return found.sorted()
  }
}
