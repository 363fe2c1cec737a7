"""The host end of the channel to a guest: each frame is checked before it is used."""
