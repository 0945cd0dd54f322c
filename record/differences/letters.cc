#include "record/differences/letters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "record/differences/element_reader.h"
#include "record/differences/lanes/lanes.h"

namespace onnxcmp {
namespace {

// NumPy's pairwise sum: a leaf has at most this many elements, summed in eight strands.
constexpr int64_t kLeaf = 128;
constexpr int64_t kStrands = 8;
// Tensors of this many elements are worth waking other threads for.
constexpr int64_t kParallelElements = int64_t{1} << 18;

template <typename T>
double SumLeaf(const T* p, int64_t n) {
  double sum = 0;
  int64_t i = 0;
  if (n >= kStrands) {
    lanes::Doubles low = {};
    lanes::Doubles high = {};
    for (; i + kStrands <= n; i += kStrands) {
      low += lanes::Load(p + i);
      high += lanes::Load(p + i + lanes::kLanes);
    }
    sum = lanes::Sum(low) + lanes::Sum(high);
  }
  for (; i < n; ++i) {
    sum += static_cast<double>(p[i]);
  }
  return sum;
}

// Calls leaf(begin, count) for the pieces of [begin, begin + n) and adds the results in NumPy's
// order.
template <typename Leaf>
double PairwiseSum(int64_t begin, int64_t n, const Leaf& leaf) {
  if (n <= kLeaf) {
    return leaf(begin, n);
  }
  const int64_t half = n / 2 / kStrands * kStrands;
  const double left = PairwiseSum(begin, half, leaf);
  return left + PairwiseSum(begin + half, n - half, leaf);
}

// A leaf of elements that are contiguous and of a type that is summed directly.
template <typename T>
double SumStored(const T* data, int64_t size, int64_t begin, int64_t n) {
  return PairwiseSum(begin, n, [=](int64_t first, int64_t count) {
    if (first + count <= size) {
      return SumLeaf(data + first, count);
    }
    // Zeros pad the end.
    std::array<T, kLeaf> padded = {};
    std::copy(data + std::min(first, size), data + size, padded.begin());
    return SumLeaf(padded.data(), count);
  });
}

// A leaf of any other elements, which are loaded first. T: float or double, whichever represents
// them exactly.
template <typename T>
double SumLoaded(const ElementReader& reader, int64_t size, int64_t begin, int64_t n) {
  return PairwiseSum(begin, n, [&](int64_t first, int64_t count) {
    std::array<T, kLeaf> loaded;
    const int64_t present = std::clamp<int64_t>(size - first, 0, count);
    reader.Read<T>(first, present, loaded.data());
    std::fill(loaded.begin() + present, loaded.begin() + count, T{0});
    return SumLeaf(loaded.data(), count);
  });
}

}  // namespace

char LetterOf(double number) {
  if (!(std::abs(number) < 1e10)) {
    return '?';
  }
  const int64_t rest = static_cast<int64_t>(number) % 26;
  return static_cast<char>('A' + (rest < 0 ? rest + 26 : rest));
}

Letters LettersOf(const Value& value, const ThreadPool* pool) {
  if (!value.is_tensor() || !value.tensor().defined() || value.tensor().dtype() == DType::kString) {
    return kUnknownLetters;
  }
  const Tensor& tensor = value.tensor();
  const int64_t size = tensor.num_elements();
  const ElementReader reader(tensor);
  std::array<double, 4> numbers = {};
  if (size <= 4) {
    reader.Read<double>(0, size, numbers.data());
  } else {
    const int64_t run = size / 4 + (size % 4 != 0 ? 1 : 0);
    const auto sum = [&](int64_t part) {
      double& number = numbers[static_cast<size_t>(part)];
      if (tensor.is_contiguous() && tensor.dtype() == DType::kFloat) {
        number = SumStored(tensor.data<float>(), size, part * run, run);
      } else if (tensor.is_contiguous() && tensor.dtype() == DType::kDouble) {
        number = SumStored(tensor.data<double>(), size, part * run, run);
      } else if (FitsFloat(tensor.dtype())) {
        number = SumLoaded<float>(reader, size, part * run, run);
      } else {
        number = SumLoaded<double>(reader, size, part * run, run);
      }
    };
    if (pool != nullptr && size >= kParallelElements) {
      pool->ParallelFor(4, sum);
    } else {
      for (int64_t part = 0; part < 4; ++part) {
        sum(part);
      }
    }
  }
  Letters letters;
  std::transform(numbers.begin(), numbers.end(), letters.begin(), LetterOf);
  return letters;
}

}  // namespace onnxcmp
