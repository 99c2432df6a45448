package import Dissectors
package import Meanings

/// The parameters that the two ends of a link use (Core, Vol 6, Part B, 4.5.1 and 4.5.2).
package struct LinkParameters: Equatable, Sendable {
  /// The interval in units of 1.25 ms.
  package var interval: UInt16
  /// The number of connection events that the peripheral may skip.
  package var latency: UInt16
  /// The supervision timeout in units of 10 ms.
  package var timeout: UInt16

  package init(interval: UInt16, latency: UInt16, timeout: UInt16) {
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
  }

  /// The longest time between two packets of the peripheral, in nanoseconds.
  package var longestPause: Int64 { (1 + Int64(latency)) * Int64(interval) * 1_250_000 }

  /// In words: `interval 15 ms, latency 0, supervision timeout 720 ms`.
  package var words: Wording { WantedParameters(self).words }
}

/// Describes requested parameters.
extension WantedParameters {
  /// Why parameters are impossible.
  package enum Fault: Sendable {
    /// An interval outside 7.5 ms to 4 s.
    case interval
    /// A minimum interval that is larger than the maximum.
    case noInterval
    /// A latency above 499.
    case latency
    /// A supervision timeout outside 100 ms to 32 s.
    case timeout
    /// A supervision timeout that is too short for two of the peripheral's longest intervals.
    case timeoutTooShort
  }

  /// Creates a request for the parameters in force.
  package init(_ parameters: LinkParameters) {
    self.init(
      intervalMin: parameters.interval, intervalMax: parameters.interval,
      latency: parameters.latency, timeout: parameters.timeout)
  }

  /// Why these are impossible, or nil if they are possible (Core, Vol 4, Part E, 7.8.12 [mem]).
  package var fault: Fault? {
    guard 6...3200 ~= intervalMin, 6...3200 ~= intervalMax else { return .interval }
    guard intervalMin <= intervalMax else { return .noInterval }
    guard latency <= 499 else { return .latency }
    guard 10...3200 ~= timeout else { return .timeout }
    return Int(timeout) * 10_000 <= leastTimeout ? .timeoutTooShort : nil
  }

  /// The value in microseconds that the supervision timeout has to exceed: twice the longest time
  /// between two packets of the peripheral.
  package var leastTimeout: Int { (1 + Int(latency)) * Int(intervalMax) * 1250 * 2 }

  /// Returns whether a link with these parameters satisfies the request.
  package func allow(_ parameters: LinkParameters) -> Bool {
    parameters.interval >= intervalMin && parameters.interval <= intervalMax
      && parameters.latency == latency && parameters.timeout == timeout
  }

  /// In words: `interval 15–30 ms, latency 4, supervision timeout 6000 ms`.
  package var words: Wording {
    "interval \(interval: intervalMin, to: intervalMax), latency \(latency), supervision timeout \(Int(timeout) * 10) ms"
  }

  /// What is wrong with them, as a full sentence; empty if nothing is.
  package var faultWords: Wording {
    switch fault {
    case nil: ""
    case .interval:
      "An interval of \(interval: intervalMin) to \(interval: intervalMax) is outside 7.5 ms to 4 s."
    case .noInterval:
      "The smallest interval, \(interval: intervalMin), is larger than the largest, \(interval: intervalMax)."
    case .latency: "A latency of \(latency) exceeds the maximum of 499."
    case .timeout: "A supervision timeout of \(Int(timeout) * 10) ms is outside 100 ms to 32 s."
    case .timeoutTooShort:
      "The supervision timeout of \(Int(timeout) * 10) ms must be larger than 2 × (1 + latency \(latency)) × interval \(interval: intervalMax) = \(leastTimeout / 1000) ms: one lost packet may end the link."
    }
  }
}
