#!/usr/bin/env python3
"""Runs the shell blocks of a Markdown document, so that what it tells a reader stays true.

    run_document.py DOCUMENT SOURCE_TREE SCRATCH [--repository]

Problem: a tutorial rots without anyone noticing. Method: a copy of the source tree is made below
SCRATCH (made anew; the checkout is never touched), and every fenced ```sh block runs in it, in order,
in one bash, so that `cd`, variables and functions last. A block is taken apart into commands by asking
bash which lines belong together. A command must end with exit code 0, or with the one that its last
line names in a comment:

    assay run my-lever        # exit 10

A pipeline fails when a part of it does. Exit code 13 means that the machine is too busy to measure, and
the document says to wait and run again; so does this program, up to six times, and then it ends with
exit code 77, "skipped": how busy a machine is decides nothing here. At the first difference it prints
document, line, command and output, and ends with exit code 1.

With --repository the copy is a git repository with one commit, for documents that clone it.

Other fences (```console, ```yaml, ...) are for reading only. Rejected: comparing output with the text of
the document, which times, digests and names of machines would break; where output matters, the document
greps for it.
"""
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

UNFIT, TRIES, PAUSE_S, SKIPPED = 13, 6, 10, 77
EXPECTED = re.compile(r"#\s*exit\s+(\d+)\b")
FENCE = re.compile(r"^\s*```+\s*(\w*)")


def blocks(text):
    """[(line number of the first line, lines)] of every ```sh block."""
    found, language, lines, start = [], None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if not fence:
            if language is not None:
                lines.append(line)
        elif language is None:
            language, lines, start = fence.group(1), [], number + 1
        else:
            if language == "sh":
                found.append((start, lines))
            language, lines = None, []
    if language is not None:
        raise SystemExit(f"line {start - 1}: this fence is never closed")
    return found


def is_complete(text):
    """Whether bash takes `text` as whole commands: no open quote, block, here-document or line end."""
    asked = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return asked.returncode == 0 and not asked.stderr and not text.rstrip("\n").endswith("\\")


def commands(start, lines):
    """[(line number, text, expected exit code)] of one block."""
    found, open_lines, first = [], [], start
    for number, line in enumerate(lines, start):
        if not open_lines and (not line.strip() or line.lstrip().startswith("#")):
            continue
        if not open_lines:
            first = number
        open_lines.append(line)
        text = "\n".join(open_lines) + "\n"
        if is_complete(text):
            expected = EXPECTED.search(open_lines[-1])
            found.append((first, text, int(expected.group(1)) if expected else 0))
            open_lines = []
    if open_lines:
        raise SystemExit(f"line {first}: bash finds no end of this command:\n" + "\n".join(open_lines))
    return found


class Shell:
    """One bash that runs a command at a time. The command comes from a file and its exit code goes
    to another, so that neither can be mistaken for output."""

    def __init__(self, folder, scratch):
        self.command, self.status = scratch / "command.sh", scratch / "status"
        self.output = (scratch / "output.txt").open("w+", errors="replace")
        environment = dict(os.environ, CCACHE_BASEDIR=str(folder.resolve()),
                           CCACHE_SLOPPINESS="pch_defines,time_macros")
        self.bash = subprocess.Popen(["bash", "--noprofile", "--norc"], cwd=folder, text=True,
                                     stdin=subprocess.PIPE, stdout=self.output,
                                     stderr=subprocess.STDOUT, env=environment)
        self._tell("set -o pipefail")

    def _tell(self, line):
        self.bash.stdin.write(line + "\n")
        self.bash.stdin.flush()

    def run(self, text):
        """Exit code and output of one command."""
        self.command.write_text(text)
        self.status.unlink(missing_ok=True)
        begin = os.fstat(self.output.fileno()).st_size
        self._tell(f". '{self.command}' </dev/null; echo $? >'{self.status}.part'; "
                   f"mv '{self.status}.part' '{self.status}'")
        while not self.status.exists() and self.bash.poll() is None:
            time.sleep(0.02)
        code = int(self.status.read_text()) if self.status.exists() else self.bash.returncode
        self.output.seek(begin)
        return code, self.output.read()


def copy_of(source, scratch):
    """The source tree without builds, version control and history, as a fresh clone has it."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    folder = scratch / source.name
    left_out = {source / "build", source / ".git"}

    def ignore(directory, names):
        return [name for name in names
                if Path(directory) / name in left_out or name.startswith("assay.db")
                or name == "assay.lock"]

    shutil.copytree(source, folder, ignore=ignore, symlinks=True)
    return folder


def make_repository(folder):
    """One commit of everything, by nobody in particular."""
    for words in (["init", "--quiet"], ["add", "--all"],
                  ["-c", "user.name=tour", "-c", "user.email=tour@localhost",
                   "commit", "--quiet", "--message", "the first person's clone"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)


def run_until_fit(shell, text, expected):
    for attempt in range(TRIES):
        code, output = shell.run(text)
        if code != UNFIT or expected == UNFIT:
            break
        print(f"      exit {UNFIT}, the machine is busy: again in {PAUSE_S} s", flush=True)
        time.sleep(PAUSE_S)
    return code, output


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--repository"]
    if len(arguments) != 3:
        raise SystemExit("usage: run_document.py DOCUMENT SOURCE_TREE SCRATCH [--repository]")
    document, source, scratch = (Path(argument).resolve() for argument in arguments)
    work = [command for start, lines in blocks(document.read_text())
            for command in commands(start, lines)]
    if not work:
        raise SystemExit(f"{document}: no ```sh block, so nothing would be tested")
    folder = copy_of(source, scratch)
    if "--repository" in sys.argv:
        make_repository(folder)
    shell = Shell(folder, scratch)
    for line, text, expected in work:
        started = time.monotonic()
        code, output = run_until_fit(shell, text, expected)
        seconds = time.monotonic() - started
        first = text.splitlines()[0]
        print(f"{line:5} {seconds:6.1f} s  exit {code:2}  {first}", flush=True)
        if code != expected:
            print(f"{document}:{line}: exit code {code}, the document says {expected}\n"
                  f"--- command\n{text}--- output\n{output}")
            return SKIPPED if code == UNFIT else 1
    print(f"{document}: {len(work)} commands did what the document says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
