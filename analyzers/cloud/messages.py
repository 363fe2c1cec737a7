"""Titles and messages of the findings about ML APIs, and reasons for what was not tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzers.vocabulary import Goal, InputKind

Interval = tuple[float, float]
TitleAndMessage = tuple[str, str]

THINGS = {
    InputKind.IMAGE: "pictures",
    InputKind.TEXT: "texts",
    InputKind.AUDIO: "recordings",
    InputKind.VALUE: "inputs",
}


def describe(goal: Goal) -> str:
    """Return a goal in words, as it is in evidence."""
    return f"`{goal.decision_text}` is {goal.outcome}"


def location(goal: Goal) -> str:
    """Return a goal as a person finds it: file, line, condition and outcome."""
    return f"{goal.path}:{goal.line} `{goal.text}` {goal.outcome}"


def quoted(readings: Sequence[str]) -> str:
    """Return readings in quotation marks, separated by commas."""
    return ", ".join(f"“{reading}”" for reading in readings)


def percent(low: float, high: float | None = None) -> str:
    """Return ``40 %``, or ``17–69 %`` for an interval."""
    ends = [f"{100 * end:.0f}" for end in (low, high) if end is not None]
    return "–".join(ends) + " %"


def things(kind: InputKind, readings: Sequence[str]) -> str:
    """Return pictures (texts, …) of these readings in words."""
    return f"{THINGS[kind]} of {quoted(readings)}"


# ------------------------------------------------------- cloud/low-recall


def low_recall(
    branch: Goal, api: str, reached: int, inputs: int, shown: str, interval: str
) -> TitleAndMessage:
    """Describe a branch that ``reached`` of ``inputs`` inputs, which show ``shown``, reach."""
    return (
        f"{reached} of {inputs} {shown} reach this branch",
        f"`{branch.decision_text}` is {branch.outcome} for {reached} of {inputs} {shown}, as"
        f" `{api}` answers them: recall {percent(reached / inputs)} ({interval}).",
    )


def uncertain_recall() -> str:
    """Explain a warning about a recall whose interval contains the threshold."""
    return (
        " Reported as a warning: there are few inputs and the interval contains the threshold, so"
        " the true recall may still reach it."
    )


def repeated_tests(p_value: float, branches: int) -> str:
    """Explain a warning about counts that were tested too often for their p-value."""
    beside = f"{branches} branches were tested at once and " if branches > 1 else ""
    return (
        f" Reported as a warning: {beside}the counts were tested repeatedly, so p = {p_value} does"
        " not rule out chance."
    )


def by_stand_in(name: str) -> str:
    """Explain a notice that rests on a classifier in the provider's place, or nothing."""
    if not name:
        return ""
    return (
        f" Reported as a notice: the provider was not asked; a stand-in on this machine, `{name}`,"
        " recognised these inputs and answered in its place."
    )


def answered_instead(labels: Sequence[tuple[str, int]]) -> str:
    """List what an API answered for the inputs that miss a branch, or nothing."""
    most = ", ".join(f"“{label}” ({count})" for label, count in labels)
    return f" For the others the API answered {most}." if most else ""


def other_clause(blocked: int, missed: int, labels: Sequence[str], clauses: Sequence[str]) -> str:
    """Name the parts of a condition that keep inputs away whose answer has the wanted label."""
    parts = " and ".join(f"`{clause}`" for clause in clauses)
    return (
        f"\nFor {blocked} of the {missed} inputs that miss the branch the API did answer"
        f" {quoted(labels)}: {parts} keeps them from it, not the label."
    )


def unread_labels(labels: Mapping[str, int]) -> str:
    """Explain why related labels of answers are no repair."""
    said = ", ".join(f"“{label}” ({count})" for label, count in labels.items())
    return f"the answers have related labels where the condition does not look: {said}"


def other_provider(api: str, reached: int, inputs: int, interval: Interval) -> str:
    """Tell the recall that a branch has with the answers of another API."""
    return (
        f"\nWith the answers of `{api}` to the same inputs, {reached} of {inputs} would reach it:"
        f" recall {percent(reached / inputs)} (95 % interval {percent(*interval)})."
    )


def fixed_recall(title: str, message: str, reached: int) -> TitleAndMessage:
    """Describe a branch that inputs missed on base alone."""
    return (
        f"Fixed: {title}",
        f"Fixed by this change. On base, {message} On head, {reached} of them reach it.",
    )


# ------------------------------------------------------ cloud/dead-branch


def unreached(branch: Goal, inputs: int, shown: str) -> TitleAndMessage:
    """Describe a branch that neither made-up answers nor inputs reach."""
    return (
        f"No input reaches `{branch.decision_text}`",
        f"None of the API responses that were tried makes `{branch.decision_text}`"
        f" {branch.outcome}, and none of {inputs} {shown} does.",
    )


def constant_condition(goal: Goal, reason: str) -> TitleAndMessage:
    """Describe a condition that is constant by itself."""
    return (
        f"`{goal.text}` is always {goal.outcome}",
        f"`{goal.text}` is {goal.outcome} whatever the API answers: {reason}.",
    )


def exhausted(goal: Goal, bound: str) -> TitleAndMessage:
    """Describe a branch that no answer within a bound reaches."""
    return (
        f"`{goal.decision_text}` is never {goal.outcome}",
        f"No API response makes `{goal.decision_text}` {goal.outcome}; every response within this"
        f" bound was tried: {bound}.",
    )


# ---------------------------------------------------- cloud/unknown-label


def unknown_label(
    branch: Goal, api: str, label: str, known: int, nearest: str | None, similar: int
) -> TitleAndMessage:
    """Describe a comparison with a label that is not in an API's vocabulary."""
    nearby = f"; the closest is “{nearest}”" if nearest else ""
    return (
        f"“{label}” is not a label of {api}",
        f"`{branch.decision_text}` expects “{label}”, which is not among the {known:,} labels"
        f" known for this API{nearby}. None of {similar} similar labels satisfies the condition.",
    )


def unknown_class(
    branch: Goal, api: str, word: str, known: Sequence[str], nearest: str | None
) -> TitleAndMessage:
    """Describe a comparison with a word that is none of an API's classes."""
    closest = f"The closest is “{nearest}”; none" if nearest else "None"
    return (
        f"{api} never answers “{word}”",
        f"`{branch.decision_text}` expects “{word}”; the API answers one of {quoted(known)}."
        f" {closest} of them satisfies the condition.",
    )


def read_word(code: str, api: str, word: str, meant: str, *, case: bool) -> TitleAndMessage:
    """Describe a comparison, which nothing ran, with another spelling of a word of an API."""
    how = "in another capitalisation" if case else "spelled otherwise"
    return (
        f"{api} never answers “{word}”",
        f"`{code}` compares with “{word}”. The API answers “{meant}”, {how}, so this part of the"
        " condition is decided by no answer. Write the word as the API does, or compare without"
        " case.",
    )


# -------------------------------------------------- cloud/mixed-sentiment


def mixed_sentiment(
    branch: Goal, positive: tuple[int, int, Interval], negative: tuple[int, int, Interval]
) -> TitleAndMessage:
    """Describe a branch that texts of both sentiments reach: how many, of how many."""

    def taken(reached: int, texts: int, interval: Interval) -> tuple[str, str]:
        share = f"{percent(reached / texts)}, 95 % interval {percent(*interval)}"
        return f"{reached} of {texts}", f"({share})"

    (some, share), (others, other_share) = taken(*positive), taken(*negative)
    return (
        f"`{branch.decision_text}` does not separate positive from negative texts",
        f"`{branch.decision_text}` is true for {some} texts that people rated positive {share} and"
        f" for {others} texts that people rated negative {other_share}.",
    )


def mixed_selection(
    branch: Goal, positive: int, negative: int, interval: Interval
) -> TitleAndMessage:
    """Describe a branch of whose texts a large share has the other sentiment."""
    total = positive + negative
    return (
        f"`{branch.decision_text}` selects positive and negative texts alike",
        f"Of {total} texts for which `{branch.decision_text}` is true, people rated {positive}"
        f" positive ({percent(positive / total)}, 95 % interval {percent(*interval)}) and"
        f" {negative} negative. Equally many texts of both kinds were tested.",
    )


# ------------------------------------------------------------ cloud/crash


def crash(
    exception: str, text: str, at: str, given: str, answered: str, context: str
) -> TitleAndMessage:
    """Describe an exception after an answer, for an input if one is ``given``."""
    detail = f": {' '.join(text.split())}" if text else ""
    start = f"Given {given}, {answered}, and" if given else f"When {answered},"
    return (
        f"{exception} {context}",
        f"{start} the code raises `{exception}`{detail} at {at}.",
    )


def shape_crash(
    exception: str, text: str, at: str, shape: str, declared: str, request: str
) -> TitleAndMessage:
    """Describe an exception on a legal shape of a language model's answer."""
    detail = f": {' '.join(text.split())}" if text else ""
    return (
        f"{exception} when {shape}",
        f"The code raises `{exception}`{detail} at {at} when {shape}. {request} The SDK declares"
        f" {declared}. The same call goes through with a plain answer.",
    )


def base_returns(value: str) -> str:
    """Tell that the code before the change handles an answer."""
    return f"With the same answers base returns {value[:80]}: the change broke this."


def request_in_words(api: str, at: str, cause: str) -> str:
    """Tell which part of a request makes the shape of its answer possible."""
    where = f"The request at {at}" if at else "The request"
    return f"{where} asks `{api}` with {cause}." if cause else f"{where} asks `{api}`."


def lost_answer(
    api: str, at: str, plain: str, fenced: str, elsewhere: str | None
) -> TitleAndMessage:
    """Describe JSON that counts as no answer when it is fenced."""
    sibling = f" {elsewhere} takes such a fence off: do the same here." if elsewhere else ""
    return (
        "JSON in a code fence is taken for no answer",
        f"The request asks {api} for JSON in words, and models often answer such requests with a"
        f" fence (```json) around it. The parser at {at} then treats the answer as unreadable:"
        f" the function returns {fenced[:80]}, and {plain[:80]} for the same JSON without the"
        f" fence.{sibling or ' Take the fence off, or ask for a response format.'}",
    )


def answer_in_words(api: str, *, nothing: bool, simulated: bool) -> str:
    """Describe the answer of an API."""
    said = f"`{api}`" if api else "the API"
    shape = "finds nothing" if nothing else "gives a valid answer"
    return f"{said} {shape}{' (simulated)' if simulated else ''}"


def crash_context(odd_input: str, *, nothing: bool) -> str:
    """Describe when the code crashes, for a title."""
    if nothing:
        return "when the API finds nothing"
    return f"on {odd_input}" if odd_input else "on a valid answer of the API"


def input_in_words(kind: InputKind, description: str) -> str:
    """Describe one input."""
    if description.startswith(("a ", "an ")):
        return description
    kinds = {InputKind.IMAGE: "a picture", InputKind.TEXT: "a text", InputKind.AUDIO: "a recording"}
    return f"{kinds.get(kind, 'an input')} ({description})"


def first_element(api: str, code: str, at: str) -> TitleAndMessage:
    """Describe an element that is taken of a list which may be empty."""
    return (
        "IndexError when the API finds nothing",
        f"`{code}` ({at}) takes an element of what {api} lists. The list is empty for an input in"
        " which there is nothing to find, and no condition of the function asks about it: the code"
        " then raises `IndexError`. Handle the empty list.",
    )


def parsed_text(api: str, code: str, exception: str, at: str) -> TitleAndMessage:
    """Describe a model's text that is parsed as it comes."""
    if exception == "ValueError":
        legal, fix = "words around the number", "Ask for a format, or handle the exception."
    else:
        legal = (
            "a fence around the JSON, words before it, a refusal, or half of it at the token limit"
        )
        fix = "Ask for a response format, or handle the exception and ask again."
    return (
        f"{exception} on a legal answer of the language model",
        f"`{code}` ({at}) parses the text of {api} as it comes, with no guard, and the request asks"
        f" for no format. Legal answers have {legal}: users then see `{exception}`. {fix}",
    )


# ----------------------------------------------------------- cloud/misuse


def constant_comparison(always: Goal, reason: str) -> TitleAndMessage:
    """Describe a comparison that no answer changes."""
    return (
        f"`{always.text}` is {always.outcome} whatever the API answers",
        f"{reason} So `{always.text}` is {always.outcome} for every answer.",
    )


def score_range(api: str, low: float, high: float) -> str:
    """Tell the scale of an API's scores."""
    return f"{api} gives scores from {low:g} to {high:g}."


def two_score_ranges(one: str, one_high: float, other: str, other_high: float) -> str:
    """Tell the scales of two APIs' scores."""
    return f"{one} gives scores up to {one_high:g}, {other} up to {other_high:g}."


def enum_as_text(api: str, names: Sequence[str]) -> str:
    """Tell that an enum is compared with its name."""
    shown = ", ".join(f'"{name}"' for name in names)
    return f"In answers of {api} this field is an enum, which never equals a text ({shown})."


def number_as_text(
    branch: Goal, comparison: str, number: str, wrong: Sequence[str]
) -> TitleAndMessage:
    """Describe a comparison of numbers as texts, with numbers for which it is ``wrong``."""
    shown = ", ".join(f'"{text}"' for text in wrong)
    return (
        f"`{comparison}` compares letter by letter",
        f"Texts are ordered by their first letter that differs, so `{branch.decision_text}` is"
        f" false for {shown}, unlike with the number {number}. Convert to numbers first.",
    )


def unhandled_error(api: str, exception: str, others: int, at: str, where: str) -> TitleAndMessage:
    """Describe a request that alone has no handler."""
    return (
        f"Nothing handles a failure of {api} here, unlike everywhere else in this {where}",
        f"The request at {at} is in no `try`, and no caller handles its failure. The other"
        f" {others} requests of this {where} handle `{exception}`: handle it here, too.",
    )


def word_within_word(comparison: str, word: str, around: str, api: str) -> TitleAndMessage:
    """Describe a word that is looked for letter by letter."""
    return (
        f'`{comparison}` is also true of "{around}"',
        f'The condition finds the letters of "{word}" inside other words: with the answer'
        f' "{around}" of {api} it is true, too. Compare whole words, for example with'
        f' `re.search(r"\\b{word}\\b", …)`.',
    )


def repeated_question(api: str, times: int) -> TitleAndMessage:
    """Describe the same request in every round of a loop."""
    return (
        f"{api} is asked the same question in every round of a loop",
        f"One run asked {api} the same question {times} times. Nothing in the request changes in"
        " the loop, and the service gives the same answer: ask once, before the loop.",
    )


def unknown_field(api: str, code: str, name: str, known: str) -> TitleAndMessage:
    """Describe a field that no answer of an API has."""
    return (
        f"Answers of {api} have no `{name}`",
        f"`{code}` reads `{name}`. The SDK's answer has no such field; {known}. Reading it raises,"
        " or gives nothing whatever the API answers.",
    )


def letters_in_list(name: str, code: str, at: str) -> TitleAndMessage:
    """Describe a text that is added to a list letter by letter."""
    return (
        f"`{name}` gets the letters of a text, one by one",
        f"`{code}` ({at}) extends the list `{name}` by each letter of the text: the result holds"
        f" single letters. Append the text (`{name}.append(…)`), or begin with an empty text.",
    )


def removed_name(code: str, at: str, package: str, version: str, *how: str) -> TitleAndMessage:
    """Describe a name that an SDK has no more in versions which the project allows."""
    declared, instead = how
    return (
        f"`{code}` is not in {package} {version} and later",
        f"`{code}` ({at}) fails with {package} {version} and later, which {declared} allows: a"
        " fresh installation raises `ImportError` or `AttributeError` here. Use"
        f" {instead}, or require `{package}<{version}`.",
    )


def keywords_alone(code: str, at: str, package: str, version: str, *how: str) -> TitleAndMessage:
    """Describe a call by position of what takes keyword arguments alone."""
    declared, instead = how
    return (
        f"`{code}` takes keyword arguments alone",
        f"`{code}` ({at}) raises `TypeError` with {package} {version} and later, which {declared}"
        f" allows: the function takes no positional argument. Use {instead}.",
    )


def unread_error(api: str, reader: str, returned: str) -> TitleAndMessage:
    """Describe an error field that only another function reads."""
    return (
        f"A failure of {api} is taken for an empty answer",
        f"{api} reports failures in the field `error` of its answer and raises nothing. `{reader}`"
        f" reads this field, but this function does not: on a failure it returns {returned}, as"
        " if nothing was found.",
    )


# ------------------------------------------------------ behaviour/changed


def changed_behaviour(
    changed: int, inputs: int, groups: Sequence[str], rest: int
) -> TitleAndMessage:
    """Describe inputs that have another outcome than on base."""
    more = f"; and {rest} more in other ways." if rest else "."
    return (
        f"{changed} of {inputs} inputs have another outcome than on base",
        f"With the same inputs and answers: {'; '.join(groups)}{more}",
    )


# ----------------------------------------------- reasons: what is untested

NOT_CALLED = "the function could not be called"
ASSUMED = (
    "branches are not judged by inputs: answers of libraries or services that are not here were "
    "assumed"
)
LEARNED = (
    "branches are not judged by inputs: the arguments were made up from how the code uses them"
)
OUT_OF_TIME = "the time budget was spent"


def lacks_environment(raised: str) -> str:
    """Explain an exception that the sandbox causes."""
    return f"{raised}: the code needs a file, device or service that is not available"


def raised_before_request(raised: str) -> str:
    """Explain an exception that no answer can cause."""
    return f"{raised} before the code calls an ML API"


def always_raised(exception: str, at: str) -> str:
    """Explain a crash that no answer avoids."""
    return f"every run ended with {exception} at {at}"


def too_few_inputs(branch: Goal, read: int, unread: int, needed: int) -> str:
    """Explain a branch that was not judged."""
    missing = f" ({unread} could not be read here)" if unread else ""
    inputs = "1 input was" if read == 1 else f"{read} inputs were"
    return f"{location(branch)} was not judged: {inputs} read{missing}, {needed} are needed"


def only_a_fragment(branch: Goal, word: str) -> str:
    """Explain a branch whose condition looks for a part of a word."""
    return (
        f"{location(branch)} was not judged by inputs: “{word}” is a part of words that the API"
        " answers, and none of them"
    )


def unlikely_input(branch: Goal, word: str) -> str:
    """Explain a branch that waits for what no person writes or says."""
    return (
        f"{location(branch)} was not judged by inputs: “{word}” is nothing that a person would"
        " write or say there"
    )


def too_few_texts(texts: int, needed: int) -> str:
    """Explain branches on feelings that were not judged."""
    return f"branches on sentiment were not judged: {texts} texts were read, {needed} are needed"


def outside_conditions(branch: Goal, inputs: int) -> str:
    """Explain a branch that inputs miss for another condition before it."""
    return (
        f"{location(branch)} was not judged: {inputs} inputs left before it, by conditions that no"
        " answer decides"
    )


def no_response_found(goals: Sequence[str], rest: int) -> str:
    """Explain branches that nothing reached."""
    more = f" and {rest} more" if rest > 0 else ""
    return f"no API response was found that reaches {', '.join(goals)}{more}"
