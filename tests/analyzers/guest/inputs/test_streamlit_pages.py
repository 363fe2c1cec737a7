"""A page of Streamlit gives what a person enters; what must be entered for a call is learned."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from analyzers.guest.inputs import streamlit_page
from analyzers.guest.inputs.external_inputs import external_inputs
from analyzers.guest.protocol.api_calls import EmptyAnswers
from analyzers.guest.protocol.input_paths import PAGE
from analyzers.guest.runtime.execution import execute
from analyzers.guest.search.input_entry import find_entry
from tests.analyzers.guest.search.targets import target


class DeltaGenerator:
    """Widgets as Streamlit's are where no server runs: each shows what it begins with."""

    def button(self, label, key=None):
        return False

    def checkbox(self, label, value=False, key=None):
        return value

    def text_input(self, label, value="", key=None):
        return value

    def chat_input(self, placeholder="Your message", key=None):
        return None

    def file_uploader(self, label, accept_multiple_files=False, **options):
        return [] if accept_multiple_files else None


@pytest.fixture(autouse=True)
def st(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Streamlit's functions without its server, patched as on import."""
    generator = type("DeltaGenerator", (DeltaGenerator,), dict(vars(DeltaGenerator)))
    module: Any = ModuleType("streamlit")
    main, module.sidebar = generator(), generator()
    module.delta_generator = SimpleNamespace(DeltaGenerator=generator)
    for name in vars(DeltaGenerator):
        if not name.startswith("_"):
            setattr(module, name, getattr(main, name))
    module.session_state, module.secrets = {}, {"MODEL": "small"}
    module.rerun = module.stop = lambda: None
    monkeypatch.setitem(sys.modules, "streamlit", module)
    streamlit_page.patch_streamlit(module)
    return module


def shown(entered: Any) -> Any:
    return external_inputs({PAGE: entered}, {})


def test_widgets_give_what_is_entered_and_else_what_they_show(st):
    with shown({"button Send": True, "text_input Your name": "Ada"}):
        assert st.button("Send") is True
        assert st.sidebar.text_input("Your  name") == "Ada"
        assert st.sidebar.button("Clear") is False
        assert st.text_input("City", value="Oslo") == "Oslo"
        assert st.chat_input("Ask") is None
    assert st.button("Send") is False


def test_state_begins_anew_and_keeps_what_keyed_widgets_give(st):
    with shown({"text_input Name": "Ada", "session_state": {"user": "Eve"}}):
        assert "name" not in st.session_state
        assert "user" in st.session_state
        st.text_input("Name", key="name")
        st.session_state.messages = ["hello"]
        assert st.session_state["name"] == "Ada"
        assert st.session_state.user == "Eve"
    with shown(None):
        assert "messages" not in st.session_state
        assert st.session_state.get("user", "nobody") == "nobody"
        with pytest.raises(AttributeError):
            _ = st.session_state.messages


def test_uploaded_files_are_of_the_type_that_the_page_takes(st):
    source = """
        import streamlit as st
        def f():
            file = st.file_uploader('A paper', type=['docx', 'pdf'])
            if file is not None and file.read().startswith(b'%PDF') and file.name.endswith('.pdf'):
                return mood(file.type).score
        """
    entry = find_entry(target(source), [])
    assert entry.arguments is not None, entry.obstacle
    assert "path('pdf', '.pdf')" in entry.arguments[PAGE]["recipe"]


def test_secrets_of_the_project_are_kept_and_others_made_up(st):
    assert st.secrets["MODEL"] == "small"
    assert st.secrets["OPENAI_API_KEY"]
    assert st.secrets.openai["api_key"]
    assert st.secrets.get("THEME", "dark") == "dark"


def test_page_that_stops_has_returned():
    source = """
        import streamlit as st
        def f():
            if not st.text_input('Key'):
                st.stop()
            return mood('never').score
        """
    result = execute(target(source), {}, EmptyAnswers(), 1.0)
    assert result.ending == {"kind": "returned", "value": "None"}
    assert result.exchanges == []


@pytest.mark.parametrize(
    "body",
    [
        "text = st.chat_input('Ask')\nif text:\n    mood(text.strip())",
        "name = st.text_input('Topic')\nif st.button('New'):\n    st.rerun()\n"
        "if st.button('Write') and name:\n    mood(name)",
        "if 'signed_in' not in st.session_state:\n    st.stop()\n"
        "if text := st.chat_input('Ask'):\n    mood(text)",
        "with_sources = st.sidebar.checkbox('Sources')\nif with_sources:\n    mood('sources')",
    ],
)
def test_what_must_be_entered_is_learned(body):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    prepared = target(f"import streamlit as st\ndef f():\n{lines}")
    entry = find_entry(prepared, [])
    assert entry.arguments is not None, entry.obstacle
    assert execute(prepared, entry.arguments, EmptyAnswers(), 1.0).exchanges


def test_page_that_stops_is_no_error_on_the_way():
    source = """
        import streamlit as st
        def f():
            if not st.secrets.get('USERS', 'none') == 'all':
                st.stop()
            mood('never')
        """
    entry = find_entry(target(source), [])
    assert entry.arguments is None
    assert "PageEnded" not in (entry.obstacle or "")
