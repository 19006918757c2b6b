# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import base64
from typing import Any

import httpx
import pytest
from vectors import vectors

from writ import Client, RequestOptions, UsageError, models
from writ._canonical import canonical_bytes
from writ._model import parse
from writ._paths import address_of, path_of
from writ._requests import tag_of
from writ._retry import FailedAttempt, decide_retry
from writ._sse import EventReader


@pytest.mark.parametrize("vector", vectors("retries"), ids=lambda one: one["name"])
def test_a_failed_attempt_is_repeated_as_the_vector_says(vector: dict[str, Any]) -> None:
    assert decide_retry(FailedAttempt(**vector["failed"])) == vector["waits"]


@pytest.mark.parametrize("vector", vectors("paths"), ids=lambda one: str(one["path"]))
def test_a_path_is_that_of_the_vector_or_refused(vector: dict[str, Any]) -> None:
    given = vector["template"], vector["values"], vector["rest"], vector["query"]
    if vector["path"] is None:
        with pytest.raises(UsageError):
            path_of(*given)
        return
    assert path_of(*given) == vector["path"]
    # What httpx makes of it is the same: no part of it leads elsewhere.
    assert httpx.URL(f"http://writ{vector['path']}").raw_path.decode() == vector["path"]


@pytest.mark.parametrize("vector", vectors("events"), ids=lambda one: one["name"])
def test_chunks_of_a_stream_are_the_events_of_the_vector(vector: dict[str, Any]) -> None:
    reader = EventReader()
    read = [event for chunk in vector["chunks"] for event in reader.read(base64.b64decode(chunk))]
    assert [{"event": one.event, "data": one.data, "id": one.id} for one in read] == vector["events"]


def test_a_path_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(UsageError, match="not well-formed"):
        path_of("/v1/agents/{agent_id}", ["\ud800"])


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (None, "`url` is missing"),
        ("", "`url` is missing"),
        ("writ.example.org", "`writ.example.org` is no URL"),
        ("http://writ:port", "is no URL"),
        ("http://[::1", "is no URL"),
        ("http://" + "a" * 70_000, "is no URL"),
        ("file://host/x", "`file:` is not supported"),
        ("http://a:b@writ", "pass the key as `api_key`"),
        ("http://writ/?a", "a query"),
        ("http://writ/#a", "a query"),
    ],
)
def test_an_address_that_is_none_is_refused_and_says_why(url: str | None, why: str) -> None:
    with pytest.raises(UsageError, match=why.replace("`", "`")):
        address_of(url)


def test_an_address_may_have_a_path_and_a_slash_at_its_end() -> None:
    assert address_of("https://writ.example.org:8443/below/") == "https://writ.example.org:8443/below"


@pytest.mark.parametrize("vector", vectors("tags"), ids=lambda one: one["name"])
def test_the_tag_of_an_answer_is_that_of_the_vector(vector: dict[str, Any]) -> None:
    assert tag_of(vector["value"]) == vector["tag"]


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**400, "\ud800", {"a": object()}, {"\ud800": 1}], ids=repr
)
def test_what_json_does_not_have_has_no_tag(value: Any) -> None:
    with pytest.raises(UsageError, match="it has no canonical JSON"):
        canonical_bytes(value)


def test_an_answer_that_became_a_model_has_the_tag_of_what_the_server_sent() -> None:
    for value in ({"agent_id": "a", "name": "n", "newer": [1.0, None]}, {"agent_id": 5, "newer": {"x": 1}}):
        assert tag_of(parse(models.Agent, value)) == tag_of(value)


def test_a_change_names_what_was_read_by_its_tag() -> None:
    sent: list[str | None] = []

    def reply(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers.get("if-match"))
        return httpx.Response(200, json={"output_bytes": 5})

    client = Client("http://writ", "k", transport=httpx.MockTransport(reply))
    seen = client.call_settings.get()
    client.call_settings.set({"output_bytes": 6}, options=RequestOptions(if_match=seen))
    client.call_settings.set({"output_bytes": 6}, options=RequestOptions(if_match="ab" * 32))
    assert sent == [None, f'"{tag_of({"output_bytes": 5})}"', f'"{"ab" * 32}"']
