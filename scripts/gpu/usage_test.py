#!/usr/bin/env python3
"""What the scripts of this folder say where something is missing: one sentence, no traceback. Needs no GPU.

    scripts/gpu/usage_test.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PARTS = "conformance, sweep, without-blas, rows, replay, planted, memcheck, racecheck, synccheck, initcheck"


class UsageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.model = self.folder / "model.gguf"
        self.model.write_bytes(b"GGUF")

    def program(self, name, body):
        path = self.folder / "box/bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def run_script(self, name, *words):
        # No site packages: numpy is missing, as on a bare machine.
        done = subprocess.run([sys.executable, "-S", HERE / name, *words], text=True, capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": ""})
        return done.returncode, done.stdout, done.stderr

    def refused(self, message, name, *words):
        """Exit 2 with this after the usage lines."""
        code, out, err = self.run_script(name, *words)
        self.assertEqual((code, out, err[err.find(f"{name}: error: "):]), (2, "", f"{name}: error: {message}\n"), err)

    def test_without_a_box(self):
        none = self.folder / "none"
        message = f"{none}/bin has no %s: pack a build of preset cuda with scripts/pack_gpu.sh"
        self.refused(message % "assay", "speed.py", "--model", self.model, "--box", none)
        self.refused(message % "assay", "planted_faults.py", none)
        self.refused(message % "assay_cuda_conformance_test", "suite.py", none)

    def test_a_wrong_part_or_model_comes_before_the_box_and_the_gpu(self):
        none = self.folder / "none"
        self.refused(f"--part nonsense: parts are {PARTS}", "suite.py", none, "--part", "rows,nonsense")
        self.refused("--model /nosuch: no such file", "suite.py", none, "--model", "/nosuch")
        self.refused("--model /nosuch: no such file", "speed.py", "--box", none, "--model", "/nosuch")
        self.refused("no such case: nonsense", "planted_faults.py", none, "--only", "nonsense")

    def test_a_program_that_prints_no_json(self):
        self.program("assay", "echo All is well.")
        assay = self.folder / "box/bin/assay"
        self.assertEqual(self.run_script("speed.py", "--box", self.folder / "box", "--model", self.model),
                         (1, "", f"speed: {assay} printed no JSON: 'All is well.\\n'\n"))
        self.refused("--llama-bench /nosuch: no such program", "speed.py", "--box", self.folder / "box", "--model",
                     self.model, "--llama-bench", "/nosuch")
        for name in ("assay-planted", "assay-worker", "assay-worker-planted", "assay-hold-gpu-memory"):
            self.program(name, "echo no libraries here >&2; exit 127")
        self.assertEqual(self.run_script("planted_faults.py", self.folder / "box"),
                         (1, "FAILED before the first case: assay-worker answered no hello: exit 127: no libraries "
                             "here\n", ""))

    def test_random_blocks_without_numpy(self):
        code, out, err = self.run_script("random_blocks.py", "--help")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("usage: random_blocks.py [-h] [--seed SEED] file\n"), out)
        self.refused("/nosuch: No such file or directory", "random_blocks.py", "/nosuch")
        self.refused(f"{self.model}: this is no whole GGUF file", "random_blocks.py", self.model)
        self.model.write_bytes(b"GGUF" + bytes(20))
        self.assertEqual(self.run_script("random_blocks.py", self.model),
                         (1, "", "random_blocks: needs numpy (the package python3-numpy)\n"))


if __name__ == "__main__":
    unittest.main()
