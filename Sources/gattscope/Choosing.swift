import Bluetooth
import Bytes
import Captures
import Reports
import Sessions

/// Finds out which packets are selected.
struct Choosing: CaptureUser, ~Copyable {
  private let options: ShowOptions
  private let maps: [SuppliedMap]
  private let bonds: [Bond]
  private(set) var kept = ChosenPackets()
  private(set) var remark = ""

  init(_ options: ShowOptions, maps: [SuppliedMap], bonds: [Bond]) {
    self.options = options
    self.maps = maps
    self.bonds = bonds
  }

  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure) {
    var report = ChoosingReport(options)
    var pass = Pass(maps: maps, bonds: bonds)
    var output = Output()
    var failure: CaptureFailure?
    do throws(CaptureFailure) {
      try pass.run(&source, &report, into: &output)
    } catch {
      failure = error
    }
    let chosen = report.result.chosen
    kept = report.result.kept
    let others = kept.count - chosen
    remark =
      report.remark
      ?? "\(chosen) \(chosen == 1 ? "packet" : "packets") selected; \(others) more included for context"
    if let failure { throw failure }
  }
}
