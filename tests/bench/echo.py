"""Reference server: a bare `websockets` server that answers every message with a text of a given length."""

import asyncio
import sys

from websockets.asyncio.server import ServerConnection, serve

from tests.bench.load import loop_runner


async def main(length: int) -> None:
    reply = "x" * length

    async def answer(connection: ServerConnection) -> None:
        async for _ in connection:
            await connection.send(reply)

    async with serve(answer, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    if sys.argv[2] == "uvloop":
        loop_runner(main(int(sys.argv[1])))
    else:
        asyncio.run(main(int(sys.argv[1])))
