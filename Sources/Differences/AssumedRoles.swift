import Sessions

// Which device did something, for captures that do not show the roles: those without events, and
// those that begin within a connection.

extension Session {
  /// Assumes the role of the captured host where a capture does not show it: the one with which more
  /// operations equal those of the other side.
  static func assumeRoles(_ left: inout Session, _ right: inout Session) {
    let (one, other) = (left.localRole, right.localRole)
    let first = one ?? other ?? .central
    if one == nil, other != nil {
      left.assume(left.likelyRole(beside: right, first))
      right.assume(first)
    } else {
      left.assume(first)
      right.assume(other ?? right.likelyRole(beside: left, first))
    }
  }

  /// Returns the likelier role if the other session's host has a known or assumed one: the same
  /// unless more operations fit the opposite.
  private func likelyRole(beside other: Session, _ role: Connection.Role) -> Connection.Role {
    let traits = other.traits(of: role)
    return common(as: role, with: traits) >= common(as: role.other, with: traits)
      ? role : role.other
  }

  /// What is done to which attribute by which device.
  private struct Trait: Hashable {
    var kind: Int
    var role: [UInt8]
    var isByCentral: Bool
  }

  /// Returns the traits of all operations if the captured host has this role.
  private func traits(of role: Connection.Role) -> Set<Trait> {
    var traits: Set<Trait> = []
    for connection in connections {
      for operation in connection.operations {
        guard let isByHost = operation.isByHost else { continue }
        traits.insert(
          Trait(
            kind: operation.kind.number, role: operation.role.map { roles[$0].key } ?? [],
            isByCentral: isByHost == (role == .central)))
      }
    }
    return traits
  }

  private func common(as role: Connection.Role, with others: Set<Trait>) -> Int {
    traits(of: role).intersection(others).count
  }

  private mutating func assume(_ role: Connection.Role) {
    assumedRole = role
    // Without a known role, the peer counts as the peripheral.
    if localRole == nil, role == .peripheral {
      servers = (servers.central, servers.peripheral)
    }
  }

  /// The operations of all connections, one after the other, with their devices.
  var operationsOfDevices: [Operation] {
    var operations = operations
    for index in operations.indices {
      let operation = operations[index]
      operations[index].isByCentralAssumed =
        operation.isByCentral
        ?? (operation.kind == .connect
          ? true : operation.isByHost.map { $0 == (assumedRole == .central) })
    }
    return operations
  }
}

extension Connection.Role {
  fileprivate var other: Self { self == .central ? .peripheral : .central }
}
