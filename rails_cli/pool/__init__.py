"""The rated pool: who may enter, who plays whom, what came of it, and how strong each is. No sockets here."""
