/// The files of this folder that every page contains. Each build copies them into the program
/// (`Scripts/write-texts.sh`).
package enum PageTexts {
  /// The number of bytes that they add to each page.
  package static var byteCount: Int {
    page.utf8CodeUnitCount + style.utf8CodeUnitCount + script.utf8CodeUnitCount
  }
}
