"""Answers with lines that look like JSON and are not."""

from honest import questions, say

for _ in questions():
    say('{"type":"action",,,')
