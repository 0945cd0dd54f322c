"""Other runtimes as sides of compare(), in this process:

    onnxcmp.compare("model.onnx", onnxcmp.runtimes.OnnxRuntime("model.onnx"))
    onnxcmp.compare(onnxcmp.runtimes.Torch(module, args), "exported.onnx")

A runtime runs the model as it is, for its outputs, and once more with every result as an output, as
far as it lets one ask for them; what it gives is a recording with its inputs. An object of your own
with the three methods load(path, extra), run(session, feeds) and unload(session) becomes a side by
Adapter(model, object); docs/runtimes.md has what they take and give.

With isolated=True a runtime runs in a process of its own, as on the command line: it may die or hang
without harm, nodes are run in it one by one to find causes, and the node at which it fails is named.
"""

from __future__ import annotations

import typing

from ._engines import Adapter, Runtime, Torch, own_adapter

__all__ = ["Adapter", "OnnxRuntime", "OpenVino", "Reference", "Runtime", "Torch", "Tract"]


class _Own(Adapter):
    """A runtime of which this package has the adapter."""

    def __init__(
        self, model: typing.Any, name: str, options: dict[str, typing.Any], isolated: bool
    ) -> None:
        chosen = ",".join(f"{key}={value}" for key, value in options.items() if value is not None)
        command_line = f"{name}:{chosen}" if chosen else name
        super().__init__(model, command_line if isolated else own_adapter(name, options),
                         command_line=command_line)


class OnnxRuntime(_Own):
    """onnxruntime. providers: names, in full or without "ExecutionProvider"; optimization: "none",
    "basic", "extended", "layout" or "all"; disable: optimizers that are left out; session: entries
    of the session's configuration."""

    def __init__(
        self,
        model: typing.Any,
        *,
        providers: str | typing.Sequence[str] = ("CPU",),
        optimization: str = "all",
        threads: int = 0,
        custom_ops: typing.Sequence[str] = (),
        disable: typing.Sequence[str] = (),
        session: typing.Mapping[str, str] | None = None,
        isolated: bool = False,
    ) -> None:
        options = {
            "provider": "+".join(
                one.removesuffix("ExecutionProvider")
                for one in ([providers] if isinstance(providers, str) else providers)
            ),
            "optimization": optimization,
            "threads": threads,
            "custom_ops": "+".join(custom_ops) or None,
            "disable": "+".join(disable) or None,
            **{f"session.{key}": value for key, value in (session or {}).items()},
        }
        super().__init__(model, "onnxruntime", options, isolated)


class OpenVino(_Own):
    """OpenVINO; options as docs/runtimes.md has them."""

    def __init__(
        self, model: typing.Any, *, isolated: bool = False, **options: typing.Any
    ) -> None:
        super().__init__(model, "openvino", options, isolated)


class Tract(_Own):
    """tract; options as docs/runtimes.md has them."""

    def __init__(
        self, model: typing.Any, *, isolated: bool = False, **options: typing.Any
    ) -> None:
        super().__init__(model, "tract", options, isolated)


class Reference(_Own):
    """onnx.reference.ReferenceEvaluator."""

    def __init__(
        self, model: typing.Any, *, isolated: bool = False, **options: typing.Any
    ) -> None:
        super().__init__(model, "reference", options, isolated)
