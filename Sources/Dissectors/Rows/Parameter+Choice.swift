// The vocabulary of rows with variable layouts: vendor-specific commands with subcommands, and
// return parameters that grew over versions.

import Bluetooth

extension Parameter {
  /// A number of `width` bytes that selects the layout of the next `choice`.
  static func selector(
    _ name: StaticString, _ set: CodeSet, width: UInt8 = 1, line: StaticString? = ""
  ) -> Self {
    Self(name, .selector(width: width, .code(set)), line)
  }
  /// A page number that selects the layout of the next `choice`.
  static func page(_ name: StaticString) -> Self {
    Self(name, .selector(width: 1, .plain), "page")
  }
  /// The layouts among which a selector chooses.
  static func choice(_ layouts: [Parameter]) -> Self {
    Self("Choice", .choice, nil, items: layouts)
  }
  /// The layout for one value of the selector.
  static func on(_ value: UInt16, _ items: [Parameter]) -> Self {
    Self("Alternative", .alternative(value), nil, items: items)
  }
  /// The layout for every other value.
  static func otherwise(_ items: [Parameter]) -> Self {
    Self("Alternative", .otherwise, nil, items: items)
  }
  /// The end of older versions, unless `bytes` more follow.
  static func since(_ bytes: Int = 1) -> Self { Self("Version", .versionEnd(bytes), nil) }
  /// Marks that the additions of later versions are unknown.
  static let later = Self("Version", .openEnd, nil)
  static func countBeyond(_ name: StaticString, _ before: UInt8) -> Self {
    Self(name, .countBeyond(before), nil)
  }
  static func uuid(_ name: StaticString, _ width: Int = 16, line: StaticString? = nil) -> Self {
    Self(name, .uuid(width), line)
  }
  static func halfUUID(
    _ name: StaticString, _ content: Content, line: StaticString? = nil
  ) -> Self {
    Self(name, .halfUUID, line, content: content)
  }
  static func half(
    _ name: StaticString, _ content: Content = .unknown, after before: Int = 0,
    line: StaticString? = nil
  ) -> Self {
    Self(name, .half(after: before), line, content: content)
  }
  static func restText(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .restText, line)
  }

  /// The LMP features, by the preceding page number (Core, Vol 2, Part C, 3.3).
  static let extendedFeatures = choice([
    on(0, [u64("Extended_LMP_Features", .flags(.lmpFeatures), line: "")]),
    on(1, [u64("Extended_LMP_Features", .flags(.lmpFeatures1), line: "")]),
    on(2, [u64("Extended_LMP_Features", .flags(.lmpFeatures2), line: "")]),
    otherwise([u64("Unknown_LMP_Features", .hex)]),
  ])
  /// The condition of an event filter (7.3.3).
  static let eventFilter: [Parameter] = [
    selector("Filter_Type", .eventFilterType),
    choice([
      on(0, []),
      on(
        1,
        [
          selector("Inquiry_Result_Filter_Condition_Type", .eventFilterCondition),
          choice([
            on(0, []),
            on(
              1,
              [u24("Class_Of_Device", .assigned(.deviceClass)), u24("Class_Of_Device_Mask", .hex)]),
            on(2, [deviceAddress]),
          ]),
        ]),
      on(
        2,
        [
          selector("Connection_Setup_Filter_Condition_Type", .eventFilterCondition),
          choice([
            on(0, [u8("Auto_Accept_Flag", .code(.autoAccept))]),
            on(
              1,
              [
                u24("Class_Of_Device", .assigned(.deviceClass)), u24("Class_Of_Device_Mask", .hex),
                u8("Auto_Accept_Flag", .code(.autoAccept)),
              ]),
            on(2, [deviceAddress, u8("Auto_Accept_Flag", .code(.autoAccept))]),
          ]),
        ]),
    ]),
  ]
}
