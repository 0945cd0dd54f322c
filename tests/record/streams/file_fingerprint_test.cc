// Weights that lie in a file, at any address: the same fingerprint as of a copy in memory.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/shared_weights.h"
#include "evaluator/tensor/tensor.h"
#include "gtest/gtest.h"
#include "record/streams/fingerprint.h"
#include "record/streams/fingerprint_cache.h"
#include "record/streams/tensor_scan.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::TestFolder;

Tensor Floats(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = normal(generator);
  return Tensor::Of<float>({count}, values);
}

class FileFingerprintTest : public ::testing::Test {
 protected:
  // The same elements, which begin so many bytes after the file does.
  Tensor InFile(const Tensor& tensor, int64_t offset) {
    const std::string bytes(reinterpret_cast<const char*>(tensor.raw_data()),
                            static_cast<size_t>(tensor.byte_size()));
    const std::string path =
        folder_.Write(absl::StrCat("weights", files_++),
                      absl::StrCat(std::string(static_cast<size_t>(offset), 'x'), bytes));
    const auto file = weights_.Open(path);
    EXPECT_TRUE(file.ok()) << file.status();
    const auto width = static_cast<uintptr_t>(std::max(1, BitWidth(tensor.dtype()) / 8));
    auto buffer = weights_.Take({*file, offset, tensor.byte_size()}, width);
    EXPECT_TRUE(buffer.ok()) << buffer.status();
    const absl::StatusOr<Tensor> stored =
        Tensor::FromBuffer(tensor.dtype(), tensor.shape(), *std::move(buffer));
    EXPECT_TRUE(stored.ok()) << stored.status();
    return *stored;
  }

  static void ExpectSame(const Fingerprint& left, const Fingerprint& right) {
    EXPECT_EQ(left.content, right.content);
    EXPECT_EQ(left.bits, right.bits);
    EXPECT_EQ(left.elements, right.elements);
    EXPECT_EQ(left.rich, right.rich);
    EXPECT_EQ(left.finite, right.finite);
    EXPECT_EQ(left.has_sketch, right.has_sketch);
    EXPECT_EQ(left.numbers().plain.projections, right.numbers().plain.projections);
    EXPECT_EQ(left.numbers().squashed.projections, right.numbers().squashed.projections);
    EXPECT_EQ(left.numbers().moments, right.numbers().moments);
    EXPECT_EQ(left.numbers().statistics.deviation, right.numbers().statistics.deviation);
    EXPECT_EQ(left.numbers().statistics.nans, right.numbers().statistics.nans);
    EXPECT_EQ(left.numbers().statistics.infinities, right.numbers().statistics.infinities);
    EXPECT_EQ(left.numbers().letters, right.numbers().letters);
  }

  TestFolder folder_;
  SharedWeights weights_{2};
  int files_ = 0;
};

TEST_F(FileFingerprintTest, IsThatOfACopy) {
  const ThreadPool pool(2);
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kFloat16, DType::kBfloat16,
                            DType::kInt64, DType::kInt32, DType::kInt8, DType::kBool}) {
    const Tensor tensor = testing::Convert(Floats(200003, 1), dtype);
    for (const int64_t offset : {0, 1, 4099}) {
      const Tensor stored = InFile(tensor, offset);
      ASSERT_TRUE(TensorScan::ReadsFile(stored)) << DTypeName(dtype);
      ExpectSame(FingerprintOf(stored, {.pool = &pool}), FingerprintOf(tensor));
      EXPECT_EQ(ContentOf(stored), ContentOf(tensor));
      FingerprintCache cache;
      EXPECT_EQ(cache.Content(stored, &pool), ContentOf(tensor));
      ExpectSame(cache.Get(stored, &pool), FingerprintOf(tensor));
      ExpectSame(cache.Get(stored, &pool), FingerprintOf(tensor));
    }
  }
}

// More than is read at a time; what is not finite is at both ends and between.
TEST_F(FileFingerprintTest, OfManyBlocks) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const int64_t count = (int64_t{5} << 20) + 7;
  const Tensor finite = Floats(count, 2);
  ASSERT_TRUE(FingerprintOf(InFile(finite, 3)).finite);
  for (const int64_t place : {int64_t{0}, count / 2, count - 1}) {
    std::vector<float> values(finite.data<float>(), finite.data<float>() + count);
    values[static_cast<size_t>(place)] = place == 0 ? std::nanf("") : -kInf;
    const Tensor tensor = Tensor::Of<float>({count}, values);
    const ThreadPool pool(2);
    const Fingerprint fingerprint = FingerprintOf(InFile(tensor, 3), {.pool = &pool});
    EXPECT_FALSE(fingerprint.finite) << place;
    ExpectSame(fingerprint, FingerprintOf(tensor));
    EXPECT_NE(fingerprint.content, FingerprintOf(finite).content);
  }
}

// Views of it, of which some have to be copied.
TEST_F(FileFingerprintTest, OfViews) {
  const Tensor tensor = Floats(1 << 16, 3);
  const Tensor stored = InFile(tensor, 1);
  FingerprintCache cache;
  const auto check = [&](auto&& view) {
    ExpectSame(cache.Get(view(stored), nullptr), FingerprintOf(view(tensor)));
    EXPECT_EQ(cache.Content(view(stored), nullptr), ContentOf(view(tensor)));
  };
  check([](const Tensor& t) { return t.Reshaped({256, 256}); });
  check([](const Tensor& t) { return t.Strided({256, 256}, {1, 256}, 0); });
  check([](const Tensor& t) { return t.Strided({1000}, {1}, 77); });
  check([](const Tensor& t) { return t.Strided({500, 3}, {0, 1}, 5); });
}

// Also where packed elements end within a byte.
TEST_F(FileFingerprintTest, OfPackedElements) {
  const Tensor tensor = testing::Convert(Floats(300001, 4), DType::kInt4);
  const Tensor stored = InFile(tensor, 1);
  ASSERT_TRUE(stored.stored());
  EXPECT_FALSE(TensorScan::ReadsFile(stored));
  FingerprintCache cache;
  ExpectSame(cache.Get(stored, nullptr), FingerprintOf(tensor));
}

// Numbers are taken once, by whoever comes first, and after the weights are gone.
TEST_F(FileFingerprintTest, ManyAskForNumbers) {
  const Tensor tensor = Floats(200003, 5);
  Fingerprint fingerprint;
  {
    const Tensor stored = InFile(tensor, 1);
    fingerprint = FingerprintOf(stored, {.letters = false});
  }
  const Fingerprint copy = fingerprint;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&] { EXPECT_EQ(copy.numbers().moments, FingerprintOf(tensor).numbers().moments); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(&copy.numbers(), &fingerprint.numbers());
  EXPECT_EQ(copy.numbers().letters, kUnknownLetters);
  EXPECT_EQ(SketchDistance(copy, FingerprintOf(tensor)), 0);
}

}  // namespace
}  // namespace onnxcmp
