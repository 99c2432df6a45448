package import Bluetooth
import Bytes
import Dissectors

/// The services that SDP has named for RFCOMM channels. Responses in parts are joined for each
/// channel and direction.
package struct KnownServices: Sendable {
  /// A service that the current packet has named.
  package struct News: Sendable {
    package let channel: UInt8
    package let uuid: BluetoothUUID?
    package let name: [UInt8]
  }

  private struct Key: Hashable {
    let server: UInt64
    let channel: UInt8
  }

  /// The attribute lists of a response that continues.
  private struct Open: Sendable {
    let channel: Int
    let direction: Direction
    var bytes: [UInt8]
  }

  private var known: [Key: BluetoothUUID] = [:]
  private var open: [Open] = []
  /// The services that the current packet has named.
  package private(set) var news: [News] = []
  private let most: Int
  private let mostBytes: Int
  private let mostOpen: Int

  /// The most services of a packet that are reported as news.
  private static let mostNews = 16

  init(_ limits: Limits) {
    most = limits.serialServices
    mostBytes = limits.serviceBytes
    mostOpen = limits.serviceResponses
  }

  /// Forgets what the packet before has named.
  mutating func clear() { news.removeAll() }

  /// Returns the service of an RFCOMM channel.
  func service(of channel: UInt8, at server: UInt64) -> BluetoothUUID? {
    known.isEmpty ? nil : known[Key(server: server, channel: channel)]
  }

  /// Processes a PDU on an SDP channel.
  ///
  /// - Parameters:
  ///   - channel: the serial of the L2CAP channel.
  ///   - server: the key of its sender, if it is a response.
  mutating func observe(
    _ pdu: Slice, of bytes: RawSpan, _ channel: Int, _ direction: Direction, server: UInt64
  ) {
    guard let response = ServiceAttributeResponse(bytes, pdu) else { return }
    let place = open.firstIndex { $0.channel == channel && $0.direction == direction }
    guard place != nil || response.continues else {
      return learn(bytes, response.lists, server)
    }
    var joined = place.map { open.remove(at: $0).bytes } ?? []
    // A list that is too long is given up; `SerialServices` ignores what follows.
    guard joined.count + Int(response.lists.count) <= mostBytes else { return }
    joined.append(bytes.part(response.lists))
    guard response.continues else {
      return learn(joined.bytes, Slice(start: 0, count: joined.count), server)
    }
    if open.count >= mostOpen { open.removeFirst() }
    open.append(Open(channel: channel, direction: direction, bytes: joined))
  }

  private mutating func learn(_ bytes: RawSpan, _ lists: Slice, _ server: UInt64) {
    var services = SerialServices(bytes, lists)
    while let service = services.next(bytes) {
      if news.count < Self.mostNews {
        news.append(
          News(
            channel: service.channel, uuid: service.uuid, name: bytes.part(service.name).array))
      }
      guard let uuid = service.uuid else { continue }
      let key = Key(server: server, channel: service.channel)
      if known.count < most || known[key] != nil { known[key] = uuid }
    }
  }
}
