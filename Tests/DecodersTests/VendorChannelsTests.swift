import Testing

@testable import Decoders

@Suite("The channels on which protocols are searched for")
struct VendorChannelsTests {
  /// A simple model of the cache: the most recently used channel is last.
  private struct Model {
    var held: [(key: UInt64, vendor: Int, mark: Int)] = []

    mutating func find(_ key: UInt64, _ vendor: Int) -> Int? {
      guard let place = held.firstIndex(where: { $0.key == key && $0.vendor == vendor }) else {
        return nil
      }
      let found = held.remove(at: place)
      held.append(found)
      return found.mark
    }

    mutating func make(_ key: UInt64, _ vendor: Int, _ mark: Int) {
      if held.count == VendorChannels.most { held.removeFirst() }
      held.append((key, vendor, mark))
    }
  }

  @Test(
    "A channel is found until it is the least recently used",
    arguments: [3, VendorChannels.most, VendorChannels.most + 1, 600, 100_000])
  func order(keys: Int) {
    var generator = Seeded(UInt64(keys))
    var channels = VendorChannels()
    var model = Model()
    for step in 0..<20_000 {
      // Handles as in a real key, of a few conversations.
      let number = UInt64.random(in: 0..<UInt64(keys), using: &generator)
      let key = (number & 3) << 18 | (number >> 2) << 2 | (number & 1)
      let vendor = Int.random(in: 0..<2, using: &generator)
      let expected = model.find(key, vendor)
      let place = channels.find(key, vendor)
      guard place.map({ channels[$0].packets.first ?? -1 }) == expected
      else {
        Issue.record(
          "step \(step): \(String(describing: place)) is not \(expected ?? -1)")
        return
      }
      if place == nil {
        let made = channels.make(key, vendor)
        guard channels[made].open.isEmpty, channels[made].packets.isEmpty,
          !channels[made].isRecognized
        else {
          Issue.record("step \(step): a new channel has the old one's state")
          return
        }
        channels[made].packets = [step]
        channels[made].open = [1]
        channels[made].recognize(in: [1])
        model.make(key, vendor, step)
      }
    }
    #expect(channels.count == min(model.held.count, VendorChannels.most))
    #expect(Set(channels.map(\.key)) == Set(model.held.map(\.key)))
  }

  @Test("Adjacent handles share hash chains no more often than random ones")
  func spread() {
    var lengths: [Int: Int] = [:]
    for handle in UInt64(0)..<UInt64(VendorChannels.most) {
      lengths[VendorChannels.chain(2 << 18 | handle << 2, 0), default: 0] += 1
    }
    #expect((lengths.values.max() ?? 0) <= 4)
  }
}
