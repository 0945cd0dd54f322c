#include "python/src/values.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <xxhash.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/packed_bits.h"
#include "python/src/errors.h"

namespace onnxcmp::python {
namespace {

namespace nb = nanobind;

constexpr int64_t kLeastShared = int64_t{1} << 20;  // bytes

// True for types by which a run may look something up, or count.
bool CountsOrIndexes(DType dtype) {
  return (IsInteger(dtype) && BitWidth(dtype) >= 16) || dtype == DType::kBool;
}

// A buffer of Python's, given back when the last tensor goes, on whatever thread.
class PythonBuffer {
 public:
  explicit PythonBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  }
  ~PythonBuffer() {
    if (!nb::is_alive()) return;  // there is no interpreter left to give it back to
    const nb::gil_scoped_acquire acquire;
    PyBuffer_Release(&view_);
  }
  PythonBuffer(const PythonBuffer&) = delete;
  PythonBuffer& operator=(const PythonBuffer&) = delete;

  const void* data() const { return view_.buf; }
  int64_t size() const { return view_.len; }

 private:
  Py_buffer view_ = {};
};

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", ShapeToString(shape), "]");
}

Tensor MakeTensor(DType dtype, const std::vector<int64_t>& shape, nb::handle object,
                  const std::string& name, SharedArrays* shared) {
  auto bytes = std::make_shared<PythonBuffer>(object);
  const std::optional<int64_t> count = NumElements(shape);
  if (!count.has_value()) throw nb::value_error("the shape is too large");
  const int width = BitWidth(dtype);
  const int64_t wanted = *count * (width < 8 ? 1 : width / 8);
  if (width == 0 || bytes->size() != wanted) {
    const std::string text = absl::StrCat(name, ": ", bytes->size(), " bytes are not ",
                                          DTypeName(dtype), ShapeText(shape));
    throw nb::value_error(text.c_str());
  }
  const bool aligned = reinterpret_cast<uintptr_t>(bytes->data()) % 16 == 0;
  if (shared != nullptr && aligned && width >= 8 && wanted >= kLeastShared &&
      !CountsOrIndexes(dtype)) {
    const void* data = bytes->data();
    Tensor tensor = Checked(Tensor::FromBuffer(
        dtype, shape, Buffer::Borrow(data, wanted, std::shared_ptr<const void>(std::move(bytes)))));
    shared->Add(name, tensor);
    return tensor;
  }
  Tensor tensor = Checked(Tensor::Allocate(dtype, shape));
  if (*count == 0) return tensor;
  const auto* from = static_cast<const uint8_t*>(bytes->data());
  auto* to = reinterpret_cast<uint8_t*>(tensor.mutable_raw_data());
  if (width >= 8) {
    std::memcpy(to, from, static_cast<size_t>(wanted));
    return tensor;
  }
  std::memset(to, 0, static_cast<size_t>(tensor.byte_size()));
  for (int64_t i = 0; i < *count; ++i) SetPackedElement(to, i, width, from[i]);
  return tensor;
}

Tensor MakeStrings(const std::vector<int64_t>& shape, const nb::sequence& elements) {
  std::vector<std::string> strings;
  for (const nb::handle element : elements) {
    const auto bytes = nb::cast<nb::bytes>(element);
    strings.emplace_back(bytes.c_str(), bytes.size());
  }
  const std::optional<int64_t> count = NumElements(shape);
  if (!count.has_value() || *count != static_cast<int64_t>(strings.size())) {
    throw nb::value_error("the strings are not as many as the shape has");
  }
  return Tensor::Of<std::string>(shape, strings);
}

DType ToDType(nb::handle number) {
  const int dtype = nb::cast<int>(number);
  if (dtype < 0 || dtype >= kNumDTypes) throw nb::value_error("there is no such element type");
  return static_cast<DType>(dtype);
}

nb::object OwnerOf(const Tensor& tensor) {
  return nb::capsule(new Tensor(tensor),
                     [](void* held) noexcept { delete static_cast<Tensor*>(held); });
}

// The type that stores the elements, as DLPack has it.
nb::dlpack::dtype StorageOf(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto make = [](Code code, int bits) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  };
  const int width = BitWidth(dtype);
  if (width < 8) return make(Code::UInt, 8);
  switch (dtype) {
    case DType::kBool:
      return make(Code::Bool, 8);
    case DType::kFloat16:
    case DType::kFloat:
    case DType::kDouble:
      return make(Code::Float, width);
    case DType::kComplex64:
    case DType::kComplex128:
      return make(Code::Complex, width);
    default:
      return make(IsSignedInteger(dtype) ? Code::Int : Code::UInt, width);
  }
}

// One byte an element.
Tensor Unpacked(const Tensor& tensor) {
  Tensor bytes = Checked(Tensor::Allocate(DType::kUint8, tensor.shape()));
  const int width = BitWidth(tensor.dtype());
  const auto* from = tensor.data<uint8_t>();
  auto* to = bytes.mutable_data<uint8_t>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) to[i] = PackedElement(from, i, width);
  return bytes;
}

template <typename Shape>
std::vector<size_t> Sizes(const Shape& shape) {
  return std::vector<size_t>(shape.begin(), shape.end());
}

nb::object StringsToPython(const Tensor& tensor) {
  const Tensor strings = Checked(tensor.Contiguous());
  nb::list elements;
  for (const std::string& text : strings.AsSpan<std::string>()) {
    elements.append(nb::bytes(text.data(), text.size()));
  }
  return nb::make_tuple("strings", nb::cast(Sizes(tensor.shape())), elements);
}

nb::object TensorToPython(Tensor tensor, bool own) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kString) return StringsToPython(tensor);
  tensor = Checked(tensor.InMemory(nullptr));
  bool writable = own && !tensor.buffer()->borrowed() && tensor.buffer().use_count() == 1 &&
                  tensor.is_contiguous();
  if (own && !writable) {
    // A caller may do with what he is given as he likes.
    Tensor copy = Checked(Tensor::Allocate(dtype, tensor.shape()));
    const Tensor dense = Checked(tensor.Contiguous());
    if (dense.byte_size() > 0) {
      std::memcpy(copy.mutable_raw_data(), dense.raw_data(),
                  static_cast<size_t>(dense.byte_size()));
    }
    tensor = std::move(copy);
    writable = true;
  }
  if (IsSubByte(dtype)) tensor = Unpacked(tensor);
  const std::vector<size_t> sizes = Sizes(tensor.shape());
  const std::vector<int64_t> strides(tensor.strides().begin(), tensor.strides().end());
  const auto* data = tensor.raw_data();
  nb::object array;
  if (writable) {
    array =
        nb::cast(nb::ndarray<nb::numpy>(const_cast<std::byte*>(data), sizes.size(), sizes.data(),
                                        OwnerOf(tensor), strides.data(), StorageOf(dtype)));
  } else {
    array = nb::cast(nb::ndarray<nb::numpy, nb::ro>(
        data, sizes.size(), sizes.data(), OwnerOf(tensor), strides.data(), StorageOf(dtype)));
  }
  return nb::make_tuple("tensor", static_cast<int>(dtype), array);
}

}  // namespace

void SharedArrays::Add(const std::string& name, const Tensor& tensor) {
  arrays_.push_back(
      {name, tensor, XXH3_64bits(tensor.raw_data(), static_cast<size_t>(tensor.byte_size()))});
}

absl::Status SharedArrays::CheckUnchanged() const {
  for (const Shared& shared : arrays_) {
    if (XXH3_64bits(shared.tensor.raw_data(), static_cast<size_t>(shared.tensor.byte_size())) !=
        shared.hash) {
      return absl::FailedPreconditionError(
          absl::StrCat("the array that was given as `", shared.name,
                       "` has been written to since; give a copy"));
    }
  }
  return absl::OkStatus();
}

ReadValue FromPython(nb::handle plain, const std::string& name, SharedArrays* shared) {
  if (plain.is_none()) return {};
  const auto parts = nb::cast<nb::tuple>(plain);
  const auto kind = ToText(parts[0]);
  if (kind == "tensor" || kind == "opaque") {
    const bool opaque = kind == "opaque";
    const DType dtype = opaque ? (nb::cast<int>(parts[1]) == 1 ? DType::kUint8 : DType::kUint16)
                               : ToDType(parts[1]);
    return {MakeTensor(dtype, nb::cast<std::vector<int64_t>>(parts[2]), parts[3], name, shared),
            opaque};
  }
  if (kind == "strings") {
    return {
        MakeStrings(nb::cast<std::vector<int64_t>>(parts[1]), nb::cast<nb::sequence>(parts[2]))};
  }
  if (kind == "sequence") {
    Sequence sequence;
    sequence.element_dtype = ToDType(parts[1]);
    for (const nb::handle element : nb::cast<nb::sequence>(parts[2])) {
      sequence.elements.push_back(FromPython(element, name, shared).value);
    }
    return {Value(std::move(sequence))};
  }
  if (kind == "optional") {
    Optional optional;
    optional.element_dtype = ToDType(parts[1]);
    if (!parts[2].is_none()) {
      optional.element = std::make_shared<const Value>(FromPython(parts[2], name, shared).value);
    }
    return {Value(std::move(optional))};
  }
  if (kind == "map") {
    Map map;
    map.keys = FromPython(parts[1], name, shared).value.tensor();
    map.values = std::make_shared<const Value>(FromPython(parts[2], name, shared).value);
    return {Value(std::move(map))};
  }
  if (kind == "sparse") {
    SparseTensor sparse;
    sparse.values = FromPython(parts[1], name, shared).value.tensor();
    sparse.indices = FromPython(parts[2], name, shared).value.tensor();
    for (const int64_t dim : nb::cast<std::vector<int64_t>>(parts[3])) sparse.dims.push_back(dim);
    return {Value(std::move(sparse))};
  }
  throw nb::type_error("there is no such kind of value");
}

nb::object ToPython(Value value, bool own) {
  if (value.empty()) return nb::none();
  if (value.is_tensor()) {
    Tensor tensor = value.tensor();
    value = Value();  // so that the tensor is the only one of its buffer, if it is
    return TensorToPython(std::move(tensor), own);
  }
  if (value.is_sequence()) {
    nb::list elements;
    for (const Value& element : value.sequence().elements) elements.append(ToPython(element, own));
    return nb::make_tuple("sequence", static_cast<int>(value.sequence().element_dtype), elements);
  }
  if (value.is_optional()) {
    const Optional& optional = value.optional();
    return nb::make_tuple(
        "optional", static_cast<int>(optional.element_dtype),
        optional.element == nullptr ? nb::none() : ToPython(*optional.element, own));
  }
  if (value.is_map()) {
    const Map& map = value.map();
    return nb::make_tuple("map", ToPython(map.keys, own), ToPython(*map.values, own));
  }
  const SparseTensor& sparse = value.sparse();
  return nb::make_tuple("sparse", ToPython(sparse.values, own), ToPython(sparse.indices, own),
                        nb::cast(Sizes(sparse.dims)));
}

std::string ToText(nb::handle text) {
  nb::object bytes = nb::borrow(text);
  if (PyUnicode_Check(text.ptr())) {
    bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
    if (!bytes.is_valid()) throw nb::python_error();
  }
  if (!PyBytes_Check(bytes.ptr())) throw nb::type_error("a text is wanted");
  const auto raw = nb::cast<nb::bytes>(bytes);
  return std::string(raw.c_str(), raw.size());
}

nb::object TextToPython(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

}  // namespace onnxcmp::python
