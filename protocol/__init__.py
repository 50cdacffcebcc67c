"""Data types of the messages and logs that servers, clients and bots exchange."""
