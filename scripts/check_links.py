#!/usr/bin/env python3
"""Checks that every relative link and picture in the Markdown files of the source tree leads somewhere.

    check_links.py SOURCE_TREE

A target is taken relative to the file that names it; a `#section` must be a heading of the target, by
the rule that code hosts use for anchors. Links with a scheme are not followed: a test must not need a
network. Folders that are built or generated (build/, results/records/, results/site/) are left out, and
text inside code is not a link. Exit code 1 with one line per dead link.
"""
import re
import sys
from pathlib import Path

LEFT_OUT = ("build", ".git", "results/records", "results/site", "results/index.md")
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|(?:src|srcset|href)=\"([^\"]+)\"")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def documents(root):
    for path in sorted(root.rglob("*.md")):
        place = path.relative_to(root).as_posix()
        if not any(place == folder or place.startswith(folder + "/") for folder in LEFT_OUT):
            yield path


def prose(text):
    """[(line number, line)] outside fenced blocks, with code spans blanked."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(path):
    found = set()
    for _, line in prose(path.read_text()):
        heading = HEADING.match(line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", heading.group(1).lower())
            found.add(words.replace(" ", "-"))
    return found


def fault(document, target):
    """Why a link is dead, or nothing."""
    place, _, section = target.partition("#")
    leads_to = (document.parent / place) if place else document
    if not leads_to.exists():
        return "no such file"
    if section and leads_to.suffix == ".md" and section not in anchors(leads_to):
        return f"no heading #{section} there"
    return None


def main():
    root = Path(sys.argv[1])
    links, dead = 0, []
    for document in documents(root):
        for number, line in prose(document.read_text()):
            for match in LINK.finditer(re.sub(r"`[^`]*`", "`code`", line)):
                target = match.group(1) or match.group(2)
                if SCHEME.match(target):
                    continue
                links += 1
                why = fault(document, target)
                if why:
                    dead.append(f"{document.relative_to(root)}:{number}: {target}: {why}")
    print("\n".join(dead) if dead else f"{links} relative links lead somewhere")
    if not links:
        print("no relative link was found, so this check sees nothing")
    return 1 if dead or not links else 0


if __name__ == "__main__":
    sys.exit(main())
