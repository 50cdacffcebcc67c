"""Syntax trees of the sources that tests examine."""

import ast

SKIPPED = {"ctx", "op", "ops"}
"""Fields of syntax nodes that are skipped, because they contain no names, constants or line numbers."""


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes of `tree` in the order of `ast.walk`, without contexts and operators.

    This takes half the time of `ast.walk`.
    """
    found = [tree]
    for node in found:
        for name in node._fields:
            if name in SKIPPED:
                continue
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found
