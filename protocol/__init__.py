"""The shared vocabulary of server and clients: data only."""
