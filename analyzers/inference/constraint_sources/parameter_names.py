"""Constraints from the usual names of parameters in machine-learning code, with small ranges."""

# ruff: noqa: E501 - a table with a row to a line

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from analyzers.guest.annotations.constraints import Constraint
from analyzers.guest.annotations.syntax import parse

from ..constraints.constraint_builders import build, union_of, without_none
from ..constraints.lattice import ARRAYS, admits
from ..facts import Confidence, ConstraintSource, Fact, FunctionContext, InferredConstraint
from . import parameter_uses
from .default_values import defaults, near
from .module_scope import scope_of
from .type_hints import read_hint

ARRAY = "ARRAY"
"""Stands for the kind of array of the library that a function uses."""

_FRACTION = "floats(min=0, max=1)"
_OPEN = "floats(min=0.01, max=0.9)"
IMAGES = (
    'ARRAY(dtype="float32", shape=("b", 3, ints(min=8, max=32), ints(min=8, max=32)), min=0, max=1)'
)
PICTURES = 'np_arrays(dtype="uint8", shape=(ints(min=8, max=32), ints(min=8, max=32), 3))'
"""A picture in NumPy has its channels last."""
_TOKENS = 'ARRAY(dtype="int64", shape=("b", "t"), min=0, max=9)'

_TABLE: tuple[tuple[str, str], ...] = (
    # probabilities and the like
    (r"(.*_)?drop(out)?(_?(p|prob|rate|ratio))?|p_drop(out)?|(.*_)?dropout_.*", "floats(min=0, max=0.9)"),
    (r"p|prob|probability|(.*_)(prob|probability)|(.*_)?(keep|mask|flip)_prob", _FRACTION),
    (r"(label_)?smoothing|label_smooth|smooth_eps", "floats(min=0, max=0.5)"),
    (r"momentum|decay|ema_decay|beta_?[12]|rho|tau|polyak", _OPEN),
    (r"gamma|discount(_factor)?|lam|lambd|gae_lambda", "floats(min=0.5, max=0.99)"),
    (r"iou_thresh(old)?|(nms|conf|score|confidence)_thr(esh(old)?)?|(.*_)?threshold|thresh|thr", _FRACTION),
    (r"(.*_)?(ratio|fraction|frac|percent(age)?)|(test|val|train|valid(ation)?)_(size|split|ratio)|split",
     "floats(min=0.1, max=0.9)"),
    (r"quantile|q", _FRACTION),
    # optimisation
    (r"lr|(.*_)?learning_rate|(base|max|init|peak|start)_lr", "floats(min=1e-5, max=0.1)"),
    (r"(min|end|final)_lr", "floats(min=0, max=1e-5)"),
    (r"weight_decay|wd|l2(_reg)?|l1(_reg)?|reg(ularization)?", "floats(min=0, max=0.1)"),
    (r"eps(ilon)?|(.*_)?eps|tol(erance)?|delta|smooth|jitter", "floats(min=1e-8, max=1e-2)"),
    (r"temp(erature)?|sigma|std|bandwidth|margin|scale|(.*_)?scale", "floats(min=0.1, max=2.0)"),
    (r"alpha|beta|weight|lambda_|coef(f|ficient)?|strength|(.*_)?(weight|coef)", "floats(min=0, max=1)"),
    (r"(max_)?(grad|clip)_?(norm|value)|clip|max_norm", "floats(min=0.1, max=5.0)"),
    # sizes
    (r"vocab(ulary)?_size|n_?vocab|num_(tokens|embeddings|words)|max_words|n_tokens", "ints(min=8, max=64)"),
    (r"num_class(es)?|n_class(es)?|nb_class(es)?|classes|num_labels|out_classes|num_outputs", "ints(min=2, max=10)"),
    (r"(n|num|nb|number_of)_?(attention_)?heads?|heads|nhead", "froms([1, 2, 4])"),
    (r"(.*_)?(hidden|embed(ding)?|model|latent|feature|inner|ff|feedforward|head|key|value|input|output|in|out|"
     r"z|d|emb|proj(ection)?|state|action|obs|noise|time|cond|context|word|token|patch)_?"
     r"(dims?|size|units|features|channels|planes|width)|dim|hidden|units|d_(model|ff|k|v|inner|hidden)|"
     r"n_(embd|features|inputs|outputs|hidden|units|filters|channels|embed)|nhid|ninp|emsize|ngf|ndf|nz|nf|width",
     "froms([4, 8, 16, 32])"),
    (r"(.*_)?(num_|n_|nb_)?(filters|channels|planes|features|units|neurons|out_features|in_features)",
     "froms([4, 8, 16])"),
    (r"(.*_)?(num|n|nb)_?(.*_)?(layers?|blocks|stages|levels|scales|residual|stacks|cells|hops|steps|repeats|convs|"
     r"iterations?|iters?|epochs|samples?|trials|folds|bins|groups|frames|points|workers|nodes|experts|rounds|"
     r"queries|clusters|components|neighbors|views|splits|copies|warmup|chunks|patches|objects|keypoints|vertices|items|users|anchors|boxes|rows|cols|directions|bits)|"
     r"(.*_)?depth|layers|epochs?|(n_)?steps|iterations|iters|max_(iter|iters|steps|epochs)|top_?k|k|n|m|patience|"
     r"repeats?|count|size", "ints(min=1, max=4)"),
    (r"num_workers|n_jobs|workers", "froms([0])"),
    (r"batch_?size|bs|(.*_)batch_size|bsz", "ints(min=1, max=8)"),
    (r"(max_)?(seq(uence)?_?)?(len|length)|max_?len(gth)?|seq_?len|block_size|context_(len|length|size)|"
     r"n_positions|timesteps|window(_size)?|horizon|num_frames|n_frames|maxlen", "ints(min=4, max=16)"),
    (r"(kernel|filter)_?(size|width)|ksize", "froms([1, 3, 5])"),
    (r"strides?|dilation(_rate)?|groups?|factor|(up|down)?_?scale_factor|(up|down)sample_(factor|rate)|"
     r"reduction(_ratio)?|expansion|expand_ratio|mult(iplier)?|growth_rate", "ints(min=1, max=2)"),
    (r"padding|pad|pad_size", "ints(min=0, max=2)"),
    (r"(img|image|crop|input|patch|target|new)_?(size|dim|res(olution)?)|resolution|side", "froms([16, 32])"),
    (r"height|h|width|w|rows|cols|columns|n_rows|n_cols|grid_size", "ints(min=4, max=16)"),
    (r"seed|random_(seed|state)|manual_seed", "ints(min=0, max=100)"),
    (r"epoch|step|iteration|iter|global_step|current_(epoch|step)|i|idx|index|t", "ints(min=0, max=10)"),
    (r"sample_rate|sr|fs|sampling_rate", "froms([8000, 16000])"),
    # flags
    (r"(use|is|has|with|return|do|should|enable|apply|keep|add|allow|no)_\w+|bias|training|verbose|causal|inplace|"
     r"shuffle|bidirectional|pretrained|normalize(d)?|residual|affine|debug|align_corners|track_running_stats|"
     r"keepdims?|batch_first|bottleneck|include_top", "bools()"),
    # words and files
    (r"text|sentence|prompt|string|word|caption|query|question|title|document|sent|name|msg|message", "strings(min_len=1, max_len=20)"),
    (r"texts|sentences|prompts|words|captions|documents|queries|class_names", "string_lists(min_len=1, max_len=4)"),
    (r"(img|image|picture|photo)_?(path|file(name)?)", 'paths(kind="image")'),
    (r"(.*_)?(dir|directory|folder|root)", 'paths(kind="folder")'),
    (r"json_(path|file)|(.*_)?json_path", 'paths(kind="json")'),
    (r"csv_(path|file)|(.*_)?csv_path", 'paths(kind="csv")'),
    (r"(audio|wav)_(path|file)", 'paths(kind="wav")'),
    (r"(.*_)?(path|file_?name|file_?path|fname|filename)|infile", "paths()"),
    # arrays
    (r"images?|imgs?|batch_images|pixel_values|frames?_batch|real_images|fake_images", IMAGES),
    (r"masks?|attn_mask|attention_mask|(.*_)mask", 'ARRAY(dtype="bool")'),
    (r"input_ids|token_ids|tokens|ids|indices|(.*_)ids|seqs|src_tokens|tgt_tokens", _TOKENS),
    (r"labels?|targets?|y_true|y|classes_idx|gt_labels|truth|(.*_)labels?|(.*_)targets?", "ARRAY()"),
    (r"logits|(.*_)?logits|scores|preds?|predictions?|outputs?|y_pred|y_hat|output", 'ARRAY(dtype="float32")'),
    (r"probs|probabilities|probas", 'ARRAY(dtype="float32", min=0, max=1)'),
    (r"(b(ound(ing)?)?_?)?boxes|bboxes|boxes_?[12ab]", 'ARRAY(dtype="float32", shape=("n", 4))'),
    (r"x|inputs?|input|data|features?|feats?|hidden(_states?)?|embeddings?|emb|tensor|arr(ay)?|z|h_?0?|signal|"
     r"wave(form)?|audio|batch|keys?|values?|state|states|obs|observations?|noise|samples|points|matrix|vec(tor)?|"
     r"[a-z]_t|actions?|rewards?|src|tgt|memory|context|residual|latents?|a|b|u|v", 'ARRAY(dtype="float32")'),
    # objects
    (r"model|net(work)?|module|encoder|decoder|backbone|classifier|generator|discriminator|teacher|student|critic|"
     r"actor|policy|layer|head|stem", "modules()"),
    (r"optim(izer)?|opt", "optimizers()"),
    (r"device", 'froms(["cpu"])'),
)  # fmt: skip
_FUNCTION = re.compile(r"(.*_)?(func|fn|function|callback|closure)")
_TORCH = ast.Name("torch", ast.Load())
_ROWS = tuple((re.compile(pattern), text) for pattern, text in _TABLE)
CONFIGURATIONS = re.compile(
    r"args|opts?|options|cfg|config|conf|hparams|params|hps?|flags|settings|configuration"
)


def usual_meaning(name: str) -> str | None:
    """The constraint that a name suggests, in aN, ``ARRAY`` for a kind of array; else ``None``."""
    plain = name.strip("_").lower()
    return next((text for pattern, text in _ROWS if pattern.fullmatch(plain)), None)


_ARRAYS = frozenset({"arrays", *ARRAYS})
_TYPES = {"int": "ints", "float": "floats", "str": "strings", "bool": "bools"}


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """A ``GUESS`` for each usual name; ``LIKELY`` where the body uses it as such a value.

    Arrays stay guesses: a name says nothing of what shapes go together.
    """
    for arg in subject.parameters:
        found = suggested(subject, arg)
        if found is None:
            continue
        agreed = parameter_uses.agree(subject, arg.arg, found.kind) and found.kind not in (
            *ARRAYS,
            "modules",
        )
        sure = Confidence.LIKELY if agreed else Confidence.GUESS
        yield InferredConstraint(
            arg.arg, found, ConstraintSource.NAME, sure, f"{subject.path}:{arg.lineno}"
        )


def suggested(subject: FunctionContext, arg: ast.arg) -> Constraint | None:
    """Return what the name of a parameter suggests, here or usually; ``None`` for an unusual one."""
    fields = parameter_uses.fields(subject, arg.arg) if CONFIGURATIONS.fullmatch(arg.arg) else {}
    configured = _configuration(fields)
    if configured is not None and any(fields.values()):
        return configured
    namesake = None if arg.annotation is not None else _of_namesakes(subject, arg.arg)
    if namesake is not None or configured is not None:
        return namesake or configured
    text = usual_meaning(arg.arg)
    if text is None:
        return _used(subject, arg.arg)
    if ARRAY not in text:
        return _fitting(subject, arg, parse(text))
    kind = parameter_uses.array_kind(subject, arg.arg)
    if text == IMAGES and kind == "np_arrays":
        return parse(PICTURES)
    return None if kind is None else parse(text.replace(ARRAY, kind))


def _of_namesakes(subject: FunctionContext, name: str) -> Constraint | None:
    """Return what the hints of the file's parameters of a name say, where these are alike.

    Of arrays the body says more.
    """
    hints = _hints(subject.tree).get(name, {})
    found = read_hint(subject, *hints.values()) if len(hints) == 1 else None
    return None if found is None or found.kind in _ARRAYS else found


@lru_cache(maxsize=512)
def _hints(tree: ast.Module) -> Mapping[str, Mapping[str, ast.expr]]:
    """The hints of a file's parameters by name, those that are written alike once."""
    found: dict[str, dict[str, ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if arg.annotation is not None:
                    written = ast.unparse(arg.annotation)
                    found.setdefault(arg.arg, {})[written] = arg.annotation
    return found


def _fitting(subject: FunctionContext, arg: ast.arg, found: Constraint) -> Constraint | None:
    default = next((value for each, value in defaults(subject) if each is arg), None)
    close = near(default, scope_of(subject)) if default is not None else None
    plain = without_none(close)[0] if close is not None else None
    if plain is not None and _type(plain) != _type(found):
        return None
    if default is not None and found.kind == "floats" and not _holds(found, default):
        return None
    used = parameter_uses.kinds(subject, arg.arg)
    if used & _ARRAYS and found.kind in ("ints", "floats", "froms"):
        return None
    return found


def _holds(found: Constraint, default: ast.expr) -> bool:
    try:
        return admits(found, ast.literal_eval(default))
    except (ValueError, TypeError):
        return True


def _type(constraint: Constraint) -> str:
    """A kind, choices by the type of what they offer."""
    if constraint.kind != "froms":
        return {"paths": "strings"}.get(constraint.kind, constraint.kind)
    values: list[object] = list(constraint.value("values") or [None])
    return _TYPES.get(type(values[0]).__name__, "")


def _used(subject: FunctionContext, parameter: str) -> Constraint | None:
    used = parameter_uses.kinds(subject, parameter)
    if used & _ARRAYS and not used & {"dicts", "lists", "modules", "images"}:
        kind = parameter_uses.array_kind(subject, parameter)
        return build(kind, dtype="float32") if kind is not None else None
    if used == frozenset(["paths"]):
        return build("paths")
    return build("ints", min=1, max=4) if used == frozenset(["ints"]) else None


def remaining_facts(subject: FunctionContext, known: Collection[str]) -> Iterator[Fact]:
    """Yield a ``GUESS`` for needed parameters of which nothing else is known, by their uses."""
    optional = {arg.arg for arg, _ in defaults(subject)}
    for arg in subject.parameters:
        found = None if arg.arg in {*known, *optional} else _by_use(subject, arg.arg)
        if found is not None:
            where = f"{subject.path}:{arg.lineno}"
            yield InferredConstraint(arg.arg, found, ConstraintSource.NAME, Confidence.GUESS, where)


def _by_use(subject: FunctionContext, parameter: str) -> Constraint | None:
    used = parameter_uses.kinds(subject, parameter)
    if parameter.endswith("dtype") and scope_of(subject).dotted(_TORCH) == "torch":
        return parse("froms([torch.float32, torch.float64])")
    if _is_optimizer(subject) and parameter.startswith("param"):
        tensors = build("tensors", dtype="float32", shape=("n",), requires_grad=True)
        return build("lists", elements=tensors, min_len=1, max_len=2)
    if not used and _FUNCTION.fullmatch(parameter):
        return build("callables")
    if used and used <= frozenset(["callables", "modules"]):
        return build("callables" if "callables" in used else "modules")
    if used or not parameter_uses.is_number(subject, parameter):
        return None
    kind = parameter_uses.array_kind(subject, parameter)
    number = build("floats", min=0.1, max=2.0)
    same = build(kind, dtype="float32", shape=("n",)) if kind is not None else None
    return number if same is None else union_of([same, number])


def _is_optimizer(subject: FunctionContext) -> bool:
    owner = subject.owner
    return owner is not None and any("Optim" in ast.unparse(each) for each in owner.bases)


def _configuration(fields: Collection[str]) -> Constraint | None:
    """Return an object with fields that their names say all of; ``None`` where they do not."""
    texts = {name: usual_meaning(name) for name in fields}
    if not texts or any(text is None or ARRAY in text for text in texts.values()):
        return None
    return build("configs", **{name: parse(text or "") for name, text in texts.items()})
