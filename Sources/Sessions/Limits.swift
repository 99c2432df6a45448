/// The bounds of what is remembered; every table of this module takes its bound from here.
///
/// What is kept grows with the number of devices and open requests, never with the length of the
/// capture. When a bound is reached, the oldest entry is dropped and a problem reports it once.
package struct Limits: Sendable, Equatable {
  /// Links (connection handles of all adapters) that are open at the same time.
  package var links = 128
  /// Bytes of an L2CAP PDU that is being joined: the largest length field plus the header.
  package var pduBytes = 65_539
  /// Bytes of memory for the PDUs that are being joined, and the same again for SDUs.
  package var joinedBytes = 4 << 20
  /// Links whose last packet's direction is remembered as inferred.
  package var inferredDirections = 256
  /// Packet numbers kept for the fragments of one PDU or advertisement.
  package var fragmentNumbers = 4096
  /// L2CAP channels of all links.
  package var channels = 256
  /// L2CAP signalling requests that wait for their response.
  package var signallingRequests = 128
  /// Services whose channels are counted individually.
  package var services = 64
  /// RFCOMM channels whose services are remembered.
  package var serialServices = 512
  /// Responses of SDP that are being joined, and the bytes of each.
  package var serviceResponses = 8
  package var serviceBytes = 32_768
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
  /// Connections and streams on the air that are remembered.
  package var airLinks = 1000
  /// Access addresses on the air of which it is not known yet whether they are used.
  package var airCandidates = 64
  /// Packets on secondary advertising channels that earlier ones point to.
  package var airPointers = 64
  /// Streams on the air that other packets announce.
  package var airStreams = 64
  /// Devices whose names are remembered.
  package var names = 1024
  /// GATT servers whose attributes are remembered.
  package var servers = 64
  /// Attributes remembered for one server.
  package var attributes = 2048
  /// Servers to which supplied maps are applied.
  package var suppliedServers = 4096
  /// Identity resolving keys that are remembered.
  package var identities = 64
  /// Resolvable private addresses whose identity is remembered.
  package var resolvedAddresses = 16_384
  /// Different keys of bonds that are known.
  package var keys = 256
  /// Of these, keys that the host passes to LE Encrypt, as it may do again and again.
  package var unknownKeys = 16
  /// Keys given in pairing that are all zeros.
  package var zeroKeys = 8
  /// ATT bearers whose conversations are followed at the same time.
  package var bearers = 64
  /// Bytes of a value that is read in parts, and of all prepared writes that a server holds.
  package var longValueBytes = 8192
  /// Parts of prepared writes that a server holds.
  package var preparedParts = 512
  /// Attributes whose value lengths are remembered.
  package var valueLengths = 1024
  /// Attributes whose values `values` counts, and the same number of kinds of advertisers' data.
  package var valueSeries = 16_384
  /// Different values that are counted for one of these.
  package var distinctValues = 256
  /// Bytes of rows that `values --csv` holds to find out which columns are empty, and of lines of
  /// advertisers that are held until a device is connected.
  package var heldRowBytes = 16 << 20
  /// Distinct values that `values --distinct` lists, and their bytes.
  package var listedDistinct = 32_768
  package var distinctBytes = 8 << 20
  /// Messages that `values --messages` holds until their answers arrive, and their bytes.
  package var heldMessages = 256
  package var heldMessageBytes = 4 << 20
  /// Connections whose last writes `values --changes` remembers.
  package var writers = 128
  /// Columns for decoded fields of `values --csv --wide`.
  package var valueColumns = 1024
  /// Operations and values in a script of `trace --as bleak`, and their bytes.
  package var scriptSteps = 65_536
  package var scriptBytes = 16 << 20
  /// Controllers that are distinguished.
  package var adapters = 16
  /// Notes that name the host's software.
  package var softwareNotes = 16
  /// Bytes kept of such a note.
  package var noteBytes = 256
  /// Connections that `info` lists individually.
  package var listedConnections = 1000
  /// Requests without an answer that `info` lists individually.
  package var listedRequests = 65_536
  /// Advertisers that are counted individually.
  package var advertisers = 65_536
  /// Advertisers whose data `devices` remembers.
  package var listedAdvertisers = 16_384
  /// Distinct payloads kept for an advertiser.
  package var payloads = 16
  /// Bytes of all these payloads.
  package var payloadBytes = 16 << 20
  /// Further distinct payloads of all advertisers that are only counted.
  package var otherPayloads = 65_536
  /// Scans that are remembered.
  package var scans = 4096
  /// Advertising sets of the captured host.
  package var ownSets = 64
  /// Periods in which such a set was enabled.
  package var ownPeriods = 256

  /// Creates the limits of a normal run.
  package init() {}
}

/// The limits as the tables keep them: one shared instance, since what is kept is copied with the
/// memory for each packet.
final class SharedLimits: Sendable {
  let values: Limits

  init(_ values: Limits) { self.values = values }
}
