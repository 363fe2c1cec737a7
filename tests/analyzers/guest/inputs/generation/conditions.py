"""Preconditions as they are written of neural-network code: arguments and what is required."""

TABLE = {
    # order
    "a <= b": ({"a": "ints(0, 100)", "b": "ints(0, 10)"}, ["a <= b"]),
    "a < b, floats": ({"a": "floats(0, 1)", "b": "floats(0, 0.5)"}, ["a < b"]),
    "a <= b < c": ({"a": "ints(0, 50)", "b": "ints(5, 60)", "c": "ints(0, 40)"}, ["a <= b < c"]),
    "constant": ({"compression": "floats()"}, ["0 < compression <= 1"]),
    "sum below": (
        {"start": "ints(0, 50)", "size": "ints(1, 50)", "stop": "ints(1, 60)"},
        ["start + size <= stop"],
    ),
    "range of a pair": (
        {"limits": "tuples(floats(0, 1), floats(0, 1))"},
        ["limits[0] < limits[1]"],
    ),
    "not above": ({"k": "ints(1, 50)", "n": "ints(1, 20)"}, ["not k > n"]),
    # equality
    "a == b": ({"a": "ints(0, 100)", "b": "ints(50, 150)"}, ["a == b"]),
    "a == 2 * b + 1": ({"a": "ints(0, 100)", "b": "ints(0, 100)"}, ["a == 2 * b + 1"]),
    "b * c == a": ({"a": "ints(1, 100)", "b": "ints(1, 10)", "c": "ints(1, 10)"}, ["a == b * c"]),
    "a != b": ({"a": "ints(0, 3)", "b": "ints(0, 3)"}, ["a != b"]),
    "sum of a list": ({"parts": "int_lists(1, 4, 1, 9)", "n": "ints(1, 40)"}, ["sum(parts) == n"]),
    "word": ({"mode": "strings()", "n": "ints(0, 5)"}, ["mode == 'train'"]),
    # divisibility
    "a % 2 == 0": ({"depth": "ints(10, 100)"}, ["depth % 2 == 0"]),
    "a % 2 == 1": ({"kernel": "ints(1, 1000)"}, ["kernel % 2 == 1"]),
    "heads": ({"embed": "ints(8, 64)", "heads": "ints(1, 8)"}, ["embed % heads == 0"]),
    "groups": (
        {"c_in": "ints(1, 64)", "c_out": "ints(1, 64)", "groups": "ints(1, 8)"},
        ["c_in % groups == 0 and c_out % groups == 0"],
    ),
    "even half": ({"n": "ints(1, 400)"}, ["(n // 2) % 4 == 0"]),
    "six layers a block": ({"depth": "ints(10, 100)"}, ["(depth - 4) % 6 == 0"]),
    # lengths
    "two lists": (
        {"x": "int_lists(0, 9, 0, 5)", "y": "float_lists(2, 6, 0, 1)"},
        ["len(x) == len(y)"],
    ),
    "length and number": ({"x": "int_lists(0, 9, 0, 5)", "n": "ints(0, 20)"}, ["n == len(x)"]),
    "implication": (
        {
            "layers": "anys(-1, ints(1, 5), int_lists(2, 5, 2, 5))",
            "blocks": "ints(2, 5)",
        },
        ["type(layers) is not list or len(layers) == blocks"],
    ),
    "even length": ({"x": "int_lists(0, 20, 0, 5)"}, ["len(x) % 2 == 0", "len(x) > 3"]),
    "not empty": ({"x": "lists(floats(0, 1), max_len=4)"}, ["x"]),
    "no element twice": ({"x": "int_lists(2, 5, 0, 9)"}, ["len(set(x)) == len(x)"]),
    "every element": ({"x": "int_lists(1, 5, -9, 9)"}, ["all(v > 0 and v % 2 == 0 for v in x)"]),
    "index": ({"x": "int_lists(1, 6, 0, 9)", "i": "ints(0, 50)"}, ["i < len(x)"]),
    "highest element": ({"x": "int_lists(1, 6, 0, 99)", "n": "ints(1, 9)"}, ["max(x) < n"]),
    "odd names": ({"s": "strings(0, 9)", "n": "ints(1, 9)"}, ["len(s) >= n"]),
    # shapes
    "a side": ({"x": 'tensors(shape="b c")', "n": "ints(3, 20)"}, ["x.shape[1] == n"]),
    "two sides": (
        {"x": "tensors(shape=(ints(1, 9), ints(1, 9)))", "y": "tensors(shape=(ints(1, 9), 2))"},
        ["x.shape[1] == y.shape[0]"],
    ),
    "sides by size()": (
        {"x": 'tensors(shape="b t d")', "w": "tensors(shape=(ints(1, 9), ints(1, 9)))"},
        ["x.size(-1) == w.size(0)"],
    ),
    "same shape": (
        {"x": 'tensors(shape="b c")', "y": 'tensors(shape="n k")'},
        ["x.shape == y.shape"],
    ),
    "shape of numbers": (
        {"x": "tensors(shape=np_shapes(1, 4))", "n": "ints(1, 9)"},
        ["x.shape == (n, 3)"],
    ),
    "rank": ({"x": "tensors(shape=np_shapes(1, 5, 1, 4))"}, ["x.dim() == 4"]),
    "rank of any": ({"x": "np_arrays()", "k": "ints(1, 3)"}, ["x.ndim == k"]),
    "a multiple of the patch": (
        {"x": 'tensors(shape="b 3 h w")', "patch": "ints(1, 4)"},
        ["x.shape[2] % patch == 0 and x.shape[3] % patch == 0"],
    ),
    "labels below classes": (
        {"labels": 'tensors(dtype="int64", shape="b", min=0, max=99)', "classes": "ints(2, 10)"},
        ["int(labels.max()) < classes"],
    ),
    "all elements": ({"x": 'tensors(shape="n", min=-1, max=1)'}, ["(x > 0).all()"]),
    "dtypes": (
        {
            "x": 'tensors(dtype=froms(["float32", "float64"]), shape="n")',
            "y": 'tensors(dtype=froms(["float32", "float64"]), shape="n")',
        },
        ["x.dtype == y.dtype"],
    ),
    "channels": ({"x": 'tensors(shape="b c h w")'}, ["x.shape[1] in (1, 3)"]),
    "kernel fits": (
        {"x": 'tensors(shape="b c h w")', "k": "ints(1, 12)", "pad": "ints(0, 2)"},
        ["k <= x.shape[2] + 2 * pad"],
    ),
    # alternatives
    "isinstance": ({"x": "anys(ints(1, 5), strings(), None)"}, ["isinstance(x, int)"]),
    "not None": ({"x": "anys(ints(1, 5), None)"}, ["x is not None"]),
    "if given": (
        {"k": "anys(None, ints(1, 50))", "n": "ints(1, 9)"},
        ["k is None or k <= n"],
    ),
    "membership": ({"depth": "ints(1, 200)"}, ["depth in (18, 34, 50, 101, 152)"]),
    "from the project": ({"name": "strings()"}, ["name in MODELS"]),
    "conditional": (
        {"x": "int_lists(0, 6, 0, 9)", "n": "ints(0, 6)", "strict": "bools()"},
        ["len(x) == n if strict else len(x) <= n"],
    ),
    "either": ({"a": "ints(0, 9)", "b": "ints(0, 9)"}, ["a == 0 or b == 0"]),
    "convolution": (
        {"h": "ints(1, 32)", "k": "ints(1, 7)", "s": "ints(1, 3)", "p": "ints(0, 3)"},
        ["(h + 2 * p - k) // s + 1 >= 1"],
    ),
    "power of two": ({"n": "ints(1, 256)"}, ["n & (n - 1) == 0"]),
    "fraction": ({"a": "floats(0, 1)", "b": "floats(0, 1)"}, ["a + b <= 1"]),
    "three parts": (
        {"a": "floats(0, 1)", "b": "floats(0, 1)", "c": "floats(0, 1)"},
        ["abs(a + b + c - 1) < 1e-6"],
    ),
    # what no one can solve by narrowing: to be filtered
    "sorted": ({"x": "int_lists(2, 3, 0, 9)"}, ["sorted(x) == x"]),
    "product of lengths": ({"x": 'tensors(shape="a b")', "n": "ints(1, 64)"}, ["x.numel() == n"]),
    "mean": ({"x": "float_lists(2, 4, 0, 1)"}, ["sum(x) / len(x) > 0.5"]),
}
