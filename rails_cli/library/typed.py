"""The type of seeds, and the type parameters of `Engine`, `Position` and `Batch`.

The type parameters are the types of one game's views, actions, events and states. Each is Any by default.
"""

from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeVar

AnySeed = str | SupportsIndex
"""A random seed: a text, or a whole number, which may be an integer of numpy."""

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    ViewT = TypeVarWithDefault("ViewT", default=Any)
    ActionT = TypeVarWithDefault("ActionT", default=Any)
    EventT = TypeVarWithDefault("EventT", default=Any)
    StateT = TypeVarWithDefault("StateT", default=Any)

    class Typed(Generic[ViewT, ActionT, EventT, StateT]):
        """Base class of `Engine`, `Position` and `Batch`.

        It declares the types of a game as type parameters, for type checkers.
        """
else:
    ViewT, ActionT, EventT, StateT = map(TypeVar, ("ViewT", "ActionT", "EventT", "StateT"))

    class Typed:
        """Base class at run time. It accepts type parameters and ignores them.

        A generic class would need defaults of its type variables, which Python has since version 3.13 only.
        """

        __slots__ = ()

        def __class_getitem__(cls, types):
            return cls
