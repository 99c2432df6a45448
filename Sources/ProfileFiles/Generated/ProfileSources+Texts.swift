// swift-format-ignore-file
// Made from Profiles/ by `make profiles`; do not edit.

extension ProfileSources {
  package static let all: [(name: StaticString, text: StaticString)] = [
    ("altbeacon", source_altbeacon),
    ("apple_continuity", source_apple_continuity),
    ("bthome", source_bthome),
    ("eddystone", source_eddystone),
    ("exposure_notification", source_exposure_notification),
    ("fast_pair", source_fast_pair),
    ("ibeacon", source_ibeacon),
    ("mibeacon", source_mibeacon),
    ("microsoft_cdp", source_microsoft_cdp),
    ("ruuvi", source_ruuvi),
    ("swift_pair", source_swift_pair),
    ("activity", source_activity),
    ("alerts", source_alerts),
    ("audio", source_audio),
    ("audio_streams", source_audio_streams),
    ("battery", source_battery),
    ("blood_pressure", source_blood_pressure),
    ("body_composition", source_body_composition),
    ("continuous_glucose", source_continuous_glucose),
    ("cooking", source_cooking),
    ("cycling_power", source_cycling_power),
    ("descriptors", source_descriptors),
    ("device_information", source_device_information),
    ("electricity", source_electricity),
    ("environment", source_environment),
    ("errors", source_errors),
    ("fitness_machine", source_fitness_machine),
    ("fitness_machine_data", source_fitness_machine_data),
    ("gases", source_gases),
    ("generic_access", source_generic_access),
    ("glucose", source_glucose),
    ("health_thermometer", source_health_thermometer),
    ("heart_rate", source_heart_rate),
    ("heat", source_heat),
    ("hid", source_hid),
    ("light", source_light),
    ("location_and_navigation", source_location_and_navigation),
    ("management", source_management),
    ("media", source_media),
    ("motion", source_motion),
    ("object_transfer", source_object_transfer),
    ("pulse_oximeter", source_pulse_oximeter),
    ("quantities", source_quantities),
    ("record_access", source_record_access),
    ("speed_and_cadence", source_speed_and_cadence),
    ("time", source_time),
    ("user_data", source_user_data),
    ("ams", source_ams),
    ("ancs", source_ancs),
    ("cdd1_text", source_cdd1_text),
    ("ffe0_serial", source_ffe0_serial),
    ("govee", source_govee),
    ("mcumgr", source_mcumgr),
    ("nordic_uart", source_nordic_uart),
    ("wristband", source_wristband),
  ]
}

private let source_altbeacon: StaticString = ##"""
profile: altbeacon
title: AltBeacon proximity beacon
source: AltBeacon Protocol Specification v1.0
endian: big
advertisements:
  # Any company may send it, so the definition is of the advertising data's type, and its bytes begin with the company.
  - ad_type: 0xff
    match: "?? ?? be ac"
    size: 26
    name: AltBeacon
    fields:
      - {name: company, type: u16, endian: little, values: company}
      - {name: beacon_code, type: u16, equals: 0xbeac, format: hex, quiet: true}
      - {name: beacon_id, type: bytes, size: 20}
      - {name: reference_rssi, type: i8, unit: dBm}
      - {name: manufacturer_reserved, type: u8, format: hex, quiet: [0]}
    text: "{beacon_id}, {reference_rssi} at 1 m"
    examples:
      - hex: "18 01 be ac 2f 23 44 54 cf 6d 4a 0f ad f2 f4 91 1b a9 ff a6 00 01 00 02 c5 00"
        fields:
          beacon_id: 2f234454cf6d4a0fadf2f4911ba9ffa600010002
          reference_rssi: -59
          manufacturer_reserved: "0x00"
        source: worked out

"""##

private let source_apple_continuity: StaticString = ##"""
profile: apple_continuity
title: Apple continuity messages
# Apple publishes none of this: names, lengths and fields are what researchers observed.
source: furiousMAC/continuity, after Martin et al. (2019), Celosia and Cunche (2020), Heinrich et al. (2021); the name of element 0x11 and the HomeKit categories from memory
enumerations:
  element_type:
    0x01: hashed_services
    0x02: "iBeacon"
    0x03: "AirPrint"
    0x05: "AirDrop"
    0x06: "HomeKit"
    0x07: "Proximity Pairing"
    0x08: "Hey Siri"
    0x09: "AirPlay Target"
    0x0a: "AirPlay Source"
    0x0b: "Magic Switch"
    0x0c: "Handoff"
    0x0d: "Tethering Target"
    0x0e: "Tethering Source"
    0x0f: "Nearby Action"
    0x10: "Nearby Info"
    0x11: "HomeKit Encrypted Notification"
    0x12: "Find My"
  homekit_category:
    1: other
    2: bridge
    3: fan
    4: garage_door_opener
    5: lightbulb
    6: door_lock
    7: outlet
    8: switch
    9: thermostat
    10: sensor
    11: security_system
    12: door
    13: window
    14: window_covering
    15: programmable_switch
    16: range_extender
    17: ip_camera
    18: video_doorbell
    19: air_purifier
    20: heater
    21: air_conditioner
    22: humidifier
    23: dehumidifier
    28: sprinklers
    29: faucets
    30: shower_systems
  activity:
    0: not_known
    1: reporting_disabled
    3: idle
    5: audio_with_screen_off
    7: screen_on
    9: video_with_screen_on
    10: watch_unlocked_on_wrist
    11: recent_interaction
    13: driving
    14: call
  nearby_action:
    0x01: "Apple TV setup"
    0x04: mobile_backup
    0x05: watch_setup
    0x06: "Apple TV pairing"
    0x07: internet_relay
    0x08: "Wi-Fi password"
    0x09: "iOS setup"
    0x0a: repair
    0x0b: speaker_setup
    0x0c: "Apple Pay"
    0x0d: whole_home_audio_setup
    0x0e: developer_tools_pairing
    0x0f: answered_call
    0x10: ended_call
    0x11: dd_ping
    0x12: dd_pong
    0x13: remote_auto_fill
    0x14: companion_link_proximity
    0x15: remote_management
    0x16: remote_auto_fill_pong
    0x17: remote_display
  airpods_model:
    0x0220: "AirPods 1"
    0x0f20: "AirPods 2"
    0x0e20: "AirPods Pro"
    0x0320: "Powerbeats 3"
    0x0520: "BeatsX"
    0x0620: "Beats Solo 3"
  airpods_color:
    0: white
    1: black
    2: red
    3: blue
    4: pink
    5: gray
    6: silver
    7: gold
    8: rose_gold
    9: space_gray
    10: dark_blue
    11: light_blue
    12: yellow
structures:
  element:
    - {name: type, type: u8, format: hex, values: element_type, open: true, label: ""}
    # HomeKit's length is the lower five bits; the upper three are a subtype.
    - name: length_byte
      type: u8
      when: "type != 0x06 && type != 0x11"
      bits: [{bits: [0, 7], name: length}]
    - name: subtype_and_length
      type: u8
      when: "type == 0x06 || type == 0x11"
      bits:
        - {bits: [0, 4], name: homekit_length, label: length}
        - {bits: [5, 7], name: subtype, quiet: true}
    - size: "length_byte.length + subtype_and_length.homekit_length"
      fields:
        - choose: type
          cases:
            0x06:
              - {name: status, type: u8, format: hex, quiet: true}
              - {name: device_id, type: bytes, size: 6, label: device}
              - {name: category, type: u16, values: homekit_category, open: true}
              - {name: global_state, type: u16, label: state}
              - {name: configuration, type: u8}
              - {name: compatible_version, type: u8, quiet: true}
              - {name: setup_hash, type: bytes, optional: true, quiet: true}
            0x07:
              - {name: prefix, type: u8, format: hex, quiet: true}
              - choose: "prefix == 1 && remaining >= 24"
                cases:
                  1:
                    - {name: model, type: u16, endian: big, format: hex, values: airpods_model, open: true, label: ""}
                    - {name: position, type: u8, format: hex, quiet: true}
                    - name: pods
                      type: u8
                      bits:
                        - {bits: [4, 7], name: right_battery, scale: {multiply: 10}, unit: "%", special: {15: not_known}}
                        - {bits: [0, 3], name: left_battery, scale: {multiply: 10}, unit: "%", special: {15: not_known}}
                    - name: case
                      type: u8
                      bits:
                        - {bit: 7, name: case_bit_7, quiet: true}
                        - {bit: 6, name: case_charging}
                        - {bit: 5, name: right_charging}
                        - {bit: 4, name: left_charging}
                        - {bits: [0, 3], name: case_battery, scale: {multiply: 10}, unit: "%", special: {15: not_known}}
                    - {name: lid_opened, type: u8, quiet: true}
                    - {name: color, type: u8, values: airpods_color, open: true}
                    - {name: suffix, type: u8, quiet: true}
                    - {name: encrypted, type: bytes, size: 16, quiet: true}
                  other: [{name: data, type: bytes, optional: true, quiet: true}]
            0x08:
              - {name: perceptual_hash, type: bytes, size: 2, quiet: true}
              - {name: signal_to_noise, type: u8, quiet: true}
              - {name: confidence, type: u8, quiet: true}
              - {name: device_class, type: u16, endian: big,
                 values: {2: "iPhone", 3: "iPad", 7: "HomePod", 9: "MacBook", 10: "Apple Watch"}, open: true}
              - {name: random, type: u8, quiet: true}
            0x0b:
              - {name: data, type: bytes, size: 2, quiet: true}
              - {name: wrist, type: u8, label: "", format: hex, values: {0x03: not_on_wrist, 0x1f: detection_disabled, 0x3f: on_wrist}, open: true}
            0x0c:
              - {name: copied, type: u8, values: {0: "no", 8: "yes"}, open: true, quiet: true}
              - {name: sequence, type: u16}
              - {name: tag, type: bytes, size: 1, quiet: true}
              - {name: encrypted, type: bytes, quiet: true}
            0x0d:
              - {name: icloud_id, type: bytes, size: 4, label: iCloud id}
            0x0e:
              - {name: version, type: u8, quiet: true}
              - {name: flags, type: u8, format: hex, quiet: true}
              - {name: battery, type: u8, unit: "%"}
              - {name: cellular, type: u16, endian: big,
                 values: {0: "GSM", 1: "1xRTT", 2: "GPRS", 3: "EDGE", 4: "EV-DO", 5: "3G", 6: "4G", 7: "LTE"}, open: true}
              - {name: bars, type: u8}
            0x0f:
              - {name: action_flags, type: u8, format: hex, quiet: true}
              - {name: action, type: u8, values: nearby_action, open: true}
              - {name: data, type: bytes, optional: true, quiet: true}
            0x10:
              - name: status
                type: u8
                bits:
                  - {bits: [0, 3], name: activity, values: activity, open: true}
                  - {bit: 4, name: primary_device, quiet: true}
                  - {bit: 5, name: status_bit_5, quiet: true}
                  - {bit: 6, name: airdrop_receiving, quiet: true}
                  - {bit: 7, name: status_bit_7, quiet: true}
              - name: data_flags
                type: u8
                optional: true
                bits:
                  - {bit: 0, name: airpods_connected, quiet: true}
                  - {bit: 1, name: tag_of_four_bytes, quiet: true}
                  - {bit: 2, name: wifi, quiet: true}
                  - {bit: 3, name: data_bit_3, quiet: true}
                  - {bit: 4, name: has_tag, quiet: true}
                  - {bit: 5, name: watch_locked, quiet: true}
                  - {bit: 6, name: auto_unlock_watch, quiet: true}
                  - {bit: 7, name: auto_unlock, quiet: true}
              - {name: tag, type: bytes, optional: true, quiet: true}
            0x12:
              - name: status
                type: u8
                bits:
                  - {bits: [0, 1], name: status_low, format: hex, quiet: true}
                  - {bit: 2, name: owner_connected}
                  - {bits: [3, 5], name: status_type, format: hex, quiet: true}
                  - {bits: [6, 7], name: find_my_battery, label: battery,
                     values: {0: full, 1: medium, 2: low, 3: critically_low}}
              # A lost device sends its key, one near its owner no more than the two bits that its address does not hold.
              - {name: public_key, type: bytes, size: 22, quiet: true, when: "remaining >= 24"}
              - {name: public_key_bits, type: u8, quiet: true, optional: true}
              - {name: hint, type: u8, quiet: true, optional: true}
            0x03: [{name: data, type: bytes, quiet: true}]
            0x05: [{name: data, type: bytes, quiet: true}]
            0x09:
              - {name: flags, type: u8, format: hex, quiet: true}
              - {name: seed, type: u8, format: hex, quiet: true}
              - {name: ipv4, type: bytes, size: 4, label: IPv4}
            0x0a: [{name: data, type: bytes, quiet: true}]
            0x11: [{name: data, type: bytes, quiet: true}]
            other: [{name: data, type: bytes, optional: true}]
advertisements:
  - company: "004c"
    match: "01"
    size: 17
    name: Apple hashed service UUIDs
    source: memory; furiousMAC/continuity has the type without its meaning
    fields:
      - {name: type, type: u8, equals: 1, quiet: true}
      # An app in the background on iOS advertises its services as bits of a 128-bit mask.
      - {name: mask, type: bytes, size: 16}
    examples:
      - hex: "01 00 00 00 00 00 00 00 00 00 00 10 00 00 00 00 00"
        fields: {mask: "00000000000000000000100000000000"}
        source: worked out

  - company: "004c"
    name: Apple continuity
    fields:
      - {name: elements, layout: element, repeat: rest, label: ""}
    examples:
      - hex: "10 05 43 1c 83 90 96"
        fields:
          elements:
            - {type: "Nearby Info", length: 5, activity: idle, airdrop_receiving: true, wifi: true, has_tag: true, tag: "839096"}
        source: furiousMAC/continuity, nearby_info.md (its field values put together)
      - hex: "0c 0e 00 49 5a 48 f2 8a 19 27 bd 62 fd 89 5b 5a 10 02 0b 00"
        fields:
          elements:
            - {type: "Handoff", length: 14, sequence: 23113, tag: "48", encrypted: f28a1927bd62fd895b5a}
            - {type: "Nearby Info", length: 2, activity: recent_interaction}
        source: furiousMAC/continuity, handoff.md (its field values put together); nearby info worked out
      - hex: "07 19 01 0e 20 55 88 8f 39 00 00 96 72 71 1a e6 a9 65 73 7c 80 d8 05 03 97 73 d1"
        fields:
          elements:
            - {type: "Proximity Pairing", length: 25, model: "AirPods Pro", right_battery: 80, left_battery: 80,
               case_battery: not_known, lid_opened: 57, color: white, encrypted: 9672711ae6a965737c80d805039773d1}
        source: furiousMAC/continuity, proximity_pairing.md (its field values put together)
      - hex: "12 02 24 03"
        fields: {elements: [{type: "Find My", length: 2, owner_connected: true, find_my_battery: full, public_key_bits: 3}]}
        source: worked out
      - hex: "12 19 00 57 36 4d c7 fb 77 86 6c 40 c9 10 76 60 3c b3 7c 1f 59 f9 23 ab 3a 03 00"
        fields:
          elements:
            - {type: "Find My", owner_connected: false, public_key: 57364dc7fb77866c40c91076603cb37c1f59f923ab3a,
               public_key_bits: 3, hint: 0}
        source: furiousMAC/continuity, findmy.md (its field values put together)
      - hex: "06 31 01 22 20 22 f3 8f 01 0a 00 fa 92 02 02 11 22 33 44"
        fields:
          elements:
            - {type: "HomeKit", homekit_length: 17, subtype: 1, device_id: 222022f38f01, category: sensor,
               global_state: 37626, configuration: 2, setup_hash: "11223344"}
        source: furiousMAC/continuity, homekit.md (its field values put together); category and setup hash worked out
      - hex: "0e 06 01 00 57 00 07 05 0b 03 c4 b5 3f 0d 04 67 f3 6d 01"
        fields:
          elements:
            - {type: "Tethering Source", battery: 87, cellular: "LTE", bars: 5}
            - {type: "Magic Switch", wrist: on_wrist}
            - {type: "Tethering Target", icloud_id: 67f36d01}
        source: furiousMAC/continuity (tethering_source.md, magic_switch.md, tethering_target.md)
      - hex: "0f 05 40 08 39 00 87 0a 01 00"
        fields:
          elements:
            - {type: "Nearby Action", action: "Wi-Fi password", data: "390087"}
            - {type: "AirPlay Source", length: 1, data: "00"}
        source: furiousMAC/continuity (nearby_action.md, airplay_source.md)
      - hex: "10 06 4c 1d f5 ad 7c 18"
        fields:
          elements:
            - {type: "Nearby Info", length: 6, activity: 12, airdrop_receiving: true, primary_device: false}
        source: a real capture (elkusbry/peripage-tool)
      - hex: "12 02 90 02"
        fields: {elements: [{type: "Find My", length: 2, owner_connected: false, find_my_battery: low, public_key_bits: 2}]}
        source: a real capture (elkusbry/peripage-tool)
      - hex: "12 02 6a 00 07 11 06 2b 2d c2 78 c6 ad 18 5a ee 15 0f 43 a2 91 b0 2a"
        fields: {elements: [{type: "Find My", length: 2}, {type: "Proximity Pairing", length: 17, prefix: "0x06"}]}
        source: a real capture (elkusbry/peripage-tool)
      - hex: "08 07 d6 ec 43 00 00 07 ca"
        fields: {elements: [{type: "Hey Siri", perceptual_hash: d6ec, device_class: "HomePod"}]}
        source: furiousMAC/continuity, hey_siri.md (its field values put together)
      - hex: "09 06 03 07 c0 a8 01 02 05 12 00 00 00 00 00 00 00 00 01 6e 2e f7 ad 09 b2 20 80 00"
        fields: {elements: [{type: "AirPlay Target", ipv4: c0a80102}, {type: "AirDrop", length: 18}]}
        source: furiousMAC/continuity (airplay_target.md, airdrop.md; their field values put together)
      - hex: "16 02 aa bb"
        fields: {elements: [{type: "0x16", length: 2, data: aabb}]}
        source: worked out; a type without a name
      - hex: "10 05 01"
        problems: [missing_bytes]
        fields: {elements: [{type: "Nearby Info", activity: reporting_disabled}]}
        source: worked out; the element is longer than what is there

"""##

private let source_bthome: StaticString = ##"""
profile: bthome
title: BTHome version 2
source: BTHome v2 format (home-assistant/bthome.io)
enumerations:
  button:
    0: none
    1: press
    2: double_press
    3: triple_press
    4: long_press
    5: long_double_press
    6: long_triple_press
    0x80: hold_press
structures:
  # One object: its identifier decides what follows and how long it is. Behind one that is not known nothing can be read.
  object:
    - {name: object_id, type: u8, format: hex, quiet: true}
    - choose: object_id
      cases:
        0x00: [{name: packet_id, type: u8, label: packet}]
        0x01: [{name: battery, type: u8, unit: "%"}]
        0x02: [{name: temperature, type: i16, scale: {divide: 100}, unit: °C}]
        0x03: [{name: humidity, type: u16, scale: {divide: 100}, unit: "%"}]
        0x04: [{name: pressure, type: u24, scale: {divide: 100}, unit: hPa}]
        0x05: [{name: illuminance, type: u24, scale: {divide: 100}, unit: lx}]
        0x06: [{name: mass, type: u16, scale: {divide: 100}, unit: kg}]
        0x07: [{name: mass, type: u16, scale: {divide: 100}, unit: lb}]
        0x08: [{name: dew_point, type: i16, scale: {divide: 100}, unit: °C}]
        0x09: [{name: count, type: u8}]
        0x0a: [{name: energy, type: u24, scale: {divide: 1000}, unit: kWh}]
        0x0b: [{name: power, type: u24, scale: {divide: 100}, unit: W}]
        0x0c: [{name: voltage, type: u16, scale: {divide: 1000}, unit: V}]
        0x0d: [{name: pm2_5, type: u16, label: PM2.5, unit: µg/m³}]
        0x0e: [{name: pm10, type: u16, label: PM10, unit: µg/m³}]
        0x0f: [{name: state, type: u8, values: {0: "off", 1: "on"}}]
        0x10: [{name: power_state, type: u8, values: {0: "off", 1: "on"}}]
        0x11: [{name: opening, type: u8, values: {0: closed, 1: open}}]
        0x12: [{name: co2, type: u16, label: CO2, unit: ppm}]
        0x13: [{name: tvoc, type: u16, label: TVOC, unit: µg/m³}]
        0x14: [{name: moisture, type: u16, scale: {divide: 100}, unit: "%"}]
        0x15: [{name: battery_state, type: u8, values: {0: normal, 1: low}}]
        0x16: [{name: charging, type: u8, values: {0: "no", 1: "yes"}}]
        0x17: [{name: carbon_monoxide, type: u8, values: {0: not_detected, 1: detected}}]
        0x18: [{name: cold, type: u8, values: {0: "no", 1: "yes"}}]
        0x19: [{name: connectivity, type: u8, values: {0: disconnected, 1: connected}}]
        0x1a: [{name: door, type: u8, values: {0: closed, 1: open}}]
        0x1b: [{name: garage_door, type: u8, values: {0: closed, 1: open}}]
        0x1c: [{name: gas, type: u8, values: {0: clear, 1: detected}}]
        0x1d: [{name: heat, type: u8, values: {0: "no", 1: "yes"}}]
        0x1e: [{name: light, type: u8, values: {0: none, 1: detected}}]
        0x1f: [{name: lock, type: u8, values: {0: locked, 1: unlocked}}]
        0x20: [{name: moisture_state, type: u8, values: {0: dry, 1: wet}}]
        0x21: [{name: motion, type: u8, values: {0: clear, 1: detected}}]
        0x22: [{name: moving, type: u8, values: {0: "no", 1: "yes"}}]
        0x23: [{name: occupancy, type: u8, values: {0: clear, 1: detected}}]
        0x24: [{name: plug, type: u8, values: {0: unplugged, 1: plugged_in}}]
        0x25: [{name: presence, type: u8, values: {0: away, 1: home}}]
        0x26: [{name: problem, type: u8, values: {0: "no", 1: "yes"}}]
        0x27: [{name: running, type: u8, values: {0: "no", 1: "yes"}}]
        0x28: [{name: safety, type: u8, values: {0: unsafe, 1: safe}}]
        0x29: [{name: smoke, type: u8, values: {0: clear, 1: detected}}]
        0x2a: [{name: sound, type: u8, values: {0: clear, 1: detected}}]
        0x2b: [{name: tamper, type: u8, values: {0: "off", 1: "on"}}]
        0x2c: [{name: vibration, type: u8, values: {0: clear, 1: detected}}]
        0x2d: [{name: window, type: u8, values: {0: closed, 1: open}}]
        0x2e: [{name: humidity, type: u8, unit: "%"}]
        0x2f: [{name: moisture, type: u8, unit: "%"}]
        0x3a: [{name: button, type: u8, values: button}]
        0x3b:
          - name: command_header
            type: u8
            bits: [{bits: [0, 4], name: argument_size, quiet: true}]
          - {name: command, type: u8, values: {0: "off", 1: "on", 2: toggle, 3: step_up, 4: step_down}}
          - {name: arguments, type: bytes, size: command_header.argument_size, when: command_header.argument_size}
        0x3c:
          - {name: dimmer, type: u8, values: {0: none, 1: rotate_left, 2: rotate_right}}
          - {name: steps, type: u8, quiet: [0]}
        0x3d: [{name: count, type: u16}]
        0x3e: [{name: count, type: u32}]
        0x3f: [{name: rotation, type: i16, scale: {divide: 10}, unit: °}]
        0x40: [{name: distance, type: u16, unit: mm}]
        0x41: [{name: distance, type: u16, scale: {divide: 10}, unit: m}]
        0x42: [{name: duration, type: u24, scale: {divide: 1000}, unit: s}]
        0x43: [{name: current, type: u16, scale: {divide: 1000}, unit: A}]
        0x44: [{name: speed, type: u16, scale: {divide: 100}, unit: m/s}]
        0x45: [{name: temperature, type: i16, scale: {divide: 10}, unit: °C}]
        0x46: [{name: uv_index, type: u8, label: UV index, scale: {divide: 10}}]
        0x47: [{name: volume, type: u16, scale: {divide: 10}, unit: L}]
        0x48: [{name: volume, type: u16, unit: mL}]
        0x49: [{name: volume_flow_rate, type: u16, scale: {divide: 1000}, unit: m³/h}]
        0x4a: [{name: voltage, type: u16, scale: {divide: 10}, unit: V}]
        0x4b: [{name: gas_volume, type: u24, scale: {divide: 1000}, unit: m³}]
        0x4c: [{name: gas_volume, type: u32, scale: {divide: 1000}, unit: m³}]
        0x4d: [{name: energy, type: u32, scale: {divide: 1000}, unit: kWh}]
        0x4e: [{name: volume, type: u32, scale: {divide: 1000}, unit: L}]
        0x4f: [{name: water, type: u32, scale: {divide: 1000}, unit: L}]
        0x50: [{name: timestamp, type: u32, epoch: "1970-01-01", unit: s, label: ""}]
        0x51: [{name: acceleration, type: u16, scale: {divide: 1000}, unit: m/s²}]
        0x52: [{name: angular_velocity, type: u16, scale: {divide: 1000}, unit: °/s}]
        0x53: [{name: text, type: utf8, prefix: u8}]
        0x54: [{name: raw, type: bytes, prefix: u8}]
        0x55: [{name: volume_storage, type: u32, scale: {divide: 1000}, unit: L}]
        0x56: [{name: conductivity, type: u16, unit: µS/cm}]
        0x57: [{name: temperature, type: i8, unit: °C}]
        0x58: [{name: temperature, type: i8, scale: {multiply: 0.35}, unit: °C}]
        0x59: [{name: count, type: i8}]
        0x5a: [{name: count, type: i16}]
        0x5b: [{name: count, type: i32}]
        0x5c: [{name: power, type: i32, scale: {divide: 100}, unit: W}]
        0x5d: [{name: current, type: i16, scale: {divide: 1000}, unit: A}]
        0x5e: [{name: direction, type: u16, scale: {divide: 100}, unit: °}]
        0x5f: [{name: precipitation, type: u16, scale: {divide: 10}, unit: mm}]
        0x60: [{name: channel, type: u8}]
        0x61: [{name: rotational_speed, type: u16, unit: rpm}]
        0x62: [{name: speed, type: i32, scale: {divide: 1000000}, unit: m/s}]
        0x63: [{name: acceleration, type: i32, scale: {divide: 1000000}, unit: m/s²}]
        0x64: [{name: light_level, type: u8, values: {0: dark, 1: twilight, 2: bright}}]
        0x65: [{name: settings_revision, type: u8}]
        0xf0: [{name: device_type, type: u16, format: hex}]
        0xf1:
          - name: firmware
            text: "{major}.{minor}.{patch}.{build}"
            fields:
              - {name: build, type: u8}
              - {name: patch, type: u8}
              - {name: minor, type: u8}
              - {name: major, type: u8}
        0xf2:
          - name: firmware
            text: "{major}.{minor}.{patch}"
            fields:
              - {name: patch, type: u8}
              - {name: minor, type: u8}
              - {name: major, type: u8}
        other: [{name: unknown, type: bytes}]
advertisements:
  - service: "fcd2"
    size: [1, 254]
    name: BTHome v2
    fields:
      - name: device_information
        type: u8
        bits:
          - {bit: 0, name: encrypted}
          - {bit: 1, name: has_address}
          - {bit: 2, name: trigger_based, quiet: true}
          - {bits: [5, 7], name: version, range: [2, 2], quiet: true}
      - {name: address, type: address, when: device_information.has_address}
      # Encrypted objects end with a counter and an integrity check of four bytes each.
      - choose: device_information.encrypted
        cases:
          0:
            - {name: objects, layout: object, repeat: rest, label: ""}
          1:
            - {name: ciphertext, type: bytes, size: "remaining - 8", label: encrypted}
            - {name: counter, type: u32}
            - {name: integrity_check, type: bytes, size: 4, quiet: true}
    examples:
      - hex: "40 02 c4 09 03 bf 13"
        fields:
          encrypted: false
          version: 2
          objects: [{object_id: "0x02", temperature: 25}, {object_id: "0x03", humidity: 50.55}]
        source: BTHome v2 format, example
      - hex: "40 00 09 01 5d 02 5d 09 03 b7 18"
        fields: {objects: [{packet_id: 9}, {battery: 93}, {temperature: 23.97}, {humidity: 63.27}]}
        source: bthome-ble, test_bthome_packet_id_temperature_humidity_battery
      - hex: "42 b2 18 8d 38 c1 a4 04 13 8a 01"
        fields: {has_address: true, address: "A4:C1:38:8D:18:B2", objects: [{pressure: 1008.83}]}
        source: bthome-ble, test_bthome_with_mac
      - hex: "41 87 b9 00 11 22 33 72 b0 23 1f"
        fields: {encrypted: true, ciphertext: 87b9, counter: 857870592, integrity_check: 72b0231f}
        source: bthome-ble, test_bthome_motion
      - hex: "40 3a 00 3a 01 3a 03"
        fields: {objects: [{button: none}, {button: press}, {button: triple_press}]}
        source: bthome-ble, test_bthome_event_triple_button_device
      - hex: "40 3c 01 03"
        fields: {objects: [{dimmer: rotate_left, steps: 3}]}
        source: bthome-ble, test_bthome_event_dimmer_rotate_left_3_steps
      - hex: "40 3b 01 03 05"
        fields: {objects: [{command: step_up, arguments: "05"}]}
        source: BTHome v2 format, table of events
      - hex: "44 50 5d 39 61 64"
        fields: {trigger_based: true, objects: [{timestamp: "2023-05-14T19:41:17Z"}]}
        source: bthome-ble, test_bthome_timestamp
      - hex: "44 53 0c 48 65 6c 6c 6f 20 57 6f 72 6c 64 21"
        fields: {objects: [{text: "Hello World!"}]}
        source: bthome-ble, test_bthome_text
      - hex: "44 54 0c 48 65 6c 6c 6f 20 57 6f 72 6c 64 21"
        fields: {objects: [{raw: 48656c6c6f20576f726c6421}]}
        source: bthome-ble, test_bthome_raw
      - hex: "40 f0 01 00 f1 00 01 02 04 f2 00 01 06"
        fields:
          objects:
            - {device_type: "0x0001"}
            - {firmware: {build: 0, patch: 1, minor: 2, major: 4}}
            - {firmware: {patch: 0, minor: 1, major: 6}}
        source: BTHome v2 format, table of device information
      - hex: "40 01 5d fe 5d 09 03 b7 18"
        fields: {objects: [{battery: 93}, {object_id: "0xfe", unknown: 5d0903b718}]}
        source: bthome-ble, test_bthome_battery_wrong_object_id_humidity
      - hex: "40 01 61 02 ca 09 03 bf 13 04 13 8a 01 05 13 8a 14 06 5e 1f"
        fields:
          objects:
            - {battery: 97}
            - {temperature: 25.06}
            - {humidity: 50.55}
            - {pressure: 1008.83}
            - {illuminance: 13460.67}
            - {mass: 80.3}
        source: BTHome v2 format, table of sensor data
      - hex: "40 07 3e 1d 08 ca 06 09 60 0a 13 8a 14 0b 02 1b 00 0c 02 0c"
        fields:
          objects:
            - {mass: 74.86}
            - {dew_point: 17.38}
            - {count: 96}
            - {energy: 1346.067}
            - {power: 69.14}
            - {voltage: 3.074}
        source: BTHome v2 format, table of sensor data
      - hex: "40 0d 12 0c 0e 02 1c 12 e2 04 13 33 01 14 02 0c 2e 23"
        fields:
          objects:
            - {pm2_5: 3090}
            - {pm10: 7170}
            - {co2: 1250}
            - {tvoc: 307}
            - {moisture: 30.74}
            - {humidity: 35}
        source: BTHome v2 format, table of sensor data
      - hex: "40 2f 23 3d 09 60 3e 2a 2c 09 60 3f 02 0c 40 0c 00 41 4e 00"
        fields:
          objects:
            - {moisture: 35}
            - {count: 24585}
            - {count: 1611213866}
            - {rotation: 307.4}
            - {distance: 12}
            - {distance: 7.8}
        source: BTHome v2 format, table of sensor data
      - hex: "40 42 4e 34 00 43 4e 34 44 4e 34 45 11 01 46 32 47 87 56"
        fields:
          objects:
            - {duration: 13.39}
            - {current: 13.39}
            - {speed: 133.9}
            - {temperature: 27.3}
            - {uv_index: 5}
            - {volume: 2215.1}
        source: BTHome v2 format, table of sensor data
      - hex: "40 48 dc 87 49 dc 87 4a 02 0c 4b 13 8a 14 4c 41 01 8a 01 4d 12 13 8a 14"
        fields:
          objects:
            - {volume: 34780}
            - {volume_flow_rate: 34.78}
            - {voltage: 307.4}
            - {gas_volume: 1346.067}
            - {gas_volume: 25821.505}
            - {energy: 344593.17}
        source: BTHome v2 format, table of sensor data
      - hex: "40 4e 87 56 2a 01 4f 87 56 2a 01 51 87 56 52 87 56 55 87 56 2a 01 56 e8 03"
        fields:
          objects:
            - {volume: 19551.879}
            - {water: 19551.879}
            - {acceleration: 22.151}
            - {angular_velocity: 22.151}
            - {volume_storage: 19551.879}
            - {conductivity: 1000}
        source: BTHome v2 format, table of sensor data
      - hex: "40 57 ea 58 ea 59 ea 5a ea ea 5b ea 02 34 ea 5c 02 fb ff ff"
        fields:
          objects:
            - {temperature: -22}
            - {temperature: -7.7}
            - {count: -22}
            - {count: -5398}
            - {count: -365690134}
            - {power: -12.78}
        source: BTHome v2 format, table of sensor data
      - hex: "40 5d 02 ea 5e 9f 8c 5f a0 0f 60 01 61 ac 0d 62 40 99 df ff"
        fields:
          objects:
            - {current: -5.63}
            - {direction: 359.99}
            - {precipitation: 400}
            - {channel: 1}
            - {rotational_speed: 3500}
            - {speed: -2.123456}
        source: BTHome v2 format, table of sensor data
      - hex: "40 63 00 57 d0 ff 64 02 65 03"
        fields:
          objects:
            - {acceleration: -3.123456}
            - {light_level: bright}
            - {settings_revision: 3}
        source: BTHome v2 format, table of sensor data
      - hex: "40 0f 01 10 01 11 00 15 01 16 01 17 00 18 01 19 00 1a 00 1b 01"
        fields:
          objects:
            - {state: "on"}
            - {power_state: "on"}
            - {opening: closed}
            - {battery_state: low}
            - {charging: "yes"}
            - {carbon_monoxide: not_detected}
            - {cold: "yes"}
            - {connectivity: disconnected}
            - {door: closed}
            - {garage_door: open}
        source: BTHome v2 format, table of binary sensor data
      - hex: "40 1c 01 1d 00 1e 01 1f 01 20 01 21 00 22 01 23 01 24 00 25 00"
        fields:
          objects:
            - {gas: detected}
            - {heat: "no"}
            - {light: detected}
            - {lock: unlocked}
            - {moisture_state: wet}
            - {motion: clear}
            - {moving: "yes"}
            - {occupancy: detected}
            - {plug: unplugged}
            - {presence: away}
        source: BTHome v2 format, table of binary sensor data
      - hex: "40 26 01 27 01 28 00 29 01 2a 00 2b 00 2c 01 2d 01"
        fields:
          objects:
            - {problem: "yes"}
            - {running: "yes"}
            - {safety: unsafe}
            - {smoke: detected}
            - {sound: clear}
            - {tamper: "off"}
            - {vibration: detected}
            - {window: open}
        source: BTHome v2 format, table of binary sensor data

"""##

private let source_eddystone: StaticString = ##"""
profile: eddystone
title: Google Eddystone
source: Eddystone protocol specification (google/eddystone)
endian: big
advertisements:
  - service: "feaa"
    match: "00"
    size: [18, 20]
    name: Eddystone-UID
    fields:
      - {name: frame_type, type: u8, equals: 0x00, quiet: true}
      - {name: tx_power, type: i8, unit: dBm, range: [-100, 20]}
      - {name: namespace, type: bytes, size: 10}
      - {name: instance, type: bytes, size: 6}
      # Older beacons leave the two reserved bytes out.
      - {name: reserved, type: u16, equals: 0, optional: true, quiet: true}
    text: "namespace {namespace}, instance {instance}, {tx_power} at 0 m"
    examples:
      - hex: "00 ee 8b 0c a7 50 09 54 77 cb 3e 77 00 00 00 00 00 01 00 00"
        fields: {tx_power: -18, namespace: 8b0ca750095477cb3e77, instance: "000000000001", reserved: 0}
        text: "namespace 8b 0c a7 50 09 54 77 cb 3e 77, instance 00 00 00 00 00 01, -18 dBm at 0 m"
        source: worked out, with the specification's namespace and power
      - hex: "00 12 8b 0c a7 50 09 54 77 cb 3e 77 0a 0b 0c 0d 0e 0f"
        fields: {tx_power: 18, instance: 0a0b0c0d0e0f}
        source: worked out

  - service: "feaa"
    match: "10"
    size: [4, 20]
    name: Eddystone-URL
    fields:
      - {name: frame_type, type: u8, equals: 0x10, quiet: true}
      - {name: tx_power, type: i8, unit: dBm, range: [-100, 20]}
      - {name: scheme, type: utf8, size: 1, expand: {0: "http://www.", 1: "https://www.", 2: "http://", 3: "https://"}}
      - name: url
        type: utf8
        expand:
          0: ".com/"
          1: ".org/"
          2: ".edu/"
          3: ".net/"
          4: ".info/"
          5: ".biz/"
          6: ".gov/"
          7: ".com"
          8: ".org"
          9: ".edu"
          10: ".net"
          11: ".info"
          12: ".biz"
          13: ".gov"
    text: "{scheme:n}{url:n}, {tx_power} at 0 m"
    examples:
      - hex: "10 ee 03 67 6f 6f 2e 67 6c 2f 41 71 31 38 7a 46"
        fields: {tx_power: -18, scheme: "https://", url: goo.gl/Aq18zF}
        text: "https://goo.gl/Aq18zF, -18 dBm at 0 m"
        source: worked out, with the specification's URL
      - hex: "10 ee 00 65 78 61 6d 70 6c 65 00 61 0c"
        fields: {scheme: "http://www.", url: "example.com/a.biz"}
        source: worked out

  - service: "feaa"
    match: "20 00"
    size: 14
    name: Eddystone-TLM
    fields:
      - {name: frame_type, type: u8, equals: 0x20, quiet: true}
      - {name: version, type: u8, quiet: true}
      - {name: battery, type: u16, scale: {divide: 1000}, unit: V, special: {0: not_supported}}
      - {name: temperature, type: i16, scale: {divide: 256}, unit: °C, decimals: 2, special: {0x8000: not_supported}}
      - {name: advertisements, type: u32}
      - {name: uptime, type: u32, scale: {divide: 10}, unit: s, label: up}
    examples:
      - hex: "20 00 0b b8 17 80 00 00 03 e8 00 00 27 10"
        fields: {battery: 3, temperature: 23.5, advertisements: 1000, uptime: 1000}
        text: "battery 3.000 V, temperature 23.50 °C, advertisements 1000, up 1000.0 s"
        source: worked out
      - hex: "20 00 00 00 80 00 00 00 00 01 00 00 00 05"
        fields: {battery: not_supported, temperature: not_supported, advertisements: 1, uptime: 0.5}
        source: worked out

  - service: "feaa"
    match: "20 01"
    size: 18
    name: Eddystone-TLM, encrypted
    fields:
      - {name: frame_type, type: u8, equals: 0x20, quiet: true}
      - {name: version, type: u8, quiet: true}
      - {name: encrypted, type: bytes, size: 12}
      - {name: salt, type: bytes, size: 2}
      - {name: integrity_check, type: bytes, size: 2}
    examples:
      - hex: "20 01 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac 12 34 56 78"
        fields: {encrypted: a1a2a3a4a5a6a7a8a9aaabac, salt: "1234", integrity_check: "5678"}
        source: worked out

  - service: "feaa"
    match: "30"
    size: 10
    name: Eddystone-EID
    fields:
      - {name: frame_type, type: u8, equals: 0x30, quiet: true}
      - {name: tx_power, type: i8, unit: dBm, range: [-100, 20]}
      - {name: ephemeral_id, type: bytes, size: 8}
    text: "ephemeral identifier {ephemeral_id}, {tx_power} at 0 m"
    examples:
      - hex: "30 ee 01 23 45 67 89 ab cd ef"
        fields: {tx_power: -18, ephemeral_id: 0123456789abcdef}
        source: worked out

"""##

private let source_exposure_notification: StaticString = ##"""
profile: exposure_notification
title: Exposure Notification
source: Apple and Google, Exposure Notification Bluetooth Specification v1.2
advertisements:
  - service: "fd6f"
    size: 20
    name: Exposure Notification
    fields:
      - {name: rolling_proximity_identifier, type: bytes, size: 16}
      # Encrypted with a key that the phone alone has: version and transmit power cannot be read here.
      - {name: encrypted_metadata, type: bytes, size: 4}
    text: "rolling proximity identifier {rolling_proximity_identifier}, metadata {encrypted_metadata} (encrypted)"
    examples:
      - hex: "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff 01 02 03 04"
        fields: {rolling_proximity_identifier: 00112233445566778899aabbccddeeff, encrypted_metadata: "01020304"}
        source: worked out

"""##

private let source_fast_pair: StaticString = ##"""
profile: fast_pair
title: Google Fast Pair
source: Google, Fast Pair specification (advertising, battery notification); field types of google/nearby
advertisements:
  - service: "fe2c"
    size: 3
    name: Fast Pair, discoverable
    fields:
      - {name: model_id, type: u24, endian: big, format: hex}
    text: "model {model_id}"
    examples:
      - hex: "00 00 f0"
        fields: {model_id: "0x0000f0"}
        text: "model 0x0000f0"
        source: worked out

  - service: "fe2c"
    match: "00"
    size: [4, 254]
    name: Fast Pair, account data
    fields:
      - {name: flags, type: u8, equals: 0, format: hex, quiet: true}
      - name: elements
        repeat: rest
        label: ""
        text: "{header.type}[ {filter}][ {salt}][ {components}][ {data}]"
        fields:
          - name: header
            type: u8
            bits:
              - {bits: [4, 7], name: length, quiet: true}
              - bits: [0, 3]
                name: type
                open: true
                values:
                  0: account_key_filter
                  1: salt
                  2: account_key_filter_without_indication
                  3: battery
                  4: battery_without_indication
                  5: audio_switch
                  6: random_resolvable
          - choose: header.type
            cases:
              0: [{name: filter, type: bytes, size: header.length}]
              1: [{name: salt, type: bytes, size: header.length}]
              2: [{name: filter, type: bytes, size: header.length}]
              "3-4":
                - name: components
                  repeat: header.length
                  max: 15
                  label: ""
                  fields:
                    - name: level
                      type: u8
                      bits:
                        - {bit: 7, name: charging}
                        - {bits: [0, 6], name: battery, label: "", unit: "%", special: {127: not_known}}
              other: [{name: data, type: bytes, size: header.length}]
    examples:
      # Left 87 %, right 65 %, case not known.
      - hex: "00 40 aa bb cc dd 11 c7 33 57 41 7f"
        fields:
          elements:
            - {type: account_key_filter}
            - {type: salt}
            - type: battery
              components: [{charging: false, battery: 87}, {charging: false, battery: 65}, {battery: not_known}]
        source: Fast Pair specification, battery bytes of its message stream's example; the rest worked out
      - hex: "00 40 aa bb cc dd 11 c7 33 e4 64 7f"
        fields:
          elements:
            - {length: 4, type: account_key_filter, filter: aabbccdd}
            - {length: 1, type: salt, salt: c7}
            - type: battery
              components:
                - {charging: true, battery: 100}
                - {charging: false, battery: 100}
                - {charging: false, battery: not_known}
        source: worked out

  - service: "fe2c"
    match: "00 00"
    size: 2
    name: Fast Pair, no account
    fields:
      - {name: flags, type: u8, equals: 0, format: hex, quiet: true}
      - {name: account_keys, type: u8, equals: 0}
    text: no account keys
    examples:
      - hex: "00 00"
        fields: {account_keys: 0}
        text: no account keys
        source: worked out

"""##

private let source_ibeacon: StaticString = ##"""
profile: ibeacon
title: Apple iBeacon
source: Apple, Proximity Beacon Specification
advertisements:
  - company: "004c"
    match: "02 15"
    # Some beacons have a byte more behind the power, which is theirs.
    size: [23, 24]
    name: iBeacon
    fields:
      - {name: kind, type: bytes, size: 2, equals: "02 15", quiet: true}
      - {name: uuid, type: uuid, size: 16, endian: big}
      - {name: major, type: u16, endian: big}
      - {name: minor, type: u16, endian: big}
      - {name: measured_power, type: i8, unit: dBm}
      - {name: extra, type: u8, when: remaining > 0}
    text: "{uuid}, major {major}, minor {minor}, {measured_power} at 1 m"
    examples:
      - hex: "02 15 f7 82 6d a6 4f a2 4e 98 80 24 bc 5b 71 e0 89 3e 00 01 00 02 c5"
        fields: {uuid: f7826da6-4fa2-4e98-8024-bc5b71e0893e, major: 1, minor: 2, measured_power: -59}
        text: "f7826da6-4fa2-4e98-8024-bc5b71e0893e, major 1, minor 2, -59 dBm at 1 m"
        source: worked out
      - hex: "02 15 f7 82 6d a6 4f a2 4e 98 80 24 bc 5b 71 e0 89 3e 00 01 00 02 c5 64"
        fields: {major: 1, minor: 2, measured_power: -59, extra: 100}
        text: "f7826da6-4fa2-4e98-8024-bc5b71e0893e, major 1, minor 2, -59 dBm at 1 m"
        source: worked out

"""##

private let source_mibeacon: StaticString = ##"""
profile: mibeacon
title: Xiaomi MiBeacon
# Xiaomi's own page is not public any more; the fields are those that the projects below read.
source: xiaomi-ble (Bluetooth-Devices/xiaomi-ble), parser.py and devices.py
enumerations:
  # Model numbers, by product identifier.
  product:
    0x0083: "YM-K1501"
    0x0098: "HHCCJCY01"
    0x00db: "MMC-T201-1"
    0x0113: "YM-K1501EU"
    0x0153: "YLYK01YL"
    0x015d: "HHCCPOT002"
    0x01aa: "LYWSDCGQ"
    0x02df: "JQJCY01YM"
    0x0347: "CGG1"
    0x0380: "DSL-C08"
    0x0387: "MHO-C401"
    0x0391: "MMC-W505"
    0x03b6: "YLKG07YL/YLKG08YL"
    0x03bc: "GCLS002"
    0x03bf: "YLYB01YL-BHFRC"
    0x03d6: "CGH1"
    0x03dd: "MUE4094RT"
    0x040a: "WX08ZM"
    0x045b: "LYWSD02"
    0x045c: "V-SK152"
    0x0489: "M1S-T500"
    0x04e1: "XMMF01JQD"
    0x04e6: "YLYK01YL-VENFAN"
    0x04e9: "MJZNMSQ01YD"
    0x055b: "LYWSD03MMC"
    0x0576: "CGD1"
    0x0599: "MJZNMS03LM"
    0x066f: "CGDK2"
    0x068e: "YLYK01YL-FANCL"
    0x069e: "ZNMS16LM"
    0x069f: "ZNMS17LM"
    0x06d3: "MHO-C303"
    0x0784: "XMZNMS04LM"
    0x07bf: "YLAI003"
    0x07f6: "MJYD02YL"
    0x0806: "T700"
    0x0863: "SJWS01LM"
    0x098b: "MCCGQ02HL"
    0x098c: "XMZNMST02YD"
    0x0997: "JTYJGD03MI"
    0x0a83: "CGPR1"
    0x0a8d: "RTCGQ02LM"
    0x0b48: "CGG1-ENCRYPTED"
    0x0c3c: "CGC1"
    0x0de7: "SU001-T"
    0x0dfd: "K9B-3BTN"
    0x0e39: "XMZNMS08LM"
    0x11c2: "Lockin-SV40"
    0x1203: "XMWSDJ04MMC"
    0x1568: "K9B-1BTN"
    0x1569: "K9B-2BTN"
    0x16e4: "LYWSD02MMC"
    0x1790: "T700"
    0x1889: "MS1BB(MI)"
    0x1949: "XMWXKG01YL"
    0x1c10: "K9BB-1BTN"
    0x2387: "XMWXKG01LM"
    0x2542: "LYWSD02MMC"
    0x2832: "MJWSD05MMC"
    0x2aeb: "HS1BB(MI)"
    0x30d9: "MJTZC01YM"
    0x3531: "XMPIRO2SXS"
    0x38bb: "PTX_YK1_QMIMB"
    0x3a61: "KS1"
    0x3bd5: "MJTZC01YM"
    0x3e17: "KS1BP"
    0x3f0f: "RS1BB(MI)"
    0x3f4c: "PS1BB"
    0x45c9: "MJTZC02YM"
    0x4683: "XMOSB01XS"
    0x48cf: "MJTZC01YM"
    0x4b05: "MJTZC03YM"
    0x4c04: "MJTZC02YM"
    0x4c47: "MJWSD05MMC"
    0x4c60: "XMPIRO2GSXS"
    0x4dcb: "MJTZC02YM"
    0x4f59: "CGDK3"
    0x50fb: "ES3"
    0x520b: "KS2BB"
    0x55b5: "MJWSD06MMC"
    0x5968: "XMWS01XS"
    0x59fa: "M2457B1"
    0x59fb: "M2456B1"
    0x59fc: "M2456B1"
    0x5bea: "MJWSD06MMC"
    0x5db1: "MBS17"
    0x6188: "M2456B1"
    0x6375: "SJWS02LM"
    0x6a0f: "ES5BB"
    0x78d1: "MC-COMM"
    0x78db: "ESM787"
  # Of one button's products; some switches exchange 1 and 2.
  press: {0: press, 1: double_press, 2: long_press, 3: dimmer_press, 4: rotate, 5: press, 6: long_press}
structures:
  object:
    - name: object_id
      type: u16
      format: hex
      label: ""
      # Those that the fields below name.
      quiet:
        [0x0003, 0x0006, 0x0007, 0x0008, 0x000a, 0x000b, 0x000f, 0x1001, 0x1004, 0x1005, 0x1006, 0x1007, 0x1008, 0x1009,
         0x100a, 0x100d, 0x100e, 0x1010, 0x1012, 0x1013, 0x1014, 0x1015, 0x1017, 0x1018, 0x1019, 0x101b, 0x4801, 0x4802,
         0x4803, 0x4808, 0x4818]
    - prefix: u8
      fields:
        - choose: object_id
          cases:
            0x0003: [{name: motion, type: u8, format: hex}]
            0x0006: [{name: fingerprint, type: bytes}]
            0x0007: [{name: door, type: bytes}]
            0x0008: [{name: armed, type: bytes}]
            0x000a: [{name: body_temperature, type: i16, scale: {divide: 100}, unit: °C}]
            0x000b: [{name: lock_event, type: bytes}]
            # What the number says depends on the product: lux, or whether it is light.
            0x000f: [{name: motion_with_light, type: u24}]
            0x1001:
              - {name: button, type: u16}
              - {name: press, type: u8, label: "", values: press, open: true}
            0x1004: [{name: temperature, type: i16, scale: {divide: 10}, unit: °C}]
            0x1005:
              - {name: switch, type: u8, values: {0: "off", 1: "on"}}
              - {name: temperature, type: u8, unit: °C}
            0x1006: [{name: humidity, type: u16, scale: {divide: 10}, unit: "%"}]
            0x1007: [{name: illuminance, type: u24, unit: lx}]
            0x1008: [{name: moisture, type: u8, unit: "%"}]
            0x1009: [{name: conductivity, type: u16, unit: µS/cm}]
            0x100a: [{name: battery, type: u8, unit: "%"}]
            0x100d:
              - {name: temperature, type: i16, scale: {divide: 10}, unit: °C}
              - {name: humidity, type: u16, scale: {divide: 10}, unit: "%"}
            0x100e: [{name: lock, type: bytes}]
            0x1010: [{name: formaldehyde, type: u16, scale: {divide: 100}, unit: mg/m³}]
            0x1012: [{name: switch, type: u8, values: {0: "off", 1: "on"}}]
            0x1013: [{name: consumable, type: u8, unit: "%"}]
            0x1014: [{name: water, type: u8, values: {0: none, "1-255": detected}}]
            0x1015: [{name: smoke, type: u8, values: {0: none, "1-255": detected}}]
            0x1017: [{name: without_motion, type: u32, unit: s}]
            0x1018: [{name: light, type: u8, values: {0: none, "1-255": detected}}]
            0x1019: [{name: opening, type: u8, values: {0: open, 1: closed, 2: left_open, 3: reset}}]
            0x101b: [{name: without_motion, type: u32, unit: s}]
            0x4801: [{name: temperature, type: f32, unit: °C, decimals: 1}]
            0x4802: [{name: humidity, type: u8, unit: "%"}]
            0x4803: [{name: battery, type: u8, unit: "%"}]
            0x4808: [{name: humidity, type: f32, unit: "%", decimals: 1}]
            0x4818: [{name: without_motion, type: u16, unit: s}]
            other: [{name: data, type: bytes, optional: true}]
advertisements:
  - service: "fe95"
    size: [5, 254]
    name: MiBeacon
    fields:
      - name: frame_control
        type: u16
        bits:
          - {bit: 0, name: request_timing, quiet: true}
          - {bit: 3, name: encrypted}
          - {bit: 4, name: has_address}
          - {bit: 5, name: has_capability}
          - {bit: 6, name: has_object}
          - {bit: 7, name: mesh}
          - {bit: 8, name: registered, quiet: true}
          - {bit: 9, name: solicited, quiet: true}
          - {bits: [10, 11], name: authentication, values: {0: old, 1: safe, 2: standard}, quiet: true}
          - {bits: [12, 15], name: version, quiet: true}
      - {name: product, type: u16, format: hex, values: product, open: true}
      - {name: frame_counter, type: u8, label: frame}
      - {name: address, type: address, when: frame_control.has_address}
      - name: capability
        type: u8
        when: frame_control.has_capability
        bits:
          - {bit: 0, name: connectable, quiet: true}
          - {bit: 1, name: central, quiet: true}
          - {bit: 2, name: can_encrypt, quiet: true}
          - {bits: [3, 4], name: bonding, quiet: true}
          - {bit: 5, name: has_io}
          - {bits: [6, 7], name: capability_reserved, quiet: true}
      - {name: io_capability, type: u8, format: hex, quiet: true, when: "frame_control.has_capability && capability.has_io"}
      - choose: "frame_control.has_object * (1 + frame_control.encrypted * (1 + (frame_control.version >= 4)))"
        cases:
          1:
            - {name: objects, layout: object, repeat: rest, label: ""}
          # Before version 4: three bytes of counter and one of check behind the ciphertext.
          2:
            - {name: ciphertext, type: bytes, size: "remaining - 4", label: encrypted}
            - {name: counter, type: u24, quiet: true}
            - {name: check, type: bytes, size: 1, quiet: true}
          3:
            - {name: ciphertext, type: bytes, size: "remaining - 7", label: encrypted}
            - {name: counter, type: u24, quiet: true}
            - {name: integrity_check, type: bytes, size: 4, quiet: true}
    examples:
      - hex: "50 20 aa 01 a3 bf 2e 3b 34 2d 58 0d 10 04 b4 00 95 02 0a 10 01 3b"
        fields:
          version: 2
          product: "LYWSDCGQ"
          frame_counter: 163
          address: "58:2D:34:3B:2E:BF"
          objects: [{temperature: 18, humidity: 66.1}, {battery: 59}]
        source: xiaomi-ble, test_Xiaomi_LYWSDCGQ
      - hex: "71 20 98 00 12 f3 4f 6b 8d 7c c4 0d 04 10 02 c4 00"
        fields:
          product: "HHCCJCY01"
          frame_counter: 18
          request_timing: true
          address: "C4:7C:8D:6B:4F:F3"
          objects: [{object_id: "0x1004", temperature: 19.6}]
        source: xiaomi-ble, test_Xiaomi_HHCCJCY01
      - hex: "71 20 5d 01 01 5d 01 00 8d 7c c4 0d 08 10 01 40 09 10 02 57 02"
        fields: {product: "HHCCPOT002", objects: [{moisture: 64}, {conductivity: 599}]}
        source: xiaomi-ble, test_Xiaomi_HHCCPOT002
      - hex: "50 40 df 02 01 df 02 00 8d 7c c4 10 10 02 7d 00"
        fields: {version: 4, product: "JQJCY01YM", objects: [{formaldehyde: 1.25}]}
        source: xiaomi-ble, test_Xiaomi_JQJCY01YM1
      - hex: "50 30 e1 04 8e 54 d3 e6 30 53 e2 01 10 03 01 00 00"
        fields: {product: "XMMF01JQD", objects: [{button: 1, press: press}]}
        source: xiaomi-ble, test_Xiaomi_XMMF01JQD
      - hex: "31 20 98 00 12 f3 4f 6b 8d 7c c4 0d"
        fields: {has_object: false, address: "C4:7C:8D:6B:4F:F3"}
        source: xiaomi-ble, test_blank_advertisements_then_unencrypted
      - hex: "58 58 5b 05 01 48 3c d4 38 c1 a4 9c f2 55 cf dd 00 00 00 2f ae 2f f2"
        fields:
          version: 5
          product: "LYWSD03MMC"
          encrypted: true
          address: "A4:C1:38:D4:3C:48"
          ciphertext: 9cf255cfdd
          counter: 0
          integrity_check: 2fae2ff2
        source: xiaomi-ble, test_blank_advertisements_then_encrypted
      - hex: "58 30 b6 03 d2 8b 98 c5 41 24 f8 c3 49 14 76 75 7e 00 00 00 99"
        fields: {version: 3, encrypted: true, ciphertext: c3491476757e, counter: 0, check: "99"}
        source: xiaomi-ble, test_encryption_needs_v2

"""##

private let source_microsoft_cdp: StaticString = ##"""
profile: microsoft_cdp
title: Microsoft Connected Devices beacon
source: Microsoft, MS-CDP, Connected Devices Platform Protocol Version 3, 2.2.2.2.3
advertisements:
  - company: "0006"
    match: "01"
    size: [24, 27]
    name: Microsoft Connected Devices
    fields:
      - {name: scenario, type: u8, equals: 1, quiet: true}
      - name: version_and_device
        type: u8
        bits:
          - bits: [0, 4]
            name: device
            label: ""
            open: true
            values:
              1: "Xbox One"
              6: "iPhone"
              7: "iPad"
              8: "Android"
              9: "Windows desktop"
              11: "Windows phone"
              12: "Linux"
              13: "Windows IoT"
              14: "Surface Hub"
              15: "Windows laptop"
              16: "Windows tablet"
          - {bits: [5, 7], name: version, quiet: true}
      - name: version_and_flags
        type: u8
        bits:
          - {bits: [0, 4], name: nearby_share, values: {0: own_devices, 1: everyone}, open: true}
          - {bits: [5, 7], name: flags_version, quiet: true}
      - {name: status, type: u8, format: hex, quiet: true}
      - {name: salt, type: bytes, size: 4, quiet: true}
      # 19 bytes; 16 in the protocol's older versions.
      - {name: device_hash, type: bytes, label: hash}
    examples:
      - hex: "01 09 20 02 11 22 33 44 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af b0 b1 b2"
        fields:
          device: "Windows desktop"
          version: 0
          nearby_share: own_devices
          salt: "11223344"
          device_hash: a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2
        source: worked out
      - hex: "01 2f 21 00 11 22 33 44 a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 aa ab ac ad ae af"
        fields: {device: "Windows laptop", version: 1, nearby_share: everyone}
        source: worked out

"""##

private let source_ruuvi: StaticString = ##"""
profile: ruuvi
title: RuuviTag
source: Ruuvi sensor protocols, data formats 3 and 5 (ruuvi/ruuvi-sensor-protocols)
endian: big
advertisements:
  - company: "0499"
    match: "03"
    size: 14
    name: RuuviTag data format 3 (RAWv1)
    fields:
      - {name: data_format, type: u8, equals: 3, quiet: true}
      - {name: humidity, type: u8, scale: {divide: 2}, unit: "%"}
      # A sign, whole degrees, and hundredths in a byte of their own.
      - name: parts
        type: u16
        bits:
          - {bit: 15, name: negative}
          - {bits: [8, 14], name: degrees, quiet: true}
          - {bits: [0, 7], name: hundredths, range: [0, 99], quiet: true}
      - name: temperature
        compute: "(parts.degrees * 100 + parts.hundredths) * (1 - 2 * parts.negative)"
        scale: {divide: 100}
        unit: °C
      - {name: pressure, type: u16, scale: {add: 50000}, unit: Pa}
      - {name: acceleration_x, type: i16, scale: {divide: 1000}, unit: g}
      - {name: acceleration_y, type: i16, scale: {divide: 1000}, unit: g}
      - {name: acceleration_z, type: i16, scale: {divide: 1000}, unit: g}
      - {name: battery, type: u16, scale: {divide: 1000}, unit: V}
    examples:
      - hex: "03 29 1a 1e ce 1e fc 18 f9 42 02 ca 0b 53"
        fields:
          humidity: 20.5
          temperature: 26.3
          pressure: 102766
          acceleration_x: -1
          acceleration_y: -1.726
          acceleration_z: 0.714
          battery: 2.899
        source: data format 3, test vector "valid data"
      - hex: "03 ff 7f 63 ff ff 7f ff 7f ff 7f ff ff ff"
        fields: {humidity: 127.5, temperature: 127.99, pressure: 115535, battery: 65.535}
        source: data format 3, test vector "maximum values"
      - hex: "03 00 ff 63 00 00 80 01 80 01 80 01 00 00"
        fields: {humidity: 0, negative: true, temperature: -127.99, pressure: 50000, acceleration_x: -32.767}
        source: data format 3, test vector "minimum values"

  - company: "0499"
    match: "05"
    size: 24
    name: RuuviTag data format 5 (RAWv2)
    fields:
      - {name: data_format, type: u8, equals: 5, quiet: true}
      - {name: temperature, type: i16, scale: {divide: 200}, unit: °C, special: {"-32768": not_available}}
      - {name: humidity, type: u16, scale: {divide: 400}, unit: "%", special: {0xffff: not_available}}
      - {name: pressure, type: u16, scale: {add: 50000}, unit: Pa, special: {0xffff: not_available}}
      - {name: acceleration_x, type: i16, scale: {divide: 1000}, unit: g, special: {"-32768": not_available}}
      - {name: acceleration_y, type: i16, scale: {divide: 1000}, unit: g, special: {"-32768": not_available}}
      - {name: acceleration_z, type: i16, scale: {divide: 1000}, unit: g, special: {"-32768": not_available}}
      - name: power
        type: u16
        bits:
          - {bits: [5, 15], name: battery, scale: {divide: 1000, add: 1.6}, unit: V, special: {2047: not_available}}
          - {bits: [0, 4], name: tx_power, scale: {multiply: 2, add: -40}, unit: dBm, special: {31: not_available}}
      - {name: movements, type: u8, special: {0xff: not_available}}
      - {name: measurement, type: u16, special: {0xffff: not_available}}
      - {name: address, type: address, endian: big, special: {0xffffffffffff: not_available}}
    examples:
      - hex: "05 12 fc 53 94 c3 7c 00 04 ff fc 04 0c ac 36 42 00 cd cb b8 33 4c 88 4f"
        fields:
          temperature: 24.3
          humidity: 53.49
          pressure: 100044
          acceleration_x: 0.004
          acceleration_y: -0.004
          acceleration_z: 1.036
          battery: 2.977
          tx_power: 4
          movements: 66
          measurement: 205
          address: "CB:B8:33:4C:88:4F"
        source: data format 5, test vector "valid data"
      - hex: "05 7f ff ff fe ff fe 7f ff 7f ff 7f ff ff de fe ff fe cb b8 33 4c 88 4f"
        fields:
          temperature: 163.835
          humidity: 163.835
          pressure: 115534
          acceleration_x: 32.767
          battery: 3.646
          tx_power: 20
          movements: 254
          measurement: 65534
        source: data format 5, test vector "maximum values"
      - hex: "05 80 01 00 00 00 00 80 01 80 01 80 01 00 00 00 00 00 cb b8 33 4c 88 4f"
        fields:
          temperature: -163.835
          humidity: 0
          pressure: 50000
          acceleration_z: -32.767
          battery: 1.6
          tx_power: -40
          movements: 0
          measurement: 0
        source: data format 5, test vector "minimum values"
      - hex: "05 80 00 ff ff ff ff 80 00 80 00 80 00 ff ff ff ff ff ff ff ff ff ff ff"
        fields:
          temperature: not_available
          humidity: not_available
          pressure: not_available
          acceleration_x: not_available
          battery: not_available
          tx_power: not_available
          movements: not_available
          measurement: not_available
          address: not_available
        source: data format 5, test vector "invalid values"

"""##

private let source_swift_pair: StaticString = ##"""
profile: swift_pair
title: Microsoft Swift Pair
source: Microsoft, Bluetooth Swift Pair peripheral guidelines
advertisements:
  - company: "0006"
    match: "03 00"
    name: Swift Pair, LE
    fields:
      - {name: beacon, type: u8, equals: 3, quiet: true}
      - {name: scenario, type: u8, label: pairs over, values: {0: "LE"}}
      - {name: rssi, type: u8, equals: 0x80, format: hex, quiet: true}
      - {name: display_name, type: utf8, optional: true, label: ""}
    examples:
      - hex: "03 00 80"
        fields: {scenario: "LE"}
        source: nRF Connect SDK, Swift Pair advertising provider
      - hex: "03 00 80 54 65 73 74"
        fields: {display_name: Test}
        text: "pairs over LE, \"Test\""
        source: worked out

  - company: "0006"
    match: "03 01"
    name: Swift Pair, BR/EDR
    source: memory; the sizes agree with the least lengths of RivieraWaves' gapm_le_swift_pair.h
    fields:
      - {name: beacon, type: u8, equals: 3, quiet: true}
      - {name: scenario, type: u8, label: pairs over, values: {1: "BR/EDR"}}
      - {name: rssi, type: u8, equals: 0x80, format: hex, quiet: true}
      - {name: br_edr_address, type: address, label: BR/EDR address}
      - {name: class_of_device, type: u24, format: hex, label: class}
      - {name: display_name, type: utf8, optional: true, label: ""}
    examples:
      - hex: "03 01 80 66 55 44 33 22 11 04 04 24 54 65 73 74"
        fields:
          scenario: "BR/EDR"
          br_edr_address: "11:22:33:44:55:66"
          class_of_device: "0x240404"
          display_name: Test
        source: worked out

  - company: "0006"
    match: "03 02"
    name: Swift Pair, LE and BR/EDR
    source: memory; the sizes agree with the least lengths of RivieraWaves' gapm_le_swift_pair.h
    fields:
      - {name: beacon, type: u8, equals: 3, quiet: true}
      - {name: scenario, type: u8, label: pairs over, values: {2: "LE and BR/EDR"}}
      - {name: rssi, type: u8, equals: 0x80, format: hex, quiet: true}
      - {name: class_of_device, type: u24, format: hex, label: class}
      - {name: display_name, type: utf8, optional: true, label: ""}
    examples:
      - hex: "03 02 80 04 04 24 54 65 73 74"
        fields: {scenario: "LE and BR/EDR", class_of_device: "0x240404", display_name: Test}
        source: worked out

"""##

private let source_activity: StaticString = ##"""
profile: activity
title: Goals and thresholds of a user
source: GATT Specification Supplement
characteristics:
  - uuid: "2b4d"
    name: High Intensity Exercise Threshold
    fields:
      - {name: measure, type: u8, label: "", quiet: ["1-4"],
         values: {0: none, 1: energy_per_hour, 2: metabolic_equivalent, 3: percentage_of_maximum, 4: heart_rate}}
      - {name: energy_per_hour, type: u16, unit: kJ, when: measure == 1}
      - {name: metabolic_equivalent, type: u8, scale: {decimal: -1}, unit: MET, when: measure == 2}
      - {name: percentage_of_maximum, type: u8, unit: "%", when: measure == 3}
      - {name: heart_rate, type: u8, unit: bpm, when: measure == 4}
    examples:
      - {hex: "00", fields: {measure: none}, text: none}
      - {hex: "01 d0 07", fields: {energy_per_hour: 2000}, text: energy per hour 2000 kJ}
      - {hex: "02 3c", fields: {metabolic_equivalent: 6}, text: metabolic equivalent 6.0 MET}
      - {hex: "03 50", fields: {percentage_of_maximum: 80}, text: percentage of maximum 80 %}
      - {hex: "04 96", fields: {heart_rate: 150}, text: heart rate 150 bpm}
  - uuid: "2b4e"
    name: Activity Goal
    fields:
      - name: presence
        type: u8
        bits:
          - {bit: 0, name: has_energy}
          - {bit: 1, name: has_walking_steps}
          - {bit: 2, name: has_intensity_steps}
          - {bit: 3, name: has_floor_steps}
          - {bit: 4, name: has_distance}
          - {bit: 5, name: has_walking_time}
          - {bit: 6, name: has_intensity_time}
      - {name: energy, type: u16, unit: kJ, label: "", when: presence.has_energy}
      - {name: walking_steps, type: u24, when: presence.has_walking_steps}
      - {name: intensity_steps, type: u24, when: presence.has_intensity_steps}
      - {name: floor_steps, type: u24, when: presence.has_floor_steps}
      # The exponent 1 that is printed contradicts the resolution of 1 m beside it.
      - {name: distance, type: u24, unit: m, when: presence.has_distance}
      - {name: walking_time, type: u24, unit: s, when: presence.has_walking_time}
      - {name: intensity_time, type: u24, unit: s, when: presence.has_intensity_time}
    examples:
      - hex: "7f d0 07 10 27 00 e8 03 00 0a 00 00 88 13 00 10 0e 00 08 07 00"
        fields: {energy: 2000, walking_steps: 10000, intensity_steps: 1000, floor_steps: 10, distance: 5000,
                 walking_time: 3600, intensity_time: 1800}
      - hex: "10 88 13 00"
        fields: {distance: 5000}
        text: distance 5000 m

"""##

private let source_alerts: StaticString = ##"""
profile: alerts
title: Immediate Alert, Link Loss, Tx Power, Alert Notification and Phone Alert Status Services
source: GATT Specification Supplement
enumerations:
  category: {0: simple_alert, 1: email, 2: news, 3: call, 4: missed_call, 5: sms_or_mms, 6: voice_mail, 7: schedule,
             8: high_prioritized_alert, 9: instant_message, "251-254": of_the_service, 255: all}
structures:
  # On paper the second byte is always there; servers leave it out where it is 0.
  categories:
    - name: categories
      type: u8
      bits:
        - {bit: 0, name: simple_alert}
        - {bit: 1, name: email}
        - {bit: 2, name: news}
        - {bit: 3, name: call}
        - {bit: 4, name: missed_call}
        - {bit: 5, name: sms_or_mms, label: SMS or MMS}
        - {bit: 6, name: voice_mail}
        - {bit: 7, name: schedule}
    - name: more_categories
      type: u8
      optional: true
      bits:
        - {bit: 0, name: high_prioritized_alert}
        - {bit: 1, name: instant_message}
characteristics:
  - uuid: "2a06"
    name: Alert Level
    fields: [{name: alert_level, type: u8, values: {0: no_alert, 1: mild_alert, 2: high_alert}}]
    examples:
      - {hex: "02", written: true, fields: {alert_level: high_alert}, text: high alert}
      - {hex: "03", fields: {alert_level: 3}, problems: [reserved_value]}
  - uuid: "2a07"
    name: Tx Power Level
    fields: [{name: tx_power, type: i8, unit: dBm, range: [-100, 20]}]
    examples:
      - {hex: "fc", fields: {tx_power: -4}, text: -4 dBm}
      - {hex: "7f", fields: {tx_power: 127}, problems: [out_of_range]}
  - uuid: "2a3f"
    name: Alert Status
    fields:
      - name: alert_status
        type: u8
        bits:
          - {bit: 0, name: ringer}
          - {bit: 1, name: vibration}
          - {bit: 2, name: display_alert}
    examples:
      - {hex: "03", fields: {ringer: true, vibration: true, display_alert: false}, text: "ringer, vibration"}
  - uuid: "2a40"
    name: Ringer Control Point
    fields: [{name: command, type: u8, values: {1: silent_mode, 2: mute_once, 3: cancel_silent_mode}}]
    examples:
      - {hex: "02", written: true, fields: {command: mute_once}}
  - uuid: "2a41"
    name: Ringer Setting
    fields: [{name: ringer, type: u8, values: {0: silent, 1: normal}}]
    examples:
      - {hex: "01", fields: {ringer: normal}}
  - uuid: "2a42"
    name: Alert Category ID Bit Mask
    fields: [{layout: categories}]
    examples:
      - {hex: "0a 02", fields: {email: true, call: true, news: false, instant_message: true},
         text: "email, call, instant message"}
  - uuid: "2a43"
    name: Alert Category ID
    fields: [{name: category, type: u8, values: category}]
    examples:
      - {hex: "05", fields: {category: sms_or_mms}}
  - uuid: "2a44"
    name: Alert Notification Control Point
    fields:
      - name: command
        type: u8
        label: ""
        values: {0: enable_new_alerts, 1: enable_unread_status, 2: disable_new_alerts, 3: disable_unread_status,
                 4: notify_new_alerts_now, 5: notify_unread_status_now}
      - {name: category, type: u8, values: category, label: of}
    examples:
      - {hex: "00 01", written: true, fields: {command: enable_new_alerts, category: email},
         text: "enable new alerts, of email"}
      - {hex: "04 ff", written: true, fields: {command: notify_new_alerts_now, category: all}}
  - uuid: "2a45"
    name: Unread Alert Status
    fields:
      - {name: category, type: u8, values: category, label: ""}
      - {name: unread, type: u8, special: {255: over_254}}
    examples:
      - {hex: "01 04", fields: {category: email, unread: 4}, text: "email, unread 4"}
      - {hex: "03 ff", fields: {category: call, unread: over_254}}
  - uuid: "2a46"
    name: New Alert
    fields:
      - {name: category, type: u8, values: category, label: ""}
      - {name: new_alerts, type: u8, label: new}
      - {name: alert_text, type: utf8, label: "", when: remaining > 0}
    examples:
      - {hex: "01 04 4d 61 72 79", fields: {category: email, new_alerts: 4, alert_text: Mary},
         text: 'email, new 4, "Mary"'}
      - {hex: "03 01", fields: {category: call, new_alerts: 1}}
  - uuid: "2a47"
    name: Supported New Alert Category
    fields: [{layout: categories}]
    examples:
      - {hex: "0a", fields: {email: true, call: true}, text: "email, call"}
      - {hex: "00 03", fields: {high_prioritized_alert: true, instant_message: true}}
  - uuid: "2a48"
    name: Supported Unread Alert Category
    fields: [{layout: categories}]
    examples:
      - {hex: "40 00", fields: {voice_mail: true}, text: voice mail}

"""##

private let source_audio: StaticString = ##"""
profile: audio
title: Volume, audio inputs and outputs, microphone, coordinated sets
source: memory, control points held against Zephyr; the GATT Specification Supplement has no layout of these
enumerations:
  mute: {0: not_muted, 1: muted, 2: disabled}
  volume_command: {0: down, 1: up, 2: unmute_and_down, 3: unmute_and_up, 4: set_volume, 5: unmute, 6: mute}
  input_command: {1: set_gain, 2: unmute, 3: mute, 4: manual_gain, 5: automatic_gain}
characteristics:
  - uuid: "2b77"
    name: Audio Input State
    fields:
      - {name: gain, type: i8}
      - {name: mute, type: u8, values: mute, label: ""}
      - {name: gain_mode, type: u8, values: {0: manual_only, 1: automatic_only, 2: manual, 3: automatic}}
      - {name: change_counter, type: u8, quiet: true}
    examples:
      - {hex: "fa 00 02 05", fields: {gain: -6, mute: not_muted, gain_mode: manual, change_counter: 5},
         text: "gain -6, not muted, gain mode manual"}
  - uuid: "2b78"
    name: Gain Settings Attribute
    fields:
      - {name: step, type: u8, scale: {decimal: -1}, unit: dB}
      - {name: minimum, type: i8}
      - {name: maximum, type: i8}
    text: "{minimum} to {maximum} steps of {step}"
    examples:
      - {hex: "05 ec 14", fields: {step: 0.5, minimum: -20, maximum: 20}, text: -20 to 20 steps of 0.5 dB}
  - uuid: "2b79"
    name: Audio Input Type
    fields:
      - name: input_type
        type: u8
        values: {0: unspecified, 1: bluetooth, 2: microphone, 3: analog, 4: digital, 5: radio, 6: streaming, 7: ambient}
    examples:
      - {hex: "02", fields: {input_type: microphone}}
  - uuid: "2b7a"
    name: Audio Input Status
    fields: [{name: input_status, type: u8, values: {0: inactive, 1: active}}]
    examples:
      - {hex: "01", fields: {input_status: active}}
  - uuid: "2b7b"
    name: Audio Input Control Point
    fields:
      - {name: command, type: u8, values: input_command, label: ""}
      - {name: change_counter, type: u8, quiet: true}
      - {name: gain, type: i8, label: "", when: command == 1}
    examples:
      - {hex: "01 05 fa", written: true, fields: {command: set_gain, change_counter: 5, gain: -6}, text: "set gain, -6"}
  - uuid: "2b7c"
    name: Audio Input Description
    fields: [{name: description, type: utf8}]
    examples:
      - {hex: "4d 69 63", fields: {description: Mic}}
  - uuid: "2b7d"
    name: Volume State
    fields:
      - {name: volume, type: u8}
      - {name: mute, type: u8, values: {0: not_muted, 1: muted}, label: "", quiet: [0]}
      - {name: change_counter, type: u8, quiet: true}
    examples:
      - {hex: "80 00 05", fields: {volume: 128, mute: not_muted, change_counter: 5}, text: volume 128}
      - {hex: "80 01 06", fields: {mute: muted}, text: "volume 128, muted"}
  - uuid: "2b7e"
    name: Volume Control Point
    fields:
      - {name: command, type: u8, values: volume_command, label: ""}
      - {name: change_counter, type: u8, quiet: true}
      - {name: volume, type: u8, label: "", when: command == 4}
    examples:
      - {hex: "04 05 80", written: true, fields: {command: set_volume, change_counter: 5, volume: 128},
         text: "set volume, 128"}
      - {hex: "06 05", written: true, fields: {command: mute}, text: mute}
  - uuid: "2b7f"
    name: Volume Flags
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: volume, values: {0: default, 1: set_by_user}}
    examples:
      - {hex: "01", fields: {volume: set_by_user}, text: set by user}
  - uuid: "2b80"
    name: Volume Offset State
    fields:
      - {name: volume_offset, type: i16, range: [-255, 255]}
      - {name: change_counter, type: u8, quiet: true}
    examples:
      - {hex: "f6 ff 05", fields: {volume_offset: -10, change_counter: 5}}
  - uuid: "2b81"
    name: Audio Location
    fields: [{layout: "2bca"}]
    examples:
      - {hex: "01 00 00 00", fields: {front_left: true}, text: front left}
  - uuid: "2b82"
    name: Volume Offset Control Point
    fields:
      - {name: command, type: u8, values: {1: set_volume_offset}, label: ""}
      - {name: change_counter, type: u8, quiet: true}
      - {name: volume_offset, type: i16, range: [-255, 255], label: ""}
    examples:
      - {hex: "01 05 f6 ff", written: true, fields: {command: set_volume_offset, volume_offset: -10}}
  - uuid: "2b83"
    name: Audio Output Description
    fields: [{name: description, type: utf8}]
    examples:
      - {hex: "4c 65 66 74", fields: {description: Left}}
  - uuid: "2b84"
    name: Set Identity Resolving Key
    fields:
      - {name: key_kind, type: u8, values: {0: encrypted, 1: plain}, label: key}
      - {name: key, type: bytes, size: 16, secret: true, label: ""}
    examples:
      - {hex: "00 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f", fields: {key_kind: encrypted},
         text: "key encrypted, <hidden>"}
  - uuid: "2b85"
    name: Coordinated Set Size
    fields: [{name: set_size, type: u8, range: [1, 255]}]
    examples:
      - {hex: "02", fields: {set_size: 2}}
      - {hex: "00", problems: [out_of_range]}
  - uuid: "2b86"
    name: Set Member Lock
    fields: [{name: lock, type: u8, values: {1: unlocked, 2: locked}}]
    examples:
      - {hex: "02", written: true, fields: {lock: locked}}
  - uuid: "2b87"
    name: Set Member Rank
    fields: [{name: rank, type: u8, range: [1, 255]}]
    examples:
      - {hex: "01", fields: {rank: 1}}
  - uuid: "2bc3"
    name: Mute
    fields: [{name: mute, type: u8, values: mute}]
    examples:
      - {hex: "01", fields: {mute: muted}}
  - uuid: "2bca"
    name: Sink Audio Locations
    fields:
      - name: locations
        type: u32
        bits:
          - {bit: 0, name: front_left}
          - {bit: 1, name: front_right}
          - {bit: 2, name: front_center}
          - {bit: 3, name: low_frequency_effects_1}
          - {bit: 4, name: back_left}
          - {bit: 5, name: back_right}
          - {bit: 6, name: front_left_of_center}
          - {bit: 7, name: front_right_of_center}
          - {bit: 8, name: back_center}
          - {bit: 9, name: low_frequency_effects_2}
          - {bit: 10, name: side_left}
          - {bit: 11, name: side_right}
          - {bit: 12, name: top_front_left}
          - {bit: 13, name: top_front_right}
          - {bit: 14, name: top_front_center}
          - {bit: 15, name: top_center}
          - {bit: 16, name: top_back_left}
          - {bit: 17, name: top_back_right}
          - {bit: 18, name: top_side_left}
          - {bit: 19, name: top_side_right}
          - {bit: 20, name: top_back_center}
          - {bit: 21, name: bottom_front_center}
          - {bit: 22, name: bottom_front_left}
          - {bit: 23, name: bottom_front_right}
          - {bit: 24, name: front_left_wide}
          - {bit: 25, name: front_right_wide}
          - {bit: 26, name: left_surround}
          - {bit: 27, name: right_surround}
    examples:
      - {hex: "03 00 00 00", fields: {front_left: true, front_right: true, back_left: false},
         text: "front left, front right"}
      - {hex: "00 00 00 10", problems: [reserved_bits]}
  - uuid: "2bcc"
    name: Source Audio Locations
    fields: [{layout: "2bca"}]
    examples:
      - {hex: "02 00 00 00", fields: {front_right: true}}

"""##

private let source_audio_streams: StaticString = ##"""
profile: audio_streams
title: Published Audio Capabilities, Audio Stream Control and Broadcast Audio Scan Services
source: memory, endpoints held against BlueZ and Zephyr; the GATT Specification Supplement has no layout of these
enumerations:
  coding: {0: µ-law, 1: A-law, 2: CVSD, 3: transparent, 4: linear_PCM, 5: mSBC, 6: LC3, 255: vendor}
  operation: {1: configure_codec, 2: configure_qos, 3: enable, 4: receiver_start_ready, 5: disable,
              6: receiver_stop_ready, 7: update_metadata, 8: release}
  scan_operation: {0: remote_scan_stopped, 1: remote_scan_started, 2: add_source, 3: modify_source,
                   4: set_broadcast_code, 5: remove_source}
  state: {0: idle, 1: codec_configured, 2: qos_configured, 3: enabling, 4: streaming, 5: disabling, 6: releasing}
structures:
  codec:
    - {name: coding, type: u8, values: coding, label: ""}
    - {name: company, type: u16, values: company, quiet: [0]}
    - {name: vendor_codec, type: u16, format: hex, quiet: [0]}
  # A length, which counts what follows it: a type and a value.
  parameters:
    - name: parameters
      label: ""
      repeat: rest
      prefix: u8
      fields:
        - {name: kind, type: u8}
        - {name: parameter, type: bytes, label: ""}
  contexts:
    - name: contexts
      type: u16
      bits:
        - {bit: 0, name: unspecified}
        - {bit: 1, name: conversational}
        - {bit: 2, name: media}
        - {bit: 3, name: game}
        - {bit: 4, name: instructional}
        - {bit: 5, name: voice_assistants}
        - {bit: 6, name: live}
        - {bit: 7, name: sound_effects}
        - {bit: 8, name: notifications}
        - {bit: 9, name: ringtone}
        - {bit: 10, name: alerts}
        - {bit: 11, name: emergency_alarm}
  capabilities:
    - {name: record_count, type: u8, label: records}
    - name: records
      label: ""
      repeat: record_count
      fields:
        - {layout: codec}
        - {name: capabilities, prefix: u8, quiet: true, layout: parameters}
        - {name: metadata, prefix: u8, quiet: true, layout: parameters}
  endpoint:
    - {name: endpoint, type: u8}
    - {name: state, type: u8, values: state, label: ""}
    - choose: state
      cases:
        1:
          - {name: framing, type: u8, values: {0: unframed_supported, 1: unframed_not_supported}, quiet: true}
          - {name: preferred_phy, type: u8, quiet: true}
          - {name: preferred_retransmissions, type: u8, quiet: true}
          - {name: latency, type: u16, unit: ms}
          - {name: least_delay, type: u24, unit: µs, quiet: true}
          - {name: greatest_delay, type: u24, unit: µs, quiet: true}
          - {name: least_preferred_delay, type: u24, unit: µs, quiet: true}
          - {name: greatest_preferred_delay, type: u24, unit: µs, quiet: true}
          - {layout: codec}
          - {name: configuration, prefix: u8, quiet: true, layout: parameters}
        2:
          - {layout: quality}
        "3-5":
          - {name: cig, type: u8, label: CIG}
          - {name: cis, type: u8, label: CIS}
          - {name: metadata, prefix: u8, quiet: true, layout: parameters}
  quality:
    - {name: cig, type: u8, label: CIG}
    - {name: cis, type: u8, label: CIS}
    - {name: sdu_interval, type: u24, unit: µs, label: SDU every}
    - {name: framing, type: u8, values: {0: unframed, 1: framed}, quiet: true}
    - {name: phy, type: u8, quiet: true}
    - {name: sdu_size, type: u16, unit: bytes, label: of up to}
    - {name: retransmissions, type: u8, quiet: true}
    - {name: latency, type: u16, unit: ms}
    - {name: presentation_delay, type: u24, unit: µs}
  source_address:
    - {name: address_type, type: u8, values: {0: public, 1: random}, quiet: true}
    - {name: address, type: address, label: ""}
    - {name: advertising_set, type: u8, label: set}
    - {name: broadcast_id, type: u24, format: hex, label: broadcast}
  synchronization:
    - {name: pa_sync, type: u8, values: {0: do_not, 1: with_transfer, 2: without_transfer}, label: synchronize}
    - {name: pa_interval, type: u16, scale: {multiply: 1.25}, unit: ms, special: {0xffff: unknown}, quiet: [0xffff]}
  subgroups:
    - {name: subgroup_count, type: u8, label: subgroups}
    - name: subgroups
      label: ""
      repeat: subgroup_count
      fields:
        - {name: streams, type: u32, format: hex}
        - {name: metadata, prefix: u8, quiet: true, layout: parameters}
characteristics:
  - uuid: "2bc4"
    name: Sink ASE
    fields: [{layout: endpoint}]
    examples:
      - {hex: "01 00", fields: {endpoint: 1, state: idle}, text: "endpoint 1, idle"}
      - hex: "01 02 00 01 10 27 00 00 02 78 00 05 14 00 40 9c 00"
        fields: {state: qos_configured, cig: 0, cis: 1, sdu_interval: 10000, sdu_size: 120, latency: 20,
                 presentation_delay: 40000}
      - hex: "01 01 00 02 05 14 00 40 9c 00 40 9c 00 40 9c 00 40 9c 00 06 00 00 00 00 03 02 01 08"
        fields: {state: codec_configured, coding: LC3, configuration: {parameters: [{kind: 1, parameter: "08"}]}}
      - {hex: "01 04 00 01 04 03 02 04 00", fields: {state: streaming,
         metadata: {parameters: [{kind: 2, parameter: "0400"}]}}, text: "endpoint 1, streaming, CIG 0, CIS 1"}
  - uuid: "2bc5"
    name: Source ASE
    fields: [{layout: endpoint}]
    examples:
      - {hex: "02 06", fields: {endpoint: 2, state: releasing}}
  - uuid: "2bc6"
    name: ASE Control Point
    fields:
      - {name: command, type: u8, values: operation, label: ""}
      # 255 in a response: it is about the request, not about an endpoint.
      - {name: endpoint_count, type: u8, quiet: true}
      - name: endpoints
        label: ""
        when: written
        repeat: endpoint_count
        fields:
          - {name: endpoint, type: u8}
          - choose: command
            cases:
              1:
                - {name: target_latency, type: u8, values: {1: low, 2: balanced, 3: high}, label: latency}
                - {name: target_phy, type: u8, values: {1: LE 1M, 2: LE 2M, 3: LE Coded}, label: ""}
                - {layout: codec}
                - {name: configuration, prefix: u8, quiet: true, layout: parameters}
              2: [{layout: quality}]
              3: [{name: metadata, prefix: u8, quiet: true, layout: parameters}]
              7: [{name: metadata, prefix: u8, quiet: true, layout: parameters}]
      - name: results
        label: ""
        when: "!written"
        repeat: endpoint_count * (endpoint_count != 255) + (endpoint_count == 255)
        fields:
          - {name: endpoint, type: u8}
          - name: result
            type: u8
            label: ""
            values: {0: success, 1: op_code_not_supported, 2: invalid_length, 3: invalid_endpoint, 4: invalid_transition,
                     5: invalid_direction, 6: capabilities_not_supported, 7: parameter_not_supported,
                     8: parameter_rejected, 9: invalid_parameter, 10: metadata_not_supported, 11: metadata_rejected,
                     12: invalid_metadata, 13: insufficient_resources, 14: unspecified_error}
          - {name: reason, type: u8, quiet: [0]}
    exchange: {response: command}
    examples:
      - hex: "01 01 01 02 02 06 00 00 00 00 03 02 01 08"
        written: true
        fields: {command: configure_codec, endpoints: [{endpoint: 1, target_latency: balanced, target_phy: LE 2M,
                 coding: LC3, configuration: {parameters: [{kind: 1, parameter: "08"}]}}]}
        text: "configure codec, endpoint 1, latency balanced, LE 2M, LC3"
      - hex: "02 01 01 00 01 10 27 00 00 02 78 00 05 14 00 40 9c 00"
        written: true
        fields: {command: configure_qos, endpoints: [{endpoint: 1, cig: 0, cis: 1, sdu_interval: 10000, sdu_size: 120,
                 latency: 20, presentation_delay: 40000}]}
      - {hex: "03 02 01 00 02 00", written: true, fields: {command: enable, endpoints: [{endpoint: 1}, {endpoint: 2}]},
         text: "enable, endpoint 1; endpoint 2"}
      - {hex: "08 01 01", written: true, fields: {command: release}, text: "release, endpoint 1"}
      - {hex: "03 02 01 00 00 02 00 00", fields: {results: [{endpoint: 1, result: success, reason: 0},
         {endpoint: 2, result: success}]}, text: "enable, endpoint 1, success; endpoint 2, success"}
      - {hex: "01 ff 00 02 00", fields: {results: [{endpoint: 0, result: invalid_length}]}}
  - uuid: "2bc7"
    name: Broadcast Audio Scan Control Point
    fields:
      - {name: command, type: u8, values: scan_operation, label: ""}
      - choose: command
        cases:
          2:
            - {layout: source_address}
            - {layout: synchronization}
            - {layout: subgroups}
          3:
            - {name: source_id, type: u8, label: source}
            - {layout: synchronization}
            - {layout: subgroups}
          4:
            - {name: source_id, type: u8, label: source}
            - {name: broadcast_code, type: bytes, size: 16, secret: true}
          5: [{name: source_id, type: u8, label: source}]
    examples:
      - {hex: "01", written: true, fields: {command: remote_scan_started}, text: remote scan started}
      - hex: "02 01 56 34 12 ef cd eb 03 cc bb aa 01 50 00 01 03 00 00 00 00"
        written: true
        fields: {command: add_source, address_type: random, address: "EB:CD:EF:12:34:56", advertising_set: 3,
                 broadcast_id: "0xaabbcc", pa_sync: with_transfer, pa_interval: 100,
                 subgroups: [{streams: "0x00000003"}]}
      - {hex: "04 01 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f", written: true,
         fields: {command: set_broadcast_code, source_id: 1},
         text: "set broadcast code, source 1, broadcast code <hidden>"}
      - {hex: "05 01", written: true, fields: {command: remove_source, source_id: 1}}
  - uuid: "2bc8"
    size: 0
    name: Broadcast Receive State
    fields: []
    text: no source
    examples:
      - {hex: "", text: no source}
  - uuid: "2bc8"
    name: Broadcast Receive State
    fields:
      - {name: source_id, type: u8, label: source}
      - {layout: source_address}
      - name: pa_sync
        type: u8
        label: ""
        values: {0: not_synchronized, 1: transfer_requested, 2: synchronized, 3: failed, 4: no_transfer}
      - {name: encryption, type: u8, values: {0: not_encrypted, 1: code_required, 2: decrypting, 3: bad_code}, label: ""}
      - {name: bad_code, type: bytes, size: 16, secret: true, when: encryption == 3}
      - {layout: subgroups}
    examples:
      - hex: "01 01 56 34 12 ef cd eb 03 cc bb aa 02 00 01 03 00 00 00 00"
        fields: {source_id: 1, address: "EB:CD:EF:12:34:56", broadcast_id: "0xaabbcc", pa_sync: synchronized,
                 encryption: not_encrypted, subgroups: [{streams: "0x00000003"}]}
        text: "source 1, EB:CD:EF:12:34:56, set 3, broadcast 0xaabbcc, synchronized, not encrypted, subgroups 1, \
               0x00000003"
  - uuid: "2bc9"
    name: Sink PAC
    fields: [{layout: capabilities}]
    examples:
      - hex: "01 06 00 00 00 00 04 03 01 ff 00 00"
        fields: {records: [{coding: LC3, capabilities: {parameters: [{kind: 1, parameter: ff00}]}}]}
        text: "records 1, LC3"
  - uuid: "2bcb"
    name: Source PAC
    fields: [{layout: capabilities}]
    examples:
      - {hex: "00", fields: {record_count: 0}}
  - uuid: "2bcd"
    name: Available Audio Contexts
    fields:
      - {name: sink, layout: contexts}
      - {name: source, layout: contexts}
    examples:
      - {hex: "06 00 02 00", fields: {sink: {conversational: true, media: true}, source: {conversational: true}},
         text: "sink conversational, media, source conversational"}
  - uuid: "2bce"
    name: Supported Audio Contexts
    fields:
      - {name: sink, layout: contexts}
      - {name: source, layout: contexts}
    examples:
      - {hex: "ff 0f 00 00", fields: {sink: {emergency_alarm: true}, source: {media: false}}}

"""##

private let source_battery: StaticString = ##"""
profile: battery
title: Battery Service
source: GATT Specification Supplement
characteristics:
  - uuid: "2a19"
    name: Battery Level
    fields: [{name: battery_level, type: u8, unit: "%", range: [0, 100]}]
    examples:
      - {hex: "64", fields: {battery_level: 100}, text: 100 %}
      - {hex: "ff", fields: {battery_level: 255}, problems: [out_of_range]}
  - uuid: "2be9"
    name: Battery Critical Status
    fields:
      - name: status
        type: u8
        bits:
          - {bit: 0, name: critical_power_state}
          - {bit: 1, name: immediate_service_required}
    examples:
      - {hex: "02", fields: {critical_power_state: false, immediate_service_required: true},
         text: immediate service required}
  - uuid: "2bea"
    name: Battery Health Status
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_health}
          - {bit: 1, name: has_cycle_count}
          - {bit: 2, name: has_temperature}
          - {bit: 3, name: has_deep_discharge_count}
      - {name: health, type: u8, unit: "%", range: [0, 100], when: flags.has_health}
      - {name: cycle_count, type: u16, label: cycles, when: flags.has_cycle_count}
      - {name: temperature, type: i8, unit: °C, special: {0x7f: above_126, 0x80: below_minus_127},
         when: flags.has_temperature}
      - {name: deep_discharge_count, type: u16, label: deep discharges, when: flags.has_deep_discharge_count}
    examples:
      - hex: "0f 5a 2c 01 19 03 00"
        fields: {health: 90, cycle_count: 300, temperature: 25, deep_discharge_count: 3}
        text: "health 90 %, cycles 300, temperature 25 °C, deep discharges 3"
      - {hex: "04 80", fields: {temperature: below_minus_127}}
  - uuid: "2beb"
    name: Battery Health Information
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_designed_cycles}
          - {bit: 1, name: has_temperatures}
      - {name: designed_cycles, type: u16, when: flags.has_designed_cycles}
      - {name: minimum_temperature, type: i8, unit: °C, special: {0x7f: above_126, 0x80: below_minus_127},
         when: flags.has_temperatures}
      - {name: maximum_temperature, type: i8, unit: °C, special: {0x7f: above_126, 0x80: below_minus_127},
         when: flags.has_temperatures}
    examples:
      - {hex: "03 e8 03 ec 3c", fields: {designed_cycles: 1000, minimum_temperature: -20, maximum_temperature: 60}}
  - uuid: "2bec"
    name: Battery Information
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: has_manufacture_date}
          - {bit: 1, name: has_expiration_date}
          - {bit: 2, name: has_designed_capacity}
          - {bit: 3, name: has_low_energy}
          - {bit: 4, name: has_critical_energy}
          - {bit: 5, name: has_chemistry}
          - {bit: 6, name: has_nominal_voltage}
          - {bit: 7, name: has_aggregation_group}
      - name: features
        type: u8
        bits:
          - {bit: 0, name: replaceable}
          - {bit: 1, name: rechargeable}
      - {name: manufacture_date, type: u24, unit: d, epoch: "1970-01-01", special: {0: not_known}, label: made,
         when: flags.has_manufacture_date}
      - {name: expiration_date, type: u24, unit: d, epoch: "1970-01-01", special: {0: not_known}, label: expires,
         when: flags.has_expiration_date}
      - {name: designed_capacity, type: medfloat16, unit: kWh, when: flags.has_designed_capacity}
      - {name: low_energy, type: medfloat16, unit: kWh, label: low at, when: flags.has_low_energy}
      - {name: critical_energy, type: medfloat16, unit: kWh, label: critical at, when: flags.has_critical_energy}
      - name: chemistry
        type: u8
        label: ""
        when: flags.has_chemistry
        values: {0: unknown, 1: alkaline, 2: lead_acid, 3: lithium_iron_disulfide, 4: lithium_manganese_dioxide,
                 5: lithium_ion, 6: lithium_polymer, 7: nickel_oxyhydroxide, 8: nickel_cadmium,
                 9: nickel_metal_hydride, 10: silver_oxide, 11: zinc_chloride, 12: zinc_air, 13: zinc_carbon, 255: other}
      - {name: nominal_voltage, type: medfloat16, unit: V, label: "", when: flags.has_nominal_voltage}
      - {name: aggregation_group, type: u8, special: {0: none}, when: flags.has_aggregation_group}
    examples:
      - hex: "61 00 02 eb 4c 00 05 25 f0"
        fields: {rechargeable: true, manufacture_date: "2023-11-30", chemistry: lithium_ion, nominal_voltage: 3.7}
        text: "rechargeable, made 2023-11-30, lithium ion, 3.7 V"
  - uuid: "2bed"
    name: Battery Level Status
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_identifier}
          - {bit: 1, name: has_level}
          - {bit: 2, name: has_additional_status}
      - name: power_state
        type: u16
        bits:
          - {bit: 0, name: battery_present, quiet: [1]}
          - {bits: [1, 2], name: wired_power, values: {0: "no", 1: connected, 2: unknown}, quiet: [0]}
          - {bits: [3, 4], name: wireless_power, values: {0: "no", 1: connected, 2: unknown}, quiet: [0]}
          - {bits: [5, 6], name: charge_state, label: "", quiet: [0],
             values: {0: unknown, 1: charging, 2: discharging, 3: discharging_inactive}}
          - {bits: [7, 8], name: charge_level, values: {0: unknown, 1: good, 2: low, 3: critical}, quiet: [0]}
          - {bits: [9, 11], name: charging_type, quiet: [0],
             values: {0: unknown_or_not_charging, 1: constant_current, 2: constant_voltage, 3: trickle, 4: float}}
          - {bit: 12, name: charging_fault_of_battery}
          - {bit: 13, name: charging_fault_of_power_source}
          - {bit: 14, name: charging_fault_other}
      - {name: identifier, type: u16, format: hex, when: flags.has_identifier}
      - {name: battery_level, type: u8, unit: "%", range: [0, 100], label: "", when: flags.has_level}
      - name: additional_status
        type: u8
        when: flags.has_additional_status
        bits:
          - {bits: [0, 1], name: service_required, values: {0: "no", 1: "yes", 2: unknown}, quiet: [0]}
          - {bit: 2, name: battery_fault}
    examples:
      - hex: "02 a3 02 55"
        fields: {battery_present: true, wired_power: connected, charge_state: charging, charge_level: good,
                 charging_type: constant_current, battery_level: 85}
        text: "wired power connected, charging, charge level good, charging type constant current, 85 %"
      - {hex: "05 41 01 06 01 04", fields: {charge_state: discharging, charge_level: low, identifier: "0x0106",
         battery_fault: true}}
  - uuid: "2bee"
    name: Battery Time Status
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_standby}
          - {bit: 1, name: has_recharged}
      - {name: until_discharged, type: u24, unit: min, special: {0xffffff: not_known, 0xfffffe: greater}}
      - {name: until_discharged_on_standby, type: u24, unit: min, special: {0xffffff: not_known, 0xfffffe: greater},
         when: flags.has_standby}
      - {name: until_recharged, type: u24, unit: min, special: {0xffffff: not_known, 0xfffffe: greater},
         when: flags.has_recharged}
    examples:
      - {hex: "02 ff ff ff 2d 00 00", fields: {until_discharged: not_known, until_recharged: 45},
         text: "until discharged not known, until recharged 45 min"}
  - uuid: "2bef"
    name: Estimated Service Date
    fields: [{name: service_date, type: u24, unit: d, epoch: "1970-01-01", special: {0: not_known}}]
    examples:
      - {hex: "eb 4c 00", fields: {service_date: "2023-11-30"}, text: 2023-11-30}
  - uuid: "2bf0"
    name: Battery Energy Status
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_source_power}
          - {bit: 1, name: has_voltage}
          - {bit: 2, name: has_energy}
          - {bit: 3, name: has_capacity}
          - {bit: 4, name: has_charge_rate}
          - {bit: 5, name: has_energy_at_last_charge}
      - {name: external_source_power, type: medfloat16, unit: W, when: flags.has_source_power}
      - {name: voltage, type: medfloat16, unit: V, label: "", when: flags.has_voltage}
      - {name: available_energy, type: medfloat16, unit: kWh, when: flags.has_energy}
      - {name: available_capacity, type: medfloat16, unit: kWh, when: flags.has_capacity}
      - {name: charge_rate, type: medfloat16, unit: W, when: flags.has_charge_rate}
      - {name: energy_at_last_charge, type: medfloat16, unit: kWh, when: flags.has_energy_at_last_charge}
    examples:
      - {hex: "12 25 f0 f1 ff", fields: {voltage: 3.7, charge_rate: -1.5}, problems: []}

"""##

private let source_blood_pressure: StaticString = ##"""
profile: blood_pressure
title: Blood Pressure Service
source: GATT Specification Supplement
structures:
  status:
    - name: status
      type: u16
      bits:
        - {bit: 0, name: body_movement}
        - {bit: 1, name: cuff_too_loose}
        - {bit: 2, name: irregular_pulse}
        - {bits: [3, 4], name: pulse_rate_range, values: {0: within, 1: above, 2: below}, quiet: [0]}
        - {bit: 5, name: improper_position}
characteristics:
  - uuid: "2a35"
    name: Blood Pressure Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: kpa}
          - {bit: 1, name: has_time}
          - {bit: 2, name: has_pulse_rate}
          - {bit: 3, name: has_user}
          - {bit: 4, name: has_status}
      - {name: systolic, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: diastolic, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: mean, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: systolic, type: medfloat16, unit: kPa, when: flags.kpa}
      - {name: diastolic, type: medfloat16, unit: kPa, when: flags.kpa}
      - {name: mean, type: medfloat16, unit: kPa, when: flags.kpa}
      - {name: time, type: datetime, label: at, when: flags.has_time}
      - {name: pulse_rate, type: medfloat16, unit: bpm, label: pulse, when: flags.has_pulse_rate}
      - {name: user_id, type: u8, special: {255: unknown}, label: user, when: flags.has_user}
      - {layout: status, when: flags.has_status}
    examples:
      - hex: "1e 8a 00 58 00 78 00 00 00 04 11 14 29 3b 3c 00 01 27 00"
        fields: {systolic: 138, diastolic: 88, mean: 120, time: "????-04-17T20:41:59", pulse_rate: 60, user_id: 1,
                 body_movement: true, cuff_too_loose: true, irregular_pulse: true, pulse_rate_range: within,
                 improper_position: true}
        source: Android BLE Common Library, BloodPressureMeasurementDataCallbackTest
      - hex: "15 bd f0 0b 00 9f f0 3c 00 12 00"
        fields: {systolic: 18.9, diastolic: 11, mean: 15.9, pulse_rate: 60, cuff_too_loose: true,
                 pulse_rate_range: below, body_movement: false}
        source: Android BLE Common Library, BloodPressureMeasurementDataCallbackTest
      - hex: "1e 78 00 50 00 5d 00 ea 07 0b 16 05 1a 32 48 00 01 04 00"
        fields: {systolic: 120, diastolic: 80, mean: 93, time: "2026-11-22T05:26:50", pulse_rate: 72, user_id: 1,
                 irregular_pulse: true}
        text: "systolic 120 mmHg, diastolic 80 mmHg, mean 93 mmHg, at 2026-11-22 05:26:50, pulse 72 bpm, user 1, \
               irregular pulse"
      - hex: "01 a0 f0 6b f0 ff 07"
        fields: {systolic: 16, diastolic: 10.7, mean: nan}
        text: "systolic 16.0 kPa, diastolic 10.7 kPa, mean nan"
  - uuid: "2a36"
    name: Intermediate Cuff Pressure
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: kpa}
          - {bit: 1, name: has_time}
          - {bit: 2, name: has_pulse_rate}
          - {bit: 3, name: has_user}
          - {bit: 4, name: has_status}
      - {name: cuff_pressure, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: cuff_pressure, type: medfloat16, unit: kPa, when: flags.kpa}
      # What the measurement's diastolic and mean pressure would be: not a number.
      - {name: unused, type: medfloat16, repeat: 2, quiet: true}
      - {name: time, type: datetime, label: at, when: flags.has_time}
      - {name: pulse_rate, type: medfloat16, unit: bpm, label: pulse, when: flags.has_pulse_rate}
      - {name: user_id, type: u8, special: {255: unknown}, label: user, when: flags.has_user}
      - {layout: status, when: flags.has_status}
    examples:
      - hex: "14 96 00 ff 07 ff 07 48 00 00 00"
        fields: {cuff_pressure: 150, unused: [nan, nan], pulse_rate: 72, irregular_pulse: false}
        text: "cuff pressure 150 mmHg, pulse 72 bpm"
  - uuid: "2a49"
    name: Blood Pressure Feature
    fields:
      - name: features
        type: u16
        bits:
          - {bit: 0, name: body_movement_detection}
          - {bit: 1, name: cuff_fit_detection}
          - {bit: 2, name: irregular_pulse_detection}
          - {bit: 3, name: pulse_rate_range_detection}
          - {bit: 4, name: measurement_position_detection}
          - {bit: 5, name: multiple_bonds}
          - {bit: 6, name: e2e_crc, label: E2E-CRC}
          - {bit: 7, name: user_data_service}
          - {bit: 8, name: user_facing_time}
    examples:
      - hex: "47 00"
        fields: {body_movement_detection: true, cuff_fit_detection: true, irregular_pulse_detection: true,
                 multiple_bonds: false, e2e_crc: true}
        text: "body movement detection, cuff fit detection, irregular pulse detection, E2E-CRC"
      - {hex: "00 02", problems: [reserved_bits]}
  - uuid: "2b34"
    name: Enhanced Blood Pressure Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: kpa}
          - {bit: 1, name: has_time}
          - {bit: 2, name: has_pulse_rate}
          - {bit: 3, name: has_user}
          - {bit: 4, name: has_status}
          - {bit: 5, name: has_user_time}
          - {bit: 6, name: since_2000}
      - {name: systolic, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: diastolic, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: mean, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: systolic, type: medfloat16, unit: kPa, when: flags.kpa}
      - {name: diastolic, type: medfloat16, unit: kPa, when: flags.kpa}
      - {name: mean, type: medfloat16, unit: kPa, when: flags.kpa}
      - {name: time, type: u32, epoch: "1900-01-01", label: at, when: flags.has_time && !flags.since_2000}
      - {name: time, type: u32, epoch: "2000-01-01", label: at, when: flags.has_time && flags.since_2000}
      - {name: pulse_rate, type: medfloat16, unit: bpm, label: pulse, when: flags.has_pulse_rate}
      - {name: user_id, type: u8, special: {255: unknown}, label: user, when: flags.has_user}
      - {layout: status, when: flags.has_status}
      - {name: user_facing_time, type: u32, epoch: "1900-01-01", when: flags.has_user_time && !flags.since_2000}
      - {name: user_facing_time, type: u32, epoch: "2000-01-01", when: flags.has_user_time && flags.since_2000}
    examples:
      - hex: "66 78 00 50 00 5d 00 80 51 01 00 48 00 90 5f 01 00"
        fields: {systolic: 120, diastolic: 80, mean: 93, time: "2000-01-02T00:00:00Z", pulse_rate: 72,
                 user_facing_time: "2000-01-02T01:00:00Z"}
  - uuid: "2b35"
    name: Enhanced Intermediate Cuff Pressure
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: kpa}
          - {bit: 1, name: has_time}
          - {bit: 2, name: has_pulse_rate}
          - {bit: 3, name: has_user}
          - {bit: 4, name: has_status}
          - {bit: 5, name: has_user_time}
          - {bit: 6, name: since_2000}
      - {name: cuff_pressure, type: medfloat16, unit: mmHg, when: "!flags.kpa"}
      - {name: cuff_pressure, type: medfloat16, unit: kPa, when: flags.kpa}
      - {name: time, type: u32, epoch: "1900-01-01", label: at, when: flags.has_time && !flags.since_2000}
      - {name: time, type: u32, epoch: "2000-01-01", label: at, when: flags.has_time && flags.since_2000}
      - {name: pulse_rate, type: medfloat16, unit: bpm, label: pulse, when: flags.has_pulse_rate}
      - {name: user_id, type: u8, special: {255: unknown}, label: user, when: flags.has_user}
      - {layout: status, when: flags.has_status}
      - {name: user_facing_time, type: u32, epoch: "1900-01-01", when: flags.has_user_time && !flags.since_2000}
      - {name: user_facing_time, type: u32, epoch: "2000-01-01", when: flags.has_user_time && flags.since_2000}
    examples:
      - hex: "0a 96 00 80 51 01 00 ff"
        fields: {cuff_pressure: 150, time: "1900-01-02T00:00:00Z", user_id: unknown}
  - uuid: "2b36"
    name: Blood Pressure Record
    fields:
      - name: segmentation
        type: u8
        bits:
          - {bit: 0, name: first_segment}
          - {bit: 1, name: last_segment}
          - {bits: [2, 7], name: segment_counter, quiet: true}
      - {name: sequence_number, type: u16, label: record}
      - {name: characteristic, type: u16, values: uuid, label: of}
      # Only what came in one segment can be read; the CRC is that of the whole record.
      - choose: segmentation.first_segment && segmentation.last_segment && characteristic == 0x2b34
        cases:
          1: [{name: measurement, layout: "2b34", label: ""}]
          other:
            - {name: segment, type: bytes, size: "remaining - 2 * (segmentation.last_segment && @2a49.features.e2e_crc)"}
      - {name: e2e_crc, type: u16, format: hex, quiet: true, when: segmentation.last_segment && @2a49.features.e2e_crc}
    examples:
      - hex: "03 07 00 34 2b 00 78 00 50 00 5d 00"
        fields: {first_segment: true, last_segment: true, sequence_number: 7, characteristic: "0x2b34",
                 measurement: {systolic: 120, diastolic: 80, mean: 93}}
      - hex: "05 07 00 34 2b 78 00"
        fields: {first_segment: true, last_segment: false, segment_counter: 1, segment: "7800"}
        context: {"2a49": "00 00"}

"""##

private let source_body_composition: StaticString = ##"""
profile: body_composition
title: Weight Scale and Body Composition Services
source: GATT Specification Supplement
enumerations:
  weight_resolution: {0: not_specified, 1: "0.5 kg or 1 lb", 2: "0.2 kg or 0.5 lb", 3: "0.1 kg or 0.2 lb",
                      4: "0.05 kg or 0.1 lb", 5: "0.02 kg or 0.05 lb", 6: "0.01 kg or 0.02 lb", 7: "0.005 kg or 0.01 lb"}
  height_resolution: {0: not_specified, 1: "0.01 m or 1 in", 2: "0.005 m or 0.5 in", 3: "0.001 m or 0.1 in"}
characteristics:
  - uuid: "2a9b"
    name: Body Composition Feature
    fields:
      - name: features
        type: u32
        bits:
          - {bit: 0, name: time_stamp}
          - {bit: 1, name: multiple_users}
          - {bit: 2, name: basal_metabolism}
          - {bit: 3, name: muscle_percentage}
          - {bit: 4, name: muscle_mass}
          - {bit: 5, name: fat_free_mass}
          - {bit: 6, name: soft_lean_mass}
          - {bit: 7, name: body_water_mass}
          - {bit: 8, name: impedance}
          - {bit: 9, name: weight}
          - {bit: 10, name: height}
          - {bits: [11, 14], name: weight_resolution, values: weight_resolution, quiet: [0]}
          - {bits: [15, 17], name: height_resolution, values: height_resolution, quiet: [0]}
    examples:
      - hex: "03 a2 01 00"
        fields: {time_stamp: true, multiple_users: true, weight: true, weight_resolution: "0.05 kg or 0.1 lb",
                 height_resolution: "0.001 m or 0.1 in"}
        text: "time stamp, multiple users, weight, weight resolution 0.05 kg or 0.1 lb, \
               height resolution 0.001 m or 0.1 in"
  - uuid: "2a9c"
    name: Body Composition Measurement
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: imperial}
          - {bit: 1, name: has_time}
          - {bit: 2, name: has_user}
          - {bit: 3, name: has_basal_metabolism}
          - {bit: 4, name: has_muscle_percentage}
          - {bit: 5, name: has_muscle_mass}
          - {bit: 6, name: has_fat_free_mass}
          - {bit: 7, name: has_soft_lean_mass}
          - {bit: 8, name: has_body_water_mass}
          - {bit: 9, name: has_impedance}
          - {bit: 10, name: has_weight}
          - {bit: 11, name: has_height}
          - {bit: 12, name: more_packets}
      - {name: body_fat, type: u16, scale: {decimal: -1}, unit: "%", special: {0xffff: unsuccessful}}
      - {name: time, type: datetime, label: at, when: flags.has_time}
      - {name: user_id, type: u8, special: {255: unknown}, label: user, when: flags.has_user}
      - {name: basal_metabolism, type: u16, unit: kJ, when: flags.has_basal_metabolism}
      - {name: muscle_percentage, type: u16, scale: {decimal: -1}, unit: "%", label: muscle,
         when: flags.has_muscle_percentage}
      - {name: muscle_mass, type: u16, scale: {multiply: 0.005}, unit: kg, when: flags.has_muscle_mass && !flags.imperial}
      - {name: muscle_mass, type: u16, scale: {decimal: -2}, unit: lb, when: flags.has_muscle_mass && flags.imperial}
      - {name: fat_free_mass, type: u16, scale: {multiply: 0.005}, unit: kg,
         when: flags.has_fat_free_mass && !flags.imperial}
      - {name: fat_free_mass, type: u16, scale: {decimal: -2}, unit: lb, when: flags.has_fat_free_mass && flags.imperial}
      - {name: soft_lean_mass, type: u16, scale: {multiply: 0.005}, unit: kg,
         when: flags.has_soft_lean_mass && !flags.imperial}
      - {name: soft_lean_mass, type: u16, scale: {decimal: -2}, unit: lb,
         when: flags.has_soft_lean_mass && flags.imperial}
      - {name: body_water_mass, type: u16, scale: {multiply: 0.005}, unit: kg,
         when: flags.has_body_water_mass && !flags.imperial}
      - {name: body_water_mass, type: u16, scale: {decimal: -2}, unit: lb,
         when: flags.has_body_water_mass && flags.imperial}
      # The exponent −2 that is printed contradicts the resolution of 0.1 Ω beside it, which is the service's.
      - {name: impedance, type: u16, scale: {decimal: -1}, unit: Ω, when: flags.has_impedance}
      - {name: weight, type: u16, scale: {multiply: 0.005}, unit: kg, when: flags.has_weight && !flags.imperial}
      - {name: weight, type: u16, scale: {decimal: -2}, unit: lb, when: flags.has_weight && flags.imperial}
      - {name: height, type: u16, scale: {decimal: -3}, unit: m, when: flags.has_height && !flags.imperial}
      - {name: height, type: u16, scale: {decimal: -1}, unit: in, when: flags.has_height && flags.imperial}
    examples:
      - hex: "fe 0f b9 00 ea 07 0b 16 05 1a 32 01 58 1b a4 01 e0 2e 50 2d c0 2b 40 24 88 13 e0 38 fe 06"
        fields: {body_fat: 18.5, time: "2026-11-22T05:26:50", user_id: 1, basal_metabolism: 7000,
                 muscle_percentage: 42, muscle_mass: 60, fat_free_mass: 58, soft_lean_mass: 56, body_water_mass: 46.4,
                 impedance: 500, weight: 72.8, height: 1.79}
      - {hex: "01 04 ff ff 10 27", fields: {body_fat: unsuccessful, weight: 100},
         text: "body fat unsuccessful, weight 100.00 lb"}
  - uuid: "2a9d"
    name: Weight Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: imperial}
          - {bit: 1, name: has_time}
          - {bit: 2, name: has_user}
          - {bit: 3, name: has_bmi}
      - {name: weight, type: u16, scale: {multiply: 0.005}, unit: kg, special: {0xffff: unsuccessful}, label: "",
         when: "!flags.imperial"}
      - {name: weight, type: u16, scale: {decimal: -2}, unit: lb, special: {0xffff: unsuccessful}, label: "",
         when: flags.imperial}
      - {name: time, type: datetime, label: at, when: flags.has_time}
      - {name: user_id, type: u8, special: {255: unknown}, label: user, when: flags.has_user}
      - {name: bmi, type: u16, scale: {decimal: -1}, unit: kg/m², label: BMI, when: flags.has_bmi}
      - {name: height, type: u16, scale: {decimal: -3}, unit: m, when: flags.has_bmi && !flags.imperial}
      - {name: height, type: u16, scale: {decimal: -1}, unit: in, when: flags.has_bmi && flags.imperial}
    examples:
      - hex: "0e e0 38 ea 07 0b 16 05 1a 32 01 e3 00 fe 06"
        fields: {weight: 72.8, time: "2026-11-22T05:26:50", user_id: 1, bmi: 22.7, height: 1.79}
        text: "72.800 kg, at 2026-11-22 05:26:50, user 1, BMI 22.7 kg/m², height 1.790 m"
      - {hex: "01 ac 3e", fields: {weight: 160.44}, text: 160.44 lb}
  - uuid: "2a9e"
    name: Weight Scale Feature
    fields:
      - name: features
        type: u32
        bits:
          - {bit: 0, name: time_stamp}
          - {bit: 1, name: multiple_users}
          - {bit: 2, name: bmi, label: BMI}
          - {bits: [3, 6], name: weight_resolution, values: weight_resolution, quiet: [0]}
          - {bits: [7, 9], name: height_resolution, values: height_resolution, quiet: [0]}
    examples:
      - {hex: "25 00 00 00", fields: {time_stamp: true, bmi: true, weight_resolution: "0.05 kg or 0.1 lb"},
         text: "time stamp, BMI, weight resolution 0.05 kg or 0.1 lb"}

"""##

private let source_continuous_glucose: StaticString = ##"""
profile: continuous_glucose
title: Continuous Glucose Monitoring Service
source: GATT Specification Supplement
enumerations:
  sample_type: {1: capillary_whole_blood, 2: capillary_plasma, 3: venous_whole_blood, 4: venous_plasma,
                5: arterial_whole_blood, 6: arterial_plasma, 7: undetermined_whole_blood, 8: undetermined_plasma,
                9: interstitial_fluid, 10: control_solution}
  sample_location: {1: finger, 2: alternate_site_test, 3: earlobe, 4: control_solution, 5: subcutaneous_tissue,
                    15: not_available}
  operation: {1: set_communication_interval, 2: get_communication_interval, 3: communication_interval,
              4: set_calibration, 5: get_calibration, 6: calibration, 7: set_patient_high_alert,
              8: get_patient_high_alert, 9: patient_high_alert, 10: set_patient_low_alert, 11: get_patient_low_alert,
              12: patient_low_alert, 13: set_hypo_alert, 14: get_hypo_alert, 15: hypo_alert, 16: set_hyper_alert,
              17: get_hyper_alert, 18: hyper_alert, 19: set_rate_of_decrease_alert, 20: get_rate_of_decrease_alert,
              21: rate_of_decrease_alert, 22: set_rate_of_increase_alert, 23: get_rate_of_increase_alert,
              24: rate_of_increase_alert, 25: reset_device_specific_alert, 26: start_session, 27: stop_session,
              28: response}
structures:
  status:
    - name: status
      type: u8
      bits:
        - {bit: 0, name: session_stopped}
        - {bit: 1, name: battery_low}
        - {bit: 2, name: sensor_type_incorrect}
        - {bit: 3, name: sensor_malfunction}
        - {bit: 4, name: device_specific_alert}
        - {bit: 5, name: general_device_fault}
  calibration_and_temperature:
    - name: calibration_and_temperature
      type: u8
      bits:
        - {bit: 0, name: time_synchronization_required}
        - {bit: 1, name: calibration_not_allowed}
        - {bit: 2, name: calibration_recommended}
        - {bit: 3, name: calibration_required}
        - {bit: 4, name: temperature_too_high}
        - {bit: 5, name: temperature_too_low}
        - {bit: 6, name: calibration_pending}
  warning:
    - name: warning
      type: u8
      bits:
        - {bit: 0, name: below_patient_low}
        - {bit: 1, name: above_patient_high}
        - {bit: 2, name: below_hypo}
        - {bit: 3, name: above_hyper}
        - {bit: 4, name: rate_of_decrease_exceeded}
        - {bit: 5, name: rate_of_increase_exceeded}
        - {bit: 6, name: result_too_low}
        - {bit: 7, name: result_too_high}
  calibration:
    - {name: calibration_concentration, type: medfloat16, unit: mg/dL, label: ""}
    - {name: calibration_time, type: u16, unit: min, label: at}
    - name: calibration_sample
      type: u8
      bits:
        - {bits: [0, 3], name: sample_type, values: sample_type, label: ""}
        - {bits: [4, 7], name: sample_location, values: sample_location, label: "", quiet: [15]}
    - {name: next_calibration, type: u16, unit: min}
    - {name: calibration_record, type: u16, label: record}
    - name: calibration_status
      type: u8
      bits:
        - {bit: 0, name: calibration_rejected}
        - {bit: 1, name: calibration_out_of_range}
        - {bit: 2, name: calibration_pending}
characteristics:
  - uuid: "2aa7"
    name: CGM Measurement
    fields:
      - name: records
        label: ""
        prefix: u8
        prefix_counts: whole
        repeat: rest
        min: 1
        fields:
          - name: flags
            type: u8
            bits:
              - {bit: 0, name: has_trend}
              - {bit: 1, name: has_quality}
              - {bit: 5, name: has_warning}
              - {bit: 6, name: has_calibration}
              - {bit: 7, name: has_status}
          - {name: concentration, type: medfloat16, unit: mg/dL, label: ""}
          - {name: time_offset, type: u16, unit: min, label: at}
          - {layout: status, when: flags.has_status}
          - {layout: calibration_and_temperature, when: flags.has_calibration}
          - {layout: warning, when: flags.has_warning}
          - {name: trend, type: medfloat16, unit: mg/dL/min, when: flags.has_trend}
          - {name: quality, type: medfloat16, unit: "%", when: flags.has_quality}
          - {name: e2e_crc, type: u16, checksum: crc16_mcrf4xx, when: "@2aa8.features.e2e_crc"}
    examples:
      - hex: "0f e3 d2 e4 05 00 02 14 ff 02 f0 e5 f3 8e 3f"
        fields: {records: [{concentration: 12.34, time_offset: 5, session_stopped: false, battery_low: true,
                            temperature_too_high: true, temperature_too_low: false, calibration_recommended: true,
                            below_patient_low: true, result_too_high: true, trend: 0.2, quality: 99.7, e2e_crc: ok}]}
        context: {"2aa8": "00 10 00 19 f4 0b"}
        source: Android BLE Common Library, ContinuousGlucoseMeasurementDataCallbackTest
      - hex: "06 00 0c 10 05 00 06 00 0c 10 06 00"
        fields: {records: [{concentration: 120, time_offset: 5}, {concentration: 120, time_offset: 6}]}
        source: Android BLE Common Library, ContinuousGlucoseMeasurementDataCallbackTest
      - hex: "08 00 0c 10 06 00 58 6f"
        fields: {records: [{concentration: 120, time_offset: 6, e2e_crc: bad}]}
        context: {"2aa8": "00 10 00 19 f4 0b"}
        problems: [bad_checksum]
        source: Android BLE Common Library, ContinuousGlucoseMeasurementDataCallbackTest
      - hex: "06 00 78 00 05 00"
        fields: {records: [{concentration: 120, time_offset: 5}]}
        text: "120 mg/dL, at 5 min"
      - hex: "06 80 78 00 05 00"
        problems: [missing_bytes]
      - hex: "0d e3 78 00 05 00 02 04 01 0f f0 62 00 06 00 79 00 0a 00"
        fields: {records: [{battery_low: true, calibration_recommended: true, below_patient_low: true, trend: 1.5,
                            quality: 98}, {concentration: 121, time_offset: 10}]}
        context: {"2aa8": "00 00 00 19 ff ff"}
      - hex: "08 00 78 00 05 00 0d e8"
        fields: {records: [{concentration: 120, e2e_crc: ok}]}
        context: {"2aa8": "00 10 00 19 f4 0b"}
        source: worked out; the CRC, too, apart from the program
      - hex: "08 00 78 00 05 00 0d e9"
        fields: {records: [{concentration: 120, e2e_crc: bad}]}
        context: {"2aa8": "00 10 00 19 f4 0b"}
        problems: [bad_checksum]
  - uuid: "2aa8"
    name: CGM Feature
    fields:
      - name: features
        type: u24
        bits:
          - {bit: 0, name: calibration}
          - {bit: 1, name: patient_high_low_alerts}
          - {bit: 2, name: hypo_alerts}
          - {bit: 3, name: hyper_alerts}
          - {bit: 4, name: rate_alerts}
          - {bit: 5, name: device_specific_alert}
          - {bit: 6, name: sensor_malfunction_detection}
          - {bit: 7, name: temperature_high_low_detection}
          - {bit: 8, name: result_high_low_detection}
          - {bit: 9, name: low_battery_detection}
          - {bit: 10, name: sensor_type_error_detection}
          - {bit: 11, name: general_device_fault}
          - {bit: 12, name: e2e_crc}
          - {bit: 13, name: multiple_bonds}
          - {bit: 14, name: multiple_sessions}
          - {bit: 15, name: trend_information}
          - {bit: 16, name: quality}
      - name: sample
        type: u8
        bits:
          - {bits: [0, 3], name: sample_type, values: sample_type, label: ""}
          - {bits: [4, 7], name: sample_location, values: sample_location, label: "", quiet: [15]}
      # Without E2E-CRC the field is there, too, and holds what the service likes, 0xffff as a rule.
      - {name: unused, type: u16, format: hex, quiet: true, when: "!features.e2e_crc"}
      - {name: crc, type: u16, checksum: crc16_mcrf4xx, when: features.e2e_crc}
    examples:
      - hex: "01 80 01 19 ff ff"
        fields: {calibration: true, trend_information: true, quality: true, e2e_crc: false, unused: "0xffff",
                 sample_type: interstitial_fluid, sample_location: finger}
        text: "calibration, trend information, quality, interstitial fluid, finger"
      - {hex: "00 10 00 19 f4 0b", fields: {e2e_crc: true, crc: ok}}
  - uuid: "2aa9"
    name: CGM Status
    fields:
      - {name: time_offset, type: u16, unit: min}
      - {layout: status}
      - {layout: calibration_and_temperature}
      - {layout: warning}
      - {name: e2e_crc, type: u16, checksum: crc16_mcrf4xx, when: "@2aa8.features.e2e_crc"}
    examples:
      - hex: "0a 00 01 08 80"
        fields: {time_offset: 10, session_stopped: true, calibration_required: true, result_too_high: true}
        text: "time offset 10 min, session stopped, calibration required, result too high"
  - uuid: "2aaa"
    name: CGM Session Start Time
    fields:
      - {name: start_time, type: datetime, label: ""}
      - {name: time_zone, type: i8, scale: {divide: 4}, unit: h, special: {"-128": not_known}, range: [-48, 56]}
      - {name: dst_offset, type: u8, label: "",
         values: {0: standard_time, 2: half_an_hour, 4: daylight_time, 8: double_daylight_time, 255: not_known}}
      - {name: e2e_crc, type: u16, checksum: crc16_mcrf4xx, when: "@2aa8.features.e2e_crc"}
    examples:
      - hex: "ea 07 0b 16 05 1a 32 04 00"
        fields: {start_time: "2026-11-22T05:26:50", time_zone: 1, dst_offset: standard_time}
        context: {"2aa8": "00 00 00 19 ff ff"}
  - uuid: "2aab"
    name: CGM Session Run Time
    fields:
      - {name: run_time, type: u16, unit: h}
      - {name: e2e_crc, type: u16, checksum: crc16_mcrf4xx, when: "@2aa8.features.e2e_crc"}
    examples:
      - {hex: "a8 00", fields: {run_time: 168}, text: 168 h}
  - uuid: "2aac"
    name: CGM Specific Ops Control Point
    fields:
      - {name: command, type: u8, values: operation, label: ""}
      - choose: command
        cases:
          1: [{name: interval, type: u8, unit: min, special: {0: disabled, 255: fastest}, label: ""}]
          2: []
          # One byte in the service's specification, two in the Supplement; a CRC of two may follow.
          3:
            - choose: remaining % 2
              cases:
                1: [{name: interval, type: u8, unit: min, special: {0: disabled, 255: fastest}, label: ""}]
                0: [{name: interval, type: u16, unit: min, special: {0: disabled, 0xffff: fastest}, label: ""}]
          4: [{layout: calibration}]
          5: [{name: calibration_record, type: u16, special: {0xffff: last}, label: record}]
          6: [{layout: calibration}]
          8: []
          11: []
          14: []
          17: []
          20: []
          23: []
          "19-24": [{name: rate, type: medfloat16, unit: mg/dL/min, label: ""}]
          "7-18": [{name: level, type: medfloat16, unit: mg/dL, label: ""}]
          "25-27": []
          28:
            - {name: request, type: u8, values: operation, label: to}
            - {name: result, type: u8, label: "",
               values: {1: success, 2: op_code_not_supported, 3: invalid_operand, 4: procedure_not_completed,
                        5: parameter_out_of_range}}
          other: [{name: operand, type: bytes}]
      - {name: e2e_crc, type: u16, checksum: crc16_mcrf4xx, when: "@2aa8.features.e2e_crc && remaining > 0"}
    exchange:
      request: command == 1 || command == 2 || command == 4 || command == 5 || (command >= 7 && command <= 24 &&
        command % 3 != 0) || command == 25 || command == 26 || command == 27
      request_field: request
    examples:
      - {hex: "01 05", written: true, fields: {command: set_communication_interval, interval: 5},
         text: "set communication interval, 5 min"}
      - {hex: "1c 01 01", fields: {command: response, request: set_communication_interval, result: success},
         text: "response, to set communication interval, success"}
      - {hex: "07 b4 00", written: true, fields: {command: set_patient_high_alert, level: 180}}
      - {hex: "14", written: true, fields: {command: get_rate_of_decrease_alert}}
      - {hex: "15 14 f0", fields: {command: rate_of_decrease_alert, rate: 2}}
      - {hex: "06 78 00 05 00 11 a0 05 01 00 00", fields: {calibration_concentration: 120, calibration_time: 5,
         sample_type: capillary_whole_blood, next_calibration: 1440, calibration_record: 1}}

"""##

private let source_cooking: StaticString = ##"""
profile: cooking
title: Cordless kitchen appliances
source: GATT Specification Supplement
characteristics:
  - uuid: "2c26"
    name: Recipe Control
    fields:
      - {name: command, type: u8, values: {0: read, 1: start, 2: stop, 3: delete}, label: ""}
      - {name: step, type: u16, optional: true}
    examples:
      - {hex: "01 02 00", written: true, fields: {command: start, step: 2}, text: "start, step 2"}
      - {hex: "00", written: true, fields: {command: read}}
  - uuid: "2c27"
    name: Recipe Parameters
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: overshoot_prevention}
          - {bit: 1, name: last_step}
          - {bit: 2, name: user_action_required}
          - {bit: 3, name: has_temperature}
          - {bit: 4, name: has_gradient}
          - {bit: 5, name: has_humidity}
          - {bit: 6, name: has_termination}
      - {name: step, type: u16, special: {0: unknown}}
      - name: process
        type: u8
        label: ""
        values: {0: no_cooking, 1: preheating, 2: baking, 3: boiling, 4: braising, 5: broiling, 6: cooling, 7: freezing,
                 8: frying, 9: grilling, 10: melting, 11: poaching, 12: roasting, 13: sauteing, 14: simmering,
                 15: sous_vide, 16: steaming, 17: stewing, 255: other}
      - {name: duration, type: u16, unit: s, when: process != 0}
      - {name: temperature, type: i16, scale: {decimal: -1}, unit: °C, special: {0x8000: not_known},
         range: [-1000, 10000], when: flags.has_temperature}
      # Called unsigned, with bounds of −12.8 and 12.7 K/s: signed.
      - {name: gradient, type: i8, scale: {decimal: -1}, unit: K/s, when: flags.has_temperature && flags.has_gradient}
      - {name: humidity, type: u16, scale: {decimal: -2}, unit: "%", special: {0xffff: not_known}, range: [0, 10000],
         when: flags.has_humidity}
      - name: termination
        type: u16
        when: flags.has_termination
        bits:
          - {bit: 0, name: temperature_reached_from_below}
          - {bit: 1, name: temperature_reached_from_above}
          - {bit: 2, name: humidity_reached_from_below}
          - {bit: 3, name: humidity_reached_from_above}
          - {bit: 15, name: all_conditions}
    examples:
      - hex: "78 00 02 00 0f 10 0e 58 02 05 88 13 01 80"
        fields: {step: 2, process: sous_vide, duration: 3600, temperature: 60, gradient: 0.5, humidity: 50,
                 temperature_reached_from_below: true, all_conditions: true}
      - {hex: "02 00 00 00 00", fields: {last_step: true, step: unknown, process: no_cooking}}
  - uuid: "2c28"
    name: Cooking Step Status
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: user_action_required}
          - {bit: 1, name: last_step}
          - {bit: 2, name: step_started}
      - {name: step, type: u16, special: {0: unknown}}
      - {name: remaining_time, type: u16, unit: s, special: {0: not_running, 0xffff: not_known}, range: [1, 0xff00],
         label: remaining}
    examples:
      - {hex: "06 02 00 58 02", fields: {last_step: true, step_started: true, step: 2, remaining_time: 600},
         text: "last step, step started, step 2, remaining 600 s"}
  - uuid: "2c29"
    name: Cooking Zone Capabilities
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: can_be_aggregated}
          - {bit: 1, name: has_power}
          - {bit: 2, name: has_temperature}
          - {bit: 3, name: humidity_control}
          - {bit: 4, name: has_airflow}
          - {bit: 5, name: manufacturer_specific_control}
      - name: technology
        type: u8
        label: ""
        values: {0: unknown_heating, 1: induction, 2: gas, 3: radiant, 4: refrigeration, 5: freezer,
                 255: manufacturer_specific}
      - {name: steps, type: u16}
      - {name: nominal_power, type: u24, scale: {decimal: -1}, unit: W,
         special: {0xfffffe: not_valid, 0xffffff: not_known}, when: flags.has_power}
      - {name: boost_level, type: u8, unit: "%", when: flags.has_power}
      - {name: minimum_power, type: u16, scale: {decimal: -1}, unit: "%", range: [0, 3550], when: flags.has_power}
      - {name: maximum_temperature, type: i16, scale: {decimal: -1}, unit: °C, special: {0x8000: not_known},
         range: [-1000, 10000], when: flags.has_temperature}
      - {name: minimum_temperature, type: i16, scale: {decimal: -1}, unit: °C, special: {0x8000: not_known},
         range: [-1000, 10000], when: flags.has_temperature}
      - {name: maximum_airflow, type: u16, scale: {decimal: -3}, unit: m³/s, special: {0xffff: not_known},
         when: flags.has_airflow}
    examples:
      - hex: "16 00 01 0a 00 d0 84 00 32 f4 01 c4 09 2c 01 64 00"
        fields: {technology: induction, steps: 10, nominal_power: 3400, boost_level: 50, minimum_power: 50,
                 maximum_temperature: 250, minimum_temperature: 30, maximum_airflow: 0.1}

"""##

private let source_cycling_power: StaticString = ##"""
profile: cycling_power
title: Cycling Power Service
source: GATT Specification Supplement; the control point's parameters from memory
enumerations:
  sensor_location: {0: other, 1: top_of_shoe, 2: in_shoe, 3: hip, 4: front_wheel, 5: left_crank, 6: right_crank,
                    7: left_pedal, 8: right_pedal, 9: front_hub, 10: rear_dropout, 11: chainstay, 12: rear_wheel,
                    13: rear_hub, 14: chest, 15: spider, 16: chain_ring}
  power_command: {1: set_cumulative_value, 2: update_sensor_location, 3: request_supported_sensor_locations,
                  4: set_crank_length, 5: request_crank_length, 6: set_chain_length, 7: request_chain_length,
                  8: set_chain_weight, 9: request_chain_weight, 10: set_span_length, 11: request_span_length,
                  12: start_offset_compensation, 13: mask_measurement_content, 14: request_sampling_rate,
                  15: request_factory_calibration_date, 16: start_enhanced_offset_compensation, 32: response}
characteristics:
  - uuid: "2a63"
    name: Cycling Power Measurement
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: has_balance}
          - {bit: 1, name: balance_reference, values: {0: unknown, 1: left}, quiet: true}
          - {bit: 2, name: has_torque}
          - {bit: 3, name: torque_source, values: {0: wheel, 1: crank}, quiet: true}
          - {bit: 4, name: has_wheel}
          - {bit: 5, name: has_crank}
          - {bit: 6, name: has_extreme_forces}
          - {bit: 7, name: has_extreme_torques}
          - {bit: 8, name: has_extreme_angles}
          - {bit: 9, name: has_top_dead_spot}
          - {bit: 10, name: has_bottom_dead_spot}
          - {bit: 11, name: has_energy}
          - {bit: 12, name: offset_compensation}
      - {name: power, type: i16, unit: W, label: ""}
      - {name: balance, type: u8, scale: {binary: -1}, unit: "%", when: flags.has_balance}
      - {name: torque, type: u16, scale: {binary: -5}, unit: N·m, when: flags.has_torque}
      - {name: wheel_revolutions, type: u32, when: flags.has_wheel}
      # Unlike in the CSC service: 2048 ticks a second.
      - {name: wheel_event_time, type: u16, scale: {divide: 2048}, unit: s, label: at, when: flags.has_wheel}
      - {name: crank_revolutions, type: u16, when: flags.has_crank}
      - {name: crank_event_time, type: u16, scale: {divide: 1024}, unit: s, label: at, when: flags.has_crank}
      - {name: maximum_force, type: i16, unit: N, when: flags.has_extreme_forces}
      - {name: minimum_force, type: i16, unit: N, when: flags.has_extreme_forces}
      - {name: maximum_torque, type: i16, scale: {binary: -5}, unit: N·m, when: flags.has_extreme_torques}
      - {name: minimum_torque, type: i16, scale: {binary: -5}, unit: N·m, when: flags.has_extreme_torques}
      - name: extreme_angles
        type: u24
        when: flags.has_extreme_angles
        bits:
          - {bits: [0, 11], name: maximum_angle, unit: °}
          - {bits: [12, 23], name: minimum_angle, unit: °}
      - {name: top_dead_spot_angle, type: u16, unit: °, label: top dead spot, when: flags.has_top_dead_spot}
      - {name: bottom_dead_spot_angle, type: u16, unit: °, label: bottom dead spot, when: flags.has_bottom_dead_spot}
      - {name: energy, type: u16, unit: kJ, when: flags.has_energy}
    examples:
      - hex: "30 00 d2 04 ff ff ff ff 03 3f ff 07 e7 0f"
        fields: {power: 1234, wheel_revolutions: 4294967295, wheel_event_time: 7.87646484375, crank_revolutions: 2047,
                 crank_event_time: 3.9755859375}
        source: pycycling, test_cycling_power_service.py
      - hex: "23 00 fa 00 63 c8 00 00 06"
        fields: {balance_reference: left, power: 250, balance: 49.5, crank_revolutions: 200, crank_event_time: 1.5}
        text: "250 W, balance 49.5 %, crank revolutions 200, at 1.500 s"
      - hex: "fc 1f fa 00 40 01 e8 03 00 00 00 10 c8 00 00 08 64 00 9c ff 60 00 a0 ff 5a e0 10 b4 00 0e 01 32 00"
        fields: {torque_source: crank, offset_compensation: true, power: 250, torque: 10, wheel_revolutions: 1000,
                 wheel_event_time: 2, crank_revolutions: 200, crank_event_time: 2, maximum_force: 100,
                 minimum_force: -100, maximum_torque: 3, minimum_torque: -3, maximum_angle: 90, minimum_angle: 270,
                 top_dead_spot_angle: 180, bottom_dead_spot_angle: 270, energy: 50}
  - uuid: "2a64"
    name: Cycling Power Vector
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_crank}
          - {bit: 1, name: has_first_angle}
          - {bit: 2, name: has_forces}
          - {bit: 3, name: has_torques}
          - {bits: [4, 5], name: direction, values: {0: unknown, 1: tangential, 2: radial, 3: lateral}, quiet: [0]}
      - {name: crank_revolutions, type: u16, when: flags.has_crank}
      - {name: crank_event_time, type: u16, scale: {divide: 1024}, unit: s, label: at, when: flags.has_crank}
      - {name: first_angle, type: u16, unit: °, when: flags.has_first_angle}
      # Only one of the two lists can be there.
      - {name: force, type: i16, unit: N, repeat: rest, when: flags.has_forces}
      - {name: torque, type: i16, scale: {binary: -5}, unit: N·m, repeat: rest, when: flags.has_torques}
    examples:
      - hex: "17 c8 00 00 08 2d 00 64 00 9c ff"
        fields: {direction: tangential, crank_revolutions: 200, crank_event_time: 2, first_angle: 45, force: [100, -100]}
        text: "direction tangential, crank revolutions 200, at 2.000 s, first angle 45 °, force 100 -100 N"
      - {hex: "08 60 00 a0 ff", fields: {torque: [3, -3]}}
  - uuid: "2a65"
    name: Cycling Power Feature
    fields:
      - name: features
        type: u32
        bits:
          - {bit: 0, name: pedal_power_balance}
          - {bit: 1, name: accumulated_torque}
          - {bit: 2, name: wheel_revolutions}
          - {bit: 3, name: crank_revolutions}
          - {bit: 4, name: extreme_magnitudes}
          - {bit: 5, name: extreme_angles}
          - {bit: 6, name: dead_spot_angles}
          - {bit: 7, name: accumulated_energy}
          - {bit: 8, name: offset_compensation_indicator}
          - {bit: 9, name: offset_compensation}
          - {bit: 10, name: content_masking}
          - {bit: 11, name: multiple_sensor_locations}
          - {bit: 12, name: crank_length_adjustment}
          - {bit: 13, name: chain_length_adjustment}
          - {bit: 14, name: chain_weight_adjustment}
          - {bit: 15, name: span_length_adjustment}
          - {bit: 16, name: measurement_context, values: {0: force, 1: torque}}
          - {bit: 17, name: instantaneous_measurement_direction}
          - {bit: 18, name: factory_calibration_date}
          - {bit: 19, name: enhanced_offset_compensation}
          - {bits: [20, 21], name: distributed_system, quiet: [0],
             values: {0: unspecified, 1: not_for_distributed_systems, 2: for_distributed_systems}}
    examples:
      - hex: "0d 02 21 00"
        fields: {pedal_power_balance: true, wheel_revolutions: true, crank_revolutions: true, offset_compensation: true,
                 measurement_context: torque, distributed_system: for_distributed_systems}
        problems: []
  - uuid: "2a66"
    name: Cycling Power Control Point
    fields:
      - {name: command, type: u8, values: power_command, label: ""}
      - choose: command
        cases:
          1: [{name: cumulative_value, type: u32, label: ""}]
          2: [{name: location, type: u8, values: sensor_location, label: ""}]
          4: [{name: crank_length, type: u16, scale: {binary: -1}, unit: mm, label: ""}]
          6: [{name: chain_length, type: u16, unit: mm, label: ""}]
          8: [{name: chain_weight, type: u16, unit: g, label: ""}]
          10: [{name: span_length, type: u16, unit: mm, label: ""}]
          13: [{name: masked_content, type: u16, format: hex, label: ""}]
          32:
            - {name: request, type: u8, values: power_command, label: to}
            - {name: result, type: u8, label: "",
               values: {1: success, 2: op_code_not_supported, 3: invalid_operand, 4: operation_failed}}
            - choose: request * (result == 1)
              cases:
                3: [{name: locations, type: u8, values: sensor_location, repeat: rest}]
                5: [{name: crank_length, type: u16, scale: {binary: -1}, unit: mm, label: ""}]
                7: [{name: chain_length, type: u16, unit: mm, label: ""}]
                9: [{name: chain_weight, type: u16, unit: g, label: ""}]
                11: [{name: span_length, type: u16, unit: mm, label: ""}]
                # Newtons or 1/32 N·m, as the features' measurement context says.
                12: [{name: offset, type: i16, special: {0xffff: not_available}, label: raw offset}]
                14: [{name: sampling_rate, type: u8, unit: Hz, label: ""}]
                15: [{name: calibration_date, type: datetime, label: ""}]
                16:
                  - {name: offset, type: i16, special: {0xffff: not_available}, label: raw offset}
                  - {name: company, type: u16, values: company, optional: true}
                  - {name: data, type: bytes}
                other: [{name: parameter, type: bytes, when: remaining > 0}]
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    exchange: {request: command < 32, response: 32, request_field: request, timeout_ms: 30000}
    examples:
      - {hex: "04 59 01", written: true, fields: {command: set_crank_length, crank_length: 172.5},
         text: "set crank length, 172.5 mm"}
      - {hex: "20 04 01", fields: {request: set_crank_length, result: success},
         text: "response, to set crank length, success"}
      - {hex: "0c", written: true, fields: {command: start_offset_compensation}}
      - {hex: "20 0c 01 0c fe", fields: {request: start_offset_compensation, offset: -500}}
      - {hex: "20 05 01 59 01", fields: {request: request_crank_length, crank_length: 172.5}}
      - {hex: "20 0c 04", fields: {result: operation_failed}}

"""##

private let source_descriptors: StaticString = ##"""
profile: descriptors
title: Descriptors of characteristics
source: Core, Vol 3, Part G, 3.3.3, and the Environmental Sensing, HID and Automation IO Services, from memory
enumerations:
  format: {1: boolean, 2: uint2, 3: uint4, 4: uint8, 5: uint12, 6: uint16, 7: uint24, 8: uint32, 9: uint48, 10: uint64,
           11: uint128, 12: sint8, 13: sint12, 14: sint16, 15: sint24, 16: sint32, 17: sint48, 18: sint64, 19: sint128,
           20: float32, 21: float64, 22: medfloat16, 23: medfloat32, 24: duint16, 25: utf8s, 26: utf16s, 27: struct,
           28: medasn1}
descriptors:
  - uuid: "2900"
    name: Characteristic Extended Properties
    fields:
      - name: properties
        type: u16
        bits:
          - {bit: 0, name: reliable_write}
          - {bit: 1, name: writable_auxiliaries}
    examples:
      - {hex: "01 00", fields: {reliable_write: true, writable_auxiliaries: false}, text: reliable write}
  - uuid: "2901"
    name: Characteristic User Description
    fields: [{name: description, type: utf8}]
    examples:
      - {hex: "6c 65 66 74", fields: {description: left}, text: '"left"'}
  - uuid: "2902"
    name: Client Characteristic Configuration
    fields:
      - name: configuration
        type: u16
        bits:
          - {bits: [0, 1], name: subscription, label: "",
             values: {0: "off", 1: notifications_on, 2: indications_on, 3: notifications_and_indications_on}}
    examples:
      - {hex: "01 00", written: true, fields: {subscription: notifications_on}, text: notifications on}
      - {hex: "02 00", written: true, fields: {subscription: indications_on}, text: indications on}
      - {hex: "00 00", fields: {subscription: "off"}, text: "off"}
      - {hex: "03 00", fields: {subscription: notifications_and_indications_on}, text: notifications and indications on}
      - {hex: "04 00", fields: {subscription: "off"}, problems: [reserved_bits]}
  - uuid: "2903"
    name: Server Characteristic Configuration
    fields:
      - name: configuration
        type: u16
        bits:
          - {bit: 0, name: broadcast, values: {0: "off", 1: "on"}}
    examples:
      - {hex: "01 00", written: true, fields: {broadcast: "on"}, text: "on"}
  - uuid: "2904"
    name: Characteristic Presentation Format
    fields:
      - {name: format, type: u8, values: format, label: ""}
      - {name: exponent, type: i8, quiet: [0]}
      - {name: unit, type: u16, values: uuid, label: in}
      - {name: namespace, type: u8, values: {1: bluetooth_sig}, quiet: true}
      - {name: description, type: u16, format: hex, quiet: [0]}
    examples:
      - hex: "0e fe 2f 27 01 00 00"
        fields: {format: sint16, exponent: -2, unit: "0x272f", namespace: bluetooth_sig, description: "0x0000"}
  - uuid: "2905"
    name: Characteristic Aggregate Format
    fields: [{name: formats, type: u16, format: hex, repeat: rest}]
    examples:
      - {hex: "12 00 16 00", fields: {formats: ["0x0012", "0x0016"]}, text: 0x0012 0x0016}
  # Both bounds have the layout of the characteristic's own value.
  - uuid: "2906"
    name: Valid Range
    fields:
      - {name: least, type: bytes, size: size / 2, label: ""}
      - {name: greatest, type: bytes, label: to}
    examples:
      - {hex: "02 00 0d 00", fields: {least: "0200", greatest: 0d00}, text: "02 00, to 0d 00"}
  - uuid: "2907"
    name: External Report Reference
    fields: [{name: characteristic, type: uuid}]
    examples:
      - {hex: "19 2a", fields: {characteristic: 2a19}}
  - uuid: "2908"
    name: Report Reference
    fields:
      - {name: report_id, type: u8, label: report}
      - {name: report_type, type: u8, values: {1: input, 2: output, 3: feature}, label: ""}
    examples:
      - {hex: "01 01", fields: {report_id: 1, report_type: input}, text: "report 1, input"}
  - uuid: "2909"
    name: Number of Digitals
    fields: [{name: digitals, type: u8}]
    examples:
      - {hex: "08", fields: {digitals: 8}}
  - uuid: "290a"
    name: Value Trigger Setting
    fields:
      - name: condition
        type: u8
        label: ""
        values: {0: state_changed, 1: crossed_boundary, 2: on_boundary, 3: changed_by, 4: mask_matched,
                 5: crossed_either_boundary, 6: on_either_boundary, 7: none}
      - {name: operand, type: bytes, label: "", when: remaining > 0}
    examples:
      - {hex: "01 64 00", written: true, fields: {condition: crossed_boundary, operand: "6400"}}
      - {hex: "07", written: true, fields: {condition: none}, text: none}
  - uuid: "290b"
    name: Environmental Sensing Configuration
    fields: [{name: triggers, type: u8, values: {0: all, 1: any}}]
    examples:
      - {hex: "01", fields: {triggers: any}, text: any}
  - uuid: "290c"
    name: Environmental Sensing Measurement
    fields:
      - {name: flags, type: u16, format: hex, quiet: [0]}
      - name: sampling
        type: u8
        label: ""
        values: {0: unspecified, 1: instantaneous, 2: arithmetic_mean, 3: root_mean_square, 4: maximum, 5: minimum,
                 6: accumulated, 7: count}
      - {name: measurement_period, type: u24, unit: s, special: {0: not_in_use}, label: over}
      - {name: update_interval, type: u24, unit: s, special: {0: not_in_use}, label: every}
      - name: application
        type: u8
        label: ""
        quiet: [0]
        values: {0: unspecified, 1: air, 2: water, 3: barometric, 4: soil, 5: infrared, 6: map_database,
                 7: barometric_elevation, 8: gps_elevation, 9: gps_and_map_elevation, 10: vertical_datum_elevation,
                 11: onshore, 12: onboard_vessel_or_vehicle, 13: front, 14: back, 15: upper, 16: lower, 17: primary,
                 18: secondary, 19: outdoor, 20: indoor, 21: top, 22: bottom, 23: main, 24: backup, 25: auxiliary,
                 26: supplementary, 27: inside, 28: outside, 29: left, 30: right, 31: internal, 32: external, 33: solar}
      - {name: uncertainty, type: u8, scale: {binary: -1}, unit: "%", special: {255: not_available}, quiet: [255]}
    examples:
      - hex: "00 00 02 3c 00 00 0a 00 00 13 04"
        fields: {sampling: arithmetic_mean, measurement_period: 60, update_interval: 10, application: outdoor,
                 uncertainty: 2}
        text: "arithmetic mean, over 60 s, every 10 s, outdoor, uncertainty 2.0 %"
  - uuid: "290d"
    name: Environmental Sensing Trigger Setting
    fields:
      - name: condition
        type: u8
        label: ""
        values: {0: inactive, 1: at_interval, 2: at_most_every, 3: value_changed, 4: less_than, 5: at_most,
                 6: greater_than, 7: at_least, 8: equal, 9: not_equal}
      - choose: condition
        cases:
          "1-2": [{name: interval, type: u24, unit: s, label: ""}]
          "4-9": [{name: operand, type: bytes, label: ""}]
    examples:
      - {hex: "01 3c 00 00", written: true, fields: {condition: at_interval, interval: 60}, text: "at interval, 60 s"}
      - {hex: "06 c4 09", written: true, fields: {condition: greater_than, operand: c409}}
      - {hex: "00", fields: {condition: inactive}}
  - uuid: "290e"
    name: Time Trigger Setting
    fields:
      - {name: condition, type: u8, label: "", values: {0: none, 1: at_interval, 2: at_most_every, 3: after_changes}}
      - choose: condition
        cases:
          "1-2": [{name: interval, type: u24, unit: s, label: ""}]
          3: [{name: changes, type: u16, label: ""}]
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    examples:
      - {hex: "02 0a 00 00", written: true, fields: {condition: at_most_every, interval: 10}, text: "at most every, 10 s"}
      - {hex: "03 05 00", written: true, fields: {condition: after_changes, changes: 5}}
  - uuid: "2911"
    name: Valid Range and Accuracy
    fields:
      - {name: least, type: bytes, size: size / 3, label: ""}
      - {name: greatest, type: bytes, size: size / 3, label: to}
      - {name: accuracy, type: bytes}
    examples:
      - {hex: "02 00 0d 00 01 00", fields: {least: "0200", greatest: 0d00, accuracy: "0100"}}

"""##

private let source_device_information: StaticString = ##"""
profile: device_information
title: Device Information Service
source: GATT Specification Supplement
characteristics:
  # The number that a maker gives comes first, the part of the address space that the IEEE gave to the maker behind it:
  # together, read from the last byte to the first, they are an EUI-64.
  - uuid: "2a23"
    name: System ID
    fields:
      - {name: manufacturer_identifier, type: u40, format: hex}
      - {name: oui, type: u24, format: hex, label: OUI}
    text: "OUI {oui:x6}, identifier {manufacturer_identifier:x10}"
    examples:
      - hex: "de bc 9a fe ff 56 34 12"
        fields: {manufacturer_identifier: "0xfffe9abcde", oui: "0x123456"}
        text: "OUI 123456, identifier fffe9abcde"
        source: "Device Information Service, System ID: of the address 12:34:56:9A:BC:DE it is 0x123456FFFE9ABCDE"
  # Many devices send it as people write it, first byte first. Where it was made from an address the ff fe in its middle tells.
  - uuid: "2a23"
    name: System ID
    match: "?? ?? ?? ff fe"
    size: 8
    endian: big
    fields:
      - {name: oui, type: u24, format: hex, label: OUI}
      - {name: manufacturer_identifier, type: u40, format: hex}
    text: "OUI {oui:x6}, identifier {manufacturer_identifier:x10}, bytes reversed"
    examples:
      - hex: "12 34 56 ff fe 9a bc de"
        fields: {manufacturer_identifier: "0xfffe9abcde", oui: "0x123456"}
        text: "OUI 123456, identifier fffe9abcde, bytes reversed"
  - uuid: "2a24"
    name: Model Number String
    fields: [{name: model_number, type: utf8}]
    examples:
      - {hex: "48 31 30", fields: {model_number: H10}, text: '"H10"'}
  - uuid: "2a25"
    name: Serial Number String
    fields: [{name: serial_number, type: utf8}]
    examples:
      - {hex: "30 30 31 37", fields: {serial_number: "0017"}}
  - uuid: "2a26"
    name: Firmware Revision String
    fields: [{name: firmware_revision, type: utf8}]
    examples:
      - {hex: "33 2e 31 2e 31", fields: {firmware_revision: 3.1.1}}
  - uuid: "2a27"
    name: Hardware Revision String
    fields: [{name: hardware_revision, type: utf8}]
    examples:
      - {hex: "52 65 76 42", fields: {hardware_revision: RevB}}
  - uuid: "2a28"
    name: Software Revision String
    fields: [{name: software_revision, type: utf8}]
    examples:
      - {hex: "32 2e 30", fields: {software_revision: 2.0}}
      - {hex: "ff 32", problems: [bad_text]}
  - uuid: "2a29"
    name: Manufacturer Name String
    fields: [{name: manufacturer_name, type: utf8}]
    examples:
      - {hex: "50 6f 6c 61 72", fields: {manufacturer_name: Polar}, text: '"Polar"'}
  # The list's own layout is in IEEE 11073-20601.
  - uuid: "2a2a"
    name: IEEE 11073-20601 Regulatory Certification Data List
    fields: [{name: certification_data, type: bytes}]
    examples:
      - {hex: "00 02 00 12", fields: {certification_data: "00020012"}}
  - uuid: "2a50"
    name: PnP ID
    fields:
      - {name: vendor_id_source, type: u8, values: {1: bluetooth_sig, 2: usb_implementers_forum}}
      - {name: company, type: u16, values: company, when: vendor_id_source == 1}
      - {name: vendor_id, type: u16, format: hex, when: vendor_id_source != 1}
      - {name: product_id, type: u16, format: hex}
      # Hexadecimal digits as decimal ones: 0x0213 is 2.1.3.
      - name: product_version
        type: u16
        bits:
          - {bits: [8, 15], name: major}
          - {bits: [4, 7], name: minor}
          - {bits: [0, 3], name: revision}
    text: "[{company}][USB vendor {vendor_id}], product {product_id}, version \
           {product_version.major}.{product_version.minor}.{product_version.revision}"
    examples:
      - hex: "02 6d 04 13 b0 13 02"
        fields: {vendor_id_source: usb_implementers_forum, vendor_id: "0x046d", product_id: "0xb013", major: 2, minor: 1,
                 revision: 3}
        text: "USB vendor 0x046d, product 0xb013, version 2.1.3"
      - hex: "01 59 00 01 00 00 01"
        fields: {company: "0x0059", product_id: "0x0001", major: 1}
        text: "0x0059 Nordic Semiconductor ASA, product 0x0001, version 1.0.0"
  - uuid: "2bff"
    name: UDI for Medical Devices
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_label}
          - {bit: 1, name: has_device_identifier}
          - {bit: 2, name: has_issuer}
          - {bit: 3, name: has_authority}
      - {name: udi_label, type: utf8, label: UDI, terminator: "00", when: flags.has_label}
      - {name: device_identifier, type: utf8, terminator: "00", when: flags.has_device_identifier}
      - {name: issuer, type: utf8, terminator: "00", when: flags.has_issuer}
      - {name: authority, type: utf8, terminator: "00", when: flags.has_authority}
    examples:
      - hex: "05 28 30 31 29 00 32 2e 31 36 00"
        fields: {udi_label: (01), issuer: "2.16"}

"""##

private let source_electricity: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: electricity
title: Voltage, current, power, energy
source: GATT Specification Supplement
characteristics:
  - uuid: "2ae0"
    name: Average Current
    fields:
      - {name: electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: sensing_duration, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "32 21 40", fields: {electric_current: 84.98, sensing_duration: 1}}
  - uuid: "2ae1"
    name: Average Voltage
    fields:
      - {name: voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known}, range: [0, 65408]}
      - {name: sensing_duration, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "32 21 40", fields: {voltage: 132.78125, sensing_duration: 1}}
  - uuid: "2aee"
    name: Electric Current
    fields:
      - {name: electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {electric_current: 84.98}}
  - uuid: "2aef"
    name: Electric Current Range
    fields:
      - {name: minimum_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: maximum_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21 45 34", fields: {minimum_electric_current: 84.98, maximum_electric_current: 133.81}}
  - uuid: "2af0"
    name: Electric Current Specification
    fields:
      - {name: minimum_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: typical_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: maximum_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21 45 34 58 47", fields: {minimum_electric_current: 84.98, typical_electric_current: 133.81,
         maximum_electric_current: 182.64}}
  - uuid: "2af1"
    name: Electric Current Statistics
    fields:
      - {name: average_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: standard_deviation_electric_current, type: u16, scale: {decimal: -2}, unit: A,
         special: {0xffff: not_known}}
      - {name: minimum_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: maximum_electric_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: sensing_duration, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "32 21 45 34 58 47 6b 5a 40", fields: {average_electric_current: 84.98,
         standard_deviation_electric_current: 133.81, minimum_electric_current: 182.64,
         maximum_electric_current: 231.47, sensing_duration: 1}}
  - uuid: "2af2"
    name: Energy
    fields:
      - {name: energy, type: u24, unit: kWh, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {energy: 2175555}}
  - uuid: "2af3"
    name: Energy in a Period of Day
    fields:
      - {name: energy, type: u24, unit: kWh, special: {0xffffff: not_known}}
      - {name: start_time, type: u8, scale: {decimal: -1}, unit: h, special: {0xff: not_known}, range: [0, 239]}
      - {name: end_time, type: u8, scale: {decimal: -1}, unit: h, special: {0xff: not_known}, range: [0, 239]}
    examples:
      - {hex: "43 32 21 34 47", fields: {energy: 2175555, start_time: 5.2, end_time: 7.1}}
  - uuid: "2b05"
    name: Power
    fields:
      - {name: power, type: u24, scale: {decimal: -1}, unit: W, special: {0xfffffe: not_valid, 0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {power: 217555.5}}
  - uuid: "2b06"
    name: Power Specification
    fields:
      - {name: minimum_power, type: u24, scale: {decimal: -1}, unit: W,
         special: {0xfffffe: not_valid, 0xffffff: not_known}}
      - {name: typical_power, type: u24, scale: {decimal: -1}, unit: W,
         special: {0xfffffe: not_valid, 0xffffff: not_known}}
      - {name: maximum_power, type: u24, scale: {decimal: -1}, unit: W,
         special: {0xfffffe: not_valid, 0xffffff: not_known}}
    examples:
      - {hex: "43 32 21 56 45 34 69 58 47",
         fields: {minimum_power: 217555.5, typical_power: 342562.2, maximum_power: 467568.9}}
  - uuid: "2b07"
    name: Relative Runtime in a Current Range
    fields:
      - {name: relative_runtime, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known},
         range: [0, 200]}
      - {name: minimum_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
      - {name: maximum_current, type: u16, scale: {decimal: -2}, unit: A, special: {0xffff: not_known}}
    examples:
      - {hex: "21 45 34 58 47", fields: {relative_runtime: 16.5, minimum_current: 133.81, maximum_current: 182.64}}
  - uuid: "2b08"
    name: Relative Runtime in a Generic Level Range
    fields:
      - {name: relative_value, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known}, range: [0, 200]}
      - {name: minimum_generic_level, type: u16}
      - {name: maximum_generic_level, type: u16}
    examples:
      - {hex: "21 45 34 58 47",
         fields: {relative_value: 16.5, minimum_generic_level: 13381, maximum_generic_level: 18264}}
  - uuid: "2b09"
    name: Relative Value in a Voltage Range
    fields:
      - {name: relative_value, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known}, range: [0, 200]}
      - {name: minimum_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
      - {name: maximum_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
    examples:
      - {hex: "21 45 34 58 47", fields: {relative_value: 16.5, minimum_voltage: 209.078125, maximum_voltage: 285.375}}
  - uuid: "2b18"
    name: Voltage
    fields:
      - {name: voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known}, range: [0, 65408]}
    examples:
      - {hex: "32 21", fields: {voltage: 132.78125}}
  - uuid: "2b19"
    name: Voltage Specification
    fields:
      - {name: minimum_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
      - {name: typical_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
      - {name: maximum_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
    examples:
      - {hex: "32 21 45 34 58 47",
         fields: {minimum_voltage: 132.78125, typical_voltage: 209.078125, maximum_voltage: 285.375}}
  - uuid: "2b1a"
    name: Voltage Statistics
    fields:
      - {name: average_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
      - {name: standard_deviation_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
      - {name: minimum_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
      - {name: maximum_voltage, type: u16, scale: {binary: -6}, unit: V, special: {0xffff: not_known},
         range: [0, 65408]}
      - {name: sensing_duration, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "32 21 45 34 58 47 6b 5a 40", fields: {average_voltage: 132.78125,
         standard_deviation_voltage: 209.078125, minimum_voltage: 285.375, maximum_voltage: 361.671875,
         sensing_duration: 1}}
  - uuid: "2b89"
    name: Apparent Energy 32
    fields:
      - {name: apparent_energy, type: u32, scale: {decimal: -3}, unit: kVAh,
         special: {0xfffffffe: not_valid, 0xffffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {apparent_energy: 556942.164}}
  - uuid: "2b8a"
    name: Apparent Power
    fields:
      - {name: apparent_power, type: u24, scale: {decimal: -1}, unit: VA,
         special: {0xfffffe: not_valid, 0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {apparent_power: 217555.5}}
  - uuid: "2ba8"
    name: Energy 32
    fields:
      - {name: energy, type: u32, scale: {decimal: -3}, unit: kWh,
         special: {0xfffffffe: not_valid, 0xffffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {energy: 556942.164}}
  - uuid: "2be0"
    name: High Voltage
    fields:
      - {name: high_voltage, type: u24, scale: {binary: -6}, unit: V, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {high_voltage: 33993.046875}}
  - uuid: "2be8"
    name: Voltage Frequency
    fields:
      - {name: voltage_frequency, type: u16, unit: Hz, special: {0: dc, 0xfffe: not_valid, 0xffff: not_known},
         range: [1, 65533]}
    examples:
      - {hex: "32 21", fields: {voltage_frequency: 8498}}

"""##

private let source_environment: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: environment
title: Weather and surroundings
source: GATT Specification Supplement
characteristics:
  - uuid: "2a2c"
    name: Magnetic Declination
    fields:
      - {name: magnetic_declination, type: u16, scale: {decimal: -2}, unit: °, range: [0, 35999]}
    examples:
      - {hex: "32 21", fields: {magnetic_declination: 84.98}}
  - uuid: "2a6c"
    name: Elevation
    fields:
      - {name: elevation, type: i24, scale: {decimal: -2}, unit: m}
    examples:
      - {hex: "43 32 21", fields: {elevation: 21755.55}}
  - uuid: "2a6d"
    name: Pressure
    fields:
      - {name: pressure, type: u32, scale: {decimal: -1}, unit: Pa}
    examples:
      - {hex: "54 43 32 21", fields: {pressure: 55694216.4}}
  - uuid: "2a6e"
    name: Temperature
    fields:
      - {name: temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
    examples:
      - {hex: "32 21", fields: {temperature: 84.98}}
  - uuid: "2a6f"
    name: Humidity
    fields:
      - {name: humidity, type: u16, scale: {decimal: -2}, unit: "%", special: {0xffff: not_known}, range: [0, 10000]}
    examples:
      - {hex: "32 21", fields: {humidity: 84.98}}
  - uuid: "2a70"
    name: True Wind Speed
    fields:
      - {name: true_wind_speed, type: u16, scale: {decimal: -2}, unit: m/s}
    examples:
      - {hex: "32 21", fields: {true_wind_speed: 84.98}}
  - uuid: "2a71"
    name: True Wind Direction
    fields:
      - {name: true_wind_direction, type: u16, scale: {decimal: -2}, unit: °, range: [0, 35999]}
    examples:
      - {hex: "32 21", fields: {true_wind_direction: 84.98}}
  - uuid: "2a72"
    name: Apparent Wind Speed
    fields:
      - {name: apparent_wind_speed, type: u16, scale: {decimal: -2}, unit: m/s}
    examples:
      - {hex: "32 21", fields: {apparent_wind_speed: 84.98}}
  - uuid: "2a73"
    name: Apparent Wind Direction
    fields:
      - {name: apparent_wind_direction, type: u16, scale: {decimal: -2}, unit: °, range: [0, 35999]}
    examples:
      - {hex: "32 21", fields: {apparent_wind_direction: 84.98}}
  - uuid: "2a74"
    name: Gust Factor
    fields:
      - {name: gust_factor, type: u8, scale: {decimal: -1}}
    examples:
      - {hex: "21", fields: {gust_factor: 3.3}}
  - uuid: "2a75"
    name: Pollen Concentration
    fields:
      - {name: pollen_concentration, type: u24, unit: /m³}
    examples:
      - {hex: "43 32 21", fields: {pollen_concentration: 2175555}}
  - uuid: "2a76"
    name: UV Index
    fields:
      - {name: uv_index, type: u8}
    examples:
      - {hex: "21", fields: {uv_index: 33}}
  - uuid: "2a77"
    name: Irradiance
    fields:
      - {name: irradiance, type: u16, scale: {decimal: -1}, unit: W/m²}
    examples:
      - {hex: "32 21", fields: {irradiance: 849.8}}
  - uuid: "2a78"
    name: Rainfall
    fields:
      - {name: rainfall, type: u16, unit: mm}
    examples:
      - {hex: "32 21", fields: {rainfall: 8498}}
  - uuid: "2a79"
    name: Wind Chill
    fields:
      - {name: wind_chill, type: i8, unit: °C}
    examples:
      - {hex: "21", fields: {wind_chill: 33}}
  - uuid: "2a7a"
    name: Heat Index
    fields:
      - {name: heat_index, type: i8, unit: °C}
    examples:
      - {hex: "21", fields: {heat_index: 33}}
  - uuid: "2a7b"
    name: Dew Point
    fields:
      - {name: dew_point, type: i8, unit: °C}
    examples:
      - {hex: "21", fields: {dew_point: 33}}
  - uuid: "2aa0"
    name: Magnetic Flux Density - 2D
    fields:
      - {name: x_axis, type: i16, scale: {decimal: -1}, unit: µT}
      - {name: y_axis, type: i16, scale: {decimal: -1}, unit: µT}
    examples:
      - {hex: "32 21 45 34", fields: {x_axis: 849.8, y_axis: 1338.1}}
  - uuid: "2aa1"
    name: Magnetic Flux Density - 3D
    fields:
      - {name: x_axis, type: i16, scale: {decimal: -1}, unit: µT}
      - {name: y_axis, type: i16, scale: {decimal: -1}, unit: µT}
      - {name: z_axis, type: i16, scale: {decimal: -1}, unit: µT}
    examples:
      - {hex: "32 21 45 34 58 47", fields: {x_axis: 849.8, y_axis: 1338.1, z_axis: 1826.4}}
  - uuid: "2aa3"
    name: Barometric Pressure Trend
    fields:
      - {name: barometric_pressure_trend, type: u8, values: {0: unknown, 1: continuously_falling,
         2: continuously_rising, 3: falling_then_steady, 4: rising_then_steady, 5: falling_before_a_lesser_rise,
         6: falling_before_a_greater_rise, 7: rising_before_a_greater_fall, 8: rising_before_a_lesser_fall,
         9: steady}}
    examples:
      - {hex: "01", fields: {barometric_pressure_trend: continuously_falling}}
  - uuid: "2be4"
    name: Noise
    fields:
      - {name: noise, type: u8, unit: dB, special: {0xfe: "254_or_more", 0xff: not_known}}
    examples:
      - {hex: "21", fields: {noise: 33}}
  - uuid: "2c1b"
    name: Humidity 8
    fields:
      - {name: humidity, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known}, range: [0, 200]}
    examples:
      - {hex: "21", fields: {humidity: 16.5}}

"""##

private let source_errors: StaticString = ##"""
# What services call the errors that they define themselves, of all their attributes.
profile: errors
title: Error codes of services
source: memory of the services' specifications, "Attribute Protocol Application error codes"; what it was held against stands at each
services:
  - uuid: "1808"
    name: Glucose
    source: memory, version 1.0
    errors: {0x80: Procedure Already in Progress, 0x81: Client Characteristic Configuration Descriptor Improperly Configured}
  - uuid: "1811"
    name: Alert Notification
    source: memory
    errors: {0xa0: Command Not Supported}
  - uuid: "1814"
    name: Running Speed and Cadence
    source: memory, version 1.0
    errors: {0x80: Procedure Already in Progress, 0x81: Client Characteristic Configuration Descriptor Improperly Configured}
  - uuid: "1816"
    name: Cycling Speed and Cadence
    source: memory, version 1.0
    errors: {0x80: Procedure Already in Progress, 0x81: Client Characteristic Configuration Descriptor Improperly Configured}
  - uuid: "1818"
    name: Cycling Power
    source: memory; held against BTstack
    errors: {0x80: Inappropriate Connection Parameters}
  - uuid: "181a"
    name: Environmental Sensing
    source: memory
    errors: {0x80: Write Request Rejected, 0x81: Condition Not Supported}
  - uuid: "181c"
    name: User Data
    source: memory; held against Renesas' stack
    errors: {0x80: User Data Access Not Permitted}
  - uuid: "181e"
    name: Bond Management
    source: memory
    errors: {0x80: Op Code Not Supported, 0x81: Operation Failed}
  - uuid: "181f"
    name: Continuous Glucose Monitoring
    source: memory
    errors: {0x80: Missing CRC, 0x81: Invalid CRC}
  - uuid: "1825"
    name: Object Transfer
    source: memory; held against Zephyr and Renesas' stack
    errors: {0x80: Write Request Rejected, 0x81: Object Not Selected, 0x82: Concurrency Limit Exceeded, 0x83: Object Name Already Exists}
  - uuid: "1843"
    name: Audio Input Control
    source: memory; held against Zephyr
    errors: {0x80: Invalid Change Counter, 0x81: Opcode Not Supported, 0x82: Mute Disabled, 0x83: Value Out of Range, 0x84: Gain Mode Change Not Allowed}
  - uuid: "1844"
    name: Volume Control
    source: memory; held against Zephyr
    errors: {0x80: Invalid Change Counter, 0x81: Opcode Not Supported}
  - uuid: "1845"
    name: Volume Offset Control
    source: memory; held against Zephyr
    errors: {0x80: Invalid Change Counter, 0x81: Opcode Not Supported, 0x82: Value Out of Range}
  - uuid: "1846"
    name: Coordinated Set Identification
    source: memory; held against Zephyr
    errors: {0x80: Lock Denied, 0x81: Lock Release Denied, 0x82: Invalid Lock Value, 0x83: OOB SIRK Only, 0x84: Lock Already Granted}
  - uuid: "184d"
    name: Microphone Control
    source: memory; held against Zephyr
    errors: {0x80: Mute Disabled}
  - uuid: "184f"
    name: Broadcast Audio Scan
    source: memory; held against Zephyr
    errors: {0x80: Opcode Not Supported, 0x81: Invalid Source ID}
  - uuid: "1854"
    name: Hearing Access
    source: memory; held against Zephyr
    errors: {0x80: Invalid Opcode, 0x81: Write Name Not Allowed, 0x82: Preset Synchronization Not Supported, 0x83: Preset Operation Not Possible, 0x84: Invalid Parameters Length}

"""##

private let source_fitness_machine: StaticString = ##"""
profile: fitness_machine
title: Fitness Machine Service
source: GATT Specification Supplement
enumerations:
  fitness_command: {0: request_control, 1: reset, 2: set_target_speed, 3: set_target_inclination,
                    4: set_target_resistance, 5: set_target_power, 6: set_target_heart_rate, 7: start_or_resume,
                    8: stop_or_pause, 9: set_target_energy, 10: set_target_steps, 11: set_target_strides,
                    12: set_target_distance, 13: set_target_time, 14: set_target_time_in_two_zones,
                    15: set_target_time_in_three_zones, 16: set_target_time_in_five_zones, 17: set_bike_simulation,
                    18: set_wheel_circumference, 19: spin_down, 20: set_target_cadence, 0x80: response}
structures:
  bike_simulation:
    - {name: wind_speed, type: i16, scale: {decimal: -3}, unit: m/s, label: wind}
    - {name: grade, type: i16, scale: {decimal: -2}, unit: "%"}
    - {name: rolling_resistance, type: u8, scale: {decimal: -4}}
    - {name: wind_resistance, type: u8, scale: {decimal: -2}, unit: kg/m}
characteristics:
  - uuid: "2acc"
    name: Fitness Machine Feature
    source: memory, held against SwiftySensors
    fields:
      - name: features
        type: u32
        bits:
          - {bit: 0, name: average_speed}
          - {bit: 1, name: cadence}
          - {bit: 2, name: distance}
          - {bit: 3, name: inclination}
          - {bit: 4, name: elevation_gain}
          - {bit: 5, name: pace}
          - {bit: 6, name: step_count}
          - {bit: 7, name: resistance_level}
          - {bit: 8, name: stride_count}
          - {bit: 9, name: expended_energy}
          - {bit: 10, name: heart_rate}
          - {bit: 11, name: metabolic_equivalent}
          - {bit: 12, name: elapsed_time}
          - {bit: 13, name: remaining_time}
          - {bit: 14, name: power}
          - {bit: 15, name: belt_force}
          - {bit: 16, name: user_data_retention}
      - name: target_features
        type: u32
        bits:
          - {bit: 0, name: speed_target}
          - {bit: 1, name: inclination_target}
          - {bit: 2, name: resistance_target}
          - {bit: 3, name: power_target}
          - {bit: 4, name: heart_rate_target}
          - {bit: 5, name: energy_target}
          - {bit: 6, name: steps_target}
          - {bit: 7, name: strides_target}
          - {bit: 8, name: distance_target}
          - {bit: 9, name: time_target}
          - {bit: 10, name: time_in_two_zones_target}
          - {bit: 11, name: time_in_three_zones_target}
          - {bit: 12, name: time_in_five_zones_target}
          - {bit: 13, name: bike_simulation}
          - {bit: 14, name: wheel_circumference}
          - {bit: 15, name: spin_down}
          - {bit: 16, name: cadence_target}
    examples:
      - hex: "86 50 00 00 0c e0 00 00"
        fields: {cadence: true, distance: true, resistance_level: true, elapsed_time: true, power: true,
                 resistance_target: true, power_target: true, bike_simulation: true, spin_down: true, heart_rate: false}
        text: "cadence, distance, resistance level, elapsed time, power, resistance target, power target, \
               bike simulation, wheel circumference, spin down"
  - uuid: "2ad3"
    name: Training Status
    source: memory, held against SwiftySensors
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_text}
          - {bit: 1, name: text_continues}
      - name: status
        type: u8
        label: ""
        values: {0: other, 1: idle, 2: warming_up, 3: low_intensity_interval, 4: high_intensity_interval,
                 5: recovery_interval, 6: isometric, 7: heart_rate_control, 8: fitness_test, 9: speed_too_low,
                 10: speed_too_high, 11: cool_down, 12: watt_control, 13: manual_mode, 14: pre_workout,
                 15: post_workout}
      - {name: status_text, type: utf8, label: "", when: flags.has_text}
    examples:
      - {hex: "00 0d", fields: {status: manual_mode}, text: manual mode}
      - {hex: "01 02 31 2f 33", fields: {status: warming_up, status_text: 1/3}, text: 'warming up, "1/3"'}
  - uuid: "2ad4"
    name: Supported Speed Range
    fields:
      - {name: minimum, type: u16, scale: {decimal: -2}, unit: km/h}
      - {name: maximum, type: u16, scale: {decimal: -2}, unit: km/h}
      - {name: increment, type: u16, scale: {decimal: -2}, unit: km/h}
    text: "{minimum:n} to {maximum} by {increment}"
    examples:
      - {hex: "32 00 d0 07 0a 00", fields: {minimum: 0.5, maximum: 20, increment: 0.1},
         text: 0.50 to 20.00 km/h by 0.10 km/h}
  - uuid: "2ad5"
    name: Supported Inclination Range
    fields:
      - {name: minimum, type: i16, scale: {decimal: -1}, unit: "%"}
      - {name: maximum, type: i16, scale: {decimal: -1}, unit: "%"}
      - {name: increment, type: u16, scale: {decimal: -1}, unit: "%"}
    text: "{minimum:n} to {maximum} by {increment}"
    examples:
      - {hex: "e2 ff 96 00 05 00", fields: {minimum: -3, maximum: 15, increment: 0.5}, text: -3.0 to 15.0 % by 0.5 %}
  # Six bytes in tenths in the first version of the service, three today.
  - uuid: "2ad6"
    size: 6
    name: Supported Resistance Level Range
    source: memory
    fields:
      - {name: minimum, type: i16, scale: {decimal: -1}}
      - {name: maximum, type: i16, scale: {decimal: -1}}
      - {name: increment, type: u16, scale: {decimal: -1}}
    text: "{minimum} to {maximum} by {increment}"
    examples:
      - {hex: "00 00 e8 03 0a 00", fields: {minimum: 0, maximum: 100, increment: 1}, text: 0.0 to 100.0 by 1.0}
  - uuid: "2ad6"
    name: Supported Resistance Level Range
    fields:
      - {name: minimum, type: u8}
      - {name: maximum, type: u8}
      - {name: increment, type: u8}
    text: "{minimum} to {maximum} by {increment}"
    examples:
      - {hex: "01 20 01", fields: {minimum: 1, maximum: 32, increment: 1}, text: 1 to 32 by 1}
  - uuid: "2ad7"
    name: Supported Heart Rate Range
    fields:
      - {name: minimum, type: u8, unit: bpm}
      - {name: maximum, type: u8, unit: bpm}
      - {name: increment, type: u8, unit: bpm}
    text: "{minimum:n} to {maximum} by {increment}"
    examples:
      - {hex: "3c dc 01", fields: {minimum: 60, maximum: 220, increment: 1}, text: 60 to 220 bpm by 1 bpm}
  - uuid: "2ad8"
    name: Supported Power Range
    fields:
      - {name: minimum, type: i16, unit: W}
      - {name: maximum, type: i16, unit: W}
      - {name: increment, type: u16, unit: W}
    text: "{minimum:n} to {maximum} by {increment}"
    examples:
      - {hex: "00 00 d0 07 01 00", fields: {minimum: 0, maximum: 2000, increment: 1}, text: 0 to 2000 W by 1 W}
  - uuid: "2ad9"
    name: Fitness Machine Control Point
    source: memory, held against SwiftySensors
    fields:
      - {name: command, type: u8, values: fitness_command, label: ""}
      - choose: command
        cases:
          0: []
          1: []
          2: [{name: speed, type: u16, scale: {decimal: -2}, unit: km/h, label: ""}]
          3: [{name: inclination, type: i16, scale: {decimal: -1}, unit: "%", label: ""}]
          4:
            # One byte by the specification; many send two.
            - choose: remaining
              cases:
                1: [{name: resistance_level, type: u8, scale: {decimal: -1}, label: ""}]
                other: [{name: resistance_level, type: i16, scale: {decimal: -1}, label: ""}]
          5: [{name: power, type: i16, unit: W, label: ""}]
          6: [{name: heart_rate, type: u8, unit: bpm, label: ""}]
          7: []
          8: [{name: control, type: u8, values: {1: stop, 2: pause}, label: ""}]
          9: [{name: energy, type: u16, unit: kcal, label: ""}]
          10: [{name: steps, type: u16, label: ""}]
          11: [{name: strides, type: u16, label: ""}]
          12: [{name: distance, type: u24, unit: m, label: ""}]
          13: [{name: time, type: u16, unit: s, label: ""}]
          14: [{name: times, type: u16, unit: s, repeat: 2, label: ""}]
          15: [{name: times, type: u16, unit: s, repeat: 3, label: ""}]
          16: [{name: times, type: u16, unit: s, repeat: 5, label: ""}]
          17: [{layout: bike_simulation}]
          18: [{name: wheel_circumference, type: u16, scale: {decimal: -1}, unit: mm, label: ""}]
          19: [{name: control, type: u8, values: {1: start, 2: ignore}, label: ""}]
          20: [{name: cadence, type: u16, scale: {binary: -1}, unit: rpm, label: ""}]
          0x80:
            - {name: request, type: u8, values: fitness_command, label: to}
            - name: result
              type: u8
              label: ""
              values: {1: success, 2: op_code_not_supported, 3: invalid_parameter, 4: operation_failed,
                       5: control_not_permitted}
            - choose: request * (result == 1 && remaining >= 4)
              cases:
                19:
                  - {name: target_speed_low, type: u16, scale: {decimal: -2}, unit: km/h}
                  - {name: target_speed_high, type: u16, scale: {decimal: -2}, unit: km/h}
                other: [{name: parameter, type: bytes, when: remaining > 0}]
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    exchange: {request: command < 0x80, response: 0x80, request_field: request}
    examples:
      - {hex: "00", written: true, fields: {command: request_control}, text: request control}
      - {hex: "80 00 01", fields: {command: response, request: request_control, result: success},
         text: "response, to request control, success"}
      - {hex: "05 c8 00", written: true, fields: {command: set_target_power, power: 200}, text: "set target power, 200 W"}
      - hex: "11 00 00 f4 01 28 33"
        written: true
        fields: {command: set_bike_simulation, wind_speed: 0, grade: 5, rolling_resistance: 0.004, wind_resistance: 0.51}
      - {hex: "04 32", written: true, fields: {resistance_level: 5}}
      - {hex: "04 32 00", written: true, fields: {resistance_level: 5}}
      - {hex: "80 13 01 dc 05 b8 0b", fields: {request: spin_down, target_speed_low: 15, target_speed_high: 30}}
      - {hex: "80 05 05", fields: {request: set_target_power, result: control_not_permitted}}
  - uuid: "2ada"
    name: Fitness Machine Status
    source: memory
    fields:
      - name: event
        type: u8
        label: ""
        values: {1: reset, 2: stopped_or_paused, 3: stopped_by_safety_key, 4: started_or_resumed,
                 5: target_speed_changed, 6: target_inclination_changed, 7: target_resistance_changed,
                 8: target_power_changed, 9: target_heart_rate_changed, 10: target_energy_changed,
                 11: target_steps_changed, 12: target_strides_changed, 13: target_distance_changed,
                 14: target_time_changed, 15: target_time_in_two_zones_changed,
                 16: target_time_in_three_zones_changed, 17: target_time_in_five_zones_changed,
                 18: bike_simulation_changed, 19: wheel_circumference_changed, 20: spin_down_status,
                 21: target_cadence_changed, 255: control_permission_lost}
      - choose: event
        cases:
          2: [{name: control, type: u8, values: {1: stop, 2: pause}, label: ""}]
          5: [{name: speed, type: u16, scale: {decimal: -2}, unit: km/h, label: ""}]
          6: [{name: inclination, type: i16, scale: {decimal: -1}, unit: "%", label: ""}]
          7:
            - choose: remaining
              cases:
                1: [{name: resistance_level, type: u8, scale: {decimal: -1}, label: ""}]
                other: [{name: resistance_level, type: i16, scale: {decimal: -1}, label: ""}]
          8: [{name: power, type: i16, unit: W, label: ""}]
          9: [{name: heart_rate, type: u8, unit: bpm, label: ""}]
          10: [{name: energy, type: u16, unit: kcal, label: ""}]
          11: [{name: steps, type: u16, label: ""}]
          12: [{name: strides, type: u16, label: ""}]
          13: [{name: distance, type: u24, unit: m, label: ""}]
          14: [{name: time, type: u16, unit: s, label: ""}]
          15: [{name: times, type: u16, unit: s, repeat: 2, label: ""}]
          16: [{name: times, type: u16, unit: s, repeat: 3, label: ""}]
          17: [{name: times, type: u16, unit: s, repeat: 5, label: ""}]
          18: [{layout: bike_simulation}]
          19: [{name: wheel_circumference, type: u16, scale: {decimal: -1}, unit: mm, label: ""}]
          20: [{name: spin_down, type: u8, values: {1: requested, 2: success, 3: error, 4: stop_pedaling}, label: ""}]
          21: [{name: cadence, type: u16, scale: {binary: -1}, unit: rpm, label: ""}]
    examples:
      - {hex: "04", fields: {event: started_or_resumed}, text: started or resumed}
      - {hex: "02 02", fields: {event: stopped_or_paused, control: pause}, text: "stopped or paused, pause"}
      - {hex: "08 c8 00", fields: {event: target_power_changed, power: 200}, text: "target power changed, 200 W"}
      - {hex: "14 04", fields: {spin_down: stop_pedaling}}

"""##

private let source_fitness_machine_data: StaticString = ##"""
profile: fitness_machine_data
title: What fitness machines measure
source: GATT Specification Supplement; that resistance levels of two bytes occur, FTMS 1.0
structures:
  energy:
    - {name: total_energy, type: u16, unit: kcal, special: {0xffff: not_available}, label: energy}
    - {name: energy_per_hour, type: u16, unit: kcal, special: {0xffff: not_available}, label: per hour}
    - {name: energy_per_minute, type: u8, unit: kcal, special: {0xff: not_available}, label: per minute}
characteristics:
  # In all of these a set "more data" says that the first fields are not there, but come in another notification.
  - uuid: "2acd"
    name: Treadmill Data
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: more_data}
          - {bit: 1, name: has_average_speed}
          - {bit: 2, name: has_distance}
          - {bit: 3, name: has_inclination}
          - {bit: 4, name: has_elevation_gain}
          - {bit: 5, name: has_pace}
          - {bit: 6, name: has_average_pace}
          - {bit: 7, name: has_energy}
          - {bit: 8, name: has_heart_rate}
          - {bit: 9, name: has_metabolic_equivalent}
          - {bit: 10, name: has_elapsed_time}
          - {bit: 11, name: has_remaining_time}
          - {bit: 12, name: has_force}
      - {name: speed, type: u16, scale: {decimal: -2}, unit: km/h, when: "!flags.more_data"}
      - {name: average_speed, type: u16, scale: {decimal: -2}, unit: km/h, when: flags.has_average_speed}
      - {name: distance, type: u24, unit: m, when: flags.has_distance}
      - {name: inclination, type: i16, scale: {decimal: -1}, unit: "%", special: {0x7fff: not_available},
         when: flags.has_inclination}
      - {name: ramp_angle, type: i16, scale: {decimal: -1}, unit: °, special: {0x7fff: not_available},
         when: flags.has_inclination}
      - {name: positive_elevation_gain, type: u16, scale: {decimal: -1}, unit: m, label: up,
         when: flags.has_elevation_gain}
      - {name: negative_elevation_gain, type: u16, scale: {decimal: -1}, unit: m, label: down,
         when: flags.has_elevation_gain}
      - {name: pace, type: u16, unit: s/500 m, when: flags.has_pace}
      - {name: average_pace, type: u16, unit: s/500 m, when: flags.has_average_pace}
      - {layout: energy, when: flags.has_energy}
      - {name: heart_rate, type: u8, unit: bpm, when: flags.has_heart_rate}
      # The other machines' count in tenths, and so do treadmills by the service's specification.
      - {name: metabolic_equivalent, type: u8, scale: {decimal: -1}, unit: MET, label: "",
         when: flags.has_metabolic_equivalent}
      - {name: elapsed_time, type: u16, unit: s, label: elapsed, when: flags.has_elapsed_time}
      - {name: remaining_time, type: u16, unit: s, label: remaining, when: flags.has_remaining_time}
      - {name: belt_force, type: i16, unit: N, special: {0x7fff: not_available}, when: flags.has_force}
      - {name: power, type: i16, unit: W, special: {0x7fff: not_available}, when: flags.has_force}
    examples:
      - hex: "fe 1f e8 03 20 03 10 27 00 0f 00 09 00 64 00 32 00 2c 01 36 01 64 00 58 02 0a 96 50 08 07 3c 00 9c ff c8 00"
        fields: {speed: 10, average_speed: 8, distance: 10000, inclination: 1.5, ramp_angle: 0.9,
                 positive_elevation_gain: 10, negative_elevation_gain: 5, pace: 300, average_pace: 310,
                 total_energy: 100, energy_per_hour: 600, energy_per_minute: 10, heart_rate: 150,
                 metabolic_equivalent: 8, elapsed_time: 1800, remaining_time: 60, belt_force: -100, power: 200}
      - {hex: "01 01 96", fields: {more_data: true, heart_rate: 150}, text: heart rate 150 bpm}
      - {hex: "00 00 e8 03", fields: {speed: 10}, text: speed 10.00 km/h}
  - uuid: "2ace"
    name: Cross Trainer Data
    fields:
      - name: flags
        type: u24
        bits:
          - {bit: 0, name: more_data}
          - {bit: 1, name: has_average_speed}
          - {bit: 2, name: has_distance}
          - {bit: 3, name: has_step_rate}
          - {bit: 4, name: has_stride_count}
          - {bit: 5, name: has_elevation_gain}
          - {bit: 6, name: has_inclination}
          - {bit: 7, name: has_resistance}
          - {bit: 8, name: has_power}
          - {bit: 9, name: has_average_power}
          - {bit: 10, name: has_energy}
          - {bit: 11, name: has_heart_rate}
          - {bit: 12, name: has_metabolic_equivalent}
          - {bit: 13, name: has_elapsed_time}
          - {bit: 14, name: has_remaining_time}
          - {bit: 15, name: backward}
      - {name: speed, type: u16, scale: {decimal: -2}, unit: km/h, when: "!flags.more_data"}
      - {name: average_speed, type: u16, scale: {decimal: -2}, unit: km/h, when: flags.has_average_speed}
      - {name: distance, type: u24, unit: m, when: flags.has_distance}
      - {name: step_rate, type: u16, unit: /min, when: flags.has_step_rate}
      - {name: average_step_rate, type: u16, unit: /min, when: flags.has_step_rate}
      - {name: stride_count, type: u16, scale: {decimal: -1}, label: strides, when: flags.has_stride_count}
      - {name: positive_elevation_gain, type: u16, unit: m, label: up, when: flags.has_elevation_gain}
      - {name: negative_elevation_gain, type: u16, unit: m, label: down, when: flags.has_elevation_gain}
      - {name: inclination, type: i16, scale: {decimal: -1}, unit: "%", special: {0x7fff: not_available},
         when: flags.has_inclination}
      - {name: ramp_angle, type: i16, scale: {decimal: -1}, unit: °, special: {0x7fff: not_available},
         when: flags.has_inclination}
      # One byte today; two, in tenths, in the first version of the service. What follows tells which.
      - choose: remaining - 2 * flags.has_power - 2 * flags.has_average_power - 5 * flags.has_energy -
          flags.has_heart_rate - flags.has_metabolic_equivalent - 2 * flags.has_elapsed_time -
          2 * flags.has_remaining_time
        when: flags.has_resistance
        cases:
          1: [{name: resistance_level, type: u8, label: resistance}]
          other: [{name: resistance_level, type: i16, scale: {decimal: -1}, label: resistance}]
      - {name: power, type: i16, unit: W, when: flags.has_power}
      - {name: average_power, type: i16, unit: W, when: flags.has_average_power}
      - {layout: energy, when: flags.has_energy}
      - {name: heart_rate, type: u8, unit: bpm, when: flags.has_heart_rate}
      - {name: metabolic_equivalent, type: u8, scale: {decimal: -1}, unit: MET, label: "",
         when: flags.has_metabolic_equivalent}
      - {name: elapsed_time, type: u16, unit: s, label: elapsed, when: flags.has_elapsed_time}
      - {name: remaining_time, type: u16, unit: s, label: remaining, when: flags.has_remaining_time}
    examples:
      - hex: "88 81 00 e8 03 78 00 76 00 05 c8 00"
        fields: {backward: true, speed: 10, step_rate: 120, average_step_rate: 118, resistance_level: 5, power: 200}
        text: "backward, speed 10.00 km/h, step rate 120 /min, average step rate 118 /min, resistance 5, power 200 W"
      - {hex: "80 01 00 e8 03 32 00 c8 00", fields: {resistance_level: 5, power: 200}}
  - uuid: "2acf"
    name: Step Climber Data
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: more_data}
          - {bit: 1, name: has_step_rate}
          - {bit: 2, name: has_average_step_rate}
          - {bit: 3, name: has_elevation_gain}
          - {bit: 4, name: has_energy}
          - {bit: 5, name: has_heart_rate}
          - {bit: 6, name: has_metabolic_equivalent}
          - {bit: 7, name: has_elapsed_time}
          - {bit: 8, name: has_remaining_time}
      - {name: floors, type: u16, when: "!flags.more_data"}
      - {name: step_count, type: u16, label: steps, when: "!flags.more_data"}
      - {name: step_rate, type: u16, unit: /min, when: flags.has_step_rate}
      - {name: average_step_rate, type: u16, unit: /min, when: flags.has_average_step_rate}
      - {name: positive_elevation_gain, type: u16, unit: m, label: up, when: flags.has_elevation_gain}
      - {layout: energy, when: flags.has_energy}
      - {name: heart_rate, type: u8, unit: bpm, when: flags.has_heart_rate}
      - {name: metabolic_equivalent, type: u8, scale: {decimal: -1}, unit: MET, label: "",
         when: flags.has_metabolic_equivalent}
      - {name: elapsed_time, type: u16, unit: s, label: elapsed, when: flags.has_elapsed_time}
      - {name: remaining_time, type: u16, unit: s, label: remaining, when: flags.has_remaining_time}
    examples:
      - hex: "ca 00 0c 00 f0 00 3c 00 24 00 50 2c 01"
        fields: {floors: 12, step_count: 240, step_rate: 60, positive_elevation_gain: 36, metabolic_equivalent: 8,
                 elapsed_time: 300}
  - uuid: "2ad0"
    name: Stair Climber Data
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: more_data}
          - {bit: 1, name: has_step_rate}
          - {bit: 2, name: has_average_step_rate}
          - {bit: 3, name: has_elevation_gain}
          - {bit: 4, name: has_stride_count}
          - {bit: 5, name: has_energy}
          - {bit: 6, name: has_heart_rate}
          - {bit: 7, name: has_metabolic_equivalent}
          - {bit: 8, name: has_elapsed_time}
          - {bit: 9, name: has_remaining_time}
      - {name: floors, type: u16, when: "!flags.more_data"}
      - {name: step_rate, type: u16, unit: /min, when: flags.has_step_rate}
      - {name: average_step_rate, type: u16, unit: /min, when: flags.has_average_step_rate}
      - {name: positive_elevation_gain, type: u16, unit: m, label: up, when: flags.has_elevation_gain}
      - {name: stride_count, type: u16, label: strides, when: flags.has_stride_count}
      - {layout: energy, when: flags.has_energy}
      - {name: heart_rate, type: u8, unit: bpm, when: flags.has_heart_rate}
      - {name: metabolic_equivalent, type: u8, scale: {decimal: -1}, unit: MET, label: "",
         when: flags.has_metabolic_equivalent}
      - {name: elapsed_time, type: u16, unit: s, label: elapsed, when: flags.has_elapsed_time}
      - {name: remaining_time, type: u16, unit: s, label: remaining, when: flags.has_remaining_time}
    examples:
      - hex: "52 00 0c 00 3c 00 78 00 96"
        fields: {floors: 12, step_rate: 60, stride_count: 120, heart_rate: 150}
        text: "floors 12, step rate 60 /min, strides 120, heart rate 150 bpm"
  - uuid: "2ad1"
    name: Rower Data
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: more_data}
          - {bit: 1, name: has_average_stroke_rate}
          - {bit: 2, name: has_distance}
          - {bit: 3, name: has_pace}
          - {bit: 4, name: has_average_pace}
          - {bit: 5, name: has_power}
          - {bit: 6, name: has_average_power}
          - {bit: 7, name: has_resistance}
          - {bit: 8, name: has_energy}
          - {bit: 9, name: has_heart_rate}
          - {bit: 10, name: has_metabolic_equivalent}
          - {bit: 11, name: has_elapsed_time}
          - {bit: 12, name: has_remaining_time}
      - {name: stroke_rate, type: u8, scale: {binary: -1}, unit: /min, when: "!flags.more_data"}
      - {name: stroke_count, type: u16, label: strokes, when: "!flags.more_data"}
      - {name: average_stroke_rate, type: u8, scale: {binary: -1}, unit: /min, when: flags.has_average_stroke_rate}
      - {name: distance, type: u24, unit: m, when: flags.has_distance}
      - {name: pace, type: u16, unit: s/500 m, when: flags.has_pace}
      - {name: average_pace, type: u16, unit: s/500 m, when: flags.has_average_pace}
      - {name: power, type: i16, unit: W, when: flags.has_power}
      - {name: average_power, type: i16, unit: W, when: flags.has_average_power}
      # One byte today, two in the first version of the service. What follows tells which.
      - choose: remaining - 5 * flags.has_energy - flags.has_heart_rate - flags.has_metabolic_equivalent -
          2 * flags.has_elapsed_time - 2 * flags.has_remaining_time
        when: flags.has_resistance
        cases:
          1: [{name: resistance_level, type: u8, label: resistance}]
          other: [{name: resistance_level, type: i16, label: resistance}]
      - {layout: energy, when: flags.has_energy}
      - {name: heart_rate, type: u8, unit: bpm, when: flags.has_heart_rate}
      - {name: metabolic_equivalent, type: u8, scale: {decimal: -1}, unit: MET, label: "",
         when: flags.has_metabolic_equivalent}
      - {name: elapsed_time, type: u16, unit: s, label: elapsed, when: flags.has_elapsed_time}
      - {name: remaining_time, type: u16, unit: s, label: remaining, when: flags.has_remaining_time}
    examples:
      - hex: "ac 02 31 64 00 f4 01 00 82 00 9b 00 05 00 96"
        fields: {stroke_rate: 24.5, stroke_count: 100, distance: 500, pace: 130, power: 155, resistance_level: 5,
                 heart_rate: 150}
      - {hex: "81 00 05", fields: {more_data: true, resistance_level: 5}, text: resistance 5}
  - uuid: "2ad2"
    name: Indoor Bike Data
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: more_data}
          - {bit: 1, name: has_average_speed}
          - {bit: 2, name: has_cadence}
          - {bit: 3, name: has_average_cadence}
          - {bit: 4, name: has_distance}
          - {bit: 5, name: has_resistance}
          - {bit: 6, name: has_power}
          - {bit: 7, name: has_average_power}
          - {bit: 8, name: has_energy}
          - {bit: 9, name: has_heart_rate}
          - {bit: 10, name: has_metabolic_equivalent}
          - {bit: 11, name: has_elapsed_time}
          - {bit: 12, name: has_remaining_time}
      - {name: speed, type: u16, scale: {decimal: -2}, unit: km/h, when: "!flags.more_data"}
      - {name: average_speed, type: u16, scale: {decimal: -2}, unit: km/h, when: flags.has_average_speed}
      - {name: cadence, type: u16, scale: {binary: -1}, unit: rpm, when: flags.has_cadence}
      - {name: average_cadence, type: u16, scale: {binary: -1}, unit: rpm, when: flags.has_average_cadence}
      - {name: distance, type: u24, unit: m, when: flags.has_distance}
      # One byte today, two in the first version of the service. What follows tells which.
      - choose: remaining - 2 * flags.has_power - 2 * flags.has_average_power - 5 * flags.has_energy -
          flags.has_heart_rate - flags.has_metabolic_equivalent - 2 * flags.has_elapsed_time -
          2 * flags.has_remaining_time
        when: flags.has_resistance
        cases:
          1: [{name: resistance_level, type: u8, label: resistance}]
          other: [{name: resistance_level, type: i16, label: resistance}]
      - {name: power, type: i16, unit: W, when: flags.has_power}
      - {name: average_power, type: i16, unit: W, when: flags.has_average_power}
      - {layout: energy, when: flags.has_energy}
      - {name: heart_rate, type: u8, unit: bpm, when: flags.has_heart_rate}
      - {name: metabolic_equivalent, type: u8, scale: {decimal: -1}, unit: MET, label: "",
         when: flags.has_metabolic_equivalent}
      - {name: elapsed_time, type: u16, unit: s, label: elapsed, when: flags.has_elapsed_time}
      - {name: remaining_time, type: u16, unit: s, label: remaining, when: flags.has_remaining_time}
    examples:
      - hex: "64 02 c4 09 b4 00 0a 00 fa 00 8c"
        fields: {speed: 25, cadence: 90, resistance_level: 10, power: 250, heart_rate: 140}
        text: "speed 25.00 km/h, cadence 90.0 rpm, resistance 10, power 250 W, heart rate 140 bpm"
      - {hex: "64 02 c4 09 b4 00 0a fa 00 8c", fields: {cadence: 90, resistance_level: 10, power: 250, heart_rate: 140}}

"""##

private let source_gases: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: gases
title: Concentrations in air
source: GATT Specification Supplement
characteristics:
  - uuid: "2b8c"
    name: CO2 Concentration
    fields:
      - {name: co2_concentration, type: u16, unit: ppm, special: {0xfffe: "65534_or_more", 0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {co2_concentration: 8498}}
  - uuid: "2bcf"
    name: Ammonia Concentration
    fields:
      - {name: ammonia_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {ammonia_concentration: 12300}}
  - uuid: "2bd0"
    name: Carbon Monoxide Concentration
    fields:
      - {name: carbon_monoxide_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {carbon_monoxide_concentration: 12300}}
  - uuid: "2bd1"
    name: Methane Concentration
    fields:
      - {name: methane_concentration, type: medfloat16, unit: ppb}
    examples:
      - {hex: "7b 90", fields: {methane_concentration: 0.0000123}}
  - uuid: "2bd2"
    name: Nitrogen Dioxide Concentration
    fields:
      - {name: nitrogen_dioxide_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {nitrogen_dioxide_concentration: 12300}}
  - uuid: "2bd3"
    name: Non-Methane Volatile Organic Compounds Concentration
    fields:
      - {name: nmvoc_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {nmvoc_concentration: 12300}}
  - uuid: "2bd4"
    name: Ozone Concentration
    fields:
      - {name: ozone_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {ozone_concentration: 12300}}
  - uuid: "2bd5"
    name: Particulate Matter - PM1 Concentration
    fields:
      - {name: pm1_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {pm1_concentration: 12300}}
  - uuid: "2bd6"
    name: Particulate Matter - PM2.5 Concentration
    fields:
      - {name: pm2_5_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {pm2_5_concentration: 12300}}
  - uuid: "2bd7"
    name: Particulate Matter - PM10 Concentration
    fields:
      - {name: pm10_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {pm10_concentration: 12300}}
  - uuid: "2bd8"
    name: Sulfur Dioxide Concentration
    fields:
      - {name: sulfur_dioxide_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {sulfur_dioxide_concentration: 12300}}
  - uuid: "2bd9"
    name: Sulfur Hexafluoride Concentration
    fields:
      - {name: sulfur_hexafluoride_concentration, type: medfloat16, scale: {decimal: 9}, unit: µg/m³}
    examples:
      - {hex: "7b 90", fields: {sulfur_hexafluoride_concentration: 12300}}
  - uuid: "2be7"
    name: VOC Concentration
    fields:
      - {name: voc_concentration, type: u16, unit: ppb, special: {0xfffe: "65534_or_more", 0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {voc_concentration: 8498}}

"""##

private let source_generic_access: StaticString = ##"""
profile: generic_access
title: Generic Access and Generic Attribute Services
source: Core, Vol 3, Part C, 12, and Part G, 7, from memory
characteristics:
  - uuid: "2a00"
    name: Device Name
    fields: [{name: device_name, type: utf8}]
    examples:
      - {hex: "50 6f 6c 61 72 20 48 31 30", fields: {device_name: Polar H10}, text: '"Polar H10"'}
  - uuid: "2a01"
    name: Appearance
    fields: [{name: appearance, type: u16, values: appearance}]
    examples:
      - {hex: "41 03", fields: {appearance: "0x0341"}}
  - uuid: "2a02"
    name: Peripheral Privacy Flag
    fields: [{name: privacy, type: u8, values: {0: disabled, 1: enabled}}]
    examples:
      - {hex: "00", fields: {privacy: disabled}}
  - uuid: "2a03"
    name: Reconnection Address
    fields: [{name: reconnection_address, type: address}]
    examples:
      - {hex: "56 34 12 ef cd ab", fields: {reconnection_address: "AB:CD:EF:12:34:56"}}
  - uuid: "2a04"
    name: Peripheral Preferred Connection Parameters
    fields:
      - {name: minimum_interval, type: u16, scale: {multiply: 1.25}, unit: ms, special: {0xffff: any}, range: [6, 3200]}
      - {name: maximum_interval, type: u16, scale: {multiply: 1.25}, unit: ms, special: {0xffff: any}, range: [6, 3200]}
      - {name: latency, type: u16, range: [0, 499]}
      - {name: timeout, type: u16, scale: {multiply: 10}, unit: ms, special: {0xffff: any}, range: [10, 3200]}
    text: "interval {minimum_interval:n} to {maximum_interval}, latency {latency}, timeout {timeout}"
    examples:
      - hex: "06 00 18 00 00 00 90 01"
        fields: {minimum_interval: 7.5, maximum_interval: 30, latency: 0, timeout: 4000}
        text: "interval 7.50 to 30.00 ms, latency 0, timeout 4000 ms"
      - {hex: "ff ff ff ff 00 00 ff ff", fields: {minimum_interval: any, maximum_interval: any, timeout: any}}
  - uuid: "2aa6"
    name: Central Address Resolution
    fields: [{name: address_resolution, type: u8, values: {0: not_supported, 1: supported}}]
    examples:
      - {hex: "01", fields: {address_resolution: supported}, text: supported}
  - uuid: "2ac9"
    name: Resolvable Private Address Only
    fields: [{name: addresses, type: u8, values: {0: resolvable_private_only}}]
    examples:
      - {hex: "00", fields: {addresses: resolvable_private_only}}
  - uuid: "2bf5"
    name: LE GATT Security Levels
    fields:
      - {name: requirements, repeat: rest, min: 1, label: "", text: "mode {mode} level {level}",
         fields: [{name: mode, type: u8}, {name: level, type: u8}]}
    examples:
      - {hex: "01 02 01 04", fields: {requirements: [{mode: 1, level: 2}, {mode: 1, level: 4}]},
         text: mode 1 level 2; mode 1 level 4}
  - uuid: "2a05"
    name: Service Changed
    fields:
      - {name: first_handle, type: u16, format: hex}
      - {name: last_handle, type: u16, format: hex}
    text: "handles {first_handle} to {last_handle}"
    examples:
      - {hex: "01 00 ff ff", fields: {first_handle: "0x0001", last_handle: "0xffff"},
         text: handles 0x0001 to 0xffff}
  - uuid: "2b29"
    name: Client Supported Features
    fields:
      - name: features
        type: u8
        bits:
          - {bit: 0, name: robust_caching}
          - {bit: 1, name: enhanced_att_bearer, label: enhanced ATT bearer}
          - {bit: 2, name: multiple_handle_value_notifications}
    examples:
      - {hex: "05", written: true, fields: {robust_caching: true, enhanced_att_bearer: false,
         multiple_handle_value_notifications: true}, text: "robust caching, multiple handle value notifications"}
  - uuid: "2b2a"
    name: Database Hash
    fields: [{name: database_hash, type: bytes, size: 16}]
    examples:
      - {hex: "f1 ca 2d 48 ec f5 8b ac 8a 88 30 bb b9 fb a9 90",
         fields: {database_hash: f1ca2d48ecf58bac8a8830bbb9fba990}}
  - uuid: "2b3a"
    name: Server Supported Features
    fields:
      - name: features
        type: u8
        bits:
          - {bit: 0, name: enhanced_att_bearer, label: enhanced ATT bearer}
    examples:
      - {hex: "01", fields: {enhanced_att_bearer: true}, text: enhanced ATT bearer}

"""##

private let source_glucose: StaticString = ##"""
profile: glucose
title: Glucose Service
source: GATT Specification Supplement
enumerations:
  sample_type: {1: capillary_whole_blood, 2: capillary_plasma, 3: venous_whole_blood, 4: venous_plasma,
                5: arterial_whole_blood, 6: arterial_plasma, 7: undetermined_whole_blood, 8: undetermined_plasma,
                9: interstitial_fluid, 10: control_solution}
  sample_location: {1: finger, 2: alternate_site_test, 3: earlobe, 4: control_solution, 15: not_available}
characteristics:
  - uuid: "2a18"
    name: Glucose Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_time_offset}
          - {bit: 1, name: has_concentration}
          - {bit: 2, name: molar}
          - {bit: 3, name: has_status}
          - {bit: 4, name: context_follows}
      - {name: sequence_number, type: u16, label: record}
      - {name: base_time, type: datetime, label: at}
      - {name: time_offset, type: i16, unit: min, label: plus, when: flags.has_time_offset}
      # On the air kg/L and mol/L.
      - {name: concentration, type: medfloat16, scale: {decimal: 5}, unit: mg/dL, label: "",
         when: flags.has_concentration && !flags.molar}
      - {name: concentration, type: medfloat16, scale: {decimal: 3}, unit: mmol/L, label: "",
         when: flags.has_concentration && flags.molar}
      - name: sample
        type: u8
        when: flags.has_concentration
        bits:
          - {bits: [0, 3], name: sample_type, values: sample_type, label: ""}
          - {bits: [4, 7], name: sample_location, values: sample_location, label: "", quiet: [15]}
      - name: status
        type: u16
        when: flags.has_status
        bits:
          - {bit: 0, name: battery_low}
          - {bit: 1, name: sensor_malfunction}
          - {bit: 2, name: sample_size_insufficient}
          - {bit: 3, name: strip_insertion_error}
          - {bit: 4, name: strip_type_incorrect}
          - {bit: 5, name: result_too_high}
          - {bit: 6, name: result_too_low}
          - {bit: 7, name: temperature_too_high}
          - {bit: 8, name: temperature_too_low}
          - {bit: 9, name: read_interrupted}
          - {bit: 10, name: general_device_fault}
          - {bit: 11, name: time_fault}
    examples:
      - hex: "1b 01 00 e3 07 02 1b 0b 0a 1e fb ff 1e 00 12 05 01"
        fields: {context_follows: true, sequence_number: 1, base_time: "2019-02-27T11:10:30", time_offset: -5,
                 concentration: 3000000, sample_type: capillary_plasma, sample_location: finger, battery_low: true,
                 sample_size_insufficient: true, temperature_too_low: true, general_device_fault: false}
        source: Android BLE Common Library, GlucoseMeasurementDataCallbackTest
      - hex: "1b 05 00 ea 07 0b 16 05 1a 32 0a 00 66 b0 11 01 00"
        fields: {context_follows: true, sequence_number: 5, base_time: "2026-11-22T05:26:50", time_offset: 10,
                 concentration: 102, sample_type: capillary_whole_blood, sample_location: finger, battery_low: true}
        text: "context follows, record 5, at 2026-11-22 05:26:50, plus 10 min, 102 mg/dL, capillary whole blood, \
               finger, battery low"
      - hex: "06 06 00 ea 07 0b 16 05 1a 32 38 c0 f1"
        fields: {sequence_number: 6, concentration: 5.6, sample_location: not_available}
  - uuid: "2a34"
    name: Glucose Measurement Context
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_carbohydrate}
          - {bit: 1, name: has_meal}
          - {bit: 2, name: has_health}
          - {bit: 3, name: has_exercise}
          - {bit: 4, name: has_medication}
          - {bit: 5, name: in_liters}
          - {bit: 6, name: has_hba1c}
          - {bit: 7, name: extended}
      - {name: sequence_number, type: u16, label: record}
      - {name: extended_flags, type: u8, format: hex, when: flags.extended}
      - {name: carbohydrate_source, type: u8, label: "", when: flags.has_carbohydrate,
         values: {1: breakfast, 2: lunch, 3: dinner, 4: snack, 5: drink, 6: supper, 7: brunch}}
      - {name: carbohydrate, type: medfloat16, scale: {decimal: 3}, unit: g, when: flags.has_carbohydrate}
      - {name: meal, type: u8, label: "", when: flags.has_meal,
         values: {1: before_meal, 2: after_meal, 3: fasting, 4: casual, 5: bedtime}}
      - name: health_and_tester
        type: u8
        when: flags.has_health
        bits:
          - {bits: [0, 3], name: tester, quiet: [15],
             values: {1: self, 2: health_care_professional, 3: lab_test, 15: not_available}}
          - {bits: [4, 7], name: health, quiet: [15],
             values: {1: minor_issues, 2: major_issues, 3: during_menses, 4: under_stress, 5: no_issues,
                      15: not_available}}
      - {name: exercise_duration, type: u16, unit: s, special: {0xffff: overrun}, label: exercise,
         when: flags.has_exercise}
      - {name: exercise_intensity, type: u8, unit: "%", label: intensity, when: flags.has_exercise}
      - {name: medication_kind, type: u8, label: "", when: flags.has_medication,
         values: {1: rapid_acting_insulin, 2: short_acting_insulin, 3: intermediate_acting_insulin,
                  4: long_acting_insulin, 5: premixed_insulin}}
      - {name: medication, type: medfloat16, scale: {decimal: 6}, unit: mg,
         when: flags.has_medication && !flags.in_liters}
      - {name: medication, type: medfloat16, scale: {decimal: 3}, unit: mL,
         when: flags.has_medication && flags.in_liters}
      - {name: hba1c, type: medfloat16, unit: "%", label: HbA1c, when: flags.has_hba1c}
    examples:
      - hex: "5b 05 00 01 32 d0 02 08 07 3c 01 0a d0 41 f0"
        fields: {sequence_number: 5, carbohydrate_source: breakfast, carbohydrate: 50, meal: after_meal,
                 exercise_duration: 1800, exercise_intensity: 60, medication_kind: rapid_acting_insulin,
                 medication: 10000, hba1c: 6.5}
      - hex: "04 05 00 51"
        fields: {tester: self, health: no_issues}
        text: "record 5, tester self, health no issues"
  - uuid: "2a51"
    name: Glucose Feature
    fields:
      - name: features
        type: u16
        bits:
          - {bit: 0, name: low_battery_detection}
          - {bit: 1, name: sensor_malfunction_detection}
          - {bit: 2, name: sample_size}
          - {bit: 3, name: strip_insertion_error_detection}
          - {bit: 4, name: strip_type_error_detection}
          - {bit: 5, name: result_high_low_detection}
          - {bit: 6, name: temperature_high_low_detection}
          - {bit: 7, name: read_interrupt_detection}
          - {bit: 8, name: general_device_fault}
          - {bit: 9, name: time_fault}
          - {bit: 10, name: multiple_bonds}
    examples:
      - {hex: "03 04", fields: {low_battery_detection: true, multiple_bonds: true},
         text: "low battery detection, sensor malfunction detection, multiple bonds"}

"""##

private let source_health_thermometer: StaticString = ##"""
profile: health_thermometer
title: Health Thermometer Service
source: GATT Specification Supplement
enumerations:
  temperature_type: {1: armpit, 2: body, 3: ear, 4: finger, 5: gastrointestinal_tract, 6: mouth, 7: rectum, 8: toe,
                     9: tympanum}
structures:
  temperature_measurement:
    - name: flags
      type: u8
      bits:
        - {bit: 0, name: fahrenheit}
        - {bit: 1, name: has_time}
        - {bit: 2, name: has_type}
    - {name: temperature, type: medfloat32, unit: °C, label: "", when: "!flags.fahrenheit"}
    - {name: temperature, type: medfloat32, unit: °F, label: "", when: flags.fahrenheit}
    - {name: time, type: datetime, label: "", when: flags.has_time}
    - {name: temperature_type, type: u8, values: temperature_type, label: "", when: flags.has_type}
characteristics:
  - uuid: "2a1c"
    name: Temperature Measurement
    fields: [{layout: temperature_measurement}]
    text: "{temperature}[, {temperature_type}][, {time}]"
    examples:
      - hex: "06 6c 01 00 ff ea 07 0b 16 05 1a 32 03"
        fields: {temperature: 36.4, time: "2026-11-22T05:26:50", temperature_type: ear}
        text: "36.4 °C, ear, 2026-11-22 05:26:50"
      - hex: "01 d8 03 00 ff"
        fields: {temperature: 98.4}
        text: 98.4 °F
      - hex: "00 ff ff 7f 00"
        fields: {temperature: nan}
        source: worked out; IEEE 11073-20601's NaN
  - uuid: "2a1d"
    name: Temperature Type
    fields: [{name: temperature_type, type: u8, values: temperature_type}]
    examples:
      - {hex: "09", fields: {temperature_type: tympanum}}
  - uuid: "2a1e"
    name: Intermediate Temperature
    fields: [{layout: temperature_measurement}]
    text: "{temperature}[, {temperature_type}][, {time}]"
    examples:
      - hex: "04 6c 01 00 ff 06"
        fields: {temperature: 36.4, temperature_type: mouth}
        text: "36.4 °C, mouth"
  - uuid: "2a21"
    name: Measurement Interval
    fields: [{name: measurement_interval, type: u16, unit: s, special: {0: no_periodic_measurement}}]
    examples:
      - {hex: "3c 00", fields: {measurement_interval: 60}, text: 60 s}
      - {hex: "00 00", fields: {measurement_interval: no_periodic_measurement}}

"""##

private let source_heart_rate: StaticString = ##"""
profile: heart_rate
title: Heart Rate Service
source: GATT Specification Supplement
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
      - {name: rr_interval, type: u16, scale: {divide: 1024}, unit: s, repeat: rest, min: 1, when: flags.has_rr}
    text: "{heart_rate}[, contact {flags.sensor_contact}][, {energy_expended}][, RR {rr_interval}]"
    examples:
      - hex: "16 48 00 03"
        fields: {heart_rate: 72, sensor_contact: detected, rr_interval: [0.75]}
        text: "72 bpm, contact detected, RR 0.750 s"
      - hex: "00 48"
        fields: {heart_rate: 72, sensor_contact: not_supported}
        text: 72 bpm
      - hex: "0d 2c 01 10 00"
        fields: {heart_rate: 300, energy_expended: 16}
        text: "300 bpm, contact not detected, 16 kJ"
        source: worked out; both bits of the contact and 16 bits of the heart rate
      - hex: "10 3c"
        fields: {heart_rate: 60}
        problems: [too_few]
      - hex: "08 3c 01"
        problems: [missing_bytes]
  - uuid: "2a38"
    name: Body Sensor Location
    fields:
      - {name: body_sensor_location, type: u8,
         values: {0: other, 1: chest, 2: wrist, 3: finger, 4: hand, 5: ear_lobe, 6: foot}}
    examples:
      - {hex: "01", fields: {body_sensor_location: chest}, text: chest}
      - {hex: "07", fields: {body_sensor_location: 7}, problems: [reserved_value]}
  - uuid: "2a39"
    name: Heart Rate Control Point
    fields: [{name: command, type: u8, values: {1: reset_energy_expended}}]
    # Heart Rate Service 1.0, 1.6.
    errors: {0x80: Control Point Not Supported}
    examples:
      - {hex: "01", written: true, fields: {command: reset_energy_expended}, text: reset energy expended}

"""##

private let source_heat: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: heat
title: Temperatures and flows
source: GATT Specification Supplement
characteristics:
  - uuid: "2b02"
    name: Mass Flow
    fields:
      - {name: mass_flow, type: u16, unit: g/s, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {mass_flow: 8498}}
  - uuid: "2b0c"
    name: Relative Value in a Temperature Range
    fields:
      - {name: relative_value, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known}, range: [0, 200]}
      - {name: minimum_temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
      - {name: maximum_temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
    examples:
      - {hex: "21 45 34 58 47",
         fields: {relative_value: 16.5, minimum_temperature: 133.81, maximum_temperature: 182.64}}
  - uuid: "2b0d"
    name: Temperature 8
    fields:
      - {name: temperature, type: i8, scale: {binary: -1}, unit: °C, special: {0x7f: not_known}}
    examples:
      - {hex: "21", fields: {temperature: 16.5}}
  - uuid: "2b0e"
    name: Temperature 8 in a Period of Day
    fields:
      - {name: temperature, type: i8, scale: {binary: -1}, unit: °C, special: {0x7f: not_known}}
      - {name: start_time, type: u8, scale: {decimal: -1}, unit: h, special: {0xff: not_known}, range: [0, 239]}
      - {name: end_time, type: u8, scale: {decimal: -1}, unit: h, special: {0xff: not_known}, range: [0, 239]}
    examples:
      - {hex: "21 34 47", fields: {temperature: 16.5, start_time: 5.2, end_time: 7.1}}
  - uuid: "2b0f"
    name: Temperature 8 Statistics
    fields:
      - {name: average, type: i8, scale: {binary: -1}, unit: °C, special: {0x7f: not_known}}
      - {name: standard_deviation, type: i8, scale: {binary: -1}, unit: °C, special: {0x7f: not_known}}
      - {name: minimum, type: i8, scale: {binary: -1}, unit: °C, special: {0x7f: not_known}}
      - {name: maximum, type: i8, scale: {binary: -1}, unit: °C, special: {0x7f: not_known}}
      - {name: sensing_duration, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "21 34 47 5a 40",
         fields: {average: 16.5, standard_deviation: 26, minimum: 35.5, maximum: 45, sensing_duration: 1}}
  - uuid: "2b10"
    name: Temperature Range
    fields:
      - {name: minimum_temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
      - {name: maximum_temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
    examples:
      - {hex: "32 21 45 34", fields: {minimum_temperature: 84.98, maximum_temperature: 133.81}}
  - uuid: "2b11"
    name: Temperature Statistics
    fields:
      - {name: average_temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
      - {name: standard_deviation_temperature, type: i16, scale: {decimal: -2}, unit: °C,
         special: {0x8000: not_known}, range: [-27315, 32767]}
      - {name: minimum_temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
      - {name: maximum_temperature, type: i16, scale: {decimal: -2}, unit: °C, special: {0x8000: not_known},
         range: [-27315, 32767]}
      - {name: sensing_duration, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "32 21 45 34 58 47 6b 5a 40", fields: {average_temperature: 84.98,
         standard_deviation_temperature: 133.81, minimum_temperature: 182.64, maximum_temperature: 231.47,
         sensing_duration: 1}}
  - uuid: "2b1b"
    name: Volume Flow
    fields:
      - {name: volume_flow, type: u16, scale: {decimal: -3}, unit: L/s, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {volume_flow: 8.498}}
  - uuid: "2bdf"
    name: High Temperature
    fields:
      - {name: high_temperature, type: i16, scale: {binary: -1}, unit: °C,
         special: {0x8001: not_valid, 0x8000: not_known}, range: [-546, 32767]}
    examples:
      - {hex: "32 21", fields: {high_temperature: 4249}}
  - uuid: "2c2e"
    name: Cooking Temperature
    fields:
      - {name: cooking_temperature, type: i16, scale: {decimal: -1}, unit: °C, special: {0x8000: not_known},
         range: [-1000, 10000]}
    examples:
      - {hex: "32 21", fields: {cooking_temperature: 849.8}}
  - uuid: "2c30"
    name: Kitchen Appliance Airflow
    fields:
      - {name: kitchen_appliance_airflow, type: u16, scale: {decimal: -3}, unit: m³/s, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {kitchen_appliance_airflow: 8.498}}

"""##

private let source_hid: StaticString = ##"""
profile: hid
title: HID and Scan Parameters Services
source: memory; the GATT Specification Supplement has no layout of these
enumerations:
  key: {0: none, 1: too_many_keys, 4: a, 5: b, 6: c, 7: d, 8: e, 9: f, 10: g, 11: h, 12: i, 13: j, 14: k, 15: l, 16: m,
        17: n, 18: o, 19: p, 20: q, 21: r, 22: s, 23: t, 24: u, 25: v, 26: w, 27: x, 28: y, 29: z, 30: "1", 31: "2",
        32: "3", 33: "4", 34: "5", 35: "6", 36: "7", 37: "8", 38: "9", 39: "0", 40: enter, 41: escape, 42: backspace,
        43: tab, 44: space, 45: minus, 46: equals, 47: left_bracket, 48: right_bracket, 49: backslash, 50: hash,
        51: semicolon, 52: quote, 53: grave, 54: comma, 55: period, 56: slash, 57: caps_lock, 58: f1, 59: f2, 60: f3,
        61: f4, 62: f5, 63: f6, 64: f7, 65: f8, 66: f9, 67: f10, 68: f11, 69: f12, 70: print_screen, 71: scroll_lock,
        72: pause, 73: insert, 74: home, 75: page_up, 76: delete, 77: end, 78: page_down, 79: right, 80: left,
        81: down, 82: up, 83: num_lock, 101: menu}
  usage_page: {1: generic_desktop, 2: simulation, 3: virtual_reality, 4: sport, 5: game, 6: generic_device, 7: keyboard,
               8: leds, 9: buttons, 10: ordinal, 11: telephony, 12: consumer, 13: digitizer, 14: haptics, 15: physical,
               20: alphanumeric_display, 32: sensors, 64: medical, 0x84: power, 0x85: battery, 0x8c: bar_code_scanner,
               0x8d: scale}
  collection: {0: physical, 1: application, 2: logical, 3: report, 4: named_array, 5: usage_switch, 6: usage_modifier}
structures:
  # Each item is a byte that says which and how long, and 0, 1, 2 or 4 bytes.
  report_items:
    - name: items
      label: ""
      repeat: rest
      fields:
        - name: prefix
          type: u8
          bits:
            - {bits: [0, 1], name: length, quiet: true}
            - bits: [2, 7]
              name: item
              label: ""
              values: {1: usage_page, 2: usage, 5: logical_minimum, 6: usage_minimum, 9: logical_maximum,
                       10: usage_maximum, 13: physical_minimum, 17: physical_maximum, 21: unit_exponent, 25: unit,
                       29: report_size, 32: input, 33: report_id, 36: output, 37: report_count, 40: collection,
                       41: push, 44: feature, 45: pop, 48: end_collection, 14: designator_index, 18: designator_minimum,
                       22: designator_maximum, 30: string_index, 34: string_minimum, 38: string_maximum, 42: delimiter,
                       63: long_item}
        - choose: prefix.item * 4 + prefix.length
          cases:
            5: [{name: page, type: u8, values: usage_page, label: ""}]
            6: [{name: page, type: u16, values: {0xf1d0: fido, "0xff00-0xffff": vendor}, label: ""}]
            161: [{name: collection, type: u8, values: collection, label: ""}]
            other:
              - choose: prefix.length
                cases:
                  0: []
                  1: [{name: number, type: u8, label: ""}]
                  2: [{name: number, type: u16, label: ""}]
                  3: [{name: number, type: u32, label: ""}]
characteristics:
  - uuid: "2a22"
    name: Boot Keyboard Input Report
    fields:
      - name: modifiers
        type: u8
        bits:
          - {bit: 0, name: left_control}
          - {bit: 1, name: left_shift}
          - {bit: 2, name: left_alt}
          - {bit: 3, name: left_gui, label: left GUI}
          - {bit: 4, name: right_control}
          - {bit: 5, name: right_shift}
          - {bit: 6, name: right_alt}
          - {bit: 7, name: right_gui, label: right GUI}
      - {name: unused, type: u8, quiet: true}
      - {name: keys, type: u8, values: key, repeat: 6, quiet: [0]}
    examples:
      - hex: "02 00 04 00 00 00 00 00"
        fields: {left_shift: true, right_alt: false, keys: [a, none, none, none, none, none]}
  - uuid: "2a22"
    match: "00 00 00 00 00 00 00 00"
    size: 8
    name: Boot Keyboard Input Report
    fields:
      - {name: modifiers, type: u8, format: hex}
      - {name: unused, type: u8, quiet: true}
      - {name: keys, type: u8, values: key, repeat: 6, quiet: true}
    text: no key
    examples:
      - {hex: "00 00 00 00 00 00 00 00", fields: {keys: [none, none, none, none, none, none]}, text: no key}
  - uuid: "2a31"
    name: Scan Refresh
    fields: [{name: scan_refresh, type: u8, values: {0: server_requires_refresh}}]
    examples:
      - {hex: "00", fields: {scan_refresh: server_requires_refresh}}
  - uuid: "2a32"
    name: Boot Keyboard Output Report
    fields:
      - name: leds
        type: u8
        bits:
          - {bit: 0, name: num_lock}
          - {bit: 1, name: caps_lock}
          - {bit: 2, name: scroll_lock}
          - {bit: 3, name: compose}
          - {bit: 4, name: kana}
    examples:
      - {hex: "02", written: true, fields: {num_lock: false, caps_lock: true}, text: caps lock}
  - uuid: "2a33"
    name: Boot Mouse Input Report
    fields:
      - name: buttons
        type: u8
        bits:
          - {bit: 0, name: left}
          - {bit: 1, name: right}
          - {bit: 2, name: middle}
          - {bits: [3, 7], name: more_buttons, format: hex, quiet: [0]}
      - {name: x, type: i8}
      - {name: y, type: i8}
      - {name: more, type: bytes, when: remaining > 0}
    examples:
      - {hex: "01 05 fb", fields: {left: true, x: 5, y: -5}, text: "left, x 5, y -5"}
      - {hex: "00 00 01 ff", fields: {x: 0, y: 1, more: ff}}
  - uuid: "2a4a"
    name: HID Information
    fields:
      # Hexadecimal digits as decimal ones: 0x0111 is 1.11.
      - {name: version, type: u16, format: hex}
      - {name: country_code, type: u8, special: {0: not_localized}}
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: remote_wake}
          - {bit: 1, name: normally_connectable}
    examples:
      - {hex: "11 01 00 02", fields: {version: "0x0111", country_code: not_localized, normally_connectable: true}}
  # Most maps begin with the page, the usage and the collection of the first application: the summary. Usages
  # further inside are numbers, since their words depend on the page before them.
  - uuid: "2a4b"
    match: "05 ?? 09 ?? a1 01"
    name: Report Map
    fields:
      - {name: usage_page_item, type: u8, equals: 0x05, quiet: true}
      - {name: application_page, type: u8, values: usage_page, label: ""}
      - {name: usage_item, type: u8, equals: 0x09, quiet: true}
      - choose: application_page
        cases:
          1:
            - {name: application, type: u8, label: "",
               values: {1: pointer, 2: mouse, 4: joystick, 5: gamepad, 6: keyboard, 7: keypad, 8: multi_axis_controller,
                        128: system_control}}
          12: [{name: application, type: u8, values: {1: consumer_control}, label: ""}]
          13: [{name: application, type: u8, values: {1: digitizer, 2: pen, 4: touch_screen, 5: touch_pad}, label: ""}]
          other: [{name: application, type: u8, format: hex, label: ""}]
      - {name: collection_item, type: u8, equals: 0xa1, quiet: true}
      - {name: collection_kind, type: u8, values: collection, quiet: true}
      - {layout: report_items}
    text: "first application: {application_page}, {application}"
    examples:
      - hex: "05 01 09 02 a1 01 85 01 09 01 a1 00 05 09 19 01 29 03 15 00 25 01 95 03 75 01 81 02 c0 c0"
        fields: {application_page: generic_desktop, application: mouse,
                 items: [{item: report_id, number: 1}, {item: usage, number: 1}, {item: collection, collection: physical},
                         {item: usage_page, page: buttons}, {item: usage_minimum, number: 1},
                         {item: usage_maximum, number: 3}, {item: logical_minimum, number: 0},
                         {item: logical_maximum, number: 1}, {item: report_count, number: 3},
                         {item: report_size, number: 1}, {item: input, number: 2}, {item: end_collection},
                         {item: end_collection}]}
        text: "first application: generic desktop, mouse"
      - {hex: "05 0c 09 01 a1 01 c0", fields: {application_page: consumer, application: consumer_control}}
  - uuid: "2a4b"
    name: Report Map
    fields: [{layout: report_items}]
    examples:
      - hex: "06 00 ff 09 01 a1 01 c0"
        fields: {items: [{item: usage_page, page: vendor}, {item: usage, number: 1},
                         {item: collection, collection: application}, {item: end_collection}]}
        text: usage page, vendor; usage, 1; collection, application; end collection
  - uuid: "2a4c"
    name: HID Control Point
    fields: [{name: command, type: u8, values: {0: suspend, 1: exit_suspend}}]
    examples:
      - {hex: "00", written: true, fields: {command: suspend}, text: suspend}
  # What the bytes mean is in the report map and in the report's descriptor.
  - uuid: "2a4d"
    name: Report
    fields: [{name: report, type: bytes}]
    examples:
      - {hex: "00 00 04 00", fields: {report: "00000400"}, text: 00 00 04 00}
  - uuid: "2a4e"
    name: Protocol Mode
    fields: [{name: protocol_mode, type: u8, values: {0: boot, 1: report}}]
    examples:
      - {hex: "01", fields: {protocol_mode: report}, text: report}
  - uuid: "2a4f"
    name: Scan Interval Window
    fields:
      - {name: interval, type: u16, scale: {multiply: 0.625}, unit: ms, range: [4, 16384]}
      - {name: window, type: u16, scale: {multiply: 0.625}, unit: ms, range: [4, 16384]}
    examples:
      - {hex: "60 00 30 00", written: true, fields: {interval: 60, window: 30},
         text: "interval 60.000 ms, window 30.000 ms"}

"""##

private let source_light: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: light
title: Light and colour
source: GATT Specification Supplement
characteristics:
  - uuid: "2ae3"
    name: Chromatic Distance from Planckian
    fields:
      - {name: chromatic_distance_from_planckian, type: i16, scale: {decimal: -5},
         special: {0x7fff: not_valid, 0x7ffe: not_known}, range: [-5000, 5000]}
    examples:
      - {hex: "7d f9", fields: {chromatic_distance_from_planckian: -0.01667}}
  - uuid: "2ae4"
    name: Chromaticity Coordinates
    fields:
      - {name: chromaticity_x_coordinate, type: u16, scale: {binary: -16}}
      - {name: chromaticity_y_coordinate, type: u16, scale: {binary: -16}}
    examples:
      - {hex: "32 21 45 34",
         fields: {chromaticity_x_coordinate: 0.129669189453125, chromaticity_y_coordinate: 0.2041778564453125}}
  - uuid: "2ae5"
    name: Chromaticity in CCT and Duv Values
    fields:
      - {name: correlated_color_temperature, type: u16, unit: K, special: {0xffff: not_known}, range: [800, 65534]}
      - {name: chromaticity_distance_from_planckian, type: i16, scale: {decimal: -5},
         special: {0x7fff: not_valid, 0x7ffe: not_known}, range: [-5000, 5000]}
    examples:
      - {hex: "32 21 3c f6",
         fields: {correlated_color_temperature: 8498, chromaticity_distance_from_planckian: -0.025}}
  - uuid: "2ae6"
    name: Chromaticity Tolerance
    fields:
      - {name: chromaticity_tolerance, type: u8, scale: {decimal: -4}}
    examples:
      - {hex: "21", fields: {chromaticity_tolerance: 0.0033}}
  - uuid: "2ae7"
    name: CIE 13.3-1995 Color Rendering Index
    fields:
      - {name: color_rendering_index, type: i8, special: {127: not_known}, range: [-128, 100]}
    examples:
      - {hex: "21", fields: {color_rendering_index: 33}}
  - uuid: "2ae9"
    name: Correlated Color Temperature
    fields:
      - {name: correlated_color_temperature, type: u16, unit: K, special: {0xffff: not_known}, range: [800, 65534]}
    examples:
      - {hex: "32 21", fields: {correlated_color_temperature: 8498}}
  - uuid: "2afb"
    name: Illuminance
    fields:
      - {name: illuminance, type: u24, scale: {decimal: -2}, unit: lx, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {illuminance: 21755.55}}
  - uuid: "2afc"
    name: Luminous Efficacy
    fields:
      - {name: luminous_efficacy, type: u16, scale: {decimal: -1}, unit: lm/W, special: {0xffff: not_known},
         range: [0, 18000]}
    examples:
      - {hex: "32 21", fields: {luminous_efficacy: 849.8}}
  - uuid: "2afd"
    name: Luminous Energy
    fields:
      - {name: luminous_energy, type: u24, unit: klm·h, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {luminous_energy: 2175555}}
  - uuid: "2afe"
    name: Luminous Exposure
    fields:
      - {name: luminous_exposure, type: u24, unit: klx·h, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {luminous_exposure: 2175555}}
  - uuid: "2aff"
    name: Luminous Flux
    fields:
      - {name: luminous_flux, type: u16, unit: lm, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {luminous_flux: 8498}}
  - uuid: "2b00"
    name: Luminous Flux Range
    fields:
      - {name: minimum_luminous_flux, type: u16, unit: lm, special: {0xffff: not_known}}
      - {name: maximum_luminous_flux, type: u16, unit: lm, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21 45 34", fields: {minimum_luminous_flux: 8498, maximum_luminous_flux: 13381}}
  - uuid: "2b01"
    name: Luminous Intensity
    fields:
      - {name: luminous_intensity, type: u16, unit: cd, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {luminous_intensity: 8498}}
  - uuid: "2b03"
    name: Perceived Lightness
    fields:
      - {name: perceived_lightness, type: u16}
    examples:
      - {hex: "32 21", fields: {perceived_lightness: 8498}}
  - uuid: "2b0a"
    name: Relative Value in an Illuminance Range
    fields:
      - {name: relative_value, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known}, range: [0, 200]}
      - {name: minimum_illuminance, type: u24, scale: {decimal: -2}, unit: lx, special: {0xffffff: not_known}}
      - {name: maximum_illuminance, type: u24, scale: {decimal: -2}, unit: lx, special: {0xffffff: not_known}}
    examples:
      - {hex: "21 56 45 34 69 58 47",
         fields: {relative_value: 16.5, minimum_illuminance: 34256.22, maximum_illuminance: 46756.89}}
  - uuid: "2b1c"
    name: Chromaticity Coordinate
    fields:
      - {name: chromaticity_coordinate, type: u16, scale: {binary: -16}}
    examples:
      - {hex: "32 21", fields: {chromaticity_coordinate: 0.129669189453125}}
  - uuid: "2be1"
    name: Light Distribution
    fields:
      - {name: light_distribution, type: u8,
         values: {0x00: not_specified, 0x01: type_i, 0x02: type_ii, 0x03: type_iii, 0x04: type_iv, 0x05: type_v}}
    examples:
      - {hex: "01", fields: {light_distribution: type_i}}
  - uuid: "2be2"
    name: Light Output
    fields:
      - {name: light_output, type: u24, unit: lm, special: {0xfffffe: not_valid, 0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {light_output: 2175555}}
  - uuid: "2be3"
    name: Light Source Type
    fields:
      - {name: light_source_type, type: u8, values: {0x00: not_specified, 0x01: low_pressure_fluorescent,
         0x02: high_intensity_discharge, 0x03: low_voltage_halogen, 0x04: incandescent, 0x05: light_emitting_diode,
         0x06: organic_light_emitting_diode, 0xfd: other, 0xfe: no_light_source, 0xff: multiple_light_source_types}}
    examples:
      - {hex: "01", fields: {light_source_type: low_pressure_fluorescent}}
  - uuid: "2be5"
    name: Relative Runtime in a Correlated Color Temperature Range
    fields:
      - {name: relative_runtime, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known},
         range: [0, 200]}
      - {name: minimum_correlated_color_temperature, type: u16, unit: K, special: {0xffff: not_known},
         range: [800, 65534]}
      - {name: maximum_correlated_color_temperature, type: u16, unit: K, special: {0xffff: not_known},
         range: [800, 65534]}
    examples:
      - {hex: "21 45 34 58 47", fields: {relative_runtime: 16.5, minimum_correlated_color_temperature: 13381,
         maximum_correlated_color_temperature: 18264}}
  - uuid: "2c1c"
    name: Illuminance 16
    fields:
      - {name: illuminance, type: u16, unit: lx, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {illuminance: 8498}}

"""##

private let source_location_and_navigation: StaticString = ##"""
profile: location_and_navigation
title: Location and Navigation Service
source: GATT Specification Supplement; the control point's parameters from memory
enumerations:
  position_status: {0: none, 1: ok, 2: estimated, 3: last_known}
  ln_command: {1: set_cumulative_value, 2: mask_content, 3: navigation_control, 4: request_number_of_routes,
               5: request_name_of_route, 6: select_route, 7: set_fix_rate, 8: set_elevation, 32: response}
characteristics:
  - uuid: "2a67"
    name: Location and Speed
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: has_speed}
          - {bit: 1, name: has_distance}
          - {bit: 2, name: has_location}
          - {bit: 3, name: has_elevation}
          - {bit: 4, name: has_heading}
          - {bit: 5, name: has_rolling_time}
          - {bit: 6, name: has_utc_time}
          - {bits: [7, 8], name: position, values: position_status}
          - {bit: 9, name: speed_and_distance, values: {0: 2d, 1: 3d}, quiet: true}
          - {bits: [10, 11], name: elevation_source, quiet: true,
             values: {0: positioning_system, 1: barometric_pressure, 2: database_service, 3: other}}
          - {bit: 12, name: heading_source, values: {0: movement, 1: magnetic_compass}, quiet: true}
      - {name: speed, type: u16, scale: {decimal: -2}, unit: m/s, when: flags.has_speed}
      - {name: distance, type: u24, scale: {decimal: -1}, unit: m, when: flags.has_distance}
      - {name: latitude, type: i32, scale: {decimal: -7}, unit: °, when: flags.has_location}
      - {name: longitude, type: i32, scale: {decimal: -7}, unit: °, when: flags.has_location}
      - {name: elevation, type: i24, scale: {decimal: -2}, unit: m, when: flags.has_elevation}
      - {name: heading, type: u16, scale: {decimal: -2}, unit: °, when: flags.has_heading}
      - {name: rolling_time, type: u8, unit: s, when: flags.has_rolling_time}
      - {name: utc_time, type: datetime, label: UTC, when: flags.has_utc_time}
    examples:
      - hex: "ff 04 2c 01 10 27 00 00 6b 4c 1f 90 57 fc 07 f0 d2 00 28 23 05 ea 07 0b 16 05 1a 32"
        fields: {position: ok, elevation_source: barometric_pressure, speed: 3, distance: 1000, latitude: 52.5101824,
                 longitude: 13.3978, elevation: 540, heading: 90, rolling_time: 5, utc_time: "2026-11-22T05:26:50"}
  - uuid: "2a68"
    name: Navigation
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: has_remaining_distance}
          - {bit: 1, name: has_remaining_vertical_distance}
          - {bit: 2, name: has_arrival}
          - {bits: [3, 4], name: position, values: position_status}
          - {bit: 5, name: heading_source, values: {0: movement, 1: magnetic_compass}, quiet: true}
          - {bit: 6, name: indicates, values: {0: waypoint, 1: destination}}
          - {bit: 7, name: waypoint_reached}
          - {bit: 8, name: destination_reached}
      - {name: bearing, type: u16, scale: {decimal: -2}, unit: °}
      - {name: heading, type: u16, scale: {decimal: -2}, unit: °}
      - {name: remaining_distance, type: u24, scale: {decimal: -1}, unit: m, when: flags.has_remaining_distance}
      - {name: remaining_vertical_distance, type: i24, scale: {decimal: -2}, unit: m,
         when: flags.has_remaining_vertical_distance}
      - {name: arrival, type: datetime, when: flags.has_arrival}
    examples:
      - hex: "cf 00 28 23 50 46 10 27 00 18 fc ff ea 07 0b 16 05 1a 32"
        fields: {position: ok, indicates: destination, waypoint_reached: true, bearing: 90, heading: 180,
                 remaining_distance: 1000, remaining_vertical_distance: -10, arrival: "2026-11-22T05:26:50"}
  - uuid: "2a69"
    name: Position Quality
    fields:
      - name: flags
        type: u16
        bits:
          - {bit: 0, name: has_beacons_in_solution}
          - {bit: 1, name: has_beacons_in_view}
          - {bit: 2, name: has_time_to_first_fix}
          - {bit: 3, name: has_horizontal_error}
          - {bit: 4, name: has_vertical_error}
          - {bit: 5, name: has_hdop}
          - {bit: 6, name: has_vdop}
          - {bits: [7, 8], name: position, values: position_status}
      - {name: beacons_in_solution, type: u8, when: flags.has_beacons_in_solution}
      - {name: beacons_in_view, type: u8, when: flags.has_beacons_in_view}
      - {name: time_to_first_fix, type: u16, scale: {decimal: -1}, unit: s, when: flags.has_time_to_first_fix}
      - {name: horizontal_error, type: u32, scale: {decimal: -2}, unit: m, when: flags.has_horizontal_error}
      - {name: vertical_error, type: u32, scale: {decimal: -2}, unit: m, when: flags.has_vertical_error}
      - {name: hdop, type: u8, scale: {multiply: 0.2}, label: HDOP, when: flags.has_hdop}
      - {name: vdop, type: u8, scale: {multiply: 0.2}, label: VDOP, when: flags.has_vdop}
    examples:
      - hex: "ff 00 08 0c 2c 01 f4 01 00 00 e8 03 00 00 06 09"
        fields: {position: ok, beacons_in_solution: 8, beacons_in_view: 12, time_to_first_fix: 30, horizontal_error: 5,
                 vertical_error: 10, hdop: 1.2, vdop: 1.8}
  - uuid: "2a6a"
    name: LN Feature
    fields:
      - name: features
        type: u32
        bits:
          - {bit: 0, name: speed}
          - {bit: 1, name: distance}
          - {bit: 2, name: location}
          - {bit: 3, name: elevation}
          - {bit: 4, name: heading}
          - {bit: 5, name: rolling_time}
          - {bit: 6, name: utc_time}
          - {bit: 7, name: remaining_distance}
          - {bit: 8, name: remaining_vertical_distance}
          - {bit: 9, name: estimated_time_of_arrival}
          - {bit: 10, name: beacons_in_solution}
          - {bit: 11, name: beacons_in_view}
          - {bit: 12, name: time_to_first_fix}
          - {bit: 13, name: horizontal_error}
          - {bit: 14, name: vertical_error}
          - {bit: 15, name: hdop, label: HDOP}
          - {bit: 16, name: vdop, label: VDOP}
          - {bit: 17, name: content_masking}
          - {bit: 18, name: fix_rate_setting}
          - {bit: 19, name: elevation_setting}
          - {bit: 20, name: position_status}
    examples:
      - {hex: "05 80 11 00", fields: {speed: true, location: true, hdop: true, vdop: true, position_status: true},
         text: "speed, location, HDOP, VDOP, position status"}
  - uuid: "2a6b"
    name: LN Control Point
    fields:
      - {name: command, type: u8, values: ln_command, label: ""}
      - choose: command
        cases:
          1: [{name: cumulative_value, type: u24, label: ""}]
          2: [{name: masked_content, type: u16, format: hex, label: ""}]
          3: [{name: control, type: u8, label: "",
               values: {0: stop, 1: start, 2: pause, 3: resume, 4: skip_waypoint, 5: select_nearest_waypoint}}]
          4: []
          "5-6": [{name: route, type: u16}]
          7: [{name: fix_rate, type: u8, unit: s, label: ""}]
          8: [{name: elevation, type: i24, scale: {decimal: -2}, unit: m, label: ""}]
          32:
            - {name: request, type: u8, values: ln_command, label: to}
            - {name: result, type: u8, label: "",
               values: {1: success, 2: op_code_not_supported, 3: invalid_operand, 4: operation_failed}}
            - choose: request * (result == 1)
              cases:
                4: [{name: routes, type: u16}]
                5: [{name: route_name, type: utf8, label: ""}]
                other: [{name: parameter, type: bytes, when: remaining > 0}]
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    exchange: {request: command < 32, response: 32, request_field: request, timeout_ms: 30000}
    examples:
      - {hex: "05 01 00", written: true, fields: {command: request_name_of_route, route: 1}}
      - {hex: "20 05 01 4c 61 6b 65", fields: {request: request_name_of_route, route_name: Lake},
         text: 'response, to request name of route, success, "Lake"'}
      - {hex: "08 f0 d2 00", written: true, fields: {elevation: 540}}

"""##

private let source_management: StaticString = ##"""
profile: management
title: Bond Management Service, users of the User Data Service
source: memory, op codes and features held against BTstack and drivers of scales
enumerations:
  user_command: {1: register_new_user, 2: consent, 3: delete_user_data, 4: list_all_users, 5: delete_users,
                 32: response}
characteristics:
  - uuid: "2a9f"
    name: User Control Point
    fields:
      - {name: command, type: u8, values: user_command, label: ""}
      - choose: command
        cases:
          # The consent code guards a person's data, as a PIN does.
          1: [{name: consent_code, type: u16, secret: true}]
          2:
            - {name: user_index, type: u8, label: user}
            - {name: consent_code, type: u16, secret: true}
          3: []
          4: []
          5: [{name: user_index, type: u8, special: {255: unknown}, label: user}]
          32:
            - {name: request, type: u8, values: user_command, label: to}
            - name: result
              type: u8
              label: ""
              values: {1: success, 2: op_code_not_supported, 3: invalid_parameter, 4: operation_failed,
                       5: user_not_authorized}
            - choose: request * (result == 1)
              cases:
                1: [{name: user_index, type: u8, label: user}]
                5: [{name: user_index, type: u8, special: {255: unknown}, label: user}]
                other: [{name: parameter, type: bytes, when: remaining > 0}]
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    exchange: {request: command < 32, response: 32, request_field: request}
    examples:
      - {hex: "02 01 d2 04", written: true, fields: {command: consent, user_index: 1}, text: "consent, user 1, consent code <hidden>"}
      - {hex: "20 02 01", fields: {request: consent, result: success}, text: "response, to consent, success"}
      - {hex: "20 01 01 03", fields: {request: register_new_user, user_index: 3}}
  - uuid: "2aa4"
    name: Bond Management Control Point
    fields:
      - name: command
        type: u8
        label: ""
        values: {1: delete_own_bond, 2: delete_own_classic_bond, 3: delete_own_le_bond, 4: delete_all_bonds,
                 5: delete_all_classic_bonds, 6: delete_all_le_bonds, 7: delete_all_other_bonds,
                 8: delete_all_other_classic_bonds, 9: delete_all_other_le_bonds}
      - {name: authorization_code, type: utf8, secret: true, when: remaining > 0}
    examples:
      - {hex: "03", written: true, fields: {command: delete_own_le_bond}, text: delete own le bond}
  - uuid: "2aa5"
    name: Bond Management Feature
    fields:
      - name: features
        type: u24
        bits:
          - {bit: 0, name: delete_own_bond}
          - {bit: 1, name: delete_own_bond_needs_code}
          - {bit: 2, name: delete_own_classic_bond}
          - {bit: 3, name: delete_own_classic_bond_needs_code}
          - {bit: 4, name: delete_own_le_bond}
          - {bit: 5, name: delete_own_le_bond_needs_code}
          - {bit: 6, name: delete_all_bonds}
          - {bit: 7, name: delete_all_bonds_needs_code}
          - {bit: 8, name: delete_all_classic_bonds}
          - {bit: 9, name: delete_all_classic_bonds_needs_code}
          - {bit: 10, name: delete_all_le_bonds}
          - {bit: 11, name: delete_all_le_bonds_needs_code}
          - {bit: 12, name: delete_all_other_bonds}
          - {bit: 13, name: delete_all_other_bonds_needs_code}
          - {bit: 14, name: delete_all_other_classic_bonds}
          - {bit: 15, name: delete_all_other_classic_bonds_needs_code}
          - {bit: 16, name: delete_all_other_le_bonds}
          - {bit: 17, name: delete_all_other_le_bonds_needs_code}
          - {bit: 18, name: identify_yourself}
          - {bit: 23, name: extended}
    examples:
      - {hex: "10 04 00", fields: {delete_own_le_bond: true, delete_all_le_bonds: true},
         text: "delete own le bond, delete all le bonds"}

"""##

private let source_media: StaticString = ##"""
profile: media
title: Media Control and Telephone Bearer Services
source: memory, op codes held against Zephyr; the GATT Specification Supplement has no layout of these
enumerations:
  media_command: {1: play, 2: pause, 3: fast_rewind, 4: fast_forward, 5: stop, 0x10: move_relative,
                  0x20: previous_segment, 0x21: next_segment, 0x22: first_segment, 0x23: last_segment,
                  0x24: goto_segment, 0x30: previous_track, 0x31: next_track, 0x32: first_track, 0x33: last_track,
                  0x34: goto_track, 0x40: previous_group, 0x41: next_group, 0x42: first_group, 0x43: last_group,
                  0x44: goto_group}
  playing_order: {1: single_once, 2: single_repeat, 3: in_order_once, 4: in_order_repeat, 5: oldest_once,
                  6: oldest_repeat, 7: newest_once, 8: newest_repeat, 9: shuffle_once, 10: shuffle_repeat}
  call_state: {0: incoming, 1: dialing, 2: alerting, 3: active, 4: locally_held, 5: remotely_held,
               6: locally_and_remotely_held}
  call_command: {0: accept, 1: terminate, 2: local_hold, 3: local_retrieve, 4: originate, 5: join}
structures:
  call_flags:
    - name: flags
      type: u8
      bits:
        - {bit: 0, name: direction, values: {0: incoming_call, 1: outgoing_call}, label: ""}
        - {bit: 1, name: withheld_by_server}
        - {bit: 2, name: withheld_by_network}
characteristics:
  - uuid: "2b93"
    name: Media Player Name
    fields: [{name: player, type: utf8}]
    examples:
      - {hex: "50 6c 61 79 65 72", fields: {player: Player}}
  - uuid: "2b95"
    name: Media Player Icon URL
    fields: [{name: icon_url, type: utf8}]
    examples:
      - {hex: "68 74 74 70 3a 2f 2f 61", fields: {icon_url: "http://a"}}
  - uuid: "2b96"
    name: Track Changed
    fields: []
    text: track changed
    examples:
      - {hex: "", text: track changed}
  - uuid: "2b97"
    name: Track Title
    fields: [{name: title, type: utf8}]
    examples:
      - {hex: "53 6f 6e 67", fields: {title: Song}}
  - uuid: "2b98"
    name: Track Duration
    fields: [{name: duration, type: i32, scale: {decimal: -2}, unit: s, special: {"-1": not_known}}]
    examples:
      - {hex: "50 46 00 00", fields: {duration: 180}}
      - {hex: "ff ff ff ff", fields: {duration: not_known}}
  - uuid: "2b99"
    name: Track Position
    fields: [{name: position, type: i32, scale: {decimal: -2}, unit: s, special: {"-1": not_known}}]
    examples:
      - {hex: "e8 03 00 00", fields: {position: 10}}
  # 64 steps double the speed.
  - uuid: "2b9a"
    name: Playback Speed
    fields: [{name: speed, type: i8, exponential: {base: 1.0108892860517005}, decimals: 2}]
    text: "{speed} times"
    examples:
      - {hex: "00", fields: {speed: 1}, text: 1.00 times}
  - uuid: "2b9b"
    name: Seeking Speed
    fields: [{name: seeking_speed, type: i8, special: {0: not_seeking}}]
    examples:
      - {hex: "00", fields: {seeking_speed: not_seeking}}
      - {hex: "f0", fields: {seeking_speed: -16}}
  - uuid: "2ba1"
    name: Playing Order
    fields: [{name: playing_order, type: u8, values: playing_order}]
    examples:
      - {hex: "09", fields: {playing_order: shuffle_once}}
  - uuid: "2ba2"
    name: Playing Orders Supported
    fields:
      - name: playing_orders
        type: u16
        bits:
          - {bit: 0, name: single_once}
          - {bit: 1, name: single_repeat}
          - {bit: 2, name: in_order_once}
          - {bit: 3, name: in_order_repeat}
          - {bit: 4, name: oldest_once}
          - {bit: 5, name: oldest_repeat}
          - {bit: 6, name: newest_once}
          - {bit: 7, name: newest_repeat}
          - {bit: 8, name: shuffle_once}
          - {bit: 9, name: shuffle_repeat}
    examples:
      - {hex: "04 02", fields: {in_order_once: true, shuffle_repeat: true}, text: "in order once, shuffle repeat"}
  - uuid: "2ba3"
    name: Media State
    fields: [{name: media_state, type: u8, values: {0: inactive, 1: playing, 2: paused, 3: seeking}}]
    examples:
      - {hex: "01", fields: {media_state: playing}, text: playing}
  - uuid: "2ba4"
    name: Media Control Point
    fields:
      - {name: command, type: u8, values: media_command, label: ""}
      - {name: result, type: u8, label: "", when: "!written",
         values: {1: success, 2: op_code_not_supported, 3: player_inactive, 4: command_cannot_be_completed}}
      - {name: offset, type: i32, scale: {decimal: -2}, unit: s, label: by, when: written && command == 0x10}
      - {name: number, type: i32, label: "",
         when: written && (command == 0x24 || command == 0x34 || command == 0x44)}
    exchange: {response: command}
    examples:
      - {hex: "01", written: true, fields: {command: play}, text: play}
      - {hex: "01 01", fields: {command: play, result: success}, text: "play, success"}
      - {hex: "10 e8 03 00 00", written: true, fields: {command: move_relative, offset: 10},
         text: "move relative, by 10.00 s"}
      - {hex: "34 02 00 00 00", written: true, fields: {command: goto_track, number: 2}}
  - uuid: "2bb3"
    name: Bearer Provider Name
    fields: [{name: provider, type: utf8}]
    examples:
      - {hex: "54 65 6c", fields: {provider: Tel}}
  - uuid: "2bb4"
    name: Bearer UCI
    fields: [{name: uniform_caller_identifier, type: utf8}]
    examples:
      - {hex: "75 6e 30 30 30", fields: {uniform_caller_identifier: un000}}
  - uuid: "2bb5"
    name: Bearer Technology
    fields:
      - {name: technology, type: u8,
         values: {1: 3G, 2: 4G, 3: LTE, 4: Wi-Fi, 5: 5G, 6: GSM, 7: CDMA, 8: 2G, 9: WCDMA}}
    examples:
      - {hex: "03", fields: {technology: LTE}}
  - uuid: "2bb6"
    name: Bearer URI Schemes Supported List
    fields: [{name: uri_schemes, type: utf8}]
    examples:
      - {hex: "74 65 6c 2c 73 69 70", fields: {uri_schemes: "tel,sip"}}
  - uuid: "2bb7"
    name: Bearer Signal Strength
    fields: [{name: signal_strength, type: u8, unit: "%", special: {255: not_available}, range: [0, 100]}]
    examples:
      - {hex: "50", fields: {signal_strength: 80}}
  - uuid: "2bb8"
    name: Bearer Signal Strength Reporting Interval
    fields: [{name: interval, type: u8, unit: s, special: {0: on_change}}]
    examples:
      - {hex: "0a", fields: {interval: 10}}
  - uuid: "2bb9"
    name: Bearer List Current Calls
    fields:
      - name: calls
        label: ""
        repeat: rest
        prefix: u8
        fields:
          - {name: call, type: u8}
          - {name: state, type: u8, values: call_state, label: ""}
          - {layout: call_flags}
          - {name: uri, type: utf8, label: ""}
    examples:
      - hex: "08 01 03 01 74 65 6c 3a 31"
        fields: {calls: [{call: 1, state: active, direction: outgoing_call, uri: "tel:1"}]}
        text: 'call 1, active, outgoing call, "tel:1"'
  - uuid: "2bbb"
    name: Status Flags
    fields:
      - name: status
        type: u16
        bits:
          - {bit: 0, name: inband_ringtone}
          - {bit: 1, name: silent_mode}
    examples:
      - {hex: "02 00", fields: {inband_ringtone: false, silent_mode: true}, text: silent mode}
  - uuid: "2bbc"
    name: Incoming Call Target Bearer URI
    fields: [{name: call, type: u8}, {name: uri, type: utf8, label: to}]
    examples:
      - {hex: "01 74 65 6c 3a 31", fields: {call: 1, uri: "tel:1"}, text: 'call 1, to "tel:1"'}
  - uuid: "2bbd"
    name: Call State
    fields:
      - name: calls
        label: ""
        repeat: rest
        fields:
          - {name: call, type: u8}
          - {name: state, type: u8, values: call_state, label: ""}
          - {layout: call_flags}
    examples:
      - hex: "01 00 00 02 04 01"
        fields: {calls: [{call: 1, state: incoming, direction: incoming_call}, {call: 2, state: locally_held}]}
        text: call 1, incoming, incoming call; call 2, locally held, outgoing call
  - uuid: "2bbe"
    name: Call Control Point
    fields:
      - {name: command, type: u8, values: call_command, label: ""}
      - {name: call, type: u8, when: "!written || command <= 3"}
      - name: result
        type: u8
        label: ""
        when: "!written"
        values: {0: success, 1: op_code_not_supported, 2: operation_not_possible, 3: invalid_call, 4: state_mismatch,
                 5: lack_of_resources, 6: invalid_uri}
      - {name: uri, type: utf8, label: "", when: written && command == 4}
      - {name: calls, type: u8, repeat: rest, when: written && command == 5}
    exchange: {response: command}
    examples:
      - {hex: "00 01", written: true, fields: {command: accept, call: 1}, text: "accept, call 1"}
      - {hex: "00 01 00", fields: {command: accept, call: 1, result: success}, text: "accept, call 1, success"}
      - {hex: "04 74 65 6c 3a 31", written: true, fields: {command: originate, uri: "tel:1"}}
      - {hex: "05 01 02", written: true, fields: {command: join, calls: [1, 2]}, text: "join, calls 1 2"}
  - uuid: "2bbf"
    name: Call Control Point Optional Opcodes
    fields:
      - name: opcodes
        type: u16
        bits:
          - {bit: 0, name: local_hold_and_retrieve}
          - {bit: 1, name: join}
    examples:
      - {hex: "01 00", fields: {local_hold_and_retrieve: true, join: false}}
  - uuid: "2bc0"
    name: Termination Reason
    fields:
      - {name: call, type: u8}
      - name: reason
        type: u8
        label: ""
        values: {0: bad_uri, 1: call_failed, 2: remote_ended_call, 3: server_ended_call, 4: line_busy,
                 5: network_congestion, 6: client_ended_call, 7: no_service, 8: no_answer, 9: unspecified}
    examples:
      - {hex: "01 02", fields: {call: 1, reason: remote_ended_call}, text: "call 1, remote ended call"}
  - uuid: "2bc1"
    name: Incoming Call
    fields: [{name: call, type: u8}, {name: uri, type: utf8, label: from}]
    examples:
      - {hex: "01 74 65 6c 3a 31", fields: {call: 1, uri: "tel:1"}, text: 'call 1, from "tel:1"'}
  - uuid: "2bc2"
    name: Call Friendly Name
    fields: [{name: call, type: u8}, {name: caller, type: utf8, label: ""}]
    examples:
      - {hex: "01 4d 61 72 79", fields: {call: 1, caller: Mary}, text: 'call 1, "Mary"'}

"""##

private let source_motion: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: motion
title: Movement, contacts, buttons
source: GATT Specification Supplement
characteristics:
  - uuid: "2c06"
    name: Acceleration
    fields:
      - {name: acceleration, type: i32, scale: {decimal: -3}, unit: m/s², special: {0x7fffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {acceleration: 556942.164}}
  - uuid: "2c07"
    name: Force
    fields:
      - {name: force, type: i32, scale: {decimal: -3}, unit: N, special: {0x7fffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {force: 556942.164}}
  - uuid: "2c08"
    name: Linear Position
    fields:
      - {name: linear_position, type: i32, scale: {decimal: -7}, unit: m, special: {0x7fffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {linear_position: 55.6942164}}
  - uuid: "2c09"
    name: Rotational Speed
    fields:
      - {name: rotational_speed, type: i32, unit: rpm, special: {0x7fffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {rotational_speed: 556942164}}
  - uuid: "2c0a"
    name: Length
    fields:
      - {name: length, type: u32, scale: {decimal: -7}, unit: m, special: {0xffffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {length: 55.6942164}}
  - uuid: "2c0b"
    name: Torque
    fields:
      - {name: torque, type: i32, scale: {decimal: -2}, unit: N·m, special: {0x7fffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {torque: 5569421.64}}
  - uuid: "2c1d"
    name: Acceleration - 3D
    fields:
      - {name: vector_x, type: i8, scale: {decimal: -2}, unit: g, special: {0x7e: out_of_range, 0x7f: not_known}}
      - {name: vector_y, type: i8, scale: {decimal: -2}, unit: g, special: {0x7e: out_of_range, 0x7f: not_known}}
      - {name: vector_z, type: i8, scale: {decimal: -2}, unit: g, special: {0x7e: out_of_range, 0x7f: not_known}}
    examples:
      - {hex: "21 34 47", fields: {vector_x: 0.33, vector_y: 0.52, vector_z: 0.71}}
  - uuid: "2c1e"
    name: Precise Acceleration - 3D
    fields:
      - {name: vector_x, type: i16, scale: {decimal: -3}, unit: g, special: {0x7ffe: out_of_range, 0x7fff: not_known}}
      - {name: vector_y, type: i16, scale: {decimal: -3}, unit: g, special: {0x7ffe: out_of_range, 0x7fff: not_known}}
      - {name: vector_z, type: i16, scale: {decimal: -3}, unit: g, special: {0x7ffe: out_of_range, 0x7fff: not_known}}
    examples:
      - {hex: "32 21 45 34 58 47", fields: {vector_x: 8.498, vector_y: 13.381, vector_z: 18.264}}
  - uuid: "2c1f"
    name: Acceleration Detection Status
    fields:
      - {name: acceleration_detection_status, type: u8, values: {0: no_change, 1: change}}
    examples:
      - {hex: "01", fields: {acceleration_detection_status: change}}
  - uuid: "2c20"
    name: Door/Window Status
    fields:
      - {name: door_window_status, type: u8, values: {0: open, 1: closed, 2: tilted_ajar}}
    examples:
      - {hex: "01", fields: {door_window_status: closed}}
  - uuid: "2c21"
    name: Pushbutton Status 8
    fields:
      - name: status
        type: u8
        bits:
          - {bits: [0, 1], name: button_0, values: {0: not_pressed, 1: pressed, 2: released, 3: held}}
          - {bits: [2, 3], name: button_1, values: {0: not_pressed, 1: pressed, 2: released, 3: held}}
          - {bits: [4, 5], name: button_2, values: {0: not_pressed, 1: pressed, 2: released, 3: held}}
          - {bits: [6, 7], name: button_3, values: {0: not_pressed, 1: pressed, 2: released, 3: held}}
    examples:
      - {hex: "39", fields: {button_0: pressed, button_1: released, button_2: held, button_3: not_pressed}}
  - uuid: "2c22"
    name: Contact Status 8
    fields:
      - name: status
        type: u8
        bits:
          - {bit: 0, name: contact_0, values: {0: open, 1: closed}}
          - {bit: 1, name: contact_1, values: {0: open, 1: closed}}
          - {bit: 2, name: contact_2, values: {0: open, 1: closed}}
          - {bit: 3, name: contact_3, values: {0: open, 1: closed}}
          - {bit: 4, name: contact_4, values: {0: open, 1: closed}}
          - {bit: 5, name: contact_5, values: {0: open, 1: closed}}
          - {bit: 6, name: contact_6, values: {0: open, 1: closed}}
          - {bit: 7, name: contact_7, values: {0: open, 1: closed}}
    examples:
      - {hex: "55", fields: {contact_0: closed, contact_1: open, contact_2: closed, contact_3: open,
         contact_4: closed, contact_5: open, contact_6: closed, contact_7: open}}

"""##

private let source_object_transfer: StaticString = ##"""
profile: object_transfer
title: Object Transfer Service
source: memory, control points held against Zephyr; name, type, dates, identifier GATT Specification Supplement
enumerations:
  action: {1: create, 2: delete, 3: calculate_checksum, 4: execute, 5: read, 6: write, 7: abort, 0x60: response}
  navigation: {1: first, 2: last, 3: previous, 4: next, 5: go_to, 6: order, 7: request_number_of_objects,
               8: clear_marking, 0x70: response}
characteristics:
  - uuid: "2abd"
    name: OTS Feature
    fields:
      - name: actions
        type: u32
        bits:
          - {bit: 0, name: create}
          - {bit: 1, name: delete}
          - {bit: 2, name: calculate_checksum}
          - {bit: 3, name: execute}
          - {bit: 4, name: read}
          - {bit: 5, name: write}
          - {bit: 6, name: append}
          - {bit: 7, name: truncate}
          - {bit: 8, name: patch}
          - {bit: 9, name: abort}
      - name: navigation
        type: u32
        bits:
          - {bit: 0, name: go_to}
          - {bit: 1, name: order}
          - {bit: 2, name: request_number_of_objects}
          - {bit: 3, name: clear_marking}
    examples:
      - {hex: "30 00 00 00 01 00 00 00", fields: {read: true, write: true, create: false, go_to: true},
         text: "read, write, go to"}
  - uuid: "2abe"
    name: Object Name
    fields: [{name: object_name, type: utf8}]
    examples:
      - {hex: "6c 6f 67", fields: {object_name: log}}
  - uuid: "2abf"
    name: Object Type
    fields: [{name: object_type, type: uuid}]
    examples:
      - {hex: "ca 2a", fields: {object_type: 2aca}}
  - uuid: "2ac0"
    name: Object Size
    fields:
      - {name: current_size, type: u32, unit: bytes, label: current}
      - {name: allocated_size, type: u32, unit: bytes, label: allocated}
    examples:
      - {hex: "00 01 00 00 00 02 00 00", fields: {current_size: 256, allocated_size: 512},
         text: "current 256 bytes, allocated 512 bytes"}
  - uuid: "2ac1"
    name: Object First-Created
    fields: [{name: first_created, type: datetime}]
    examples:
      - {hex: "ea 07 0b 16 05 1a 32", fields: {first_created: "2026-11-22T05:26:50"}}
  - uuid: "2ac2"
    name: Object Last-Modified
    fields: [{name: last_modified, type: datetime}]
    examples:
      - {hex: "ea 07 0b 16 05 1a 32", fields: {last_modified: "2026-11-22T05:26:50"}}
  - uuid: "2ac3"
    name: Object ID
    fields: [{name: object_id, type: u48, format: hex}]
    examples:
      - {hex: "00 01 00 00 00 00", fields: {object_id: "0x000000000100"}}
  - uuid: "2ac4"
    name: Object Properties
    fields:
      - name: properties
        type: u32
        bits:
          - {bit: 0, name: delete}
          - {bit: 1, name: execute}
          - {bit: 2, name: read}
          - {bit: 3, name: write}
          - {bit: 4, name: append}
          - {bit: 5, name: truncate}
          - {bit: 6, name: patch}
          - {bit: 7, name: marked}
    examples:
      - {hex: "84 00 00 00", fields: {read: true, marked: true, write: false}, text: "read, marked"}
  - uuid: "2ac5"
    name: Object Action Control Point
    fields:
      - {name: command, type: u8, values: action, label: ""}
      - choose: command
        cases:
          1:
            - {name: object_size, type: u32, unit: bytes, label: ""}
            - {name: object_type, type: uuid, label: of type}
          2: []
          3:
            - {name: offset, type: u32}
            - {name: length, type: u32}
          4: [{name: parameter, type: bytes, when: remaining > 0}]
          5:
            - {name: offset, type: u32}
            - {name: length, type: u32}
          6:
            - {name: offset, type: u32}
            - {name: length, type: u32}
            - name: mode
              type: u8
              bits:
                - {bit: 1, name: truncate}
          7: []
          0x60:
            - {name: request, type: u8, values: action, label: to}
            - name: result
              type: u8
              label: ""
              values: {1: success, 2: op_code_not_supported, 3: invalid_parameter, 4: insufficient_resources,
                       5: invalid_object, 6: channel_unavailable, 7: unsupported_type, 8: procedure_not_permitted,
                       9: object_locked, 10: operation_failed}
            - choose: request * (result == 1)
              cases:
                3: [{name: checksum, type: u32, format: hex}]
                other: [{name: parameter, type: bytes, when: remaining > 0}]
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    exchange: {request: command < 0x60, response: 0x60, request_field: request}
    examples:
      - {hex: "05 00 00 00 00 00 01 00 00", written: true, fields: {command: read, offset: 0, length: 256},
         text: "read, offset 0, length 256"}
      - {hex: "60 05 01", fields: {command: response, request: read, result: success}, text: "response, to read, success"}
      - {hex: "60 03 01 78 56 34 12", fields: {request: calculate_checksum, checksum: "0x12345678"}}
      - {hex: "06 00 00 00 00 04 00 00 00 02", written: true, fields: {command: write, truncate: true}}
  - uuid: "2ac6"
    name: Object List Control Point
    fields:
      - {name: command, type: u8, values: navigation, label: ""}
      - choose: command
        cases:
          5: [{name: object_id, type: u48, format: hex, label: ""}]
          6:
            - name: order
              type: u8
              label: ""
              values: {1: name, 2: type, 3: current_size, 4: first_created, 5: last_modified, 17: name_descending,
                       18: type_descending, 19: current_size_descending, 20: first_created_descending,
                       21: last_modified_descending}
          0x70:
            - {name: request, type: u8, values: navigation, label: to}
            - name: result
              type: u8
              label: ""
              values: {1: success, 2: op_code_not_supported, 3: invalid_parameter, 4: operation_failed,
                       5: out_of_bounds, 6: too_many_objects, 7: no_object, 8: object_id_not_found}
            - {name: objects, type: u32, when: request == 7 && result == 1}
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    exchange: {request: command < 0x70, response: 0x70, request_field: request}
    examples:
      - {hex: "04", written: true, fields: {command: next}, text: next}
      - {hex: "70 07 01 03 00 00 00", fields: {request: request_number_of_objects, result: success, objects: 3},
         text: "response, to request number of objects, success, objects 3"}
      - {hex: "05 00 01 00 00 00 00", written: true, fields: {command: go_to, object_id: "0x000000000100"}}
  - uuid: "2ac7"
    name: Object List Filter
    fields:
      - name: filter
        type: u8
        label: ""
        values: {0: none, 1: name_starts_with, 2: name_ends_with, 3: name_contains, 4: name_is, 5: object_type,
                 6: created_between, 7: modified_between, 8: current_size_between, 9: allocated_size_between,
                 10: marked_objects}
      - choose: filter
        cases:
          0: []
          "1-4": [{name: object_name, type: utf8, label: ""}]
          5: [{name: object_type, type: uuid, label: ""}]
          "6-7":
            - {name: earliest, type: datetime, label: ""}
            - {name: latest, type: datetime, label: and}
          "8-9":
            - {name: least, type: u32, unit: bytes, label: ""}
            - {name: greatest, type: u32, unit: bytes, label: and}
    examples:
      - {hex: "01 6c 6f 67", written: true, fields: {filter: name_starts_with, object_name: log},
         text: 'name starts with, "log"'}
      - {hex: "08 00 01 00 00 00 02 00 00", fields: {least: 256, greatest: 512}}
  - uuid: "2ac8"
    name: Object Changed
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: by, values: {0: server, 1: client}}
          - {bit: 1, name: contents_changed}
          - {bit: 2, name: metadata_changed}
          - {bit: 3, name: created}
          - {bit: 4, name: deleted}
      - {name: object_id, type: u48, format: hex, label: object}
    examples:
      - {hex: "03 00 01 00 00 00 00", fields: {by: client, contents_changed: true, object_id: "0x000000000100"},
         text: "by client, contents changed, object 0x000000000100"}

"""##

private let source_pulse_oximeter: StaticString = ##"""
profile: pulse_oximeter
title: Pulse Oximeter Service
source: memory, held against SpeziBluetooth; the GATT Specification Supplement has no layout of these
structures:
  measurement_status:
    - name: measurement_status
      type: u16
      bits:
        - {bit: 5, name: measurement_ongoing}
        - {bit: 6, name: early_estimate}
        - {bit: 7, name: validated}
        - {bit: 8, name: fully_qualified}
        - {bit: 9, name: from_storage}
        - {bit: 10, name: for_demonstration}
        - {bit: 11, name: for_testing}
        - {bit: 12, name: calibration_ongoing}
        - {bit: 13, name: measurement_unavailable}
        - {bit: 14, name: questionable_measurement}
        - {bit: 15, name: invalid_measurement}
  sensor_status:
    - name: sensor_status
      type: u24
      bits:
        - {bit: 0, name: extended_display_update_ongoing}
        - {bit: 1, name: equipment_malfunction}
        - {bit: 2, name: signal_processing_irregularity}
        - {bit: 3, name: inadequate_signal}
        - {bit: 4, name: poor_signal}
        - {bit: 5, name: low_perfusion}
        - {bit: 6, name: erratic_signal}
        - {bit: 7, name: nonpulsatile_signal}
        - {bit: 8, name: questionable_pulse}
        - {bit: 9, name: signal_analysis_ongoing}
        - {bit: 10, name: sensor_interference}
        - {bit: 11, name: sensor_not_on_user}
        - {bit: 12, name: unknown_sensor}
        - {bit: 13, name: sensor_displaced}
        - {bit: 14, name: sensor_malfunctioning}
        - {bit: 15, name: sensor_disconnected}
characteristics:
  - uuid: "2a5e"
    name: PLX Spot-Check Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_time}
          - {bit: 1, name: has_measurement_status}
          - {bit: 2, name: has_sensor_status}
          - {bit: 3, name: has_pulse_amplitude_index}
          - {bit: 4, name: clock_not_set}
      - {name: spo2, type: medfloat16, unit: "%", label: SpO₂}
      - {name: pulse_rate, type: medfloat16, unit: bpm, label: pulse}
      - {name: time, type: datetime, label: at, when: flags.has_time}
      - {layout: measurement_status, when: flags.has_measurement_status}
      - {layout: sensor_status, when: flags.has_sensor_status}
      - {name: pulse_amplitude_index, type: medfloat16, unit: "%", when: flags.has_pulse_amplitude_index}
    examples:
      - hex: "0f ac f3 be f5 e8 07 0b 1d 17 08 39 20 40 22 00 00 66 e3"
        fields: {spo2: 94, pulse_rate: 147, time: "2024-11-29T23:08:57", measurement_ongoing: true,
                 questionable_measurement: true, equipment_malfunction: true, low_perfusion: true,
                 pulse_amplitude_index: 8.7}
        source: SpeziBluetooth, PLXTests
      - hex: "0b 61 00 48 00 ea 07 0b 16 05 1a 32 80 01 0f f0"
        fields: {spo2: 97, pulse_rate: 72, time: "2026-11-22T05:26:50", validated: true, fully_qualified: true,
                 pulse_amplitude_index: 1.5}
      - hex: "00 61 00 48 00"
        fields: {spo2: 97, pulse_rate: 72}
        text: "SpO₂ 97 %, pulse 72 bpm"
  - uuid: "2a5f"
    name: PLX Continuous Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_fast}
          - {bit: 1, name: has_slow}
          - {bit: 2, name: has_measurement_status}
          - {bit: 3, name: has_sensor_status}
          - {bit: 4, name: has_pulse_amplitude_index}
      - {name: spo2, type: medfloat16, unit: "%", label: SpO₂}
      - {name: pulse_rate, type: medfloat16, unit: bpm, label: pulse}
      - {name: fast_spo2, type: medfloat16, unit: "%", label: fast SpO₂, when: flags.has_fast}
      - {name: fast_pulse_rate, type: medfloat16, unit: bpm, label: fast pulse, when: flags.has_fast}
      - {name: slow_spo2, type: medfloat16, unit: "%", label: slow SpO₂, when: flags.has_slow}
      - {name: slow_pulse_rate, type: medfloat16, unit: bpm, label: slow pulse, when: flags.has_slow}
      - {layout: measurement_status, when: flags.has_measurement_status}
      - {layout: sensor_status, when: flags.has_sensor_status}
      - {name: pulse_amplitude_index, type: medfloat16, unit: "%", when: flags.has_pulse_amplitude_index}
    examples:
      - hex: "1c 5f 00 5a 00 20 00 00 00 00 57 f0"
        fields: {spo2: 95, pulse_rate: 90, measurement_ongoing: true, low_perfusion: false, pulse_amplitude_index: 8.7}
        source: SpeziBluetooth, PLXTests
      - hex: "1f de f3 ca f3 ca f3 5a f5 d4 f3 b2 f2 20 01 00 00 00 7a e3"
        fields: {spo2: 99, pulse_rate: 97, fast_spo2: 97, fast_pulse_rate: 137, slow_spo2: 98, slow_pulse_rate: 69,
                 measurement_ongoing: true, fully_qualified: true, pulse_amplitude_index: 8.9}
        source: SpeziBluetooth, PLXTests
      - hex: "0d 61 00 48 00 62 00 49 00 20 00 20 00 00"
        fields: {spo2: 97, pulse_rate: 72, fast_spo2: 98, fast_pulse_rate: 73, measurement_ongoing: true,
                 low_perfusion: true}
        text: "SpO₂ 97 %, pulse 72 bpm, fast SpO₂ 98 %, fast pulse 73 bpm, measurement ongoing, low perfusion"
  - uuid: "2a60"
    name: PLX Features
    fields:
      - name: features
        type: u16
        bits:
          - {bit: 0, name: has_measurement_status}
          - {bit: 1, name: has_sensor_status}
          - {bit: 2, name: spot_check_storage}
          - {bit: 3, name: spot_check_time}
          - {bit: 4, name: fast}
          - {bit: 5, name: slow}
          - {bit: 6, name: pulse_amplitude_index}
          - {bit: 7, name: multiple_bonds}
      - {name: measurement_status, layout: measurement_status, when: features.has_measurement_status}
      - {name: sensor_status, layout: sensor_status, when: features.has_sensor_status}
    examples:
      - hex: "a3 00 40 10 80 01 00"
        fields: {fast: false, slow: true, multiple_bonds: true,
                 measurement_status: {early_estimate: true, calibration_ongoing: true, validated: false},
                 sensor_status: {nonpulsatile_signal: true, questionable_pulse: true}}
        source: SpeziBluetooth, PLXTests
      - hex: "13 00 20 00 08 00 00"
        fields: {fast: true, measurement_status: {measurement_ongoing: true, validated: false},
                 sensor_status: {inadequate_signal: true}}
        text: "fast, measurement status measurement ongoing, sensor status inadequate signal"

"""##

private let source_quantities: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: quantities
title: Counts, durations, texts
source: GATT Specification Supplement
characteristics:
  - uuid: "2ae2"
    name: Boolean
    fields:
      - {name: boolean, type: u8, values: {0: "false", 1: "true"}}
    examples:
      - {hex: "01", fields: {boolean: "true"}}
  - uuid: "2ae8"
    name: Coefficient
    fields:
      - {name: coefficient, type: f32}
    examples:
      - {hex: "00 00 20 3f", fields: {coefficient: 0.625}}
  - uuid: "2aea"
    name: Count 16
    fields:
      - {name: count, type: u16, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {count: 8498}}
  - uuid: "2aeb"
    name: Count 24
    fields:
      - {name: count, type: u24, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {count: 2175555}}
  - uuid: "2aec"
    name: Country Code
    fields:
      - {name: country_code, type: u16, special: {0xffff: not_known}, range: [0, 4095]}
    examples:
      - {hex: "55 05", fields: {country_code: 1365}}
  - uuid: "2aed"
    name: Date UTC
    fields:
      - {name: date_utc, type: u24, unit: d, special: {0x000000: not_known}, epoch: "1970-01-01"}
    examples:
      - {hex: "eb 4c 00", fields: {date_utc: "2023-11-30"}}
  - uuid: "2af4"
    name: Event Statistics
    fields:
      - {name: number_of_events, type: u16, special: {0xffff: not_known}}
      - {name: average_event_duration, type: u16, unit: s, special: {0xffff: not_known}}
      - {name: time_elapsed_since_last_event, type: u8, unit: s,
         special: {0: zero, 0xfe: device_lifetime, 0xff: not_known}, exponential: {base: 1.1, minus: 64}}
      - {name: sensing_duration, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "32 21 45 34 40 40", fields: {number_of_events: 8498, average_event_duration: 13381,
         time_elapsed_since_last_event: 1, sensing_duration: 1}}
  - uuid: "2af5"
    name: Fixed String 16
    fields:
      - {name: fixed_string, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {fixed_string: Zoë}}
  - uuid: "2af6"
    name: Fixed String 24
    fields:
      - {name: fixed_string, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {fixed_string: Zoë}}
  - uuid: "2af7"
    name: Fixed String 36
    fields:
      - {name: fixed_string, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {fixed_string: Zoë}}
  - uuid: "2af8"
    name: Fixed String 8
    fields:
      - {name: fixed_string, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {fixed_string: Zoë}}
  - uuid: "2af9"
    name: Generic Level
    fields:
      - {name: generic_level, type: u16}
    examples:
      - {hex: "32 21", fields: {generic_level: 8498}}
  - uuid: "2afa"
    name: Global Trade Item Number
    fields:
      - {name: global_trade_item_number, type: u48, special: {0: not_known}}
    examples:
      - {hex: "76 65 54 43 32 21", fields: {global_trade_item_number: 36499761685878}}
  - uuid: "2b04"
    name: Percentage 8
    fields:
      - {name: percentage, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known}, range: [0, 200]}
    examples:
      - {hex: "21", fields: {percentage: 16.5}}
  - uuid: "2b0b"
    name: Relative Value in a Period of Day
    fields:
      - {name: relative_value, type: u8, scale: {binary: -1}, unit: "%", special: {0xff: not_known}, range: [0, 200]}
      - {name: start_time, type: u8, scale: {decimal: -1}, unit: h, special: {0xff: not_known}, range: [0, 239]}
      - {name: end_time, type: u8, scale: {decimal: -1}, unit: h, special: {0xff: not_known}, range: [0, 239]}
    examples:
      - {hex: "21 34 47", fields: {relative_value: 16.5, start_time: 5.2, end_time: 7.1}}
  - uuid: "2b12"
    name: Time Decihour 8
    fields:
      - {name: time, type: u8, scale: {decimal: -1}, unit: h, special: {0xff: not_known}, range: [0, 239]}
    examples:
      - {hex: "21", fields: {time: 3.3}}
  - uuid: "2b13"
    name: Time Exponential 8
    fields:
      - {name: time, type: u8, unit: s, special: {0: zero, 0xfe: device_lifetime, 0xff: not_known},
         exponential: {base: 1.1, minus: 64}}
    examples:
      - {hex: "40", fields: {time: 1}}
  - uuid: "2b14"
    name: Time Hour 24
    fields:
      - {name: time, type: u24, unit: h, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {time: 2175555}}
  - uuid: "2b15"
    name: Time Millisecond 24
    fields:
      - {name: time, type: u24, scale: {decimal: -3}, unit: s, special: {0xffffff: not_known}}
    examples:
      - {hex: "43 32 21", fields: {time: 2175.555}}
  - uuid: "2b16"
    name: Time Second 16
    fields:
      - {name: time, type: u16, unit: s, special: {0xffff: not_known}}
    examples:
      - {hex: "32 21", fields: {time: 8498}}
  - uuid: "2b17"
    name: Time Second 8
    fields:
      - {name: time, type: u8, unit: s, special: {0xff: not_known}}
    examples:
      - {hex: "21", fields: {time: 33}}
  - uuid: "2b8d"
    name: Cosine of the Angle
    fields:
      - {name: cosine_of_the_angle, type: i8, scale: {decimal: -2}, special: {0x7f: not_known}, range: [-100, 100]}
    examples:
      - {hex: "21", fields: {cosine_of_the_angle: 0.33}}
  - uuid: "2bba"
    name: Content Control ID
    fields:
      - {name: content_control_id, type: u8}
    examples:
      - {hex: "21", fields: {content_control_id: 33}}
  - uuid: "2bde"
    name: Fixed String 64
    fields:
      - {name: fixed_string, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {fixed_string: Zoë}}
  - uuid: "2be6"
    name: Time Second 32
    fields:
      - {name: time, type: u32, unit: s, special: {0xffffffff: not_known}}
    examples:
      - {hex: "54 43 32 21", fields: {time: 556942164}}
  - uuid: "2c05"
    name: Percentage 8 Steps
    fields:
      - {name: percentage_8_steps, type: u8, special: {0xff: not_known}, range: [1, 200]}
    examples:
      - {hex: "21", fields: {percentage_8_steps: 33}}

"""##

private let source_record_access: StaticString = ##"""
profile: record_access
title: Record Access Control Point
source: GATT Specification Supplement; the filters from memory
enumerations:
  command: {1: report_stored_records, 2: delete_stored_records, 3: abort, 4: report_number_of_stored_records,
            5: number_of_stored_records, 6: response, 7: combined_report, 8: combined_report_response}
  operator: {0: "null", 1: all_records, 2: up_to, 3: from, 4: within, 5: first_record, 6: last_record}
structures:
  outcome:
    - {name: request, type: u8, values: command, label: to}
    - name: result
      type: u8
      label: ""
      values: {1: success, 2: op_code_not_supported, 3: invalid_operator, 4: operator_not_supported, 5: invalid_operand,
               6: no_records_found, 7: abort_unsuccessful, 8: procedure_not_completed, 9: operand_not_supported,
               10: server_busy}
characteristics:
  # What filters a record belongs to the service. Glucose sensors count records or go by the user's clock.
  - uuid: "2a52"
    service: "1808"
    name: Record Access Control Point
    fields:
      - {name: command, type: u8, values: command, label: ""}
      - {name: operator, type: u8, values: operator, label: "", quiet: [0]}
      - choose: command
        cases:
          5: [{name: records, type: u16, label: ""}]
          6: [{layout: outcome}]
          8: [{name: records, type: u16, label: ""}]
          other:
            - {name: filter, type: u8, values: {1: sequence_number, 2: user_facing_time}, label: "",
               when: operator >= 2 && operator <= 4}
            - choose: operator
              cases:
                2:
                  - {name: highest, type: u16, label: "", when: filter == 1}
                  - {name: latest, type: datetime, label: "", when: filter == 2}
                3:
                  - {name: lowest, type: u16, label: "", when: filter == 1}
                  - {name: earliest, type: datetime, label: "", when: filter == 2}
                4:
                  - {name: lowest, type: u16, label: "", when: filter == 1}
                  - {name: highest, type: u16, label: to, when: filter == 1}
                  - {name: earliest, type: datetime, label: "", when: filter == 2}
                  - {name: latest, type: datetime, label: to, when: filter == 2}
    exchange: {request: command < 5 || command == 7, request_field: request, timeout_ms: 30000}
    examples:
      - {hex: "01 01", written: true, fields: {command: report_stored_records, operator: all_records},
         text: "report stored records, all records"}
      - {hex: "04 03 01 05 00", written: true, fields: {filter: sequence_number, lowest: 5},
         text: "report number of stored records, from, sequence number, 5"}
      - hex: "01 04 02 ea 07 0b 01 00 00 00 ea 07 0b 16 00 00 00"
        written: true
        fields: {operator: within, filter: user_facing_time, earliest: "2026-11-01T00:00:00",
                 latest: "2026-11-22T00:00:00"}
      - {hex: "05 00 0c 00", fields: {command: number_of_stored_records, records: 12},
         text: "number of stored records, 12"}
      - {hex: "06 00 01 01", fields: {command: response, request: report_stored_records, result: success},
         text: "response, to report stored records, success"}
  # Continuous glucose monitors count minutes of the session.
  - uuid: "2a52"
    service: "181f"
    name: Record Access Control Point
    fields:
      - {name: command, type: u8, values: command, label: ""}
      - {name: operator, type: u8, values: operator, label: "", quiet: [0]}
      - choose: command
        cases:
          5: [{name: records, type: u16, label: ""}]
          6: [{layout: outcome}]
          8: [{name: records, type: u16, label: ""}]
          other:
            - {name: filter, type: u8, values: {1: time_offset}, label: "", when: operator >= 2 && operator <= 4}
            - choose: operator
              cases:
                2: [{name: latest, type: u16, unit: min, label: ""}]
                3: [{name: earliest, type: u16, unit: min, label: ""}]
                4:
                  - {name: earliest, type: u16, unit: min, label: ""}
                  - {name: latest, type: u16, unit: min, label: to}
    exchange: {request: command < 5 || command == 7, request_field: request, timeout_ms: 30000}
    examples:
      - {hex: "01 04 01 05 00 0a 00", written: true, fields: {filter: time_offset, earliest: 5, latest: 10},
         text: "report stored records, within, time offset, 5 min, to 10 min"}
      - {hex: "06 00 01 06", fields: {request: report_stored_records, result: no_records_found}}
  # Blood pressure monitors count records or seconds of the user's clock.
  - uuid: "2a52"
    service: "1810"
    name: Record Access Control Point
    fields:
      - {name: command, type: u8, values: command, label: ""}
      - {name: operator, type: u8, values: operator, label: "", quiet: [0]}
      - choose: command
        cases:
          5: [{name: records, type: u16, label: ""}]
          6: [{layout: outcome}]
          8: [{name: records, type: u16, label: ""}]
          other:
            - {name: filter, type: u8, values: {1: sequence_number, 2: user_facing_time}, label: "",
               when: operator >= 2 && operator <= 4}
            - choose: operator
              cases:
                2:
                  - {name: highest, type: u16, label: "", when: filter == 1}
                  - {name: latest, type: u32, unit: s, label: "", when: filter == 2}
                3:
                  - {name: lowest, type: u16, label: "", when: filter == 1}
                  - {name: earliest, type: u32, unit: s, label: "", when: filter == 2}
                4:
                  - {name: lowest, type: u16, label: "", when: filter == 1}
                  - {name: highest, type: u16, label: to, when: filter == 1}
                  - {name: earliest, type: u32, unit: s, label: "", when: filter == 2}
                  - {name: latest, type: u32, unit: s, label: to, when: filter == 2}
    exchange: {request: command < 5 || command == 7, request_field: request, timeout_ms: 30000}
    examples:
      - {hex: "01 02 01 05 00", written: true, fields: {operator: up_to, filter: sequence_number, highest: 5}}
      - {hex: "07 03 02 7d 00 00 00", written: true, fields: {command: combined_report, earliest: 125}}
      - {hex: "08 00 03 00", fields: {command: combined_report_response, records: 3},
         text: "combined report response, 3"}
  - uuid: "2a52"
    name: Record Access Control Point
    fields:
      - {name: command, type: u8, values: command, label: ""}
      - {name: operator, type: u8, values: operator, label: "", quiet: [0]}
      - choose: command
        cases:
          5: [{name: records, type: u16, label: "", when: remaining == 2}]
          6: [{layout: outcome}]
          8: [{name: records, type: u16, label: "", when: remaining == 2}]
          other: [{name: operand, type: bytes, when: remaining > 0}]
    exchange: {request: command < 5 || command == 7, request_field: request, timeout_ms: 30000}
    examples:
      - {hex: "07 02 01 05 00", written: true, fields: {command: combined_report, operator: up_to, operand: "010500"}}
      - {hex: "03 00", written: true, fields: {command: abort}, text: abort}
      - {hex: "06 00 04 06", fields: {request: report_number_of_stored_records, result: no_records_found}}
      - {hex: "05 00 03 00", fields: {records: 3}, text: "number of stored records, 3"}

"""##

private let source_speed_and_cadence: StaticString = ##"""
profile: speed_and_cadence
title: Running and Cycling Speed and Cadence Services
source: GATT Specification Supplement
enumerations:
  sensor_location: {0: other, 1: top_of_shoe, 2: in_shoe, 3: hip, 4: front_wheel, 5: left_crank, 6: right_crank,
                    7: left_pedal, 8: right_pedal, 9: front_hub, 10: rear_dropout, 11: chainstay, 12: rear_wheel,
                    13: rear_hub, 14: chest, 15: spider, 16: chain_ring}
  sc_command: {1: set_cumulative_value, 2: start_sensor_calibration, 3: update_sensor_location,
               4: request_supported_sensor_locations, 16: response}
characteristics:
  - uuid: "2a53"
    name: RSC Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_stride_length}
          - {bit: 1, name: has_distance}
          - {bit: 2, name: running}
      - {name: speed, type: u16, scale: {divide: 256}, unit: m/s}
      - {name: cadence, type: u8, unit: /min}
      - {name: stride_length, type: u16, unit: cm, when: flags.has_stride_length}
      - {name: distance, type: u32, scale: {decimal: -1}, unit: m, when: flags.has_distance}
    examples:
      - hex: "07 00 03 12 56 00 01 00 00 f0"
        fields: {running: true, speed: 3, cadence: 18, stride_length: 86, distance: 402653184.1}
        source: Android BLE Common Library, RunningSpeedAndCadenceMeasurementDataCallbackTest
      - hex: "07 00 03 b4 4b 00 10 27 00 00"
        fields: {running: true, speed: 3, cadence: 180, stride_length: 75, distance: 1000}
        text: "running, speed 3.000 m/s, cadence 180 /min, stride length 75 cm, distance 1000.0 m"
  - uuid: "2a54"
    name: RSC Feature
    fields:
      - name: features
        type: u16
        bits:
          - {bit: 0, name: stride_length}
          - {bit: 1, name: distance}
          - {bit: 2, name: walking_or_running}
          - {bit: 3, name: calibration}
          - {bit: 4, name: multiple_sensor_locations}
    examples:
      - {hex: "07 00", fields: {stride_length: true, distance: true, walking_or_running: true, calibration: false},
         text: "stride length, distance, walking or running"}
  - uuid: "2a55"
    name: SC Control Point
    fields:
      - {name: command, type: u8, values: sc_command, label: ""}
      - choose: command
        cases:
          1: [{name: cumulative_value, type: u32, label: ""}]
          2: []
          3: [{name: location, type: u8, values: sensor_location, label: ""}]
          4: []
          16:
            - {name: request, type: u8, values: sc_command, label: to}
            - {name: result, type: u8, label: "",
               values: {1: success, 2: op_code_not_supported, 3: invalid_operand, 4: operation_failed}}
            - {name: locations, type: u8, values: sensor_location, repeat: rest, when: request == 4 && result == 1}
          other: [{name: parameter, type: bytes, when: remaining > 0}]
    exchange: {request: command < 16, response: 16, request_field: request, timeout_ms: 30000}
    examples:
      - {hex: "01 00 00 00 00", written: true, fields: {command: set_cumulative_value, cumulative_value: 0},
         text: "set cumulative value, 0"}
      - {hex: "03 05", written: true, fields: {location: left_crank}}
      - {hex: "10 04 01 05 06", fields: {request: request_supported_sensor_locations, result: success,
         locations: [left_crank, right_crank]},
         text: "response, to request supported sensor locations, success, locations left crank right crank"}
  - uuid: "2a5b"
    name: CSC Measurement
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: has_wheel}
          - {bit: 1, name: has_crank}
      - {name: wheel_revolutions, type: u32, when: flags.has_wheel}
      - {name: wheel_event_time, type: u16, scale: {divide: 1024}, unit: s, label: at, when: flags.has_wheel}
      - {name: crank_revolutions, type: u16, when: flags.has_crank}
      - {name: crank_event_time, type: u16, scale: {divide: 1024}, unit: s, label: at, when: flags.has_crank}
    examples:
      - hex: "03 ff ff ff ff 03 3f ff 07 e7 0f"
        fields: {wheel_revolutions: 4294967295, wheel_event_time: 15.7529296875, crank_revolutions: 2047,
                 crank_event_time: 3.9755859375}
        source: pycycling, test_cycling_speed_cadence_service.py
      - hex: "03 e8 03 00 00 00 08 c8 00 00 06"
        fields: {wheel_revolutions: 1000, wheel_event_time: 2, crank_revolutions: 200, crank_event_time: 1.5}
        text: "wheel revolutions 1000, at 2.000 s, crank revolutions 200, at 1.500 s"
      - {hex: "02 c8 00 00", fields: {crank_revolutions: 200}, problems: [missing_bytes]}
  - uuid: "2a5c"
    name: CSC Feature
    fields:
      - name: features
        type: u16
        bits:
          - {bit: 0, name: wheel_revolutions}
          - {bit: 1, name: crank_revolutions}
          - {bit: 2, name: multiple_sensor_locations}
    examples:
      - {hex: "03 00", fields: {wheel_revolutions: true, crank_revolutions: true, multiple_sensor_locations: false},
         text: "wheel revolutions, crank revolutions"}
  - uuid: "2a5d"
    name: Sensor Location
    fields: [{name: sensor_location, type: u8, values: sensor_location}]
    examples:
      - {hex: "06", fields: {sensor_location: right_crank}, text: right crank}
      - {hex: "11", fields: {sensor_location: 17}, problems: [reserved_value]}

"""##

private let source_time: StaticString = ##"""
profile: time
title: Current Time, Next DST Change and Reference Time Update Services
source: GATT Specification Supplement
enumerations:
  weekday: {0: not_known, 1: monday, 2: tuesday, 3: wednesday, 4: thursday, 5: friday, 6: saturday, 7: sunday}
  daylight_saving: {0: standard_time, 2: half_an_hour, 4: daylight_time, 8: double_daylight_time, 255: not_known}
  time_source: {0: unknown, 1: network_time_protocol, 2: GPS, 3: radio_time_signal, 4: manual, 5: atomic_clock,
                6: cellular_network, 7: not_synchronized}
structures:
  exact_time:
    - {name: date_time, type: datetime, label: ""}
    - {name: day_of_week, type: u8, values: weekday, label: "", quiet: [0]}
    - {name: fraction, type: u8, scale: {binary: -8}, unit: s, quiet: [0]}
  # A quarter of an hour is the unit: −48 to 56 are 12 hours behind to 14 hours before UTC.
  time_zone:
    - {name: time_zone, type: i8, scale: {divide: 4}, unit: h, special: {"-128": not_known}, range: [-48, 56]}
    - {name: dst_offset, type: u8, values: daylight_saving, label: ""}
characteristics:
  - uuid: "2a08"
    name: Date Time
    fields: [{name: date_time, type: datetime}]
    examples:
      - {hex: "ea 07 0b 16 05 1a 32", fields: {date_time: "2026-11-22T05:26:50"}, text: "2026-11-22 05:26:50"}
      - {hex: "00 00 00 00 17 3b 3b", fields: {date_time: "????-??-??T23:59:59"}}
  - uuid: "2a09"
    name: Day of Week
    fields: [{name: day_of_week, type: u8, values: weekday}]
    examples:
      - {hex: "07", fields: {day_of_week: sunday}, text: sunday}
      - {hex: "08", fields: {day_of_week: 8}, problems: [reserved_value]}
  - uuid: "2a0a"
    name: Day Date Time
    fields:
      - {name: date_time, type: datetime, label: ""}
      - {name: day_of_week, type: u8, values: weekday, label: "", quiet: [0]}
    examples:
      - hex: "ea 07 0b 16 05 1a 32 07"
        fields: {date_time: "2026-11-22T05:26:50", day_of_week: sunday}
        text: "2026-11-22 05:26:50, sunday"
  - uuid: "2a0c"
    name: Exact Time 256
    fields: [{layout: exact_time}]
    examples:
      - hex: "ea 07 0b 16 05 1a 32 07 80"
        fields: {date_time: "2026-11-22T05:26:50", day_of_week: sunday, fraction: 0.5}
  - uuid: "2a0d"
    name: DST Offset
    fields: [{name: dst_offset, type: u8, values: daylight_saving}]
    examples:
      - {hex: "04", fields: {dst_offset: daylight_time}, text: daylight time}
      - {hex: "01", fields: {dst_offset: 1}, problems: [reserved_value]}
  - uuid: "2a0e"
    name: Time Zone
    fields:
      - {name: time_zone, type: i8, scale: {divide: 4}, unit: h, special: {"-128": not_known}, range: [-48, 56]}
    examples:
      - {hex: "16", fields: {time_zone: 5.5}, text: 5.50 h}
      - {hex: "ec", fields: {time_zone: -5}}
      - {hex: "80", fields: {time_zone: not_known}}
      - {hex: "39", fields: {time_zone: 14.25}, problems: [out_of_range]}
  - uuid: "2a0f"
    name: Local Time Information
    fields: [{layout: time_zone}]
    examples:
      - {hex: "04 04", fields: {time_zone: 1, dst_offset: daylight_time}, text: "time zone 1.00 h, daylight time"}
  - uuid: "2a11"
    name: Time with DST
    fields:
      - {name: date_time, type: datetime, label: ""}
      - {name: dst_offset, type: u8, values: daylight_saving, label: ""}
    examples:
      - hex: "ea 07 0a 19 02 00 00 00"
        fields: {date_time: "2026-10-25T02:00:00", dst_offset: standard_time}
        text: "2026-10-25 02:00:00, standard time"
  - uuid: "2a12"
    name: Time Accuracy
    fields:
      - {name: accuracy, type: u8, scale: {binary: -3}, unit: s, special: {254: over_31_625_s, 255: not_known}}
    examples:
      - {hex: "0c", fields: {accuracy: 1.5}}
      - {hex: "ff", fields: {accuracy: not_known}}
  - uuid: "2a13"
    name: Time Source
    fields: [{name: time_source, type: u8, values: time_source}]
    examples:
      - {hex: "02", fields: {time_source: GPS}}
  - uuid: "2a14"
    name: Reference Time Information
    fields:
      - {name: time_source, type: u8, values: time_source}
      - {name: accuracy, type: u8, scale: {binary: -3}, unit: s, special: {254: over_31_625_s, 255: not_known}}
      - {name: days_since_update, type: u8, unit: d, special: {255: 255_days_or_more}}
      - {name: hours_since_update, type: u8, unit: h, special: {255: unknown}, range: [0, 23], quiet: [255]}
    text: "source {time_source}, accuracy {accuracy}, updated {days_since_update}[ {hours_since_update}] ago"
    examples:
      - hex: "01 02 03 0c"
        fields: {time_source: network_time_protocol, accuracy: 0.25, days_since_update: 3, hours_since_update: 12}
        text: "source network time protocol, accuracy 0.250 s, updated 3 d 12 h ago"
      - hex: "00 ff ff ff"
        fields: {accuracy: not_known, days_since_update: 255_days_or_more, hours_since_update: unknown}
        text: "source unknown, accuracy not known, updated 255 days or more ago"
  - uuid: "2a16"
    name: Time Update Control Point
    fields: [{name: command, type: u8, values: {1: get_reference_update, 2: cancel_reference_update}}]
    examples:
      - {hex: "01", written: true, fields: {command: get_reference_update}, text: get reference update}
  - uuid: "2a17"
    name: Time Update State
    fields:
      - {name: state, type: u8, values: {0: idle, 1: update_pending}, label: ""}
      - name: result
        type: u8
        values: {0: successful, 1: canceled, 2: no_connection_to_reference, 3: reference_responded_with_error,
                 4: timeout, 5: update_not_attempted_after_reset}
        label: last
    examples:
      - {hex: "00 04", fields: {state: idle, result: timeout}, text: "idle, last timeout"}
  - uuid: "2a2b"
    name: Current Time
    fields:
      - {layout: exact_time}
      - name: adjust_reason
        type: u8
        bits:
          - {bit: 0, name: manual_update}
          - {bit: 1, name: external_reference_update}
          - {bit: 2, name: time_zone_change}
          - {bit: 3, name: dst_change}
    examples:
      - hex: "ea 07 0b 16 05 1a 32 07 80 01"
        fields: {date_time: "2026-11-22T05:26:50", day_of_week: sunday, fraction: 0.5, manual_update: true,
                 dst_change: false}
        text: "2026-11-22 05:26:50, sunday, fraction 0.500 s, manual update"
      - hex: "e0 07 02 1d 0c 00 00 01 00"
        fields: {date_time: "2016-02-29T12:00:00", day_of_week: monday}
        problems: [missing_bytes]
  - uuid: "2bf2"
    name: Elapsed Time
    fields:
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: is_tick_counter}
          - {bit: 1, name: utc, label: UTC}
          - {bits: [2, 3], name: resolution, values: {0: 1_s, 1: 100_ms, 2: 1_ms, 3: 100_us}, quiet: true}
          - {bit: 4, name: has_offset}
          - {bit: 5, name: current_timeline}
      - {name: time, type: u48, unit: s, epoch: "2000-01-01", label: "",
         when: "!flags.is_tick_counter && flags.resolution == 0"}
      - {name: time, type: u48, scale: {decimal: -1}, unit: s after 2000-01-01, label: "",
         when: "!flags.is_tick_counter && flags.resolution == 1"}
      - {name: time, type: u48, unit: ms, epoch: "2000-01-01", label: "",
         when: "!flags.is_tick_counter && flags.resolution == 2"}
      - {name: time, type: u48, scale: {decimal: -4}, unit: s after 2000-01-01, label: "",
         when: "!flags.is_tick_counter && flags.resolution == 3"}
      - {name: ticks, type: u48, unit: s, when: flags.is_tick_counter && flags.resolution == 0}
      - {name: ticks, type: u48, scale: {decimal: -1}, unit: s, when: flags.is_tick_counter && flags.resolution == 1}
      - {name: ticks, type: u48, scale: {decimal: -3}, unit: s, when: flags.is_tick_counter && flags.resolution == 2}
      - {name: ticks, type: u48, scale: {decimal: -4}, unit: s, when: flags.is_tick_counter && flags.resolution == 3}
      - {name: time_source, type: u8, values: time_source, label: from, quiet: [0]}
      - {name: offset, type: i8, scale: {divide: 4}, unit: h, label: offset from UTC, quiet: [0]}
    examples:
      - hex: "22 80 51 01 00 00 00 06 00"
        fields: {utc: true, current_timeline: true, time: "2000-01-02T00:00:00Z", time_source: cellular_network}
      - hex: "09 e8 03 00 00 00 00 00 00"
        fields: {is_tick_counter: true, ticks: 1}

"""##

private let source_user_data: StaticString = ##"""
# Made by Scripts/import-characteristics.py; do not edit.
profile: user_data
title: User Data Service
source: GATT Specification Supplement
characteristics:
  - uuid: "2a7e"
    name: Aerobic Heart Rate Lower Limit
    fields:
      - {name: aerobic_heart_rate_lower_limit, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {aerobic_heart_rate_lower_limit: 33}}
  - uuid: "2a7f"
    name: Aerobic Threshold
    fields:
      - {name: aerobic_threshold, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {aerobic_threshold: 33}}
  - uuid: "2a80"
    name: Age
    fields:
      - {name: age, type: u8, unit: years}
    examples:
      - {hex: "21", fields: {age: 33}}
  - uuid: "2a81"
    name: Anaerobic Heart Rate Lower Limit
    fields:
      - {name: anaerobic_heart_rate_lower_limit, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {anaerobic_heart_rate_lower_limit: 33}}
  - uuid: "2a82"
    name: Anaerobic Heart Rate Upper Limit
    fields:
      - {name: anaerobic_heart_rate_upper_limit, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {anaerobic_heart_rate_upper_limit: 33}}
  - uuid: "2a83"
    name: Anaerobic Threshold
    fields:
      - {name: anaerobic_threshold, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {anaerobic_threshold: 33}}
  - uuid: "2a84"
    name: Aerobic Heart Rate Upper Limit
    fields:
      - {name: aerobic_heart_rate_upper_limit, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {aerobic_heart_rate_upper_limit: 33}}
  - uuid: "2a85"
    name: Date of Birth
    fields:
      - {name: year, type: u16, special: {0: not_known}, range: [1582, 9999]}
      - {name: month, type: u8, values: {0: not_known, 1: january, 2: february, 3: march, 4: april, 5: may, 6: june,
         7: july, 8: august, 9: september, 10: october, 11: november, 12: december}}
      - {name: day, type: u8, special: {0: not_known}, range: [1, 31]}
    examples:
      - {hex: "32 21 02 07", fields: {year: 8498, month: february, day: 7}}
  - uuid: "2a86"
    name: Date of Threshold Assessment
    fields:
      - {name: year, type: u16, special: {0: not_known}, range: [1582, 9999]}
      - {name: month, type: u8, values: {0: not_known, 1: january, 2: february, 3: march, 4: april, 5: may, 6: june,
         7: july, 8: august, 9: september, 10: october, 11: november, 12: december}}
      - {name: day, type: u8, special: {0: not_known}, range: [1, 31]}
    examples:
      - {hex: "32 21 02 07", fields: {year: 8498, month: february, day: 7}}
  - uuid: "2a87"
    name: Email Address
    fields:
      - {name: email_address, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {email_address: Zoë}}
  - uuid: "2a88"
    name: Fat Burn Heart Rate Lower Limit
    fields:
      - {name: fat_burn_heart_rate_lower_limit, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {fat_burn_heart_rate_lower_limit: 33}}
  - uuid: "2a89"
    name: Fat Burn Heart Rate Upper Limit
    fields:
      - {name: fat_burn_heart_rate_upper_limit, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {fat_burn_heart_rate_upper_limit: 33}}
  - uuid: "2a8a"
    name: First Name
    fields:
      - {name: first_name, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {first_name: Zoë}}
  - uuid: "2a8b"
    name: Five Zone Heart Rate Limits
    fields:
      - {name: very_light_light, type: u8, unit: bpm}
      - {name: light_moderate, type: u8, unit: bpm}
      - {name: moderate_hard, type: u8, unit: bpm}
      - {name: hard_maximum, type: u8, unit: bpm}
    examples:
      - {hex: "21 34 47 5a", fields: {very_light_light: 33, light_moderate: 52, moderate_hard: 71, hard_maximum: 90}}
  - uuid: "2a8c"
    name: Gender
    fields:
      - {name: gender, type: u8, values: {0: male, 1: female, 2: unspecified}}
    examples:
      - {hex: "01", fields: {gender: female}}
  - uuid: "2a8d"
    name: Heart Rate Max
    fields:
      - {name: heart_rate_max, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {heart_rate_max: 33}}
  - uuid: "2a8e"
    name: Height
    fields:
      - {name: height, type: u16, unit: cm}
    examples:
      - {hex: "32 21", fields: {height: 8498}}
  - uuid: "2a8f"
    name: Hip Circumference
    fields:
      - {name: hip_circumference, type: u16, unit: cm}
    examples:
      - {hex: "32 21", fields: {hip_circumference: 8498}}
  - uuid: "2a90"
    name: Last Name
    fields:
      - {name: last_name, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {last_name: Zoë}}
  - uuid: "2a91"
    name: Maximum Recommended Heart Rate
    fields:
      - {name: maximum_recommended_heart_rate, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {maximum_recommended_heart_rate: 33}}
  - uuid: "2a92"
    name: Resting Heart Rate
    fields:
      - {name: resting_heart_rate, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {resting_heart_rate: 33}}
  - uuid: "2a93"
    name: Sport Type for Aerobic and Anaerobic Thresholds
    fields:
      - {name: sport_type, type: u8, values: {0: unspecified, 1: running, 2: cycling, 3: rowing, 4: cross_training,
         5: climbing, 6: skiing, 7: skating, 8: arm_exercising, 9: lower_body_exercising, 10: upper_body_exercising,
         11: whole_body_exercising}}
    examples:
      - {hex: "01", fields: {sport_type: running}}
  - uuid: "2a94"
    name: Three Zone Heart Rate Limits
    fields:
      - {name: light_moderate, type: u8, unit: bpm}
      - {name: moderate_hard, type: u8, unit: bpm}
    examples:
      - {hex: "21 34", fields: {light_moderate: 33, moderate_hard: 52}}
  - uuid: "2a95"
    name: Two Zone Heart Rate Limits
    fields:
      - {name: fat_burn_fitness, type: u8, unit: bpm}
    examples:
      - {hex: "21", fields: {fat_burn_fitness: 33}}
  - uuid: "2a96"
    name: VO2 Max
    fields:
      - {name: vo2_max, type: u8, unit: mL/kg/min}
    examples:
      - {hex: "21", fields: {vo2_max: 33}}
  - uuid: "2a97"
    name: Waist Circumference
    fields:
      - {name: waist_circumference, type: u16, unit: cm}
    examples:
      - {hex: "32 21", fields: {waist_circumference: 8498}}
  - uuid: "2a98"
    name: Weight
    fields:
      - {name: weight, type: u16, scale: {multiply: 5, decimal: -3}, unit: kg}
    examples:
      - {hex: "32 21", fields: {weight: 42.49}}
  - uuid: "2a99"
    name: Database Change Increment
    fields:
      - {name: database_change_increment, type: u32}
    examples:
      - {hex: "54 43 32 21", fields: {database_change_increment: 556942164}}
  - uuid: "2a9a"
    name: User Index
    fields:
      - {name: user_index, type: u8, special: {255: unknown_user}}
    examples:
      - {hex: "21", fields: {user_index: 33}}
  - uuid: "2aa2"
    name: Language
    fields:
      - {name: language, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {language: Zoë}}
  - uuid: "2b46"
    name: Preferred Units
    fields:
      - {name: preferred_units, type: u16, values: uuid, repeat: rest, min: 1}
    examples:
      - {hex: "2f 27", fields: {preferred_units: [0x272f]}}
  - uuid: "2b47"
    name: High Resolution Height
    fields:
      - {name: high_resolution_height, type: u16, scale: {decimal: -4}, unit: m}
    examples:
      - {hex: "32 21", fields: {high_resolution_height: 0.8498}}
  - uuid: "2b48"
    name: Middle Name
    fields:
      - {name: middle_name, type: utf8}
    examples:
      - {hex: "5a 6f c3 ab", fields: {middle_name: Zoë}}
  - uuid: "2b49"
    name: Stride Length
    fields:
      - {name: stride_length, type: u16, unit: mm}
    examples:
      - {hex: "32 21", fields: {stride_length: 8498}}
  - uuid: "2b4a"
    name: Handedness
    fields:
      - {name: handedness, type: u8,
         values: {0x00: left_handed, 0x01: right_handed, 0x02: ambidextrous, 0x03: unspecified}}
    examples:
      - {hex: "01", fields: {handedness: right_handed}}
  - uuid: "2b4b"
    name: Device Wearing Position
    fields:
      - {name: device_wearing_position, type: u8, values: {0x00: other, 0x01: head, 0x02: head_ear,
         0x03: head_ear_right, 0x04: head_ear_left, 0x05: head_neck, 0x06: trunk, 0x07: trunk_pelvis,
         0x08: trunk_pelvis_right, 0x09: trunk_pelvis_left, 0x0a: trunk_thorax, 0x0b: trunk_thorax_right,
         0x0c: trunk_thorax_left, 0x0d: trunk_back, 0x0e: upper_extremity, 0x0f: upper_extremity_right,
         0x10: upper_extremity_left, 0x11: upper_extremity_wrist, 0x12: upper_extremity_wrist_right,
         0x13: upper_extremity_wrist_left, 0x14: upper_extremity_finger, 0x15: upper_extremity_finger_right,
         0x16: upper_extremity_finger_left, 0x17: upper_extremity_hand, 0x18: upper_extremity_hand_right,
         0x19: upper_extremity_hand_left, 0x1a: lower_extremity, 0x1b: lower_extremity_right,
         0x1c: lower_extremity_left, 0x1d: lower_extremity_ankle, 0x1e: lower_extremity_ankle_right,
         0x1f: lower_extremity_ankle_left, 0x20: lower_extremity_foot, 0x21: lower_extremity_foot_right,
         0x22: lower_extremity_foot_left, 0x23: pants_pocket, 0x24: pants_pocket_right, 0x25: pants_pocket_left,
         0x26: chest_pocket, 0x27: chest_pocket_right, 0x28: chest_pocket_left}}
    examples:
      - {hex: "01", fields: {device_wearing_position: head}}
  - uuid: "2b4c"
    name: Four Zone Heart Rate Limits
    fields:
      - {name: light_moderate, type: u8, unit: bpm}
      - {name: moderate_hard, type: u8, unit: bpm}
      - {name: hard_maximum, type: u8, unit: bpm}
    examples:
      - {hex: "21 34 47", fields: {light_moderate: 33, moderate_hard: 52, hard_maximum: 71}}
  - uuid: "2b4f"
    name: Sedentary Interval Notification
    fields:
      - {name: sedentary_interval, type: u16, unit: s, special: {0: "off"}}
    examples:
      - {hex: "32 21", fields: {sedentary_interval: 8498}}
  - uuid: "2b50"
    name: Caloric Intake
    fields:
      - {name: caloric_intake, type: u16, unit: kcal}
    examples:
      - {hex: "32 21", fields: {caloric_intake: 8498}}

"""##

private let source_ams: StaticString = ##"""
profile: ams
title: Apple Media Service
source: Apple, Apple Media Service Reference (2014); names of the numbers as in nRF Connect SDK's AMS client
enumerations:
  command:
    0: play
    1: pause
    2: toggle_play_pause
    3: next_track
    4: previous_track
    5: volume_up
    6: volume_down
    7: advance_repeat_mode
    8: advance_shuffle_mode
    9: skip_forward
    10: skip_backward
    11: like_track
    12: dislike_track
    13: bookmark_track
  entity: {0: player, 1: queue, 2: track}
  player: {0: name, 1: playback_info, 2: volume}
  queue: {0: index, 1: count, 2: shuffle_mode, 3: repeat_mode}
  track: {0: artist, 1: album, 2: title, 3: duration}
structures:
  # The entity decides what an attribute's number means.
  entity_and_attribute:
    - {name: entity, type: u8, values: entity, label: ""}
    - choose: entity
      cases:
        0: [{name: attribute, type: u8, values: player, label: ""}]
        1: [{name: attribute, type: u8, values: queue, label: ""}]
        2: [{name: attribute, type: u8, values: track, label: ""}]
        other: [{name: attribute, type: u8}]
  registration:
    - {name: entity, type: u8, values: entity, label: ""}
    - choose: entity
      cases:
        0: [{name: attributes, type: u8, values: player, repeat: rest, label: ""}]
        1: [{name: attributes, type: u8, values: queue, repeat: rest, label: ""}]
        2: [{name: attributes, type: u8, values: track, repeat: rest, label: ""}]
        other: [{name: attributes, type: u8, repeat: rest}]
characteristics:
  - uuid: "9b3c81d8-57b1-4a8a-b8df-0e56f7ca51c2"
    name: AMS Remote Command
    fields:
      - choose: written
        cases:
          1: [{name: command, type: u8, values: command, label: ""}]
          0: [{name: supported, type: u8, values: command, repeat: rest}]
    examples:
      - hex: "02"
        written: true
        fields: {command: toggle_play_pause}
        text: toggle play pause
        source: worked out
      - hex: "00 01 02 03 04 05 06"
        fields: {supported: [play, pause, toggle_play_pause, next_track, previous_track, volume_up, volume_down]}
        source: worked out
      - hex: "20"
        written: true
        fields: {command: 32}
        problems: [reserved_value]
        source: worked out

  - uuid: "2f7cabce-808d-411f-9a0c-bb92ba96c102"
    name: AMS Entity Update
    fields:
      - choose: written
        cases:
          1:
            - {layout: registration}
          0:
            - {layout: entity_and_attribute, size: 2}
            - name: flags
              type: u8
              bits: [{bit: 0, name: truncated}]
            - {name: value, type: utf8, label: ""}
    examples:
      - hex: "02 00 02 03"
        written: true
        fields: {entity: track, attributes: [artist, title, duration]}
        source: worked out
      - hex: "02 02 00 46 72 65 71 75 65 6e 63 79"
        fields: {entity: track, attribute: title, truncated: false, value: Frequency}
        text: "track, title, \"Frequency\""
        source: worked out
      - hex: "00 01 00 31 2c 31 2e 30 2c 34 32 2e 35"
        fields: {entity: player, attribute: playback_info, value: "1,1.0,42.5"}
        source: worked out

  - uuid: "c6b2f38c-23ab-46d8-a6ab-a3a870bbd5d7"
    name: AMS Entity Attribute
    fields:
      - choose: written
        cases:
          1:
            - {layout: entity_and_attribute}
          0:
            - {name: value, type: utf8, label: ""}
    examples:
      - hex: "02 00"
        written: true
        fields: {entity: track, attribute: artist}
        source: worked out
      - hex: "54 61 6c 6c 20 42 69 72 64"
        fields: {value: Tall Bird}
        source: worked out
services:
  - uuid: "89d3502b-0f36-433a-8ef4-c502ad55f8dc"
    name: Apple Media Service
    errors: {0xa0: Invalid State, 0xa1: Invalid Command, 0xa2: Absent Attribute}

"""##

private let source_ancs: StaticString = ##"""
profile: ancs
title: Apple Notification Center Service
source: Apple, Apple Notification Center Service Specification (2014)
enumerations:
  notification_attribute:
    0: app_identifier
    1: title
    2: subtitle
    3: message
    4: message_size
    5: date
    6: positive_action_label
    7: negative_action_label
  app_attribute: {0: display_name}
characteristics:
  - uuid: "9fbf120d-6301-42d9-8c58-25e699a21dbd"
    name: ANCS Notification Source
    fields:
      - {name: event, type: u8, values: {0: added, 1: modified, 2: removed}, label: ""}
      - name: flags
        type: u8
        bits:
          - {bit: 0, name: silent}
          - {bit: 1, name: important}
          - {bit: 2, name: pre_existing}
          - {bit: 3, name: positive_action}
          - {bit: 4, name: negative_action}
      - name: category
        type: u8
        values:
          0: other
          1: incoming_call
          2: missed_call
          3: voicemail
          4: social
          5: schedule
          6: email
          7: news
          8: health_and_fitness
          9: business_and_finance
          10: location
          11: entertainment
      - {name: category_count, type: u8, label: count}
      - {name: notification_uid, type: u32, label: notification}
    examples:
      - hex: "00 11 06 03 2a 00 00 00"
        fields:
          event: added
          silent: true
          negative_action: true
          important: false
          category: email
          category_count: 3
          notification_uid: 42
        source: worked out
      - hex: "02 00 01 00 2b 00 00 00"
        fields: {event: removed, category: incoming_call, category_count: 0, notification_uid: 43}
        source: worked out
      - hex: "00 00 0c 01 2c 00 00 00"
        fields: {category: 12}
        problems: [reserved_value]
        source: worked out

services:
  - uuid: "7905f431-b5ce-4e99-a40f-4b1e122d00d0"
    name: Apple Notification Center Service
    errors: {0xa0: Unknown Command, 0xa1: Invalid Command, 0xa2: Invalid Parameter, 0xa3: Action Failed}

# Requests are written to the control point; the data source notifies of the answers.
applies_to:
  - {characteristic: "69d1d8f3-45e1-49a8-9821-9bbdfdaad9d9"}
  - {characteristic: "22eac6e9-24d6-4bb5-be44-b36ace7c7bfb"}
channels: {requests: "69d1d8f3-45e1-49a8-9821-9bbdfdaad9d9", responses: "22eac6e9-24d6-4bb5-be44-b36ace7c7bfb"}
# An answer goes over as many notifications as it needs; only its fields tell where it ends.
frame:
  command: {at: 0, type: u8}
  payload: [1, 0]
  reassemble: {timeout_ms: 2000, max: 4096}
exchange: {response: command}
messages:
  - command: 0
    name: notification_attributes.request
    direction: request
    fields:
      - {name: notification_uid, type: u32, label: notification}
      - name: attributes
        repeat: rest
        label: ""
        fields:
          - {name: attribute, type: u8, values: notification_attribute, label: ""}
          - {name: max_length, type: u16, label: up to, unit: bytes, when: "attribute >= 1 && attribute <= 3"}
    examples:
      - hex: "00 2a 00 00 00 00 01 20 00 03 80 00 05"
        fields:
          notification_uid: 42
          attributes:
            - {attribute: app_identifier}
            - {attribute: title, max_length: 32}
            - {attribute: message, max_length: 128}
            - {attribute: date}
        source: worked out
  - command: 0
    name: notification_attributes.response
    direction: response
    fields:
      - {name: notification_uid, type: u32, label: notification}
      - name: attributes
        repeat: rest
        label: ""
        text: "{attribute} {value}"
        fields:
          - {name: attribute, type: u8, values: notification_attribute}
          - {name: value, type: utf8, prefix: u16}
    examples:
      - hex: "00 2a 00 00 00 00 09 00 63 6f 6d 2e 61 2e 62 2e 63 01 05 00 48 65 6c 6c 6f 03 00 00"
        fields:
          notification_uid: 42
          attributes:
            - {attribute: app_identifier, value: com.a.b.c}
            - {attribute: title, value: Hello}
            - {attribute: message, value: ""}
        source: worked out
  - command: 1
    name: app_attributes.request
    direction: request
    fields:
      - {name: app_identifier, type: utf8, terminator: "00", label: app}
      - {name: attributes, type: u8, values: app_attribute, repeat: rest, label: ""}
    examples:
      - hex: "01 63 6f 6d 2e 61 2e 62 2e 63 00 00"
        fields: {app_identifier: com.a.b.c, attributes: [display_name]}
        source: worked out
  - command: 1
    name: app_attributes.response
    direction: response
    fields:
      - {name: app_identifier, type: utf8, terminator: "00", label: app}
      - name: attributes
        repeat: rest
        label: ""
        text: "{attribute} {value}"
        fields:
          - {name: attribute, type: u8, values: app_attribute}
          - {name: value, type: utf8, prefix: u16}
    examples:
      - hex: "01 63 6f 6d 2e 61 2e 62 2e 63 00 00 04 00 4d 61 69 6c"
        fields: {app_identifier: com.a.b.c, attributes: [{attribute: display_name, value: Mail}]}
        source: worked out
  - command: 2
    name: perform_action
    direction: request
    answered: false
    fields:
      - {name: notification_uid, type: u32, label: notification}
      - {name: action, type: u8, values: {0: positive, 1: negative}}
    examples:
      - hex: "02 2a 00 00 00 01"
        fields: {notification_uid: 42, action: negative}
        text: "notification 42, action negative"
        source: worked out

"""##

private let source_cdd1_text: StaticString = ##"""
profile: cdd1_text
title: Text service CDD1
source: the project's own captures
characteristics:
  - uuid: "cdd2"
    name: Text
    fields: [{name: text, type: utf8, label: ""}]
    examples:
      - hex: "68 65 6c 6c 6f"
        fields: {text: hello}
        source: scenario cdd1_text
      - hex: "47 72 c3 bc c3 9f 65 2c 20 e4 b8 96 e7 95 8c"
        fields: {text: "Grüße, 世界"}
        written: true
        source: scenario cdd1_text
      - hex: "74 68 72 65 65 20 e2 9c 93"
        fields: {text: "three ✓"}
        text: "\"three ✓\""
        source: scenario cdd1_text
      - hex: "6f 6b ff"
        problems: [bad_text]
        source: worked out

"""##

private let source_ffe0_serial: StaticString = ##"""
profile: ffe0_serial
title: Serial service FFE0 (HM-10 and its kin)
# A carrier of any bytes; many devices send lines of text.
source: memory (HM-10 modules)
characteristics:
  - uuid: "ffe1"
    service: "ffe0"
    name: Serial Data
    carrier: true
    fields: [{name: text, type: text, label: ""}]
    examples:
      - hex: "4f 4b 2b 4e 41 4d 45"
        fields: {text: "OK+NAME"}
        text: "\"OK+NAME\""
        source: worked out

"""##

private let source_govee: StaticString = ##"""
profile: govee
title: Govee lights, 20-byte frames
# Reverse-engineered. What a command holds differs between models; what is left of a frame is zeros.
source: govee-ble-local (Brady-Woods/govee-ble-local), GOVEE_BLE_GATT_PROTOCOL.md
endian: big
enumerations:
  mode: {0x02: color, 0x04: scene, 0x0d: color_and_temperature, 0x13: music, 0x15: color_of_segments}
  selector: {0x02: serial, 0x03: hardware_version, 0x04: software_version, 0x10: basic, 0x11: wifi}
# Telink's samples have the same UUIDs, so a whole frame is asked for.
applies_to:
  - {characteristic: "00010203-0405-0607-0809-0a0b0c0d2b11", frame: true}
  - {characteristic: "00010203-0405-0607-0809-0a0b0c0d2b10", frame: true}
channels: {requests: "00010203-0405-0607-0809-0a0b0c0d2b11", responses: "00010203-0405-0607-0809-0a0b0c0d2b10"}
frame:
  size: 20
  command: [{at: 0, type: u8}, {at: 1, type: u8}]
  payload: [2, -1]
  checksum: {at: -1, algorithm: xor8, over: [0, -1]}
  padding: "00"
exchange: {response: command}
messages:
  - command: [0x33, 0x01]
    name: power.set.request
    direction: request
    fields:
      - {name: power, type: u8, values: {0: "off", 1: "on"}}
    text: "power {power}"
    examples:
      - hex: "33 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 33"
        fields: {power: "on"}
        text: power on
        source: govee-ble-local, frame of SwitchController
      - hex: "33 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 32"
        fields: {power: "off"}
        source: govee-ble-local, frame of SwitchController
  - command: [0x33, 0x01]
    name: power.set.response
    direction: response
    fields:
      - {name: result, type: u8, values: {0: ok}, open: true}
    text: "power {result}"
    examples:
      - hex: "33 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 32"
        fields: {result: ok}
        source: worked out
  - command: [0xaa, 0x01]
    name: power.get.request
    direction: request
    fields: []
    text: "power?"
    examples:
      - hex: "aa 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ab"
        source: govee-ble-local, heartbeat
  - command: [0xaa, 0x01]
    name: power.get.response
    direction: response
    fields:
      - {name: power, type: u8, values: {0: "off", 1: "on"}}
    text: "power {power}"
    examples:
      - hex: "aa 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 aa"
        fields: {power: "on"}
        source: worked out
  - command: [0x33, 0x04]
    name: brightness.set.request
    direction: request
    fields:
      - {name: brightness, type: u8}
    text: "brightness {brightness}"
    examples:
      - hex: "33 04 64 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 53"
        fields: {brightness: 100}
        source: worked out
  - command: [0x33, 0x04]
    name: brightness.set.response
    direction: response
    fields:
      - {name: result, type: u8, values: {0: ok}, open: true}
    text: "brightness {result}"
    examples:
      - hex: "33 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 37"
        fields: {result: ok}
        source: worked out
  - command: [0xaa, 0x04]
    name: brightness.get.request
    direction: request
    fields: []
    text: "brightness?"
    examples:
      - hex: "aa 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ae"
        source: worked out
  - command: [0xaa, 0x04]
    name: brightness.get.response
    direction: response
    fields:
      - {name: brightness, type: u8}
    text: "brightness {brightness}"
    examples:
      - hex: "aa 04 32 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 9c"
        fields: {brightness: 50}
        source: worked out
  - command: [0x33, 0x05]
    name: mode.set.request
    direction: request
    fields:
      - {name: mode, type: u8, format: hex, values: mode, open: true}
      - choose: mode
        cases:
          0x02:
            - {name: color, type: bytes, size: 3}
            - {name: whole_strip, type: u8, values: {0: "no", 1: "yes"}, quiet: true}
            - {name: second_color, type: bytes, size: 3, quiet: true}
          0x04: [{name: scene, type: u8, format: hex}]
          other: []
      - {name: parameters, type: bytes, quiet: true}
    examples:
      - hex: "33 05 02 ff 00 00 00 ff 89 12 00 00 00 00 00 00 00 00 00 af"
        fields: {mode: color, color: ff0000, whole_strip: "no", second_color: ff8912}
        source: a real capture (blue-heron/blue_heron, btstack_govee_btled)
      - hex: "33 05 04 08 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3a"
        fields: {mode: scene, scene: "0x08"}
        source: worked out
  - command: [0x33, 0x05]
    name: mode.set.response
    direction: response
    fields:
      - {name: result, type: u8, values: {0: ok}, open: true}
    text: "mode {result}"
    examples:
      - hex: "33 05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 36"
        fields: {result: ok}
        source: worked out
  - command: [0xaa, 0x05]
    name: mode.get.request
    direction: request
    fields:
      - {name: selector, type: u8}
    text: "mode?"
    examples:
      - hex: "aa 05 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ae"
        fields: {selector: 1}
        source: govee-ble-local, mode read
  - command: [0xaa, 0x05]
    name: mode.get.response
    direction: response
    fields:
      - {name: mode, type: u8, format: hex, values: mode, open: true}
      - {name: parameters, type: bytes, quiet: true}
    text: "mode {mode}"
    examples:
      - hex: "aa 05 02 ff 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 52"
        fields: {mode: color}
        source: worked out
  - command: [0xaa, 0x06]
    name: firmware.get.request
    direction: request
    fields: []
    text: "firmware?"
    examples:
      - hex: "aa 06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ac"
        source: govee-ble-local, frame of SoftVersionController
  - command: [0xaa, 0x06]
    name: firmware.get.response
    direction: response
    fields:
      - {name: firmware, type: utf8, terminator: "00"}
    text: "firmware {firmware:n}"
    examples:
      - hex: "aa 06 31 2e 30 30 2e 31 37 00 00 00 00 00 00 00 00 00 00 9b"
        fields: {firmware: 1.00.17}
        source: govee-ble-local, version of SoftVersionController
  - command: [0xaa, 0x07]
    name: device_info.get.request
    direction: request
    fields:
      - {name: selector, type: u8, values: selector, open: true}
    text: "{selector}?"
    examples:
      - hex: "aa 07 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 af"
        fields: {selector: serial}
        source: worked out
  - command: [0xaa, 0x07]
    name: device_info.get.response
    direction: response
    fields:
      - {name: selector, type: u8, values: selector, open: true}
      - choose: selector
        cases:
          "3-4": [{name: version, type: utf8, terminator: "00"}]
          other: [{name: data, type: bytes}]
    examples:
      - hex: "aa 07 03 31 2e 30 30 2e 30 31 00 00 00 00 00 00 00 00 00 9e"
        fields: {selector: hardware_version, version: 1.00.01}
        source: worked out
  - command: [0x33, 0x09]
    name: time.set.request
    direction: request
    fields:
      - {name: hour, type: u8, range: [0, 23]}
      - {name: minute, type: u8, range: [0, 59]}
      - {name: second, type: u8, range: [0, 59]}
      - {name: weekday, type: u8}
      - {name: time_flag, type: u8, quiet: true}
      - {name: zone_hours, type: i8}
      - {name: zone_minutes, type: u8}
    text: "{hour:02}:{minute:02}:{second:02}, weekday {weekday}, zone {zone_hours}"
    examples:
      - hex: "33 09 0c 22 38 03 01 f9 00 00 00 00 00 00 00 00 00 00 00 d7"
        fields: {hour: 12, minute: 34, second: 56, weekday: 3, zone_hours: -7, zone_minutes: 0}
        source: worked out
  - command: [0x33, 0x09]
    name: time.set.response
    direction: response
    fields:
      - {name: result, type: u8, values: {0: ok}, open: true}
    text: "time {result}"
    examples:
      - hex: "33 09 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 3a"
        fields: {result: ok}
        source: worked out
  - command: [0xee, 0x11]
    name: wifi.changed
    unsolicited: true
    fields:
      - {name: result, type: u8, values: {0: connected}, open: true}
    text: "Wi-Fi {result}"
    examples:
      - hex: "ee 11 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff"
        fields: {result: connected}
        source: worked out
  - command: [0xee, 0x20]
    name: brightness.changed
    unsolicited: true
    fields:
      - {name: brightness, type: u8}
    text: "brightness {brightness}"
    examples:
      - hex: "ee 20 32 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 fc"
        fields: {brightness: 50}
        source: worked out
  # Among them uploads (a1 to a6) and answers (ac) of several frames, whose second byte is a number or a name of what follows.
  - command: other
    name: other
    fields: [{name: payload, type: bytes}]
    examples:
      - hex: "a3 00 01 02 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 a3"
        fields: {payload: 0102030000000000000000000000000000}
        source: worked out

"""##

private let source_mcumgr: StaticString = ##"""
profile: mcumgr
title: MCUmgr, Simple Management Protocol
source: Zephyr Project, SMP protocol specification, SMP transport specification, group pages; the tables of groups and commands from memory
endian: big
enumerations:
  operation: {0: read_request, 1: read_response, 2: write_request, 3: write_response}
  group:
    0: os
    1: image
    2: statistics
    3: settings
    4: log
    5: test
    6: split_image
    7: crash
    8: file_system
    9: shell
    10: enumeration
    11: transport
    63: zephyr
    "64-0xffff": application
applies_to:
  - {characteristic: "da2e7828-fbce-4e01-ae9e-261174997c48"}
channels: {requests: write, responses: notify}
frame:
  length: {at: 2, type: u16, counts: payload}
  header:
    - name: first
      type: u8
      bits:
        - {bits: [0, 2], name: operation, values: operation, label: ""}
        - {bits: [3, 4], name: version, quiet: true}
    - {name: flags, type: u8, format: hex, quiet: true}
    - {name: length, type: u16, quiet: true}
    - {name: group, type: u16, values: group, open: true, label: ""}
    - {name: sequence, type: u8}
    - {name: id, type: u8, quiet: true}
  command: [{at: 4, type: u16}, {at: 7, type: u8}]
  sequence: {at: 6, type: u8}
  payload: [8, 0]
  reassemble: {timeout_ms: 5000, max: 4096}
exchange: {request: "first.operation & 1 == 0", sequence: true, timeout_ms: 40000}
# The payload is a CBOR map, shown as bytes.
messages:
  - command: [0, 0]
    name: os.echo
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "02 00 00 09 00 00 2a 00 a1 61 64 65 68 65 6c 6c 6f"
        fields: {operation: write_request, group: os, sequence: 42, data: a161646568656c6c6f}
        text: write request, sequence 42, CBOR a1 61 64 65 68 65 6c 6c 6f
        source: "worked out: echo of {'d': 'hello'}"
      - hex: "03 00 00 09 00 00 2a 00 a1 61 72 65 68 65 6c 6c 6f"
        fields: {operation: write_response, group: os, sequence: 42, data: a161726568656c6c6f}
        source: "worked out: {'r': 'hello'}"
  - command: [0, 1]
    name: os.console_echo
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 00 03 01 a0"
        fields: {operation: read_response, group: os, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [0, 2]
    name: os.task_statistics
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 00 03 02 a0"
        fields: {operation: read_response, group: os, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [0, 3]
    name: os.memory_pool_statistics
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 00 03 03 a0"
        fields: {operation: read_response, group: os, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [0, 4]
    name: os.date_time
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 00 03 04 a0"
        fields: {operation: read_response, group: os, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [0, 5]
    name: os.reset
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "0a 00 00 01 00 00 07 05 a0"
        fields: {operation: write_request, version: 1, group: os, sequence: 7, data: a0}
        source: "worked out: reset with an empty map, protocol version 2"
  - command: [0, 6]
    name: os.mcumgr_parameters
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 00 03 06 a0"
        fields: {operation: read_response, group: os, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [0, 7]
    name: os.application_info
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 00 03 07 a0"
        fields: {operation: read_response, group: os, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [0, 8]
    name: os.bootloader_info
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 00 03 08 a0"
        fields: {operation: read_response, group: os, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [1, 0]
    name: image.state
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "00 00 00 00 00 01 01 00"
        fields: {operation: read_request, group: image, sequence: 1}
        source: "worked out: without data"
  - command: [1, 1]
    name: image.upload
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 01 03 01 a0"
        fields: {operation: read_response, group: image, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [1, 2]
    name: image.file
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 01 03 02 a0"
        fields: {operation: read_response, group: image, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [1, 3]
    name: image.core_list
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 01 03 03 a0"
        fields: {operation: read_response, group: image, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [1, 4]
    name: image.core_load
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 01 03 04 a0"
        fields: {operation: read_response, group: image, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [1, 5]
    name: image.erase
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 01 03 05 a0"
        fields: {operation: read_response, group: image, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [1, 6]
    name: image.slot_info
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 01 03 06 a0"
        fields: {operation: read_response, group: image, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [2, 0]
    name: statistics.group_data
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 02 03 00 a0"
        fields: {operation: read_response, group: statistics, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [2, 1]
    name: statistics.list_groups
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 02 03 01 a0"
        fields: {operation: read_response, group: statistics, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [3, 0]
    name: settings.read_write
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 03 03 00 a0"
        fields: {operation: read_response, group: settings, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [3, 1]
    name: settings.delete
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 03 03 01 a0"
        fields: {operation: read_response, group: settings, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [3, 2]
    name: settings.commit
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 03 03 02 a0"
        fields: {operation: read_response, group: settings, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [3, 3]
    name: settings.load_save
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 03 03 03 a0"
        fields: {operation: read_response, group: settings, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [8, 0]
    name: file_system.file
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 08 03 00 a0"
        fields: {operation: read_response, group: file_system, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [8, 1]
    name: file_system.status
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 08 03 01 a0"
        fields: {operation: read_response, group: file_system, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [8, 2]
    name: file_system.hash
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 08 03 02 a0"
        fields: {operation: read_response, group: file_system, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [8, 3]
    name: file_system.supported_hashes
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 08 03 03 a0"
        fields: {operation: read_response, group: file_system, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [8, 4]
    name: file_system.close
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 08 03 04 a0"
        fields: {operation: read_response, group: file_system, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [9, 0]
    name: shell.execute
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 09 03 00 a0"
        fields: {operation: read_response, group: shell, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [10, 0]
    name: enumeration.count
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0a 03 00 a0"
        fields: {operation: read_response, group: enumeration, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [10, 1]
    name: enumeration.list
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0a 03 01 a0"
        fields: {operation: read_response, group: enumeration, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [10, 2]
    name: enumeration.single
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0a 03 02 a0"
        fields: {operation: read_response, group: enumeration, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [10, 3]
    name: enumeration.details
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0a 03 03 a0"
        fields: {operation: read_response, group: enumeration, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [11, 0]
    name: transport.connect
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0b 03 00 a0"
        fields: {operation: read_response, group: transport, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [11, 1]
    name: transport.disconnect
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0b 03 01 a0"
        fields: {operation: read_response, group: transport, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [11, 2]
    name: transport.status
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0b 03 02 a0"
        fields: {operation: read_response, group: transport, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [11, 6]
    name: transport.list
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0b 03 06 a0"
        fields: {operation: read_response, group: transport, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [11, 7]
    name: transport.modes
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0b 03 07 a0"
        fields: {operation: read_response, group: transport, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [11, 8]
    name: transport.configuration
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 0b 03 08 a0"
        fields: {operation: read_response, group: transport, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: [63, 0]
    name: zephyr.erase_storage
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "01 00 00 01 00 3f 03 00 a0"
        fields: {operation: read_response, group: zephyr, sequence: 3, data: a0}
        source: "worked out: an empty map"
  - command: other
    name: other
    fields: [{name: data, type: bytes, optional: true}]
    text: "{first.operation}, {group} command {id}, sequence {sequence}[, CBOR {data}]"
    examples:
      - hex: "02 00 00 01 00 40 09 10 a0"
        fields: {operation: write_request, group: application, sequence: 9, id: 16, data: a0}
        text: write request, application command 16, sequence 9, CBOR a0
        source: "worked out: command 16 of an application's group"

"""##

private let source_nordic_uart: StaticString = ##"""
profile: nordic_uart
title: Nordic UART Service
# A carrier of any bytes; many devices send lines of text.
source: Nordic Semiconductor, Nordic UART Service
characteristics:
  - uuid: "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
    name: Nordic UART RX
    carrier: true
    fields: [{name: text, type: text, label: ""}]
    examples:
      - hex: "41 54 2b 56 45 52 0d 0a"
        fields: {text: "AT+VER\r\n"}
        written: true
        source: worked out
  - uuid: "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
    name: Nordic UART TX
    carrier: true
    fields: [{name: text, type: text, label: ""}]
    examples:
      - hex: "4f 4b"
        fields: {text: "OK"}
        source: worked out
      - hex: "a5 06 83 00 03 23"
        fields: {text: a50683000323}
        text: "a5 06 83 00 03 23"
        source: worked out; bytes that are no text

"""##

private let source_wristband: StaticString = ##"""
profile: wristband
title: A5-framed wristband
source: the project's own captures; commands 03 and 83 are the device's own, the others of the examples are invented
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
      - hex: "a5 06 03 0b 14 00"
        fields: {month: 11, day: 20}
        problems: [bad_checksum]
        source: scenario wristband_a5
      - hex: "a5 06 03 0d 14 b9"
        fields: {month: 13, day: 20}
        problems: [out_of_range]
        source: worked out
  - command: 0x83
    name: sport_packet_count.response
    fields: [{name: total_packets, type: u16}]
    text: "packet count {total_packets}"
    examples:
      - hex: "a5 06 83 00 03 23"
        fields: {total_packets: 768}
      - hex: "a5 06 83 02 01 23"
        fields: {total_packets: 258}
        source: scenario wristband_a5
  - command: other
    name: unknown
    fields: [{name: payload, type: bytes, optional: true}]
    text: "command {command:x2}[, payload {payload}]"
    examples:
      - hex: "a5 04 77 d6"
        text: command 77
        source: scenario wristband_a5
      - hex: "a5 05 f7 ee b9"
        fields: {payload: "ee"}
        text: command f7, payload ee
        source: scenario wristband_a5
      # 51 bytes in three notifications.
      - hex: "a5 33 84 01 00 3c 01 00 3d 65 00 3e c9 00 3f 2d 01 40 91 01 41 f5 01 42 59 02 43 bd 02 44 21 03 45 85 03 46 e9 03 47 4d 04 48 b1 04 49 15 05 4a 79 05 87"
        fields: {payload: 01003c01003d65003ec9003f2d0140910141f50142590243bd0244210345850346e903474d0448b1044915054a7905}
        source: scenario wristband_a5

"""##
