"""Consistency checks of positions, one module for each game.

Each module computes all derived values, such as incomes and building costs, again without calling the rules.
"""
