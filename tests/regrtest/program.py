# What is run for one module of CPython's own tests, outside and inside alike; @MODULE@ is its name, @TESTS@ a list of single
# tests of it (all when it is empty).
# A line of stdout says what every single test came to.
import json
import sys
import unittest

import test.support

if __name__ == "__main__":  # tests start processes that import this file again
    test.support.use_resources = @RESOURCES@  # none as a rule: no network, no large files, as `python3 -m test` has it
    test.support.verbose = 0

    ran = unittest.main(module="@MODULE@", argv=["main.py", *@TESTS@], exit=False, verbosity=0).result
    report = {
        "ran": ran.testsRun,
        "failed": [[test.id(), text] for test, text in ran.failures + ran.errors]
        + [[test.id(), "unexpected success"] for test in ran.unexpectedSuccesses],
        "skipped": [[test.id(), reason] for test, reason in ran.skipped],
    }
    print("\n@REPORT@" + json.dumps(report), flush=True)
    sys.exit(not ran.wasSuccessful())
