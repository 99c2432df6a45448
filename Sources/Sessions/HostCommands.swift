package import Bluetooth
import Bytes
package import Captures
package import Dissectors

/// Commands of the captured host, with their parameters, whose effect is only known once they are
/// answered: to controllers and to the Linux kernel. Bounded: the oldest is dropped and counts as
/// carried out.
package struct HostCommands: Sendable {
  /// A command without an answer so far.
  package struct Command: Sendable {
    package let adapter: AdapterIndex
    package let opcode: UInt16
    /// Whether it belongs to the kernel's management interface.
    package let isControl: Bool
    package let packet: Int
    package let time: Timestamp?
    package let parameters: [UInt8]
    /// Whether the capture lacks part of the parameters.
    package let isCut: Bool

    /// What it requests of an advertising set, if it does.
    package var advertising: AdvertisingCommand? {
      isControl
        ? try? AdvertisingCommand(control: opcode, parameters.bytes)
        : try? AdvertisingCommand(opcode, parameters.bytes)
    }
  }

  /// A command with its outcome.
  package struct Done {
    let command: Command
    let status: StatusCode
    /// The packet with the answer; nil if the answer was lost.
    var answer: Int?
  }

  private(set) var waiting: [Command] = []
  private let limit: Int

  package init(limit: Int) { self.limit = max(1, limit) }

  /// Whether no command waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// Records a command.
  ///
  /// - Returns: the command that had to make room: its answer counts as lost.
  @discardableResult
  package mutating func send(
    _ opcode: UInt16, isControl: Bool = false, _ record: borrowing CaptureRecord,
    _ parameters: RawSpan
  ) -> Done? {
    let lost = waiting.count >= limit ? waiting.removeFirst() : nil
    waiting.append(
      Command(
        adapter: record.adapter, opcode: opcode, isControl: isControl,
        packet: record.number, time: record.time, parameters: parameters.array,
        isCut: record.isTruncated))
    return lost.map { Done(command: $0, status: .success) }
  }

  /// Removes and returns the commands that a packet answers, with their outcomes. Answers are
  /// Command Complete, Command Status if it reports a failure, and the same events of the
  /// management interface.
  mutating func answered(by packet: borrowing Packet) -> [Done] {
    guard !waiting.isEmpty else { return [] }
    switch packet.dissection.content {
    case .event:
      switch packet.dissection.fact {
      case .commandComplete(let complete):
        return answered(
          complete.opcode, complete.status ?? .success, by: packet.record, packet.answer.request)
      case .commandStatus(let status) where status.status != .success:
        return answered(status.opcode, status.status, by: packet.record, packet.answer.request)
      default: return []
      }
    case .control(let control):
      guard let request = packet.answer.request,
        let status = control.status(packet.bytes, packet.dissection.body),
        control.isAnswer, let command = take(request.packet, isControl: true)
      else { return [] }
      return [
        Done(command: command, status: StatusCode(rawValue: status), answer: packet.record.number)
      ]
    default: return []
    }
  }

  private mutating func answered(
    _ opcode: UInt16, _ status: StatusCode, by record: borrowing CaptureRecord,
    _ request: Request?
  ) -> [Done] {
    let adapter = record.adapter
    guard
      let position = waiting.firstIndex(where: {
        $0.adapter == adapter && $0.opcode == opcode && !$0.isControl
          && (request == nil || request?.packet == $0.packet)
      })
    else { return [] }
    let command = waiting.remove(at: position)
    // Controllers answer in order: the answers of commands sent before this one were lost.
    return takeAll { $0.adapter == adapter && !$0.isControl && $0.packet < command.packet }
      + [Done(command: command, status: status, answer: record.number)]
  }

  /// Removes and returns the command in a packet, if it waits.
  package mutating func take(_ packet: Int?, isControl: Bool) -> Command? {
    waiting.firstIndex { $0.packet == packet && $0.isControl == isControl }.map {
      waiting.remove(at: $0)
    }
  }

  /// Removes and returns the commands that match: as far as is known, they were carried out.
  mutating func takeAll(_ isMeant: (Command) -> Bool) -> [Done] {
    var taken: [Done] = []
    waiting.removeAll { command in
      guard isMeant(command) else { return false }
      taken.append(Done(command: command, status: .success))
      return true
    }
    return taken
  }

  /// Forgets the commands of a controller that was reset or removed.
  mutating func forget(_ adapter: AdapterIndex) { waiting.removeAll { $0.adapter == adapter } }
}

/// Advertising data that comes in several commands, by its kind.
package struct AdvertisingDataParts: Sendable {
  /// Data, or its beginning.
  package struct Data: Sendable {
    package internal(set) var bytes: [UInt8] = []
    /// Whether the capture lacks bytes after these, so that what follows has no place.
    var isCut = false
  }

  private var begun: [AdvertisingCommand.DataKind: Data] = [:]
  /// The maximum length of the data (Core, Vol 4, Part E, 7.8.54).
  private static let most = 1650

  /// Creates the state before the first piece.
  package init() {}

  /// Adds a piece.
  ///
  /// - Parameters:
  ///   - operation: 0 intermediate, 1 first, 2 last, 3 complete.
  ///   - isCut: whether the capture lacks part of it.
  /// - Returns: the data, if this piece completes it.
  package mutating func add(
    _ kind: AdvertisingCommand.DataKind, _ operation: UInt8, _ piece: RawSpan, isCut: Bool
  ) -> Data? {
    // Without its first part, data would begin in the middle of a structure, for instance in a key.
    guard operation <= 3, operation & 1 == 1 || begun[kind] != nil else { return nil }
    var whole = operation & 1 == 1 ? Data() : begun[kind] ?? Data()
    if !whole.isCut {
      let room = max(0, Self.most - whole.bytes.count)
      whole.bytes.append(piece.part(Slice(start: 0, count: min(piece.byteCount, room))))
      whole.isCut = isCut || piece.byteCount > room
    }
    let isWhole = operation & 2 != 0
    begun[kind] = isWhole ? nil : whole
    return isWhole ? whole : nil
  }

  /// Forgets the beginning of data: what follows it has no place.
  package mutating func forget(_ kind: AdvertisingCommand.DataKind) { begun[kind] = nil }

  /// Forgets the beginnings of data of all kinds.
  mutating func forget() { begun.removeAll() }
}
