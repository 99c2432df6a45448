// Comparisons that other modules make for every packet. They are written out because a derived one,
// and the general one for optionals, those modules reach only through the protocol's table of functions.

extension ACLHeader.Boundary {
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  package static func != (left: Self, right: Self) -> Bool { left.rawValue != right.rawValue }
}

extension AdvertisingReport.Kind {
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
}

extension AdvertisingReport.DataStatus {
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
}

extension ChannelID {
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}
