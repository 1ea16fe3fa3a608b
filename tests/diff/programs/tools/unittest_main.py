import re
import sys
import unittest


class T(unittest.TestCase):
    def setUp(self):
        self.x = 1

    def test_ok(self):
        self.assertEqual(self.x, 1)

    def test_fail(self):
        self.assertEqual([1, 2], [1, 3])

    def test_error(self):
        raise ValueError("in a test")

    @unittest.skip("why")
    def test_skip(self):
        pass

    def test_sub(self):
        for i in range(2):
            with self.subTest(i=i):
                self.assertEqual(i, 0)


class Quiet:
    def write(self, s):
        sys.stdout.write(re.sub(r"in \d+\.\d+s", "in T", s))

    def flush(self):
        pass


unittest.main(testRunner=unittest.TextTestRunner(stream=Quiet()))
