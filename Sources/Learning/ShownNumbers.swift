// Numbers that an app showed, searched in the frame that was received then.

import Decoders
import Glibc

/// A number that was shown.
package struct ShownNumber: Sendable, Equatable {
  /// The packet that it came from.
  package var packet: Int
  package var number: Double
  /// The number of its decimals.
  package var decimals: Int
  /// The name and unit that it was shown with; empty: none.
  package var name: String

  package init(packet: Int, number: Double, decimals: Int, name: String) {
    self.packet = packet
    self.number = number
    self.decimals = decimals
    self.name = name
  }
}

/// The type of a number in a frame.
package enum NumberType: Int, Sendable, CaseIterable {
  case u8, i8, u16, i16, u24, u32, i32, f32

  package var width: Int {
    switch self {
    case .u8, .i8: 1
    case .u16, .i16: 2
    case .u24: 3
    case .u32, .i32, .f32: 4
    }
  }

  /// Whether it can be negative; nil: it is a float.
  var isSigned: Bool? {
    switch self {
    case .u8, .u16, .u24, .u32: false
    case .i8, .i16, .i32: true
    case .f32: nil
    }
  }

  /// Returns the number; nil if it is not finite.
  func load(_ bytes: [UInt8], _ place: Int, isBigEndian: Bool) -> Double? {
    let raw = bytes.number(at: place, width: width, isBigEndian: isBigEndian)
    switch self {
    case .u8, .u16, .u24, .u32: return Double(raw)
    case .i8: return Double(Int8(truncatingIfNeeded: raw))
    case .i16: return Double(Int16(truncatingIfNeeded: raw))
    case .i32: return Double(Int32(bitPattern: raw))
    case .f32:
      let number = Double(Float(bitPattern: raw))
      return number.isFinite ? number : nil
    }
  }
}

/// Where a number that was shown may be.
package struct NumberPlace: Sendable, Hashable {
  package var at: Int
  package var type: NumberType
  package var isBigEndian: Bool
  /// The number in the frame is multiplied by `multiply` and divided by `divide`.
  package var multiply: Int
  package var divide: Int

  func number(in frame: [UInt8]) -> Double? {
    guard at + type.width <= frame.count else { return nil }
    return type.load(frame, at, isBigEndian: isBigEndian)
      .map { $0 * Double(multiply) / Double(divide) }
  }
}

/// A number that was shown, once or several times, and where it may be.
package struct FoundNumber: Sendable {
  package var name: String
  package var shown: [ShownNumber]
  /// The places that agree with all of them, the simplest first.
  package var places: [NumberPlace]
  /// The number of them whose packet belongs to no frame.
  package var missing: Int
}

package enum ShownSearch {
  private static let scales: [(Int, Int)] = [
    (1, 1), (1, 10), (1, 100), (1, 1000), (1, 2), (10, 1),
  ]

  /// Searches a number that was shown in frames.
  ///
  /// - Parameter frame: returns the frame that a packet belongs to.
  package static func find(
    _ shown: [ShownNumber], _ frame: (Int) -> [UInt8]?
  ) -> FoundNumber {
    var result = FoundNumber(
      name: shown.first?.name ?? "", shown: shown, places: [], missing: 0)
    let isSigned = shown.contains { $0.number < 0 }
    var places: [NumberPlace]?
    for number in shown {
      guard let bytes = frame(number.packet) else {
        result.missing += 1
        continue
      }
      places = places?.filter { fits($0, number, bytes) } ?? all(number, bytes, isSigned)
    }
    result.places = places ?? []
    return result
  }

  private static func fits(_ place: NumberPlace, _ shown: ShownNumber, _ bytes: [UInt8]) -> Bool {
    guard let number = place.number(in: bytes) else { return false }
    var step = 1.0
    for _ in 0..<min(9, shown.decimals) { step /= 10 }
    return abs(number - shown.number) <= step * 0.5000001
  }

  private static func all(
    _ shown: ShownNumber, _ bytes: [UInt8], _ isSigned: Bool
  ) -> [NumberPlace] {
    var places: [NumberPlace] = []
    for type in NumberType.allCases {
      // Without a negative number, nothing distinguishes signed from unsigned ones.
      guard type.width <= bytes.count, type.isSigned.map({ $0 == isSigned }) ?? true else {
        continue
      }
      for at in 0...bytes.count - type.width {
        for isBigEndian in type.width == 1 ? [false] : [false, true] {
          // The digits that were shown usually determine the scale; a float has none.
          for (multiply, divide) in type == .f32 ? [(1, 1)] : scales {
            let place = NumberPlace(
              at: at, type: type, isBigEndian: isBigEndian, multiply: multiply, divide: divide)
            if fits(place, shown, bytes) { places.append(place) }
          }
        }
      }
    }
    return places
  }
}
