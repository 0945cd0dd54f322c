"""Arrays of all kinds, in and out."""

import ml_dtypes
import numpy as np
import pytest
from conftest import info, model_of
from onnx import TensorProto, helper

import onnxcmp

IDENTITY = {}


def through(dtype, value, shape=("n",), opset=25):
    """A value that went through an Identity."""
    if dtype not in IDENTITY:
        IDENTITY[dtype] = onnxcmp.Evaluator(
            model_of([helper.make_node("Identity", ["x"], ["y"])],
                     [info("x", dtype, None)], [info("y", dtype, None)], opset=opset)
        )
    return IDENTITY[dtype].run(None, {"x": value})[0]


@pytest.mark.parametrize("name", [
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64", "bool", "complex64", "complex128",
])
def test_types_of_numpy(name):
    dtype = np.dtype(name)
    value = np.array([[0, 1, 1], [1, 0, 3]]).astype(dtype)
    got = through(helper.np_dtype_to_tensor_dtype(dtype), value)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, value)


@pytest.mark.parametrize("name, number", [
    ("bfloat16", TensorProto.BFLOAT16),
    ("float8_e4m3fn", TensorProto.FLOAT8E4M3FN),
    ("float8_e4m3fnuz", TensorProto.FLOAT8E4M3FNUZ),
    ("float8_e5m2", TensorProto.FLOAT8E5M2),
    ("float8_e5m2fnuz", TensorProto.FLOAT8E5M2FNUZ),
    ("float4_e2m1fn", TensorProto.FLOAT4E2M1),
    ("int4", TensorProto.INT4),
    ("uint4", TensorProto.UINT4),
])
def test_types_of_ml_dtypes(name, number):
    dtype = np.dtype(getattr(ml_dtypes, name))
    values = [0, 1, 2, 3, 1, 2, 3] if name == "uint4" else [0, 1, -2, 3, -1, 2, -3]
    value = np.array(values).astype(dtype).reshape(7, 1)
    got = through(number, value)
    assert got.dtype == dtype and got.shape == (7, 1)
    np.testing.assert_array_equal(got.astype(np.float32), value.astype(np.float32))


@pytest.mark.parametrize("make", [
    lambda a: a[::-1],
    lambda a: a.T,
    lambda a: np.broadcast_to(a[:1], (5, 3)),
    lambda a: a.astype(">f4"),
    lambda a: np.asfortranarray(a),
    lambda a: a[:0],
    lambda a: a[0, 0],
    lambda a: a.reshape(1, 1, 1, 2, 1, 1, 3),
    lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.float32),
], ids=["negative", "transposed", "broadcast", "swapped", "fortran", "empty", "scalar", "rank 7",
        "unaligned"])
def test_layouts(make):
    value = make(np.arange(6, dtype=np.float32).reshape(2, 3))
    got = through(TensorProto.FLOAT, value)
    assert got.shape == np.shape(value)
    np.testing.assert_array_equal(got, value)


def test_large_layouts():
    value = np.arange(1 << 20, dtype=np.float32).reshape(1024, 1024)
    for one in (value, value.T, value[::2], value[:, 1:]):
        np.testing.assert_array_equal(through(TensorProto.FLOAT, one), one)
    value.flags.writeable = False
    np.testing.assert_array_equal(through(TensorProto.FLOAT, value), value)


def test_strings():
    for value in (np.array(["a", "ü\0b"], dtype=object), np.array(["a", "bc"]),
                  np.array([b"a", b"bc"])):
        got = through(TensorProto.STRING, value)
        want = [s.decode() if isinstance(s, bytes) else s for s in value.tolist()]
        assert got.dtype == object and got.tolist() == want
    assert through(TensorProto.STRING, np.array([["", "x"]], dtype=object)).shape == (1, 2)


def test_opaque_bits_take_the_type_of_their_input():
    value = np.array([1.5, -2], dtype=ml_dtypes.bfloat16)
    got = through(TensorProto.BFLOAT16, value.view("V2"))
    np.testing.assert_array_equal(got.astype(np.float32), [1.5, -2])


def test_scalars_and_lists_of_numbers():
    assert through(TensorProto.DOUBLE, 1.5) == 1.5
    assert through(TensorProto.INT64, [[1, 2]]).tolist() == [[1, 2]]
    assert through(TensorProto.BOOL, True).tolist() is True


def run(nodes, inputs, outputs, feeds):
    return onnxcmp.Evaluator(model_of(nodes, inputs, outputs)).run(None, feeds)


def sequence(name, dtype=TensorProto.FLOAT):
    return helper.make_tensor_sequence_value_info(name, dtype, None)


def test_sequences():
    parts = [np.ones((2, 2), np.float32), np.zeros((1, 2), np.float32)]
    whole, length = run(
        [helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0),
         helper.make_node("SequenceLength", ["s"], ["n"])],
        [sequence("s")], [info("y", shape=None), info("n", TensorProto.INT64, [])], {"s": parts},
    )
    assert whole.shape == (3, 2) and length == 2
    (back,) = run([helper.make_node("Identity", ["s"], ["t"])], [sequence("s")], [sequence("t")],
                  {"s": parts})
    assert [p.tolist() for p in back] == [p.tolist() for p in parts]
    (none,) = run([helper.make_node("Identity", ["s"], ["t"])], [sequence("s")], [sequence("t")],
                  {"s": []})
    assert none == []


def optional(name):
    inner = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    return helper.make_value_info(name, helper.make_optional_type_proto(inner))


def test_optionals():
    has = [helper.make_node("OptionalHasElement", ["o"], ["y"])]
    outputs = [info("y", TensorProto.BOOL, [])]
    assert run(has, [optional("o")], outputs, {"o": np.ones(2, np.float32)})[0]
    assert not run(has, [optional("o")], outputs, {"o": None})[0]
    same = [helper.make_node("Identity", ["o"], ["p"])]
    assert run(same, [optional("o")], [optional("p")], {"o": None}) == [None]


def test_maps():
    node = helper.make_node("DictVectorizer", ["m"], ["y"], domain="ai.onnx.ml",
                            string_vocabulary=["a", "b", "c"])
    value = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    given = helper.make_value_info("m", helper.make_map_type_proto(TensorProto.STRING, value))
    graph = helper.make_graph([node], "g", [given], [info("y", shape=None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.ml", 3),
                                                    helper.make_opsetid("", 21)])
    (y,) = onnxcmp.Evaluator(model).run(None, {"m": {"c": 3.0, "a": 1.0}})
    assert y.reshape(-1).tolist() == [1, 0, 3]


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(6, dtype=torch.float32, requires_grad=True).reshape(2, 3)
    np.testing.assert_array_equal(through(TensorProto.FLOAT, x.T), x.detach().numpy().T)
    half = torch.tensor([1.5, -2], dtype=torch.bfloat16)
    assert through(TensorProto.BFLOAT16, half).astype(np.float32).tolist() == [1.5, -2]
    eight = torch.tensor([1.5, -2]).to(torch.float8_e4m3fn)
    assert through(TensorProto.FLOAT8E4M3FN, eight).astype(np.float32).tolist() == [1.5, -2]


def test_dlpack_and_array_protocols():
    class Dlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.ones(2, np.float32)

    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(through(TensorProto.FLOAT, Dlpack(x)), x)
    np.testing.assert_array_equal(through(TensorProto.FLOAT, Array()), [1, 1])


def test_memory_of_feeds_is_given_back():
    import gc
    import weakref

    class Watched(np.ndarray):
        pass

    x = np.zeros(1 << 20, np.float32).view(Watched)
    gone = weakref.ref(x)
    through(TensorProto.FLOAT, x)
    del x
    gc.collect()
    assert gone() is None


def test_integers_beside_floats_are_held_or_refused():
    same = onnxcmp.compare({"a": [3, 0.5], "b": {"k": 7, "l": 0.5}},
                           {"a": np.array([3, 0.5]), "b": {"k": 7.0, "l": 0.5}})
    assert same.verdict == "same", str(same)
    for lost in ([2**53 + 1, 0.5], {"k": 2**24 + 1, "l": 0.5}):
        with pytest.raises(TypeError, match="holds all of these integers"):
            onnxcmp.compare({"a": lost}, {"a": lost})
