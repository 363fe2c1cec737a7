"""Operators log in by GitHub: against the double, over real HTTP."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.github_login import SESSION_SECONDS, GithubLogin
from tests.app.test_pages import PRIVATE
from tests.github_double import github
from tests.github_double.oauth import CLIENT_ID, CLIENT_SECRET

__all__ = ["github"]
OURS = "https://assayer.example.org"


@pytest.fixture
def login(github):
    return GithubLogin(
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        operators=frozenset({github.user("alice").id}),
        web_url=github.url,
        api_url=github.api_url,
        public_url=OURS,
    )


@pytest.fixture
def browser(client_with, services, login):
    return client_with(access=replace(services.access, github=login))


@pytest.fixture
def private(store):
    with store.write() as unit:
        return unit.runs.ask(PRIVATE).id


def back_from_github(browser, address="/login"):
    """Follow a login to GitHub and return the address that it sends the browser back to."""
    begun = browser.get(address, base_url=OURS)
    assert begun.status_code == 302
    answer = httpx.get(begun.headers["Location"], follow_redirects=False)
    back = urlsplit(answer.headers["Location"])
    assert f"{back.scheme}://{back.netloc}{back.path}" == f"{OURS}/login/callback"
    return f"{back.path}?{back.query}"


def log_in(browser, address="/login"):
    return browser.get(back_from_github(browser, address), base_url=OURS)


def test_operator_sees_private_runs_and_workers(browser, private):
    assert browser.get(f"/runs/{private}", base_url=OURS).status_code == 403
    assert log_in(browser).headers["Location"] == "/"
    assert browser.get(f"/runs/{private}", base_url=OURS).status_code == 200
    page = browser.get("/", base_url=OURS).text
    assert "octo/secret" in page
    assert "Workers" in page
    assert "alice" in page


def test_refused_page_leads_back_after_the_login(browser, private):
    refused = browser.get(f"/runs/{private}", base_url=OURS).text
    address = re.search(r'href="(/login\?next=[^"]+)"', refused)[1]
    assert log_in(browser, address).headers["Location"] == f"/runs/{private}"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x", ""]
)
def test_login_leads_nowhere_else(elsewhere, browser):
    answer = browser.get("/login", query_string={"next": elsewhere}, base_url=OURS)
    query = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert query["redirect_uri"] == [f"{OURS}/login/callback"]
    back = httpx.get(answer.headers["Location"]).headers["Location"]
    assert browser.get(back.removeprefix(OURS), base_url=OURS).headers["Location"] == "/"


def test_somebody_else_is_no_operator(browser, private, github):
    github.oauth.person = "mallory"
    answer = log_in(browser)
    assert answer.status_code == 403
    assert "not among this server" in answer.text
    assert browser.get(f"/runs/{private}", base_url=OURS).status_code == 403


def test_person_who_refuses_is_not_logged_in(browser, private, github):
    github.oauth.person = None
    assert log_in(browser).status_code == 403
    assert browser.get(f"/runs/{private}", base_url=OURS).status_code == 403


def test_another_browsers_answer_is_refused(browser, client_with, services, login, private):
    stolen = back_from_github(browser)
    victim = client_with(access=replace(services.access, github=login))
    assert victim.get(stolen, base_url=OURS).status_code == 400
    victim.get("/login", base_url=OURS)
    assert victim.get(stolen, base_url=OURS).status_code == 400
    assert victim.get(f"/runs/{private}", base_url=OURS).status_code == 403


def test_answer_counts_once_and_for_minutes(browser, monkeypatch):
    back = back_from_github(browser)
    assert browser.get(back, base_url=OURS).status_code == 302
    assert browser.get(back, base_url=OURS).status_code == 400
    late = back_from_github(browser)
    from app import github_login

    now = github_login.time.time()
    monkeypatch.setattr(github_login.time, "time", lambda: now + github_login.LOGIN_SECONDS + 1)
    assert browser.get(late, base_url=OURS).status_code == 400


def test_code_without_its_verifier_is_worth_nothing(browser, login):
    back = urlsplit(back_from_github(browser))
    code = parse_qs(back.query)["code"][0]
    from werkzeug.exceptions import BadGateway

    with pytest.raises(BadGateway):
        login.person(code, "another verifier")


def test_cookie_is_kept_from_scripts_and_other_sites(browser):
    cookie = log_in(browser).headers["Set-Cookie"]
    assert cookie.startswith("__Host-assayer=")
    for part in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in cookie
    assert "Domain" not in cookie


def test_forged_or_old_cookie_opens_nothing(browser, private, monkeypatch):
    browser.set_cookie("__Host-assayer", "eyJvcGVyYXRvciI6MX0.aaaaaa.bbbbbb", domain="localhost")
    assert browser.get(f"/runs/{private}").status_code == 403
    log_in(browser)
    import itsdangerous.timed

    later = itsdangerous.timed.time.time() + SESSION_SECONDS + 60
    monkeypatch.setattr(itsdangerous.timed.time, "time", lambda: later)
    assert browser.get(f"/runs/{private}", base_url=OURS).status_code == 403


def test_operator_who_is_taken_off_the_list_sees_no_more(
    browser, client_with, services, login, private
):
    log_in(browser)
    cookie = browser.get_cookie("__Host-assayer", domain="assayer.example.org")
    without = replace(login, operators=frozenset())
    after = client_with(access=replace(services.access, github=without))
    after.set_cookie("__Host-assayer", cookie.value, domain="assayer.example.org", secure=True)
    assert after.get(f"/runs/{private}", base_url=OURS).status_code == 403


def test_logging_out_ends_it(browser, private):
    log_in(browser)
    assert browser.get("/logout", base_url=OURS).status_code == 405
    browser.post("/logout", base_url=OURS)
    assert browser.get(f"/runs/{private}", base_url=OURS).status_code == 403


def test_github_that_does_not_answer_is_told(browser, github):
    back = back_from_github(browser)
    github.faults.add("POST", r"/login/oauth/access_token$", "502", times=1)
    answer = browser.get(back, base_url=OURS)
    assert answer.status_code == 502
    assert "GitHub did not say" in answer.text


def test_token_is_used_once_and_kept_nowhere(browser, github, caplog):
    with caplog.at_level("DEBUG"):
        log_in(browser)
    [token] = github.oauth.tokens
    cookie = browser.get_cookie("__Host-assayer", domain="assayer.example.org")
    assert token not in cookie.value
    assert token not in caplog.text
    assert CLIENT_SECRET not in caplog.text
