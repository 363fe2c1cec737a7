"""Model code taken apart and reassembled (MoCo, tied to a change)."""
