/// What is wrong in a profile's file.
package struct ProfileError: Error, Equatable, Sendable {
  /// The file, as it was named.
  package var file: String
  /// The line, from 1; 0 where the file as a whole is meant.
  package var line: Int
  /// The keys that lead there: `characteristics.fields.scale`.
  package var key: String
  /// What was expected, and what is there.
  package var message: String

  /// As it is printed: `band.yaml:12: fields.scale: expected a mapping`.
  package var description: String {
    let place = line > 0 ? "\(file):\(line)" : file
    return key.isEmpty ? "\(place): \(message)" : "\(place): \(key): \(message)"
  }
}
