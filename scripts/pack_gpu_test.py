#!/usr/bin/env python3
"""What scripts/pack_gpu.sh packs, and what it refuses to delete. Needs no GPU and no build.

    scripts/pack_gpu_test.py
"""
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

PACK = pathlib.Path(__file__).resolve().with_name("pack_gpu.sh")


class PackTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.bin = self.folder / "build/bin"
        self.bin.mkdir(parents=True)
        for name in ("one", "two"):
            shutil.copy2("/bin/true", self.bin / name)
        (self.bin / "one.manifest.json").write_text("{}\n")
        (self.bin / "notes").write_text("no program\n")
        self.box = self.folder / "box"

    def pack(self, *words):
        done = subprocess.run([PACK, *words], text=True, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def packed(self):
        return sorted(str(path.relative_to(self.box)) for path in self.box.rglob("*"))

    def refused(self, message, *words):
        before = sorted(self.folder.rglob("*"))
        self.assertEqual(self.pack(*words), (2, "", f"pack: {message}; nothing was changed\n"))
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_packs_all_and_packs_again(self):
        everything = [".packed-by-assay", "bin", "bin/one", "bin/one.manifest.json", "bin/two", "lib"]
        for _ in range(2):
            code, _, error = self.pack(self.bin, self.box)
            self.assertEqual((code, error), (0, ""))
            self.assertEqual(self.packed(), everything)
        with tarfile.open(f"{self.box}.tar.xz") as archive:
            self.assertEqual(sorted(archive.getnames()), ["box"] + ["box/" + name for name in everything])
        self.assertEqual(self.pack(self.bin, f"{self.box}/", "two")[0], 0)
        self.assertEqual(self.packed(), [".packed-by-assay", "bin", "bin/two", "lib"])

    def test_deletes_nothing_but_its_own_packs(self):
        precious = self.folder / "precious"
        precious.mkdir()
        (precious / "data").write_text("mine\n")
        other = "is there, and is no pack of this script (it has no .packed-by-assay): name another folder, or " \
                "remove them yourself"
        self.refused(f"{precious} or {precious}.tar.xz {other}", self.bin, precious)
        (self.folder / "box.tar.xz").write_text("another's\n")
        self.refused(f"{self.box} or {self.box}.tar.xz {other}", self.bin, self.box)

    def test_to_may_not_hold_the_programs(self):
        for to in (self.folder / "build", self.bin, self.folder / "none/../build", pathlib.Path("/")):
            self.refused(f"{to.resolve()}: holds the programs to pack: name another folder", self.bin, to)

    def test_what_is_missing(self):
        self.refused(f"{self.folder}/no: no such folder: build preset cuda first, or name the folder of its programs",
                     self.folder / "no", self.box)
        self.refused(f"{self.bin}/onne: no such program: build it, or name another", self.bin, self.box, "one", "onne")
        self.refused(f"{self.bin}/notes: no such program: build it, or name another", self.bin, self.box, "notes")
        self.refused("../bin/one: give a program's name alone", self.bin, self.box, "../bin/one")
        empty = self.folder / "empty"
        empty.mkdir()
        self.refused(f"{empty}: holds no program", empty, self.box)
        self.refused("give FROM and TO as paths: scripts/pack_gpu.sh --help", self.bin, "")

    def test_help(self):
        code, text, error = self.pack("--help")
        self.assertEqual((code, error), (0, ""))
        self.assertIn("  scripts/pack_gpu.sh [FROM [TO [PROGRAM...]]]     default: build/cuda/bin build/gpu-box", text)
        self.assertEqual(self.pack("--all"), (2, "", "pack: --all: no such option: scripts/pack_gpu.sh --help\n"))


if __name__ == "__main__":
    unittest.main()
