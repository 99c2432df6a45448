// The words for problems, shared by text and JSON.

import Bluetooth
import Bytes
package import Dissectors
import Meanings

extension Problem {
  /// How severe a problem is.
  package enum Severity: UInt8, Sendable {
    case warning, error

    /// The name in the JSON contract.
    package var key: StaticString { self == .error ? "error" : "warning" }
  }
}

extension Problem.Code {
  /// The code in the JSON contract.
  package var key: StaticString {
    switch self {
    case .truncated: "truncated"
    case .tooShort: "too_short"
    case .leftOver: "left_over_bytes"
    case .lengthTooLarge: "length_too_large"
    case .emptyRecord: "empty_record"
    case .unknownPacketType: "unknown_packet_type"
    case .unknownMonitorOpcode: "unknown_monitor_opcode"
    case .unknownRecordType: "unknown_record_type"
    case .unknownOpcode: "unknown_opcode"
    case .invalidElementLength: "invalid_element_length"
    case .advertisingStructureTooLong: "advertising_structure_too_long"
    case .recordsDropped: "records_dropped"
    case .timeOutOfRange: "time_out_of_range"
    case .fragmentLost: "fragment_lost"
    case .continuationWithoutStart: "continuation_without_start"
    case .fragmentTooLong: "fragment_too_long"
    case .responseWithoutRequest: "response_without_request"
    case .requestBeforeResponse: "request_before_response"
    case .responseMismatch: "response_mismatch"
    case .indicationBeforeConfirmation: "indication_before_confirmation"
    case .confirmationWithoutIndication: "confirmation_without_indication"
    case .limitReached: "limit_reached"
    case .sentAfterEnd: "sent_after_end"
    case .receivedAfterEnd: "received_after_end"
    case .advertisementTooLong: "advertisement_too_long"
    case .invalidIdentifier: "invalid_identifier"
    case .sduTooLong: "sdu_too_long"
    case .sduOverrun: "sdu_overrun"
    case .sduLost: "sdu_lost"
    case .frameTooLong: "frame_too_long"
    case .noCredits: "no_credits"
    case .parameterTooSmall: "parameter_too_small"
    case .invalidCredits: "invalid_credits"
    case .mtuExchangeNotAllowed: "mtu_exchange_not_allowed"
    case .channelClosed: "channel_closed"
    case .channelInUse: "channel_in_use"
    case .channelCountMismatch: "channel_count_mismatch"
    case .unknownChannel: "unknown_channel"
    case .frameOutOfStep: "frame_out_of_step"
    case .repeatedRecord: "repeated_record"
    case .attributeChanged: "attribute_changed"
    case .answersEarlier: "earlier_response_reassigned"
    case .answersOtherChannel: "response_on_other_channel"
    case .answersLate: "response_out_of_order"
    case .privateIdentity: "private_identity_address"
    case .unknownAirHeader: "unknown_sniffer_header"
    case .invalidValue: "invalid_value"
    case .wrongFrameCheck: "wrong_frame_check"
    }
  }

  /// The words after a number: singular and plural.
  var words: (one: StaticString, several: StaticString) {
    switch self {
    case .truncated: ("record cut short", "records cut short")
    case .tooShort: ("packet too short for its fields", "packets too short for their fields")
    case .leftOver: ("packet with bytes left over", "packets with bytes left over")
    case .lengthTooLarge: ("length beyond the packet's end", "lengths beyond the packet's end")
    case .emptyRecord: ("empty record", "empty records")
    case .unknownPacketType: ("unknown packet type", "unknown packet types")
    case .unknownMonitorOpcode:
      ("unknown kind of monitor record", "unknown kinds of monitor records")
    case .unknownRecordType: ("unknown type of record", "records of unknown types")
    case .unknownOpcode: ("unknown opcode", "unknown opcodes")
    case .invalidElementLength:
      ("impossible length of list items", "impossible lengths of list items")
    case .advertisingStructureTooLong:
      ("advertising structure too long", "advertising structures too long")
    case .recordsDropped: ("gap of dropped records", "gaps of dropped records")
    case .timeOutOfRange: ("time out of range", "times out of range")
    case .fragmentLost: ("lost fragment", "lost fragments")
    case .continuationWithoutStart:
      ("continuation without a start", "continuations without a start")
    case .fragmentTooLong: ("fragment too long", "fragments too long")
    case .responseWithoutRequest: ("response without a request", "responses without a request")
    case .requestBeforeResponse:
      ("request before the last one's response", "requests before the last one's response")
    case .responseMismatch: ("response to another request", "responses to another request")
    case .indicationBeforeConfirmation:
      (
        "indication before the last one's confirmation",
        "indications before the last one's confirmation"
      )
    case .confirmationWithoutIndication:
      ("confirmation without an indication", "confirmations without an indication")
    case .limitReached: ("limit reached", "limits reached")
    case .sentAfterEnd: ("packet sent after the link's end", "packets sent after the link's end")
    case .receivedAfterEnd:
      ("packet received after the link's end", "packets received after the link's end")
    case .advertisementTooLong: ("advertisement too long", "advertisements too long")
    case .invalidIdentifier: ("invalid identifier", "invalid identifiers")
    case .sduTooLong: ("SDU too long", "SDUs too long")
    case .sduOverrun: ("SDU beyond its length", "SDUs beyond their length")
    case .sduLost: ("lost SDU", "lost SDUs")
    case .frameTooLong: ("frame too long", "frames too long")
    case .noCredits: ("frame without a credit", "frames without a credit")
    case .parameterTooSmall: ("parameter too small", "parameters too small")
    case .invalidCredits: ("invalid number of credits", "invalid numbers of credits")
    case .mtuExchangeNotAllowed:
      ("MTU exchange that is not allowed", "MTU exchanges that are not allowed")
    case .channelClosed: ("frame on a closed channel", "frames on closed channels")
    case .channelInUse: ("channel end that is in use", "channel ends that are in use")
    case .channelCountMismatch:
      ("response with other channels than asked", "responses with other channels than asked")
    case .unknownChannel: ("credit for an unknown channel", "credits for unknown channels")
    case .frameOutOfStep: ("frame of an unknown SDU", "frames of unknown SDUs")
    case .repeatedRecord: ("record shown twice", "records shown twice")
    case .attributeChanged:
      ("discovery that contradicts another", "discoveries that contradict others")
    case .answersEarlier:
      (
        "response that was to an earlier request than reported",
        "responses that were to earlier requests than reported"
      )
    case .answersOtherChannel:
      (
        "response on another channel than its request",
        "responses on other channels than their requests"
      )
    case .answersLate: ("response out of order", "responses out of order")
    case .privateIdentity:
      ("identity address that is private", "identity addresses that are private")
    case .unknownAirHeader: ("unknown sniffer header", "unknown sniffer headers")
    case .invalidValue: ("value that is not allowed", "values that are not allowed")
    case .wrongFrameCheck: ("wrong frame check sequence", "wrong frame check sequences")
    }
  }

  /// Whether the packet is malformed (error), or unexpected or incomplete in the capture (warning).
  package var severity: Problem.Severity {
    switch self {
    case .tooShort, .lengthTooLarge, .emptyRecord, .unknownPacketType, .invalidElementLength,
      .advertisingStructureTooLong, .fragmentLost, .fragmentTooLong, .requestBeforeResponse,
      .responseMismatch, .indicationBeforeConfirmation, .invalidIdentifier, .sduTooLong,
      .sduOverrun, .sduLost, .frameTooLong, .noCredits, .parameterTooSmall, .invalidCredits,
      .mtuExchangeNotAllowed, .channelInUse, .channelCountMismatch, .answersOtherChannel,
      .privateIdentity, .invalidValue, .wrongFrameCheck:
      .error
    case .truncated, .leftOver, .unknownMonitorOpcode, .unknownRecordType, .unknownOpcode,
      .recordsDropped, .timeOutOfRange, .continuationWithoutStart, .responseWithoutRequest,
      .confirmationWithoutIndication, .limitReached, .sentAfterEnd, .receivedAfterEnd,
      .advertisementTooLong, .channelClosed, .unknownChannel, .frameOutOfStep, .repeatedRecord,
      .attributeChanged, .answersEarlier, .answersLate, .unknownAirHeader:
      .warning
    }
  }
}

extension Problem {
  /// The packet of another response that the problem is about.
  var response: Int? { code == .answersEarlier ? Int(first) : nil }

  /// The packet of the request that the problem is about.
  var request: Int? {
    switch code {
    case .answersEarlier: Int(second)
    case .requestBeforeResponse, .responseMismatch, .answersOtherChannel, .answersLate: Int(first)
    default: nil
    }
  }
}

extension Output {
  /// Appends a description of a problem: what was expected, and what was found.
  package mutating func message(of problem: Problem) {
    let first = Int(problem.first)
    let second = Int(problem.second)
    let verb: StaticString = second == 1 ? "is" : "are"
    switch problem.code {
    case .truncated:
      // Some recorders truncate every packet: this one is not composed as a string.
      text("the capture kept ")
      decimal(first)
      text(" of ")
      count(second, "byte", "bytes")
    case .tooShort:
      write(
        "too short: the next field has \(count: first, "byte", "bytes"), \(second) \(verb) left")
    case .leftOver: count(first, "byte is left over", "bytes are left over")
    case .lengthTooLarge:
      write("the length is \(count: first, "byte", "bytes"), but only \(second) \(verb) present")
    case .emptyRecord: text("the record holds no bytes")
    case .unknownPacketType:
      write("no packet type: \(code: first, digits: 2); expected 0x01 to 0x05")
    case .unknownMonitorOpcode:
      write("no opcode of the Linux monitor: \(first); known are 0 to 19")
    case .unknownRecordType: write("no record type of PacketLogger: \(code: first, digits: 2)")
    case .unknownOpcode: write("no opcode of the specification: \(code: first, digits: 2)")
    case .invalidElementLength:
      write("no element of this list can have the length or format \(first)")
    case .advertisingStructureTooLong:
      write(
        "an AD structure of \(count: first, "byte", "bytes") stands where \(second) \(verb) left")
    case .recordsDropped:
      text("the writer lost ")
      count(problem.dropped, "record before this one", "records before this one")
    case .timeOutOfRange: text("the time lies outside the years 0000 to 9999")
    case .fragmentLost:
      if second > 0 {
        write("the PDU before was given up with \(first) of \(count: second, "byte", "bytes")")
      } else {
        write("the PDU before was given up with \(count: first, "byte", "bytes")")
        text(", before its header was there")
      }
    case .continuationWithoutStart:
      text("a continuation fragment without a beginning")
    case .fragmentTooLong:
      write("the fragment brings \(count: first, "byte", "bytes"), the PDU takes \(second)")
    case .responseWithoutRequest: text("answers no request in the capture")
    case .requestBeforeResponse: write("a request before the answer to \(packet: first)")
    case .responseMismatch: write("not the answer that \(packet: first) waits for")
    case .indicationBeforeConfirmation:
      write("an indication before the confirmation of \(packet: first)")
    case .confirmationWithoutIndication: text("confirms no indication in the capture")
    case .sentAfterEnd: text("sent although the connection has ended")
    case .receivedAfterEnd: text("received although the connection has ended")
    case .advertisementTooLong:
      write(
        "the advertisement is longer than \(count: first, "byte", "bytes"); its data was given up")
    case .limitReached: limit(first, Problem.Limited(rawValue: second) ?? .links)
    case .invalidIdentifier: text("the identifier is 0, which no command may have")
    case .sduTooLong:
      write("an SDU of \(first) bytes; the receiver takes \(second) (MTU)")
    case .sduOverrun:
      write("the frames of the SDU bring \(count: first, "byte", "bytes"); its length is \(second)")
    case .sduLost:
      write("the SDU before was given up with \(first) of \(count: second, "byte", "bytes")")
    case .frameTooLong: write("a frame of \(first) bytes; the receiver takes \(second) (MPS)")
    case .noCredits:
      write("sent without a credit: \(count: first, "frame", "frames")")
      write(", \(count: second, "credit given", "credits given")")
    case .parameterTooSmall: write("an MTU or MPS of \(first); the least is \(second)")
    case .invalidCredits:
      if first == 0 {
        text("gives no credits; expected 1 to 65535")
      } else {
        count(first, "credit makes ", "credits make ")
        write("\(second); more than 65535 may not be held")
      }
    case .mtuExchangeNotAllowed:
      text("this bearer's MTU was settled when its channel was opened: no exchange is allowed")
    case .channelClosed:
      write("the channel was closed by \(packet: first)")
    case .channelInUse:
      write("the CID \(code: first, digits: 4) is that of another channel, which is still open")
    case .channelCountMismatch:
      write("\(count: first, "CID answers", "CIDs answer") a request for \(second)")
    case .unknownChannel: write("no channel with the CID \(code: first, digits: 4) is known")
    case .frameOutOfStep: text("a frame of an SDU whose beginning is not known")
    case .repeatedRecord:
      write("the same record as \(packet: first), which another file has")
    case .attributeChanged:
      write("describes \(code: first, digits: 4) differently from ")
      if second > 0 { packet(second) } else { text("the map that was supplied") }
      text("; this description is used")
    case .answersEarlier:
      write("shows that \(packet: first) was the answer to \(packet: second)")
    case .answersOtherChannel:
      write("answers \(packet: first), which came on another channel")
    case .privateIdentity:
      text("a private address; an identity address is public or random static")
    case .answersLate:
      write("answers \(packet: first), after the answer to a later request")
    case .unknownAirHeader: write("not a sniffer header that is known: it contains \(first)")
    case .invalidValue: write("the specification does not allow the value \(first) here")
    case .wrongFrameCheck:
      write(
        "the frame check sequence is \(code: first, digits: 2); the frame gives \(code: second, digits: 2)"
      )
    }
  }

  /// Appends which table is full, and what happens to its entries.
  private mutating func limit(_ limit: Int, _ limited: Problem.Limited) {
    text("more than ")
    decimal(limit)
    switch limited {
    case .joined: text(" bytes of incomplete PDUs wait for the rest; the oldest PDU was given up")
    case .links: text(" connections are open at once; the oldest was forgotten")
    case .commands: text(" commands wait for their answer; the oldest was forgotten")
    case .names: text(" devices have names; the name learnt first was forgotten")
    case .fragments: text(" packets carry one PDU; the numbers of the later ones are not kept")
    case .channels: text(" L2CAP channels are open at once; the oldest was forgotten")
    case .signalling:
      text(" L2CAP requests wait for their response; the oldest was forgotten")
    case .attributes:
      text(" attributes of one server, or too many servers, are known; not all are remembered")
    case .advertisements: text(" advertisements wait for their next part; the oldest was given up")
    case .trains: text(" periodic advertising trains are known; the one learnt first was forgotten")
    }
  }
}
