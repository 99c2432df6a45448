import CLibyaml

/// The events of a YAML text, one at a time: the only code that sees libyaml.
///
/// libyaml reads without recursion, so nesting costs it memory but never the stack.
@safe
struct YAMLEvents: ~Copyable {
  enum Event {
    case scalar(String)
    case listStart
    case listEnd
    case mappingStart
    case mappingEnd
    case alias
    /// The end of one document; another one may follow.
    case documentEnd
    case textEnd
  }

  /// A position in the text; both numbers count from 1.
  struct Mark: Equatable {
    var line: Int
    var column: Int

    fileprivate init(_ mark: yaml_mark_t) {
      (line, column) = (Int(mark.line) + 1, Int(mark.column) + 1)
    }
  }

  /// Why a text is not YAML, in libyaml's words.
  struct Failure: Error {
    var problem: String
    var mark: Mark
  }

  private let reader: UnsafeMutablePointer<clibyaml_reader>

  /// Opens a text. Returns nil if there is no memory.
  init?(_ text: [UInt8]) {
    let opened = unsafe text.withUnsafeBufferPointer { bytes in
      unsafe clibyaml_open(bytes.baseAddress, bytes.count)
    }
    guard let opened = unsafe opened else { return nil }
    unsafe reader = opened
  }

  deinit { unsafe clibyaml_close(reader) }

  /// Reads the next event.
  mutating func next() throws(Failure) -> Event {
    while true {
      guard unsafe clibyaml_next(reader) != 0 else { throw failure }
      let type = unsafe reader.pointee.event.type
      switch type {
      case YAML_SCALAR_EVENT: return .scalar(scalar)
      case YAML_SEQUENCE_START_EVENT: return .listStart
      case YAML_SEQUENCE_END_EVENT: return .listEnd
      case YAML_MAPPING_START_EVENT: return .mappingStart
      case YAML_MAPPING_END_EVENT: return .mappingEnd
      case YAML_ALIAS_EVENT: return .alias
      case YAML_DOCUMENT_END_EVENT: return .documentEnd
      case YAML_STREAM_END_EVENT: return .textEnd
      // The starts of the text and of a document.
      default: continue
      }
    }
  }

  /// The start of the last event.
  var mark: Mark { unsafe Mark(reader.pointee.event.start_mark) }

  /// The anchor of the last event, or the one its alias refers to.
  var anchor: String? {
    guard let name = unsafe clibyaml_anchor(reader) else { return nil }
    return unsafe String(cString: name)
  }

  /// Whether the last event has a tag.
  var hasTag: Bool { unsafe clibyaml_has_tag(reader) != 0 }

  private var scalar: String {
    var count = 0
    guard let bytes = unsafe clibyaml_scalar(reader, &count) else { return "" }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private var failure: Failure {
    let problem = unsafe reader.pointee.parser.problem
    return unsafe Failure(
      problem: problem.map { unsafe String(cString: $0) } ?? "not enough memory",
      mark: Mark(reader.pointee.parser.problem_mark))
  }
}

/// The library that reads YAML.
package enum YAMLLibrary {
  /// Its version, "0.2.5".
  package static var version: String { unsafe String(cString: yaml_get_version_string()) }
}
