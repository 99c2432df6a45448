import CLibFuzzer
import FuzzInputs

// A fuzzer linked with this mutates its inputs as lists of packets, and pcapng files as lists of
// blocks.

/// libFuzzer's hook for mutating an input; some inputs are mutated byte by byte as usual.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32
) -> Int {
  if seed % 8 == 0 { return unsafe LLVMFuzzerMutate(start, count, most) }
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  let change = isPcapng(bytes) ? PcapngMutator.change : RecordMutator.change
  let changed = change(bytes, seed, most) { bytes, most in
    let count = bytes.count
    var room = bytes + [UInt8](repeating: 0, count: max(0, most - count))
    let changed = unsafe room.withUnsafeMutableBufferPointer {
      unsafe LLVMFuzzerMutate($0.baseAddress, count, max(most, count))
    }
    return Array(room.prefix(changed))
  }
  return unsafe copy(changed, to: start, most)
}

/// libFuzzer's hook for crossing two inputs.
@_cdecl("LLVMFuzzerCustomCrossOver")
public func cross(
  _ first: UnsafePointer<UInt8>, _ firstCount: Int, _ second: UnsafePointer<UInt8>,
  _ secondCount: Int, _ start: UnsafeMutablePointer<UInt8>, _ most: Int, _ seed: UInt32
) -> Int {
  let one = unsafe [UInt8](UnsafeBufferPointer(start: first, count: firstCount))
  let other = unsafe [UInt8](UnsafeBufferPointer(start: second, count: secondCount))
  let cross = isPcapng(one) && isPcapng(other) ? PcapngMutator.cross : RecordMutator.cross
  return unsafe copy(cross(one, other, seed, most), to: start, most)
}

/// Returns whether a file begins like a pcapng section.
private func isPcapng(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x0a, 0x0d, 0x0d, 0x0a]) }

private func copy(_ bytes: [UInt8], to start: UnsafeMutablePointer<UInt8>, _ most: Int) -> Int {
  let count = min(bytes.count, most)
  _ = unsafe UnsafeMutableBufferPointer(start: start, count: count)
    .update(from: bytes.prefix(count))
  return count
}
