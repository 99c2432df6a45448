/// An error in a profile's file.
package struct ProfileError: Error, Equatable, Sendable {
  /// The file's name, as given.
  package var file: String
  /// The line, from 1; 0 if the error concerns the whole file.
  package var line: Int
  /// The keys that lead to the error: `characteristics.fields.scale`.
  package var key: String
  /// What was expected, and what was found.
  package var message: String

  /// The printed form: `band.yaml:12: fields.scale: expected a mapping`.
  package var description: String {
    let place = line > 0 ? "\(file):\(line)" : file
    return key.isEmpty ? "\(place): \(message)" : "\(place): \(key): \(message)"
  }
}
