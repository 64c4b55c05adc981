"""Runs a program in a pseudo-terminal and types what a person would type. Reads a JSON object from stdin: `argv`,
`cwd`, `env`, and `steps`, a list of [text to wait for, keys to type]. Prints a JSON object: `code`, `output`."""

import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import fcntl
import time

task = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(task["cwd"])
    os.execve(task["argv"][0], task["argv"], task["env"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))

output = b""
seen = 0


def read_until(text, seconds):
    """Whether the text came; without one, reads to the end."""
    global output, seen
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        at = output.find(text, seen) if text is not None else -1
        if at >= 0:
            seen = at + len(text)
            return True
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if not ready:
            continue
        try:
            some = os.read(terminal, 65536)
        except OSError:
            some = b""
        if some == b"":
            return text is None
        output += some
    return False


missed = None
for wanted, keys in task["steps"]:
    if not read_until(wanted.encode(), 60):
        missed = wanted
        break
    # The question is drawn before its keys are read.
    time.sleep(0.15)
    if keys == "SIGTERM":
        os.kill(pid, signal.SIGTERM)
    else:
        os.write(terminal, keys.encode())
if missed is not None or not read_until(None, 60):
    os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
print(json.dumps({"code": code, "output": output.decode(errors="replace"), "missed": missed}))
