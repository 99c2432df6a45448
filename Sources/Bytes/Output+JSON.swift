// The pieces of JSON that are written most, each in one call.

extension Output {
  /// Appends a key with its quotes and colon, after a comma unless it is the first of its object.
  /// The specification's names become keys in lower case: `Connection_Handle`, `connection_handle`.
  package mutating func jsonKey(
    _ key: StaticString, suffix: StaticString = "", isFirst: Bool
  ) {
    let length = key.utf8CodeUnitCount
    let suffixLength = suffix.utf8CodeUnitCount
    reserve(length + suffixLength + 16)
    if !isFirst { put(0x2c) }
    put(0x22)
    copyLowercased(key, length)
    if suffixLength > 0 { copy(suffix, suffixLength) }
    put(0x22)
    put(0x3a)
  }

  /// Appends constant text, which needs no escapes, as a JSON string.
  package mutating func jsonWord(_ word: StaticString) {
    let length = word.utf8CodeUnitCount
    reserve(length + 16)
    put(0x22)
    copy(word, length)
    put(0x22)
  }
}
