#include "record/differences/sorted_elements.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "record/differences/element_reader.h"

namespace onnxcmp {
namespace {

bool Less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
bool Less(int64_t a, int64_t b) { return a < b; }
bool Less(uint64_t a, uint64_t b) { return a < b; }
bool Less(std::complex<double> a, std::complex<double> b) {
  return Less(a.real(), b.real()) || (!Less(b.real(), a.real()) && Less(a.imag(), b.imag()));
}

// C represents every number of the tensor's type.
template <typename C>
absl::StatusOr<Value> Sorted(const Tensor& tensor) {
  const int64_t count = tensor.num_elements();
  std::vector<C> elements(static_cast<size_t>(count));
  ElementReader(tensor).Read(0, count, elements.data());
  std::sort(elements.begin(), elements.end(), [](C a, C b) { return Less(a, b); });
  OC_ASSIGN_OR_RETURN(Tensor sorted, Tensor::Allocate(tensor.dtype(), {count}));
  StoreElements(tensor.dtype(), elements.data(), count, sorted.mutable_raw_data(), 0);
  return Value(std::move(sorted));
}

}  // namespace

absl::StatusOr<Value> SortedElements(const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() == DType::kString) return value;
  const Tensor& tensor = value.tensor();
  if (IsComplex(tensor.dtype())) return Sorted<std::complex<double>>(tensor);
  if (tensor.dtype() == DType::kUint64) return Sorted<uint64_t>(tensor);
  if (IsInteger(tensor.dtype())) return Sorted<int64_t>(tensor);
  return Sorted<double>(tensor);
}

}  // namespace onnxcmp
