import io
import unittest


class T(unittest.TestCase):
    def test_x(self):
        self.fail("always")


unittest.main(argv=["x"], testRunner=unittest.TextTestRunner(stream=io.StringIO()))
