// Compares the HCI tables with two other implementations: codes and names with bumble, layouts with
// BlueZ's monitor. Deliberate differences are listed here with their reason.

import Bluetooth
import Testing

@testable import Dissectors

private func all(_ tables: [[ParameterRow]]) -> [ParameterRow] { tables.flatMap(\.self) }

private func byCode(_ tables: [[ParameterRow]]) -> [UInt16: ParameterRow] {
  Dictionary(all(tables).map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
}

extension Parameter {
  /// A parameter's minimum size, and whether the size is fixed.
  fileprivate var size: (least: Int, fixed: Bool) {
    switch kind {
    case .unsigned(let width, _), .signed(let width, _), .selector(let width, _):
      (Int(width), true)
    case .count(let width), .laterCount(let width), .countOfBits(let width, _):
      (Int(width), true)
    case .dataOperation, .countBeyond: (1, true)
    case .address, .addressByHeader: (6, true)
    case .packed(let width, _): (Int(width), true)
    case .bits, .lengthBits, .unusedBits: (0, true)
    case .bytes(let count), .text(let count), .secret(let count), .uuid(let count): (count, true)
    case .advertisingData(let field): (field, field > 0)
    case .counted, .optionalSecret, .countedSecret, .rest, .list, .halfUUID, .half, .restText,
      .versionEnd, .openEnd, .ifSet, .untilEnd, .restAdvertising:
      (0, false)
    case .alternative, .otherwise: DissectorsTests.size(items)
    case .choice: sizeOfChoice
    }
  }

  private var sizeOfChoice: (least: Int, fixed: Bool) {
    let sizes = items.map(\.size)
    let least = sizes.map(\.least).min() ?? 0
    let takesAll = items.last?.kind == .otherwise
    // A value without a layout may have no parameters.
    return (takesAll ? least : 0, takesAll && sizes.allSatisfy { $0 == (least, true) })
  }
}

/// Returns the minimum size of parameters, and whether the size is fixed.
private func size(_ parameters: [Parameter]) -> (least: Int, fixed: Bool) {
  parameters.reduce((0, true)) { ($0.least + $1.size.least, $0.fixed && $1.size.fixed) }
}

/// Returns the codes whose layout disagrees with the facts, with both sizes.
private func disagreements(
  _ layouts: [UInt16: [Parameter]?], fixed: [UInt16: Int], least: [UInt16: Int],
  except known: [UInt16: String] = [:]
) -> [String] {
  var wrong: [String] = []
  for (code, parameters) in layouts {
    guard let parameters, known[code] == nil else { continue }
    let own = size(parameters)
    let hex = String(code, radix: 16)
    if let fact = fixed[code], fact != own.least || !own.fixed {
      wrong.append("\(hex): \(own), fact \(fact)")
    }
    if let fact = least[code], fact != own.least {
      wrong.append("\(hex): \(own), fact at least \(fact)")
    }
  }
  return wrong.sorted()
}

/// Converts a name to the form of bumble's constants.
private func constant(_ name: StaticString) -> String {
  var constant = ""
  for character in name.description.uppercased() {
    switch character {
    case " ", "-": constant.append("_")
    case "[", "]": break
    default: constant.append(character)
    }
  }
  return constant
}

/// Returns the lines of a list of names whose row is missing or has another name.
private func misnamed(_ facts: String, in tables: [[ParameterRow]], except known: [String: String])
  -> [String]
{
  let rows = byCode(tables)
  var wrong: [String] = []
  for line in facts.split(separator: "\n") {
    let parts = line.split(separator: " ")
    guard parts.count == 2, let code = UInt16(parts[0], radix: 16) else {
      wrong.append("unreadable fact: \(line)")
      continue
    }
    let expected = known[String(parts[1])] ?? String(parts[1])
    let own = rows[code].map { constant($0.name) } ?? "nothing"
    if own != expected { wrong.append("\(parts[0]): \(own), fact \(parts[1])") }
  }
  return wrong
}

@Suite struct PDUTableTests {
  /// All tables with codes.
  static let tables = [hciCommandTables, hciEventTables, hciLEMetaTables, [androidEventRows]]
  /// All rows, including those that are found without a code.
  static let rows = tables.flatMap(all) + [microsoftCommandRow, microsoftEventRow]

  /// LE Set Advertising Data (0x2008), and Link Key Request Reply (0x040b: an address and its key).
  @Test func whatLayoutsAreAsked() throws {
    let data = try #require(PDUTable.core.command(0x2008)).parameters
    #expect(data.has(.known) && data.has(.advertisingData) && data.connectionHandleOffset == nil)
    let key = try #require(PDUTable.core.command(0x040b)).parameters
    #expect(key.has(.beginsWithDevice) && !key.has(.advertisingData))
    #expect(key.has(.secret) && !data.has(.secret))
  }

  @Test("Codes ascend within each table and are unique")
  func codes() {
    for tables in Self.tables {
      for table in tables {
        let codes = table.map(\.code)
        #expect(zip(codes, codes.dropFirst()).allSatisfy { $0 < $1 })
      }
      #expect(byCode(tables).count == all(tables).count)
    }
  }

  @Test("Parameters with the names of roles have them: packets are judged by roles")
  func roles() {
    let names: [(StaticString, Parameter.Role)] = [
      ("Connection_Handle", .connectionHandle), ("Status", .status), ("BD_ADDR", .device),
    ]
    var without: [String] = []
    for row in Self.rows + all(managementCommandTables + managementEventTables) {
      for parameter in (row.parameters ?? []) + (row.returns ?? []) {
        for (name, role) in names
        where parameter.name.description == name.description && parameter.role != role {
          without.append("\(row.name): \(name)")
        }
      }
    }
    #expect(without == [])
  }

  @Test("Names are prose, not constants")
  func wording() {
    for row in Self.rows {
      let name = row.name.description
      #expect(!name.isEmpty && !name.contains("_") && !name.hasPrefix("HCI"))
    }
  }

  @Test("Every command, event and subevent in bumble has a row with the same name")
  func names() {
    let commands = misnamed(
      commandNameFacts, in: hciCommandTables,
      except: [
        // The current specification's names.
        "ENABLE_DEVICE_UNDER_TEST_MODE": "ENABLE_IMPLEMENTATION_UNDER_TEST_MODE",
        "LE_READ_LOCAL_SUPPORTED_FEATURES": "LE_READ_LOCAL_SUPPORTED_FEATURES_PAGE_0",
        "LE_READ_REMOTE_FEATURES": "LE_READ_REMOTE_FEATURES_PAGE_0",
      ])
    #expect(commands == [])
    #expect(
      misnamed(eventNameFacts, in: hciEventTables, except: ["VENDOR": "VENDOR_SPECIFIC"]) == [])
    let subevents = misnamed(
      subeventNameFacts, in: hciLEMetaTables,
      except: [
        "LE_READ_REMOTE_FEATURES_COMPLETE": "LE_READ_REMOTE_FEATURES_PAGE_0_COMPLETE"
      ])
    #expect(subevents == [])
  }

  @Test("Command parameters have BlueZ's sizes")
  func commandLayouts() {
    let layouts = byCode(hciCommandTables).mapValues(\.parameters)
    let known: [UInt16: String] = [
      0x0c35: "BlueZ counts one item, but Num_Handles may be 0",
      0x2050: "BlueZ has the receiver test's Slot_Durations, which this command has not",
      0x206e: "BlueZ calls fixed what ends with Codec_Configuration",
      0x209d: "BlueZ gives Spacing_Types one byte; bumble and Zephyr two",
    ]
    #expect(
      disagreements(layouts, fixed: commandSizes, least: commandLeastSizes, except: known) == [])
  }

  @Test("Return parameters have BlueZ's sizes")
  func returnLayouts() {
    let layouts = byCode(hciCommandTables).mapValues(\.returns)
    let known: [UInt16: String] = [
      0x100d: "BlueZ counts one of the two lengths",
      0x2067: "BlueZ leaves out the Connection_Handle after Status",
      0x20a3: "BlueZ leaves out the Minimum_Supported_Connection_Interval that bumble has",
    ]
    #expect(
      disagreements(layouts, fixed: returnSizes, least: returnLeastSizes, except: known) == [])
  }

  @Test("Event parameters have BlueZ's sizes")
  func eventLayouts() {
    let layouts = byCode(hciEventTables).mapValues(\.parameters)
    let known: [UInt16: String] = [
      0x19: "what is looped back may be cut",
      0x2f: "BlueZ counts Num_Responses alone, but it is always 1",
    ]
    #expect(
      disagreements(layouts, fixed: eventSizes, least: eventLeastSizes, except: known) == [])
    let subevents = byCode(hciLEMetaTables).mapValues(\.parameters)
    let knownSubevents: [UInt16: String] = [
      0x1d: "BlueZ takes the size of BIG Sync Lost",
      0x35: "BlueZ gives Spacing_Types one byte; bumble and Zephyr two",
    ]
    #expect(
      disagreements(
        subevents, fixed: subeventSizes, least: subeventLeastSizes, except: knownSubevents) == [])
  }

  @Test("Return parameters begin with Status, and lists and counted bytes follow a count")
  func shape() {
    for row in all(hciCommandTables) {
      if let returns = row.returns { #expect(returns.first == .status) }
    }
    let rows = Self.rows
    for row in rows {
      for parameters in [row.parameters, row.returns] {
        #expect(Self.counts(parameters ?? []), "\(row.name)")
      }
    }
  }

  /// Returns whether every parameter of variable size directly follows its count, at every level.
  static func counts(_ parameters: [Parameter]) -> Bool {
    var counted = false
    for (index, parameter) in parameters.enumerated() {
      switch parameter.kind {
      case .count, .countOfBits, .countBeyond: counted = true
      // Fields in between are part of the counted bytes.
      case .unsigned where parameters[..<index].contains(where: \.countsBeyond): break
      case .unsigned where parameters[index...].contains { $0.kind == .countedSecret }: break
      case .choice, .alternative, .otherwise:
        // A choice may begin with the list or bytes of the count before it.
        let outer: [Parameter] = counted ? [.count("Outer")] : []
        if case .choice = parameter.kind {
          guard parameter.items.allSatisfy({ counts(outer + $0.items) }) else { return false }
          counted = false
        }
      // A list without a count extends to the end.
      case .list where index == parameters.count - 1 && !counted:
        guard Self.counts(parameter.items) else { return false }
      case .list:
        guard counted, Self.counts(parameter.items) else { return false }
        counted = false
      case .advertisingData(let field) where field > 0 && !counted: break
      case .countedSecret where index == 0 && parameters.count == 1: break
      case .counted, .countedSecret, .advertisingData:
        guard counted else { return false }
        counted = false
      default:
        guard !counted else { return false }
      }
    }
    return !counted
  }

  @Test("A choice follows its selector, and its layouts have distinct values, the default last")
  func choices() {
    func check(_ parameters: [Parameter], _ row: StaticString, selected: Bool) {
      var selected = selected
      for parameter in parameters {
        if case .selector = parameter.kind { selected = true }
        guard case .choice = parameter.kind else {
          if case .list = parameter.kind { check(parameter.items, row, selected: false) }
          continue
        }
        #expect(selected, "\(row)")
        #expect(Set(parameter.items.map { "\($0.kind)" }).count == parameter.items.count, "\(row)")
        for (index, layout) in parameter.items.enumerated() {
          switch layout.kind {
          case .alternative: break
          case .otherwise: #expect(index == parameter.items.count - 1, "\(row)")
          default: Issue.record("\(row): \(layout.kind) in a choice")
          }
          check(layout.items, row, selected: false)
        }
      }
    }
    for row in Self.rows {
      check(row.parameters ?? [], row.name, selected: false)
      check(row.returns ?? [], row.name, selected: false)
    }
  }

  @Test("Android's commands have bumble's names")
  func androidNames() {
    // bumble.vendor.android.hci
    let facts: [UInt16: String] = [
      0xfd53: "LE_GET_VENDOR_CAPABILITIES", 0xfd57: "LE_APCF",
      0xfd59: "GET_CONTROLLER_ACTIVITY_ENERGY_INFO", 0xfd5d: "A2DP_HARDWARE_OFFLOAD",
      0xfd5e: "BLUETOOTH_QUALITY_REPORT", 0xfd5f: "DYNAMIC_AUDIO_BUFFER",
    ]
    let rows = byCode(hciCommandTables)
    for (code, name) in facts {
      #expect(rows[code].map { constant($0.name) } == "ANDROID_" + name)
    }
    #expect(
      byCode([androidEventRows])[0x58]?.name.description == "Android Bluetooth Quality Report")
  }

  @Test(
    "A label of one character is a dash between two numbers of a range")
  func ranges() {
    for row in Self.rows {
      for parameters in [row.parameters ?? [], row.returns ?? []] {
        for (index, parameter) in parameters.enumerated() {
          guard let line = parameter.line?.description, line.utf8.count == 1 else { continue }
          #expect(line == "-" && index > 0, "\(row.name)")
          #expect(index > 0 && parameters[index - 1].kind == parameter.kind, "\(row.name)")
          #expect(index > 0 && parameters[index - 1].line != nil, "\(row.name)")
        }
      }
    }
  }

  @Test("Parameter names have the specification's form and are unique in a packet")
  func parameterNames() {
    let rows = Self.rows
    for row in rows {
      for parameters in [row.parameters ?? [], row.returns ?? []] {
        let names = Self.names(parameters)
        #expect(Set(names).count == names.count, "\(row.name)")
        #expect(names.allSatisfy { !$0.contains(" ") && $0.first?.isLetter ?? false })
      }
    }
  }

  /// Returns the names of parameters, including those of layouts but not those of list items.
  static func names(_ parameters: [Parameter]) -> [String] {
    var all: [String] = []
    for parameter in parameters {
      switch parameter.kind {
      case .choice:
        // Layouts may share names, but names within a layout are unique.
        var further: Set<String> = []
        for layout in parameter.items {
          let own = names(layout.items)
          if Set(own).count < own.count { all += own }
          further.formUnion(own)
        }
        all += further
      default: if !parameter.isStructure { all.append(parameter.name.description) }
      }
    }
    return all
  }

  @Test("Every code set that a row uses has names")
  func setsNamed() {
    let management = [managementCommandTables, managementEventTables]
    let rows = Self.rows + management.flatMap(all)
    let parameters = rows.flatMap { ($0.parameters ?? []) + ($0.returns ?? []) }
    let sets = Self.codeSets(of: parameters) + adRows.flatMap { Self.codeSets(of: $0.parameters) }
    #expect(sets.count > 300)
    for set in sets { #expect((0...0xff).contains { set.name(of: $0) != nil }, "\(set)") }
  }

  /// Returns the code sets that name the values of parameters.
  static func codeSets(of parameters: [Parameter]) -> [CodeSet] {
    parameters.flatMap { parameter -> [CodeSet] in
      switch parameter.kind {
      case .unsigned(_, .code(let set)), .unsigned(_, .flags(let set)), .countOfBits(_, let set),
        .selector(_, .code(let set)):
        [set]
      case .list, .choice, .alternative, .otherwise: codeSets(of: parameter.items)
      default: []
      }
    }
  }

  @Test(
    "Only keys, passkeys, PIN codes, broadcast codes and random numbers are secrets"
  )
  func secrets() {
    let commands: [UInt16: Int] = [
      0x040b: 1, 0x040d: 1, 0x042e: 1, 0x0430: 2, 0x0435: 1, 0x0436: 1, 0x0445: 4, 0x0c11: 1,
      0x2017: 2, 0x2019: 1,
      0x201a: 1, 0x2027: 2, 0x2068: 1, 0x2069: 1, 0x206b: 1, 0xfd55: 1,
    ]
    let returns: [UInt16: Int] = [0x0c57: 2, 0x0c7d: 4, 0x2017: 1, 0x2018: 1, 0xfd55: 1]
    #expect(Self.secrets(in: hciCommandTables, of: \.parameters) == commands)
    #expect(Self.secrets(in: hciCommandTables, of: \.returns) == returns)
    #expect(
      Self.secrets(in: hciEventTables, of: \.parameters) == [0x15: 1, 0x18: 1, 0x19: 1, 0x3b: 1])
    #expect(Self.secrets(in: hciLEMetaTables, of: \.parameters) == [0x09: 1])
    #expect(Self.secrets(in: [[microsoftCommandRow]], of: \.parameters) == [0: 1])
    #expect(Self.secrets(in: [androidEventRows], of: \.parameters) == [:])
  }

  /// Returns the number of secrets of each row that has any.
  static func secrets(
    in tables: [[ParameterRow]], of parameters: (ParameterRow) -> [Parameter]?
  ) -> [UInt16: Int] {
    func count(_ parameters: [Parameter]) -> Int {
      parameters.reduce(0) { sum, parameter in
        switch parameter.kind {
        case .secret, .optionalSecret, .countedSecret: sum + 1
        case .list, .choice, .alternative, .otherwise: sum + count(parameter.items)
        default: sum
        }
      }
    }
    return byCode(tables).mapValues { count(parameters($0) ?? []) }.filter { $0.value > 0 }
  }
}

extension Parameter {
  /// Whether it counts the bytes of the following fields and of what they count.
  fileprivate var countsBeyond: Bool {
    if case .countBeyond = kind { true } else { false }
  }
}
