// swift-tools-version: 6.2
// Read the targets bottom-up and you have read the architecture: imports only ever point down.

import PackageDescription

/// Every target is compiled under the same rules, the strictest there are.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "gattscope",
  products: [.executable(name: "gattscope", targets: ["gattscope"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0")
  ],
  targets: [
    // The command line: options, exit status, terminal. No Bluetooth knowledge.
    .executableTarget(
      name: "gattscope",
      dependencies: [
        "Reports", "Sessions", "Captures", "Bluetooth", "Bytes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    // Model to text and JSON; words a thing once, for all faces.
    .target(
      name: "Reports",
      dependencies: ["Sessions", "Captures", "Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    // What the protocol implies: reassembly, connections, transactions, and the pass that knows the order.
    .target(
      name: "Sessions",
      dependencies: ["Captures", "Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    // Pure functions, bytes to PDUs; no state, no input or output.
    .target(name: "Dissectors", dependencies: ["Bluetooth", "Bytes"], swiftSettings: strict),
    // Files and streams to a stream of records; formats, not protocols.
    .target(name: "Captures", dependencies: ["Bluetooth", "Bytes"], swiftSettings: strict),
    // The vocabulary: addresses, UUIDs, codes and their names.
    .target(name: "Bluetooth", dependencies: ["Bytes"], swiftSettings: strict),
    // The only module that touches raw memory.
    .target(name: "Bytes", swiftSettings: strict),
    .testTarget(
      name: "ReportsTests",
      dependencies: ["Reports", "Sessions", "Captures", "Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    .testTarget(
      name: "SessionsTests",
      dependencies: ["Sessions", "Captures", "Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    .testTarget(
      name: "DissectorsTests", dependencies: ["Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    .testTarget(
      name: "CapturesTests", dependencies: ["Captures", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: strict),
  ]
)
