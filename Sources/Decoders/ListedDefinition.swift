import Bytes
import Synchronization

/// A definition that a lookup may find. Of a built-in one, only what decides whether it is used is
/// read at first, and the rest if it is: many definitions of one company or AD type are not.
package final class ListedDefinition: Sendable {
  package let subject: Subject
  /// Whether the subject accepts any bytes.
  private let fitsAll: Bool
  /// The line of `BuiltInProfiles` with the definition; not used if that is known.
  private let line: Int
  private let known: Mutex<Definition?>

  /// Creates an entry for a definition of the user's.
  init(_ definition: Definition) {
    (subject, line) = (definition.subject, 0)
    fitsAll = subject.fitsAll
    known = Mutex(definition)
  }

  /// Creates an entry for a built-in definition; nil if its stored form is damaged.
  ///
  /// - Parameter text: the stored form.
  init?(_ text: RawSpan, line: Int) {
    var reader = TableReader(StoredText.bytes(text, upTo: Self.usualHead))
    var subject = Definition.subject(&reader)
    if !reader.isSound {
      reader = TableReader(StoredText.bytes(text))
      subject = Definition.subject(&reader)
      guard reader.isSound else { return nil }
    }
    (self.subject, self.line) = (subject, line)
    fitsAll = subject.fitsAll
    known = Mutex(nil)
  }

  /// The bytes that hold the names and the subject of almost any definition.
  private static let usualHead = 64

  /// The definition; nil if its stored form is damaged.
  package var definition: Definition? {
    known.withLock { known in
      if known == nil { known = BuiltInProfiles.definition(at: line) }
      return known
    }
  }

  /// Returns whether the bytes match the subject, most of which accept any.
  package func fits(_ bytes: RawSpan) -> Bool { fitsAll || subject.fits(bytes) }
}
