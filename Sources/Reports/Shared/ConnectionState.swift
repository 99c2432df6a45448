import Sessions

/// The state of a connection that is printed with each of its packets. If it is unchanged, so is
/// the text.
package struct ConnectionState: Equatable, Sendable {
  /// The connection's number; 0 if the link is not a connection.
  let id: Int
  private let changes: Int
  private let names: Int

  init(of link: LinkSlot, _ memory: borrowing Memory) {
    id = memory.links.id(link)
    changes = memory.links.changes(link)
    names = memory.names.generation
  }
}
