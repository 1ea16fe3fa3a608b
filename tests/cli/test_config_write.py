"""config CLIENT --write: the client's own file, with everything in it kept."""
import json
import random
import resource
import stat

from cli import *

MERGE = {"claude-desktop": (".config/Claude/claude_desktop_config.json", ["mcpServers"]),
         "claude-code": (".claude.json", ["mcpServers"]),
         "vscode": (".config/Code/User/mcp.json", ["servers"]),
         "cursor": (".cursor/mcp.json", ["mcpServers"]),
         "openclaw": (".openclaw/openclaw.json", ["mcp", "servers"])}
PLACES = ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "OPENCLAW_CONFIG_PATH", "OPENCLAW_STATE_DIR", "OPENCLAW_HOME")
DOCKER = ("run -i --rm --network=none --read-only --tmpfs /tmp:size=64m,mode=1777 --security-opt no-new-privileges:true "
          "--cap-drop=ALL --memory=512m --cpus=1.0 --pids-limit=64 turhal-ai/python-runner-mcp:latest").split()


class WriteCase(CliCase):
    def setUp(self):
        self.home = self.folder()
        self.variables = {name: None for name in PLACES} | {"HOME": self.home, "RUNNER_PYTHON": None}

    def config(self, *args, **more):
        return call("config", *args, **{**self.variables, **more})

    def write(self, client, *args, **more):
        return self.config(client, "--write", "--yes", *args, **more)

    def path(self, client):
        return os.path.join(self.home, MERGE[client][0])

    def put(self, client, data, mode=0o600):
        path = self.path(client)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        os.chmod(path, mode)
        return path

    def get(self, path):
        with open(path, "rb") as f:
            return f.read()

    def servers(self, client):
        doc = json.loads(self.get(self.path(client)))
        for key in MERGE[client][1]:
            doc = doc[key]
        return doc

    def backups(self, path):
        return sorted(n for n in os.listdir(os.path.dirname(path)) if n.startswith(os.path.basename(path) + ".backup-"))

    def assert_beside(self, path, n_backups):
        """Nothing else was left beside the file."""
        self.assertEqual(len(self.backups(path)), n_backups)
        left = [n for n in os.listdir(os.path.dirname(path)) if n.startswith("." + os.path.basename(path) + ".")]
        self.assertEqual(left, [])

    def assert_refused(self, p, client, *words, block=True):
        """Status 1, one sentence, and what to paste instead."""
        self.assertEqual(p.returncode, 1, p.err)
        self.assertTrue(p.err.startswith("python-runner-mcp: "), p.err)
        for word in words:
            self.assertIn(word, p.err)
        if block:
            self.assertIn("Nothing was changed.", p.err)
            self.assertEqual(p.out, self.config(client).out)

    def assert_untouched(self, client, data, *words):
        path = self.put(client, data)
        p = self.write(client)
        self.assert_refused(p, client, path, *words)
        self.assertEqual(self.get(path), data if isinstance(data, bytes) else data.encode())
        self.assert_beside(path, 0)


class New(WriteCase):
    def test_every_client(self):
        for client in MERGE:
            with self.subTest(client):
                p = self.write(client)
                self.assertEqual((p.returncode, p.out), (0, b""), p.err)
                self.assertIn(self.path(client), p.err)
                self.assertEqual(self.get(self.path(client)), self.config(client).out)
                self.assertEqual(stat.S_IMODE(os.stat(self.path(client)).st_mode), 0o600)
                self.assert_beside(self.path(client), 0)

    def test_places_that_variables_name(self):
        there = os.path.join(self.home, "else where")
        for client, more, path in (("claude-desktop", {"XDG_CONFIG_HOME": there}, "Claude/claude_desktop_config.json"),
                                   ("vscode", {"XDG_CONFIG_HOME": there}, "Code/User/mcp.json"),
                                   ("claude-code", {"CLAUDE_CONFIG_DIR": there}, ".claude.json"),
                                   ("openclaw", {"OPENCLAW_HOME": there}, ".openclaw/openclaw.json"),
                                   ("openclaw", {"OPENCLAW_HOME": "/no", "OPENCLAW_STATE_DIR": there}, "openclaw.json"),
                                   ("openclaw", {"OPENCLAW_STATE_DIR": "/no", "OPENCLAW_CONFIG_PATH": there + "/my.json"},
                                    "my.json"),
                                   ("openclaw", {"OPENCLAW_CONFIG_PATH": "~/else where/tilde.json"}, "tilde.json")):
            p = self.write(client, **more)
            self.assertEqual(p.returncode, 0, p.err)
            self.assertIn(b'"python-runner"', self.get(os.path.join(there, path)))

    def test_places_that_are_none(self):
        for client, more in (("cursor", {"HOME": "here"}), ("openclaw", {"OPENCLAW_CONFIG_PATH": "openclaw.json"})):
            ((name, value),) = more.items()
            self.assert_usage(self.write(client, **more), f"{name}={value}: must be an absolute path")

    def test_a_blank_file(self):
        for data in ("", " \n\n"):
            path = self.put("cursor", data)
            self.assertEqual(self.write("cursor").returncode, 0)
            self.assertEqual(self.get(path), self.config("cursor").out)


class Kept(WriteCase):
    def test_comments_order_and_layout(self):
        old = ("// my own\n{\n\t// channels\n\tchannels: {telegram: {enabled: true,},},\n\tmcp: {\n\t\tservers: {\n"
               "\t\t\t'docs': { url: 'https://example.com', /* later */ },\n\t\t}, // servers\n\t},\n"
               "\ttools: {profile: 'full'},\n}\n")
        path = self.put("openclaw", old, 0o640)
        p = self.write("openclaw")
        self.assertEqual(p.returncode, 0, p.err)
        new = self.get(path).decode()
        head, tail = old.split("\t\t}, // servers")
        self.assertTrue(new.startswith(head), new)
        self.assertTrue(new.endswith("\t\t}, // servers" + tail), new)
        added = new[len(head):-len("\t\t}, // servers" + tail)]
        self.assertTrue(added.startswith('\t\t\t"python-runner": {\n\t\t\t\t"transport": "stdio",\n'), added)
        block = json.loads("{" + added.strip().rstrip(",") + "}")["python-runner"]
        self.assertEqual(block, json.loads(self.config("openclaw").out)["mcp"]["servers"]["python-runner"])
        self.assertEqual([self.get(os.path.join(os.path.dirname(path), n)).decode() for n in self.backups(path)], [old])
        self.assertIn(self.backups(path)[0], p.err)

    def test_strict_json_stays_the_same_document(self):
        doc = {"numStartups": 12, "z": 1.50, "big": 12345678901234567890, "ü": ["\u2028", None],
               "mcpServers": {"other": {"command": "x"}}, "projects": {"/home/me": {"mcpServers": {}}}}
        for text in (json.dumps(doc, indent=4, ensure_ascii=False), json.dumps(doc), json.dumps(doc, separators=(",", ":")),
                     json.dumps(doc, indent=2).replace("\n", "\r\n"), "\ufeff" + json.dumps(doc, indent="\t")):
            path = self.put("claude-code", text)
            p = self.write("claude-code")
            self.assertEqual(p.returncode, 0, p.err)
            new = json.loads(self.get(path).decode("utf-8-sig"))
            self.assertEqual(new["mcpServers"].pop("python-runner")["command"], os.path.realpath(BIN))
            self.assertEqual(json.dumps(new), json.dumps(doc))

    def test_again_changes_nothing(self):
        path = self.put("cursor", '{"mcpServers": {}}')
        self.assertEqual(self.write("cursor").returncode, 0)
        before = self.get(path), os.stat(path).st_ino
        p = self.config("cursor", "--write", stdin=self.terminal().there)  # and asks nothing
        self.assertEqual((p.returncode, p.out), (0, b""), p.err)
        self.assertIn("nothing to do", p.err)
        self.assertEqual((self.get(path), os.stat(path).st_ino), before)
        self.assert_beside(path, 1)

    def test_an_entry_that_somebody_changed(self):
        mine = {"command": "/old/place", "args": ["serve"], "disabled": True,
                "env": {"RUNNER_MAX_QUEUE": "7", "RUNNER_PYTHON": "/my/python"}}
        self.put("cursor", json.dumps({"mcpServers": {"python-runner": mine}}))
        p = self.write("cursor", RUNNER_MAX_QUEUE="9", RUNNER_MAX_MEMORY_MB="512")
        self.assertEqual(p.returncode, 0, p.err)
        self.assertEqual(self.servers("cursor")["python-runner"],
                         {"command": os.path.realpath(BIN), "args": [], "disabled": True,
                          "env": {"RUNNER_MAX_QUEUE": "9", "RUNNER_PYTHON": "/my/python", "RUNNER_MAX_MEMORY_MB": "512"}})

    def test_times_of_openclaw_only_grow(self):
        for old, more, new in ((500000, {}, 500000), (1000, {}, 90000), (90000, {"RUNNER_MAX_TIMEOUT_SEC": "300"}, 330000)):
            mine = {"requestTimeoutMs": old, "enabled": False}
            self.put("openclaw", json.dumps({"mcp": {"servers": {"python-runner": mine}}}))
            self.assertEqual(self.write("openclaw", **more).returncode, 0)
            entry = self.servers("openclaw")["python-runner"]
            self.assertEqual((entry["requestTimeoutMs"], entry["enabled"]), (new, False))

    def test_both_blocks_beside_each_other(self):
        docker = self.file("", "docker")
        os.chmod(docker, 0o755)
        self.assertEqual(self.write("cursor").returncode, 0)
        self.assertEqual(self.write("cursor", "--docker", PATH=os.path.dirname(docker)).returncode, 0)
        self.assertEqual(list(self.servers("cursor")), ["python-runner", "python-runner-docker"])

    def test_copies_are_never_written_over(self):
        path = self.put("cursor", '{"mcpServers": {}}')
        seen = [self.get(path)]
        for i in range(5):  # within a second or two
            self.assertEqual(self.write("cursor", RUNNER_MAX_QUEUE=str(i)).returncode, 0)
            seen.append(self.get(path))
        self.assert_beside(path, 5)
        kept = {self.get(os.path.join(os.path.dirname(path), n)) for n in self.backups(path)}
        self.assertEqual(kept, set(seen[:-1]))

    def test_mode_owner_and_time_of_the_copy(self):
        path = self.put("cursor", "{}", 0o664)
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        os.utime(path, (1e9, 1e9))
        old = os.stat(path)
        self.assertEqual(self.write("cursor").returncode, 0)
        new = os.stat(path)
        copy = os.stat(os.path.join(os.path.dirname(path), self.backups(path)[0]))
        for st in (new, copy):
            self.assertEqual((st.st_mode, st.st_uid, st.st_gid), (old.st_mode, old.st_uid, old.st_gid))
        self.assertEqual(copy.st_mtime, 1e9)

    def test_a_link_is_followed(self):
        real = os.path.join(self.home, "dotfiles")
        os.makedirs(real)
        with open(os.path.join(real, "mcp.json"), "w") as f:
            f.write("{}")
        path = self.path("cursor")
        os.makedirs(os.path.dirname(path))
        os.symlink("../dotfiles/mcp.json", path)
        p = self.write("cursor")
        self.assertEqual(p.returncode, 0, p.err)
        self.assertEqual(os.readlink(path), "../dotfiles/mcp.json")
        self.assertIn("python-runner", self.servers("cursor"))
        self.assertEqual(os.listdir(os.path.dirname(path)), ["mcp.json"])
        self.assert_beside(os.path.join(real, "mcp.json"), 1)


class Refused(WriteCase):
    def test_what_the_client_could_not_read(self):
        self.assert_untouched("claude-desktop", '{\n  // mine\n  "mcpServers": {}\n}\n', "Claude Desktop",
                              "line 2, column 3: a comment")
        self.assert_untouched("claude-code", '{"mcpServers": {},}', "a comma before the end")
        self.assert_untouched("vscode", "{servers: {}}", "VS Code", "no key of an object")
        self.assert_untouched("cursor", '{"mcpServers": {', "the end")
        self.assert_untouched("openclaw", "{mcp: {servers: {}}", "OpenClaw", "the end")
        self.assert_untouched("cursor", b'{"a": "\xff\xfe"}', "not UTF-8")
        self.assert_untouched("cursor", b"{\0}", "no key")
        self.assert_untouched("cursor", "mcpServers: nothing\n", "line 1, column 1")

    def test_what_has_another_shape(self):
        self.assert_untouched("cursor", "[]", "its value is an array")
        self.assert_untouched("cursor", '{"mcpServers": []}', '"mcpServers" in it is an array')
        self.assert_untouched("openclaw", '{"mcp": "x"}', '"mcp" in it is a string')
        self.assert_untouched("cursor", '{"mcpServers": {"python-runner": null}}', '"python-runner" in it is null')

    def test_what_is_no_file(self):
        path = self.path("cursor")
        os.makedirs(path)
        self.assert_refused(self.write("cursor"), "cursor", path, "is a directory")
        os.rmdir(path)
        os.mkfifo(path)
        self.assert_refused(self.write("cursor"), "cursor", path, "no regular file")
        os.unlink(path)
        os.symlink("nowhere", path)
        self.assert_refused(self.write("cursor"), "cursor", path, "is a link to something that is not there")
        os.unlink(path)
        os.symlink("mcp.json", path)
        self.assert_refused(self.write("cursor"), "cursor", path, "Too many levels of symbolic links")
        os.unlink(path)
        with open(path, "wb") as f:
            f.truncate(65 << 20)
        self.assert_refused(self.write("cursor"), "cursor", path, "larger than 64 MB")
        self.assertEqual(os.path.getsize(path), 65 << 20)

    def test_a_file_where_a_folder_should_be(self):
        with open(os.path.join(self.home, ".cursor"), "w") as f:
            f.write("x")
        p = self.write("cursor")
        self.assert_refused(p, "cursor", ".cursor", "Not a directory")

    def test_no_room(self):
        """The new text is larger than a file may be; the old one is not touched."""
        data = json.dumps({"pad": "x" * 200000})
        path = self.put("cursor", data)
        p = self.write("cursor", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
        self.assert_refused(p, "cursor", path, "can't be replaced")
        self.assertEqual(self.get(path).decode(), data)
        self.assert_beside(path, 0)

    def as_user(self, client):
        for top, folders, files in os.walk(self.home):
            for name in folders + files:
                if os.geteuid() == 0:
                    os.chown(os.path.join(top, name), NOBODY, NOBODY, follow_symlinks=False)
        binary = copy_program(self.folder())
        p = subprocess.run(as_user([binary, "config", client, "--write", "--yes"]), env=env(**self.variables),
                           capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT, cwd="/")
        p.out, p.err = p.stdout, p.stderr.decode()
        self.assertIn(b'"python-runner"', p.out)
        return p

    def test_not_to_be_read_or_written(self):
        path = self.put("cursor", "{}", 0)
        self.assert_refused(self.as_user("cursor"), "cursor", path, "can't be read: Permission denied", block=False)
        os.chmod(path, 0o400)
        self.assert_refused(self.as_user("cursor"), "cursor", path, "is not to be written", "Permission denied", block=False)
        os.chmod(path, 0o600)
        os.chmod(os.path.dirname(path), 0o500)
        self.addCleanup(os.chmod, os.path.dirname(path), 0o700)
        self.assert_refused(self.as_user("cursor"), "cursor", path, "no file can be made beside it", "Permission denied",
                            block=False)
        self.assertEqual(self.get(path), b"{}")
        self.assert_beside(path, 0)

    def test_a_folder_that_can_not_be_made(self):
        os.chmod(self.home, 0o555)
        self.assert_refused(self.as_user("cursor"), "cursor", ".cursor can't be made: Permission denied", block=False)

    def test_a_file_of_somebody_else(self):
        """In a folder of ours: replaced, it would be ours."""
        if os.geteuid() != 0:  # only root can make one; then the writer is an ordinary user
            self.assertEqual(self.write("cursor").returncode, 0)
            return
        path = self.put("cursor", "{}", 0o666)
        binary = copy_program(self.folder())
        os.chown(os.path.dirname(path), NOBODY, NOBODY)
        p = subprocess.run(as_user([binary, "config", "cursor", "--write", "--yes"]), env=env(**self.variables),
                           capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT, cwd="/")
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn(b"belongs to somebody else", p.stderr)
        self.assertEqual((self.get(path), os.stat(path).st_uid), (b"{}", 0))
        self.assert_beside(path, 0)


class Asking(WriteCase):
    def ask(self, answer, before_answer=lambda: None):
        t = self.terminal()
        p = self.start("config", "cursor", "--write", stdin=t.there, **self.variables)
        asked = read_until(p.stderr.fileno(), b"[y/N] ")
        before_answer()
        os.write(t.here, answer)
        out, err = p.communicate(timeout=LIMIT)
        return p.returncode, out, asked.decode(), err.decode()

    def test_yes(self):
        path = self.put("cursor", "{}")
        for answer in (b"y\n", b"YES\n"):
            self.put("cursor", "{}")
            status, out, asked, said = self.ask(answer)
            self.assertEqual((status, out), (0, b""), said)
            self.assertIn(path, asked)
            self.assertIn('"python-runner"', asked)
            self.assertIn("python-runner", self.servers("cursor"))

    def test_no(self):
        path = self.put("cursor", "{}")
        for answer in (b"n\n", b"\n", b"yesterday\n", b"\x04"):
            status, out, _, said = self.ask(answer)
            self.assertEqual((status, out), (1, b""), said)
            self.assertIn("is as it was", said)
            self.assertEqual(self.get(path), b"{}")
            self.assert_beside(path, 0)

    def test_interrupted(self):
        path = self.put("cursor", "{}")
        p = self.start("config", "cursor", "--write", stdin=self.terminal().there, **self.variables)
        read_until(p.stderr.fileno(), b"[y/N] ")
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(LIMIT), -signal.SIGINT)
        self.assertEqual(self.get(path), b"{}")
        self.assert_beside(path, 0)

    def test_without_a_terminal(self):
        path = self.put("cursor", "{}")
        self.assert_usage(self.config("cursor", "--write"), "standard input is no terminal", "--yes")
        self.assert_usage(self.config("cursor", "--write", stdin=b"y\n"), "--yes")
        self.assertEqual(self.get(path), b"{}")
        self.assert_usage(self.config("cursor", "--yes"), "--write")

    def test_changed_while_it_asks(self):
        path = self.put("cursor", "{}")

        def other_in_place():
            with open(path, "w") as f:
                f.write('{"theirs": 1}')

        def other_by_rename():
            with open(path + ".theirs", "w") as f:
                f.write("{}")  # the same text, but another file
            os.rename(path + ".theirs", path)

        for change, now in ((other_in_place, b'{"theirs": 1}'), (other_by_rename, b"{}")):
            status, out, _, said = self.ask(b"y\n", change)
            self.assertEqual(status, 1, said)
            self.assertIn("was changed by another program just now", said)
            self.assertIn(b'"python-runner"', out)
            self.assertEqual(self.get(path), now)
            self.assert_beside(path, 0)
        os.unlink(path)
        status, _, asked, said = self.ask(b"y\n", lambda: self.put("cursor", "{}"))
        self.assertIn("not there yet", asked)
        self.assertEqual((status, self.get(path)), (1, b"{}"), said)


class Together(WriteCase):
    def test_many_at_once(self):
        """Each takes in what the others wrote: nothing is lost."""
        path = self.put("cursor", '{"mcpServers": {}}')
        values = {n: high for n, (_, high, _) in numbers().items()}
        running = [self.start("config", "cursor", "--write", "--yes", **self.variables, **{n: v}) for n, v in values.items()]
        for p in running:
            _, err = p.communicate(timeout=LIMIT)
            self.assertEqual(p.returncode, 0, err)
        self.assertEqual(self.servers("cursor")["python-runner"]["env"], values)
        self.assert_beside(path, len(values))

    def test_killed_at_any_moment(self):
        """The file is the old or the new one, whole."""
        old = json.dumps({"mcpServers": {}, "pad": ["x" * 1000] * 300}, indent=2).encode()
        path = self.put("cursor", old)
        self.assertEqual(self.write("cursor").returncode, 0)
        new = self.get(path)
        seen = set()
        chance = random.Random(5)
        for _ in range(60):
            self.put("cursor", old)
            p = self.start("config", "cursor", "--write", "--yes", **self.variables)
            time.sleep(chance.uniform(0, 0.02 * SLOW))
            p.kill()
            p.communicate(timeout=LIMIT)
            self.assertIn(self.get(path), (old, new))
            seen.add(self.get(path) == new)
        self.assertIn(False, seen)


class Docker(WriteCase):
    def docker(self):
        """Only looked for, never started."""
        path = self.file("", "docker")
        os.chmod(path, 0o755)
        return path

    def test_the_block(self):
        docker = self.docker()
        for client in MERGE:
            p = self.config(client, "--docker", PATH=os.path.dirname(docker))
            self.assertEqual(p.returncode, 0, p.err)
            doc = json.loads(p.out)
            for key in MERGE[client][1]:
                doc = doc[key]
            self.assertEqual(list(doc), ["python-runner-docker"])
            entry = doc["python-runner-docker"]
            self.assertEqual((entry["command"], entry["args"], entry["env"]), (docker, DOCKER, {}))
            plain = json.loads(self.config(client).out)
            for key in MERGE[client][1]:
                plain = plain[key]
            self.assertEqual({**entry, "command": 0, "args": 0}, {**plain["python-runner"], "command": 0, "args": 0})

    def test_variables_go_into_the_container(self):
        docker = self.docker()
        p = self.config("openclaw", "--docker", PATH=os.path.dirname(docker), RUNNER_MAX_TIMEOUT_SEC="120",
                        RUNNER_PYTHON=PYTHON, DOCKER_HOST="unix:///run/user/1000/docker.sock")
        entry = json.loads(p.out)["mcp"]["servers"]["python-runner-docker"]
        self.assertEqual(entry["args"], DOCKER[:-1] + ["-e", "RUNNER_MAX_TIMEOUT_SEC=120"] + DOCKER[-1:])
        self.assertEqual(entry["env"], {"DOCKER_HOST": "unix:///run/user/1000/docker.sock"})
        self.assertEqual(entry["requestTimeoutMs"], 150000)
        self.assertIn("left out: RUNNER_PYTHON", p.err)

    def test_no_docker(self):
        for args in ((), ("--write", "--yes")):
            p = self.config("cursor", "--docker", *args, PATH=self.folder())
            self.assert_usage(p, "docker was not found on PATH", "install Docker")
        self.assertFalse(os.path.exists(self.path("cursor")))


if __name__ == "__main__":
    unittest.main()
