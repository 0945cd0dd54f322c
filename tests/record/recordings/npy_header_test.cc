#include "record/recordings/npy_header.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

TEST(ParseNpyHeaderTest, ReadsWhatNumPyWrites) {
  const auto header =
      ParseNpyHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }     \n");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->kind, 'f');
  EXPECT_EQ(header->count, 4);
  EXPECT_FALSE(header->big_endian);
  EXPECT_FALSE(header->fortran_order);
  EXPECT_EQ(header->shape, (Shape{2, 3}));
}

TEST(ParseNpyHeaderTest, TakesAnyOrderQuotesAndPython2) {
  const auto header = ParseNpyHeader("{\"shape\": (5L,), 'fortran_order':True,'descr': '>U12'}");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->kind, 'U');
  EXPECT_EQ(header->count, 12);
  EXPECT_TRUE(header->big_endian);
  EXPECT_TRUE(header->fortran_order);
  EXPECT_EQ(header->shape, (Shape{5}));
}

TEST(ParseNpyHeaderTest, RefusesTheRest) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }";
  ASSERT_TRUE(ParseNpyHeader(good).ok());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ParseNpyHeader(good.substr(0, size)).ok()) << size;
  }
  for (const char* bad :
       {"{'descr': '<f4', 'fortran_order': 1, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': 'f-4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} and more"}) {
    testing::ExpectError(ParseNpyHeader(bad).status(), absl::StatusCode::kInvalidArgument,
                         "malformed .npy header");
  }
}

// What numpy.lib.format.write_array_header_1_0 begins with, its length and its alignment.
TEST(NpyHeaderBytesTest, IsNumPys) {
  const std::string bytes = NpyHeaderBytes("<f4", std::vector<int64_t>{3});
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.size(), 128u);
  EXPECT_EQ(bytes.substr(10, 57), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(bytes.back(), '\n');
  const std::string long_shape = NpyHeaderBytes("<f4", std::vector<int64_t>(40000, 1));
  EXPECT_EQ(long_shape[6], 2);
  EXPECT_EQ(long_shape.size() % 64, 0u);
}

}  // namespace
}  // namespace onnxcmp
