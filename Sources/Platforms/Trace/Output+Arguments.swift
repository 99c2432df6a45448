// Arguments of callbacks as JSON, under the platforms' names, with their capitals.

import Bluetooth
import Bytes
import Sessions

extension Output {
  /// Appends an object with these members; secrets are listed under `hidden`.
  mutating func object(_ members: [Callback.Named], showsKeys: Bool) {
    byte(0x7b)
    var isFirst = true
    var hidden: [StaticString] = []
    for (name, value) in members {
      if case .hidden = value, !showsKeys {
        hidden.append(name)
        continue
      }
      member(name, isFirst: &isFirst)
      argument(value, showsKeys: showsKeys)
    }
    if !hidden.isEmpty {
      member("hidden", isFirst: &isFirst)
      list(hidden) { output, name in output.jsonWord(name) }
    }
    byte(0x7d)
  }

  private mutating func member(_ name: StaticString, isFirst: inout Bool) {
    if !isFirst { byte(0x2c) }
    isFirst = false
    jsonWord(name)
    byte(0x3a)
  }

  private mutating func list<Element>(
    _ elements: [Element], _ write: (inout Output, Element) -> Void
  ) {
    byte(0x5b)
    for (index, element) in elements.enumerated() {
      if index > 0 { byte(0x2c) }
      write(&self, element)
    }
    byte(0x5d)
  }

  private mutating func quoted(_ write: (inout Output) -> Void) {
    byte(0x22)
    write(&self)
    byte(0x22)
  }

  private mutating func argument(_ value: ArgumentValue, showsKeys: Bool) {
    switch value {
    case .null: text("null")
    case .flag(let flag), .prepared(let flag): text(flag ? "true" : "false")
    case .number(let number), .offset(let number): decimal(number)
    case .word(let word), .choice(let word, _): jsonWord(word)
    case .code(let name, let number):
      text("{\"code\":")
      decimal(number)
      if let name {
        text(",\"name\":")
        json(name)
      }
      byte(0x7d)
    case .text(let bytes): quoted { $0.jsonEscaped(bytes.bytes) }
    case .bytes(let bytes): quoted { $0.hex(bytes.bytes) }
    case .hidden(_, let bytes):
      if showsKeys { quoted { $0.hex(bytes.bytes) } } else { text("null") }
    case .address(let address): quoted { $0.address(address) }
    case .uuid(let uuid): quoted { $0.uuid(uuid) }
    case .attribute, .service, .characteristic, .descriptor: attribute(value)
    case .list(let values): list(values) { $0.argument($1, showsKeys: showsKeys) }
    case .pairs(let pairs):
      list(pairs) { output, pair in
        var isFirst = true
        output.byte(0x7b)
        if case .number = pair.key {
          output.member("company", isFirst: &isFirst)
        } else {
          output.member("uuid", isFirst: &isFirst)
        }
        output.argument(pair.key, showsKeys: showsKeys)
        output.member("data", isFirst: &isFirst)
        output.argument(pair.value, showsKeys: showsKeys)
        output.byte(0x7d)
      }
    case .dictionary(let entries):
      // Members of the scan response are kept separately, since an object has each name only once.
      let advertised = entries.filter { !$0.isScanResponse }
      let answered = entries.filter(\.isScanResponse)
      var members = advertised.map { Callback.Named($0.key, $0.value) }
      if !answered.isEmpty {
        members.append(
          ("scan_response", .object(answered.map { Callback.Named($0.key, $0.value) })))
      }
      object(members, showsKeys: showsKeys)
    case .object(let members): object(members, showsKeys: showsKeys)
    }
  }

  /// Appends an attribute of any kind: UUID, handle, and what it belongs to.
  private mutating func attribute(_ value: ArgumentValue) {
    var isFirst = true
    func uuid(_ output: inout Output, _ name: StaticString, _ uuid: BluetoothUUID?) {
      guard let uuid else { return }
      output.member(name, isFirst: &isFirst)
      output.quoted { $0.uuid(uuid) }
    }
    func handle(_ output: inout Output, _ name: StaticString, _ handle: UInt16?) {
      guard let handle else { return }
      output.member(name, isFirst: &isFirst)
      output.jsonIdentifier(UInt64(handle), digits: 4)
    }
    byte(0x7b)
    switch value {
    case .attribute(let attribute):
      uuid(&self, "uuid", attribute.identity.uuid)
      handle(&self, "handle", attribute.identity.handle)
      uuid(&self, "characteristic", attribute.owner?.uuid)
      uuid(&self, "service", attribute.identity.service)
    case .service(let service):
      uuid(&self, "uuid", service.uuid)
      handle(&self, "start_handle", service.start)
      handle(&self, "end_handle", service.end)
    case .characteristic(let characteristic, let properties):
      uuid(&self, "uuid", characteristic.uuid)
      handle(&self, "handle", characteristic.handle)
      member("properties", isFirst: &isFirst)
      list(properties) { $0.jsonWord($1) }
    case .descriptor(let descriptor):
      uuid(&self, "uuid", descriptor.uuid)
      handle(&self, "handle", descriptor.handle)
    default: break
    }
    byte(0x7d)
  }
}
