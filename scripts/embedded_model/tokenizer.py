"""Step tokenizer: a byte-level BPE trained on the corpus, and the token streams."""

import json
import random
import re

from embedded_model.shape import SEED, SPECIAL_TOKENS, VOCAB_SIZE

HELD_OUT = 0.02
CHAT_SHARE = 0.05

QWEN2_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


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
