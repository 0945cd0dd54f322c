#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// MurmurHash3_x86_32, as its author Austin Appleby put it into the public domain: four bytes at a
// time, the lowest first.
uint32_t Hash(absl::string_view bytes, uint32_t seed) {
  const auto scramble = [](uint32_t k) { return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u; };
  const auto length = static_cast<uint32_t>(bytes.size());
  uint32_t h = seed;
  for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data(), 4);
    h = std::rotl(h ^ scramble(word), 13) * 5 + 0xe6546b64u;
  }
  uint32_t tail = 0;
  std::memcpy(&tail, bytes.data(), bytes.size());
  h ^= scramble(tail);  // of 0 it is 0
  h ^= length;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

// MurmurHash3 (com.microsoft 1): the hash of each element's bytes, or of each string's, as uint32,
// or as int32 if `positive` is not set.
Kernel MurmurHash3(const KernelInit& node) {
  const auto seed = static_cast<uint32_t>(node.Int("seed"));
  const DType dtype = node.Flag("positive") ? DType::kUint32 : DType::kInt32;
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(dtype, x.shape()));
    auto* out = y.mutable_data<uint32_t>();
    const bool is_string = x.dtype() == DType::kString;
    const size_t size = is_string ? 0 : static_cast<size_t>(BitWidth(x.dtype())) / 8;
    const char* bytes = is_string ? nullptr : x.data<char>();
    ctx.pool().ParallelRanges(x.num_elements(), 8192, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = Hash(is_string ? absl::string_view(x.string_data()[i])
                                : absl::string_view(bytes + static_cast<size_t>(i) * size, size),
                      seed);
      }
    });
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribMurmurHash3(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MurmurHash3", {1}, MurmurHash3);
}

}  // namespace onnxcmp
