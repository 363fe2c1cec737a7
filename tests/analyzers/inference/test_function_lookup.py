"""Functions by name, and methods that classes inherit."""

from analyzers.inference.function_lookup import definition_name, find_function, sibling_method
from analyzers.inference.instance_state import attributes_set_elsewhere

FILES = {
    "bases.py": (
        "class Base:\n"
        "    def __init__(self, width):\n        self.width = width\n\n"
        "    def forward(self, x):\n        return self.loss(x)\n"
    ),
    "net.py": (
        "from bases import Base\n\n"
        "class Middle(Base):\n"
        "    def __init__(self, width, depth):\n        super().__init__(width)\n\n"
        "class Near(Middle):\n    def loss(self, x):\n        return x\n\n"
        "class Circle(Circle):\n    pass\n"
    ),
}


def test_method_is_that_of_the_nearest_base_class():
    found = find_function("net.py", "Near.forward", FILES)
    assert found is not None
    assert found.owner is not None
    assert (found.path, found.home, found.owner.name) == ("bases.py", "net.py", "Near")
    assert (found.function, definition_name(found)) == ("Near.forward", "Base.forward")
    assert [each.arg for each in found.parameters] == ["x"]


def test_constructor_of_an_inherited_method_is_the_nearest_too():
    found = find_function("net.py", "Near.forward", FILES)
    constructor = sibling_method(found, "__init__")
    assert constructor is not None
    assert [each.arg for each in constructor.parameters] == ["width", "depth"]
    assert (constructor.path, constructor.home) == ("net.py", "net.py")


def test_what_the_subclass_defines_is_not_set_elsewhere():
    assert attributes_set_elsewhere(find_function("net.py", "Near.forward", FILES)) == set()


def test_what_nobody_defines_is_not_found():
    names = ("Near.backward", "Circle.forward", "Base", "missing", "Absent.forward")
    assert [find_function("net.py", name, FILES) for name in names] == [None] * len(names)
