// The words for a value, for the table and the lines.

package import Bluetooth
import Bytes
import Dissectors
import Meanings
package import Sessions

extension Output {
  /// Appends an attribute: UUID and name, for a descriptor its characteristic, and the handle if it
  /// is needed or nothing else is known; or a serial channel.
  ///
  /// - Parameters:
  ///   - owner: the characteristic that a descriptor belongs to.
  ///   - profileName: the name, if only profiles name it.
  package mutating func attribute(
    _ attribute: AttributeIdentity, owner: AttributeIdentity?, _ glyphs: Glyphs,
    profileName: String? = nil
  ) {
    if let channel = attribute.channel {
      self.channel(channel)
      if let profileName {
        byte(0x20)
        string(profileName)
      }
      return
    }
    guard let uuid = attribute.uuid else {
      if let handle = attribute.handle {
        self.handle(handle)
      } else {
        text("not known, the request is missing")
      }
      return
    }
    self.uuid(uuid, attribute.part, ellipsis: glyphs.ellipsis)
    let end = count
    byte(0x20)
    attributeTitle(attribute, owner: owner, glyphs, profileName: profileName)
    if count == end + 1 { shorten(to: end) }
    guard attribute.needsHandle, let handle = attribute.handle else {
      if attribute.via == .inferred { text(" (inferred)") }
      if attribute.via == .supplied { text(" (supplied)") }
      return
    }
    text(" (")
    self.handle(handle)
    if attribute.via == .inferred { text(", inferred") }
    if attribute.via == .supplied { text(", supplied") }
    byte(0x29)
  }

  /// Appends the name of an attribute whose UUID is known, and for a descriptor its characteristic.
  mutating func attributeTitle(
    _ attribute: AttributeIdentity, owner: AttributeIdentity?, _ glyphs: Glyphs,
    profileName: String?
  ) {
    let start = count
    if let profileName {
      string(profileName)
    } else if let uuid = attribute.uuid {
      var name = Output()
      name.attributeName(uuid, as: attribute.kind?.use)
      if name.count > 1 { name.copy(Slice(start: 1, count: name.count - 1), into: &self) }
    }
    guard let owner, owner.uuid != nil || owner.handle != nil else { return }
    text(count > start ? " of " : "of ")
    if let uuid = owner.uuid {
      self.uuid(uuid, owner.part, ellipsis: glyphs.ellipsis)
    } else if let handle = owner.handle {
      self.handle(handle)
    }
  }

  /// Appends the MTU of a bearer, and how it is known.
  mutating func mtu(_ mtu: BearerMTU) {
    text(mtu.isLowerBound ? ", MTU at least " : ", MTU ")
    decimal(mtu.value)
    if mtu.isLowerBound {
      text(" (inferred)")
    } else if !mtu.isExchanged {
      text(" (not exchanged)")
    }
  }

  /// Appends the type of an advertised value: `service feaa (registered: Google LLC)`, `company
  /// 0x004c Apple, Inc.`
  mutating func advertised(_ uuid: BluetoothUUID?, _ company: UInt16?) {
    text(company == nil ? "service " : "company ")
    if let company {
      assigned(CompanyID(rawValue: company).name, UInt64(company), digits: 4)
    } else if let uuid {
      self.uuid(uuid.shortest)
      meaning(of: uuid, isFitting: true)
    }
  }

  /// Appends the advertiser of a value.
  mutating func advertiser(_ address: DeviceAddress?, _ side: Side) {
    if side == .local {
      text("this host")
    } else if let address {
      self.address(address)
    } else {
      text("anonymous")
    }
  }

  /// Appends a serial channel.
  package mutating func channel(_ channel: SerialChannel) {
    switch channel {
    case .rfcomm(let server):
      text("RFCOMM channel ")
      decimal(Int(server))
    case .creditBased(let psm): service(psm)
    }
  }

  /// Appends an operation as named in the table and the lines.
  mutating func operation(_ operation: ValueOperation) {
    text(operation.words)
  }

  /// Appends the operation of a row of the table. The name of most implies the direction.
  mutating func operation(_ series: ValueSeries) {
    operation(series.operation)
    guard series.operation == .data else { return }
    text(series.isWritten ? " to server" : " from server")
  }

  /// Appends the result of an operation that failed, in a word after the operation's name.
  mutating func fate(_ outcome: ValueOutcome, of operation: ValueOperation) {
    switch outcome {
    case .done: break
    case .refused: text(" refused")
    case .noResponse: text(operation == .indication ? " unconfirmed" : " unanswered")
    case .cancelled: text(" cancelled")
    case .notExecuted: text(" not executed")
    }
  }

  /// Appends why an operation failed, or nothing if the word for the result is sufficient.
  ///
  /// - Parameter error: the profile's name of the error.
  package mutating func why(
    _ outcome: ValueOutcome, of operation: ValueOperation, isAcknowledged: Bool?,
    error name: [UInt8]?
  ) {
    switch outcome {
    case .done, .cancelled: break
    case .refused(let error): self.error(error, name)
    case .noResponse(let reason), .notExecuted(let reason):
      switch reason {
      case .connectionEnded: text("the connection ended")
      case .timedOut:
        text(
          operation == .indication
            ? "no confirmation within 30 s (ATT timeout)" : "no response within 30 s (ATT timeout)")
      case .overtaken: text("others followed")
      case .recordsLost:
        text("the capture may lack the ")
        if case .notExecuted = outcome {
          text("request that executes it")
        } else {
          text(operation == .indication ? "confirmation" : "response")
        }
      case .captureEnded: text("the capture ends")
      case .forgotten: text("too many bearers to follow")
      }
      switch isAcknowledged {
      case true?: text("; the peer acknowledged the packet")
      case false?: text("; the peer did not acknowledge the packet")
      case nil: break
      }
    }
  }

  /// Appends the bytes of a value in hexadecimal, or that it is empty.
  package mutating func valueBytes(_ bytes: RawSpan) {
    if bytes.byteCount == 0 { text("(empty)") } else { hex(bytes, separator: 0x20) }
  }
}
