#!/usr/bin/env python3
"""Token ids by llama.cpp, for engine/tokenizer/oracle_test.cpp.

  python3 scripts/tokenizer_oracle.py [--smollm2 FILE] [--train]

Needs the PyPI packages llama-cpp-python and gguf (and sentencepiece with --train). Writes, in
engine/tokenizer/oracle/:

  texts.json           the texts: a string, {"hex": BYTES} or {"repeat": TEXT, "times": N}
  NAME.json            per vocabulary and text the ids, without and with control tokens recognised
  sentencepiece.gguf   with --train: a small SentencePiece vocabulary, trained on docs/*.md and LINES

smollm2.json is written only where --smollm2 names the file (scripts/fetch_smollm2.sh fetches it).
"""

import argparse
import ctypes
import hashlib
import io
import json
import pathlib
import random
import struct
import tempfile

import gguf
import llama_cpp

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "engine/tokenizer/oracle"
EMBEDDED = ROOT / "engine/embedded/embedded.gguf"
SPELLED_OUT = 100  # ids; longer lists are stored as a hash

# What the small vocabulary learns beside English prose and code.
LINES = """
Der Zug fährt über die Brücke; größere Städte hören früh auf zu träumen.
L'été dernier, nous avons déjà mangé des crêpes près du café où il neigeait.
El niño pequeño comió una piña mañana; ¿dónde está la señora? ¡Aquí!
Быстрая лиса прыгает через ленивую собаку, а потом спит до утра.
Η γρήγορη αλεπού πηδάει πάνω από το σκυλί.
快速的棕色狐狸跳过了懒狗。今天天气很好,我们去公园吧。
素早い茶色の狐がのろまな犬を飛び越える。カタカナとひらがな。
빠른 갈색 여우가 게으른 개를 뛰어넘는다.
مرحبا بالعالم، كيف حالك اليوم؟
for (int i = 0; i < 10; ++i) { sum += values[i] * 2.5f; }
def f(x): return {"key": [x, x + 1], 'other': None}
😀 😂 🚀 ❤️ 👍🏽 👨‍👩‍👧 🇩🇪
""".strip().splitlines()

BY_HAND = [
    "", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\t\t\t", " \n", "\n ", " \n \n ", "a", " a", "a ",
    "  a  ", "a\n\nb", "a \n b", "a\r\nb", "a\tb", "\x00", "a\x00b", "\x7f", "\x1b[0m",
    "Hello, world!", " Hello  World ", "HELLO wOrLd", "I'll don't we've I'm you're he'd it's",
    "I'LL DON'T WE'VE I'M YOU'RE HE'D IT'S", "'s 't 're 've 'm 'll 'd", "''s'''t", "'ſ 'K", "x's'y",
    "0", "1", "12", "123", "1234", "12345", "123456", "1234567", "3.14159", "1,000,000.00", "0x1F2e", "1e-9",
    " 1 2 3 ", "a1b22c333d4444", "½ ¾ ² ³ ①②③ Ⅷ ⅷ", "٠١٢٣٤٥", "१२३४", "一二三", "٣٣٣٣",
    "naïve café crème brûlée", "Straße Ärger Übermut", "ÀÉÎÕÜàéîõü", "e\u0301e\u0308n\u0303", "İstanbul ıI",
    "Zażółć gęślą jaźń", "đặc biệt tiếng Việt", "ĲĳŒœÆæ", "Ελληνικά", "Русский язык", "עברית", "العربية", "हिन्दी",
    "ไทย", "한국어", "中文", "日本語のテキスト", "中文和English混排123", "。,!?;:「」", "ｆｕｌｌ　ｗｉｄｔｈ",
    "𝕳𝖊𝖑𝖑𝖔", "𐍈𐌰", "😀", "😀😃😄", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "1️⃣", "🏳️‍🌈 flag", "a😀b", " 😀 ",
    "\u200b", "a\u200bb", "\u200d\u200d", "\ufeffBOM", "\u00a0nbsp\u00a0", "\u2003em\u2003", "\u3000", "\u2028\u2029",
    "\u0085x\u0085", "\u180e \u180e", "\ufffd", "\uffff", "\U0010ffff", "\U000e0001", "\u0378\u0379",
    "if (x == 1) { return; }", "    indented\n        more\n", "\tif x:\n\t\treturn", "a->b::c<d>&e|f^g~h!i",
    "int main(void) {\n  printf(\"%d\\n\", 42);\n  return 0;\n}\n", "SELECT * FROM t WHERE a='b' -- c",
    "https://example.org/a/b?c=d&e=f#g", "user@example.com", "C:\\path\\file.txt", "../../etc/passwd",
    "x_1 = y**2 // 3", "#include <vector>", "$HOME ${x} $(ls)", "<a href=\"b\">c</a>", "/* c */ // d", "== === !== => ->",
    "...", "....", "!!!???", "-----", "=====", "*****", "(((", ")))", "\"'`", "a.b.c", "a-b_c", "—–-", "«»„“”‘’",
    "▁", "▁▁", "a▁b", " ▁ ", "▁ a", "<0x0A>", "<0xZZ>", "Ġ", "Ġthe", "Ċ", "ĠĠ", "ŀĢ",
    "word" * 8, "supercalifragilisticexpialidocious", "aaaaaaaaaaaaaaaa", "abababababab", "ééééé", "ßßßß",
]

CONTROL = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    "a<|im_end|>b", " <|im_end|> ", "<|im_end|><|im_end|>", "<|im_<|im_end|>end|>", "<|im_end|", "|im_end|>",
    "<|im_end|>\n\n<|im_end|>", "x  <|im_end|>  y", "  <|endoftext|>\n", "<|IM_END|>", "< |im_end|>",
    "a   <|im_start|>", "12<|im_end|>34", "'<|im_end|>s", "\n<|im_end|>\n", "中<|im_end|>文",
    "<s>", "</s>", "<unk>", "a<s>b</s>c", "<s><s>", " <s> x </s> ", "</s></s>", "<s", "/s>", "<s>\n",
    "<tool>", "a<tool>b", "<tool><tool>", " <tool> ", "<tool", "tool>", "<tool>  x", "<|fim_pad|>", "a<|fim_pad|>b",
    "<|eot_id|>", "a<|eot_id|>b", "<repo_name>x<file_sep>y", "<jupyter_start>", "<filename>a.py", "<issue_start>",
    "[PAD]", "<pad>", "<|end|>", "<end_of_turn>",
]

INVALID = [
    "80", "ff", "fe", "c3", "c328", "e28228", "e282", "f0908d", "f09f98", "f8888080", "fc8080808080", "c080", "c1bf",
    "e08080", "eda080", "edbfbf", "eda0bdedb880", "6180", "80616280", "20ff20", "ff0aff", "e4b8e4b8ad", "f09f9880ff",
    "ffffffff", "c3a9c3", "61c3", "c341c3a9", "e29681ff", "3c7c696d5f656e647cff3e", "ff3c7c696d5f656e647c3e",
    "e4b83c7c696d5f656e647c3e", "31ff32", "ff31323334", "0d0aff", "20c2", "c2a0c2", "f0e29681", "e2e29681",
]

PARTS = [
    "the", " quick", " brown", "fox", " jumps", "ing", "tion", " un", "Assay", " kernel", " model", "é", "ü", "ß", "ñ",
    "ö", "Я", "ж", "д", "α", "ω", "中", "文", "日本", "の", "한", "글", "ع", "ر", "😀", "🚀", "👍🏽", "\u200d", "❤️",
    "0", "1", "23", "456", "7890", "½", "²", " ", " ", " ", "  ", "   ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u3000",
    ".", ",", "!", "?", ";", ":", "'", "'s", "'t", "'LL", "\"", "(", ")", "[", "]", "{", "}", "<", ">", "|", "/", "\\",
    "=", "+", "-", "*", "_", "#", "$", "%", "&", "@", "^", "~", "`", "e\u0301", "\u180e", "\u0085", "▁",
    "if", "for", "int", "void", "return", "->", "::", "==", "//", "/*", "*/", "\\n", "0x",
]


def texts():
    draw = random.Random(20)
    rows = list(BY_HAND) + list(CONTROL)
    rows += [{"hex": text} for text in INVALID]
    rows += [{"repeat": text, "times": times} for text, times in [
        ("a", 5000), (" ", 4000), ("\n", 3000), ("ab", 2500), ("0", 3000), ("é", 2000), ("中", 2000), ("😀", 1500),
        (" a", 2500), ("!", 3000), ("The quick brown fox. ", 400), ("x = y + 1;\n", 500), ("12 ", 1500),
        ("<|im_end|>", 300), ("\u00a0", 700), ("'s", 900)]]
    for line in LINES:
        rows += [line, line[::-1]]
    for _ in range(300):
        rows.append("".join(draw.choice(PARTS) for _ in range(draw.randint(2, 14))))
    for _ in range(120):  # any assigned or unassigned character
        rows.append("".join(chr(draw.choice([draw.randrange(0x20, 0x3000), draw.randrange(0x3000, 0xd800),
                                             draw.randrange(0xe000, 0x1f000), draw.randrange(0x1f000, 0x32000)]))
                            for _ in range(draw.randint(1, 10))))
    for _ in range(80):  # words between spaces of all kinds
        rows.append("".join(draw.choice(["a", "B1", "é", " ", "  ", "\n", "\t", "\r", "\u2003"])
                            for _ in range(draw.randint(3, 16))))
    for _ in range(80):
        rows.append("".join(draw.choice(PARTS + ["<|im_end|>", "<|endoftext|>", "<s>", "</s>", "<tool>", "<|im_start|>"])
                            for _ in range(draw.randint(2, 10))))
    for _ in range(80):
        rows.append({"hex": draw.randbytes(draw.randint(1, 12)).hex()})
    # Above U+10FFFF llama.cpp ends the process.
    return [row for row in rows if not too_large(bytes_of(row))]


def bytes_of(row):
    if isinstance(row, str):
        return row.encode()
    if "hex" in row:
        return bytes.fromhex(row["hex"])
    return (row["repeat"] * row["times"]).encode()


def too_large(data):
    for i in range(len(data) - 3):
        lead, *rest = data[i:i + 4]
        if lead & 0xF8 == 0xF0 and all(b & 0xC0 == 0x80 for b in rest):
            if (lead & 7) << 18 | (rest[0] & 0x3F) << 12 >= 0x110000:
                return True
    return False


class Oracle:
    """llama.cpp with the vocabulary of a file."""

    def __init__(self, path):
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
        if not self.model:
            raise SystemExit(f"llama.cpp does not load {path}")
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)
        self.size = llama_cpp.llama_vocab_n_tokens(self.vocab)

    def encode(self, data, special, ends=False):
        room = len(data) * 4 + 16
        ids = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self.vocab, data, len(data), ids, room, ends, special)
        assert count >= 0
        return list(ids[:count])

    def piece(self, token):
        buffer = ctypes.create_string_buffer(4096)
        count = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, 4096, 0, True)
        assert count >= 0
        return buffer.raw[:count]

    def ends(self):
        return [i for i in range(self.size) if llama_cpp.llama_vocab_is_eog(self.vocab, i)]


def compact(ids):
    if len(ids) <= SPELLED_OUT:
        return ids
    packed = struct.pack(f"<{len(ids)}i", *ids)
    return f"{len(ids)}:{hashlib.sha256(packed).hexdigest()[:16]}"


def write_table(name, path, rows, about):
    oracle = Oracle(path)
    pieces = hashlib.sha256()
    for token in range(oracle.size):
        piece = oracle.piece(token)
        pieces.update(struct.pack("<I", len(piece)) + piece)
    lines = []
    for row in rows:
        plain, special = (compact(oracle.encode(bytes_of(row), flag)) for flag in (False, True))
        lines.append(json.dumps([plain] if plain == special else [plain, special], separators=(",", ":")))
    head = {"about": f"by llama.cpp (llama-cpp-python {llama_cpp.__version__}); scripts/tokenizer_oracle.py writes this",
            **about, "tokens": oracle.size, "ends": oracle.ends(), "pieces": pieces.hexdigest(),
            "enclosed": oracle.encode(b"a", False, ends=True)}
    text = json.dumps(head, indent=1)[:-2] + ',\n "ids": [\n' + ",\n".join(lines) + "\n]}\n"
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
    print(f"{name}: {len(lines)} texts, {len(text) >> 10} KiB")


def with_changes(source, target, changes):
    """The vocabulary of `source`, with some metadata replaced, as a file of its own."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, "llama")
    for field in reader.fields.values():
        if not field.name.startswith("tokenizer.ggml.") or field.name in changes:
            continue
        kind = field.types[0]
        value = field.contents()
        if kind == gguf.GGUFValueType.ARRAY:
            writer.add_array(field.name, value)
        else:
            writer.add_key_value(field.name, value, kind)
    for name, value in changes.items():
        (writer.add_bool if isinstance(value, bool) else writer.add_string)(name, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def train(path):
    import sentencepiece

    corpus = LINES * 3
    for document in sorted((ROOT / "docs").glob("*.md")):
        corpus += [line for line in document.read_text(encoding="utf-8").splitlines() if line.strip()]
    out = io.BytesIO()
    user_defined, control = ["<tool>", "<|fim_pad|>"], ["<|im_start|>", "<|im_end|>"]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus), model_writer=out, model_type="bpe", vocab_size=1500, byte_fallback=True,
        character_coverage=0.999, user_defined_symbols=user_defined, control_symbols=control, num_threads=1,
        normalization_rule_name="identity", remove_extra_whitespaces=False, minloglevel=2)
    model = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    tokens, scores, types = [], [], []
    for i in range(model.vocab_size()):
        kind = gguf.TokenType.NORMAL
        if model.is_unknown(i):
            kind = gguf.TokenType.UNKNOWN
        elif model.is_control(i):
            kind = gguf.TokenType.CONTROL
        elif model.is_byte(i):
            kind = gguf.TokenType.BYTE
        elif model.is_unused(i):
            kind = gguf.TokenType.UNUSED
        elif model.id_to_piece(i) in user_defined:
            kind = gguf.TokenType.USER_DEFINED
        tokens.append(model.id_to_piece(i))
        scores.append(model.get_score(i))
        types.append(int(kind))
    tokens.append("<unused0>")
    scores.append(-1000.0)
    types.append(int(gguf.TokenType.UNUSED))
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("sentencepiece vocabulary for tests")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    writer.add_bos_token_id(model.bos_id())
    writer.add_eos_token_id(model.eos_id())
    writer.add_unk_token_id(model.unk_id())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


@llama_cpp.llama_log_callback
def silence(_level, _text, _data):
    pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smollm2", type=pathlib.Path)
    parser.add_argument("--train", action="store_true")
    options = parser.parse_args()
    llama_cpp.llama_log_set(silence, ctypes.c_void_p(0))
    FOLDER.mkdir(exist_ok=True)
    small = FOLDER / "sentencepiece.gguf"
    if options.train:
        train(small)
    rows = texts()
    (FOLDER / "texts.json").write_text(
        "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        def table(name, source, changes):
            path = pathlib.Path(folder) / "vocabulary.gguf"
            with_changes(source, path, changes)
            write_table(name, path, rows, {"vocabulary": str(source.relative_to(ROOT)), "changes": changes})

        for pre in ("gpt-2", "llama-bpe", "qwen2", "smollm"):
            table(pre, EMBEDDED, {"tokenizer.ggml.pre": pre})
        table("sentencepiece", small, {})
        table("sentencepiece-no-prefix", small,
              {"tokenizer.ggml.add_space_prefix": False, "tokenizer.ggml.add_bos_token": False,
               "tokenizer.ggml.add_eos_token": True})
    if options.smollm2:
        write_table("smollm2", options.smollm2, rows,
                    {"vocabulary": "build/models/SmolLM2-135M-Instruct.Q4_1.gguf", "changes": {}})


main()
