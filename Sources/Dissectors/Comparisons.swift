// Comparisons that other modules make for every packet. They are written out because those modules
// can only reach derived ones, and the generic one for optionals, through a witness table.

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
