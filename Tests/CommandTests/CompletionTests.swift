import Foundation
import ProgramRunner
import Testing

@Suite("Shell completion")
struct CompletionTests {
  /// Returns bash's completions for the last of `words`, sorted.
  private func offered(_ words: [String]) throws -> [String] {
    let folder = try Folder()
    try folder.write("script", Program.run(["completion", "bash"]).output)
    try folder.write("a capture.log", [])
    let quoted = words.map { "'\($0)'" }.joined(separator: " ")
    let test = """
      source ./script
      COMP_WORDS=(\(quoted)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
      complete -p gattscope >specification
      _gattscope gattscope "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}" >offered
      """
    let bash = Process()
    bash.executableURL = URL(filePath: "/bin/bash")
    bash.arguments = ["--norc", "--noprofile", "-c", test]
    bash.currentDirectoryURL = folder.url
    bash.environment = Program.environment.merging(["PATH": path]) { $1 }
    try Program.start(bash)
    bash.waitUntilExit()
    #expect(bash.terminationStatus == 0)
    let specification = String(decoding: folder.bytes("specification"), as: UTF8.self)
    #expect(specification.contains("-o default"), "\(specification)")
    return folder.bytes("offered").split(separator: 0x0a)
      .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }.sorted()
  }

  private var path: String { Program.url.deletingLastPathComponent().path + ":/usr/bin:/bin" }

  @Test(
    "bash completes verbs, options, and the values of options",
    arguments: [
      (["gattscope", "sh"], ["show"]), (["gattscope", "co"], ["completion", "convert"]),
      (["gattscope", "show", "--dev"], ["--device"]),
      (["gattscope", "show", "--layer", "a"], ["acl", "adv", "air", "att"]),
      (["gattscope", "show", "--layer", "sec"], ["security"]),
      (["gattscope", "show", "--layer", "att,s"], ["att,sco", "att,security", "att,smp"]),
      (["gattscope", "show", "--layer", "!a"], ["!acl", "!adv", "!air", "!att"]),
      (["gattscope", "show", "--direction", ""], ["central", "peripheral", "received", "sent"]),
      (["gattscope", "show", "--time", ""], ["delta", "elapsed", "local", "none", "utc"]),
      (["gattscope", "show", "--errors", "--color", "a"], ["always", "auto"]),
      (["gattscope", "show", "a"], ["a capture.log"]),
      (["gattscope", "info", "a"], ["a capture.log"]),
      (["gattscope", "map", "--dev"], ["--device"]),
      (["gattscope", "va"], ["values"]), (["gattscope", "values", "--fo"], ["--follow"]),
      (["gattscope", "values", "--operation", "read,i"], ["read,indication"]),
      (["gattscope", "completion", ""], ["bash", "fish", "zsh"]),
    ])
  func bash(_ words: [String], _ expected: [String]) throws {
    #expect(try offered(words) == expected)
  }

  @Test("Each shell's script names every option", arguments: ["bash", "zsh", "fish"])
  func scripts(_ shell: String) throws {
    let ending = try Program.run(["completion", shell])
    #expect(ending.status == 0 && ending.errors.isEmpty)
    for option in ["device", "uuid", "brief", "show-keys"] {
      let word = shell == "fish" ? "-l '\(option)'" : "--\(option)"
      #expect(ending.text.contains(word), "\(shell) lacks \(word)")
    }
    #expect(try Program.run(["completion", "tcsh"]).status == 64)
  }
}
