"""A bot that answers with malformed JSON."""

from honest import questions, say

for _ in questions():
    say('{"type":"action",,,')
