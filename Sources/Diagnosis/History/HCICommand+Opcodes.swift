import Dissectors

// The opcodes that only histories refer to (Core, Vol 4, Part E, 7).

extension HCICommand {
  static let inquiry: UInt16 = 0x0401
  static let remoteNameRequest: UInt16 = 0x0419
  static let readBufferSize: UInt16 = 0x1005
  static let leReadBufferSize: UInt16 = 0x2002
  static let leSetScanResponseData: UInt16 = 0x2009
  static let leSetDataLength: UInt16 = 0x2022
  static let leRemoveDeviceFromResolvingList: UInt16 = 0x2028
  static let leClearResolvingList: UInt16 = 0x2029
  static let leClearAdvertisingSets: UInt16 = 0x203d
  /// LE Read Buffer Size, version 2
  static let leReadBufferSizeV2: UInt16 = 0x2060
}
