from checkpoints import resumed

if __name__ == "__main__":
    for width in (1, 8, 64):
        assert resumed(width, epoch=3) == 3
