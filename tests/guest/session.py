# SPDX-License-Identifier: MIT
# session.py COMMAND: the command on a terminal, which gets Ctrl-C once it has printed "ready".
import os, pty, select, struct, sys, fcntl, termios, time
pid, fd = pty.fork()
if not pid:
	fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
	os.execvp("bash", ["bash", "-c", sys.argv[1]])
seen, asked, latest = b"", False, time.time() + 150
while time.time() < latest:
	if select.select([fd], [], [], 0.5)[0]:
		try:
			piece = os.read(fd, 4096)
		except OSError:
			break
		seen += piece
		if not piece:
			break
	if b"ready" in seen and not asked:
		asked = True
		os.write(fd, b"\x03")
sys.stdout.write(seen.decode().replace("\r", ""))
