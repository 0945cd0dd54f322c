#include "tools/fix/constant_forms.h"

#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/value_relation.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Tensor> ReadIn(const Tensor& tensor) {
  OC_ASSIGN_OR_RETURN(const Tensor in_memory, tensor.InMemory(nullptr));
  return in_memory.Contiguous();
}

// The same numbers in another floating type.
absl::StatusOr<Tensor> InType(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  if (!IsFloatingPoint(tensor.dtype()) || !IsFloatingPoint(dtype)) {
    return absl::InvalidArgumentError("other types");
  }
  OC_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(dtype, tensor.shape()));
  const auto count = static_cast<size_t>(tensor.num_elements());
  std::vector<double> numbers(count);
  LoadElements<double>(tensor.dtype(), tensor.raw_data(), 0, tensor.num_elements(), numbers.data());
  StoreElements<double>(dtype, numbers.data(), tensor.num_elements(), made.mutable_raw_data(), 0,
                        Overflow::kSaturate);
  return made;
}

Shape WithoutOnes(const Shape& shape) {
  Shape other;
  for (const int64_t size : shape) {
    if (size != 1) other.push_back(size);
  }
  return other;
}

void Add(const absl::StatusOr<Tensor>& form, DType dtype, std::vector<Tensor>* forms) {
  if (!form.ok()) return;
  if (absl::StatusOr<Tensor> typed = InType(*form, dtype); typed.ok()) {
    forms->push_back(*std::move(typed));
  }
}

}  // namespace

bool AreSame(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.buffer() == b.buffer() && a.offset() == b.offset() && a.strides() == b.strides()
              ? true
              : ContentOf(Value(a)) == ContentOf(Value(b)));
}

std::vector<Tensor> FormsOf(const Tensor& left, const Tensor& right) {
  std::vector<Tensor> forms;
  const absl::StatusOr<Tensor> given = ReadIn(left);
  if (!given.ok()) return forms;
  if (given->shape() == right.shape()) Add(*given, right.dtype(), &forms);
  const bool packed = left.byte_size() < left.num_elements();
  for (size_t i = 0; i < given->shape().size() && !packed; ++i) {
    for (size_t j = i + 1; j < given->shape().size(); ++j) {
      Shape shape = given->shape(), strides = given->strides();
      std::swap(shape[i], shape[j]);
      std::swap(strides[i], strides[j]);
      if (shape != right.shape()) continue;
      Add(given->Strided(shape, strides, given->offset()).Contiguous(), right.dtype(), &forms);
    }
  }
  if (forms.empty() && WithoutOnes(given->shape()) == WithoutOnes(right.shape())) {
    Add(given->Reshaped(right.shape()), right.dtype(), &forms);
  }
  return forms;
}

std::string ChangeText(const Tensor& from, const Tensor& to) {
  const TensorDifference difference =
      TensorDifferenceOf(Value(to), Value(from), DifferenceOptions());
  if (!difference.values.reason.empty() || difference.worst.empty()) return "another value";
  const ElementPair& worst = difference.worst.front();
  std::string element = absl::StrCat(worst.index, " ", worst.right, " -> ", worst.left);
  if (difference.worst.size() == 1) return element;
  const std::string relation = RelationText(to, from);
  return absl::StrCat("up to ", element,
                      relation.empty() ? "" : absl::StrCat(" (it was: ", relation, ")"));
}

}  // namespace onnxcmp
