"""Counts the checks, and goes through those of a place."""
import sys
import time

from checks import all_checks, probe
from probes import REFUSED, WORKS

# Under the full tier these are asked otherwise, by the escape suite: there are no processes of ours to be seen, the
# network is a private one, and /tmp is the run's own.
FULL = [row for row in WORKS] + [row for row in REFUSED if "capability" in row[0] or "namespace" in row[0]]


class Count:
    passed = failed = 0

    def tell(self, name, wrong, started):
        if wrong:
            self.failed += 1
            print(f"not ok {name} ({time.monotonic() - started:.2f}s)\n  " + str(wrong).replace("\n", "\n  "))
        else:
            self.passed += 1
            print(f"ok {name} ({time.monotonic() - started:.2f}s)")
        sys.stdout.flush()


def guarded(check, *args):
    try:
        return check(*args)
    except Exception as e:  # a server that died is a result
        return f"{type(e).__name__}: {e}"


def end_of_input(place):
    """With a run under way: status 0 within two seconds."""
    server = place.server()
    server.start("import time; time.sleep(60)")
    time.sleep(.5)
    started = time.monotonic()
    status = server.close()
    took = time.monotonic() - started
    return "" if status == 0 and took < place.patience_s else f"status {status} after {took:.1f} s"


def check_place(count, place):
    started = time.monotonic()
    doctor = place.doctor()
    wrong = "" if f"sandbox: {place.tier}" in doctor else doctor
    count.tell(f"{place.name}: the tier is `{place.tier}`", wrong, started)
    if wrong:
        return
    server = place.server()
    for name, check in all_checks(place) if place.tier == "container" else [(n, lambda s, _, p=p: probe(s, p)) for n, p in FULL]:
        started = time.monotonic()
        count.tell(f"{place.name}: {name}", guarded(check, server, place), started)
    started = time.monotonic()
    count.tell(f"{place.name}: the server ends with its input", "" if server.close() == 0 else "status", started)
    started = time.monotonic()
    count.tell(f"{place.name}: and with a run under way", guarded(end_of_input, place), started)
