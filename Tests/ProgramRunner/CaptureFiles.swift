package import Foundation

/// The capture files that sweeps read.
package enum CaptureFiles {
  /// The stride through captures that are not the project's own: 1 in `make test-all`, otherwise 5.
  package static let step =
    ProcessInfo.processInfo.environment["SWEEPS"] == "full" ? 1 : 5

  /// Of fewer captures, none is left out.
  private static let few = 20

  /// Returns the project's own captures, and all others or every fifth.
  ///
  /// - Parameter isCapture: Whether the sweep can read a file.
  package static func sampled(_ isCapture: (URL) -> Bool) -> [URL] {
    let own = files(in: Program.package.appending(path: "captures")).filter(isCapture)
    let others = files(in: Program.sharedCaptures).filter(isCapture)
    let step = others.count < few ? 1 : step
    if others.isEmpty {
      print("no captures in ../shared/captures: only the project's own are read")
    } else if step > 1 {
      print("sampled: every fifth of \(others.count) more files")
    }
    return own + stride(from: 0, to: others.count, by: step).map { others[$0] }
  }

  /// Returns the files in a folder and its subfolders.
  private static func files(in folder: URL) -> [URL] {
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (found?.compactMap { $0 as? URL } ?? []).sorted { $0.path < $1.path }
  }
}
