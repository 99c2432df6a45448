/// The layout of a sniffer's records, by link type.
package enum SnifferFormat: UInt8, Sendable {
  /// Only the Link Layer packet (link type 251).
  case linkLayer
  /// The packet after a pseudo header of 10 bytes (link type 256).
  case pseudoHeader
  /// The packet after the header of an nRF Sniffer (link types 272 and 157).
  case nordic
  /// The packet after PPI's headers, as Ubertooth writes them (link type 192).
  case ppi
}
