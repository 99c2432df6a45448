import ArgumentParser
import Bluetooth
import Redaction

/// The options for what `convert` removes from a capture.
struct RedactionArguments: ParsableArguments {
  @Flag(
    name: .long,
    help:
      "Replace keys, addresses and names with pseudonyms, and log texts with asterisks (docs/redaction.md)."
  )
  var redact = false

  @Flag(name: .long, help: "With --redact: keep names.")
  var keepNames = false

  @Flag(
    name: .long,
    help:
      "With --redact: keep the bytes of vendor HCI commands and events whose meaning is unknown."
  )
  var keepVendor = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "With --redact: replace attribute values, manufacturer data and service data with zeros: all, or those of these attributes and services.",
      valueName: "all|uuid,..."),
    transform: { try Values($0) })
  var redactValues: [Values] = []

  /// The argument of `--redact-values`.
  enum Values {
    case all
    case types([BluetoothUUID])

    init(_ text: String) throws {
      if text == "all" {
        self = .all
        return
      }
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let types = words.compactMap { BluetoothUUID(text: String($0)) }
      guard types.count == words.count else {
        throw ValidationError("expected all, or UUIDs with commas between them, not \(text)")
      }
      self = .types(types)
    }
  }

  func validate() throws {
    guard !redact else { return }
    if keepNames { throw ValidationError("--keep-names works only with --redact.") }
    if keepVendor { throw ValidationError("--keep-vendor works only with --redact.") }
    if !redactValues.isEmpty {
      throw ValidationError("--redact-values works only with --redact.")
    }
  }

  /// Returns what to remove, or nil if nothing.
  func options(bonds: [Bond]) -> RedactionOptions? {
    guard redact else { return nil }
    var options = RedactionOptions()
    options.keepsNames = keepNames
    options.keepsVendors = keepVendor
    options.bonds = bonds
    var types: [BluetoothUUID] = []
    for values in redactValues {
      switch values {
      case .all: options.values = .all
      case .types(let some): types += some.map(\.shortest)
      }
    }
    if options.values == .none, !types.isEmpty { options.values = .types(types) }
    return options
  }
}
