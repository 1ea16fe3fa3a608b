"""Medians, ratios and tables from what measure.py has seen. Nothing is measured here."""
import statistics

import pages

LETTERS = "abcdepf"
FLOOR_WORK = ("empty", "print")
HOLDS = ("no", "at least", "aim")


class Unknown(Exception):
    """Why a figure is not there."""


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * q))]


def spread(values):
    """(median, lower quartile, upper quartile)"""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high


def ratios(ours, theirs):
    """Round by round, so that a slow stretch of the machine is in both."""
    return spread([a / b for a, b in zip(ours, theirs)])


def number(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def with_spread(values):
    middle, low, high = values
    return number(middle) if low == middle == high else f"{number(middle)} ({number(low)} to {number(high)})"


def fraction(x):
    """1/15, as the targets are written."""
    return f"1/{number(1 / x)}"


def fraction_with_spread(values):
    middle, low, high = values
    word = fraction if middle < 0.5 else number  # all three in the same form
    return word(middle) if low == middle == high else f"{word(middle)} ({word(low)} to {word(high)})"


class Figures:
    """What was measured, and why the rest was not."""

    def __init__(self, seen):
        self.seen = seen

    def why_not(self, key):
        return self.seen["missing"].get(key, "not measured (--only)")

    def _of(self, part, *path):
        found = self.seen[part]
        for p in path:
            if p not in found:
                raise Unknown(self.why_not(p))
            found = found[p]
        return found

    def times(self, work, key, how="paced"):
        return self._of("latency", work, key)[how]

    def medians(self, work, key, how="paced"):
        return [statistics.median(times) for times in self.times(work, key, how)]

    def p50_ratio(self, work, key, base="b", how="paced"):
        return ratios(self.medians(work, key, how), self.medians(work, base, how))

    def p99_ratio(self, work, key, base="b"):
        """All calls of all rounds together: a round is too short for a 99th percentile."""
        bare = statistics.median(t for times in self.times(work, base) for t in times)
        return (quantile([t for times in self.times(work, key) for t in times], 0.99) / bare,) * 3

    def throughput_ratio(self, in_flight, key, base):
        return ratios(self._of("throughput", in_flight, key), self._of("throughput", in_flight, base))

    def output_ratio(self, work, key="a", base="b"):
        return ratios(self._of("output", work, base), self._of("output", work, key))

    def first_ratio(self, key):
        return ratios(self._of("start", key), self._of("start", "b"))

    def supervisor_mb(self):
        """(after all runs, growth since the first tenth of them)"""
        marks = self._of("memory", "a")["marks"]
        if marks[-1][1] is None:
            raise Unknown("its memory can't be read here")
        return marks[-1][1]["resident"] / 1024, (marks[-1][1]["resident"] - marks[0][1]["resident"]) / 1024

    def private_mb(self, role, key="a"):
        pages = self._of("memory", key)["roles"][role]
        if not pages or None in pages:
            raise Unknown("readable for root only" if pages else "there is none")
        return statistics.median(p["private"] for p in pages) / 1024


GROWTH_MB_MAX = 0.125  # since the first tenth of the runs; in 100,000 of them that finds a leak of two bytes a run


def rows(f):
    """(what, at least, aim, more is better, measured (middle, low, high), words, also needed for the aim)"""
    def supervisor():
        resident, growth = f.supervisor_mb()
        steady = growth <= GROWTH_MB_MAX
        return (resident,) * 3, f"{resident:.1f} MB, {'no growth' if steady else f'grew by {growth:.2f} MB'}", steady

    def part(values):
        return values, fraction_with_spread(values), True

    def plain(values):
        return values, with_spread(values), True

    def megabytes(x):
        return (x,) * 3, f"{x:.2f} MB", True

    runs = f.seen["memory"].get("a", {}).get("runs", 0)
    less, more = False, True
    return [
        ("p50 of `print(sum(range(10)))` ÷ p50 of bare `python3 -I -S -c`", "1/15", "1/30", less,
         lambda: part(f.p50_ratio("print", "a"))),
        ("p99 ÷ the same bare p50", "1/4", "1/10", less,
         lambda: part(f.p99_ratio("print", "a"))),
        ("throughput at 4 in flight ÷ that of the asyncio server", "3.5", "5", more,
         lambda: plain(f.throughput_ratio(4, "a", "c"))),
        ("first result after a cold start of the server ÷ bare p50", "3", "2", less,
         lambda: plain(f.first_ratio("a"))),
        ("cold mode p50 ÷ bare p50", "1.6", "1.3", less,
         lambda: plain(f.p50_ratio("print", "d"))),
        ("`import pandas` + group-by, preloaded ÷ bare", "1/25", "1/50", less,
         lambda: part(f.p50_ratio("pandas", "p"))),
        ("rate of 100 MB in 64 KB writes ÷ `python3 -c … \\| cat >/dev/null`", "0.7", "1", more,
         lambda: plain(f.output_ratio("writes-100"))),
        ("rate of 100 MB in 80-column prints ÷ the same", "0.3", "0.5", more,
         lambda: plain(f.output_ratio("prints-100"))),
        (f"supervisor resident, after {runs:,} runs", "8 MB", "5 MB, no growth", less,
         supervisor),
        ("a waiting worker, private memory", "4 MB", "2 MB", less,
         lambda: megabytes(f.private_mb("worker"))),
    ]


def target(words):
    first = words.split()[0].rstrip(",")
    return 1 / float(first[2:]) if first.startswith("1/") else float(first)


def must_hold(f):
    """[{"what", "at_least", "aim", "measured", "words", "holds"}]: holds is "no", "at least", "aim" or "unknown: REASON"."""
    found = []
    for what, at_least, aim, more, measured in rows(f):
        row = {"what": what, "at_least": at_least, "aim": aim, "measured": None, "words": "–"}
        try:
            values, row["words"], steady = measured()
            row["measured"] = values[0]
            sign = 1 if more else -1
            reached = [sign * values[0] >= sign * target(t) for t in (at_least, aim)]
            row["holds"] = HOLDS[2 if reached[1] and steady else 1 if reached[0] else 0]
        except Unknown as e:
            row["holds"] = f"unknown: {e}"
        found.append(row)
    return found


def table(head, body):
    """Markdown; the first column to the left, the others to the right."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def latency_table(f):
    head = ["", "p50, bare = 1", "p50, ms", "p95, ms", "p99, ms", "back to back p50, bare = 1", "p50, ms"]
    body = []
    for work, title in f.seen["titles"].items():
        if work not in f.seen["latency"]:
            continue
        body.append([f"**{title}**"] + [""] * 6)
        for key in LETTERS:
            if work != "pandas" and key == "p" or work == "pandas" and key in "de" or key == "f" and work not in FLOOR_WORK:
                continue
            body.append(latency_row(f, work, key))
    return table(head, body)


def latency_row(f, work, key):
    name = f"({key}) {f.seen['names'][key]}"
    try:
        everything = sorted(t for times in f.times(work, key) for t in times)
        row = [with_spread(spread(f.medians(work, key))), *(number(quantile(everything, q)) for q in (0.95, 0.99))]
        back = [with_spread(spread(f.medians(work, key, "back")))]
    except Unknown as e:
        return [name, str(e)] + [""] * 5
    try:
        paced_ratio, back_ratio = (fraction_with_spread(f.p50_ratio(work, key, how=how)) for how in ("paced", "back"))
    except Unknown:
        paced_ratio = back_ratio = "–"
    return [name, paced_ratio, *row, back_ratio, *back]


def simple_table(f, head, measured, columns, keys=LETTERS):
    """A row for each subject, a cell for each of `columns(key)`."""
    body = []
    for key in keys:
        name = f"({key}) {f.seen['names'][key]}"
        if key in measured:
            body.append([name, *columns(key)])
        elif key not in "pf":
            body.append([name, f.why_not(key)] + [""] * (len(head) - 2))
    return table(head, body)


def throughput_table(f):
    seen = f.seen["throughput"]
    first = next(iter(seen.values()), {})

    def cells(key):
        for n, rates in seen.items():
            yield with_spread(spread(rates[key]))
            yield number(f.throughput_ratio(n, key, "c")[0]) if "c" in rates else "–"

    return simple_table(f, [""] + [t for n in seen for t in (f"{n} in flight, a second", "(c) = 1")], first, cells)


def output_table(f):
    body = []
    for work, title in f.seen["titles"].items():
        seen = f.seen["output"].get(work)
        if not seen:
            continue
        body.append([f"**{title}**", "", ""])
        for key in "abcde":
            name = f"({key}) {f.seen['names'][key]}" + (" \\| cat >/dev/null" if key in "be" else "")
            if key not in seen:
                body.append([name, f.why_not(key), ""])
                continue
            rate = "–" if "b" not in seen else with_spread(f.output_ratio(work, key))
            body.append([name, rate, with_spread(spread(seen[key]))])
    return table(["", "rate, (b) = 1", "ms"], body)


def memory_table(f):
    body = []
    for key, seen in f.seen["memory"].items():
        for role, pages in seen["roles"].items():
            name = f"({key}) {role}" + (f", {len(pages)} of them, each" if len(pages) > 1 else "")
            if not pages or None in pages:
                body.append([name, "readable for root only" if pages else "there is none", ""])
                continue
            body.append([name, *(f"{statistics.median(p[k] for p in pages) / 1024:.2f}" for k in ("resident", "private"))])
        for runs, pages in seen["marks"]:
            if pages:
                resident, private = (f"{pages[k] / 1024:.2f}" for k in ("resident", "private"))
                body.append([f"({key}) supervisor after {runs:,} runs", resident, private])
    return table(["", "resident, MB", "private, MB"], body)


def cpu_table(f):
    seen = f.seen["cpu"]
    if "failed" in seen:
        return f"Not measured: {seen['failed']}."

    def cells(key):
        for what in ("processes", "machine"):
            ours, bare = seen[key][what], seen.get("b", {}).get(what)
            yield fraction_with_spread((ours / bare,) * 3) if ours and bare else "–"
            yield "others were busy" if ours is None else number(ours)

    return simple_table(f, ["", "its processes, bare = 1", "ms", "the whole machine, bare = 1", "ms"], seen, cells, "abcde")


def start_table(f):
    seen = f.seen["start"]
    return simple_table(f, ["", "bare = 1", "ms"], seen, lambda key: [
        fraction_with_spread(f.first_ratio(key)) if "b" in seen else "–", with_spread(spread(seen[key]))], "abcdp")


def client_words(seen):
    paced, back = (statistics.median(t for times in seen[how] for t in times) * 1000 for how in ("paced", "back"))
    return (f"The client's own part, with `cat` in a server's place: {paced:.0f} µs in paced calls, {back:.0f} µs back to "
            "back. It is in the times of all servers, and not taken off.")


def first_words(f):
    """Whether the p99 is that of the calls that come after a pause."""
    try:
        rounds = f.times("print", "a")
    except Unknown:
        return ""
    calls = sorted(((t, i == 0) for times in rounds for i, t in enumerate(times)), reverse=True)
    slowest = calls[:max(1, len(calls) // 100)]
    return (f" Of the slowest hundredth of (a)'s calls of `print(sum(range(10)))`, {sum(first for _, first in slowest)} of "
            f"{len(slowest)} are the first of their turn, which comes after a second or more of the others'.")


def pause_table(f):
    return table(["pause, ms", f"of {pages.PAGES} pages took over {pages.SLOW_US} µs", "all of them, µs", "again, µs"],
                 [[str(p["pause_ms"]), f"{p['slow']:g}", f"{p['us']:.0f}", f"{p['again_us']:.0f}"] for p in f.seen["pause"]])


SECTIONS = [  # part, title, what to know when reading it, table
    ("latency", "One call", """\
The headline p50 is that of *paced* calls: before each one the client waits until the server is at rest again, its pool full, as
an agent does that thinks between calls. *Back to back* the next call leaves in the moment the answer is there: that is the
throughput at 1 in flight. (f) is the floor, no competitor: the same interpreter forked and rehearsed beforehand, which waits for
its program on a socket and has neither server, protocol nor sandbox (floor.py).""", latency_table),
    ("throughput", "Programs a second", """\
`print(sum(range(10)))`. The servers run 4 at a time; the others queue. Processes without a server are started all at once.""",
     throughput_table),
    ("output", "Much output", """\
The whole time of the program, its start included. A server keeps 20,000 characters and drains the rest.""", output_table),
    ("start", "From the start of the process to the first result", """\
For a server: spawned, `initialize`, then `print(sum(range(10)))`; for the bare interpreter the program alone.""", start_table),
    ("cpu", "CPU of one run", """\
`print(sum(range(10)))` back to back, an idle server's use taken off. *Its processes* is user and system time of all processes
of the server (refilling the pool, forking and tear-down included). *The whole machine* is all but the client, so the kernel's
own threads too.""", cpu_table),
    ("memory", "Memory", "At rest. Private is what is in no other process.", memory_table),
    ("pause", "What a pause costs here", """\
No server, no call: a process writes one byte into each of its pages, does nothing for the pause, and writes again; and once
more. On a machine of one's own the last two columns are alike. Where they are not, somebody below has taken the pages away
meanwhile, and the first call after a pause pays for each page that it touches.""", pause_table),
]


def markdown(f):
    hold = table(["what", "at least", "aim", "measured", "holds"],
                 [[r["what"], r["at_least"], r["aim"], r["words"], r["holds"]] for r in must_hold(f)])
    parts = [f"# Benchmark\n\n{f.seen['machine']}.\n\n{f.seen['how']}", f"## What must hold\n\n{hold}"]
    for part, title, words, make in SECTIONS:
        if f.seen[part]:
            if part == "latency":
                words += " " + client_words(f.seen["client"]) + first_words(f)
            parts.append(f"## {title}\n\n{words}\n\n{make(f)}")
    unsettled = [f"{n} times for ({k})" for k, n in f.seen["unsettled"].items() if n]
    if unsettled:
        parts.append(f"The pool was not at rest again within 2 s: {', '.join(unsettled)}. Such calls are in the figures.")
    return "\n\n".join(parts) + "\n"
