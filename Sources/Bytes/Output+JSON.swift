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
  package mutating func jsonWord(_ word: StaticString) {
    byte(0x22)
    name(word)
    byte(0x22)
  }

  /// Appends a list of numbers: some, and behind them others.
  package mutating func jsonNumbers(_ numbers: ArraySlice<Int>, _ others: ArraySlice<Int> = []) {
    byte(0x5b)
    for index in numbers.indices {
      if index > numbers.startIndex { byte(0x2c) }
      decimal(numbers[index])
    }
    for number in others {
      byte(0x2c)
      decimal(number)
    }
    byte(0x5d)
  }
}
