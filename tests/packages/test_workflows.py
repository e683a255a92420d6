"""The workflows that make a release and judge what is proposed."""

import subprocess
import unittest

import yaml

import known

WORKFLOWS = sorted((known.REPOSITORY / ".github/workflows").glob("*.yml"))


class Workflows(unittest.TestCase):
    """What runs elsewhere, by the linters of what runs it."""

    def test_actionlint_is_content(self):
        done = subprocess.run(["actionlint", "-no-color", *WORKFLOWS], capture_output=True, text=True, check=False,
                              cwd=known.REPOSITORY)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_zizmor_is_content(self):
        done = subprocess.run(["zizmor", "--offline", "--no-progress", "--color=never", "--persona=regular", *WORKFLOWS],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_they_run_is_there(self):
        for file in WORKFLOWS:
            jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
            commands = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
            for word in commands.split():
                if word.startswith(("packaging/", "tests/", ".ci/")):
                    self.assertTrue((known.REPOSITORY / word).exists(), word)

    def test_nobody_may_do_more_than_they_need(self):
        for file in WORKFLOWS:
            workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
            self.assertEqual(workflow["permissions"], {}, f"{file.name}: each job says what it needs")


if __name__ == "__main__":
    unittest.main()
