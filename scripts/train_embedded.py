#!/usr/bin/env python3
"""Rebuild the small language model that ships inside the engine.

Five steps, each reading what the one before left in the build folder:

  corpus     fetch the Debian packages named below and write clean documents
  tokenizer  train the byte-level BPE and write the token streams
  train      train the model on one GPU and write its weights
  gguf       write the weights and the tokeniser as an F16 GGUF
  quantize   quantise that file to Q4_K_M with llama.cpp's own quantiser

  python3 scripts/train_embedded.py corpus --build DIR
  python3 scripts/train_embedded.py tokenizer --build DIR
  python3 scripts/train_embedded.py train --build DIR
  python3 scripts/train_embedded.py gguf --build DIR
  python3 scripts/train_embedded.py quantize --build DIR --output embedded.gguf

`corpus` needs apt-get and dpkg (Debian bookworm), `tokenizer` the PyPI packages tokenizers and
numpy, `train` torch with CUDA, `gguf` the package gguf, and `quantize` llama-cpp-python. None of
them is needed to build or test the project.
"""

import argparse
import pathlib

from embedded_model import corpus, gguf_file, tokenizer, train


def main():
    parser = argparse.ArgumentParser(description="Rebuild the embedded language model.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in (("corpus", corpus.run_corpus), ("tokenizer", tokenizer.run_tokenizer),
                         ("train", train.run_train), ("gguf", gguf_file.run_gguf),
                         ("quantize", gguf_file.run_quantize)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--build", type=pathlib.Path, required=True)
        if name == "train":
            command.add_argument("--out", type=pathlib.Path, help="default: the build folder")
            command.add_argument("--device", default="cuda")
            command.add_argument("--max-steps", type=int, default=10**9)
            command.add_argument("--seconds", type=float, default=train.TRAIN_SECONDS)
        if name == "quantize":
            command.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()
    args.build.mkdir(parents=True, exist_ok=True)
    args.action(args)


if __name__ == "__main__":
    main()
