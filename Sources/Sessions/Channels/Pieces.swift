import Dissectors

/// The pieces in which something was sent, and whether they certainly belong together: if packets
/// are missing or duplicated, a piece of one PDU is joined with that of another, which may be a
/// key.
///
/// A sender makes all pieces but the last as large as possible.
package struct Pieces: Sendable {
  /// The length of the first piece, which certainly belongs to the whole.
  package private(set) var first = 0
  package private(set) var count = 0
  private var last = 0
  private var total = 0
  /// Whether all but the last are equally long, and none is longer.
  package private(set) var areRegular = true

  package init() {}

  /// Every controller accepts at least this much in one packet (Core, Vol 4, Part E, 7.8.2), and
  /// every channel in one frame (Core, Vol 3, Part A, 4.22): shorter PDUs are not split.
  package static let leastCut = (packet: 27, frame: 23)
  /// A PDU with a key has this length: L2CAP header (4 bytes), opcode (1), key (16).
  private static let keyPDU = L2CAPHeader.size + 17

  package mutating func append(_ piece: Int) {
    if count == 0 {
      first = piece
    } else if last != first || piece > first {
      areRegular = false
    }
    last = piece
    total += piece
    count += 1
  }

  /// Returns whether the fragments of a PDU may not belong together.
  ///
  /// - Parameters:
  ///   - expected: the length of the PDU, once it is known.
  ///   - largest: the most bytes that a packet carried before on this way.
  ///   - isTorn: whether pieces are missing or duplicated there.
  package func mayBeMixed(expected: Int?, largest: Int, isTorn: Bool) -> Bool {
    guard count > 1 else { return false }
    if !areRegular || first <= L2CAPHeader.size || isTorn && first < largest { return true }
    guard let expected, total >= expected else {
      // A sender of pieces this short splits PDUs with keys; and only the last piece is shorter.
      return first < Self.keyPDU || last < first
    }
    return total != expected || expected <= Self.leastCut.packet
  }
}
