"""numpy, pandas, matplotlib and scipy from Debian's packages under the full tier: imported and really used, at a raised
limit and at the default one, as root and as an ordinary user."""
import os
import subprocess

from asuser import OrdinaryUser
from cases import ServerCase

PACKAGES = "/usr/lib/python3/dist-packages"  # -S leaves it out
INTERPRETER = "/usr/bin/python3"  # the one Debian's packages are built for
START = f"import sys\nsys.path.append({PACKAGES!r})\n"

IMPORTS = "import numpy, pandas, matplotlib, scipy\nprint(numpy.__version__ > '1' and 'all there')\n"

ARRAYS = """
import numpy as np
a = np.arange(1_000_000, dtype=np.float64).reshape(1000, 1000)
assert a.sum() == 999_999 * 1_000_000 / 2
assert (a.T[3] == a[:, 3]).all() and a[a > 999_990].size == 9
x = np.sin(2 * np.pi * 50 * np.arange(1000) / 1000)
assert np.abs(np.fft.rfft(x)).argmax() == 50
assert np.allclose(np.fft.ifft(np.fft.fft(x)).real, x)
rng = np.random.default_rng(1)
m = rng.standard_normal((400, 400))
b = rng.standard_normal(400)
assert np.allclose(m @ np.linalg.solve(m, b), b)
u, s, v = np.linalg.svd(m)
assert np.allclose((u * s) @ v, m)
w, q = np.linalg.eigh(m + m.T)
assert np.allclose(q @ np.diag(w) @ q.T, m + m.T)
np.save("a.npy", a[:100])
assert (np.load("a.npy", mmap_mode="r") == a[:100]).all()
print("arrays")
"""

THREADS = """
import os
import numpy as np
m = np.ones((600, 600))
assert (m @ m)[0, 0] == 600
threads = len(os.listdir("/proc/self/task"))
assert threads <= 4, threads
print("threads")
"""

FRAMES = """
import io
import pandas as pd
f = pd.DataFrame({"shop": list("abcab") * 1000, "day": pd.date_range("2024-01-01", periods=5000, freq="h"), "sold": range(5000)})
by = f.groupby("shop")["sold"].agg(["count", "sum"])
assert by["count"].to_dict() == {"a": 2000, "b": 2000, "c": 1000} and by["sum"].sum() == sum(range(5000))
assert len(f.set_index("day").resample("D")["sold"].sum()) == 209
assert f.merge(by.reset_index(), on="shop").shape == (5000, 5)
f.to_csv("f.csv", index=False)
assert pd.read_csv("f.csv", parse_dates=["day"]).equals(f)
assert f["day"].dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin").iloc[0].hour == 1
print("frames")
"""

FIGURE = """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import struct
fig, (one, two) = plt.subplots(1, 2, figsize=(6, 3), dpi=100)
one.plot([1, 4, 9, 16], label="squares ²")
one.legend()
one.set_title(r"$\\sqrt{x}$ and Ω")
two.imshow([[0, 1], [1, 0]])
fig.savefig("figure.png")
data = open("figure.png", "rb").read()
assert data[:8] == b"\\x89PNG\\r\\n\\x1a\\n" and struct.unpack(">II", data[16:24]) == (600, 300), data[:30]
assert (plt.imread("figure.png") < 0.5).any()
fig.savefig("figure.svg")
print("figure")
"""

SCIENCE = """
import numpy as np
from scipy import integrate, interpolate, linalg, optimize, signal, sparse, stats
from scipy.sparse.linalg import spsolve
assert np.allclose(optimize.minimize(optimize.rosen, [1.3, 0.7, 0.8]).x, 1, atol=1e-3)
assert abs(optimize.brentq(lambda x: x * x - 2, 0, 2) - 2 ** 0.5) < 1e-9
assert optimize.linprog([-1, -2], A_ub=[[1, 1]], b_ub=[4]).fun == -8
fitted, _ = optimize.curve_fit(lambda x, a, b: a * x + b, [0, 1, 2], [1, 3, 5])
assert np.allclose(fitted, [2, 1])
assert abs(integrate.quad(np.exp, 0, 1)[0] - (np.e - 1)) < 1e-9
assert np.allclose(interpolate.CubicSpline([0, 1, 2, 3], [0, 1, 8, 27])(1.5), 3.375)
assert np.allclose(linalg.expm(np.zeros((3, 3))), np.eye(3))
assert len(signal.find_peaks(np.sin(np.linspace(0, 20, 500)))[0]) == 3
assert np.allclose(spsolve(sparse.eye(50, format="csc") * 2, np.ones(50)), 0.5)
assert stats.ttest_ind([1, 2, 3, 4], [11, 12, 13, 14]).pvalue < 0.001
print("science")
"""

PROCESSES = """
import multiprocessing
import numpy as np
def work(n):
    return float(np.linalg.norm(np.ones(n)))
with multiprocessing.Pool(2) as pool:
    assert pool.map(work, [1, 4, 9]) == [1.0, 2.0, 3.0]
print("processes")
"""


class Libraries(ServerCase):
    limit_seconds = 300
    memory_mb = "1024"
    start = START
    more = {}
    identity = "caller"

    @classmethod
    def setUpClass(cls):
        done = subprocess.run([INTERPRETER, "-I", "-c", IMPORTS], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError("apt-get install python3-numpy python3-pandas python3-matplotlib python3-scipy: they can't be "
                                 f"imported outside: {done.stderr[-500:]}")

    def setUp(self):
        arguments = {}
        if self.identity == "user":
            user = OrdinaryUser()
            self.addCleanup(user.close)
            arguments = user.client_arguments()
        self.c = self.client({"RUNNER_PYTHON": INTERPRETER, "RUNNER_MAX_MEMORY_MB": self.memory_mb, "RUNNER_MAX_CPU_SECONDS": "120",
                              "RUNNER_MAX_TIMEOUT_SEC": "240", "RUNNER_SANDBOX": os.environ.get("TEST_TIER", "strict"), **self.more}, **arguments)

    def check(self, program, says):
        o = self.c.run(self.start + program, 300, timeout=240)
        self.assertEqual((o.status, o.exit_code, o.stdout, o.stderr), ("exited", 0, says + "\n", ""), o.text[-3000:])

    def test_import(self):
        self.check(IMPORTS, "all there")

    def test_numpy(self):
        self.check(ARRAYS, "arrays")

    def test_blas_threads_are_bounded(self):
        self.check(THREADS, "threads")

    def test_pandas(self):
        self.check(FRAMES, "frames")

    def test_matplotlib(self):
        self.check(FIGURE, "figure")

    def test_scipy(self):
        self.check(SCIENCE, "science")

    def test_multiprocessing(self):
        self.check(PROCESSES, "processes")


class DefaultMemory(Libraries):
    """As much as there is when nobody asks for more; and the packages where RUNNER_SITE_PACKAGES shows them."""

    memory_mb = "256"
    start = ""
    more = {"RUNNER_SITE_PACKAGES": "true"}


class Preloaded(Libraries):
    """All that was mapped beforehand is no program's memory."""

    memory_mb = "256"
    start = ""
    more = {"RUNNER_SITE_PACKAGES": "true", "RUNNER_PRELOAD": "numpy, pandas, matplotlib.pyplot, scipy.stats"}

    def test_nothing_is_left_out(self):
        self.check("import sys\nassert {'numpy', 'pandas', 'matplotlib.pyplot', 'scipy.stats'} <= set(sys.modules)\nprint('loaded')", "loaded")
        self.assertEqual([line for line in self.c.log if "PRELOAD" in line], [])

    def test_random_numbers_differ(self):
        code = "import numpy as np, random, scipy.stats\nprint(np.random.rand(), np.random.default_rng().random(), scipy.stats.norm.rvs(), random.random())"
        seen = [word for _ in range(5) for word in self.c.run(code, 60).stdout.split()]
        self.assertEqual(len(set(seen)), 20, seen)
        code = "import numpy as np\nnp.random.seed(1)\nprint(np.random.rand())"
        self.assertEqual(len({self.c.run(code, 60).stdout for _ in range(2)}), 1)

    def test_its_own_memory(self):
        """As much as without a preload, and no more."""
        self.check("import numpy as np\na = np.ones(20 << 20)\ntry:\n    np.ones(40 << 20)\nexcept MemoryError:\n    print(int(a.sum()) >> 20)", "20")

    def test_figures_without_a_display(self):
        """No backend is named, and nothing is said of a directory or a font cache."""
        self.check("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.savefig('x.png')\n"
                   "assert open('x.png', 'rb').read(4) == b'\\x89PNG'\nprint('saved')", "saved")


if os.geteuid() == 0:

    class OrdinaryUserPreloaded(Preloaded):
        identity = "user"
        test_import = test_scipy = test_matplotlib = test_multiprocessing = test_blas_threads_are_bounded = None  # as in the others

    class OrdinaryUsers(Libraries):
        identity = "user"
