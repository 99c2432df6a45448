// Attributes that are learnt without discovery, or with a part of it.

import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

/// Describes the attributes of the only server: "0011 2902 of 0010".
private func known(_ recording: Recording) -> [String] {
  (recording.memory.attributes.servers.first?.attributes ?? []).map { attribute in
    let words = "\(digits(attribute.handle)) \(String(attribute.uuid.low, radix: 16))"
    let owner = attribute.target == 0 ? "" : " of \(digits(attribute.target))"
    return words + owner + (attribute.via == .inferred ? " inferred" : "")
  }
}

private func digits(_ handle: UInt16) -> Substring {
  String(UInt32(handle) | 0x10000, radix: 16).dropFirst()
}

@Suite struct InferenceTests {
  /// Without its request, only a Find Information Response can be understood; what others report is
  /// inferred.
  @Test func responsesWithoutTheirRequest() {
    let types = run { traffic in
      traffic.received("05 01 10 00 37 2a 11 00 02 29")
      traffic.received("1b 10 00 05")
    }
    #expect(known(types) == ["0010 2a37", "0011 2902"])
    // An attribute that notifies is a value, and the adjacent descriptor belongs to it.
    let kinds = types.memory.attributes.servers.first?.attributes.map(\.kind)
    #expect(kinds == [.value, .descriptor])
    #expect(types.problems == ["responseWithoutRequest(0,0)"])
    for (response, types) in [
      ("11 06 01 00 05 00 0d 18", ["0001 180d inferred"]),
      ("09 07 02 00 10 03 00 37 2a", ["0002 2a37 of 0003 inferred", "0003 2a37 inferred"]),
      ("07 01 00 05 00", []),
    ] {
      #expect(known(run { $0.received(response) }) == types, "\(response)")
    }
  }

  /// Each of several notifications in one PDU counts like a single one.
  @Test func severalNotificationsAtOnce() {
    let recording = run { traffic in
      traffic.ask("12 11 00 01 00", "13")
      traffic.ask("12 15 00 01 00", "13")
      traffic.received("23 10 00 01 00 05 14 00 01 00 06")
    }
    #expect(known(recording) == ["0011 2902 of 0010 inferred", "0015 2902 of 0014 inferred"])
  }

  /// A discovered CCCD belongs to the nearest notifying value below it.
  @Test func ownersOfDiscoveredConfigurations() {
    let discover = { (traffic: inout Traffic) in
      traffic.ask("04 11 00 13 00", "05 01 12 00 04 29 13 00 02 29")
    }
    let after = run { traffic in
      discover(&traffic)
      traffic.received("1b 10 00 05")
      traffic.received("1b 08 00 05")
    }
    #expect(known(after) == ["0012 2904 of 0010", "0013 2902 of 0010"])
    let nearer = run { traffic in
      discover(&traffic)
      traffic.received("1b 08 00 05")
      traffic.received("1b 10 00 05")
    }
    #expect(known(nearer) == ["0012 2904 of 0010", "0013 2902 of 0010"])
    let before = run { traffic in
      traffic.received("1b 10 00 05")
      discover(&traffic)
    }
    #expect(known(before) == ["0012 2904 of 0010", "0013 2902 of 0010"])
    // After the CCCD, or beyond another characteristic's declaration: not its value.
    let others = run { traffic in
      discover(&traffic)
      traffic.received("1b 14 00 05")
      traffic.ask("08 01 00 ff ff 03 28", "09 07 11 00 10 12 00 37 2a")
      traffic.received("1b 10 00 05")
    }
    #expect(known(others).contains("0013 2902"), "\(known(others))")
  }

  /// A rediscovered CCCD still belongs to the value.
  @Test func configurationsThatAreDiscoveredAgain() {
    let recording = run { traffic in
      traffic.ask("04 11 00 11 00", "05 01 11 00 02 29")
      traffic.received("1b 10 00 05")
      traffic.ask("04 11 00 11 00", "05 01 11 00 02 29")
    }
    #expect(known(recording) == ["0011 2902 of 0010"])
    #expect(recording.problems == [])
  }
}
