import Bluetooth
import MadeTraffic

extension Twin {
  /// The twins of the rules about what a sniffer shows.
  static let airTwins: [Twin] = [
    Twin(
      "air_never_established",
      or: "the peripheral answered, and the sniffer lost the connection at once",
      excludedOnAir: AirRuleTests.neverAnswer,
      openIn: {
        $0.connect()
        $0.peripheralIsGone = true
        $0.run(events: 6)
        $0.settings.peripheral += 1
        $0.goOn()
      }),
    Twin(
      "air_instant_passed", or: "the connection events are counted wrongly",
      openAs: AirForm(.linkLayer), excludedOnAir: AirRuleTests.passInstant,
      openIn: AirRuleTests.passInstant),
    Twin(
      "air_supervision_timeout",
      or: "the peripheral still sent, and its packets were damaged on the way",
      excludedOnAir: { AirRuleTests.losePeripheral(&$0, damages: false) },
      openIn: { AirRuleTests.losePeripheral(&$0, damages: true) }),
    Twin(
      "air_procedure_unanswered", or: "the answer was sent, and the sniffer missed it",
      excludedOnAir: { AirRuleTests.leaveUnanswered(&$0) },
      openIn: { AirRuleTests.leaveUnanswered(&$0, pause: 2) }),
    Twin(
      "air_encryption_refused",
      or: "it has the key, but did not recognise the other side behind its private address",
      excludedOnAir: {
        $0.settings.centralIsRandom = false
        AirRuleTests.refuse(&$0)
      }, openIn: AirRuleTests.refuse),
    Twin(
      "air_mic_failure",
      or: "the peripheral was switched off or went out of range at that moment",
      excludedOnAir: { AirRuleTests.tryKey(&$0, times: 1, advertises: true) },
      openIn: { AirRuleTests.tryKey(&$0, times: 1, advertises: false) }),
    Twin(
      "air_mic_failure", or: "the peripheral restarts when encryption begins",
      excludedOnAir: { AirRuleTests.tryKey(&$0, times: 2, advertises: true) },
      openIn: { AirRuleTests.tryKey(&$0, times: 1, advertises: true) }),
    Twin(
      "air_lost_track",
      or: "the devices went out of the sniffer's range, or it missed another change",
      bonds: [AirTraffic.bond(AirRuleTests.key)], excludedOnAir: AirRuleTests.lose,
      openIn: AirRuleTests.lose),
    Twin(
      "air_poor_radio",
      or: "only the sniffer receives it badly, and the devices hear each other",
      excludedOnAir: { AirRuleTests.damage(&$0, refused: 200) },
      openIn: { AirRuleTests.damage(&$0) }),
  ]
}
