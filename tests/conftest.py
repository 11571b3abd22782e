import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    """Keep machine code beside pytest's own cache: quick to run again, nothing in the home."""
    os.environ.setdefault("THREEFOLD_CACHE", str(config.rootpath / ".pytest_cache" / "threefold"))


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a process that remembers nothing."""
    from threefold.engine import cache
    from threefold.engine import compile as compiling

    monkeypatch.setenv("THREEFOLD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiling, "_entries", {})
    monkeypatch.setattr(cache, "_said", set())
    monkeypatch.setattr(cache, "_swept", set())
    return tmp_path / "cache" / "compiled"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Where all components are required, a test that lacks one has failed."""
    if report.skipped and os.environ.get("THREEFOLD_REQUIRE_ALL"):
        report.outcome = "failed"
