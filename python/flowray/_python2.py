"""Programs of 2017 in Python 3: print statements and `except E, e` become what Python 3 writes. Line numbers stay."""

import io
import tokenize

_SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


def translate(source):
    """The same program as Python 3 reads it."""
    lines = source.splitlines(keepends=True)
    edits = []  # (row, column, length, text), where
    for statement in _statements(source):
        first = statement[0]
        if first.type == tokenize.NAME and first.string == "print":
            edits += _print_edits(statement)
        elif first.type == tokenize.NAME and first.string == "except":
            edits += _except_edits(statement)
    for row, column, length, text in sorted(edits, reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + text + line[column + length:]
    return "".join(lines)


def _statements(source):
    """The tokens of each simple statement, and of the heads of compound ones."""
    current, depth = [], 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in _SKIPPED or token.type == tokenize.ENDMARKER:
            continue
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}")) if token.type == tokenize.OP else 0
        ends = token.type == tokenize.NEWLINE or (depth == 0 and token.type == tokenize.OP and token.string in (";", ":"))
        if not ends or (token.string == ":" and current and current[0].string == "except"):
            current.append(token)
        if ends:
            if current:
                yield current
            current = []
    if current:
        yield current


def _closes_at_end(tokens):
    """Whether the bracket that opens `tokens` closes with the last one."""
    depth = 0
    for i, token in enumerate(tokens):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        if depth == 0:
            return i == len(tokens) - 1
    return False


def _print_edits(statement):
    keyword, rest = statement[0], statement[1:]
    row, column = keyword.start
    if not rest:
        return [(row, column, 5, "print()")]
    if rest[0].string == "(" and _closes_at_end(rest):
        return []
    if rest[0].string in ("=", ".", ",", ")"):  # a name, not a statement
        return []
    options = ""
    edits = []
    if rest[0].string == ">>":
        comma = next((i for i, token in enumerate(rest) if token.string == ","), len(rest))
        options = ", file=" + "".join(token.string for token in rest[1:comma])
        start = rest[0].start
        end = rest[comma].end if comma < len(rest) else rest[-1].end
        edits.append((start[0], start[1], end[1] - start[1], ""))
    last = rest[-1]
    if last.string == ",":
        edits.append((last.start[0], last.start[1], 1, ', end=" "%s)' % options))
    else:
        edits.append((last.end[0], last.end[1], 0, "%s)" % options))
    gap = rest[0].start[1] - (column + 5) if rest[0].start[0] == row else 0
    edits.append((row, column, 5 + gap, "print("))
    return edits


def _except_edits(statement):
    depth = 0
    for token in statement:
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == "," and depth == 0:
                return [(token.start[0], token.start[1], 1, " as")]
    return []
