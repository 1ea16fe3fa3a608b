"""What a pause costs on this machine, whatever runs on it: memory that nobody has touched for a while, touched again."""
import mmap
import statistics
import time

PAGES = 2048
SLOW_US = 50
PAUSES_MS = (2, 20, 100, 200, 500, 1000)


def touch(memory):
    """(pages that took long, microseconds of all)"""
    size, now = mmap.PAGESIZE, time.perf_counter_ns
    slow, began = 0, now()
    last = began
    for at in range(0, PAGES * size, size):
        memory[at] = 1
        end = now()
        slow += end - last > SLOW_US * 1000
        last = end
    return slow, (last - began) / 1000


def measure(rounds):
    """[{"pause_ms", "slow", "us", "again_us"}]: after the pause, and once more right away; medians."""
    with mmap.mmap(-1, PAGES * mmap.PAGESIZE) as memory:
        touch(memory)
        found = []
        for pause_ms in PAUSES_MS:
            first, again = [], []
            for _ in range(rounds):
                time.sleep(pause_ms / 1000)
                first.append(touch(memory))
                again.append(touch(memory))
            found.append({"pause_ms": pause_ms, "slow": statistics.median(slow for slow, _ in first),
                          "us": statistics.median(us for _, us in first), "again_us": statistics.median(us for _, us in again)})
        return found
