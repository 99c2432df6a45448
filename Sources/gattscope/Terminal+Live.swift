import ArgumentParser
import Bytes
import Captures
import Glibc
import Synchronization

/// Whether the terminal does not echo what is typed.
private let hidesTyping = Atomic<Bool>(false)

/// The descriptor of the terminal that echoes control characters, or a negative number if none
/// does.
private let echoes: Int32 =
  [STDERR_FILENO, STDOUT_FILENO].first { descriptor in
    var settings = termios()
    let shown = tcflag_t(ECHO) | tcflag_t(ECHOCTL)
    return unsafe tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & shown == shown
  } ?? -1

// What watching live needs from the system, besides what every verb needs.
extension Terminal {
  /// Makes Ctrl-C, SIGTERM, the loss of the terminal and a timeout interrupt live sources. A second
  /// signal ends the program at once, as SIGQUIT does.
  ///
  /// - Parameter seconds: the timeout; nil: none.
  static func interruptOnSignals(after seconds: Double?) {
    // Initialised now, since a signal handler must not do it.
    _ = Interruption.process
    _ = hidesTyping.load(ordering: .relaxed)
    _ = echoes
    Interruption.process.wakeFromNowOn()
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { number in
      // The interrupted code may be about to read it.
      let error = errno
      defer { errno = error }
      let isSudden = number == SIGQUIT || Interruption.process.hasCome && number != SIGALRM
      if number == SIGINT { Terminal.endEcho() }
      Interruption.process.come()
      Terminal.showTyping()
      guard isSudden else { return }
      LiveSource.leaveNoFile()
      signal(number, SIG_DFL)
      raise(number)
    }
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGALRM] { unsafe sigaction(signal, &action, nil) }
    // nohup sets it to be ignored.
    var hangUp = sigaction()
    unsafe sigaction(SIGHUP, nil, &hangUp)
    if unsafe unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) == 0 {
      unsafe sigaction(SIGHUP, &action, nil)
    }
    // Reading typed text must not stop a program that runs in the background.
    signal(SIGTTIN, SIG_IGN)
    guard let seconds else { return }
    let whole = seconds.rounded(.down)
    // 0 would stop the timer instead.
    let rest = max(whole == 0 ? 1 : 0, Int(((seconds - whole) * 1_000_000).rounded()))
    var timer = itimerval()
    timer.it_value = timeval(tv_sec: Int(whole), tv_usec: min(rest, 999_999))
    unsafe setitimer(Int32(bitPattern: ITIMER_REAL.rawValue), &timer, nil)
  }

  /// Starts a new line if the terminal has shown `^C` at the end of the output. Safe to call from a
  /// signal handler.
  fileprivate static func endEcho() {
    guard echoes >= 0, !hidesTyping.load(ordering: .relaxed) else { return }
    var waiting = pollfd(fd: echoes, events: Int16(POLLOUT), revents: 0)
    // A terminal whose output is stopped would block the handler.
    guard unsafe poll(&waiting, 1, 0) == 1, waiting.revents == Int16(POLLOUT) else { return }
    var lineFeed = UInt8(ascii: "\n")
    _ = unsafe Glibc.write(echoes, &lineFeed, 1)
  }

  /// Whether typed text can be read: standard input is a terminal and this program is in its
  /// foreground. In the background, reading would stop the program.
  static var canReadTyping: Bool {
    isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  /// Stops the terminal from echoing what is typed, until `showTyping`.
  static func hideTyping() {
    var settings = termios()
    guard canReadTyping, unsafe tcgetattr(STDIN_FILENO, &settings) == 0,
      settings.c_lflag & tcflag_t(ECHO) != 0
    else { return }
    settings.c_lflag &= ~tcflag_t(ECHO)
    if unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 {
      hidesTyping.store(true, ordering: .relaxed)
    }
  }

  /// Makes the terminal echo again. Safe to call from a signal handler.
  static func showTyping() {
    var settings = termios()
    // In the background the terminal belongs to another program.
    guard canReadTyping, hidesTyping.exchange(false, ordering: .relaxed),
      unsafe tcgetattr(STDIN_FILENO, &settings) == 0
    else { return }
    settings.c_lflag |= tcflag_t(ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Opens a named pipe. It is opened for writing too, so that it does not end when its writers
  /// close it. A file is read as it is.
  static func openPipe(_ path: String) throws -> Int32 {
    let flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    var descriptor = unsafe open(path, O_RDWR | flags)
    if descriptor < 0, errno == EACCES { descriptor = unsafe open(path, O_RDONLY | flags) }
    guard descriptor >= 0 else {
      let advice = errno == ENOENT ? "; make the pipe first: mkfifo \(path)" : ""
      complain(FileFailure(path, systemWords(errno)).sentence + advice)
      throw ExitCode(66)
    }
    return descriptor
  }

  /// Reads the available bytes, or returns nil if there will be none any more.
  static func available(of descriptor: Int32) -> [UInt8]? {
    var block = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe block.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 { return Array(block.prefix(count)) }
      if count < 0, errno == EINTR { continue }
      // EIO: another program is in the terminal's foreground.
      if count < 0, errno == EAGAIN || errno == EIO { return [] }
      return nil
    }
  }

  /// Gives up the privileges that sudo granted and returns to those of its caller. Does nothing if
  /// the program was not started by sudo.
  static func leaveRoot() throws {
    guard let (user, group) = sudoUser else { return }
    let groups = environment("SUDO_USER").map { unsafe initgroups($0, group) } ?? setgroups(0, nil)
    guard groups == 0, setgid(group) == 0, setuid(user) == 0, setuid(0) != 0 else {
      complain(
        "root's privileges cannot be given up: \(systemWords(errno)); --keep-root keeps them"
      )
      throw ExitCode(77)
    }
  }

  /// The user who became root through sudo, or nil if the program was not started so.
  static var sudoUser: (user: UInt32, group: UInt32)? {
    guard geteuid() == 0, let user = number("SUDO_UID"), let group = number("SUDO_GID"), user != 0
    else { return nil }
    return (user, group)
  }

  private static func number(_ name: String) -> UInt32? { environment(name).flatMap { UInt32($0) } }

  /// Whether standard output is a pipe or a socket, so that another program reads it.
  static var isPiped: Bool {
    var status = stat()
    guard unsafe fstat(STDOUT_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  /// The rows and columns of the terminal, or nil if it does not report them.
  static var size: (rows: Int, columns: Int)? {
    var size = winsize()
    guard unsafe ioctl(screen.load(ordering: .relaxed), UInt(TIOCGWINSZ), &size) == 0,
      size.ws_row > 0,
      size.ws_col > 0
    else { return nil }
    return (Int(size.ws_row), Int(size.ws_col))
  }
}
