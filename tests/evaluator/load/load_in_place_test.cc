// Weights stay in the file that they are in, wherever they lie there.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/model_proto.h"
#include "evaluator/load/read_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectSameBits;
using testing::Registry;
using testing::TestFolder;

constexpr int64_t kElements = 4096;

std::vector<float> Numbers() {
  std::vector<float> numbers(kElements);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  return numbers;
}

Tensor NumbersTensor() { return Tensor::Of<float>({kElements}, Numbers()); }

void SetNumbers(const std::string& name, onnx::TensorProto* tensor) {
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->add_dims(kElements);
  const std::vector<float> numbers = Numbers();
  tensor->set_raw_data(numbers.data(), numbers.size() * sizeof(float));
}

// y = x + w + c, the sum with the constant c in a function. A producer's name of each length from 1
// to 4 puts w at every address modulo 4.
onnx::ModelProto GivenModel(int name_length) {
  auto model = ReadModelText(R"(
    <ir_version: 10, opset_import: ["" : 21, "acme" : 1]>
    g (float[4096] x) => (float[4096] y) { t = Add (x, w)  y = acme.more (t) }
    <domain: "acme", opset_import: ["" : 21]>
    more (a) => (b) { c = Constant <value = float {1}> ()  b = Add (a, c) }
  )",
                             64);
  EXPECT_TRUE(model.ok()) << model.status();
  (*model)->set_producer_name(std::string(static_cast<size_t>(name_length), 'p'));
  SetNumbers("w", (*model)->mutable_graph()->add_initializer());
  onnx::TensorProto* value =
      (*model)->mutable_functions(0)->mutable_node(0)->mutable_attribute(0)->mutable_t();
  value->Clear();
  SetNumbers("", value);
  return **model;
}

const Tensor& Weights(const Model& model) { return model.graph.initializers[0].value.tensor(); }

// True if the system says that a file is mapped there.
bool IsInMapping(const void* data, const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
    const auto at = reinterpret_cast<uintptr_t>(data);
    if (at >= begin && at < end) {
      return absl::EndsWith(line, std::filesystem::canonical(path).string());
    }
  }
  return false;
}

TEST(LoadInPlaceTest, WeightsStayInTheFileIfTheyAreAligned) {
  const TestFolder folder;
  int in_place = 0;
  for (int length = 1; length <= 4; ++length) {
    const std::string path =
        folder.Write(absl::StrCat("m", length, ".onnx"), GivenModel(length).SerializeAsString());
    for (const Functions functions : {Functions::kInline, Functions::kKeep}) {
      LoadOptions options;
      options.functions = functions;
      const testing::LoadedModel model = LoadModel(path, Registry(), options);
      ASSERT_TRUE(model.ok()) << model.status();
      EXPECT_EQ(absl::StrJoin((*model)->notes, "; "), "");
      const Tensor& weights = Weights(**model);
      EXPECT_TRUE(weights.buffer()->borrowed());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(weights.raw_data()) % sizeof(float), 0U);
      if (IsInMapping(weights.raw_data(), path)) ++in_place;
      ExpectSameBits(weights, NumbersTensor());

      const auto evaluator = Evaluator::Create(*model, Registry());
      ASSERT_TRUE(evaluator.ok()) << evaluator.status();
      Feeds feeds;
      feeds["x"] = NumbersTensor();
      const auto outputs = evaluator->Run(feeds);
      ASSERT_TRUE(outputs.ok()) << outputs.status();
      EXPECT_EQ((*outputs)[0].tensor().data<float>()[kElements - 1], 3.0F * kElements);
    }
  }
  EXPECT_EQ(in_place, 2);  // one of four addresses, with functions inlined and kept
}

TEST(LoadInPlaceTest, TheFileMayGo) {
  const TestFolder folder;
  for (int length = 1; length <= 4; ++length) {
    const std::string path = folder.Write("m.onnx", GivenModel(length).SerializeAsString());
    const testing::LoadedModel model = LoadModel(path, Registry());
    ASSERT_TRUE(model.ok()) << model.status();
    std::filesystem::remove(path);
    ExpectSameBits(Weights(**model), NumbersTensor());
  }
}

TEST(LoadInPlaceTest, MessagesHaveWholeTensors) {
  const TestFolder folder;
  const std::string path = folder.Write("m.onnx", GivenModel(2).SerializeAsString());
  const testing::LoadedModel model = LoadModel(path, Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  onnx::ModelProto written;
  ASSERT_TRUE(ModelToProto(**model, &written).ok());
  EXPECT_EQ(written.graph().initializer(0).raw_data().size(), kElements * sizeof(float));
  const auto read = LoadModelProto(path, Registry());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ((*read)->graph().initializer(0).raw_data(),
            GivenModel(2).graph().initializer(0).raw_data());
}

// A fault of a model is reported in the same words.
TEST(LoadInPlaceTest, ErrorsAreThoseOfTheWhole) {
  const TestFolder folder;
  onnx::ModelProto short_one = GivenModel(1);
  short_one.mutable_graph()->mutable_initializer(0)->mutable_raw_data()->resize(8000);
  onnx::ModelProto strings = GivenModel(1);
  strings.mutable_graph()->mutable_initializer(0)->set_data_type(onnx::TensorProto::STRING);
  onnx::ModelProto twice = GivenModel(1);
  twice.mutable_graph()->mutable_initializer(0)->add_float_data(1);
  const std::string bytes = GivenModel(1).SerializeAsString();
  for (const std::string& wrong : {short_one.SerializeAsString(), strings.SerializeAsString(),
                                   twice.SerializeAsString(), bytes.substr(0, bytes.size() - 3)}) {
    const std::string path = folder.Write("m.onnx", wrong);
    const absl::Status in_place = LoadModel(path, Registry()).status();
    const absl::Status plain = LoadModelFromBytes(wrong, Registry()).status();
    EXPECT_FALSE(plain.ok());
    EXPECT_EQ(in_place.code(), plain.code());
    EXPECT_EQ(in_place.message(), absl::StrCat(path, ": ", plain.message()));
  }
}

}  // namespace
}  // namespace onnxcmp
