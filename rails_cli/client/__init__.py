"""A client of a websocket server: connects, reconnects, and relays lines between the server and a bot."""
