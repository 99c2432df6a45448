import Bluetooth
import Bytes
import Histories

/// Text that users and programs have written into a capture: nothing stays but what `explain`
/// reads.
enum ProgramText {
  private static let filler = UInt8(ascii: "*")

  /// Returns the text with its letters replaced; spaces, and the zeros between and after texts,
  /// stay.
  static func redacted(_ text: [UInt8], _ addresses: AddressBook) -> [UInt8] {
    var result = text.map { $0 == 0 || $0 == 0x20 || $0 == 0x0a ? $0 : filler }
    for offset in text.indices {
      let rest = text.bytes.dropping(offset)
      for known in [HostFacts.message, HostFacts.question] where rest.starts(with: known) {
        let count = known.utf8CodeUnitCount
        result.replaceSubrange(offset..<offset + count, with: text[offset..<offset + count])
        guard let written = WrittenAddress(text, at: offset + count) else { continue }
        written.write(addresses[written.address], into: &result, at: offset + count)
      }
    }
    return result
  }
}

/// An address as text: twelve hexadecimal digits, in pairs with the same separator between them or
/// none.
struct WrittenAddress {
  let address: DeviceAddress
  /// The separator; nil: none.
  private let separator: UInt8?
  private let isUppercase: Bool

  /// The number of bytes.
  var count: Int { separator == nil ? 12 : 17 }

  init?(_ text: [UInt8], at start: Int) {
    guard start + 12 <= text.count else { return nil }
    let third = text[start + 2]
    separator = [UInt8](":-_".utf8).contains(third) ? third : nil
    guard start + (separator == nil ? 12 : 17) <= text.count else { return nil }
    var value: UInt64 = 0
    var hasLower = false
    var offset = start
    for octet in 0..<6 {
      if octet > 0, let separator {
        guard text[offset] == separator else { return nil }
        offset += 1
      }
      for _ in 0..<2 {
        guard let digit = Self.digit(text[offset]) else { return nil }
        if text[offset] >= UInt8(ascii: "a") { hasLower = true }
        value = value << 4 | UInt64(digit)
        offset += 1
      }
    }
    address = DeviceAddress(value: value)
    isUppercase = !hasLower
  }

  /// Returns the value of a hexadecimal digit.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// Writes another address in the same form.
  func write(_ other: DeviceAddress, into text: inout [UInt8], at start: Int) {
    let digits = Array((isUppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
    var offset = start
    for octet in 0..<6 {
      if octet > 0, separator != nil { offset += 1 }
      let byte = Int(other.value >> UInt64(40 - 8 * octet) & 0xff)
      text[offset] = digits[byte >> 4]
      text[offset + 1] = digits[byte & 15]
      offset += 2
    }
    if let separator {
      for octet in 1..<6 { text[start + 3 * octet - 1] = separator }
    }
  }
}
