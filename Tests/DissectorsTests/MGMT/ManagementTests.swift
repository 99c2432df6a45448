// Compares the rows of the kernel's management interface with BlueZ's monitor, and checks how they
// decode bytes. The bytes are laid out by hand after the structures of BlueZ's
// lib/bluetooth/mgmt.h.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Returns a management record: cookie 1, code, parameters.
private func record(_ code: UInt16, _ parameters: [UInt8]) -> [UInt8] {
  [1, 0, 0, 0] + little(Int(code)) + parameters
}

private func control(
  _ code: UInt16, _ parameters: [UInt8], isEvent: Bool, isTruncated: Bool = false
) -> Dissection {
  Dissection(
    monitor: isEvent ? 17 : 16, record(code, parameters).bytes, isTruncated: isTruncated)
}

/// Returns the decoded fields of a record.
private func entries(_ code: UInt16, _ parameters: String, isEvent: Bool) -> [String] {
  let bytes = record(code, hex(parameters))
  return walk(control(code, hex(parameters), isEvent: isEvent), bytes).entries
}

/// Returns the minimum size of parameters, and whether the size is fixed.
private func size(_ parameters: [Parameter]) -> (least: Int, isFixed: Bool) {
  parameters.reduce((0, true)) { sum, parameter in
    switch parameter.kind {
    // BlueZ counts the optional fields.
    case .optionalSecret(let count): (sum.0 + count, sum.1)
    case .list, .counted, .countedSecret, .rest, .advertisingData: (sum.0, false)
    default: (sum.0 + (parameter.size ?? 0), sum.1)
    }
  }
}

/// Returns whether parameters agree with a fact such as `7`, `13+` or `-`.
private func agrees(_ parameters: [Parameter]?, _ fact: Substring) -> Bool {
  guard let parameters, fact != "-" else { return parameters != nil }
  let own = size(parameters)
  return own.isFixed ? fact == "\(own.least)" : fact == "\(own.least)+"
}

private let commands = managementCommandTables.flatMap(\.self)
private let events = managementEventTables.flatMap(\.self)

@Suite struct ManagementTableTests {
  /// They become JSON keys.
  @Test func parameterNames() {
    func check(_ parameters: [Parameter]) {
      let names = parameters.map(\.name.description)
      #expect(Set(names).count == names.count, "\(names)")
      for name in names {
        let isKey = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        #expect(isKey && name.first?.isLetter ?? false, "\(name)")
      }
      for parameter in parameters { check(parameter.items) }
    }
    for row in commands + events {
      check(row.parameters ?? [])
      check(row.returns ?? [])
    }
  }

  @Test func codesAreComplete() {
    #expect(commands.map(\.code) == Array(0x0001...0x005c))
    #expect(events.map(\.code) == Array(0x0001...0x0033))
    for row in commands {
      #expect(
        PDUTable.core.controlCommand(row.code).map { $0.name.description }
          == row.name.description)
    }
    for row in events {
      #expect(
        PDUTable.core.controlEvent(row.code).map { $0.name.description }
          == row.name.description)
    }
    for code: UInt16 in [0, 0x5d, 0xff, 0x100, 0x105, 0xffff] {
      #expect(PDUTable.core.controlCommand(code) == nil && PDUTable.core.controlEvent(code) == nil)
    }
  }

  /// By code: differences between the monitor and the protocol's text (doc/mgmt-protocol.rst), the
  /// source of these names and layouts.
  private let differences: [UInt16: String] = [
    // Names.
    0x0059: "Mesh Send", 0x005a: "Mesh Send Cancel", 0x005b: "Send HCI command and wait for event",
    // The text has a list of items, which may be empty.
    0x004b: "4+", 0x004c: "4+",
    // mgmt_cp_start_service_discovery has four bytes before its list, not three.
    0x003a: "3+",
    // The monitor's check is loose: all fields have a fixed size; one AD type is uncertain.
    0x0054: "18+", 0x0057: "6+",
  ]

  @Test func everyCommandIsAsTheMonitorHasIt() {
    let rows = Dictionary(uniqueKeysWithValues: commands.map { ($0.code, $0) })
    var count = 0
    for line in managementCommandFacts.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 3)
      guard let code = UInt16(parts[0], radix: 16), let row = rows[code] else {
        Issue.record("no row: \(line)")
        continue
      }
      count += 1
      if differences[code] != nil { continue }
      #expect(row.name.description == parts[3], "\(line)")
      // Outside of `#expect`, which would print complete rows.
      let isAgreed = (agrees(row.parameters, parts[1]), agrees(row.returns, parts[2]))
      #expect(isAgreed.0, "\(line): parameters \(size(row.parameters ?? []))")
      #expect(isAgreed.1, "\(line): returns \(size(row.returns ?? []))")
    }
    #expect(count == commands.count)
  }

  private let eventDifferences: [UInt16: String] = [
    0x002d: "Controller Suspended", 0x002e: "Controller Resumed", 0x0032: "Mesh Packet Complete",
    0x002f: "ADV Monitor Device Found", 0x0030: "ADV Monitor Device Lost",
    // Lists of parameters, which the monitor does not know.
    0x0028: "", 0x0029: "",
    // The return parameters follow.
    0x0001: "3+",
  ]

  @Test func everyEventIsAsTheMonitorHasIt() {
    let facts = Dictionary(
      uniqueKeysWithValues: managementEventFacts.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ", maxSplits: 2)
        return UInt16(parts[0], radix: 16).map { ($0, parts) }
      })
    for row in events {
      guard let fact = facts[row.code] else {
        #expect(eventDifferences[row.code] != nil, "\(row.name)")
        continue
      }
      #expect(
        row.name.description == fact[2] || eventDifferences[row.code] == String(fact[2]), "\(fact)")
      let isAgreed =
        agrees(row.parameters, fact[1]) || eventDifferences[row.code] == String(fact[1])
      #expect(
        isAgreed,
        "\(fact): \(size(row.parameters ?? []))")
    }
  }

  /// The members that BlueZ's mgmt.h names `val[16]`, `irk`, `pin_code`, `passkey`, `hash` or
  /// `rand`, counted structure by structure, and mgmt_cp_hci_cmd_sync, which can contain any HCI
  /// command. Out-of-band data in AD structures is decoded by their types.
  @Test func whatCarriesSecrets() {
    func secrets(_ rows: [ParameterRow], _ parameters: (ParameterRow) -> [Parameter]?) -> [UInt16:
      Int]
    {
      PDUTableTests.secrets(in: [rows], of: parameters)
    }
    #expect(
      secrets(commands, \.parameters) == [
        // Load Link Keys, Load Long Term Keys, PIN Code Reply, User Passkey Reply.
        0x12: 1, 0x13: 1, 0x16: 1, 0x1e: 1,
        // Add Remote OOB Data, Set Privacy, Load IRKs, Set Blocked Keys, HCI Command Sync.
        0x21: 4, 0x2f: 1, 0x30: 1, 0x46: 1, 0x5b: 1,
      ])
    // Read Local OOB Data, HCI Command Sync.
    #expect(secrets(commands, \.returns) == [0x20: 4, 0x5b: 1])
    // New Link Key, New Long Term Key, Passkey Notify, New IRK, New CSRK.
    #expect(secrets(events, \.parameters) == [0x09: 1, 0x0a: 1, 0x17: 1, 0x18: 1, 0x19: 1])
  }
}

@Suite struct ManagementTests {
  private let address = "56 34 12 ee ff c0"
  private let key = "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f"

  @Test func discovery() {
    #expect(entries(0x23, "06", isEvent: false) == ["Address_Type 0x06"])
    // C0:FF:EE:12:34:56, LE random, -62 dBm, not connectable, flags and a name
    #expect(
      entries(0x12, "\(address) 02 c2 04 00 00 00 07 00 02 01 06 03 09 41 42", isEvent: true) == [
        "Address c0ffee123456", "Address_Type 2", "RSSI -62", "Flags 0x00000004",
        "EIR_Data_Length 7", "EIR_Data AD 02010603094142",
      ])
    #expect(
      entries(0x0b, "\(address) 02 08 00 00 00 00 00", isEvent: true).suffix(3) == [
        "Flags 0x00000008", "EIR_Data_Length 0", "EIR_Data AD ",
      ])
    // From -80 dBm, the service 0000180d-…
    #expect(
      entries(
        0x3a, "06 b0 01 00 fb 34 9b 5f 80 00 00 80 00 10 00 00 0d 18 00 00", isEvent: false) == [
          "Address_Type 0x06", "RSSI_Threshold -80", "UUID_Count 1", "UUIDs [", "{",
          "UUID UUID 0000180d00001000800000805f9b34fb", "}", "]",
        ])
  }

  /// Two lengths, then two byte strings.
  @Test func advertising() {
    #expect(
      entries(
        0x3e, "01 02 00 00 00 00 00 0a 00 03 04 02 0a 00 03 09 41 42", isEvent: false) == [
          "Instance 1", "Flags 0x00000002", "Duration 0", "Timeout 10", "Adv_Data_Len 3",
          "Scan_Rsp_Len 4", "Adv_Data AD 020a00", "Scan_Rsp AD 03094142",
        ])
    #expect(problems(control(0x55, hex("01 01 03 00"), isEvent: false)) == ["tooShort@10(3,0)"])
    #expect(
      entries(0x55, "02 00 02 01 00", isEvent: false) == [
        "Instance 2", "Adv_Data_Len 0", "Scan_Rsp_Len 2", "Adv_Data AD ", "Scan_Rsp AD 0100",
      ])
  }

  @Test func keys() {
    // BR/EDR, authenticated combination key from P-256
    #expect(
      entries(0x09, "01 \(address) 00 08 \(key) 00", isEvent: true) == [
        "Store_Hint 1", "Address c0ffee123456", "Address_Type 0", "Key_Type 8",
        "Value secret of 16", "PIN_Length 0",
      ])
    #expect(
      entries(
        0x13, "01 00 \(address) 02 01 01 10 34 12 01 02 03 04 05 06 07 08 \(key)", isEvent: false)
        == [
          "Key_Count 1", "Keys [", "{", "Address c0ffee123456", "Address_Type 2", "Key_Type 1",
          "Central 1", "Encryption_Size 16", "Encryption_Diversifier 0x1234",
          "Random_Number bytes 0102030405060708", "Value secret of 16", "}", "]",
        ])
    #expect(
      entries(0x18, "01 01 02 03 04 05 46 \(address) 02 \(key)", isEvent: true) == [
        "Store_Hint 1", "Random_Address 460504030201", "Address c0ffee123456", "Address_Type 2",
        "Value secret of 16",
      ])
    // 123456 is 0x0001e240
    #expect(
      entries(0x17, "\(address) 02 40 e2 01 00 03", isEvent: true).suffix(2) == [
        "Passkey secret of 4", "Entered 3",
      ])
    #expect(
      entries(0x0f, "\(address) 02 00 40 e2 01 00", isEvent: true).suffix(2) == [
        "Confirm_Hint 0", "Numeric_Value 123456",
      ])
  }

  /// The position of Store_Hint: only in this event it follows the address, as in the kernel's
  /// header (include/net/bluetooth/mgmt.h) and in BlueZ's lib/bluetooth/mgmt.h. Interval 30-50 ms,
  /// latency 0, timeout 5 s.
  @Test func newConnectionParameter() {
    #expect(
      entries(0x1c, "\(address) 02 01 18 00 28 00 00 00 f4 01", isEvent: true) == [
        "Address c0ffee123456", "Address_Type 2", "Store_Hint 1", "Min_Connection_Interval 24",
        "Max_Connection_Interval 40", "Connection_Latency 0", "Supervision_Timeout 500",
      ])
    #expect(
      entries(0x35, "01 00 \(address) 02 18 00 28 00 00 00 f4 01", isEvent: false) == [
        "Param_Count 1", "Parameters [", "{", "Address c0ffee123456", "Address_Type 2",
        "Min_Connection_Interval 24", "Max_Connection_Interval 40", "Connection_Latency 0",
        "Supervision_Timeout 500", "}", "]",
      ])
    #expect(
      entries(0x19, "01 \(address) 02 03 \(key)", isEvent: true) == [
        "Store_Hint 1", "Address c0ffee123456", "Address_Type 2", "Type 3", "Value secret of 16",
      ])
  }

  /// Out-of-band data has had a second pair since Secure Connections.
  @Test(arguments: [2, 4])
  func outOfBand(_ values: Int) {
    let data = (0..<values).map { _ in key }.joined(separator: " ")
    let names = ["Hash_192", "Randomizer_192", "Hash_256", "Randomizer_256"]
    let secrets = names.prefix(values).map { "\($0) secret of 16" }
    #expect(entries(0x21, "\(address) 00 \(data)", isEvent: false).dropFirst(2) == secrets[...])
    #expect(problems(control(0x21, hex("\(address) 00 \(data)"), isEvent: false)) == [])
    #expect(entries(0x01, "20 00 00 \(data)", isEvent: true).dropFirst(2) == secrets[...])
    let cut = hex("20 00 00 \(data)").dropLast(3)
    #expect(
      problems(control(0x01, Array(cut), isEvent: true)) == [
        "tooShort@\(6 + 3 + 16 * (values - 1))(16,13)"
      ])
  }

  @Test func answers() {
    // Set Powered: powered, bondable, LE
    #expect(
      entries(0x01, "05 00 00 11 02 00 00", isEvent: true) == [
        "Command_Opcode 0x0005", "Status 0", "Current_Settings 0x00000211",
      ])
    #expect(
      entries(0x02, "05 00 0a", isEvent: true) == ["Command_Opcode 0x0005", "Status 10"])
    // A failed command need not return parameters.
    #expect(problems(control(0x01, hex("19 00 05"), isEvent: true)) == [])
    #expect(problems(control(0x01, hex("19 00 00"), isEvent: true)) == ["tooShort@9(6,0)"])
    #expect(problems(control(0x02, hex("19 00"), isEvent: true)) == ["tooShort@8(1,0)"])
    // 2 commands, 1 event
    #expect(
      entries(0x01, "02 00 00 02 00 01 00 03 00 04 00 03 00", isEvent: true).dropFirst(2) == [
        "Num_Of_Commands 2", "Num_Of_Events 1", "Commands [", "{", "Command 0x0003", "}", "{",
        "Command 0x0004", "}", "]", "Events [", "{", "Event_Code 0x0003", "}", "]",
      ])
  }

  @Test func statusIsWhereTheRecordHasIt() {
    func status(_ code: UInt16, _ parameters: String, isEvent: Bool = true) -> UInt8? {
      let dissection = control(code, hex(parameters), isEvent: isEvent)
      guard case .control(let record) = dissection.content else { return nil }
      return record.status(self.record(code, parameters).bytes, dissection.body)
    }
    #expect(status(1, "05 00 0a") == 10 && status(2, "05 00 0b") == 11)
    #expect(status(0x0d, "\(address) 02 04") == 4 && status(0x11, "\(address) 02 05") == 5)
    #expect(status(0x33, "\(address) 02 03 00 00 00 00 00 00 00 00 00 00") == 3)
    #expect(status(0x0d, address) == nil && status(6, "01 00 00 00") == nil)
    #expect(status(1, "05 00 0a", isEvent: false) == nil)
  }

  private func record(_ code: UInt16, _ parameters: String) -> [UInt8] {
    [1, 0, 0, 0] + little(Int(code)) + hex(parameters)
  }

  /// Every row of fixed size, truncated at every length, has one problem; with an extra byte, bytes
  /// are left over.
  @Test func everyPrefixOfEveryRow() {
    func sweep(_ code: UInt16, _ head: [UInt8], _ parameters: [Parameter]?, isEvent: Bool) {
      guard let parameters else { return }
      let own = size(parameters)
      guard own.isFixed, parameters.allSatisfy({ $0.size != nil }) else { return }
      for count in 0...own.least {
        let bytes = head + [UInt8](repeating: 0, count: count)
        let found = problems(control(code, bytes, isEvent: isEvent))
        let isWhole = count == own.least
        #expect(
          isWhole ? found.isEmpty : found.count == 1 && found[0].hasPrefix("tooShort"),
          "\(code), \(count) of \(own.least): \(found)")
        #expect(problems(control(code, bytes, isEvent: isEvent, isTruncated: true)) == [])
      }
      let longer = head + [UInt8](repeating: 0, count: own.least + 1)
      #expect(
        problems(control(code, longer, isEvent: isEvent)) == [
          "leftOver@\(6 + longer.count - 1)(1,0)"
        ])
    }
    for row in commands {
      sweep(row.code, [], row.parameters, isEvent: false)
      sweep(1, little(Int(row.code)) + [0], row.returns, isEvent: true)
    }
    for row in events where row.code != 1 { sweep(row.code, [], row.parameters, isEvent: true) }
  }

  /// 20 000 records of random bytes, seed 254: every slice is inside the record, and every list
  /// ends.
  @Test func randomRecords() {
    var random = SplitMix(seed: 254)
    for round in 0..<20_000 {
      let isEvent = random.next(below: 2) == 1
      var code = UInt16(random.next(below: 0x60))
      var bytes = (0..<random.next(below: 90)).map { _ in random.byte() }
      if isEvent, random.next(below: 2) == 1 {
        bytes = little(Int(code)) + [0] + bytes
        code = 1
      }
      // Small counts are reached more often than large ones.
      if random.next(below: 2) == 1, bytes.count > 2 {
        bytes[0] = random.byte() & 3
        bytes[1] = 0
      }
      let dissection = control(code, bytes, isEvent: isEvent)
      let whole = record(code, "") + bytes
      let found = walk(dissection, whole)
      let isInside = found.slices.allSatisfy {
        $0.start >= 0 && $0.count >= 0 && $0.end <= whole.count
      }
      if !isInside || !found.isConsistent {
        Issue.record("seed 254, round \(round): \(code) \(bytes)")
      }
    }
  }
}
