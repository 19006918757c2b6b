# SPDX-License-Identifier: Apache-2.0
"""Tests of an adapter run where its framework is installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("pydantic_ai") else ["test_pydantic_ai.py"]
