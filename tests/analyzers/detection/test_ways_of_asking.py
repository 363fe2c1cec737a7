"""Each way of asking an ML API is detected by the text of the code."""

import pytest

from tests.analyzers.detection.detection_cases import everything
from tests.analyzers.ways_of_asking import WAYS


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_way_of_asking_is_detected(way) -> None:
    targets = everything({"app.py": way.code}).targets
    assert [target.apis for target in targets if target.function == "f"] == [(way.api,)]


def test_ways_have_names_and_are_many() -> None:
    assert len({way.name for way in WAYS}) == len(WAYS) >= 80
    assert {way.mode for way in WAYS} == {"sync", "async", "stream", "async stream"}


MODELS = {
    "a name of Anthropic's": ("anthropic.messages", 'model="anthropic/claude-sonnet"'),
    "a name of Google's": ("gemini.generate_content", 'model="gemini/gemini-pro"'),
    "a name of AWS's": ("aws.bedrock-runtime.converse", 'model="bedrock/meta.llama3"'),
    "another name": ("openai.chat_completions", 'model="gpt-4o"'),
    "a variable": ("openai.chat_completions", "model=name"),
}


@pytest.mark.parametrize("name", MODELS)
def test_model_says_which_api_is_asked(name) -> None:
    api, model = MODELS[name]
    code = f"import litellm\ndef f(x, name):\n    return litellm.completion({model}, messages=x)\n"
    assert [target.apis for target in everything({"app.py": code}).targets] == [(api,)]


CHAINS = {
    "an agent": """
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
agent = create_agent(ChatAnthropic(model="m"), tools=[])
def f(x):
    return agent.invoke({"messages": [x]})["messages"][-1].content
""",
    "a structured output": """
from langchain_anthropic import ChatAnthropic
def f(x):
    return ChatAnthropic(model="m").with_structured_output(dict).invoke(x)
""",
    "an older chain": """
from langchain.chains import LLMChain
from langchain_anthropic import ChatAnthropic
def f(x):
    chain = LLMChain(llm=ChatAnthropic(model="m"), prompt=x)
    return chain.run(x)
""",
    "a pipe in a class": """
from langchain_anthropic import ChatAnthropic
from langchain_core.prompts import ChatPromptTemplate
class Rater:
    def __init__(self):
        self.llm = ChatAnthropic(model="m").bind_tools([])
        self.chain = ChatPromptTemplate.from_template("{x}") | self.llm
    async def rate(self, x):
        return await self.chain.ainvoke({"x": x})
async def f(x):
    return await Rater().rate(x)
""",
}


@pytest.mark.parametrize("name", CHAINS)
def test_chain_asks_what_it_is_made_of(name) -> None:
    targets = everything({"app.py": CHAINS[name]}).targets
    assert {t.apis for t in targets if t.function == "f"} == {("anthropic.messages",)}


GIVEN = {
    "OpenAI's chat": (
        "openai.chat_completions",
        "client.chat.completions.create(model=name, messages=x, stream=True)",
    ),
    "OpenAI's responses": ("openai.responses", "client.responses.create(model=name, input=x)"),
    "Anthropic's": (
        "anthropic.messages",
        "client.messages.create(model=name, max_tokens=9, messages=x)",
    ),
    "Google's": (
        "gemini.generate_content",
        "client.aio.models.generate_content(model=name, contents=x)",
    ),
    "AWS's": ("aws.bedrock-runtime.converse", "client.converse(modelId=name, messages=x)"),
}


@pytest.mark.parametrize("name", GIVEN)
def test_client_that_is_given_is_known_by_its_method_and_keywords(name) -> None:
    api, request = GIVEN[name]
    code = f"def f(client, x, name):\n    return {request}\n"
    held = f"class A:\n    def f(self, x, name):\n        return self.{request}\n"
    for text in (code, held):
        assert [target.apis for target in everything({"app.py": text}).targets] == [(api,)]
    other = code.replace("name, ", "").replace("=x", "=1").replace("messages=1", "to=1")
    other = other.replace("input=1", "name=1").replace("contents=1", "name=1")
    assert not everything({"app.py": other}).targets


def test_client_of_another_library_is_not_taken_for_one() -> None:
    code = "from zhipuai import ZhipuAI\ndef f(x):\n    client = ZhipuAI()\n"
    code += "    return client.chat.completions.create(model='m', messages=x)\n"
    assert not everything({"app.py": code}).targets
