raise RuntimeError("no such device")
