"""Playing by mail: letters, a mailbox, and the GameServer that is made of them."""
