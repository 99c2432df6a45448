// The pieces of JSON that are written most.

extension Output {
  /// Appends a key with its quotes and colon, after a comma unless it is the first of its object.
  /// The specification's names become keys in lower case: `Connection_Handle`, `connection_handle`.
  @inlinable
  package mutating func jsonKey(_ key: StaticString, isFirst: Bool) {
    if !isFirst { byte(0x2c) }
    byte(0x22)
    lowercased(key)
    text("\":")
  }

  /// Appends constant text, which needs no escapes, as a JSON string.
  @inlinable
  package mutating func jsonWord(_ word: StaticString) {
    let length = word.utf8CodeUnitCount
    guard length <= Self.slack else {
      byte(0x22)
      text(word)
      byte(0x22)
      return
    }
    // Room is asked for once.
    reserve(length &+ 2)
    let target = unsafe buffer + count
    unsafe target[0] = 0x22
    unsafe (target + 1).update(from: word.utf8Start, count: length)
    unsafe target[length &+ 1] = 0x22
    count &+= length &+ 2
  }
}
