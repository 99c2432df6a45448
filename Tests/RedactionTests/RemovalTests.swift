import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Redaction

@Suite("Values and other data are removed") struct RemovalTests {
  private static let secret = Array("PATIENT-4711".utf8)

  /// Returns the traffic with all values removed, and without.
  private func both(
    _ build: (inout Traffic) -> Void
  ) throws -> (all: Redacted, none: Redacted) {
    var options = RedactionOptions()
    options.values = .all
    return (try redacted(options, build), try redacted(RedactionOptions(), build))
  }

  @Test(
    "parts of ATT PDUs that are not values: searches, unknown opcodes, odd ends, trailing bytes"
  )
  func attribute() throws {
    let secret = Self.secret
    let result = try both {
      $0.connect()
      // Find By Type Value, an unknown opcode, a list whose last item is cut, a Read Request with
      // trailing bytes, and bytes after the L2CAP PDU.
      $0.acl(l2cap([0x06, 1, 0, 0xff, 0xff, 0x37, 0x2a] + secret), .sent)
      $0.acl(l2cap([0x7c] + secret), .received)
      $0.acl(l2cap([0x09, 16, 3, 0] + secret + [7, 7] + secret), .received)
      $0.acl(l2cap([0x0a, 3, 0] + secret), .sent)
      $0.acl(l2cap([0x0a, 3, 0]) + secret, .sent)
      $0.split(l2cap([0x0a, 3, 0]) + secret, [5], .sent)
      // A search for a service stays: without its UUID the response has no meaning.
      $0.acl(l2cap([0x06, 1, 0, 0xff, 0xff, 0x00, 0x28, 0x0d, 0x18]), .sent)
    }
    #expect(!result.all.contains(Array(secret.prefix(4))))
    #expect(!result.all.contains(Array(secret.suffix(4))))
    // The searched value, and a value in a list, stay and are counted; no field claims the rest.
    for index in [1, 8] { #expect(result.none.after[index] == result.none.before[index]) }
    #expect(contain([result.none.after[3]], secret), "a value")
    for index in [2, 4, 5, 7] { #expect(!contain([result.none.after[index]], secret), "\(index)") }
    #expect(!contain([Array(result.none.after[3].suffix(secret.count))], secret), "an odd end")
    #expect(
      result.none.lines[0].contains("4 parts that belong to no known field"), "\(result.none.lines)"
    )
    #expect(result.all.after.last == result.all.before.last)
    // The last fragment of the PDU with trailing bytes begins within the PDU.
    for index in 1..<result.all.after.count where index != 7 {
      #expect(result.all.after[index].prefix(9) == result.all.before[index].prefix(9))
    }
  }

  @Test("credit-based channels, whole SDUs and those in frames; frames out of step") func credits()
    throws
  {
    let secret = Self.secret + Self.secret
    let result = try both {
      $0.connect()
      $0.openChannel()
      $0.first(secret.count, secret, .received, cid: 0x40)
      $0.first(secret.count, Array(secret.prefix(17)), .received, cid: 0x40)
      $0.acl(l2cap(Array(secret.dropFirst(17)), cid: 0x40), .received)
    }
    #expect(result.none.after[3...] == result.none.before[3...])
    #expect(result.all.after[3].prefix(11) == result.all.before[3].prefix(11), "the SDU's length")
    #expect(result.all.after[3].dropFirst(11).allSatisfy { $0 == 0 })
    for part in [secret.prefix(17), secret.dropFirst(17)] {
      #expect(!result.all.contains(Array(part)))
    }
    #expect(result.all.lines[0].contains("2 values on serial channels"), "\(result.all.lines)")
  }

  @Test("classic channels; of RFCOMM all but the value stays") func classic() throws {
    let secret = Self.secret
    let frame = [0x0b, 0xef, UInt8(secret.count) << 1 | 1] + secret + [0x9a]
    for (psm, payload, kept, check) in [("13 00", secret, 9, 0), ("03 00", frame, 12, 0x9a)] {
      let result = try both {
        $0.connectClassic()
        $0.openClassic(psm: psm)
        $0.acl(l2cap(payload, cid: 0x45), .received)
      }
      #expect(result.none.after[3] == result.none.before[3])
      #expect(result.all.after[3].prefix(kept) == result.all.before[3].prefix(kept))
      #expect(result.all.after[3].dropFirst(kept).dropLast().allSatisfy { $0 == 0 })
      #expect(result.all.after[3].last.map { Int($0) } == check)
    }
  }

  @Test("nothing remains of fragments of a PDU without its end, on any channel; that is reported")
  func unfinished() throws {
    let secret = Self.secret
    let result = try redacted {
      $0.connect()
      $0.openChannel()
      // A frame that is cut off, an SDU without its end, a lone continuation; a whole PDU; and one
      // of pieces that may not belong together.
      $0.acl(Array(l2cap(little(12) + secret, cid: 0x40).prefix(13)), .received)
      $0.first(40, secret, .received, cid: 0x40)
      $0.acl(secret, .sent, .more)
      $0.acl(l2cap([0x1b, 0x0e, 0] + secret), .received)
      $0.split(l2cap([0x1b, 0x0e, 0] + secret), [9, 4])
    }
    for index in 3...5 {
      #expect(!contain([result.after[index]], Array(secret.prefix(4))), "\(index)")
      #expect(result.after[index].prefix(5) == result.before[index].prefix(5))
    }
    #expect(result.after[6...7] == result.before[6...7])
    for index in 8...9 { #expect(result.after[index].dropFirst(5).allSatisfy { $0 == 0 }) }
    #expect(
      result.lines.contains(
        "replaced with zeros: 4 parts of PDUs whose other parts are not in the capture"),
      "\(result.lines)")
  }

  @Test("nothing remains of frames that belong to no SDU") func outOfStep() throws {
    let secret = Self.secret
    let result = try redacted {
      $0.connect()
      $0.openChannel()
      // More than the SDU's length, and what follows.
      $0.first(12, Array(secret.prefix(5)), .received, cid: 0x40)
      $0.acl(l2cap(secret, cid: 0x40), .received)
      $0.acl(l2cap(secret, cid: 0x40), .received)
    }
    for index in 3...5 {
      #expect(!contain([result.after[index]], Array(secret.prefix(4))), "\(index)")
      #expect(result.after[index].prefix(9) == result.before[index].prefix(9))
    }
  }

  @Test("a complete SDU is reassembled, although its frames came in fragments")
  func finished()
    throws
  {
    let secret = Self.secret + Self.secret + [7, 7, 7, 7]
    let result = try redacted {
      $0.connect()
      $0.openChannel()
      $0.split(l2cap(little(56) + secret, cid: 0x40), [27])
      $0.split(l2cap(secret, cid: 0x40), [27])
    }
    #expect(
      result.after
        == result.before.enumerated().map { $0.offset == 0 ? result.after[0] : $0.element })
    #expect(!result.lines.contains { $0.contains("replaced with zeros") })
  }
}
