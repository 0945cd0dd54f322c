"""Passes of real tools, each a function from a model to a model. One that cannot take the model raises."""

import os
import sys
import tempfile

import onnx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from runtimes.onnxruntime_adapter import _OPTIMIZERS  # noqa: E402

OPTIMIZERS = [name for name in _OPTIMIZERS if name not in ("NchwcTransformer", "NhwcTransformer")]


def session(model, level="none", disabled=None, write=None):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = {
        "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
        "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
        "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    }[level]
    if write:
        options.optimized_model_filepath = write
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"], disabled_optimizers=disabled or None
    )


def onnxruntime_pass(name):
    """onnxruntime's optimizer of that name alone."""

    def run(model, rng):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            session(model, "extended", [other for other in OPTIMIZERS if other != name], path)
            return onnx.load(path)

    return f"onnxruntime {name}", run


def onnxscript_pass(name):
    def run(model, rng):
        import onnxscript.optimizer
        import onnxscript.rewriter
        from onnxscript import ir

        made = ir.serde.deserialize_model(model)
        if name == "fold_constants":
            onnxscript.optimizer.fold_constants(made)
        elif name == "optimize":
            made = onnxscript.optimizer.optimize(made) or made
        elif name == "remove_unused":
            onnxscript.optimizer.remove_unused_nodes(made)
        else:
            made = onnxscript.rewriter.rewrite(made)
        return ir.serde.serialize_model(made)

    return f"onnxscript {name}", run


def simplify(model, rng):
    import onnxsim

    made, ok = onnxsim.simplify(model)
    if not ok:
        raise ValueError("onnxsim says that it failed")
    return made


def onnxoptimizer_pass(name):
    def run(model, rng):
        import onnxoptimizer

        return onnxoptimizer.optimize(model, [name])

    return f"onnxoptimizer {name}", run


def float16(model, rng):
    from onnxconverter_common import float16 as converter

    return converter.convert_float_to_float16(model, keep_io_types=True, disable_shape_infer=True)


def fix_names(graph, names):
    for node in graph.node:
        node.input[:] = [names.get(i, i) for i in node.input]
        node.output[:] = [names.get(o, o) for o in node.output]
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                fix_names(body, names)
    for group in (graph.initializer, graph.value_info):
        for value in group:
            value.name = names.get(value.name, value.name)
    for tensor in graph.sparse_initializer:
        tensor.values.name = names.get(tensor.values.name, tensor.values.name)


def rename(model, rng):
    """Other names for all results and initializers; inputs and outputs keep theirs."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    kept = {value.name for group in (made.graph.input, made.graph.output) for value in group}
    found = [name for node in made.graph.node for name in node.output] + [t.name for t in made.graph.initializer]
    found = [name for name in dict.fromkeys(found) if name and name not in kept]
    numbers = list(range(len(found)))
    rng.shuffle(numbers)
    fix_names(made.graph, {name: f"v{number}" for name, number in zip(found, numbers)})
    for node in made.graph.node:
        node.name = ""
    return made


def reorder(model, rng):
    """Nodes in another order that is possible, initializers in any."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    nodes, order = list(made.graph.node), []
    produced = {o for node in nodes for o in node.output if o}

    def needs(node):
        names = set(node.input)
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                for inner in body.node:
                    names |= needs(inner)
        return names & produced

    waiting = [(node, needs(node)) for node in nodes]
    done = set()
    while waiting:
        ready = [i for i, (_, wanted) in enumerate(waiting) if wanted <= done]
        node, _ = waiting.pop(rng.choice(ready))
        order.append(node)
        done |= set(node.output)
    tensors = list(made.graph.initializer)
    rng.shuffle(tensors)
    order = [onnx.NodeProto.FromString(node.SerializeToString()) for node in order]
    tensors = [onnx.TensorProto.FromString(tensor.SerializeToString()) for tensor in tensors]
    del made.graph.node[:], made.graph.initializer[:]
    made.graph.node.extend(order)
    made.graph.initializer.extend(tensors)
    return made


def dynamic_quantization(model, rng):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "a.onnx"), os.path.join(folder, "b.onnx")
        onnx.save(model, source)
        quantize_dynamic(source, made, weight_type=QuantType.QInt8, per_channel=rng.random() < 0.5)
        return onnx.load(made)


def static_quantization(feeds):
    def run(model, rng):
        from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

        class Reader(CalibrationDataReader):
            def __init__(self):
                self.left = [feeds]

            def get_next(self):
                return self.left.pop() if self.left else None

        with tempfile.TemporaryDirectory() as folder:
            source, made = os.path.join(folder, "a.onnx"), os.path.join(folder, "b.onnx")
            onnx.save(model, source)
            quantize_static(source, made, Reader(), quant_format=QuantFormat.QDQ)
            return onnx.load(made)

    return run


def passes(feeds):
    """(name, function, True if it takes numbers to a coarser type) of all passes."""
    import onnxoptimizer

    found = [onnxruntime_pass(name) for name in OPTIMIZERS]
    found += [onnxscript_pass(name) for name in ("optimize", "fold_constants", "remove_unused", "rewrite")]
    found += [onnxoptimizer_pass(name) for name in onnxoptimizer.get_fuse_and_elimination_passes()]
    found += [("onnxsim", simplify), ("rename", rename), ("reorder", reorder)]
    coarse = [
        ("float16", float16),
        ("quantize_dynamic", dynamic_quantization),
        ("quantize_static", static_quantization(feeds)),
    ]
    return [(name, run, False) for name, run in found] + [(name, run, True) for name, run in coarse]
