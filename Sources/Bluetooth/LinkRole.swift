/// The role of one end of a link. The raw values are those of HCI.
package enum LinkRole: UInt8, Sendable {
  case central, peripheral

  package var other: LinkRole { self == .central ? .peripheral : .central }

  /// The name in the JSON contract.
  package var key: StaticString { self == .central ? "central" : "peripheral" }
}
