// swift-format-ignore-file
// Made from Profiles/ by `make profiles`; do not edit.

extension BuiltInProfiles {
  static let index: StaticString = ""
  static let definitions: StaticString = ""
  static let protocols: StaticString = ""
}
