import Bluetooth
import Captures
import Diagnosis
import Histories
import MadeTraffic
import Sessions

/// Returns the evidence of what a sniffer recorded of two devices.
func airEvidence(
  _ form: AirForm = AirForm(.nordic3), _ build: (inout AirTraffic) -> Void
) -> Evidence {
  var traffic = AirTraffic(seed: 1)
  build(&traffic)
  let records = traffic.records(form)
  var source = MemorySource(records)
  let evidence = evidence(of: &source)
  Triggers.record(records, evidence)
  return evidence
}

extension AirTraffic {
  /// Lets time pass after a connection, in which the peripheral advertises: the capture goes on.
  mutating func goOn() {
    clock += 500_000
    advertise(3)
  }
}
