// swift-format-ignore-file
// Made from Profiles/ by `make profiles`; do not edit.

extension ProfileSources {
  package static let all: [(name: StaticString, text: StaticString)] = []
}
