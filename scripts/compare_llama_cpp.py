#!/usr/bin/env python3
"""Compares this engine with llama.cpp on one GGUF file, and writes what it finds as Markdown.

  python3 scripts/compare_llama_cpp.py agreement --model FILE [--bin build/cpu/bin] [--json OUT]
  python3 scripts/compare_llama_cpp.py speed --model FILE [--prefill 512] [--decode 128] [--threads 2]

`agreement` feeds both engines the same tokens (texts that every Debian has, tokenised by llama.cpp) and
compares every row of logits: the share of equal argmaxes, the mean Kullback-Leibler divergence from
llama.cpp's distribution to ours, and each disagreement with both margins. It does so for the prompt
path and for the decode path. The same measure of llama.cpp against itself, flash attention off and on,
says how much of it is mere rounding: int8 activations turn the smallest difference into flipped codes.

`speed` measures both in turns, five times each, in one window, and reports medians.

Needs the PyPI packages llama-cpp-python, numpy and pyyaml; nothing here is part of a build or test.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import llama_cpp
    import numpy
    import yaml
except ModuleNotFoundError as absent:  # --help does without; main() says which is missing
    MISSING = absent.name
else:
    MISSING = None

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = ["GPL-3", "LGPL-3", "Apache-2.0", "MPL-2.0", "GFDL-1.3", "Artistic", "CC0-1.0", "GPL-2"]
FAMILY = {"cpu-avx512vnni": ["cpu-avx512vnni", "cpu-avx2", "cpu"], "cpu-avx2": ["cpu-avx2", "cpu"],
          "cpu": ["cpu"]}


class Worker:
    """One assay-worker with a model loaded, as engine/protocol/README.md describes it."""

    def __init__(self, binary, model, threads, context, workspace):
        self.process = subprocess.Popen([binary / "assay-worker"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        hello = self.ask(request="hello")
        devices = yaml.safe_load((workspace / "experiments/in_service.yaml").read_text())["devices"]
        service = {}
        for key in reversed(FAMILY[hello["device_key"]]):
            for op, rows in devices.get(key, {}).items():
                service[op] = [{"variant": rows[0]["variant"]}]
        self.device = hello["device_name"]
        self.ask(request="load", model=str(model), service=service, threads=threads, context=context)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if "error" in reply:
            raise SystemExit(f"worker: {reply['error']['message']}")
        return reply

    def logits(self, vocab, **work):
        with tempfile.TemporaryDirectory() as folder:
            reply = self.ask(request="work", logits=True, dir=folder, **work)
            return numpy.fromfile(reply["logits_file"], dtype="<f4").reshape(-1, vocab)

    def peak_mib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Llama:
    def __init__(self, model, threads, context, flash=False):
        self.llama = llama_cpp.Llama(str(model), n_ctx=context, n_batch=context, n_ubatch=512,
                                     n_threads=threads, n_threads_batch=threads, logits_all=True,
                                     flash_attn=flash, verbose=False)
        self.vocab = self.llama.n_vocab()
        self.context = self.llama._ctx.ctx

    def tokens(self, text):
        return self.llama.tokenize(text.encode(), add_bos=False, special=False)

    def clear(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)

    def decode(self, tokens, first, all_rows):
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, first + i, 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = all_rows or i + 1 == len(tokens)
        if llama_cpp.llama_decode(self.context, batch) != 0:
            raise SystemExit("llama_decode failed")
        llama_cpp.llama_batch_free(batch)

    def row(self, i):
        at = llama_cpp.llama_get_logits_ith(self.context, i)
        return numpy.ctypeslib.as_array(at, shape=(self.vocab,)).copy()

    def prompt_logits(self, tokens):
        self.clear()
        self.decode(tokens, 0, True)
        return numpy.stack([self.row(i) for i in range(len(tokens))])


def windows(llama, count, length):
    """`count` windows of `length` tokens, evenly out of the licence texts."""
    found = []
    for name in TEXTS:
        path = pathlib.Path("/usr/share/common-licenses") / name
        if path.exists():
            tokens = llama.tokens(path.read_text(encoding="utf-8"))
            found += [(name, at, tokens[at:at + length])
                      for at in range(0, len(tokens) - length, length)]
    step = max(1, len(found) // count)
    return found[::step][:count]


def log_softmax(rows):
    rows = rows.astype(numpy.float64)
    rows -= rows.max(axis=1, keepdims=True)
    return rows - numpy.log(numpy.exp(rows).sum(axis=1, keepdims=True))


def margin(row):
    top = numpy.partition(row, -2)[-2:]
    return float(top[1] - top[0])


def compared(theirs, ours, name, at):
    p, q = log_softmax(theirs), log_softmax(ours)
    divergence = (numpy.exp(p) * (p - q)).sum(axis=1)
    top_p, top_q = theirs.argmax(axis=1), ours.argmax(axis=1)
    forks = [{"text": name, "position": at + int(i), "theirs": int(top_p[i]), "ours": int(top_q[i]),
              "their_margin": margin(theirs[i]), "our_margin": margin(ours[i])}
             for i in numpy.nonzero(top_p != top_q)[0]]
    return divergence, forks


def agreement(args):
    llama = Llama(args.model, args.threads, 512)
    flash = Llama(args.model, args.threads, 512, flash=True)
    worker = Worker(args.bin, args.model, args.threads, 512, args.workspace)
    paths = {"prompt": ([], []), "decode": ([], []), "llama.cpp itself": ([], [])}
    parts = windows(llama, args.prompts, args.length)
    for name, at, tokens in parts:
        theirs = llama.prompt_logits(tokens)
        ours = {"prompt": worker.logits(llama.vocab, prompt=tokens, all_rows=True),
                "decode": worker.logits(llama.vocab, prompt=tokens[:1], forced=tokens[1:],
                                        steps=len(tokens) - 1),
                "llama.cpp itself": flash.prompt_logits(tokens)}
        for path, (divergences, forks) in paths.items():
            divergence, more = compared(theirs, ours[path], name, at)
            divergences.append(divergence)
            forks += more
    worker.close()
    result = {"model": args.model.name, "llama_cpp_python": llama_cpp.__version__,
              "date": datetime.date.today().isoformat(), "device": worker.device,
              "prompts": len(parts), "paths": {}}
    print(f"{args.model.name}: {len(parts)} texts of {args.length} tokens; llama-cpp-python "
          f"{llama_cpp.__version__}, {worker.device}, {result['date']}\n")
    print("| path | positions | same top token | mean KL | largest KL | forks | largest margin of a fork |")
    print("|---|---|---|---|---|---|---|")
    for path, (divergences, forks) in paths.items():
        every = numpy.concatenate(divergences)
        same = 1 - len(forks) / len(every)
        widest = max((min(f["their_margin"], f["our_margin"]) for f in forks), default=0.0)
        result["paths"][path] = {"positions": len(every), "same_top": same, "mean_kl": float(every.mean()),
                                 "max_kl": float(every.max()), "forks": forks}
        print(f"| {path} | {len(every)} | {100 * same:.2f} % | {every.mean():.5f} | {every.max():.4f} | "
              f"{len(forks)} | {widest:.3f} |")
    if args.json:
        args.json.write_text(json.dumps(result, indent=1) + "\n")


def our_speed(worker, prompt, steps):
    reply = worker.ask(request="work", phase="prefill", prompt=prompt, steps=0)
    prefill = len(prompt) / (reply["prefill_ns"] / 1e9)
    reply = worker.ask(request="work", phase="decode", prompt=prompt[:1], steps=steps)
    return prefill, steps / (reply["decode_ns"] / 1e9)


def their_speed(llama, prompt, steps):
    llama.clear()
    start = time.perf_counter()
    llama.decode(prompt, 0, False)
    llama.row(-1)
    prefill = len(prompt) / (time.perf_counter() - start)
    llama.clear()
    llama.decode(prompt[:1], 0, False)
    token = int(llama.row(-1).argmax())
    start = time.perf_counter()
    for step in range(steps):
        llama.decode([token], 1 + step, False)
        token = int(llama.row(-1).argmax())
    return prefill, steps / (time.perf_counter() - start)


def speed(args):
    context = max(args.prefill, args.decode + 2) + 8
    llama = Llama(args.model, args.threads, context)
    worker = Worker(args.bin, args.model, args.threads, context, args.workspace)
    prompt = [(7 + 13 * i) % (llama.vocab - 1) for i in range(args.prefill)]
    runs = {"ours": [], "theirs": []}
    our_speed(worker, prompt, 4)
    their_speed(llama, prompt, 4)
    for _ in range(args.repeat):
        runs["ours"].append(our_speed(worker, prompt, args.decode))
        runs["theirs"].append(their_speed(llama, prompt, args.decode))
    size = args.model.stat().st_size / 2**20
    peak = worker.peak_mib()
    worker.close()
    medians = {who: [statistics.median(run[i] for run in values) for i in (0, 1)]
               for who, values in runs.items()}
    print(f"{args.model.name}, {args.threads} threads, medians of {args.repeat} in turns; llama-cpp-python "
          f"{llama_cpp.__version__}, {worker.device}, {datetime.date.today().isoformat()}; file "
          f"{size:.0f} MiB, our worker's peak {peak:.0f} MiB\n")
    print("| work | ours, tok/s | llama.cpp, tok/s | ratio |")
    print("|---|---|---|---|")
    for i, work in enumerate((f"prefill {args.prefill}", f"decode {args.decode}")):
        ours, theirs = medians["ours"][i], medians["theirs"][i]
        print(f"| {work} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} |")


def main():
    parser = argparse.ArgumentParser(description="Compares this engine with llama.cpp.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in (("agreement", agreement), ("speed", speed)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--model", type=pathlib.Path, required=True)
        command.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/cpu/bin")
        command.add_argument("--workspace", type=pathlib.Path, default=ROOT)
        command.add_argument("--threads", type=int, default=os.cpu_count())
        if name == "agreement":
            command.add_argument("--prompts", type=int, default=20)
            command.add_argument("--length", type=int, default=128)
            command.add_argument("--json", type=pathlib.Path)
        else:
            command.add_argument("--prefill", type=int, default=512)
            command.add_argument("--decode", type=int, default=128)
            command.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    if MISSING:
        parser.error(f"the module {MISSING} is not there: pip install llama-cpp-python numpy pyyaml")
    return args.action(args)


if __name__ == "__main__":
    sys.exit(main())
