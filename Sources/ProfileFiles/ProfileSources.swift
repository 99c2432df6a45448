/// The YAML of the program's own profiles, as Profiles/ has it.
package enum ProfileSources {
  /// The text of a profile; nil where there is none of this name.
  package static func text(_ name: String) -> StaticString? {
    all.first { "\($0.name)" == name }?.text
  }

  /// All of them as files, for `layout:` in people's profiles.
  package static var files: [(name: String, bytes: [UInt8])] {
    all.map { ("\($0.name)", [UInt8]("\($0.text)".utf8)) }
  }
}
