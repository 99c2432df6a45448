"""Two of bumble's virtual controllers that behave as if there were a radio between them.

bumble's own controllers answer at once, deliver whole L2CAP PDUs, report different parameters to both ends of a link
and label advertising reports as no real controller does. These classes put a connection event between a packet and its
arrival, transfer link-layer packets one by one, and report what the specification requires.
"""

import asyncio
import math

from bumble import hci, link, ll
from bumble.controller import Controller

LEGACY_DATA_OCTETS = 27  # link-layer payload without Data Length Extension
EXTENDED_DATA_OCTETS = 251
TRANSPORT_DELAY = 0.000_35  # between host and controller, per packet

# Commands that the controllers support but bumble does not list.
EXTENDED_COMMANDS = {
    hci.HCI_LE_SET_ADVERTISING_SET_RANDOM_ADDRESS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_RESPONSE_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_ENABLE_COMMAND,
    hci.HCI_LE_REMOVE_ADVERTISING_SET_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
}

ADV_IND, SCAN_RSP = 0x0013, 0x001B  # Event_Type of legacy PDUs in an extended report (Core, Vol 4, Part E, 7.7.65.13)
NOT_AVAILABLE = 127  # TX power
NO_SET_ID = 0xFF


class Radio(link.LocalLink):
    """The air: one connection at a time, with connection events every interval."""

    def __init__(self) -> None:
        super().__init__()
        self.anchor = 0.0
        self.interval = 0.03
        self._last = 0.0

    def connected(self, interval_units: int) -> None:
        self.anchor = asyncio.get_running_loop().time() + 0.002
        self.interval = interval_units * 0.00125

    def at_next_event(self, callback, *args) -> None:
        """Calls back at the next connection event, one packet at a time."""
        loop = asyncio.get_running_loop()
        passed = math.floor((loop.time() - self.anchor + 1e-6) / self.interval)
        event = self.anchor + (passed + 1) * self.interval
        self._last = max(event, self._last + 0.0004)
        loop.call_at(self._last, callback, *args)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet) -> None:
        receiver = self.find_le_controller(receiver_address)
        self.at_next_event(receiver.on_ll_control_pdu, sender_address, packet)

    def other(self, controller: "RadioController") -> "RadioController":
        return next(each for each in self.controllers if each is not controller)


class RadioController(Controller):
    """One end. `extended` means Bluetooth 5: extended advertising and long link-layer packets."""

    def __init__(self, name: str, air: Radio, public_address: str, extended: bool) -> None:
        super().__init__(name, link=air, public_address=public_address)
        self.extended = extended
        self.data_octets = EXTENDED_DATA_OCTETS if extended else LEGACY_DATA_OCTETS
        self.le_acl_data_packet_length = self.data_octets
        self.supported_max_tx_octets = self.supported_max_rx_octets = self.data_octets
        self.supported_max_tx_time = self.supported_max_rx_time = 2120 if extended else 328
        if extended:
            self.supported_commands = self.supported_commands | EXTENDED_COMMANDS
        else:
            later = hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
            longer = hci.LeFeatureMask.LE_DATA_PACKET_LENGTH_EXTENSION
            self.le_features = self.le_features & ~(later | longer)
            self.supported_commands = self.supported_commands - {
                hci.HCI_LE_READ_SUGGESTED_DEFAULT_DATA_LENGTH_COMMAND,
                hci.HCI_LE_WRITE_SUGGESTED_DEFAULT_DATA_LENGTH_COMMAND,
                hci.HCI_LE_READ_MAXIMUM_DATA_LENGTH_COMMAND,
                hci.HCI_LE_SET_DATA_LENGTH_COMMAND,
            }
        self._host_free_at = 0.0
        self._reports = 0

    # Towards the host: in order, and never without delay.

    def send_hci_packet(self, packet) -> None:
        loop = asyncio.get_running_loop()
        content = bytes(packet)
        delay = TRANSPORT_DELAY + len(content) * 0.000_004
        self._host_free_at = max(loop.time(), self._host_free_at) + delay
        loop.call_at(self._host_free_at, self.host.on_packet, content)

    # Data: a packet from the host is sent at the next connection event; the central's next packet, an interval later,
    # acknowledges a peripheral's packet.

    def on_hci_acl_data_packet(self, packet) -> None:
        connection = self.find_le_connection_by_handle(packet.connection_handle)
        if connection is None:
            return
        first = packet.pb_flag != 1
        self.link.at_next_event(self._sent, connection, first, bytes(packet.data))

    def _sent(self, connection, first: bool, data: bytes) -> None:
        peer = self.link.other(self)
        theirs = next(iter(peer.le_connections.values()), None)
        if theirs is None:
            return
        boundary = 2 if first else 1
        peer.send_hci_packet(hci.HCI_AclDataPacket(theirs.handle, boundary, 0, len(data), data))
        completed = hci.HCI_Number_Of_Completed_Packets_Event([connection.handle], [1])
        if connection.role == hci.Role.CENTRAL:
            asyncio.get_running_loop().call_later(0.0003, self.send_hci_packet, completed)
        else:
            self.link.at_next_event(self.send_hci_packet, completed)

    # Advertising.

    def on_advertising_pdu(self, pdu) -> None:
        if self.le_scan_enable:
            advertiser = self.link.other(self)
            self._report(pdu.advertiser_address, bytes(pdu.data), scan_response=False)
            self._report(pdu.advertiser_address, advertiser.scan_response(), scan_response=True)
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def scan_response(self) -> bytes:
        if self.extended:
            return bytes(next(iter(self.advertising_sets.values())).scan_response_data)
        return bytes(self.le_legacy_advertiser.scan_response_data)

    def _report(self, address, data: bytes, scan_response: bool) -> None:
        self._reports += 1
        rssi = -52 - (self._reports * 5) % 11
        if self.extended:
            self.send_hci_packet(
                hci.HCI_LE_Extended_Advertising_Report_Event(
                    [
                        hci.HCI_LE_Extended_Advertising_Report_Event.Report(
                            event_type=SCAN_RSP if scan_response else ADV_IND,
                            address_type=address.address_type,
                            address=address,
                            primary_phy=hci.Phy.LE_1M,
                            secondary_phy=0,
                            advertising_sid=NO_SET_ID,
                            tx_power=NOT_AVAILABLE,
                            rssi=rssi,
                            periodic_advertising_interval=0,
                            direct_address_type=0,
                            direct_address=hci.Address.ANY,
                            data=data,
                        )
                    ]
                )
            )
        else:
            types = hci.HCI_LE_Advertising_Report_Event.EventType
            self.send_hci_packet(
                hci.HCI_LE_Advertising_Report_Event(
                    [
                        hci.HCI_LE_Advertising_Report_Event.Report(
                            event_type=types.SCAN_RSP if scan_response else types.ADV_IND,
                            address_type=address.address_type,
                            address=address,
                            data=data,
                            rssi=rssi,
                        )
                    ]
                )
            )

    # Connections: both ends get the same parameters.

    def create_le_connection(self, peer_address) -> None:
        super().create_le_connection(peer_address)
        self._announce_data_length()

    def on_le_connect_ind(self, packet) -> None:
        self.link.connected(packet.interval)
        send, held = self.send_hci_packet, []
        self.send_hci_packet = held.append
        try:
            super().on_le_connect_ind(packet)
        finally:
            self.send_hci_packet = send
        for event in held:
            if isinstance(event, hci.HCI_LE_Connection_Complete_Event):
                event = hci.HCI_LE_Connection_Complete_Event(
                    status=event.status,
                    connection_handle=event.connection_handle,
                    role=event.role,
                    peer_address_type=event.peer_address_type,
                    peer_address=event.peer_address,
                    connection_interval=packet.interval,
                    peripheral_latency=packet.latency,
                    supervision_timeout=packet.timeout,
                    central_clock_accuracy=5,  # 50 ppm
                )
            self.send_hci_packet(event)
        self._announce_data_length()

    def _announce_data_length(self) -> None:
        if not self.extended:
            return
        connection = next(iter(self.le_connections.values()))
        length, time = EXTENDED_DATA_OCTETS, 2120
        changed = hci.HCI_LE_Data_Length_Change_Event(connection.handle, length, time, length, time)
        asyncio.get_running_loop().call_later(0.004, lambda: self.link.at_next_event(self.send_hci_packet, changed))

    # The end of a link, as reported to the side that requested it.

    def on_hci_disconnect_command(self, command) -> None:
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection = self.find_le_connection_by_handle(command.connection_handle)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        local = hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR
        self.link.at_next_event(self.on_le_disconnected, connection, local)
