"""What this package relies on in Dask beyond its documentation; another version is to fail here first."""

from __future__ import annotations

import inspect
from importlib.metadata import version

import pytest

distributed = pytest.importorskip("distributed")


@pytest.fixture
def client() -> distributed.Client:
    """Of a scheduler in this process, without workers."""
    local = {"processes": False, "n_workers": 0, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def test_the_executor_of_a_closed_client_raises_an_error_that_has_no_public_name(client: distributed.Client) -> None:
    from distributed.client import ClosedClientError

    executor = client.get_executor(pure=False)
    client.close()
    assert client.status == "closed"
    with pytest.raises(ClosedClientError):
        executor.submit(len, "job")


def test_versions_are_told_by_the_names_of_packages_here_and_by_the_scheduler(client: distributed.Client) -> None:
    from distributed.versions import get_versions

    asked = ["msgspec", "no-such-package"]
    expected = {"msgspec": version("msgspec"), "no-such-package": None}
    here = get_versions(asked)["packages"]
    there = client.get_versions(packages=asked)
    assert set(there) == {"scheduler", "workers", "client"}
    for found in (here, there["scheduler"]["packages"]):
        assert {name: found[name] for name in asked} == expected
        assert found["python"].startswith("3.")


def test_a_job_that_ends_its_workers_and_one_that_is_cancelled_have_errors_of_their_own() -> None:
    from concurrent.futures import CancelledError

    assert issubclass(distributed.KilledWorker, Exception)
    assert issubclass(distributed.CancelledError, CancelledError)
    assert "on_error" in inspect.signature(distributed.Client.run).parameters
