# SPDX-License-Identifier: MIT
# squat.py NAME: another user takes the abstract name, with a full queue.
import os, socket, sys, time
os.setgroups([])
os.setgid(54321)
os.setuid(54321)
def new():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.setblocking(False)
    return s
s = new()
s.bind("\0" + sys.argv[1])
s.listen(0)
full = []
try:
    while True:
        full.append(new())
        full[-1].connect("\0" + sys.argv[1])
except BlockingIOError:
    print("full", flush=True)
time.sleep(1700)
