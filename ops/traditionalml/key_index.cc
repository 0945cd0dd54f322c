#include "ops/traditionalml/key_index.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

template <typename T, typename Bits>
int64_t CodeOf(T value, FloatKeys how) {
  if (how == FloatKeys::kByValue) {
    if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    if (value == 0) value = 0;
  }
  return std::bit_cast<Bits>(value);
}

// Elements `first` to `first + codes.size() - 1` as integers that are equal where they are.
void Encode(const Tensor& x, int64_t first, FloatKeys how, absl::Span<int64_t> codes) {
  const auto count = static_cast<int64_t>(codes.size());
  if (x.dtype() == DType::kFloat) {
    const float* from = x.data<float>() + first;
    std::transform(from, from + count, codes.begin(),
                   [how](float v) { return CodeOf<float, int32_t>(v, how); });
  } else if (x.dtype() == DType::kDouble) {
    const double* from = x.data<double>() + first;
    std::transform(from, from + count, codes.begin(),
                   [how](double v) { return CodeOf<double, int64_t>(v, how); });
  } else {
    LoadElements(x.dtype(), x.raw_data(), first, count, codes.data());
  }
}

constexpr int64_t kLookupGrain = 4096;

}  // namespace

KeyIndex::KeyIndex(const Tensor& keys, FloatKeys float_keys)
    : dtype_(keys.dtype()), float_keys_(float_keys) {
  const int64_t size = keys.num_elements();
  if (dtype_ == DType::kString) {
    for (int64_t i = 0; i < size; ++i) strings_[keys.string_data()[i]] = i;
    return;
  }
  std::vector<int64_t> codes(static_cast<size_t>(size));
  Encode(keys, 0, float_keys_, absl::MakeSpan(codes));
  for (int64_t i = 0; i < size; ++i) numbers_[codes[static_cast<size_t>(i)]] = i;
}

absl::StatusOr<std::vector<int64_t>> KeyIndex::Find(const KernelContext& ctx, const Tensor& x,
                                                    int64_t otherwise) const {
  if (x.dtype() != dtype_) {
    return absl::InvalidArgumentError(
        absl::StrCat("the input is ", x.TypeString(), ", the keys are ", DTypeName(dtype_)));
  }
  OC_ASSIGN_OR_RETURN(const Tensor in, ctx.Contiguous(x));
  std::vector<int64_t> found(static_cast<size_t>(in.num_elements()));
  ctx.pool().ParallelRanges(in.num_elements(), kLookupGrain, [&](int64_t begin, int64_t end) {
    const auto out =
        absl::MakeSpan(found).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    if (dtype_ == DType::kString) {
      for (int64_t i = begin; i < end; ++i) {
        const auto at = strings_.find(in.string_data()[i]);
        out[static_cast<size_t>(i - begin)] = at == strings_.end() ? otherwise : at->second;
      }
      return;
    }
    Encode(in, begin, float_keys_, out);
    for (int64_t& element : out) {
      const auto at = numbers_.find(element);
      element = at == numbers_.end() ? otherwise : at->second;
    }
  });
  return found;
}

absl::StatusOr<Tensor> PickElements(const KernelContext& ctx, const Tensor& table,
                                    absl::Span<const int64_t> indices,
                                    absl::Span<const int64_t> shape) {
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(table.dtype(), shape));
  GatherBlocks(table, 1, 0, indices, 1, ctx.pool(), &out);
  return out;
}

absl::StatusOr<Tensor> WithLast(const Tensor& values, const Tensor& last) {
  const int64_t size = values.num_elements();
  OC_ASSIGN_OR_RETURN(Tensor table, Tensor::Allocate(values.dtype(), {size + 1}));
  if (values.dtype() == DType::kString) {
    std::copy(values.string_data(), values.string_data() + size, table.mutable_string_data());
    table.mutable_string_data()[size] = last.string_data()[0];
    return table;
  }
  std::byte* to = table.mutable_raw_data();
  const auto bytes = static_cast<size_t>(values.byte_size());
  if (bytes != 0) std::memcpy(to, values.raw_data(), bytes);
  std::memcpy(to + bytes, last.raw_data(), static_cast<size_t>(last.byte_size()));
  return table;
}

}  // namespace onnxcmp
