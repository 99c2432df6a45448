# Two controllers are up before the recorders bind, so the kernel replays them; then come advertising, a connection, a
# pairing.
btvirt -L -l2 >/out/btvirt.txt 2>&1 &
until_true test -e /sys/class/bluetooth/hci1 || say "no controllers"
usleep 500000
step setup manage setup
start_recorders

# Without privileges.
su -s /bin/sh nobody -c 'gattscope live' >/out/unprivileged.txt 2>&1
echo $? >/out/unprivileged.status
# Only one adapter, through the kernel and through libpcap; and the list of sources.
gattscope live -i hci1 -w /out/hci1.btsnoop >/dev/null 2>/out/hci1.err &
one=$!
gattscope live -i pcap:bluetooth-monitor -w /out/pcap.btsnoop >/dev/null 2>/out/pcap.err &
pcap=$!
gattscope live --list >/out/list.txt 2>&1
until_true has_socket $one
until_true has_socket $pcap
usleep 800000

step advertise manage advertise
step pair manage pair
step disconnect manage disconnect
usleep 500000
kill -INT $one $pcap
wait $one
echo $? >/out/hci1.status
wait $pcap
echo $? >/out/pcap.status
stop_recorders
