/// The files of this folder that pages are made of. Each build copies them into the program (`Scripts/write-texts.sh`).
enum PageTexts {
  /// How many bytes they add to each page.
  static var byteCount: Int {
    page.utf8CodeUnitCount + style.utf8CodeUnitCount + script.utf8CodeUnitCount
  }
}
