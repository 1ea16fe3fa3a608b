"""The server as an ordinary user, where the tests run as root: root hides what others are refused."""
import os
import shutil
import subprocess
import tempfile

import mcp

ORDINARY_ID = 61235  # nobody's on any distribution; another one than that of test.sh's suite `user`


class OrdinaryUser:
    """What mcp.Client needs to start the server as an ordinary user: `Client(env, **user.client_arguments())`.

    The server is copied to where that user can read it. As an ordinary user already, nothing is changed.
    """

    def __init__(self):
        self.folder = None
        self.server = mcp.SERVER
        if os.geteuid() != 0:
            return
        self.folder = tempfile.mkdtemp(prefix="runner-as-user-")
        build = os.path.dirname(mcp.SERVER)
        extension = os.path.join(self.folder, "src", "template")
        os.makedirs(extension)
        self.server = shutil.copy2(mcp.SERVER, self.folder)
        for name in os.listdir(os.path.join(build, "src", "template")):
            if name == "main.py" or name.endswith(".so"):
                shutil.copy2(os.path.join(build, "src", "template", name), extension)
        for top, _, _ in os.walk(self.folder):
            os.chmod(top, 0o755)

    def popen_arguments(self):
        if self.folder is None:
            return {}
        return {"user": ORDINARY_ID, "group": ORDINARY_ID, "extra_groups": []}

    def client_arguments(self):
        tmp = tempfile.mkdtemp(prefix="runner-test-")
        if self.folder is not None:
            os.chown(tmp, ORDINARY_ID, ORDINARY_ID)
        return {"argv": [self.server], "tmp": tmp, "cwd": "/", **self.popen_arguments()}

    def can_run(self, python):
        try:
            done = subprocess.run([python, "-I", "-S", "-c", "1"], cwd="/", capture_output=True, check=False,
                                  **self.popen_arguments())
        except OSError:  # it lies where that user may not look
            return False
        return done.returncode == 0

    def close(self):
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
