#!/bin/sh
# The only process that the virtual machine starts: loads Bluetooth, starts the recorders, runs the traffic of
# /scenario.sh, and leaves its results in /out, which run.py reads from the disk.
export PATH=/bin:/usr/bin:/sbin:/usr/sbin HOME=/tmp TERM=dumb LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs -o size=300m out /out
ip link set lo up

say() { echo "GUEST $(cut -d' ' -f1 /proc/uptime) $*"; }

# step NAME COMMAND...: runs a step of the scenario and keeps its output.
step() {
  name=$1
  shift
  timeout 90 "$@" >"/out/$name.txt" 2>&1
  say "$name ended with $?"
}

# until_true COMMAND...: waits up to ten seconds.
until_true() {
  tries=0
  until "$@" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || return 1
    usleep 50000
  done
}

has_socket() { ls -l "/proc/$1/fd" | grep -q socket:; }

# Both recorders bind before the traffic begins; tcpdump, which decodes nothing, is the reference. A scenario may set
# `confined`, which runs gattscope with fewer privileges.
start_recorders() {
  tcpdump -Z root -U -i bluetooth-monitor -w /out/tcpdump.pcap 2>/out/tcpdump.txt &
  tcpdump=$!
  until_true grep -q listening /out/tcpdump.txt || say "tcpdump does not listen"
  $confined gattscope live -w /out/live.btsnoop >/out/live.txt 2>/out/live.err &
  live=$!
  until_true has_socket $live || say "gattscope has no socket"
  usleep 500000
}

stop_recorders() {
  sleep 1
  kill -INT $tcpdump
  kill -INT $live
  wait $live
  echo $? >/out/live.status
  wait $tcpdump
}

# Without Bluetooth in the kernel: modprobe must not load it yet, which opening the socket would cause.
echo /bin/false >/proc/sys/kernel/modprobe
timeout 20 gattscope live >/out/no-bluetooth.txt 2>&1
echo $? >/out/no-bluetooth.status

echo /bin/modprobe >/proc/sys/kernel/modprobe
for module in virtio_pci virtio_blk bluetooth hci_vhci algif_hash algif_skcipher cmac ecb ecdh_generic; do
  modprobe $module 2>/tmp/error || say "no module $module: $(cat /tmp/error)"
done
[ -e /dev/vhci ] || mknod /dev/vhci c 10 137

. /scenario.sh

[ -b /dev/vda ] || say "no disk"
tar cf /dev/vda -C /out .
sync
say end
poweroff -f
