"""Network connections of the server: websockets, plain HTTP, limits by address, listening sockets."""
