import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// Rules about what the Linux kernel's management interface reports. If the capture contains HCI
// packets, those show what happened to devices and why; these rules then do not report on devices.

extension Rule {
  static let management: [Rule] = [
    Symptom(
      "mgmt_pairing_failed", .error, .fact, "The kernel reports that pairing failed",
      when:
        "Authentication Failed, or Pair Device answered with a failure, in a capture without HCI packets",
      do:
        "Record HCI packets too (btmon, or btmon -w FILE), starting before the pairing: only they contain the reason that a side gives."
    ).inCapture { evidence in
      evidence.managementAlone { $0.kind == .pairing }.map { failure in
        let peer = failure.peerWords
        let asked: Wording =
          failure.asked.map { asked in
            failure.succeeded.map {
              " A program had requested the pairing (\(packet: asked.packet)), and Pair Device was answered as successful (\(packet: $0.packet))."
            } ?? " A program had requested the pairing (\(packet: asked.packet))."
          } ?? ""
        return failure.finding(
          "Pairing with \(peer) failed: \(failure.statusWords)",
          "pairing with \(peer) failed at \(packet: failure.moment.packet)",
          "The kernel reports this without giving the reason.\(asked)", evidence)
      }
    },
    Symptom(
      "mgmt_connect_failed", .error, .fact, "The kernel reports that it could not connect",
      when: "Connect Failed in a capture without HCI packets",
      do:
        "Check that the device is powered, in range and sends connectable advertisements. Record HCI packets too (btmon, or btmon -w FILE): they show whether it was heard and which status the controller returned."
    ).inCapture { evidence in
      evidence.managementAlone { $0.kind == .connection }.map { failure in
        let peer = failure.peerWords
        return failure.finding(
          "Could not connect to \(peer): \(failure.statusWords)",
          "could not connect to \(peer) (\(packet: failure.moment.packet))",
          "The kernel reports this without giving the reason.", evidence)
      }
    },
    Symptom(
      "mgmt_command_refused", .note, .fact,
      "The kernel refuses a command of its management interface",
      when: "a management command that concerns no device is answered with an error status",
      do:
        "Check whether the program that sent the command has permission (root or CAP_NET_ADMIN), and whether the controller is powered and supports what is requested (btmgmt info)."
    ).inCapture { evidence in
      evidence.management.failures.compactMap { failure in
        guard case .command(let opcode) = failure.kind else { return nil }
        let name: Wording =
          PDUTable.core.controlCommand(opcode).map { "\($0.name)" }
          ?? "the management command \(code: opcode, digits: 4)"
        let controller: Wording =
          failure.adapter.number.map { $0 == 0 ? "" : " for hci\($0)" } ?? ""
        var finding = failure.finding(
          "The kernel refused \(name)\(controller): \(failure.statusWords)",
          "the kernel refused \(name)", "The command was answered with this status.", evidence)
        finding.remedy = failure.remedy(opcode)
        return finding
      }
    },
  ]
}

extension ManagementHistory.Failure {
  fileprivate var statusWords: Wording { "\(error: status, of: .managementStatus)" }

  fileprivate var peerWords: Wording { peer.map { "\($0)" } ?? "a device" }

  /// Returns how to fix a command that is refused with this status (BlueZ, doc/mgmt-protocol.rst
  /// [mem]), or nil if the status is too unspecific.
  fileprivate func remedy(_ opcode: UInt16) -> Wording? {
    switch (status, opcode) {
    case (0x01, _): "This kernel does not support the command: avoid it, or use a newer kernel."
    case (0x0a, ManagementCommand.startDiscovery):
      "A discovery is already running: wait until it ends, or stop it with Stop Discovery."
    case (0x0a, _): "Wait until the current operation ends, and send the command again."
    case (0x0b, ManagementCommand.setPrivacy), (0x0b, ManagementCommand.setStaticAddress):
      "This setting can be changed only while the controller is off: Set Powered off, change it, Set Powered on."
    case (0x0b, ManagementCommand.stopDiscovery): "Nothing to do: no discovery is running."
    case (0x0b, _): "Compare the command with the settings in force: they do not allow it now."
    case (0x0c, _): "The controller or the kernel cannot do this: avoid it, or use another one."
    case (0x0d, _):
      "Compare the command's parameters with what this kernel accepts: the program may use another version of the command, or a value is out of range."
    case (0x0f, _): "Switch the controller on first (Set Powered)."
    case (0x11, _): "There is no controller with this index: list those that exist."
    case (0x12, _): "The radio is blocked: rfkill unblock bluetooth."
    case (0x14, _): "Run the program as root, or with CAP_NET_ADMIN."
    default: nil
    }
  }

  fileprivate func finding(
    _ what: Wording, _ headline: Wording, _ why: Wording, _ evidence: Evidence
  ) -> Finding {
    var finding = Finding(
      "\(what)\(Wording.times(count))", headline: headline, why: why, evidence: packets)
    if let peer { finding.peers = [peer] }
    let omitted = evidence.management.omitted
    if omitted > 0 {
      finding.note =
        "Only the first \(ManagementHistory.most) failures that the kernel reports are analysed; \(omitted) later ones are not counted here."
    }
    return finding
  }
}

extension Evidence {
  /// Returns failures that the management interface reports, if nothing else reports them.
  fileprivate func managementAlone(
    _ isMeant: (ManagementHistory.Failure) -> Bool
  ) -> [ManagementHistory.Failure] { hasManagementAlone ? management.failures.filter(isMeant) : [] }
}
