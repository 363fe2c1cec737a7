"""A stateful double of GitHub, on the loopback, over real HTTP and real git.

Use it in tests through the fixture (in a conftest.py: ``from tests.github_double import github``
and ``__all__ = ["github"]``), or by hand::

    with GithubDouble(folder) as github:
        settings = {"github": github.settings()}      # api_url, web_url, app_id, key, secret
        repo = github.repository("cafe", private=True, files={"app.py": "print(1)\\n"})
        repo.role("bob", "admin")                     # alice may write already
        pull = repo.pull("feature", files={"app.py": "print(2)\\n"}, user="alice")
        fork = repo.fork("mallory")
        other = repo.pull("fix", files={...}, user="mallory", fork=fork, maintainers_edit=True)

``repo``: ``commit(branch, files)``, ``pull``, ``fork``, ``role``, ``read``, ``issue``, ``issues``,
``check_runs(sha)``, ``check_run(sha)``, ``passes(sha)``, ``press(run, "rerun_4x", user)``,
``rerun(run)``, ``rerun_all(sha)``, ``merge_group(pull)``, ``rename``, ``transfer``, ``delete``.
``pull``: ``number``, ``head``, ``base``, ``push(files, force=)``, ``comment(user, body)``,
``remark(user, path, line, body)``, ``reply(thread, user, body)``, ``edit``, ``delete``,
``resolve``, ``close``, ``reopen``, ``merge``, ``ready``, ``to_draft``, ``retarget(base)``,
``comments()``, ``bot_comments()``, ``threads()``, ``review_comments()``, ``reviews()``,
``reactions(comment)``, ``check_runs()``, ``accept(comment)`` (commits a suggestion as GitHub
would), ``outdated(thread)``, ``line_of(thread)``.

Webhooks: every event is kept in ``github.deliveries.log`` with its payload (``.of(event, action)``,
``.body``, ``.headers(delivery)``); with ``github.deliveries.url = ".../webhooks/github"`` they are
sent, signed.  ``hold()`` and ``release(order=deliveries.shuffled(1), copies=2)`` reorder and
double them, ``lose(n)`` makes the next n fail (redeliverable through the API with the same
GUID), ``again(delivery)`` replays, ``wait()`` returns when all were tried.

Faults: ``github.faults.add("POST", r"/comments$", "502 after", times=1, skip=0, seconds=1)``;
kinds in ``faults.Kind``: before the work (502, 503, dropped, timeout), after it (502 after,
dropped after), late, limits (primary, secondary, secondary without retry-after, and their 429),
suspended, expired.  ``at_random(share, kinds, seed=)`` for campaigns.  ``github.suspend()``,
``github.expire_tokens()``, ``github.installation.permissions`` and ``github.limits`` change the
rest.

Logging in: ``github.oauth.person`` sits at the browser (``None`` refuses); see oauth.py.

Afterwards: ``github.writes`` (each with ``at``, ``ended``, ``method``, ``path``, ``body``,
``status``, ``done``), ``github.spacing()`` (seconds between writes), ``github.refusals``,
``github.hasty`` (requests in spite of a limit), ``github.violations`` (the fixture fails on any).

Also a process: ``python -m tests.github_double --folder F --state FILE [--port N]``; FILE tells
its address, and ``POST /_double/<call>`` with JSON (see control.py) does the same from outside.
"""

from tests.github_double.double import GithubDouble
from tests.github_double.fixture import github
from tests.github_double.github_users import PullRequest, Repo, suggestion_in
from tests.github_double.injected_faults import Kind
from tests.github_double.shared_services import Limits

__all__ = ["GithubDouble", "Kind", "Limits", "PullRequest", "Repo", "github", "suggestion_in"]
