# Runs BlueZ's own testers of pairing and L2CAP: thousands of records, from controllers that appear and disappear.
start_recorders
step smp smp-tester
step l2cap l2cap-tester
stop_recorders
