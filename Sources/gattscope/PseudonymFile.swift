import ArgumentParser
import Bytes
import Captures
import Glibc
import Redaction
import Reports

/// The file of `--pseudonyms`, which its owner alone may read. It gets its name once the capture
/// has.
struct PseudonymFile: ~Copyable {
  private let file: NewFile
  private let path: String

  /// Begins the file.
  ///
  /// - Throws: the exit status.
  init(_ path: String) throws {
    let opened: NewFile
    do throws(WriteFailure) { opened = try NewFile(path: path) } catch {
      throw Self.failed(error.sentence)
    }
    // A file that is replaced keeps its owner.
    var status = stat()
    guard unsafe fstat(opened.descriptor, &status) == 0, status.st_uid == geteuid(),
      fchmod(opened.descriptor, 0o600) == 0
    else { throw Self.failed("\(path) cannot be kept from others; name another file") }
    file = opened
    self.path = path
  }

  /// Writes the pseudonyms, and gives the file its name.
  ///
  /// - Throws: the exit status.
  consuming func keep(_ pseudonyms: [Pseudonym]) throws {
    var output = Output(descriptor: file.descriptor)
    output.text("kind,original,pseudonym\n")
    for each in pseudonyms {
      output.text(each.kind)
      output.byte(0x2c)
      output.cell(each.original.bytes, isText: each.isText)
      output.byte(0x2c)
      output.cell(each.replacement.bytes, isText: each.isText)
      output.byte(0x0a)
    }
    output.flush()
    try Terminal.check(output.failure)
    let path = path
    do throws(WriteFailure) { try file.keep() } catch { throw Self.failed(error.sentence) }
    Terminal.complain("\(path) turns pseudonyms back into originals; do not share it")
  }

  private static func failed(_ sentence: String) -> ExitCode {
    Terminal.complain(sentence)
    return ExitCode(74)
  }
}
