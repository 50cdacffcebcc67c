"""A bot that answers with bytes that are not UTF-8."""

import sys

from honest import questions

for _ in questions():
    sys.stdout.buffer.write(b'{"type":"action","number":\xff\xfe\x00}\n')
    sys.stdout.buffer.flush()
