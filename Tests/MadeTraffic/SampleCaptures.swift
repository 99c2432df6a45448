// The captures that tests read, and their records.

import Bytes
import Captures
package import Foundation

/// The project's folder, two levels above that of this file.
package let project = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// Captures beside the project, which are not part of it.
package let otherCaptures = project.deletingLastPathComponent().appending(path: "shared/captures")

/// Returns all records of one of the project's captures, a btsnoop file.
package func storedRecords(_ name: String) throws -> [StoredRecord] {
  var source = try CaptureReader(
    path: project.appending(path: "captures/\(name).btsnoop").path(percentEncoded: false))
  var records: [StoredRecord] = []
  while let record = try source.next() {
    records.append(
      StoredRecord(
        bytes: record.bytes.array, direction: record.direction, adapter: record.adapter,
        framing: record.framing, time: record.time, originalLength: record.originalLength,
        drops: record.drops, number: record.number))
  }
  return records
}
