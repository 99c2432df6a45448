// Everything that was learnt of one device: its channels, and which of them answers which.

package import Bluetooth

/// The values of one direction of a characteristic or a serial channel.
package struct ChannelValues: Sendable {
  /// How the values travel.
  package enum Flow: Int, Sendable {
    case written, pushed, read
  }

  package var service: BluetoothUUID?
  package var characteristic: BluetoothUUID?
  package var serial: SerialChannel?
  package var handle: UInt16?
  package var flow: Flow
  package var sample: ValueSample
  /// The number of values that were left out, since the capture lacks some of their bytes.
  package var cut = 0

  package init(
    service: BluetoothUUID?, characteristic: BluetoothUUID?, serial: SerialChannel? = nil,
    handle: UInt16?, flow: Flow, sample: ValueSample = ValueSample()
  ) {
    self.service = service
    self.characteristic = characteristic
    self.serial = serial
    self.handle = handle
    self.flow = flow
    self.sample = sample
  }
}

/// A direction of a characteristic with what was learnt of it.
package struct GadgetChannel: Sendable {
  package var source: ChannelValues
  package var values: [ObservedValue]
  package var learnt: LearntChannel
  /// The kinds of frames, with their commands.
  package var kinds: [GadgetFrame] = []

  package var isWritten: Bool { source.flow == .written }

  /// The bits of everything that is claimed of its frames.
  package var bits: Double {
    kinds.reduce(0) { sum, kind in
      sum + (kind.frame.checksum?.evidence.bits ?? 0) + (kind.frame.length?.evidence.bits ?? 0)
    }
  }

  /// Returns the frames of a kind with their times.
  fileprivate func timed(_ kind: GadgetFrame) -> [TimedFrame] {
    kind.frame.frames.map { found in
      let last = kind.values[found.last]
      return TimedFrame(
        found.bytes, time: last.time, packet: last.packet, connection: last.connection)
    }
  }
}

/// A kind of frame with its commands.
package struct GadgetFrame: Sendable {
  package var frame: LearntFrame
  /// The values that its frames refer to.
  package var values: [ObservedValue]
  /// The place of the command, if there is one.
  package var command: Int?
  /// How sure the place is, if a rule of the exchange gives it.
  package var commandConfidence: Confidence?
  package var sequence: Int?
  package var sequenceConfidence: Confidence?
  package var commands: [LearntCommand] = []

  /// The first byte of the payload: the one after everything else that a frame begins with.
  package var payloadFirst: Int {
    var first = frame.start.count
    if let length = frame.length { first = max(first, length.at + length.width) }
    if let command { first = max(first, command + 1) }
    if let sequence { first = max(first, sequence + 1) }
    return min(first, frame.sizes.lowerBound - frame.tail)
  }

  /// Returns the packet that carried the last byte of a frame.
  package func packet(of found: FoundFrame) -> Int { values[found.last].packet }

  /// Returns the packets that carried a frame.
  package func packets(of found: FoundFrame) -> [Int] {
    (found.first...found.last).map { values[$0].packet }
  }
}

/// A device.
package struct Gadget: Sendable {
  /// Two channels, of which one answers the other.
  package struct Link: Sendable {
    package var request: Int
    package var answer: Int
    package var exchange: LearntExchange
  }

  package var channels: [GadgetChannel] = []
  package var links: [Link] = []
  package var shown: [FoundNumber] = []

  /// Learns from the values of a device.
  package init(_ sources: [ChannelValues], shown: [ShownNumber] = []) {
    for source in sources {
      let values = source.sample.chosen()
      let learnt = FrameSearch.learn(values)
      let used = learnt.onlyConnection.map { only in values.filter { $0.connection == only } }
      channels.append(GadgetChannel(source: source, values: used ?? values, learnt: learnt))
    }
    let known = channels.compactMap(\.learnt.kinds.first)
    for place in channels.indices where channels[place].learnt.kinds.isEmpty {
      let values = channels[place].values
      if let frame = known.lazy.compactMap({ FrameSearch.confirm(values, like: $0) }).first {
        channels[place].learnt.rest = values
        channels[place].learnt.add(frame)
      }
    }
    for place in channels.indices {
      var rest = channels[place].values
      for frame in channels[place].learnt.kinds {
        channels[place].kinds.append(GadgetFrame(frame: frame, values: rest))
        var used = Set<Int>()
        for found in frame.frames { used.formUnion(found.first...found.last) }
        rest = rest.indices.filter { !used.contains($0) }.map { rest[$0] }
      }
    }
    link()
    for place in channels.indices {
      for kind in channels[place].kinds.indices {
        let frame = channels[place].kinds[kind]
        if frame.command == nil {
          channels[place].kinds[kind].command = CommandSearch.place(frame.frame)
        }
        channels[place].kinds[kind].commands = CommandSearch.commands(
          frame.frame, at: channels[place].kinds[kind].command)
      }
    }
    search(shown)
  }

  // MARK: Requests and answers

  private mutating func link() {
    for request in channels.indices where channels[request].isWritten {
      guard let main = channels[request].kinds.first else { continue }
      var best: (score: Int, link: Link)?
      for answer in channels.indices where !channels[answer].isWritten {
        guard let other = channels[answer].kinds.first else { continue }
        let exchange = ExchangeSearch.learn(
          requests: channels[request].timed(main), answers: channels[answer].timed(other),
          requestPlaces: { Self.isCompared($0, main.frame) },
          answerPlaces: { Self.isCompared($0, other.frame) })
        guard exchange.answered > 0 else { continue }
        let score = exchange.answered + (exchange.rules.isEmpty ? 0 : 1_000_000)
        if score > best?.score ?? 0 {
          best = (score, Link(request: request, answer: answer, exchange: exchange))
        }
      }
      guard let link = best?.link else { continue }
      links.append(link)
      if let rule = link.exchange.command {
        for (channel, place) in [(link.request, rule.request), (link.answer, rule.answer)] {
          channels[channel].kinds[0].command = place
          channels[channel].kinds[0].commandConfidence = rule.confidence
        }
      }
      if let rule = link.exchange.sequence {
        for (channel, place) in [(link.request, rule.request), (link.answer, rule.answer)] {
          channels[channel].kinds[0].sequence = place
          channels[channel].kinds[0].sequenceConfidence = rule.confidence
        }
      }
    }
  }

  private static func isCompared(_ place: Int, _ frame: LearntFrame) -> Bool {
    CommandSearch.isFree(place, frame) && place < frame.sizes.lowerBound - frame.tail
  }

  /// The link whose frames have the strongest evidence; nil if nothing answers anything.
  package var mainLink: Link? {
    links.max { bits($0) < bits($1) }
  }

  private func bits(_ link: Link) -> Double {
    channels[link.request].bits + channels[link.answer].bits
  }

  /// The channels of a profile: those of the main link, or the one that most is known of.
  package var profiled: (request: Int?, answer: Int?) {
    let alone = channels.indices.filter { channels[$0].bits > 0 }
      .max { channels[$0].bits < channels[$1].bits }
    if let link = mainLink, alone.map({ bits(link) >= channels[$0].bits }) ?? true {
      return (link.request, link.answer)
    }
    guard let alone else { return (nil, nil) }
    return channels[alone].isWritten ? (alone, nil) : (nil, alone)
  }

  // MARK: Numbers that were shown

  private mutating func search(_ numbers: [ShownNumber]) {
    var names: [String] = []
    for number in numbers where !names.contains(number.name) { names.append(number.name) }
    for name in names {
      shown.append(
        ShownSearch.find(numbers.filter { $0.name == name }) { bytes(of: $0)?.bytes })
    }
  }

  /// Returns the frame, or else the value, that a packet belongs to, and its channel.
  package func bytes(of packet: Int) -> (bytes: [UInt8], channel: Int, kind: Int?)? {
    for (place, channel) in channels.enumerated() {
      for (kind, frame) in channel.kinds.enumerated() {
        for found in frame.frame.frames
        where frame.packets(of: found).contains(packet) {
          return (found.bytes, place, kind)
        }
      }
      if let value = channel.values.first(where: { $0.packet == packet }) {
        return (value.bytes, place, nil)
      }
    }
    return nil
  }
}
