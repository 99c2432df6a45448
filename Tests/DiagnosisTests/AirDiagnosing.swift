import Bluetooth
import Captures
import Diagnosis
import Histories
import MadeTraffic
import Sessions

/// Returns the evidence of what a sniffer recorded of two devices.
func airEvidence(
  _ form: AirForm = AirForm(.nordic3), bonds: [Bond] = [], _ build: (inout AirTraffic) -> Void
) -> Evidence {
  var traffic = AirTraffic(seed: 1)
  build(&traffic)
  var records = traffic.records(form)
  for index in records.indices { records[index].number = index + 1 }
  var source = MemorySource(records)
  let evidence = evidence(of: &source, bonds: bonds)
  if bonds.isEmpty { Triggers.record(records, evidence) }
  return evidence
}

extension AirTraffic {
  /// The peripheral's bond with a key, which is most significant byte first.
  static func bond(_ key: [UInt8]) -> Bond {
    var bond = Bond(DeviceAddress(value: UInt64(Traffic.peer)), .random, file: "keys")
    bond.longTermKeys = [Bond.LongTermKey(key.reversed())]
    return bond
  }

  /// Lets time pass after a connection, in which the peripheral advertises: the capture goes on.
  mutating func goOn() {
    clock += 500_000
    advertise(3)
  }
}
