package import Bluetooth
import Bytes
package import Decoders
package import Sessions

/// The attribute that an Error Response is about, as far as it decides what an error means.
package struct ErrorSubject: Sendable {
  /// What profiles call such attributes; nil for what they do not define, as declarations.
  package let kind: Subject.Kind?
  /// Its type.
  package let uuid: BluetoothUUID?
  /// The service that holds it.
  package let service: BluetoothUUID?
  /// The name of the device, where it is known.
  package var device: [UInt8]?

  /// An attribute of which this is known; of one that was not declared its type tells the kind.
  package init(_ kind: Attribute.Kind?, _ uuid: BluetoothUUID?, service: BluetoothUUID?) {
    self.uuid = uuid
    self.service = service
    self.kind =
      switch kind {
      case .descriptor: .descriptor
      case .value: .characteristic
      case nil: uuid?.subjectKind
      case .service, .include, .characteristic: nil
      }
  }

  /// The attribute that a packet is about, if it is known.
  package init?(_ answer: Answer, _ memory: borrowing Memory) {
    guard let place = answer.attribute else { return nil }
    let attribute = memory.attributes[place]
    self.init(
      attribute.kind, attribute.uuid, service: memory.attributes.service(of: place))
    device = memory.peerName(of: answer.link)
  }

  /// The attribute of a value, or of an attempt at one.
  package init(_ identity: AttributeIdentity) {
    self.init(identity.kind, identity.uuid, service: identity.service)
  }
}

extension ErrorSubject {
  /// What the attribute's own definition calls an error, else that of its service.
  ///
  /// - Parameter definitions: those of a kind and UUID, the most specific first.
  package func name(
    of error: ATTErrorCode, _ definitions: (Subject.Kind, BluetoothUUID) -> [Definition]
  ) -> [UInt8]? {
    if let kind, let uuid {
      for definition in definitions(kind, uuid) {
        if let wanted = definition.subject.service, wanted.shortest != service?.shortest {
          continue
        }
        if let wanted = definition.subject.device, !(device?.fits(wanted) ?? false) {
          continue
        }
        if let name = definition.error(error.rawValue) { return name }
      }
    }
    guard let service else { return nil }
    for definition in definitions(.service, service) {
      if let name = definition.error(error.rawValue) { return name }
    }
    return nil
  }
}

extension BluetoothUUID {
  /// What profiles call attributes of this type.
  package var subjectKind: Subject.Kind { isDescriptor ? .descriptor : .characteristic }
}

extension Memory {
  /// The name of a link's peer.
  package func peerName(of link: LinkSlot?) -> [UInt8]? {
    guard let link, let entry = links.connection(link).name else { return nil }
    return names[entry]
  }
}
