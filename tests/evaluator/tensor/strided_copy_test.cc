#include "evaluator/tensor/strided_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

// A block of a larger buffer: its shape, and where the block's elements lie on both sides.
struct Layout {
  std::vector<int64_t> shape;
  std::vector<int64_t> src_strides;
  std::vector<int64_t> dst_strides;
  int64_t src_first = 0;
  int64_t src_size = 1;
  int64_t dst_size = 1;
};

// The axes of src are in any order, some backwards, with gaps or of stride 0; dst is row-major, and
// may have gaps.
Layout RandomLayout(std::mt19937& random, int64_t largest) {
  auto upto = [&random](int64_t n) { return static_cast<int64_t>(random() % n); };
  Layout layout;
  const size_t rank = static_cast<size_t>(upto(5));
  for (size_t i = 0; i < rank; ++i) layout.shape.push_back(upto(largest) + (upto(20) != 0 ? 1 : 0));
  layout.src_strides.resize(rank);
  layout.dst_strides.resize(rank);
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  for (size_t axis : order) {
    const int64_t kind = upto(8);
    if (kind == 0) continue;  // stride 0
    const int64_t stride = layout.src_size * (kind == 1 ? 2 : 1);
    const int64_t dim = std::max<int64_t>(layout.shape[axis], 1);
    layout.src_strides[axis] = kind == 2 ? -stride : stride;
    if (kind == 2) layout.src_first += stride * (dim - 1);
    layout.src_size = stride * dim;
  }
  const bool gaps = upto(3) == 0;
  for (size_t axis = rank; axis-- > 0;) {
    layout.dst_strides[axis] = layout.dst_size;
    layout.dst_size *= std::max<int64_t>(layout.shape[axis], 1) + (gaps ? upto(2) : 0);
  }
  return layout;
}

// Calls visit(source element, destination element) for each element of the block.
template <typename Visit>
void ForEach(const Layout& layout, Visit visit) {
  for (int64_t dim : layout.shape) {
    if (dim == 0) return;
  }
  std::vector<int64_t> index(layout.shape.size());
  while (true) {
    int64_t from = layout.src_first;
    int64_t to = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      from += index[i] * layout.src_strides[i];
      to += index[i] * layout.dst_strides[i];
    }
    visit(from, to);
    size_t axis = index.size();
    while (axis-- > 0) {
      if (++index[axis] < layout.shape[axis]) break;
      index[axis] = 0;
    }
    if (axis == static_cast<size_t>(-1)) return;
  }
}

void CheckBytes(const Layout& layout, int64_t size, const ThreadPool* pool, std::mt19937& random) {
  std::vector<std::byte> src(static_cast<size_t>(layout.src_size * size));
  for (std::byte& byte : src) byte = static_cast<std::byte>(random());
  std::vector<std::byte> want(static_cast<size_t>(layout.dst_size * size));
  std::vector<std::byte> got = want;
  ForEach(layout, [&](int64_t from, int64_t to) {
    std::copy_n(src.data() + from * size, size, want.data() + to * size);
  });
  CopyRegion(size, layout.shape, src.data() + layout.src_first * size, layout.src_strides,
             got.data(), layout.dst_strides, pool);
  EXPECT_TRUE(got == want) << "elements of " << size << " bytes, "
                           << ::testing::PrintToString(layout.shape) << " at strides "
                           << ::testing::PrintToString(layout.src_strides) << " to strides "
                           << ::testing::PrintToString(layout.dst_strides);
}

TEST(StridedCopyTest, MovesEveryElementOfEverySize) {
  std::mt19937 random(1);
  const ThreadPool pool(2);
  for (int i = 0; i < 600; ++i) {
    const Layout layout = RandomLayout(random, i % 20 == 0 ? 40 : 7);
    for (int64_t size : {1, 2, 4, 8, 16, 12}) {
      CheckBytes(layout, size, i % 2 == 0 ? nullptr : &pool, random);
    }
  }
}

TEST(StridedCopyTest, MovesStrings) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const Layout layout = RandomLayout(random, 7);
    std::vector<std::string> src(static_cast<size_t>(layout.src_size));
    for (size_t k = 0; k < src.size(); ++k) src[k] = "element number " + std::to_string(k);
    std::vector<std::string> want(static_cast<size_t>(layout.dst_size));
    std::vector<std::string> got = want;
    ForEach(layout, [&](int64_t from, int64_t to) {
      want[static_cast<size_t>(to)] = src[static_cast<size_t>(from)];
    });
    CopyRegion(layout.shape, src.data() + layout.src_first, layout.src_strides, got.data(),
               layout.dst_strides);
    EXPECT_EQ(got, want);
  }
}

// Shapes that are cut into pieces: each of the ways a plane is moved, and planes of few and of many
// rows.
TEST(StridedCopyTest, CutsLargeCopiesIntoPieces) {
  const std::vector<Layout> layouts = {
      {{700'000}, {1}, {1}, 0, 700'000, 700'000},
      {{700, 500}, {1, 700}, {500, 1}, 0, 350'000, 350'000},
      {{3, 333, 444}, {1, 1332, 3}, {333 * 444, 444, 1}, 0, 443'556, 443'556},
      {{5, 64, 300, 7}, {134'400, 7, 448, 1}, {134'400, 2100, 7, 1}, 0, 672'000, 672'000},
      {{600, 600}, {1, 0}, {600, 1}, 0, 600, 360'000},
      {{1000, 300}, {-600, 2}, {300, 1}, 599'400, 600'000, 300'000},
  };
  std::mt19937 random(3);
  const ThreadPool pool(2);
  for (const Layout& layout : layouts) {
    for (int64_t size : {1, 2, 4, 8}) CheckBytes(layout, size, &pool, random);
  }
}

TEST(StridedCopyTest, MakesAViewContiguous) {
  Tensor x = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  absl::StatusOr<Tensor> y = testing::AsStridedView(x).Contiguous();
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_TRUE(y->is_contiguous());
  testing::ExpectSameBits(y, x);
}

}  // namespace
}  // namespace onnxcmp
