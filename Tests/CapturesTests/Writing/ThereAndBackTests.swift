import Foundation
import ProgramRunner
import Testing

@testable import Captures

/// Converts captures to every format: nothing is lost unless the writer reports it.
struct ThereAndBackTests {
  private static let captures = CaptureFiles.sampled { (try? CaptureReader(path: $0.path)) != nil }
    .map(\.path)

  private static let formats = WriterTarget.rows.compactMap { row -> WriterFormat? in
    guard let target = WriterTarget(name: row.name), let content = target.content else {
      return nil
    }
    return WriterFormat(target.container, content)
  }

  private let folder = TemporaryFolder()

  /// A written file, and the writer's remarks.
  private struct Written {
    let path: String
    let remarks: [String]
    let records: Int
    let decimals: Int
    let container: WriterFormat.Container

    /// Whether the file is empty: PacketLogger has no file header.
    var isEmpty: Bool { container == .packetLogger && records == 0 }
  }

  /// Writes a capture as another file.
  private func write(
    _ path: String, _ format: WriterFormat, to name: String, decimals: Int? = nil
  ) throws -> Written {
    var source = try CaptureReader(path: path)
    let decimals = decimals ?? source.summary.timeDecimals
    let out = folder.file(name)
    var writer = try CaptureWriter(path: out, format, decimals: decimals)
    while let record = try? source.next() { writer.write(record) }
    writer.finish()
    #expect(writer.failure == nil)
    return Written(
      path: out, remarks: writer.remarks, records: writer.recordsWritten, decimals: decimals,
      container: format.container)
  }

  private func bytes(_ path: String) -> Data {
    (try? Data(contentsOf: URL(filePath: path))) ?? Data()
  }

  @Test(
    "Converting to another format and back yields the same file, or remarks on the differences")
  func everyCapture() throws {
    #expect(Self.captures.count > 20)
    #expect(Self.formats.count == 9)
    var same = 0
    for capture in Self.captures {
      for format in Self.formats {
        let first = try write(capture, format, to: "first")
        if first.isEmpty { continue }
        let reading = Reading(path: first.path)
        #expect(reading.failure == nil)
        #expect(reading.records.count == first.records, "\(capture) as \(format)")
        for other in Self.formats {
          let there = try write(first.path, other, to: "there")
          if there.isEmpty { continue }
          #expect(Reading(path: there.path).records.count == there.records)
          let back = try write(there.path, format, to: "back", decimals: first.decimals)
          guard there.remarks.isEmpty, back.remarks.isEmpty else { continue }
          #expect(bytes(back.path) == bytes(first.path), "\(capture): \(format) by way of \(other)")
          same += 1
        }
      }
    }
    #expect(same > Self.captures.count * 20)
  }

  /// Compares the first conversion with the capture itself: time, direction, lengths and bytes.
  @Test("Packets keep their bytes, times and original lengths")
  func samePackets() throws {
    for capture in Self.captures {
      let original = Reading(path: capture).records
      for format in Self.formats where format.content != .h4WithoutDirection {
        let written = try write(capture, format, to: "first")
        guard written.remarks.isEmpty, !written.isEmpty else { continue }
        let found = Reading(path: written.path).records
        #expect(found.count == original.count)
        for (before, after) in zip(original, found) {
          #expect(after.time == before.time && after.direction == before.direction)
          #expect(after.packet == before.packet)
          #expect(after.drops == before.drops || after.drops == 0 && format.container == .pcap)
        }
      }
    }
  }
}

extension Kept {
  /// The packet without a leading type byte, and its original length.
  fileprivate var packet: [UInt8] {
    let skipped = framing == .h4 ? 1 : 0
    return bytes.dropFirst(skipped) + numberBytes(originalLength - skipped)
  }

  private func numberBytes(_ length: Int) -> [UInt8] {
    stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: length >> $0) }
  }
}
