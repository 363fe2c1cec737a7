"""Programs compute without drawing."""

import pytest

from analyzers.drivers.closed_plots import without_plots
from analyzers.drivers.usage_programs import Driver, Kind


def closed(source, fixed=0):
    return without_plots(Driver("README.md:1", Kind.DOCUMENT, source, fixed))


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("import matplotlib.pyplot as plt\nx = f()\nplt.plot(x)\nplt.show()", "x = f()"),
        (
            "from matplotlib import pyplot\nfig, ax = pyplot.subplots()\nax.plot(1)\ny = g()",
            "y = g()",
        ),
        ("import matplotlib.pyplot as plt\nplt.plot(model(x), 'r')", "model(x)"),
        (
            "import seaborn as sns\nwith sns.axes_style('dark'):\n    y = g()\nfor n in y:\n"
            "    sns.histplot(n)",
            "y = g()\nfor n in y:\n    pass",
        ),
        (
            "import os, pylab\n\ndef draw(x):\n    pylab.plot(x)\nif plots:\n    draw(1)\n"
            "else:\n    pylab.show()",
            "import os\n\ndef draw(x):\n    pass\nif plots:\n    draw(1)",
        ),
        ("import matplotlib.pyplot as plt\nfor ax in plt.axes():\n    ax.plot(1)\nz = 1", "z = 1"),
    ],
)
def test_plots_are_closed(source, left):
    assert closed(source).source == left


def test_first_statements_are_counted_anew():
    found = closed("import matplotlib\nimport torch\nx = f()\nmatplotlib.use('Agg')", fixed=2)
    assert (found.source, found.fixed) == ("import torch\nx = f()", 1)


def test_program_that_draws_nothing_stays_as_it_is():
    source = "x  =  f()  # plot"
    assert closed(source).source is source
