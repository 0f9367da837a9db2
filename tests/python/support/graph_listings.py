"""Listings of graphs, as tests/golden/graphs/ has them."""


def nodes(listing):
    """Collections are listed after the nodes: NAME: item item. Control inputs are sorted by name in the recorded listings."""
    return [with_sorted_control_inputs(line) for line in listing.splitlines() if " = " in line]


def with_sorted_control_inputs(line):
    head, arrow, inputs = line.partition("(")
    inputs, close, rest = inputs.partition(")")
    parts = inputs.split(", ")
    parts = [part for part in parts if part[:1] != "^"] + sorted(part for part in parts if part[:1] == "^")
    return head + arrow + ", ".join(parts) + close + rest
