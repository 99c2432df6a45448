// The JSON fragments written most often.

extension Output {
  /// Appends a key with its quotes and colon, preceded by a comma unless it is the first in its
  /// object. The specification's names become lower-case keys: `Connection_Handle` is written as
  /// `connection_handle`.
  @inlinable
  package mutating func jsonKey(_ key: StaticString, isFirst: Bool) {
    if !isFirst { byte(0x2c) }
    byte(0x22)
    lowercased(key.bytes)
    text("\":")
  }

  /// Appends bytes as a JSON string, escaped as in `jsonEscaped`.
  package mutating func jsonString(_ bytes: RawSpan) {
    byte(0x22)
    jsonEscaped(bytes)
    byte(0x22)
  }

  /// Appends a text as a JSON string.
  package mutating func jsonString(_ text: String) { jsonString([UInt8](text.utf8).bytes) }

  /// Appends constant text that needs no escaping as a JSON string.
  package mutating func jsonWord(_ word: StaticString) {
    byte(0x22)
    text(word)
    byte(0x22)
  }

  /// Appends an identifier of `digits` hexadecimal digits, at most 16, as a JSON string:
  /// `"0x0040"`.
  package mutating func jsonIdentifier(_ value: UInt64, digits: Int) {
    guard digits <= 8 else {
      byte(0x22)
      hexadecimal(value, digits: digits)
      byte(0x22)
      return
    }
    // Written with few stores, since a line has many. Three bytes of the first word count.
    reserve(16)
    let target = unsafe UnsafeMutableRawPointer(buffer + count)
    unsafe target.storeBytes(of: UInt32(0x7830_22).littleEndian, as: UInt32.self)
    unsafe target.storeBytes(
      of: Self.digits(value, digits), toByteOffset: 3, as: UInt64.self)
    unsafe target.storeBytes(of: 0x22, toByteOffset: 3 &+ digits, as: UInt8.self)
    count &+= 4 &+ digits
  }

  /// Appends a JSON list of `numbers` followed by `others`.
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
