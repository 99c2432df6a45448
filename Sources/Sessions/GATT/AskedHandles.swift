/// The handles that requests for several values ask for, whose responses name none: of the last few
/// requests. Bounded.
package struct AskedHandles: Sendable {
  private var requests: [(packet: Int, handles: [UInt16])] = []

  private static let mostRequests = 16
  /// As many values as a PDU can hold are worth remembering.
  private static let mostHandles = 256

  init() {}

  mutating func note(_ handles: [UInt16], packet: Int) {
    if requests.count >= Self.mostRequests { requests.removeFirst() }
    requests.append((packet, Array(handles.prefix(Self.mostHandles))))
  }

  /// What the request in a packet asks for; nothing where that is not known.
  package subscript(packet: Int) -> [UInt16] {
    requests.last { $0.packet == packet }?.handles ?? []
  }
}
