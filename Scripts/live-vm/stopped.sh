# A reader is stopped while more records arrive than its socket can hold: it must report the lost ones.
# Without CAP_NET_ADMIN the kernel does not allow a larger buffer.
confined='/usr/bin/setpriv --bounding-set -net_admin'
echo 65536 >/proc/sys/net/core/rmem_max
start_recorders
kill -STOP $live
step smp smp-tester
kill -CONT $live
sleep 2
step l2cap l2cap-tester
stop_recorders
