import Sessions

/// All that is told of a connection with each of its packets: while it stays the same, so does what
/// was written.
struct ConnectionState: Equatable, Sendable {
  /// The connection's number; 0: the link is none.
  let id: Int
  private let changes: Int
  private let names: Int

  init(of link: LinkSlot, _ memory: borrowing Memory) {
    id = memory.links.id(link)
    changes = memory.links.changes(link)
    names = memory.names.generation
  }
}
