"""A bot that prints other lines between its answers, which is allowed."""

from honest import answer, requests

print("hello, I am starting")
for request in requests():
    print("number", request["number"])
    answer(request)
