import Bluetooth
import Bytes
import Captures
import Dissectors

/// What is known about a packet beyond its bytes, when it arrives.
package struct Answer: Sendable {
  /// The link that the packet belongs to, as a slot in `Memory.links`.
  package var link: LinkSlot?
  /// The request, command or indication that the packet answers.
  package var request: Request?
  /// The time since `request`, in nanoseconds; nil if unknown.
  package var latency: Int64?
  /// For a Security Manager PDU: its step of the pairing.
  package var pairing: PairingStep?
  /// For data on a channel that signalling opens: what is known about the channel.
  package var channel: ChannelFact?
  /// For ACL data: the result of adding the fragment.
  package var fragment = FragmentFate()
  /// Whether the packet opened the connection that `link` refers to.
  package var opened = false
  /// The attribute that an ATT PDU refers to, if it is known, as a place in `Memory.attributes`.
  package var attribute: Attributes.Place?
  /// Whether an ATT PDU lists values, one of which belongs to an attribute whose values are keys.
  package internal(set) var listsKeyMaterial = false
  /// Whether a value of an ATT PDU may be a key for all that is known of the PDU itself.
  package var mayHoldKey: Bool { listsKeyMaterial || fragment.isDoubtful }
  /// Whether the packet ended connections: that of `link`, or all of an adapter that was reset.
  package var closed = false
  /// Who or what ended the link, if the packet reports that it has ended.
  package var ending: Connection.Ending?
  /// For a packet from the air: what is known about it.
  package internal(set) var air: AirFact?
  private let passing = PassedByReference()

  init() {}

  /// Records the request that the packet answers.
  mutating func answers(_ request: Request?, at time: Timestamp?) {
    guard let request else { return }
    self.request = request
    latency = request.latency(until: time)
  }
}
