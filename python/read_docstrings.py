"""Writes the docstrings of Python's functions: what the public headers say above the declarations of C++'s.

    python read_docstrings.py HEADERS OUTPUT

HEADERS is include/flowray/tf. OUTPUT gets a line {"nn.conv2d", "..."} for each function, class and method below flowray::tf, sorted by
name, for native/convert/docstrings.cpp. Of several declarations of one name the first that has a comment speaks.
"""

import re
import sys
from pathlib import Path

NAMESPACE = re.compile(r"\s*(?:inline )?namespace ([\w:]+) \{")
CLASS = re.compile(r"\s*(?:class|struct)(?: \[\[\w+\]\])? (\w+)\b(?!.*;\s*$)")
# What a declaration of a function begins with: its type (with the brackets of a template's), its name, its parameters.
FUNCTION = re.compile(r"\s*(?:(?:static|virtual|inline|explicit|constexpr|template <.*>) )*[\w:<>,& *]+?[&* ](\w+)\(")


def comments_of(text):
    """(qualified name, comment) of each declaration in a header."""
    scopes, comment, depth = [], [], 0
    statement_begins = True
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("///"):
            comment.append(stripped[3:].removeprefix(" "))
            continue
        if stripped.startswith(("#", "template <", "requires ")):
            continue
        names = [name for name, at in scopes if at is not None]
        here = depth == (scopes[-1][1] if scopes else 0)
        namespace = NAMESPACE.match(line)
        declared = CLASS.match(line)
        function = FUNCTION.match(line)
        opens_scope = None
        if here and statement_begins:
            if namespace and "{" in line:
                opens_scope = namespace.group(1)
            elif declared:
                opens_scope = declared.group(1)
            name = declared.group(1) if declared else function.group(1) if function and not namespace else None
            if name and comment:
                yield ".".join([*names, name]), "\n".join(comment)
        code = whole = re.sub(r"//.*|\"(?:\\.|[^\"])*\"|'(?:\\.|[^'])'", "", line)
        if opens_scope is not None and "{" in code:
            depth += 1
            scopes.append((opens_scope, depth))
            code = code.replace("{", "", 1)
        for bracket in re.findall(r"[{}]", code):
            depth += 1 if bracket == "{" else -1
            while scopes and scopes[-1][1] > depth:
                scopes.pop()
        if stripped:
            statement_begins = whole.rstrip().endswith((";", "{", "}", ":")) or not whole.strip()
        comment = []


def read(folder):
    """{name below flowray::tf, with dots: comment}"""
    docstrings = {}
    for header in sorted(Path(folder).rglob("*.h")):
        for name, comment in comments_of(header.read_text(encoding="utf-8")):
            name = name.replace("::", ".").removeprefix("flowray.tf").removeprefix(".")
            docstrings.setdefault(name, comment)
    return docstrings


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


if __name__ == "__main__":
    headers, output = sys.argv[1:]
    lines = ["{%s, %s},\n" % (literal(name), literal(text)) for name, text in sorted(read(headers).items())]
    Path(output).parent.mkdir(exist_ok=True)
    Path(output).write_text("".join(lines), encoding="utf-8")
