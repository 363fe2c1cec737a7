"""``assayer migrate`` brings a database up to date, or says why it cannot."""

import sqlite3
import subprocess
import sys

from worker.store.database import NEWEST_REVISION


def migrate(url, *options):
    command = [sys.executable, "-m", "worker.cli", "migrate", *options]
    given = {} if url is None else {"ASSAYER_STORE__URL": url}
    environment = {**given, "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, timeout=120
    )


def test_database_is_brought_up_to_date(tmp_path):
    done = migrate(f"sqlite:///{tmp_path}/assayer.db")
    assert (done.returncode, NEWEST_REVISION in done.stdout) == (0, True), done.stderr
    with sqlite3.connect(tmp_path / "assayer.db") as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (NEWEST_REVISION,)
        ]


def test_absent_server_is_named_without_its_password(tmp_path):
    done = migrate(f"postgresql://somebody:hunter2@/assayer?host={tmp_path}")
    assert done.returncode == 3
    assert "somebody" in done.stderr
    assert "hunter2" not in done.stderr + done.stdout


def test_database_of_a_settings_file_is_brought_up_to_date(tmp_path):
    (tmp_path / "settings.toml").write_text(f'[store]\nurl = "sqlite:///{tmp_path}/other.db"\n')
    done = migrate(None, "--settings", str(tmp_path / "settings.toml"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "other.db").is_file()
