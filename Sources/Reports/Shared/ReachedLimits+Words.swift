import Bluetooth
import Bytes
import Dissectors
package import Sessions

extension ReachedLimits {
  /// Remarks to print beside a report: one sentence for each limit.
  package var remarks: [String] {
    all.map { reached in
      var output = Output()
      output.packet(reached.packet)
      output.text(": ")
      output.message(of: reached.problem)
      return String(decoding: output.bytes.array, as: UTF8.self)
    }
  }
}
