#include "compare/sides/recording_side.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/protos/tensor_proto.h"
#include "feed/feeds.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Convert;
using ::onnxcmp::testing::ExpectSameBits;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Registry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The side of a path, with the values that each of its results has.
struct Recorded {
  std::unique_ptr<Side> side;
  ResultStream stream;
  std::vector<Value> values;
};

std::vector<std::string> Lines(const ResultStream& stream) {
  std::vector<std::string> lines;
  for (const StreamResult& r : stream.results) {
    lines.push_back(absl::StrCat(ResultKindName(r.kind), r.path.empty() ? " " : " " + r.path + ":",
                                 r.name, r.op_type.empty() ? "" : " by " + r.op_type,
                                 r.source == kNone ? "" : absl::StrCat(" of ", r.source)));
  }
  return lines;
}

class RecordingSideTest : public ::testing::Test {
 protected:
  std::unique_ptr<Side> Open(const std::string& path) {
    auto side = OpenSide(path, Registry());
    EXPECT_TRUE(side.ok()) << side.status();
    return side.ok() ? *std::move(side) : nullptr;
  }
  Recorded Record(const std::string& path, const RecordOptions& options = {}) {
    Recorded recorded;
    recorded.side = Open(path);
    if (recorded.side == nullptr) return recorded;
    EXPECT_EQ(recorded.side->evaluator(), nullptr);
    recorded.stream =
        recorded.side->Record(options, [&](int number, const StreamResult&, const Value& value) {
          EXPECT_EQ(number, static_cast<int>(recorded.values.size()));
          recorded.values.push_back(value);
          return absl::OkStatus();
        });
    EXPECT_TRUE(recorded.side->summary().status.ok()) << recorded.side->summary().status;
    return recorded;
  }
  // A side of a model given as text.
  std::unique_ptr<ModelSide> ModelOf(const char* text, const Feeds& feeds) {
    auto side = ModelSide::Open(folder_.Write("m.onnxtxt", text), Registry());
    EXPECT_TRUE(side.ok()) << side.status();
    (*side)->SetFeeds(feeds);
    return *std::move(side);
  }
  // Runs a model and keeps everything as `onnxcmp run --save-all` does.
  std::string Save(const ModelSide& model) {
    const std::string path = folder_.Path("r.npz");
    auto writer = RecordingWriter::Create(path, /*outputs_only=*/false);
    EXPECT_TRUE(writer.ok()) << writer.status();
    EXPECT_TRUE(model.evaluator()->Run(*model.feeds(), writer->get()).ok());
    EXPECT_TRUE((*writer)->Finish().ok());
    return path;
  }
  // A folder of arrays.
  std::string Arrays(const std::vector<std::pair<std::string, Tensor>>& arrays) {
    for (const auto& [name, tensor] : arrays) {
      std::filesystem::create_directory(folder_.Path("arrays"));
      folder_.Write(absl::StrCat("arrays/", name, ".npy"), testing::NpyOf(tensor));
    }
    return folder_.Path("arrays");
  }
  Comparison CompareSides(Side& left, Side& right) {
    CompareOptions options;
    options.threads = 1;
    auto comparison = Compare(left, right, options);
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return comparison.ok() ? *std::move(comparison) : Comparison();
  }

  testing::TestFolder folder_;
};

Feeds ModelFeeds() { return {{"x", RandomFloats({4, 6}, 1)}, {"w", RandomFloats({6, 4}, 2)}}; }
constexpr char kModel[] = R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[4, 6] x, float[6, 4] w) => (float[6, 4] z) {
      [first] y = MatMul(x, w)
      [second] r = Relu(y)
      [third] t = Transpose(x)
      [fourth] z = MatMul(t, r)
    })";

TEST_F(RecordingSideTest, CausesAreFoundOnEitherSide) {
  const auto model = ModelOf(kModel, ModelFeeds());
  const auto recorded = Open(Save(*model));
  const auto other =
      ModelOf(absl::StrReplaceAll(kModel, {{"Relu(y)", "Abs(y)"}}).c_str(), ModelFeeds());
  for (const bool left : {true, false}) {
    const Comparison comparison =
        left ? CompareSides(*recorded, *other) : CompareSides(*other, *recorded);
    ASSERT_THAT(comparison.causes, SizeIs(1));
    EXPECT_EQ(comparison.left.results[Index(comparison.causes[0].left)].name, "r");
    EXPECT_EQ(comparison.right.results[Index(comparison.causes[0].right)].name, "r");
  }
  EXPECT_THAT(CompareSides(*model, *recorded).causes, IsEmpty());
}

TEST_F(RecordingSideTest, ARunOfLastWeek) {
  const auto model = ModelOf(kModel, ModelFeeds());
  const Recorded recorded = Record(Save(*model));
  EXPECT_THAT(Lines(recorded.stream),
              ElementsAre("INPUT x", "INPUT w", "RESULT y by MatMul", "RESULT r by Relu",
                          "RESULT t by Transpose", "RESULT z by MatMul", "OUTPUT z of 5"));
  for (const StreamResult& result : recorded.stream.results) {
    EXPECT_EQ(result.node, kNone);
    EXPECT_EQ(result.computation, result.fingerprint.content.low);
    EXPECT_EQ(result.precision, DType::kFloat);
    EXPECT_EQ(result.type,
              absl::StrCat("float[", result.shape->at(0), ",", result.shape->at(1), "]"));
  }
  EXPECT_TRUE(recorded.stream.nodes.empty());
  EXPECT_EQ(recorded.side->summary().bytes,
            static_cast<int64_t>(std::filesystem::file_size(folder_.Path("r.npz"))));

  const Comparison comparison = CompareSides(*model, *recorded.side);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_EQ(comparison.rows.size(), 7u);
  for (const ComparedRow& row : comparison.rows) {
    EXPECT_EQ(row.relation, Relation::kSame);
    EXPECT_EQ(row.aligned.marks, 0);
  }
}

TEST_F(RecordingSideTest, ResultsOfSubgraphs) {
  const auto model = ModelOf(R"(<ir_version: 9, opset_import: ["": 18]>
      g (int64 n, bool c, float[4] x) => (float[4] y) {
        [loop] y = Loop(n, c, x) <body = b (int64 i, bool k, float[4] a) => (bool k, float[4] s) {
          s = Add(a, a)
        }>
      })",
                             {{"n", Tensor::Scalar<int64_t>(2)},
                              {"c", Tensor::Scalar(true)},
                              {"x", Tensor::Of<float>({4}, {1, 2, 3, 4})}});
  const std::string path = Save(*model);
  Recorded recorded = Record(path);
  EXPECT_THAT(Lines(recorded.stream),
              ElementsAre("INPUT n", "INPUT c", "INPUT x", "RESULT loop[0]:s by Add",
                          "RESULT loop[1]:s by Add", "RESULT y by Loop", "OUTPUT y of 5"));
  const Comparison comparison = CompareSides(*model, *recorded.side);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_EQ(comparison.rows.size(), 7u);

  RecordOptions shallow;
  shallow.max_depth = 0;
  recorded = Record(path, shallow);
  EXPECT_THAT(Lines(recorded.stream),
              ElementsAre("INPUT n", "INPUT c", "INPUT x", "RESULT y by Loop", "OUTPUT y of 3"));
  // Numbers are those of the last pass.
  std::vector<int> seen;
  const absl::Status status = recorded.side->Revisit(
      {false, false, false, true}, nullptr, [&](int number, const Value& value) {
        seen.push_back(number);
        ExpectSameBits(value.tensor(), Tensor::Of<float>({4}, {4, 8, 12, 16}));
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(seen, ElementsAre(3));
}

TEST_F(RecordingSideTest, InputsForTheOtherSide) {
  const auto model = ModelOf(kModel, ModelFeeds());
  auto side = OpenArchive(Save(*model));
  ASSERT_TRUE(side.ok());
  RecordingSide recording("r.npz", *std::move(side));
  const auto inputs = recording.RecordedInputs(model->graph());
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_TRUE(inputs->all);
  ASSERT_EQ(inputs->values.size(), 2u);
  EXPECT_EQ(inputs->values[1].name, "w");
  ExpectSameBits(inputs->values[1].value.tensor(), ModelFeeds()["w"].tensor());
}

// A device keeps its input channels last, without a batch, or as bytes.
TEST_F(RecordingSideTest, InputsInAnotherLayoutAreTurned) {
  const auto model = ModelOf(R"(<ir_version: 9, opset_import: ["": 18]>
      g (float[1, 3, 2, 4] x) => (float[1, 3, 2, 4] y) { y = Relu(x) })",
                             {});
  const Tensor x = RandomFloats({1, 3, 2, 4}, 5);
  const Tensor last = *x.Strided({1, 2, 4, 3}, {24, 4, 1, 8}, x.offset()).Contiguous();
  for (const Tensor& recorded :
       {last, last.Reshaped({2, 4, 3}), x.Reshaped({3, 2, 4}), x.Reshaped({24})}) {
    auto side = OpenValueFiles(Arrays({{"x", recorded}}));
    ASSERT_TRUE(side.ok()) << side.status();
    RecordingSide recording("r.npz", *std::move(side));
    const auto inputs = recording.RecordedInputs(model->graph());
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    ASSERT_THAT(inputs->values, SizeIs(1));
    ExpectSameBits(inputs->values[0].value.tensor(), x);
    EXPECT_THAT(inputs->notes, ElementsAre(HasSubstr("is fed in the model's layout")));
  }
}

// Other names, another order, another layout, and less of it.
TEST_F(RecordingSideTest, RecordedValuesPairByValue) {
  const Feeds feeds = ModelFeeds();
  const auto model = ModelOf(kModel, feeds);
  Value y;
  Value r;
  const ResultStream stream =
      model->Record({}, [&](int, const StreamResult& result, const Value& value) {
        if (result.name == "y") y = value;
        if (result.name == "r") r = value;
        return absl::OkStatus();
      });
  ASSERT_FALSE(stream.results.empty());
  const Tensor transposed = *y.tensor().Strided({4, 4}, {1, 4}, y.tensor().offset()).Contiguous();
  const Tensor reshaped = r.tensor().Reshaped({1, 16});
  const std::string path = Arrays({{"a", reshaped},
                                   {"b", transposed},
                                   {"c", RandomFloats({4, 4}, 77)},
                                   {"d", feeds.at("w").tensor()}});
  const auto recording = Open(path);
  const Comparison comparison = CompareSides(*model, *recording);
  std::vector<std::string> pairs;
  for (const ComparedRow& row : comparison.rows) {
    if (row.relation == Relation::kLeftOnly) continue;
    const auto name = [](const FewResults& results, const ResultStream& stream) {
      return results.empty() ? "-" : stream.results[static_cast<size_t>(results.back())].name;
    };
    pairs.push_back(absl::StrCat(RelationName(row.relation), " ",
                                 name(row.aligned.left, comparison.left), " ",
                                 name(row.aligned.right, comparison.right)));
  }
  EXPECT_THAT(
      pairs, ::testing::UnorderedElementsAre("same w d", "same y b", "same r a", "right_only - c"));
}

// Bits whose type NumPy lacks: of two bytes they are bfloat16, else they stay integers.
TEST_F(RecordingSideTest, OpaqueElements) {
  folder_.Write("x.npy", std::string("\x93NUMPY\x01\0", 8) + std::string("\x46\0", 2) +
                             "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }            "
                             "\n" +
                             std::string("\x80\x3f\x00\x40", 4));
  const Recorded recorded = Record(folder_.Path("x.npy"));
  ASSERT_EQ(recorded.values.size(), 1u);
  ExpectSameBits(recorded.values[0].tensor(),
                 Convert(Tensor::Of<float>({2}, {1, 2}), DType::kBfloat16));
}

TEST_F(RecordingSideTest, AnErrorEndsThePassThere) {
  const std::string path = Arrays({{"a", Tensor::Scalar(1.0f)}, {"c", Tensor::Scalar(2.0f)}});
  folder_.Write("arrays/b.npy", "nothing");
  const auto side = Open(path);
  int seen = 0;
  const ResultStream stream = side->Record({}, [&](int, const StreamResult&, const Value&) {
    ++seen;
    return absl::OkStatus();
  });
  EXPECT_EQ(stream.results.size(), 1u);
  EXPECT_EQ(seen, 1);
  EXPECT_THAT(side->summary().status.message(), HasSubstr("b.npy"));
  // What the visitor says ends it, too.
  const ResultStream stopped = side->Record(
      {}, [&](int, const StreamResult&, const Value&) { return absl::CancelledError("enough"); });
  EXPECT_EQ(side->summary().status.message(), "enough");
  EXPECT_FALSE(
      side->Revisit({false, true}, nullptr, [](int, const Value&) { return absl::OkStatus(); })
          .ok() &&
      stopped.results.size() > 1);
}

// ---- models of constants ----

class Constants {
 public:
  Constants() {
    model_.set_ir_version(9);
    auto* import = model_.add_opset_import();
    import->set_version(18);
    model_.mutable_graph()->set_name("g");
  }
  Constants& Initializer(const std::string& name, float value) {
    EXPECT_TRUE(TensorToProto(Tensor::Of<float>({1}, {value}), name,
                              model_.mutable_graph()->add_initializer())
                    .ok());
    return *this;
  }
  Constants& Node(const std::string& op_type, const std::vector<std::string>& inputs,
                  const std::string& output) {
    onnx::NodeProto& node = *model_.mutable_graph()->add_node();
    node.set_op_type(op_type);
    node.mutable_input()->Add(inputs.begin(), inputs.end());
    node.add_output(output);
    return *this;
  }
  Constants& Output(const std::string& name) {
    auto* tensor = model_.mutable_graph()->add_output()->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnx::TensorProto::FLOAT);
    tensor->mutable_shape()->add_dim()->set_dim_value(1);
    model_.mutable_graph()->mutable_output()->rbegin()->set_name(name);
    return *this;
  }
  // An initializer and the output that shows it.
  Constants& Shown(const std::string& name, float value) {
    return Initializer("t_" + name, value).Node("Identity", {"t_" + name}, name).Output(name);
  }
  std::string Bytes() const { return model_.SerializeAsString(); }

 private:
  onnx::ModelProto model_;
};

TEST_F(RecordingSideTest, ModelsWithoutNodes) {
  const Recorded recorded = Record(folder_.Write(
      "c.onnx", Constants().Initializer("b", 1).Initializer("a", 2).Output("a").Bytes()));
  EXPECT_THAT(Lines(recorded.stream), ElementsAre("RESULT a", "RESULT b"));
  ExpectSameBits(recorded.values[0].tensor(), Tensor::Of<float>({1}, {2}));
}

TEST_F(RecordingSideTest, ConstantsSequencesAndNamesTakenTwice) {
  Constants constants;
  constants.Shown("dict_a___tuple_0.___tensor", 1).Shown("dict_a___list_0.___tensor", 2);
  constants.Shown("dict_b___dict.___empty", 3).Shown("plain", 4);
  const Recorded recorded = Record(folder_.Write("c.onnx", constants.Bytes()));
  EXPECT_THAT(Lines(recorded.stream),
              ElementsAre("RESULT a[0]", "RESULT dict_a___list_0.___tensor", "RESULT plain"));
  EXPECT_THAT(recorded.side->summary().notes, ElementsAre(HasSubstr("left out: 1")));
}

TEST_F(RecordingSideTest, TheRootOfModules) {
  const std::string in = "dict_((-Model-7,0,I))___tuple_0___tuple_0.___tensor";
  const std::string inner = "dict_((a-Linear-1,0,O))___tensor";
  const std::string out = "dict_((-Model-7,0,O))___tuple_0.___tensor";
  Constants once;
  once.Shown(in, 1).Shown(inner, 2).Shown(out, 3);
  EXPECT_THAT(Lines(Record(folder_.Write("c.onnx", once.Bytes())).stream),
              ElementsAre("INPUT Model call 0 input [0]", "RESULT a call 0 output by Linear",
                          "RESULT Model call 0 output [0] by Model",
                          "OUTPUT Model call 0 output [0] of 2"));
  // Several calls: which of them a model's run is, nobody knows.
  once.Shown("dict_((-Model-7,1,O))___tuple_0.___tensor", 4);
  EXPECT_THAT(Lines(Record(folder_.Write("c.onnx", once.Bytes())).stream),
              ElementsAre("RESULT Model call 0 input [0]", "RESULT a call 0 output by Linear",
                          "RESULT Model call 0 output [0] by Model",
                          "RESULT Model call 1 output [0] by Model"));
  // A cache is flattened in an order of its own.
  Constants cache;
  cache.Shown("dict_((-Model-7,0,O))___Cache._keys___tensor", 1);
  EXPECT_THAT(Lines(Record(folder_.Write("c.onnx", cache.Bytes())).stream),
              ElementsAre("RESULT Model call 0 output keys by Model"));
}

TEST_F(RecordingSideTest, ModelsThatComputeAreModels) {
  const std::string computes = folder_.Write(
      "c.onnx", Constants().Initializer("a", 2).Node("Neg", {"a"}, "b").Output("b").Bytes());
  EXPECT_NE(Open(computes)->evaluator(), nullptr);
  EXPECT_NE(Open(folder_.Write("m.onnxtxt", kModel))->evaluator(), nullptr);
}

// ---- forms ----

TEST_F(RecordingSideTest, FormsAreToldByContent) {
  const auto looks = [&](const std::string& name, const std::string& bytes) {
    return LooksLikeRecording(folder_.Write(name, bytes));
  };
  EXPECT_TRUE(LooksLikeRecording(folder_.Path("")));
  EXPECT_TRUE(looks("a", "PK\x03\x04rest"));
  EXPECT_TRUE(looks("a", "PK\x05\x06"));
  EXPECT_TRUE(looks("a", "\x93NUMPY"));
  EXPECT_TRUE(looks("a", std::string("\x02\0\0\0\0\0\0\0{}", 10)));
  EXPECT_TRUE(looks("a.npz", ""));
  EXPECT_TRUE(looks("a.npy", "x"));
  EXPECT_TRUE(looks("a.safetensors", ""));
  EXPECT_FALSE(looks("a.onnx", "\x08\x09"));
  EXPECT_FALSE(looks("a", ""));
  EXPECT_FALSE(LooksLikeRecording(folder_.Path("none.onnx")));
}

TEST_F(RecordingSideTest, WhatCannotBeOpened) {
  for (const char* name : {"a.npz", "a.safetensors", "a.onnx", "a.bin"}) {
    for (const char* bytes : {"", "PK\x03\x04", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
      const auto side = OpenSide(folder_.Write(name, bytes), Registry());
      ASSERT_FALSE(side.ok()) << name;
      EXPECT_THAT(side.status().message(), HasSubstr(name)) << side.status();
    }
    std::filesystem::remove(folder_.Path(name));
    EXPECT_THAT(OpenSide(folder_.Path(name), Registry()).status().message(), HasSubstr(name));
  }
}

// ---- what PyTorch's modules took and gave ----

TEST_F(RecordingSideTest, ModulesAgainstTheirExport) {
  auto model = ModelSide::Open(TestData("models/llm/plain.onnx"), Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  auto file = FeedFile::Open(TestData("models/llm/inputs.npz"));
  ASSERT_TRUE(file.ok()) << file.status();
  (*model)->SetFeeds(file->FeedsFor((*model)->graph())->feeds);
  const auto recording = Open(TestData("models/llm/torch_dump.onnx"));
  const Comparison comparison = CompareSides(**model, *recording);
  EXPECT_EQ(comparison.verdict(), Verdict::kClose);
  EXPECT_THAT(comparison.outputs.only_left, IsEmpty());
  // Every recorded value has its counterpart, and what a module gave is what an operator gave.
  size_t paired = 0;
  for (const ComparedRow& row : comparison.rows) {
    EXPECT_NE(row.relation, Relation::kRightOnly);
    EXPECT_NE(row.relation, Relation::kDifferent);
    if (!row.aligned.paired()) continue;
    ++paired;
    EXPECT_FALSE(row.aligned.marks & static_cast<Marks>(Mark::kMoved));
  }
  EXPECT_EQ(paired, comparison.right.results.size());
  EXPECT_EQ(paired, 43u);
  const auto partner = [&](absl::string_view name) -> std::string {
    for (const ComparedRow& row : comparison.rows) {
      if (!row.aligned.paired()) continue;
      if (comparison.right.results[static_cast<size_t>(row.aligned.right.back())].name == name) {
        return comparison.left.results[static_cast<size_t>(row.aligned.left.back())].name;
      }
    }
    return "";
  };
  // By numpy.allclose on onnxruntime's values of the model's results.
  EXPECT_EQ(partner("embedding call 0 output"), "add");
  EXPECT_EQ(partner("decoder.norm_1 call 0 output"), "_onx_div_sub_add");
  EXPECT_EQ(partner("decoder.attention.attention.1.value call 0 input [0]"), "_onx_div_sub_add");
  EXPECT_EQ(partner("decoder.attention.attention.0.key call 0 output"), "linear_1");
  EXPECT_EQ(partner("decoder.attention.linear call 0 input [0]"), "cat");
  EXPECT_EQ(partner("decoder.feed_forward.relu call 0 output"), "relu");
  EXPECT_EQ(partner("SmallLM call 0 output"), "output_0");
}

}  // namespace
}  // namespace onnxcmp
