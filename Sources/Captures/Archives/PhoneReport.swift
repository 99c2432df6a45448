package import Bluetooth
import Bytes

/// The facts about a phone in an Android bug report or the output of `dumpsys bluetooth_manager`.
package struct PhoneReport: Equatable, Sendable {
  /// A device with which the phone has a bond.
  package struct BondedDevice: Equatable, Sendable {
    package let address: DeviceAddress
    package let name: String
    /// Whether it is a BR/EDR-only device.
    package let isClassic: Bool
  }

  /// When the report was made, in the phone's local time: "2026-11-21 12:05:00".
  package var madeAt: String?
  /// Android's version: "16".
  package var version: String?
  package var build: String?
  package var model: String?
  /// The Bluetooth log's mode when Bluetooth was switched on: "full", "filtered", "disabled" or
  /// "empty". If the report lacks it, the mode in the phone's properties.
  package var logMode: String?
  package var bondedDevices: [BondedDevice] = []
  /// The packages of the apps that used GATT.
  package var clients: [String] = []

  private var isModeOfService = false
  private var section = Section.none

  /// Lists whose entries follow line by line.
  private enum Section { case none, bonded, clients }

  package init() {}

  /// Whether nothing is known.
  package var isEmpty: Bool { self == PhoneReport() }

  /// The maximum number of entries kept of each list.
  private static let mostEntries = 256

  /// Reads a line without its line end.
  mutating func read(_ line: RawSpan) {
    let indentation = Self.indentation(line)
    let text = line.dropping(indentation)
    if section != .none, readEntry(text, isIndented: indentation > 0) { return }
    // Checked first, since most lines begin with another character.
    switch text.byte(at: 0) {
    case UInt8(ascii: "="):
      if text.starts(with: "== dumpstate: ") { madeAt = madeAt ?? Self.text(text.dropping(14)) }
    case UInt8(ascii: "["): readProperty(text)
    case UInt8(ascii: "B"):
      if text.starts(with: "Build: ") { build = build ?? Self.text(text.dropping(7)) }
      if text.starts(with: "Bonded devices:") { section = .bonded }
    case UInt8(ascii: "G"):
      if text.starts(with: "GATT Client Map") { section = .clients }
    case UInt8(ascii: "s"):
      if text.starts(with: "sSnoopLogSettingAtEnable = ") {
        logMode = Self.text(text.dropping(27)).lowercased()
        isModeOfService = true
      }
    default: break
    }
  }

  /// Reads a line of the form `[name]: [value]`.
  private mutating func readProperty(_ line: RawSpan) {
    guard line.starts(with: "[ro.") || line.starts(with: "[persist.bluetooth.btsnoop") else {
      return
    }
    let text = Self.text(line)
    guard let middle = text.range(ofText: "]: ["), text.last == "]" else { return }
    let value = String(text[middle.upperBound...].dropLast())
    guard !value.isEmpty else { return }
    switch text[..<middle.lowerBound] {
    case "[ro.build.version.release": version = version ?? value
    case "[ro.product.model": model = model ?? value
    case "[persist.bluetooth.btsnooplogmode":
      if !isModeOfService { logMode = value.lowercased() }
    default: break
    }
  }

  /// Reads a line of a list; false if the list has ended before it.
  private mutating func readEntry(_ line: RawSpan, isIndented: Bool) -> Bool {
    if section == .clients {
      // The map ends where the next one begins.
      if line.starts(with: "GATT ") || line.starts(with: "Profile:") || line.starts(with: "---") {
        section = .none
        return false
      }
      for word in Self.text(line).split(whereSeparator: { " ,;()'\"".contains($0) }) {
        if Self.isPackage(word), !clients.contains(String(word)), clients.count < Self.mostEntries {
          clients.append(String(word))
        }
      }
      return true
    }
    guard isIndented, line.byteCount >= 17 else {
      section = .none
      return false
    }
    let text = Self.text(line)
    guard let address = DeviceAddress(text: text.prefix(17)) else { return true }
    // `60:B9:7C:95:68:CC [BR/EDR][ 0x240404 ] Name`
    let name =
      text.dropFirst(17).split(separator: "]", omittingEmptySubsequences: false).last
      .map { $0.drop { $0 == " " } } ?? ""
    if bondedDevices.count < Self.mostEntries {
      bondedDevices.append(
        BondedDevice(
          address: address, name: String(name), isClassic: text.contains(text: "[BR/EDR]")))
    }
    return true
  }

  /// Returns whether an archive entry with this name may be the text of a bug report.
  static func mayBeIn(_ name: String) -> Bool {
    let file = name.split(separator: "/").last ?? ""
    return file.contains(text: "bluetooth_manager")
      || file.hasSuffix(".txt")
        && (file.hasPrefix("bugreport") || file.hasPrefix("dumpstate") || file.hasPrefix("dumpsys"))
  }

  /// Returns whether a word looks like an app's package: lower-case names joined by at least two
  /// full stops.
  private static func isPackage(_ word: Substring) -> Bool {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count >= 3
      && parts.allSatisfy { part in
        part.first?.isLowercase == true
          && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      }
  }

  private static func indentation(_ line: RawSpan) -> Int {
    var count = 0
    while count < line.byteCount, line.byte(at: count) == 0x20 || line.byte(at: count) == 0x09 {
      count += 1
    }
    return count
  }

  private static func text(_ line: RawSpan) -> String {
    let start = line.part(Slice(start: 0, count: 256))
    return Archive.printable(String(decoding: start.array, as: UTF8.self))
  }
}

extension PhoneReport {
  /// Returns the bonds, without keys, naming `file` as their source.
  package func bonds(file: String) -> [Bond] {
    bondedDevices.flatMap { device in
      // The report lacks the address type. A static address has its two highest bits set (Core, Vol
      // 6, Part B, 1.3.2.1), and so do some public ones.
      let mayBeStatic = !device.isClassic && device.address.value >> 46 == 3
      let types: [AddressType] = mayBeStatic ? [.random, .public] : [.public]
      return types.map { type in
        var bond = Bond(device.address, type, file: file)
        if !device.name.isEmpty { bond.name = Array(device.name.utf8) }
        return bond
      }
    }
  }
}

extension PhoneReport {
  /// Facts about the phone: JSON keys, and values as given in the report.
  package var facts: [(key: StaticString, value: String)] {
    let all: [(StaticString, String?)] = [
      ("android", version), ("model", model), ("build", build), ("made_at", madeAt),
      ("log_mode", logMode),
    ]
    return all.compactMap { key, value in value.map { (key, $0) } }
  }

  /// The same facts in one line, if any.
  package var words: String? {
    let parts = facts.map { key, value in
      switch "\(key)" {
      case "android": "Android \(value)"
      case "made_at": "report of \(value)"
      case "log_mode": "Bluetooth log \(value)"
      case "build": "build \(value)"
      default: value
      }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
