import pydoc


def documented(a, b=1):
    """What it does."""


class K:
    """A class."""

    def m(self):
        """A method."""


print(pydoc.plain(pydoc.render_doc(documented)))
print(pydoc.plain(pydoc.render_doc(K)).splitlines()[0], pydoc.describe(pydoc), pydoc.locate("os.path").__name__)
