// Which tables make up the Core Specification's; each stands in a file of its own.

extension HCITable {
  static var coreCommands: [HCIRow] { [] }
  static var coreEvents: [HCIRow] { [] }
  static var coreSubevents: [HCIRow] { [] }
}
