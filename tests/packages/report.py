"""Runs the tests of this folder and says how many passed.

    report.py [--gate | --lint | PATTERN]
"""

import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).parent
# Those that need neither the program nor a machine, and take less than half a minute together.
GATE = ("test_affected", "test_changelog", "test_compose", "test_depends", "test_helm", "test_units")
LINT = (*GATE, "test_scripts", "test_workflows")
MODES = {"--gate": GATE, "--lint": LINT}


class Lines(unittest.TextTestResult):
    """A line for each test, with the time that it took."""

    def startTest(self, test):  # noqa: N802, the name is unittest's
        self.began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):  # noqa: N802
        print(f"    {time.monotonic() - self.began:.1f} s", file=sys.stderr)
        super().stopTest(test)


def main():
    """Loads, runs, counts."""
    chosen = sys.argv[1] if len(sys.argv) > 1 else ""
    loader = unittest.TestLoader()
    if chosen and chosen not in MODES:
        loader.testNamePatterns = [f"*{chosen}*"]
    names = MODES.get(chosen) or sorted(file.stem for file in HERE.glob("test_*.py"))
    suite = loader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Lines).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed or not result.testsRun else 0)


if __name__ == "__main__":
    main()
