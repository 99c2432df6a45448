package import Bluetooth
package import Dissectors

/// A request or command that waits for its answer, or that an answer belongs to.
package struct Request: Sendable {
  /// The time in nanoseconds after which an ATT transaction times out (Core, Vol 3, Part F, 3.3.3).
  package static let timeout: Int64 = 30_000_000_000

  package let packet: Int
  /// The time at which it was sent.
  package let time: Timestamp?
  package var opcode = ATTOpcode(rawValue: 0)
  /// ATT: the attribute that it refers to.
  package var handle: UInt16?
  /// ATT: the first handle of the requested range.
  package var startHandle: UInt16?
  /// ATT: the last handle of the requested range.
  package var endHandle: UInt16?
  /// ATT: the requested attribute type.
  package var type: BluetoothUUID?
  /// ATT: the service that a Find By Type Value Request for primary services asks for.
  package var service: BluetoothUUID?
  /// ATT: the offset of the part of a value that it requests or carries.
  package var offset: UInt16?
  /// ATT: the MTU that it offers.
  private(set) var mtu: UInt16?
  /// ATT: whether an earlier request for the same type on the same link found something.
  var isContinued = false

  init(packet: Int, time: Timestamp?) {
    self.packet = packet
    self.time = time
  }

  init(packet: Int, time: Timestamp?, _ opcode: ATTOpcode, _ fields: ATTFields) {
    self.init(packet: packet, time: time)
    self.opcode = opcode
    handle = fields.handle
    startHandle = fields.startHandle
    endHandle = fields.endHandle
    type = fields.type
    offset = fields.offset
    mtu = fields.mtu
  }

  /// Creates the request of a response whose request is missing, if the response alone implies it.
  init?(evident response: ATTOpcode, packet: Int) {
    guard response == .findInformationResponse else { return nil }
    self.init(packet: packet, time: nil)
    opcode = .findInformationRequest
  }

  /// The meaning of an Attribute Not Found error.
  package enum NothingFound: Sendable {
    /// A discovery procedure has reached its end.
    case endOfDiscovery
    /// There is no attribute of the requested type: nothing was found from the first handle on.
    case none
    /// One of the two: the request that would show which is missing.
    case either
  }

  /// The meaning of Attribute Not Found as an answer to this request. It is never a failure, since
  /// this is how a server reports that there is nothing more (Core, Vol 3, Part G, 4.4 to 4.7).
  package var meaningOfNotFound: NothingFound? {
    switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest, .findInformationRequest:
      .endOfDiscovery
    case .readByTypeRequest:
      // Handles do not show where a search began, since hosts search within one service.
      type == .characteristic || type == .include || isContinued
        ? .endOfDiscovery : NothingFound.none
    default: nil
    }
  }

  /// Returns the meaning of Attribute Not Found as an answer to a request that is missing: the
  /// error contains its opcode.
  fileprivate static func meaningOfNotFound(for opcode: ATTOpcode?) -> NothingFound? {
    switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest, .findInformationRequest:
      .endOfDiscovery
    case .readByTypeRequest: .either
    default: nil
    }
  }

  /// Returns the time until the answer, in nanoseconds; nil if a time is unknown.
  func latency(until time: Timestamp?) -> Int64? {
    guard let time, let sent = self.time else { return nil }
    // A negative value means that the clock was set in between, so the time is unknown.
    let nanoseconds = time.nanoseconds(since: sent)
    return nanoseconds < 0 ? nil : nanoseconds
  }

  /// Returns whether an answer about the attribute `handle` can belong to this request; nil: the
  /// request does not name its attributes.
  func covers(_ handle: UInt16) -> Bool? {
    if let own = self.handle { return own == handle }
    guard let startHandle, let endHandle else { return nil }
    return startHandle <= handle && handle <= endHandle
  }
}

extension Answer {
  /// Returns the meaning of an error if it is how a server reports that there is nothing more,
  /// which is not a failure; nil for errors.
  package func meaning(of fields: ATTFields) -> Request.NothingFound? {
    guard fields.error == .attributeNotFound else { return nil }
    guard let request else { return Request.meaningOfNotFound(for: fields.requestOpcode) }
    return request.meaningOfNotFound
  }
}
