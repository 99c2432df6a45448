import Bytes
import Glibc
import Synchronization

/// The program that shows long output on a terminal page by page, as with git: `PAGER`, or less.
enum Pager {
  /// The pager's process, or 0 before it is started.
  private static let process = Atomic<pid_t>(0)
  /// Ends at once if everything fits on the screen, passes colours on, and leaves the text there.
  private static let settingsOfLess = "FRX"

  /// Starts the pager and connects standard output to it, and standard error if that is the
  /// terminal, too. Does nothing if the output is not a terminal or no pager is wanted.
  static func start() {
    guard Terminal.isTerminal, process.load(ordering: .relaxed) == 0, let command else { return }
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return }
    defer { ends.forEach { close($0) } }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var settings = Terminal.environment("LESS") == nil ? ["LESS=\(settingsOfLess)"] : []
    if isElevated { settings.append("LESSSECURE=1") }
    let started = try? Terminal.spawn(
      "/bin/sh", ["sh", "-c", command], setting: settings, input: ends[0])
    guard let started, Terminal.keepScreen() else { return }
    process.store(started, ordering: .relaxed)
    dup2(ends[1], STDOUT_FILENO)
    if isatty(STDERR_FILENO) == 1 { dup2(ends[1], STDERR_FILENO) }
    atexit { Pager.wait() }
    // Ctrl-C ends this program, but the terminal is the pager's until the user closes it.
    signal(SIGINT) { number in
      Pager.wait()
      _exit(128 + number)
    }
  }

  /// Ends the pager's input, and waits until the user has closed it.
  private static func wait() {
    // A signal handler calls this, so nothing is allocated.
    close(STDOUT_FILENO)
    close(STDERR_FILENO)
    let process = process.load(ordering: .relaxed)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  /// Whether this program has another user's rights than the user at the terminal. Then less must
  /// not start programs or write files with them.
  private static var isElevated: Bool {
    getuid() != geteuid() || getgid() != getegid()
      || ["SUDO_UID", "DOAS_USER", "PKEXEC_UID"].contains { Terminal.environment($0) != nil }
  }

  /// The shell command that starts it, or nil if there is to be none.
  private static var command: String? {
    guard Terminal.environment("TERM") != "dumb" else { return nil }
    let wanted = Terminal.environment("PAGER") ?? "less"
    guard wanted != "cat", let program = wanted.split(separator: " ").first else { return nil }
    // Anything else than a plain name is for the shell to understand.
    guard program.allSatisfy({ $0.isLetter || $0.isNumber || "-_.+".contains($0) }) else {
      return wanted
    }
    let folders = (Terminal.environment("PATH") ?? "").split(separator: ":")
    return folders.contains { unsafe access("\($0)/\(program)", X_OK) == 0 } ? wanted : nil
  }
}
