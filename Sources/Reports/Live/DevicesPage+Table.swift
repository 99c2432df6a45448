import Bluetooth
import Bytes
import Sessions

/// One line for each device, for live display.
extension DevicesPage {
  /// The widths of the columns before a device's address: its reports, the time between them, the
  /// last RSSI.
  private static let columns = (reports: 9, apart: 10, signal: 6)

  /// Writes at most `rows` lines, cut to `columns`: first the connected devices, then those that
  /// were heard most. The last line shows how many devices did not fit.
  mutating func write(rows: Int, columns: Int, into output: inout Output) {
    guard rows > 0 else { return }
    var ascii = Output()
    summary()
    finish(columns, &ascii, into: &output)
    guard rows > 2, !list.devices.isEmpty else { return }
    let all = list.devices.all
    let order = list.devices.places.enumerated().map { index, place in
      (
        isConnected: all[place].connectionCount > 0, reports: all[place].reports,
        firstPacket: all[place].firstPacket, index: index
      )
    }.sorted { left, right in
      if left.isConnected != right.isConnected { return left.isConnected }
      if left.reports != right.reports { return left.reports > right.reports }
      return left.firstPacket < right.firstPacket
    }
    let room = order.count > rows - 2 ? rows - 3 : order.count
    let sizes = Self.columns
    for (head, size) in [
      ("reports", sizes.reports), ("apart", sizes.apart), ("RSSI", sizes.signal),
    ] as [(StaticString, Int)] {
      out.spaces(size - head.utf8CodeUnitCount)
      out.text(head)
    }
    out.text("  device")
    finish(columns, &ascii, into: &output)
    for entry in order.prefix(room) {
      row(list.devices[entry.index])
      finish(columns, &ascii, into: &output)
    }
    guard room < order.count else { return }
    out.text(glyphs.ellipsis)
    out.byte(0x20)
    out.decimal(order.count - room)
    out.text(" more")
    finish(columns, &ascii, into: &output)
  }

  private mutating func row(_ entry: ListedDevice) {
    let device = entry.device
    let sizes = Self.columns
    cell(sizes.reports) { $0.decimal(device.reports) }
    cell(sizes.apart) { cell in
      guard let interval = device.gaps?.estimate else { return }
      cell.duration(nanoseconds: Int64(interval) * 1000)
    }
    cell(sizes.signal) { cell in if let signal = device.lastSignal { cell.decimal(Int(signal)) } }
    out.text("  ")
    heading(entry)
    guard let latest = device.latestPayload else { return }
    sentence.advertiser = entry.sender
    out.text("; ")
    data(latest)
  }

  private mutating func cell(_ columns: Int, _ write: (inout Output) -> Void) {
    var cell = Output()
    write(&cell)
    out.spaces(max(1, columns - cell.count))
    cell.copy(into: &out)
  }

  private mutating func finish(_ columns: Int, _ ascii: inout Output, into output: inout Output) {
    if out.count > 0, out.bytes.byte(at: out.count - 1) == 0x0a { out.shorten(to: out.count - 1) }
    output.line(&out, ascii: &ascii, columns: columns, glyphs)
  }
}

extension Advertiser {
  /// The most recent data of its advertisements, excluding scan responses.
  fileprivate var latestPayload: Payload? {
    var latest: Payload?
    for payload in payloads.all
    where !payload.stream.isScanResponse && payload.lastPacket > latest?.lastPacket ?? 0 {
      latest = payload
    }
    return latest
  }
}
