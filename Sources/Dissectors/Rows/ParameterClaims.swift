package import Bytes

/// What the parameters of a row claim of a packet's bytes. Code that hides, replaces or keeps bytes
/// asks this list instead of reading the row itself.
package struct ParameterClaims: Sendable {
  /// One parameter.
  package struct Claim: Sendable {
    package let value: FieldValue
    package let slice: Slice
  }

  private struct Collector: FieldVisitor {
    let isOfSecrets: Bool
    var claims: [Claim] = []

    mutating func field(
      _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
      at slice: Slice
    ) {
      if !isOfSecrets || value.holdsSecret(bytes) {
        claims.append(Claim(value: value, slice: slice))
      }
    }
  }

  /// The parameters, in order.
  package let all: [Claim]
  /// The bytes that no parameter claims.
  package let rest: Slice
  /// Whether the bytes end before the parameters do; those before the end are in `all`.
  package let isShort: Bool
  /// The kind of parameter that `rest` begins, if the walk ended early; nil for others or none.
  package let cut: FieldWalk.Cut?
  /// Whether the advertising data is a fragment of more.
  package let isFragment: Bool
  /// The advertising data, and the field that contains it, which may be longer.
  package let advertising: (data: Slice, field: Slice)

  /// Reads the part `slice` of a packet's bytes by a row.
  ///
  /// - Parameter isOfSecrets: whether only secrets are wanted, and what contains one; most packets
  ///   have none, so that nothing is allocated for them.
  package init(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice, isOfSecrets: Bool = false
  ) {
    var collector = Collector(isOfSecrets: isOfSecrets)
    var walk = FieldWalk(bytes, slice)
    isShort = (try? walk.walk(layout, &collector)) == nil
    all = collector.claims
    rest = walk.rest()
    (cut, isFragment) = (walk.cut, walk.isFragment)
    advertising = (walk.advertising, walk.advertisingField)
  }
}

extension FieldValue {
  /// Returns whether the parameter with these bytes is a secret, or contains one or a part of one.
  fileprivate func holdsSecret(_ bytes: RawSpan) -> Bool {
    switch self {
    case .secret, .advertisingFragment: true
    case .advertisingData:
      ADStructures.holdSecret(bytes, Slice(start: 0, count: bytes.byteCount))
    default: false
    }
  }
}
