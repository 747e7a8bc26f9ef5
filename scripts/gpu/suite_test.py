#!/usr/bin/env python3
"""What scripts/gpu/suite.py keeps and says, with scripts in the place of the programs. Needs no GPU.

    scripts/gpu/suite_test.py
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SUITE = pathlib.Path(__file__).resolve().with_name("suite.py")
PROGRAMS = ("assay_cuda_conformance_test", "assay-cuda-sweep", "assay-row-on-device-test", "assay-cuda-replay")


class SuiteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        for program in PROGRAMS:
            self.program(f"bin/{program}", f"echo {program}: 3 launches, worst 0.1")
        self.program("tools/compute-sanitizer", 'echo "$2"')

    def program(self, name, body):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\n[ "$*" = "--part a --only none" ] && exit ${{PROBE:-0}}\n{body}\n')
        path.chmod(0o755)

    def begin(self, *options, **environment):
        path = f"{self.folder / 'tools'}:{os.environ['PATH']}"
        return subprocess.Popen([sys.executable, SUITE, self.folder, "--out", self.out, *options], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env={**os.environ, "PATH": path, **environment})

    def suite(self, *options, **environment):
        """Exit code, output, suite.json."""
        with self.begin(*options, **environment) as suite:
            output = suite.communicate()[0]
        told = self.out / "suite.json"
        return suite.returncode, output, json.loads(told.read_text()) if told.exists() else None

    def begun_and_waiting(self, *options):
        """A suite whose rows have ended and whose sweep has printed a line and prints no more."""
        self.program("bin/assay-cuda-sweep", f"echo $$ >{self.folder}/pid; echo first line; exec sleep 600")
        suite = self.begin("--part", "rows,sweep,planted", *options)
        log = self.out / "sweep.log"
        while not (log.exists() and log.read_text() == "first line\n"):
            self.assertIsNone(suite.poll())
            time.sleep(0.05)
        return suite, int((self.folder / "pid").read_text())

    def test_parts_that_pass(self):
        code, output, told = self.suite("--part", "conformance,sweep,rows,racecheck")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"suite: 4 parts, 0 failed, \d+\.\d s\n$")
        self.assertEqual({part["part"]: part["code"] for part in told["parts"]},
                         {"conformance": 0, "sweep": 0, "rows": 0, "racecheck": 0})
        self.assertEqual((told["unfinished"], told["not_run"]), ([], []))
        self.assertEqual((self.out / "racecheck.log").read_text(), "racecheck\n")
        whole = (self.out / "suite.log").read_text()
        self.assertRegex(whole, r"==== sweep \(exit 0, \d+\.\d s\)\nassay-cuda-sweep: 3 launches, worst 0\.1\n")

    def test_a_part_that_fails(self):
        self.program("bin/assay-cuda-sweep", "echo wrong; exit 4")
        code, output, told = self.suite("--part", "sweep,rows")
        self.assertEqual(code, 1)
        self.assertRegex(output, r"sweep +FAILED \(exit 4\), ")
        self.assertRegex(output, r"suite: 2 parts, 1 failed: sweep, ")
        self.assertEqual([part["code"] for part in told["parts"]], [4, 0])

    def test_parts_that_no_longer_fit(self):
        code, output, told = self.suite("--part", "rows,sweep", "--limit", "60")
        self.assertEqual(code, 1)
        self.assertRegex(output, r"sweep +not run: it takes 60 s, and \d+ s of 60 are left \(--limit\)\n")
        self.assertRegex(output, r"suite: 1 parts, 0 failed, 1 not run: sweep, ")
        self.assertEqual((told["not_run"], told["unfinished"]), (["sweep"], []))

    def test_a_part_is_stopped_before_the_suite_s_own_end(self):
        self.program("bin/assay-row-on-device-test", "echo first line; exec sleep 600")
        code, output, told = self.suite("--part", "rows", "--limit", "15")
        self.assertEqual(code, 1)
        self.assertRegex(output, r"rows +FAILED \(exit 124\), ")
        self.assertRegex((self.out / "rows.log").read_text(), r"^first line\n\nsuite: stopped after [67] s\n$")
        self.assertEqual((told["limit_s"], told["unfinished"]), (15, []))

    def test_a_kill_from_outside_loses_nothing(self):
        suite, child = self.begun_and_waiting()
        suite.kill()
        suite.communicate()
        os.kill(child, signal.SIGKILL)
        told = json.loads((self.out / "suite.json").read_text())
        self.assertEqual([part["part"] for part in told["parts"]], ["rows"])
        self.assertEqual(told["unfinished"], ["sweep", "planted"])
        self.assertEqual((self.out / "sweep.log").read_text(), "first line\n")
        self.assertIn("==== rows (exit 0", (self.out / "suite.log").read_text())

    def test_a_signal_ends_what_runs(self):
        suite, child = self.begun_and_waiting()
        suite.terminate()
        output = suite.communicate()[0]
        self.assertEqual(suite.returncode, 1)
        self.assertRegex(output, r"suite: stopped by SIGTERM\nsuite: 1 parts, 0 failed, unfinished: sweep, planted, ")
        self.assertRegex((self.out / "suite.log").read_text(),
                         r"==== sweep \(unfinished, \d+\.\d s\)\nfirst line\n\nsuite: stopped by SIGTERM\n")
        with self.assertRaises(ProcessLookupError):
            os.kill(child, 0)

    def test_without_a_gpu(self):
        code, _, told = self.suite(PROBE="77")
        self.assertEqual((code, told), (77, None))


if __name__ == "__main__":
    unittest.main()
