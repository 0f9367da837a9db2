"""What is shown of the comparison, and docs/conformance.md."""

import collections
import functools
import re
import tomllib
from pathlib import Path

import signatures

NARROW = Path(__file__).resolve().parent / "narrow_ops.toml"
# What each op has a case of, and how many cases an op has on average.
EXTENT = ("with several dimensions", "of nothing", "that is an error")
CASES_AN_OP = 20
OPEN = Path(__file__).resolve().parent / "open_differences.txt"
LEFT_OUT = Path(__file__).resolve().parent / "left_out_ops.toml"
KEPT = Path(__file__).resolve().parent / "kept_differences.toml"
SHOWN = 3
# What worker.state_of tells of ops without cases.
WITHOUT_CASES = {"is not registered": "Not registered here, and an unknown op at import",
                 "is of programs": "Called in a program's own process, and refused by a server, which is what runs here",
                 "is of older graphs": "Registered, for older graphs: TensorFlow's client makes no such nodes any more, so there is nothing to compare",
                 "has none": "Registered, without cases"}


@functools.cache
def kept():
    """The differences that stay, each with its reason: `op` and, of the difference or its case, a pattern `what`."""
    return tomllib.loads(KEPT.read_text())["difference"] if KEPT.exists() else []


@functools.cache
def left_out():
    """The ops that are not registered, each with its reason: a pattern of names `op`."""
    return tomllib.loads(LEFT_OUT.read_text())["left_out"]


def why_left_out(ops):
    """[(reason, its ops)] of ops that are not registered. Raises LookupError for one without a reason."""
    reasons = {}
    for op in ops:
        reason = next((entry["reason"] for entry in left_out() if re.fullmatch(entry["op"], op)), None)
        if reason is None:
            raise LookupError(f"{op} is not registered, and {LEFT_OUT.name} does not say why")
        reasons.setdefault(reason, []).append(op)
    return list(reasons.items())


@functools.cache
def open_differences():
    """The ops that are known to differ still: they count as skipped."""
    return {line.split()[0] for line in OPEN.read_text().splitlines() if line and not line.startswith("#")} if OPEN.exists() else set()


def reason_of(op, difference):
    """Why this difference stays, or None."""
    text = f"{difference['kind']} {difference['case']}: {difference['text']}"
    for entry in kept():
        if re.fullmatch(entry["op"], op) and re.search(entry["what"], text):
            return entry["reason"]
    return None


@functools.cache
def narrow_ops():
    """The ops that can have no case of some extent, each with its reason."""
    return tomllib.loads(NARROW.read_text())["narrow"]


def lacking(answers):
    """What the cases of compared ops do not reach and should: lines of text."""
    lines = []
    for op, answer in answers.items():
        excused = {extent for entry in narrow_ops() if re.fullmatch(entry["op"], op) for extent in entry["lacks"]}
        lacks = [extent for extent in EXTENT if not answer.get(extent) and extent not in excused]
        if is_compared(answer) and lacks:
            lines.append(f"{op}: no case {', none '.join(lacks)}")
    counts = summary(answers)
    if counts["cases"] < CASES_AN_OP * counts["compared ops"]:
        lines.append(f"fewer than {CASES_AN_OP} cases an op: {counts['cases']} of {counts['compared ops']} ops")
    return lines


def unexpected(answers):
    """The differences, by op, that nobody has given a reason for and that are not known. An op that is missing does not count as one."""
    found = {}
    for op, answer in answers.items():
        if op in open_differences():
            continue
        texts = [f"{d['case']} ({d['where']}): {d['text']}" for d in answer.get("differences", []) if reason_of(op, d) is None]
        if "broken" in answer:
            texts.append(answer["broken"])
        if is_compared(answer) and any(re.fullmatch(entry["op"], op) for entry in left_out()):
            texts.append(f"is registered, and {LEFT_OUT.name} still has a reason why it is not: remove it there")
        if texts:
            found[op] = texts
    return found


def show(answer, verbose, quiet=False):
    differences = [d for d in answer.get("differences", []) if verbose or reason_of(answer["op"], d) is None]
    if quiet and (not differences and "broken" not in answer or answer["op"] in open_differences()):
        return
    print(line_of(answer), flush=True)
    for difference in differences if verbose else differences[:SHOWN]:
        print(f"    {difference['kind']} {difference['case']} ({difference['where']}): {difference['text']}", flush=True)
    for note in answer.get("notes", []) if verbose else []:
        print(f"    {note}", flush=True)


def line_of(answer):
    if "broken" in answer:
        return f"{answer['op']}: {answer['broken']}"
    parts = [f"{answer.get('cases', 0)} cases"]
    for name in ("equal", "different", "missing", "gradients equal", "gradients missing"):
        if answer.get(name):
            parts.append(f"{answer[name]} {name}")
    worst = worst_of(answer)
    return f"{answer['op']}: {', '.join(parts)}" + (f" (worst {worst:.2g})" if worst else "")


def worst_of(answer):
    return max((d["worst"] for d in answer.get("differences", []) if d.get("worst")), default=None)


def summary(answers):
    counts = collections.Counter()
    for answer in answers.values():
        counts["ops"] += 1
        for name in ("cases", "equal", "different", "missing", "error", "gradients", "gradients equal"):
            counts[name] += answer.get(name, 0)
        counts["missing ops"] += bool(answer.get("missing"))
        counts["compared ops"] += is_compared(answer)
        counts["kept"] += sum(reason_of(answer["op"], d) is not None for d in answer.get("differences", []))
        counts["equal ops"] += is_equal(answer)
    return counts


def is_compared(answer):
    return bool(answer.get("equal") or answer.get("differences"))


def is_equal(answer):
    """In all cases, but for differences that are kept."""
    differences = [d for d in answer.get("differences", []) if reason_of(answer["op"], d) is None]
    return bool(answer.get("equal")) and not differences and "broken" not in answer


def text_of(counts):
    return (f"{counts['ops']} ops, of which {counts['compared ops']} compared, {counts['equal ops']} of them equal, or different on purpose; "
            f"{counts['cases']} cases: {counts['equal']} equal, {counts['different']} different ({counts['kept']} of them and of the gradients kept on purpose), {counts['missing']} missing; "
            f"{counts['gradients equal']} of {counts['gradients']} gradients equal")


def write(answers, path):
    table = signatures.signatures()
    groups = {group: [op for op in answers if table[op].group == group] for group in "ABC"}
    lines = [HEAD, "| group | ops | compared | equal, or different on purpose | cases | equal | different | gradients | equal |",
             "|---|---|---|---|---|---|---|---|---|"]
    for group, ops in groups.items():
        c = summary({op: answers[op] for op in ops})
        lines.append(f"| {group} | {c['ops']} | {c['compared ops']} | {c['equal ops']} | {c['equal'] + c['different']} | {c['equal']} | "
                     f"{c['different']} | {c['gradients']} | {c['gradients equal']} |")
    lines += ["", "## Each op", "", "| op | group | cases | equal | different, the worst | gradients | what |", "|---|---|---|---|---|---|---|"]
    lines += [row_of(table[op], answers[op]) for op in answers if answers[op].get("equal") or answers[op].get("differences")]
    for group, ops in groups.items():
        lines += ["", f"## Missing of group {group}", ""]
        missing = [op for op in ops if answers[op].get("missing")]
        lines.append(f"{len(missing)}: {', '.join(missing)}." if missing else "None.")
        for state, title in WITHOUT_CASES.items():
            found = [op for op in ops if answers[op].get("state") == state]
            if found and state == "is not registered":
                lines += ["", f"{title} ({len(found)}):", "", *reasons_of(found)]
            elif found:
                lines += ["", f"{title} ({len(found)}): {', '.join(found)}."]
    lines += ["", "## Differences kept on purpose", "", "| op | what | reason |", "|---|---|---|"]
    lines += [f"| {entry['op']} | {cell(entry['what'])} | {cell(entry['reason'])} |" for entry in kept()]
    path.write_text("\n".join(lines) + "\n")


def reasons_of(ops):
    """The rows of a table of ops that are not registered."""
    return ["| ops | why |", "|---|---|", *(f"| {', '.join(those)} | {cell(reason)} |" for reason, those in why_left_out(ops))]


HEAD = """# Conformance

Made by `scripts/conformance`: do not edit. Each op of `tests/golden/ops.tsv` runs in TensorFlow's local session and, through the same Python
client, on `flowray server`: fused and unfused, on one thread and on two, alone and among neighbours that it may be fused with. The cases
come from the op's signature and what `tests/conformance/families/` knows of it; errors are compared by class and first line. Registered ops
of `tests/golden/ops_beyond_the_list.tsv` are not in these tables: `scripts/conformance --op NAME` compares one.

An op is "equal, or different on purpose" where each of its differences has a reason in the last table; "equal" and "different" count cases.
"""


def row_of(signature, answer):
    worst = worst_of(answer)
    different = str(answer.get("different", 0)) + (f", {worst:.1g}" if worst else "")
    gradients = f"{answer.get('gradients equal', 0)} of {answer['gradients']}" if answer.get("gradients") else ""
    what = cell(answer["differences"][0]["text"][:90]) if answer.get("differences") else ""
    return (f"| {signature.name} | {signature.group} | {answer.get('cases', 0)} | {answer.get('equal', 0)} | {different} | {gradients} | "
            f"{what} |")


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")
