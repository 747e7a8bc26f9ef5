"""Step corpus: public-domain texts out of Debian packages, as one JSON line per document."""

import gzip
import json
import re
import struct
import subprocess
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
