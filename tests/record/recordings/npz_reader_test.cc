// The archives were made by NumPy: testdata/npz/make_npz.py.
#include "record/recordings/npz_reader.h"

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::ExpectSameBits;

absl::StatusOr<NpyArray> ReadFrom(const std::string& file, const std::string& name) {
  auto reader = NpzReader::Open(TestData("npz/" + file));
  if (!reader.ok()) {
    return reader.status();
  }
  const auto index = reader->Find(name);
  if (!index.has_value()) {
    return absl::NotFoundError(name);
  }
  return reader->ReadArray(*index);
}

absl::StatusOr<Tensor> Kind(const std::string& name) {
  auto array = ReadFrom("kinds.npz", name);
  if (!array.ok()) {
    return array.status();
  }
  return array->tensor;
}

TEST(NpzReaderTest, ReadsAllKinds) {
  const Tensor floats = Tensor::Of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  ExpectSameBits(Kind("float32"), floats);
  ExpectSameBits(Kind("big_endian"), floats);
  ExpectSameBits(Kind("big_complex"), Tensor::Of<std::complex<float>>({2}, {{1, 2}, {3, -4}}));
  ExpectSameBits(Kind("float16"),
                 testing::Convert(Tensor::Of<float>({2}, {0.5f, -2}), DType::kFloat16));
  ExpectSameBits(Kind("bool"), Tensor::Of<bool>({2}, {true, false}));
  ExpectSameBits(Kind("scalar"), Tensor::Scalar<int64_t>(7));
  ExpectSameBits(Kind("empty"), Tensor::Of<uint8_t>({0, 3}, {}));
  ExpectSameBits(Kind("unicode"), Tensor::Of<std::string>({3}, {"a", "", "äö€😀"}));
  ExpectSameBits(Kind("big_unicode"), Tensor::Of<std::string>({2}, {"ab", "c"}));
  ExpectSameBits(Kind("bytes"), Tensor::Of<std::string>({2}, {"xy", "z"}));
  ExpectSameBits(Kind("a/b.c:0"), Tensor::Of<int8_t>({1}, {1}));
  ExpectSameBits(Kind("../up"), Tensor::Of<int8_t>({1}, {2}));
}

TEST(NpzReaderTest, ColumnMajorArraysAreViews) {
  const absl::StatusOr<Tensor> fortran = Kind("fortran");
  ASSERT_TRUE(fortran.ok()) << fortran.status();
  EXPECT_FALSE(fortran->is_contiguous());
  ExpectSameBits(fortran->Contiguous(), Tensor::Of<float>({2, 3}, {0, 1, 2, 3, 4, 5}));
}

TEST(NpzReaderTest, BytesWithoutATypeTakeOne) {
  const auto array = ReadFrom("kinds.npz", "void2");
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_TRUE(array->opaque);
  const auto typed = RestoreDType(array->tensor, DType::kBfloat16);
  ASSERT_TRUE(typed.ok()) << typed.status();
  testing::ExpectTensor(typed, testing::Convert(Tensor::Of<float>({2}, {1, 2}), DType::kBfloat16));
  ExpectError(RestoreDType(array->tensor, DType::kFloat).status(),
              absl::StatusCode::kInvalidArgument, "cannot hold the bits of float32");
}

TEST(NpzReaderTest, ReadsZip64AndVersion3) {
  auto array = ReadFrom("zip64.npz", "x");
  ASSERT_TRUE(array.ok()) << array.status();
  ExpectSameBits(array->tensor, Tensor::Of<float>({2, 3}, {0, 1, 2, 3, 4, 5}));
  array = ReadFrom("version3.npz", "x");
  ASSERT_TRUE(array.ok()) << array.status();
  ExpectSameBits(array->tensor, Tensor::Of<int16_t>({1}, {5}));
}

TEST(NpzReaderTest, KeepsTheMemoryLimit) {
  const auto reader = NpzReader::Open(TestData("npz/version3.npz"), 1);
  ASSERT_TRUE(reader.ok()) << reader.status();
  ExpectError(reader->ReadArray(0).status(), absl::StatusCode::kResourceExhausted,
              "takes 2 bytes, more than the limit of 1");
}

TEST(NpzReaderTest, SaysWhatItCannotRead) {
  using absl::StatusCode;
  const auto status = [](const std::string& file) { return ReadFrom(file, "x").status(); };
  ExpectError(status("objects.npz"), StatusCode::kUnimplemented, "Python objects");
  ExpectError(status("records.npz"), StatusCode::kUnimplemented, "records");
  ExpectError(status("dates.npz"), StatusCode::kUnimplemented, "'M");
  ExpectError(status("bad_short.npz"), StatusCode::kInvalidArgument, "does not take 20 bytes");
  ExpectError(status("bad_long.npz"), StatusCode::kInvalidArgument, "does not take 28 bytes");
  ExpectError(status("bad_overflow.npz"), StatusCode::kInvalidArgument, "does not take 0 bytes");
  ExpectError(status("bad_negative.npz"), StatusCode::kInvalidArgument, "malformed");
  ExpectError(status("bad_strings.npz"), StatusCode::kResourceExhausted, "1000000000000 strings");
  ExpectError(status("bad_header.npz"), StatusCode::kInvalidArgument, "fortran_order");
  ExpectError(status("bad_magic.npz"), StatusCode::kInvalidArgument, "not a NumPy array");
  ExpectError(status("bomb.npz"), StatusCode::kInvalidArgument, "cannot hold 1099511627776 bytes");
  ExpectError(status("bad_checksum.npz"), StatusCode::kInvalidArgument, "damaged");
  ExpectError(status("truncated.npz"), StatusCode::kInvalidArgument, "truncated.npz");
  ExpectError(status("make_npz.py"), StatusCode::kInvalidArgument, "make_npz.py");
  ExpectError(status("missing.npz"), StatusCode::kNotFound, "missing.npz");
}

}  // namespace
}  // namespace onnxcmp
