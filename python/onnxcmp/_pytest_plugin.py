"""The plugin for pytest: docs/python.md."""

from __future__ import annotations

import pathlib
import re
import typing

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("onnxcmp").addoption(
        "--onnxcmp-artifacts",
        metavar="DIR",
        default=None,
        help="where the fixture onnxcmp_agree keeps pages and repros of what fails",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "onnxcmp_opset(version, domain=''): skips where onnx has no such opset"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("onnxcmp_opset"):
        version = mark.args[0]
        domain = mark.args[1] if len(mark.args) > 1 else mark.kwargs.get("domain", "")
        from onnx import defs

        latest = max(
            (schema.since_version for schema in defs.get_all_schemas_with_history()
             if schema.domain == domain),
            default=0,
        ) if domain else defs.onnx_opset_version()
        if version > latest:
            pytest.skip(f"needs opset {version} of {domain or 'ai.onnx'}; onnx has {latest}")


@pytest.fixture
def onnxcmp_agree(
    request: pytest.FixtureRequest, tmp_path: pathlib.Path
) -> typing.Callable[..., typing.Any]:
    """onnxcmp.testing.assert_agree, which keeps the page and repros of a failure."""
    from .testing import assert_agree

    asked = request.config.getoption("--onnxcmp-artifacts")
    name = re.sub(r"[^\w.-]+", "_", request.node.nodeid)[-150:]
    folder = pathlib.Path(asked) / name if asked else tmp_path / "onnxcmp"
    calls = 0

    def agree(left: typing.Any, right: typing.Any, feeds: typing.Any = None,
              **options: typing.Any) -> typing.Any:
        __tracebackhide__ = True
        nonlocal calls
        calls += 1
        where = folder if calls == 1 else folder / str(calls)
        return assert_agree(left, right, feeds, **{"artifacts": where, **options})

    return agree
