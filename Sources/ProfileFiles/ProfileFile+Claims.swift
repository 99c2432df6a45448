import Bluetooth
import Decoders

// Where a protocol is used, and on which channels.

extension ProtocolReader {
  /// Reads `applies_to`.
  static func claims(_ node: SourceNode) throws(ProfileError) -> [VendorProtocol.Claim] {
    var claims: [VendorProtocol.Claim] = []
    for node in try node.list("a list of mappings") {
      let keys = try KeyedNode(node, "a mapping of device, service, characteristic, company, frame")
      var claim = VendorProtocol.Claim()
      claim.device = try keys.node("device")?.text()
      claim.service = try keys.node("service")?.uuid()
      claim.characteristic = try keys.node("characteristic")?.uuid()
      if let company = keys.node("company") {
        let text = try company.text("a company identifier")
        guard let number = UInt16(text, radix: 16) else {
          throw company.error(
            "expected a company identifier such as \"004c\", found \(company.kind)")
        }
        claim.company = number
      }
      claim.isFrame = try keys.node("frame")?.flag() ?? false
      try keys.finish()
      guard claim != VendorProtocol.Claim() else { throw node.error("expected at least one key") }
      claims.append(claim)
    }
    return claims
  }

  /// Reads `requests` or `responses`.
  static func channels(_ node: SourceNode) throws(ProfileError) -> [VendorProtocol.Channel] {
    guard case .list(let list) = node.content else { return [try channel(node)] }
    var channels: [VendorProtocol.Channel] = []
    for node in list { channels.append(try channel(node)) }
    return channels
  }

  private static func channel(_ node: SourceNode) throws(ProfileError) -> VendorProtocol.Channel {
    switch try node.text("write, notify, read or a UUID") {
    case "write": return .write
    case "notify": return .notify
    case "read": return .read
    default: return .characteristic(try node.uuid())
    }
  }
}
