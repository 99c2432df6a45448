// swift-format-ignore-file
// Made from Profiles/ by `make profiles`; do not edit.

extension ProfileSources {
  package static let all: [(name: StaticString, text: StaticString)] = [
    ("ibeacon", source_ibeacon),
    ("heart_rate", source_heart_rate),
    ("wristband", source_wristband),
  ]
}

private let source_ibeacon: StaticString = ##"""
profile: ibeacon
title: Apple iBeacon
advertisements:
  - company: "004c"
    match: "02 15"
    size: 23
    name: iBeacon
    fields:
      - {name: kind, type: bytes, size: 2, equals: "02 15", quiet: true}
      - {name: uuid, type: uuid, size: 16, endian: big}
      - {name: major, type: u16, endian: big}
      - {name: minor, type: u16, endian: big}
      - {name: measured_power, type: i8, unit: dBm}
    text: "{uuid}, major {major}, minor {minor}, {measured_power} at 1 m"
    examples:
      - hex: "02 15 f7 82 6d a6 4f a2 4e 98 80 24 bc 5b 71 e0 89 3e 00 01 00 02 c5"
        fields: {uuid: f7826da6-4fa2-4e98-8024-bc5b71e0893e, major: 1, minor: 2, measured_power: -59}

"""##

private let source_heart_rate: StaticString = ##"""
profile: heart_rate
title: Heart Rate Service
characteristics:
  - uuid: "2a37"
    name: Heart Rate Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: wide}
          - {bits: [1, 2], name: sensor_contact, quiet: [0, 1],
             values: {0: not_supported, 1: not_supported, 2: not_detected, 3: detected}}
          - {bit: 3, name: has_energy}
          - {bit: 4, name: has_rr}
      - {name: heart_rate, type: u8, unit: bpm, when: "!flags.wide"}
      - {name: heart_rate, type: u16, unit: bpm, when: flags.wide}
      - {name: energy_expended, type: u16, unit: kJ, when: flags.has_energy}
      - {name: rr_interval, type: u16, scale: {divide: 1024}, unit: s,
         repeat: rest, min: 1, when: flags.has_rr}
    text: "{heart_rate}[, sensor contact {flags.sensor_contact}][, {energy_expended}][, RR {rr_interval}]"
    examples:
      - hex: "16 48 00 03"
        fields: {heart_rate: 72, sensor_contact: detected, rr_interval: [0.75]}
        text: "72 bpm, sensor contact detected, RR 0.750 s"

"""##

private let source_wristband: StaticString = ##"""
profile: wristband
title: A5-framed wristband
applies_to: [{frame: true}]
channels: {requests: write, responses: notify}
frame:
  start: "a5"
  length: {at: 1, type: u8, counts: frame}
  command: {at: 2, type: u8}
  payload: [3, -1]
  checksum: {at: -1, algorithm: xor8, over: [0, -1]}
  reassemble: {timeout_ms: 2000}
exchange: {request: "command & 0x80 == 0", response: "command | 0x80"}
messages:
  - command: 0x03
    name: sport_packet_count.request
    fields:
      - {name: month, type: u8, range: [1, 12]}
      - {name: day, type: u8, range: [1, 31]}
    text: "packet count for {month:02}-{day:02}?"
    examples:
      - hex: "a5 06 03 0b 14 bf"
        fields: {month: 11, day: 20}
        text: "packet count for 11-20?"
  - command: 0x83
    name: sport_packet_count.response
    fields: [{name: total_packets, type: u16}]
    text: "packet count {total_packets}"
    examples:
      - hex: "a5 06 83 00 03 23"
        fields: {total_packets: 768}

"""##
