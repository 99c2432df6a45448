import CLibcrypto

/// A SHA-256 digest of bytes that come piece by piece.
@safe
package struct SHA256: ~Copyable {
  private let context: OpaquePointer

  /// The digest of nothing so far.
  package init() { unsafe context = clibcrypto_sha256_begin() }

  /// Adds bytes.
  package func add(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe clibcrypto_sha256_add(context, $0.baseAddress, $0.count) }
  }

  /// Returns the first eight bytes of the digest, most significant first; nothing can be added any more.
  package consuming func prefix() -> UInt64 {
    let digest = unsafe clibcrypto_sha256_end(context)
    return digest.high.high
  }
}
