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
