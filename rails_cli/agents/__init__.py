"""Games of agents (language models): a server of the Model Context Protocol (MCP), whose tools play one game."""
