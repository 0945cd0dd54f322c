// The value of a name in a graph: a tensor, a sequence, an optional, a map or a sparse tensor.
#ifndef ONNXCMP_EVALUATOR_TENSOR_VALUE_H_
#define ONNXCMP_EVALUATOR_TENSOR_VALUE_H_

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

class Value;

// Elements are tensors, or values that are sequences, optionals or maps themselves.
struct Sequence {
  DType element_dtype =
      DType::kUndefined;  // of the tensors in it; kUndefined if not tensors or unknown
  std::vector<Value> elements;
};

// An optional that holds nothing or one value. (An input that is left out is no Optional at all:
// its Value is empty().)
struct Optional {
  std::shared_ptr<const Value> element;  // null: holds nothing
  DType element_dtype = DType::kUndefined;
};

// Keys: a tensor of rank 1, int64 (or another integer) or string; values: a tensor of rank 1 with
// as many elements, or one value per key in a sequence.
struct Map {
  Tensor keys;
  std::shared_ptr<const Value> values;
};

// COO as in SparseTensorProto: values (NNZ), indices int64 (NNZ) linear or (NNZ, rank).
struct SparseTensor {
  Tensor values;
  Tensor indices;
  Shape dims;
};

class Value {
 public:
  Value() = default;                                  // empty: an input or output that is absent
  Value(Tensor tensor) : data_(std::move(tensor)) {}  // NOLINT: a tensor is a value
  Value(Sequence sequence)                            // NOLINT
      : data_(std::make_shared<const Sequence>(std::move(sequence))) {}
  Value(Optional optional)  // NOLINT
      : data_(std::make_shared<const Optional>(std::move(optional))) {}
  Value(Map map) : data_(std::make_shared<const Map>(std::move(map))) {}  // NOLINT
  Value(SparseTensor sparse)                                              // NOLINT
      : data_(std::make_shared<const SparseTensor>(std::move(sparse))) {}
  // Out of line, as a tensor's.
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  bool empty() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_tensor() const { return std::holds_alternative<Tensor>(data_); }
  bool is_sequence() const { return Holds<Sequence>(); }
  bool is_optional() const { return Holds<Optional>(); }
  bool is_map() const { return Holds<Map>(); }
  bool is_sparse() const { return Holds<SparseTensor>(); }

  // Each requires the kind.
  const Tensor& tensor() const { return std::get<Tensor>(data_); }
  const Sequence& sequence() const { return Get<Sequence>(); }
  const Optional& optional() const { return Get<Optional>(); }
  const Map& map() const { return Get<Map>(); }
  const SparseTensor& sparse() const { return Get<SparseTensor>(); }

  // "float[2,3]", "seq(float)[4]", "optional(empty)", "map(string)[3]", "sparse(float[3,4])",
  // "absent".
  std::string TypeString() const;

 private:
  template <typename T>
  bool Holds() const {
    return std::holds_alternative<std::shared_ptr<const T>>(data_);
  }
  template <typename T>
  const T& Get() const {
    return *std::get<std::shared_ptr<const T>>(data_);
  }
  std::variant<std::monostate, Tensor, std::shared_ptr<const Sequence>,
               std::shared_ptr<const Optional>, std::shared_ptr<const Map>,
               std::shared_ptr<const SparseTensor>>
      data_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_VALUE_H_
