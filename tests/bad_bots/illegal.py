"""Answers with actions that are not allowed."""

from honest import choose, questions

for request in questions():
    choose(request["number"], 10_000)
