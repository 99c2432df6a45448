// swift-format-ignore-file
// Made from docs/schema.json by `make schema`; edit that file.

extension JSONSchema {
  /// The schema of every document (JSON Schema 2020-12), as docs/schema.json has it.
  package static let text: StaticString = #"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "urn:gattscope:schema:1",
  "title": "gattscope JSON, schema 1",
  "description": "What gattscope prints with --json: show, values, devices and trace one object a line; info, map, explain and diff one document. A key with nothing to say is left out. Identifiers (handles, opcodes, codes) are strings as the specification prints them; quantities are numbers with the unit at the end of the key. A code that has a name is {\"code\":\"0x13\",\"name\":\"…\"}, a set of flags {\"code\":\"0x06\",\"names\":[\"…\"]}. Bytes that were not decoded stand under `data`; keys whose values are secret are listed under `hidden`. Keys keep their name, type and meaning while the number stays; keys may be added, so a program should ignore those that it does not know. The same capture gives the same bytes on every run.",
  "oneOf": [
    {"$ref": "#/$defs/packet"},
    {"$ref": "#/$defs/note"},
    {"$ref": "#/$defs/info"},
    {"$ref": "#/$defs/map"},
    {"$ref": "#/$defs/value"},
    {"$ref": "#/$defs/exchange"},
    {"$ref": "#/$defs/explain"},
    {"allOf": [{"$ref": "#/$defs/finding"}, {"required": ["type"]}]},
    {"$ref": "#/$defs/verdict"},
    {"$ref": "#/$defs/scan"},
    {"$ref": "#/$defs/device"},
    {"$ref": "#/$defs/diff"},
    {"$ref": "#/$defs/callback"},
    {"$ref": "#/$defs/logLine"},
    {"$ref": "#/$defs/profileList"},
    {"$ref": "#/$defs/profileMatches"},
    {"$ref": "#/$defs/ruleList"},
    {"$ref": "#/$defs/sourceList"}
  ],
  "$defs": {
    "showLine": {
      "description": "A line of `gattscope show --json`: one whole record of the capture, no more and no fewer.",
      "oneOf": [{"$ref": "#/$defs/packet"}, {"$ref": "#/$defs/note"}]
    },
    "packet": {
      "type": "object",
      "description": "A packet that crossed the host controller interface, or a management record (protocol mgmt).",
      "required": ["type", "packet", "length", "protocol", "summary"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "packet"},
        "packet": {"$ref": "#/$defs/packetNumber"},
        "file": {
          "type": "string",
          "description": "Where several files are read as one: the file that this record and the following ones are from. Present on the first record of each that is printed."
        },
        "time": {"$ref": "#/$defs/time"},
        "elapsed_s": {"$ref": "#/$defs/elapsed"},
        "adapter": {
          "type": "integer",
          "description": "Index of the controller (hci0 is 0); 0 where the format has none, absent where the record belongs to none.",
          "minimum": 0
        },
        "direction": {
          "enum": ["sent", "received"],
          "description": "As the host sees it: sent to the controller, or received from it. Absent where the capture does not say."
        },
        "length": {"type": "integer", "description": "Bytes of the original record, as the format stores it.", "minimum": 0},
        "captured": {
          "type": "integer",
          "description": "Bytes that the capture kept, only where these are fewer.",
          "minimum": 0
        },
        "direction_via": {
          "const": "inferred",
          "description": "Present where the direction was concluded from the packet, since the format does not carry it."
        },
        "protocol": {
          "enum": ["hci_cmd", "hci_evt", "acl", "sco", "iso", "l2cap", "att", "smp", "mgmt", "unknown"],
          "description": "The highest layer that was decoded."
        },
        "comments": {
          "type": "array",
          "description": "Comments that the capture (pcapng) has on this packet.",
          "items": {"type": "string"},
          "minItems": 1
        },
        "connection": {"$ref": "#/$defs/connection"},
        "hci": {"$ref": "#/$defs/hci"},
        "l2cap": {"$ref": "#/$defs/l2cap"},
        "att": {"$ref": "#/$defs/att"},
        "smp": {"$ref": "#/$defs/smp"},
        "mgmt": {"$ref": "#/$defs/mgmt"},
        "advertisements": {
          "type": "array",
          "description": "The advertising reports of this packet.",
          "items": {"$ref": "#/$defs/advertisement"},
          "minItems": 1
        },
        "data": {"$ref": "#/$defs/hex", "description": "The bytes of a packet whose type is not known (protocol unknown)."},
        "decoded": {"$ref": "#/$defs/decoded"},
        "summary": {"type": "string", "description": "The line that `gattscope show` prints, without number and time."},
        "problems": {
          "type": "array",
          "description": "What is wrong with this packet.",
          "items": {"$ref": "#/$defs/problem"},
          "minItems": 1
        },
        "problems_omitted": {"type": "integer", "description": "How many more problems there were than are listed.", "minimum": 1},
        "raw": {"$ref": "#/$defs/rawHex", "description": "The whole record, with --raw."}
      }
    },
    "note": {
      "type": "object",
      "description": "A record that is not a packet: what the capturing system wrote between the packets.",
      "required": ["type", "packet", "length", "note", "summary"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "note"},
        "packet": {"$ref": "#/$defs/packetNumber"},
        "file": {
          "type": "string",
          "description": "Where several files are read as one: the file that this record and the following ones are from. Present on the first record of each that is printed."
        },
        "time": {"$ref": "#/$defs/time"},
        "elapsed_s": {"$ref": "#/$defs/elapsed"},
        "adapter": {
          "type": "integer",
          "description": "Index of the controller (hci0 is 0); 0 where the format has none, absent where the record belongs to none.",
          "minimum": 0
        },
        "direction": {
          "enum": ["sent", "received"],
          "description": "As the host sees it: sent to the controller, or received from it. Absent where the capture does not say."
        },
        "replayed": {
          "const": true,
          "description": "Live: present where the record tells what was so before watching began, an adapter or an open socket, rather than what happened."
        },
        "length": {"type": "integer", "description": "Bytes of the original record, as the format stores it.", "minimum": 0},
        "captured": {
          "type": "integer",
          "description": "Bytes that the capture kept, only where these are fewer.",
          "minimum": 0
        },
        "comments": {
          "type": "array",
          "description": "Comments that the capture (pcapng) has on this packet.",
          "items": {"type": "string"},
          "minItems": 1
        },
        "note": {
          "type": "object",
          "description": "What the record says. Which keys there are depends on its kind.",
          "required": ["kind"],
          "additionalProperties": false,
          "properties": {
            "kind": {
              "enum": [
                "new_index",
                "deleted_index",
                "open_index",
                "close_index",
                "index_info",
                "system_note",
                "user_log",
                "control_open",
                "control_close",
                "vendor_diagnostic",
                "lmp",
                "log",
                "unknown"
              ],
              "description": "What kind of record it is. An index is a controller."
            },
            "controller_type": {
              "type": "integer",
              "description": "new_index: 0 for a primary controller, 1 for an AMP controller.",
              "minimum": 0
            },
            "bus": {"$ref": "#/$defs/code", "description": "new_index: how the controller is attached."},
            "text": {
              "type": "string",
              "description": "The text: of a note or a log line, or the controller's name (new_index)."
            },
            "priority": {
              "type": "integer",
              "description": "user_log: syslog's priority, 0 (emergency) to 7 (debug).",
              "minimum": 0
            },
            "ident": {"type": "string", "description": "The program that wrote the line or opened the socket."},
            "address": {
              "$ref": "#/$defs/address",
              "description": "The controller's public address; all zeros where it has none yet."
            },
            "manufacturer": {"$ref": "#/$defs/identifier", "description": "The controller's maker, as a company identifier."},
            "manufacturer_name": {"type": "string", "description": "That company's name, where the identifier is somebody's."},
            "cookie": {"$ref": "#/$defs/identifier", "description": "Number of the management socket."},
            "format": {"type": "integer", "description": "control_open: the kind of socket.", "minimum": 0},
            "version": {"type": "integer", "description": "control_open: version of the management interface.", "minimum": 0},
            "revision": {"type": "integer", "description": "control_open: its revision.", "minimum": 0},
            "flags": {"$ref": "#/$defs/identifier", "description": "control_open: flags of the socket."},
            "record_type": {"$ref": "#/$defs/code", "description": "PacketLogger: the record's type."},
            "process_id": {"type": "integer", "description": "log: number of the process that wrote the line.", "minimum": 0},
            "level": {"type": "integer", "description": "log: how important the line is, in the system's numbers.", "minimum": 0},
            "sender": {"type": "string", "description": "log: the library that wrote the line."},
            "subsystem": {"type": "string", "description": "log: the part of the system."},
            "category": {"type": "string", "description": "log: what the line is about."},
            "data": {"$ref": "#/$defs/hex", "description": "Bytes that were not decoded."},
            "hidden": {"$ref": "#/$defs/hidden"}
          }
        },
        "summary": {"type": "string", "description": "The line that `gattscope show` prints, without number and time."},
        "problems": {
          "type": "array",
          "description": "What is wrong with this packet.",
          "items": {"$ref": "#/$defs/problem"},
          "minItems": 1
        },
        "problems_omitted": {"type": "integer", "description": "How many more problems there were than are listed.", "minimum": 1},
        "raw": {"$ref": "#/$defs/rawHex", "description": "The whole record, with --raw."}
      }
    },
    "info": {
      "type": "object",
      "description": "The document of `gattscope info --json`.",
      "required": [
        "schema",
        "format",
        "datalink",
        "records",
        "dropped",
        "truncated",
        "adapters",
        "connections_total",
        "connections",
        "advertisers",
        "problems"
      ],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "format": {"enum": ["btsnoop", "pcap", "pcapng", "packetlogger", "monitor", "pcap_device", "monitor_server", "monitor_serial"], "description": "The file's format."},
        "datalink": {
          "type": "object",
          "description": "What the format says its records are.",
          "required": ["name"],
          "additionalProperties": false,
          "properties": {
            "code": {
              "type": "integer",
              "description": "The format's number for it; absent where the format has none.",
              "minimum": 0
            },
            "name": {"type": "string", "description": "In words."}
          }
        },
        "direction_via": {
          "const": "inferred",
          "description": "Present where the direction of packets was concluded from them, since the format does not carry it."
        },
        "files": {
          "type": "array",
          "description": "Where several files are read as one: the files, in the order of their packets.",
          "items": {
            "type": "object",
            "description": "A file.",
            "required": ["name", "records"],
            "additionalProperties": false,
            "properties": {
              "name": {"type": "string", "description": "As it was named."},
              "format": {"enum": ["btsnoop", "pcap", "pcapng", "packetlogger", "monitor", "pcap_device", "monitor_server", "monitor_serial"], "description": "Its format."},
              "datalink": {"type": "string", "description": "What its records are, in words."},
              "records": {"type": "integer", "description": "Its records.", "minimum": 0}
            }
          }
        },
        "overlaps": {
          "type": "array",
          "description": "Files that begin before those in front of them end, a sentence each.",
          "items": {"type": "string"},
          "minItems": 1
        },
        "first_time": {"$ref": "#/$defs/time", "description": "The earliest time of a record."},
        "last_time": {"$ref": "#/$defs/time", "description": "The latest."},
        "duration_s": {"type": "number", "description": "Seconds between them."},
        "clock_steps_back": {
          "type": "integer",
          "description": "How often a record's time is before that of the record in front of it.",
          "minimum": 1
        },
        "records": {
          "type": "object",
          "description": "How many records there are, and of which kinds.",
          "required": ["total"],
          "additionalProperties": false,
          "properties": {
            "total": {"type": "integer", "description": "All.", "minimum": 0},
            "commands": {"type": "integer", "description": "HCI commands.", "minimum": 1},
            "events": {"type": "integer", "description": "HCI events.", "minimum": 1},
            "acl": {"type": "integer", "description": "ACL data packets.", "minimum": 1},
            "sco": {"type": "integer", "description": "Synchronous packets.", "minimum": 1},
            "iso": {"type": "integer", "description": "Isochronous packets.", "minimum": 1},
            "mgmt": {"type": "integer", "description": "Management commands and events.", "minimum": 1},
            "notes": {"type": "integer", "description": "Records that are not packets.", "minimum": 1},
            "unknown": {"type": "integer", "description": "Records of unknown kind.", "minimum": 1}
          }
        },
        "coverage": {
          "type": "object",
          "description": "What the capture lacks of what a host's capture holds. Absent if nothing is missing.",
          "required": ["remark"],
          "additionalProperties": false,
          "properties": {
            "has": {"$ref": "#/$defs/coverageParts", "description": "What it holds."},
            "remark": {"type": "string", "description": "What is missing, in words."}
          }
        },
        "dropped": {"type": "integer", "description": "Records that the writer of the capture says it lost.", "minimum": 0},
        "truncated": {"type": "integer", "description": "Records of which the capture kept only a part.", "minimum": 0},
        "left_out": {
          "type": "array",
          "description": "Packets that are no Bluetooth HCI, of other interfaces (pcapng). They have numbers, but no lines.",
          "items": {
            "type": "object",
            "description": "Packets of one kind.",
            "required": ["name", "packets"],
            "additionalProperties": false,
            "properties": {
              "name": {"type": "string", "description": "What they are."},
              "packets": {"type": "integer", "description": "How many there are.", "minimum": 1}
            }
          },
          "minItems": 1
        },
        "damage": {
          "type": "string",
          "description": "Where and how the capture is damaged; what stands before that was read."
        },
        "adapters": {
          "type": "array",
          "description": "The controllers that the capture tells of.",
          "items": {
            "type": "object",
            "description": "A Bluetooth controller of the captured machine.",
            "required": ["index"],
            "additionalProperties": false,
            "properties": {
              "index": {"type": "integer", "description": "Its index.", "minimum": 0},
              "name": {"type": "string", "description": "Its name there."},
              "address": {"$ref": "#/$defs/address"},
              "bus": {"$ref": "#/$defs/code", "description": "How it is attached."},
              "hci_version": {"$ref": "#/$defs/code", "description": "The version of the specification that it implements."},
              "manufacturer": {"$ref": "#/$defs/identifier", "description": "Its maker, as a company identifier."},
              "manufacturer_name": {"type": "string", "description": "That company's name, where the identifier is somebody's."}
            }
          }
        },
        "host_software": {
          "type": "array",
          "description": "What the capture tells of the host's software.",
          "items": {"type": "string"}
        },
        "connections_total": {"type": "integer", "description": "How many connections there were.", "minimum": 0},
        "most_open": {"type": "integer", "description": "How many were open at one time, at most.", "minimum": 0},
        "connections": {
          "type": "array",
          "description": "The connections, or as many as are remembered.",
          "items": {"$ref": "#/$defs/connectionSummary", "unevaluatedProperties": false}
        },
        "channels": {
          "type": "array",
          "description": "The L2CAP channels that were opened, by what they are for.",
          "items": {
            "type": "object",
            "required": ["psm", "credit_based", "count"],
            "additionalProperties": false,
            "properties": {
              "psm": {"$ref": "#/$defs/code", "description": "PSM or SPSM: 0x0003 is RFCOMM."},
              "credit_based": {"type": "boolean", "description": "Whether the channels are credit-based."},
              "count": {"type": "integer", "description": "How many were opened.", "minimum": 1}
            }
          },
          "minItems": 1
        },
        "channels_other": {"type": "integer", "description": "Channels that were opened for further services.", "minimum": 1},
        "advertisers": {
          "type": "object",
          "description": "Who advertised.",
          "required": ["count", "reports"],
          "additionalProperties": false,
          "properties": {
            "count": {"type": "integer", "description": "How many addresses.", "minimum": 0},
            "more": {"const": true, "description": "There were more than could be counted."},
            "reports": {"type": "integer", "description": "Advertising reports: advertisements and scan responses that a controller told of; one in several parts counts once.", "minimum": 0}
          }
        },
        "data_packets": {
          "type": "object",
          "description": "ACL packets by transport.",
          "required": ["le", "br_edr"],
          "additionalProperties": false,
          "properties": {
            "le": {"type": "integer", "description": "On LE links.", "minimum": 0},
            "br_edr": {"type": "integer", "description": "On BR/EDR links.", "minimum": 0},
            "unknown": {"type": "integer", "description": "On links of unknown type, where there are any.", "minimum": 1}
          }
        },
        "failures": {
          "type": "object",
          "description": "Packets that report a failure, by what failed; kinds without one are left out.",
          "additionalProperties": false,
          "properties": {
            "att_errors": {"type": "integer", "description": "ATT requests that were refused.", "minimum": 1},
            "pairing_failed": {"type": "integer", "description": "Pairings that failed.", "minimum": 1},
            "hci_status": {"type": "integer", "description": "Commands and procedures that ended with another status than success.", "minimum": 1},
            "links_lost": {"type": "integer", "description": "Links that ended although no host asked for it.", "minimum": 1},
            "links_ended_with_error": {"type": "integer", "description": "Links that a host ended on purpose, with an error as its reason.", "minimum": 1},
            "l2cap_rejects": {"type": "integer", "description": "L2CAP commands that were rejected.", "minimum": 1},
            "mgmt_status": {"type": "integer", "description": "Management commands that the kernel refused, and its reports of what did not work.", "minimum": 1},
            "l2cap_refusals": {"type": "integer", "description": "L2CAP requests that were refused: connections, configurations, connection parameters.", "minimum": 1},
            "bond_keys_missing": {"type": "integer", "description": "Keys of bonds that a host has no longer: LE Long Term Key Request Negative Reply, and encryption that failed with PIN or Key Missing.", "minimum": 1}
          }
        },
        "unanswered": {
          "type": "object",
          "description": "ATT requests that nobody answered, and indications that nobody confirmed, before the connection ended or others of the same bearer were answered.",
          "required": ["count", "requests"],
          "additionalProperties": false,
          "properties": {
            "count": {"type": "integer", "description": "How many there were.", "minimum": 1},
            "requests": {
              "type": "array",
              "description": "The first 64.",
              "items": {
                "type": "object",
                "description": "A request or an indication.",
                "required": ["packet", "opcode", "connection"],
                "additionalProperties": false,
                "properties": {
                  "packet": {"$ref": "#/$defs/packetNumber"},
                  "opcode": {"$ref": "#/$defs/identifier"},
                  "name": {"type": "string", "description": "The PDU's name in the specification, absent if it is not known."},
                  "connection": {"type": "integer", "description": "The number of its connection.", "minimum": 1}
                }
              }
            }
          }
        },
        "problems": {
          "type": "object",
          "description": "Problems of packets.",
          "required": ["error", "warning", "codes"],
          "additionalProperties": false,
          "properties": {
            "error": {"type": "integer", "description": "How many are errors.", "minimum": 0},
            "warning": {"type": "integer", "description": "How many are warnings.", "minimum": 0},
            "codes": {
              "type": "object",
              "description": "How many there are of each code.",
              "additionalProperties": {"type": "integer", "minimum": 1}
            }
          }
        }
      }
    },
    "map": {
      "type": "object",
      "description": "The document of `gattscope map --json`, which is also what --map takes: the services of each device.",
      "required": ["schema", "devices"],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "devices": {
          "type": "array",
          "description": "Devices whose attributes were discovered, supplied or used.",
          "items": {"$ref": "#/$defs/mapDevice"}
        }
      }
    },
    "value": {
      "type": "object",
      "description": "A line of `gattscope values --json`: a value that crossed the link, or an attempt that came to nothing. Lines come in the order in which outcomes became known.",
      "required": ["type", "packet", "operation"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "value"},
        "packet": {
          "$ref": "#/$defs/packetNumber",
          "description": "The packet that carried the last byte of the value; of an attempt without a value, the request's."
        },
        "time": {"$ref": "#/$defs/time"},
        "elapsed_s": {"$ref": "#/$defs/elapsed"},
        "connection": {"type": "integer", "description": "The connection's number.", "minimum": 1},
        "device": {"type": "string", "description": "The other device's address."},
        "identity": {
          "$ref": "#/$defs/address",
          "description": "Its identity address, where it used another one: it gave it when pairing, or a key that was seen by then resolves the other."
        },
        "server": {
          "const": "local",
          "description": "Present where the value is one of the host's own that made the capture: the other device reads and writes it, or the host advertises it."
        },
        "service": {"$ref": "#/$defs/uuid"},
        "uuid": {
          "$ref": "#/$defs/uuid",
          "description": "The characteristic or descriptor; of service data in an advertisement, the service."
        },
        "company": {"$ref": "#/$defs/code", "description": "Of manufacturer data in an advertisement: whose it is."},
        "handle": {"$ref": "#/$defs/handle", "description": "Absent in advertisements, and where the request is not in the capture."},
        "handles": {
          "type": "array",
          "description": "Several attributes that were read at once (Read Multiple): their values stand one after the other, and nothing tells where each ends.",
          "items": {"$ref": "#/$defs/handle"},
          "minItems": 1
        },
        "attribute": {
          "enum": ["service", "characteristic", "value", "descriptor"],
          "description": "What the attribute is, once that is known."
        },
        "via": {"$ref": "#/$defs/via", "description": "How it is known what the handle stands for."},
        "operation": {"$ref": "#/$defs/operation"},
        "direction": {
          "enum": ["sent", "received"],
          "description": "As the captured host sees it; of an attempt without a value, the request's."
        },
        "offset": {
          "type": "integer",
          "description": "Where in the attribute's value these bytes begin, where that is not its beginning.",
          "minimum": 1
        },
        "value": {"$ref": "#/$defs/hex", "description": "The whole value, joined where it came in several packets."},
        "cut": {"const": true, "description": "Present where the capture lacks a part of the bytes, or they were more than are kept."},
        "may_go_on": {
          "const": true,
          "description": "Present where a value that was read fills its last PDU, so that there may be more of it that nobody asked for."
        },
        "echo": {
          "const": "differs",
          "description": "Present where the server repeated something else than the part of a prepared write that it was given."
        },
        "packets": {
          "type": "array",
          "description": "The packets that carried it, where these are several; of more than 64 the first and last 32.",
          "items": {"$ref": "#/$defs/packetNumber"}
        },
        "packets_total": {"type": "integer", "description": "How many packets there are, where not all are listed.", "minimum": 65},
        "response": {
          "$ref": "#/$defs/packetNumber",
          "description": "The packet that told what became of it, where that is not the one that carried the value."
        },
        "latency_ms": {"$ref": "#/$defs/latency"},
        "error": {
          "description": "Why the attempt failed: the peer's error; no_response where none came; for prepared writes also cancelled, by the client, and not_executed, where the link ended before.",
          "anyOf": [{"$ref": "#/$defs/code"}, {"enum": ["no_response", "cancelled", "not_executed"]}]
        },
        "because": {
          "enum": ["connection_ended", "timed_out", "overtaken", "records_lost", "capture_ended", "forgotten"],
          "description": "Why no answer can come any more: the connection ended; it ended after ATT's timeout of 30 s; requests that followed were answered; the capture lacks records, the answer may be among them; the capture ends; there were too many bearers to follow."
        },
        "acknowledged": {
          "type": "boolean",
          "description": "Of a packet of this host's without an answer: whether the peer acknowledged it on the air (Number Of Completed Packets)."
        },
        "hidden": {"$ref": "#/$defs/hidden"},
        "own_address": {"$ref": "#/$defs/ownAddress"},
        "decoded": {"$ref": "#/$defs/decoded"}
      }
    },
    "valuesLine": {
      "description": "A line of `gattscope values --json`: first the values, then what became of requests and series.",
      "oneOf": [{"$ref": "#/$defs/value"}, {"$ref": "#/$defs/exchange"}]
    },
    "exchange": {
      "type": "object",
      "description": "One of the last lines of `gattscope values --json`: what became of the requests and series of one protocol, or of one control point, on one connection. Not there where reading stopped early.",
      "required": ["type", "connection", "name"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "exchange"},
        "connection": {"type": "integer", "description": "The connection's number.", "minimum": 0},
        "server": {"const": "local", "description": "The captured host answers."},
        "name": {"type": "string", "description": "The protocol's profile, or the control point's name."},
        "requests": {"type": "integer", "description": "Requests that something answers.", "minimum": 1},
        "answered": {"type": "integer", "description": "How many of them were answered.", "minimum": 0},
        "refused": {"type": "integer", "description": "How many the server refused with an ATT error.", "minimum": 1},
        "unanswered": {
          "type": "array",
          "description": "Packets with requests that nothing answered, the first few.",
          "items": {"$ref": "#/$defs/packetNumber"},
          "minItems": 1
        },
        "series": {"type": "integer", "description": "Series of messages that were announced.", "minimum": 1},
        "complete": {"type": "integer", "description": "How many of them are complete.", "minimum": 0},
        "unfinished": {"$ref": "#/$defs/unfinished"}
      }
    },
    "unfinished": {
      "type": "array",
      "description": "Series of messages, and messages in several parts, that are over and not complete.",
      "minItems": 1,
      "items": {
        "type": "object",
        "required": ["kind", "packet", "received"],
        "additionalProperties": false,
        "properties": {
          "kind": {"enum": ["series", "parts"]},
          "packet": {"$ref": "#/$defs/packetNumber", "description": "The packet that announced the series, or brought the first part."},
          "count": {"type": "integer", "description": "How many there should be, where that was said."},
          "received": {"type": "integer", "description": "How many came.", "minimum": 0},
          "missing": {
            "type": "array",
            "description": "Which did not, the first few: by the number in the messages, parts from 1. Not there where nothing numbers them.",
            "items": {"type": "integer"},
            "minItems": 1
          }
        }
      }
    },
    "explain": {
      "type": "object",
      "description": "The document of `gattscope explain --json`.",
      "required": ["schema", "connections", "problems"],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "records": {"type": "integer", "description": "Records of the capture.", "minimum": 0},
        "verdict": {"type": "string", "description": "The answer in one sentence."},
        "connections_left_out": {
          "type": "integer",
          "description": "How many connections there were beyond those that are remembered.",
          "minimum": 1
        },
        "skipped_rules": {
          "type": "array",
          "description": "Rules that were not applied, since the capture does not hold what they need. Absent if all were.",
          "items": {
            "type": "object",
            "required": ["rule", "needs"],
            "additionalProperties": false,
            "properties": {
              "rule": {"type": "string", "description": "Its name.", "pattern": "^[a-z0-9_]+$"},
              "needs": {"$ref": "#/$defs/coverageParts", "description": "What it needs and the capture lacks."}
            }
          },
          "minItems": 1
        },
        "found": {"$ref": "#/$defs/found"},
        "connections": {
          "type": "array",
          "description": "The connections with what was found.",
          "items": {
            "$ref": "#/$defs/connectionSummary",
            "properties": {
              "story": {
                "type": "array",
                "description": "What happened, a line each, in the order of packets.",
                "items": {"$ref": "#/$defs/storyLine"}
              },
              "problems": {
                "type": "array",
                "description": "What was found in this connection.",
                "items": {"$ref": "#/$defs/finding"}
              }
            },
            "unevaluatedProperties": false
          }
        },
        "problems": {
          "type": "array",
          "description": "What was found that belongs to no connection, or to several.",
          "items": {"$ref": "#/$defs/finding"}
        }
      }
    },
    "devicesLine": {
      "description": "A line of `gattscope devices --json`: first the scans of the captured host, then what it advertises itself, then the devices that were heard or connected, those with connections first.",
      "oneOf": [{"$ref": "#/$defs/scan"}, {"$ref": "#/$defs/device"}]
    },
    "scan": {
      "type": "object",
      "description": "A scan of the captured host.",
      "required": ["type", "packet", "last_packet", "reports"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "scan"},
        "adapter": {"type": "integer", "description": "Index of the controller.", "minimum": 0},
        "packet": {"$ref": "#/$defs/packetNumber", "description": "The command that began it; with opening_missing its first report."},
        "last_packet": {"$ref": "#/$defs/packetNumber", "description": "What ended it, or the capture's last packet."},
        "time": {"$ref": "#/$defs/time"},
        "elapsed_s": {"$ref": "#/$defs/elapsed"},
        "duration_s": {"type": "number", "description": "How long it was on in this capture, in seconds."},
        "refused": {"$ref": "#/$defs/code", "description": "Why the controller did not begin it."},
        "ended_by": {
          "enum": ["host", "timeout", "reset", "replaced"],
          "description": "What ended it: the host, its duration, a reset of the controller, another scan that the host began. Absent where it is on at the end of the capture."
        },
        "opening_missing": {"const": true, "description": "It was on already: its beginning is not in the capture, nor how it was set up."},
        "content_filters": {"type": "integer", "description": "The most filters by which the controller chose what it reports meanwhile (Android's Advertising Packet Content Filter): a device that is not listed may have been there.", "minimum": 1},
        "duplicates_reported_via": {"const": "inferred", "description": "Present where no command tells whether duplicates are filtered and the reports show that they are not: the same data of the same device came again within a second."},
        "discovery": {"$ref": "#/$defs/flags", "description": "It is a discovery of the Linux kernel's, for these types; the capture does not have the commands by which it scans."},
        "phys": {
          "type": "array",
          "description": "How each PHY was scanned; absent where that is not in the capture.",
          "items": {
            "type": "object",
            "required": ["phy", "scan", "interval_ms", "window_ms"],
            "additionalProperties": false,
            "properties": {
              "phy": {"enum": ["LE 1M", "LE Coded"], "description": "The PHY."},
              "scan": {"enum": ["active", "passive"], "description": "Whether scan responses were asked for."},
              "interval_ms": {"type": "number", "description": "How often a scan window began, in milliseconds."},
              "window_ms": {"type": "number", "description": "How long each was, in milliseconds."}
            }
          }
        },
        "filter_policy": {"$ref": "#/$defs/code", "description": "Scanning_Filter_Policy."},
        "filter_duplicates": {"$ref": "#/$defs/code", "description": "Filter_Duplicates: 0x00 says that every report came. Absent where that is not known."},
        "scan_duration_ms": {"type": "number", "description": "After how long the controller ends it, in milliseconds; with period_s: its part of each period."},
        "period_s": {"type": "number", "description": "How often the controller begins it anew, in seconds."},
        "reports": {"type": "integer", "description": "Reports while it was on, of those that were asked for; counted as those of a device, without periodic ones.", "minimum": 0}
      }
    },
    "device": {
      "type": "object",
      "description": "A line of `gattscope devices --json` and of `gattscope live --view devices --json`: a device that was heard or connected, or with this_host what the captured host itself advertises with one advertising set. Without an address: an anonymous advertiser, or the unknown peer of a connection.",
      "required": ["type", "events"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "device"},
        "news": {
          "type": "array",
          "description": "While devices are watched (`gattscope live --view devices --json`): what is new of it. device: it was not heard of before; name: its name became known or changed; data: it sends other data; rssi: it is received much stronger or weaker; connection: a connection with it came about.",
          "items": {"enum": ["device", "name", "data", "rssi", "connection"]},
          "minItems": 1
        },
        "this_host": {"const": true, "description": "The captured host advertises."},
        "adapter": {"type": "integer", "description": "This host: index of the controller.", "minimum": 0},
        "commands": {"enum": ["legacy", "extended", "android", "mgmt"], "description": "This host: the kind of commands by which the set was set up; mgmt: the Linux kernel was asked to, and the capture has no commands to the controller."},
        "advertising_handle": {"type": "integer", "description": "This host: the set's handle or instance.", "minimum": 0},
        "address": {"$ref": "#/$defs/address", "description": "Its address: its identity address, where that was seen."},
        "address_types": {
          "type": "array",
          "description": "The types that it was seen with.",
          "items": {"$ref": "#/$defs/addressType"}
        },
        "own_address_type": {"$ref": "#/$defs/code", "description": "This host: Own_Address_Type."},
        "identity": {"$ref": "#/$defs/address", "description": "Its identity address, where a key resolved a private one, or it gave that when pairing."},
        "other_addresses": {
          "type": "array",
          "description": "Other addresses that it used, up to 16.",
          "items": {"$ref": "#/$defs/address"}
        },
        "sync_handle": {"$ref": "#/$defs/handle", "description": "A periodic train whose advertiser is not known."},
        "name": {"type": "string", "description": "Its name."},
        "appearance": {"$ref": "#/$defs/code", "description": "What it looks like."},
        "services": {
          "type": "array",
          "description": "Services that it advertised or sent data of.",
          "items": {
            "type": "object",
            "required": ["uuid"],
            "additionalProperties": false,
            "properties": {
              "uuid": {"$ref": "#/$defs/uuid"},
              "name": {"type": "string", "description": "What the UUID stands for."},
              "registered_to": {"type": "string", "description": "Who registered it for their own use; others may use it."}
            }
          }
        },
        "companies": {
          "type": "array",
          "description": "Companies whose data it sent.",
          "items": {"$ref": "#/$defs/code"}
        },
        "br_edr": {"const": true, "description": "It was found or connected over BR/EDR."},
        "connectable": {"type": "boolean", "description": "Whether it could be connected to, at one time at least."},
        "scannable": {"type": "boolean", "description": "This host: whether it answers scan requests."},
        "legacy": {"type": "boolean", "description": "This host: whether it sends legacy PDUs."},
        "interval_min_ms": {"type": "number", "description": "This host: the shortest interval that it asked for, in milliseconds."},
        "interval_max_ms": {"type": "number", "description": "This host: the longest."},
        "connections": {
          "type": "array",
          "description": "Its connections by number, up to 16.",
          "items": {"type": "integer", "minimum": 1}
        },
        "connections_total": {"type": "integer", "description": "How many there are.", "minimum": 1},
        "events": {
          "type": "object",
          "description": "How many reports of each event, as `event` of an advertisement names them. A report is one advertisement or scan response that a controller told of; one in several parts counts once. Counted beside them: mgmt_device_found: the Linux kernel's word, android_tracking: Android LE Advertisement Tracking, android_batch_scan: results of Android LE Batch Scan, inquiry_result: BR/EDR. Empty where it was not heard.",
          "additionalProperties": {"type": "integer", "minimum": 1}
        },
        "packet": {"$ref": "#/$defs/packetNumber", "description": "Its first report; else the first packet of its connection; this host: the first command about the set."},
        "last_packet": {"$ref": "#/$defs/packetNumber", "description": "Its last report."},
        "time": {"$ref": "#/$defs/time"},
        "elapsed_s": {"$ref": "#/$defs/elapsed"},
        "duration_s": {"type": "number", "description": "From the first report to the last, in seconds."},
        "primary_phys": {"type": "array", "description": "PHYs of its first packets.", "items": {"type": "string"}},
        "secondary_phys": {"type": "array", "description": "PHYs of the packets that these point to.", "items": {"type": "string"}},
        "periodic_interval_ms": {"type": "number", "description": "Interval of its periodic train, in milliseconds."},
        "direct_address": {"$ref": "#/$defs/address", "description": "Whom it called last by directed advertising."},
        "first_rssi_dbm": {"type": "integer", "description": "How strong its first report was received, in dBm."},
        "rssi_dbm": {
          "type": "object",
          "description": "How strong it was received, in dBm, of the reports while duplicates were not filtered.",
          "required": ["min", "median", "max"],
          "additionalProperties": false,
          "properties": {
            "min": {"type": "number", "description": "The least."},
            "median": {"type": "number", "description": "The middle one, of two the weaker."},
            "max": {"type": "number", "description": "The greatest."}
          }
        },
        "interval_ms": {"type": "number", "description": "Estimate of the advertising interval, in milliseconds, the random delay of 0 to 10 ms included; only where duplicates were not filtered."},
        "interval_gaps": {"type": "integer", "description": "From how many times between reports, the latest ones.", "minimum": 2},
        "interval_is_upper_bound": {"const": true, "description": "The scan paused now and then, so that advertisements may have been missed."},
        "no_statistics": {
          "enum": ["duplicates_filtered", "scan_unknown"],
          "description": "Why rssi_dbm and interval_ms are absent: duplicates were filtered, or the capture does not tell whether."
        },
        "changes": {"type": "integer", "description": "How often the data of a set or its scan response changed; this host: while it was on.", "minimum": 1},
        "last_change": {"$ref": "#/$defs/packetNumber", "description": "The packet that brought the last change."},
        "periods": {
          "type": "array",
          "description": "This host: when the set was on, up to 256 times.",
          "items": {
            "type": "object",
            "required": ["packet", "last_packet"],
            "additionalProperties": false,
            "properties": {
              "packet": {"$ref": "#/$defs/packetNumber", "description": "The command that switched it on; with opening_missing what switched it off."},
              "opening_missing": {"const": true, "description": "It was on already: its beginning is not in the capture."},
              "last_packet": {"$ref": "#/$defs/packetNumber", "description": "What switched it off, or the capture's last packet."},
              "time": {"$ref": "#/$defs/time"},
              "elapsed_s": {"$ref": "#/$defs/elapsed"},
              "duration_s": {"type": "number", "description": "How long, in seconds."},
              "refused": {"$ref": "#/$defs/code", "description": "Why the controller did not switch it on."},
              "ended_by": {
                "enum": ["host", "connection", "controller", "reset"],
                "description": "What switched it off. Absent where it is on at the end of the capture."
              },
              "connection": {"type": "integer", "description": "The connection that did.", "minimum": 1},
              "reason": {"$ref": "#/$defs/code", "description": "The controller's reason."}
            }
          }
        },
        "periods_omitted": {"type": "integer", "description": "How many more times it was on.", "minimum": 1},
        "periodic": {"const": true, "description": "This host: a periodic train was switched on."},
        "not_from_ios_app": {"$ref": "#/$defs/appleLimits"},
        "payloads": {
          "type": "array",
          "description": "Distinct data, up to 16 with scan responses.",
          "items": {"$ref": "#/$defs/payload"},
          "maxItems": 16
        },
        "payloads_omitted": {"type": "integer", "description": "How many more distinct data there were.", "minimum": 1},
        "payloads_omitted_at_least": {"const": true, "description": "There were more than could be told apart."}
      }
    },
    "appleLimits": {
      "type": "array",
      "description": "Why no app on an iPhone can have advertised this: structures that apps cannot set, more than 28 bytes of structures beside Flags, more than a name of 10 bytes in a scan response. Absent where one could have.",
      "items": {"enum": ["types", "advertisement_length", "scan_response_length"]},
      "minItems": 1
    },
    "payload": {
      "type": "object",
      "description": "Data that was advertised, once or many times.",
      "required": ["count"],
      "additionalProperties": false,
      "properties": {
        "event": {
          "enum": ["ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP", "extended", "periodic", "mgmt_device_found", "android_tracking", "inquiry_result", "android_batch_scan", "own_advertisement", "own_scan_response"],
          "description": "What carried it, as in `events`; of this host which data it is."
        },
        "properties": {
          "type": "array",
          "description": "Extended advertising: what the advertiser offers.",
          "items": {"enum": ["connectable", "scannable", "directed", "scan_response"]}
        },
        "sid": {"type": "integer", "description": "Advertising set identifier.", "minimum": 0},
        "count": {"type": "integer", "description": "How often it was heard; of a scan response behind this advertisement. This host: how often it was set.", "minimum": 1},
        "packet": {"$ref": "#/$defs/packetNumber", "description": "Where first."},
        "last_packet": {"$ref": "#/$defs/packetNumber", "description": "Where last."},
        "length": {"type": "integer", "description": "Bytes that are used.", "minimum": 0},
        "most": {"type": "integer", "description": "Bytes that there can be.", "minimum": 0},
        "truncated": {"const": true, "description": "More was sent than was received or kept."},
        "not_from_ios_app": {"$ref": "#/$defs/appleLimits"},
        "data": {"$ref": "#/$defs/hex"},
        "fields": {"type": "array", "description": "Structure by structure.", "items": {"$ref": "#/$defs/adField"}},
        "decoded": {"$ref": "#/$defs/decoded"},
        "hidden": {"$ref": "#/$defs/hidden"},
        "scan_responses": {
          "type": "array",
          "description": "The distinct scan responses that came behind this advertisement.",
          "items": {"$ref": "#/$defs/payload"}
        }
      }
    },
    "diff": {
      "type": "object",
      "description": "The document of `gattscope diff --json`.",
      "required": ["schema", "same", "left", "right", "pairs", "first", "security", "link", "map", "operations", "timing"],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "same": {
          "type": "boolean",
          "description": "Whether nothing differs but what is expected to in its nature: times, random values, and checksums over them."
        },
        "left": {"$ref": "#/$defs/differenceCapture"},
        "right": {"$ref": "#/$defs/differenceCapture"},
        "pairs": {
          "type": "array",
          "description": "The devices that are compared with each other.",
          "items": {
            "type": "object",
            "description": "Two devices.",
            "required": ["left", "right", "paired_by"],
            "additionalProperties": false,
            "properties": {
              "left": {"$ref": "#/$defs/differenceDevice"},
              "right": {"$ref": "#/$defs/differenceDevice"},
              "paired_by": {
                "enum": ["asked", "address", "two_ends", "name", "map", "only_ones", "order"],
                "description": "Why these two: they were asked for, share an address, are the two ends of one connection, share a name, have similar maps, are the only ones, or stand at the same place where no address is told."
              },
              "more_connections_left": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "description": "Connections of the left device beyond as many as the right one has."
              },
              "more_connections_right": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "description": "Connections of the right device beyond as many as the left one has."
              },
              "not_compared": {
                "type": "array",
                "description": "Parts that were not compared.",
                "items": {
                  "type": "object",
                  "description": "A part.",
                  "required": ["what", "why"],
                  "additionalProperties": false,
                  "properties": {
                    "what": {"enum": ["security", "link", "conversation", "timing"], "description": "Which one."},
                    "why": {"type": "string", "description": "Why it was not compared."}
                  }
                }
              },
              "hints": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What would make more of the two comparable."
              }
            }
          }
        },
        "only_left": {
          "type": "array",
          "description": "Devices that the right side does not have.",
          "items": {"$ref": "#/$defs/differenceDevice"}
        },
        "only_right": {
          "type": "array",
          "description": "Devices that the left side does not have.",
          "items": {"$ref": "#/$defs/differenceDevice"}
        },
        "first": {
          "type": "array",
          "description": "Where the two of each pair part, if they do.",
          "items": {
            "type": "object",
            "description": "Where the sides part.",
            "required": ["pair", "kind"],
            "additionalProperties": false,
            "properties": {
              "pair": {"type": "integer", "minimum": 1, "description": "Which of `pairs`, from 1."},
              "kind": {
                "enum": ["outcome", "only_left_fails", "only_right_fails", "only_left", "only_right", "changed"],
                "description": "`outcome`: the difference that matters, the earliest operation that succeeds on one side and fails on the other. Else, of several differences, the earliest operation that fails and that the other side does not try; else the earliest of all: what only one side does, or a value."
              },
              "by": {"enum": ["central", "peripheral"], "description": "Which device did it, where that is known."},
              "left": {"$ref": "#/$defs/differenceSide", "description": "The left side; absent where it has nothing."},
              "right": {"$ref": "#/$defs/differenceSide", "description": "The right side; absent where it has nothing."}
            }
          }
        },
        "security": {
          "type": "array",
          "description": "How the devices paired, and how the link is encrypted.",
          "items": {"$ref": "#/$defs/differenceFact"}
        },
        "link": {
          "type": "array",
          "description": "MTU, parameters, PHY and data length.",
          "items": {"$ref": "#/$defs/differenceFact"}
        },
        "map": {
          "type": "array",
          "description": "Services, characteristics, descriptors, their handles, properties and values.",
          "items": {"$ref": "#/$defs/differenceAttribute"}
        },
        "operations": {
          "type": "array",
          "description": "The conversation, aligned by meaning: what differs of it, in its order.",
          "items": {"$ref": "#/$defs/differenceOperation"}
        },
        "timing": {
          "type": "array",
          "description": "Times that differ by more than noise.",
          "items": {"$ref": "#/$defs/differenceTime"}
        }
      }
    },
    "differenceCapture": {
      "type": "object",
      "description": "A capture or a saved map.",
      "required": ["name"],
      "additionalProperties": false,
      "properties": {
        "name": {"type": "string", "description": "As it was given."},
        "records": {"type": "integer", "minimum": 0, "description": "Records that were read; absent of a map."},
        "damaged": {"const": true, "description": "The capture is damaged: what is before the damage was compared."}
      }
    },
    "differenceDevice": {
      "type": "object",
      "description": "A device of one side.",
      "required": [],
      "additionalProperties": false,
      "properties": {
        "address": {"$ref": "#/$defs/address", "description": "Its address, the identity where it is known."},
        "name": {"type": "string", "description": "Its name."},
        "local_role": {"enum": ["central", "peripheral"], "description": "What the captured host was towards it."},
        "connections": {
          "type": "array",
          "items": {"type": "integer", "minimum": 1},
          "description": "The connections with it that are compared."
        }
      }
    },
    "differenceFact": {
      "type": "object",
      "description": "A property of a connection.",
      "required": ["pair", "kind", "name", "left", "right"],
      "additionalProperties": false,
      "properties": {
        "pair": {"type": "integer", "minimum": 1, "description": "Which of `pairs`, from 1."},
        "kind": {
          "enum": ["changed", "same"],
          "description": "What becomes of it from the left to the right; `same` only with --all."
        },
        "name": {
          "type": "string",
          "description": "What it is: `method`, `pairing`, `encrypted`, `key size`, `bonding`, `keys`, `MTU`, `interval`, `latency`, `supervision timeout`, `PHY`, `data length`."
        },
        "left": {"$ref": "#/$defs/differenceSide", "description": "The left side; absent where it has nothing."},
        "right": {"$ref": "#/$defs/differenceSide", "description": "The right side; absent where it has nothing."}
      }
    },
    "differenceAttribute": {
      "type": "object",
      "description": "An attribute that differs.",
      "required": ["pair", "kind", "server", "attribute"],
      "additionalProperties": false,
      "properties": {
        "pair": {"type": "integer", "minimum": 1, "description": "Which of `pairs`, from 1."},
        "kind": {
          "enum": ["added", "removed", "changed"],
          "description": "What becomes of it from the left to the right."
        },
        "server": {"enum": ["peripheral", "central"], "description": "Whose attribute it is."},
        "attribute": {
          "enum": ["map", "service", "include", "characteristic", "descriptor"],
          "description": "What it is; `map`: one side has none at all."
        },
        "uuid": {"$ref": "#/$defs/uuid", "description": "Its UUID."},
        "of": {"$ref": "#/$defs/uuid", "description": "The service or the characteristic that holds it."},
        "what": {"enum": ["handles", "properties", "value", "type"], "description": "Of what has changed, which property."},
        "remark": {"type": "string", "description": "What lowers it: that the other side was not asked for all of these."},
        "left": {"$ref": "#/$defs/differenceSide", "description": "The left side; absent where it has nothing."},
        "right": {"$ref": "#/$defs/differenceSide", "description": "The right side; absent where it has nothing."}
      }
    },
    "differenceOperation": {
      "type": "object",
      "description": "A step of the conversation: one operation, or a run of notifications.",
      "required": ["pair", "kind", "operation", "name"],
      "additionalProperties": false,
      "properties": {
        "pair": {"type": "integer", "minimum": 1, "description": "Which of `pairs`, from 1."},
        "kind": {
          "enum": ["added", "removed", "changed", "same"],
          "description": "What becomes of it from the left to the right; `same` only with --all."
        },
        "operation": {
          "enum": [
            "connect",
            "exchange_mtu",
            "discovery",
            "read",
            "write",
            "write_without_response",
            "signed_write",
            "prepared_write",
            "notification",
            "indication",
            "pairing",
            "encryption",
            "end"
          ],
          "description": "What is done."
        },
        "name": {"type": "string", "description": "The same for people, with the attribute."},
        "service": {"$ref": "#/$defs/uuid", "description": "The attribute's service."},
        "uuid": {"$ref": "#/$defs/uuid", "description": "The attribute."},
        "by": {"enum": ["central", "peripheral"], "description": "Who does it."},
        "expected": {"const": true, "description": "All that differs is expected to."},
        "changed_values": {"type": "integer", "minimum": 1, "description": "How many values differ; `changes` has at most 1000."},
        "changes": {
          "type": "array",
          "items": {
            "type": "object",
            "description": "Two values that belong together and differ.",
            "required": ["left", "right", "fields"],
            "additionalProperties": false,
            "properties": {
              "left": {"$ref": "#/$defs/differenceSide", "description": "The left side; absent where it has nothing."},
              "right": {"$ref": "#/$defs/differenceSide", "description": "The right side; absent where it has nothing."},
              "fields": {
                "type": "array",
                "items": {
                  "type": "object",
                  "description": "A field that differs.",
                  "required": ["name"],
                  "additionalProperties": false,
                  "properties": {
                    "name": {
                      "type": "string",
                      "description": "Its name, with dots into groups; without a decoder `byte 4`, counted from 1."
                    },
                    "left": {"type": "string", "description": "On the left; absent where it is not there."},
                    "right": {"type": "string", "description": "On the right; absent where it is not there."},
                    "expected": {
                      "enum": ["checksum", "time", "random", "every_pair"],
                      "description": "Why it is expected to differ: it follows from the others, it is a time, it is chosen at random for every session or computed from that, or it differs in every pair of these operations."
                    },
                    "hidden": {
                      "type": "array",
                      "items": {"enum": ["left", "right"]},
                      "description": "The sides on which it is a secret that is not printed."
                    }
                  }
                },
                "description": "The fields that differ."
              }
            }
          },
          "description": "The values that differ."
        },
        "left": {"$ref": "#/$defs/differenceSide", "description": "The left side; absent where it has nothing."},
        "right": {"$ref": "#/$defs/differenceSide", "description": "The right side; absent where it has nothing."}
      }
    },
    "differenceTime": {
      "type": "object",
      "description": "A time that differs.",
      "required": ["pair", "kind", "what", "name", "left", "right"],
      "additionalProperties": false,
      "properties": {
        "pair": {"type": "integer", "minimum": 1, "description": "Which of `pairs`, from 1."},
        "kind": {"enum": ["changed"], "description": "What becomes of it from the left to the right."},
        "what": {
          "enum": ["latency", "interval", "step"],
          "description": "How long answers took; how far apart a server's values came; the time from one step to the next."
        },
        "name": {"type": "string", "description": "Of what."},
        "left": {"$ref": "#/$defs/differenceSide", "description": "The left side; absent where it has nothing."},
        "right": {"$ref": "#/$defs/differenceSide", "description": "The right side; absent where it has nothing."}
      }
    },
    "differenceSide": {
      "type": "object",
      "description": "One side of an entry.",
      "required": [],
      "additionalProperties": false,
      "properties": {
        "packet": {"type": "integer", "minimum": 1, "description": "The packet, or the first one."},
        "last_packet": {"type": "integer", "minimum": 1, "description": "The last one of several."},
        "text": {"type": "string", "description": "What there is, in words."},
        "connection": {"type": "integer", "minimum": 1, "description": "The connection, by its number."},
        "count": {"type": "integer", "minimum": 1, "description": "How many values a run has."},
        "handle": {"$ref": "#/$defs/handle"},
        "error": {"type": "string", "description": "Why it failed."},
        "value": {"type": "string", "description": "The value in hexadecimal."},
        "hidden": {"type": "array", "items": {"type": "string"}, "description": "What is a secret and not printed."},
        "time_ms": {"type": "number", "description": "The time; of several samples their median."},
        "samples": {"type": "integer", "minimum": 1, "description": "How many samples."}
      }
    },
    "traceLine": {
      "description": "A line of `gattscope trace --json`: what an app could have been told, at the earliest, in the order of packets; the lines of its own log between them.",
      "oneOf": [{"$ref": "#/$defs/callback"}, {"$ref": "#/$defs/logLine"}]
    },
    "callback": {
      "type": "object",
      "description": "A callback that an app could have received, a call that it must have made, or what of the capture no app is told.",
      "required": ["type", "platform", "packet", "system"],
      "oneOf": [{"required": ["callback"]}, {"required": ["what"]}],
      "additionalProperties": false,
      "properties": {
        "type": {
          "enum": ["callback", "call", "traffic", "state"],
          "description": "callback: the platform tells the app. call: the app asks the platform. traffic: the platform does something of which the app is not told. state: the controller's Link Layer is in other states."
        },
        "platform": {"enum": ["corebluetooth", "android"], "description": "Whose words."},
        "callback": {"type": "string", "description": "The method or broadcast, as the platform's documentation writes it."},
        "what": {"type": "string", "description": "Of traffic and states: what happens."},
        "arguments": {
          "type": "object",
          "description": "Arguments under the platform's names. Constants are {\"code\":5,\"name\":\"CBATTError.insufficientAuthentication\"} with the platform's number; attributes are objects with UUID and handle; values are hexadecimal; of an advertisement, `scan_response` holds what the scan response brought."
        },
        "packet": {"$ref": "#/$defs/packetNumber", "description": "The packet at which it came at the earliest."},
        "request": {"$ref": "#/$defs/packetNumber", "description": "The packet that asked for it."},
        "latency_ms": {"$ref": "#/$defs/latency"},
        "time": {"$ref": "#/$defs/time"},
        "elapsed_s": {"$ref": "#/$defs/elapsed"},
        "adapter": {"type": "integer", "description": "The controller's index.", "minimum": 0},
        "connection": {"type": "integer", "description": "The connection's number.", "minimum": 1},
        "system": {"type": "boolean", "description": "Whether the operating system rather than the app caused it, or keeps it to itself."},
        "remark": {"type": "string", "description": "What is to be known of it."}
      }
    },
    "logLine": {
      "type": "object",
      "description": "A line of the app's log (--app-log), with the lines behind it that have no time.",
      "required": ["type", "line", "text"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "log"},
        "time": {"$ref": "#/$defs/time"},
        "elapsed_s": {"$ref": "#/$defs/elapsed"},
        "line": {"type": "integer", "description": "Which line of the file it is.", "minimum": 1},
        "text": {"type": "string", "description": "The line, with those behind it that have no time."}
      }
    },
    "packetNumber": {
      "type": "integer",
      "description": "Position of a record in the capture, from 1; the same number in every verb, and what --packets takes.",
      "minimum": 1
    },
    "time": {
      "type": "string",
      "description": "Wall clock time in UTC at the capture's own resolution. Absent where the capture has no wall clock, or the time lies outside the years 0000 to 9999 (problem time_out_of_range).",
      "pattern": "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.(\\d{6}|\\d{9})Z$"
    },
    "elapsed": {
      "type": "number",
      "description": "Seconds since the capture's first record, exact. Negative where the capture's clock went back."
    },
    "hex": {
      "type": "string",
      "description": "Bytes, two lower-case hexadecimal digits each, in the order in which they crossed the link.",
      "pattern": "^([0-9a-f]{2})*$"
    },
    "rawHex": {
      "type": "string",
      "description": "A whole record in hexadecimal; the bytes of a secret stand as two dots each unless --show-keys is given.",
      "pattern": "^([0-9a-f]{2}|\\.\\.)*$"
    },
    "identifier": {
      "type": "string",
      "description": "A number that names something (handle, opcode, channel), in hexadecimal as the specification prints it.",
      "pattern": "^0x[0-9a-f]+$"
    },
    "handle": {"type": "string", "description": "An attribute or connection handle.", "pattern": "^0x[0-9a-f]{4}$"},
    "address": {
      "type": "string",
      "description": "A device address, most significant byte first.",
      "pattern": "^([0-9A-F]{2}:){5}[0-9A-F]{2}$"
    },
    "uuid": {
      "type": "string",
      "description": "A UUID: four lower-case digits where it is a 16-bit one, eight for 32 bits, else the long form with dashes.",
      "pattern": "^([0-9a-f]{4}|[0-9a-f]{8}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$"
    },
    "latency": {"type": "number", "description": "Milliseconds between a request and this, its answer, exact to 0.001 ms."},
    "code": {
      "type": "object",
      "description": "A code of the specification. Compare `code`; `name` is for people, and absent where the code has none.",
      "required": ["code"],
      "additionalProperties": false,
      "properties": {
        "code": {"$ref": "#/$defs/identifier"},
        "name": {"type": "string", "description": "The specification's name of the code; of an error of an attribute's own, what its profile calls it."}
      }
    },
    "flags": {
      "type": "object",
      "description": "A set of bits. `names` has the names of those that are set and have one, lowest bit first.",
      "required": ["code", "names"],
      "additionalProperties": false,
      "properties": {
        "code": {"$ref": "#/$defs/identifier", "description": "All bits as one number."},
        "names": {"type": "array", "description": "Names of the bits that are set.", "items": {"type": "string"}}
      }
    },
    "hidden": {
      "type": "array",
      "description": "Keys of this object whose values are secrets (link keys, passkeys and the like). They were in the capture; --show-keys puts them back in place of this list.",
      "items": {"type": "string"},
      "minItems": 1
    },
    "addressType": {
      "enum": [
        "public",
        "random_static",
        "random_resolvable",
        "random_nonresolvable",
        "public_identity",
        "random_identity",
        "anonymous"
      ],
      "description": "What kind of address it is. The identity kinds come from controllers that resolved a private address; anonymous only in advertisements."
    },
    "properties": {
      "type": "array",
      "description": "What the characteristic declares can be done with it.",
      "items": {
        "enum": [
          "broadcast",
          "read",
          "write_without_response",
          "write",
          "notify",
          "indicate",
          "authenticated_signed_writes",
          "extended_properties"
        ]
      }
    },
    "via": {
      "enum": ["discovered", "carried", "supplied", "inferred"],
      "description": "How this is known: read off this connection's discovery, carried over from an earlier connection, supplied with --map, or inferred from use."
    },
    "decoded": {
      "type": "object",
      "description": "What a profile makes of the bytes.",
      "additionalProperties": false,
      "properties": {
        "profile": {"type": "string", "description": "The profile that decoded it."},
        "name": {"type": "string", "description": "The message or value, as the profile names it."},
        "fields": {
          "type": "object",
          "description": "Decoded fields; numbers are scaled already. A unit stands in the key's name or in `units`."
        },
        "units": {
          "type": "object",
          "description": "Units of those fields whose key does not name one.",
          "additionalProperties": {"type": "string"}
        },
        "answers": {
          "$ref": "#/$defs/packetNumber",
          "description": "The packet with the request that this message answers (vendor protocols, control points)."
        },
        "latency_ms": {"$ref": "#/$defs/latency"},
        "reassembled_from": {
          "type": "array",
          "description": "Packets that carried the frame, on the packet that completes it.",
          "items": {"$ref": "#/$defs/packetNumber"}
        },
        "hidden": {"$ref": "#/$defs/hidden"},
        "assumed": {"type": "array", "description": "Fields about which a condition decides that is not known: taken as there.", "items": {"type": "string"}},
        "recognized_by": {
          "enum": ["frame", "presentation_format"],
          "description": "frame: the protocol is known by nothing but its frame: length and checksum are right. presentation_format: what the value means is known by nothing but a descriptor of its characteristic."
        },
        "answers_nothing": {"const": true, "description": "This is a response, and no request waits for it (vendor protocols, control points)."},
        "series": {
          "type": "object",
          "description": "Of a message of a series that another one announced, and of that one.",
          "required": ["announced_by", "count", "received", "complete"],
          "additionalProperties": false,
          "properties": {
            "announced_by": {"$ref": "#/$defs/packetNumber"},
            "count": {"type": "integer", "description": "How many were announced.", "minimum": 0},
            "received": {"type": "integer", "description": "How many came so far, this one with them.", "minimum": 0},
            "complete": {"type": "boolean"}
          }
        },
        "unfinished": {"$ref": "#/$defs/unfinished", "description": "What this message shows to be over and not complete."},
        "following": {
          "type": "array",
          "description": "The messages behind this one in the same value.",
          "items": {"$ref": "#/$defs/decoded"},
          "minItems": 1
        },
        "text": {"type": "string", "description": "The same for people, in a few words."},
        "problems": {
          "type": "array",
          "description": "What is wrong with the value.",
          "items": {
            "type": "object",
            "required": ["code", "message", "offset"],
            "additionalProperties": false,
            "properties": {
              "code": {"type": "string", "description": "What is wrong; stable, made for comparing.", "pattern": "^[a-z0-9_]+$"},
              "message": {"type": "string", "description": "What was expected and what was found, for people."},
              "offset": {"type": "integer", "description": "Where, in bytes from the start of the value, or of the frame.", "minimum": 0}
            }
          },
          "minItems": 1
        }
      }
    },
    "problem": {
      "type": "object",
      "description": "Something that is not as it should be.",
      "required": ["severity", "code", "message"],
      "additionalProperties": false,
      "properties": {
        "severity": {
          "enum": ["error", "warning"],
          "description": "error: the packet is broken or breaks the protocol; warning: unexpected, or the capture is incomplete."
        },
        "code": {"type": "string", "description": "What is wrong; stable, made for comparing.", "pattern": "^[a-z0-9_]+$"},
        "message": {"type": "string", "description": "What was expected and what was found, for people."},
        "response": {"$ref": "#/$defs/packetNumber", "description": "Of earlier_response_reassigned: the response that answered another request than was told when it came."},
        "request": {"$ref": "#/$defs/packetNumber", "description": "The request that it is about: of earlier_response_reassigned the one that the response did answer, of response_on_other_channel the one that is answered, of request_before_response and response_mismatch the one that was open."},
        "offset": {
          "type": "integer",
          "description": "Where, in bytes from the start of the record; in a PDU that was joined from several records, from the start of its L2CAP header.",
          "minimum": 0
        }
      }
    },
    "connection": {
      "type": "object",
      "description": "The connection that the packet belongs to.",
      "required": ["id", "handle"],
      "additionalProperties": false,
      "properties": {
        "id": {
          "type": "integer",
          "description": "Counts connections from 1, in the order in which they opened or were first seen; what --connection takes.",
          "minimum": 1
        },
        "handle": {
          "$ref": "#/$defs/handle",
          "description": "The controller's handle for it; used again for later connections."
        },
        "peer": {"$ref": "#/$defs/address", "description": "The other device."},
        "peer_type": {"$ref": "#/$defs/addressType"},
        "identity": {
          "$ref": "#/$defs/address",
          "description": "The peer's identity address, where a key resolved its private one."
        },
        "resolvable_address": {
          "$ref": "#/$defs/address",
          "description": "The resolvable private address that the peer uses, where the controller reports its identity as the peer: the peer advertised under it."
        },
        "name": {"type": "string", "description": "The peer's name, once it is known."},
        "local_role": {"enum": ["central", "peripheral"], "description": "What the captured host is in this connection."}
      }
    },
    "hci": {
      "description": "The host controller interface's layer, by `kind`.",
      "oneOf": [
        {"$ref": "#/$defs/hciCommand"},
        {"$ref": "#/$defs/hciEvent"},
        {"$ref": "#/$defs/hciACL"},
        {"$ref": "#/$defs/hciSCO"},
        {"$ref": "#/$defs/hciISO"}
      ]
    },
    "hciCommand": {
      "type": "object",
      "description": "An HCI command.",
      "required": ["kind", "opcode"],
      "additionalProperties": false,
      "properties": {
        "kind": {"const": "command"},
        "opcode": {"$ref": "#/$defs/identifier", "description": "OGF and OCF in one number, such as 0x200c."},
        "name": {"type": "string", "description": "The command's name in the specification, absent if it is not known."},
        "parameters": {"$ref": "#/$defs/parameters"},
        "data": {"$ref": "#/$defs/hex", "description": "Parameter bytes that were not decoded."},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "hciEvent": {
      "type": "object",
      "description": "An HCI event.",
      "required": ["kind", "event"],
      "additionalProperties": false,
      "properties": {
        "kind": {"const": "event"},
        "event": {"$ref": "#/$defs/identifier", "description": "The event code."},
        "subevent": {"$ref": "#/$defs/identifier", "description": "The subevent code of LE Meta events (event 0x3e) and of the vendor events (0xff) that Android requires."},
        "prefix": {"$ref": "#/$defs/hex", "description": "What the events of Microsoft's extension of a Controller begin with (event 0xff)."},
        "status": {
          "$ref": "#/$defs/code",
          "description": "The controller's verdict, for events that have one: 0x00 is Success. For Command Complete, the command's."
        },
        "request": {"$ref": "#/$defs/packetNumber", "description": "The packet that this one answers."},
        "latency_ms": {"$ref": "#/$defs/latency"},
        "train": {
          "type": "object",
          "description": "The periodic advertising train that an LE Periodic Advertising Sync Lost is about, where its beginning was seen.",
          "additionalProperties": false,
          "properties": {
            "address": {"$ref": "#/$defs/address", "description": "The advertiser's address; absent where it is anonymous."},
            "address_type": {"$ref": "#/$defs/addressType"},
            "sid": {"type": "integer", "description": "The advertising set's identifier (SID).", "minimum": 0}
          }
        },
        "name": {"type": "string", "description": "The event's or subevent's name, absent if it is not known."},
        "parameters": {
          "$ref": "#/$defs/parameters",
          "description": "Parameters; of Command Complete also those that the command returned."
        },
        "data": {"$ref": "#/$defs/hex", "description": "Parameter bytes that were not decoded."},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "hciACL": {
      "type": "object",
      "description": "A data packet.",
      "required": ["kind", "handle", "boundary"],
      "additionalProperties": false,
      "properties": {
        "kind": {"const": "acl"},
        "handle": {"$ref": "#/$defs/handle", "description": "Connection handle."},
        "boundary": {
          "enum": ["first_non_flushable", "continuation", "first_flushable", "complete"],
          "description": "Whether the packet begins an L2CAP PDU or continues one."
        },
        "broadcast": {"type": "integer", "description": "The broadcast flag, where it is not 0.", "minimum": 1},
        "data": {"$ref": "#/$defs/hex", "description": "The bytes of a fragment whose beginning is not known, with --show-keys: they may be a piece of a key."},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "hciSCO": {
      "type": "object",
      "description": "A synchronous (voice) packet.",
      "required": ["kind", "handle"],
      "additionalProperties": false,
      "properties": {
        "kind": {"const": "sco"},
        "handle": {"$ref": "#/$defs/handle", "description": "Connection handle."},
        "packet_status": {
          "type": "integer",
          "description": "Whether the data is good: 0 yes, 1 perhaps, 2 none received, 3 partly lost.",
          "minimum": 0
        },
        "data_length": {"type": "integer", "description": "Bytes of data, as the packet says.", "minimum": 0}
      }
    },
    "hciISO": {
      "type": "object",
      "description": "An isochronous (LE Audio) packet.",
      "required": ["kind", "handle"],
      "additionalProperties": false,
      "properties": {
        "kind": {"const": "iso"},
        "handle": {"$ref": "#/$defs/handle", "description": "Connection handle."},
        "boundary": {
          "enum": ["first", "continuation", "complete", "last"],
          "description": "Which part of an SDU it is; complete is all of it."
        },
        "has_timestamp": {"type": "boolean", "description": "Whether the packet has a time stamp."},
        "data_length": {"type": "integer", "description": "Bytes of data, as the packet says.", "minimum": 0}
      }
    },
    "parameters": {
      "type": "object",
      "description": "Parameters by their names in the specification, in snake_case; quantities have their unit at the end of the key (_ms, _us, _s, _dbm). A parameter whose value means \"not available\" is left out.",
      "propertyNames": {"pattern": "^[a-z0-9_]+$"},
      "patternProperties": {
        "_fields$": {
          "type": "array",
          "description": "The advertising data of the parameter that is named before `_fields`, structure by structure, where a command sets it or an inquiry found it; that of reports stands in `advertisements`.",
          "items": {"$ref": "#/$defs/adField"}
        }
      },
      "properties": {
        "hidden": {"$ref": "#/$defs/hidden"}
      },
      "additionalProperties": {"$ref": "#/$defs/parameter"}
    },
    "parameter": {
      "description": "A count or quantity; an identifier, address, text or hexadecimal bytes; a code or flags with their names; or a list.",
      "anyOf": [
        {"type": "number"},
        {"type": "string"},
        {"type": "boolean"},
        {"$ref": "#/$defs/code"},
        {"$ref": "#/$defs/flags"},
        {
          "type": "array",
          "items": {"anyOf": [{"$ref": "#/$defs/parameters"}, {"type": "string"}, {"type": "number"}]}
        }
      ]
    },
    "l2cap": {
      "type": "object",
      "description": "The L2CAP layer: a PDU, on the packet that completes it, or a fragment of one.",
      "additionalProperties": false,
      "properties": {
        "cid": {
          "$ref": "#/$defs/identifier",
          "description": "The channel: 0x0004 is ATT, 0x0005 signalling, 0x0006 the Security Manager."
        },
        "length": {"type": "integer", "description": "Bytes of the PDU's payload.", "minimum": 0},
        "psm": {"$ref": "#/$defs/code", "description": "What the channel is for (PSM, SPSM), where that is known: 0x0027 is EATT."},
        "channel_via": {"const": "inferred", "description": "What is said of the channel was not read off its opening, or records were lost since: it is only likely."},
        "opening_missing": {"const": true, "description": "The opening of the channel is not in the capture: nobody knows what it carries."},
        "accessory_protocol": {"enum": ["iAP1", "iAP2"], "description": "The bytes on this serial port are Apple's accessory protocol (MFi), not GATT."},
        "accessory_via": {"const": "inferred", "description": "How that is known: from the bytes."},
        "sdu_length": {"type": "integer", "description": "Credit-based channels: bytes of the SDU that the frame begins.", "minimum": 0},
        "credits_left": {"const": 0, "description": "Credit-based channels: the frame used the last credit; its sender must wait."},
        "control": {"$ref": "#/$defs/l2capControl"},
        "signalling": {
          "type": "array",
          "description": "The commands on a signalling channel: one on LE, one or more on BR/EDR.",
          "items": {"$ref": "#/$defs/signallingCommand"},
          "minItems": 1
        },
        "reassembled_from": {
          "type": "array",
          "description": "The packets that carried the PDU, this one last.",
          "items": {"$ref": "#/$defs/packetNumber"}
        },
        "fragment": {"const": true, "description": "The packet holds a part of a PDU that a later packet completes."},
        "received": {
          "type": "integer",
          "description": "Bytes that are there, with earlier fragments' and the header's.",
          "minimum": 0
        },
        "expected": {"type": "integer", "description": "Bytes of the whole PDU with its header, once known.", "minimum": 0},
        "data": {"$ref": "#/$defs/hex", "description": "Payload that was not decoded, or not in full."},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "l2capControl": {
      "type": "object",
      "description": "The control field of a frame in a retransmission, flow control or streaming mode.",
      "required": ["frame", "req_seq"],
      "additionalProperties": false,
      "properties": {
        "frame": {"enum": ["information", "supervisory"], "description": "Whether the frame carries data or steers the flow."},
        "function": {"$ref": "#/$defs/code", "description": "What a supervisory frame says: Receiver Ready, Reject and so on."},
        "tx_seq": {"type": "integer", "description": "The number of an information frame.", "minimum": 0},
        "segmentation": {"$ref": "#/$defs/code", "description": "The part of its SDU that an information frame holds."},
        "req_seq": {"type": "integer", "description": "The number of the frame that is expected next.", "minimum": 0},
        "poll": {"const": true, "description": "An answer is asked for."},
        "final": {"const": true, "description": "This is that answer."}
      }
    },
    "signallingCommand": {
      "type": "object",
      "description": "A command on an L2CAP signalling channel: opens, configures and closes channels.",
      "required": ["code", "identifier"],
      "additionalProperties": false,
      "properties": {
        "code": {"$ref": "#/$defs/identifier", "description": "0x14 is an LE Credit Based Connection Request."},
        "name": {"type": "string", "description": "The command's name in the specification, absent if it is not known."},
        "identifier": {"$ref": "#/$defs/identifier", "description": "What a response repeats of its request."},
        "request": {"$ref": "#/$defs/packetNumber", "description": "The packet of the request that this command answers."},
        "latency_ms": {"$ref": "#/$defs/latency"},
        "psm": {"$ref": "#/$defs/code", "description": "What the channel is for that the command is about, where the command does not say it itself."},
        "att_mtu": {"type": "integer", "description": "The ATT MTU of the enhanced bearers that the command opens or reconfigures: the smaller of the two sides' MTUs, at least 64.", "minimum": 64},
        "parameters": {"$ref": "#/$defs/parameters"},
        "data": {"$ref": "#/$defs/hex", "description": "Bytes of the command that were not decoded."}
      }
    },
    "att": {
      "type": "object",
      "description": "An ATT PDU: what reads, writes and notifies values of characteristics.",
      "required": ["opcode"],
      "additionalProperties": false,
      "properties": {
        "hidden": {"$ref": "#/$defs/hidden"},
        "opcode": {"$ref": "#/$defs/identifier", "description": "0x12 is a Write Request, 0x1b a notification."},
        "name": {"type": "string", "description": "The PDU's name in the specification, absent if it is not known."},
        "request": {"$ref": "#/$defs/packetNumber", "description": "The packet that this one answers."},
        "latency_ms": {"$ref": "#/$defs/latency"},
        "bearer": {"$ref": "#/$defs/identifier", "description": "The channel that carries this ATT bearer, by its identifier on the captured host, the same in both directions; absent on the unenhanced bearer of LE."},
        "request_opcode": {"$ref": "#/$defs/identifier", "description": "Error Response: the opcode of the request that failed."},
        "request_name": {"type": "string", "description": "The specification's name of that request, where it has one."},
        "handle": {
          "$ref": "#/$defs/handle",
          "description": "The attribute. A response has its request's, since it carries none itself."
        },
        "error": {"$ref": "#/$defs/code", "description": "Error Response: why the request failed."},
        "ends_discovery": {
          "type": "boolean",
          "description": "Error Response 0x0a (Attribute Not Found): true where it only ends a search through a range of handles, false where nothing of the type was found from the first handle on."
        },
        "start_handle": {"$ref": "#/$defs/handle", "description": "First handle of the range that is searched."},
        "end_handle": {"$ref": "#/$defs/handle", "description": "Last handle of that range."},
        "uuid": {
          "$ref": "#/$defs/uuid",
          "description": "The type that is asked for, or the type of the attribute that `handle` stands for, once it is known."
        },
        "service": {"$ref": "#/$defs/uuid", "description": "The service that the attribute is part of, once it is known."},
        "attribute": {
          "enum": ["service", "include", "characteristic", "value", "descriptor"],
          "description": "What the attribute is: a service's, include's or characteristic's declaration, a characteristic's value, or a descriptor."
        },
        "via": {"$ref": "#/$defs/via"},
        "offset": {
          "type": "integer",
          "description": "Where in the attribute's value this part begins, in bytes.",
          "minimum": 0
        },
        "mtu": {"type": "integer", "description": "The largest ATT PDU that the sender takes, in bytes.", "minimum": 0},
        "flags": {
          "$ref": "#/$defs/code",
          "description": "Execute Write: 0x00 cancels the prepared writes, 0x01 writes them."
        },
        "value_uuid": {"$ref": "#/$defs/uuid", "description": "Find By Type Value Request: the service that is looked for, where the value is its UUID."},
        "value": {"$ref": "#/$defs/hex", "description": "The attribute's value, or a part of it."},
        "sign_counter": {"type": "integer", "description": "Signed Write: the counter of its signature.", "minimum": 0},
        "signature": {"$ref": "#/$defs/hex", "description": "Signed Write: the signature."},
        "handles": {
          "type": "array",
          "description": "Handles, where one PDU names several.",
          "items": {"$ref": "#/$defs/handle"}
        },
        "items": {
          "type": "array",
          "description": "The entries of a response that lists several.",
          "items": {"$ref": "#/$defs/attItem"}
        },
        "joined": {
          "type": "array",
          "description": "Values that crossed the link in parts, on the packet that completes them: the last Read Blob Response, or the Execute Write Response.",
          "items": {"$ref": "#/$defs/joinedValue"}
        },
        "data": {"$ref": "#/$defs/hex", "description": "Bytes that were not decoded."}
      }
    },
    "joinedValue": {
      "type": "object",
      "description": "A value that was read or written in parts.",
      "required": ["handle", "packets"],
      "additionalProperties": false,
      "properties": {
        "handle": {"$ref": "#/$defs/handle"},
        "uuid": {"$ref": "#/$defs/uuid", "description": "The attribute's type, once it is known."},
        "offset": {
          "type": "integer",
          "description": "Where in the attribute's value these bytes begin, where that is not its beginning.",
          "minimum": 1
        },
        "value": {"$ref": "#/$defs/hex", "description": "The parts, joined."},
        "hidden": {"$ref": "#/$defs/hidden"},
        "decoded": {"$ref": "#/$defs/decoded"},
        "incomplete": {"const": true, "description": "The capture lacks a part of it."},
        "packets": {
          "type": "array",
          "description": "The packets that brought the parts; of a PDU that came in several the one that completed it.",
          "items": {"$ref": "#/$defs/packetNumber"}
        }
      }
    },
    "attItem": {
      "type": "object",
      "description": "One entry of a list in an ATT PDU.",
      "additionalProperties": false,
      "properties": {
        "hidden": {"$ref": "#/$defs/hidden"},
        "decoded": {"$ref": "#/$defs/decoded", "description": "What a profile makes of the value."},
        "handle": {"$ref": "#/$defs/handle"},
        "end_handle": {"$ref": "#/$defs/handle", "description": "Last handle of the group, which is a service."},
        "uuid": {
          "$ref": "#/$defs/uuid",
          "description": "The attribute's type, or the service or characteristic that it declares."
        },
        "value_handle": {"$ref": "#/$defs/handle", "description": "Declaration of a characteristic: where its value is."},
        "properties": {"$ref": "#/$defs/properties"},
        "name": {"type": "string", "description": "What the UUID stands for, where that is assigned."},
        "registered_to": {"type": "string", "description": "Who registered the UUID, or for what, where it is one that companies register. Devices of others use such UUIDs too."},
        "included_start_handle": {"$ref": "#/$defs/handle", "description": "Include declaration: first handle of the included service."},
        "included_end_handle": {"$ref": "#/$defs/handle", "description": "Include declaration: its last handle."},
        "value": {"$ref": "#/$defs/hex", "description": "The attribute's value."},
        "hidden": {"$ref": "#/$defs/hidden"},
        "missing": {
          "type": "integer",
          "description": "How many bytes of the value did not fit into the response.",
          "minimum": 1
        }
      }
    },
    "smp": {
      "type": "object",
      "description": "A Security Manager PDU: pairing and keys.",
      "required": ["opcode"],
      "additionalProperties": false,
      "properties": {
        "opcode": {"$ref": "#/$defs/identifier"},
        "name": {"type": "string", "description": "The PDU's name in the specification."},
        "request": {"$ref": "#/$defs/packetNumber", "description": "Pairing Response: the packet with the Pairing Request."},
        "latency_ms": {"$ref": "#/$defs/latency"},
        "method": {
          "enum": [
            "legacy_just_works", "legacy_passkey", "legacy_oob",
            "sc_just_works", "sc_numeric_comparison", "sc_passkey", "sc_oob"
          ],
          "description": "Pairing Response: how the two authenticate each other, which follows from what both have said."
        },
        "passkey_shown_by": {
          "enum": ["initiator", "responder"],
          "description": "Pairing Response: the side that shows the passkey; absent where none is shown, or both sides type it."
        },
        "passkey_round": {
          "type": "integer",
          "description": "Confirm and Random of a passkey over Secure Connections: which of the 20 rounds.",
          "minimum": 1,
          "maximum": 20
        },
        "parameters": {
          "$ref": "#/$defs/parameters",
          "description": "The PDU's fields. debug_key: the public key is that of the debug key pair, whose private key everybody knows."
        },
        "data": {"$ref": "#/$defs/hex", "description": "Bytes that were not decoded."},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "mgmt": {
      "type": "object",
      "description": "A command to, or an event from, the Linux kernel's Bluetooth management interface.",
      "required": ["cookie"],
      "additionalProperties": false,
      "properties": {
        "opcode": {"$ref": "#/$defs/identifier", "description": "The command's code (commands)."},
        "event": {"$ref": "#/$defs/identifier", "description": "The event's code (events)."},
        "name": {"type": "string", "description": "The command's or event's name."},
        "status": {"$ref": "#/$defs/code", "description": "The kernel's verdict, for events that have one."},
        "cookie": {"$ref": "#/$defs/identifier", "description": "Number of the socket."},
        "request": {"$ref": "#/$defs/packetNumber", "description": "The packet with the command that this event answers."},
        "latency_ms": {"$ref": "#/$defs/latency"},
        "parameters": {"$ref": "#/$defs/parameters"},
        "data": {"$ref": "#/$defs/hex", "description": "Bytes that were not decoded."},
        "hidden": {"$ref": "#/$defs/hidden"}
      },
      "oneOf": [{"required": ["opcode"]}, {"required": ["event"]}]
    },
    "advertisement": {
      "type": "object",
      "description": "An advertising report.",
      "additionalProperties": false,
      "properties": {
        "address": {
          "$ref": "#/$defs/address",
          "description": "The advertiser; absent in anonymous advertising, and in periodic advertising where the capture does not hold how its train was found."
        },
        "address_type": {"$ref": "#/$defs/addressType"},
        "event_type": {"$ref": "#/$defs/identifier", "description": "The Event_Type of the report, as the controller gave it."},
        "event": {
          "enum": ["ADV_IND", "ADV_DIRECT_IND", "ADV_SCAN_IND", "ADV_NONCONN_IND", "SCAN_RSP", "extended", "periodic", "periodic_response", "big_info"],
          "description": "What kind of PDU was advertised; the names in capitals are those of legacy advertising. periodic_response: what was heard in a response slot of one's own periodic advertising; big_info: the broadcast streams that a train announces, which stand in the event's parameters."
        },
        "properties": {
          "type": "array",
          "description": "Extended advertising: what the advertiser offers.",
          "items": {"enum": ["connectable", "scannable", "directed", "scan_response", "legacy"]}
        },
        "direct_address": {"$ref": "#/$defs/address", "description": "Directed advertising: who is meant."},
        "direct_address_type": {"$ref": "#/$defs/addressType"},
        "sync_handle": {"$ref": "#/$defs/handle", "description": "Periodic advertising: which train."},
        "advertising_handle": {"type": "integer", "description": "Periodic response: the advertising set that was answered.", "minimum": 0},
        "subevent": {"type": "integer", "description": "Periodic advertising with responses: the subevent.", "minimum": 0},
        "sent": {"const": false, "description": "Periodic response: the subevent's own data was not sent."},
        "response_slot": {"type": "integer", "description": "Periodic response: the slot.", "minimum": 0},
        "event_counter": {"type": "integer", "description": "Periodic advertising: the event that the data was sent in.", "minimum": 0},
        "cte_type": {"type": "string", "description": "Periodic advertising: the constant tone extension, where there is one."},
        "rssi_dbm": {"type": "integer", "description": "How strong it was received, in dBm."},
        "tx_power_dbm": {"type": "integer", "description": "How strong it was sent, in dBm, as the advertiser says."},
        "primary_phy": {"type": "string", "description": "The PHY of the first packet."},
        "secondary_phy": {"type": "string", "description": "The PHY of the packets that it points to."},
        "sid": {"type": "integer", "description": "Advertising set identifier.", "minimum": 0},
        "periodic_interval_ms": {
          "type": "number",
          "description": "Interval of the periodic advertising that belongs to it, in milliseconds."
        },
        "data_status": {
          "enum": ["incomplete", "truncated", "reserved", "failed"],
          "description": "incomplete: more data follows in another report; truncated: more was sent than was received; failed: nothing was received. Absent where the data is complete."
        },
        "reassembled_from": {
          "type": "array",
          "description": "The packets that carried the data, this one last.",
          "items": {"$ref": "#/$defs/packetNumber"}
        },
        "first_part": {
          "const": "missing",
          "description": "The data seems to be a later part of more, whose first part lies before the capture's beginning or in a gap. Inferred: it does not begin as advertising data does."
        },
        "data": {"$ref": "#/$defs/hex", "description": "Advertising data, joined where it came in several reports."},
        "fields": {
          "type": "array",
          "description": "The data, structure by structure.",
          "items": {"$ref": "#/$defs/adField"}
        },
        "decoded": {"$ref": "#/$defs/decoded"},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "adField": {
      "type": "object",
      "description": "An AD structure.",
      "required": ["type"],
      "additionalProperties": false,
      "properties": {
        "type": {"$ref": "#/$defs/identifier", "description": "The AD type."},
        "name": {"type": "string", "description": "Its name in the specification, absent if it is not known."},
        "value": {
          "description": "What the structure says, where it is known and has the length that it must have.",
          "anyOf": [
            {"type": "string", "description": "Names, URIs; secrets in hexadecimal."},
            {"$ref": "#/$defs/flags", "description": "Flags."},
            {"$ref": "#/$defs/code", "description": "Appearance."},
            {"type": "array", "description": "UUIDs of services.", "items": {"$ref": "#/$defs/uuid"}},
            {"$ref": "#/$defs/adValue"}
          ]
        },
        "data": {"$ref": "#/$defs/hex", "description": "Bytes that were not decoded: of a type that is not known, of a wrong length (the packet's problems say which), or left over."},
        "decoded": {"$ref": "#/$defs/decoded", "description": "What a profile makes of service data, of manufacturer data, or of the structure by its type."},
        "own_address": {"$ref": "#/$defs/ownAddress"},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "ownAddress": {
      "type": "object",
      "description": "Service data or manufacturer data holds the advertiser's own address, as devices send it whose apps cannot see it otherwise.",
      "required": ["address", "offset", "byte_order"],
      "additionalProperties": false,
      "properties": {
        "address": {"$ref": "#/$defs/address", "description": "The one that it holds: that of the advertisement, or the identity address where a key tells it."},
        "offset": {"type": "integer", "description": "Where it begins, counted behind the service's UUID or the company.", "minimum": 0},
        "byte_order": {"enum": ["big_endian", "little_endian"], "description": "Whether the bytes stand as they are printed, or the last one first."}
      }
    },
    "sourceList": {
      "type": "object",
      "description": "The document of `gattscope live --list --json`: where records may come from.",
      "required": ["schema", "sources"],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "sources": {
          "type": "array",
          "description": "What this machine has, then the kinds of source that must be named.",
          "items": {
            "type": "object",
            "required": ["source", "text"],
            "additionalProperties": false,
            "properties": {
              "source": {"type": "string", "description": "As -i names it; words in capitals are to be replaced."},
              "text": {"type": "string", "description": "What it is."},
              "needs": {"type": "string", "description": "What is missing, or must be done first; absent where that is nothing, or not known."}
            }
          }
        }
      }
    },
    "profileList": {
      "type": "object",
      "description": "The document of `gattscope profiles list --json`: what is decoded.",
      "required": ["schema", "definitions", "protocols"],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "definitions": {
          "type": "array",
          "description": "What attributes and advertised data mean.",
          "items": {
            "type": "object",
            "required": ["profile", "of", "name"],
            "additionalProperties": false,
            "properties": {
              "profile": {"type": "string", "description": "The profile that has it."},
              "own": {"const": true, "description": "Present where the profile is not one of the program's."},
              "of": {"enum": ["characteristic", "descriptor", "manufacturer_data", "service_data", "advertising_data", "service"], "description": "What it is of. Of a service it names errors only."},
              "uuid": {"$ref": "#/$defs/uuid", "description": "The characteristic, descriptor or service; of service data, the service."},
              "company": {"$ref": "#/$defs/code", "description": "Of manufacturer data: whose it is."},
              "ad_type": {"$ref": "#/$defs/identifier", "description": "Of other advertising data: its type."},
              "service": {"$ref": "#/$defs/uuid", "description": "Only in this service."},
              "device": {"type": "string", "description": "Only of devices with this name; * and ? as in file names."},
              "match": {"type": "string", "description": "Only where the bytes begin so; ?? is any byte."},
              "least_bytes": {"type": "integer", "description": "Only where there are so many bytes, or more.", "minimum": 0},
              "most_bytes": {"type": "integer", "description": "Only where there are so many bytes, or fewer.", "minimum": 0},
              "carrier": {"const": true, "description": "The characteristic carries anything; taken only where no protocol's frame is recognized."},
              "name": {"type": "string", "description": "As people know it."},
              "has_secrets": {"const": true, "description": "Present where a field is secret: the bytes of such values are hidden."}
            }
          }
        },
        "protocols": {
          "type": "array",
          "description": "Vendors' protocols.",
          "items": {
            "type": "object",
            "required": ["profile", "title", "applies_to", "messages"],
            "additionalProperties": false,
            "properties": {
              "profile": {"type": "string", "description": "The profile that has it."},
              "own": {"const": true, "description": "Present where the profile is not one of the program's."},
              "title": {"type": "string", "description": "What it is, in a few words."},
              "applies_to": {
                "type": "array",
                "description": "Where it is spoken: any of these.",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "characteristic": {"$ref": "#/$defs/uuid"},
                    "service": {"$ref": "#/$defs/uuid"},
                    "device": {"type": "string", "description": "A device's name; * and ? as in file names."},
                    "company": {"$ref": "#/$defs/code"},
                    "frame": {"const": true, "description": "Wherever a whole frame is seen."}
                  }
                }
              },
              "messages": {"type": "integer", "description": "How many messages are known.", "minimum": 0}
            }
          }
        }
      }
    },
    "profileMatches": {
      "type": "object",
      "description": "The document of `gattscope profiles match --json`: which profiles explain the values of a capture.",
      "required": ["schema", "subjects"],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "subjects": {
          "type": "array",
          "description": "Attributes by their UUID, or by their handle where that is all that is known, and kinds of advertised data.",
          "items": {
            "type": "object",
            "required": ["of", "values", "profiles"],
            "additionalProperties": false,
            "properties": {
              "of": {"enum": ["attribute", "manufacturer_data", "service_data"]},
              "uuid": {"$ref": "#/$defs/uuid"},
              "name": {"type": "string", "description": "What the UUID stands for, where that is assigned."},
              "registered_to": {"type": "string", "description": "Who registered the UUID, or for what."},
              "company": {"$ref": "#/$defs/code", "description": "Of manufacturer data: whose it is."},
              "handle": {"$ref": "#/$defs/handle"},
              "values": {"type": "integer", "description": "How many values there were.", "minimum": 1},
              "profiles": {
                "type": "array",
                "description": "The profiles that explain some of them.",
                "items": {
                  "type": "object",
                  "required": ["profile", "values"],
                  "additionalProperties": false,
                  "properties": {
                    "profile": {"type": "string"},
                    "values": {"type": "integer", "description": "How many it explains.", "minimum": 1},
                    "recognized_by": {"const": "frame", "description": "The protocol is known by nothing but its frame: length and checksum are right."}
                  }
                }
              },
              "values_with_problems": {"type": "integer", "description": "Of those that are explained, how many are not laid out as they should be, or hold what is reserved.", "minimum": 1},
              "unexplained": {"type": "integer", "description": "How many no profile explains.", "minimum": 1},
              "example": {"$ref": "#/$defs/hex", "description": "The first bytes of the first of these."},
              "hidden": {"$ref": "#/$defs/hidden"}
            }
          }
        },
        "values_omitted": {"type": "integer", "description": "Values of attributes that there was no room to count.", "minimum": 1}
      }
    },
    "adValue": {
      "type": "object",
      "description": "The fields of an AD structure. Besides those named here: fields by their names in the specification, as in `parameters`, such as tx_power_dbm, connection_interval_min_ms, advertising_interval_ms, role, transports, num_bis.",
      "propertyNames": {"pattern": "^[a-z0-9_]+$"},
      "properties": {
        "uuid": {"$ref": "#/$defs/uuid", "description": "Service data: of which service."},
        "name": {"type": "string", "description": "The name of the service."},
        "registered_to": {"type": "string", "description": "Who registered the UUID, or for what. Devices of others use such UUIDs too."},
        "company": {"$ref": "#/$defs/code", "description": "Manufacturer data: whose."},
        "data": {"$ref": "#/$defs/hex", "description": "Service data, manufacturer data: the bytes behind the UUID or company."},
        "overflow_area_bits": {"type": "integer", "description": "Apple's overflow area (manufacturer data of type 0x01): how many of the 128 bits are set that stand for services.", "minimum": 0, "maximum": 128},
        "class": {"$ref": "#/$defs/code", "description": "Class of device, named by its minor class, or its major class where that has no name."},
        "major_class": {"type": "string", "description": "Class of device: the name of the major class."},
        "services": {
          "type": "array",
          "description": "Class of device: the services that it names.",
          "items": {
            "type": "object",
            "required": ["bit", "name"],
            "additionalProperties": false,
            "properties": {
              "bit": {"type": "integer", "description": "The service's bit.", "minimum": 13, "maximum": 23},
              "name": {"type": "string", "description": "The service."}
            }
          }
        },
        "hidden": {"$ref": "#/$defs/hidden"}
      },
      "additionalProperties": {"$ref": "#/$defs/parameter"}
    },
    "connectionSummary": {
      "type": "object",
      "description": "A connection from its beginning to its end.",
      "required": ["id", "opened"],
      "properties": {
        "id": {"type": "integer", "description": "The connection's number.", "minimum": 1},
        "adapter": {"type": "integer", "description": "Index of the controller.", "minimum": 0},
        "handle": {"$ref": "#/$defs/handle", "description": "The controller's handle for it."},
        "transport": {"enum": ["le", "br_edr", "synchronous", "unknown"], "description": "What kind of link it is."},
        "transport_via": {"const": "inferred", "description": "Where its opening is not in the capture: the transport follows from a channel that only that one has."},
        "peer": {"$ref": "#/$defs/address"},
        "peer_type": {"$ref": "#/$defs/addressType"},
        "identity": {
          "$ref": "#/$defs/address",
          "description": "The peer's identity address, where a key resolved its private one."
        },
        "resolvable_address": {
          "$ref": "#/$defs/address",
          "description": "The resolvable private address that the peer used, where its identity is reported as the peer."
        },
        "name": {"type": "string", "description": "The peer's name, if it was seen."},
        "local_role": {"enum": ["central", "peripheral"], "description": "What the captured host was."},
        "opened": {"$ref": "#/$defs/packetNumber", "description": "The packet that opened it, or the first one seen."},
        "opening_missing": {"const": true, "description": "The capture began when the connection was open already."},
        "closed": {
          "$ref": "#/$defs/packetNumber",
          "description": "The packet that closed it; absent where it was still open at the end."
        },
        "duration_s": {"type": "number", "description": "Seconds from the first to the last of these."},
        "ended_by": {
          "enum": ["local_host", "peer", "timeout", "never_established", "mic_failure", "reset", "controller", "replaced", "unknown", "forgotten"],
          "description": "Who or what ended it, concluded from the whole exchange and not from the reason alone."
        },
        "reason": {"$ref": "#/$defs/code", "description": "The reason that the controller reported."},
        "mtu": {"type": "integer", "description": "The ATT MTU in use, in bytes.", "minimum": 0},
        "interval_ms": {"type": "number", "description": "Connection interval, the latest."},
        "latency": {"type": "integer", "description": "Connection events that the peripheral may skip.", "minimum": 0},
        "supervision_timeout_ms": {"type": "number", "description": "Silence after which the link counts as lost."},
        "encrypted": {"type": "boolean", "description": "Whether the link was encrypted at any time."},
        "paired": {
          "enum": [
            "no",
            "legacy_just_works",
            "legacy_passkey",
            "legacy_oob",
            "sc_just_works",
            "sc_numeric_comparison",
            "sc_passkey",
            "sc_oob",
            "bonded_earlier",
            "failed",
            "unknown"
          ],
          "description": "How the devices paired; sc is LE Secure Connections."
        }
      }
    },
    "mapDevice": {
      "type": "object",
      "description": "A device and its attributes.",
      "required": ["services"],
      "additionalProperties": false,
      "properties": {
        "address": {"$ref": "#/$defs/address"},
        "address_type": {"$ref": "#/$defs/addressType"},
        "identity": {"$ref": "#/$defs/address", "description": "Its identity address, where a key resolved a private one."},
        "addresses": {
          "type": "array",
          "description": "All addresses that it was seen under, where there are several.",
          "items": {"$ref": "#/$defs/address"}
        },
        "name": {"type": "string", "description": "Its name."},
        "local": {"const": true, "description": "This is the captured host's own server."},
        "adapter": {"type": "integer", "description": "Of the host's own server: its controller.", "minimum": 0},
        "connections": {
          "type": "array",
          "description": "The connections with it.",
          "items": {"type": "integer", "description": "A connection's number.", "minimum": 1}
        },
        "mtu": {"type": "integer", "description": "The ATT MTU in use, in bytes.", "minimum": 0},
        "discovery": {
          "type": "object",
          "description": "What clients asked for, as far as the capture tells.",
          "required": ["packets", "services", "includes", "characteristics", "descriptors"],
          "additionalProperties": false,
          "properties": {
            "packets": {
              "type": "array",
              "description": "The first and the last packet that told something new.",
              "items": {"$ref": "#/$defs/packetNumber"}
            },
            "services": {"$ref": "#/$defs/mapExtent", "description": "Primary services."},
            "includes": {"$ref": "#/$defs/mapExtent"},
            "characteristics": {"$ref": "#/$defs/mapExtent"},
            "descriptors": {"$ref": "#/$defs/mapExtent", "description": "Descriptors wherever there may be any."}
          }
        },
        "database_hash": {"$ref": "#/$defs/hex", "description": "Its Database Hash, where it was read, as it crossed the link."},
        "proof": {
          "type": "object",
          "description": "Whether the map comes to that hash: then it is complete and right. Where one attribute too many or too few explains that it does not, that one.",
          "required": ["packet", "outcome"],
          "additionalProperties": false,
          "properties": {
            "packet": {"$ref": "#/$defs/packetNumber", "description": "Where the hash was read."},
            "outcome": {"enum": ["proven", "one_missing", "one_too_many", "not_equal", "not_checkable"], "description": "What came of it. Not checkable: it is not equal, but not all was asked for, as discovery tells."},
            "inferred": {"type": "array", "description": "The descriptors without which the map does not come to the hash: nobody has asked for them, and the hash proves them.", "items": {"$ref": "#/$defs/handle"}, "minItems": 1},
            "handle": {"$ref": "#/$defs/handle"},
            "attribute": {"$ref": "#/$defs/mapKind"},
            "uuid": {"$ref": "#/$defs/uuid"},
            "name": {"type": "string", "description": "Its name, if it has one."},
            "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
            "properties": {"$ref": "#/$defs/properties"}
          }
        },
        "conflicts": {
          "type": "array",
          "description": "Attributes that were supplied and that the capture contradicts: they are not used.",
          "items": {
            "type": "object",
            "description": "What was supplied, and what shows that it is not so.",
            "required": ["handle", "attribute", "operation", "packet", "start_handle", "end_handle"],
            "additionalProperties": false,
            "properties": {
              "handle": {"$ref": "#/$defs/handle"},
              "attribute": {"$ref": "#/$defs/mapKind"},
              "uuid": {"$ref": "#/$defs/uuid"},
              "name": {"type": "string", "description": "Its name, if it has one."},
              "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
              "properties": {"$ref": "#/$defs/properties"},
              "operation": {"enum": ["read", "write", "write_without_response", "signed_write", "prepared_write", "notification", "indication"], "description": "What was done that cannot be done with such an attribute."},
              "outcome": {"$ref": "#/$defs/code", "description": "Where that was refused: why."},
              "packet": {"$ref": "#/$defs/packetNumber", "description": "Where that was seen."},
              "start_handle": {"$ref": "#/$defs/handle", "description": "The first handle of which nothing that was supplied is used."},
              "end_handle": {"$ref": "#/$defs/handle", "description": "The last one."}
            }
          }
        },
        "disagreements": {
          "type": "array",
          "description": "Attributes of which one discovery says something else than another before; the newer one is in force.",
          "items": {
            "type": "object",
            "description": "Two discoveries that disagree.",
            "required": ["handle", "before", "now"],
            "additionalProperties": false,
            "properties": {
              "handle": {"$ref": "#/$defs/handle"},
              "before": {"$ref": "#/$defs/mapStatement"},
              "now": {"$ref": "#/$defs/mapStatement"}
            }
          }
        },
        "services": {
          "type": "array",
          "description": "Its services, in the order of their handles.",
          "items": {
            "type": "object",
            "description": "A service.",
            "required": ["uuid"],
            "additionalProperties": false,
            "properties": {
              "uuid": {"$ref": "#/$defs/uuid"},
              "name": {"type": "string", "description": "Its name, if it has one."},
              "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
              "type": {"enum": ["primary", "secondary"], "description": "Which of both it was declared as."},
              "start_handle": {"$ref": "#/$defs/handle", "description": "First handle."},
              "end_handle": {"$ref": "#/$defs/handle", "description": "Last handle."},
              "via": {"$ref": "#/$defs/via"},
              "packet": {"$ref": "#/$defs/packetNumber", "description": "Where it was learnt."},
              "includes": {
                "type": "array",
                "description": "Included services.",
                "items": {
                  "type": "object",
                  "description": "A service that this one includes.",
                  "required": ["start_handle", "end_handle"],
                  "additionalProperties": false,
                  "properties": {
                    "uuid": {"$ref": "#/$defs/uuid"},
                    "name": {"type": "string", "description": "Its name, if it has one."},
                    "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
                    "handle": {"$ref": "#/$defs/handle", "description": "Handle of the include itself."},
              "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
                    "start_handle": {"$ref": "#/$defs/handle"},
                    "end_handle": {"$ref": "#/$defs/handle"},
                    "via": {"$ref": "#/$defs/via"},
                    "packet": {"$ref": "#/$defs/packetNumber", "description": "Where it was learnt."}
                  }
                }
              },
              "characteristics": {
                "type": "array",
                "description": "Its characteristics.",
                "items": {"$ref": "#/$defs/mapCharacteristic"}
              },
              "descriptors": {
                "type": "array",
                "description": "Descriptors whose characteristic is not known.",
                "items": {"$ref": "#/$defs/mapDescriptor"}
              }
            }
          }
        },
        "characteristics": {
          "type": "array",
          "description": "Characteristics in no service that is known.",
          "items": {"$ref": "#/$defs/mapCharacteristic"}
        },
        "descriptors": {
          "type": "array",
          "description": "Descriptors in no service that is known.",
          "items": {"$ref": "#/$defs/mapDescriptor"}
        },
        "unknown": {
          "type": "array",
          "description": "Handles that were used but never discovered.",
          "items": {
            "type": "object",
            "description": "A handle that was used although no discovery tells what it is.",
            "required": ["handle", "operations"],
            "additionalProperties": false,
            "properties": {
              "handle": {"$ref": "#/$defs/handle"},
              "operations": {
                "type": "object",
                "description": "How often it was used, by operation.",
                "additionalProperties": {"type": "integer", "minimum": 0}
              },
              "role": {
                "type": "string",
                "description": "What it must be, where the evidence allows to say.",
                "pattern": "^[a-z0-9_]+$"
              },
              "of": {"$ref": "#/$defs/handle", "description": "The attribute that it belongs to."},
              "via": {"$ref": "#/$defs/via"},
              "packets": {
                "type": "array",
                "description": "The packets that this was concluded from.",
                "items": {"$ref": "#/$defs/packetNumber"}
              },
              "properties": {"$ref": "#/$defs/properties", "description": "Those that it must have, by its use."},
              "value": {"$ref": "#/$defs/hex", "description": "The last value known."},
              "value_packet": {"$ref": "#/$defs/packetNumber", "description": "Where it crossed the link."},
              "value_operation": {"$ref": "#/$defs/operation", "description": "How it crossed: whether a client wrote it, or the server said it."},
              "access": {"$ref": "#/$defs/mapAccess"},
              "hidden": {"$ref": "#/$defs/hidden"}
            }
          }
        }
      }
    },
    "mapCharacteristic": {
      "type": "object",
      "description": "A characteristic.",
      "required": ["uuid", "value_handle"],
      "additionalProperties": false,
      "properties": {
        "uuid": {"$ref": "#/$defs/uuid"},
        "name": {"type": "string", "description": "Its name, if it has one."},
        "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
        "declaration_handle": {"$ref": "#/$defs/handle", "description": "Handle of its declaration."},
        "value_handle": {"$ref": "#/$defs/handle", "description": "Handle of its value."},
        "properties": {"$ref": "#/$defs/properties"},
        "via": {"$ref": "#/$defs/via"},
        "packet": {"$ref": "#/$defs/packetNumber", "description": "Where it was learnt."},
        "value": {"$ref": "#/$defs/hex", "description": "The last value known; absent where none was read or sent."},
        "decoded": {"$ref": "#/$defs/decoded"},
        "value_packet": {"$ref": "#/$defs/packetNumber", "description": "The packet that the value was in."},
        "value_operation": {"$ref": "#/$defs/operation", "description": "How it crossed: whether a client wrote it, or the server said it."},
        "access": {"$ref": "#/$defs/mapAccess"},
        "hidden": {"$ref": "#/$defs/hidden"},
        "descriptors": {
          "type": "array",
          "description": "Its descriptors.",
          "items": {"$ref": "#/$defs/mapDescriptor"}
        }
      }
    },
    "mapDescriptor": {
      "type": "object",
      "description": "A descriptor.",
      "required": ["uuid", "handle"],
      "additionalProperties": false,
      "properties": {
        "hidden": {"$ref": "#/$defs/hidden"},
        "uuid": {"$ref": "#/$defs/uuid"},
        "name": {"type": "string", "description": "Its name, if it has one."},
        "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
        "handle": {"$ref": "#/$defs/handle"},
        "of": {"$ref": "#/$defs/handle", "description": "The value that it belongs to, where that was never discovered and is concluded from what it sent."},
        "via": {"$ref": "#/$defs/via"},
        "packet": {"$ref": "#/$defs/packetNumber", "description": "Where it was learnt."},
        "value": {"$ref": "#/$defs/hex", "description": "The last value known."},
        "value_packet": {"$ref": "#/$defs/packetNumber", "description": "The packet that the value was in."},
        "value_operation": {"$ref": "#/$defs/operation", "description": "How it crossed: whether a client wrote it, or the server said it."},
        "access": {"$ref": "#/$defs/mapAccess"},
        "decoded": {"$ref": "#/$defs/decoded"},
        "hidden": {"$ref": "#/$defs/hidden"}
      }
    },
    "mapAccess": {
      "type": "array",
      "description": "Observed access.",
      "items": {
        "type": "object",
        "description": "An operation that was tried, and what became of it. Permissions never cross the link, so this is all that can be known of them.",
        "required": ["operation", "outcome", "packet"],
        "additionalProperties": false,
        "properties": {
          "operation": {"$ref": "#/$defs/operation"},
          "security": {
            "type": "string",
            "description": "The link's security at that time: unencrypted, encrypted, authenticated.",
            "pattern": "^[a-z_]+$"
          },
          "outcome": {"$ref": "#/$defs/code", "description": "The ATT error, or 0x00 where the operation was allowed."},
          "packet": {"$ref": "#/$defs/packetNumber", "description": "The packet with the outcome."}
        }
      }
    },
    "mapExtent": {"enum": ["all", "part", "none"], "description": "How much of it was asked for."},
    "mapKind": {
      "enum": ["service", "include", "characteristic", "value", "descriptor"],
      "description": "What the attribute is."
    },
    "mapStatement": {
      "type": "object",
      "description": "What a discovery says of an attribute.",
      "required": ["attribute", "uuid"],
      "additionalProperties": false,
      "properties": {
        "attribute": {"$ref": "#/$defs/mapKind"},
        "uuid": {"$ref": "#/$defs/uuid"},
        "name": {"type": "string", "description": "Its name, if it has one."},
        "registered_to": {"type": "string", "description": "Who registered the UUID, which others may use too."},
        "packet": {"$ref": "#/$defs/packetNumber"},
        "via": {"$ref": "#/$defs/via", "description": "Where no packet says it."}
      }
    },
    "operation": {
      "enum": [
        "advertisement",
        "read",
        "write",
        "write_without_response",
        "signed_write",
        "prepared_write",
        "notification",
        "indication"
      ],
      "description": "How a value crossed the link."
    },
    "finding": {
      "type": "object",
      "description": "A problem with its cause and the evidence for it. With type: a line of `gattscope live --view explain --json`.",
      "required": ["rule", "severity", "what", "certainty", "evidence"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "finding", "description": "Present where it is a line by itself."},
        "rule": {"type": "string", "description": "The rule that found it; stable.", "pattern": "^[a-z0-9_]+$"},
        "severity": {"enum": ["error", "warning", "note"], "description": "How bad it is."},
        "what": {"type": "string", "description": "What failed."},
        "cause": {"type": "string", "description": "The cause that the evidence supports."},
        "certainty": {"enum": ["certain", "likely", "possible"], "description": "How sure the cause is."},
        "resolved": {"const": true, "description": "Present where later packets show that it came right."},
        "connections": {
          "type": "array",
          "description": "Where it is told once for several connections: their numbers. Of a line by itself also the number of a single one.",
          "items": {"type": "integer", "minimum": 1},
          "minItems": 1
        },
        "uuid": {"$ref": "#/$defs/uuid", "description": "The attribute that it is about, where that is one and known."},
        "handle": {"$ref": "#/$defs/handle", "description": "Its handle."},
        "evidence": {
          "type": "array",
          "description": "The packets that show it, the first thousand, in the order in which they are to be read.",
          "items": {"$ref": "#/$defs/packetNumber"}
        },
        "details": {
          "type": "object",
          "description": "What else was found out, a line each; what is secret is told in part, unless --show-keys is given.",
          "properties": {"hidden": {"$ref": "#/$defs/hidden"}},
          "additionalProperties": {"type": "string"}
        },
        "remedy": {"type": "string", "description": "What people do about it."},
        "note": {"type": "string", "description": "What else is to be known."}
      }
    },
    "coverageParts": {
      "type": "array",
      "description": "Kinds of evidence that a capture may lack.",
      "items": {"enum": ["commands", "events", "sent_data", "received_data", "opening", "end", "packet_accounting"]},
      "minItems": 1
    },
    "found": {
      "type": "object",
      "description": "How many findings there are of each severity.",
      "required": ["error", "warning", "note"],
      "additionalProperties": false,
      "properties": {
        "error": {"type": "integer", "description": "What the devices were to do did not work.", "minimum": 0},
        "warning": {"type": "integer", "description": "Something failed that the session got along without.", "minimum": 0},
        "note": {"type": "integer", "description": "Worth knowing; nothing failed, or it came right.", "minimum": 0}
      }
    },
    "verdict": {
      "type": "object",
      "description": "The last line of `gattscope live --view explain --json`.",
      "required": ["type", "records", "verdict", "found"],
      "additionalProperties": false,
      "properties": {
        "type": {"const": "verdict"},
        "records": {"type": "integer", "description": "Records that came.", "minimum": 0},
        "verdict": {"type": "string", "description": "The answer in one sentence."},
        "found": {"$ref": "#/$defs/found"}
      }
    },
    "storyLine": {
      "type": "object",
      "description": "Something that happened on a connection.",
      "required": ["first_packet", "last_packet", "text"],
      "additionalProperties": false,
      "properties": {
        "first_packet": {"$ref": "#/$defs/packetNumber", "description": "The first packet that it is about."},
        "last_packet": {"$ref": "#/$defs/packetNumber", "description": "The last one."},
        "elapsed_s": {"$ref": "#/$defs/elapsed", "description": "Seconds from the capture's earliest time to the first packet."},
        "text": {"type": "string", "description": "What happened, in words."},
        "conclusions": {"type": "array", "description": "What follows from it.", "items": {"type": "string"}, "minItems": 1}
      }
    },
    "ruleList": {
      "type": "object",
      "description": "The document of `gattscope explain --list-rules --json`.",
      "required": ["schema", "rules"],
      "additionalProperties": false,
      "properties": {
        "schema": {"const": 1, "description": "Number of this schema."},
        "rules": {
          "type": "array",
          "description": "Every rule, in the order in which findings of one severity are told.",
          "items": {
            "type": "object",
            "required": ["rule", "severity", "finds", "when"],
            "additionalProperties": false,
            "properties": {
              "rule": {"type": "string", "description": "Its name; stable.", "pattern": "^[a-z0-9_]+$"},
              "severity": {"enum": ["error", "warning", "note"], "description": "How bad what it finds is in general."},
              "finds": {"type": "string", "description": "What it finds."},
              "when": {"type": "string", "description": "When it speaks."},
              "needs": {"$ref": "#/$defs/coverageParts", "description": "What a capture must hold, or the rule is skipped."},
              "leans_on": {"$ref": "#/$defs/coverageParts", "description": "What makes its findings less certain if the capture lacks it."},
              "remedy": {"type": "string", "description": "What people do about it."}
            }
          }
        }
      }
    }
  }
}

"""#
}
