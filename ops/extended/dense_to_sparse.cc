#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/movement/movement.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

// The encoding: a vector of floats whose bytes are this header, then the position of each element
// that is not 0 (uint32, row-major), then their values (float). The vector is longer than that
// needs (onnx-extended counts its header's bytes as floats); what is left over is 0 here, undefined
// there.
struct Header {
  uint32_t mark = 0xAAAAAAAA;
  uint32_t rank = 2;
  int64_t shape[4] = {};
  uint32_t count = 0;
  uint32_t dtype = 1;  // TensorProto's number of float
};
static_assert(sizeof(Header) == 48);
constexpr int64_t kHeaderFloats = 56;

// DenseToSparse (onnx_extended.ortops.optim.cpu 1): a matrix as such a vector.
absl::Status DenseToSparse(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  if (x.rank() != 2 || x.num_elements() > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must be a matrix of less than 2^32 elements, it is ", x.TypeString()));
  }
  std::vector<uint32_t> positions;
  std::vector<float> values;
  const float* data = x.data<float>();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (data[i] == 0) continue;
    positions.push_back(static_cast<uint32_t>(i));
    values.push_back(data[i]);
  }
  const auto count = static_cast<int64_t>(values.size());
  OC_ASSIGN_OR_RETURN(Tensor sparse, ctx.Allocate(DType::kFloat, {kHeaderFloats + 2 * count}));
  FillWithZeros(&sparse);
  Header header;
  header.shape[0] = x.dim(0);
  header.shape[1] = x.dim(1);
  header.count = static_cast<uint32_t>(count);
  std::byte* to = sparse.mutable_raw_data();
  std::memcpy(to, &header, sizeof(header));
  to += sizeof(header);
  if (count > 0) {
    const auto bytes = static_cast<size_t>(count) * sizeof(float);
    std::memcpy(to, positions.data(), bytes);
    std::memcpy(to + bytes, values.data(), bytes);
  }
  return ctx.SetOutput(0, std::move(sparse));
}

// SparseToDense (onnx_extended.ortops.optim.cpu 1): such a vector as a matrix.
absl::Status SparseToDense(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor sparse, ctx.ContiguousInput(0));
  const auto bytes = static_cast<size_t>(sparse.byte_size());
  Header header;
  if (bytes >= sizeof(header)) std::memcpy(&header, sparse.raw_data(), sizeof(header));
  const size_t count = header.count;
  if (sparse.rank() != 1 || bytes < sizeof(header) ||
      (bytes - sizeof(header)) / (2 * sizeof(float)) < count || header.mark != Header().mark ||
      header.rank != 2 || header.dtype != Header().dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat(sparse.TypeString(), " does not hold a sparse matrix"));
  }
  OC_ASSIGN_OR_RETURN(Tensor dense,
                      ctx.Allocate(DType::kFloat, {header.shape[0], header.shape[1]}));
  FillWithZeros(&dense);
  const std::byte* positions = sparse.raw_data() + sizeof(header);
  const std::byte* values = positions + count * sizeof(float);
  for (size_t i = 0; i < count; ++i) {
    uint32_t position = 0;
    std::memcpy(&position, positions + i * sizeof(position), sizeof(position));
    if (position >= dense.num_elements()) {
      return absl::InvalidArgumentError(
          absl::StrCat("position ", position, " is out of range for ", dense.TypeString()));
    }
    std::memcpy(dense.mutable_data<float>() + position, values + i * sizeof(float), sizeof(float));
  }
  return ctx.SetOutput(0, std::move(dense));
}

}  // namespace

void RegisterExtendedDenseToSparse(OpRegistry& registry) {
  for (absl::string_view domain : {kOptimCpuDomain, kYaourtSparseDomain}) {
    registry.Add(domain, "DenseToSparse", {1}, DenseToSparse);
    registry.Add(domain, "SparseToDense", {1}, SparseToDense);
  }
}

}  // namespace onnxcmp
