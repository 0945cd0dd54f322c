#include "evaluator/plan/in_double.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dense.h"
#include "evaluator/tensor/strided_copy.h"

namespace onnxcmp {
namespace {

bool BecomesDouble(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kFloat16 || dtype == DType::kBfloat16;
}

DType TypeInDouble(DType dtype) { return BecomesDouble(dtype) ? DType::kDouble : dtype; }

absl::StatusOr<Tensor> TensorInDouble(const Tensor& tensor, int64_t max_tensor,
                                      const ThreadPool* pool) {
  constexpr int64_t kGrain = 1 << 16;
  OC_RETURN_IF_ERROR(CheckTensorSize(DType::kDouble, tensor.shape(), max_tensor));
  Tensor from = tensor;
  if (!from.is_contiguous()) {
    OC_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(tensor.dtype(), tensor.shape()));
    CopyToContiguous(tensor, &copy, pool);
    from = std::move(copy);
  }
  OC_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(DType::kDouble, tensor.shape()));
  double* elements = to.mutable_data<double>();
  const auto load = [&](int64_t begin, int64_t end) {
    LoadElements(from.dtype(), from.raw_data(), begin, end - begin, elements + begin);
  };
  if (pool == nullptr) {
    load(0, from.num_elements());
  } else {
    pool->ParallelRanges(from.num_elements(), kGrain, load);
  }
  return to;
}

// Names of attributes whose number is an element type that a node computes in or gives. Those of
// random numbers are not among them: they draw by type.
bool NamesComputedType(absl::string_view name) {
  constexpr absl::string_view kNames[] = {"output_datatype",   "output_dtype", "precision",
                                          "softmax_precision", "stash_type",   "to"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

template <typename Attributes>
void Change(Attributes* attributes) {
  for (auto& [name, attribute] : *attributes) {
    int64_t* number = std::get_if<int64_t>(&attribute);
    if (number == nullptr || !NamesComputedType(name) || *number <= 0 || *number >= kNumDTypes) {
      continue;
    }
    const auto dtype = static_cast<DType>(*number);
    // A cast rounds to no type at all; what quantizes to floats of 8 bits still does.
    if (name == "to" ? IsFloatingPoint(dtype) : BecomesDouble(dtype)) {
      *number = static_cast<int64_t>(DType::kDouble);
    }
  }
}

TypeInfo TypeInDouble(const TypeInfo& type) {
  TypeInfo changed = type;
  changed.dtype = TypeInDouble(type.dtype);
  if (type.element != nullptr) {
    changed.element = std::make_shared<const TypeInfo>(TypeInDouble(*type.element));
  }
  return changed;
}

}  // namespace

absl::StatusOr<Value> InDouble(const Value& value, int64_t max_tensor, const ThreadPool* pool) {
  const auto held = [&](const std::shared_ptr<const Value>& inner)
      -> absl::StatusOr<std::shared_ptr<const Value>> {
    if (inner == nullptr) return inner;
    OC_ASSIGN_OR_RETURN(Value changed, InDouble(*inner, max_tensor, pool));
    return std::make_shared<const Value>(std::move(changed));
  };
  if (value.is_tensor()) {
    if (!BecomesDouble(value.tensor().dtype())) return value;
    return TensorInDouble(value.tensor(), max_tensor, pool);
  }
  if (value.is_sequence()) {
    Sequence sequence;
    sequence.element_dtype = TypeInDouble(value.sequence().element_dtype);
    for (const Value& element : value.sequence().elements) {
      OC_ASSIGN_OR_RETURN(Value changed, InDouble(element, max_tensor, pool));
      sequence.elements.push_back(std::move(changed));
    }
    return sequence;
  }
  if (value.is_optional()) {
    Optional optional;
    optional.element_dtype = TypeInDouble(value.optional().element_dtype);
    OC_ASSIGN_OR_RETURN(optional.element, held(value.optional().element));
    return optional;
  }
  // Maps go into dictionary vectorizers, which look at their types: they stay.
  return value;
}

Node InDouble(const Node& node) {
  Node changed = node;
  Change(&changed.attributes);
  return changed;
}

std::map<std::string, Attribute, std::less<>> InDouble(
    const std::map<std::string, Attribute, std::less<>>& defaults) {
  auto changed = defaults;
  Change(&changed);
  return changed;
}

void AllowDouble(Signature* signature) {
  for (ParameterType& input : signature->inputs) {
    for (int i = 0; i < kNumDTypes; ++i) {
      // Where only floats of 8 bits may stand, casts to them now give double.
      if (IsFloatingPoint(static_cast<DType>(i)) && (input.tensor_dtypes >> i & 1u) != 0) {
        input.tensor_dtypes |= 1u << static_cast<unsigned>(DType::kDouble);
      }
    }
    const size_t count = input.others.size();
    for (size_t i = 0; i < count; ++i) input.others.push_back(TypeInDouble(input.others[i]));
  }
}

}  // namespace onnxcmp
