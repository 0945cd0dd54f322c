#include "evaluator/protos/tensor_proto.h"

#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::ExpectSameBits;

onnx::TensorProto Proto(int data_type, std::initializer_list<int64_t> dims) {
  onnx::TensorProto proto;
  proto.set_name("t");
  proto.set_data_type(data_type);
  for (int64_t dim : dims) proto.add_dims(dim);
  return proto;
}

std::string Bytes(std::initializer_list<int> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

// The bytes of a packed or one-byte tensor.
std::vector<int> StoredBytes(const absl::StatusOr<Tensor>& tensor) {
  if (!tensor.ok()) {
    ADD_FAILURE() << tensor.status();
    return {};
  }
  const auto* bytes = tensor->data<uint8_t>();
  return std::vector<int>(bytes, bytes + tensor->byte_size());
}

void ExpectInvalid(const onnx::TensorProto& proto, const std::string& part) {
  ExpectError(TensorFromProto(proto).status(), absl::StatusCode::kInvalidArgument, part);
}

TEST(TensorFromProtoTest, BorrowsRawBytesThatSomebodyKeeps) {
  auto proto = std::make_shared<onnx::TensorProto>(Proto(onnx::TensorProto::FLOAT, {2, 512}));
  std::vector<float> values(1024, -2.0f);
  values[0] = 1.5f;
  proto->set_raw_data(values.data(), values.size() * sizeof(float));
  absl::StatusOr<Tensor> borrowed = TensorFromProto(*proto, proto);
  ExpectSameBits(borrowed, Tensor::Of<float>({2, 512}, values));
  EXPECT_EQ(static_cast<const void*>(borrowed->raw_data()), proto->raw_data().data());
  absl::StatusOr<Tensor> copied = TensorFromProto(*proto);
  ExpectSameBits(copied, *borrowed);
  EXPECT_NE(static_cast<const void*>(copied->raw_data()), proto->raw_data().data());
}

TEST(TensorFromProtoTest, BorrowsFieldsThatAreStoredAsTheTensorIs) {
  auto proto = std::make_shared<onnx::TensorProto>(Proto(onnx::TensorProto::INT64, {512}));
  std::vector<int64_t> values(512);
  std::iota(values.begin(), values.end(), 0);
  proto->mutable_int64_data()->Add(values.begin(), values.end());
  absl::StatusOr<Tensor> tensor = TensorFromProto(*proto, proto);
  ExpectSameBits(tensor, Tensor::Of<int64_t>({512}, values));
  EXPECT_EQ(static_cast<const void*>(tensor->raw_data()), proto->int64_data().data());
}

TEST(TensorFromProtoTest, KeepsNoMessageForAFewBytes) {
  auto proto = std::make_shared<onnx::TensorProto>(Proto(onnx::TensorProto::FLOAT, {2}));
  const float values[] = {1.5f, -2.0f};
  proto->set_raw_data(values, sizeof(values));
  absl::StatusOr<Tensor> tensor = TensorFromProto(*proto, proto);
  EXPECT_EQ(proto.use_count(), 1);
  proto.reset();
  ExpectSameBits(tensor, Tensor::Of<float>({2}, {1.5f, -2.0f}));
}

TEST(TensorFromProtoTest, ReadsTypedFields) {
  onnx::TensorProto proto = Proto(onnx::TensorProto::COMPLEX64, {2});
  for (float value : {1.0f, 2.0f, 3.0f, -4.0f}) proto.add_float_data(value);
  ExpectSameBits(TensorFromProto(proto), Tensor::Of<std::complex<float>>({2}, {{1, 2}, {3, -4}}));

  proto = Proto(onnx::TensorProto::COMPLEX128, {1});
  for (double value : {1.0, -2.0}) proto.add_double_data(value);
  ExpectSameBits(TensorFromProto(proto), Tensor::Of<std::complex<double>>({1}, {{1, -2}}));

  proto = Proto(onnx::TensorProto::UINT64, {1});
  proto.add_uint64_data(std::numeric_limits<uint64_t>::max());
  ExpectSameBits(TensorFromProto(proto),
                 Tensor::Of<uint64_t>({1}, {std::numeric_limits<uint64_t>::max()}));

  proto = Proto(onnx::TensorProto::UINT32, {1});
  proto.add_uint64_data(0xffffffffu);
  ExpectSameBits(TensorFromProto(proto), Tensor::Of<uint32_t>({1}, {0xffffffffu}));

  proto = Proto(onnx::TensorProto::INT8, {3});
  for (int32_t value : {-128, 127, -1}) proto.add_int32_data(value);
  ExpectSameBits(TensorFromProto(proto), Tensor::Of<int8_t>({3}, {-128, 127, -1}));

  proto = Proto(onnx::TensorProto::BOOL, {3});
  for (int32_t value : {0, 1, 2}) proto.add_int32_data(value);
  ExpectSameBits(TensorFromProto(proto), Tensor::Of<bool>({3}, {false, true, true}));

  proto = Proto(onnx::TensorProto::FLOAT16, {2});
  for (int32_t bits : {0x3c00, 0xc000}) proto.add_int32_data(bits);
  ExpectSameBits(TensorFromProto(proto),
                 Tensor::Of<Eigen::half>({2}, {Eigen::half(1.0f), Eigen::half(-2.0f)}));

  proto = Proto(onnx::TensorProto::FLOAT8E5M2, {2});
  for (int32_t bits : {0x3c, 0xc0}) proto.add_int32_data(bits);
  EXPECT_EQ(StoredBytes(TensorFromProto(proto)), (std::vector<int>{0x3c, 0xc0}));

  proto = Proto(onnx::TensorProto::STRING, {2});
  proto.add_string_data("a");
  proto.add_string_data(std::string("\0b", 2));
  ExpectSameBits(TensorFromProto(proto),
                 Tensor::Of<std::string>({2}, {"a", std::string("\0b", 2)}));
}

TEST(TensorFromProtoTest, ReadsScalarsAndEmptyTensors) {
  onnx::TensorProto proto = Proto(onnx::TensorProto::DOUBLE, {});
  proto.add_double_data(0.5);
  ExpectSameBits(TensorFromProto(proto), Tensor::Scalar(0.5));
  ExpectSameBits(TensorFromProto(Proto(onnx::TensorProto::FLOAT, {2, 0})),
                 Tensor::Of<float>({2, 0}, {}));
  proto = Proto(onnx::TensorProto::INT32, {0});
  proto.set_raw_data("");
  ExpectSameBits(TensorFromProto(proto), Tensor::Of<int32_t>({0}, {}));
}

TEST(TensorFromProtoTest, KeepsPackedElementsAndClearsWhatIsBehindThem) {
  onnx::TensorProto proto = Proto(onnx::TensorProto::UINT4, {3});
  proto.set_raw_data(Bytes({0x21, 0xf3}));
  EXPECT_EQ(StoredBytes(TensorFromProto(proto)), (std::vector<int>{0x21, 0x03}));
  proto = Proto(onnx::TensorProto::INT2, {5});
  proto.set_raw_data(Bytes({0xe4, 0xff}));
  EXPECT_EQ(StoredBytes(TensorFromProto(proto)), (std::vector<int>{0xe4, 0x03}));
  // A value of int32_data is one byte of the packed tensor (onnx.proto).
  proto = Proto(onnx::TensorProto::INT4, {3});
  proto.add_int32_data(0x21);
  proto.add_int32_data(0xf3);
  EXPECT_EQ(StoredBytes(TensorFromProto(proto)), (std::vector<int>{0x21, 0x03}));
  // One of 6 bits crosses from byte to byte, and has a value of int32_data of its own.
  const auto float6 = static_cast<onnx::TensorProto::DataType>(DType::kFloat6E3M2);
  proto = Proto(float6, {3});
  proto.set_raw_data(Bytes({0xc8, 0x17, 0xfe}));
  EXPECT_EQ(StoredBytes(TensorFromProto(proto)), (std::vector<int>{0xc8, 0x17, 0x02}));
  proto = Proto(float6, {3});
  for (const int value : {0x08, 0x1f, 0x21}) proto.add_int32_data(value);
  EXPECT_EQ(StoredBytes(TensorFromProto(proto)), (std::vector<int>{0xc8, 0x17, 0x02}));
  proto.set_int32_data(2, 64);
  ExpectError(TensorFromProto(proto).status(), absl::StatusCode::kInvalidArgument,
              "its value 64 does not fit into float6e3m2");
  // Or four of them (ONNX's checker).
  proto = Proto(onnx::TensorProto::FLOAT4E2M1, {5});
  proto.add_int32_data(0x00754321);
  EXPECT_EQ(StoredBytes(TensorFromProto(proto)), (std::vector<int>{0x21, 0x43, 0x05}));
}

TEST(TensorFromProtoTest, MakesBoolsOfAnyBytes) {
  auto proto = std::make_shared<onnx::TensorProto>(Proto(onnx::TensorProto::BOOL, {3}));
  proto->set_raw_data(Bytes({0, 1, 255}));
  EXPECT_EQ(StoredBytes(TensorFromProto(*proto, proto)), (std::vector<int>{0, 1, 1}));
}

TEST(TensorFromProtoTest, CopiesBytesThatAreNotAligned) {
  testing::TestFolder folder;
  std::string bytes = Bytes({9}) + std::string(4, '\0');
  const float value = 2.5f;
  std::memcpy(bytes.data() + 1, &value, sizeof(value));
  folder.Write("data", bytes);
  onnx::TensorProto proto = Proto(onnx::TensorProto::FLOAT, {1});
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  auto* entry = proto.add_external_data();
  entry->set_key("location");
  entry->set_value("data");
  entry = proto.add_external_data();
  entry->set_key("offset");
  entry->set_value("1");
  ExternalData external(folder.Path(""));
  ExpectSameBits(TensorFromProto(proto, nullptr, &external), Tensor::Of<float>({1}, {2.5f}));
}

TEST(TensorFromProtoTest, RefusesShapesThatAreNone) {
  ExpectInvalid(Proto(onnx::TensorProto::FLOAT, {2, -1}),
                "tensor 't': its shape [2,-1] has a negative dimension");
  ExpectInvalid(Proto(onnx::TensorProto::FLOAT, {int64_t{1} << 40, int64_t{1} << 40}),
                "is too large");
  // The number of elements fits, that of their bytes does not.
  ExpectInvalid(Proto(onnx::TensorProto::DOUBLE, {int64_t{1} << 62}), "is too large");
  ExpectInvalid(Proto(onnx::TensorProto::FLOAT, {0, int64_t{1} << 40, int64_t{1} << 40}),
                "is too large");
}

TEST(TensorFromProtoTest, RefusesTypesThatAreNone) {
  ExpectInvalid(Proto(0, {1}), "it has no element type");
  ExpectInvalid(Proto(99, {1}), "element type 99 is unknown");
  ExpectInvalid(Proto(-1, {1}), "element type -1 is unknown");
}

TEST(TensorFromProtoTest, SaysBothSizesWhenTheyDiffer) {
  onnx::TensorProto proto = Proto(onnx::TensorProto::FLOAT, {2, 3});
  proto.set_raw_data(std::string(20, 'x'));
  ExpectInvalid(proto, "it holds 20 bytes where float[2,3] needs 24");
  proto.clear_raw_data();
  ExpectInvalid(proto, "it holds 0 values where float[2,3] needs 6");
  proto.add_float_data(1);
  ExpectInvalid(proto, "it holds 1 values where float[2,3] needs 6");
  proto = Proto(onnx::TensorProto::STRING, {1'000'000'000'000});
  ExpectInvalid(proto, "it holds 0 values");
  proto.set_raw_data("abc");
  ExpectInvalid(proto, "it holds 0 values");
  proto = Proto(onnx::TensorProto::UINT4, {int64_t{1} << 62});
  proto.add_int32_data(1);
  ExpectInvalid(proto, "it holds 1 values");
}

TEST(TensorFromProtoTest, RefusesDataThatContradict) {
  onnx::TensorProto proto = Proto(onnx::TensorProto::FLOAT, {1});
  proto.set_raw_data(std::string(4, '\0'));
  proto.add_float_data(1);
  ExpectInvalid(proto, "more than once");
  proto = Proto(onnx::TensorProto::UINT8, {1});
  proto.add_int32_data(256);
  ExpectInvalid(proto, "its value 256 does not fit into uint8");
  proto = Proto(onnx::TensorProto::FLOAT, {1});
  proto.mutable_segment()->set_begin(0);
  ExpectError(TensorFromProto(proto).status(), absl::StatusCode::kUnimplemented, "segments");
}

TEST(TensorProtoTest, EveryTypeSurvivesARoundTrip) {
  for (int data_type = 1; data_type < kNumDTypes; ++data_type) {
    auto dtype = static_cast<DType>(data_type);
    absl::StatusOr<Tensor> tensor = Tensor::Allocate(dtype, {3, 5});
    ASSERT_TRUE(tensor.ok());
    if (dtype == DType::kString) {
      for (int i = 0; i < 15; ++i) tensor->mutable_string_data()[i] = std::string(i, 'x');
    } else {
      auto* bytes = tensor->mutable_data<uint8_t>();
      for (int64_t i = 0; i < tensor->byte_size(); ++i) {
        bytes[i] = static_cast<uint8_t>(dtype == DType::kBool ? i % 2 : i * 37 + 1);
      }
      if (IsSubByte(dtype)) bytes[tensor->byte_size() - 1] = 1;
    }
    onnx::TensorProto proto;
    ASSERT_TRUE(TensorToProto(*tensor, "name", &proto).ok());
    EXPECT_EQ(proto.name(), "name");
    ExpectSameBits(TensorFromProto(proto), *tensor);
  }
}

// A kernel leaves them as it finds them.
TEST(TensorProtoTest, ClearsBitsBehindPackedElements) {
  auto tensor = Tensor::Allocate(DType::kInt4, {3});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  std::memset(tensor->mutable_raw_data(), 0xFF, 2);
  onnx::TensorProto proto;
  ASSERT_TRUE(TensorToProto(*tensor, "t", &proto).ok());
  EXPECT_EQ(proto.raw_data(), "\xFF\x0F");
}

TEST(TensorProtoTest, WritesViewsInRowMajorOrder) {
  Tensor tensor = Tensor::Of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  onnx::TensorProto proto;
  ASSERT_TRUE(TensorToProto(tensor.Strided({3, 2}, {1, 3}, 0), "t", &proto).ok());
  ExpectSameBits(TensorFromProto(proto), Tensor::Of<int32_t>({3, 2}, {1, 4, 2, 5, 3, 6}));
}

onnx::SparseTensorProto Sparse(std::initializer_list<int64_t> dims,
                               std::initializer_list<int64_t> index_dims,
                               std::initializer_list<int64_t> indices) {
  onnx::SparseTensorProto sparse;
  for (int64_t dim : dims) sparse.add_dims(dim);
  *sparse.mutable_values() = Proto(onnx::TensorProto::FLOAT, {2});
  sparse.mutable_values()->add_float_data(5);
  sparse.mutable_values()->add_float_data(6);
  *sparse.mutable_indices() = Proto(onnx::TensorProto::INT64, index_dims);
  for (int64_t index : indices) sparse.mutable_indices()->add_int64_data(index);
  return sparse;
}

TEST(SparseTensorFromProtoTest, ReadsLinearIndicesAndCoordinates) {
  absl::StatusOr<SparseTensor> linear = SparseTensorFromProto(Sparse({2, 3}, {2}, {1, 5}));
  ASSERT_TRUE(linear.ok()) << linear.status();
  EXPECT_EQ(linear->dims, (Shape{2, 3}));
  ExpectSameBits(linear->indices, Tensor::Of<int64_t>({2}, {1, 5}));
  ExpectSameBits(linear->values, Tensor::Of<float>({2}, {5, 6}));
  EXPECT_TRUE(SparseTensorFromProto(Sparse({2, 3}, {2, 2}, {0, 1, 1, 2})).ok());
}

TEST(SparseTensorFromProtoTest, RefusesIndicesThatDoNotFit) {
  auto expect_invalid = [](const onnx::SparseTensorProto& sparse, const std::string& part) {
    ExpectError(SparseTensorFromProto(sparse).status(), absl::StatusCode::kInvalidArgument, part);
  };
  expect_invalid(Sparse({2, 3}, {2}, {1, 6}), "its index 6 is out of range for 6");
  expect_invalid(Sparse({2, 3}, {2}, {-1, 5}), "its index -1 is out of range");
  expect_invalid(Sparse({2, 3}, {2, 2}, {0, 3, 1, 2}), "its index 3 is out of range for 3");
  expect_invalid(Sparse({2, 3}, {3}, {0, 1, 2}), "do not fit together");
  expect_invalid(Sparse({2, 3}, {2, 1}, {0, 1}), "do not fit together");
  expect_invalid(Sparse({2, -3}, {2}, {0, 1}), "negative");
  expect_invalid(Sparse({}, {2}, {0, 1}), "out of range for 1");
  onnx::SparseTensorProto no_indices = Sparse({2}, {2}, {0, 1});
  no_indices.clear_indices();
  expect_invalid(no_indices, "do not fit together");
}

}  // namespace
}  // namespace onnxcmp
