import Bluetooth
import Bytes

/// Something that identifies a device or a person, and what replaces it in a redacted capture.
package struct Pseudonym: Sendable {
  package let kind: StaticString
  package let original: [UInt8]
  package let replacement: [UInt8]
  /// Whether both are texts, which may read as numbers.
  package let isText: Bool
}

extension Redaction {
  /// What the capture's addresses, names, serial numbers and identifiers of beacons were replaced
  /// by. Keys, passkeys and other secrets are not among them.
  package var pseudonyms: [Pseudonym] {
    var all: [Pseudonym] = []
    func add(
      _ kind: StaticString, _ original: [UInt8], _ replacement: [UInt8], isText: Bool = false
    ) {
      if original != replacement {
        all.append(
          Pseudonym(kind: kind, original: original, replacement: replacement, isText: isText))
      }
    }
    let addresses = books.addresses
    for address in addresses.addresses.sorted(by: { $0.value < $1.value }) {
      add(
        "address", Self.words { $0.address(address) }, Self.words { $0.address(addresses[address]) }
      )
    }
    for name in books.names.listed {
      add("name", Self.text(name), Self.text(books.names[name]), isText: true)
    }
    for serial in books.serials.listed {
      add("serial", Self.text(serial), Self.text(books.serials[serial]), isText: true)
    }
    for identifier in books.beacons.listed {
      add("beacon", Self.number(identifier), Self.number(books.beacons[identifier]))
    }
    return all
  }

  private static func words(_ write: (inout Output) -> Void) -> [UInt8] {
    var output = Output()
    write(&output)
    return output.bytes.array
  }

  private static func text(_ bytes: [UInt8]) -> [UInt8] { words { $0.printable(bytes.bytes) } }

  /// Returns an identifier as apps write it: a UUID of 16 bytes, or hexadecimal digits.
  private static func number(_ bytes: [UInt8]) -> [UInt8] {
    words { output in
      guard bytes.count == 16 else {
        output.text("0x")
        return output.hex(bytes.bytes)
      }
      func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
      output.uuid(BluetoothUUID(high: half(bytes[..<8]), low: half(bytes[8...])))
    }
  }
}
