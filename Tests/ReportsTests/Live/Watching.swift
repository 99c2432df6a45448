import Bytes
import Captures
import MadeTraffic
import Sessions

@testable import Reports

/// Returns a report's output for traffic with silence before some records.
///
/// - Parameter silence: the milliseconds, by the number of the following record.
func watched<Report: PacketReport & ~Copyable>(
  _ traffic: Traffic, _ clock: TestClock, silence: @escaping (Int) -> Int64,
  _ report: consuming Report, inspect: (borrowing Report) -> Void = { _ in }
) -> String {
  var source = PacedSource(MemorySource(traffic), clock, silence: silence)
  var report = report
  var output = Output()
  var pass = Pass()
  try? pass.run(&source, &report, into: &output)
  inspect(report)
  return output.string
}

/// Returns traffic of a thermometer and a heart rate, read and notified: 3 values of two
/// characteristics, after 13 records.
func twoSensors() -> Traffic {
  var traffic = Traffic()
  traffic.connectToHeartRate()
  traffic.discoverThermometer()
  traffic.received("1b 10 00 06 48")
  traffic.received("1b 10 00 06 4a")
  traffic.ask("0a 13 00", "0b 01")
  return traffic
}
