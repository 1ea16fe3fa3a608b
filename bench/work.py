"""The programs that are measured, and what each of them must print."""
import dataclasses
import subprocess
import time

MB = 1 << 20
BURN_SECONDS = 0.2

IMPORTS = """\
import dataclasses, json, re


@dataclasses.dataclass
class Word:
    text: str
    length: int


words = [Word(w, len(w)) for w in re.findall(r"\\w+", "one, two and three")]
print(json.dumps([dataclasses.asdict(w) for w in words]))
"""
IMPORTS_SAY = ('[{"text": "one", "length": 3}, {"text": "two", "length": 3}, {"text": "and", "length": 3}, '
               '{"text": "three", "length": 5}]\n')

# Under -S the packages are found through a path; where a server has imported them already, the line costs nothing.
PANDAS = """\
import sys
sys.path.append({folder!r})
import pandas as pd
table = pd.DataFrame(dict(key=["a", "b", "c"] * 100, value=range(300)))
print(table.groupby("key")["value"].sum().tolist())
"""

TRACEBACK = """\
def inner(n):
    return 1 / n


inner(0)
"""

WRITES = """\
import sys
block = b"x" * 65535 + b"\\n"
for _ in range({n}):
    sys.stdout.buffer.write(block)
"""

PRINTS = """\
line = "x" * 79
for _ in range({n}):
    print(line)
"""


@dataclasses.dataclass
class Work:
    key: str
    title: str
    code: str
    says: str = ""  # on stdout, whole
    stderr_ends: str = ""
    exit_code: int = 0
    stdout_bytes: int = -1  # where `says` is not given because it is long

    def __post_init__(self):
        if self.stdout_bytes < 0:
            self.stdout_bytes = len(self.says.encode())


def burn(python):
    """The same amount of work for everyone: what takes a bare interpreter here 0.2 s."""
    def code(n):
        return f"total = 0\nfor i in range({n}):\n    total += i * i % 7\nprint(total)\n"

    def seconds(n):
        started = time.perf_counter()
        subprocess.run([python, "-I", "-S", "-c", code(n)], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - started

    trial = 1_000_000
    took = min(seconds(trial) for _ in range(3)) - min(seconds(1) for _ in range(3))
    n = max(1, round(BURN_SECONDS / max(took, 1e-3) * trial))
    return Work("burn", f"{BURN_SECONDS} s of computing", code(n), says=f"{sum(i * i % 7 for i in range(n))}\n")


def pandas_folder(python):
    """Where pandas lies, or None."""
    found = subprocess.run([python, "-I", "-c", "import pandas, os; print(os.path.dirname(os.path.dirname(pandas.__file__)))"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return found.stdout.strip() or None


def latency_works(python):
    pandas = PANDAS.format(folder=pandas_folder(python))
    return [
        Work("empty", "an empty program", ""),
        Work("print", "`print(sum(range(10)))`", "print(sum(range(10)))", says="45\n"),
        Work("imports", "json, re, dataclasses", IMPORTS, says=IMPORTS_SAY),
        Work("traceback", "a traceback", TRACEBACK, stderr_ends="ZeroDivisionError: division by zero\n", exit_code=1),
        burn(python),
        Work("pandas", "`import pandas`, group-by", pandas, says="[14850, 14950, 15050]\n"),
    ]


def output_works():
    works = []
    for mb in (1, 100):
        works.append(Work(f"writes-{mb}", f"{mb} MB in 64 KB writes", WRITES.format(n=mb * MB // 65536), stdout_bytes=mb * MB))
        lines = mb * MB // 80
        works.append(Work(f"prints-{mb}", f"{mb} MB in 80-column prints", PRINTS.format(n=lines), stdout_bytes=80 * lines))
    return works
