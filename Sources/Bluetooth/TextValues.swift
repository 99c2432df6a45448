import Bytes

// What counts as text, wherever a value is printed.

extension BluetoothUUID {
  /// Whether the values of such an attribute are strings: Device Name, the strings of Device
  /// Information, Characteristic User Description.
  package var isString: Bool {
    guard width == 2 else { return false }
    switch low {
    case 0x2a00, 0x2a24...0x2a29, 0x2901: return true
    default: return false
    }
  }
}

extension RawSpan {
  /// Returns whether the bytes look like text: UTF-8 without control characters, and at least four
  /// bytes, or one if the attribute's values are strings. Zeros at the end do not count, since
  /// small numbers have them, too.
  ///
  /// - Parameter uuid: the attribute's type; irrelevant if there are enough bytes.
  package func isText(of uuid: BluetoothUUID?) -> Bool {
    byteCount > 0 && (countWithoutZeros >= Self.enoughForText || uuid?.isString ?? false)
      && isPrintable
  }

  /// The number of bytes from which printable bytes count as text, whatever the attribute.
  package static var enoughForText: Int { 4 }

  /// The number of bytes from which text may have line ends and tabs at every place.
  private static var enoughForLines: Int { 12 }

  /// Whether the bytes are UTF-8 without control characters. Zeros at the end do not count, unless
  /// there is nothing else. Lines may end, as those of many serial protocols do: with CR LF, or at
  /// the end of the value with one of them; in longer text anywhere, and tabs, too.
  package var isPrintable: Bool {
    let end = countWithoutZeros
    if end == 0, byteCount > 0 { return false }
    var offset = 0
    var printable = 0
    while offset < end {
      switch textUnit(at: offset) {
      case .invalid: return false
      case .scalar(0x0d, _) where offset + 1 < end && byte(at: offset + 1) == 0x0a: offset += 2
      case .scalar(0x0a, _) where offset + 1 == end, .scalar(0x0d, _) where offset + 1 == end:
        offset += 1
      case .scalar(0x0a, _) where end >= Self.enoughForLines,
        .scalar(0x0d, _) where end >= Self.enoughForLines,
        .scalar(0x09, _) where end >= Self.enoughForLines:
        offset += 1
      case .scalar(let scalar, let count):
        guard scalar >= 0x20, !(0x7f...0x9f ~= scalar) else { return false }
        printable += count
        offset += count
      }
    }
    // Two bytes of a number may be a line end by chance.
    return printable >= min(2, end)
  }
}
