import CLibcrypto

/// A SHA-256 digest that is computed incrementally.
@safe
package struct SHA256: ~Copyable {
  private let context: OpaquePointer

  /// Creates a digest of no bytes.
  package init() { unsafe context = clibcrypto_sha256_begin() }

  /// Adds bytes to the digest.
  package func add(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe clibcrypto_sha256_add(context, $0.baseAddress, $0.count) }
  }

  /// Returns the first eight bytes of the digest, most significant first, and ends the digest.
  package consuming func prefix() -> UInt64 {
    let digest = unsafe clibcrypto_sha256_end(context)
    return digest.high.high
  }

  /// Returns the digest in base64, and ends it.
  package consuming func base64() -> String {
    let digest = unsafe clibcrypto_sha256_end(context)
    return unsafe String(unsafeUninitializedCapacity: 45) { text in
      unsafe clibcrypto_sha256_base64(digest, text.baseAddress)
      return 44
    }
  }
}
