import CLibFuzzer
import FuzzInputs

// A fuzzer that is linked with this changes its inputs as lists of packets.

/// libFuzzer's way to have an input changed; now and then it does it itself, as if there were no packets.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32
) -> Int {
  if seed % 8 == 0 { return unsafe LLVMFuzzerMutate(start, count, most) }
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  let changed = RecordMutator.change(bytes, seed: seed, most: most) { bytes, most in
    let count = bytes.count
    var room = bytes + [UInt8](repeating: 0, count: max(0, most - count))
    let changed = unsafe room.withUnsafeMutableBufferPointer {
      unsafe LLVMFuzzerMutate($0.baseAddress, count, max(most, count))
    }
    return Array(room.prefix(changed))
  }
  return unsafe copy(changed, to: start, most)
}

/// libFuzzer's way to have one input made of two.
@_cdecl("LLVMFuzzerCustomCrossOver")
public func cross(
  _ first: UnsafePointer<UInt8>, _ firstCount: Int, _ second: UnsafePointer<UInt8>,
  _ secondCount: Int, _ start: UnsafeMutablePointer<UInt8>, _ most: Int, _ seed: UInt32
) -> Int {
  let one = unsafe [UInt8](UnsafeBufferPointer(start: first, count: firstCount))
  let other = unsafe [UInt8](UnsafeBufferPointer(start: second, count: secondCount))
  return unsafe copy(RecordMutator.cross(one, other, seed: seed, most: most), to: start, most)
}

private func copy(_ bytes: [UInt8], to start: UnsafeMutablePointer<UInt8>, _ most: Int) -> Int {
  let count = min(bytes.count, most)
  _ = unsafe UnsafeMutableBufferPointer(start: start, count: count)
    .update(from: bytes.prefix(count))
  return count
}
