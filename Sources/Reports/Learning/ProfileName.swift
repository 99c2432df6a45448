/// Names in the characters of the profiles' language: `a` to `z`, digits and `_`.
package enum ProfileName {
  /// Returns a text as a name of up to 40 characters; empty if no letter is left.
  package static func of(_ text: some StringProtocol) -> String {
    var letters: [UInt8] = []
    for byte in text.utf8 {
      let lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
      let isAllowed = lower >= 0x61 && lower <= 0x7a || lower >= 0x30 && lower <= 0x39
      letters.append(isAllowed ? lower : 0x5f)
    }
    var name = letters.drop { $0 < 0x61 }.prefix(40)
    while name.last == 0x5f { name.removeLast() }
    return String(decoding: name, as: UTF8.self)
  }
}
