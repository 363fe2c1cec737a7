"""The sandbox: isolation of the guest process, its channel, its attacks."""
