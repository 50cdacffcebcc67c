"""Games of agents (language models). An agent plays with the tools of a Model Context Protocol (MCP) server."""
