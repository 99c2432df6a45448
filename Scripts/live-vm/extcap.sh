# tshark captures through Wireshark's extcap what `live` and tcpdump record: advertising, a connection, a pairing.
btvirt -L -l2 >/out/btvirt.txt 2>&1 &
until_true test -e /sys/class/bluetooth/hci1 || say "no controllers"
usleep 500000
step setup manage setup
tshark -i gattscope-monitor -w /out/extcap.pcapng >/out/tshark.txt 2>/out/tshark.err &
tshark=$!
# The process whose standard output is tshark's pipe.
capturing() {
  for folder in /proc/[0-9]*; do
    case $(readlink "$folder/fd/1") in
      *wireshark_extcap*) gattscope=${folder#/proc/} && return ;;
    esac
  done
  return 1
}
# Emulated, tshark needs half a minute to begin.
tries=0
until capturing || [ $tries -gt 600 ]; do
  tries=$((tries + 1))
  usleep 200000
done
until_true has_socket "$gattscope" || say "tshark's gattscope has no socket"
start_recorders

step advertise manage advertise
step pair manage pair
step disconnect manage disconnect
sleep 2
kill -INT $tshark
wait $tshark
echo $? >/out/tshark.status
stop_recorders
