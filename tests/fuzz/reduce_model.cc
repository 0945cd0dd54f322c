// A model that is reduced to what still has one operator of it, as `onnxcmp reduce` does.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/read_model.h"
#include "feed/generated_targets.h"
#include "onnx/onnx_pb.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"
#include "tools/parts/known_model.h"
#include "tools/reduce/failure_test.h"
#include "tools/reduce/reduce.h"

namespace onnxcmp::fuzz {
namespace {

// Fails on models that have an operator, so often at most.
class HasOperator : public FailureTest {
 public:
  explicit HasOperator(std::string op_type) : op_type_(std::move(op_type)) {}

  absl::StatusOr<ReduceTrial> Begin(const ReduceCandidate& whole) override { return Try(whole); }
  absl::StatusOr<ReduceTrial> Try(const ReduceCandidate& candidate) override {
    constexpr int kMostTrials = 60;
    ReduceTrial trial;
    if (++trials_ > kMostTrials) return trial;
    for (const onnx::NodeProto& node : candidate.model.proto.graph().node()) {
      trial.fails = trial.fails || node.op_type() == op_type_;
    }
    return trial;
  }
  bool reads_values() const override { return trials_ % 2 == 0; }
  std::string key() const override { return op_type_; }
  std::string command() const override { return op_type_; }
  absl::StatusOr<std::string> Script(const ReduceCandidate& /*candidate*/,
                                     const std::string& /*folder*/) override {
    return "";
  }

 private:
  const std::string op_type_;
  int trials_ = 0;
};

absl::Status ReduceTo(uint64_t seed, const std::string& path) {
  const KnownModelOptions options = {LimitedLoad(), LimitedRun()};
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<onnx::ModelProto> proto,
                      ReadWholeModel(path, Registry(), options.load));
  if (proto->graph().node_size() == 0) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModelFromBytes(proto->SerializeAsString(), Registry(), options.load));
  OC_ASSIGN_OR_RETURN(std::vector<NamedValue> values,
                      GenerateInputs(model->graph, LimitedInputs()));
  FedModel whole = {*proto, {}};
  for (NamedValue& value : values) whole.feeds[value.name] = std::move(value.value);
  const auto nodes = static_cast<uint64_t>(proto->graph().node_size());
  HasOperator test(proto->graph().node(static_cast<int>(seed % nodes)).op_type());
  ReduceOptions reduce;
  reduce.model = options;
  return Reduce(std::move(whole), Registry(), reduce, &test).status();
}

}  // namespace

absl::Status ReduceModel(absl::string_view bytes) {
  uint64_t seed = 0;
  if (bytes.size() < sizeof(seed)) return absl::OkStatus();
  std::memcpy(&seed, bytes.data(), sizeof(seed));
  const auto model = ReadModelBytes(bytes.substr(sizeof(seed)), /*max_depth=*/64);
  if (!model.ok()) return absl::OkStatus();
  const Scratch scratch;
  return Mistake(ReduceTo(seed, scratch.Write("m.onnx", (*model)->SerializeAsString())));
}

}  // namespace onnxcmp::fuzz
