"""A scripted client of the Model Context Protocol that plays games with the tools of `rails-cli mcp`.

Its command as a bot is `rails-cli mcp -- python3 agent.py`. It needs the package `mcp`. Replace the body of `decide`
with a question to a language model.
"""

import asyncio
import os

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def decide(text: str) -> int:
    """Return the number of the choice to play. This example always takes the first choice."""
    return 0


async def call(session: ClientSession, tool: str, **arguments: object) -> str:
    """Call `tool` with `arguments`, and return the text of its result."""
    result = await session.call_tool(tool, arguments)
    return "".join(getattr(part, "text", "") for part in result.content)


async def play() -> None:
    server = StdioServerParameters(command="rails-cli", args=["mcp", "--seat", os.environ["RAILS_CLI_SEAT"]])
    async with stdio_client(server) as (source, sink), ClientSession(source, sink) as session:
        await session.initialize()
        text = await call(session, "position")
        while "The game cannot continue" not in text:  # that is the end of the last game
            if "\nChoices:\n" in text:
                text = await call(session, "move", choice=decide(text))
            else:
                text = await call(session, "position")  # waits for the others, or for the next game


asyncio.run(play())
