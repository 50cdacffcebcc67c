"""The tree of a game with a node for each random draw, for frameworks that decide the results of draws themselves."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rails_cli.games.draws import Drawn
from rails_cli.library import Engine, Position


class Node(NamedTuple):
    """A node of the game tree: a position, or a chance node before a random draw. `deepcopy` returns the same node.

    - `position`: the position. At a chance node, the position before the current move. None during the deal.
    - `move`: at a chance node, the number of the current move. None during the deal.
    - `results`: at a chance node, the results of earlier draws of the current move or deal.
    - `possible`: at a chance node, the possible results of the next draw, which are equally likely. Otherwise empty.
    - `past`: each move so far with its events, including hidden ones. The first entry is the deal, whose move is None.
      Empty in a game without random draws.
    """

    position: Position | None = None
    move: int | None = None
    results: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()
    past: tuple[tuple[int | None, tuple[Any, ...]], ...] = ()

    def __deepcopy__(self, memo: object) -> "Node":
        return self


class Tree:
    """The tree of all games that have the same engine, number of players, seed and options.

    If the game has random draws, each draw is a chance node and the seed is ignored. `names` has the names of all
    possible results of draws. For a game without draws, `names` is empty.
    """

    def __init__(self, engine: Engine, players: int, seed: int, options: Mapping[str, Any]) -> None:
        """Prepare the tree of a game. Raise BadArgument if the game does not allow an argument."""
        self.engine, self.players = engine, players
        self.first = engine.new(players, seed, options)
        self.draws = engine.game.draws
        self.names = [] if self.draws is None else self.draws.names(engine.board, players)

    def root(self) -> Node:
        return self._after(Node(), None, ())

    def after(self, node: Node, number: int) -> Node:
        """Return the node after the move `number`. At a chance node, `number` is the result of the draw instead."""
        if node.possible:
            return self._after(node, node.move, (*node.results, number))
        return self._after(node, number, ())

    def _after(self, node: Node, move: int | None, results: tuple[int, ...]) -> Node:
        """Return the node after a move, or after the deal if `move` is None.

        `results` has the results of the random draws of this move or deal so far. If another draw follows, return a
        chance node.
        """
        draws, board, position = self.draws, self.engine.board, node.position
        if draws is None:
            return Node(self.first if move is None or position is None else position.after(move, check=False))
        if move is None or position is None:
            drawn = draws.setup(board, self.players, self.first.state.options, results)
        else:
            drawn = draws.play(position.state, board, move, results)
        if isinstance(drawn, Drawn):
            return Node(self.engine.position_of(drawn.state), past=(*node.past, (move, tuple(drawn.events))))
        return node._replace(move=move, results=results, possible=tuple(drawn))

    def seen(self, node: Node, player: int) -> list[Any]:
        """Return all events before `node` as `player` sees them. The list is empty in a game without random draws."""
        return self._redacted([event for _, events in node.past for event in events], player)

    def recalled(self, node: Node, player: int, first_result: int) -> list[int]:
        """Return the moves before `node` and the results of draws that `player` has seen, as numbers, oldest first.

        The number of a result is increased by `first_result`. In a game with draws, all moves must be public.
        """
        numbers: list[int] = []
        for move, events in node.past if self.draws is not None else ():
            assert self.draws is not None
            results = self.draws.shown(self.engine.board, self._redacted([*events], player))
            numbers += [*(() if move is None else (move,)), *(first_result + result for result in results)]
        return numbers

    def _redacted(self, events: list[Any], player: int) -> list[Any]:
        return [*self.engine.game.redacted(events, player, self.first.state.options)]
