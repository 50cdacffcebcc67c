"""A bot that plays with the weights that `train.py` wrote: python3 player.py weights.npz

It plays the game and the number of players for which the weights were trained.
"""

import json
import sys

from agent import Agent

from rails_cli.library import Engine


def main(path):
    agent = Agent.load(path)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            engine = Engine.of(message)
        elif message["type"] == "request":
            moves, _ = agent.choose([engine.position(message)])
            print(json.dumps(engine.answer(message, moves[0])), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
