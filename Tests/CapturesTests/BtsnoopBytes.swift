import Bluetooth
import Bytes
import Captures

/// A btsnoop file under construction; the same calls give the same bytes.
struct BtsnoopBytes {
  /// 1970-01-01 00:00:00 UTC in a record's time field.
  static let epoch: Int64 = 0x00dc_ddb3_0f2f_8000

  private(set) var bytes: [UInt8] = Array("btsnoop\0".utf8)

  init(datalink: UInt32 = 1002, version: UInt32 = 1) {
    append(version)
    append(datalink)
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends a record. The header's lengths, `original` and `included`, are the payload's by
  /// default.
  mutating func record(
    _ payload: [UInt8], original: UInt32? = nil, included: UInt32? = nil, flags: UInt32 = 0,
    drops: UInt32 = 0, time: Int64 = Self.epoch
  ) {
    append(original ?? included ?? UInt32(payload.count))
    append(included ?? UInt32(payload.count))
    append(flags)
    append(drops)
    append(time)
    bytes += payload
  }

  /// Appends bytes that belong to no record.
  mutating func raw(_ more: [UInt8]) { bytes += more }

  /// Returns a file of `count` records of 1 to 40 bytes, a millisecond apart.
  static func session(_ count: Int) -> BtsnoopBytes {
    var file = BtsnoopBytes()
    for index in 0..<count {
      let payload = (0..<1 + index * 7 % 40).map { UInt8(truncatingIfNeeded: index + $0) }
      file.record(payload, flags: UInt32(index % 4), time: epoch + Int64(index) * 1000)
    }
    return file
  }
}

/// A copy of a record's fields.
struct Kept: Equatable {
  var number: Int
  var time: Timestamp?
  var direction: Direction?
  var adapter: AdapterIndex
  var framing: CaptureRecord.Framing
  var originalLength: Int
  var drops: UInt64
  var fileOffset: Int64
  var bytes: [UInt8]
  var comments: [String] = []
  var file: Int
  var section: Int
  var original: Int?
  var isReplayed: Bool
  var followsDamage: Bool

  init(_ record: borrowing CaptureRecord) {
    number = record.number
    time = record.time
    direction = record.direction
    adapter = record.adapter
    framing = record.framing
    originalLength = record.originalLength
    drops = record.drops
    fileOffset = record.fileOffset
    bytes = record.bytes.array
    file = record.file
    section = record.section
    original = record.original
    isReplayed = record.isReplayed
    followsDamage = record.followsDamage
    var position = 0
    while let comment = record.options.nextComment(&position) {
      comments.append(String(decoding: comment.array, as: UTF8.self))
    }
  }
}

extension CaptureSource where Self: ~Copyable {
  /// Returns a copy of the next record.
  mutating func nextKept() throws(CaptureFailure) -> Kept? {
    guard let record = try next() else { return nil }
    return Kept(record)
  }
}

/// The result of reading a capture: its records, and the failure that ended it.
struct Reading {
  var records: [Kept] = []
  var failure: CaptureFailure?

  var message: String? { failure?.message }
  /// The source's summary at the end.
  var summary: CaptureSummary?

  init(_ bytes: [UInt8]) {
    let pipe = Pipe()
    pipe.feed(bytes, piece: 4096)
    self.init(InputBuffer(descriptor: pipe.takeReader(), owned: true))
    pipe.wait()
  }

  init(path: String) {
    do throws(CaptureFailure) {
      var reader = try CaptureReader(path: path)
      readOn(&reader)
    } catch {
      failure = error
    }
  }

  init(_ input: consuming InputBuffer) {
    do throws(CaptureFailure) {
      var reader = try CaptureReader(input)
      readOn(&reader)
    } catch {
      failure = error
    }
  }

  init<Source: CaptureSource & ~Copyable>(_ reader: inout Source) { readOn(&reader) }

  private mutating func readOn<Source: CaptureSource & ~Copyable>(_ reader: inout Source) {
    do throws(CaptureFailure) {
      while let record = try reader.nextKept() { records.append(record) }
    } catch {
      failure = error
    }
    summary = reader.summary
  }
}
