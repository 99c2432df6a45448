/// The resource limits of live sources.
package enum LiveLimits {
  /// The requested size of a socket's receive buffer, in bytes: enough for more than a busy
  /// second.
  package static let receiveBytes = 8 << 20

  /// The maximum number of bytes waiting between reading and printing.
  package static let waitingBytes = 64 << 20

  /// The size of the chunks in which records are passed between threads, in bytes.
  package static let chunkBytes = 1 << 16

  /// The delay before a source that closed is reopened, in milliseconds.
  package static let reopenMilliseconds: Int32 = 500

  /// How often a growing file is checked if the system does not report its growth, in milliseconds.
  package static let lookMilliseconds: Int32 = 100

  /// The maximum number of markers waiting while printing has no room for them; the file has all.
  package static let lateMarkers = 64

  /// The maximum number of remarks of a source; further ones are counted, not repeated.
  package static let remarks = 32
}
