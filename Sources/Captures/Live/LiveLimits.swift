/// What live sources take from the machine, in one place.
package enum LiveLimits {
  /// What a socket's receive buffer is asked to be, in bytes: a busy second and more.
  package static let receiveBytes = 8 << 20

  /// The most bytes that wait between reading and printing.
  package static let waitingBytes = 64 << 20

  /// Records are handed from thread to thread in chunks of so many bytes.
  package static let chunkBytes = 1 << 16

  /// How long to wait before a source that closed is opened again, in milliseconds.
  package static let reopenMilliseconds: Int32 = 500

  /// A file that grows is looked at so often (milliseconds) where the system does not tell its growth.
  package static let lookMilliseconds: Int32 = 100

  /// The most markers that wait while there is no room for what is printed; the file has all.
  package static let lateMarkers = 64

  /// The most remarks of a source: what goes on and on is counted, not told again.
  package static let remarks = 32
}
