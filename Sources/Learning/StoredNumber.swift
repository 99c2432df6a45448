extension [UInt8] {
  /// Returns the number in some bytes, up to four. The caller checks that they exist.
  func number(at place: Int, width: Int, isBigEndian: Bool) -> UInt32 {
    var number: UInt32 = 0
    for index in 0..<width {
      number = number << 8 | UInt32(self[place + (isBigEndian ? index : width - 1 - index)])
    }
    return number
  }
}
