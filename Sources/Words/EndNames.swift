import Bluetooth
import Bytes

/// What the ends of a link are called where more is known of them than `this host` and `the peer`,
/// as rules and stories call them.
package struct EndNames: Sendable {
  /// A longer name, in bytes, would hide the sentence.
  private static let longestName = 40

  /// What the captured host is called if the capture shows that it is a phone.
  package static let phone: Wording = "this phone"

  /// Returns a device's name as a phrase, unless it is too long for one.
  package static func phrase(_ name: [UInt8]) -> Wording? {
    1...longestName ~= name.count ? "\(quoted: name)" : nil
  }

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

  /// The same words without a clause at their end about this program, as `; --show-keys prints it`,
  /// for readers who may not have it.
  package var withoutHint: Wording {
    let bytes = [UInt8](text.utf8)
    for hint in ["; --", "; gattscope "] {
      // What is quoted came from a device.
      var place = bytes.count - 1
      while place >= 0, bytes[place] != 0x22 {
        if bytes[place...].starts(with: hint.utf8) {
          let end = bytes.last == 0x2e ? "." : ""
          return with(String(decoding: bytes[..<place], as: UTF8.self) + end)
        }
        place -= 1
      }
    }
    return self
  }

  /// Returns the same words with others for some of them: the first that fit. What is quoted is
  /// kept.
  package func replacing(_ words: [(old: String, new: String)]) -> Wording {
    replacing(words.map { ([UInt8]($0.old.utf8), [UInt8]($0.new.utf8)) })
  }

  /// Returns the same text with words outside of quotation marks replaced.
  private func replacing(
    _ names: [(words: [UInt8], name: [UInt8])], isWord: Bool = true
  ) -> Wording {
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
