from sqlalchemy import text

from worker.store.database import open_engine


def test_what_was_kept_is_kept_whatever_the_server_is_set_to(new_url):
    engine = open_engine(new_url)
    sqlite = engine.dialect.name == "sqlite"
    asked = "PRAGMA synchronous" if sqlite else "SHOW synchronous_commit"
    with engine.connect() as connection:
        assert connection.execute(text(asked)).scalar_one() == (2 if sqlite else "on")
    engine.dispose()
