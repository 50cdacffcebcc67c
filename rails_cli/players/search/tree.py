"""Tree search for any number of players. At each node the seat to move maximises its own payoff (max-n).

A node stores the value of the position after each sequence of moves (run). Expanding a node evaluates all its children.
With hidden information, each descent starts from another random position that the view of the seat allows. All descents
share one tree.
"""

from collections.abc import Callable, Iterator, Sequence
from math import exp, sqrt
from typing import Any, Final

from rails_cli.games.evaluation import Evaluation, Run
from rails_cli.games.game import Game
from rails_cli.players.search.one_ply import played
from rails_cli.players.search.outcome import WHOLE, Candidate, Share, Tried, outcomes
from rails_cli.players.search.stopping import ASKED_EVERY, Left, is_enough

EXPLORATION: Final = 0.2
"""Weight of the exploration bonus. With a larger value the search more often tries rarely visited runs.

A run is a sequence of moves that one seat plays one after another.
"""
SHARPNESS: Final = 25.0
"""Factor in the prior probability of a run, which is proportional to exp(SHARPNESS * payoff)."""


class Branch(Candidate):
    """A sequence of moves (run) from a node, with its prior probability and the node to which it leads."""

    __slots__ = ("node", "prior")

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.prior = 0.0
        self.node: Node | None = None


class Node:
    """A node of the tree: a position, or a set of positions that a seat cannot distinguish.

    `branches` contains the sequences of moves (runs) tried from the node.
    """

    __slots__ = ("branches", "seat", "state", "visits")

    def __init__(self, seat: int, state: Any) -> None:
        self.seat = seat
        self.state = state
        self.branches: dict[Run, Branch] = {}
        self.visits = 0


def search(
    game: Game[Any, Any],
    board: Any,
    evaluation: Evaluation[Any, Any],
    positions: Iterator[Any],
    may_go_on: Callable[[int], bool],
    also: Run | None = None,
    share: Share = WHOLE,
    left: Left | None = None,
) -> list[Tried]:
    """Search a tree for the best sequence of moves (run). Return the runs of the seat to move, most visited first.

    - `positions`: each descent starts from the next of these. If nothing is hidden, all start from the first.
    - `may_go_on`: takes the number of descents. The search continues while it returns true.
    - `also`: a run to be compared with the others. If it has less than half of the visits of the most visited run, it
      gets descents until no run has more visits. The results of other runs do not depend on it.
    - `share`: the part of the search that this process does. If nothing is hidden, a part consists of runs, and may be
      empty.
    - `left`: returns the number of remaining descents. If it is given, the search stops early when the remaining
      descents are unlikely to change the result.
    """
    tree = _Tree(game, board, evaluation)
    state = next(positions)
    root = Node(state.pending.seat, state)
    descents = 0
    while descents == 0 or may_go_on(descents):
        tree.descend(root, next(positions) if game.has_secrets else state)
        descents += 1
        if descents == 1 and share.of > 1 and not game.has_secrets:
            tree.keep(root, share)
            if not root.branches:
                return []
        if left is None or descents % ASKED_EVERY:
            continue
        if is_enough(root.branches.values(), root.seat, descents, left(descents)):
            break
    if also is not None:
        most = max((branch.visits for run, branch in root.branches.items() if run != also), default=1)
        if also not in root.branches or 2 * root.branches[also].visits < most:
            while also not in root.branches or root.branches[also].visits < most:
                tree.descend(root, next(positions) if game.has_secrets else state, also)
    found = sorted(root.branches.values(), key=lambda branch: (-branch.visits, -branch.mean(root.seat), branch.run))
    return [branch.tried() for branch in found]


class _Tree:
    def __init__(self, game: Game[Any, Any], board: Any, evaluation: Evaluation[Any, Any]) -> None:
        self.game = game
        self.board = board
        self.evaluation = evaluation

    def descend(self, root: Node, state: Any, first: Run | None = None) -> None:
        """Descend to a node that is not expanded, and expand it.

        Add the outcome to all branches on the path. The path starts with the run `first`, if given.
        """
        node = root
        way: list[tuple[Node, Branch]] = []
        while True:
            runs = self.runs_of(node, state)
            if not node.visits:
                came = self.open(node, state, runs)
                break
            if first is not None and node is root:
                runs = [first]
            branch = self.choose(node, state, runs)
            way.append((node, branch))
            following = branch.node
            if following is None or self.game.has_secrets:
                state = played(self.game, self.board, state, branch.run)
                if state.pending is None:
                    came = self.outcome(state)
                    break
                if following is None:
                    following = branch.node = Node(state.pending.seat, None if self.game.has_secrets else state)
                elif following.seat != state.pending.seat:  # hidden information decides which seat is next
                    came = self.outcome(state)
                    break
            else:
                state = following.state
            node = following
        for node, branch in way:
            node.visits += 1
            branch.add(came)

    def keep(self, root: Node, share: Share) -> None:
        """Keep only the runs of moves from `root` that belong to this process's share of the search."""
        ranked = sorted(root.branches.values(), key=lambda branch: (-branch.mean(root.seat), branch.run))
        root.branches = {branch.run: branch for branch in ranked[share.number :: share.of]}
        if root.branches:
            self.set_priors(root)

    def runs_of(self, node: Node, state: Any) -> Sequence[Run]:
        if node.visits and not self.game.has_secrets:
            return tuple(node.branches)
        return self.evaluation.candidates(state, self.board)

    def open(self, node: Node, state: Any, runs: Sequence[Run]) -> list[float]:
        """Evaluate the position after each of `runs` from a node. Return the best outcome for the node's seat."""
        self.add_branches(node, state, runs)
        node.visits = 1
        return list(max(node.branches.values(), key=lambda branch: branch.total[node.seat]).total)

    def add_branches(self, node: Node, state: Any, runs: Sequence[Run]) -> None:
        """Add branches to a node, each with the outcome of the position after its run, and update all priors."""
        afters = [played(self.game, self.board, state, run) for run in runs]
        for run, came in zip(runs, outcomes(self.game, self.board, self.evaluation, afters), strict=True):
            branch = node.branches[run] = Branch(run)
            branch.add(came)
        self.set_priors(node)

    def outcome(self, state: Any) -> list[float]:
        return outcomes(self.game, self.board, self.evaluation, [state])[0]

    def set_priors(self, node: Node) -> None:
        seat = node.seat
        best = max(branch.mean(seat) for branch in node.branches.values())
        total = 0.0
        for branch in node.branches.values():
            branch.prior = exp(SHARPNESS * (branch.mean(seat) - best))
            total += branch.prior
        for branch in node.branches.values():
            branch.prior /= total

    def choose(self, node: Node, state: Any, runs: Sequence[Run]) -> Branch:
        """Return the branch with the highest sum of mean payoff and exploration bonus.

        Create missing branches first.
        """
        missing = [run for run in runs if run not in node.branches]
        if missing:
            self.add_branches(node, state, missing)
        seat = node.seat
        urge = EXPLORATION * sqrt(node.visits + 1)
        best, most = None, -1.0
        for run in runs:
            branch = node.branches[run]
            promise = branch.total[seat] / branch.visits + urge * branch.prior / (1 + branch.visits)
            if promise > most:
                best, most = branch, promise
        assert best is not None
        return best
