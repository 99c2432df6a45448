import Bluetooth
import Bytes

/// What the ends of a link are called where more is known of them than `this host` and `the peer`,
/// as rules and stories call them.
package struct EndNames: Sendable {
  /// The names, or nil if nothing more is known.
  fileprivate let names: [(words: [UInt8], name: [UInt8])]

  /// - Parameters:
  ///   - local: the captured host as a phrase within a sentence: `this phone`.
  ///   - peer: the other device: `"HRM"`, `the peripheral`.
  package init(local: Wording?, peer: Wording?) {
    names = [(Side.local, local), (.peer, peer)].flatMap { side, name in
      guard let name else { return [([UInt8], [UInt8])]() }
      return [
        ([UInt8](side.words.description.utf8), [UInt8](name.text.utf8)),
        ([UInt8](side.capitalized.description.utf8), [UInt8](name.capitalized.text.utf8)),
      ]
    }
  }
}

extension Wording {
  /// Returns the same words with other names for the two ends. What is quoted is kept.
  package func naming(_ ends: EndNames) -> Wording { replacing(ends.names) }

  /// Returns the same words as a clause after a colon, so without another colon.
  package var withoutColons: Wording {
    replacing([([UInt8](": ".utf8), [UInt8](" – ".utf8))], isWord: false)
  }

  /// Returns the same text with words outside of quotation marks replaced.
  private func replacing(
    _ names: [(words: [UInt8], name: [UInt8])], isWord: Bool = true
  ) -> Wording {
    if let (before, hint, after) = parts {
      return .joining(
        before.replacing(names, isWord: isWord), hint: hint, after.replacing(names, isWord: isWord))
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
        for (words, name) in names where words.first == byte {
          let end = place + words.count
          guard bytes[place...].starts(with: words),
            !isWord || !bytes.isLetter(at: place - 1) && !bytes.isLetter(at: end)
          else { continue }
          replaced += bytes[copied..<place] + name
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
