/// How much is remembered at most; every table of this module takes its bound from here.
///
/// What is kept grows with the devices and requests that are open, never with the length of the
/// capture; where a bound is reached the oldest entry goes and a problem says so once.
package struct Limits: Sendable, Equatable {
  /// Links (connection handles of all adapters) that are open at the same time.
  package var links = 128
  /// Bytes of an L2CAP PDU that is being joined: the largest length field and the header.
  package var pduBytes = 65_539
  /// Bytes of memory that the PDUs take that are being joined, and as many the SDUs.
  package var joinedBytes = 4 << 20
  /// Links of which it is remembered which way their last packet must have gone.
  package var inferredDirections = 256
  /// Packet numbers that are kept of the fragments of one PDU or advertisement.
  package var fragmentNumbers = 4096
  /// L2CAP channels of all links.
  package var channels = 256
  /// L2CAP signalling requests that wait for their response.
  package var signallingRequests = 128
  /// Services whose channels are counted one by one.
  package var services = 64
  /// Commands that wait for their Command Complete or Command Status.
  package var commands = 64
  /// Commands of the management interface that wait for their answer.
  package var controlCommands = 64
  /// Advertisements that are being joined.
  package var advertisingChains = 64
  /// Bytes of an advertisement that is being joined (Core, Vol 4, Part E, 7.8.54: 1650).
  package var advertisingBytes = 1650
  /// Periodic advertising trains whose advertisers are remembered.
  package var periodicTrains = 64
  /// Devices whose names are remembered.
  package var names = 1024
  /// GATT servers whose attributes are remembered.
  package var servers = 64
  /// Attributes that are remembered of one server.
  package var attributes = 2048
  /// Servers to which maps from elsewhere are applied.
  package var suppliedServers = 4096
  /// Identity resolving keys that are remembered.
  package var identities = 64
  /// Resolvable private addresses of which it is remembered whose they are.
  package var resolvedAddresses = 4096
  /// ATT bearers whose conversations are followed at the same time.
  package var bearers = 64
  /// Bytes of a value that is read in parts, and of all parts of writes that a server holds prepared.
  package var longValueBytes = 8192
  /// Parts of writes that a server holds prepared.
  package var preparedParts = 512
  /// Attributes of which it is remembered how long their values are.
  package var valueLengths = 1024
  /// Attributes whose values `values` counts, and as many kinds of data of advertisers.
  package var valueSeries = 16_384
  /// Different values that are counted of one of these.
  package var distinctValues = 256
  /// Controllers that are told apart.
  package var adapters = 16
  /// Notes that name the host's software.
  package var softwareNotes = 16
  /// Bytes that are kept of such a note.
  package var noteBytes = 256
  /// Connections that `info` lists one by one.
  package var listedConnections = 1000
  /// Requests without an answer that `info` lists one by one.
  package var listedRequests = 65_536
  /// Advertisers that are counted one by one.
  package var advertisers = 65_536
  /// Advertisers of which `devices` remembers what they said.
  package var listedAdvertisers = 16_384
  /// Distinct data that is kept of an advertiser.
  package var payloads = 16
  /// Bytes of all that data.
  package var payloadBytes = 16 << 20
  /// Distinct data beyond it that is told apart, of all advertisers.
  package var otherPayloads = 65_536
  /// Scans that are remembered.
  package var scans = 4096
  /// Advertising sets of the captured host.
  package var ownSets = 64
  /// Stretches of time in which such a set was on.
  package var ownPeriods = 256

  /// The limits of a normal run.
  package init() {}
}

/// The limits as the tables keep them: one for all, since what is kept is copied with the memory for
/// each packet.
final class SharedLimits: Sendable {
  let values: Limits

  init(_ values: Limits) { self.values = values }
}
