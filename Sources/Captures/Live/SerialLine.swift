import Glibc

/// A serial line as a source of bytes.
enum SerialLine {
  /// The supported speeds in bits per second, with the system's constants.
  private static let speeds: [(speed: Int, code: Int32)] = [
    (9600, B9600), (19_200, B19200), (38_400, B38400), (57_600, B57600), (115_200, B115200),
    (230_400, B230400), (460_800, B460800), (500_000, B500000), (576_000, B576000),
    (921_600, B921600), (1_000_000, B1000000), (1_152_000, B1152000), (1_500_000, B1500000),
    (2_000_000, B2000000), (2_500_000, B2500000), (3_000_000, B3000000), (3_500_000, B3500000),
    (4_000_000, B4000000),
  ]

  /// The default speed.
  static let usualSpeed = 115_200

  /// Returns whether a line can have this speed.
  static func isSpeed(_ speed: Int) -> Bool { speeds.contains { $0.speed == speed } }

  /// The speeds as a list for a sentence.
  static var speedWords: String { speeds.map { String($0.speed) }.joined(separator: ", ") }

  /// Opens a line in raw mode, so that every byte arrives unchanged.
  ///
  /// - Throws: `.unavailable` if there is no such line; `.forbidden` if it may not be opened.
  static func open(_ path: String, speed: Int) throws(CaptureFailure) -> Int32 {
    let opened = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard opened >= 0 else {
      let error = errno
      if error == EACCES || error == EPERM {
        throw CaptureFailure(
          .forbidden,
          "\(systemWords(error)); a serial line belongs to a group, often dialout: "
            + "sudo usermod -aG dialout \"$USER\", and log in again")
      }
      if error == ENOENT || error == ENXIO || error == ENODEV {
        throw CaptureFailure(
          .unavailable,
          "\(systemWords(error)); plug it in and look for its name: ls /dev/ttyACM* /dev/ttyUSB*")
      }
      throw CaptureFailure(.unavailable, systemWords(error))
    }
    var settings = termios()
    guard unsafe tcgetattr(opened, &settings) == 0 else {
      close(opened)
      throw CaptureFailure(
        .unavailable, "this is not a serial line; those of USB are /dev/ttyACM* and /dev/ttyUSB*")
    }
    unsafe cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    // One stop bit, and no hardware flow control, which most adapters lack; cfmakeraw sets neither.
    settings.c_cflag &= ~(tcflag_t(CRTSCTS) | tcflag_t(CSTOPB))
    guard let code = speeds.first(where: { $0.speed == speed })?.code,
      unsafe cfsetspeed(&settings, speed_t(code)) == 0,
      unsafe tcsetattr(opened, TCSANOW, &settings) == 0
    else {
      let error = errno
      close(opened)
      throw CaptureFailure(
        .unavailable, "the line cannot be set to \(speed) bits a second: \(systemWords(error))")
    }
    return opened
  }
}
