import Bluetooth
import Bytes
import Sessions

/// The values of advertisers in lines and rows: if a device was connected, they are only counted.
/// Until a value shows that, their lines are held.
struct AdvertisedRows: ~Copyable {
  private enum State { case listed, held, counted }

  private var state: State
  /// The lines that are held.
  private var lines = Output()
  /// The number of rows that are held.
  private(set) var held = 0
  /// The advertisers, with the last address that each used.
  private var advertisers: [UInt64: DeviceAddress?] = [:]
  private let limits: Limits

  init(isListed: Bool, _ limits: Limits) {
    state = isListed ? .listed : .held
    self.limits = limits
  }

  var areHeld: Bool { state == .held }

  /// Records an advertiser's value, and returns whether it gets a row.
  mutating func admits(_ value: ConveyedValue) -> Bool {
    if state == .listed { return true }
    if advertisers.count < limits.advertisers || advertisers[value.attribute.server] != nil {
      advertisers[value.attribute.server] = value.parties.peer
    }
    return state == .held
  }

  /// Holds a line.
  mutating func hold(_ line: borrowing Output) {
    lines.raw(line.bytes)
    held += 1
  }

  /// Counts a row that is held elsewhere.
  mutating func holdRow() { held += 1 }

  /// Whether as many bytes of lines are held as may be.
  var isFull: Bool { lines.count > limits.heldRowBytes }

  /// Forgets what is held, since a device was connected.
  mutating func forget() {
    state = .counted
    held = 0
    lines = Output()
  }

  /// Writes what is held, since no device was connected so far. From now on rows are not held.
  mutating func release(into output: inout Output) {
    state = .listed
    held = 0
    output.raw(lines.bytes)
    lines = Output()
  }

  /// Returns the number of advertisers that are not listed. A device that used several resolvable
  /// addresses, which a key resolves, is one.
  func unlisted(_ memory: borrowing Memory) -> Int {
    guard state == .counted else { return 0 }
    var servers = Set<UInt64>()
    for (server, peer) in advertisers {
      let known = peer.flatMap { memory.resolve(server: server, peer: $0)?.server }
      servers.insert(known ?? server)
    }
    return servers.count
  }

  /// Returns how many advertisers are not listed, in words; nil: all are.
  func remark(_ memory: borrowing Memory) -> String? {
    let count = unlisted(memory)
    guard count > 0 else { return nil }
    var words = Output()
    words.count(count, "advertiser", "advertisers")
    words.text("; --advertised lists ")
    words.text(count == 1 ? "it" : "them")
    return String(decoding: words.bytes.array, as: UTF8.self)
  }
}
