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
    text(word)
    byte(0x22)
  }

  /// Appends an identifier of so many hexadecimal digits, at most 16, as a JSON string: `"0x0040"`.
  package mutating func jsonIdentifier(_ value: UInt64, digits: Int) {
    guard digits <= 8 else {
      byte(0x22)
      hexadecimal(value, digits: digits)
      byte(0x22)
      return
    }
    // As one: a line has many. Of the first word three bytes count.
    reserve(16)
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    unsafe target.storeBytes(of: UInt32(0x7830_22).littleEndian, as: UInt32.self)
    unsafe target.storeBytes(
      of: Self.digits(value, digits), toByteOffset: 3, as: UInt64.self)
    unsafe target.storeBytes(of: 0x22, toByteOffset: 3 &+ digits, as: UInt8.self)
    count &+= 4 &+ digits
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
