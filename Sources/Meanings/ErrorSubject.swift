package import Bluetooth
import Bytes
package import Decoders
package import Sessions

/// The attribute that an Error Response is about, as far as it determines the error's meaning.
package struct ErrorSubject: Sendable {
  /// The kind of attribute in profiles, or nil for attributes that profiles do not define, such as
  /// declarations.
  package let kind: Subject.Kind?
  /// The attribute's type.
  package let uuid: BluetoothUUID?
  /// The service that contains it.
  package let service: BluetoothUUID?
  /// The name of the device, if known.
  package var device: [UInt8]?

  /// Creates a subject from what is known of an attribute. If the attribute was not declared, its
  /// type determines the kind.
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

  /// Creates the subject of a packet, or returns nil if its attribute is unknown.
  package init?(_ answer: Answer, _ memory: borrowing Memory) {
    guard let place = answer.attribute else { return nil }
    let attribute = memory.attributes[place]
    self.init(
      attribute.kind, attribute.uuid, service: memory.attributes.service(of: place))
    device = memory.peerName(of: answer.link)
  }

  /// Creates the subject of a value that was accessed, or of an attempt to access it.
  package init(_ identity: AttributeIdentity) {
    self.init(identity.kind, identity.uuid, service: identity.service)
  }
}

extension ErrorSubject {
  /// Returns the name of an error in the attribute's own definition, otherwise in that of its
  /// service.
  ///
  /// - Parameter definitions: returns the definitions for a kind and UUID, the most specific first.
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
  /// The kind of attributes of this type in profiles.
  package var subjectKind: Subject.Kind { isDescriptor ? .descriptor : .characteristic }
}

extension Memory {
  /// Returns the name of a link's peer.
  package func peerName(of link: LinkSlot?) -> [UInt8]? {
    guard let link, let entry = links.connection(link).name else { return nil }
    return names[entry]
  }
}
