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
import gzip
import json
import math
import pathlib
import random
import re
import struct
import subprocess
import time
import zlib

# Debian packages, exactly as used. bible-kjv is only the reader of bible-kjv-text's data file.
PACKAGES = {
    "bible-kjv": "4.38",
    "bible-kjv-text": "4.38",
    "r-cran-janeaustenr": "1.0.0-1",
    "r-cran-tokenizers": "0.3.0-1",
    "dict-jargon": "4.4.7-3.1",
    "dict-devil": "1.0-13.1",
}

SEED = 20251
HELD_OUT = 0.02
CHAT_SHARE = 0.05

VOCAB_SIZE = 4096
SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
QWEN2_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

HIDDEN = 512
LAYERS = 5
HEADS = 4
KV_HEADS = 2
HEAD_DIM = 128
FFN = 768
CONTEXT = 1024
RMS_EPSILON = 1e-6
ROPE_BASE = 10000.0

# (dropout, steps): each is one whole training run; the one with the lowest validation loss is kept.
RUNS = ((0.2, 2400), (0.3, 4000), (0.1, 1600))
BATCH = 32
LEARNING_RATE = 1.2e-3
WEIGHT_DECAY = 0.1
WARMUP_STEPS = 150
EVAL_EVERY = 200
TRAIN_SECONDS = 330

CHUNK_BYTES = 15_000_000


# ---------------------------------------------------------------------------------------------
# corpus


def fetch_packages(folder):
    """Download and unpack every package; nothing is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, version in PACKAGES.items():
        if not list(folder.glob(f"{name}_*.deb")):
            subprocess.run(["apt-get", "download", f"{name}={version}"], cwd=folder, check=True)
        archive = next(folder.glob(f"{name}_*.deb"))
        subprocess.run(["dpkg", "-x", archive.name, name], cwd=folder, check=True)


def plain_punctuation(text):
    """One spelling for quotes, dashes and ellipses, so the small vocabulary is not wasted."""
    table = {"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u2026": "...",
             "\u2014": "--", "\u2013": "-", "\u00a0": " ", "\u2122": ""}
    text = text.translate(str.maketrans(table))
    text = re.sub(r"\s*-{2,}\s*", " -- ", text)
    return re.sub(r"[ \t]+", " ", text).strip()


def joined_paragraphs(lines):
    """Join wrapped lines; blank lines part paragraphs."""
    paragraphs, current = [], []
    for line in [*lines, ""]:
        if line.strip():
            current.append(line.strip())
        elif current:
            paragraphs.append(" ".join(current))
            current = []
    return paragraphs


def is_prose(paragraph):
    """False for tables, drawings, code and headings."""
    letters = sum(c.isalpha() or c == " " for c in paragraph)
    return len(paragraph) >= 25 and letters / len(paragraph) > 0.9


def bible_documents(folder):
    """One document a chapter; verse numbers go, about four verses make a paragraph."""
    reader = (folder / "bible-kjv/usr/bin/bible").resolve()
    data = folder / "bible-kjv-text/usr/lib"
    out = subprocess.run([reader, "-p", ".", "gen1:1-rev22:21"], cwd=data, check=True,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    for chapter in re.split(r"(?m)^\S.* \d+\n\n", out):
        verses = [" ".join(v.split()) for v in re.split(r"(?m)^  \d+ ", chapter) if v.strip()]
        paragraphs, current = [], []
        for verse in verses:
            current.append(verse)
            if len(current) >= 4 and verse[-1] in ".?!":
                paragraphs.append(" ".join(current))
                current = []
        if current:
            paragraphs.append(" ".join(current))
        if paragraphs:
            yield "\n\n".join(paragraphs)


def r_database_blobs(path):
    """Every serialised object of an R lazy-load database, decompressed."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        inflater = zlib.decompressobj()
        yield inflater.decompress(data[at + 4:])
        at = len(data) - len(inflater.unused_data)


def r_strings(blob):
    """The strings of a serialised character vector, with or without attributes."""
    at = blob.index(b"UTF-8") + 5
    kind, count = struct.unpack(">II", blob[at:at + 8])
    if kind & 0xFF != 16:
        raise ValueError("not a character vector")
    at += 8
    for _ in range(count):
        size = struct.unpack(">i", blob[at + 4:at + 8])[0]
        yield blob[at + 8:at + 8 + max(size, 0)].decode("utf-8")
        at += 8 + max(size, 0)


def chapter_documents(lines):
    """Split a novel at its chapter headings and keep the prose."""
    chapter = []
    heading = re.compile(r"(?i)^\s*(chapter|volume|etymology|extracts|epilogue)\b.{0,80}$")
    for line in [*lines, "CHAPTER"]:
        if not heading.match(line):
            chapter.append(line.replace("_", ""))
            continue
        paragraphs = [plain_punctuation(p) for p in joined_paragraphs(chapter)]
        paragraphs = [p for p in paragraphs if len(p) >= 15 and p != p.upper()]
        if sum(map(len, paragraphs)) > 1500:
            yield "\n\n".join(paragraphs)
        chapter = []


def austen_documents(folder):
    base = folder / "r-cran-janeaustenr/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb"
    for blob in r_database_blobs(base):
        yield from chapter_documents(list(r_strings(blob)))


def melville_documents(folder):
    base = folder / "r-cran-tokenizers/usr/lib/R/site-library/tokenizers/data/Rdata.rdb"
    text = next(r_strings(next(r_database_blobs(base)))).replace("\r\n", "\n")
    text = text[text.index("CHAPTER 1. Loomings."):]
    text = text[:re.search(r"(?i)end of (the |this )?project gutenberg", text).start()]
    yield from chapter_documents(text.split("\n"))


def jargon_documents(folder):
    """One document an entry: the head word, then its prose without the cross-reference marks."""
    raw = gzip.decompress((folder / "dict-jargon/usr/share/dictd/jargon.dict.dz").read_bytes())
    text = raw.decode("utf-8")
    text = text[text.index("(TM)\n"):]
    for entry in re.split(r"\n(?=\S)", text):
        lines = entry.split("\n")
        body = [line for line in lines[1:] if line.startswith("    ") or not line.strip()]
        paragraphs = []
        for paragraph in joined_paragraphs(body):
            paragraph = re.sub(r"\{\s*([^{}]*?)\s*\}", r"\1", paragraph)
            paragraph = re.sub(r"^((\d+\.|[a-z]\.) )?(\[[^\]]*\] ?)+", r"\1", paragraph)
            paragraph = re.sub(r"\s*(See also|See|Compare|Cf\.)( also)? [^.()]{1,80}\.$", "",
                               paragraph)
            paragraph = plain_punctuation(paragraph.replace("_", " "))
            if is_prose(paragraph):
                paragraphs.append(paragraph)
        head = plain_punctuation(lines[0])
        if paragraphs and head:
            yield f"{head[0].upper()}{head[1:]}: " + "\n\n".join(paragraphs)


def devil_documents(folder):
    """One document a definition; the verses, which are indented, are left out."""
    raw = gzip.decompress((folder / "dict-devil/usr/share/dictd/devil.dict.dz").read_bytes())
    text = raw.decode("utf-8", "replace")
    text = text[text.index("PREFACE"):].replace("_", "")
    kept = "\n".join("" if line.startswith("  ") else line for line in text.split("\n"))
    for entry in re.split(r"\n\n(?=[A-Z][A-Z' .-]+, [a-z])", kept):
        paragraphs = [plain_punctuation(p) for p in joined_paragraphs(entry.split("\n"))]
        paragraphs = [p for p in paragraphs if is_prose(p)]
        if paragraphs:
            document = "\n\n".join(paragraphs)
            yield re.sub(r"^[A-Z' .-]{2,}(?=,)", lambda m: m[0].capitalize(), document)


SOURCES = {
    "king_james": bible_documents,
    "austen": austen_documents,
    "melville": melville_documents,
    "jargon": jargon_documents,
    "devil": devil_documents,
}


def run_corpus(args):
    packages = args.build / "packages"
    fetch_packages(packages)
    with open(args.build / "corpus.jsonl", "w", encoding="utf-8") as out:
        for source, documents in SOURCES.items():
            count = size = 0
            for document in documents(packages):
                out.write(json.dumps({"source": source, "text": document}) + "\n")
                count, size = count + 1, size + len(document.encode())
            print(f"{source}: {count} documents, {size} bytes")


# ---------------------------------------------------------------------------------------------
# tokenizer


def as_chat(document):
    """A document as one question (its first sentence) and one answer (what follows)."""
    match = re.match(r"(.{20,200}?[.?!:;])\s+(.{40,800}?[.?!])(\s|$)", document, re.S)
    return match and (match[1], match[2])


def run_tokenizer(args):
    import numpy
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    with open(args.build / "corpus.jsonl", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN2_PATTERN), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE - len(SPECIAL_TOKENS), show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens(list(SPECIAL_TOKENS))
    if tokenizer.get_vocab_size() != VOCAB_SIZE:
        raise SystemExit(f"vocabulary of {tokenizer.get_vocab_size()}, wanted {VOCAB_SIZE}")
    tokenizer.save(str(args.build / "tokenizer.json"))

    end_of_text, chat_start, chat_end = (tokenizer.token_to_id(t) for t in SPECIAL_TOKENS)

    def encode(text):
        return tokenizer.encode(text, add_special_tokens=False).ids

    def turn(role, text):
        return [chat_start, *encode(role + "\n" + text), chat_end, *encode("\n")]

    shuffled = random.Random(SEED)
    shuffled.shuffle(texts)
    held_out = int(len(texts) * HELD_OUT)
    for name, part in (("validation", texts[:held_out]), ("train", texts[held_out:])):
        stream = []
        for text in part:
            stream += encode(text) + [end_of_text]
            if name == "train" and shuffled.random() < CHAT_SHARE and (pair := as_chat(text)):
                stream += turn("user", pair[0]) + turn("assistant", pair[1]) + [end_of_text]
        numpy.asarray(stream, dtype="<u2").tofile(args.build / f"{name}.tokens")
        size = sum(len(t.encode()) for t in part)
        print(f"{name}: {len(part)} documents, {size} bytes, {len(stream)} tokens")


# ---------------------------------------------------------------------------------------------
# train


def make_model(dropout):
    import torch
    from torch import nn
    from torch.nn import functional

    class RmsNorm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(HIDDEN))

        def forward(self, x):
            wide = x.float()
            wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + RMS_EPSILON)
            return (wide * self.weight).to(x.dtype)

    def rotate(x, cosine, sine):
        """RoPE on the two halves of each head, as qwen2 does it."""
        first, second = x.chunk(2, dim=-1)
        return x * cosine + torch.cat((-second, first), dim=-1) * sine

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.attn_norm = RmsNorm()
            self.attn_q = nn.Linear(HIDDEN, HEADS * HEAD_DIM)
            self.attn_k = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM)
            self.attn_v = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM)
            self.attn_output = nn.Linear(HEADS * HEAD_DIM, HIDDEN, bias=False)
            self.ffn_norm = RmsNorm()
            self.ffn_gate = nn.Linear(HIDDEN, FFN, bias=False)
            self.ffn_up = nn.Linear(HIDDEN, FFN, bias=False)
            self.ffn_down = nn.Linear(FFN, HIDDEN, bias=False)

        def forward(self, x, cosine, sine):
            rows, length, _ = x.shape
            drop = dropout if self.training else 0.0
            y = self.attn_norm(x)
            q = self.attn_q(y).view(rows, length, HEADS, HEAD_DIM).transpose(1, 2)
            k = self.attn_k(y).view(rows, length, KV_HEADS, HEAD_DIM).transpose(1, 2)
            v = self.attn_v(y).view(rows, length, KV_HEADS, HEAD_DIM).transpose(1, 2)
            q, k = rotate(q, cosine, sine).to(v.dtype), rotate(k, cosine, sine).to(v.dtype)
            k = k.repeat_interleave(HEADS // KV_HEADS, dim=1)
            v = v.repeat_interleave(HEADS // KV_HEADS, dim=1)
            y = functional.scaled_dot_product_attention(q, k, v, dropout_p=drop, is_causal=True)
            y = self.attn_output(y.transpose(1, 2).reshape(rows, length, HEADS * HEAD_DIM))
            x = x + functional.dropout(y, drop)
            y = self.ffn_norm(x)
            y = self.ffn_down(functional.silu(self.ffn_gate(y)) * self.ffn_up(y))
            return x + functional.dropout(y, drop)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.token_embd = nn.Embedding(VOCAB_SIZE, HIDDEN)
            self.blk = nn.ModuleList(Layer() for _ in range(LAYERS))
            self.output_norm = RmsNorm()
            for name, parameter in self.named_parameters():
                if parameter.dim() == 2:
                    deep = name.endswith(("attn_output.weight", "ffn_down.weight"))
                    scale = 0.02 / math.sqrt(2 * LAYERS) if deep else 0.02
                    nn.init.normal_(parameter, std=scale)
                elif name.endswith("bias"):
                    nn.init.zeros_(parameter)
            steps = torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM
            angles = torch.outer(torch.arange(CONTEXT).float(), ROPE_BASE ** -steps)
            angles = torch.cat((angles, angles), dim=-1)
            self.register_buffer("cosine", angles.cos(), persistent=False)
            self.register_buffer("sine", angles.sin(), persistent=False)

        def forward(self, tokens, targets):
            length = tokens.shape[1]
            cosine, sine = self.cosine[:length], self.sine[:length]
            x = functional.dropout(self.token_embd(tokens), dropout if self.training else 0.0)
            for layer in self.blk:
                x = layer(x, cosine, sine)
            logits = functional.linear(self.output_norm(x), self.token_embd.weight)
            return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    return Model()


def save_weights(model, folder):
    """Matrices as F16, norms and biases as F32, in files below CHUNK_BYTES."""
    import numpy

    chunk, size, index = {}, 0, 0
    for name, value in [*model.state_dict().items(), (None, None)]:
        array = None
        if name is not None:
            array = value.float().cpu().numpy()
            array = array.astype(numpy.float16) if array.ndim == 2 else array
        if chunk and (array is None or size + array.nbytes > CHUNK_BYTES):
            numpy.savez(folder / f"weights_{index}.npz", **chunk)
            chunk, size, index = {}, 0, index + 1
        if array is not None:
            chunk[name], size = array, size + array.nbytes


def run_train(args):
    import numpy
    import torch

    device = args.device
    folder = args.out or args.build
    folder.mkdir(parents=True, exist_ok=True)
    streams = {}
    for name in ("train", "validation"):
        tokens = numpy.fromfile(args.build / f"{name}.tokens", dtype="<u2").astype(numpy.int64)
        streams[name] = torch.from_numpy(tokens).to(device)
    window = torch.arange(CONTEXT + 1, device=device)

    def autocast():
        return torch.autocast(device, dtype=torch.bfloat16)

    def loss_over(model, stream):
        """Mean loss over all whole windows of a stream, one after another, without dropout."""
        model.eval()
        starts = torch.arange(0, len(stream) - CONTEXT - 1, CONTEXT, device=device)
        total = 0.0
        with torch.no_grad(), autocast():
            for part in starts.split(BATCH):
                rows = stream[part[:, None] + window]
                total += model(rows[:, :-1], rows[:, 1:]).item() * len(part)
        model.train()
        return total / len(starts)

    started, best, report = time.time(), math.inf, []
    longest_step = 0.0
    for dropout, steps in RUNS:
        steps = min(steps, args.max_steps)
        left = args.seconds - (time.time() - started)
        if report and longest_step * steps + 15 > left:
            print(f"left out: dropout {dropout}, {steps} steps")
            continue
        torch.manual_seed(SEED)
        model = make_model(dropout).to(device)
        decayed = [p for p in model.parameters() if p.dim() == 2]
        others = [p for p in model.parameters() if p.dim() != 2]
        optimizer = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": WEIGHT_DECAY},
             {"params": others, "weight_decay": 0.0}],
            lr=LEARNING_RATE, betas=(0.9, 0.95), fused=device == "cuda")
        compiled = torch.compile(model) if device == "cuda" else model
        run_started = time.time()
        for step in range(steps):
            rate = min(1.0, (step + 1) / WARMUP_STEPS)
            rate *= 0.5 * (1 + math.cos(math.pi * step / steps)) * 0.99 + 0.01
            for group in optimizer.param_groups:
                group["lr"] = LEARNING_RATE * rate
            starts = torch.randint(len(streams["train"]) - CONTEXT - 1, (BATCH, 1), device=device)
            rows = streams["train"][starts + window]
            with autocast():
                loss = compiled(rows[:, :-1], rows[:, 1:])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % EVAL_EVERY == 0 or step == steps - 1:
                validation = loss_over(model, streams["validation"])
                print(f"dropout {dropout} step {step} loss {loss.item():.4f} "
                      f"validation {validation:.4f} {time.time() - run_started:.1f} s", flush=True)
                if time.time() - started > args.seconds:
                    raise SystemExit("out of time")
        seconds = time.time() - run_started
        longest_step = max(longest_step, seconds / steps)
        train = loss_over(model, streams["train"][:len(streams["validation"]) * 4])
        entry = {"dropout": dropout, "steps": steps, "train_loss": round(train, 4),
                 "validation_loss": round(validation, 4), "seconds": round(seconds, 1)}
        report.append(entry)
        print(json.dumps(entry), flush=True)
        if validation < best:
            best = validation
            save_weights(model, folder)
        name = torch.cuda.get_device_name() if device == "cuda" else device
        parameters = sum(p.numel() for p in model.parameters())
        (folder / "report.json").write_text(json.dumps(
            {"device": name, "torch": torch.__version__, "parameters": parameters,
             "runs": report}, indent=1))


# ---------------------------------------------------------------------------------------------
# gguf and quantize


def run_gguf(args):
    import gguf
    import numpy

    weights = {}
    for path in sorted(args.build.glob("weights_*.npz")):
        weights.update(numpy.load(path))
    tokenizer = json.loads((args.build / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = dict(tokenizer["model"]["vocab"])
    vocabulary.update({t["content"]: t["id"] for t in tokenizer["added_tokens"]})
    tokens = sorted(vocabulary, key=vocabulary.get)
    if [vocabulary[t] for t in tokens] != list(range(VOCAB_SIZE)):
        raise SystemExit("the token ids are not 0 to the vocabulary's size")
    kinds = [gguf.TokenType.CONTROL if t in SPECIAL_TOKENS else gguf.TokenType.NORMAL
             for t in tokens]
    merges = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]

    writer = gguf.GGUFWriter(args.build / "embedded-f16.gguf", "qwen2")
    writer.add_name("Assay embedded")
    writer.add_license("CC0-1.0")
    writer.add_description(
        "A small English model trained from scratch on public-domain text: the King James Bible, "
        "the novels of Jane Austen, Herman Melville's Moby-Dick, the Jargon File and Ambrose "
        "Bierce's Devil's Dictionary")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_vocab_size(VOCAB_SIZE)
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(RMS_EPSILON)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(vocabulary["<|endoftext|>"])
    writer.add_eos_token_id(vocabulary["<|endoftext|>"])
    writer.add_pad_token_id(vocabulary["<|endoftext|>"])
    writer.add_add_bos_token(False)
    for name, array in weights.items():
        writer.add_tensor(name, numpy.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantized(source, target, file_type):
    import llama_cpp

    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = file_type
    parameters.nthread = 1
    parameters.allow_requantize = True
    result = llama_cpp.llama_model_quantize(
        str(source).encode(), str(target).encode(), parameters)
    if result != 0:
        raise SystemExit(f"quantising to {target} failed with {result}")


def run_quantize(args):
    import gguf
    import llama_cpp

    output = args.output or args.build / "embedded.gguf"
    quantized(args.build / "embedded-f16.gguf", output, llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M)
    quantized(output, args.build / "embedded-q8_0.gguf", llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0)
    for tensor in gguf.GGUFReader(output).tensors:
        print(f"{tensor.name:28} {tensor.tensor_type.name:6} {tensor.shape.tolist()}")
    print(f"{output}: {output.stat().st_size} bytes")


def main():
    parser = argparse.ArgumentParser(description="Rebuild the embedded language model.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in (("corpus", run_corpus), ("tokenizer", run_tokenizer),
                         ("train", run_train), ("gguf", run_gguf), ("quantize", run_quantize)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--build", type=pathlib.Path, required=True)
        if name == "train":
            command.add_argument("--out", type=pathlib.Path, help="default: the build folder")
            command.add_argument("--device", default="cuda")
            command.add_argument("--max-steps", type=int, default=10**9)
            command.add_argument("--seconds", type=float, default=TRAIN_SECONDS)
        if name == "quantize":
            command.add_argument("--output", type=pathlib.Path)
    args = parser.parse_args()
    args.build.mkdir(parents=True, exist_ok=True)
    args.action(args)


if __name__ == "__main__":
    main()
