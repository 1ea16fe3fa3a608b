import io
import unittest
from unittest import mock


class T(unittest.TestCase):
    def test_mock(self):
        m = mock.Mock(return_value=5)
        self.assertEqual(m(1), 5)
        m.assert_called_once_with(1)
        with mock.patch("os.getcwd", return_value="/x") as p:
            import os

            self.assertEqual(os.getcwd(), "/x")


class A(unittest.IsolatedAsyncioTestCase):
    async def test_a(self):
        self.assertTrue(True)


r = unittest.main(argv=["prog"], exit=False, testRunner=unittest.TextTestRunner(stream=io.StringIO())).result
print(r)
