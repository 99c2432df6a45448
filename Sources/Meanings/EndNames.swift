import Bluetooth
import Bytes

/// What the ends of a link are called where more is known of them than `this host` and `the peer`,
/// as rules and stories call them.
package struct EndNames: Sendable {
  /// A longer name, in bytes, would hide the sentence.
  private static let longestName = 40

  /// Returns what the captured host is called if the capture shows that it is a phone.
  package static func phone(isBtsnooz: Bool, isAndroid: Bool, adapters: Int) -> Wording? {
    isBtsnooz || isAndroid && adapters == 1 ? "this phone" : nil
  }

  /// Returns a device's name as a phrase, unless it is too long for one.
  package static func phrase(_ name: [UInt8]) -> Wording? {
    1...longestName ~= name.count ? "\(quoted: name)" : nil
  }

  /// The names in captures from the air, unless more is known.
  package static let onAir = EndNames(onAir: nil)

  /// Creates the names for captures from the air, where the central is meant by `the host`, too.
  ///
  /// - Parameter peer: the peripheral's name as a phrase, if it is known.
  package init(onAir peer: Wording?) {
    let central: Wording = "\(Side.local.words(.air))"
    names = Replacements(
      Self.list([
        ("this host", central), ("the host", central),
        ("\(Side.peer.words)", peer ?? "\(Side.peer.words(.air))"),
      ]))
  }

  /// The names, or nil if nothing more is known.
  fileprivate let names: Replacements

  /// - Parameters:
  ///   - local: the captured host as a phrase within a sentence: `this phone`.
  ///   - peer: the other device: `"HRM"`, `the peripheral`.
  package init(local: Wording?, peer: Wording?) {
    names = Replacements(
      Self.list([("\(Side.local.words)", local), ("\(Side.peer.words)", peer)]))
  }

  /// Returns what replaces words, if known, also at the beginning of a sentence.
  private static func list(
    _ names: [(words: Wording, name: Wording?)]
  ) -> [(words: [UInt8], other: [UInt8])] {
    names.flatMap { words, name in
      guard let name else { return [(words: [UInt8], other: [UInt8])]() }
      return [(words, name), (words.capitalized, name.capitalized)].map {
        ([UInt8]($0.text.utf8), [UInt8]($1.text.utf8))
      }
    }
  }
}

/// Words, and what replaces them.
private struct Replacements: Sendable {
  let list: [(words: [UInt8], other: [UInt8])]
  /// The first bytes of the words, since most bytes of a text begin none.
  private var letters: UInt64 = 0

  init(_ list: [(words: [UInt8], other: [UInt8])]) {
    self.list = list
    for case let first? in list.map(\.words.first) { letters |= Self.bit(first) }
  }

  func mayBegin(with byte: UInt8) -> Bool { letters & Self.bit(byte) != 0 }

  /// Bytes below `@` share one bit.
  private static func bit(_ byte: UInt8) -> UInt64 { 1 << UInt64(byte < 0x40 ? 0 : byte & 0x3f) }
}

extension Wording {
  /// Returns the same words with other names for the two ends. What is quoted is kept.
  package func naming(_ ends: EndNames) -> Wording { replacing(ends.names) }

  /// Returns the same words as a clause after a colon, so without another colon.
  package var withoutColons: Wording {
    replacing(Replacements([([UInt8](": ".utf8), [UInt8](" – ".utf8))]), isWord: false)
  }

  /// Returns the same text with words outside of quotation marks replaced.
  private func replacing(_ replacements: Replacements, isWord: Bool = true) -> Wording {
    if replacements.list.isEmpty { return self }
    if let (before, hint, after) = parts {
      return .joining(
        before.replacing(replacements, isWord: isWord), hint: hint,
        after.replacing(replacements, isWord: isWord))
    }
    let bytes = [UInt8](text.utf8)
    var replaced: [UInt8] = []
    var (place, copied) = (0, 0)
    var isQuoted = false
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\\"): place += 1
      case UInt8(ascii: "\""): isQuoted.toggle()
      case _ where isQuoted: break
      case let byte:
        guard replacements.mayBegin(with: byte), !isWord || !bytes.isLetter(at: place - 1) else {
          break
        }
        for (words, other) in replacements.list where words.first == byte {
          let end = place + words.count
          guard bytes[place...].starts(with: words), !isWord || !bytes.isLetter(at: end) else {
            continue
          }
          replaced += bytes[copied..<place] + other
          (place, copied) = (end - 1, end)
          break
        }
      }
      place += 1
    }
    guard copied > 0 else { return self }
    return with(String(decoding: replaced + bytes[copied...], as: UTF8.self))
  }
}

extension [UInt8] {
  /// Returns whether there is a letter at a place, so that a word before or after it is longer.
  fileprivate func isLetter(at place: Int) -> Bool {
    indices.contains(place) && UInt8(ascii: "a")...UInt8(ascii: "z") ~= self[place] | 0x20
  }
}
