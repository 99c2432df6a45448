import Bluetooth
import Bytes
import Testing

@testable import Cryptography

/// The inputs are those of the example for c1 (Core, Vol 3, Part H, 2.2.3). bumble's security
/// function e computed the correct and wrong confirm values for the passkey 000417.
@Suite struct PasskeySearchTests {
  private static let initiator = "01a1a2a3a4a5a6"
  private static let responder = "00b1b2b3b4b5b6"
  private static let other = "000017f2c3d4e5"

  private static func search(
    initiator: String? = Self.initiator, responder: String? = Self.responder
  ) throws -> PasskeySearch? {
    PasskeySearch(
      request: try command("07071000000101"), response: try command("05000800000302"),
      initiator: try initiator.map(address), responder: try responder.map(address))
  }

  private static func random() throws -> PairingValue {
    try value("5783d52156ad6f0e6388274ec6702ee0")
  }

  private static func opening(_ confirm: String) throws -> PasskeySearch.Opening {
    PasskeySearch.Opening(confirm: try value(confirm), random: try random())
  }

  /// Just Works: the temporary key of the example itself.
  @Test func justWorks() throws {
    let search = try #require(try Self.search())
    let found = search.search(try Self.opening("1e1e3fef878988ead2a74dc5bef13b86"), in: 0...0)
    #expect(found?.passkey.number == 0)
    #expect(found?.deviations == [])
  }

  /// The search finds each passkey for which c1 yields the confirm value.
  @Test(arguments: [UInt32(1), 417, 65_536, 123_456, 999_999])
  func passkeys(_ passkey: UInt32) throws {
    let search = try #require(try Self.search())
    let complete = LegacyPairing(
      request: search.request, response: search.response, initiator: try address(Self.initiator),
      responder: try address(Self.responder))
    let random = try Self.random()
    let cipher = AES128(PairingValue(number: UInt128(passkey)))
    let confirm = cipher.encrypt(cipher.encrypt(random.number ^ complete.p1) ^ complete.p2)
    let opening = PasskeySearch.Opening(confirm: PairingValue(number: confirm), random: random)
    let range = (max(passkey, 300) - 300)...min(passkey + 300, SixDigits.all.upperBound)
    #expect(search.search(opening, in: range) == .init(try digits(passkey), complete))
    #expect(
      complete.c1(temporaryKey: PairingValue(try digits(passkey)), random: random)
        == opening.confirm)
  }

  @Test(arguments: [
    ("", "945506ac7082d84fa21560cce1d98d39"),
    ("initiator_address_type", "2b9b303062c7a292fcc3a2061e560773"),
    // 2, an address type of HCI.
    ("initiator_address_type", "c7d585a425f41295365df6ebbc90b774"),
    ("responder_address_type", "8aa945e119d522edef353ed82498cbaf"),
    ("initiator_address_type responder_address_type", "2ce504102b8b4df35a7a61514554a865"),
    ("initiator_address", "f35a0de8715b379d50859a38ff9ef907"),
    ("responder_address", "8046b92905508aa85c71ed76244f4f0b"),
    ("initiator_address_type initiator_address", "4c3e311bae32a1a152d71c13ed45cba9"),
    ("initiator_address_reversed", "bd9527d8354bc354c351982e4a3fd51a"),
    ("responder_address_reversed", "aa1c2e86e252308f21a0858548892a2d"),
    ("initiator_address_reversed responder_address_reversed", "6d41d5eb54754f1c1a40e4dcdd0b74b9"),
    ("addresses_exchanged", "159492c5212938807cba9aedc059dd8c"),
    ("pairing_request", "f0be4e0ae1ac72ecbc76eb453b21fbb6"),
    ("pairing_response", "755246659aacb3f1f2ab7cd4ef6835d0"),
    ("commands_exchanged", "2cd6fa9c9acda6c7a384d92a62aa7cde"),
    ("p1_reversed", "9caba29ff0ac8a17a73cf7d184425334"),
    ("p2_reversed", "5cec1cca7c7252cf20d32d2bd724165b"),
    ("random_reversed", "be0b426a8b7055ccec1b6923767f9d9f"),
    ("temporary_key_reversed", "f36546992a8e5526f9e8a239dc6d1fc9"),
    ("blocks_reversed", "f2b14c6121dfde3be9dbead11f79741a"),
    ("temporary_key_reversed blocks_reversed", "4de19febb0d57334513e25996c67ec56"),
  ])
  func deviations(_ names: String, _ confirm: String) throws {
    let search = try #require(try Self.search())
    let opening = try Self.opening(confirm)
    let found = try #require(search.search(opening, in: 0...500))
    #expect(found.passkey.description == "000417")
    #expect(found.deviations.map(\.key.description).joined(separator: " ") == names)
    #expect((search.asSpecified(opening, in: 0...500) != nil) == names.isEmpty)
    // Computing forwards yields the same value; only the lowest bit of an HCI type is known.
    let again = found.inputs.c1(
      temporaryKey: PairingValue(found.passkey), random: opening.random, found.deviations)
    let isTypeOfHCI = confirm == "c7d585a425f41295365df6ebbc90b774"
    #expect((again == opening.confirm) != isTypeOfHCI)
    #expect(search.search(opening, in: 0...416) == nil)
  }

  /// The search reports the value that entered c1 instead.
  @Test func inputs() throws {
    let search = try #require(try Self.search())
    let found = search.search(
      try Self.opening("4c3e311bae32a1a152d71c13ed45cba9"), in: 400...500)
    #expect(found?.inputs.initiator == (try address(Self.other)))
    #expect(found?.inputs.responder == search.responder)
    let request = search.search(
      try Self.opening("f0be4e0ae1ac72ecbc76eb453b21fbb6"), in: 400...500)
    #expect(request?.inputs.request == (try command("07071000000001")))
    #expect(request?.inputs.response == search.response)
    let exchanged = search.search(
      try Self.opening("159492c5212938807cba9aedc059dd8c"), in: 400...500)
    #expect(exchanged?.inputs.initiator.address == search.responder?.address)
    #expect(exchanged?.inputs.responder.address == search.initiator?.address)
    let reversed = search.search(
      try Self.opening("5cec1cca7c7252cf20d32d2bd724165b"), in: 400...500)
    #expect(reversed?.inputs.initiator == search.initiator)
    #expect(reversed?.inputs.responder == search.responder)
  }

  /// The search finds one missing address and its type.
  @Test(arguments: [(nil, Self.responder), (Self.initiator, nil)] as [(String?, String?)])
  func anAddressIsMissing(_ initiator: String?, _ responder: String?) throws {
    let search = try #require(try Self.search(initiator: initiator, responder: responder))
    let found = search.search(
      try Self.opening("945506ac7082d84fa21560cce1d98d39"), in: 400...500)
    #expect(found?.passkey.number == 417)
    #expect(found?.deviations == [])
    #expect(found?.inputs.initiator == (try address(Self.initiator)))
    #expect(found?.inputs.responder == (try address(Self.responder)))
  }

  /// The known address may still be wrong, or have the wrong type.
  @Test func aMissingAddressAndAnError() throws {
    let search = try #require(try Self.search(initiator: nil))
    let type = search.search(
      try Self.opening("8aa945e119d522edef353ed82498cbaf"), in: 400...500)
    #expect(type?.deviations == [.responderAddressType])
    let reversed = search.search(
      try Self.opening("aa1c2e86e252308f21a0858548892a2d"), in: 400...500)
    #expect(reversed?.deviations == [.responderAddressReversed])
    #expect(reversed?.inputs.initiator == (try address(Self.initiator)))
    let exchanged = search.search(
      try Self.opening("159492c5212938807cba9aedc059dd8c"), in: 400...500)
    #expect(exchanged?.deviations == [.addressesExchanged])
    // Nothing shows which device owns the other address.
    let other = try Self.opening("8046b92905508aa85c71ed76244f4f0b")
    #expect(search.search(other, in: 400...500) == nil)
  }

  @Test func bothAddressesAreMissing() throws {
    #expect(try Self.search(initiator: nil, responder: nil) == nil)
  }

  /// A temporary key that is not a passkey; numbers that are not temporary keys are not tried.
  @Test func noneFits() throws {
    let search = try #require(try Self.search())
    let opening = try Self.opening("aa013205e3475156f698838709422999")
    #expect(search.search(opening, in: 0...500) == nil)
    #expect(search.search(opening, in: 999_990 ... .max) == nil)
  }

  @Test func names() {
    let all = ConfirmDeviation.allCases
    #expect(Set(all.map(\.key.description)).count == all.count)
    #expect(Set(all.map(\.words.description)).count == all.count)
  }
}
