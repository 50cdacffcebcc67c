"""The tools with which a language model plays: one game at a time, against built-in players or at a server."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rails_cli.agents.local import resume_local, start_local
from rails_cli.agents.refereed import take_seat
from rails_cli.agents.remote import RemoteGame, join_server
from rails_cli.agents.seat import AgentError, AgentSeat, quoted
from rails_cli.games import NoSuchGame, game_named, game_names, load_face, load_game, rule_sheet
from rails_cli.games.rulebook import found, uncited

Detail = Literal["short", "long", "json"]


@dataclass
class Tools:
    """The tools of one agent. Methods return text for the agent, or raise AgentError with a text for the agent."""

    folder: Path
    """Folder for the logs of games in this process."""
    wait_s: float
    """Largest number of seconds that a tool waits for the other players."""
    hints: bool
    """Whether the agent may ask for hints in games in this process. At a server, this is a setting of the table."""
    certificate: Path | None
    """File with certificates of servers to trust. None to trust the certificates of the system."""
    parse_address: Callable[[str], tuple[str, str | None, str | None]]
    """Function that returns the URL, table and invitation in the address of a server.

    It raises ValueError if the address is invalid.
    """
    seat_path: Path | None = None
    """Path of the socket of a `ClientBot`.

    If it is given, the agent plays the matches of a referee over this socket, and no other games. None if the agent
    chooses its games.
    """
    seat: AgentSeat | None = None
    """The seat of the agent, or None if the agent plays no game."""

    async def open(self) -> None:
        """Connect to the referee over the socket `seat_path`. Do nothing if `seat_path` is None."""
        if self.seat_path is not None:
            self.seat = await take_seat(self.seat_path)

    def _playing(self) -> AgentSeat:
        if self.seat is None:
            raise AgentError("No game is being played. Use `start_game` or `join_game`.")
        return self.seat

    def _new_seat(self) -> AgentSeat:
        if self.seat_path is not None or (self.seat is not None and not self.seat.is_over):
            raise AgentError("A game is being played already. See it with `position`, or end it with `leave`.")
        return AgentSeat()

    async def start_game(
        self,
        game: str,
        players: int | None,
        level: str | None,
        seat: int,
        seed: int | None,
        options: Mapping[str, str] | None,
    ) -> str:
        own = self._new_seat()
        own.game = start_local(
            own, game, players, level, seat, seed, options or {}, folder=self.folder, hints=self.hints
        )
        self.seat = own
        return await own.next_question(self.wait_s)

    async def resume_game(self) -> str:
        seat = self._new_seat()
        seat.game = resume_local(seat, folder=self.folder, hints=self.hints)
        self.seat = seat
        return await seat.next_question(self.wait_s)

    async def join_game(self, server: str, table: str | None, token: str | None, invite: str | None, name: str) -> str:
        seat = self._new_seat()
        try:
            url, linked, invitation = self.parse_address(server)
        except ValueError as error:
            raise AgentError(str(error)) from None
        game = join_server(
            seat,
            url,
            table or linked,
            token,
            invite or invitation,
            name,
            certificate=self.certificate,
        )
        seat.game, self.seat = game, seat
        now = asyncio.get_running_loop().time
        deadline = now() + self.wait_s
        await game.sit_down()
        question = await seat.next_question(max(0.0, deadline - now()))
        token = "" if game.token is None else f"Your token, to return to your seat after a restart: {game.token}\n"
        return f"{token}{question}"

    async def rules(self, game: str | None, about: str | None) -> str:
        """Return the rules of a game that contain the text `about`.

        If `about` is None, return the short rules. If it is `all`, return all rules.
        """
        if game is None:
            start = None if self.seat is None else self.seat.start
            if start is None:
                raise AgentError(f"Which game? There are {', '.join(game_names())}.")
            game = start.game
        try:
            name = game_named(game)
        except NoSuchGame as error:
            raise AgentError(str(error)) from None
        if about is None:
            return short_rules(name)
        if about == "all":
            return rule_sheet(name)
        return "\n".join(found(name, about)) or f"No rule mentions {quoted(about)}. Try another word, or `all`."

    async def position(self, detail: Detail) -> str:
        seat = self._playing()
        if self.seat_path is not None and seat.end is not None:
            seat.ask_for_next_game()
        if detail == "short" or seat.is_over:
            return await seat.next_question(self.wait_s)
        shown = await seat.another_form("long_text" if detail == "long" else "full")
        return json.dumps({"view": shown.view, "legal": shown.legal}) if shown.text is None else shown.text

    async def move(self, choice: int | None, bid: int | None, note: str) -> str:
        seat = self._playing()
        seat.answer(choice, bid, note)
        return await seat.next_question(self.wait_s)

    async def hint(self) -> str:
        return "\n".join(await self._playing().hint())

    async def leave(self) -> str:
        seat = self._playing()
        self.seat = None
        assert seat.game is not None
        await seat.game.leave()
        return f"You have left the game. {seat.game.record}"

    async def close(self) -> None:
        """End the game before the program exits. A seat at a server is kept, so that the agent can return to it."""
        game = None if self.seat is None else self.seat.game
        self.seat = None
        if isinstance(game, RemoteGame):
            await game.disconnect()
        elif game is not None:
            await game.leave()


def short_rules(game: str) -> str:
    """Return a short explanation of a game: its aim, and one paragraph for each kind of question and event.

    If the tutorial of the game has no lessons, return all rules instead.
    """
    face, title = load_face(game), load_game(game).title
    tutorial = face.tutorial
    if not tutorial.has_lessons:
        return rule_sheet(game)
    lessons = [tutorial.welcome, *tutorial.questions.values(), *tutorial.events.values()]
    lines = [f"{title}. {face.about}", *dict.fromkeys(uncited(lesson.text) for lesson in lessons)]
    example = "".join(f" such as `{number}`" for number in lessons[0].rules.split()[:1])
    more = f"`rules` with `about` set to `all`, a number{example} or a word shows more."
    return "\n".join([*lines, more])
