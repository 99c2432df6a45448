# BlueZ's own testers of pairing and L2CAP: thousands of records, of controllers that come and go.
start_recorders
step smp smp-tester
step l2cap l2cap-tester
stop_recorders
