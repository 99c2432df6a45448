package import Sessions

extension ValueOperation {
  /// The name in a line of text.
  package var words: StaticString {
    switch self {
    case .advertisement: "advertised"
    case .read: "read"
    case .write: "write"
    case .writeWithoutResponse: "write-no-response"
    case .signedWrite: "signed-write"
    case .preparedWrite: "prepared-write"
    case .notification: "notification"
    case .indication: "indication"
    case .data: "data"
    }
  }

  /// Creates the operation that a user names: as text or JSON prints it, or as other programs call
  /// it, in any case and with any separators.
  package init?(named name: String) {
    let letters = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    let found = Self.allCases.first { operation in
      ([operation.words, operation.key] + operation.synonyms).contains {
        $0.description.filter { $0 != "-" && $0 != "_" } == letters
      }
    }
    guard let found else { return nil }
    self = found
  }

  private var synonyms: [StaticString] {
    switch self {
    case .advertisement: ["adv"]
    case .read, .write, .data: []
    case .writeWithoutResponse: ["writenr", "writewithoutresponse", "writecommand", "writecmd"]
    case .signedWrite: ["signedwritecommand", "authenticatedsignedwrites"]
    case .preparedWrite: ["preparewrite"]
    case .notification: ["notify", "notifications"]
    case .indication: ["indicate", "indications"]
    }
  }
}
