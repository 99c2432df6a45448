// swift-tools-version: 6.2
// The targets are listed from top to bottom, and imports only point down: this list is the
// architecture.

import Glibc
import PackageDescription

/// Links a library as an archive if the distribution has one, so that the program needs nothing at
/// run time and no start has to look for it.
func linked(_ name: String) -> LinkerSetting {
  let folders = ["x86_64-linux-gnu/", "aarch64-linux-gnu/", "64/", ""].flatMap {
    ["/usr/lib/\($0)", "/usr/local/lib/\($0)"]
  }
  let isThere = folders.contains { access("\($0)lib\(name).a", R_OK) == 0 }
  return .linkedLibrary(isThere ? ":lib\(name).a" : name)
}

/// Applies the strictest rules to every target.
let rules: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// Modules import _StringProcessing by default, and a single call of `replacing` then links Swift's
/// regular expressions, which take 1.3 MB. `Bytes/TextSearch.swift` has what the program needs.
let strict: [SwiftSetting] =
  rules + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

/// Leaves the tests unoptimised: optimising them would take most of the build time and gain little
/// when they run.
let tests: [SwiftSetting] = rules + [.unsafeFlags(["-Onone"])]

/// Optimises the command line and the readers of profiles only in the release: optimising them
/// takes a sixth of the build time, and no packet passes through them.
let startUp =
  Context.environment["OPTIMISE_ALL"] == nil ? strict + [.unsafeFlags(["-Onone"])] : strict

/// Optimises the fuzzers' inputs only for the fuzzers; for the tests, the libraries are enough.
let inputs = Context.environment["ENABLE_FUZZING"] == nil ? tests : rules

let package = Package(
  name: "gattscope",
  products: [.executable(name: "gattscope", targets: ["gattscope"])],
  dependencies: [
    // Exactly one version: an update changes this line, and a reviewer reads it (see
    // CONTRIBUTING.md).
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    // The command line: options, exit status, terminal. No Bluetooth knowledge.
    .executableTarget(
      name: "gattscope",
      dependencies: [
        "Documents", "Comparisons", "Explanations", "Reports", "Learning", "Redaction", "Platforms",
        "ProfileFiles", "Decoders", "Sessions", "Cryptography", "Captures",
        "Bluetooth", "Bytes", "CMalloc",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: startUp, plugins: ["BuildSources"]),
    // Generates Swift from other files: commit and versions for --version, the texts of Profiles/ and the JSON schema.
    .plugin(name: "BuildSources", capability: .buildTool()),
    // `report` and `table`: everything in a capture as one HTML page, or as rows for a database.
    .target(
      name: "Documents",
      dependencies: [
        "Explanations", "Reports", "Diagnosis", "Histories", "Meanings", "Decoders", "Sessions",
        "Cryptography", "Captures", "Dissectors", "Bluetooth", "Bytes",
      ],
      swiftSettings: strict),
    // `diff`: records two sessions, compares them, and prints their differences.
    .target(
      name: "Comparisons",
      dependencies: [
        "Reports", "Histories", "Meanings", "Decoders", "Sessions", "Cryptography", "Captures",
        "Dissectors", "Bluetooth", "Bytes",
      ],
      swiftSettings: strict),
    // `explain`: findings with their evidence, in words.
    .target(
      name: "Explanations",
      dependencies: [
        "Reports", "Diagnosis", "Histories", "Meanings", "Decoders", "Sessions", "Cryptography",
        "Captures", "Dissectors", "Bluetooth", "Bytes",
      ],
      swiftSettings: strict),
    // `trace`: the callbacks that an app receives on its platform, and their output.
    .target(
      name: "Platforms",
      dependencies: [
        "Reports", "Meanings", "Decoders", "Sessions", "Captures", "Dissectors", "Bluetooth",
        "Bytes",
      ],
      swiftSettings: strict),
    // What happened, as text and JSON in the same words; and what all reports share. It imports no
    // histories, so it is compiled at the same time as Histories and Diagnosis.
    .target(
      name: "Reports",
      dependencies: [
        "Learning", "Meanings", "Decoders", "Sessions", "Captures", "Dissectors", "Bluetooth",
        "Bytes",
      ],
      exclude: ["Page/page.html", "Page/page.css", "Page/page.js"],
      swiftSettings: strict, plugins: ["BuildSources"]),
    // Why a session failed: rules over its histories; findings with their evidence.
    .target(
      name: "Diagnosis",
      dependencies: [
        "Histories", "Meanings", "Decoders", "Sessions", "Cryptography", "Captures", "Dissectors",
        "Bluetooth",
        "Bytes",
      ],
      swiftSettings: strict),
    // A capture without private data: pseudonyms for keys, addresses and names.
    .target(
      name: "Redaction",
      dependencies: [
        "Histories", "Meanings", "Sessions", "Cryptography", "Captures", "Dissectors", "Bluetooth",
        "Bytes",
      ],
      swiftSettings: strict),
    // Frames, checksums and exchanges of unknown protocols from their values alone: `profiles learn`.
    .target(
      name: "Learning", dependencies: ["Decoders", "Bluetooth", "Bytes"], swiftSettings: strict),
    // What is remembered of each connection and controller until the end of a capture, with the
    // packets that show it.
    .target(
      name: "Histories",
      dependencies: [
        "Meanings", "Decoders", "Sessions", "Cryptography", "Captures", "Dissectors", "Bluetooth",
        "Bytes",
      ],
      swiftSettings: strict),
    // The meaning of a single value, an error or an attribute, in words: findings and reports share it.
    .target(
      name: "Meanings",
      dependencies: ["Decoders", "Sessions", "Captures", "Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    // What the protocol implies: reassembly, connections, transactions, and the pass that knows the order.
    .target(
      name: "Sessions",
      dependencies: ["Captures", "Cryptography", "Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: strict),
    // AES, CMAC, CCM, P-256 and the functions built on them: the only module that uses OpenSSL's
    // libcrypto.
    .target(
      name: "Cryptography", dependencies: ["CLibcrypto", "Bluetooth", "Bytes"],
      swiftSettings: strict, linkerSettings: [linked("crypto")]),
    .systemLibrary(name: "CLibcrypto", providers: [.apt(["libssl-dev"])]),
    // Profiles as users write them: YAML to definitions. The only module that uses libyaml.
    .target(
      name: "ProfileFiles", dependencies: ["CLibyaml", "Decoders", "Bluetooth", "Bytes"],
      swiftSettings: startUp, linkerSettings: [linked("yaml")], plugins: ["BuildSources"]),
    .systemLibrary(name: "CLibyaml", providers: [.apt(["libyaml-dev"])]),
    // The meaning of values: definitions (data) and the one interpreter that reads bytes with them.
    .target(name: "Decoders", dependencies: ["Bluetooth", "Bytes"], swiftSettings: strict),
    // Pure functions, bytes to PDUs; no state, no input or output.
    .target(name: "Dissectors", dependencies: ["Bluetooth", "Bytes"], swiftSettings: strict),
    // Files, streams and live sources to records, and back to files. Knows formats, not protocols.
    .target(
      name: "Captures",
      dependencies: ["CLibarchive", "CLibpcap", "CBlueZ", "CZlib", "Bluetooth", "Bytes"],
      swiftSettings: strict, linkerSettings: [linked("z")]),
    // libarchive's headers; the library itself is loaded when an archive is read.
    .systemLibrary(name: "CLibarchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CMalloc"),
    // libpcap's headers; the library itself is loaded when a pcap file is read.
    .systemLibrary(name: "CLibpcap", providers: [.apt(["libpcap-dev"])]),
    // BlueZ's headers: the socket of the Linux HCI monitor. Nothing is linked.
    .systemLibrary(name: "CBlueZ", providers: [.apt(["libbluetooth-dev"])]),
    // The vocabulary: addresses, UUIDs, codes and their names.
    .target(name: "Bluetooth", dependencies: ["Bytes"], swiftSettings: strict),
    // The only module that touches raw memory.
    .target(name: "Bytes", swiftSettings: strict),
    .testTarget(
      name: "ComparisonsTests",
      dependencies: [
        "MadeTraffic", "Comparisons", "Reports", "Histories", "Meanings", "Decoders", "Sessions",
        "Bluetooth", "Bytes",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "DiagnosisTests",
      dependencies: [
        "MadeTraffic", "ProfileFiles", "Explanations", "Reports", "Diagnosis", "Histories",
        "Meanings", "Decoders", "Sessions", "Cryptography", "Captures",
        "Dissectors", "Bluetooth", "Bytes",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "RedactionTests",
      dependencies: [
        "FuzzInputs", "MadeTraffic", "ProgramRunner", "Redaction", "Explanations", "Reports",
        "Histories", "Sessions",
        "Captures", "Cryptography", "Dissectors", "Bluetooth", "Bytes",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "SessionsTests",
      dependencies: [
        "MadeTraffic", "Sessions", "Captures", "Cryptography", "Dissectors", "Bluetooth", "Bytes",
      ],
      swiftSettings: tests),
    // Captures in memory, one record a line.
    .target(
      name: "MadeTraffic", dependencies: ["Captures", "Bluetooth", "Bytes"],
      path: "Tests/MadeTraffic", swiftSettings: rules),
    .testTarget(
      name: "CryptographyTests",
      dependencies: ["MadeTraffic", "Cryptography", "Bluetooth", "Bytes"],
      swiftSettings: tests),
    .testTarget(
      name: "DecodersTests",
      dependencies: ["ProfileFiles", "Decoders", "Bluetooth", "Bytes"], swiftSettings: tests),
    .testTarget(
      name: "LearningTests", dependencies: ["Learning", "Decoders"], swiftSettings: tests),
    .testTarget(
      name: "DissectorsTests", dependencies: ["Dissectors", "Bluetooth", "Bytes"],
      swiftSettings: tests),
    .testTarget(
      name: "CapturesTests", dependencies: ["ProgramRunner", "Captures", "Bluetooth", "Bytes"],
      swiftSettings: tests),
    .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: tests),
    .testTarget(
      name: "ReportsTests",
      dependencies: [
        "FuzzInputs", "MadeTraffic", "Documents", "Explanations", "Platforms", "Reports",
        "Meanings",
        "Histories", "Decoders", "Sessions", "Captures", "Dissectors", "Bluetooth",
        "Bytes",
      ],
      swiftSettings: tests),
    // These run the built program; the dependency makes SwiftPM build it.
    .testTarget(
      name: "CommandTests", dependencies: ["gattscope", "ProgramRunner"], swiftSettings: tests),
    .testTarget(
      name: "GoldenTests", dependencies: ["gattscope", "ProgramRunner"],
      exclude: ["Expected", "golden.txt"], swiftSettings: tests),
    // Runs the built program, and lists the capture files that sweeps read.
    .target(name: "ProgramRunner", path: "Tests/ProgramRunner", swiftSettings: tests),
    // What the fuzzers do with an input; the tests do the same with every input that once failed.
    .target(
      name: "FuzzInputs",
      dependencies: [
        "MadeTraffic", "Documents", "Comparisons", "Explanations", "Reports", "Redaction",
        "Platforms", "ProfileFiles", "Decoders", "Sessions", "Captures", "Dissectors",
        "Bluetooth", "Bytes",
      ],
      path: "Fuzz/Inputs", swiftSettings: inputs),
  ]
)

// libFuzzer provides a fuzzer's main function, so the fuzzers cannot be linked in a normal build.
if Context.environment["ENABLE_FUZZING"] != nil {
  // These read files of every kind. The others read records, which they mutate packet by packet or
  // block by block.
  let fuzzersOfFiles = [
    "FuzzCapture", "FuzzPcap", "FuzzPacketLogger", "FuzzPDU", "FuzzDecode", "FuzzProfile",
    "FuzzSupplied", "FuzzLive", "FuzzArchive", "FuzzAir",
  ]
  let fuzzersOfRecords = [
    "FuzzDissect", "FuzzConvert", "FuzzDiff", "FuzzRedact", "FuzzExplain", "FuzzTrace",
    "FuzzPcapng",
  ]
  package.targets += [
    .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
    .target(
      name: "RecordMutations", dependencies: ["FuzzInputs", "CLibFuzzer"],
      path: "Fuzz/RecordMutations", swiftSettings: rules),
  ]
  package.targets += (fuzzersOfFiles + fuzzersOfRecords).map { name in
    .executableTarget(
      name: name,
      dependencies: fuzzersOfRecords.contains(name)
        ? ["FuzzInputs", "RecordMutations"] : ["FuzzInputs"],
      path: "Fuzz/\(name)", swiftSettings: rules)
  }
}

// The release has none of the tests: their helpers use more of Foundation than it links.
if Context.environment["OPTIMISE_ALL"] != nil {
  package.targets.removeAll { target in
    target.type == .test || ["Tests/", "Fuzz/"].contains { target.path?.hasPrefix($0) ?? false }
  }
}
