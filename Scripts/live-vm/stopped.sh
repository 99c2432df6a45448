# A reader that is stopped while more comes than its socket holds: what was lost must be told.
# Without CAP_NET_ADMIN the kernel gives no larger buffer.
confined='/usr/bin/setpriv --bounding-set -net_admin'
echo 65536 >/proc/sys/net/core/rmem_max
start_recorders
kill -STOP $live
step smp smp-tester
kill -CONT $live
sleep 2
step l2cap l2cap-tester
stop_recorders
