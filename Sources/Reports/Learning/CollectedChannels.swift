import Bluetooth
import Bytes
import Captures
import Learning
import Sessions

/// The values of the characteristics of each device, as `profiles learn`, `profiles new` and
/// `values --positions` need them.
struct CollectedChannels: ~Copyable {
  /// A device with its channels.
  struct Device: Sendable {
    let server: UInt64
    let side: Side
    var peer: DeviceAddress?
    var name: [UInt8]?
    var channels: [ChannelValues] = []
  }

  private struct Key: Hashable {
    var server: UInt64
    var uuid: BluetoothUUID?
    var serial: SerialChannel?
    var handle: UInt16?
    var flow: ChannelValues.Flow
  }

  private(set) var devices: [Device] = []
  /// The values that were left out, since they are keys or hold secrets, or for lack of room.
  private(set) var secret = 0
  private(set) var omitted = 0
  private var places: [Key: (device: Int, channel: Int)] = [:]
  private var conversations: Conversations
  private var filter: ValueFilter
  private var bytes = 0
  private let limits: Limits
  private let showsKeys: Bool
  /// Whether standard characteristics are wanted, too.
  private let takesStandard: Bool

  /// The maximum number of bytes of all values that are kept.
  static let mostBytes = 64 << 20

  init(_ options: ValuesOptions, takesStandard: Bool, limits: Limits) {
    self.limits = limits
    self.takesStandard = takesStandard
    showsKeys = options.showsKeys
    conversations = Conversations(limits)
    filter = ValueFilter(options)
  }

  /// Why there are no values.
  var remark: String? { filter.remark }

  mutating func packet(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    filter.observe(packet.record, memory)
    conversations.observe(packet, memory)
    collect(memory)
  }

  mutating func finish(_ memory: borrowing Memory) {
    conversations.finish(memory)
    collect(memory)
    for place in devices.indices {
      if let peer = devices[place].peer {
        for type in [AddressType.public, .random] where devices[place].name == nil {
          devices[place].name = memory.names.find(peer, type).flatMap { memory.names[$0] }
        }
      }
    }
  }

  private mutating func collect(_ memory: borrowing Memory) {
    // Kept in a variable while they are collected: a span of the property would borrow `self`.
    let bytes = conversations.bytes
    for position in conversations.values.indices {
      let value = conversations.values[position]
      guard let slice = value.value, filter.admits(value, bytes.bytes), let flow = value.flow,
        isWanted(value)
      else { continue }
      guard showsKeys || !value.isKeyMaterial else {
        secret += 1
        continue
      }
      guard let place = place(value, flow) else {
        omitted += 1
        continue
      }
      guard value.isPlain, !(flow == .read && value.mayGoOn) else {
        devices[place.device].channels[place.channel].cut += 1
        continue
      }
      guard self.bytes < Self.mostBytes else {
        omitted += 1
        continue
      }
      let isKept = devices[place.device].channels[place.channel].sample.add(
        ObservedValue(
          bytes.bytes.part(slice).array, time: value.time.map(Self.nanoseconds),
          packet: value.packet, connection: value.parties.connection))
      if isKept { self.bytes += Int(slice.count) }
    }
  }

  private static func nanoseconds(_ time: Timestamp) -> Int64 {
    let (seconds, overflows) = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? 0 : seconds.adding(clamped: Int64(time.nanoseconds))
  }

  /// Returns whether a value can be one of a vendor's.
  private func isWanted(_ value: ConveyedValue) -> Bool {
    if value.attribute.kind == .descriptor { return false }
    guard !takesStandard, let uuid = value.attribute.uuid?.shortest, uuid.width == 2 else {
      return true
    }
    // The Assigned Numbers have characteristics here, and declarations.
    return !(0x2800...0x2bff).contains(uuid.low)
  }

  private mutating func place(
    _ value: ConveyedValue, _ flow: ChannelValues.Flow
  ) -> (device: Int, channel: Int)? {
    let attribute = value.attribute
    let uuid = attribute.uuid?.shortest
    let key = Key(
      server: attribute.server, uuid: uuid, serial: attribute.channel,
      handle: uuid == nil || attribute.needsHandle ? attribute.handle : nil, flow: flow)
    if let place = places[key] { return place }
    guard places.count < limits.valueSeries else { return nil }
    var device = devices.count
    if let known = devices.firstIndex(where: { $0.server == attribute.server }) {
      device = known
    } else {
      devices.append(
        Device(server: attribute.server, side: attribute.side, peer: value.parties.peer))
    }
    devices[device].channels.append(
      ChannelValues(
        service: attribute.service, characteristic: uuid, serial: attribute.channel,
        handle: attribute.handle, flow: flow))
    let place = (device, devices[device].channels.count - 1)
    places[key] = place
    return place
  }
}

extension ConveyedValue {
  /// How it travels, as far as frames are concerned; nil: it has no channel.
  fileprivate var flow: ChannelValues.Flow? {
    switch operation {
    case .write, .writeWithoutResponse, .signedWrite, .preparedWrite: .written
    case .notification, .indication: .pushed
    case .data: isWritten ? .written : .pushed
    case .read: .read
    case .advertisement: nil
    }
  }
}
