from merge import merged

if __name__ == "__main__":
    print(merged({"optimizer": {"lr": 0.1}}))
    print(merged({"epochs": 3, "seed": 1}))
    print(merged({"scheduler": {"name": "cosine"}}))
