from batching import batch_of, to_batch

if __name__ == "__main__":
    print(batch_of(["hello", "hi"]).shape)
    print(to_batch([[1, 2, 3], [4], [5, 6]]).shape)
