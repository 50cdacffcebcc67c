"""A bot that answers with choices that are not in the list of legal actions."""

from honest import choose, questions

for request in questions():
    choose(request["number"], 10_000)
