#!/usr/bin/env python3
"""Compares our quantiser's files with llama.cpp's: perplexity on one text, and each tensor's error.

  python3 scripts/compare_quantisers.py --f16 MODEL --text FILE [--build DIR] [--tokens N] [--threads N]

MODEL is an f32, f16 or bf16 GGUF (make one with `assay model quantize IN OUT --type f16`). Both programs
quantise it to q4_K_M, q6_K and q8_0; llama.cpp then runs the source and all six files over the first N
tokens of the text, in windows of 512 of which the second half counts. Prints one Markdown table each for
perplexity and for the error of weights; exit 1 when one of our files is more than 1 % above llama.cpp's.

Needs the PyPI packages llama-cpp-python, gguf and numpy; no part of building or testing the project.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import gguf
    import llama_cpp
    import numpy
except ModuleNotFoundError as absent:  # --help does without; main() says which is missing
    MISSING = absent.name
else:
    MISSING = None

WINDOW = 512
TYPES = [("q4_k_m", "Q4_K_M"), ("q6_k", "Q6_K"), ("q8_0", "Q8_0")]
ROOT = pathlib.Path(__file__).resolve().parent.parent


def quantise_theirs(source, target, file_type, threads):
    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = getattr(llama_cpp, f"LLAMA_FTYPE_MOSTLY_{file_type}")
    parameters.nthread = threads
    result = llama_cpp.llama_model_quantize(str(source).encode(), str(target).encode(), parameters)
    if result != 0:
        raise SystemExit(f"llama.cpp's quantiser ended with {result}")


def quantise_ours(program, source, target, name, threads):
    subprocess.run([program, "quantize", source, target, "--type", name, "--threads",
                    str(threads)], check=True)


def perplexity(path, text, wanted, threads):
    """exp of the mean negative log-likelihood of the second half of each window; how many tokens."""
    model = llama_cpp.Llama(str(path), n_ctx=WINDOW, n_batch=WINDOW, n_threads=threads,
                            n_threads_batch=threads, logits_all=True, verbose=False)
    tokens = model.tokenize(text, add_bos=False, special=False)[:wanted]
    total, count = 0.0, 0
    for first in range(0, len(tokens) - WINDOW + 1, WINDOW):
        window = tokens[first:first + WINDOW]
        model.reset()
        model.eval(window)
        logits = model.scores[WINDOW // 2 - 1:WINDOW - 1].astype(numpy.float64)
        logits -= logits.max(axis=1, keepdims=True)
        chosen = logits[numpy.arange(len(logits)), window[WINDOW // 2:]]
        total += float((numpy.log(numpy.exp(logits).sum(axis=1)) - chosen).sum())
        count += len(chosen)
    model.close()
    if count == 0:
        raise SystemExit(f"the text has {len(tokens)} tokens, fewer than one window of {WINDOW}")
    return float(numpy.exp(total / count)), count


def values_of(tensor):
    return gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float64).ravel()


def losses(source, files):
    """Relative root mean square error of all matrices that both files quantise to the same type."""
    exact = {t.name: t for t in gguf.GGUFReader(source).tensors}
    readers = [{t.name: t for t in gguf.GGUFReader(path).tensors} for path in files]
    lost, size, differ = numpy.zeros(len(files)), 0.0, 0
    for name, tensor in exact.items():
        if len({r[name].tensor_type for r in readers}) > 1:
            differ += 1
            continue
        x = values_of(tensor)
        size += float(x @ x)
        for i, reader in enumerate(readers):
            off = x - values_of(reader[name])
            lost[i] += float(off @ off)
    return [float(numpy.sqrt(loss / size)) if size else float("nan") for loss in lost], differ


def main():
    parser = argparse.ArgumentParser(description="Compares our quantiser with llama.cpp's.")
    parser.add_argument("--f16", type=pathlib.Path, required=True, help="the model to quantise")
    parser.add_argument("--text", type=pathlib.Path, required=True, help="what the model predicts")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cpu")
    parser.add_argument("--tokens", type=int, default=20480)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    if MISSING:
        parser.error(f"the module {MISSING} is not there: pip install llama-cpp-python gguf numpy")
    text = args.text.read_bytes()
    program = args.build / "bin/assay-model"
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        base, count = perplexity(args.f16, text, args.tokens, args.threads)
        for name, file_type in TYPES:
            ours = pathlib.Path(folder) / f"ours-{name}.gguf"
            theirs = pathlib.Path(folder) / f"theirs-{name}.gguf"
            quantise_ours(program, args.f16, ours, name, args.threads)
            quantise_theirs(args.f16, theirs, file_type, args.threads)
            (our_loss, their_loss), differ = losses(args.f16, [ours, theirs])
            our_perplexity = perplexity(ours, text, args.tokens, args.threads)[0]
            their_perplexity = perplexity(theirs, text, args.tokens, args.threads)[0]
            failed |= our_perplexity > 1.01 * their_perplexity
            rows.append((name, ours.stat().st_size, theirs.stat().st_size, our_perplexity,
                         their_perplexity, our_loss, their_loss, differ))
            ours.unlink()
            theirs.unlink()
    print(f"{args.f16.name}: perplexity {base:.4f} over {count} tokens; llama-cpp-python "
          f"{llama_cpp.__version__}\n")
    print("| type | bytes, ours | theirs | perplexity, ours | theirs | ours / theirs "
          "| error of weights, ours | theirs | tensors of unlike type |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, our_bytes, their_bytes, ours, theirs, our_loss, their_loss, differ in rows:
        print(f"| {name} | {our_bytes} | {their_bytes} | {ours:.4f} | {theirs:.4f} | "
              f"{100 * (ours / theirs - 1):+.2f} % | {our_loss:.5f} | {their_loss:.5f} | {differ} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
